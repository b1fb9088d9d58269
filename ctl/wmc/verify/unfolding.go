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
func (c *checker) checkUnfolding(n *node, about ctl.Index) {
	f := c.c.Nodes[about]
	refuse := func(format string, args ...any) {
		fail("%s: %s", f.Formula, fmt.Sprintf(format, args...))
	}
	if n.Left != nil || n.Right != nil {
		refuse("has evidence of one step")
	}
	for _, fr := range n.Frontiers {
		fr.Reached.within(c.m.NumStates(), f.Formula.String()+": ")
		// With a last transition, wmc evaluates the operands in the opposite order.
		first, second := fr.Right, fr.Left
		one, two := f.Right, f.Left
		if f.Last != ctl.NoLast {
			first, second, one, two = second, first, two, one
		}
		c.checkNode(first, one)
		c.checkNode(second, two)
	}
	c.mark(n, about, refuse)
	c.checkFrontiers(n, about, refuse)
	for s := range n.Visited.each {
		c.checkState(n, about, s)
	}
	for s := range n.Holds.each {
		c.decided[about][s] = good
	}
	for s := range n.Fails.each {
		c.decided[about][s] = bad
	}
	c.clear(n)
}

// mark records the claims about each visited state.
func (c *checker) mark(n *node, about ctl.Index, refuse func(string, ...any)) {
	for s := range n.Visited.each {
		if c.decided[about][s] != undecided {
			refuse("visited state %d, where it was decided before", s)
		}
		c.part[s] = visited
	}
	into := func(states set, bit uint8) {
		for s := range states.each {
			if c.part[s]&visited == 0 {
				refuse("state %d is judged, and was not visited", s)
			}
			if c.part[s]&bit != 0 {
				refuse("state %d has two ranks", s)
			}
			c.part[s] |= bit
		}
	}
	for _, of := range []struct {
		states set
		bit    uint8
	}{{n.Q, inQ}, {n.P, inP}, {n.Holds, holding}, {n.Fails, failing}} {
		into(of.states, of.bit)
	}
	for r, states := range n.Ranks {
		states.within(c.m.NumStates(), c.c.Nodes[about].Formula.String()+": ")
		into(states, ranked)
		for s := range states.each {
			c.rank[s] = uint32(r)
		}
	}
}

// clear removes what mark recorded.
func (c *checker) clear(n *node) {
	for _, s := range c.leaves {
		c.part[s] = 0
	}
	c.leaves = c.leaves[:0]
	for s := range n.Visited.each {
		c.part[s], c.rank[s] = 0, 0
	}
}

// checkFrontiers checks that the visited states are those that the frontiers reach.
func (c *checker) checkFrontiers(n *node, about ctl.Index, refuse func(string, ...any)) {
	f := c.c.Nodes[about]
	left := 0 // the number of visited states that no frontier has reached yet
	for range n.Visited.each {
		left++
	}
	if len(n.Frontiers) == 0 || !equal(n.Frontiers[0].Reached, n.Asked) {
		refuse("the first frontier is not what was asked about")
	}
	for i, fr := range n.Frontiers {
		var onward []lts.State // the states of P among the new states of the frontier
		for s := range fr.Reached.each {
			switch part := c.part[s]; {
			case part&met != 0:
			case c.decided[about][s] != undecided:
				c.part[s] = met
				c.leaves = append(c.leaves, s)
			case part&visited == 0:
				refuse("state %d is on a frontier, and was not visited", s)
			default:
				c.part[s] |= met
				left--
				if part&inP != 0 {
					onward = append(onward, s)
				}
			}
		}
		var next set
		if i+1 < len(n.Frontiers) {
			next = n.Frontiers[i+1].Reached
		} else if len(onward) > 0 && n.Early {
			break
		}
		c.checkReached(f.Labels, onward, next, refuse)
		if n.Early && i+1 == len(n.Frontiers) {
			refuse("ended early, and has no states to go on from")
		}
	}
	if left > 0 {
		refuse("visited states that no frontier reaches")
	}
}

