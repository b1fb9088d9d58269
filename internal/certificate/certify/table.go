package certify

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/certificate/verify"
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
	// components are those of the product.
	components *scc.Components
	// fairness is the assumption about the runs that count, nil if all count; sets are those where no
	// fair run stays.
	fairness *property.Fairness
	sets     []neglecting
	// order has the states of the product, sorted by state of the model and property state.
	order []lts.State
	// first has the distance of each state of the product from the initial state.
	first []uint32
	// sides are the runs that satisfy the property, and those that violate it.
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
	// hasRun reports, for each product state, whether some run from it is of the side.
	hasRun []bool
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
func newTableEvidence(ctx context.Context, f *fate.Map) (*tableEvidence, error) {
	u, err := f.Unfold(ctx)
	if err != nil {
		return nil, err
	}
	c, err := f.UnfoldedComponents(ctx)
	if err != nil {
		return nil, err
	}
	if err := u.LTS().FindPredecessors(ctx); err != nil {
		return nil, err
	}
	x := &tableEvidence{
		ctx:        ctx,
		u:          u,
		components: c,
		fairness:   f.Fairness(),
	}
	x.sortStates()
	if err := x.findFirst(); err != nil {
		return nil, err
	}
	if err := x.findSides(f); err != nil {
		return nil, err
	}
	return x, ctx.Err()
}

// findSides computes the evidence for both sides: for each product state, that some run from there is
// of the side, or that none is. Some run satisfies the property unless the fate is Lost, and some run
// violates it unless the fate is Sure.
func (x *tableEvidence) findSides(f *fate.Map) error {
	p := x.u.Property()
	violatesAtEnd := func(q property.Q, deadlock bool) bool {
		return !p.Ends(q, deadlock)
	}
	satisfying := &x.sides[0]
	violating := &x.sides[1]
	*satisfying = tableSide{accept: p.Acceptance(), ends: p.Ends}
	*violating = tableSide{accept: p.Acceptance().Not(), ends: violatesAtEnd}
	if err := x.findRuns(satisfying, f, fate.Lost); err != nil {
		return err
	}
	if err := x.findRuns(violating, f, fate.Sure); err != nil {
		return err
	}
	if err := x.findRanks(satisfying, violating); err != nil {
		return err
	}
	return x.findRanks(violating, satisfying)
}

// sortStates sorts the states of the product by state of the model and property state.
func (x *tableEvidence) sortStates() {
	for s := range lts.State(x.u.LTS().NumStates()) {
		x.order = append(x.order, s)
	}
	slices.SortFunc(x.order, func(a, b lts.State) int {
		p := x.u.At(a)
		q := x.u.At(b)
		return cmp.Or(cmp.Compare(p.State, q.State), cmp.Compare(p.Q, q.Q))
	})
}

// findFirst finds the distances of the states of the product from the initial state.
func (x *tableEvidence) findFirst() error {
	m := x.u.LTS()
	x.first = allNone(m.NumStates())
	x.first[m.Initial()] = 0
	all := func(lts.State, lts.Label, lts.State) bool { return true }
	return extendDistances(x.ctx, []lts.State{m.Initial()}, x.first, m.Out, all)
}

// findRuns finds the product states from which some run is of the side: those whose fate is not the
// opposite one. It finds the homes of these runs, and the distances to the homes.
func (x *tableEvidence) findRuns(side *tableSide, f *fate.Map, opposite fate.Fate) error {
	pairs, ok := verify.Pairs(side.accept)
	if !ok {
		return verify.ErrManyPairs
	}
	side.pairs = pairs
	side.hasRun = make([]bool, x.u.LTS().NumStates())
	for s := range side.hasRun {
		at := x.u.At(lts.State(s))
		side.hasRun[s] = f.AdmitsFrom(at.State, at.Q) && f.At(at.State, at.Q) != opposite
	}
	if err := x.findHomes(side); err != nil {
		return err
	}
	return x.findSettled(side)
}

