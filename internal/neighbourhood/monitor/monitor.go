// Package monitor judges runs while they happen: it follows a property action by action, and
// reports after each whether the property is sure, lost or still open, whatever follows. Memory
// does not grow with the run. A verdict that is sure or lost does not change any more.
package monitor

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Formula is a property that can be followed without a model. Those of packages actl, ltl
// and hoa are.
type Formula interface {
	// BindLetters returns the property over letters, and the map from labels to
	// letters.
	BindLetters(context.Context) (*property.Property, *actl.Letters, error)
}

// mostKnown is the largest number of labels whose letters are remembered.
const mostKnown = 1 << 12

// Monitor follows one run. It is for one goroutine.
type Monitor struct {
	property *property.Property
	letters  *actl.Letters
	words    *product.Residuals
	at       property.Q
	pending  property.Phrase      // the phrase for the property state at
	known    map[string]lts.Label // the letters of some labels
	begun    bool                 // whether Enter was called
}

// New returns a monitor of a run that has not begun. It fails if the automaton
// would be too large, or if ctx is done. Cost: that of binding the formula and
// of [product.ResidualsOf].
func New(ctx context.Context, f Formula) (*Monitor, error) {
	p, letters, err := f.BindLetters(ctx)
	if err != nil {
		return nil, err
	}
	words, err := product.ResidualsOf(ctx, p)
	if err != nil {
		return nil, err
	}
	return &Monitor{
		property: p,
		letters:  letters,
		words:    words,
		at:       p.Initial(),
		pending:  p.Pending(p.Initial()),
		known:    map[string]lts.Label{},
	}, nil
}

// Step follows an action with this label. Cost: matching each pattern for a new
// label, O(1) for others. It fails only if two patterns match that were assumed
// to exclude each other.
func (m *Monitor) Step(label string) error {
	letter, known := m.known[label]
	if !known {
		var possible bool
		letter, possible = m.letters.Of(label)
		if !possible {
			return fmt.Errorf("monitor: the patterns that %q matches were thought to exclude each other, please report it", label)
		}
		if len(m.known) == mostKnown {
			clear(m.known)
		}
		m.known[label] = letter
	}
	m.follow(label, letter)
	return nil
}

func (m *Monitor) follow(label string, letter lts.Label) {
	next := m.property.Next(m.at, letter)
	if next != m.at {
		m.pending = m.property.Pending(next).After(m.pending, label)
		m.at = next
	}
}

// begin reads the state in which the run begins.
func (m *Monitor) begin(facts lts.Facts) {
	m.at = m.property.Next(m.at, m.letters.Begin(facts))
	m.pending = m.property.Pending(m.at)
}

// AboutStates reports whether the property is about values of states: then call
// [Monitor.Enter], and not [Monitor.Step].
func (m *Monitor) AboutStates() bool { return len(m.letters.StateAtoms()) > 0 }

// Enter follows an action into a state. The map state has the value of each parameter under its
// name. Before the first action, Enter with an empty label gives the values of the first state;
// without this call, they are unknown. An atom does not hold in a state that lacks one of its
// parameters. Cost as for [Monitor.Step], and that of reading the values.
func (m *Monitor) Enter(label string, state map[string]string) error {
	facts, err := m.factsOf(state)
	if err != nil {
		return err
	}
	if !m.begun {
		m.begun = true
		if label == "" {
			m.begin(facts)
			return nil
		}
		m.begin(0)
	}
	letter, possible := m.letters.Of(label)
	if !possible {
		return fmt.Errorf("monitor: the patterns that %q matches were thought to exclude each other, please report it", label)
	}
	m.follow(label, m.letters.To(letter, facts))
	return nil
}

// factsOf returns the atoms that hold in a state, a map from parameters to values.
func (m *Monitor) factsOf(state map[string]string) (facts lts.Facts, err error) {
	names := slices.Sorted(maps.Keys(state))
	for i, atom := range m.letters.StateAtoms() {
		bound, err := atom.Bind(names)
		if err != nil {
			continue // the atom is about parameters that the state lacks
		}
		var read []values.Value
		for _, p := range bound.Parameters() {
			read = append(read, values.Parse(state[names[p]]))
		}
		holds, err := bound.Holds(read...)
		if err != nil {
			return 0, err
		}
		if holds {
			facts |= 1 << i
		}
	}
	return facts, nil
}

// Fate returns how the run can still end: sure if all continuations, including none,
// satisfy the property, lost if no continuation does, and otherwise open. Cost
// O(1).
func (m *Monitor) Fate() fate.Fate {
	switch {
	case !m.words.CanReject(m.at):
		return fate.Sure
	case !m.words.CanAccept(m.at):
		return fate.Lost
	}
	return fate.Open
}

// Stops reports whether the run satisfies the property if it ends here. Cost O(1).
func (m *Monitor) Stops() bool { return m.property.Stops(m.at) }

// Pending describes what is awaited or forbidden, or what has happened. Cost
// O(1).
func (m *Monitor) Pending() property.Phrase { return m.pending }
