package property

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// Relabel returns the property over the labels of another alphabet: label l of a
// means what old(l) means here. A step of a chain keeps its pattern if that
// matches exactly the labels of a that do the step; otherwise the pattern becomes
// the set of these labels. It fails if old(l) is no label of the property. Cost:
// one match of each distinct pattern with each label of a.
func (p *Property) Relabel(a *lts.Alphabet, old func(lts.Label) lts.Label) (*Property, error) {
	return p.form.relabel(a, old)
}

// checkOld returns an error if the old label of a label of a is not in before.
func checkOld(before, a *lts.Alphabet, old func(lts.Label) lts.Label) error {
	for l := range a.All() {
		if int(old(l)) >= before.Len() {
			return fmt.Errorf("property: label %d stands for label %d of %d", l, old(l), before.Len())
		}
	}
	return nil
}

// Relabel is [Property.Relabel] of a chain.
func (c *Chain) Relabel(a *lts.Alphabet, old func(lts.Label) lts.Label) (*Chain, error) {
	if err := checkOld(c.alphabet, a, old); err != nil {
		return nil, err
	}
	in := newIncidence(c.alphabet.Len(), c.patterns)
	patterns := make([]Step, len(c.patterns))
	for l := range a.All() {
		for _, q := range in.of(old(l)) {
			patterns[q].Labels = append(patterns[q].Labels, l)
		}
	}
	for q := range patterns {
		step := &patterns[q]
		if step.Pattern = c.patterns[q].Pattern; !keeps(*step, a, step.Labels) {
			step.Pattern = newLabelSet(a, step.Labels)
		}
	}
	r := &Chain{alphabet: a, n: c.n, patterns: patterns, patternOf: c.patternOf, kind: c.kind, text: c.text, wide: c.wide}
	if c.wide {
		r.does = newIncidence(a.Len(), patterns)
	} else {
		r.masks, r.suffixMasks = newMasks(a.Len(), patterns, c.patternOf)
	}
	return r, nil
}

// keeps reports whether the pattern of a step matches just these labels of a.
func keeps(step Step, a *lts.Alphabet, labels []lts.Label) bool {
	next := 0
	for l, text := range a.All() {
		does := next < len(labels) && labels[next] == l
		if does {
			next++
		}
		if step.Pattern.Matches(text) != does {
			return false
		}
	}
	return true
}

// LabelSet returns a pattern that matches exactly these labels of a, for a step
// without a written pattern. Cost O(length of the labels).
func LabelSet(a *lts.Alphabet, labels []lts.Label) Pattern { return newLabelSet(a, labels) }

// labelSet is a pattern that is a set of labels.
type labelSet struct {
	texts []string
	has   map[string]bool
}

func newLabelSet(a *lts.Alphabet, labels []lts.Label) *labelSet {
	s := &labelSet{has: make(map[string]bool, len(labels))}
	for _, l := range labels {
		s.texts = append(s.texts, a.Text(l))
		s.has[a.Text(l)] = true
	}
	return s
}

// Matches reports whether label is one of the set.
func (s *labelSet) Matches(label string) bool { return s.has[label] }

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// String returns the set as formulas write it: "a", or {"a", "b"}.
func (s *labelSet) String() string {
	quoted := make([]string, len(s.texts))
	for i, text := range s.texts {
		quoted[i] = `"` + escaped.Replace(text) + `"`
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return "{" + strings.Join(quoted, ", ") + "}"
}
