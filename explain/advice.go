package explain

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain/internal/necessary"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// mostForAdvice is the largest product of the number of property states and the size of the model,
// in states and transitions, for which an explanation answers the questions that need the unfolded
// model.
const mostForAdvice = footprint.MostForAdvice

// Advice takes several passes through the unfolded model; the other phases of an explanation take
// passes through the model alone. Above these numbers of product states and transitions, for a
// chain and for another property, advice takes several times as long as the other phases, and more
// than a third of a second.
const (
	mostForAdviceOnChain = 2_000_000
	mostForAdviceOnTable = 450_000
)

const tooLargeForAdvice = "what to forbid was not looked for, nor the nearest correct run: the product of model and property is large; inev repair takes any size"

// guardsInAdvice is the number of forbidden transitions above which a repair is not described,
// since nobody reads so many.
const guardsInAdvice = 10_000

// The search for the nearest correct run visits at most workForDiff transitions, repeated visits
// included; in a product with more than fewBesideDiff states and transitions, at most
// workForDiffBeside.
const (
	workForDiff       = 2_000_000
	workForDiffBeside = 400_000
	fewBesideDiff     = 450_000 // product states and transitions
)

// The warnings when the search for the nearest correct run reaches its limit: none was found
// (tooFar), or one was found (near).
const (
	tooFar       = "the nearest correct run is left out: the search for it was stopped after 2,000,000 transitions"
	tooFarBeside = "the nearest correct run is left out: the search for it was stopped after 400,000 transitions"
	near         = "another correct run may be nearer: the search for the nearest was stopped after 2,000,000 transitions"
	nearBeside   = "another correct run may be nearer: the search for the nearest was stopped after 400,000 transitions"
)

// workForRepair is the largest number of product states and transitions that the search for a
// repair visits, repeated visits included.
const workForRepair = 10_000_000

// tooLong is the warning when the search for a repair reaches workForRepair.
const tooLong = "what to forbid is left out: the search for it was stopped after 10,000,000 places and transitions"

// A cut has at most mostInCut transitions. The search for a cut visits at most workForCut
// transitions; for a property that is no chain, at most workForCut / passesForTable, since each
// search for a violating run takes more passes.
const (
	mostInCut      = 2
	workForCut     = 2_000_000
	passesForTable = 2
)

// limitsOfAdvice returns the largest number of product states and transitions for which advice
// takes no longer than all other phases, and the largest number of transitions that the search for
// a cut visits.
func limitsOfAdvice(p *property.Property) (most, cut int64) {
	if p.Steps() > 0 {
		return mostForAdviceOnChain, workForCut
	}
	return mostForAdviceOnTable, workForCut / passesForTable
}

// largestProduct returns an upper bound of the product states and transitions.
func largestProduct(m *lts.LTS, p *property.Property) int64 {
	return int64(p.States()) * (int64(m.NumStates()) + int64(m.NumTransitions()))
}

// limitOfDiff returns how many transitions the search for the nearest correct run visits, and the
// warnings at this limit: one if no run was found, and one if some run was found.
func (v violation) limitOfDiff() (looks int64, none, some string) {
	if largestProduct(v.a.m, v.a.Property) > fewBesideDiff {
		return workForDiffBeside, tooFarBeside, nearBeside
	}
	return workForDiff, tooFar, near
}

// productOf returns the product of model and property.
func productOf(ctx context.Context, a *Analysis) (*product.Unfolding, error) {
	if a.Fates != nil {
		if u, err := a.Fates.Unfold(ctx); u != nil || err != nil {
			return u, err
		}
	}
	return product.Unfold(ctx, a.m, a.Property)
}

