package verify

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// tableChecker checks claims about product states.
type tableChecker struct {
	*checker
	automaton *property.Property

	// The product states of state s have the indices from start[s] up to start[s+1], by ascending
	// property state.
	start          []int
	modelStates    []lts.State
	propertyStates []property.Q
	first          []uint32
	// sides are the claims about runs that satisfy the property, and about those that violate it.
	sides [2]side
	// nested answers how the sets of the certificate are nested; nil if there are none. greatest
	// has a rank for each pair, for reuse.
	nested   *nesting
	greatest []uint32
}

// The sides.
const (
	satisfying = iota
	violating
)

// side is the claims about the runs of one side, by the index of a product state: those that
// satisfy the property, or those that violate it.
type side struct {
	// verb is what such a run does with the property, for errors: "satisfies" or "violates".
	verb   string
	accept property.Acceptance
	pairs  []property.Pair
	// ends reports whether a run is of the side if it ends in this property state: in a deadlock,
	// or in a state where all labels may be refused.
	ends func(q property.Q, deadlock bool) bool
	// hasRun reports whether some run from a product state is of the side; settle, home, from and to
	// are the evidence.
	hasRun                 []bool
	settle, home, from, to []uint32
	// ranks has the evidence for each product state without a run of the side: for each pair
	// of the condition a rank and the missing colour plus 1 or, under an assumption, the number of
	// a set. Under full fairness there is one number.
	ranks rows
	// banned has, for each home, the colours that none of its transitions has.
	banned []property.Marks
}

// verifyTable is [Verify] for a property that is no chain.
func verifyTable(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	p *property.Property,
	fair []*actl.Assumption,
	in *scanner,
) (*Result, error) {
	c := &tableChecker{
		checker:   newChecker(ctx, m, fair, in),
		automaton: p,
		start:     make([]int, m.NumStates()+1),
	}
	c.table = c
	violates := func(q property.Q, deadlock bool) bool {
		return !p.Ends(q, deadlock)
	}
	c.sides[satisfying] = side{verb: "satisfies", accept: p.Acceptance(), ends: p.Ends}
	c.sides[violating] = side{verb: "violates", accept: p.Acceptance().Not(), ends: violates}
	for i := range c.sides {
		pairs, ok := Pairs(c.sides[i].accept)
		if !ok {
			return nil, ErrManyPairs
		}
		c.sides[i].pairs = pairs
	}
	return c.run([]func(){
		func() { c.readHead(f) },
		c.readProductStates,
		c.readHomes,
		c.readNeglecting,
		c.readOut,
		c.checkFirst,
		func() { c.checkSide(&c.sides[satisfying]) },
		func() { c.checkSide(&c.sides[violating]) },
		c.checkSetRanks,
		c.checkTableVerdict,
		c.checkClasses,
		c.checkNeighbourhoods,
		c.checkCounterexample,
		c.finish,
	})
}

// sideNames are the names of JSON members of a product state: for each side, the name if some run
// is of the side, and the name if none is.
var sideNames = [2][2]string{{"satisfies", "never_satisfies"}, {"violates", "never_violates"}}

// readProductStates reads the claims about each reachable product state, with their evidence.
func (c *tableChecker) readProductStates() {
	in := c.in
	in.member("places")
	in.open('[')
	for in.more() {
		if len(c.modelStates)%16384 == 0 {
			abort.On(c.ctx.Err())
		}
		in.open('{')
		c.readPlace()
		in.member("first")
		c.first = append(c.first, in.number(longest))
		for i := range c.sides {
			c.readSide(&c.sides[i], sideNames[i])
		}
		in.end('}')
	}
	// readPlace has set where the places of the listed states begin and end. A state without places
	// begins where the previous state ends.
	for s := range c.model.NumStates() {
		c.start[s+1] = max(c.start[s+1], c.start[s])
	}
	if _, listed := c.productState(c.model.Initial(), c.automaton.Initial()); !listed {
		fail("place %d·%d, the initial one, is not listed", c.model.Initial(), c.automaton.Initial())
	}
}

