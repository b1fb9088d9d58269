package actl

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostLetters is the largest number of [Letters].
const mostLetters = 1 << 12

// Letters is an alphabet for actions whose labels are not known yet. Each letter represents a set
// of patterns that one label may match. It is immutable.
type Letters struct {
	patterns []Pattern
	alphabet *lts.Alphabet
	steps    []property.Step
	of       map[string]lts.Label
	// atoms are the n atoms about values of states. An action with letter l before facts are added,
	// whose target has facts f, has letter l·2^n + f. The letters with which runs begin come after
	// all these.
	atoms []*values.Atom
	bases int // the number of letters before facts are added
}

// NewLetters returns the letters of these patterns: one for each set of patterns that some label
// matches. The sets are exact for names, labels and sets of these. Of globs only the text before
// the first wildcard is compared, and a regular expression is assumed to match or not to match
// independently of the other patterns. It fails if there would be more than 4,096 letters. Cost
// O(members · patterns), and that of 2^n combinations for n globs and regular expressions.
func NewLetters(patterns []Pattern) (_ *Letters, err error) {
	defer abort.Caught(&err)
	l := &Letters{
		patterns: patterns,
		of:       map[string]lts.Label{},
		steps:    make([]property.Step, len(patterns)),
	}
	for i, p := range patterns {
		l.steps[i].Pattern = p
	}
	var names []string
	for n, chosen := range combined(patterns) {
		names = append(names, strconv.Itoa(n))
		l.of[fmt.Sprint(chosen)] = lts.Label(n)
		for _, i := range chosen {
			l.steps[i].Labels = append(l.steps[i].Labels, lts.Label(n))
		}
	}
	l.alphabet = abort.Must(lts.NewAlphabet(names))
	l.bases = len(names)
	l.atoms = StateAtoms(l.patterns)
	if len(l.atoms) > 0 {
		l.refine()
	}
	return l, nil
}

// refine replaces each letter by one letter for each combination of facts about values of states.
func (l *Letters) refine() {
	var atoms []string
	for _, a := range l.atoms {
		atoms = append(atoms, a.String())
	}
	l.alphabet = abort.Must(l.alphabet.RefinedLetters(atoms, 1<<16))
	combinations := lts.Facts(1) << len(atoms)
	for i := range l.steps {
		var all []lts.Label
		for _, base := range l.steps[i].Labels {
			for facts := range combinations {
				all = append(all, l.To(base, facts))
			}
		}
		l.steps[i].Labels = all
		l.steps[i].Facts = factsOf(l.patterns[i], l.alphabet)
	}
}

// StateAtoms returns the atoms about values of states. Each letter says which of them are true.
func (l *Letters) StateAtoms() []*values.Atom { return l.atoms }

// To returns the letter for an action with this letter whose target has these
// facts.
func (l *Letters) To(letter lts.Label, facts lts.Facts) lts.Label {
	return letter<<len(l.atoms) + lts.Label(facts)
}

// Begin returns the letter with which a run begins in a state with these facts.
func (l *Letters) Begin(facts lts.Facts) lts.Label { return l.To(lts.Label(l.bases), facts) }

// Of returns the letter of a label; false if the label matches patterns that were assumed to
// exclude each other. Cost: as much as matching each pattern.
func (l *Letters) Of(label string) (lts.Label, bool) {
	letter, known := l.of[fmt.Sprint(matching(l.patterns, label))]
	return letter, known
}

