package explain

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// RepairOptions say how [FindRepair] works.
type RepairOptions struct {
	Source
	// Uncontrollable are labels that cannot be forbidden, and Controllable are labels that can be.
	// All other labels can be forbidden, except the internal actions i and tau, and the triggers of
	// the property.
	Uncontrollable, Controllable []actl.Pattern
	// MayForbidTriggers treats triggers like all other labels.
	MayForbidTriggers bool
	// ByLabel requires that a repair forbids either all transitions with one label from a product
	// state, or none of them.
	ByLabel bool
	// Fair is full fairness, or empty if all runs count. Under other assumptions, FindRepair
	// succeeds only if the property holds.
	Fair []*actl.Assumption
	// Lacking is the fairness that the specification of the model lacks. FindRepair copies it to the
	// result.
	Lacking *LackingFairness
	// Fewest asks FindRepair to search for the fewest transitions that must be forbidden, whatever
	// happened before. FewestLabels asks it to search for the fewest labels that must be forbidden
	// everywhere. Work is the largest number of transitions that each of these searches visits; 0
	// for no limit.
	Fewest, FewestLabels bool
	Work                 int64
	// Owners, unless it is nil, asks FindRepair to find out who could have prevented a violation.
	Owners *Owners
}

// Fewest is a smallest set of transitions, or of labels, that must be forbidden.
type Fewest struct {
	Transitions []ModelStep `json:"transitions,omitempty"`
	Labels      []string    `json:"labels,omitempty"`
	// Found reports whether the search found a set that is enough. Exact reports whether this set
	// is a smallest one; if no set was found, whether none exists. If Exact is false, every such
	// set has at least AtLeast members.
	Found   bool `json:"found"`
	Exact   bool `json:"exact"`
	AtLeast int  `json:"at_least"`
}

// Repaired is a repair with the model that it leaves. It comes from [FindRepair].
type Repaired struct {
	Model    Model    `json:"model"`
	Property Property `json:"property"`
	Fairness []Asked  `json:"assumed"`
	*Repair
	// Lacking is the fairness that a specification in TLA+ lacks; nil if there is none, or if it is not
	// known.
	Lacking      *LackingFairness `json:"lacking,omitempty"`
	Fewest       *Fewest          `json:"fewest_transitions,omitempty"`
	FewestLabels *Fewest          `json:"fewest_labels,omitempty"`
	// Prevention is nil unless the options have owners.
	Prevention *Prevention `json:"prevention,omitempty"`
	Warnings   []string    `json:"warnings"`
	Timings    Phases      `json:"timings_ms"`
	Cost       *Cost       `json:"stats,omitempty"`

	found *repair.Repair
	lts   *lts.LTS
}

// ErrFairRepair reports a request for a repair of a property that is violated under an assumption
// other than full fairness.
var ErrFairRepair = errors.New("repairs are found without assumptions, or under full fairness: under any other assumption, forbidding an action that has to be fair would make all runs unfair, so that no run would count")

// FindRepair finds a repair of m for f: the winning strategy of a supervisor. It fails if ctx is
// done, if the unfolded model is too large, with [ErrFairRepair], or if the property has too many
// cases. Cost O(n (S + T)) for inevitability, quadratic at worst for other properties. If the
// fewest transitions or labels are requested, this cost is added for each set that is tried; at
// worst there are exponentially many.
func FindRepair(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	o RepairOptions,
) (*Repaired, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
		required.Argument("f", f),
	); err != nil {
		return nil, err
	}
	a, err := prepare(ctx, m, f, Options{Source: o.Source, Fair: o.Fair})
	if err != nil {
		return nil, err
	}
	r := &Repaired{
		Model:    modelOf(a.m, o.File),
		Property: describeProperty(a),
		Fairness: []Asked{},
		Lacking:  o.Lacking,
		Warnings: append([]string{}, a.Warnings...),
		lts:      a.m,
	}
	assumed := assumptionsOf(o.Fair)
	if assumed != nil {
		r.Fairness = assumed.Asked
	}
	isFullFairness := a.fairness != nil && len(o.Fair) <= 1 && a.fairness.Full()
	if a.fairness != nil && !isFullFairness {
		return r.unlessViolated(ctx, f, o)
	}
	if isFullFairness && a.Property.Steps() == 0 {
		if err := a.dropNeedlessFairness(ctx); err != nil {
			return nil, err
		}
	}
	var fixed triggers
	if !o.MayForbidTriggers {
		fixed, err = a.triggers()
		if err != nil {
			return nil, err
		}
	}
	isControllable := o.controls(a.m, fixed)
	goal, err := r.findRepair(ctx, a, o, isControllable)
	if err != nil {
		return nil, err
	}
	r.Obstacle.describeStart(a, o.Source.shownValues())
	r.Triggers = textsOf(a.m, func(l lts.Label) bool {
		return fixed.has(l) && !isControllable(l)
	})
	if err := r.findFewest(ctx, a, o, isControllable, goal.Controllable); err != nil {
		return nil, err
	}
	if o.Owners != nil {
		end := a.phase("coalitions")
		find := preventInScope
		if o.MayForbidTriggers {
			find = prevent
		}
		r.Prevention, err = find(ctx, a, fixed.has, o.Owners, repair.Options{ByLabel: o.ByLabel})
		if err != nil {
			return nil, err
		}
		end()
	}
	r.Timings = a.Phases
	r.Cost = o.cost(a.m.NumTransitions(), a.Phases, nil)
	return r, nil
}

