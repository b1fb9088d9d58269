package render

import (
	"cmp"
	"slices"

	"github.com/inev-lts/inev/explain"
)

// mostOptions is the largest number of remedies that a report shows by default.
const mostOptions = 3

// fewTransitions is the largest number of transitions of a change that a reader can take in at a
// glance.
const fewTransitions = 2

// remedies sorts the claims about what would make a property true, or why nothing does. Every report
// shows the claims in first, and only a full report those in more.
type remedies struct {
	e           *explain.Explanation
	first, more []Claim
}

// sortRemedies sorts these claims, the smallest first. Changes of the model come after assumptions, and changes
// that remove much of the model last.
func sortRemedies(e *explain.Explanation, when, change []Claim) (first, more []Claim) {
	r := &remedies{e: e}
	last := r.addAssumptions(when)
	var heavy, restating, others []Claim
	for _, c := range change {
		switch {
		case !isChange(c):
			others = append(others, c)
		case restatesByStaying(e, c):
			restating = append(restating, c)
		case r.keeps(c).IsLittle():
			heavy = append(heavy, c)
		default:
			r.addChange(c)
		}
	}
	r.addHeavy(heavy)
	if len(r.first) > 0 {
		r.more = append(r.more, restating...)
	} else {
		r.first = append(r.first, restating...)
	}
	for _, c := range others {
		isFairnessRedundant := r.addReason(c)
		if isFairnessRedundant {
			last = nil
		}
	}
	r.addLast(last)
	return r.first, r.more
}

// addAssumptions adds claims about assumptions. It returns the claims that must come after all other
// claims, without adding them.
func (r *remedies) addAssumptions(when []Claim) (last []Claim) {
	for _, c := range when {
		switch {
		case c.kind == "fairness_unhelpful" || c.kind == "beyond_fairness" ||
			c.kind == "search_stopped":
			last = append(last, c)
		case c.assumed != nil && r.saysLittle(c, when):
			r.more = append(r.more, c)
		default:
			r.first = append(r.first, c)
		}
	}
	return last
}

// saysLittle reports whether a claim about an assumption is worth reading only in a full report, given all
// claims about assumptions.
func (r *remedies) saysLittle(c Claim, when []Claim) bool {
	if c.assumed.Kind == explain.FairChoices || restates(r.e.Diagnosis, c.assumed) {
		return true
	}
	telling := slices.DeleteFunc(slices.Clone(when), isOneOfMany)
	return isOneOfMany(c) && hasHelpfulAssumption(telling)
}

// isChange reports whether a claim says which transitions to forbid.
func isChange(c Claim) bool {
	return c.kind == "cut" || c.kind == "advice" || c.kind == "restated"
}

// keeps returns what a change keeps of the model.
func (r *remedies) keeps(c Claim) *explain.Keeps {
	switch repair := r.e.Repair; c.kind {
	case "cut":
		return repair.Cut.Keeps
	case "restated":
		return repair.Restated.Keeps
	default:
		return repair.Keeps
	}
}

// addHeavy adds changes that remove much of the model. Changes that keep most states come first.
// Every report shows such a change if no lighter change is as short, with one exception: a change that
// takes away more than half of the states is only shown if nothing else makes the property true, neither
// another change, nor an assumption, nor fairness that the specification lacks.
func (r *remedies) addHeavy(heavy []Claim) {
	light := slices.DeleteFunc(slices.Clone(r.first), func(c Claim) bool {
		return !isChange(c)
	})
	slices.SortStableFunc(heavy, func(a, b Claim) int {
		return cmp.Compare(r.keeps(b).States, r.keeps(a).States)
	})
	for _, c := range heavy {
		hasLighter := slices.ContainsFunc(light, func(other Claim) bool {
			return r.isShort(other) || !r.isShort(c)
		})
		hasOther := hasHelpfulAssumption(r.first) || r.lacksFairness() ||
			slices.ContainsFunc(r.first, isChange)
		isWorse := r.keeps(c).IsUnderHalf() && hasOther
		if hasLighter || isWorse {
			r.more = append(r.more, c)
		} else {
			r.addChange(c)
		}
	}
}

