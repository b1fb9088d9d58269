package actl

import (
	"context"
	"fmt"
	"strconv"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
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
}

// NewLetters returns the letters of these patterns: the sets of them that some label
// matches, and no others. Of names, labels and sets of these they are exact; globs are
// compared by how they begin, and what regular expressions match is not looked into: they
// are taken to match any label, or not to. It fails where there would be more than 4,096.
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
	l.alphabet, err = lts.NewAlphabet(names)
	return l, err
}

// Of returns the letter of a label: false where the patterns were not taken to match it
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
