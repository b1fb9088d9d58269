// Package property defines what a model is checked against: a deterministic
// automaton over the labels of the model, with a condition on its infinite runs
// and a verdict on runs that end.
//
// A [Property] is a chain or a table. A [Chain] is inevitability, the progress
// through a sequence of steps: every analysis has a fast path for it, which it
// chooses once, outside its loops. A table is any other deterministic automaton
// with an acceptance condition of Emerson and Lei, a Boolean combination of "this
// colour recurs" and "that colour does not".
//
// Syntaxes (package actl and others) bind to a Property; analyses know the
// Property and no syntax. The package knows nothing of the states of models.
//
// The automaton of a Property is complete and deterministic, and every label of the alphabet has a
// letter. A Property does not change once it is built, so that it may be shared between goroutines.
package property

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/property/labelset"
	"github.com/inev-lts/inev/lts"
)

// Q is a state of a property: all that the future of a run needs to know of its
// past.
type Q uint32

// Property is a property over the labels of one model. It comes from [Inev],
// [Table] or a syntax, and is immutable.
type Property struct {
	alphabet *lts.Alphabet
	form     form
	chain    *Chain     // nil for a table
	table    *Automaton // nil for a chain
}

// Alphabet returns the labels that the property is about. Cost O(1).
func (p *Property) Alphabet() *lts.Alphabet { return p.alphabet }

// Chain returns the property as a chain; false if it is a table. Cost O(1).
func (p *Property) Chain() (*Chain, bool) { return p.chain, p.chain != nil }

// Steps returns the number of steps of a chain, 0 for a table. Cost O(1).
func (p *Property) Steps() int { return p.form.steps() }

// Step returns step i of a chain, 1 ≤ i ≤ [Property.Steps]. Cost O(1).
func (p *Property) Step(i int) Step { return p.chain.Step(i) }

// Does reports whether a transition labelled l does step i of a chain,
// 1 ≤ i ≤ [Property.Steps]. Cost as for [Chain.Advance].
func (p *Property) Does(l lts.Label, i int) bool { return p.chain.Does(l, i) }

// Progress returns the number of steps of a chain that are done in q, 0 for a
// table. Cost O(1).
func (p *Property) Progress(q Q) int { return p.form.progress(q) }

// WrittenAs returns the same property with another kind and text. Cost O(1).
func (p *Property) WrittenAs(kind Kind, text string) *Property {
	return p.form.writtenAs(kind, text)
}

// String returns the property as it was written. Cost O(length of the text).
func (p *Property) String() string {
	switch {
	case p == nil:
		return "<nil>"
	case p.form == nil:
		return "no property"
	}
	return p.form.String()
}

// Kind returns the pattern or the syntax in which the property was written. Cost O(1).
func (p *Property) Kind() Kind { return p.form.kindOf() }

// States returns the number of states. Cost O(1).
func (p *Property) States() int { return p.form.states() }

// Initial returns the state before the first transition. Cost O(1).
func (p *Property) Initial() Q { return p.form.initial() }

// Next returns the state after a transition labelled l from q. The states of a
// chain are progresses. Cost O(1), for chains as [Chain.Advance].
func (p *Property) Next(q Q, l lts.Label) Q {
	t := p.table
	if t != nil {
		return t.Next[int(q)*t.Columns+int(t.Letters[l])]
	}
	return Q(p.chain.Advance(int(q), l))
}

// Marks returns the colours of the transition labelled l from q. In a chain,
// transitions of complete traces have colour 0. Cost O(1).
func (p *Property) Marks(q Q, l lts.Label) Marks {
	if p.chain != nil {
		if int(q) == p.chain.n {
			return Mark(0)
		}
		return 0
	}
	return p.table.marks(q, int(p.table.Letters[l]))
}

// Acceptance returns the condition on the colours that an infinite run meets
// infinitely often. Cost O(1).
func (p *Property) Acceptance() Acceptance { return p.form.acceptance() }

