package liveness

import (
	"cmp"
	"context"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/tlaplus"
	"github.com/inev-lts/inev/lts"
)

// Advice is the fairness that a specification lacks for a property.
type Advice struct {
	// Conjuncts are what Spec needs besides what it says, as a module can have them: the fewest that are enough, with WF before
	// SF, and about the fewest instances of actions. It is empty if no such conditions are known.
	Conjuncts []string
	// Specification is the name of the definition to which the conjuncts are to be added; "" if the configuration names none, and
	// then Formula is what such a definition says without them.
	Specification, Formula string
	// PlusCal is the change of an algorithm in PlusCal that adds the only conjunct; "" if there is none.
	PlusCal string
	// Unhelpful reports that no fairness of actions that Next is made of is enough, and AlmostSurely that full fairness is.
	Unhelpful, AlmostSurely bool
}

// Violation finds a run that violates what a question asks, and that is fair to what the question
// assumes. The loop has the transitions that the run takes again and again; it is nil if the run has
// violated the property before, however it continues.
type Violation func(q Question) (loop []lts.Transition, isViolated bool, err error)

const (
	// mostConjuncts is the largest number of conjuncts that advice has.
	mostConjuncts = 3
	// mostTries is the largest number of sets of conditions that are tried, and mostTried bounds the
	// transitions of all graphs on which they are tried.
	mostTries = 100
	mostTried = 4_000_000
)

// IsKnown reports whether there is something to tell.
func (a *Advice) IsKnown() bool { return a != nil && (len(a.Conjuncts) > 0 || a.Unhelpful) }

// Lacking returns the smallest fairness that makes some instances hold, all at once, if it is added to
// Spec; nil if none of them is violated. It chooses among the actions that Next is made of. The advice
// is empty if none is found within the limits. Lacking fails if ctx is done, and with the errors of
// find. Cost: at most mostTries searches.
func (g *Graph) Lacking(ctx context.Context, all []Instance, find Violation) (*Advice, error) {
	if g.merging != nil || g.wrong != nil {
		return nil, nil
	}
	var about []Instance
	for _, i := range all {
		if !isSafety(i.of) {
			about = append(about, i)
			continue
		}
		q, err := g.Ask(ctx, i)
		if err != nil {
			return nil, err
		}
		_, isViolated, err := find(q)
		if isViolated || err != nil {
			return &Advice{}, err // fairness excuses no state and no step
		}
	}
	a := &adviser{
		g:         g,
		ctx:       ctx,
		instances: about,
		find:      find,
	}
	tries := min(mostTries, 1+mostTried/(1+g.m.NumTransitions()))
	for range tries {
		set, isPossible := a.cheapest()
		if !isPossible {
			return a.without()
		}
		loop, isViolated, err := a.try(set)
		switch {
		case err != nil:
			return nil, err
		case !isViolated && len(set) == 0:
			return nil, nil
		case !isViolated:
			return a.advice(set)
		case loop == nil:
			return &Advice{}, nil
		case a.candidates == nil:
			if err := a.findCandidates(); err != nil {
				return nil, err
			}
		}
		if err := a.learn(set, loop); err != nil {
			return nil, err
		}
	}
	return &Advice{}, nil
}

// candidate is fairness of an action that Next is made of.
type candidate struct {
	action  tlaplus.Subaction
	strong  bool
	isWhole bool // it is about the whole next-state relation, which has a name
	// conditions are the instances of a quantified condition.
	conditions []*tlaplus.Formula
	// isUnusable marks a condition that cannot be evaluated, or is about steps that the graph does not have.
	isUnusable bool
	// hits has a bit for each loop that violates the property and that the condition rules out.
	hits []bool
}

// adviser searches for the conditions. One of them has to rule out each violating loop: the next try is
// the cheapest set that rules out all loops known so far. Either this set is enough, or it leads to
// another loop.
type adviser struct {
	g          *Graph
	ctx        context.Context
	instances  []Instance
	find       Violation
	candidates []*candidate
	loops      int
	truths     map[string]*stepTruth
}

