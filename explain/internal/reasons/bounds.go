// Package reasons finds out how nearly a property that holds does not. Its bounds are the most and
// the fewest transitions until each step is done, or until what is pending is settled, with a run
// that takes the most; a variation is a property, or a model, that is changed a little.
//
// The invariant that holds inside: a bound holds for all runs that count, and some run attains it;
// the verdict on a variation is exact.
package reasons

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// MostSlowest is the largest length for which a slowest run is returned.
const MostSlowest = 100_000

// ErrTooLarge reports that there are too many product states.
var ErrTooLarge = errors.New("model and property are too large for bounds")

// mostPlaces is the largest number of product states for which bounds are computed, unless the
// property has at most fewSteps steps: each product state takes 12 bytes, and the model itself far
// less.
const (
	mostPlaces = 1 << 21
	fewSteps   = 16
)

// Bound is the largest and the smallest number of transitions until a step is done, or until what
// is pending is settled.
type Bound struct {
	Most, Least int
	// Bounded reports whether there is a largest number; otherwise Most is 0.
	Bounded bool
}

// Faster is a transition that a run does not take. Most is the largest number of transitions of a
// run that takes this transition, counted from this transition on; at least 1.
type Faster struct {
	lts.Transition
	Most int
}

// Choice is a product state of a run where another transition would have been faster.
type Choice struct {
	// Step is the index of the run's transition, and Left the largest number of transitions from
	// this step on, the step included.
	Step, Left int
	// Faster are the transitions that would have been faster.
	Faster []Faster
}

// Slowest is a run that takes the largest number of transitions.
type Slowest struct {
	// Of is the index of the bound in Result.Bounds.
	Of int
	// Steps are the transitions from the initial state on; the first Begins of them come before
	// anything is pending.
	Steps  []lts.Transition
	Begins int
	// Choices are the choices after the first Begins transitions.
	Choices []Choice
}

// Result has the bounds of a property that holds.
type Result struct {
	// Bounds are, for a chain, one for each step, in transitions from the start; otherwise one for
	// each condition that has a bound, in transitions from the moment when something becomes
	// pending.
	Bounds []Bound
	// Stays describes each bound of a property that is no chain.
	Stays []Stay
	// Repeats are the labels of a cycle that a run can repeat any number of times
	// before the first step, or settlement, without a bound; nil if all are bounded.
	Repeats []lts.Label
	// Slowest is nil if some bound is unbounded, and if the run has more than [MostSlowest]
	// transitions.
	Slowest *Slowest
}

// Condition is a property, bound twice: to the alphabet of the model, and in Wide to the alphabet
// with one label for each letter and one label that the formula does not name. The latter makes GF
// {A, B} pending at times even if the model does only A and B.
type Condition struct{ Property, Wide *property.Property }

// WideAlphabet returns the alphabet of [Condition.Wide]. Cost O(labels).
func WideAlphabet(p *property.Property) *lts.Alphabet {
	first, _ := letters(p)
	return p.Alphabet().WithOther(first)
}

// Stay describes the bound of a condition.
type Stay struct {
	// Condition is the index of the condition among those given to [Bounds].
	Condition int
	// Begins are the property states where something becomes pending, ascending.
	Begins []property.Q
	// Overlaps reports whether a run can begin to do what settles one segment before it has ended
	// the previous segment. Then the bound is about segments alone: what becomes pending within a
	// segment may be settled by the end of the next one.
	Overlaps bool
}

