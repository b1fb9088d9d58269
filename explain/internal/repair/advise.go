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
	// First reports whether Run is the run that [counterexample.Shortest] returns.
	First bool
	// Triggers are the elements that oblige a run to something. IsTrigger reports whether a label
	// does one of them. Controllable reports whether a label may be forbidden if triggers may not
	// be forbidden, and WithTriggers reports whether it may be forbidden if triggers may be, too.
	Triggers                              []property.Step
	IsTrigger, Controllable, WithTriggers func(lts.Label) bool
	// IsProhibited reports which labels the property prohibits; nil if the property is no
	// prohibition.
	IsProhibited func(lts.Label) bool
	// IsDemanded reports which labels the property demands; nil if it demands none.
	IsDemanded func(lts.Label) bool
	// Scope is the scope of the property, if it counts only once it has ended; otherwise nil.
	Scope *Scope
	// Work is the largest number of product states and transitions that the search for a repair
	// visits. Repeated visits count. It is [WorkForRepair] except in tests.
	Work int64
}

// Advice has what all violations need, and what would make the property true. A field is nil if its
// value does not exist, or would take too much work to find.
type Advice struct {
	Necessity *Necessity
	// Repair forbids no triggers, and at most MostGuards transitions. FairChoices is the result of
	// [Repair.FairChoices].
	Repair      *Repair
	FairChoices []lts.State
	// Goal is what the repair makes true, and by which means.
	Goal Goal
	// Restated is the repair that forbids what the property prohibits. It is set if Repair forbids
	// the causes of that instead; otherwise it is nil.
	Restated *Repair
	// Cut is a smallest set of transitions that can be forbidden, with at most mostInCut members.
	// It is only set if there is a Repair.
	Cut *Fewest
	// Lifted is a repair that may also forbid triggers. It is set if the property can be made true in
	// this way, but not by Repair. If Lifted is solvable, FewestTriggers are the fewest triggers
	// without which the property holds. Everywhere reports that FewestTriggers were found, and that
	// every repair, including Lifted, forbids them everywhere.
	Lifted         *Repair
	FewestTriggers *Fewest
	Everywhere     bool
	Nearest        *Diff
	// NearestAt is like Nearest, but only for runs that leave the counterexample at certain steps, see
	// [Repair.NearestAt]. It is nil if Nearest is.
	NearestAt func(ctx context.Context, at []bool) (*Diff, error)
	// NearestAlong is like Nearest, but only for runs that leave the counterexample at step i and take a
	// certain way then, see [Repair.NearestAlong]. It is nil if Nearest is.
	NearestAlong func(ctx context.Context, i int, way []lts.Transition) (*Diff, error)
	// NoNearest reports that no run has what Nearest asks for: the search was complete and found none.
	NoNearest bool
	// Stopped and LiftedStopped report whether the searches for Repair and for Lifted reached their
	// limits of work. TooFar reports whether the search for Nearest found nothing after Looks
	// transitions.
	Stopped, LiftedStopped, TooFar bool
	Looks                          int64
}

// MostGuards is the largest number of forbidden transitions in a repair. Nobody would read more.
const MostGuards = 10_000

// WorkForRepair is the largest number of product states and transitions that the search for a
// repair visits. Repeated visits count.
const WorkForRepair = 10_000_000

// A cut has at most mostInCut transitions. The search for it visits at most workForCut transitions.
// For a property that is no chain, it visits at most workForCut / passesForTable, since each search
// for a violating run takes more passes.
const (
	mostInCut      = 2
	workForCut     = 2_000_000
	passesForTable = 2
)

// The search for the nearest correct run visits at most workForDiff transitions; repeated visits
// count. The limit is workForDiffBeside if the number of property states times the number of states
// and transitions of the model exceeds fewBesideDiff.
const (
	workForDiff       = 8_000_000
	workForDiffBeside = 400_000
	fewBesideDiff     = 450_000
)

// These are the limits of the search for necessary transitions. The search for missing transitions
// has the same limits, counted separately.
const (
	workForNecessity = 6_000_000
	workAtLength     = 24_000_000
)

