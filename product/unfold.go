// Package product pairs a model with a property: the product has a state for each
// pair of a state of the model and a state of the property with which it can be
// reached.
//
// In the model itself a state that is reached both before and after a step has
// one class for both histories; unfolded, it is two states, each with its own.
// The unfolded model is an LTS like any other, and goes through the same
// analyses. For a property that is no chain, its cycles tell which runs are
// accepted.
//
// The invariant that holds inside: the unfolded model has the alphabet of the
// model, label numbers included, so that a property bound to the one serves the
// other; and its traces from the initial state are those of the model.
package product

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/resources"
)

// Place is a state of a model with the state of the property on the way to it: of a
// chain, the progress.
type Place struct {
	State lts.State
	Q     property.Q
}

// String writes a place as state·property state, such as 67·1.
func (p Place) String() string { return fmt.Sprintf("%d·%d", p.State, p.Q) }

// Unfolding is the unfolded model of an LTS and a property.
type Unfolding struct {
	system   *lts.LTS
	property *property.Property
	places   places
	// rows[s*width+q] is the unfolded state of model state s with property state q, none
	// where there is none: for properties of few states, and while a model is unfolded by
	// those of not so few. known finds places in all other cases.
	rows  []lts.State
	width int
	known map[Place]lts.State
	// Without rows, latest[s] is the unfolded state of model state s that was numbered
	// last, and earlier[u] the one of the same model state that was numbered before u; none
	// where there is none.
	latest  []lts.State
	earlier []lts.State
	// expanded is how many states have their transitions, depth the distance of the first
	// one that has not from the initial state.
	expanded, depth int
}

// places lists places, of which a property of few states has one byte each for its own.
type places struct {
	states []lts.State
	narrow []uint8
	wide   []property.Q // in place of narrow where the property has many states
	few    bool
}

func newPlaces(p *property.Property) places { return places{few: p.States() <= 1<<8} }

func (l *places) len() int { return len(l.states) }

func (l *places) at(s lts.State) Place { return Place{l.states[s], l.q(s)} }

func (l *places) q(s lts.State) property.Q {
	if l.few {
		return property.Q(l.narrow[s])
	}
	return l.wide[s]
}

func (l *places) add(p Place) {
	l.states = append(l.states, p.State)
	if l.few {
		l.narrow = append(l.narrow, uint8(p.Q))
	} else {
		l.wide = append(l.wide, p.Q)
	}
}

// clip gives back the room that was made for more.
func (l *places) clip() {
	if cap(l.states)-len(l.states) > len(l.states)/16 {
		l.states, l.narrow, l.wide = slices.Clip(slices.Clone(l.states)), slices.Clip(slices.Clone(l.narrow)), slices.Clip(slices.Clone(l.wide))
	}
}

// Up to keptWidth states of a property rows are kept, up to denseWidth they are there while
// a model is unfolded: afterwards they take more memory than they are worth.
const (
	keptWidth  = 2
	denseWidth = 16
)

// fewPlaces is the number of states of a property up to which the places of one
// state of the model are gone through one by one.
const fewPlaces = 64

// none is no state's number.
const none lts.State = lts.MaxStates

// Unfold unfolds the reachable part of m by the states of p, which must be bound
// to m. Unfolded states are numbered in breadth-first order from the initial
// state, 0. It fails where ctx is done, and where the unfolded model has too many
// states or transitions. Cost O(n (S + T)) time and memory at worst for a property of n
// states; commonly less than twice that of the model, for most states are reached with one
// or two of them.
func Unfold(ctx context.Context, m *lts.LTS, p *property.Property) (*Unfolding, error) {
	return unfold(ctx, m, p, math.MaxInt)
}

// UnfoldPart is [Unfold] for the states that are nearest to the initial one: once so many
// of them have their transitions, the others stay without. [Unfolding.IsCut] tells, and
// [Unfolding.Places] does not serve where it is so. Cost O(that many states and their
// transitions).
func UnfoldPart(ctx context.Context, m *lts.LTS, p *property.Property, states int) (*Unfolding, error) {
	return unfold(ctx, m, p, states)
}

func unfold(ctx context.Context, m *lts.LTS, p *property.Property, most int) (*Unfolding, error) {
	u := &Unfolding{property: p, places: newPlaces(p)}
	if err := u.prepare(ctx, m, most); err != nil {
		return nil, err
	}
	x := explorer{Unfolding: u, m: m, next: newSuccessor(p), starts: []uint32{0}}
	if most >= m.NumStates() {
		x.whole = true
		if err := x.makeRoom(ctx, m.NumTransitions()); err != nil {
			return nil, err
		}
	}
	if err := x.explore(ctx, most); err != nil {
		return nil, err
	}
	var err error
	if u.system, err = lts.FromRows(0, m.Alphabet(), x.starts, x.labels, x.targets); err != nil {
		return nil, err
	}
	return u, u.keep(ctx, m)
}

