package liveness

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/tlaplus"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Advice is the fairness that a specification lacks for a property.
type Advice struct {
	// Conjuncts are the fairness conditions to add to Spec, as a module writes them: as few as are
	// enough, with WF rather than SF, and about as few instances of actions as possible. The list is
	// empty if no such conditions are known.
	Conjuncts []string
	// Specification is the name of the definition to which the conjuncts are to be added. It is "" if
	// the configuration names none; then Formula is a definition to write, still without the conjuncts.
	Specification, Formula string
	// PlusCal has the changes of a PlusCal algorithm that imply the conjuncts, with "and" between them;
	// "" if there are none.
	PlusCal string
	// Unhelpful reports that no fairness of the actions that [tlaplus.Specification.Subactions] returns is
	// enough, as far as they can be evaluated on the graph. AlmostSurely reports that full fairness is
	// enough nevertheless.
	Unhelpful, AlmostSurely bool
}

// Violation finds a run that violates what a question asks, and that is fair to what the question
// assumes. The loop has the transitions that the run takes again and again. It is nil if a finite
// prefix of the run violates the property already.
type Violation func(ctx context.Context, q Question) (loop []lts.Transition, isViolated bool, err error)

const (
	// mostConjuncts is the largest number of conjuncts that are advised.
	mostConjuncts = 3
	// mostTries is the largest number of sets of conditions that are tried; mostTried bounds the sum of
	// the transitions over all tries.
	mostTries = 100
	mostTried = 4_000_000
)

// IsKnown reports whether there is any advice.
func (a *Advice) IsKnown() bool { return a != nil && (len(a.Conjuncts) > 0 || a.Unhelpful) }

// Lacking returns the smallest fairness that, added to Spec, makes all given instances hold; nil if
// none of them is violated. It chooses among the actions that Next is made of. The advice is empty
// if it finds none within its limits. If ctx limits the time, the search for advice gets half of
// the time that is left, so that the other half remains for the explanation. If that is too little,
// a note says so. Lacking fails if ctx is done, and with the errors of find. Cost: at most
// mostTries searches.
func (g *Graph) Lacking(ctx context.Context, all []Instance, find Violation) (*Advice, error) {
	return g.lackingInTime(ctx, func(ctx context.Context) (*Advice, error) {
		return g.lackingWithin(ctx, all, find)
	})
}

// LackingFor is [Graph.Lacking] for the question of [Graph.Take].
func (g *Graph) LackingFor(
	ctx context.Context,
	f property.Formula,
	t *lts.Values,
	find Violation,
) (*Advice, error) {
	taken := func(ctx context.Context, added []fairness) (Question, error) {
		return g.takeUnder(ctx, f, t, added)
	}
	return g.lackingInTime(ctx, func(ctx context.Context) (*Advice, error) {
		a := &adviser{
			g:         g,
			ctx:       ctx,
			questions: []questionUnder{taken},
			find:      find,
		}
		return a.search()
	})
}

// lackingInTime calls a search for advice with a share of the time that ctx leaves.
func (g *Graph) lackingInTime(
	ctx context.Context,
	search func(context.Context) (*Advice, error),
) (*Advice, error) {
	if g.merging != nil || g.wrong != nil {
		return nil, nil
	}
	share := shareOfTime(ctx, 2)
	defer share.end()
	g.withinTime(share.limited)
	defer g.withinTime(ctx)
	advice, err := search(share.limited)
	if share.isUsedUp(err) {
		g.note(fmt.Sprintf("there is no advice on fairness, since the search for it takes more than %s", share.inWords()))
		return &Advice{}, nil
	}
	return advice, err
}

// withinTime makes evaluating predicates, and reading formulas, fail once a context is done.
func (g *Graph) withinTime(ctx context.Context) {
	g.s.Within(ctx)
	g.eval.Within(ctx)
}

// lackingWithin is [Graph.Lacking] without a share of the time.
func (g *Graph) lackingWithin(ctx context.Context, all []Instance, find Violation) (*Advice, error) {
	var aboutRuns []questionUnder
	for _, i := range all {
		if !isSafety(i.of) {
			aboutRuns = append(aboutRuns, func(ctx context.Context, added []fairness) (Question, error) {
				return g.askUnder(ctx, i, added)
			})
			continue
		}
		q, err := g.Ask(ctx, i)
		if err != nil {
			return nil, err
		}
		_, isViolated, err := find(ctx, q)
		if isViolated || err != nil {
			return &Advice{}, err // fairness excuses no state and no step
		}
	}
	a := &adviser{
		g:         g,
		ctx:       ctx,
		questions: aboutRuns,
		find:      find,
	}
	return a.search()
}