// Bounds returns the bounds of a property that holds: for a chain, one for each step; otherwise one for
// each of the conditions; the property must be their conjunction. The result is nil unless
// something can be pending in one of them that is a generalised Büchi condition. Cost O(product
// states and their transitions), at most n (S + T) for n property states; 12 bytes a product state.
// If a condition is not the property of fates, or if its states do not determine what was done in a
// segment, [fate.Compute] is added.
func Bounds(ctx context.Context, fates *fate.Map, conditions []Condition) (_ *Result, err error) {
	defer abort.Caught(&err)
	if chain, is := fates.Property().Chain(); is {
		r := ofChain(ctx, fates, chain)
		if fates.LTS().Before() > 0 {
			// The transition to an initial state does not count.
			for i := range r.Bounds {
				b := &r.Bounds[i]
				if b.Least--; b.Bounded {
					b.Most--
				}
			}
		}
		return r, nil
	}
	r := &Result{}
	var slowest *Slowest
	for i, c := range conditions {
		found := ofTable(ctx, fates, c.Property, c.Wide)
		if found == nil {
			continue
		}
		if r.Repeats == nil {
			r.Repeats = found.repeats
		}
		if found.slowest != nil && (slowest == nil || found.Most > r.Bounds[slowest.Of].Most) {
			slowest = found.slowest
			slowest.Of = len(r.Bounds)
		}
		r.Bounds, r.Stays = append(r.Bounds, found.Bound), append(r.Stays, Stay{Condition: i, Begins: found.begins, Overlaps: found.overlaps})
	}
	if len(r.Bounds) == 0 {
		return nil, nil
	}
	if r.Repeats == nil && slowest != nil && !slices.ContainsFunc(r.Bounds, func(b Bound) bool { return b.Most > MostSlowest }) {
		r.Slowest = slowest
	}
	return r, nil
}

func ofChain(ctx context.Context, fates *fate.Map, p *property.Chain) *Result {
	n := p.Len()
	if places := int64(n) * int64(fates.LTS().NumStates()); n > fewSteps && places > mostPlaces || places > math.MaxInt32 {
		abort.On(ErrTooLarge)
	}
	g := &chainGraph{m: fates.LTS(), p: p, n: n, states: uint32(fates.LTS().NumStates()), fates: fates, all: fates.Fairness() == nil}
	x := newSearch(ctx, g.m, g, n > 1)
	start := uint32(fates.LTS().Initial())
	x.from(start)
	r := &Result{Bounds: make([]Bound, n)}
	bounded := n
	if x.closing != none {
		bounded = int(x.closing / g.states)
		r.Repeats = x.cycle(x.closing)
		g.n = bounded
	}
	if n == 1 && bounded == n {
		r.Bounds[0].Least = int(x.few[start])
	}
	if bounded < n {
		all := *g
		all.n = n
		done := 0
		breadthFirst(ctx, g.m, &all, []uint32{start}, func(depth int, to uint32, w way) bool {
			progress := n
			if w == leadsOn {
				progress = int(to / all.states)
			}
			for ; done < progress; done++ {
				r.Bounds[done].Least = depth
			}
			return done == n
		})
	}
	if bounded == 0 {
		return r
	}
	if bounded < n {
		x = newSearch(ctx, g.m, g, n > 1)
		x.from(start)
	}
	g.most(ctx, x, r.Bounds[:bounded])
	if bounded == n && r.Bounds[n-1].Most <= MostSlowest {
		r.Slowest = x.walk(start, nil)
		r.Slowest.Of = n - 1
		if g.m.Before() > 0 { // the transition to an initial state is not part of the bound
			r.Slowest.Begins = 1
			r.Slowest.Choices = slices.DeleteFunc(r.Slowest.Choices, func(c Choice) bool { return c.Step == 0 })
		}
	}
	return r
}

// chainGraph has the product states before step n of a chain is done: state s with j < n steps done
// has number j · states + s.
type chainGraph struct {
	m      *lts.LTS
	p      *property.Chain
	n      int
	states uint32
	fates  *fate.Map
	// all reports whether all runs of the model count.
	all bool
}

func (g *chainGraph) places() int { return g.n * int(g.states) }

func (g *chainGraph) state(p uint32) lts.State { return lts.State(p % g.states) }

func (g *chainGraph) next(p uint32, l lts.Label, t lts.State) (uint32, way) {
	j := g.p.Advance(int(p/g.states), l)
	switch {
	case !g.all && !g.fates.AdmitsFrom(t, property.Q(j)):
		return 0, excluded
	case j >= g.n:
		return 0, settles
	}
	return uint32(j)*g.states + uint32(t), leadsOn
}

