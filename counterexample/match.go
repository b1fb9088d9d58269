package counterexample

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// MatchOptions control how a given trace is matched with a model.
type MatchOptions struct {
	// SkipInternal lets the run do internal actions that the given trace lacks: finitely many
	// between two steps of the trace, and any number after its end.
	SkipInternal bool
	// Internal are the texts of the labels that are internal actions; nil means i and tau.
	Internal []string
	// Fair are tasks. If several runs fit the given trace, Match prefers a run that is fair to
	// these tasks.
	Fair []property.Task
}

// MatchNote describes how the counterexample differs from the given trace.
type MatchNote struct {
	// Skipped is the number of internal actions that the given trace lacks.
	Skipped int
	// Closed reports whether the given trace was read as a lasso whose loop is written once. Match
	// does so if the trace ends where no run can end.
	Closed bool
	// Completed is the number of transitions added after the given trace.
	Completed int
	// Rounds is the number of times that the counterexample repeats the loop of the given trace. It
	// is usually 1, but a model may need several rounds to return to a state. It is 0 if the given
	// trace is no lasso.
	Rounds int

	last lts.State // the last state of the counterexample
}

// Sentences returns the note as text, one sentence for each remarkable fact.
func (n MatchNote) Sentences() []string {
	var all []string
	if n.Rounds > 1 {
		all = append(all,
			fmt.Sprintf("the loop of the trace is written out %d times: only then does the model return to an earlier state", n.Rounds))
	}
	if n.Closed {
		all = append(all,
			fmt.Sprintf("the trace ends neither in a deadlock nor in a loop; it is read as a lasso whose loop is written once, from state %d", n.last))
	}
	if n.Completed > 0 {
		all = append(all,
			fmt.Sprintf("the trace stops before the run ends, in a state from which the property can no longer be satisfied; a shortest continuation of %s is added", printable.Quantity(n.Completed, "transition")))
	}
	if n.Skipped > 0 {
		all = append(all,
			fmt.Sprintf("the trace leaves out %s, which the run has",
				printable.Quantity(n.Skipped, "internal action")))
	}
	return all
}

// matching searches for the runs of a product that are counterexamples.
type matching struct {
	*pairing
	ctx   context.Context
	fates *fate.Map
	p     *property.Property
	// bound is p over the alphabet of the product. runs has shortest runs of the product to each
	// pair of a state of the product and a property state; it is nil before findRuns is called.
	bound *property.Property
	runs  *general
	violations
}

// violations searches for runs that violate a property; chains and other properties have different
// implementations.
type violations interface {
	// maximal returns a run that fits the given trace, is maximal and violates the property; nil if
	// there is none.
	maximal() *match
	// closedAtCut returns a lasso that violates the property, and whose loop closes at a cut: the run to the
	// cut has passed the same state of the model before. It returns nil if there is none. The lasso is
	// a shortest one and, of several shortest ones, the one with the longest loop.
	closedAtCut() *match
	// isBeginning reports whether a run that has reached a cut, and has not lost the property, can
	// still violate it.
	isBeginning(at product.State) bool
	// violatedOnceLost returns a property that every loop violates once the property is lost. So a
	// shortest run that continues a lost run and violates this property is a shortest continuation.
	violatedOnceLost() *property.Property
	// refuseSatisfied returns the error for the case that all runs that fit satisfy the property.
	// It gives the reason.
	refuseSatisfied() error
}

// match is a run of the product: a path, or a lasso as in [NewViolating].
type match struct {
	steps []lts.Transition
	loop  int
}

// run returns a run of the model that fits the given trace and violates the property.
func (y *matching) run() (t *Trace, note MatchNote) {
	found := y.maximal()
	if found == nil {
		found = y.closedAtCut()
		note.Closed = found != nil
	} else {
		note.Rounds = y.rounds(found)
	}
	if found != nil {
		t = violating("matching", y.m, y.p, y.inModel(found.steps), found.loop)
	} else {
		y.findRuns()
		isLost := func(at product.State) bool {
			return y.fates.At(y.joints[at.State].state, at.Q) == fate.Lost
		}
		cut, exists := y.nearestCut(isLost)
		if !exists {
			abort.On(y.refuse())
		}
		found = &match{steps: y.runTo(cut)}
		t = y.completed(y.inModel(found.steps), y.runs.u.At(cut).Q)
		note.Completed = t.Len() - len(found.steps)
	}
	note.Skipped = len(found.steps) - y.countTaken(found.steps)
	note.last = t.Last()
	return t, note
}

// rounds returns how often a run repeats the loop of the given trace, including an incomplete
// round; 0 if the given trace is no lasso.
func (y *matching) rounds(found *match) int {
	v := y.given
	if !v.linear || v.loop == noLoop {
		return 0
	}
	roundLength := len(v.line) - v.loop
	stepsOnLoop := y.countTaken(found.steps) - v.loop
	return (stepsOnLoop + roundLength - 1) / roundLength // rounded up
}

// findRuns finds shortest runs of the product.
func (y *matching) findRuns() {
	if y.runs == nil {
		y.runs = newGeneral(y.ctx, abort.Must(product.Unfold(y.ctx, y.q, y.bound)), nil,
			Options{})
	}
}

