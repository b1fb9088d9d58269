package claim

import (
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
)

// when says under which assumptions the property would hold: first the best one, then
// the notion of fairness that is enough.
func when(e *explain.Explanation) []Claim {
	f := e.Fairness
	switch {
	case f == nil:
		return nil
	case f.Chain == nil:
		return enough(e)
	case f.Deadlock:
		return []Claim{Unhelpful{Begun: e.Counterexample != nil && e.Counterexample.Kind == counterexample.Prefix}}
	}
	var claims []Claim
	best, ok := bestAssumption(e)
	if ok {
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
		o := f.OutOfReach
		gone := OutOfReach{o.Progress + 1, o.Step}
		if o.Step == 0 {
			gone = OutOfReach{}
		}
		claims = append(claims, BeyondFairness{o.State, o.Steps, gone})
	}
	if f.LimitReached && !(ok && best.More) {
		claims = append(claims, SearchStopped{ok})
	}
	return claims
}

// enough says which of the tasks that were asked for are enough; nothing where that was not
// found out.
func enough(e *explain.Explanation) []Claim {
	f := e.Fairness
	if f == nil || len(f.Assumptions) == 0 {
		return nil
	}
	list := f.Assumptions
	for i, a := range list {
		if len(a.Tasks) > len(list[0].Tasks) {
			list = list[:i]
			break
		}
	}
	c := Enough{HoldsIf: HoldsIf{list[0], list[1:], len(f.Cut) > 0}, Satisfied: e.Verdict == explain.Satisfied}
	c.All = len(list[0].Tasks) > 1 && len(list[0].Tasks) == f.Tasks
	return []Claim{c}
}

// bestAssumption returns the assumption to be told: a label done finitely often, a label
// that is fair, one choice; then those of this size that are about steps of the property
// themselves, which say little; then up to three choices, then what is larger.
func bestAssumption(e *explain.Explanation) (HoldsIf, bool) {
	finitely, fair := smallest(e, explain.Finitely), smallestFair(e)
	choices := smallest(e, explain.FairChoices)
	single := func(list []explain.Assumption) bool { return size(list) == 1 }
	for _, of := range []struct {
		list []explain.Assumption
		is   func([]explain.Assumption) bool
	}{
		{finitely, func(list []explain.Assumption) bool { return single(list) && !isTarget(e, list[0]) }},
		{fair, func(list []explain.Assumption) bool { return single(list) && !isTarget(e, list[0]) }},
		{choices, single},
		{finitely, single},
		{fair, single},
		{choices, func(list []explain.Assumption) bool { return size(list) <= 3 }},
		{finitely, nil}, {fair, nil}, {choices, nil},
	} {
		if len(of.list) > 0 && (of.is == nil || of.is(of.list)) {
			return HoldsIf{of.list[0], of.list[1:], slices.Contains(e.Fairness.Cut, of.list[0].Kind)}, true
		}
	}
	return HoldsIf{}, false
}

// size returns the number of members that each of the assumptions has; 0 where there are
// none.
func size(list []explain.Assumption) int {
	if len(list) == 0 {
		return 0
	}
	return len(list[0].Labels) + len(list[0].States)
}

// smallest returns the smallest assumptions of a kind, those about steps of the property
// themselves last.
func smallest(e *explain.Explanation, kind explain.AssumptionKind) []explain.Assumption {
	var first, last []explain.Assumption
	least := 0
	for _, a := range e.Fairness.Assumptions {
		if a.Kind != kind {
			continue
		}
		n := size([]explain.Assumption{a})
		if least == 0 {
			least = n
		}
		switch {
		case n > least:
		case isTarget(e, a):
			last = append(last, a)
		default:
			first = append(first, a)
		}
	}
	return append(first, last...)
}

// smallestFair returns the smallest sets of labels that are fair: weakly, where that
// takes no more labels, since it leaves fewer runs out.
func smallestFair(e *explain.Explanation) []explain.Assumption {
	strong, weak := smallest(e, explain.Strong), smallest(e, explain.Weak)
	if len(weak) > 0 && (len(strong) == 0 || size(weak) == size(strong)) {
		return weak
	}
	return strong
}

// isTarget reports whether an assumption is about a single label that does a step of the
// property.
func isTarget(e *explain.Explanation, a explain.Assumption) bool {
	return len(a.Labels) == 1 && slices.ContainsFunc(e.Property.Steps, func(s explain.PropertyStep) bool {
		return slices.Contains(s.Labels, a.Labels[0])
	})
}