// most finds the largest and the smallest number of transitions until each step is done, as longest
// and shortest paths in an acyclic graph: in the reverse of the order in which the search has left
// the product states.
func (g *chainGraph) most(ctx context.Context, x *search, bounds []Bound) {
	last := len(bounds) - 1
	bounds[last].Most, bounds[last].Bounded = int(x.left[g.m.Initial()]), true
	if !x.ordered {
		return
	}
	longest := abort.Must(resources.Make[uint32](ctx, g.places()))
	shortest := abort.Must(resources.Make[uint32](ctx, g.places()))
	comes := func(step int, least, most uint32) {
		b := &bounds[step]
		if b.Least == 0 || int(least) < b.Least {
			b.Least = int(least)
		}
		b.Most, b.Bounded = max(b.Most, int(most)), true
	}
	for i := len(x.order) - 1; i >= 0; i-- {
		abort.IfDone(ctx, i)
		p := x.order[i]
		least, most := shortest[p]+1, longest[p]+1
		labels, targets := g.m.Out(g.state(p))
		for k, t := range targets {
			to, w := g.next(p, labels.At(k), t)
			switch {
			case w == excluded:
				continue
			case w == settles:
				comes(last, least, most)
				continue
			}
			longest[to] = max(longest[to], most)
			if shortest[to] == 0 || least < shortest[to] {
				shortest[to] = least
			}
			if j := int(to / g.states); j > int(p/g.states) {
				comes(j-1, least, most)
			}
		}
	}
}

// way is the effect of a transition on what is pending.
type way uint8

const (
	leadsOn  way = iota // something is still pending
	settles             // nothing is pending any more
	excluded            // no run that counts takes the transition
)

// graph has the product states where something is pending.
type graph interface {
	places() int
	// state returns the state of the searched model that a product state has.
	state(p uint32) lts.State
	// next returns the product state after a transition from a product state, if something is still
	// pending then.
	next(p uint32, l lts.Label, t lts.State) (uint32, way)
}

// The values of search.left that do not count transitions. Numbers are smaller than open, since
// there are fewer product states.
const (
	unseen = 0
	stuck  = math.MaxUint32 // every run from the product state ends, or never settles what is pending
	open   = 1 << 31        // the product state is on the path of the search; the other bits are the most transitions known so far
	none   = math.MaxUint32
)

// search visits product states depth first.
type search struct {
	ctx  context.Context
	m    *lts.LTS // the searched model
	g    graph
	left []uint32 // the most transitions until all is settled
	few  []uint32 // the fewest transitions, as far as they are known on the path, unless the order is requested
	// order has the product states in the order the search left them, if ordered.
	order   []uint32
	ordered bool
	// closing is the smallest product state that closes a cycle; none if there is no cycle.
	closing uint32
	stack   paged.List[frame]
	work    int
}

type frame struct {
	place uint32
	next  uint32 // the next transition to be visited
}

// newSearch allocates an entry for each product state.
func newSearch(ctx context.Context, m *lts.LTS, g graph, ordered bool) *search {
	x := &search{ctx: ctx, m: m, g: g, ordered: ordered, closing: none}
	x.left = abort.Must(resources.Make[uint32](ctx, g.places()))
	if ordered {
		x.order = abort.Must(resources.Make[uint32](ctx, g.places()))[:0]
	} else {
		x.few = abort.Must(resources.Make[uint32](ctx, g.places()))
	}
	return x
}

// from visits all product states that are reachable from start.
func (x *search) from(start uint32) {
	if x.left[start] != unseen {
		return
	}
	x.enter(start)
	for x.stack.Len() > 0 {
		x.work++
		abort.IfDone(x.ctx, x.work)
		x.advance(x.stack.At(x.stack.Len() - 1))
	}
}

func (x *search) enter(p uint32) {
	if x.left[p] = open; !x.ordered {
		x.few[p] = stuck
	}
	x.stack.Append(frame{place: p})
}

// reaches records, for a product state on the path, that some run settles what is pending after the
// first number of transitions, and some run after the second.
func (x *search) reaches(p, most, few uint32) {
	if x.left[p] = max(x.left[p], open|most); !x.ordered {
		x.few[p] = min(x.few[p], few)
	}
}