// readPlace reads which product state comes next, and lists it.
func (c *tableChecker) readPlace() {
	c.in.member("state")
	s := int(c.in.number(longest))
	c.in.member("q")
	q := int(c.in.number(longest))
	lastState := -1
	lastQ := -1
	last := len(c.modelStates) - 1
	if last >= 0 {
		lastState = int(c.modelStates[last])
		lastQ = int(c.propertyStates[last])
	}
	isNewState := s > lastState
	isLater := isNewState || s == lastState && q > lastQ
	switch {
	case s >= c.model.NumStates() || q >= c.automaton.States():
		fail("place %d·%d is listed, but the model has %d states, and the property %d", s, q,
			c.model.NumStates(), c.automaton.States())
	case !isLater:
		fail("place %d·%d is listed twice, or behind a larger one", s, q)
	}
	if isNewState {
		c.listed[s] = true
		c.states++
	}
	c.modelStates = append(c.modelStates, lts.State(s))
	c.propertyStates = append(c.propertyStates, property.Q(q))
	c.start[s+1] = len(c.modelStates)
}

// readSide reads the claim about the last product state: the number of transitions after which some
// run settles, or ranks which show that none does. The names are those of the two claims.
func (c *tableChecker) readSide(x *side, names [2]string) {
	hasRun := !c.in.memberOr(names[0], names[1])
	c.in.open('[')
	var numbers [4]uint32
	if hasRun {
		numbers = c.readSettling(names[0])
	} else {
		c.readRanks(x, names[1])
	}
	x.hasRun = append(x.hasRun, hasRun)
	x.settle = append(x.settle, numbers[0])
	x.home = append(x.home, numbers[1])
	x.from = append(x.from, numbers[2])
	x.to = append(x.to, numbers[3])
	if x.ranks.start == nil {
		x.ranks.start = []int{0}
	}
	x.ranks.start = append(x.ranks.start, len(x.ranks.values))
}

// readSettling reads the numbers that show that some run settles: one, or four in a home.
func (c *tableChecker) readSettling(name string) (numbers [4]uint32) {
	found := 0
	for ; c.in.more(); found++ {
		value := c.in.number(longest)
		if found < len(numbers) {
			numbers[found] = value
		}
	}
	at := len(c.modelStates) - 1
	switch {
	case found != 1 && found != 4:
		fail("place %s: %s has %d numbers, not 1 or 4", c.name(at), name, found)
	case found == 4 && numbers[1] == 0:
		fail("place %s: %s names home 0, and homes are counted from 1", c.name(at), name)
	}
	return numbers
}

// readRanks reads the ranks that show that no run settles: two for each pair or, under full fairness, one.
func (c *tableChecker) readRanks(x *side, name string) {
	wanted := 2 * len(x.pairs)
	if c.fair != nil && c.fair.Full() {
		wanted = 1
	}
	found := 0
	for ; c.in.more(); found++ {
		value := c.in.number(longest)
		if found < wanted {
			x.ranks.values = append(x.ranks.values, value)
		}
	}
	if found != wanted {
		fail("place %s: %s has %d numbers, not %d", c.name(len(c.modelStates)-1), name, found, wanted)
	}
}

// readHomes reads, for each home, the colours that none of its transitions has.
func (c *tableChecker) readHomes() {
	in := c.in
	in.member("homes")
	in.open('{')
	for i := range c.sides {
		in.member(sideNames[i][0])
		in.open('[')
		for in.more() {
			in.open('[')
			var banned property.Marks
			for in.more() {
				banned |= property.Mark(int(in.number(property.Colours - 1)))
			}
			if len(c.sides[i].banned) == len(c.modelStates) {
				fail("homes: there are more than places")
			}
			c.sides[i].banned = append(c.sides[i].banned, banned)
		}
	}
	in.end('}')
}

// readNeglecting reads the sets where no fair run stays.
func (c *tableChecker) readNeglecting() {
	if c.fair == nil || c.fair.Full() {
		return
	}
	c.readAllSets(c.mostSets(), c.mostTasksOfSets())
	for i := range c.sides {
		for k, number := range c.sides[i].ranks.values {
			isSet := k%2 == 1 // a row has a rank and a set for each pair
			if isSet && int(number) > len(c.sets) {
				fail("sets: there are %d, but some place lies in set %d", len(c.sets), number)
			}
		}
	}
	c.nested = newNesting(c.sets)
	c.greatest = make([]uint32,
		max(len(c.sides[satisfying].pairs), len(c.sides[violating].pairs)))
}

// mostSets returns a bound on the number of sets: each place lies in at most one for each pair.
func (c *tableChecker) mostSets() int {
	most := 0
	for i := range c.sides {
		most += len(c.sides[i].ranks.values) / 2
	}
	return most
}

