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
	pairs, convention := pairsOf(labels), conventionOf(labels)
	if 4*len(pairs) < len(labels) {
		pairs = nil
	}
	if text, guessed := proposeLanes(labels, pairs, convention); guessed > 0 {
		table = text
	}
	switch {
	case len(pairs) > 0:
		sends, receives := printable.Cut(pairs[0][0], LabelLength), printable.Cut(pairs[0][1], LabelLength)
		said = fmt.Sprintf("labels come in pairs such as %s and %s: in a table, the line %s, a tab, FROM, a tab, TO, a tab, %s makes one message of such a pair",
			sends, receives, sends, receives)
	case convention != nil:
		said = fmt.Sprintf("'/%s/' would make %d lanes of these labels", convention, len(lanesBy(convention, labels)))
	}
	return said, table
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

// pairsOf returns the labels that send a message, each with the label that receives it, as their
// endings suggest.
func pairsOf(labels []string) (found [][2]string) {
	all := make(map[string]bool, len(labels))
	for _, label := range labels {
		all[label] = true
	}
	for _, label := range labels {
		for _, ends := range pairs {
			name, sent := strings.CutSuffix(label, ends[0])
			if sent && name != "" && all[name+ends[1]] {
				found = append(found, [2]string{label, name + ends[1]})
			}
		}
	}
	return found
}
