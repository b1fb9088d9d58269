package liveness

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/formula/tlaplus"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/property/refine"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Question asks whether a formula holds for a model under fairness assumptions.
type Question struct {
	Model   *lts.LTS
	Formula property.Formula
	Fair    []*actl.Assumption
	// Behaviours returns the same question about the runs that Spec allows, for the search for a correct
	// one: the formula and the assumptions leave nothing out that the verdict does not need.
	Behaviours func(context.Context) (m *lts.LTS, f property.Formula, fair []*actl.Assumption, err error)
}

// Ask returns the question whether an instance holds for all behaviours of Spec. It fails as
// [Specification.On] does, or if the instance has more predicates of states than labels can have.
func (g *Graph) Ask(ctx context.Context, i Instance) (Question, error) {
	return g.askUnder(ctx, i, nil)
}

// askUnder is [Graph.Ask] under further fairness conditions.
func (g *Graph) askUnder(ctx context.Context, i Instance, added []fairness) (Question, error) {
	if i.unread != nil {
		return Question{}, i.unread
	}
	if g.merging != nil && !isInvariant(i.of) {
		return Question{}, g.merging
	}
	g.noteLimits(i)
	if err := g.askBeside(ctx, i); err != nil {
		return Question{}, err
	}
	var assumptions []*tlaplus.Formula
	var conditions []fairness
	if !isSafety(i.of) {
		if g.wrong != nil {
			return Question{}, g.wrong
		}
		assumptions = g.assumed
		conditions = slices.Concat(g.fair, added)
	}
	w := &writer{g: g, ctx: ctx, number: map[string]int{}}
	if g.begunOutside && !isInvariant(i.of) {
		return g.question(ctx, w, temporal.True(), i.Name, nil, nil) // there is no run
	}
	w.divides = isInvariant(i.of)
	root, err := w.implication(assumptions, i.of)
	if err != nil {
		return Question{}, err
	}
	q, err := g.question(ctx, w, root, i.Name, assumptions, conditions)
	if err != nil {
		return Question{}, err
	}
	q.Behaviours = func(ctx context.Context) (*lts.LTS, property.Formula, []*actl.Assumption, error) {
		return g.behaviours(ctx, i)
	}
	return q, nil
}

// noteLimits adds remarks on how the answer about an instance differs from that of TLC, or from what
// its text may suggest.
func (g *Graph) noteLimits(i Instance) {
	if i.isInitial {
		g.note(fmt.Sprintf("%s is a predicate of states: as a property it is about the initial states alone; write INVARIANT, or [](%[1]s), for all states", i.briefName()))
	}
	if !isCheckedByTLC(i.of, true) {
		g.note(fmt.Sprintf("TLC refuses %s: it takes actions only in [][A]_v, []<><<A>>_v, <>[][A]_v, WF and SF, outside of other temporal operators", i.briefName()))
	}
	if hasRefusedForm(i.of) {
		g.note(fmt.Sprintf("TLC refuses %s: it cannot check <=> or CASE of formulas about runs", i.briefName()))
	}
	switch {
	case isInvariant(i.of) && g.border != "":
		g.note(g.border)
	case isSafety(i.of) && !isInvariant(i.of) && g.stepBorder != "":
		g.note(g.stepBorder)
	}
}

// question returns the question whether a formula that w has written holds under fairness conditions. The formula
// is the property alone, or that it follows from what is assumed.
func (g *Graph) question(
	ctx context.Context,
	w *writer,
	root *temporal.Formula,
	name string,
	assumed []*tlaplus.Formula,
	conditions []fairness,
) (Question, error) {
	if len(w.states) > lts.MostFacts {
		return Question{}, fmt.Errorf("%s is about %d predicates of states, and at most %d can be distinguished: name parts of it by definitions, which are one predicate each, or check its parts separately", beginning(name), len(w.states), lts.MostFacts)
	}
	facts := make([]lts.Facts, g.m.NumStates())
	for n, p := range w.predicates {
		if err := g.addFact(ctx, p, facts, 1<<n); err != nil {
			return Question{}, err
		}
	}
	t := lts.Telling{
		States: w.states,
		Steps:  w.steps,
		State:  func(s lts.State) lts.Facts { return facts[s] },
	}
	m, fair, err := g.withFacts(ctx, t, w.sets, conditions)
	if err != nil {
		return Question{}, err
	}
	return Question{
		Model:   m,
		Formula: ltl.New(root, w.atoms, name).Assuming(namesOf(assumed)),
		Fair:    fair,
	}, nil
}