// findCandidates makes a candidate of weak and one of strong fairness of each action that Next is made of. It
// leaves out what cannot be read as fairness.
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
			// A part that is not fairness is nil.
			conditions := fairnessOf(nil, f)
			if len(conditions) == 0 || slices.Contains(conditions, nil) {
				continue
			}
			a.candidates = append(a.candidates, &candidate{
				action:     action,
				strong:     strong,
				isWhole:    i == 0 && action.Of != "", // Subactions begins with the next-state relation
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

// price orders sets of conditions: fewer are better, then those with fewer SF, then those about fewer instances, then those about
// the whole next-state relation by its name, then the shorter ones.
type price struct{ conjuncts, strong, instances, parts, length int }

func (p price) compare(q price) int {
	return cmp.Or(p.conjuncts-q.conjuncts, p.strong-q.strong, p.instances-q.instances,
		p.parts-q.parts, p.length-q.length)
}

// with returns the price of a set with one more condition.
func (p price) with(c *candidate) price {
	p.conjuncts++
	p.instances += len(c.conditions)
	p.length += len(c.action.Fair(c.strong))
	if c.strong {
		p.strong++
	}
	if !c.isWhole {
		p.parts++
	}
	return p
}

// cheapest returns the cheapest set of conditions that rules out all known loops, the first in their order; false if none of at
// most mostConjuncts does.
func (a *adviser) cheapest() (set []*candidate, exists bool) {
	if a.loops == 0 {
		return nil, true
	}
	best := price{conjuncts: mostConjuncts + 1}
	var search func(chosen []*candidate, so price)
	search = func(chosen []*candidate, so price) {
		if so.compare(best) >= 0 {
			return
		}
		open := a.firstOpen(chosen)
		if open < 0 {
			best = so
			set = slices.Clone(chosen)
			exists = true
			return
		}
		if so.conjuncts == min(mostConjuncts, best.conjuncts) {
			return
		}
		for _, c := range a.candidates {
			if !c.isUnusable && c.hits[open] {
				search(append(slices.Clone(chosen), c), so.with(c))
			}
		}
	}
	search(nil, price{})
	return set, exists
}

// firstOpen returns the number of the first loop that no condition of a set rules out; -1 if they rule out all.
func (a *adviser) firstOpen(set []*candidate) int {
	for n := range a.loops {
		if !slices.ContainsFunc(set, func(c *candidate) bool { return c.hits[n] }) {
			return n
		}
	}
	return -1
}

// isUnhelpful reports whether some loop is ruled out by no condition.
func (a *adviser) isUnhelpful() bool {
	for n := range a.loops {
		isHit := func(c *candidate) bool { return c.hits[n] }
		if !slices.ContainsFunc(a.candidates, isHit) {
			return true
		}
	}
	return false
}

// try asks for a violation of some instance under the fairness of Spec and further conditions. A
// condition that cannot be assumed becomes unusable; then try reports a violation with an empty loop.
func (a *adviser) try(set []*candidate) (loop []lts.Transition, isViolated bool, err error) {
	var more []fairness
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
			more = append(more, condition)
		}
	}
	for _, i := range a.instances {
		q, err := a.g.ask(a.ctx, i, more)
		if err != nil {
			return nil, false, err
		}
		loop, isViolated, err := a.find(q)
		if isViolated || err != nil {
			return loop, isViolated, err
		}
	}
	return nil, false, nil
}

// without returns the advice where no set of conditions is known to be enough.
func (a *adviser) without() (*Advice, error) {
	if !a.isUnhelpful() {
		return &Advice{}, nil
	}
	full, err := actl.ParseAssumption(a.ctx, actl.FullFairness.String())
	if err != nil {
		return nil, err
	}
	for _, i := range a.instances {
		q, err := a.g.Ask(a.ctx, i)
		if err != nil {
			return nil, err
		}
		q.Fair = append(q.Fair, full)
		_, isViolated, err := a.find(q)
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

// condition returns a condition as fairness to a set of transitions. It returns false if the graph lacks steps of its action, or if the
// action cannot be evaluated.
func (a *adviser) condition(f *tlaplus.Formula) (condition fairness, isUsable bool, err error) {
	bits, some, err := a.g.steps(a.ctx, f.Predicate)
	if a.ctx.Err() != nil {
		return fairness{}, false, a.ctx.Err()
	}
	if err != nil || !some {
		return fairness{}, false, nil
	}
	lacks, err := a.g.lacksSteps(a.ctx, f.Parts[1].Predicate, bits)
	if a.ctx.Err() != nil {
		return fairness{}, false, a.ctx.Err()
	}
	return fairness{
		name: f.Name + " (to be added)",
		of:   f,
		bits: bits,
	}, err == nil && !lacks, nil
}

// learn records which conditions rule out a loop that is fair to a set of conditions.
func (a *adviser) learn(set []*candidate, loop []lts.Transition) error {
	if len(loop) == 0 {
		return nil // a condition has become unusable
	}
	n := a.loops
	a.loops++
	for _, c := range a.candidates {
		c.hits = append(c.hits, false)
		if c.isUnusable || slices.Contains(set, c) {
			continue
		}
		for _, f := range c.conditions {
			isRuledOut, err := a.rulesOut(f, loop)
			if a.ctx.Err() != nil {
				return a.ctx.Err()
			}
			if err != nil {
				c.isUnusable = true
				break
			}
			c.hits[n] = c.hits[n] || isRuledOut
		}
	}
	return nil
}

// rulesOut reports whether no run that takes the transitions of a loop again and again, and no others, is fair to a condition.
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
		isEnabled := false
		_, targets := a.g.m.Out(step.From)
		for _, to := range targets {
			holds, err := t.holds(step.From, to)
			if err != nil {
				return false, err
			}
			isEnabled = isEnabled || holds
		}
		isEnabledSomewhere = isEnabledSomewhere || isEnabled
		isEnabledEverywhere = isEnabledEverywhere && isEnabled
	}
	if f.Operator == tlaplus.Strong {
		return isEnabledSomewhere, nil
	}
	return isEnabledEverywhere, nil
}

// stepTruth has the truth of a predicate of steps for those steps that were asked for.
type stepTruth struct {
	g     *Graph
	of    *tlaplus.Predicate
	known map[[2]lts.State]bool
	room  stateRoom
}

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
func (a *adviser) advice(set []*candidate) (made *Advice, err error) {
	made = &Advice{Conjuncts: []string{}}
	made.Specification, made.Formula, err = a.g.s.Specified()
	if err != nil {
		return nil, err
	}
	for _, c := range set {
		made.Conjuncts = append(made.Conjuncts, c.action.Fair(c.strong))
	}
	if len(set) == 1 {
		made.PlusCal, err = a.g.s.InPlusCal(set[0].action, set[0].strong)
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}
