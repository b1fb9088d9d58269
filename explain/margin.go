package explain

import (
	"slices"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// margin is by how much a property holds that allows something only at times: precedence, bounded existence
// and absence, each on all of a run.
type margin struct {
	// Of is the pattern that is allowed at times; After is, for precedence, the pattern that comes before.
	Of    string `json:"of"`
	After string `json:"after,omitempty"`
	// Count is for precedence the least number of transitions from the first After to the first Of, that of Of
	// included; for bounded existence the largest number of Of on a run, of Times that are allowed; for absence
	// the number of transitions with Of, all out of reach.
	Count int `json:"count"`
	Times int `json:"times,omitzero"`
}

// findMargin finds by how much the property holds, if it is one of those that have a margin, and if all runs
// count. Cost O(S + T).
func (r *Reasons) findMargin(a *Analysis) {
	pattern, is := a.Formula.(answering)
	if !is || a.fairness != nil || len(a.m.Alphabet().FactNames()) > 0 {
		return
	}
	s := pattern.Specification()
	if s.Scope != property.Globally || len(s.Steps) == 0 {
		return
	}
	last := s.Steps[len(s.Steps)-1]
	found := &margin{Of: last.Pattern.String(), Times: s.Times}
	isLast := a.matches(last)
	switch {
	case s.Kind == property.KindPrecedes && len(s.Steps) == 2:
		found.After = s.Steps[0].Pattern.String()
		found.Count = a.leastBetween(a.matches(s.Steps[0]), isLast)
	case s.Kind == property.KindAtMost:
		found.Count = a.mostOn(isLast)
	case s.Kind == property.KindNever && len(s.Steps) == 1:
		for t := range a.m.Transitions() {
			if isLast.Has(t.Label) {
				found.Count++
			}
		}
	}
	if found.Count > 0 {
		r.Margin = found
	}
}

// matches returns the labels that do a step.
func (a *Analysis) matches(step property.Step) bitset.Set[lts.Label] {
	set := bitset.New[lts.Label](a.m.Alphabet().Len())
	for l, text := range a.m.Alphabet().All() {
		if step.Pattern.Matches(text) {
			set.Add(l)
		}
	}
	return set
}

// leastBetween returns the least number of transitions from the first label of a set to the first label of
// another one, both included but the first; 0 if no run does both, or if a label is in both.
func (a *Analysis) leastBetween(first, last bitset.Set[lts.Label]) int {
	before := []lts.State{a.m.Initial()} // states that a run reaches without the first labels
	isBefore := bitset.New[lts.State](a.m.NumStates())
	isBefore.Add(a.m.Initial())
	isAfter := bitset.New[lts.State](a.m.NumStates())
	var layer []lts.State
	for i := 0; i < len(before); i++ {
		labels, targets := a.m.Out(before[i])
		for k, to := range targets {
			l := labels.At(k)
			switch {
			case first.Has(l) && last.Has(l):
				return 0
			case first.Has(l) && !isAfter.Has(to):
				isAfter.Add(to)
				layer = append(layer, to)
			case !first.Has(l) && !isBefore.Has(to):
				isBefore.Add(to)
				before = append(before, to)
			}
		}
	}
	for steps := 1; len(layer) > 0; steps++ {
		var next []lts.State
		for _, s := range layer {
			labels, targets := a.m.Out(s)
			for k, to := range targets {
				if last.Has(labels.At(k)) {
					return steps
				}
				if !isAfter.Has(to) {
					isAfter.Add(to)
					next = append(next, to)
				}
			}
		}
		layer = next
	}
	return 0
}

// mostOn returns the largest number of transitions on a run with a label of a set, none of which is on a cycle.
func (a *Analysis) mostOn(set bitset.Set[lts.Label]) int {
	c := a.Components
	most := make([]int, c.Len())
	for i := range slices.Backward(most) { // successors come later
		for _, s := range c.States(scc.Component(i)) {
			labels, targets := c.LTS().Out(s)
			for k, to := range targets {
				next, _ := c.Of(to)
				n := 0
				if set.Has(labels.At(k)) {
					n++
				}
				if int(next) != i {
					most[i] = max(most[i], most[next]+n)
				}
			}
		}
	}
	first, _ := c.Of(c.LTS().Initial())
	return most[first]
}