// runTo returns a shortest run of the product to a state with a property state.
func (y *matching) runTo(s lts.State) []lts.Transition {
	return lower(y.runs.u, y.runs.pathTo(s))
}

// nearestCut returns the nearest cut that is wanted; false if there is none.
func (y *matching) nearestCut(isWanted func(at product.State) bool) (lts.State, bool) {
	return y.nearest(func(at product.State) bool { return y.isCut(at.State) && isWanted(at) })
}

// nearest returns the wanted state in the field runs to which a shortest run leads; false if there
// is none.
func (y *matching) nearest(isWanted func(at product.State) bool) (lts.State, bool) {
	// The states of runs are numbered breadth first, so the first one found is nearest.
	for s := range lts.State(y.runs.m.NumStates()) {
		if isWanted(y.runs.u.At(s)) {
			return s, true
		}
	}
	return 0, false
}

// completed returns the run to a cut, in property state q, where the property is lost. If the run
// is a bad prefix, it is returned as it is, and otherwise with a shortest continuation.
func (y *matching) completed(given []lts.Transition, q property.Q) *Trace {
	words := abort.Must(product.ResidualsOf(y.ctx, y.p))
	isBadPrefix := words.CanAccept(y.p.Initial()) && !words.CanAccept(q)
	if words.IsSafety() && isBadPrefix {
		return abort.Must(NewStem(y.m, y.p, given, Prefix))
	}
	// A shortest counterexample that begins with these steps is a shortest counterexample of the model
	// in which every run begins with them. In that model, every loop violates the property. The cost is
	// that of [Shortest], and O(S + T).
	beginning := y.beginningWith(given)
	t := abort.Must(Shortest(y.ctx, beginning, y.violatedOnceLost(), Options{})).Trace
	original := func(s lts.State) lts.State {
		k := int(s) - y.m.NumStates()
		if k >= 0 {
			return given[k].From
		}
		return s
	}
	steps := t.Steps()
	for i, step := range steps {
		steps[i] = lts.Transition{
			From:  original(step.From),
			Label: step.Label,
			To:    original(step.To),
		}
	}
	return abort.Must(NewViolating(y.m, y.p, steps, t.loop))
}

// beginningWith returns the model with the given steps as its only beginning. The steps become a
// path through copies of their states, which are numbered after the states of the model; only the
// last state of the path is the model's own state. Transitions to a state with a copy lead to the
// copy, so that they close a loop. Labels keep their numbers.
func (y *matching) beginningWith(given []lts.Transition) *lts.LTS {
	states := lts.State(y.m.NumStates())
	copies := map[lts.State]lts.State{}
	for k, step := range given {
		copies[step.From] = states + lts.State(k)
	}
	initial := y.m.Initial()
	if len(given) > 0 {
		initial = states // the first copy
	}
	var b lts.Builder
	b.Over(y.m.Alphabet())
	b.Grow(y.m.NumTransitions() + len(given))
	for s := range states {
		labels, targets := y.m.Out(s)
		for i, to := range targets {
			stateCopy, isCopied := copies[to]
			if isCopied {
				to = stateCopy
			}
			b.Add(s, labels.At(i), to)
		}
	}
	for k, step := range given {
		to := states + lts.State(k+1)
		if k == len(given)-1 {
			to = step.To
		}
		b.Add(states+lts.State(k), step.Label, to)
	}
	return abort.Must(b.Build(initial, y.m.NumStates()+len(given)))
}

// refuse returns the error that explains why no run of the product is a counterexample.
func (y *matching) refuse() error {
	if cut, exists := y.nearestCut(y.isBeginning); exists {
		reached := []lts.State{y.joints[y.runs.u.At(cut).State].state}
		return refuse("the trace is only the beginning of a run: %s the property can still be satisfied; the model offers %s there",
			afterSteps(y.countTaken(y.runTo(cut)), reached), y.offers(reached))
	}
	someRunFits := len(y.statesWhere(y.isCut)) > 0 || len(y.statesWhere(y.isEnd)) > 0 ||
		len(y.looping()) > 0
	switch {
	case someRunFits:
		return y.refuseSatisfied()
	case y.given.linear:
		return y.refuseLine()
	}
	return y.refuseGraph()
}

// looping returns the states of the product where a run can stay forever.
func (y *matching) looping() []lts.State {
	all := y.statesWhere(func(lts.State) bool { return true })
	anyTransition := func(lts.State, lts.Label, lts.State) bool { return true }
	return slices.Concat(y.componentsToStay(all, anyTransition)...)
}

// componentsToStay returns the strongly connected components, of some states and the allowed
// transitions, in which a run can stay forever: those with a transition that the product accepts.
func (y *matching) componentsToStay(
	states []lts.State,
	allowed func(lts.State, lts.Label, lts.State) bool,
) (found [][]lts.State) {
	parts := abort.Must(scc.NewParts(y.ctx, y.q))
	for component := range abort.Must(parts.Components(states, allowed)) {
		parts.Enter(component)
		hasAccepted := func(s lts.State) bool {
			labels, targets := y.q.Out(s)
			for i, t := range targets {
				l := labels.At(i)
				staysInside := parts.Has(t) && allowed(s, l, t)
				if staysInside && y.accepts(s, l, t) {
					return true
				}
			}
			return false
		}
		if slices.ContainsFunc(component, hasAccepted) {
			found = append(found, component)
		}
	}
	return found
}