// fewest returns the fewest transitions from a product state; 0 if the search is ordered.
func (x *search) fewest(p uint32) uint32 {
	if x.ordered {
		return 0
	}
	return x.few[p]
}

// advance follows transitions of the last product state on the path until one leads to a new
// product state, or none is left.
func (x *search) advance(top *frame) {
	labels, targets := x.m.Out(x.g.state(top.place))
	for int(top.next) < len(targets) {
		i := int(top.next)
		top.next++
		to, w := x.g.next(top.place, labels.At(i), targets[i])
		switch w {
		case excluded:
			continue
		case settles:
			x.reaches(top.place, 1, 1)
			continue
		}
		switch left := x.left[to]; {
		case left == unseen:
			x.enter(to)
			return
		case left == stuck:
		case left >= open:
			x.closing = min(x.closing, to)
		default:
			x.reaches(top.place, left+1, x.fewest(to)+1)
		}
	}
	// Leave the last product state on the path, and update the one before.
	last := x.stack.Len() - 1
	p := x.stack.At(last).place
	x.stack.Truncate(last)
	if x.ordered {
		x.order = append(x.order, p)
	}
	most := x.left[p] - open
	if most == 0 {
		x.left[p] = stuck
		return
	}
	if x.left[p] = most; last > 0 {
		x.reaches(x.stack.At(last-1).place, most+1, x.fewest(p)+1)
	}
}

// walk returns a run with the largest number of transitions from a product state on, the first one
// in the order of the model.
func (x *search) walk(p uint32, before []lts.Transition) *Slowest {
	s := &Slowest{Steps: before, Begins: len(before)}
	for {
		from := x.g.state(p)
		labels, targets := x.m.Out(from)
		left := int(x.left[p])
		c := Choice{Step: len(s.Steps), Left: left}
		taken, follows, ends := false, uint32(0), false
		for i, t := range targets {
			to, w := x.g.next(p, labels.At(i), t)
			there := 0 // the largest number of transitions from this one on, if something is settled after it
			switch {
			case w == settles:
				there = 1
			case w == leadsOn && x.left[to] != stuck:
				there = int(x.left[to]) + 1
			}
			switch {
			case there == left && !taken:
				taken, follows, ends = true, to, w == settles
				s.Steps = append(s.Steps, lts.Transition{From: from, Label: labels.At(i), To: t})
			case there > 0 && there < left:
				c.Faster = append(c.Faster, Faster{lts.Transition{From: from, Label: labels.At(i), To: t}, there})
			}
		}
		if len(c.Faster) > 0 {
			s.Choices = append(s.Choices, c)
		}
		if ends || !taken {
			return s
		}
		p = follows
	}
}

// cycle returns the labels of a shortest cycle through a product state that lies on one.
func (x *search) cycle(through uint32) []lts.Label {
	type edge struct {
		from  uint32
		label lts.Label
	}
	came := map[uint32]edge{}
	queue := []uint32{through}
	for i := 0; i < len(queue); i++ {
		abort.IfDone(x.ctx, i)
		p := queue[i]
		labels, targets := x.m.Out(x.g.state(p))
		for k, t := range targets {
			to, w := x.g.next(p, labels.At(k), t)
			if w != leadsOn {
				continue
			}
			if _, known := came[to]; known {
				continue
			}
			came[to] = edge{p, labels.At(k)}
			if to != through {
				queue = append(queue, to)
				continue
			}
			var back []lts.Label
			for at := through; ; {
				e := came[at]
				back = append(back, e.label)
				if at = e.from; at == through {
					slices.Reverse(back)
					return back
				}
			}
		}
	}
	return nil
}

