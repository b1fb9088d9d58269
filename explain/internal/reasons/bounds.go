// Package reasons finds out how far a property that holds is from failing. Its bounds are the
// largest and the smallest number of transitions until each step is done, or until what is pending
// is settled, with a run that takes the largest number. A variation is a property, or a model, that
// is changed a little.
//
// A bound holds for all runs that count, and some run attains it; the verdict on a variation is
// exact.
package reasons

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// MostSlowest is the largest length for which a slowest run is returned.
const MostSlowest = 100_000

// ErrTooLarge reports that there are too many product states.
var ErrTooLarge = errors.New("model and property are too large for bounds")

// mostPlaces is the largest number of product states for which bounds are computed, since each
// product state takes 12 bytes. It does not apply to properties with at most fewSteps steps.
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
// run that takes it, counted from this transition on; at least 1.
type Faster struct {
	lts.Transition
	Most int
}

// Choice is a product state of a run where another transition would have been faster.
type Choice struct {
	// Step is the index of the run's transition. Left is the largest number of transitions from
	// this step on, including the step.
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
	// Bounds are the bounds. For a chain, there is one for each step, in transitions from the
	// start; for other properties, one for each condition that has a bound, in transitions from the
	// moment when something becomes pending.
	Bounds []Bound
	// Stays describes each bound of a property that is no chain.
	Stays []Stay
	// Repeats are the labels of a cycle that a run can repeat any number of times before the first
	// step, or condition, without a bound. It is nil if all are bounded.
	Repeats []lts.Label
	// Slowest is nil if something is unbounded, or if the run has more than [MostSlowest] transitions.
	Slowest *Slowest
}

// Condition is a property, bound twice: to the alphabet of the model and, in Wide, to an alphabet
// with one label for each letter and one label that the formula does not name. Wide is needed, for
// instance, if the model does nothing but A and B: then GF {A, B} is pending at times only over the
// wide alphabet.
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
	// the previous segment. Then the bound is about segments alone: if something becomes pending
	// within a segment, it may be settled only at the end of the next one.
	Overlaps bool
}

// Bounds returns the bounds of a property that holds: for a chain, one for each step; for other
// properties, one for each of the conditions, whose conjunction must be the property. The result is
// nil unless some condition is a generalised Büchi condition in which something can be pending.
// Cost O(product states and their transitions), at most n (S + T) for n property states; 12 bytes a
// product state. The cost of [fate.Compute] is added in two cases: if a condition is not the
// property of fates, or if its states do not determine what was done in a segment.
func Bounds(ctx context.Context, fates *fate.Map, conditions []Condition) (*Result, error) {
	if chain, isChain := fates.Property().Chain(); isChain {
		r, err := ofChain(ctx, fates, chain)
		if err != nil {
			return nil, err
		}
		if fates.LTS().Before() > 0 {
			r.uncountFirst()
		}
		return r, nil
	}
	r := &Result{}
	var slowest *Slowest
	for i, c := range conditions {
		found, err := ofTable(ctx, fates, c.Property, c.Wide)
		if err != nil {
			return nil, err
		}
		if found == nil {
			continue
		}
		if r.Repeats == nil {
			r.Repeats = found.repeats
		}
		isSlowest := slowest == nil || found.Most > r.Bounds[slowest.Of].Most
		if found.slowest != nil && isSlowest {
			slowest = found.slowest
			slowest.Of = len(r.Bounds)
		}
		r.Bounds = append(r.Bounds, found.Bound)
		r.Stays = append(r.Stays, Stay{
			Condition: i,
			Begins:    found.begins,
			Overlaps:  found.overlaps,
		})
	}
	if len(r.Bounds) == 0 {
		return nil, nil
	}
	isTooLong := func(b Bound) bool { return b.Most > MostSlowest }
	if r.Repeats == nil && slowest != nil && !slices.ContainsFunc(r.Bounds, isTooLong) {
		r.Slowest = slowest
	}
	return r, nil
}