// Stops reports whether a run that ends in q, in a deadlock, is accepted. Cost
// O(1).
func (p *Property) Stops(q Q) bool { return p.form.stops(q) }

// Ends reports whether a run that ends in q is accepted. Such a run ends in a deadlock or, if deadlock
// is false, in a state whose transitions may all be refused forever, see [Fairness.MayEnd]. A property
// that demands freedom of deadlocks accepts every run that ends in such a state. Cost O(1).
func (p *Property) Ends(q Q, deadlock bool) bool {
	return p.form.stops(q) || !deadlock && p.Kind() == KindDeadlockFree
}

// Pending describes in words what a run in q waits for or must not do; it is empty if there is nothing
// of either kind. Cost O(length of the text).
func (p *Property) Pending(q Q) Phrase { return p.form.pending(q) }

// NotChainError reports that an operation exists only for inevitability.
type NotChainError struct {
	Property string // the property as it was written
	What     string // what exists of inevitability only: "a certificate"; empty for "this"
}

// Error names the property and the operation.
func (e NotChainError) Error() string {
	if e.What == "" {
		return e.Property + " is not of the form Inev(…), for which alone this can be done"
	}
	return e.Property + " is not of the form Inev(…): there is " + e.What +
		" for that form only"
}

// Formula is a property as it is written, not bound to a model yet; the readers
// of syntaxes return it. The formulas of a syntax may have more methods, such as
// a translation into other logics.
type Formula interface {
	// String returns the formula in a form that its reader accepts.
	String() string
	// Kind names the kind of property for people.
	Kind() string
	// Bind returns the property that the formula denotes for a model with the given alphabet, and
	// warnings about parts that match no label of the alphabet. It fails if ctx is done.
	Bind(context.Context, *lts.Alphabet) (*Property, []string, error)
	// Unmatched returns an error if a part of the formula matches no label; the
	// error names the closest labels. It fails if ctx is done.
	Unmatched(context.Context, *lts.Alphabet) error
}

// Nondeterministic is an automaton that accepts the runs that violate a property:
// a generalised Büchi automaton, which may have several runs on one word.
type Nondeterministic struct {
	Initial []int
	// Letters has the letter of each label of the model.
	Letters []uint16
	// Moves[letter][state] lists the moves. The moves of the last letter, "nothing happens", repeat
	// forever after the end of a run.
	Moves [][][]Move
	// All are the colours that must each recur on an accepted run.
	All Marks
}

// Move is a move of a nondeterministic automaton.
type Move struct {
	To    int
	Marks Marks
}

// form is a property in one of its two forms, chain or table. It has the methods that inner loops
// do not call.
type form interface {
	String() string
	kindOf() Kind
	writtenAs(kind Kind, text string) *Property
	steps() int
	progress(q Q) int
	states() int
	initial() Q
	acceptance() Acceptance
	stops(q Q) bool
	pending(q Q) Phrase
	automaton() Automaton
	relabel(a *lts.Alphabet, old func(lts.Label) lts.Label) (*Property, error)
}

// chainForm is a chain: its states are the progresses.
type chainForm struct{ *Chain }

func (c chainForm) kindOf() Kind           { return c.kind }
func (c chainForm) steps() int             { return c.n }
func (c chainForm) progress(q Q) int       { return int(q) }
func (c chainForm) states() int            { return c.n + 1 }
func (c chainForm) initial() Q             { return 0 }
func (c chainForm) acceptance() Acceptance { return Inf(0) }
func (c chainForm) stops(q Q) bool         { return int(q) == c.n }

func (c chainForm) writtenAs(kind Kind, text string) *Property {
	as := *c.Chain
	as.kind = kind
	as.text = text
	return as.Property()
}

func (c chainForm) pending(q Q) Phrase {
	if int(q) == c.n {
		return nil
	}
	return waiting(c.Step(int(q) + 1).Pattern.String())
}

