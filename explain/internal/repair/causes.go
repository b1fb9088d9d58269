package repair

import (
	"cmp"
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Kept describes what runs of a model still reach after a repair.
type Kept struct {
	// Reached are the states that runs reach, and States is their number. Labels has each label
	// that runs do, as [lts.Alphabet.Plain] returns it.
	States  int
	Reached bitset.Set[lts.State]
	Labels  bitset.Set[lts.Label]
}

// Kept returns what runs still reach if they take no forbidden transition. Cost O(size of the
// product).
func (r *Repair) Kept() Kept {
	g := r.game
	a := g.m.Alphabet()
	kept := Kept{
		Reached: bitset.New[lts.State](g.unfolding.Model().NumStates()),
		Labels:  bitset.New[lts.Label](a.Len()),
	}
	for s := range g.guarded.All {
		state := g.unfolding.At(s).State
		if !kept.Reached.Has(state) {
			kept.Reached.Add(state)
			kept.States++
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if g.allows(s, labels.At(i), to) {
				kept.Labels.Add(a.Plain(labels.At(i)))
			}
		}
	}
	return kept
}

// keepsAll reports whether runs that take no forbidden transition still do each of the selected labels
// that runs of the model do. Cost O(size of the product).
func (r *Repair) keepsAll(selects func(lts.Label) bool) bool {
	a := r.game.m.Alphabet()
	kept := r.Kept()
	for t := range r.game.m.Transitions() {
		if selects(t.Label) && !kept.Labels.Has(a.Plain(t.Label)) {
			return false
		}
	}
	return true
}

// KeptWithout returns what runs of m still reach without some transitions. hasNewDeadlock reports
// whether one of these runs ends in a state that is no deadlock in m. Cost O(S + T).
func KeptWithout(
	ctx context.Context,
	m *lts.LTS,
	isGone func(lts.Transition) bool,
) (kept Kept, hasNewDeadlock bool, err error) {
	a := m.Alphabet()
	kept.Labels = bitset.New[lts.Label](a.Len())
	kept.Reached = bitset.New[lts.State](m.NumStates())
	kept.Reached.Add(m.Initial())
	open := []lts.State{m.Initial()}
	for len(open) > 0 {
		if err := cores.Done(ctx, kept.States); err != nil {
			return kept, false, err
		}
		from := open[len(open)-1]
		open = open[:len(open)-1]
		kept.States++
		labels, targets := m.Out(from)
		isNewDeadlock := len(targets) > 0
		for i, to := range targets {
			if isGone(lts.Transition{From: from, Label: labels.At(i), To: to}) {
				continue
			}
			isNewDeadlock = false
			kept.Labels.Add(a.Plain(labels.At(i)))
			if !kept.Reached.Has(to) {
				kept.Reached.Add(to)
				open = append(open, to)
			}
		}
		hasNewDeadlock = hasNewDeadlock || isNewDeadlock
	}
	return kept, hasNewDeadlock, nil
}

// Missing returns, ascending, the labels of k that other does not have.
func (k Kept) Missing(other Kept) []lts.Label {
	var missing []lts.Label
	for l := range k.Labels.All {
		if !other.Labels.Has(l) {
			missing = append(missing, l)
		}
	}
	return missing
}

// keepsEnough reports whether it is worth forbidding the causes of what the property prohibits.
// Then runs reach what causes has; if the prohibited actions themselves are forbidden, runs reach
// what own has. causes must have nine tenths of the states of own, and all labels of own that are
// not prohibited.
func (causes Kept) keepsEnough(own Kept, isProhibited func(lts.Label) bool) bool {
	if 10*causes.States < 9*own.States {
		return false
	}
	return !slices.ContainsFunc(own.Missing(causes), func(l lts.Label) bool {
		return !isProhibited(l)
	})
}

// Causes returns a repair that forbids what leads to the actions that the property prohibits,
// instead of these actions. r must be the solvable repair of m for p that may forbid these actions,
// with the options o. The result is nil if there is no such repair, if it would take much more from
// the model than r does, or if it is the same as r, or much longer. Errors and cost as for [Find].
func (r *Repair) Causes(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	isProhibited func(lts.Label) bool,
	o Options,
) (*Repair, error) {
	isControllable := o.Controllable
	o.Controllable = func(l lts.Label) bool {
		return !isProhibited(l) && (isControllable == nil || isControllable(l))
	}
	o.Unfolding = r.game.unfolding
	causes, err := Find(ctx, m, p, o)
	if err != nil || !causes.Solvable {
		return nil, err
	}
	isLong := len(causes.Never) > max(mostCauses, len(r.Never))
	if isLong || causes.forbidsSame(r) || !causes.Kept().keepsEnough(r.Kept(), isProhibited) {
		return nil, nil
	}
	return causes, nil
}

// mostCauses is the largest number of transitions that a repair of causes forbids, unless the other repair
// forbids as many.
const mostCauses = 10

// ForbidsOnly reports whether a repair forbids something, and only labels that are selected.
func (r *Repair) ForbidsOnly(selects func(lts.Label) bool) bool {
	isOther := func(g Guard) bool { return !selects(g.Transition.Label) }
	return len(r.Never) > 0 && !slices.ContainsFunc(r.Never, isOther)
}

// forbidsSame reports whether two repairs forbid the same transitions.
func (r *Repair) forbidsSame(other *Repair) bool {
	return slices.EqualFunc(r.Never, other.Never, func(a, b Guard) bool {
		return a.Transition == b.Transition
	})
}

// chooseCut replaces a cut of one transition by another cut of one transition that keeps most of
// the model. The candidates are the transitions that all violating runs take and whose removal
// makes no new deadlock. If a.Repair forbids causes instead of what the property prohibits,
// chooseCut drops a cut that keeps much less of the model than a.Restated, the repair that forbids
// what the property prohibits.
func (v Violation) chooseCut(ctx context.Context, u *product.Unfolding, a *Advice) error {
	if a.Cut == nil || !a.Cut.Found || len(a.Cut.Transitions) == 0 {
		return nil
	}
	m := u.Model()
	isCut := func(t lts.Transition) bool {
		return slices.Contains(a.Cut.Transitions, t)
	}
	kept, _, err := KeptWithout(ctx, m, isCut)
	if err != nil {
		return err
	}
	// What all violating runs have in common need not be common to those of a stricter property.
	isNecessityKnown := a.Necessity != nil && u.Property() == v.Fates.Property()
	if len(a.Cut.Transitions) == 1 && isNecessityKnown {
		kept, err = v.chooseLightest(ctx, u, a, kept)
		if err != nil {
			return err
		}
	}
	if a.forbidsCauses() && !kept.keepsEnough(a.Restated.Kept(), v.IsProhibited) {
		a.Cut = nil
	}
	return nil
}

// chooseLightest replaces the cut of a by the transition whose removal keeps most labels; if there
// are several, most states. kept is what the present cut keeps. chooseLightest returns what the new
// cut keeps.
func (v Violation) chooseLightest(
	ctx context.Context,
	u *product.Unfolding,
	a *Advice,
	kept Kept,
) (Kept, error) {
	m := u.Model()
	isControllable := v.restricted(v.cutOptions(u), a).Controllable
	tried := map[lts.Transition]bool{a.Cut.Transitions[0]: true}
	work := 0
	for i, isNecessary := range a.Necessity.Every {
		t := v.Run.Step(i)
		if !isNecessary || tried[t] || !isControllable(t.Label) {
			continue
		}
		tried[t] = true
		work += m.NumStates() + m.NumTransitions()
		if work > workForCut {
			return kept, nil
		}
		other, hasNewDeadlock, err := KeptWithout(ctx, m, func(x lts.Transition) bool {
			return x == t
		})
		if err != nil {
			return kept, err
		}
		if !hasNewDeadlock && other.isMoreThan(kept) {
			kept = other
			a.Cut.Transitions = []lts.Transition{t}
		}
	}
	return kept, nil
}

// isMoreThan reports whether k has more labels than other or, with the same number of labels, more
// states.
func (k Kept) isMoreThan(other Kept) bool {
	return cmp.Or(cmp.Compare(k.Labels.Len(), other.Labels.Len()), cmp.Compare(k.States, other.States)) > 0
}