// search returns the cheapest advice that it finds. It tries sets of conditions until one is enough, none can be, or a
// limit is reached.
func (a *adviser) search() (*Advice, error) {
	numTries := min(mostTries, 1+mostTried/(1+a.g.m.NumTransitions()))
	for range numTries {
		set, exists := a.cheapest()
		if !exists {
			return a.withoutConditions()
		}
		loop, isViolated, err := a.try(set)
		if err != nil {
			return nil, err
		}
		isByPrefix := isViolated && loop == nil // then no fairness helps
		switch {
		case !isViolated && len(set) == 0:
			return nil, nil
		case !isViolated:
			return a.advice(set)
		case isByPrefix:
			return &Advice{}, nil
		}
		if a.candidates == nil {
			if err := a.findCandidates(); err != nil {
				return nil, err
			}
		}
		if err := a.recordLoop(set, loop); err != nil {
			return nil, err
		}
	}
	return &Advice{}, nil
}

// candidate is a fairness condition that may be added: WF or SF of an action in Next.
type candidate struct {
	action tlaplus.Subaction
	strong bool
	// isUsual reports that its action is one as Spec has them in its fairness: a part of the next-state
	// relation or, if Spec has no fairness, the whole relation, by its name.
	isUsual bool
	// conditions are the instances of a quantified condition.
	conditions []*tlaplus.Formula
	// isUnusable marks a condition that cannot be evaluated, or whose action has steps that the graph
	// lacks.
	isUnusable bool
	// hits reports, for each violating loop, whether the condition rules it out.
	hits []bool
}

// questionUnder returns a question of the advice under conditions that are added to the fairness of Spec.
type questionUnder func(ctx context.Context, added []fairness) (Question, error)

// adviser searches for the cheapest set of conditions that rules out every violating loop. It tries the
// cheapest set that rules out the loops found so far; either the property holds under this set, or the
// try finds another loop.
type adviser struct {
	g          *Graph
	ctx        context.Context
	questions  []questionUnder
	find       Violation
	candidates []*candidate
	loops      int
	truths     map[string]*stepTruth
}

// findCandidates makes two candidates of each action in Next: weak and strong fairness. It leaves out
// those that cannot be read as fairness.
func (a *adviser) findCandidates() error {
	actions, err := a.g.s.Subactions()
	if err != nil {
		return a.ctx.Err() // without advice
	}
	a.candidates = []*candidate{}
	a.truths = map[string]*stepTruth{}
	for _, strong := range []bool{false, true} {
		for i, action := range actions {
			f, err := a.g.s.Property(action.Fair(strong))
			if a.ctx.Err() != nil {
				return a.ctx.Err()
			}
			if err != nil {
				continue
			}
			conditions := fairnessOf(nil, f)
			isFairness := len(conditions) > 0 && !slices.Contains(conditions, nil)
			if !isFairness {
				continue
			}
			isWhole := i == 0 && action.Of != "" // Subactions begins with the next-state relation
			a.candidates = append(a.candidates, &candidate{
				action:     action,
				strong:     strong,
				isUsual:    isWhole == (len(a.g.fair) == 0),
				conditions: conditions,
			})
		}
	}
	return nil
}

// fairnessOf appends the fairness conditions that are conjuncts of f, and nil for each other conjunct.
func fairnessOf(all []*tlaplus.Formula, f *tlaplus.Formula) []*tlaplus.Formula {
	switch f.Operator {
	case tlaplus.And:
		for _, part := range f.Parts {
			all = fairnessOf(all, part)
		}
		return all
	case tlaplus.Weak, tlaplus.Strong:
		return append(all, f)
	}
	return append(all, nil)
}

// price orders sets of conditions. The better set has fewer conditions; then fewer SF; then fewer
// instances; then fewer conditions that are not usual; then the shorter text.
type price struct{ conjuncts, strong, instances, unusual, length int }

func (p price) compare(q price) int {
	return cmp.Or(p.conjuncts-q.conjuncts, p.strong-q.strong, p.instances-q.instances,
		p.unusual-q.unusual, p.length-q.length)
}