// automaton returns a table whose letters are the sets of steps that labels do.
func (c chainForm) automaton() Automaton {
	p := c.Property()
	t := Automaton{Acceptance: Inf(0), Kind: c.kind, Name: c.String()}
	letters := c.letters(&t)
	for q := range Q(p.States()) {
		t.Stop = append(t.Stop, p.Stops(q))
		t.Pending = append(t.Pending, p.Pending(q))
		for _, l := range letters {
			t.Next = append(t.Next, p.Next(q, l))
			t.Marks = append(t.Marks, p.Marks(q, l))
		}
	}
	return t
}

func (c chainForm) relabel(a *lts.Alphabet, old func(lts.Label) lts.Label) (*Property, error) {
	as, err := c.Relabel(a, old)
	if err != nil {
		return nil, err
	}
	return as.Property(), nil
}

// tableForm is any other automaton.
type tableForm struct {
	alphabet *lts.Alphabet
	*Automaton
}

func (t tableForm) String() string         { return t.Name }
func (t tableForm) kindOf() Kind           { return t.Kind }
func (t tableForm) steps() int             { return 0 }
func (t tableForm) progress(Q) int         { return 0 }
func (t tableForm) states() int            { return t.States() }
func (t tableForm) initial() Q             { return t.Initial }
func (t tableForm) acceptance() Acceptance { return t.Acceptance }
func (t tableForm) stops(q Q) bool         { return t.Stop[q] }
func (t tableForm) automaton() Automaton   { return *t.Automaton }

func (t tableForm) writtenAs(kind Kind, text string) *Property {
	as := *t.Automaton
	as.Kind = kind
	as.Name = text
	return as.property(t.alphabet)
}

func (t tableForm) pending(q Q) Phrase {
	if t.Pending == nil {
		return Phrase{{Text: fmt.Sprintf("in state %d of the property", q), Kind: Waiting}}
	}
	return t.Pending[q]
}

func (t tableForm) relabel(a *lts.Alphabet, old func(lts.Label) lts.Label) (*Property, error) {
	if err := checkOld(t.alphabet, a, old); err != nil {
		return nil, err
	}
	as := *t.Automaton
	as.Letters = make([]uint16, a.Len())
	for l := range a.All() {
		as.Letters[l] = t.Letters[old(l)]
	}
	return as.property(a), nil
}

// property returns a checked automaton as a property.
func (t *Automaton) property(a *lts.Alphabet) *Property {
	return &Property{alphabet: a, form: tableForm{a, t}, table: t}
}

// MaxSteps is the largest number of steps of a chain, so that 16 bits hold the
// progress of a state.
const MaxSteps = 1<<16 - 1

// wordSteps is the number of steps that fit into a bit mask.
const wordSteps = 64

// Pattern is the notation of a step: a set of labels, given by their texts.
type Pattern interface {
	// String returns the pattern as it stands in a formula.
	String() string
	// Matches reports whether a transition with this label text does the step.
	Matches(label string) bool
}

// Step is a step of a chain: its pattern and the labels of the model that
// match it, ascending. The labels belong to the property and must not be changed.
type Step struct {
	Pattern Pattern
	Labels  []lts.Label
	// Facts are facts about states: the step is also done in each state in which any of them holds, see
	// [lts.LTS.Refined].
	Facts lts.Facts
}

// Chain is inevitability: on every maximal trace transitions occur that do the
// steps 1 to n in this order, not necessarily one directly after the other. Its
// states are the progresses 0 to n, the numbers of steps done so far. It is
// immutable.
type Chain struct {
	alphabet *lts.Alphabet
	n        int
	// patterns are the distinct patterns with their labels; patternOf[i-1] is the
	// index in patterns of the pattern of step i.
	patterns  []Step
	patternOf []uint32
	// kind and text are the kind and the text with which the property was written; text is empty for
	// Inev(…).
	kind Kind
	text string

	// wide reports whether n is greater than wordSteps. If so, does lists the patterns that match each
	// label. Otherwise masks holds a word for each label, in which bit i-1 is set if the label does step
	// i, and suffixMasks has the same bits in the opposite order, bit m for step n-m.
	wide               bool
	masks, suffixMasks []uint64
	does               incidence
}

