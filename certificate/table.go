package certificate

import (
	"cmp"
	"context"

	"slices"

	"github.com/inev-lts/inev/certificate/verify"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// tableEvidence is the evidence for a property that is no chain, by state of the product.
type tableEvidence struct {
	ctx context.Context
	u   *product.Unfolding
	c   *scc.Components
	// f is the assumption about the runs that count, nil if all count; sets are those where no fair
	// run stays.
	f    *property.Fairness
	sets []neglecting
	// order has the states of the product, sorted by state of the model and property state.
	order []lts.State
	first []uint32
	sides [2]tableSide
}

// tableSide is the evidence for one side: that some run satisfies the property, or that some run
// violates it.
type tableSide struct {
	accept property.Acceptance
	// ends reports whether a run is of the side if it ends in this property state: in a deadlock,
	// or in a state where all labels may be refused.
	ends  func(q property.Q, deadlock bool) bool
	pairs []property.Pair
	// can reports, for each product state, whether some run from it is of the side.
	can []bool
	// settle is the number of transitions to a product state where such a run may end, or to a
	// home. home is the number of the home, from 1; from and to are the distances from and to the
	// root of the home.
	settle, home, from, to []uint32
	banned                 []property.Marks
	// ranks has the evidence for each product state without a run of the side: as many numbers as
	// width counts. For each pair there is a rank and the missing colour plus 1 or, under an
	// assumption, the number of a set, 0 for none. Under full fairness there is one number.
	ranks []uint32
	width int
}

// newTableEvidence computes the evidence for the fates of all product states. Cost O(pairs · (S +
// T)) for a product of that size, and 8 bytes for each pair and state.
func newTableEvidence(ctx context.Context, f *fate.Map) *tableEvidence {
	u := abort.Must(f.Unfold(ctx))
	c := abort.Must(f.UnfoldedComponents(ctx))
	x := &tableEvidence{ctx: ctx, u: u, c: c, f: f.Fairness()}
	m := u.LTS()
	p := u.Property()
	abort.On(m.FindPredecessors(ctx))
	for s := range lts.State(m.NumStates()) {
		x.order = append(x.order, s)
	}
	slices.SortFunc(x.order, func(a, b lts.State) int {
		p := u.At(a)
		q := u.At(b)
		return cmp.Or(cmp.Compare(p.State, q.State), cmp.Compare(p.Q, q.Q))
	})
	x.first = unknown(m.NumStates())
	x.first[m.Initial()] = 0
	spread(ctx, []lts.State{m.Initial()}, x.first, m.Out, func(lts.State, lts.Label, lts.State) bool { return true })
	for i := range x.sides {
		side := &x.sides[i]
		side.accept = p.Acceptance()
		side.ends = p.Ends
		opposite := fate.Lost
		if i == 1 {
			side.accept = p.Acceptance().Not()
			opposite = fate.Sure
			side.ends = func(q property.Q, deadlock bool) bool { return !p.Ends(q, deadlock) }
		}
		var ok bool
		if side.pairs, ok = verify.Pairs(side.accept); !ok {
			abort.On(verify.ErrManyPairs)
		}
		side.can = make([]bool, m.NumStates())
		for s := range side.can {
			at := u.At(lts.State(s))
			side.can[s] = f.AdmitsFrom(at.State, at.Q) && f.At(at.State, at.Q) != opposite
		}
		x.findHomes(side)
		x.findSettled(side)
	}
	for i := range x.sides {
		x.findRanks(&x.sides[i], &x.sides[1-i])
	}
	abort.On(ctx.Err())
	return x
}

// findHomes makes homes of the components that satisfy some pair of the condition; under an
// assumption, of those where a run that counts can satisfy one.
func (x *tableEvidence) findHomes(side *tableSide) {
	n := x.u.LTS().NumStates()
	side.home = make([]uint32, n)
	side.from = unknown(n)
	side.to = unknown(n)
	if x.f == nil || !x.f.Full() {
		for _, pair := range side.pairs {
			part, parts, err := x.u.Recurring(x.ctx, x.c, pair.Fin, pair.Inf, x.f)
			abort.On(err)
			x.addHomes(side, pair.Fin, part, parts)
		}
		return
	}
	// Under full fairness, a run stays in a component that no transition leaves, if none of its
	// labels is rare, and takes all its colours.
	part := make([]uint32, n)
	parts := 0
	for i := range scc.Component(x.c.Len()) {
		all := x.c.IsCyclic(i)
		marks := property.Marks(0)
		for _, s := range x.c.States(i) {
			for l, t := range x.u.LTS().From(s) {
				of, _ := x.c.Of(t)
				all = all && of == i && !x.f.Rare(l)
				marks |= x.u.Marks(s, l)
			}
		}
		if all && side.accept.Holds(marks) {
			parts++
			for _, s := range x.c.States(i) {
				part[s] = uint32(parts)
			}
		}
	}
	x.addHomes(side, 0, part, parts)
}

// stays reports whether a run may take a transition again and again although some colours are
// banned.
func (x *tableEvidence) stays(s lts.State, l lts.Label, banned property.Marks) bool {
	return x.u.Marks(s, l)&banned == 0 && (x.f == nil || !x.f.Rare(l))
}

// addHomes makes homes of parts.
func (x *tableEvidence) addHomes(side *tableSide, banned property.Marks, part []uint32, parts int) {
	// A component with another home reaches that home, and needs none of its own.
	taken := make([]bool, parts+1)
	for s, k := range part {
		taken[k] = taken[k] || side.home[s] > 0
	}
	number := make([]uint32, parts+1)
	for _, s := range x.order {
		k := part[s]
		if k == 0 || taken[k] {
			continue
		}
		if number[k] == 0 {
			side.banned = append(side.banned, banned)
			number[k] = uint32(len(side.banned))
			fromAndTo(x.ctx, x.u.LTS(), s, side.from, side.to, func(from lts.State, l lts.Label, to lts.State) bool {
				return part[from] == k && part[to] == k && x.stays(from, l, banned)
			})
		}
		side.home[s] = number[k]
	}
}

// findSettled finds the distances to homes and ends.
func (x *tableEvidence) findSettled(side *tableSide) {
	m := x.u.LTS()
	side.settle = unknown(m.NumStates())
	var queue []lts.State
	for s := range lts.State(m.NumStates()) {
		if side.can[s] && (side.home[s] > 0 || x.f.MayEnd(m, s) && side.ends(x.u.At(s).Q, m.IsDeadlock(s))) {
			side.settle[s] = 0
			queue = append(queue, s)
		}
	}
	spread(x.ctx, queue, side.settle, m.Predecessors().In, func(_ lts.State, _ lts.Label, s lts.State) bool { return side.can[s] })
}

// findSets splits, for each pair, the set of product states without a run of the side, until no run
// that counts can stay in any part.
func (x *tableEvidence) findSets(side *tableSide) {
	m := x.u.LTS()
	n := len(side.pairs)
	side.width = 2 * n
	side.ranks = make([]uint32, side.width*m.NumStates())
	parts := abort.Must(scc.NewParts(x.ctx, m))
	apart := newRefinement(x.ctx, parts, m, x.f, x.u.Stays)
	apart.marks = x.u.Marks
	var states []lts.State
	for s, can := range side.can {
		if !can {
			states = append(states, lts.State(s))
		}
	}
	for i, pair := range side.pairs {

		apart.wanted = pair.Inf
		apart.shows = func(from lts.State, l lts.Label, to lts.State) bool {
			return !side.can[from] && !side.can[to] && x.stays(from, l, pair.Fin)
		}
		apart.refine(states, refined{
			place: func(s lts.State, rank, set uint32) {
				at := side.width*int(s) + 2*i
				side.ranks[at], side.ranks[at+1] = rank, set
			},
			neglected: func(s neglecting) uint32 {
				x.sets = append(x.sets, s)
				return uint32(len(x.sets))
			},
			fair: func([]lts.State) { abort.On(errNoEvidence) },
		})
	}
}

// findExits finds, for full fairness, the least number of transitions from each product state
// without a run of the side to an end or a home of the other side, or over a rare transition.
func (x *tableEvidence) findExits(side, other *tableSide) {
	m := x.u.LTS()
	side.width = 1
	side.ranks = unknown(m.NumStates())
	var queue, leave []lts.State
	for s := range lts.State(m.NumStates()) {
		labels, _ := m.Out(s)
		switch {
		case side.can[s]:
		case m.IsDeadlock(s) || other.home[s] > 0:
			side.ranks[s] = 0
			queue = append(queue, s)
		case labels.Any(x.f.Rare):
			side.ranks[s] = 1
			leave = append(leave, s)
		}
	}
	without := func(_ lts.State, _ lts.Label, s lts.State) bool { return !side.can[s] }
	spread(x.ctx, append(queue, leave...), side.ranks, m.Predecessors().In, without)
	for s, rank := range side.ranks {
		if !side.can[s] && rank == none {
			abort.On(errNoEvidence)
		}
	}
	abort.On(x.ctx.Err())
}

// findRanks finds the ranks of the product states without a run of the side: the evidence that
// there is none. Without an assumption it numbers, for each pair, the components of these states.
// The transitions that the pair bans do not count. No transition leads to a component with a larger
// number.
func (x *tableEvidence) findRanks(side, other *tableSide) {
	switch {
	case x.f != nil && x.f.Full():
		x.findExits(side, other)
		return
	case x.f != nil:
		x.findSets(side)
		return
	}
	m := x.u.LTS()
	n := len(side.pairs)
	side.width = 2 * n
	side.ranks = make([]uint32, side.width*m.NumStates())
	rank := func(s lts.State, i int) []uint32 { return side.ranks[2*(int(s)*n+i):] }
	for i, pair := range side.pairs {
		within := func(from lts.State, l lts.Label, to lts.State) bool {
			return !side.can[from] && !side.can[to] && x.u.Marks(from, l)&pair.Fin == 0
		}
		in := make([]uint32, m.NumStates())
		number := uint32(0)
		var wrong error
		err := scc.Within(x.ctx, m, within, func(states []lts.State, cyclic bool) {
			number++
			for _, s := range states {
				in[s] = number
			}
			most := uint32(0)
			met := property.Marks(0)
			for _, s := range states {
				for l, t := range m.From(s) {
					switch {
					case !within(s, l, t):
					case in[t] == number:
						met |= x.u.Marks(s, l)
					default:
						most = max(most, rank(t, i)[0]+1)
					}
				}
			}
			missing := uint32(0)
			for c := property.Colours - 1; c >= 0 && cyclic; c-- {
				if pair.Inf.Has(c) && !met.Has(c) {
					missing = uint32(c + 1)
				}
			}
			if cyclic && missing == 0 {
				wrong = errNoEvidence
			}
			for _, s := range states {
				rank(s, i)[0], rank(s, i)[1] = most, missing
			}
		})
		abort.On(cmp.Or(err, wrong))
	}
}

// sideNames are the JSON members of a product state: for each side, the name if some run is of the
// side, and the name if none is.
var sideNames = [2][2]string{{"satisfies", "never_satisfies"}, {"violates", "never_violates"}}

// productStates writes a line for each product state. These lines are most of
// the file.
func (x *writer) productStates(v *tableEvidence) {
	x.open("\"places\": [")
	for i, s := range v.order {
		if i&(1<<14-1) == 0 {
			abort.On(v.ctx.Err())
		}
		x.line()
		at := v.u.At(s)
		x.field(`{"state":`, uint64(at.State))
		x.field(`,"q":`, uint64(at.Q))
		x.field(`,"first":`, uint64(v.first[s]))
		for k := range v.sides {
			side := &v.sides[k]
			x.out.WriteString(`,"`)
			if !side.can[s] {
				list(x, sideNames[k][1]+`":[`, side.ranks[side.width*int(s):side.width*int(s+1)])
				continue
			}
			if side.settle[s] == none {
				abort.On(errNoEvidence)
			}
			numbers := []uint32{side.settle[s]}
			if side.home[s] > 0 {
				numbers = append(numbers, side.home[s], side.from[s], side.to[s])
			}
			list(x, sideNames[k][0]+`":[`, numbers)
		}
		x.out.WriteByte('}')
	}
	x.print("\n],\n")
}

// homes writes, for each home, the colours that none of its transitions has.
func (x *writer) homes(v *tableEvidence) {
	x.print("\"homes\": {")
	for k := range v.sides {
		if k > 0 {
			x.print(", ")
		}
		x.print("\"%s\": [", sideNames[k][0])
		for i, banned := range v.sides[k].banned {
			var colours []uint32
			for c := range property.Colours {
				if banned.Has(c) {
					colours = append(colours, uint32(c))
				}
			}
			if i > 0 {
				x.print(",")
			}
			list(x, "[", colours)
		}
		x.print("]")
	}
	x.print("},\n")
}