// with returns the price of a set with one more condition.
func (p price) with(c *candidate) price {
	p.conjuncts++
	p.instances += len(c.conditions)
	p.length += len(c.action.Fair(c.strong))
	if c.strong {
		p.strong++
	}
	if !c.isUsual {
		p.unusual++
	}
	return p
}

// cheapest returns the cheapest set of at most mostConjuncts conditions that rules out all known loops,
// and of equally cheap ones the first; false if there is none.
func (a *adviser) cheapest() (set []*candidate, exists bool) {
	if a.loops == 0 {
		return nil, true
	}
	best := price{conjuncts: mostConjuncts + 1}
	var search func(chosen []*candidate, cost price)
	search = func(chosen []*candidate, cost price) {
		if cost.compare(best) >= 0 {
			return
		}
		loop := a.firstOpen(chosen)
		rulesOutAll := loop < 0
		if rulesOutAll {
			best = cost
			set = slices.Clone(chosen)
			exists = true
			return
		}
		if cost.conjuncts == min(mostConjuncts, best.conjuncts) {
			return
		}
		for _, c := range a.candidates {
			if !c.isUnusable && c.hits[loop] {
				search(append(slices.Clone(chosen), c), cost.with(c))
			}
		}
	}
	search(nil, price{})
	return set, exists
}

// firstOpen returns the number of the first loop that no condition of a set rules out; -1 if every loop
// is ruled out.
func (a *adviser) firstOpen(set []*candidate) int {
	for n := range a.loops {
		if !slices.ContainsFunc(set, func(c *candidate) bool { return c.hits[n] }) {
			return n
		}
	}
	return -1
}

// isUnhelpful reports whether there is a loop that no condition rules out. Nothing is known, and it
// returns false, if there are no candidates.
func (a *adviser) isUnhelpful() bool {
	return len(a.candidates) > 0 && a.firstOpen(a.candidates) >= 0
}

// try looks for a violation of some instance under the fairness of Spec and of a set of conditions. It
// marks a condition that cannot be assumed as unusable, and then reports a violation with an empty
// loop.
func (a *adviser) try(set []*candidate) (loop []lts.Transition, isViolated bool, err error) {
	var added []fairness
	for _, c := range set {
		for _, f := range c.conditions {
			condition, isUsable, err := a.condition(f)
			if err != nil {
				return nil, false, err
			}
			if !isUsable {
				c.isUnusable = true
				return []lts.Transition{}, true, nil
			}
			if condition != nil {
				added = append(added, *condition)
			}
		}
	}
	for _, ask := range a.questions {
		q, err := ask(a.ctx, added)
		if err != nil {
			return nil, false, err
		}
		loop, isViolated, err := a.find(a.ctx, q)
		if isViolated || err != nil {
			return loop, isViolated, err
		}
	}
	return nil, false, nil
}

// withoutConditions returns the advice if no set of conditions is known to be enough.
func (a *adviser) withoutConditions() (*Advice, error) {
	if !a.isUnhelpful() {
		return &Advice{}, nil
	}
	full, err := actl.ParseAssumption(a.ctx, actl.FullFairness.String())
	if err != nil {
		return nil, err
	}
	for _, ask := range a.questions {
		q, err := ask(a.ctx, nil)
		if err != nil {
			return nil, err
		}
		q.Fair = append(q.Fair, full)
		_, isViolated, err := a.find(a.ctx, q)
		if isViolated || err != nil {
			return &Advice{Conjuncts: []string{}, Unhelpful: true}, err
		}
	}
	return &Advice{
		Conjuncts:    []string{},
		Unhelpful:    true,
		AlmostSurely: true,
	}, nil
}

// condition returns a condition as fairness to a set of transitions. It is nil if the action can never be
// taken, as Send(p, p) of \A p, q \in Procs : WF_vars(Send(p, q)): then the condition demands nothing.
// The result is unusable if the graph lacks steps of the action, or if the action cannot be evaluated.
func (a *adviser) condition(f *tlaplus.Formula) (condition *fairness, isUsable bool, err error) {
	steps, isPossible, err := a.g.steps(a.ctx, f.Predicate)
	if a.ctx.Err() != nil {
		return nil, false, a.ctx.Err()
	}
	if err != nil {
		return nil, false, nil
	}
	lacks, err := a.g.lacksSteps(a.ctx, f.Parts[1].Predicate, steps)
	if a.ctx.Err() != nil {
		return nil, false, a.ctx.Err()
	}
	if err != nil || lacks {
		return nil, false, nil
	}
	if !isPossible {
		return nil, true, nil
	}
	return &fairness{
		name:  f.Name + " (to be added)",
		of:    f,
		steps: steps,
	}, true, nil
}