// mostTasksOfSets returns a bound on the number of tasks that all sets together neglect.
func (c *tableChecker) mostTasksOfSets() int {
	pairs := len(c.sides[satisfying].pairs) + len(c.sides[violating].pairs)
	most := 0
	for _, s := range c.modelStates {
		labels, _ := c.model.Out(s)
		for i := range labels.Len() {
			most += pairs * len(c.fair.TasksOf(labels.At(i)))
		}
	}
	return most
}

// readOut reads the classes of the transitions of reachable states.
func (c *tableChecker) readOut() {
	in := c.in
	in.member("states")
	in.open('[')
	next := 0 // the state that must come next
	skip := func() {
		for next < len(c.listed) && !c.listed[next] {
			next++
		}
	}
	for skip(); in.more(); skip() {
		in.open('{')
		in.member("state")
		s := int(in.number(longest))
		if s != next || next == len(c.listed) {
			fail("states: found state %d instead of %d, the next state that can be reached", s, next)
		}
		c.readClasses(lts.State(s))
		in.end('}')
		next++
	}
	if next < len(c.listed) {
		fail("states: state %d can be reached, but is not listed", next)
	}
}

// productState returns the index of a product state; false if it is not listed.
func (c *tableChecker) productState(s lts.State, q property.Q) (int, bool) {
	i, listed := slices.BinarySearch(c.propertyStates[c.start[s]:c.start[int(s)+1]], q)
	return c.start[s] + i, listed
}

func (c *tableChecker) name(at int) string {
	return fmt.Sprintf("%d·%d", c.modelStates[at], c.propertyStates[at])
}

// eachSuccessor calls do for each transition from a product state. It fails if the target is not
// listed.
func (c *tableChecker) eachSuccessor(at int, do func(l lts.Label, to int)) {
	for l, t := range c.model.From(c.modelStates[at]) {
		to, listed := c.productState(t, c.automaton.Next(c.propertyStates[at], l))
		if !listed {
			fail("place %d·%d is not listed, but %s leads there from place %s", t,
				c.automaton.Next(c.propertyStates[at], l), c.transition(c.modelStates[at], l, t), c.name(at))
		}
		do(l, to)
	}
}

// eachProductState calls do for each product state, until a call fails or the context
// is done.
func (c *tableChecker) eachProductState(do func(at int)) {
	for at := range c.modelStates {
		if at%16384 == 0 {
			abort.On(c.ctx.Err())
		}
		do(at)
	}
}

// checkFirst checks that the listed product states are the reachable ones, and that their distances
// are right.
func (c *tableChecker) checkFirst() {
	want := allNone(len(c.modelStates))
	initial, _ := c.productState(c.model.Initial(), c.automaton.Initial())
	want[initial] = 0
	c.eachProductState(func(at int) {
		c.eachSuccessor(at, func(_ lts.Label, to int) {
			want[to] = min(want[to], c.first[at]+1)
		})
	})
	c.eachProductState(func(at int) {
		if c.first[at] != want[at] {
			fail("place %s: first is %d, but the transitions make it %s", c.name(at),
				c.first[at], orNone(want[at]))
		}
	})
}

func orNone(n uint32) string {
	if n >= longest {
		return "none"
	}
	return fmt.Sprint(n)
}

// checkTableVerdict checks the verdict. It relies on the claims about both sides.
func (c *tableChecker) checkTableVerdict() {
	initial, _ := c.productState(c.model.Initial(), c.automaton.Initial())
	if !c.isAdmitted(initial) {
		fail("verdict: there is none, for no run from the initial place %s is admitted",
			c.name(initial))
	}
	violated := c.sides[violating].hasRun[initial]
	if violated != c.violated {
		claim := "satisfied, but some run"
		if c.violated {
			claim = "violated, but no run"
		}
		fail("verdict is %s from the initial place %s violates the property", claim, c.name(initial))
	}
}

// isLost reports whether no run from a product state satisfies the property.
func (c *tableChecker) isLost(s lts.State, q property.Q) bool {
	at, listed := c.productState(s, q)
	return listed && !c.sides[satisfying].hasRun[at]
}

// isAdmitted reports whether a product state is admitted: some run that counts continues it.
func (c *tableChecker) isAdmitted(at int) bool {
	return c.sides[satisfying].hasRun[at] || c.sides[violating].hasRun[at]
}

// mayEnd reports whether a run of the side may end in a product state.
func (c *tableChecker) mayEnd(x *side, at int) bool {
	return c.fair.MayEnd(c.model, c.modelStates[at]) && x.ends(c.propertyStates[at], c.model.IsDeadlock(c.modelStates[at]))
}

