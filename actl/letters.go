package actl

import (
	"context"
	"fmt"
	"strconv"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/values"
)

// mostLetters is the largest number of [Letters].
const mostLetters = 1 << 12

// Letters are all ways in which an action whose label is not known yet can match some
// patterns: an alphabet of its own, each label of which stands for a set of the patterns.
// It is immutable.
type Letters struct {
	patterns []Pattern
	alphabet *lts.Alphabet
	steps    []property.Step
	of       map[string]lts.Label
	// atoms are those about values of states: of letter l of a label, the one with facts f has
	// the number l·2^n + f, and behind all those are those with which runs begin.
	atoms []*values.Atom
	bases int
}

// NewLetters returns the letters of these patterns: the sets of them that some label
// matches, and no others. Of names, labels and sets of these they are exact; globs are
// compared by how they begin, and what regular expressions match is not looked into: they
// are taken to match any label, or not to. It fails if there would be more than 4,096.
// Cost O(members · patterns), and that of 2^n combinations for n globs and regular
// expressions.
func NewLetters(patterns []Pattern) (*Letters, error) {
	l := &Letters{patterns: patterns, of: map[string]lts.Label{}, steps: make([]property.Step, len(patterns))}
	for i, p := range patterns {
		l.steps[i].Pattern = p
	}
	sets, err := newCombinations(patterns).all()
	if err != nil {
		return nil, err
	}
	var names []string
	for n, chosen := range sets {
		names = append(names, strconv.Itoa(n))
		l.of[fmt.Sprint(chosen)] = lts.Label(n)
		for _, i := range chosen {
			l.steps[i].Labels = append(l.steps[i].Labels, lts.Label(n))
		}
	}
	if l.alphabet, err = lts.NewAlphabet(names); err != nil {
		return nil, err
	}
	l.bases = len(names)
	return l, l.refine()
}

// refine lets letters also tell the atoms about values of states.
func (l *Letters) refine() (err error) {
	if l.atoms = StateAtoms(l.patterns); len(l.atoms) == 0 {
		return nil
	}
	var names []string
	for _, a := range l.atoms {
		names = append(names, a.String())
	}
	if l.alphabet, err = l.alphabet.RefinedLetters(names, 1<<16); err != nil {
		return err
	}
	for i := range l.steps {
		var all []lts.Label
		for _, base := range l.steps[i].Labels {
			for f := range lts.Label(1) << len(names) {
				all = append(all, base<<len(names)+f)
			}
		}
		l.steps[i].Labels = all
		if l.steps[i].Facts, err = factsOf(l.patterns[i], l.alphabet); err != nil {
			return err
		}
	}
	return nil
}

// StateAtoms returns the atoms about values of states, the facts that letters tell.
func (l *Letters) StateAtoms() []*values.Atom { return l.atoms }

// To returns the letter of an action which has this letter and leads to a state of these facts.
func (l *Letters) To(letter lts.Label, facts lts.Facts) lts.Label {
	return letter<<len(l.atoms) + lts.Label(facts)
}

// Begin returns the letter with which a run begins in a state of these facts.
func (l *Letters) Begin(facts lts.Facts) lts.Label { return l.To(lts.Label(l.bases), facts) }

// Of returns the letter of a label: false if the patterns were not taken to match it
// together. Cost that of matching each pattern.
func (l *Letters) Of(label string) (lts.Label, bool) {
	chosen := []int{}
	for i, p := range l.patterns {
		if p.Matches(label) {
			chosen = append(chosen, i)
		}
	}
	letter, known := l.of[fmt.Sprint(chosen)]
	return letter, known
}

// Alphabet returns the letters as labels, Steps the patterns with the letters that match
// them. Neither must be changed.
func (l *Letters) Alphabet() *lts.Alphabet { return l.alphabet }

// Steps returns the patterns with their letters.
func (l *Letters) Steps() []property.Step { return l.steps }

// BindLetters returns the property over letters that f is for actions with any labels.
func (f *Formula) BindLetters(ctx context.Context) (*property.Property, *Letters, error) {
	var patterns []Pattern
	number := map[string]uint32{}
	order := make([]uint32, len(f.steps))
	for i, p := range f.steps {
		n, known := number[p.key()]
		if !known {
			n = uint32(len(patterns))
			number[p.key()] = n
			patterns = append(patterns, p)
		}
		order[i] = n
	}
	l, err := NewLetters(patterns)
	if err != nil {
		return nil, nil, err
	}
	p, err := f.property(ctx, l.alphabet, l.steps, order)
	return p, l, err
}
