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
	places   []Place
	// latest[s] is the unfolded state of model state s that was numbered last,
	// and earlier[u] the one of the same model state that was numbered before u;
	// none where there is none.
	latest  []lts.State
	earlier []lts.State
	// known finds places where a state may have many; nil elsewhere. dense finds them
	// where a state has few: it has a row of them for each.
	known map[Place]lts.State
	dense []lts.State
	width int // of a row
}

// denseWidth is the number of states of a property, more than one or two, up to which
// places have rows.
const denseWidth = 16

// fewPlaces is the number of states of a property up to which the places of one
// state of the model are gone through one by one.
const fewPlaces = 64

// none is no state's number.
const none lts.State = lts.MaxStates

// Unfold unfolds the reachable part of m by the states of p, which must be bound
// to m. Unfolded states are numbered in breadth-first order from the initial
// state, 0. It fails where ctx is done, and where the unfolded model has too many
// states. Cost O(n (S + T)) time and memory at worst for a property of n states;
// commonly less than twice that of the model, for most states are reached with one
// or two of them.
func Unfold(ctx context.Context, m *lts.LTS, p *property.Property) (*Unfolding, error) {
	if err := resources.AskFor[lts.State](ctx, m.NumStates()); err != nil {
		return nil, err
	}
	u := &Unfolding{property: p, latest: make([]lts.State, m.NumStates())}
	switch n := p.States(); {
	case n > fewPlaces:
		u.known = make(map[Place]lts.State)
	case n > 2 && n <= denseWidth && m.NumStates() > 0:
		if err := resources.AskFor[lts.State](ctx, n*m.NumStates()); err != nil {
			return nil, err
		}
		u.dense, u.width = make([]lts.State, n*m.NumStates()), n
		for i := range u.dense {
			u.dense[i] = none
		}
	}
	for s := range u.latest {
		u.latest[s] = none
	}
	var b lts.Builder
	for _, text := range m.Alphabet().All() {
		b.Label(text)
	}
	u.number(Place{m.Initial(), p.Initial()})
	for from := 0; from < len(u.places); from++ {
		if from&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(u.places) >= lts.MaxStates {
			return nil, fmt.Errorf("the unfolded model has more than %d states", lts.MaxStates-1)
		}
		at := u.places[from]
		labels, targets := m.Out(at.State)
		for i, t := range targets {
			to := u.number(Place{t, p.Next(at.Q, labels[i])})
			b.Add(lts.State(from), labels[i], to)
		}
	}
	var err error
	u.system, err = b.Build(0, len(u.places))
	return u, err
}

// number returns the unfolded state of a place, a new one where it is met for
// the first time.
func (u *Unfolding) number(p Place) lts.State {
	if s, known := u.Find(p); known {
		return s
	}
	s := lts.State(len(u.places))
	u.places = append(u.places, p)
	u.earlier = append(u.earlier, u.latest[p.State])
	u.latest[p.State] = s
	switch {
	case u.known != nil:
		u.known[p] = s
	case u.dense != nil:
		u.dense[int(p.State)*u.width+int(p.Q)] = s
	}
	return s
}

// LTS returns the unfolded model.
func (u *Unfolding) LTS() *lts.LTS { return u.system }

// Property returns the property by which the model was unfolded.
func (u *Unfolding) Property() *property.Property { return u.property }

// Marks returns the colours of the transition labelled l from unfolded state s.
// Cost O(1).
func (u *Unfolding) Marks(s lts.State, l lts.Label) property.Marks {
	return u.property.Marks(u.places[s].Q, l)
}

// Stays reports whether a transition between two unfolded states does not change the state
// of the model: whether it is a self-loop there. Cost O(1).
func (u *Unfolding) Stays(from, to lts.State) bool { return u.places[from].State == u.places[to].State }

// Places yields the unfolded states of model state s, the last one first.
func (u *Unfolding) Places(s lts.State) iter.Seq[lts.State] {
	return func(yield func(lts.State) bool) {
		for at := u.latest[s]; at != none && yield(at); at = u.earlier[at] {
		}
	}
}

// Place returns the place that unfolded state s stands for. Cost O(1).
func (u *Unfolding) Place(s lts.State) Place { return u.places[s] }

// Find returns the unfolded state of a place; false where the model never is
// there. Cost O(number of progresses with which its state is reached).
func (u *Unfolding) Find(p Place) (lts.State, bool) {
	if u.dense != nil && int(p.Q) < u.width {
		s := u.dense[int(p.State)*u.width+int(p.Q)]
		return s, s != none
	}
	for s := u.latest[p.State]; s != none; s = u.earlier[s] {
		if u.places[s] == p {
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
		if labels[i] == step.Label && u.places[t].State == step.To {
			return t
		}
	}
	return s
}