// prepare makes what finds places.
func (u *Unfolding) prepare(ctx context.Context, m *lts.LTS, most int) error {
	n := u.property.States()
	if n > denseWidth || most < m.NumStates()/16 {
		u.known = make(map[Place]lts.State)
		return nil
	}
	if err := resources.AskFor[lts.State](ctx, n*m.NumStates()); err != nil {
		return err
	}
	u.rows, u.width = make([]lts.State, n*m.NumStates()), n
	for i := range u.rows {
		u.rows[i] = none
	}
	return nil
}

// keep turns from what finds places fast to what finds them in little memory.
func (u *Unfolding) keep(ctx context.Context, m *lts.LTS) error {
	u.places.clip()
	if u.width > 0 && u.width <= keptWidth || u.IsCut() {
		return nil
	}
	u.rows, u.width = nil, 0
	if u.property.States() <= fewPlaces {
		u.known = nil
	}
	if err := resources.AskFor[lts.State](ctx, m.NumStates()+u.places.len()); err != nil {
		return err
	}
	u.latest, u.earlier = make([]lts.State, m.NumStates()), make([]lts.State, u.places.len())
	for s := range u.latest {
		u.latest[s] = none
	}
	for i, s := range u.places.states {
		u.earlier[i] = u.latest[s]
		u.latest[s] = lts.State(i)
	}
	return nil
}

// successor tells the state of a property after a label: from its table where it has one.
type successor struct {
	p       *property.Property
	isChain bool
	table   property.Automaton
}

func newSuccessor(p *property.Property) successor {
	_, isChain := p.Chain()
	x := successor{p: p, isChain: isChain}
	if !isChain {
		x.table = property.AsAutomaton(p)
	}
	return x
}

func (x *successor) after(q property.Q, l lts.Label) property.Q {
	if x.isChain {
		return x.p.Next(q, l)
	}
	return x.table.Next[int(q)*x.table.Columns+int(x.table.Letters[l])]
}

// explorer writes the rows of an unfolded model one after the other.
type explorer struct {
	*Unfolding
	m    *lts.LTS
	next successor
	// starts[s] is where the row of state s begins.
	starts  []uint32
	labels  lts.LabelColumn
	targets []lts.State
	// whole says that all is to be unfolded; full, that there is no room left for rows, of
	// left transitions.
	whole, full bool
	left        int
}