// uncountFirst subtracts the transition to an initial state from the bounds.
func (r *Result) uncountFirst() {
	for i := range r.Bounds {
		b := &r.Bounds[i]
		b.Least--
		if b.Bounded {
			b.Most--
		}
	}
}

// ofChain returns the bounds of a chain. A step has a bound if it comes before the first product
// state that closes a cycle.
func ofChain(ctx context.Context, fates *fate.Map, p *property.Chain) (*Result, error) {
	n := p.Len()
	m := fates.LTS()
	places := int64(n) * int64(m.NumStates())
	isTooLarge := n > fewSteps && places > mostPlaces
	if isTooLarge || places > math.MaxInt32 {
		return nil, ErrTooLarge
	}
	g := &chainGraph{
		m:      m,
		p:      p,
		n:      n,
		states: uint32(m.NumStates()),
		fates:  fates,
		all:    fates.Fairness() == nil,
	}
	start := uint32(m.Initial())
	s, err := searchFrom(ctx, g, start)
	if err != nil {
		return nil, err
	}
	r := &Result{Bounds: make([]Bound, n)}
	bounded := n
	if s.closing != none {
		bounded = int(s.closing / g.states)
		r.Repeats, err = s.cycle(ctx, s.closing)
		if err != nil {
			return nil, err
		}
	}
	if bounded < n {
		if err := g.findLeast(ctx, start, r.Bounds); err != nil {
			return nil, err
		}
		if bounded == 0 {
			return r, nil
		}
		g.n = bounded
		s, err = searchFrom(ctx, g, start)
		if err != nil {
			return nil, err
		}
	} else if n == 1 {
		r.Bounds[0].Least = int(s.few[start])
	}
	if err := g.findMost(ctx, s, r.Bounds[:bounded]); err != nil {
		return nil, err
	}
	if bounded == n && r.Bounds[n-1].Most <= MostSlowest {
		r.Slowest = s.slowestRun(start, nil)
		r.Slowest.Of = n - 1
		if m.Before() > 0 { // the transition to an initial state is not part of the bound
			r.Slowest.Begins = 1
			r.Slowest.Choices = slices.DeleteFunc(r.Slowest.Choices, func(c Choice) bool {
				return c.Step == 0
			})
		}
	}
	return r, nil
}

// searchFrom visits the product states before the last step of g. If the property has several
// steps, it records the order of the product states.
func searchFrom(ctx context.Context, g *chainGraph, start uint32) (*search, error) {
	s, err := newSearch(ctx, g.m, g, g.p.Len() > 1)
	if err != nil {
		return nil, err
	}
	return s, s.visitFrom(ctx, start)
}

// findLeast finds the smallest number of transitions until each step is done, breadth first.
func (g *chainGraph) findLeast(ctx context.Context, start uint32, bounds []Bound) error {
	done := 0
	return breadthFirst(ctx, g.m, g, []uint32{start}, func(depth int, to uint32, w way) bool {
		progress := g.n
		if w == leadsOn {
			progress = int(to / g.states)
		}
		for ; done < progress; done++ {
			bounds[done].Least = depth
		}
		return done == g.n
	})
}

// chainGraph has the product states from which step n of a chain is still to be done. State s with
// j < n steps done has the number j · states + s.
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

// findMost finds the largest and the smallest number of transitions until each step is done. These
// are the lengths of longest and shortest paths in an acyclic graph, so it visits the product
// states in reverse to the order in which the search has left them.
func (g *chainGraph) findMost(ctx context.Context, s *search, bounds []Bound) error {
	last := len(bounds) - 1
	bounds[last].Most = int(s.left[g.m.Initial()])
	bounds[last].Bounded = true
	if !s.ordered {
		return nil
	}
	longest, err := resources.Make[uint32](ctx, g.places())
	if err != nil {
		return err
	}
	shortest, err := resources.Make[uint32](ctx, g.places())
	if err != nil {
		return err
	}
	for i := len(s.order) - 1; i >= 0; i-- {
		if err := cores.Done(ctx, i); err != nil {
			return err
		}
		p := s.order[i]
		least := shortest[p] + 1
		most := longest[p] + 1
		labels, targets := g.m.Out(g.state(p))
		for k, t := range targets {
			to, w := g.next(p, labels.At(k), t)
			switch w {
			case excluded:
				continue
			case settles:
				bounds[last].include(least, most)
				continue
			}
			longest[to] = max(longest[to], most)
			if shortest[to] == 0 || least < shortest[to] {
				shortest[to] = least
			}
			j := int(to / g.states)
			if j > int(p/g.states) {
				bounds[j-1].include(least, most)
			}
		}
	}
	return nil
}