// advise finds out what would make the property true, and the nearest correct run. isFirst reports
// that v.trace is the run that [counterexample.Shortest] returns.
func (v violation) advise(ctx context.Context, isFirst bool, found *Advice) (warnings []string, err error) {
	m, p := v.a.m, v.a.Property
	most, workForCut := limitsOfAdvice(p)
	if largestProduct(m, p) > most {
		return []string{tooLargeForAdvice}, nil
	}
	triggers, err := triggersOf(ctx, v.a.Formula, m.Alphabet())
	if err != nil {
		return nil, err
	}
	idle := RepairOptions{Source: Source{Idle: v.a.idle}}
	x := adviser{m: m, p: p, triggers: triggers, can: idle.controls(m, triggers), lifted: idle.controls(m, nil), workForCut: workForCut}
	if x.unfolded, err = productOf(ctx, v.a); err != nil {
		return nil, err
	}
	if isFirst {
		x.first = v.trace
	}
	if found.Necessity, err = v.findNecessity(ctx, x.unfolded); err != nil {
		return nil, err
	}
	r, err := x.repair(ctx, x.can)
	if x.stopped {
		warnings = append(warnings, tooLong)
	}
	if r == nil || err != nil {
		return warnings, err
	}
	if found.Repair, err = describeRepair(ctx, m, p, r, choicesInAdvice); err != nil {
		return nil, err
	}
	found.Repair.Triggers = textsOf(m, triggers, func(lts.Label) bool { return true })
	switch {
	case r.Solvable:
		found.Repair.Cut, err = x.cut(ctx, v.trace)
	case len(found.Repair.Triggers) > 0 && r.Obstacle.Kind != repair.NoCorrectRun:
		err = x.forbidTriggers(ctx, found.Repair)
	}
	if err != nil {
		return nil, err
	}
	limit, none, some := v.limitOfDiff()
	found.Nearest, err = v.nearest(ctx, r, triggers, limit)
	if errors.Is(err, repair.ErrTooFar) {
		warnings, err = append(warnings, none), nil
	}
	if found.Nearest != nil && found.Nearest.Near {
		warnings = append(warnings, some)
	}
	return warnings, err
}

// adviser searches for repairs that forbid no triggers of the property.
type adviser struct {
	m        *lts.LTS
	p        *property.Property
	triggers []property.Step
	// can are the labels that may be forbidden; lifted are the labels that may be forbidden if
	// triggers may be forbidden, too.
	can, lifted func(lts.Label) bool
	unfolded    *product.Unfolding
	// first is the run that [counterexample.Shortest] returns; nil if it is not known.
	first      *counterexample.Trace
	workForCut int64
	// stopped reports whether a search reached its limit of work.
	stopped bool
}

// repair finds a repair; nil if the search is stopped, the repair forbids too many transitions, or
// the property is not supported.
func (x *adviser) repair(ctx context.Context, can func(lts.Label) bool) (*repair.Repair, error) {
	r, err := repair.Find(ctx, x.m, x.p, repair.Options{Controllable: can, Most: guardsInAdvice, Work: workForRepair, Unfolding: x.unfolded})
	if errors.Is(err, repair.ErrWork) {
		x.stopped = true
		return nil, nil
	}
	if errors.As(err, new(repair.UnsupportedError)) || errors.Is(err, repair.ErrTooMany) {
		return nil, nil
	}
	return r, err
}

// cut finds a smallest cut; nil if it has more than mostInCut transitions, or if the search does
// not find one.
func (x *adviser) cut(ctx context.Context, t *counterexample.Trace) (*Cut, error) {
	f, err := repair.FindFewest(ctx, x.m, x.p, repair.FewestOptions{Controllable: x.can, Most: mostInCut, Work: x.workForCut, First: x.first})
	if err != nil || !f.Found || len(f.Transitions) == 0 {
		return nil, err
	}
	c := &Cut{}
	for _, transition := range f.Transitions {
		step := CutStep{ModelStep: modelStep(x.m, transition)}
		for i := range t.Len() {
			if t.Step(i) == transition {
				at := StepIndex(i)
				step.Step = &at
				break
			}
		}
		c.Transitions = append(c.Transitions, step)
	}
	return c, nil
}

// forbidTriggers finds out whether the property can be made true if triggers may be forbidden, too.
// If it cannot, the obstacle of d becomes the obstacle of a supervisor that may forbid triggers.
func (x *adviser) forbidTriggers(ctx context.Context, d *Repair) error {
	lifted, err := x.repair(ctx, x.lifted)
	if lifted == nil || err != nil {
		return err
	}
	if !lifted.Solvable {
		d.Obstacle = describeObstacle(x.m, lifted.Obstacle)
		return nil
	}
	only := &OnlyTriggers{Labels: d.Triggers}
	f, err := repair.FindFewest(ctx, x.m, x.p, repair.FewestOptions{Controllable: among(x.m, x.triggers), Labels: true, Most: len(d.Triggers), Work: x.workForCut, First: x.first})
	if err != nil {
		return err
	}
	if f.Found {
		only.Labels, only.Everywhere = describeFewest(x.m, f).Labels, true
	}
	d.OnlyTriggers = only
	return nil
}