// findHomes makes homes of the components that satisfy some pair of the condition; under an
// assumption, of those where a run that counts can satisfy one.
func (x *tableEvidence) findHomes(side *tableSide) error {
	n := x.u.LTS().NumStates()
	side.home = make([]uint32, n)
	side.from = allNone(n)
	side.to = allNone(n)
	if x.fairness != nil && x.fairness.Full() {
		part, parts := x.findClosed(side.accept)
		return x.addHomes(side, 0, part, parts)
	}
	for _, pair := range side.pairs {
		part, parts, err := x.u.Recurring(x.ctx, x.components, pair.Fin, pair.Inf, x.fairness)
		if err != nil {
			return err
		}
		if err := x.addHomes(side, pair.Fin, part, parts); err != nil {
			return err
		}
	}
	return nil
}

// findClosed finds the components that no transition leaves, that have no rare label, and whose
// colours satisfy accept: under full fairness, a run stays in such a component and meets all its
// colours. part has the number of such a component, from 1, for each product state; 0 for none.
func (x *tableEvidence) findClosed(accept property.Acceptance) (part []uint32, parts int) {
	part = make([]uint32, x.u.LTS().NumStates())
	for i := range scc.Component(x.components.Len()) {
		closed := x.components.IsCyclic(i)
		marks := property.Marks(0)
		for _, s := range x.components.States(i) {
			for l, t := range x.u.LTS().From(s) {
				target, _ := x.components.Of(t)
				closed = closed && target == i && !x.fairness.Rare(l)
				marks |= x.u.Marks(s, l)
			}
		}
		if closed && accept.Holds(marks) {
			parts++
			for _, s := range x.components.States(i) {
				part[s] = uint32(parts)
			}
		}
	}
	return part, parts
}

// stays reports whether a run may take a transition infinitely often although some colours are
// banned.
func (x *tableEvidence) stays(s lts.State, l lts.Label, banned property.Marks) bool {
	return x.u.Marks(s, l)&banned == 0 && (x.fairness == nil || !x.fairness.Rare(l))
}

// addHomes makes homes of parts.
func (x *tableEvidence) addHomes(
	side *tableSide,
	banned property.Marks,
	part []uint32,
	parts int,
) error {
	// A part that contains the home of another part needs no home of its own.
	hasHome := make([]bool, parts+1)
	for s, k := range part {
		hasHome[k] = hasHome[k] || side.home[s] > 0
	}
	number := make([]uint32, parts+1) // the number of the home of each part; 0 before the home is made
	for _, s := range x.order {
		k := part[s]
		if k == 0 || hasHome[k] {
			continue
		}
		if number[k] == 0 {
			side.banned = append(side.banned, banned)
			number[k] = uint32(len(side.banned))
			isInPart := func(from lts.State, l lts.Label, to lts.State) bool {
				return part[from] == k && part[to] == k && x.stays(from, l, banned)
			}
			err := distancesFromAndTo(x.ctx, x.u.LTS(), s, side.from, side.to, isInPart)
			if err != nil {
				return err
			}
		}
		side.home[s] = number[k]
	}
	return nil
}

// findSettled finds the distances to homes and ends.
func (x *tableEvidence) findSettled(side *tableSide) error {
	m := x.u.LTS()
	side.settle = allNone(m.NumStates())
	var queue []lts.State
	for s := range lts.State(m.NumStates()) {
		if side.hasRun[s] && (side.home[s] > 0 || x.mayEnd(side, s)) {
			side.settle[s] = 0
			queue = append(queue, s)
		}
	}
	ofSide := func(_ lts.State, _ lts.Label, s lts.State) bool {
		return side.hasRun[s]
	}
	return extendDistances(x.ctx, queue, side.settle, m.Predecessors().In, ofSide)
}

// mayEnd reports whether a run of the side may end in a product state.
func (x *tableEvidence) mayEnd(side *tableSide, s lts.State) bool {
	m := x.u.LTS()
	return x.fairness.MayEnd(m, s) && side.ends(x.u.At(s).Q, m.IsDeadlock(s))
}

