// Package star decides formulas of CTL* part by part: a formula about some or all runs is one of
// linear temporal logic over what holds in the states of a run, and is translated to an automaton.
// Its result replaces it as a predicate of states, so a formula of computation tree logic remains.
//
// A run may end: X demands a next state. For the automaton, the last state is repeated for ever,
// and marked.
//
// The invariant that holds inside: a part is decided in all reachable states before any formula
// that contains it.
package star

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/ctl/fair"
	"github.com/inev-lts/inev/ctl/wmc"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/property"
)

// Question is a formula of CTL* about some states of a model, which must have its predecessors.
type Question struct {
	Model   *lts.LTS
	Formula *ctl.Formula
	Hidden  []actl.Pattern // labels that are hidden
	Holding func(ctl.Predicate) (wmc.States, error)
	Asked   wmc.States
	// Fairness is the condition on runs that count; nil if all count. It must not be full fairness.
	Fairness *property.Fairness
}

// Reduced is a formula of CTL* whose parts about runs are decided and replaced.
type Reduced struct {
	Question
	// Formula is the formula of computation tree logic that remains. Some of its predicates stand
	// for formulas about runs.
	Formula *ctl.Formula
	// Warnings are about patterns that match no label.
	Warnings []string
	ctx      context.Context
	states   wmc.States // the reachable states
	parts    map[string]*part
}

// part is a decided formula about runs.
type part struct {
	holds wmc.States
	of    *onRuns
}

// errFull reports a question about fully fair runs.
var errFull = errors.New("formulas of CTL* are about runs that meet weak and strong fairness, and not full fairness")

// Reduce decides the parts of a formula about some or all runs. It fails if ctx is done, with the
// errors of Holding, and if an automaton becomes too large. Each part costs a product of the model
// and the automaton, which is at worst doubly exponential in the part.
func Reduce(ctx context.Context, q Question) (_ *Reduced, err error) {
	defer abort.Caught(&err)
	if q.Fairness != nil && q.Fairness.Full() {
		return nil, errFull
	}
	r := &Reduced{Question: q, ctx: ctx, parts: map[string]*part{}}
	reach := abort.Must(bfs.From(ctx, q.Model, q.Asked, bfs.Options{}))
	for s := range lts.State(q.Model.NumStates()) {
		if _, is := reach.Distance(s); is {
			r.states = append(r.states, s)
		}
	}
	r.Formula = q.Formula.Replaced(r.decide)
	return r, nil
}

// Holding returns the states that satisfy a predicate of the reduced formula.
func (r *Reduced) Holding(p ctl.Predicate) (wmc.States, error) {
	if known := r.parts[p.Atom]; p.Atom != "" && known != nil {
		return known.holds, nil
	}
	if r.Question.Holding == nil {
		return nil, wmc.NoPredicateError{Predicate: p}
	}
	return r.Question.Holding(p)
}

// decide decides in all states whether some or all runs satisfy a formula.
func (r *Reduced) decide(q ctl.Quantifier, run *ctl.Formula, text string) ctl.Predicate {
	p := ctl.Predicate{Atom: text}
	if r.parts[text] != nil {
		return p
	}
	x := &onRuns{Reduced: r, all: q == ctl.All, said: run.String()}
	if err := abort.Try(func() {
		x.read(run)
		r.parts[text] = &part{x.decide(), x}
	}); err != nil {
		abort.On(fmt.Errorf("%s: %w", text, err))
	}
	return p
}

// satisfying returns the reachable states that satisfy a formula of computation tree logic.
func (r *Reduced) satisfying(f *ctl.Formula) wmc.States {
	c := f.Closure()
	means, warnings, err := c.Bind(r.ctx, r.Model.Alphabet(), r.Hidden)
	abort.On(err)
	r.Warnings = append(r.Warnings, warnings...)
	if r.Fairness == nil {
		all := abort.Must(wmc.Decide(r.ctx, wmc.NewExplicit(r.Model, means, r.Holding), c, r.states))
		return all[len(all)-1]
	}
	d := abort.Must(fair.Decide(r.ctx, fair.Question{
		Model: r.Model, Closure: c, Means: means, Fairness: r.Fairness, Asked: r.Asked,
		Holding: func(p ctl.Predicate) ([]lts.State, error) { return r.Holding(p) },
	}))
	return slices.DeleteFunc(slices.Clone(d.States), func(s lts.State) bool { return !d.Holds(c.Root(), s) })
}
