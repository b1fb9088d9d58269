package repair

import (
	"slices"

	"github.com/inev-lts/inev/lts"
)

// Spare returns a repair that forbids none of the actions that the property demands, with its goal. r is a
// repair that reaches the goal, and is returned if it forbids none of them. If no other repair spares them,
// or if that one keeps much less of the model, Spare returns r with its goal. isDemanded reports which
// labels the property demands; nil if it demands none. find finds a repair; it may return nil.
func (r *Repair) Spare(
	goal Goal,
	isDemanded func(lts.Label) bool,
	find func(Goal) (*Repair, error),
) (*Repair, Goal, error) {
	if isDemanded == nil || !r.Solvable {
		return r, goal, nil
	}
	sparing := goal
	sparing.Controllable = func(l lts.Label) bool {
		return !isDemanded(l) && (goal.Controllable == nil || goal.Controllable(l))
	}
	forbidsDemanded := slices.ContainsFunc(r.Never, func(g Guard) bool {
		return isDemanded(g.Transition.Label)
	})
	if !forbidsDemanded {
		return r, sparing, nil
	}
	other, err := find(sparing)
	if err != nil || other == nil || !other.Solvable || !other.isWorthSparing(r, isDemanded) {
		return r, goal, err
	}
	return other, sparing, nil
}

// isWorthSparing reports whether a repair that forbids no demanded action is better advice than one that
// does: it asks for fairness only if the other repair does, and runs still reach at least half as many
// states and, unless they do none under the other repair, do some demanded action.
func (r *Repair) isWorthSparing(other *Repair, isDemanded func(lts.Label) bool) bool {
	kept := r.Kept()
	ofOther := other.Kept()
	isLittle := 2*kept.States < ofOther.States
	needsMore := other.EnoughAlone() && !r.EnoughAlone()
	return !isLittle && !needsMore && (kept.hasSome(isDemanded) || !ofOther.hasSome(isDemanded))
}

// hasSome reports whether runs still do one of the selected labels.
func (k Kept) hasSome(selects func(lts.Label) bool) bool {
	for l := range k.Labels.All {
		if selects(l) {
			return true
		}
	}
	return false
}
