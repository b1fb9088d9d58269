// Package property is the one notion of what a model is checked against: a
// deterministic automaton over the labels of the model, with a condition on its
// infinite runs and a verdict on runs that end.
//
// A [Property] is a chain or a table. A [Chain] is inevitability, the progress
// through a sequence of steps: every analysis has a fast path for it, and asks
// for it once, outside its loops. A table is any other deterministic automaton:
// its acceptance condition is one of Emerson and Lei, a Boolean combination of
// "this colour recurs" and "that colour does not".
//
// Syntaxes (package actl and its like) bind to a Property; analyses know the
// Property and no syntax. The package knows nothing of the states of models.
//
// The invariant that holds inside: the automaton is complete and deterministic,
// every label of the alphabet has a letter, and a Property does not change once
// it is built, so that it may be shared between goroutines.
package property

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// Q is a state of a property: what its past means for a run's future.
type Q uint32

// Property is a property over the labels of one model. It comes from [Inev],
// [Table] or a syntax, and is immutable.
type Property struct {
	alphabet *lts.Alphabet
	chain    *Chain     // nil for a table
	table    *Automaton // nil for a chain
}

// Alphabet returns the labels that the property is about. Cost O(1).
func (p *Property) Alphabet() *lts.Alphabet { return p.alphabet }

// Chain returns the property as a chain; false where it is a table. Cost O(1).
func (p *Property) Chain() (*Chain, bool) { return p.chain, p.chain != nil }

// String returns the property as it was written. Cost O(length of the text).
func (p *Property) String() string {
	if p.chain != nil {
		return p.chain.String()
	}
	return p.table.Name
}

// Kind says by which pattern or in which syntax the property was written. Cost O(1).
func (p *Property) Kind() Kind {
	if p.chain != nil {
		return p.chain.kind
	}
	return p.table.Kind
}

// States returns the number of states. Cost O(1).
func (p *Property) States() int {
	if p.chain != nil {
		return p.chain.n + 1
	}
	return p.table.States()
}

// Initial returns the state before the first transition. Cost O(1).
func (p *Property) Initial() Q {
	if p.chain != nil {
		return 0
	}
	return p.table.Initial
}

// Next returns the state after a transition labelled l from q. Of a chain states
// are progresses. Cost O(1), for chains as [Chain.Advance].
func (p *Property) Next(q Q, l lts.Label) Q {
	if p.chain != nil {
		return Q(p.chain.Advance(int(q), l))
	}
	t := p.table
	return t.Next[int(q)*t.Columns+int(t.Letters[l])]
}

// Marks returns the colours of the transition labelled l from q. Of a chain what
// has been completed has colour 0. Cost O(1).
func (p *Property) Marks(q Q, l lts.Label) Marks {
	if p.chain != nil {
		if int(q) == p.chain.n {
			return Mark(0)
		}
		return 0
	}
	return p.table.marks(q, int(p.table.Letters[l]))
}

// Acceptance returns the condition on the colours that an infinite run meets
// infinitely often. Cost O(1).
func (p *Property) Acceptance() Acceptance {
	if p.chain != nil {
		return Inf(0)
	}
	return p.table.Acceptance
}

// Stops reports whether a run that ends in q, in a deadlock, is accepted. Cost
// O(1).
func (p *Property) Stops(q Q) bool {
	if p.chain != nil {
		return int(q) == p.chain.n
	}
	return p.table.Stop[q]
}

// Pending says in words what a run in q waits for or must not do; empty where
// nothing is left to say. Cost O(length of the text).
func (p *Property) Pending(q Q) Phrase {
	switch {
	case p.chain == nil && p.table.Pending == nil:
		return Phrase{{Text: fmt.Sprintf("in state %d of the property", q)}}
	case p.chain == nil:
		return p.table.Pending[q]
	case int(q) == p.chain.n:
		return nil
	}
	return waiting(p.chain.Step(int(q) + 1).Pattern.String())
}

// NotChainError tells that something can be done for inevitability only.
type NotChainError struct {
	Property string // as it was written
	What     string // what there is of inevitability only: "a certificate"; empty for "this"
}

// Error names the property, and what there is of inevitability only.
func (e NotChainError) Error() string {
	if e.What == "" {
		return e.Property + " is not of the form Inev(…), for which alone this can be done"
	}
	return e.Property + " is not of the form Inev(…): there is " + e.What + " for that form only"
}
