package claim

import (
	"slices"

	"github.com/inev-lts/inev/explain"
)

// when says under which assumptions the property would hold: first the best one, then
// the notion of fairness that is enough.
func when(e *explain.Explanation) []Claim {
	f := e.Fairness
	switch {
	case f == nil || f.Chain == nil:
		return nil
	case f.Deadlock:
		return []Claim{Unhelpful{}}
	}
	var claims []Claim
	if best, ok := bestAssumption(e); ok {
		claims = append(claims, best)
	}
	switch {
	case f.Chain.Weak == explain.Satisfied:
		claims = append(claims, Fairness{WeakFairness})
	case f.Chain.Strong == explain.Satisfied:
		claims = append(claims, Fairness{StrongFairness})
	case f.Chain.Full == explain.Satisfied:
		claims = append(claims, Fairness{FullFairness})
	case f.OutOfReach != nil:
		claims = append(claims, BeyondFairness{*f.OutOfReach})
	}
	return claims
}

// bestAssumption returns the assumption to be told: a label done finitely often, a
// label that is fair, up to three choices, then what is larger. The step that is missing
// itself is offered only where there is no other answer of that size.
func bestAssumption(e *explain.Explanation) (HoldsIf, bool) {
	of := func(kind explain.AssumptionKind) (all []explain.Assumption) {
		for _, a := range e.Fairness.Assumptions {
			if a.Kind == kind {
				all = append(all, a)
			}
		}
		return all
	}
	finitely, strong, choices := of(explain.Finitely), of(explain.Strong), of(explain.FairChoices)
	lists := [][]explain.Assumption{}
	for _, list := range [][]explain.Assumption{finitely, strong} {
		if len(list) > 0 && len(list[0].Labels) == 1 {
			lists = append(lists, list)
		}
	}
	if len(choices) > 0 && len(choices[0].States) <= 3 {
		lists = append(lists, choices)
	}
	lists = append(lists, finitely, strong, choices)
	for _, list := range lists {
		if len(list) == 0 {
			continue
		}
		var equal []explain.Assumption
		for _, a := range list {
			if len(a.Labels) == len(list[0].Labels) {
				equal = append(equal, a)
			}
		}
		if others := withoutTarget(e, equal); len(others) > 0 {
			equal = others
		}
		return HoldsIf{equal[0], equal[1:]}, true
	}
	return HoldsIf{}, false
}

// withoutTarget leaves out the assumptions about a single label that does a step of the
// property.
func withoutTarget(e *explain.Explanation, all []explain.Assumption) []explain.Assumption {
	var others []explain.Assumption
	for _, a := range all {
		target := len(a.Labels) == 1 && slices.ContainsFunc(e.Property.Steps, func(s explain.PropertyStep) bool {
			return slices.Contains(s.Labels, a.Labels[0])
		})
		if !target {
			others = append(others, a)
		}
	}
	return others
}
