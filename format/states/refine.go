package states

import (
	"context"
	"errors"
	"fmt"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/values"
)

// Begin is the label of the steps from a state that is no state of the system to those in
// which its runs begin, where there are several of these.
const begin = "Init"

// Truth has the set of states in which an atom holds.
type Truth struct {
	// Holds says so. A state without one of the values that the atom reads does not satisfy it.
	Holds func(lts.State) bool
	// Unknown is a state without one of the values, false if there is none but the one that
	// only leads to where runs begin.
	Unknown    lts.State
	HasUnknown bool
	// NoState is the error of an atom that compares what no state has; nil elsewhere.
	NoState *values.NoValueError
	of      *evaluation
}

// Evaluate returns in which states of a model an atom holds by the values of a table, which may
// be nil: in those that can be reached, or all that have values where m is nil. It fails as package values does, and if ctx is done. Cost O(S + size of the values that
// the atom reads); of an atom about two parameters, O(S + size of each pair of values which occurs).
func (t *Table) Evaluate(ctx context.Context, m *lts.LTS, a *values.Atom) (*Truth, error) {
	var names []string
	for p := 0; t != nil && p < t.NumParameters(); p++ {
		names = append(names, t.Parameter(p).Name)
	}
	b, err := a.Bind(names)
	if err != nil {
		return nil, err
	}
	e := &evaluation{t: t, b: b, parameters: b.Parameters(), trees: map[[2]uint32]values.Value{}}
	truth := &Truth{Holds: e.holds, of: e}
	if err := e.fill(ctx, m, truth); err != nil {
		return nil, err
	}
	return truth, nil
}

// evaluation knows for the values of one parameter whether an atom holds, or for pairs of two.
type evaluation struct {
	t          *Table
	b          *values.Bound
	parameters []int
	one        []bool
	two        map[[2]Value]bool
	trees      map[[2]uint32]values.Value
}

func (e *evaluation) holds(s lts.State) bool {
	v := e.t.Value(s, e.parameters[0])
	switch {
	case v == None:
		return false
	case e.one != nil:
		return e.one[v]
	}
	return e.two[[2]Value{v, e.t.Value(s, e.parameters[1])}]
}