// mostPairs is the largest number of pairs of a condition.
const mostPairs = 1 << 10

// ErrManyPairs reports that the condition of a property is too large for a certificate.
var ErrManyPairs = fmt.Errorf("the acceptance condition of the property takes more than %d pairs of Rabin's kind, too many for a certificate", mostPairs)

// Pairs returns a condition in disjunctive normal form, as pairs in the order of their discovery.
// It leaves out pairs that no run can satisfy, and returns false if there are too many. A run
// satisfies the condition iff it satisfies some pair.
func Pairs(a property.Acceptance) ([]property.Pair, bool) {
	switch a.Operator() {
	case property.True:
		return []property.Pair{{}}, true
	case property.InfOp:
		return []property.Pair{{Inf: property.Mark(a.Colour())}}, true
	case property.FinOp:
		return []property.Pair{{Fin: property.Mark(a.Colour())}}, true
	case property.OrOp:
		return eitherOf(a.Parts())
	case property.AndOp:
		return allOf(a.Parts())
	}
	return nil, true
}

// eitherOf returns the pairs of a disjunction.
func eitherOf(parts []property.Acceptance) ([]property.Pair, bool) {
	var pairs []property.Pair
	for _, part := range parts {
		more, ok := Pairs(part)
		pairs = append(pairs, more...)
		if !ok || len(pairs) > mostPairs {
			return nil, false
		}
	}
	return pairs, true
}

// allOf returns the pairs of a conjunction.
func allOf(parts []property.Acceptance) ([]property.Pair, bool) {
	pairs := []property.Pair{{}}
	for _, part := range parts {
		if len(pairs) == 0 {
			return nil, true // no run satisfies the parts before
		}
		more, ok := Pairs(part)
		if !ok {
			return nil, false
		}
		pairs, ok = joinPairs(pairs, more)
		if !ok {
			return nil, false
		}
	}
	return pairs, true
}

// joinPairs returns the pairs of the conjunction of two conditions, without those that no run can
// satisfy.
func joinPairs(left, right []property.Pair) ([]property.Pair, bool) {
	var joined []property.Pair
	for _, x := range left {
		for _, y := range right {
			both := property.Pair{Fin: x.Fin | y.Fin, Inf: x.Inf | y.Inf}
			if both.Fin&both.Inf != 0 {
				continue
			}
			joined = append(joined, both)
			if len(joined) > mostPairs {
				return nil, false
			}
		}
	}
	return joined, true
}

// checkSide checks, for each product state, what the certificate claims: that some run from there
// is of the side, or that none is. Then it checks the evidence that several product states share:
// ranks of components, and homes.
func (c *tableChecker) checkSide(x *side) {
	checkNoRun := c.noRunCheck()
	c.eachProductState(func(at int) {
		switch {
		case x.hasRun[at]:
			c.checkSomeRun(x, at)
		case c.mayEnd(x, at):
			fail("place %s: a run that ends there %s the property, but the certificate denies it", c.name(at), x.verb)
		default:
			checkNoRun(x, at)
		}
	})
	if c.fair == nil {
		for i := range x.pairs {
			c.checkRanks(x, i)
		}
	}
	c.checkHomes(x)
	if c.fair != nil && !c.fair.Full() {
		c.checkHomeTasks(x)
	}
}

// noRunCheck returns the check, under the assumption of the certificate, that no run from a product
// state is of the side.
func (c *tableChecker) noRunCheck() func(x *side, at int) {
	switch {
	case c.fair == nil:
		return c.checkPairRanks
	case c.fair.Full():
		return c.checkExit
	default:
		return c.checkRemovals
	}
}

// checkSomeRun checks that some run from a product state is of the side: it ends, stays in a home, or
// comes nearer to a product state from where some run does.
func (c *tableChecker) checkSomeRun(x *side, place int) {
	want := uint32(none)
	deadlock := c.model.IsDeadlock(c.modelStates[place])
	switch {
	case deadlock && x.home[place] > 0:
		fail("place %s has a home, but ends in a deadlock", c.name(place))
	case deadlock && !c.mayEnd(x, place):
		fail("place %s: no run that ends there %s the property, but the certificate claims it", c.name(place), x.verb)
	case int(x.home[place]) > len(x.banned):
		fail("place %s has home %d of %d", c.name(place), x.home[place], len(x.banned))
	case x.home[place] > 0 || c.mayEnd(x, place):
		want = 0
	}
	c.eachSuccessor(place, func(_ lts.Label, to int) {
		if x.hasRun[to] {
			want = min(want, x.settle[to]+1)
		}
	})
	if x.settle[place] != want {
		fail("place %s settles after %d transitions, but the transitions make it %s",
			c.name(place), x.settle[place], orNone(want))
	}
}

