package repair

import (
	"context"
	"errors"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Violation is a run of the model of Fates that violates the property of Fates.
type Violation struct {
	Fates *fate.Map
	Run   *counterexample.Trace
	// First reports that Run is the run that [counterexample.Shortest] returns.
	First bool
	// Triggers are the elements that oblige a run to something, IsTrigger reports which labels do
	// one of them. Controllable reports which labels may be forbidden, WithTriggers which may be if
	// triggers may be, too.
	Triggers                              []property.Step
	IsTrigger, Controllable, WithTriggers func(lts.Label) bool
	// Work is the largest number of product states and transitions that the search for a repair
	// visits, repeated visits included; [WorkForRepair] in all uses but tests.
	Work int64
}

// Advice is what is necessary for a violation, and what would make the property true. Its fields are
// nil if there is no such thing, and if the search for it takes too much work.
type Advice struct {
	Necessity *Necessity
	// Repair forbids no triggers, and at most MostGuards transitions; FairChoices is the result of
	// [Repair.FairChoices].
	Repair      *Repair
	FairChoices []lts.State
	// Cut is a smallest set of transitions, of at most mostInCut, if there is a Repair.
	Cut *Fewest
	// Lifted is the repair that may also forbid triggers, if the property can be made true, but not by
	// Repair. If Lifted is solvable, FewestTriggers are the fewest triggers without which the property
	// holds.
	Lifted         *Repair
	FewestTriggers *Fewest
	Nearest        *Diff
	// Stopped reports that the search for Repair has reached its limit of work, LiftedStopped that
	// the search for Lifted has, TooFar that the search for Nearest has found nothing after Looks
	// transitions.
	Stopped, LiftedStopped, TooFar bool
	Looks                          int64
}

// MostGuards is the number of forbidden transitions above which nobody reads a repair.
const MostGuards = 10_000

// WorkForRepair is the largest number of product states and transitions that the search for a repair
// visits, repeated visits included.
const WorkForRepair = 10_000_000

// A cut has at most mostInCut transitions. The search for it visits at most workForCut transitions;
// for a property that is no chain, at most workForCut / passesForTable, since each search for a
// violating run takes more passes.
const (
	mostInCut      = 2
	workForCut     = 2_000_000
	passesForTable = 2
)

// The search for the nearest correct run visits at most workForDiff transitions, repeated visits
// included; with more than fewBesideDiff property states times states and transitions of the model,
// at most workForDiffBeside.
const (
	workForDiff       = 2_000_000
	workForDiffBeside = 400_000
	fewBesideDiff     = 450_000
)

// The limits of the search for necessary transitions, which the search for missing transitions has
// once more.
const (
	workForNecessity = 6_000_000
	workAtLength     = 24_000_000
)

// workForChoices is the largest number of transitions that the search for fair choices visits,
// repeated visits included.
const workForChoices = 2_000_000

// Advise finds what is necessary for a violation, and what would make the property true, within the
// limits above. It fails as [Find] does, but for these limits and properties that are not supported.
func Advise(ctx context.Context, v Violation) (_ *Advice, err error) {
	defer abort.Caught(&err)
	a := &Advice{}
	u := abort.Must(v.Fates.Product(ctx))
	a.Necessity = abort.Must(FindNecessity(ctx, u, v.Run, NecessityOptions{workForNecessity, workAtLength}))
	if a.Repair, a.Stopped = v.repair(ctx, u, v.Controllable); a.Repair == nil {
		return a, nil
	}
	a.FairChoices = abort.Must(a.Repair.FairChoices(ctx, workForChoices))
	m, p := u.Model(), u.Property()
	o := FewestOptions{Controllable: v.Controllable, Most: mostInCut, Work: workForCut}
	if p.Steps() == 0 {
		o.Work /= passesForTable
	}
	if v.First {
		o.First = v.Run
	}
	triggers := map[lts.Label]bool{}
	for l := range m.Alphabet().All() {
		if v.IsTrigger(l) {
			triggers[m.Alphabet().Plain(l)] = true
		}
	}
	switch {
	case a.Repair.Solvable:
		a.Cut = abort.Must(FindFewest(ctx, m, p, o))
	case len(triggers) > 0 && a.Repair.Obstacle.Kind != NoCorrectRun:
		if a.Lifted, a.LiftedStopped = v.repair(ctx, u, v.WithTriggers); a.Lifted != nil && a.Lifted.Solvable {
			o.Controllable, o.Labels, o.Most = v.IsTrigger, true, len(triggers)
			a.FewestTriggers = abort.Must(FindFewest(ctx, m, p, o))
		}
	}
	near := NearestOptions{Limit: workForDiff}
	if int64(p.States())*int64(m.NumStates()+m.NumTransitions()) > fewBesideDiff {
		near.Limit = workForDiffBeside
	}
	for _, step := range v.Triggers {
		near.Also = append(near.Also, step.Labels)
	}
	a.Looks = near.Limit
	a.Nearest, err = a.Repair.Nearest(ctx, v.Run, near)
	if a.TooFar = errors.Is(err, ErrTooFar); a.TooFar {
		err = nil
	}
	return a, err
}

// repair finds a repair; nil if the search is stopped, if the repair forbids too many transitions, or
// if the property is not supported.
func (v Violation) repair(ctx context.Context, u *product.Unfolding, can func(lts.Label) bool) (r *Repair, stopped bool) {
	r, err := Find(ctx, u.Model(), u.Property(), Options{Controllable: can, Most: MostGuards, Work: v.Work, Unfolding: u})
	if stopped = errors.Is(err, ErrWork); stopped || errors.Is(err, ErrTooMany) || errors.As(err, new(UnsupportedError)) {
		return nil, stopped
	}
	return abort.Must(r, err), false
}
