package main

import (
	"math/rand/v2"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// faultKind is a kind of fault, with the function that injects it into a model.
type faultKind string

const (
	added      faultKind = "added"
	redirected faultKind = "redirected"
	removed    faultKind = "removed"
	relabelled faultKind = "relabelled"
	losable    faultKind = "losable"
)

var faultKinds = []faultKind{added, redirected, removed, relabelled, losable}

// damaged is a model with a fault.
type damaged struct {
	model *lts.LTS
	// places are the states that have the fault: the sources of the transitions that were added,
	// changed or removed.
	places []lts.State
	// gone, for a fault of this kind, is the removed transition; nil for other faults.
	gone *lts.Transition
}

// damage injects a fault of a kind into the reachable part of a model; the Boolean is false if the
// drawn fault changes nothing.
func damage(m *lts.LTS, kind faultKind, random *rand.Rand) (damaged, bool, error) {
	transitions := slices.Collect(m.Transitions())
	if len(transitions) == 0 {
		return damaged{}, false, nil
	}
	at := random.IntN(len(transitions))
	t := transitions[at]
	var b lts.Builder
	b.Over(m.Alphabet())
	places := []lts.State{t.From}
	changed := t
	switch kind {
	case added:
		changed = lts.Transition{
			From:  lts.State(random.IntN(m.NumStates())),
			Label: t.Label,
			To:    lts.State(random.IntN(m.NumStates())),
		}
		places = []lts.State{changed.From}
	case redirected:
		changed.To = lts.State(random.IntN(m.NumStates()))
	case relabelled:
		changed.Label = transitions[random.IntN(len(transitions))].Label
	case losable:
		return lose(m, t.Label, transitions)
	}
	if kind != removed && slices.Contains(transitions, changed) {
		return damaged{}, false, nil
	}
	for i, old := range transitions {
		if i != at || kind == added {
			b.Add(old.From, old.Label, old.To)
		}
	}
	if kind != removed {
		b.Add(changed.From, changed.Label, changed.To)
	}
	faulty, err := b.Build(m.Initial(), m.NumStates())
	d := damaged{model: faulty, places: places}
	if kind == removed {
		d.gone = &t
	}
	return d, err == nil, err
}

// lose lets a message get lost: for each transition with the label, it adds one with the label
// LOSE.
func lose(m *lts.LTS, label lts.Label, transitions []lts.Transition) (damaged, bool, error) {
	var b lts.Builder
	b.Over(m.Alphabet())
	lost := b.Label("LOSE")
	var places []lts.State
	for _, t := range transitions {
		b.Add(t.From, t.Label, t.To)
		if t.Label == label {
			b.Add(t.From, lost, t.To)
			places = append(places, t.From)
		}
	}
	slices.Sort(places)
	faulty, err := b.Build(m.Initial(), m.NumStates())
	return damaged{model: faulty, places: slices.Compact(places)}, err == nil, err
}