// findSets splits, for each pair, the set of product states without a run of the side, until no run
// that counts can stay in any part.
func (x *tableEvidence) findSets(side *tableSide) error {
	m := x.u.LTS()
	parts, err := scc.NewParts(x.ctx, m)
	if err != nil {
		return err
	}
	apart, err := newRefinement(x.ctx, parts, m, x.fairness, x.u.Stays)
	if err != nil {
		return err
	}
	apart.marks = x.u.Marks
	var states []lts.State
	for s, hasRun := range side.hasRun {
		if !hasRun {
			states = append(states, lts.State(s))
		}
	}
	for i, pair := range side.pairs {
		apart.wanted = pair.Inf
		apart.isAllowed = func(from lts.State, l lts.Label, to lts.State) bool {
			return !side.hasRun[from] && !side.hasRun[to] && x.stays(from, l, pair.Fin)
		}
		err := apart.refine(states, refined{
			place: func(s lts.State, rank, set uint32) {
				side.setRank(s, i, rank, set)
			},
			neglected: func(s neglecting) uint32 {
				x.sets = append(x.sets, s)
				return uint32(len(x.sets))
			},
			fair: func([]lts.State) error { return errNoEvidence },
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// setRank sets the evidence of a product state for one pair: its rank, and the missing colour plus 1
// or the number of a set.
func (x *tableSide) setRank(s lts.State, pair int, rank, missingOrSet uint32) {
	ofPair := x.ranksOf(s)[2*pair:]
	ofPair[0] = rank
	ofPair[1] = missingOrSet
}

// rank returns what setRank has set.
func (x *tableSide) rank(s lts.State, pair int) (rank, missingOrSet uint32) {
	ofPair := x.ranksOf(s)[2*pair:]
	return ofPair[0], ofPair[1]
}

// findExits finds, for full fairness, a number for each product state without a run of the side:
// the least number of transitions after which a run from there is in a deadlock or in a home of the
// other side, or has taken a rare transition.
func (x *tableEvidence) findExits(side, other *tableSide) error {
	m := x.u.LTS()
	side.width = 1
	side.ranks = allNone(m.NumStates())
	var queue, leave []lts.State
	for s := range lts.State(m.NumStates()) {
		labels, _ := m.Out(s)
		switch {
		case side.hasRun[s]:
		case m.IsDeadlock(s) || other.home[s] > 0:
			side.ranks[s] = 0
			queue = append(queue, s)
		case labels.Any(x.fairness.Rare):
			side.ranks[s] = 1
			leave = append(leave, s)
		}
	}
	without := func(_ lts.State, _ lts.Label, s lts.State) bool {
		return !side.hasRun[s]
	}
	if err := extendDistances(x.ctx, append(queue, leave...), side.ranks, m.Predecessors().In, without); err != nil {
		return err
	}
	for s, rank := range side.ranks {
		if !side.hasRun[s] && rank == none {
			return errNoEvidence
		}
	}
	return x.ctx.Err()
}

// findRanks finds the ranks of the product states without a run of the side: the evidence that
// there is none.
func (x *tableEvidence) findRanks(side, other *tableSide) error {
	if x.fairness != nil && x.fairness.Full() {
		return x.findExits(side, other)
	}
	side.width = 2 * len(side.pairs)
	side.ranks = make([]uint32, side.width*x.u.LTS().NumStates())
	if x.fairness != nil {
		return x.findSets(side)
	}
	for i := range side.pairs {
		if err := x.rankComponents(side, i); err != nil {
			return err
		}
	}
	return nil
}

// rankComponents ranks, for pair i and without an assumption, the components of the product states
// without a run of the side. The transitions that the pair bans do not count. No transition leads to
// a component with a larger rank.
func (x *tableEvidence) rankComponents(side *tableSide, i int) error {
	r := &componentRanks{
		tableEvidence: x,
		side:          side,
		pair:          i,
		component:     make([]uint32, x.u.LTS().NumStates()),
	}
	complete := true
	err := scc.Within(x.ctx, x.u.LTS(), r.isAllowed, func(states []lts.State, cyclic bool) {
		complete = r.rank(states, cyclic) && complete
	})
	if err == nil && !complete {
		return errNoEvidence
	}
	return err
}

// componentRanks ranks components for one pair of a side's condition.
type componentRanks struct {
	*tableEvidence
	side *tableSide
	pair int // the number of the pair
	// component[s] is the number, from 1, of the component of s.
	component []uint32
	count     uint32
}

// isAllowed selects the transitions that count.
func (r *componentRanks) isAllowed(from lts.State, l lts.Label, to lts.State) bool {
	return !r.side.hasRun[from] && !r.side.hasRun[to] &&
		r.u.Marks(from, l)&r.side.pairs[r.pair].Fin == 0
}

// rank sets the rank of the next component, and the first wanted colour that none of its transitions
// has. It returns false if the component is cyclic and has all wanted colours: a run of the side
// could stay there.
func (r *componentRanks) rank(states []lts.State, cyclic bool) bool {
	r.count++
	for _, s := range states {
		r.component[s] = r.count
	}
	rank, marks := r.rankAndMarks(states)
	missing := uint32(0) // a colour plus 1
	lacking := r.side.pairs[r.pair].Inf &^ marks
	if cyclic && lacking != 0 {
		missing = uint32(bits.TrailingZeros64(uint64(lacking))) + 1
	}
	for _, s := range states {
		r.side.setRank(s, r.pair, rank, missing)
	}
	return !cyclic || missing > 0
}

// rankAndMarks returns the rank of the current component, which is greater than the ranks of the
// components that it leads to, and the colours of the transitions inside.
func (r *componentRanks) rankAndMarks(states []lts.State) (rank uint32, inside property.Marks) {
	for _, s := range states {
		for l, t := range r.u.LTS().From(s) {
			switch {
			case !r.isAllowed(s, l, t):
			case r.component[t] == r.count:
				inside |= r.u.Marks(s, l)
			default:
				targetRank, _ := r.side.rank(t, r.pair)
				rank = max(rank, targetRank+1)
			}
		}
	}
	return rank, inside
}

// sideNames are the JSON members of a product state, for each side.
var sideNames = [2]struct {
	someRun string // the name if some run is of the side
	noRun   string // the name if none is
}{
	{someRun: "satisfies", noRun: "never_satisfies"},
	{someRun: "violates", noRun: "never_violates"},
}

// writeProductStates writes a line for each product state. These lines are most of the file.
func (x *writer) writeProductStates(v *tableEvidence) error {
	x.beginList("\"places\": [")
	for i, s := range v.order {
		if err := doneAt(v.ctx, i); err != nil {
			return err
		}
		x.beginElement()
		at := v.u.At(s)
		x.field(`{"state":`, uint64(at.State))
		x.field(`,"q":`, uint64(at.Q))
		x.field(`,"first":`, uint64(v.first[s]))
		for k := range v.sides {
			side := &v.sides[k]
			if !side.hasRun[s] {
				list(x, `,"`+sideNames[k].noRun+`":[`, side.ranksOf(s))
				continue
			}
			numbers, err := side.runEvidence(s)
			if err != nil {
				return err
			}
			list(x, `,"`+sideNames[k].someRun+`":[`, numbers)
		}
		x.out.WriteByte('}')
	}
	x.print("\n],\n")
	return nil
}

// ranksOf returns the evidence that no run from a product state is of the side.
func (x *tableSide) ranksOf(s lts.State) []uint32 {
	return x.ranks[x.width*int(s) : x.width*int(s+1)]
}

// runEvidence returns the evidence that some run from a product state is of the side.
func (x *tableSide) runEvidence(s lts.State) ([]uint32, error) {
	if x.settle[s] == none {
		return nil, errNoEvidence
	}
	if x.home[s] == 0 {
		return []uint32{x.settle[s]}, nil
	}
	return []uint32{x.settle[s], x.home[s], x.from[s], x.to[s]}, nil
}

// writeHomes writes, for each home, the colours that none of its transitions has.
func (x *writer) writeHomes(v *tableEvidence) {
	x.print("\"homes\": {")
	for k := range v.sides {
		if k > 0 {
			x.print(", ")
		}
		x.print("\"%s\": [", sideNames[k].someRun)
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