// include widens the bound of a step so that it includes least and most. These numbers of
// transitions include the transition that does the step.
func (b *Bound) include(least, most uint32) {
	if b.Least == 0 || int(least) < b.Least {
		b.Least = int(least)
	}
	b.Most = max(b.Most, int(most))
	b.Bounded = true
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
	// state returns the state of the searched model in a product state.
	state(p uint32) lts.State
	// next returns the product state to which a transition leads from a product state, if something
	// is still pending then.
	next(p uint32, l lts.Label, t lts.State) (uint32, way)
}

// These are the values of search.left that are no numbers of transitions. Numbers are smaller than
// open, since there are fewer product states.
const (
	unseen = 0
	stuck  = math.MaxUint32 // every run from the product state ends, or never settles what is pending
	open   = 1 << 31        // the product state is on the path of the search; the other bits are the largest number of transitions known so far
	none   = math.MaxUint32
)

// search visits product states depth first.
type search struct {
	m    *lts.LTS // the searched model
	g    graph
	left []uint32 // the most transitions until all is settled
	few  []uint32 // the fewest transitions, as far as they are known; nil if order is requested
	// order has the product states in the order in which the search left them, if ordered is set.
	order   []uint32
	ordered bool
	// closing is the smallest product state that closes a cycle, or none if there is no cycle.
	closing uint32
	stack   pagedlist.List[frame]
	work    int
}

type frame struct {
	place uint32
	next  uint32 // the next transition to be visited
}

// newSearch allocates an entry for each product state.
func newSearch(ctx context.Context, m *lts.LTS, g graph, ordered bool) (*search, error) {
	left, err := resources.Make[uint32](ctx, g.places())
	if err != nil {
		return nil, err
	}
	other, err := resources.Make[uint32](ctx, g.places())
	if err != nil {
		return nil, err
	}
	s := &search{
		m:       m,
		g:       g,
		ordered: ordered,
		closing: none,
		left:    left,
	}
	if ordered {
		s.order = other[:0]
	} else {
		s.few = other
	}
	return s, nil
}

// visitFrom visits all product states that are reachable from start.
func (s *search) visitFrom(ctx context.Context, start uint32) error {
	if s.left[start] != unseen {
		return nil
	}
	s.enter(start)
	for s.stack.Len() > 0 {
		s.work++
		if err := cores.Done(ctx, s.work); err != nil {
			return err
		}
		s.advance(s.stack.At(s.stack.Len() - 1))
	}
	return nil
}

func (s *search) enter(p uint32) {
	s.left[p] = open
	if !s.ordered {
		s.few[p] = stuck
	}
	s.stack.Append(frame{place: p})
}

// recordRun records that runs from a product state on the path settle what is pending. most is the
// largest number of transitions of such a run so far, and few is the smallest.
func (s *search) recordRun(p, most, few uint32) {
	s.left[p] = max(s.left[p], open|most)
	if !s.ordered {
		s.few[p] = min(s.few[p], few)
	}
}

// fewest returns the smallest number of transitions from a product state; 0 if the search is
// ordered.
func (s *search) fewest(p uint32) uint32 {
	if s.ordered {
		return 0
	}
	return s.few[p]
}

// advance follows transitions of the last product state on the path until one leads to a new
// product state, or none is left.
func (s *search) advance(top *frame) {
	labels, targets := s.m.Out(s.g.state(top.place))
	for int(top.next) < len(targets) {
		i := int(top.next)
		top.next++
		to, w := s.g.next(top.place, labels.At(i), targets[i])
		switch w {
		case excluded:
			continue
		case settles:
			s.recordRun(top.place, 1, 1)
			continue
		}
		remaining := s.left[to]
		switch {
		case remaining == unseen:
			s.enter(to)
			return
		case remaining == stuck:
			// No run settles what is pending there.
		case remaining >= open: // to is on the path
			s.closing = min(s.closing, to)
		default:
			s.recordRun(top.place, remaining+1, s.fewest(to)+1)
		}
	}
	s.leave()
}

