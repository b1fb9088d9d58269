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

// NewLetters returns the letters of these patterns. Where two patterns can match one label
// is found out where one of them names labels, and taken to be possible for two globs,
// regular expressions or names with one of these. It fails where there would be more than
// 4,096. Cost O(letters · patterns²).
func NewLetters(patterns []Pattern) (*Letters, error) {
	l := &Letters{patterns: patterns, of: map[string]lts.Label{}, steps: make([]property.Step, len(patterns))}
	for i, p := range patterns {
		l.steps[i].Pattern = p
	}
	var names []string
	var add func(chosen []int, next int) bool
	add = func(chosen []int, next int) bool {
		if next == len(patterns) {
			if !l.isExact(chosen) {
				return true
			}
			if len(names) == mostLetters {
				return false
			}
			label := lts.Label(len(names))
			key := fmt.Sprint(chosen)
			names = append(names, strconv.Itoa(len(names)))
			l.of[key] = label
			for _, i := range chosen {
				l.steps[i].Labels = append(l.steps[i].Labels, label)
			}
			return true
		}
		if !add(chosen, next+1) {
			return false
		}
		for _, i := range chosen {
			if !patterns[i].meets(patterns[next]) {
				return true
			}
		}
		return add(append(chosen[:len(chosen):len(chosen)], next), next+1)
	}
	if !add([]int{}, 0) {
		return nil, fmt.Errorf("the patterns can match actions in more than %d ways; write them so that fewer of them overlap", mostLetters)
	}
	var err error
	l.alphabet, err = lts.NewAlphabet(names)
	return l, err
}

// isExact reports whether a set of patterns is that of the label of any member that is one
// label alone.
func (l *Letters) isExact(chosen []int) bool {
	in := make([]bool, len(l.patterns))
	for _, i := range chosen {
		in[i] = true
	}
	for _, i := range chosen {
		p := l.patterns[i]
		if len(p.elements) != 1 || p.elements[0].kind != quoted {
			continue
		}
		for j, q := range l.patterns {
			if q.Matches(p.elements[0].text) != in[j] {
				return false
			}
		}
	}
	return true
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

// meets reports whether some label may match both patterns.
func (p Pattern) meets(q Pattern) bool {
	for i := range p.elements {
		for j := range q.elements {
			if p.elements[i].meets(&q.elements[j]) {
				return true
			}
		}
	}
	return false
}

func (e *element) meets(f *element) bool {
	switch {
	case e.kind == quoted:
		return f.matches(e.text)
	case f.kind == quoted:
		return e.matches(f.text)
	case e.kind == f.kind && e.kind != glob && e.kind != regex:
		return e.key == f.key
	case e.kind == plain && f.kind == name:
		return f.matches(e.text)
	case e.kind == name && f.kind == plain:
		return e.matches(f.text)
	}
	return true
}

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
