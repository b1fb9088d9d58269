package claim

import (
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/simplify"
)

// when returns the assumptions under which the property holds, in this order: labels that happen
// only finitely often, and fairness of a few labels, the smaller set first; fairness of all labels,
// if few are not enough; justness and fair choices. Without any, it returns the reason; if no run
// satisfies the property, nothing. If the explanation assumes fairness already, it returns the part
// of the assumed fairness that is enough.
func when(e *explain.Explanation) []Claim {
	f := e.Fairness
	switch {
	case f == nil:
		return nil
	case f.Chain == nil:
		return enough(e)
	case e.Counterexample.InitialFate == simplify.Fated:
		return nil
	case f.Deadlock:
		kind := e.Counterexample.Kind
		return []Claim{Unhelpful{Begun: kind == counterexample.Prefix, Ends: kind == counterexample.Deadlock}}
	}
	var claims []Claim
	rare := smallest(e, explain.Finitely)
	if len(rare) > 0 {
		claims = append(claims, holdsIf(e, rare))
	}
	fair := fewFair(e)
	switch {
	case len(fair) > 0 && size(fair) < size(rare):
		claims = append([]Claim{holdsIf(e, fair)}, claims...)
	case len(fair) > 0:
		claims = append(claims, holdsIf(e, fair))
	case f.Chain.Weak == explain.Satisfied:
		claims = append(claims, Fairness{WeakFairness})
	case f.Chain.Strong == explain.Satisfied:
		claims = append(claims, Fairness{StrongFairness})
	case f.Chain.Full == explain.Satisfied:
		claims = append(claims, Fairness{FullFairness})
	}
	if f.Just == explain.Satisfied {
		claims = append(claims, Fairness{Justness})
	}
	if choices := smallest(e, explain.FairChoices); len(choices) > 0 {
		claims = append(claims, holdsIf(e, choices))
	}
	if len(claims) > 0 {
		return claims
	}
	if o := f.OutOfReach; o != nil {
		gone := OutOfReach{o.Progress + 1, o.Step}
		if o.Step == 0 {
			gone = OutOfReach{}
		}
		claims = append(claims, BeyondFairness{o.State, o.Steps, gone})
	}
	if f.LimitReached {
		claims = append(claims, SearchStopped{})
	}
	return claims
}

func holdsIf(e *explain.Explanation, list []explain.Assumption) HoldsIf {
	return HoldsIf{list[0], list[1:], slices.Contains(e.Fairness.Cut, list[0].Kind)}
}

// enough returns the smallest sets of assumed tasks under which the property holds; nothing if they
// are not known.
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

// size returns the number of labels and states of the first assumption, 0 if there is none; the
// others have the same size.
func size(list []explain.Assumption) int {
	if len(list) == 0 {
		return 0
	}
	return len(list[0].Labels) + len(list[0].States)
}

// smallest returns the smallest assumptions of a kind. Assumptions about a label that does a step
// of the property come last.
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

// mostFair is the largest number of labels whose fairness is reported; fairness of more is reported
// as fairness of all.
const mostFair = 2

// fewFair returns the smallest sets of labels whose weak fairness is enough, else the smallest sets
// whose strong fairness is enough; nil if such a set has more than mostFair labels.
func fewFair(e *explain.Explanation) []explain.Assumption {
	for _, kind := range []explain.AssumptionKind{explain.Weak, explain.Strong} {
		if sets := smallest(e, kind); len(sets) > 0 && size(sets) <= mostFair {
			return sets
		}
	}
	return nil
}

// isTarget reports whether an assumption is about a single label that does a step of the
// property.
func isTarget(e *explain.Explanation, a explain.Assumption) bool {
	return len(a.Labels) == 1 && slices.ContainsFunc(e.Property.Steps, func(s explain.PropertyStep) bool {
		return slices.Contains(s.Labels, a.Labels[0])
	})
}