// dropNeedlessFairness drops full fairness for a safety property. Each bad prefix is the beginning of a
// fair run, so that a safety property holds of the fair runs only if it holds of all.
func (a *Analysis) dropNeedlessFairness(ctx context.Context) error {
	words, err := product.ResidualsOf(ctx, a.Property)
	if err != nil {
		return err
	}
	if words.IsSafety() {
		a.fairness = nil
	}
	return nil
}

// unlessViolated completes the result under an assumption for which there is no search for repairs.
// If the property holds, there is nothing to repair; otherwise it fails with [ErrFairRepair].
func (r *Repaired) unlessViolated(
	ctx context.Context,
	f property.Formula,
	o RepairOptions,
) (*Repaired, error) {
	e, err := Check(ctx, r.lts, f, Options{Source: o.Source, Fair: o.Fair})
	if err != nil {
		return nil, err
	}
	if e.Verdict == Violated {
		return nil, ErrFairRepair
	}
	r.Repair = &Repair{
		Solvable:    true,
		Never:       []Forbidden{},
		NotForEver:  []NotForEver{},
		EnoughAlone: true,
	}
	r.Timings = e.Timings
	r.Cost = o.cost(r.lts.NumTransitions(), e.Timings, nil)
	return r, nil
}

// findRepair finds a repair, if possible the one that [Analysis.preferredRepair] prefers. It returns the goal of
// the repair.
func (r *Repaired) findRepair(
	ctx context.Context,
	a *Analysis,
	o RepairOptions,
	isControllable func(lts.Label) bool,
) (repair.Goal, error) {
	isProhibited, err := a.prohibits(ctx, a.Property)
	if err != nil {
		return repair.Goal{}, err
	}
	end := a.begin(ctx, "repair")
	goal := repair.Goal{
		Property:     a.Property,
		Controllable: isControllable,
		IsProhibited: isProhibited,
	}
	r.found, err = a.repair(ctx, goal, o)
	if err != nil {
		return goal, err
	}
	needsRepair := !r.found.Solvable || len(r.found.Never) > 0
	if needsRepair && a.fairness == nil && !o.MayForbidTriggers {
		r.found, goal, err = a.preferredRepair(ctx, o, r.found, goal)
		if err != nil {
			return goal, err
		}
	}
	choices, err := r.found.FairChoices(ctx, workForChoices)
	if err != nil {
		return goal, err
	}
	r.Repair, err = a.describeRepair(ctx, r.found, choices)
	if err != nil {
		return goal, err
	}
	end()
	return goal, r.findCauses(ctx, a, goal, o)
}

// preferredRepair returns a repair that [repair.Scope] has; without a scope, one that spares what the
// property demands, see [repair.Repair.Spare]. It returns the found repair, with its goal, if there is
// neither.
func (a *Analysis) preferredRepair(
	ctx context.Context,
	o RepairOptions,
	found *repair.Repair,
	goal repair.Goal,
) (*repair.Repair, repair.Goal, error) {
	inScope, ofScope, err := a.repairInScope(ctx, o, goal.Controllable)
	if err != nil {
		return nil, goal, err
	}
	if inScope != nil {
		return inScope, ofScope, nil
	}
	isDemanded, err := a.demands(ctx)
	if err != nil {
		return nil, goal, err
	}
	return found.Spare(goal, o.butControllable(a.m, isDemanded), func(sparing repair.Goal) (*repair.Repair, error) {
		return a.repair(ctx, sparing, o)
	})
}

// butControllable returns a function that selects the same labels except those that match Controllable.
// selects may be nil.
func (o RepairOptions) butControllable(m *lts.LTS, selects func(lts.Label) bool) func(lts.Label) bool {
	if selects == nil || len(o.Controllable) == 0 {
		return selects
	}
	return func(l lts.Label) bool {
		text := m.Alphabet().Text(l)
		isExempt := slices.ContainsFunc(o.Controllable, func(p actl.Pattern) bool {
			return p.Matches(text)
		})
		return selects(l) && !isExempt
	}
}

// repairInScope returns the result of [repair.Scope.Repair]; nil without such a scope.
func (a *Analysis) repairInScope(
	ctx context.Context,
	o RepairOptions,
	isControllable func(lts.Label) bool,
) (*repair.Repair, repair.Goal, error) {
	scope, err := a.scope(ctx)
	if err != nil || scope == nil {
		return nil, repair.Goal{}, err
	}
	triggers, err := a.triggers()
	if err != nil {
		return nil, repair.Goal{}, err
	}
	return scope.Repair(a.Property, isControllable, triggers.has,
		func(goal repair.Goal) (*repair.Repair, error) { return a.repair(ctx, goal, o) })
}