// checkRanks checks, for pair i and without an assumption, that each rank is the least possible
// one, and each missing colour the first possible one. So any change of this evidence is noticed.
func (c *tableChecker) checkRanks(x *side, i int) {
	r := ranking{
		tableChecker: c,
		side:         x,
		pairIndex:    i,
		pair:         x.pairs[i],
		index:        make([]uint32, len(c.modelStates)),
		low:          make([]uint32, len(c.modelStates)),
		isOnStack:    make([]bool, len(c.modelStates)),
	}
	c.eachProductState(func(at int) {
		if !x.hasRun[at] && r.index[at] == 0 {
			r.visitFrom(at)
		}
	})
}

// checkHomeTasks checks that a run which stays in a home of the side is fair to all tasks.
func (c *tableChecker) checkHomeTasks(x *side) {
	homeOf := allNone(len(c.modelStates))
	for at, k := range x.home {
		if x.hasRun[at] && k > 0 {
			homeOf[at] = k
		}
	}
	c.checkTasks(homes{
		number:  len(x.banned) + 1, // homes are counted from 1
		of:      homeOf,
		stateOf: func(at uint32) lts.State { return c.modelStates[at] },
		isInside: func(at uint32, l lts.Label, t lts.State) bool {
			to, _ := c.productState(t, c.automaton.Next(c.propertyStates[at], l))
			return c.isInside(x, int(at), l, to)
		},
		unfair: "home %d: a run that stays there is not fair to task %s",
	})
}

// checkPairRanks checks, without an assumption, the ranks of a product state without a run of the side.
func (c *tableChecker) checkPairRanks(x *side, at int) {
	c.eachOnward(x, at, func(l lts.Label, to int) {
		for i, pair := range x.pairs {
			c.checkPairRank(i, pair, rankStep{
				at:     at,
				label:  l,
				to:     to,
				before: x.pairRank(at, i),
				after:  x.pairRank(to, i),
			})
		}
	})
}

// pairRank is what a certificate has for a pair at a product state: a rank, and a colour that is missing as
// long as a run keeps this rank. The number of the colour counts from 1; it is 0 if no colour is missing.
type pairRank struct{ rank, missing uint32 }

// pairRank returns the rank at a product state for the pair with the given index.
func (x *side) pairRank(at, pair int) pairRank {
	row := x.ranks.row(at)
	return pairRank{rank: row[2*pair], missing: row[2*pair+1]}
}

// rankStep is a transition between product states, with the ranks for a pair before and after it.
type rankStep struct {
	at            int
	label         lts.Label
	to            int
	before, after pairRank
}

// checkPairRank fails unless a transition lowers the rank for pair i, takes a colour that may occur only
// finitely often, or keeps the rank and does not take the missing colour.
func (c *tableChecker) checkPairRank(i int, pair property.Pair, s rankStep) {
	marks := c.automaton.Marks(c.propertyStates[s.at], s.label)
	missing := s.before.missing
	mayBeMissing := missing != 0 && missing <= property.Colours && pair.Inf.Has(int(missing-1))
	switch {
	case marks&pair.Fin != 0 || s.after.rank < s.before.rank:
	case s.after.rank > s.before.rank:
		fail("place %s: rank %d of pair %d rises on %s", c.name(s.at), s.before.rank, i,
			c.transition(c.modelStates[s.at], s.label, c.modelStates[s.to]))
	case !mayBeMissing:
		fail("place %s: a run can keep rank %d of pair %d forever, and no colour is said to be missing",
			c.name(s.at), s.before.rank, i)
	case missing != s.after.missing || marks.Has(int(missing-1)):
		fail("place %s: colour %d of pair %d is not missing on %s", c.name(s.at),
			missing-1, i, c.transition(c.modelStates[s.at], s.label, c.modelStates[s.to]))
	}
}

// eachOnward calls do for each transition of a product state without a run of the side. It fails if
// some run from a target is of the side.
func (c *tableChecker) eachOnward(x *side, at int, do func(l lts.Label, to int)) {
	c.eachSuccessor(at, func(l lts.Label, to int) {
		if x.hasRun[to] {
			fail("place %s: the certificate claims that no run from there %s the property, but one does, by place %s, to which %s leads",
				c.name(at), x.verb, c.name(to), c.transition(c.modelStates[at], l, c.modelStates[to]))
		}
		do(l, to)
	})
}