// incidence lists, for each label l, the numbers of the patterns that match l, ascending, as
// patterns[start[l]:start[l+1]].
type incidence struct {
	start    []int
	patterns []uint32
}

// Inev returns the chain over the labels of a whose step i is patterns[order[i-1]]. patterns lists each
// distinct step once, with the labels that do the step, ascending. Inev keeps the slices. It fails if
// order is empty, has more than [MaxSteps] members, or a number that is no index of patterns; if a label
// of a step is not in a or out of order; or if ctx is done.
//
// Cost O(labels of a + all labels of patterns); with more than 64 steps the
// property holds only the labels of patterns, otherwise 16 bytes for each label
// of a.
func Inev(
	ctx context.Context,
	a *lts.Alphabet,
	patterns []Step,
	order []uint32,
) (*Property, error) {
	if len(order) == 0 || len(order) > MaxSteps {
		return nil, fmt.Errorf("property: a chain has 1 to %d steps, and not %d", MaxSteps,
			len(order))
	}
	for i, q := range order {
		if int(q) >= len(patterns) {
			return nil, fmt.Errorf("property: step %d is pattern %d of %d", i+1, q,
				len(patterns))
		}
	}
	if err := checkLabels(a, patterns); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &Chain{
		alphabet:  a,
		n:         len(order),
		patterns:  patterns,
		patternOf: order,
		kind:      KindInev,
	}
	c.wide = c.n > wordSteps
	if c.wide {
		c.does = newIncidence(a.Len(), patterns)
	} else {
		c.masks, c.suffixMasks = newMasks(a.Len(), patterns, order)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.Property(), nil
}

// Property returns the chain as a [Property]. Cost O(1).
func (c *Chain) Property() *Property {
	return &Property{alphabet: c.alphabet, form: chainForm{c}, chain: c}
}

// Alphabet returns the labels that the chain is about. Cost O(1).
func (c *Chain) Alphabet() *lts.Alphabet { return c.alphabet }

// Len returns the number of steps, n. Cost O(1).
func (c *Chain) Len() int {
	if c == nil {
		return 0
	}
	return c.n
}

// Step returns step i, 1 ≤ i ≤ n. Cost O(1).
func (c *Chain) Step(i int) Step { return c.patterns[c.patternOf[i-1]] }

// String returns the chain as it was written or, if that is not known, as Inev(…). Cost O(length of the
// text).
func (c *Chain) String() string {
	if c == nil {
		return "<nil>"
	}
	if c.text != "" {
		return c.text
	}
	var b strings.Builder
	b.WriteString("Inev(")
	for i, q := range c.patternOf {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.patterns[q].Pattern.String())
	}
	b.WriteByte(')')
	return b.String()
}

// Advance returns the progress, 0 to n, of a trace of progress j after one more
// transition, labelled l: j+1 if l does step j+1, and j otherwise. Cost O(1),
// without a branch that depends on j or l, if n is at most 64; otherwise
// logarithmic in the number of patterns that match l.
func (c *Chain) Advance(j int, l lts.Label) int {
	if c.wide {
		return c.advanceWide(j, l)
	}
	// Bit n is never set, and a shift by 64 gives 0, so that a complete trace
	// stays complete. The bit is read here, because a method for it would make
	// Advance too complex to be inlined.
	return j + int(c.masks[l]>>uint(j)&1)
}

// AdvanceSuffix returns the length, 0 to n, of the longest suffix of the steps that a trace does. The
// trace begins with label l, and m is the length of the longest suffix that the rest of the trace does.
// The result is m+1 if l does step n-m, and m otherwise. Cost as for [Chain.Advance].
func (c *Chain) AdvanceSuffix(m int, l lts.Label) int {
	if c.wide {
		return c.advanceSuffixWide(m, l)
	}
	return m + int(c.suffixMasks[l]>>uint(m)&1)
}