// allowsNone returns a sentence if Spec allows no run of the graph, so that every property of runs
// holds; "" otherwise. Fairness alone can exclude all runs only if constraints leave steps out; such a
// condition is among the assumed formulas, as are conjuncts of Spec that are not fairness.
func (g *Graph) allowsNone(
	ctx context.Context,
	isViolated func(context.Context, Question) (bool, error),
) (string, error) {
	if g.begunOutside {
		return "every property of runs holds here for the wrong reason: no initial state satisfies CONSTRAINT, so that TLC checks no run; predicates of states are checked in the initial states", nil
	}
	if len(g.assumed) == 0 {
		return "", nil
	}
	w := &writer{g: g, ctx: ctx, number: map[string]int{}}
	assumed, err := w.formulas(g.assumed)
	if err != nil {
		return "", err
	}
	impossible := temporal.Not(temporal.And(assumed...))
	q, err := g.question(ctx, w, impossible, "what Spec assumes is impossible", nil, g.fair)
	if err != nil {
		return "", err
	}
	violated, err := isViolated(ctx, q)
	if err != nil || violated {
		return "", err
	}
	return fmt.Sprintf("every property of runs holds here for the wrong reason: no run of the graph is as Spec says (%s)", listed(namesOf(g.assumed))), nil
}

// namesOf returns the texts of formulas.
func namesOf(all []*tlaplus.Formula) []string {
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
	}
	return names
}

// withFacts returns the model with labels that report facts, and the fairness conditions as
// assumptions about this model. A label reports the facts that t has about the target, and the sets
// of steps that contain its transition. These are the given sets, whose names t has, and a set for
// each condition.
func (g *Graph) withFacts(
	ctx context.Context,
	t lts.Telling,
	sets []bitset.Set[int],
	conditions []fairness,
) (*lts.LTS, []*actl.Assumption, error) {
	t.Begins = g.begins
	var fair []*actl.Assumption
	for _, f := range conditions {
		t.Steps = append(t.Steps, f.name)
		sets = append(sets, f.steps)
		isStrong := f.of.Operator == tlaplus.Strong
		fair = append(fair, actl.Specified(f.name, isStrong, f.name))
	}
	g.setKinds(&t, sets)
	m, err := g.m.Telling(ctx, t)
	return m, fair, err
}

// Take returns the question whether a formula of another logic holds for all behaviours of Spec. The values
// of its atoms about states come from a table, see [Specification.Values]. Take fails as [Graph.Ask] does,
// or if Spec assumes more than fairness.
func (g *Graph) Take(ctx context.Context, f property.Formula, t *lts.Values) (Question, error) {
	return g.takeUnder(ctx, f, t, nil)
}

// takeUnder is [Graph.Take] under further fairness conditions.
func (g *Graph) takeUnder(
	ctx context.Context,
	f property.Formula,
	t *lts.Values,
	added []fairness,
) (Question, error) {
	if g.merging != nil {
		return Question{}, g.merging
	}
	if g.wrong != nil {
		return Question{}, g.wrong
	}
	if g.begunOutside {
		return Question{}, fmt.Errorf("the constraints of the configuration leave out all initial states, so that there is no behaviour")
	}
	if len(g.assumed) > 0 {
		return Question{}, fmt.Errorf("besides fairness, Spec requires %s, which only a property in TLA+ can take into account: write the property in TLA+", beginning(g.assumed[0].Name))
	}
	atoms := values.AtomsOf(f)
	if len(atoms) > lts.MostFacts {
		return Question{}, fmt.Errorf("the formula has %d atoms about states, but may have at most %d; check its parts separately", len(atoms), lts.MostFacts)
	}
	var names []string
	facts := make([]lts.Facts, g.m.NumStates())
	for n, a := range atoms {
		truth, err := refine.Evaluate(ctx, t, g.m, a)
		if err != nil {
			return Question{}, err
		}
		if truth.NoState != nil {
			return Question{}, truth.NoState
		}
		names = append(names, a.String())
		for s := range lts.State(g.m.NumStates()) {
			if truth.Holds(s) {
				facts[s] |= 1 << n
			}
		}
	}
	telling := lts.Telling{
		States: names,
		State:  func(s lts.State) lts.Facts { return facts[s] },
	}
	m, fair, err := g.withFacts(ctx, telling, nil, slices.Concat(g.fair, added))
	return Question{Model: m, Formula: f, Fair: fair}, err
}