// checkExit checks, under full fairness, the number of a product state without a run of the side:
// the least number of transitions after which a run from there is in a deadlock or in a home of the
// other side, or has taken a rare transition.
func (c *tableChecker) checkExit(x *side, place int) {
	other := &c.sides[satisfying]
	if x == other {
		other = &c.sides[violating]
	}
	want := uint32(none)
	isInHome := other.hasRun[place] && other.home[place] > 0
	if c.model.IsDeadlock(c.modelStates[place]) || isInHome {
		want = 0
	}
	c.eachOnward(x, place, func(l lts.Label, to int) {
		if c.fair.Rare(l) {
			want = min(want, 1)
		}
		want = min(want, x.ranks.row(to)[0]+1)
	})
	found := x.ranks.row(place)[0]
	if found != want {
		fail("place %s: it is not proved that no run from there %s the property: the claimed distance is %d, but the transitions make it %s",
			c.name(place), x.verb, found, orNone(want))
	}
}

// checkRemovals checks, under fairness to tasks, the ranks of a product state without a run of the
// side: for each pair, its rank within its set.
func (c *tableChecker) checkRemovals(x *side, place int) {
	ranks := x.ranks.row(place)
	for i := range x.pairs {
		c.checkRemoved(x, place, i)
	}
	greatest := c.greatest[:len(x.pairs)]
	clear(greatest)
	c.eachOnward(x, place, func(l lts.Label, to int) {
		if !c.fair.Rare(l) {
			c.raiseGreatest(greatest, x, place, l, to)
		}
	})
	for i := range x.pairs {
		rank := ranks[2*i]
		if rank > 0 && rank != greatest[i]+1 {
			fail("place %s: rank of pair %d is %d, but the transitions make it %d", c.name(place),
				i, rank, greatest[i]+1)
		}
	}
}

// raiseGreatest adds one transition to the greatest rank that onward transitions have for each pair. It
// fails if the transition has a colour that the certificate declares missing from its set. A row of ranks
// has two numbers for each pair: the rank, and the set in which it counts.
func (c *tableChecker) raiseGreatest(greatest []uint32, x *side, at int, l lts.Label, to int) {
	before := x.ranks.row(at)
	after := x.ranks.row(to)
	marks := c.automaton.Marks(c.propertyStates[at], l)
	step := transition{c.modelStates[at], l, c.modelStates[to]}
	for i, pair := range x.pairs {
		if marks&pair.Fin != 0 {
			continue
		}
		common, rank := c.along(c.nested, step, before[2*i+1], ranked{
			after[2*i],
			after[2*i+1],
		})
		if common > 0 {
			c.checkMissing(common, marks, step)
		}
		greatest[i] = max(greatest[i], rank)
	}
}

// checkMissing checks that a transition inside a set, numbered from 1, lacks the colour that is declared
// to be missing there.
func (c *tableChecker) checkMissing(number uint32, marks property.Marks, step transition) {
	missing := c.sets[number-1].missing
	if missing > 0 && marks.Has(int(missing-1)) {
		fail("set %d: colour %d is said to be missing in it, but %s has it", number,
			missing-1, c.transition(step.from, step.label, step.to))
	}
}

// checkRemoved checks that a product state fits its set for pair i: a state of rank 0 neglects a
// task of the set, or the set lacks a colour of the pair.
func (c *tableChecker) checkRemoved(x *side, place, i int) {
	ranks := x.ranks.row(place)
	rank := ranks[2*i]
	in := ranks[2*i+1]
	if in == 0 {
		if rank == 0 {
			fail("place %s: rank of pair %d is 0, but the place lies in no set", c.name(place), i)
		}
		return
	}
	s := &c.sets[in-1]
	switch {
	case rank > 0 && !s.nests():
		fail("place %s: rank of pair %d is %d, but all of set %d neglect the same", c.name(place),
			i, rank, in)
	case s.missing > 0 && !x.pairs[i].Inf.Has(int(s.missing-1)):
		fail("place %s: colour %d is missing in set %d, but need not recur for pair %d",
			c.name(place), s.missing-1, in, i)
	case rank == 0 && s.missing == 0 && !c.enables(c.modelStates[place], s.tasks):
		fail("place %s: rank of pair %d is 0, but the place neglects no task of set %d",
			c.name(place), i, in)
	}
}

