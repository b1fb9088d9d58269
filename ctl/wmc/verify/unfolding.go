package verify

import (
	"fmt"

	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/lts"
)

// The claims about a visited state of an unfolding.
const (
	visited uint8 = 1 << iota
	inQ
	inP
	holding
	failing
	ranked
	met // an earlier frontier has the state
)

// checkUnfolding checks a node about an Until or a Release, and adds its results.
func (c *checker) checkUnfolding(n *node, about ctl.Index) (err error) {
	f := c.c.Nodes[about]
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s", f.Formula, fmt.Sprintf(format, args...))
	}
	if n.Left != nil || n.Right != nil {
		return refuse("has evidence of one step")
	}
	for _, fr := range n.Frontiers {
		if err := fr.Reached.within(c.m.NumStates()); err != nil {
			return refuse("%v", err)
		}
		// With a last transition, wmc evaluates the operands in the opposite order.
		first, second := fr.Right, fr.Left
		one, two := f.Right, f.Left
		if f.Last != ctl.NoLast {
			first, second, one, two = second, first, two, one
		}
		if err := c.checkNode(first, one); err != nil {
			return err
		}
		if err := c.checkNode(second, two); err != nil {
			return err
		}
	}
	defer func() { err = c.clear(n, err) }()
	if err := c.mark(n, about, refuse); err != nil {
		return err
	}
	if err := c.checkFrontiers(n, about, refuse); err != nil {
		return err
	}
	if err := n.Visited.each(func(s lts.State) error { return c.checkState(n, about, s) }); err != nil {
		return err
	}
	_ = n.Holds.each(func(s lts.State) error { c.decide(about, s, good); return nil })
	return n.Fails.each(func(s lts.State) error { c.decide(about, s, bad); return nil })
}

// mark records the claims about each visited state.
func (c *checker) mark(n *node, about ctl.Index, refuse func(string, ...any) error) error {
	err := n.Visited.each(func(s lts.State) error {
		if c.decided[about][s] != undecided {
			return refuse("visited state %d, where it was decided before", s)
		}
		c.part[s] = visited
		return nil
	})
	if err != nil {
		return err
	}
	into := func(states set, bit uint8) error {
		return states.each(func(s lts.State) error {
			if c.part[s]&visited == 0 {
				return refuse("state %d is judged, and was not visited", s)
			}
			if c.part[s]&bit != 0 {
				return refuse("state %d has two ranks", s)
			}
			c.part[s] |= bit
			return nil
		})
	}
	for _, of := range []struct {
		states set
		bit    uint8
	}{{n.Q, inQ}, {n.P, inP}, {n.Holds, holding}, {n.Fails, failing}} {
		if err := into(of.states, of.bit); err != nil {
			return err
		}
	}
	for r, states := range n.Ranks {
		if err := states.within(c.m.NumStates()); err != nil {
			return refuse("%v", err)
		}
		if err := into(states, ranked); err != nil {
			return err
		}
		_ = states.each(func(s lts.State) error { c.rank[s] = uint32(r); return nil })
	}
	return nil
}

// clear removes what mark recorded.
func (c *checker) clear(n *node, err error) error {
	if err != nil {
		return err // nothing is checked after an error
	}
	for _, s := range c.leaves {
		c.part[s] = 0
	}
	c.leaves = c.leaves[:0]
	return n.Visited.each(func(s lts.State) error {
		c.part[s], c.rank[s] = 0, 0
		return nil
	})
}

