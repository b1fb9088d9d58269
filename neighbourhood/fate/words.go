package fate

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/stateset"
)

// inWords computes fates without the product, for a property of few states: each
// state of the model has a word with the property states with which it is
// reached, one with those from which some run satisfies the property, and one
// with those from which some run violates it.
type inWords[W stateset.Set] struct {
	m     *lts.LTS
	p     *property.Property
	table property.Automaton
	// ahead are the images of sets of property states under letters.
	ahead stateset.Images[W]

	reached, satisfy, violate []W
}

// mostInImages is the largest number of bytes of the tables of images.
const mostInImages = 1 << 18

// newInWords returns the fates in words; nil if the property has too many states
// or letters, its condition too many pairs, or if there would be too many passes.
// Cost O(S + T) for each pass.
func newInWords(ctx context.Context, m *lts.LTS, p *property.Property) productFates {
	w := wordsFor(ctx, m, p)
	if w == nil {
		return nil
	}
	return w.fates(ctx)
}

// Losses returns a function that reports whether a run in state s with the property in state q, a
// pair that can be reached, is lost: whether no run from there satisfies the property, which is no
// chain. Errors as for [Compute]. Cost as for [Compute], or less than half with words, which then
// need only the runs that satisfy the property.
func Losses(ctx context.Context, m *lts.LTS, p *property.Property) (lost func(s lts.State, q property.Q) bool, err error) {
	defer abort.Caught(&err)
	if w := wordsFor(ctx, m, p); w != nil {
		if lost = w.losses(ctx); lost != nil {
			return lost, nil
		}
	}
	x := newInProduct(ctx, m, p, nil)
	return func(s lts.State, q property.Q) bool {
		can, reached := x.can(s, q)
		return reached && fateOf[can] == Lost
	}, nil
}

// wordsOfWidth are words of some width with no fates computed yet.
type wordsOfWidth interface {
	fates(ctx context.Context) productFates
	losses(ctx context.Context) func(lts.State, property.Q) bool
}

// wordsFor returns words that are wide enough for a property; nil if no width is,
// or if the property has too many letters.
func wordsFor(ctx context.Context, m *lts.LTS, p *property.Property) wordsOfWidth {
	t := p.Automaton()
	width := stateset.Width(&t, mostInImages)
	if width == 0 {
		return nil
	}
	abort.On(resources.Ask(ctx, int64(m.NumStates())*int64(5*width+4)))
	switch width {
	case 1:
		return wordsOf[uint8](m, p, t)
	case 2:
		return wordsOf[uint16](m, p, t)
	case 4:
		return wordsOf[uint32](m, p, t)
	}
	return wordsOf[uint64](m, p, t)
}

func wordsOf[W stateset.Set](m *lts.LTS, p *property.Property, t property.Automaton) *inWords[W] {
	return &inWords[W]{m: m, p: p, table: t, ahead: stateset.Forward[W](&t, all)}
}

// all selects all transitions of a property.
func all(_, _ property.Q, _ property.Marks) bool { return true }

func (x *inWords[W]) fates(ctx context.Context) productFates {
	x.reach(ctx)
	f := newFixpoints(ctx, x)
	if x.satisfy = f.can(x.p.Acceptance(), true); x.satisfy == nil {
		return nil
	}
	if x.violate = f.can(x.p.Acceptance().Not(), false); x.violate == nil {
		return nil
	}
	return x
}

func (x *inWords[W]) losses(ctx context.Context) func(lts.State, property.Q) bool {
	if x.table.States() == 1 {
		// With one property state every model state may count as reached: the
		// unreachable ones add no passes.
		x.reached = slices.Repeat([]W{1}, x.m.NumStates())
	} else {
		x.reach(ctx)
	}
	satisfy := newFixpoints(ctx, x).can(x.p.Acceptance(), true)
	if satisfy == nil {
		return nil
	}
	return func(s lts.State, q property.Q) bool { return satisfy[s]>>q&1 == 0 }
}

// A pass that changes at most 1/fewTaken of the states is the last one.
const fewTaken = 16

// reach computes the property states with which runs reach each state. It begins
// with passes through the states whose sets have grown, from the first one and
// from the last in turn, as long as these are many, and continues with a
// queue of them.
func (x *inWords[W]) reach(ctx context.Context) {
	n := x.m.NumStates()
	x.reached = make([]W, n)
	fresh := make([]W, n)
	begin := x.m.Initial()
	x.reached[begin], fresh[begin] = 1<<x.p.Initial(), 1<<x.p.Initial()
	for up, taken := true, n; taken > n/fewTaken; up = !up {
		taken = 0
		for i := range n {
			abort.IfDone(ctx, i)
			s := lts.State(i)
			if !up {
				s = lts.State(n - 1 - i)
			}
			if fresh[s] != 0 {
				taken++
				x.goOn(s, fresh, nil)
			}
		}
	}
	line := ring{states: make([]lts.State, len(fresh))}
	for s, set := range fresh {
		if set != 0 {
			line.add(lts.State(s))
		}
	}
	for work := 0; line.waiting > 0; work++ {
		abort.IfDone(ctx, work)
		x.goOn(line.take(), fresh, &line)
	}
}

// goOn propagates the additions to the set of a state to its successors, which it
// puts into the queue if there is one.
func (x *inWords[W]) goOn(s lts.State, fresh []W, line *ring) {
	set := fresh[s]
	fresh[s] = 0
	labels, targets := x.m.Out(s)
	for i, t := range targets {
		more := x.ahead.Of(x.table.Letters[labels.At(i)], set) &^ x.reached[t]
		if more == 0 {
			continue
		}
		if fresh[t] == 0 && line != nil {
			line.add(t)
		}
		x.reached[t] |= more
		fresh[t] |= more
	}
}

// ring is a queue of states in which each state is at most once.
type ring struct {
	states        []lts.State
	next, waiting int
}

func (r *ring) add(s lts.State) {
	at := r.next + r.waiting
	if at >= len(r.states) {
		at -= len(r.states)
	}
	r.states[at] = s
	r.waiting++
}

func (r *ring) take() lts.State {
	s := r.states[r.next]
	if r.next++; r.next == len(r.states) {
		r.next = 0
	}
	r.waiting--
	return s
}

// canOf returns the bits of the runs that reach a state with one of these
// property states.
func (x *inWords[W]) canOf(s lts.State, set W) (can uint8) {
	if set&x.satisfy[s] != 0 {
		can |= canAccept
	}
	if set&x.violate[s] != 0 {
		can |= canReject
	}
	return can
}

func (x *inWords[W]) can(s lts.State, q property.Q) (can uint8, reached bool) {
	set := W(1) << q & x.reached[s]
	return x.canOf(s, set), set != 0
}

func (x *inWords[W]) class(from lts.State, l lts.Label, to lts.State) Class {
	return fateOf[x.canOf(to, x.ahead.Of(x.table.Letters[l], x.reached[from]))].class()
}

func (x *inWords[W]) pathClass(path []lts.Transition) Class {
	set := x.reached[path[0].From]
	for _, t := range path {
		set = x.ahead.Of(x.table.Letters[t.Label], set)
	}
	return fateOf[x.canOf(path[len(path)-1].To, set)].class()
}

func (x *inWords[W]) histories(s lts.State) (reached, satisfy, violate int) {
	size := func(set W) int { return bits.OnesCount64(uint64(set)) }
	return size(x.reached[s]), size(x.reached[s] & x.satisfy[s]), size(x.reached[s] & x.violate[s])
}

func (x *inWords[W]) arrivals(s lts.State) (set uint64, all []property.Q) {
	return uint64(x.reached[s]), nil
}
