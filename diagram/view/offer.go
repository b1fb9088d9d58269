package view

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// conventions are regular expressions for common forms of labels: the capture names the lane that
// acts.
var conventions = []*regexp.Regexp{
	regexp.MustCompile(`^\w+\((\d+)`),
	regexp.MustCompile(`^\w+ !(\d+)`),
	regexp.MustCompile(`^(?:c|s|r)(\d)\d*\(`),
	regexp.MustCompile(`^([A-Za-z]+)[0-9]*[._:]\w`),
}

// pairs are common endings of the labels that send a message and that receive it.
var pairs = [][2]string{{"_EM", "_REC"}, {"_SEND", "_RECV"}, {"_SEND", "_RECEIVE"}, {"_snd", "_rcv"}}

// maxOffered is the largest number of lanes that a convention may yield.
const maxOffered = 12

// OfferLanes proposes lanes for the labels of a model by common conventions: in a sentence ("" if
// no convention fits), and as a table for [ReadLanes]. A label need not mean what its form
// suggests. Cost O(length of the labels).
func OfferLanes(labels []string) (said, table string) {
	if text, guessed := proposeLanes(labels); guessed > 0 {
		table = text
	}
	if pair, n := pairOf(labels); 4*n >= len(labels) {
		return fmt.Sprintf("labels come in pairs such as %s and %s: in a table, the line %s, a tab, FROM, a tab, TO, a tab, %s makes one message of such a pair",
			printable.Cut(pair[0], LabelLength), printable.Cut(pair[1], LabelLength), printable.Cut(pair[0], LabelLength), printable.Cut(pair[1], LabelLength)), table
	}
	if convention := conventionOf(labels); convention != nil {
		return fmt.Sprintf("'/%s/' would make %d lanes of these labels", convention, len(lanesBy(convention, labels))), table
	}
	return "", table
}

// conventionOf returns the first convention that most labels follow and that yields between two and
// maxOffered lanes; nil if there is none.
func conventionOf(labels []string) *regexp.Regexp {
	for _, convention := range conventions {
		found, n := lanesBy(convention, labels), 0
		for _, count := range found {
			n += count
		}
		if 2*n > len(labels) && len(found) > 1 && len(found) <= maxOffered {
			return convention
		}
	}
	return nil
}

// lanesBy returns the lanes that a convention yields, each with the number of its labels.
func lanesBy(convention *regexp.Regexp, labels []string) map[string]int {
	found := map[string]int{}
	for _, label := range labels {
		if match := convention.FindStringSubmatch(label); match != nil {
			found[match[1]]++
		}
	}
	return found
}

// receipts maps each label that has the ending of a sending to the label with the matching receipt.
func receipts(labels []string) map[string]string {
	all := make(map[string]bool, len(labels))
	for _, label := range labels {
		all[label] = true
	}
	found := map[string]string{}
	for _, label := range labels {
		for _, ends := range pairs {
			name, sent := strings.CutSuffix(label, ends[0])
			if sent && name != "" && all[name+ends[1]] {
				found[label] = name + ends[1]
			}
		}
	}
	return found
}

// pairOf returns the first pair of endings for which both labels exist, and the number of such
// pairs.
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
