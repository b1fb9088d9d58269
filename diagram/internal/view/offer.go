package view

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// conventions are regular expressions that fit how labels are often written: by what they
// begin with, and who acts.
var conventions = []*regexp.Regexp{
	regexp.MustCompile(`^\w+\((\d+)`),
	regexp.MustCompile(`^\w+ !(\d+)`),
	regexp.MustCompile(`^(?:c|s|r)(\d)\d*\(`),
	regexp.MustCompile(`^([A-Za-z]+)[0-9]*[._:]\w`),
}

// pairs are the ends of the labels by which a message is sent and received.
var pairs = [][2]string{{"_EM", "_REC"}, {"_SEND", "_RECV"}, {"_SEND", "_RECEIVE"}, {"_snd", "_rcv"}}

// maxOffered is the number of lanes up to which a convention is offered.
const maxOffered = 12

// OfferLanes says in one sentence which lanes would fit the labels of a model, by the
// conventions that are common; "" if none does. They are offered and not taken, for a
// label that looks so need not mean so. Cost O(length of the labels).
func OfferLanes(labels []string) string {
	if pair, n := pairOf(labels); 4*n >= len(labels) {
		return fmt.Sprintf("labels come in pairs such as %s and %s: in a table, the line %s, a tab, FROM, a tab, TO, a tab, %s makes one message of such a pair",
			printable.Cut(pair[0], LabelLength), printable.Cut(pair[1], LabelLength), printable.Cut(pair[0], LabelLength), printable.Cut(pair[1], LabelLength))
	}
	for _, convention := range conventions {
		found, n := map[string]bool{}, 0
		for _, label := range labels {
			if match := convention.FindStringSubmatch(label); match != nil {
				found[match[1]] = true
				n++
			}
		}
		if 2*n > len(labels) && len(found) > 1 && len(found) <= maxOffered {
			return fmt.Sprintf("'/%s/' would make %d lanes of these labels", convention, len(found))
		}
	}
	return ""
}

// pairOf returns the first pair of labels that looks like sending and receiving, and the
// number of such pairs.
func pairOf(labels []string) (first [2]string, n int) {
	all := make(map[string]bool, len(labels))
	for _, label := range labels {
		all[label] = true
	}
	for _, label := range labels {
		for _, ends := range pairs {
			name, sent := strings.CutSuffix(label, ends[0])
			if !sent || name == "" || !all[name+ends[1]] {
				continue
			}
			if n == 0 {
				first = [2]string{label, name + ends[1]}
			}
			n++
		}
	}
	if n == 0 {
		return first, -1
	}
	return first, n
}