// fill evaluates the atom for all values that reachable states have.
func (e *evaluation) fill(ctx context.Context, m *lts.LTS, truth *Truth) error {
	relevant := func(s lts.State) bool { return e.t.Known(s) }
	if m != nil {
		if err := m.FindReachable(ctx); err != nil {
			return err
		}
		reach, begins := m.Reachable(), e.t.begins(m)
		relevant = func(s lts.State) bool { return reach.Has(s) && !(begins && s == m.Initial()) }
	}
	column := e.parameters[0]
	met := make([]bool, e.t.NumValues(column))
	if len(e.parameters) == 2 {
		e.two = map[[2]Value]bool{}
	}
	seen := e.b.Seen()
	for s := range lts.State(e.t.NumStates()) {
		if s&(1<<14-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !relevant(s) {
			continue
		}
		v := e.t.Value(s, column)
		if v == None || e.two != nil && e.t.Value(s, e.parameters[1]) == None {
			truth.Unknown, truth.HasUnknown = s, true
			continue
		}
		met[v] = true
		if e.two == nil {
			continue
		}
		pair := [2]Value{v, e.t.Value(s, e.parameters[1])}
		if _, known := e.two[pair]; !known {
			j, err := e.b.Judge(e.tree(0, pair[0]), e.tree(1, pair[1]))
			if err != nil {
				return err
			}
			seen.Add(j, e.tree(0, pair[0]))
			e.two[pair] = j.Holds
		}
	}
	if e.two != nil {
		truth.NoState = seen.Err()
		return nil
	}
	e.one = make([]bool, len(met))
	for v, is := range met {
		if v&(1<<10-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !is {
			continue
		}
		value := values.Parse(e.t.Text(column, Value(v)))
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

func (e *evaluation) tree(parameter int, v Value) values.Value {
	key := [2]uint32{uint32(parameter), uint32(v)}
	tree, known := e.trees[key]
	if !known {
		tree = values.Parse(e.t.Text(e.parameters[parameter], v))
		e.trees[key] = tree
	}
	return tree
}

// Marked returns the model of a table, as one whose runs begin where the transitions of its initial state lead if that
// is none of the system: it has no values, nothing leads to it, and all of its transitions are Init. The table may be nil.
// Cost O(T) if it has no values, else O(1). It fails as [lts.LTS.Refined] does.
func (t *Table) Marked(ctx context.Context, m *lts.LTS) (*lts.LTS, error) {
	if _, added := m.Begin(); added || !t.begins(m) {
		return m, nil
	}
	return m.Refined(ctx, nil, func(lts.State) lts.Facts { return 0 }, true)
}

// begins reports whether the initial state is none of the system, but leads to several in which
// runs begin: it has no values, nothing leads to it, and all of its transitions are Init.
// Cost O(T) where the first is so.
func (t *Table) begins(m *lts.LTS) bool {
	if _, added := m.Begin(); added {
		return true
	}
	start := m.Initial()
	label, has := m.Alphabet().Lookup(begin)
	if t == nil || !has || t.Known(start) || m.IsDeadlock(start) {
		return false
	}
	labels, _ := m.Out(start)
	if labels.Any(func(l lts.Label) bool { return m.Alphabet().Plain(l) != label }) {
		return false
	}
	for t := range m.Transitions() {
		if t.To == start {
			return false
		}
	}
	return true
}

// Refinement is what came out when facts about states were put into labels.
type Refinement struct {
	LTS *lts.LTS
	// NoState are the atoms that compare what no state has.
	NoState []*values.NoValueError
	// Warnings tell of states without values that atoms read.
	Warnings []string
}

// Refine returns the model whose labels tell which of some atoms hold in the states that they
// lead to, see [lts.LTS.Refined]; the facts have the texts of the atoms as names. It fails if
// there are more than [lts.MostFacts] of them, where the model has no such values, and where ctx
// is done. Cost: [Table.Evaluate] for each atom, and refining.
func (t *Table) Refine(ctx context.Context, m *lts.LTS, atoms []*values.Atom) (*Refinement, error) {
	if len(atoms) > lts.MostFacts {
		return nil, fmt.Errorf("the formula has %d atoms about states, and at most %d can be told apart; check its parts by themselves", len(atoms), lts.MostFacts)
	}
	r := &Refinement{}
	var names []string
	var truths []*Truth
	for _, a := range atoms {
		truth, err := t.Evaluate(ctx, m, a)
		if err != nil {
			return nil, err
		}
		if truth.NoState != nil {
			r.NoState = append(r.NoState, truth.NoState)
		}
		if truth.HasUnknown {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: state %d has no value to compare; where there is none, no comparison holds, not even !=", a, truth.Unknown))
		}
		truths, names = append(truths, truth), append(names, a.String())
	}
	if t == nil && len(atoms) > 0 {
		return nil, errors.New("there are no values of states")
	}
	of, err := factsBy(ctx, t, truths)
	if err != nil {
		return nil, err
	}
	r.LTS, err = m.Refined(ctx, names, of, t.begins(m))
	return r, err
}

// columnFacts are the facts that the values of a parameter make true.
type columnFacts struct {
	*column
	facts []lts.Facts // of each value
}

// factsBy returns the atoms that hold in a state; for atoms that read one parameter it looks at
// its value alone. It fails if ctx does not have the memory.
func factsBy(ctx context.Context, t *Table, truths []*Truth) (func(lts.State) lts.Facts, error) {
	var columns []*columnFacts
	of := map[int]*columnFacts{}
	var others []int
	for i, truth := range truths {
		if truth.of.one == nil {
			others = append(others, i)
			continue
		}
		p := truth.of.parameters[0]
		c := of[p]
		if c == nil {
			facts, err := resources.Make[lts.Facts](ctx, t.NumValues(p))
			if err != nil {
				return nil, err
			}
			c = &columnFacts{&t.columns[p], facts}
			of[p] = c
			columns = append(columns, c)
		}
		for v, holds := range truth.of.one {
			if holds {
				c.facts[v] |= 1 << i
			}
		}
	}
	return func(s lts.State) (facts lts.Facts) {
		for _, c := range columns {
			if v := c.value(s); v != None {
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
