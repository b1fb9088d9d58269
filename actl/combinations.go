package actl

import (
	"cmp"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
	"strings"
)

// mostWild is the largest number of globs and regular expressions of which all combinations
// are gone through.
const mostWild = 16

// combinations finds the sets of some patterns that a label can match.
type combinations struct {
	patterns []Pattern
	// names are the bare names with the patterns that have them, ascending, and wild the
	// globs and regular expressions.
	names map[string][]int
	wild  []wildElement
	found map[string][]int
}

// wildElement is a glob or regular expression, with the patterns that have it.
type wildElement struct {
	element
	in []int
	// before is what each label that matches begins with, and open tells that any label which
	// begins so matches.
	before string
	open   bool
}

func newCombinations(patterns []Pattern) *combinations {
	c := &combinations{patterns: patterns, names: map[string][]int{}, found: map[string][]int{}}
	number := map[identity]int{}
	for i, p := range patterns {
		for j := range p.elements {
			switch e := &p.elements[j]; e.kind {
			case name:
				c.names[e.key] = append(c.names[e.key], i)
			case glob, regex:
				n, known := number[e.identity()]
				if !known {
					n = len(c.wild)
					number[e.identity()] = n
					c.wild = append(c.wild, newWild(*e))
				}
				c.wild[n].in = append(c.wild[n].in, i)
			}
		}
	}
	return c
}

func newWild(e element) wildElement {
	if e.kind == regex {
		return wildElement{element: e, open: matchesNothing(e.text)}
	}
	w := wildElement{element: e}
	rest := ""
	w.before = e.key
	if at := strings.IndexAny(e.key, "*?"); at >= 0 {
		w.before, rest = e.key[:at], e.key[at:]
	}
	w.open = rest != "" && strings.Trim(rest, "*") == ""
	return w
}

// matchesNothing reports whether a regular expression matches between any two characters,
// and so anywhere.
func matchesNothing(source string) bool {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return false
	}
	var empty func(*syntax.Regexp) bool
	empty = func(re *syntax.Regexp) bool {
		switch re.Op {
		case syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest:
			return true
		case syntax.OpPlus, syntax.OpCapture, syntax.OpConcat:
			return !slices.ContainsFunc(re.Sub, func(re *syntax.Regexp) bool { return !empty(re) })
		case syntax.OpRepeat:
			return re.Min == 0 || empty(re.Sub[0])
		case syntax.OpAlternate:
			return slices.ContainsFunc(re.Sub, empty)
		}
		return false
	}
	return empty(re)
}

// all returns the sets, each ascending, in an order that depends on the patterns alone.
func (c *combinations) all() ([][]int, error) {
	if len(c.wild) > mostWild {
		return nil, fmt.Errorf("the patterns have %d globs and regular expressions, and at most %d can be told apart without a model; write them as sets of names", len(c.wild), mostWild)
	}
	for i := range c.patterns {
		for j := range c.patterns[i].elements {
			c.addLabels(&c.patterns[i].elements[j])
		}
		if len(c.found) > mostLetters {
			return nil, errLetters()
		}
	}
	for _, gate := range append([]string{""}, slices.Sorted(maps.Keys(c.names))...) {
		c.addWild(gate, make([]bool, 0, len(c.wild)))
		if len(c.found) > mostLetters {
			return nil, errLetters()
		}
	}
	if err := c.join(); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(c.found), compareSets), nil
}

// compareSets compares by the smallest number that only one of the sets has: that one comes last.
func compareSets(a, b []int) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(b[i], a[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}

// join adds the sets of multi-actions, where their parts count: what several parts match
// together, and any globs and regular expressions, which the whole may match.
func (c *combinations) join() error {
	count := func(e element) bool { return e.parts }
	if !slices.ContainsFunc(c.patterns, func(p Pattern) bool { return slices.ContainsFunc(p.elements, count) }) {
		return nil
	}
	var single [][]int
	for _, key := range slices.Sorted(maps.Keys(c.found)) {
		single = append(single, c.found[key])
	}
	for _, w := range c.wild {
		single = append(single, w.in)
	}
	all := slices.Clone(single)
	for i := 0; i < len(all); i++ {
		for _, part := range single {
			both := slices.Concat(all[i], part)
			slices.Sort(both)
			both = append([]int{}, slices.Compact(both)...)
			if _, known := c.found[fmt.Sprint(both)]; known {
				continue
			}
			if len(c.found) == mostLetters {
				return errLetters()
			}
			c.add(both)
			all = append(all, both)
		}
	}
	return nil
}

func errLetters() error {
	return fmt.Errorf("the patterns can match actions in more than %d ways; write them so that fewer of them overlap", mostLetters)
}

// addLabels adds the sets of the labels that an element names: what matches them is known.
// One that is written without quotes stands for labels with different blanks.
func (c *combinations) addLabels(e *element) {
	if e.kind != quoted && e.kind != plain {
		return
	}
	texts := []string{e.text}
	if e.kind == plain {
		texts = append(texts, e.key, " "+e.key, strings.ReplaceAll(e.key, ",", ", "), strings.ReplaceAll(e.key, ",", ",  "))
	}
	for _, text := range texts {
		chosen := []int{}
		for i, p := range c.patterns {
			if p.Matches(text) {
				chosen = append(chosen, i)
			}
		}
		c.add(chosen)
	}
}

func (c *combinations) add(chosen []int) { c.found[fmt.Sprint(chosen)] = chosen }

// addWild adds the sets of the labels of this gate that no pattern names, or of those that
// have none of the gates where it is empty: with each combination of globs and regular
// expressions that goes on from those decided.
func (c *combinations) addWild(gate string, decided []bool) {
	if len(c.found) > mostLetters {
		return
	}
	n := len(decided)
	if n == len(c.wild) {
		chosen := append([]int{}, c.names[gate]...)
		for i, is := range decided {
			if is {
				chosen = append(chosen, c.wild[i].in...)
			}
		}
		slices.Sort(chosen)
		c.add(slices.Compact(chosen))
		return
	}
	can, must := matching(&c.wild[n], gate)
	for i, is := range decided {
		w, v := &c.wild[i], &c.wild[n]
		can = can && (!is || compatible(w.before, v.before)) && (is || !v.implies(w))
		must = must || is && w.implies(v)
	}
	if !must {
		c.addWild(gate, append(decided[:n:n], false))
	}
	if can {
		c.addWild(gate, append(decided[:n:n], true))
	}
}

// matching reports whether a glob or regular expression can match labels of a gate, and
// whether it matches all.
func matching(w *wildElement, gate string) (can, must bool) {
	if gate == "" {
		return true, w.open && w.before == ""
	}
	must = w.open && strings.HasPrefix(gate, w.before)
	can = compatible(w.before, gate)
	if len(w.before) > len(gate) {
		can = can && strings.IndexByte(" \t(", w.before[len(gate)]) >= 0
	}
	return can, must
}

// compatible reports whether some text begins with both.
func compatible(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// implies reports whether a label that matches w is known to match v.
func (w *wildElement) implies(v *wildElement) bool {
	return v.open && strings.HasPrefix(w.before, v.before)
}
