package counterexample

import (
	"errors"

	"github.com/inev-lts/inev/lts"
)

// strategy makes the searches for loops cheaper once they have become dear: it leaves out
// beginnings from which no loop has to be looked for, or finds all loops that matter by itself.
type strategy interface {
	// due reports whether the searches have cost so much that it pays to take the strategy, or to
	// take it again, before a loop is looked for.
	due(at beginning) bool
	// take does so. What follows in the round may have to begin anew.
	take(at beginning) (then, error)
	// skips reports whether the strategy knows that no loop from there matters.
	skips(at beginning) (bool, error)
}

// beginning is where a loop may begin: at a node, without labels of step m+1. The lasso may have
// at most most transitions.
type beginning struct {
	node, distance int
	state          lts.State
	m, most        int
}

// then says how a round goes on.
type then uint8

const (
	goOn      then = iota
	beginAnew      // with the first state
	allKnown       // all that the round can find is known
)

// inOrder returns all strategies, in the order in which they are taken: each is due only when
// those before it are in use, and still dear. Of the states they leave
//
//   - heads, those with a transition from a state that is no nearer;
//   - a decision, none if there is no counterexample at all, and else those of few components;
//   - a sieve, those that distances inside the model do not show to be on no short loop;
//   - separators, none: they find the loop by searches from few states that all loops pass;
//   - together, the heads that a search from 64 at once does not show to be in vain.
func (s *shortest) inOrder() strategies {
	return strategies{byHeads{s}, byDecision{s}, bySieve{s}, bySeparators{s}, byTogether{s}}
}

// escalation is what the strategies have to know of each other.
type escalation struct {
	// heads are nil as long as loops are looked for from all states.
	heads *heads
	// sieve is nil until searches from heads become dear. It is in use where it has been
	// sifted in this round; sifted is what the searches had cost when that was done, or
	// the round began, and patience how much more they may cost before it is.
	sieve            *sieve
	inUse            bool
	sifted, patience int
	// tried tells that separators were looked for since states were sifted, separated that
	// searches from them have told all of loops that there is to know in this round, and dearer
	// how many times as dear each of those is as one from a head.
	tried, separated bool
	dearer           int
	// together is nil until the search starts from many heads, or separators, at once; searched is
	// the number of the last search at the time of the last sifting.
	together *together
	searched uint32
	// bound is that of the round, done that of the round before.
	bound, done int
}

// strategies are in the order in which they are taken.
type strategies []strategy

// escalate takes the first strategy that is due.
func (s strategies) escalate(at beginning) (then, error) {
	for _, x := range s {
		if x.due(at) {
			if next, err := x.take(at); err != nil || next != goOn {
				return next, err
			}
		}
	}
	return goOn, nil
}

// skip reports whether some strategy knows that no loop from there matters.
func (s strategies) skip(at beginning) (bool, error) {
	for _, x := range s {
		if skips, err := x.skips(at); err != nil || skips {
			return skips, err
		}
	}
	return false, nil
}

// byHeads looks for loops from heads only: see [heads].
type byHeads struct{ *shortest }

func (x byHeads) due(beginning) bool { return x.heads == nil && x.goal == nil && x.dear() }

func (x byHeads) take(beginning) (then, error) {
	x.bounded.forget()
	return beginAnew, x.seekHeads()
}

func (x byHeads) skips(at beginning) (bool, error) { return !x.heads.wanted(at.state, at.m), nil }

// byDecision finds out whether there is any counterexample: see [decision].
type byDecision struct{ *shortest }

func (x byDecision) due(beginning) bool {
	return x.heads != nil && !x.decided && x.best == infinite && x.options.Components == nil &&
		x.bounded.work-x.bounded.begun > x.m.NumTransitions()/4+16
}

func (x byDecision) take(beginning) (then, error) {
	if err := x.decide(); err != nil || !x.holds {
		return goOn, err
	}
	return allKnown, nil
}

func (byDecision) skips(beginning) (bool, error) { return false, nil }

// bySieve leaves out states that are on no loop short enough: see [sieve].
type bySieve struct{ *shortest }

func (x bySieve) due(at beginning) bool {
	return x.long(at.m) && (!x.inUse || at.most < x.sieve.bound)
}

func (x bySieve) take(at beginning) (next then, err error) {
	if x.best == infinite {
		x.bounded.forget()
		x.bound, err = x.sift(x.done+1, x.bound)
		return beginAnew, err
	}
	_, err = x.sift(at.most, at.most)
	return goOn, err
}

func (x bySieve) skips(at beginning) (bool, error) {
	if !x.inUse || x.sieve.left[at.m].Has(at.state) {
		return false, nil
	}
	x.bounded.cut = x.bounded.cut || x.sieve.cut
	return true, nil
}

// bySeparators finds the loop by searches from few states: see [separators].
type bySeparators struct{ *shortest }

func (x bySeparators) due(at beginning) bool { return x.inUse && !x.tried && x.long(at.m) }

func (x bySeparators) take(at beginning) (then, error) {
	x.tried = true
	done, err := x.separate(at.most)
	if x.separated = done; errors.Is(err, errLimit) {
		x.stopped, err = true, nil
	}
	if err == nil && (x.separated || x.stopped) {
		return allKnown, nil
	}
	return goOn, err
}

func (bySeparators) skips(beginning) (bool, error) { return false, nil }

// byTogether searches from many heads at once: see [together].
type byTogether struct{ *shortest }

func (byTogether) due(beginning) bool { return false }

func (byTogether) take(beginning) (then, error) { return goOn, nil }

func (x byTogether) skips(at beginning) (bool, error) {
	if !x.inUse || !x.tried {
		return false, nil
	}
	vain, err := x.inVain(at.node, at.distance, at.m, at.most)
	if err != nil || !vain {
		return false, err
	}
	x.bounded.cut = true
	return true, nil
}

// sift finds what may be on the loops of lassos of at most bound transitions or, as long as
// there is none, for the bound that [sieve.narrow] finds from least on, which it returns.
func (s *shortest) sift(least, bound int) (_ int, err error) {
	if s.sieve == nil {
		if s.sieve, err = newSieve(s); err != nil {
			return bound, err
		}
	}
	if s.best == infinite {
		bound, err = s.sieve.narrow(least, bound)
	} else {
		err = s.sieve.sift(bound)
	}
	s.inUse, s.tried, s.sifted, s.searched = true, false, s.bounded.work, s.bounded.search
	s.together.forget()
	return bound, err
}

// dear reports whether the searches for loops have cost so much that it pays to look
// at all of the model.
func (s *shortest) dear() bool { return s.bounded.work > s.m.NumTransitions()/4+16 }

// long reports whether the searches from heads have gone on, since the round began or was
// sifted, for longer than it takes to sift.
func (s *shortest) long(m int) bool {
	return s.heads != nil && s.cyclic[m] != nil && s.bounded.work-s.sifted > s.patience
}