// workForChoices is the largest number of transitions that the search for fair choices visits.
// Repeated visits count.
const workForChoices = 2_000_000

// Advise finds what all violations need, and what would make the property true, within the limits
// above. It fails as [Find] does, except that limits and properties that are not supported are no
// errors.
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
	if v.Scope != nil {
		isFound, err := v.adviseInScope(ctx, u, a)
		if err != nil || isFound {
			return a, err
		}
	}
	a.Goal = Goal{u.Property(), v.Controllable, v.IsProhibited}
	a.Repair, a.Stopped, err = v.repair(ctx, u, v.Controllable)
	if err != nil || a.Repair == nil {
		return a, err
	}
	a.Repair, a.Goal, err = a.Repair.Spare(a.Goal, v.IsDemanded, func(goal Goal) (*Repair, error) {
		found, _, err := v.repair(ctx, u, goal.Controllable)
		return found, err
	})
	if err != nil {
		return a, err
	}
	v.Controllable = a.Goal.Controllable
	return a, v.complete(ctx, u, a)
}

// adviseInScope finds advice that forbids neither the beginning nor the end of the scope. It reports
// whether there is such advice.
func (v Violation) adviseInScope(ctx context.Context, u *product.Unfolding, a *Advice) (isFound bool, err error) {
	find := func(goal Goal) (*Repair, error) {
		of := u
		if goal.Property != u.Property() {
			of, err = product.Unfold(ctx, u.Model(), goal.Property)
			if err != nil {
				return nil, err
			}
		}
		found, _, err := v.repair(ctx, of, goal.Controllable)
		return found, err
	}
	a.Repair, a.Goal, err = v.Scope.Repair(u.Property(), v.Controllable, v.IsTrigger, find)
	if err != nil || a.Repair == nil {
		return false, err
	}
	v.Controllable = a.Goal.Controllable
	v.IsProhibited = a.Goal.IsProhibited
	v.First = v.First && a.Goal.Property == u.Property() // a shorter run may violate another property
	return true, v.complete(ctx, a.Repair.game.unfolding, a)
}

// complete completes the advice that has a repair of the property of u.
func (v Violation) complete(ctx context.Context, u *product.Unfolding, a *Advice) (err error) {
	a.FairChoices, err = a.Repair.FairChoices(ctx, workForChoices)
	if err != nil {
		return err
	}
	mostPermissive := a.Repair // before it may be replaced by one that forbids causes
	switch {
	case a.Repair.Solvable:
		if err := v.findCauses(ctx, u, a); err != nil {
			return err
		}
		err = v.findCut(ctx, u, a)
	case a.Repair.Obstacle.Kind != NoCorrectRun:
		err = v.findLifted(ctx, u, a)
	}
	if err != nil {
		return err
	}
	return v.findNearest(ctx, u, mostPermissive, a)
}

// findCauses replaces the repair by a repair that forbids the causes of what the property
// prohibits, if that is worth it.
func (v Violation) findCauses(ctx context.Context, u *product.Unfolding, a *Advice) error {
	if v.IsProhibited == nil {
		return nil
	}
	causes, err := a.Repair.Causes(ctx, u.Model(), u.Property(), v.IsProhibited, Options{
		Controllable: v.Controllable,
		Most:         MostGuards,
		Work:         v.Work,
	})
	if errors.Is(err, ErrWork) || errors.Is(err, ErrTooMany) {
		return nil
	}
	if err != nil || causes == nil {
		return err
	}
	a.Restated = a.Repair
	a.Repair = causes
	return nil
}

// findCut finds a smallest cut. If the repair forbids causes, or only what the property prohibits,
// the cut must do so, too. If there is no such cut, it may forbid other actions.
func (v Violation) findCut(ctx context.Context, u *product.Unfolding, a *Advice) (err error) {
	o := v.cutOptions(u)
	a.Cut, err = FindFewest(ctx, u.Model(), u.Property(), v.restricted(o, a))
	if err != nil {
		return err
	}
	if err := v.chooseCut(ctx, u, a); err != nil {
		return err
	}
	hasCut := a.Cut != nil && a.Cut.Found
	wasRestricted := a.forbidsCauses() || v.forbidsProhibited(a)
	if hasCut || !wasRestricted {
		return nil
	}
	a.Cut, err = FindFewest(ctx, u.Model(), u.Property(), o)
	return err
}

