package batch

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
)

// String returns "FILE:LINE", without the line where it is 0.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Mistake is something in a manifest that has to be mended.
type Mistake struct {
	Where Place
	// Message is one line: what is wrong, and what to do about it.
	Message string
	// Caret is "", or two lines that show the place within a formula.
	Caret string
}

// String returns "FILE:LINE: message".
func (m Mistake) String() string { return m.Where.String() + ": " + m.Message }

// ManifestError holds all mistakes of a manifest, in the order of its lines.
type ManifestError struct{ Mistakes []Mistake }

// Error returns a line for each mistake.
func (e *ManifestError) Error() string {
	lines := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// mistakes collects what is wrong.
type mistakes struct{ list []Mistake }

func (m *mistakes) add(where Place, format string, args ...any) {
	m.list = append(m.list, Mistake{Where: where, Message: fmt.Sprintf(format, args...)})
}

// err returns all mistakes as an error, nil if there are none. Those of the
// manifest itself come first.
func (m *mistakes) err(manifest string) error {
	if len(m.list) == 0 {
		return nil
	}
	slices.SortStableFunc(m.list, func(a, b Mistake) int {
		if a.Where.File != b.Where.File {
			switch manifest {
			case a.Where.File:
				return -1
			case b.Where.File:
				return 1
			}
		}
		return cmp.Or(strings.Compare(a.Where.File, b.Where.File), cmp.Compare(a.Where.Line, b.Where.Line))
	})
	return &ManifestError{m.list}
}

// meant asks whether one of the words was meant, "" if none is similar.
func meant(written string, words []string) string {
	best, least := "", max(2, min(3, len(written)/2+1))
	for _, word := range words {
		if d := levenshtein.ComputeDistance(written, word); d < min(least, len(written)) {
			best, least = word, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" did you mean %s?", best)
}
