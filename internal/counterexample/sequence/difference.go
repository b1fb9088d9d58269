package sequence

import (
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// isDifference reports whether a label is the last label of a diagnostic of BISIMULATOR or BCG_CMP,
// such as "Present in a.bcg: GET".
func isDifference(label string) bool {
	for _, begins := range []string{"Present in ", "Absent in "} {
		rest, begun := strings.CutPrefix(label, begins)
		model, _, hasLabel := strings.Cut(rest, ":")
		if begun && hasLabel && model != "" {
			return true
		}
	}
	return false
}

// Difference returns the label that marks a graph as a diagnostic of CADP's BISIMULATOR or BCG_CMP,
// which shows where two models differ. It returns "" for all other graphs. Cost O(number of
// labels).
func Difference(labels *lts.Alphabet) string {
	for l := range lts.Label(labels.Len()) {
		text := labels.Text(l)
		if isDifference(text) {
			return text
		}
	}
	return ""
}

// MeaningOf returns a sentence that says what a diagnostic with this label is, and which command to
// use instead.
func MeaningOf(label string) string {
	return "this is a diagnostic of BISIMULATOR or BCG_CMP, which mark by " + strconv.Quote(label) +
		" where two models differ; inev compare OLD NEW shows a run up to their difference"
}

// refuseDifference refuses a counterexample that has the label of a difference.
func refuseDifference(name, label string) error {
	if !isDifference(label) {
		return nil
	}
	return &inputfile.Error{File: name, Message: MeaningOf(label)}
}