// matching returns the indexes of the patterns that match a label.
func matching(patterns []Pattern, label string) []int {
	chosen := []int{}
	for i, p := range patterns {
		if p.Matches(label) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// Alphabet returns the letters as labels. It must not be changed.
func (l *Letters) Alphabet() *lts.Alphabet { return l.alphabet }

// Steps returns the patterns with their letters. They must not be changed.
func (l *Letters) Steps() []property.Step { return l.steps }

// BindLetters returns the property over letters that f denotes for actions with
// any labels.
func (f *Formula) BindLetters(ctx context.Context) (_ *property.Property, _ *Letters, err error) {
	defer abort.Caught(&err)
	var patterns intern.List[string, Pattern]
	order := make([]uint32, len(f.steps))
	for i, p := range f.steps {
		order[i] = uint32(patterns.Index(p.key(), p))
	}
	l := abort.Must(NewLetters(patterns.All))
	return f.property(ctx, l.alphabet, l.steps, order), l, nil
}

// mostWild is the largest number of globs and regular expressions whose
// combinations are enumerated.
const mostWild = 16

// combinations finds the sets of patterns that a label can match together.
type combinations struct {
	patterns []Pattern
	// names maps each bare name to the patterns that have it, ascending; wild are
	// the globs and regular expressions.
	names map[string][]int
	wild  []wildElement
	found map[string][]int
}

// wildElement is a glob or regular expression, with the patterns that contain it.
type wildElement struct {
	element
	in []int
	// prefix is the text with which all matching labels begin. matchesRest reports that every label
	// with this prefix matches.
	prefix      string
	matchesRest bool
}

// newWild returns a glob or regular expression, which no pattern contains yet.
func newWild(e element) wildElement {
	if e.kind == regex {
		return wildElement{element: e, matchesRest: matchesNothing(e.text)}
	}
	firstWildcard := strings.IndexAny(e.key, "*?")
	if firstWildcard < 0 {
		return wildElement{element: e, prefix: e.key}
	}
	rest := e.key[firstWildcard:]
	return wildElement{
		element:     e,
		prefix:      e.key[:firstWildcard],
		matchesRest: strings.Trim(rest, "*") == "",
	}
}

// matchesNothing reports whether a regular expression matches the empty text at any position, and
// so finds a match in every label.
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
			return !slices.ContainsFunc(re.Sub, func(re *syntax.Regexp) bool {
				return !empty(re)
			})
		case syntax.OpRepeat:
			return re.Min == 0 || empty(re.Sub[0])
		case syntax.OpAlternate:
			return slices.ContainsFunc(re.Sub, empty)
		}
		return false
	}
	return empty(re)
}

// combined returns the sets of patterns that a label can match together, each
// ascending, in an order that depends only on the patterns.
func combined(patterns []Pattern) [][]int {
	c := &combinations{
		patterns: patterns,
		names:    map[string][]int{},
		found:    map[string][]int{},
	}
	c.collect()
	c.addNamed()
	// The gate "" represents all gates that are not bare names of the patterns.
	for _, gate := range append([]string{""}, slices.Sorted(maps.Keys(c.names))...) {
		c.addWild(gate, make([]bool, 0, len(c.wild)))
		c.limit(mostLetters)
	}
	c.addMultiActions()
	return slices.SortedFunc(maps.Values(c.found), compareSets)
}

// collect finds the bare names, and the globs and regular expressions, with the patterns that contain them. It
// fails if there are too many globs and regular expressions.
func (c *combinations) collect() {
	var wild intern.List[identity, wildElement]
	for i, p := range c.patterns {
		for _, e := range p.elements {
			switch e.kind {
			case name:
				c.names[e.key] = append(c.names[e.key], i)
			case glob, regex:
				n := wild.Index(e.identity(), newWild(e))
				wild.All[n].in = append(wild.All[n].in, i)
			}
		}
	}
	c.wild = wild.All
	if len(c.wild) > mostWild {
		abort.On(fmt.Errorf("the patterns have %d globs and regular expressions, and at most %d can be told apart without a model; write them as sets of names", len(c.wild), mostWild))
	}
}

// addNamed adds the sets for labels that elements name: it is known exactly which patterns match them.
func (c *combinations) addNamed() {
	for _, p := range c.patterns {
		for _, e := range p.elements {
			for _, label := range withRates(e.namedLabels()) {
				c.add(matching(c.patterns, label))
			}
		}
		c.limit(mostLetters)
	}
}

// namedLabels returns the labels that an element names, one for each way to write their blanks.
func (e *element) namedLabels() []string {
	switch e.kind {
	case plain:
		return []string{
			e.text,
			e.key,
			" " + e.key,
			strings.ReplaceAll(e.key, ",", ", "),
			strings.ReplaceAll(e.key, ",", ",  "),
		}
	case quoted:
		return []string{e.text}
	}
	return nil
}

// withRates adds, for each label, the label with a rate and the label with a probability, because
// globs and regular expressions distinguish them.
func withRates(labels []string) []string {
	all := labels
	for _, label := range labels {
		all = append(all, label+"; rate 1.0", label+"; prob 0.5")
	}
	return all
}