// lacksFairness reports whether the explanation names the fairness that the specification lacks for the
// property.
func (r *remedies) lacksFairness() bool {
	fairness := r.e.Fairness
	return fairness != nil && fairness.Lacking != nil && !fairness.Lacking.Unhelpful
}

// isShort reports whether forbidding few transitions is all that a change does.
func (r *remedies) isShort(c Claim) bool {
	switch c.kind {
	case "cut":
		return true
	case "restated":
		return isFew(r.e.Repair.Restated)
	default:
		return isFew(r.e.Repair)
	}
}

// addChange adds a claim about what to forbid: to first if every report shows it, and otherwise to
// more.
func (r *remedies) addChange(c Claim) {
	isShown := true
	switch c.kind {
	case "advice":
		isOnlyForbidding := len(r.e.Repair.NotForEver) == 0
		isShown = len(r.first) == 0 || len(r.first) < mostOptions && isOnlyForbidding
	case "restated":
		// Forbidding what the property prohibits merely restates the property, so every report shows
		// this change only if no other one is short.
		isShown = isFew(r.e.Repair.Restated) && !isFew(r.e.Repair) && r.e.Repair.Cut == nil &&
			len(r.first) < mostOptions
	}
	if isShown {
		r.first = append(r.first, c)
	} else {
		r.more = append(r.more, c)
	}
}

// isFew reports whether forbidding few transitions is all that a repair does.
func isFew(r *explain.Repair) bool { return r.EnoughAlone && len(r.Never) <= fewTransitions }

// repeatsCut reports whether a repair forbids only the transitions of its cut, perhaps only at times,
// and requires nothing else.
func repeatsCut(repair *explain.Repair) bool {
	return len(repair.NotForEver) == 0 && isCut(repair, repair.Never)
}

// keepsMoreLabels reports whether a repair that forbids the transitions of its cut only at times keeps a
// label that the cut loses. A label that inevitability allows again once it is satisfied does not count.
func keepsMoreLabels(repair *explain.Repair) bool {
	isInevitability := repair.Never[0].Pending == nil
	if isInevitability || areUnconditional(repair.Never) {
		return false
	}
	isKept := func(label string) bool { return !slices.Contains(repair.Keeps.Lost, label) }
	return slices.ContainsFunc(repair.Cut.Keeps.Lost, isKept)
}

// isCut reports whether some transitions are exactly those of the cut of a repair.
func isCut(repair *explain.Repair, never []explain.Forbidden) bool {
	if repair.Cut == nil || len(never) != len(repair.Cut.Transitions) {
		return false
	}
	isOutside := func(f explain.Forbidden) bool {
		forbidden := explain.ModelStep{From: f.From, Label: f.Label, To: f.To}
		isSame := func(t explain.CutStep) bool { return t.ModelStep == forbidden }
		return !slices.ContainsFunc(repair.Cut.Transitions, isSame)
	}
	return !slices.ContainsFunc(never, isOutside)
}

// addReason adds a claim about why no change helps, or a guess of the transition that is missing. It
// reports whether every report now shows that no change helps. Then the claim that fairness does not
// help is redundant.
func (r *remedies) addReason(c Claim) bool {
	switch c.kind {
	case "irreparable":
		if len(r.first) > 0 {
			// What does help matters more than that forbidding does not.
			r.more = append(r.more, c)
			return false
		}
	case "gap":
		// With a guess, "nothing helps" is no longer true.
		r.first = slices.DeleteFunc(r.first, func(c Claim) bool {
			return c.kind == "no_run"
		})
	}
	r.first = append(r.first, c)
	return c.kind == "irreparable" || c.kind == "no_run" || c.kind == "only_triggers"
}

// addLast adds claims that fairness does not help, or does not help alone. If a forbidden action
// violates the property and there is another claim, they go to more, since no reader expects fairness
// to help there. The claim about a stopped search is dropped if there is another claim.
func (r *remedies) addLast(last []Claim) {
	isAside := r.e.Diagnosis != nil && r.e.Diagnosis.Kind == explain.KindForbidden &&
		len(r.first) > 0
	for _, c := range last {
		switch {
		case c.kind == "search_stopped" && len(r.first) > 0:
		case isAside:
			r.more = append(r.more, c)
		default:
			r.first = append(r.first, c)
		}
	}
}