// forbidsProhibited reports whether the repair forbids what the property prohibits, and nothing
// else.
func (v Violation) forbidsProhibited(a *Advice) bool {
	return v.IsProhibited != nil && a.Repair.Solvable && a.Repair.ForbidsOnly(v.IsProhibited)
}

// forbidsCauses reports whether the repair forbids the causes of what the property prohibits.
func (a *Advice) forbidsCauses() bool { return a.Restated != nil }

// restricted returns the options of the search for a cut that forbids the same kind of actions as the
// repair: no prohibited ones if the repair forbids their causes, and only prohibited ones if the repair
// forbids nothing else.
func (v Violation) restricted(o FewestOptions, a *Advice) FewestOptions {
	switch {
	case a.forbidsCauses():
		o.Controllable = func(l lts.Label) bool {
			return v.Controllable(l) && !v.IsProhibited(l)
		}
	case v.forbidsProhibited(a):
		o.Controllable = func(l lts.Label) bool {
			return v.Controllable(l) && v.IsProhibited(l)
		}
	}
	return o
}

// cutOptions returns the options of the search for the fewest transitions.
func (v Violation) cutOptions(u *product.Unfolding) FewestOptions {
	o := FewestOptions{
		Controllable: v.Controllable,
		Most:         mostInCut,
		Work:         workForCut,
	}
	if u.Property().Steps() == 0 {
		o.Work /= passesForTable
	}
	if v.First {
		o.First = v.Run
	}
	return o
}

// findLifted searches for a repair that may also forbid triggers, if the model has any, and for the
// fewest triggers without which the property holds.
func (v Violation) findLifted(ctx context.Context, u *product.Unfolding, a *Advice) error {
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

// findNearest searches for the nearest correct run that a repair allows; if there is none, for the
// nearest correct run of the model. A repair may keep so little that no run is left which triggers the
// property, although a correct one does.
func (v Violation) findNearest(
	ctx context.Context,
	u *product.Unfolding,
	within *Repair,
	a *Advice,
) error {
	m := u.Model()
	a.Looks = workForDiff
	largestProduct := int64(u.Property().States()) * int64(m.NumStates()+m.NumTransitions())
	if largestProduct > fewBesideDiff {
		a.Looks = workForDiffBeside
	}
	var demanded [][]lts.Label
	for _, step := range v.Triggers {
		demanded = append(demanded, step.Labels)
	}
	var err error
	a.Nearest, err = within.Nearest(ctx, v.Run, demanded, a.Looks)
	if a.Nearest == nil && err == nil && within.Solvable {
		within = within.withoutGuards()
		a.Nearest, err = within.Nearest(ctx, v.Run, demanded, a.Looks)
	}
	switch {
	case errors.Is(err, ErrTooFar):
		a.TooFar = true
		return nil
	case errors.Is(err, ErrManyCases):
		return nil
	case err != nil:
		return err
	}
	if a.Nearest == nil {
		a.NoNearest = true
		return nil
	}
	a.NearestAt = func(ctx context.Context, at []bool) (*Diff, error) {
		return within.NearestAt(ctx, v.Run, demanded, at, a.Looks)
	}
	a.NearestAlong = func(ctx context.Context, i int, way []lts.Transition) (*Diff, error) {
		return within.NearestAlong(ctx, v.Run, demanded, i, way, a.Looks)
	}
	return nil
}

// repair finds a repair. r is nil if the search is stopped, if the repair forbids too many
// transitions, or if the property is not supported.
func (v Violation) repair(
	ctx context.Context,
	u *product.Unfolding,
	isControllable func(lts.Label) bool,
) (r *Repair, stopped bool, err error) {
	r, err = Find(ctx, u.Model(), u.Property(), Options{
		Controllable: isControllable,
		Most:         MostGuards,
		Work:         v.Work,
		Unfolding:    u,
	})
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