// compareSets orders two sets by the smallest number in only one of them: the set
// with this number comes last.
func compareSets(a, b []int) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(b[i], a[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}

// addMultiActions adds the sets of patterns that a multi-action can match together, if an element may
// match one part of it. Then the patterns that match a multi-action are those that match one of its parts,
// and those with globs and regular expressions that match it as a whole: a union of such sets.
func (c *combinations) addMultiActions() {
	matchesParts := func(p Pattern) bool {
		return slices.ContainsFunc(p.elements, func(e element) bool { return e.parts })
	}
	if !slices.ContainsFunc(c.patterns, matchesParts) {
		return
	}
	var generators [][]int // the sets that are united
	for _, key := range slices.Sorted(maps.Keys(c.found)) {
		generators = append(generators, c.found[key])
	}
	for _, w := range c.wild {
		generators = append(generators, w.in)
	}
	unions := slices.Clone(generators)
	for i := 0; i < len(unions); i++ { // the loop appends to unions
		for _, set := range generators {
			union := unionOf(unions[i], set)
			if _, isKnown := c.found[fmt.Sprint(union)]; isKnown {
				continue
			}
			c.limit(mostLetters - 1)
			c.add(union)
			unions = append(unions, union)
		}
	}
}

// unionOf returns the union of two sets, ascending and not nil.
func unionOf(a, b []int) []int {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return append([]int{}, slices.Compact(both)...)
}

// limit fails if more sets have been found than allowed.
func (c *combinations) limit(most int) {
	if len(c.found) > most {
		abort.On(fmt.Errorf("the patterns can match actions in more than %d ways; write them so that fewer of them overlap", mostLetters))
	}
}

// add adds the set of these patterns, which are ascending.
func (c *combinations) add(chosen []int) { c.found[fmt.Sprint(chosen)] = chosen }

// addWild adds sets for labels that no pattern names. The labels have this gate, or none of the
// known gates if gate is "". There is a set for each combination of globs and regular expressions
// that begins with the choices in decided.
func (c *combinations) addWild(gate string, decided []bool) {
	if len(c.found) > mostLetters {
		return
	}
	if len(decided) == len(c.wild) {
		c.addDecided(gate, decided)
		return
	}
	decided = slices.Clip(decided) // so that both choices get copies
	mustMatch, canMatch := c.matchesNext(gate, decided)
	if !mustMatch {
		c.addWild(gate, append(decided, false))
	}
	if canMatch {
		c.addWild(gate, append(decided, true))
	}
}

// addDecided adds the set for labels with this gate that match exactly these globs and regular
// expressions.
func (c *combinations) addDecided(gate string, decided []bool) {
	chosen := append([]int{}, c.names[gate]...)
	for i, matches := range decided {
		if matches {
			chosen = append(chosen, c.wild[i].in...)
		}
	}
	slices.Sort(chosen)
	c.add(slices.Compact(chosen))
}

// matchesNext reports whether a label with this gate, for which the first globs and regular expressions
// are decided, must match the next one, and whether it can.
func (c *combinations) matchesNext(gate string, decided []bool) (must, can bool) {
	next := &c.wild[len(decided)]
	must = next.matchesRest && strings.HasPrefix(gate, next.prefix)
	can = gate == "" || next.mayBeginAs(gate)
	for i, matches := range decided {
		other := &c.wild[i]
		if matches {
			can = can && compatible(other.prefix, next.prefix)
			must = must || other.implies(next)
		} else {
			can = can && !next.implies(other)
		}
	}
	return must, can
}

// mayBeginAs reports whether a label with this gate may begin as w does.
func (w *wildElement) mayBeginAs(gate string) bool {
	if len(w.prefix) <= len(gate) {
		return strings.HasPrefix(gate, w.prefix)
	}
	afterGate, hasGate := strings.CutPrefix(w.prefix, gate)
	return hasGate && strings.IndexByte(" \t(;", afterGate[0]) >= 0
}

// compatible reports whether some text has both texts as prefixes.
func compatible(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// implies reports whether every label that matches w is known to match v.
func (w *wildElement) implies(v *wildElement) bool {
	return v.matchesRest && strings.HasPrefix(w.prefix, v.prefix)
}