// leave removes the last product state from the path, and updates the previous one.
func (s *search) leave() {
	last := s.stack.Len() - 1
	p := s.stack.At(last).place
	s.stack.Truncate(last)
	if s.ordered {
		s.order = append(s.order, p)
	}
	most := s.left[p] - open
	if most == 0 {
		s.left[p] = stuck
		return
	}
	s.left[p] = most
	if last > 0 {
		s.recordRun(s.stack.At(last-1).place, most+1, s.fewest(p)+1)
	}
}

// slowestRun returns a run from a product state that settles what is pending after the largest number of
// transitions: the first such run in the order of the model. In each state it takes the first
// transition of such a run, and records the transitions by which what is pending is settled sooner.
func (s *search) slowestRun(p uint32, before []lts.Transition) *Slowest {
	slowest := &Slowest{Steps: before, Begins: len(before)}
	for {
		slow, faster := s.longestStep(p)
		if len(faster) > 0 {
			slowest.Choices = append(slowest.Choices, Choice{
				Step:   len(slowest.Steps),
				Left:   int(s.left[p]),
				Faster: faster,
			})
		}
		if slow == nil {
			return slowest
		}
		slowest.Steps = append(slowest.Steps, slow.step)
		if slow.way == settles {
			return slowest
		}
		p = slow.to
	}
}

// slowStep is the first transition from a product state that begins a slowest run.
type slowStep struct {
	step lts.Transition
	to   uint32 // the product state that it leads to
	way  way
}

// longestStep returns the first transition from a product state that begins a slowest run; nil if
// there is none. It also returns the transitions by which what is pending is settled sooner.
func (s *search) longestStep(p uint32) (*slowStep, []Faster) {
	var slow *slowStep
	var faster []Faster
	from := s.g.state(p)
	left := int(s.left[p])
	labels, targets := s.m.Out(from)
	for i, target := range targets {
		to, w := s.g.next(p, labels.At(i), target)
		most := s.mostBy(to, w)
		step := lts.Transition{From: from, Label: labels.At(i), To: target}
		switch {
		case most == left && slow == nil:
			slow = &slowStep{step: step, to: to, way: w}
		case most > 0 && most < left:
			faster = append(faster, Faster{Transition: step, Most: most})
		}
	}
	return slow, faster
}

// mostBy returns the largest number of transitions of a run that begins with a transition to a
// product state; 0 if nothing is settled after it.
func (s *search) mostBy(to uint32, w way) int {
	switch {
	case w == settles:
		return 1
	case w == leadsOn && s.left[to] != stuck:
		return int(s.left[to]) + 1
	}
	return 0
}

// edge is the transition by which a search has reached a product state.
type edge struct {
	from  uint32
	label lts.Label
}

// cycle returns the labels of a shortest cycle through a product state, which must lie on a cycle.
func (s *search) cycle(ctx context.Context, through uint32) ([]lts.Label, error) {
	reachedBy := map[uint32]edge{}
	queue := []uint32{through}
	for i := 0; i < len(queue); i++ {
		if err := cores.Done(ctx, i); err != nil {
			return nil, err
		}
		p := queue[i]
		labels, targets := s.m.Out(s.g.state(p))
		for k, t := range targets {
			to, w := s.g.next(p, labels.At(k), t)
			if w != leadsOn {
				continue
			}
			if _, known := reachedBy[to]; known {
				continue
			}
			reachedBy[to] = edge{from: p, label: labels.At(k)}
			if to == through {
				return labelsBack(reachedBy, through), nil
			}
			queue = append(queue, to)
		}
	}
	return nil, nil
}