// recordLoop records which conditions rule out a loop that is fair to a set of conditions. An empty
// loop shows nothing, see [adviser.try].
func (a *adviser) recordLoop(set []*candidate, loop []lts.Transition) error {
	if len(loop) == 0 {
		return nil
	}
	a.loops++
	for _, c := range a.candidates {
		isHit := false
		if !c.isUnusable && !slices.Contains(set, c) {
			var err error
			isHit, err = a.hits(c, loop)
			if err != nil {
				return err
			}
		}
		c.hits = append(c.hits, isHit)
	}
	return nil
}

// hits reports whether an instance of a condition rules out a loop. It marks a condition that cannot be evaluated as
// unusable.
func (a *adviser) hits(c *candidate, loop []lts.Transition) (isHit bool, err error) {
	for _, f := range c.conditions {
		isRuledOut, err := a.rulesOut(f, loop)
		if a.ctx.Err() != nil {
			return false, a.ctx.Err()
		}
		if err != nil {
			c.isUnusable = true
			break
		}
		isHit = isHit || isRuledOut
	}
	return isHit, nil
}

// rulesOut reports whether a condition excludes a loop: no run that takes the transitions of the
// loop again and again, and no others, is fair to the condition.
func (a *adviser) rulesOut(f *tlaplus.Formula, loop []lts.Transition) (bool, error) {
	t := a.truths[f.Predicate.Key]
	if t == nil {
		t = &stepTruth{g: a.g, of: f.Predicate, known: map[[2]lts.State]bool{}}
		a.truths[f.Predicate.Key] = t
	}
	isEnabledSomewhere := false
	isEnabledEverywhere := true
	for _, step := range loop {
		isTaken, err := t.holds(step.From, step.To)
		if isTaken || err != nil {
			return false, err
		}
		isEnabled, err := t.holdsFrom(step.From)
		if err != nil {
			return false, err
		}
		isEnabledSomewhere = isEnabledSomewhere || isEnabled
		isEnabledEverywhere = isEnabledEverywhere && isEnabled
	}
	if f.Operator == tlaplus.Strong {
		return isEnabledSomewhere, nil
	}
	return isEnabledEverywhere, nil
}

// stepTruth evaluates a predicate of steps, and stores the results.
type stepTruth struct {
	g     *Graph
	of    *tlaplus.Predicate
	known map[[2]lts.State]bool
	room  stateRoom
}

// holdsFrom reports whether the predicate holds on some step from a state. It evaluates the predicate on all of them.
func (t *stepTruth) holdsFrom(from lts.State) (isAny bool, err error) {
	_, targets := t.g.m.Out(from)
	for _, to := range targets {
		holds, err := t.holds(from, to)
		if err != nil {
			return false, err
		}
		isAny = isAny || holds
	}
	return isAny, nil
}

// holds reports whether the predicate holds on a step. It holds on no step from the state that is added in
// front of several initial states.
func (t *stepTruth) holds(from, to lts.State) (holds bool, err error) {
	key := [2]lts.State{from, to}
	holds, isKnown := t.known[key]
	if isKnown {
		return holds, nil
	}
	if t.g.isReal(t.g.m, from) {
		t.room.now, err = t.g.state(from, t.room.now)
		if err != nil {
			return false, err
		}
		t.room.next, err = t.g.state(to, t.room.next)
		if err != nil {
			return false, err
		}
		holds, err = t.g.holds(t.of, from, t.room.now, t.room.next)
		if err != nil {
			return false, err
		}
	}
	t.known[key] = holds
	return holds, nil
}

// advice returns the advice to add a set of conditions.
func (a *adviser) advice(set []*candidate) (found *Advice, err error) {
	found = &Advice{Conjuncts: []string{}}
	found.Specification, found.Formula, err = a.g.s.Specified()
	if err != nil {
		return nil, err
	}
	var all []tlaplus.Fairness
	for _, c := range set {
		found.Conjuncts = append(found.Conjuncts, c.action.Fair(c.strong))
		all = append(all, tlaplus.Fairness{Action: c.action, IsStrong: c.strong})
	}
	found.PlusCal, err = a.g.s.InPlusCal(all)
	return found, err
}