// breadthFirst visits what can be reached from some product states, until one of their transitions
// ends it: ends is asked with the number of transitions so far. It skips what no run that counts takes.
func breadthFirst(ctx context.Context, m *lts.LTS, g graph, level []uint32, ends func(depth int, to uint32, w way) bool) {
	abort.On(resources.AskFor[uint64](ctx, bitset.Words(g.places())))
	visited := bitset.New[uint32](g.places())
	for _, p := range level {
		visited.Add(p)
	}
	var next []uint32
	for depth := 1; len(level) > 0; depth++ {
		for i, p := range level {
			abort.IfDone(ctx, i)
			labels, targets := m.Out(g.state(p))
			for k, t := range targets {
				to, w := g.next(p, labels.At(k), t)
				if w == excluded {
					continue
				}
				if ends(depth, to, w) {
					return
				}
				if w == leadsOn && !visited.Has(to) {
					visited.Add(to)
					next = append(next, to)
				}
			}
		}
		level, next = next, level[:0]
	}
}

// ofTable returns the bound of one property. It works without the product if the property has few
// states and the product does not exist yet.
func ofTable(ctx context.Context, fates *fate.Map, p, wide *property.Property) *stay {
	clauses, is := clausesOf(wide.Acceptance())
	if !is || p.Steps() > 0 {
		return nil
	}
	x := &segments{t: wide.Automaton(), clauses: clauses}
	happens := map[uint16]bool{} // false for a letter that occurs only on transitions to initial states
	for l := range wide.Alphabet().All() {
		if _, begins := wide.Alphabet().Facts(l); wide.Alphabet().Happens(l) {
			happens[x.t.Letters[l]] = happens[x.t.Letters[l]] || !begins
		}
	}
	for c, happens := range happens {
		if happens {
			x.used = append(x.used, c)
		} else {
			x.firsts = append(x.firsts, c)
		}
	}
	slices.Sort(x.used)
	slices.Sort(x.firsts)
	n := x.t.States()
	if n*n*(1+len(x.used))*len(clauses) > mostPairs {
		abort.On(ErrTooLarge)
	}
	words := abort.Must(product.ResidualsOf(ctx, wide))
	x.dead = make([]bool, n)
	for q := range x.dead {
		x.dead[q] = !words.CanAccept(property.Q(q))
	}
	for _, clause := range x.clauses {
		next := make([][]int, n)
		for q := range next {
			for _, c := range x.used {
				if x.misses(property.Q(q), c, clause) {
					next[q] = append(next[q], int(x.next(property.Q(q), c)))
				}
			}
		}
		cycles := cyclesOf(ctx, next)
		around, loops := make([]bool, len(x.t.Next)), make([]bool, n)
		for q := range n {
			for _, c := range x.used {
				if to := x.next(property.Q(q), c); cycles[q] >= 0 && cycles[q] == cycles[to] && x.misses(property.Q(q), c, clause) {
					around[q*x.t.Columns+int(c)], loops[q] = true, true
				}
			}
		}
		x.around, x.loops = append(x.around, around), append(x.loops, loops)
	}
	x.findClasses(ctx)
	c := x.cut().of(p)
	if !slices.Contains(c.pending, true) {
		return nil
	}
	if c.p != fates.Property() {
		fates = abort.Must(fate.Compute(ctx, fates.Components(), c.p, enrich.Options{Fairness: fates.Fairness()}))
	}
	found := boundOf(ctx, fates, c)
	if found != nil {
		found.overlaps = c.overlaps()
	}
	return found
}

// boundOf returns the bound of the property of a cut, which has these fates.
func boundOf(ctx context.Context, fates *fate.Map, c *cut) *stay {
	if g := newPendingGraph(fates, c); g != nil {
		return g.bound(ctx)
	}
	u := abort.Must(fates.Unfold(ctx))
	if u.LTS().NumStates() > math.MaxInt32 {
		abort.On(ErrTooLarge)
	}
	g := &tableGraph{u: u, fates: fates, cut: c}
	return g.bound(ctx)
}