// labelsBack returns the labels of the cycle on which a search returned to a product state.
func labelsBack(reachedBy map[uint32]edge, through uint32) []lts.Label {
	last := reachedBy[through]
	labels := []lts.Label{last.label}
	for p := last.from; p != through; p = reachedBy[p].from {
		labels = append(labels, reachedBy[p].label)
	}
	slices.Reverse(labels)
	return labels
}

// breadthFirst visits the product states that can be reached from those in level. It calls isEnough for
// each transition, with the number of transitions so far, and stops once the result is true. It skips
// transitions that no run that counts takes.
func breadthFirst(
	ctx context.Context,
	m *lts.LTS,
	g graph,
	level []uint32,
	isEnough func(depth int, to uint32, w way) bool,
) error {
	if err := resources.AskFor[uint64](ctx, bitset.Words(g.places())); err != nil {
		return err
	}
	visited := bitset.New[uint32](g.places())
	for _, p := range level {
		visited.Add(p)
	}
	var next []uint32
	for depth := 1; len(level) > 0; depth++ {
		for i, p := range level {
			if err := cores.Done(ctx, i); err != nil {
				return err
			}
			labels, targets := m.Out(g.state(p))
			for k, t := range targets {
				to, w := g.next(p, labels.At(k), t)
				if w == excluded {
					continue
				}
				if isEnough(depth, to, w) {
					return nil
				}
				if w == leadsOn && !visited.Has(to) {
					visited.Add(to)
					next = append(next, to)
				}
			}
		}
		level, next = next, level[:0]
	}
	return nil
}

// ofTable returns the bound of one property. It needs no product if the property has few states,
// and uses the product if that exists already.
func ofTable(ctx context.Context, fates *fate.Map, p, wide *property.Property) (*stay, error) {
	clauses, isBuchi := clausesOf(wide.Acceptance())
	if !isBuchi || p.Steps() > 0 {
		return nil, nil
	}
	s, err := newSegments(ctx, wide, clauses)
	if err != nil {
		return nil, err
	}
	wideCut, err := s.cut()
	if err != nil {
		return nil, err
	}
	c, err := wideCut.forProperty(p)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(c.pending, true) {
		return nil, nil
	}
	if c.p != fates.Property() {
		fates, err = fate.Compute(ctx, fates.Components(), c.p, enrich.Options{Fairness: fates.Fairness()})
		if err != nil {
			return nil, err
		}
	}
	found, err := boundOf(ctx, fates, c)
	if err != nil || found == nil {
		return nil, err
	}
	found.overlaps = c.overlaps()
	return found, nil
}

// boundOf returns the bound of the property of a cut. fates must be the fates of this property.
func boundOf(ctx context.Context, fates *fate.Map, c *cut) (*stay, error) {
	if g := newPendingGraph(fates, c); g != nil {
		return g.bound(ctx)
	}
	u, err := fates.Unfold(ctx)
	if err != nil {
		return nil, err
	}
	if u.LTS().NumStates() > math.MaxInt32 {
		return nil, ErrTooLarge
	}
	g := &tableGraph{u: u, fates: fates, cut: c}
	return g.bound(ctx)
}

// clausesOf returns the sets of colours of a generalised Büchi condition: some colour of each set
// must occur infinitely often. It returns false for other conditions.
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
			clauses, isBuchi := clausesOf(p)
			if !isBuchi {
				return nil, false
			}
			all = append(all, clauses...)
		}
		return all, true
	}
	return nil, false
}

// tableGraph is a graph of the states of the unfolded model. Searches visit only states where
// something is pending.
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
	case g.endsSegment(g.u.At(lts.State(p)).Q, l):
		return 0, settles
	}
	return uint32(t), leadsOn
}

// stay is the bound of one condition.
type stay struct {
	Bound
	// begins are the property states in which segments begin, ascending. They are states of the
	// property before the cut.
	begins []property.Q
	// overlaps is [Stay.Overlaps].
	overlaps bool
	// repeats is a cycle on which something stays pending; nil if the condition is bounded. slowest is
	// nil if the condition is unbounded, or if the run would be too long.
	repeats []lts.Label
	slowest *Slowest
}

