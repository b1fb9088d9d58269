package modal

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// The parameters of a fixpoint may grow without bound, as in nu X(n: Nat = 0). [put]X(n + 1), while the runs
// of a model lead to finitely many values only. To find these, an expansion goes with the states of the
// model: each part is expanded for a set of states that contains all those in which the part is asked
// about. Where no transition leaves this set, a modality is a constant, and what stands behind it is not
// expanded. An instance of a fixpoint is expanded again whenever its set grows.

// states is a set of states; nil in an expansion that does not go with a model.
type states = bitset.Set[lts.State]

// mostVisited limits the transitions that are visited to find the values of parameters.
const mostVisited = 1 << 28

// reachedInstance is an instance of a fixpoint and what is needed to expand it.
type reachedInstance struct {
	expanded *state
	scope    *scope
	env      *environment
	states   states // in which the instance is asked about
	parts    int    // of its expansion
	isQueued bool
}

// askedStates are the states of a model in which a formula is asked about.
type askedStates struct {
	model  *lts.LTS
	states []lts.State
}

// reach has the data of an expansion that goes with a model.
type reach struct {
	model     *lts.LTS
	at        token // of what is expanded
	instances map[*state]*reachedInstance
	queue     []*reachedInstance // those whose sets have grown
	labels    map[*regular][]bool
	visited   int // transitions
}

// hasParameters reports whether the formula has a fixpoint with parameters.
func (f *state) hasParameters() bool {
	isFixpoint := f.op == muOp || f.op == nuOp
	return isFixpoint && len(f.declared) > 0 || slices.ContainsFunc(f.parts, (*state).hasParameters)
}

// askIn records that an instance of a fixpoint is asked about in some states.
func (x *expansion) askIn(in states, expanded *state, s *scope, env *environment) {
	known := x.reach.instances[expanded]
	if known == nil {
		known = &reachedInstance{
			expanded: expanded,
			scope:    s,
			env:      env,
			states:   x.noStates(),
		}
		x.reach.instances[expanded] = known
	}
	if known.states.AddAll(in) && !known.isQueued {
		known.isQueued = true
		x.reach.queue = append(x.reach.queue, known)
	}
}

// expandFor expands a formula for the states of a model in which it is asked about.
func (x *expansion) expandFor(asked *askedStates, root *state, c within) *state {
	x.reach = &reach{
		model:     asked.model,
		at:        root.at,
		instances: map[*state]*reachedInstance{},
		labels:    map[*regular][]bool{},
	}
	initial := x.noStates()
	for _, s := range asked.states {
		initial.Add(s)
	}
	expanded := x.expand(root, c.among(initial))
	x.expandReached()
	return expanded
}

// expandReached expands the instances whose sets of states have grown, until no set grows any more.
func (x *expansion) expandReached() {
	for len(x.reach.queue) > 0 {
		next := x.reach.queue[0]
		x.reach.queue = x.reach.queue[1:]
		next.isQueued = false
		x.reach.at = next.scope.source.at
		x.parts -= next.parts // of an earlier expansion, which is replaced
		before := x.parts
		inside := next.scope.at.with(next.env).among(next.states)
		next.expanded.parts = []*state{x.expand(next.scope.source.parts[0], inside)}
		next.parts = x.parts - before
	}
}

// noStates returns an empty set of states.
func (x *expansion) noStates() states {
	words := bitset.Words(x.reach.model.NumStates())
	set, err := resources.Make[uint64](x.ctx, words)
	abort.On(err)
	return set
}

// after returns the context behind a regular expression without data; false if no run from the states of
// the context matches the expression.
func (x *expansion) after(r *regular, c within) (behind within, isReached bool) {
	if x.reach == nil {
		return c, true
	}
	targets := x.statesAfter(r, c.states)
	return c.among(targets), !targets.Empty()
}

// statesAfter returns the states after the runs from some states that a regular expression without data
// matches.
func (x *expansion) statesAfter(r *regular, from states) states {
	switch r.shape {
	case nothing:
		return from
	case single:
		return x.targets(from, x.labelsOf(r))
	case sequence:
		return x.statesAfter(r.parts[1], x.statesAfter(r.parts[0], from))
	case choice:
		return x.union(x.statesAfter(r.parts[0], from), x.statesAfter(r.parts[1], from))
	case perhaps:
		return x.union(from, x.statesAfter(r.parts[0], from))
	}
	once := func(from states) states { return x.statesAfter(r.parts[0], from) }
	if r.shape == plus {
		return x.closure(once(from), once)
	}
	return x.closure(from, once)
}

// afterAnyRun returns the context with all states that the states of c lead to.
func (x *expansion) afterAnyRun(c within) within {
	if x.reach == nil {
		return c
	}
	return c.among(x.closure(c.states, func(from states) states {
		return x.targets(from, nil)
	}))
}

// closure returns some states and those to which any number of steps leads.
func (x *expansion) closure(from states, step func(states) states) states {
	all := x.union(from, nil)
	latest := from
	for !latest.Empty() {
		next := step(latest)
		latest = x.noStates()
		for s := range next.All {
			if !all.Has(s) {
				latest.Add(s)
			}
		}
		all.AddAll(latest)
	}
	return all
}

// union returns the states of two sets.
func (x *expansion) union(a, b states) states {
	both := x.noStates()
	both.AddAll(a)
	both.AddAll(b)
	return both
}

// targets returns the states to which transitions with some labels lead; nil means all labels.
func (x *expansion) targets(from states, isLabel []bool) states {
	all := x.noStates()
	for s := range from.All {
		labels, targets := x.reach.model.Out(s)
		for i, to := range targets {
			if isLabel == nil || isLabel[labels.At(i)] {
				all.Add(to)
			}
		}
		x.visit(len(targets))
	}
	return all
}

// visit counts transitions, and refuses the formula when there are too many.
func (x *expansion) visit(transitions int) {
	before := x.reach.visited
	x.reach.visited += transitions
	if before>>16 != x.reach.visited>>16 {
		abort.On(x.ctx.Err())
	}
	if x.reach.visited > mostVisited {
		refuse(x.reach.at, "data whose values are found by visiting at most %d transitions", mostVisited)
	}
}

// labelsOf returns which labels an action without data matches.
func (x *expansion) labelsOf(r *regular) []bool {
	matched, isKnown := x.reach.labels[r]
	if isKnown {
		return matched
	}
	matched = make([]bool, x.alphabet.Len())
	for l := range x.alphabet.All() {
		matched[l] = r.action.Holds(func(atom int) bool { return x.holding[atom][l] }, false)
	}
	x.reach.labels[r] = matched
	return matched
}

// afterLabels returns the context behind transitions with some labels; false if there are none.
func (x *expansion) afterLabels(labels []lts.Label, c within) (behind within, isReached bool) {
	if x.reach == nil {
		return c, true
	}
	isLabel := make([]bool, x.alphabet.Len())
	for _, l := range labels {
		isLabel[l] = true
	}
	targets := x.targets(c.states, isLabel)
	return c.among(targets), !targets.Empty()
}