// clausesOf returns the sets of colours of a generalised Büchi condition: of each set, some colour
// must occur infinitely often. It is false for other conditions.
func clausesOf(a property.Acceptance) ([]property.Marks, bool) {
	switch a.Operator() {
	case property.InfOp:
		return []property.Marks{property.Mark(a.Colour())}, true
	case property.OrOp:
		var all property.Marks
		for _, p := range a.Parts() {
			if p.Operator() != property.InfOp {
				return nil, false
			}
			all |= property.Mark(p.Colour())
		}
		return []property.Marks{all}, true
	case property.AndOp:
		var all []property.Marks
		for _, p := range a.Parts() {
			of, is := clausesOf(p)
			if !is {
				return nil, false
			}
			all = append(all, of...)
		}
		return all, true
	}
	return nil, false
}

// tableGraph has the states of the unfolded model. Only those are searched where something is
// pending.
type tableGraph struct {
	*cut
	u     *product.Unfolding
	fates *fate.Map
}

func (g *tableGraph) places() int { return g.u.LTS().NumStates() }

func (g *tableGraph) state(p uint32) lts.State { return lts.State(p) }

func (g *tableGraph) next(p uint32, l lts.Label, t lts.State) (uint32, way) {
	at := g.u.At(t)
	switch {
	case !g.fates.AdmitsFrom(at.State, at.Q):
		return 0, excluded
	case g.settled(g.u.At(lts.State(p)).Q, l):
		return 0, settles
	}
	return uint32(t), leadsOn
}

// stay is the bound of one condition.
type stay struct {
	Bound
	// begins are the property states, before the cut, where segments begin, ascending.
	begins []property.Q
	// overlaps is [Stay.Overlaps].
	overlaps bool
	// repeats is a cycle on which something stays pending, nil if the condition is bounded; slowest is
	// nil then, and if it is too long.
	repeats []lts.Label
	slowest *Slowest
}

// stays returns the bound of the segments that begin in some product states, and the smallest of these
// that attains it; nil if none of these segments ends. q returns the property state, before the cut,
// of a product state.
func (x *search) stays(beginnings iter.Seq[uint32], q func(uint32) property.Q) (b *stay, attains uint32) {
	for p := range beginnings {
		x.from(p)
		left := x.left[p]
		if left == stuck {
			continue
		}
		if b == nil {
			b, attains = &stay{Bound: Bound{Least: int(x.few[p])}}, p
		}
		if most := int(left); most > b.Most || most == b.Most && p < attains {
			b.Most, attains = most, p
		}
		b.Least = min(b.Least, int(x.few[p]))
		if at, known := slices.BinarySearch(b.begins, q(p)); !known {
			b.begins = slices.Insert(b.begins, at, q(p))
		}
	}
	if b != nil && x.closing == none {
		b.Bounded = true
	}
	return b, attains
}

// bound finds the bound of the segments that begin in each product state where something becomes
// pending.
func (g *tableGraph) bound(ctx context.Context) *stay {
	x := newSearch(ctx, g.u.LTS(), g, false)
	b, first := x.stays(g.beginnings(ctx), func(p uint32) property.Q { return g.origin(g.u.At(lts.State(p)).Q) })
	switch {
	case b == nil:
		return nil
	case !b.Bounded:
		b.repeats, b.Most = x.cycle(x.closing), 0
		breadthFirst(ctx, g.u.LTS(), g, slices.Collect(g.beginnings(ctx)), func(depth int, _ uint32, w way) bool {
			b.Least = depth
			return w == settles
		})
		return b
	case b.Most > MostSlowest:
		return b
	}
	tree := abort.Must(bfs.From(ctx, g.u.LTS(), []lts.State{0}, bfs.Options{
		Along: func(t lts.Transition) bool {
			at := g.u.At(t.To)
			return g.fates.AdmitsFrom(at.State, at.Q)
		},
		Until: func(s lts.State) bool { return s == lts.State(first) },
	}))
	b.slowest = x.walk(first, tree.Path(lts.State(first)))
	of := func(t lts.Transition) lts.Transition {
		return lts.Transition{From: g.u.At(t.From).State, Label: t.Label, To: g.u.At(t.To).State}
	}
	for i, t := range b.slowest.Steps {
		b.slowest.Steps[i] = of(t)
	}
	for _, c := range b.slowest.Choices {
		for i := range c.Faster {
			c.Faster[i].Transition = of(c.Faster[i].Transition)
		}
	}
	return b
}