// boundOfSegments returns the bound of the segments that begin in some product states. It also returns
// the smallest of these product states whose segment attains the bound. b is nil if none of the
// segments ends. q returns the property state of a product state, as it was before the cut.
func (s *search) boundOfSegments(
	ctx context.Context,
	beginnings iter.Seq[uint32],
	q func(uint32) property.Q,
) (b *stay, attains uint32, err error) {
	for p := range beginnings {
		if err := s.visitFrom(ctx, p); err != nil {
			return nil, 0, err
		}
		left := s.left[p]
		if left == stuck {
			continue
		}
		if b == nil {
			b = &stay{Bound: Bound{Least: int(s.few[p])}}
			attains = p
		}
		most := int(left)
		isFirstOfLongest := most == b.Most && p < attains
		if most > b.Most || isFirstOfLongest {
			b.Most = most
			attains = p
		}
		b.Least = min(b.Least, int(s.few[p]))
		if i, known := slices.BinarySearch(b.begins, q(p)); !known {
			b.begins = slices.Insert(b.begins, i, q(p))
		}
	}
	if b != nil && s.closing == none {
		b.Bounded = true
	}
	return b, attains, nil
}

// bound finds the bound of the segments that begin in each product state where something becomes
// pending.
func (g *tableGraph) bound(ctx context.Context) (*stay, error) {
	s, err := newSearch(ctx, g.u.LTS(), g, false)
	if err != nil {
		return nil, err
	}
	b, first, err := s.boundOfSegments(ctx, g.beginnings(ctx), func(p uint32) property.Q {
		return g.origin(g.u.At(lts.State(p)).Q)
	})
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err() // there may be more beginnings
	}
	switch {
	case b == nil:
		return nil, nil
	case !b.Bounded:
		return b, g.describeUnbounded(ctx, s, b)
	case b.Most > MostSlowest:
		return b, nil
	}
	tree, err := bfs.From(ctx, g.u.LTS(), []lts.State{0}, bfs.Options{
		Along: func(t lts.Transition) bool {
			to := g.u.At(t.To)
			return g.fates.AdmitsFrom(to.State, to.Q)
		},
		Until: func(s lts.State) bool { return s == lts.State(first) },
	})
	if err != nil {
		return nil, err
	}
	b.slowest = s.slowestRun(first, tree.Path(lts.State(first)))
	for i, t := range b.slowest.Steps {
		b.slowest.Steps[i] = g.inModel(t)
	}
	for _, c := range b.slowest.Choices {
		for i := range c.Faster {
			c.Faster[i].Transition = g.inModel(c.Faster[i].Transition)
		}
	}
	return b, nil
}

// describeUnbounded finds a cycle on which something stays pending, and the smallest number of
// transitions until it is settled.
func (g *tableGraph) describeUnbounded(ctx context.Context, s *search, b *stay) error {
	repeats, err := s.cycle(ctx, s.closing)
	if err != nil {
		return err
	}
	b.repeats = repeats
	b.Most = 0
	beginnings := slices.Collect(g.beginnings(ctx))
	if ctx.Err() != nil {
		return ctx.Err() // there may be more beginnings
	}
	return breadthFirst(ctx, g.u.LTS(), g, beginnings, func(depth int, _ uint32, w way) bool {
		b.Least = depth
		return w == settles
	})
}

// inModel returns the transition of the model that a transition of the unfolded model represents.
func (g *tableGraph) inModel(t lts.Transition) lts.Transition {
	return lts.Transition{
		From:  g.u.At(t.From).State,
		Label: t.Label,
		To:    g.u.At(t.To).State,
	}
}

// beginnings yields every product state where a segment begins, some of them more than once. It
// ends early if ctx is done.
func (g *tableGraph) beginnings(ctx context.Context) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if g.pending[g.u.At(0).Q] && g.begun && !yield(0) {
			return
		}
		for s := range lts.State(g.places()) {
			if cores.Done(ctx, s) != nil {
				return
			}
			from := g.u.At(s)
			if !g.fates.AdmitsFrom(from.State, from.Q) {
				continue
			}
			labels, targets := g.u.LTS().Out(s)
			for i, t := range targets {
				to := g.u.At(t)
				begins := g.beginsBy(from.Q, labels.At(i), to.Q)
				if begins && g.fates.AdmitsFrom(to.State, to.Q) && !yield(uint32(t)) {
					return
				}
			}
		}
	}
}

