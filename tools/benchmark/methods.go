package main

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// evidence is the information that a method gets.
type evidence struct {
	e *explain.Explanation
	// versions and behaviour compare the model with the fault to the model without the fault.
	versions  *compare.Versions
	behaviour *compare.Behaviour
	repaired  *explain.Repaired
}

// method lists the states that may have the fault, the likeliest first.
type method struct {
	name, about string
	places      func(evidence) []lts.State
}

var methods = []method{
	{"whole run", "the states of the run, from its end", func(v evidence) []lts.State { return runFromEnd(v.e) }},
	{"last step", "the state where the run stops, and the source of its last step", lastStep},
	{"neighbourhoods", "CLEAR: the neighbourhoods on the run, from its end", neighbourhoods},
	{"decisions", "inev: the decisions, in the order of the run", decisions},
	{"decisions from the end", "the same, from the end of the run", func(v evidence) []lts.State {
		return reversed(decisions(v))
	}},
	{"point of no return", "the state that it leaves", pointOfNoReturn},
	{"nearest correct run", "the state where it leaves the run", parting},
	{"fewest places", "what repair forbids, if it is as little as can be", fewest},
	{"necessary steps", "steps that every violation takes, decisions first, from the end", func(v evidence) []lts.State {
		decided, forced := necessarySteps(v)
		return distinct(slices.Concat(decided, forced))
	}},
	{"all that inev says", "a stop where a transition may be missing, decisions that every violation takes, where the nearest correct run leaves this one, other decisions, other necessary steps", suspects},
	{"version before: divergence", "where the run leaves what the model could do before the fault", divergence},
	{"version before: changes", "the transitions that have changed", changes},
}

// runFromEnd returns the states of the run, the last one first.
func runFromEnd(e *explain.Explanation) []lts.State {
	var places []lts.State
	steps := e.Counterexample.Steps
	if end, stops := stop(e); stops {
		places = append(places, end)
	}
	for _, s := range slices.Backward(steps) {
		places = append(places, s.From)
	}
	return distinct(places)
}

// stop returns the state in which the run ends; false if it does not end.
func stop(e *explain.Explanation) (lts.State, bool) {
	c := e.Counterexample
	if c.LoopStart >= 0 {
		return 0, false
	}
	if len(c.Steps) == 0 {
		return e.LTS().Initial(), true
	}
	return c.Steps[len(c.Steps)-1].To, true
}

func lastStep(v evidence) []lts.State {
	var places []lts.State
	if end, stops := stop(v.e); stops {
		places = append(places, end)
	}
	if steps := v.e.Counterexample.Steps; len(steps) > 0 {
		places = append(places, steps[len(steps)-1].From)
	}
	return distinct(places)
}

func neighbourhoods(v evidence) []lts.State {
	var places []lts.State
	for _, s := range slices.Backward(v.e.Counterexample.Steps) {
		if s.Neighbourhood.Is() {
			places = append(places, s.From)
		}
	}
	return distinct(places)
}

func decisions(v evidence) []lts.State {
	var places []lts.State
	for _, d := range v.e.Decisions {
		places = append(places, d.State)
	}
	return distinct(places)
}

func pointOfNoReturn(v evidence) []lts.State {
	if p := v.e.PointOfNoReturn; p != nil {
		return []lts.State{p.State}
	}
	return nil
}

func parting(v evidence) []lts.State {
	n := v.e.Nearest
	if n == nil {
		return nil
	}
	return []lts.State{stateAfter(v.e, n.Fork)}
}

// stateAfter returns the state of the run after some steps, repeating the loop if necessary.
func stateAfter(e *explain.Explanation, steps int) lts.State {
	c := e.Counterexample
	if start := int(c.LoopStart); c.LoopStart >= 0 && steps >= len(c.Steps) {
		steps = start + (steps-start)%(len(c.Steps)-start)
	}
	if steps < len(c.Steps) {
		return c.Steps[steps].From
	}
	end, _ := stop(e)
	return end
}

func fewest(v evidence) []lts.State {
	if v.repaired == nil || v.repaired.Fewest == nil {
		return nil
	}
	var places []lts.State
	for _, t := range v.repaired.Fewest.Transitions {
		places = append(places, lts.State(t.From))
	}
	return distinct(places)
}

func divergence(v evidence) []lts.State {
	if v.versions == nil || v.versions.Divergence == nil || v.versions.Divergence.Follows {
		return nil
	}
	return []lts.State{stateAfter(v.versions.New, v.versions.Divergence.Step)}
}

// distinct returns the states without repetitions, in the order of their first occurrences.
func distinct(places []lts.State) []lts.State {
	var kept []lts.State
	for _, s := range places {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

func reversed(places []lts.State) []lts.State {
	places = slices.Clone(places)
	slices.Reverse(places)
	return places
}

// look explains the violation in a damaged model; nil if the property still holds.
func look(ctx context.Context, s subject, d damaged) (*evidence, error) {
	checked, err := explain.Check(ctx, d.model, s.formula, explain.Options{})
	if err != nil || checked.Verdict == explain.Satisfied {
		return nil, err
	}
	v := &evidence{}
	if v.e, err = explain.Explain(ctx, d.model, s.formula, explain.Options{NoFairness: true}); err != nil {
		return nil, err
	}
	v.repaired, err = explain.FindRepair(ctx, d.model, s.formula, explain.RepairOptions{
		Fewest: true,
		Work:   2_000_000,
	})
	if err != nil {
		return nil, err
	}
	v.versions, err = compare.Property(ctx, compare.Version{LTS: s.model},
		compare.Version{LTS: d.model}, s.formula,
		explain.Options{NoFairness: true, NoAdvice: true}, compare.Options{})
	if err != nil {
		return nil, err
	}
	v.behaviour, err = compare.Models(ctx, s.model, d.model, compare.Options{})
	return v, err
}

// necessarySteps returns the sources of the necessary steps, from the end of the run: first those
// where the run made a decision, and separately the others.
func necessarySteps(v evidence) (decided, forced []lts.State) {
	n := v.e.Necessity
	if n == nil {
		return nil, nil
	}
	choices := decisions(v)
	for _, i := range slices.Backward(n.Steps) {
		at := v.e.Counterexample.Steps[i].From
		if slices.Contains(choices, at) {
			decided = append(decided, at)
		} else {
			forced = append(forced, at)
		}
	}
	return decided, forced
}

// suspects lists all states that inev's explanation names, the likeliest first.
func suspects(v evidence) []lts.State {
	var places []lts.State
	if n := v.e.Necessity; n != nil && n.Stop {
		end, _ := stop(v.e)
		places = append(places, end)
	}
	decided, forced := necessarySteps(v)
	return distinct(slices.Concat(places, decided, parting(v), reversed(decisions(v)), forced))
}

// changes returns the states where the model differs from its version before the fault.
func changes(v evidence) []lts.State {
	if v.behaviour == nil || v.behaviour.Edit == nil {
		return nil
	}
	var places []lts.State
	for _, c := range v.behaviour.Edit.Changes {
		places = append(places, c.At)
	}
	return distinct(places)
}