// beginnings yields every product state where a segment begins, some more than once.
func (g *tableGraph) beginnings(ctx context.Context) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if g.pending[g.u.At(0).Q] && g.begun && !yield(0) {
			return
		}
		for s := range lts.State(g.places()) {
			abort.IfDone(ctx, s)
			from := g.u.At(s)
			if !g.fates.AdmitsFrom(from.State, from.Q) {
				continue
			}
			labels, targets := g.u.LTS().Out(s)
			for i, t := range targets {
				at := g.u.At(t)
				_, first := g.p.Alphabet().Facts(labels.At(i))
				begins := g.pending[at.Q] && (first || !g.pending[from.Q] || g.settled(from.Q, labels.At(i)))
				if begins && g.fates.AdmitsFrom(at.State, at.Q) && !yield(uint32(t)) {
					return
				}
			}
		}
	}
}

// pendingGraph is [tableGraph] without the product. It numbers all pairs of a state of the model
// and a property state where something is pending, reachable or not. It requires a property that
// holds if all runs count: then there is no cycle.
type pendingGraph struct {
	*cut
	m      *lts.LTS
	fates  *fate.Map
	levels *product.Levels
	// states are the property states where something is pending; ranks has, for each property
	// state, its position in states, from 1; 0 if nothing is pending.
	ranks  []uint8
	states []property.Q
	// fresh has the product states where segments begin.
	fresh bitset.Set[uint32]
}

// newPendingGraph returns the graph; nil if the product must be used instead.
func newPendingGraph(fates *fate.Map, c *cut) *pendingGraph {
	if _, known := fates.Unfolding(); known || fates.Fairness() != nil {
		return nil
	}
	g := &pendingGraph{cut: c, m: fates.LTS(), fates: fates, levels: product.NewLevels(fates.LTS(), c.p), ranks: make([]uint8, len(c.pending))}
	if g.levels == nil {
		return nil
	}
	for q, is := range c.pending {
		if is {
			g.states = append(g.states, property.Q(q))
			g.ranks[q] = uint8(len(g.states))
		}
	}
	if g.places() > math.MaxInt32 {
		return nil
	}
	return g
}

func (g *pendingGraph) places() int { return g.m.NumStates() * len(g.states) }

func (g *pendingGraph) at(p uint32) product.State {
	n := uint32(len(g.states))
	return product.State{State: lts.State(p / n), Q: g.states[p%n]}
}

// number returns the number of a product state; false if nothing is pending there.
func (g *pendingGraph) number(s lts.State, q property.Q) (uint32, bool) {
	rank := g.ranks[q]
	return uint32(s)*uint32(len(g.states)) + uint32(rank) - 1, rank > 0
}

func (g *pendingGraph) state(p uint32) lts.State { return g.at(p).State }

func (g *pendingGraph) next(p uint32, l lts.Label, t lts.State) (uint32, way) {
	i := int(g.at(p).Q)*g.t.Columns + int(g.t.Letters[l])
	if to, goesOn := g.number(t, g.t.Next[i]); goesOn && !g.settles[i] {
		return to, leadsOn
	}
	return 0, settles
}

// bound finds the bound of the segments that begin in each product state where something becomes
// pending.
func (g *pendingGraph) bound(ctx context.Context) *stay {
	abort.On(resources.Ask(ctx, int64(g.places())/8))
	g.fresh = bitset.New[uint32](g.places())
	x := newSearch(ctx, g.m, g, false)
	g.passes(x)
	b, _ := x.stays(g.fresh.All, func(p uint32) property.Q { return g.origin(g.at(p).Q) })
	if b == nil {
		return nil
	}
	longest := func(at product.State) bool {
		p, is := g.number(at.State, at.Q)
		return is && g.fresh.Has(p) && int(x.left[p]) == b.Most
	}
	first, distance, err := g.levels.First(ctx, longest)
	abort.On(err)
	if b.Most <= MostSlowest {
		p, _ := g.number(first.State, first.Q)
		b.slowest = x.walk(p, g.levels.Path(first, distance))
	}
	return b
}

