// Package refine decides atoms about values of states, and makes models whose labels report which
// atoms hold in the targets of transitions.
//
// An atom is true or false in every state that can be reached; where a value is missing, it is
// false.
package refine

import (
	"context"
	"errors"
	"fmt"

	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// beginLabel is the label of the transitions from an artificial initial state to the several states
// where runs begin.
const beginLabel = "Init"

// Truth is the set of states in which an atom holds.
type Truth struct {
	// Holds reports whether the atom holds in a state. It does not if the state
	// lacks one of the values that the atom reads.
	Holds func(lts.State) bool
	// Unknown is a state that lacks one of the values; HasUnknown is false if
	// there is none. An artificial state before several initial ones does not
	// count.
	Unknown    lts.State
	HasUnknown bool
	// NoState is the error of an atom that compares with a value that no state has; nil if a state
	// has the value.
	NoState *values.NoValueError
	of      *evaluation
}

// Evaluate returns the states of a model in which an atom holds by the values of a table, which may
// be nil. It considers the reachable states, or all states with values if m is nil. It fails as
// package values does, or if ctx is done. Cost O(S + size of the values that the atom reads); for
// an atom about two parameters, O(S + size of the pairs of values that occur).
func Evaluate(ctx context.Context, t *lts.Values, m *lts.LTS, a *values.Atom) (*Truth, error) {
	var names []string
	for p := 0; t != nil && p < t.NumParameters(); p++ {
		names = append(names, t.Parameter(p).Name)
	}
	b, err := a.Bind(names)
	if err != nil {
		return nil, err
	}
	e := &evaluation{
		t:          t,
		b:          b,
		parameters: b.Parameters(),
		trees:      map[[2]uint32]values.Value{},
	}
	truth := &Truth{Holds: e.holds, of: e}
	if err := e.fill(ctx, m, truth); err != nil {
		return nil, err
	}
	return truth, nil
}

// evaluation has the truth of an atom for each value of one parameter, or for
// pairs of values of two.
type evaluation struct {
	t          *lts.Values
	b          *values.Bound
	parameters []int
	one        []bool
	two        map[[2]lts.Value]bool
	trees      map[[2]uint32]values.Value
}

func (e *evaluation) holds(s lts.State) bool {
	v := e.t.Value(s, e.parameters[0])
	switch {
	case v == lts.NoValue:
		return false
	case e.one != nil:
		return e.one[v]
	}
	return e.two[[2]lts.Value{v, e.t.Value(s, e.parameters[1])}]
}

// fill evaluates the atom for all values that reachable states have.
func (e *evaluation) fill(ctx context.Context, m *lts.LTS, truth *Truth) error {
	isRelevant, err := e.relevantStates(ctx, m)
	if err != nil {
		return err
	}
	if len(e.parameters) == 2 {
		return e.fillTwo(ctx, isRelevant, truth)
	}
	return e.fillOne(ctx, isRelevant, truth)
}

// relevantStates returns a function that selects the states that runs of m reach or, without a model, the
// states that have values. Runs begin after an artificial initial state, so it is not selected.
func (e *evaluation) relevantStates(ctx context.Context, m *lts.LTS) (func(lts.State) bool, error) {
	if m == nil {
		return e.t.Known, nil
	}
	if err := m.FindReachable(ctx); err != nil {
		return nil, err
	}
	reachable := m.Reachable()
	hasArtificial := startsArtificially(e.t, m)
	return func(s lts.State) bool {
		isArtificial := hasArtificial && s == m.Initial()
		return reachable.Has(s) && !isArtificial
	}, nil
}

// fillOne evaluates an atom about one parameter: first it finds the values that relevant states have, then it
// judges each of them once.
func (e *evaluation) fillOne(
	ctx context.Context,
	isRelevant func(lts.State) bool,
	truth *Truth,
) error {
	column := e.parameters[0]
	occurs := make([]bool, e.t.NumValues(column))
	for s := range lts.State(e.t.NumStates()) {
		if s%16384 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !isRelevant(s) {
			continue
		}
		v := e.t.Value(s, column)
		if v == lts.NoValue {
			truth.addUnknown(s)
			continue
		}
		occurs[v] = true
	}
	seen := e.b.Seen()
	e.one = make([]bool, len(occurs))
	for v, doesOccur := range occurs {
		if v%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !doesOccur {
			continue
		}
		value := values.Parse(e.t.Text(column, lts.Value(v)))
		j, err := e.b.Judge(value)
		if err != nil {
			return err
		}
		seen.Add(j, value)
		e.one[v] = j.Holds
	}
	truth.NoState = seen.Err()
	return nil
}

// fillTwo evaluates an atom about two parameters for each pair of values that a relevant state has.
func (e *evaluation) fillTwo(
	ctx context.Context,
	isRelevant func(lts.State) bool,
	truth *Truth,
) error {
	e.two = map[[2]lts.Value]bool{}
	seen := e.b.Seen()
	for s := range lts.State(e.t.NumStates()) {
		if s%16384 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !isRelevant(s) {
			continue
		}
		left := e.t.Value(s, e.parameters[0])
		right := e.t.Value(s, e.parameters[1])
		if left == lts.NoValue || right == lts.NoValue {
			truth.addUnknown(s)
			continue
		}
		pair := [2]lts.Value{left, right}
		if _, isKnown := e.two[pair]; isKnown {
			continue
		}
		leftTree := e.tree(0, left)
		j, err := e.b.Judge(leftTree, e.tree(1, right))
		if err != nil {
			return err
		}
		seen.Add(j, leftTree)
		e.two[pair] = j.Holds
	}
	truth.NoState = seen.Err()
	return nil
}

// addUnknown records a state that lacks a value of the atom.
func (t *Truth) addUnknown(s lts.State) {
	t.Unknown = s
	t.HasUnknown = true
}

func (e *evaluation) tree(parameter int, v lts.Value) values.Value {
	key := [2]uint32{uint32(parameter), uint32(v)}
	tree, known := e.trees[key]
	if !known {
		tree = values.Parse(e.t.Text(e.parameters[parameter], v))
		e.trees[key] = tree
	}
	return tree
}

// Marked returns the model of a table, with its initial state marked as artificial if that state
// has no values, no incoming transitions, and only transitions Init. Runs then begin in the
// successors of the initial state. The table may be nil. Cost O(T) if the initial state has no
// values, otherwise O(1). It fails as [lts.LTS.Refined] does.
func Marked(ctx context.Context, t *lts.Values, m *lts.LTS) (*lts.LTS, error) {
	if m.Before() > 0 || !startsArtificially(t, m) {
		return m, nil
	}
	return m.Refined(ctx, nil, func(lts.State) lts.Facts { return 0 }, true)
}

// startsArtificially reports whether the initial state is artificial, a state before several initial
// ones: it has no values, no incoming transitions, and only transitions Init. Cost O(T) if the state has no
// values.
func startsArtificially(t *lts.Values, m *lts.LTS) bool {
	if m.Before() > 0 {
		return true
	}
	start := m.Initial()
	begin, hasLabel := m.Alphabet().Lookup(beginLabel)
	if t == nil || !hasLabel || t.Known(start) || m.IsDeadlock(start) {
		return false
	}
	labels, _ := m.Out(start)
	if labels.Any(func(l lts.Label) bool { return m.Alphabet().Plain(l) != begin }) {
		return false
	}
	for transition := range m.Transitions() {
		if transition.To == start {
			return false
		}
	}
	return true
}

// Refinement is a model whose labels carry facts about states, with warnings.
type Refinement struct {
	LTS *lts.LTS
	// NoState are the errors of atoms that compare with a value that no state has.
	NoState []*values.NoValueError
	// Warnings report states that lack values which atoms read.
	Warnings []string
}

// Refine returns the model whose labels report which of the atoms hold in the targets of
// transitions, see [lts.LTS.Refined]. The names of the facts are the texts of the atoms. It fails
// if there are more than [lts.MostFacts] atoms, if the model lacks the values, or if ctx is done.
// Cost: [Evaluate] for each atom, and refining.
func Refine(
	ctx context.Context,
	t *lts.Values,
	m *lts.LTS,
	atoms []*values.Atom,
) (*Refinement, error) {
	if len(atoms) > lts.MostFacts {
		return nil, fmt.Errorf("the formula has %d atoms about states, but may have at most %d; check its parts separately", len(atoms), lts.MostFacts)
	}
	r := &Refinement{}
	var names []string
	var truths []*Truth
	for _, a := range atoms {
		truth, err := Evaluate(ctx, t, m, a)
		if err != nil {
			return nil, err
		}
		if truth.NoState != nil {
			r.NoState = append(r.NoState, truth.NoState)
		}
		if truth.HasUnknown {
			r.Warnings = append(r.Warnings,
				fmt.Sprintf("%s: state %d has no value to compare; where there is none, no comparison holds, not even !=", a, truth.Unknown))
		}
		truths = append(truths, truth)
		names = append(names, a.String())
	}
	if t == nil && len(atoms) > 0 {
		return nil, errors.New("there are no values of states")
	}
	of, err := factsBy(ctx, t, truths)
	if err != nil {
		return nil, err
	}
	r.LTS, err = m.Refined(ctx, names, of, startsArtificially(t, m))
	return r, err
}

// columnFacts has the facts that each value of a parameter makes true.
type columnFacts struct {
	parameter int
	facts     []lts.Facts // of each value
}

// factsBy returns a function from states to the atoms that hold in them. Atoms
// that read one parameter are looked up by its value. It fails if ctx does not
// have the memory.
func factsBy(
	ctx context.Context,
	t *lts.Values,
	truths []*Truth,
) (func(lts.State) lts.Facts, error) {
	var columns []*columnFacts
	columnOf := map[int]*columnFacts{}
	var others []int // the atoms that read several parameters
	for i, truth := range truths {
		if truth.of.one == nil {
			others = append(others, i)
			continue
		}
		p := truth.of.parameters[0]
		c := columnOf[p]
		if c == nil {
			facts, err := resources.Make[lts.Facts](ctx, t.NumValues(p))
			if err != nil {
				return nil, err
			}
			c = &columnFacts{p, facts}
			columnOf[p] = c
			columns = append(columns, c)
		}
		c.add(i, truth.of.one)
	}
	return func(s lts.State) (facts lts.Facts) {
		for _, c := range columns {
			if v := t.Value(s, c.parameter); v != lts.NoValue {
				facts |= c.facts[v]
			}
		}
		for _, i := range others {
			if truths[i].Holds(s) {
				facts |= 1 << i
			}
		}
		return facts
	}, nil
}

// add adds atom i, which holds for these values of the parameter.
func (c *columnFacts) add(i int, holds []bool) {
	for v, holdsForValue := range holds {
		if holdsForValue {
			c.facts[v] |= 1 << i
		}
	}
}