func (r *rows) row(i int) []uint32 { return r.values[r.start[i]:r.start[i+1]] }

// home is a set of product states where a run can stay forever and take infinitely often all
// transitions between these states that have no banned colour.
type home struct {
	root  int // the index of the root plus one; 0 if none is known
	marks property.Marks
	moves bool // whether some transition stays in the home
}

// homeChecker computes, in one pass over the transitions, what the homes of a side are.
type homeChecker struct {
	*tableChecker
	*side
	homes []home
	// nearestFrom and nearestTo have, for each member of a home, the least distances from and to
	// the root of the home, as its transitions and the claimed distances of the other members give
	// them.
	nearestFrom, nearestTo []uint32
}

// checkHomes checks that homes are strongly connected, and that a run which stays in one is of the
// side.
func (c *tableChecker) checkHomes(x *side) {
	h := &homeChecker{
		tableChecker: c,
		side:         x,
		homes:        make([]home, len(x.banned)),
		nearestFrom:  allNone(len(c.modelStates)),
		nearestTo:    allNone(len(c.modelStates)),
	}
	c.eachProductState(func(at int) {
		if x.home[at] > 0 && x.hasRun[at] {
			h.checkRoot(at)
			h.followMember(at)
		}
	})
	for k := range h.homes {
		h.checkHome(k)
	}
	c.eachProductState(func(at int) {
		from := h.nearestFrom[at]
		to := h.nearestTo[at]
		if x.home[at] > 0 && x.hasRun[at] && (x.from[at] != from || x.to[at] != to) {
			fail("place %s is said to be %d transitions from the root of home %d and %d back to it, but it is %s and %s", c.name(at), x.from[at], x.home[at], x.to[at], orNone(from), orNone(to))
		}
	})
}

// checkRoot checks that the first member of a home is its root, and no other one.
func (h *homeChecker) checkRoot(place int) {
	k := h.home[place]
	home := &h.homes[k-1]
	if h.from[place] > 0 {
		if home.root == 0 {
			fail("home %d: its first place, %s, is not its root", k, h.name(place))
		}
		return
	}
	if home.root > 0 {
		fail("home %d has two roots, places %s and %s", k, h.name(home.root-1), h.name(place))
	}
	home.root = place + 1
	h.nearestFrom[place] = 0
	h.nearestTo[place] = 0
}

// followMember follows the transitions from a member of a home that stay in it.
func (h *homeChecker) followMember(place int) {
	k := h.home[place]
	home := &h.homes[k-1]
	h.eachSuccessor(place, func(l lts.Label, to int) {
		if !h.isInside(h.side, place, l, to) {
			if h.fair != nil && h.fair.Full() {
				fail("home %d: a run that is fully fair does not stay there, for %s leads away",
					k, h.transition(h.modelStates[place], l, h.modelStates[to]))
			}
			return
		}
		home.marks |= h.automaton.Marks(h.propertyStates[place], l)
		home.moves = true
		h.nearestFrom[to] = min(h.nearestFrom[to], h.from[place]+1)
		h.nearestTo[place] = min(h.nearestTo[place], h.to[to]+1)
	})
}

// checkHome checks that a run which stays in home k, counted from 0, is of the side, and that the
// home bans the colours of a pair that such a run satisfies.
func (h *homeChecker) checkHome(k int) {
	home := h.homes[k]
	meets := func(p property.Pair) bool {
		return p.Fin == h.banned[k] && p.Inf&^home.marks == 0
	}
	switch {
	case home.root == 0 || !home.moves:
		fail("home %d has no root, or no transition", k+1)
	case !h.accept.Holds(home.marks):
		fail("home %d: no run that stays there %s the property, but the certificate claims it", k+1, h.verb)
	case h.fair != nil && h.fair.Full():
		if h.banned[k] != 0 {
			fail("home %d: the certificate bans colours in it, but a fully fair run takes all transitions", k+1)
		}
	case !slices.ContainsFunc(h.pairs, meets):
		fail("home %d: no pair that it satisfies bans the colours that the certificate bans in it", k+1)
	}
}

// isInside reports whether a transition of a product state stays in its home, and may be taken
// infinitely often.
func (c *tableChecker) isInside(x *side, at int, l lts.Label, to int) bool {
	k := x.home[at]
	return x.hasRun[to] && x.home[to] == k && c.automaton.Marks(c.propertyStates[at], l)&x.banned[k-1] == 0 &&
		(c.fair == nil || !c.fair.Rare(l))
}

