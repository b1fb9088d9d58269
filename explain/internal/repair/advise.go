package repair

import (
	"context"
	"errors"

	"github.com/inev-lts/inev/counterexample"
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
	// holds; with Everywhere, these are found, and Lifted allows none of them anywhere, nor does any
	// other repair.
	Lifted         *Repair
	FewestTriggers *Fewest
	Everywhere     bool
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
func Advise(ctx context.Context, v Violation) (*Advice, error) {
	u, err := v.Fates.Product(ctx)
	if err != nil {
		return nil, err
	}
	a := &Advice{}
	a.Necessity, err = FindNecessity(ctx, u, v.Run, workForNecessity, workAtLength)
	if err != nil {
		return nil, err
	}
	a.Repair, a.Stopped, err = v.repair(ctx, u, v.Controllable)
	if err != nil || a.Repair == nil {
		return a, err
	}
	a.FairChoices, err = a.Repair.FairChoices(ctx, workForChoices)
	if err != nil {
		return nil, err
	}
	switch {
	case a.Repair.Solvable:
		a.Cut, err = FindFewest(ctx, u.Model(), u.Property(), v.cutOptions(u))
	case a.Repair.Obstacle.Kind != NoCorrectRun:
		err = v.lift(ctx, u, a)
	}
	if err != nil {
		return nil, err
	}
	if err := v.findNearest(ctx, u, a); err != nil {
		return nil, err
	}
	return a, nil
}

// cutOptions returns the options of the search for the fewest transitions.
func (v Violation) cutOptions(u *product.Unfolding) FewestOptions {
	o := FewestOptions{Controllable: v.Controllable, Most: mostInCut, Work: workForCut}
	if u.Property().Steps() == 0 {
		o.Work /= passesForTable
	}
	if v.First {
		o.First = v.Run
	}
	return o
}

// lift searches for a repair that may also forbid triggers, if the model has any, and for the fewest
// triggers without which the property holds.
func (v Violation) lift(ctx context.Context, u *product.Unfolding, a *Advice) error {
	alphabet := u.Model().Alphabet()
	triggers := map[lts.Label]bool{}
	for l := range alphabet.All() {
		if v.IsTrigger(l) {
			triggers[alphabet.Plain(l)] = true
		}
	}
	if len(triggers) == 0 {
		return nil
	}
	var err error
	a.Lifted, a.LiftedStopped, err = v.repair(ctx, u, v.WithTriggers)
	if err != nil || a.Lifted == nil || !a.Lifted.Solvable {
		return err
	}
	o := v.cutOptions(u)
	o.Controllable = v.IsTrigger
	o.Labels = true
	o.Most = len(triggers)
	a.FewestTriggers, err = FindFewest(ctx, u.Model(), u.Property(), o)
	if err != nil {
		return err
	}
	a.Everywhere = a.FewestTriggers.Found && !a.Lifted.allows(a.FewestTriggers.Labels)
	return nil
}

// findNearest searches for the nearest correct run.
func (v Violation) findNearest(ctx context.Context, u *product.Unfolding, a *Advice) error {
	m := u.Model()
	a.Looks = workForDiff
	if int64(u.Property().States())*int64(m.NumStates()+m.NumTransitions()) > fewBesideDiff {
		a.Looks = workForDiffBeside
	}
	var also [][]lts.Label
	for _, step := range v.Triggers {
		also = append(also, step.Labels)
	}
	var err error
	a.Nearest, err = a.Repair.Nearest(ctx, v.Run, also, a.Looks)
	if errors.Is(err, ErrTooFar) {
		a.TooFar = true
		return nil
	}
	return err
}

// repair finds a repair; nil if the search is stopped, if the repair forbids too many transitions, or
// if the property is not supported.
func (v Violation) repair(ctx context.Context, u *product.Unfolding, can func(lts.Label) bool) (r *Repair, stopped bool, err error) {
	r, err = Find(ctx, u.Model(), u.Property(), Options{Controllable: can, Most: MostGuards, Work: v.Work, Unfolding: u})
	switch {
	case err == nil:
		return r, false, nil
	case errors.Is(err, ErrWork):
		return nil, true, nil
	case errors.Is(err, ErrTooMany), errors.As(err, new(UnsupportedError)):
		return nil, false, nil
	}
	return nil, false, err
}