// repair finds a repair that reaches a goal.
func (a *Analysis) repair(
	ctx context.Context,
	goal repair.Goal,
	o RepairOptions,
) (*repair.Repair, error) {
	return repair.Find(ctx, a.m, goal.Property, repair.Options{
		Controllable: goal.Controllable,
		ByLabel:      o.ByLabel,
		Fair:         a.fairness != nil,
	})
}

// findCauses replaces the repair by a repair that forbids the causes of what the property prohibits. It
// does so if the property is a prohibition, and if that is worth it.
func (r *Repaired) findCauses(
	ctx context.Context,
	a *Analysis,
	goal repair.Goal,
	o RepairOptions,
) error {
	if !r.Solvable || len(r.Never) == 0 || a.fairness != nil {
		return nil
	}
	var restated *repair.Repair
	if goal.IsProhibited != nil && !o.MayForbidTriggers {
		causes, err := r.found.Causes(ctx, a.m, goal.Property, goal.IsProhibited, repair.Options{
			Controllable: goal.Controllable,
			ByLabel:      o.ByLabel,
		})
		if err != nil {
			return err
		}
		if causes != nil {
			restated = r.found
			r.found = causes
			r.Repair, err = a.describeRepair(ctx, causes, nil)
			if err != nil {
				return err
			}
		}
	}
	return a.describeCauses(ctx, r.Repair, r.found, restated, goal.IsProhibited)
}

// findFewest finds the fewest transitions that must be forbidden, and the fewest labels, if they
// are requested. It forbids only labels that isPreferred selects, if that is enough.
func (r *Repaired) findFewest(
	ctx context.Context,
	a *Analysis,
	o RepairOptions,
	isControllable, isPreferred func(lts.Label) bool,
) error {
	search := repair.FewestOptions{
		Fair: a.fairness != nil,
		Work: o.Work,
	}
	var err error
	if o.Fewest {
		r.Fewest, err = a.findFewest(ctx, search, isPreferred, isControllable)
		if err != nil {
			return err
		}
	}
	if o.FewestLabels {
		search.Labels = true
		r.FewestLabels, err = a.findFewest(ctx, search, isPreferred, isControllable)
	}
	return err
}

// findFewest searches for the fewest transitions or labels among those that one of some functions selects, and
// describes them. It tries the functions in turn until it finds a set.
func (a *Analysis) findFewest(
	ctx context.Context,
	o repair.FewestOptions,
	selections ...func(lts.Label) bool,
) (*Fewest, error) {
	defer a.begin(ctx, "fewest")()
	var found *repair.Fewest
	for _, selects := range selections {
		o.Controllable = selects
		var err error
		found, err = repair.FindFewest(ctx, a.m, a.Property, o)
		if err != nil {
			return nil, err
		}
		if found.Found {
			break
		}
	}
	return describeFewest(a.m, found), nil
}

// Holds reports whether the property holds without a repair.
func (r *Repaired) Holds() bool {
	return r.Solvable && len(r.Never) == 0 && len(r.NotForEver) == 0
}

// Apply returns the model without the transitions that must never be taken. If each of them is
// forbidden whatever happened before, the states keep their numbers, and origins is nil. Otherwise
// fixed is the reachable part of the unfolded model, with new numbers, and origins has, for each of
// its states, the state of the model. Apply fails if there is no repair, or if ctx is done. Cost
// O(n (S + T)).
func (r *Repaired) Apply(ctx context.Context) (fixed *lts.LTS, origins []lts.State, err error) {
	if r.found == nil {
		return r.lts, nil, nil // the property holds
	}
	fixed, places, err := r.found.Apply(ctx, r.lts)
	for _, place := range places {
		origins = append(origins, place.State)
	}
	return fixed, origins, err
}

// controls returns a function that reports which labels can be forbidden. Controllable takes
// precedence: labels that match it can be forbidden, even if they are internal or triggers.
func (o RepairOptions) controls(m *lts.LTS, triggers triggers) func(lts.Label) bool {
	matches := func(patterns []actl.Pattern, text string) bool {
		return slices.ContainsFunc(patterns, func(p actl.Pattern) bool {
			return p.Matches(text)
		})
	}
	isControllable := make([]bool, m.Alphabet().Len())
	for l, text := range m.Alphabet().All() {
		isIdle := o.Idle != "" && text == o.Idle
		_, leadsToInitialState := m.Alphabet().Facts(l)
		if isIdle || leadsToInitialState {
			continue // nobody chooses such a transition
		}
		isFixed := isInternalText(text) || triggers.has(l) || matches(o.Uncontrollable, text)
		isControllable[l] = !isFixed || matches(o.Controllable, text)
	}
	return func(l lts.Label) bool { return isControllable[l] }
}