// ranking visits, for one pair, the strongly connected components of the product states from where
// no run is of the side, successors first (Tarjan: Depth-First Search and Linear Graph Algorithms,
// SIAM J. Comput. 1972). It ignores transitions with a colour of Fin.
type ranking struct {
	*tableChecker
	*side
	pairIndex  int // of the pair in the condition
	pair       property.Pair
	index, low []uint32 // numbers from 1, in the order in which product states are visited
	isOnStack  []bool   // whether a product state is visited, and its component not known yet
	stack      []int
	numVisited uint32
}

// visit is a product state with the number of its next transition.
type visit struct{ at, next int }

// enter begins the visit of a product state.
func (r *ranking) enter(at int) visit {
	r.numVisited++
	r.index[at] = r.numVisited
	r.low[at] = r.numVisited
	r.isOnStack[at] = true
	r.stack = append(r.stack, at)
	return visit{at: at}
}

// edge is a transition of the product.
type edge struct {
	to    int // the target; 0 if it is not listed
	marks property.Marks
	// isAllowed is false if the transition has a colour of Fin, or if some run from its target is of the
	// side.
	isAllowed bool
}

// edge returns transition k of a product state; false if there is none.
func (r *ranking) edge(at, k int) (edge, bool) {
	labels, targets := r.model.Out(r.modelStates[at])
	if k >= len(targets) {
		return edge{}, false
	}
	l := labels.At(k)
	to, listed := r.productState(targets[k], r.automaton.Next(r.propertyStates[at], l))
	marks := r.automaton.Marks(r.propertyStates[at], l)
	return edge{
		to:        to,
		marks:     marks,
		isAllowed: listed && !r.hasRun[to] && marks&r.pair.Fin == 0,
	}, true
}

// visitFrom visits all product states that can be reached from one and were not visited before.
func (r *ranking) visitFrom(at int) {
	path := []visit{r.enter(at)}
	for len(path) > 0 {
		v := &path[len(path)-1]
		next, more := r.edge(v.at, v.next)
		v.next++
		switch {
		case more && next.isAllowed && r.index[next.to] == 0:
			path = append(path, r.enter(next.to))
		case more && next.isAllowed && r.isOnStack[next.to]:
			r.low[v.at] = min(r.low[v.at], r.index[next.to])
		case !more:
			finished := v.at
			path = path[:len(path)-1]
			if len(path) > 0 {
				before := path[len(path)-1].at
				r.low[before] = min(r.low[before], r.low[finished])
			}
			if r.low[finished] == r.index[finished] {
				r.checkComponent(finished)
			}
		}
	}
}

// checkComponent checks the evidence of the component whose first visited product state is root: each of
// its product states must have the rank and the missing colour that its transitions imply.
func (r *ranking) checkComponent(root int) {
	first := len(r.stack) - 1
	for r.stack[first] != root {
		first--
	}
	states := r.stack[first:]
	r.stack = r.stack[:first]
	rank, missing := r.evidence(states)
	for _, at := range states {
		r.isOnStack[at] = false
		ofPair := r.ranks.row(at)[2*r.pairIndex:] // a row has a rank and a missing colour for each pair
		foundRank := ofPair[0]
		foundMissing := ofPair[1]
		if foundRank != rank || foundMissing != missing {
			fail("place %s: pair %d has rank %d and missing %d, but the transitions make it %d and %d",
				r.name(at), r.pairIndex, foundRank, foundMissing, rank, missing)
		}
	}
}

// evidence returns the rank of a component, and the first wanted colour that none of its transitions
// has, plus 1; 0 if it is not cyclic, or lacks no colour.
func (r *ranking) evidence(component []int) (rank, missing uint32) {
	cyclic := false
	marks := property.Marks(0)
	for _, at := range component {
		for k := 0; ; k++ {
			next, more := r.edge(at, k)
			if !more {
				break
			}
			switch {
			case !next.isAllowed:
			case r.isOnStack[next.to]: // the target is in this component, which leads to no other unfinished one
				cyclic = true
				marks |= next.marks
			default:
				rank = max(rank, r.ranks.row(next.to)[2*r.pairIndex]+1)
			}
		}
	}
	lacking := r.pair.Inf &^ marks
	if cyclic && lacking != 0 {
		missing = uint32(bits.TrailingZeros64(uint64(lacking))) + 1
	}
	return rank, missing
}
