package buchi

import (
	"errors"
	"fmt"

	"github.com/inev-lts/inev/lts/bitset"
)

// Builder collects the edges and accepting states of an automaton, in any order.
// The zero Builder is ready for use; it is for one goroutine.
type Builder struct {
	sources   []State
	targets   []State
	labels    []string
	labelled  bool
	accepting []State
}

// Add adds an edge without a label. Amortised cost O(1).
func (b *Builder) Add(from, to State) { b.add(from, "", to) }

// AddLabelled adds an edge with a label, the text of an HOA label expression such
// as "0&!1". The text is stored unchanged; writing HOA refuses a text that is no
// expression. Amortised cost O(1).
func (b *Builder) AddLabelled(from State, label string, to State) {
	b.labelled = true
	b.add(from, label, to)
}

func (b *Builder) add(from State, label string, to State) {
	b.sources = append(b.sources, from)
	b.labels = append(b.labels, label)
	b.targets = append(b.targets, to)
}

// Accept makes s an accepting state. Amortised cost O(1).
func (b *Builder) Accept(s State) { b.accepting = append(b.accepting, s) }

// Build returns the automaton with this initial state and the states 0 to
// states-1. If only some edges have labels, the others get the label "t". It
// fails if a state is out of range. The Builder is empty afterwards. Cost O(S +
// E).
func (b *Builder) Build(initial State, states int) (*Automaton, error) {
	if err := b.check(initial, states); err != nil {
		return nil, err
	}
	a := &Automaton{initial: initial, accepting: bitset.New[State](states)}
	for _, s := range b.accepting {
		a.accepting.Add(s)
	}
	b.fill(a, states)
	a.distinct = a.edges.withoutRepetitions()
	*b = Builder{}
	return a, nil
}

func (b *Builder) check(initial State, states int) error {
	if states < 1 {
		return errors.New("buchi: an automaton has at least one state, its initial one")
	}
	if states > maxStates {
		return fmt.Errorf("buchi: %d states, at most %d are possible", states, maxStates)
	}
	if int(initial) >= states {
		return fmt.Errorf("buchi: initial state %d is not below the number of states %d", initial, states)
	}
	for i, from := range b.sources {
		if s := max(from, b.targets[i]); int(s) >= states {
			return fmt.Errorf("buchi: the edge from %d to %d mentions state %d, which is not below the number of states %d",
				from, b.targets[i], s, states)
		}
	}
	for _, s := range b.accepting {
		if int(s) >= states {
			return fmt.Errorf("buchi: accepting state %d is not below the number of states %d", s, states)
		}
	}
	return nil
}

// fill moves the edges into rows by counting sort, which keeps the order of
// addition within a row.
func (b *Builder) fill(a *Automaton, states int) {
	offsets := make([]uint64, states+1)
	for _, s := range b.sources {
		offsets[s+1]++
	}
	for s := range states {
		offsets[s+1] += offsets[s]
	}
	next := append([]uint64(nil), offsets[:states]...)
	a.edges = rows{offsets: offsets, targets: make([]State, len(b.targets))}
	if b.labelled {
		a.labels = make([]string, len(b.targets))
	}
	for i, s := range b.sources {
		at := next[s]
		next[s]++
		a.edges.targets[at] = b.targets[i]
		if !b.labelled {
			continue
		}
		if a.labels[at] = b.labels[i]; b.labels[i] == "" {
			a.labels[at] = "t"
		}
	}
}

// withoutRepetitions returns the rows with each target only at its first
// occurrence.
func (r rows) withoutRepetitions() rows {
	states := len(r.offsets) - 1
	// lastRow[t] is one more than the last state whose row has t.
	lastRow := make([]State, states)
	distinct := rows{offsets: make([]uint64, 1, states+1), targets: make([]State, 0, len(r.targets))}
	for s := range states {
		for _, t := range r.of(State(s)) {
			if lastRow[t] != State(s)+1 {
				lastRow[t] = State(s) + 1
				distinct.targets = append(distinct.targets, t)
			}
		}
		distinct.offsets = append(distinct.offsets, uint64(len(distinct.targets)))
	}
	if len(distinct.targets) == len(r.targets) {
		return r
	}
	return distinct
}
