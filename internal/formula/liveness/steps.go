package liveness

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/formula/tlaplus"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
)

// withStuttering returns the labels of a model and one more, for stuttering.
func withStuttering(a *lts.Alphabet) (*lts.Alphabet, lts.Label) {
	var b lts.AlphabetBuilder
	for l := range a.All() {
		b.Label(a.Text(l))
	}
	l := b.Label(stuttering)
	return b.Build(), l
}

// each calls do for the transitions between reachable states of the system, until do returns an error;
// n is the index of the transition.
func (g *Graph) each(ctx context.Context, do func(n int, from, to lts.State) error) error {
	if err := g.m.FindReachable(ctx); err != nil {
		return err
	}
	reach := g.m.Reachable()
	for s := range lts.State(g.m.NumStates()) {
		if !reach.Has(s) || !g.isReal(g.m, s) {
			continue
		}
		first, _ := g.m.Row(s)
		_, targets := g.m.Out(s)
		for i, to := range targets {
			if err := do(first+i, s, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// steps returns the transitions that are steps of an action, numbered in the order of the rows, and whether
// there are any. It evaluates each action once.
func (g *Graph) steps(
	ctx context.Context,
	p *tlaplus.Predicate,
) (steps bitset.Set[int], exist bool, err error) {
	held, isKnown := g.heldOn[p.Key]
	if isKnown {
		return held.where, held.some, nil
	}
	steps, exist, err = g.evaluateSteps(ctx, p)
	if err == nil {
		g.heldOn[p.Key] = truth{of: p, where: steps, some: exist}
	}
	return steps, exist, err
}

// evaluateSteps is [Graph.steps] for an action that was not evaluated before.
func (g *Graph) evaluateSteps(
	ctx context.Context,
	p *tlaplus.Predicate,
) (steps bitset.Set[int], exist bool, err error) {
	steps = bitset.New[int](g.m.NumTransitions())
	step := stepValues{g: g, from: lts.State(lts.MaxStates)}
	holdsTo := map[lts.State]bool{} // for the targets of step.from: several actions may lead to the same one
	err = g.each(ctx, func(n int, from, to lts.State) error {
		if from != step.from {
			clear(holdsTo)
		}
		holds, isKnown := holdsTo[to]
		if !isKnown {
			if err := step.take(from, to); err != nil {
				return err
			}
			var err error
			holds, err = g.holds(p, from, step.now, step.next)
			if err != nil {
				return err
			}
			holdsTo[to] = holds
		}
		if holds {
			steps.Add(n)
			exist = true
		}
		return nil
	})
	return steps, exist, err
}

// findSteps finds the transitions that a fairness condition is about. If the graph lacks some of these
// steps, a set of transitions cannot express the condition, and its formula is assumed instead. If the
// action can never be taken, the condition demands nothing. Notes say so in both cases.
func (g *Graph) findSteps(ctx context.Context, f fairness) error {
	steps, exist, err := g.steps(ctx, f.of.Predicate)
	if err != nil {
		return err
	}
	f.steps = steps
	cut, err := g.lacksSteps(ctx, f.of.Parts[1].Predicate, steps)
	if err != nil {
		return err
	}
	switch {
	case cut:
		g.beyond = append(g.beyond, f.name)
		g.assumed = append(g.assumed, f.of)
	case exist:
		g.fair = append(g.fair, f)
	default:
		g.idle = append(g.idle, f.name)
	}
	return nil
}

// fairnessNotes returns a note about the fairness conditions on steps that the graph lacks, and a
// note about the fairness conditions on actions that can never be taken.
func (g *Graph) fairnessNotes() []string {
	var notes []string
	if len(g.beyond) > 0 {
		notes = append(notes,
			conditionsInWords(g.beyond, "is", "are")+" about steps that the graph lacks, because of a constraint or of Next: as with TLC, they count as enabled, and no run takes them")
	}
	if len(g.idle) > 0 {
		notes = append(notes,
			conditionsInWords(g.idle, "asks for nothing, since its action", "ask for nothing, since their actions")+" can never be taken")
	}
	return notes
}

// mostConditions is the largest number of conditions of fairness that a note names.
const mostConditions = 3

// conditionsInWords names the first conditions and counts the others. It ends with a text for a
// single condition, or with another one for several.
func conditionsInWords(names []string, ofOne, ofSeveral string) string {
	if len(names) == 1 {
		return beginning(names[0]) + " " + ofOne
	}
	var listed []string
	for _, name := range names[:min(len(names), mostConditions)] {
		listed = append(listed, beginning(name))
	}
	more := len(names) - mostConditions
	if more > 0 {
		listed = append(listed, printable.Quantity(more, "other condition"))
	}
	return printable.List(listed, "and") + " " + ofSeveral
}

// lacksSteps reports whether an action is enabled in some state from which the graph has no step of
// this action.
func (g *Graph) lacksSteps(
	ctx context.Context,
	enabled *tlaplus.Predicate,
	steps bitset.Set[int],
) (bool, error) {
	hasStep := make([]bool, g.m.NumStates())
	err := g.each(ctx, func(n int, from, _ lts.State) error {
		hasStep[from] = hasStep[from] || steps.Has(n)
		return nil
	})
	if err != nil {
		return false, err
	}
	reach := g.m.Reachable()
	var now []values.Value
	for s := range lts.State(g.m.NumStates()) {
		if hasStep[s] || !reach.Has(s) || !g.isReal(g.m, s) {
			continue
		}
		now, err = g.state(s, now)
		if err != nil {
			return false, err
		}
		isEnabled, err := g.holds(enabled, s, now, nil)
		if isEnabled || err != nil {
			return isEnabled, err
		}
	}
	return false, nil
}

// IsFairness reports whether a text begins like fairness in TLA+, and so is no assumption about labels. The text may be a
// conjunction as a module has it, with /\ at its beginning.
func IsFairness(text string) bool {
	text = strings.TrimSpace(text)
	beginsWith := func(prefix string) bool { return strings.HasPrefix(text, prefix) }
	return slices.ContainsFunc([]string{"WF_", "SF_", `\A`, `\E`, `/\`, "("}, beginsWith)
}

// Assume adds fairness conditions to those of Spec. Each text is written as in the module, such as
// WF_vars(Serve) or \A p \in Procs : SF_vars(Take(p)). Assume fails if a text is not such a condition,
// and as [Specification.On] does.
func (g *Graph) Assume(ctx context.Context, texts ...string) error {
	for _, text := range texts {
		f, err := g.s.Property(text)
		if err != nil {
			return fmt.Errorf("%s: %w", beginning(text), err)
		}
		conditions := fairnessOf(nil, f)
		if slices.Contains(conditions, nil) {
			return fmt.Errorf("%s is no fairness: write WF_v(A) or SF_v(A), or a conjunction of these", beginning(text))
		}
		ofSpec := g.fair
		g.fair = nil // so that addFairness compares the conditions of this text with each other only
		for _, condition := range conditions {
			g.addFairness(condition)
		}
		added := g.fair
		nameApart(added)
		g.fair = ofSpec
		for _, condition := range added {
			condition.name += " (added)"
			if err := g.findSteps(ctx, condition); err != nil {
				return fmt.Errorf("%s: %w", beginning(text), err)
			}
		}
	}
	return nil
}