// Does reports whether a transition labelled l does step i, 1 ≤ i ≤ n. Cost as for
// [Chain.Advance].
func (c *Chain) Does(l lts.Label, i int) bool {
	if c.wide {
		return c.doesWide(l, i)
	}
	return c.masks[l]>>uint(i-1)&1 != 0
}

// Concerns reports whether a transition labelled l does any step. Cost O(1).
func (c *Chain) Concerns(l lts.Label) bool {
	if c.wide {
		return len(c.does.of(l)) > 0
	}
	return c.masks[l] != 0
}

// The methods for many steps are functions of their own, so that the methods
// above are cheap enough to be inlined.

//go:noinline
func (c *Chain) advanceWide(j int, l lts.Label) int {
	if j < c.n && c.doesWide(l, j+1) {
		return j + 1
	}
	return j
}

//go:noinline
func (c *Chain) advanceSuffixWide(m int, l lts.Label) int {
	if m < c.n && c.doesWide(l, c.n-m) {
		return m + 1
	}
	return m
}

//go:noinline
func (c *Chain) doesWide(l lts.Label, i int) bool {
	_, found := slices.BinarySearch(c.does.of(l), c.patternOf[i-1])
	return found
}

// of returns the numbers of the patterns that match l, ascending.
func (x *incidence) of(l lts.Label) []uint32 {
	return x.patterns[x.start[l]:x.start[l+1]]
}

// newMasks returns the masks and suffix masks of a chain with at most wordSteps
// steps.
func newMasks(labels int, patterns []Step, patternOf []uint32) (masks, suffixMasks []uint64) {
	masks = make([]uint64, labels)
	suffixMasks = make([]uint64, labels)
	for i, q := range patternOf {
		for _, l := range patterns[q].Labels {
			masks[l] |= 1 << uint(i)
			suffixMasks[l] |= 1 << uint(len(patternOf)-1-i)
		}
	}
	return masks, suffixMasks
}

// newIncidence returns the patterns of each label. It takes memory for each label of each pattern,
// whereas masks would take a word for each label and each 64 steps.
func newIncidence(labels int, patterns []Step) incidence {
	return incidenceOf(labels, len(patterns), func(i int) []lts.Label {
		return patterns[i].Labels
	})
}

// incidenceOf lists, for each label, the numbers of the lists that contain the label; the numbers are
// below n. It sorts by counting: first it counts the lists of each label, then it places their numbers.
func incidenceOf(labels, n int, list func(i int) []lts.Label) incidence {
	x := incidence{start: make([]int, labels+1)}
	for i := range n {
		for _, l := range list(i) {
			x.start[l+1]++
		}
	}
	for l := range labels {
		x.start[l+1] += x.start[l]
	}
	next := slices.Clone(x.start[:labels])
	x.patterns = make([]uint32, x.start[labels])
	for i := range n {
		for _, l := range list(i) {
			x.patterns[next[l]] = uint32(i)
			next[l]++
		}
	}
	return x
}

// MaxStates is the largest number of states of a table.
const MaxStates = 1 << 20

// Automaton is a complete deterministic automaton over letters, the input of
// [Table]. A letter is a class of labels that the property does not distinguish.
type Automaton struct {
	// Letters[l] is the letter of label l of the model. There may be more letters than occur in Letters:
	// Columns in all.
	Letters []uint16
	// Columns is the number of letters.
	Columns int
	// Next[int(q)*Columns+letter] is the state after a transition from q.
	Next []Q
	// Marks are the colours of the transitions, with the same indices as Next; nil if there are none.
	Marks []Marks
	// Initial is the state before the first transition.
	Initial Q
	// Acceptance is the condition on the colours of infinite runs.
	Acceptance Acceptance
	// Stop[q] reports whether a run that ends in q, in a deadlock, is accepted.
	Stop []bool
	// Pending[q] describes in words what a run in q waits for or must not do:
	// "waiting for ACK"; empty if a run waits for nothing.
	Pending []Phrase
	// Kind and Name are the kind and the text with which the property was written.
	Kind Kind
	Name string
	// pattern knows what the states mean; nil if the automaton was not made by [Specify].
	pattern *patternStates
}