// passes visits all states in the order of their numbers, alternately down and up. It finds out
// where segments begin, and how long something stays pending in the product states whose successors
// are known. It ends when a pass completes at most half of the unknown product states. A search
// depth first completes the others, which costs more; but most models have most transitions to
// higher numbers, or to lower ones.
func (g *pendingGraph) passes(x *search) {
	if begin, is := g.number(g.m.Initial(), g.p.Initial()); is && g.begun {
		g.fresh.Add(begin)
	} else if !g.begun {
		g.begin(g.m.Initial(), g.p.Initial())
	}
	n := g.m.NumStates()
	for down := true; ; down = !down {
		found, left := 0, 0
		for i := range n {
			abort.IfDone(x.ctx, i)
			s := lts.State(i)
			if down {
				s = lts.State(n - 1 - i)
			}
			for q := range g.fates.Arrivals(s) {
				switch place, is := g.number(s, q); {
				case !is:
					g.begin(s, q)
				case x.left[place] != unseen:
				case g.settle(x, place, s, q):
					found++
				default:
					left++
				}
			}
		}
		if left == 0 || found <= left {
			return
		}
	}
}

// begin notes the segments that begin after a product state where nothing is pending.
func (g *pendingGraph) begin(s lts.State, q property.Q) {
	labels, targets := g.m.Out(s)
	row := int(q) * g.t.Columns
	for i, t := range targets {
		if to, is := g.number(t, g.t.Next[row+int(g.t.Letters[labels.At(i)])]); is {
			g.fresh.Add(to)
		}
	}
}

// settle finds out how long something stays pending in a product state, and reports whether all
// successors are known. It notes the segments that begin when another segment ends.
func (g *pendingGraph) settle(x *search, place uint32, s lts.State, q property.Q) bool {
	labels, targets := g.m.Out(s)
	row := int(q) * g.t.Columns
	most, few, known := uint32(0), uint32(stuck), true
	for i, t := range targets {
		at := row + int(g.t.Letters[labels.At(i)])
		to, is := g.number(t, g.t.Next[at])
		if settled := g.settles[at]; settled || !is {
			if settled && is {
				g.fresh.Add(to)
			}
			most, few = max(most, 1), 1
			continue
		}
		switch left := x.left[to]; left {
		case unseen:
			known = false
		case stuck:
		default:
			most, few = max(most, left+1), min(few, x.few[to]+1)
		}
	}
	switch {
	case !known:
		return false
	case most == 0:
		x.left[place] = stuck
	default:
		x.left[place], x.few[place] = most, few
	}
	return true
}

// Failure is how a property fails: in the deadlock State, or else on a loop.
type Failure struct {
	Deadlock bool
	State    lts.State
}

// fairPasses is the number of passes through the product as which limits of work count a search for
// fair runs. Measured: it refines components by tasks several times, and each pass takes longer.
const fairPasses = 24

// Check returns how p fails in m, nil if it holds on every run that counts, and the number of
// product states and transitions that it visited. Cost as for [product.Unfold] and
// [product.Unfolding.AcceptingUnder].
func Check(ctx context.Context, m *lts.LTS, p *property.Property, fair *property.Fairness) (_ *Failure, _ int64, err error) {
	defer abort.Caught(&err)
	u := abort.Must(product.Unfold(ctx, m, p))
	work := int64(u.LTS().NumStates()) + int64(u.LTS().NumTransitions())
	if fair != nil {
		work *= fairPasses
	}
	for s := range lts.State(u.LTS().NumStates()) {
		if at := u.At(s); u.LTS().IsDeadlock(s) && !p.Stops(at.Q) {
			return &Failure{Deadlock: true, State: at.State}, work, nil
		}
	}
	c := abort.Must(scc.Find(ctx, u.LTS(), "iterative"))
	violating := abort.Must(u.AcceptingUnder(ctx, c, p.Acceptance().Not(), fair))
	for i := range violating {
		if violating[i] {
			return &Failure{}, work, nil
		}
	}
	return nil, work, nil
}
