package counterexample

import (
	"errors"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
)

// settle looks for the shortest counterexample within the bound that
// ends at node i, or whose loop begins there.
func (s *shortest) settle(i, distance int) (then, error) {
	at := *s.nodes.At(i)
	if s.m.IsDeadlock(at.state) {
		if distance < s.best && s.goal.reached(at.state) {
			s.improve(distance, i, nil)
		}
		return goOn, nil
	}
	if !s.mayLoop(at.state) {
		return goOn, nil
	}
	for m := int(at.progress); m <= int(at.upTo) && distance+1 < s.best && !s.separated; m++ {
		// Before anything else, for this is all that most states cost.
		if !s.heads.wanted(at.state, m) {
			s.bounded.finish(at.state, m)
			continue
		}
		from := beginning{node: i, distance: distance, state: at.state, m: m, most: min(s.bound, s.best-1)}
		if next, err := s.strategies.escalate(from); err != nil || next != goOn {
			return next, err
		}
		skips, err := s.strategies.skip(from)
		if err == nil && skips {
			s.bounded.finish(at.state, m)
			continue
		}
		if err == nil {
			err = s.lookFrom(from)
		}
		switch {
		case errors.Is(err, errLimit):
			s.stopped = true
			return goOn, nil
		case errors.Is(err, errSpent):
			return byHeads{s}.take(from)
		case err != nil:
			return goOn, err
		}
	}
	return goOn, nil
}

// mayLoop reports whether a state is on a loop, as far as its component is known.
func (s *shortest) mayLoop(state lts.State) bool {
	if s.bounded.c == nil || s.goal != nil {
		return true
	}
	c, met := s.bounded.c.Of(state)
	return met && s.bounded.c.IsCyclic(c)
}

// lookFrom looks for the shortest loop that makes a lasso shorter than the best one.
func (s *shortest) lookFrom(at beginning) error {
	radius := infinite
	if at.most < infinite-1 {
		radius = at.most - at.distance
	}
	cut := s.bounded.cut
	s.bounded.cut = s.inUse && s.sieve.cut
	cycle, err := s.closeLoop(at.state, at.m, radius)
	if err != nil {
		return err
	}
	if cycle != nil {
		s.improve(at.distance+len(cycle), at.node, cycle)
		s.avoids, s.backwards = at.m, s.bounded.backwards
	} else if s.heads != nil && !s.bounded.cut {
		s.heads.hopeless[at.m].Add(at.state)
	}
	s.bounded.cut = s.bounded.cut || cut
	return nil
}

// improve makes the best counterexample the one that ends at node i, or goes round
// the cycle from there.
func (s *shortest) improve(length, i int, cycle []lts.Transition) {
	s.best, s.end, s.cycle = length, i, cycle
	s.found++
	s.heads.drop(length)
}

// closeLoop returns a shortest loop of at most radius transitions from a state,
// without labels of step m+1; nil if there is none, or where an earlier search
// has found one that makes a shorter counterexample.
func (s *shortest) closeLoop(state lts.State, m, radius int) ([]lts.Transition, error) {
	if end, is := s.goal.closing(state); is && end != state {
		return s.bounded.shortestPath(state, end, m, radius, func(t lts.State) bool { return s.goal.same(state, t) })
	} else if !is {
		return nil, nil
	}
	for s.cyclic[m] == nil {
		if c := s.bounded.c; c != nil {
			if component, _ := c.Of(state); !c.IsCyclic(component) {
				return nil, nil
			}
		}
		if !s.bounded.spent() {
			cycle, err := s.bounded.shortestCycle(state, m, radius, nil)
			if !errors.Is(err, errSpent) || s.heads == nil && s.goal == nil {
				return cycle, err
			}
		}
		if err := s.learn(m); err != nil {
			return nil, err
		}
	}
	if !s.cyclic[m].Has(state) {
		return nil, nil
	}
	if s.inUse {
		return s.bounded.shortestCycle(state, m, radius, s.sieve.left[m])
	}
	return s.bounded.shortestCycle(state, m, radius, s.cyclic[m])
}

// learn finds the components of the model or, where they are known, the states on
// cycles without labels of step m+1.
func (s *shortest) learn(m int) (err error) {
	if s.bounded.c == nil {
		s.bounded.c, err = scc.Find(s.ctx, s.m, s.options.Engine)
		return err
	}
	_, err = s.onCycle(m)
	return err
}

// onCycle returns the states on cycles without labels of step m+1.
func (s *shortest) onCycle(m int) (bitset.Set[lts.State], error) {
	if s.cyclic[m] != nil {
		return s.cyclic[m], nil
	}
	on, err := s.bounded.c.OnCycle(s.ctx, func(l lts.Label) bool { return s.p.Does(l, m+1) })
	if err != nil {
		return nil, err
	}
	s.cyclic[m] = bitset.New[lts.State](len(on))
	for state, is := range on {
		if is {
			s.cyclic[m].Add(lts.State(state))
		}
	}
	return s.cyclic[m], nil
}

// firstCycle makes the loop of the best counterexample the first one in the order
// of the model, where it was found backwards. No loop that is as short passes a
// state whose cycles have been looked for, since a lasso that begins its loop
// there would have been found: so all states may be passed.
func (s *shortest) firstCycle() error {
	if !s.backwards || s.cycle == nil || s.goal != nil || s.stopped {
		return nil
	}
	start := s.nodes.At(s.end).state
	cycle, err := s.bounded.firstCycle(start, s.avoids, len(s.cycle), s.cyclic[s.avoids])
	if err == nil {
		s.cycle = cycle
	}
	return err
}