// FromBeginning returns the automaton that does not move before runs begin: the labels of a that lead to
// the states where runs begin, see [lts.LTS.Begin], leave each state unchanged. It returns t itself if a
// has no such labels. Cost O(labels of a), and O(states · letters) if there are any.
func (t Automaton) FromBeginning(a *lts.Alphabet) Automaton {
	var waits []lts.Label
	for l := range a.All() {
		if _, ok := a.Facts(l); ok {
			waits = append(waits, l)
		}
	}
	if len(waits) == 0 {
		return t
	}
	later := t
	later.Columns = t.Columns + 1
	later.Next = nil
	later.Marks = nil
	for q := range t.States() {
		row := q * t.Columns
		later.Next = append(append(later.Next, t.Next[row:row+t.Columns]...), Q(q))
		if t.Marks != nil {
			later.Marks = append(append(later.Marks, t.Marks[row:row+t.Columns]...), 0)
		}
	}
	later.Letters = slices.Clone(t.Letters)
	for _, l := range waits {
		later.Letters[l] = uint16(t.Columns)
	}
	return later
}

// States returns the number of states.
func (t *Automaton) States() int { return len(t.Stop) }

// StopsByIdling returns Stop for an automaton with a letter for "nothing happens": a run that ends in a
// state is accepted if the automaton, from that state on, accepts the word that repeats this letter
// forever. Cost O(states · size of the condition).
func (t *Automaton) StopsByIdling(letter int) []bool {
	next := func(q int) int { return int(t.Next[q*t.Columns+letter]) }
	return StopsByLoops(len(t.Next)/t.Columns, next, func(loop []int) bool {
		var met Marks
		for _, q := range loop {
			met |= t.marks(Q(q), letter)
		}
		return t.Acceptance.Holds(met)
	})
}

// StopsByLoops reports, for each state, whether the walk along next from the state ends in an accepted
// loop. Cost O(states), and a call of accepted for each loop.
func StopsByLoops(states int, next func(q int) int, accepted func(loop []int) bool) []bool {
	stop := make([]bool, states)
	known := make([]bool, states)
	seen := make([]int, states) // when a state was met in the present walk, from 1
	for q := range states {
		if known[q] {
			continue
		}
		var path []int
		state := q
		for ; !known[state] && seen[state] == 0; state = next(state) {
			path = append(path, state)
			seen[state] = len(path)
		}
		accepts := stop[state]
		if !known[state] {
			accepts = accepted(path[seen[state]-1:])
		}
		for _, p := range path {
			stop[p] = accepts
			known[p] = true
			seen[p] = 0
		}
	}
	return stop
}

func (t *Automaton) marks(q Q, letter int) Marks {
	if t.Marks == nil {
		return 0
	}
	return t.Marks[int(q)*t.Columns+letter]
}

// Table returns the property of a deterministic automaton over the labels of a.
// It keeps the slices of t. If no label happens, t needs no letters. It fails
// unless t has a letter for each label and a state for each transition, and
// refers only to existing letters and states and to colours 0 to [Colours]-1.
// Cost O(labels + states · letters).
func Table(a *lts.Alphabet, t Automaton) (*Property, error) {
	if t.Columns == 0 && a.Len() > 0 && noneHappens(a) {
		// No run of the model does any of the labels: they all get one letter, which changes
		// nothing.
		t.Columns = 1
		t.Marks = nil
		t.Next = make([]Q, t.States())
		for q := range t.Next {
			t.Next[q] = Q(q)
		}
	}
	if err := t.check(a.Len()); err != nil {
		return nil, err
	}
	return t.property(a), nil
}