// checkReached checks that a frontier has exactly the targets of transitions from these states.
func (c *checker) checkReached(l ctl.Labels, from []lts.State, reached set, refuse func(string, ...any)) {
	unseen := map[lts.State]bool{}
	for _, s := range from {
		labels, targets := c.m.Out(s)
		for i, t := range targets {
			if c.has(l, labels.At(i)) {
				unseen[t] = true
			}
		}
	}
	for s := range reached.each {
		if !unseen[s] {
			refuse("state %d is on a frontier, and nothing leads there", s)
		}
		delete(unseen, s)
	}
	if len(unseen) > 0 {
		refuse("a frontier does not have all states that transitions lead to")
	}
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
func (c *checker) checkState(n *node, about ctl.Index, s lts.State) {
	f, part := c.c.Nodes[about], c.part[s]
	own := c.partOf(f, s)
	release := f.Op == ctl.Release
	byRank := part & holding
	if release {
		byRank = part & failing
	}
	switch {
	case part&(inQ|inP) != own:
		fail("%s in state %d: Q or P is not what follows from its operands", f.Formula, s)
	case part&holding != 0 && part&failing != 0:
		fail("%s in state %d: claimed to hold, and not to", f.Formula, s)
	case own == inQ && part&holding == 0, own == 0 && part&failing == 0, !n.Early && part&(holding|failing) == 0:
		fail("%s in state %d: decided, and not claimed to be", f.Formula, s)
	case (byRank != 0) != (part&ranked != 0):
		fail("%s in state %d: has a rank and needs none, or needs one", f.Formula, s)
	case own == inQ && part&failing != 0, own == 0 && part&holding != 0:
		c.wrong(about, s, part&holding != 0)
	case own != inP && byRank != 0 && c.rank[s] != 0:
		fail("%s in state %d: decided by itself, and has rank %d", f.Formula, s, c.rank[s])
	case n.Early && own == inP && part&(holding|failing) != 0 && (part&holding != 0) != (f.Path == ctl.Some):
		fail("%s in state %d: cannot be decided by an unfolding that ended early", f.Formula, s)
	case own == inP && part&(holding|failing) == 0 && c.decides(f, about, s):
		fail("%s in state %d: decided by a successor, and not claimed to be", f.Formula, s)
	case own != inP || part&(holding|failing) == 0:
		return
	}
	some := f.Path == ctl.Some
	if byRank != 0 {
		// Induction on the rank shows that a state with a rank satisfies an Until, or violates a
		// Release.
		rank, follows := c.rankOf(f, about, s, some != release)
		if !follows {
			c.wrong(about, s, !release)
		}
		if c.rank[s] != rank {
			fail("%s in state %d: rank %d, where %d follows", f.Formula, s, c.rank[s], rank)
		}
		return
	}
	if !c.stays(f, about, s, some != release) {
		c.wrong(about, s, release)
	}
}

// partOf returns inQ, inP or 0 for a state, by the results for the operands.
func (c *checker) partOf(f ctl.Node, s lts.State) uint8 {
	if f.Last != ctl.NoLast {
		if !c.known(f.Left, s) {
			return 0
		}
		return c.lastOf(f, s)
	}
	switch right := c.known(f.Right, s); {
	case right && f.Op == ctl.Until:
		return inQ
	case !right && f.Op == ctl.Release:
		return 0
	}
	switch left := c.known(f.Left, s); {
	case !left && f.Op == ctl.Until:
		return 0
	case left && f.Op == ctl.Release:
		return inQ
	}
	return inP
}

// lastOf returns inQ if some transition of a state (for E) or all of them (for A) are last ones,
// otherwise inP.
func (c *checker) lastOf(f ctl.Node, s lts.State) uint8 {
	labels, targets := c.m.Out(s)
	lasts := 0
	for i, t := range targets {
		if c.has(f.Last, labels.At(i)) && c.known(f.Right, t) {
			lasts++
		}
	}
	if lasts > 0 && (f.Path == ctl.Some || lasts == len(targets)) {
		return inQ
	}
	return inP
}

// isLast reports whether a transition is a last one: its label matches Last, and the right operand
// holds in its target.
func (c *checker) isLast(f ctl.Node, label lts.Label, to lts.State) bool {
	return f.Last != ctl.NoLast && c.has(f.Last, label) && c.verdict(f.Right, to) == good
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