// pendingGraph has the role of [tableGraph], but needs no product. It numbers all pairs of a state
// of the model and a property state where something is pending, reachable or not. It requires that
// all runs count and that the property holds: then there is no cycle.
type pendingGraph struct {
	*cut
	m      *lts.LTS
	fates  *fate.Map
	levels *product.Levels
	// states are the property states where something is pending. ranks has, for each property
	// state, its position in states, from 1; 0 if nothing is pending there.
	ranks  []uint8
	states []property.Q
	// begins has the product states where segments begin.
	begins bitset.Set[uint32]
}

// newPendingGraph returns the graph; nil if the product must be used instead.
func newPendingGraph(fates *fate.Map, c *cut) *pendingGraph {
	if _, known := fates.Unfolding(); known || fates.Fairness() != nil {
		return nil
	}
	g := &pendingGraph{
		cut:    c,
		m:      fates.LTS(),
		fates:  fates,
		levels: product.NewLevels(fates.LTS(), c.p),
		ranks:  make([]uint8, len(c.pending)),
	}
	if g.levels == nil {
		return nil
	}
	for q, isPending := range c.pending {
		if isPending {
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

// place returns the number of a product state; false if nothing is pending there.
func (g *pendingGraph) place(s lts.State, q property.Q) (number uint32, isPending bool) {
	rank := g.ranks[q]
	return uint32(s)*uint32(len(g.states)) + uint32(rank) - 1, rank > 0
}

func (g *pendingGraph) state(p uint32) lts.State { return g.at(p).State }

func (g *pendingGraph) next(p uint32, l lts.Label, t lts.State) (uint32, way) {
	move := int(g.at(p).Q)*g.t.Columns + int(g.t.Letters[l])
	to, isPending := g.place(t, g.t.Next[move])
	if isPending && !g.settles[move] {
		return to, leadsOn
	}
	return 0, settles
}

// bound finds the bound of the segments that begin in each product state where something becomes
// pending.
func (g *pendingGraph) bound(ctx context.Context) (*stay, error) {
	if err := resources.Ask(ctx, int64(g.places())/8); err != nil {
		return nil, err
	}
	g.begins = bitset.New[uint32](g.places())
	s, err := newSearch(ctx, g.m, g, false)
	if err != nil {
		return nil, err
	}
	if err := g.completeInPasses(ctx, s); err != nil {
		return nil, err
	}
	b, _, err := s.boundOfSegments(ctx, g.begins.All, func(p uint32) property.Q {
		return g.origin(g.at(p).Q)
	})
	if err != nil || b == nil {
		return nil, err
	}
	isLongest := func(at product.State) bool {
		p, pending := g.place(at.State, at.Q)
		return pending && g.begins.Has(p) && int(s.left[p]) == b.Most
	}
	first, distance, err := g.levels.First(ctx, isLongest)
	if err != nil {
		return nil, err
	}
	if b.Most <= MostSlowest {
		p, _ := g.place(first.State, first.Q)
		b.slowest = s.slowestRun(p, g.levels.Path(first, distance))
	}
	return b, nil
}

// completeInPasses visits all states in the order of their numbers, alternately down and up. It
// finds out where segments begin. For product states whose successors are known, it also finds out
// how long something stays pending. It ends when a pass completes at most half of the unknown
// product states. Then a depth-first search completes the others, at a higher cost for each. In
// most models these are few: most transitions lead to higher numbers, or most to lower ones, so
// passes complete most product states.
func (g *pendingGraph) completeInPasses(ctx context.Context, s *search) error {
	if !g.begun {
		g.recordBeginnings(g.m.Initial(), g.p.Initial())
	} else if initial, pending := g.place(g.m.Initial(), g.p.Initial()); pending {
		g.begins.Add(initial)
	}
	for down := true; ; down = !down {
		completed, left, err := g.pass(ctx, s, down)
		if err != nil {
			return err
		}
		if left == 0 || completed <= left {
			return nil
		}
	}
}

// pass visits all states once. It returns the number of product states that this pass has
// completed, and the number of product states that are still unknown.
func (g *pendingGraph) pass(
	ctx context.Context,
	search *search,
	down bool,
) (completed, left int, err error) {
	n := g.m.NumStates()
	for i := range n {
		if err := cores.Done(ctx, i); err != nil {
			return 0, 0, err
		}
		s := lts.State(i)
		if down {
			s = lts.State(n - 1 - i)
		}
		for q := range g.fates.Arrivals(s) {
			place, pending := g.place(s, q)
			switch {
			case !pending:
				g.recordBeginnings(s, q)
			case search.left[place] != unseen:
				continue
			case g.complete(search, place, s, q):
				completed++
			default:
				left++
			}
		}
	}
	return completed, left, nil
}

// recordBeginnings records the segments that begin after a product state where nothing is pending.
func (g *pendingGraph) recordBeginnings(s lts.State, q property.Q) {
	labels, targets := g.m.Out(s)
	row := int(q) * g.t.Columns
	for i, t := range targets {
		to, pending := g.place(t, g.t.Next[row+int(g.t.Letters[labels.At(i)])])
		if pending {
			g.begins.Add(to)
		}
	}
}

// complete finds out how long something stays pending in a product state, if all successors are known,
// and reports whether they are. It records the segments that begin when another segment ends.
func (g *pendingGraph) complete(search *search, place uint32, s lts.State, q property.Q) bool {
	labels, targets := g.m.Out(s)
	row := int(q) * g.t.Columns
	most := uint32(0)
	few := uint32(stuck)
	allKnown := true
	for i, t := range targets {
		move := row + int(g.t.Letters[labels.At(i)])
		to, pending := g.place(t, g.t.Next[move])
		settled := g.settles[move]
		if settled && pending {
			g.begins.Add(to)
		}
		if settled || !pending {
			most = max(most, 1)
			few = 1
			continue
		}
		left := search.left[to]
		switch left {
		case unseen:
			allKnown = false
		case stuck:
			// No run settles what is pending there.
		default:
			most = max(most, left+1)
			few = min(few, search.few[to]+1)
		}
	}
	switch {
	case !allKnown:
		return false
	case most == 0:
		search.left[place] = stuck
	default:
		search.left[place] = most
		search.few[place] = few
	}
	return true
}

// Failure is the way in which a property fails: by a run into the deadlock State or, if there is
// none, on a loop.
type Failure struct {
	Deadlock bool
	State    lts.State
}

// fairPasses is the number of passes through the product that the work of a search for fair runs
// counts as. It is measured: such a search refines components by tasks several times, and each pass
// takes longer.
const fairPasses = 24

// Check returns how p fails in m, or nil if p holds on every run that counts. It also returns the number
// of product states and transitions that it visited. Cost as for [product.Unfold] and
// [product.Unfolding.AcceptingUnder].
func Check(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	fair *property.Fairness,
) (*Failure, int64, error) {
	u, err := product.Unfold(ctx, m, p)
	if err != nil {
		return nil, 0, err
	}
	work := int64(u.LTS().NumStates()) + int64(u.LTS().NumTransitions())
	if fair != nil {
		work *= fairPasses
	}
	for s := range lts.State(u.LTS().NumStates()) {
		at := u.At(s)
		if u.LTS().IsDeadlock(s) && !p.Stops(at.Q) {
			return &Failure{Deadlock: true, State: at.State}, work, nil
		}
	}
	components, err := scc.Find(ctx, u.LTS(), "iterative")
	if err != nil {
		return nil, 0, err
	}
	violating, err := u.AcceptingUnder(ctx, components, p.Acceptance().Not(), fair)
	if err != nil {
		return nil, 0, err
	}
	if slices.Contains(violating, true) {
		return &Failure{}, work, nil
	}
	return nil, work, nil
}