// check returns an error unless the tables of an automaton fit each other and the number of labels.
func (t *Automaton) check(labels int) error {
	states := t.States()
	switch {
	case states == 0 || states > MaxStates:
		return fmt.Errorf("property: an automaton has 1 to %d states, and not %d", MaxStates,
			states)
	case t.Columns < 0 || t.Columns > 1<<16:
		return fmt.Errorf("property: an automaton has at most %d letters, and not %d", 1<<16,
			t.Columns)
	case len(t.Next) != states*t.Columns:
		return fmt.Errorf("property: %d states and %d letters need %d transitions, and not %d",
			states, t.Columns, states*t.Columns, len(t.Next))
	case t.Marks != nil && len(t.Marks) != len(t.Next):
		return fmt.Errorf("property: %d transitions have the marks of %d", len(t.Next),
			len(t.Marks))
	case len(t.Letters) != labels:
		return fmt.Errorf("property: %d labels have %d letters", labels, len(t.Letters))
	case t.Pending != nil && len(t.Pending) != states:
		return fmt.Errorf("property: %d states have %d descriptions", states, len(t.Pending))
	case int(t.Initial) >= states:
		return fmt.Errorf("property: the initial state is %d of %d", t.Initial, states)
	}
	i := slices.IndexFunc(t.Next, func(q Q) bool { return int(q) >= states })
	if i >= 0 {
		return fmt.Errorf("property: a transition from state %d leads to state %d of %d",
			i/t.Columns, t.Next[i], states)
	}
	l := slices.IndexFunc(t.Letters, func(x uint16) bool {
		return int(x) >= t.Columns
	})
	if l >= 0 {
		return fmt.Errorf("property: label %d has letter %d of %d", l, t.Letters[l], t.Columns)
	}
	return t.Acceptance.check()
}

// Automaton returns a property as an automaton; for a chain, the letters are the sets of steps that
// labels do, and the states are the progresses. Cost O(labels · steps + states · letters).
func (p *Property) Automaton() Automaton { return p.form.automaton() }

// letters sets the letters of t: labels that do the same steps have the same letter. It returns one
// label of each letter. Without labels there are no letters.
func (c *Chain) letters(t *Automaton) []lts.Label {
	t.Letters = make([]uint16, c.alphabet.Len())
	var letters intern.List[string, lts.Label]
	in := newIncidence(c.alphabet.Len(), c.patterns)
	for l := range c.alphabet.All() {
		t.Letters[l] = uint16(letters.Index(fmt.Sprint(in.of(l)), l))
	}
	t.Columns = len(letters.All)
	return letters.All
}

// Relabel returns the property over the labels of another alphabet a: label l of a means what old(l)
// means in p. A step of a chain keeps its pattern if the pattern matches exactly the labels of a that do
// the step; otherwise the pattern becomes the set of these labels. It fails if old(l) is no label of the
// property. Cost: one match of each distinct pattern with each label of a.
func (p *Property) Relabel(a *lts.Alphabet, old func(lts.Label) lts.Label) (*Property, error) {
	return p.form.relabel(a, old)
}

// checkOld returns an error if the old label of a label of a is not in before.
func checkOld(before, a *lts.Alphabet, old func(lts.Label) lts.Label) error {
	for l := range a.All() {
		if int(old(l)) >= before.Len() {
			return fmt.Errorf("property: label %d stands for label %d of %d", l, old(l),
				before.Len())
		}
	}
	return nil
}

// Relabel returns the chain over other labels, see [Property.Relabel].
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
		step.Pattern = c.patterns[q].Pattern
		if !keeps(*step, a, step.Labels) {
			step.Pattern = labelset.Of(a, step.Labels)
		}
	}
	r := &Chain{
		alphabet:  a,
		n:         c.n,
		patterns:  patterns,
		patternOf: c.patternOf,
		kind:      c.kind,
		text:      c.text,
		wide:      c.wide,
	}
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
