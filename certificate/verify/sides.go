package verify

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostPairs is the number of pairs that a condition may take.
const mostPairs = 1 << 10

// ErrManyPairs reports that the condition of a property is too large for a certificate.
var ErrManyPairs = fmt.Errorf("the acceptance condition of the property takes more than %d pairs of Rabin's kind, too many for a certificate", mostPairs)

// Pairs returns a condition as a disjunction of pairs, by multiplying it out, the least ones
// first as they are met, without those in which a colour is to recur and not to; false if
// that takes too many. Each run that satisfies the condition satisfies one of them, and the
// other way round.
func Pairs(a property.Acceptance) ([]property.Pair, bool) {
	switch a.Operator() {
	case property.True:
		return []property.Pair{{}}, true
	case property.InfOp:
		return []property.Pair{{Inf: property.Mark(a.Colour())}}, true
	case property.FinOp:
		return []property.Pair{{Fin: property.Mark(a.Colour())}}, true
	case property.OrOp:
		var all []property.Pair
		for _, part := range a.Parts() {
			more, ok := Pairs(part)
			if all = append(all, more...); !ok || len(all) > mostPairs {
				return nil, false
			}
		}
		return all, true
	case property.AndOp:
		all := []property.Pair{{}}
		for _, part := range a.Parts() {
			more, ok := Pairs(part)
			var next []property.Pair
			for _, x := range all {
				for _, y := range more {
					both := property.Pair{Fin: x.Fin | y.Fin, Inf: x.Inf | y.Inf}
					if both.Fin&both.Inf == 0 {
						next = append(next, both)
					}
				}
				if !ok || len(next) > mostPairs {
					return nil, false
				}
			}
			all = next
		}
		return all, true
	}
	return nil, true
}

// checkSide checks from which places some run is of a side.
func (c *tableChecker) checkSide(x *side) error {
	homes := make([]home, len(x.banned))
	err := c.places(func(at int) error {
		if x.can[at] {
			return c.checkCan(x, at, homes)
		}
		return c.checkCannot(x, at)
	})
	if err != nil {
		return err
	}
	if err := c.checkRanks(x); err != nil {
		return err
	}
	return c.checkHomes(x, homes)
}

// checkCan checks that some run from a place is of the side: it ends, stays at home, or comes
// nearer to a place from which that is so.
func (c *tableChecker) checkCan(x *side, at int, homes []home) error {
	want := uint32(none)
	switch ends := c.m.IsDeadlock(c.state[at]); {
	case ends && x.home[at] > 0:
		return fmt.Errorf("place %s has a home, but ends in a deadlock", c.name(at))
	case ends && !x.stops(c.q[at]):
		return fmt.Errorf("place %s: a run that ends there is said to be what it is not", c.name(at))
	case int(x.home[at]) > len(homes):
		return fmt.Errorf("place %s has home %d of %d", c.name(at), x.home[at], len(homes))
	case ends || x.home[at] > 0:
		want = 0
	}
	err := c.successors(at, func(_ lts.Label, to int) error {
		if x.can[to] {
			want = min(want, x.settle[to]+1)
		}
		return nil
	})
	if err == nil && x.settle[at] != want {
		err = fmt.Errorf("place %s settles after %d transitions, but the transitions make it %s", c.name(at), x.settle[at], orNone(want))
	}
	return err
}

// checkCannot checks the ranks of a place from which no run is of the side.
func (c *tableChecker) checkCannot(x *side, at int) error {
	if c.m.IsDeadlock(c.state[at]) && x.stops(c.q[at]) {
		return fmt.Errorf("place %s: a run that ends there is said not to be what it is", c.name(at))
	}
	ranks := x.ranks.at(at)
	return c.successors(at, func(l lts.Label, to int) error {
		if x.can[to] {
			return fmt.Errorf("place %s: no run from there is said to be what one from place %s is, to which %s leads", c.name(at), c.name(to), c.transition(c.state[at], l, c.state[to]))
		}
		marks, after := c.p.Marks(c.q[at], l), x.ranks.at(to)
		for i, pair := range x.pairs {
			rank, missing := ranks[2*i], ranks[2*i+1]
			switch {
			case marks&pair.Fin != 0 || after[2*i] < rank:
			case after[2*i] > rank:
				return fmt.Errorf("place %s: rank %d of pair %d rises on %s", c.name(at), rank, i, c.transition(c.state[at], l, c.state[to]))
			case missing == 0 || missing > property.Colours || !pair.Inf.Has(int(missing-1)):
				return fmt.Errorf("place %s: a run can keep rank %d of pair %d for ever, and no colour is said to be missing", c.name(at), rank, i)
			case missing != after[2*i+1] || marks.Has(int(missing-1)):
				return fmt.Errorf("place %s: colour %d of pair %d is not missing on %s", c.name(at), missing-1, i, c.transition(c.state[at], l, c.state[to]))
			}
		}
		return nil
	})
}

func (r *rows) at(i int) []uint32 { return r.values[r.start[i]:r.start[i+1]] }

// home is a set of places in which a run can stay for ever, taking all transitions between
// them without banned colours again and again.
type home struct {
	root  int // one more than its index
	marks property.Marks
	moves bool
}

// checkHomes checks that homes are strongly connected, and that a run which stays there is
// of the side.
func (c *tableChecker) checkHomes(x *side, homes []home) error {
	from, to := filled(len(c.state)), filled(len(c.state))
	err := c.places(func(at int) error {
		k := x.home[at]
		if k == 0 || !x.can[at] {
			return nil
		}
		h := &homes[k-1]
		if x.from[at] > 0 && h.root == 0 {
			return fmt.Errorf("home %d: its first place, %s, is not its root", k, c.name(at))
		}
		if x.from[at] == 0 {
			if h.root > 0 {
				return fmt.Errorf("home %d has two roots, places %s and %s", k, c.name(h.root-1), c.name(at))
			}
			h.root, from[at], to[at] = at+1, 0, 0
		}
		return c.successors(at, func(l lts.Label, t int) error {
			marks := c.p.Marks(c.q[at], l)
			if !x.can[t] || x.home[t] != k || marks&x.banned[k-1] != 0 {
				return nil
			}
			h.marks |= marks
			h.moves = true
			from[t] = min(from[t], x.from[at]+1)
			to[at] = min(to[at], x.to[t]+1)
			return nil
		})
	})
	if err != nil {
		return err
	}
	for k, h := range homes {
		switch {
		case h.root == 0 || !h.moves:
			return fmt.Errorf("home %d has no root, or no transition", k+1)
		case !x.accept.Holds(h.marks):
			return fmt.Errorf("home %d: a run that stays there is said to be what it is not", k+1)
		case !slices.ContainsFunc(x.pairs, func(p property.Pair) bool { return p.Fin == x.banned[k] && p.Inf&^h.marks == 0 }):
			return fmt.Errorf("home %d does without colours that no pair which it meets bans", k+1)
		}
	}
	return c.places(func(at int) error {
		switch k := x.home[at]; {
		case k == 0 || !x.can[at]:
			return nil
		case x.from[at] != from[at] || x.to[at] != to[at]:
			return fmt.Errorf("place %s is said to be %d transitions from the root of home %d and %d back to it, but it is %s and %s", c.name(at), x.from[at], k, x.to[at], orNone(from[at]), orNone(to[at]))
		}
		return nil
	})
}