func (x *explorer) explore(ctx context.Context, most int) error {
	x.number(Place{x.m.Initial(), x.property.Initial()})
	level := 1 // the number of states up to the present depth
	for ; x.expanded < x.places.len() && x.expanded < most; x.expanded++ {
		if x.expanded == level {
			level = x.places.len()
			x.depth++
		}
		if x.expanded&(1<<12-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at := x.places.at(lts.State(x.expanded))
		labels, targets := x.m.Out(at.State)
		if x.places.len()+len(targets) > lts.MaxStates || len(x.targets)+x.left+len(targets) > math.MaxUint32 {
			return fmt.Errorf("the unfolded model has more than %d states or transitions", lts.MaxStates-1)
		}
		if x.whole && !x.full && len(x.targets)+len(targets) > cap(x.targets) {
			x.full = true
		}
		x.write(at, labels, targets)
	}
	if x.expanded == level {
		x.depth++
	}
	if err := x.fill(ctx); err != nil {
		return err
	}
	for len(x.starts) <= x.places.len() {
		x.starts = append(x.starts, uint32(len(x.targets)))
	}
	return nil
}

// write adds the row of a place; where there is no room, it only numbers the targets.
func (x *explorer) write(at Place, labels lts.Labels, targets []lts.State) {
	if x.full {
		x.left += len(targets)
		for i, t := range targets {
			x.number(Place{t, x.next.after(at.Q, labels.At(i))})
		}
		return
	}
	x.labels.AppendAll(labels)
	for i, t := range targets {
		x.targets = append(x.targets, x.number(Place{t, x.next.after(at.Q, labels.At(i))}))
	}
	x.starts = append(x.starts, uint32(len(x.targets)))
}

// fill writes the rows for which there was no room, in as much as they take: lists of this
// size that grow would be copied again and again.
func (x *explorer) fill(ctx context.Context) error {
	if !x.full {
		return nil
	}
	x.full = false
	n := len(x.targets) + x.left
	if err := x.makeRoom(ctx, n); err != nil {
		return err
	}
	x.starts = append(make([]uint32, 0, x.places.len()+1), x.starts...)
	for s := len(x.starts) - 1; s < x.expanded; s++ {
		if s&(1<<12-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at := x.places.at(lts.State(s))
		labels, targets := x.m.Out(at.State)
		x.write(at, labels, targets)
	}
	return nil
}

// makeRoom gives the rows room for n transitions, in memory that is not more.
func (x *explorer) makeRoom(ctx context.Context, n int) error {
	written := len(x.targets)
	labels, err := x.labels.Moved(ctx, written, n, x.m.Alphabet().Len())
	if err != nil {
		return err
	}
	labels.Cut(written)
	targets, err := resources.Make[lts.State](ctx, n)
	if err != nil {
		return err
	}
	x.labels, x.targets = labels, targets[:copy(targets, x.targets)]
	return nil
}

// number returns the unfolded state of a place, a new one where it is met for
// the first time.
func (x *explorer) number(p Place) lts.State {
	if x.rows != nil {
		s := &x.rows[int(p.State)*x.width+int(p.Q)]
		if *s == none {
			*s = lts.State(x.places.len())
			x.places.add(p)
		}
		return *s
	}
	if s, known := x.known[p]; known {
		return s
	}
	s := lts.State(x.places.len())
	x.places.add(p)
	x.known[p] = s
	return s
}

// IsCut reports whether some states are without their transitions: see [UnfoldPart]. Cost
// O(1).
func (u *Unfolding) IsCut() bool { return u.expanded < u.places.len() }

// Depth returns the distance from the initial state of the nearest state that is without
// its transitions; what it is where there is none means nothing. Cost O(1).
func (u *Unfolding) Depth() int { return u.depth }

// HasTransitions reports whether a state has the transitions that it has in the model: it
// may be none. Cost O(1).
func (u *Unfolding) HasTransitions(s lts.State) bool { return int(s) < u.expanded }

// LTS returns the unfolded model.
func (u *Unfolding) LTS() *lts.LTS { return u.system }

// Property returns the property by which the model was unfolded.
func (u *Unfolding) Property() *property.Property { return u.property }

// Marks returns the colours of the transition labelled l from unfolded state s.
// Cost O(1).
func (u *Unfolding) Marks(s lts.State, l lts.Label) property.Marks {
	return u.property.Marks(u.places.q(s), l)
}

// Stays reports whether a transition between two unfolded states does not change the state
// of the model: whether it is a self-loop there. Cost O(1).
func (u *Unfolding) Stays(from, to lts.State) bool {
	return u.places.states[from] == u.places.states[to]
}

// Places yields the unfolded states of model state s, the last one first.
func (u *Unfolding) Places(s lts.State) iter.Seq[lts.State] {
	return func(yield func(lts.State) bool) {
		if u.rows == nil {
			for at := u.latest[s]; at != none && yield(at); at = u.earlier[at] {
			}
			return
		}
		var of [keptWidth]lts.State
		n := copy(of[:], u.rows[int(s)*u.width:int(s+1)*u.width])
		if n == keptWidth && of[0] != none && of[1] != none && of[0] < of[1] {
			of[0], of[1] = of[1], of[0]
		}
		for _, at := range of[:n] {
			if at != none && !yield(at) {
				return
			}
		}
	}
}

// Place returns the place that unfolded state s stands for. Cost O(1).
func (u *Unfolding) Place(s lts.State) Place { return u.places.at(s) }

// Find returns the unfolded state of a place; false where the model never is
// there. Cost O(number of progresses with which its state is reached).
func (u *Unfolding) Find(p Place) (lts.State, bool) {
	switch {
	case u.rows != nil:
		if int(p.Q) >= u.width {
			return 0, false
		}
		s := u.rows[int(p.State)*u.width+int(p.Q)]
		return s, s != none
	case u.known != nil:
		s, reached := u.known[p]
		return s, reached
	}
	for s := u.latest[p.State]; s != none; s = u.earlier[s] {
		if u.places.q(s) == p.Q {
			return s, true
		}
	}
	return 0, false
}

// Run lifts a run of the model that begins in its initial state: it returns the
// same transitions between unfolded states, and the index at which the loop
// begins, negative where there is none. A loop whose first round makes progress
// does not close at once in the unfolded model: it is gone round until it does,
// at most n times, and the run becomes longer. The steps must be a run of the
// model that was unfolded. Cost O(n · length of the run).
func (u *Unfolding) Run(steps []lts.Transition, loop int) ([]lts.Transition, int) {
	var lifted []lts.Transition
	at := lts.State(0)
	walk := func(steps []lts.Transition) {
		for _, step := range steps {
			to := u.follow(at, step)
			lifted = append(lifted, lts.Transition{From: at, Label: step.Label, To: to})
			at = to
		}
	}
	if loop < 0 {
		walk(steps)
		return lifted, loop
	}
	walk(steps[:loop])
	for {
		start, entered := len(lifted), at
		walk(steps[loop:])
		if at == entered {
			return lifted, start
		}
	}
}

// follow returns the unfolded state to which a transition of the model leads
// from unfolded state s.
func (u *Unfolding) follow(s lts.State, step lts.Transition) lts.State {
	labels, targets := u.system.Out(s)
	for i, t := range targets {
		if labels.At(i) == step.Label && u.places.states[t] == step.To {
			return t
		}
	}
	return s
}