// checkFrontiers checks that the visited states are those that the frontiers reach.
func (c *checker) checkFrontiers(n *node, about ctl.Index, refuse func(string, ...any) error) error {
	f := c.c.Nodes[about]
	left := 0 // the number of visited states that no frontier has reached yet
	_ = n.Visited.each(func(lts.State) error { left++; return nil })
	if len(n.Frontiers) == 0 || !equal(n.Frontiers[0].Reached, n.Asked) {
		return refuse("the first frontier is not what was asked about")
	}
	for i, fr := range n.Frontiers {
		var onward []lts.State // the states of P among the new states of the frontier
		err := fr.Reached.each(func(s lts.State) error {
			switch part := c.part[s]; {
			case part&met != 0:
			case c.decided[about][s] != undecided:
				c.part[s] = met
				c.leaves = append(c.leaves, s)
			case part&visited == 0:
				return refuse("state %d is on a frontier, and was not visited", s)
			default:
				c.part[s] |= met
				left--
				if part&inP != 0 {
					onward = append(onward, s)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		var next set
		if i+1 < len(n.Frontiers) {
			next = n.Frontiers[i+1].Reached
		} else if len(onward) > 0 && n.Early {
			break
		}
		if err := c.checkReached(f.Labels, onward, next, refuse); err != nil {
			return err
		}
		if n.Early && i+1 == len(n.Frontiers) {
			return refuse("ended early, and has no states to go on from")
		}
	}
	if left > 0 {
		return refuse("visited states that no frontier reaches")
	}
	return nil
}

// checkReached checks that a frontier has exactly the targets of transitions from these states.
func (c *checker) checkReached(l ctl.Labels, from []lts.State, reached set, refuse func(string, ...any) error) error {
	unseen := map[lts.State]bool{}
	for _, s := range from {
		labels, targets := c.m.Out(s)
		for i, t := range targets {
			if c.has(l, labels.At(i)) {
				unseen[t] = true
			}
		}
	}
	err := reached.each(func(s lts.State) error {
		if !unseen[s] {
			return refuse("state %d is on a frontier, and nothing leads there", s)
		}
		delete(unseen, s)
		return nil
	})
	if err == nil && len(unseen) > 0 {
		err = refuse("a frontier does not have all states that transitions lead to")
	}
	return err
}

func equal(a, b set) bool {
	// The two sets may be divided into intervals differently.
	var i, j int
	var cut, other lts.State
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		x[0], y[0] = max(x[0], cut), max(y[0], other)
		if x[0] != y[0] {
			return false
		}
		end := min(x[1], y[1])
		if end == x[1] {
			i++
		}
		if end == y[1] {
			j++
		}
		cut, other = end+1, end+1
	}
	return i == len(a) && j == len(b)
}

// checkState checks the claim about a visited state.
func (c *checker) checkState(n *node, about ctl.Index, s lts.State) error {
	f, part := c.c.Nodes[about], c.part[s]
	own, err := c.partOf(f, s)
	if err != nil {
		return err
	}
	release := f.Op == ctl.Release
	byRank := part & holding
	if release {
		byRank = part & failing
	}
	switch {
	case part&(inQ|inP) != own:
		return fmt.Errorf("%s in state %d: Q or P is not what follows from its operands", f.Formula, s)
	case part&holding != 0 && part&failing != 0:
		return fmt.Errorf("%s in state %d: claimed to hold, and not to", f.Formula, s)
	case own == inQ && part&holding == 0, own == 0 && part&failing == 0, !n.Early && part&(holding|failing) == 0:
		return fmt.Errorf("%s in state %d: decided, and not claimed to be", f.Formula, s)
	case (byRank != 0) != (part&ranked != 0):
		return fmt.Errorf("%s in state %d: has a rank and needs none, or needs one", f.Formula, s)
	case own == inQ && part&failing != 0, own == 0 && part&holding != 0:
		return c.wrong(about, s, part&holding != 0)
	case own != inP && byRank != 0 && c.rank[s] != 0:
		return fmt.Errorf("%s in state %d: decided by itself, and has rank %d", f.Formula, s, c.rank[s])
	case n.Early && own == inP && part&(holding|failing) != 0 && (part&holding != 0) != (f.Path == ctl.Some):
		return fmt.Errorf("%s in state %d: cannot be decided by an unfolding that ended early", f.Formula, s)
	case own == inP && part&(holding|failing) == 0 && c.decides(f, about, s):
		return fmt.Errorf("%s in state %d: decided by a successor, and not claimed to be", f.Formula, s)
	case own != inP || part&(holding|failing) == 0:
		return nil
	}
	some := f.Path == ctl.Some
	if byRank != 0 {
		// Induction on the rank shows that a state with a rank satisfies an Until, or violates a
		// Release.
		rank, follows := c.rankOf(f, about, s, some != release)
		if !follows {
			return c.wrong(about, s, !release)
		}
		if c.rank[s] != rank {
			return fmt.Errorf("%s in state %d: rank %d, where %d follows", f.Formula, s, c.rank[s], rank)
		}
		return nil
	}
	if !c.stays(f, about, s, some != release) {
		return c.wrong(about, s, release)
	}
	return nil
}

// partOf returns inQ, inP or 0 for a state, by the results for the operands.
func (c *checker) partOf(f ctl.Node, s lts.State) (uint8, error) {
	first, second := f.Right, f.Left
	if f.Last != ctl.NoLast {
		first, second = f.Left, ctl.Index(0)
	}
	one, err := c.known(first, s)
	switch {
	case err != nil:
		return 0, err
	case f.Last != ctl.NoLast && !one, f.Op == ctl.Release && !one:
		return 0, nil
	case f.Op == ctl.Until && f.Last == ctl.NoLast && one:
		return inQ, nil
	case f.Last != ctl.NoLast:
		return c.lastOf(f, s)
	}
	two, err := c.known(second, s)
	switch {
	case err != nil:
		return 0, err
	case f.Op == ctl.Until && !two:
		return 0, nil
	case f.Op == ctl.Release && two:
		return inQ, nil
	}
	return inP, nil
}

// lastOf returns inQ if some transition of a state (for E) or all of them (for A) are last ones,
// otherwise inP.
func (c *checker) lastOf(f ctl.Node, s lts.State) (uint8, error) {
	labels, targets := c.m.Out(s)
	lasts := 0
	for i, t := range targets {
		if !c.has(f.Last, labels.At(i)) {
			continue
		}
		is, err := c.known(f.Right, t)
		if err != nil {
			return 0, err
		}
		if is {
			lasts++
		}
	}
	if lasts > 0 && (f.Path == ctl.Some || lasts == len(targets)) {
		return inQ, nil
	}
	return inP, nil
}

// isLast reports whether a transition is a last one: its label matches Last, and the right operand
// holds in its target.
func (c *checker) isLast(f ctl.Node, label lts.Label, to lts.State) bool {
	if f.Last == ctl.NoLast || !c.has(f.Last, label) {
		return false
	}
	holds, err := c.known(f.Right, to)
	return holds && err == nil
}

// claimed returns the earlier result for a state or else the claim about it, and the rank if it has
// one.
func (c *checker) claimed(about ctl.Index, s lts.State) (verdict, uint32) {
	if v := c.decided[about][s]; v != undecided {
		return v, 0
	}
	switch {
	case c.part[s]&holding != 0:
		return good, c.rank[s]
	case c.part[s]&failing != 0:
		return bad, c.rank[s]
	}
	return undecided, 0
}

// rankOf returns the rank that a state of P must have, from some or from all of its successors.
// Only claims to satisfy an Until or to violate a Release have ranks.
func (c *checker) rankOf(f ctl.Node, about ctl.Index, s lts.State, some bool) (rank uint32, follows bool) {
	want := good
	if f.Op == ctl.Release {
		want = bad
	}
	labels, targets := c.m.Out(s)
	found := false
	for i, t := range targets {
		if c.isLast(f, labels.At(i), t) {
			continue
		}
		v, r := undecided, uint32(0)
		if c.has(f.Labels, labels.At(i)) {
			v, r = c.claimed(about, t)
		}
		switch {
		case v != want && !some:
			return 0, false
		case v != want:
		case !found, some && r+1 < rank, !some && r+1 > rank:
			found, rank = true, r+1
		}
	}
	return rank, found
}

// decides reports whether a state of P without a claim, in an unfolding that ended early, needs a
// claim: one successor that satisfies the formula is enough for E, one that violates it for A, and
// so is a deadlock for E of a Release and for A of an Until.
func (c *checker) decides(f ctl.Node, about ctl.Index, s lts.State) bool {
	want := good
	if f.Path == ctl.All {
		want = bad
	}
	labels, targets := c.m.Out(s)
	for i, t := range targets {
		if c.part[t] != 0 && c.has(f.Labels, labels.At(i)) {
			if v, _ := c.claimed(about, t); v == want {
				return true
			}
		}
	}
	return len(targets) == 0 && (f.Op == ctl.Until) == (f.Path == ctl.All)
}

// stays reports whether the successors of a state of P allow a claim without a rank: to violate an
// Until, or to satisfy a Release. With byAll, the claim depends on all successors, otherwise on
// one.
func (c *checker) stays(f ctl.Node, about ctl.Index, s lts.State, byAll bool) bool {
	want := bad
	if f.Op == ctl.Release {
		want = good
	}
	labels, targets := c.m.Out(s)
	for i, t := range targets {
		by := c.has(f.Labels, labels.At(i))
		v := undecided
		if by {
			v, _ = c.claimed(about, t)
		}
		switch {
		case byAll && by && v != want:
			return false
		case !byAll && (!by || v == want) && !c.isLast(f, labels.At(i), t):
			return true
		}
	}
	return byAll || len(targets) == 0
}
