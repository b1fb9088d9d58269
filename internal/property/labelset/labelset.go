// Package labelset has the pattern of a step that no user wrote: a list of the labels that it
// matches.
package labelset

import (
	"strings"

	"github.com/inev-lts/inev/lts"
)

// Set is a pattern that is a set of labels. It is immutable.
type Set struct {
	texts []string
	has   map[string]bool
}

// Of returns the pattern that matches exactly these labels of a. Cost O(length of
// the labels).
func Of(a *lts.Alphabet, labels []lts.Label) *Set {
	s := &Set{has: make(map[string]bool, len(labels))}
	for _, l := range labels {
		s.texts = append(s.texts, a.Text(l))
		s.has[a.Text(l)] = true
	}
	return s
}

// Matches reports whether label is one of the set.
func (s *Set) Matches(label string) bool { return s.has[label] }

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// String returns the set as formulas write it: "a", or {"a", "b"}.
func (s *Set) String() string {
	quoted := make([]string, len(s.texts))
	for i, text := range s.texts {
		quoted[i] = `"` + escaped.Replace(text) + `"`
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return "{" + strings.Join(quoted, ", ") + "}"
}