// nearest finds the nearest correct run; nil if there is none.
func (v violation) nearest(ctx context.Context, r *repair.Repair, triggers []property.Step, limit int64) (*Diff, error) {
	o := repair.NearestOptions{Limit: limit}
	for _, step := range triggers {
		o.Also = append(o.Also, step.Labels)
	}
	diff, err := r.Nearest(ctx, v.trace, o)
	if diff == nil || err != nil {
		return nil, err
	}
	d := &Diff{Edits: diff.Edits, Fork: diff.Fork, Steps: []DiffStep{}, Loop: diff.Loop, Ends: diff.Ends, Near: diff.Near}
	for _, s := range diff.Steps {
		d.Steps = append(d.Steps, DiffStep{string(s.Op), modelStep(v.a.m, s.Transition), s.Progress})
	}
	return d, nil
}

// workForNecessity is the largest number of product states and transitions that the search for
// necessary transitions visits, repeated visits included; the search for missing transitions may
// visit as many again.
const workForNecessity = 6_000_000

// workAtLength is the largest number of product states and transitions that the search visits to
// find what all violations of at most the counterexample's length have in common.
const workAtLength = 24_000_000

// Necessity is what all violating runs of the model have in common.
type Necessity struct {
	// Steps are the steps of the counterexample whose transition every violating run takes
	// somewhere, in the order of the run; a transition that the counterexample takes twice is
	// listed once.
	Steps []StepIndex `json:"steps"`
	// AtLength are the steps whose transition is taken by every violating run that is no longer
	// than the counterexample; nil if they are not known.
	AtLength []StepIndex `json:"steps_at_length,omitempty"`
	// Stop reports whether all violating runs end in the state where the counterexample ends, and
	// all runs that end there violate the property.
	Stop bool `json:"stop"`
	// At is the state where the run ends; nil unless Stop is true.
	At *ModelState `json:"at,omitempty"`
	// Missing are transitions from state At: the property would be true if the model had any one of
	// them. They are guesses, the likeliest first; nil unless Stop is true.
	Missing []ModelStep `json:"missing,omitempty"`
}

// findNecessity finds what the counterexample has in common with all violating runs, in the product
// of model and property; nil if that takes too long.
func (v violation) findNecessity(ctx context.Context, u *product.Unfolding) (*Necessity, error) {
	m, p := v.a.m, v.a.Property
	found, err := necessary.Find(ctx, m, p, v.trace, necessary.Options{Work: workForNecessity, WorkAtLength: workAtLength, Unfolding: u})
	if found == nil || err != nil {
		return nil, err
	}
	n := &Necessity{Steps: v.firstOf(found.Every), Stop: found.Stop}
	if found.AtLength != nil {
		n.AtLength = v.firstOf(found.AtLength)
	}
	if n.Stop {
		at := ModelState(v.trace.Last())
		n.At = &at
	}
	for _, t := range found.Missing {
		n.Missing = append(n.Missing, modelStep(m, t))
	}
	return n, nil
}

// firstOf returns the indices of the steps that the list selects, each transition once, without the
// step to an initial state.
func (v violation) firstOf(is []bool) []StepIndex {
	steps := []StepIndex{}
	visited := map[lts.Transition]bool{}
	for i, holds := range is {
		if t := v.trace.Step(i); holds && !visited[t] && !v.a.m.IsBefore(t.From) {
			visited[t] = true
			steps = append(steps, StepIndex(i))
		}
	}
	return steps
}

// rank sets [Decision.Rank] of each decision.
func rank(decisions []Decision, n *Necessity) {
	rank := 0
	for _, first := range []bool{true, false} {
		for i := len(decisions) - 1; i >= 0; i-- {
			at := &decisions[i]
			if necessary := n != nil && slices.Contains(n.Steps, at.Step); necessary == first {
				rank++
				at.Rank = rank
			}
		}
	}
}
