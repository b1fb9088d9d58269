// Package property defines what a model is checked against: a deterministic
// automaton over the labels of the model, with a condition on its infinite runs
// and a verdict on runs that end.
//
// A [Property] is a chain or a table. A [Chain] is inevitability, the progress
// through a sequence of steps: every analysis has a fast path for it, which it
// chooses once, outside its loops. A table is any other deterministic automaton
// with an acceptance condition of Emerson and Lei, a Boolean combination of "this
// colour recurs" and "that colour does not".
//
// Syntaxes (package actl and others) bind to a Property; analyses know the
// Property and no syntax. The package knows nothing of the states of models.
//
// The invariant that holds inside: the automaton is complete and deterministic,
// every label of the alphabet has a letter, and a Property does not change once
// it is built, so that it may be shared between goroutines.
package property

import (
	"github.com/inev-lts/inev/lts"
)

// Q is a state of a property: all that the future of a run needs to know of its
// past.
type Q uint32

// Property is a property over the labels of one model. It comes from [Inev],
// [Table] or a syntax, and is immutable.
type Property struct {
	alphabet *lts.Alphabet
	form     form
	chain    *Chain     // nil for a table
	table    *Automaton // nil for a chain
}

// Alphabet returns the labels that the property is about. Cost O(1).
func (p *Property) Alphabet() *lts.Alphabet { return p.alphabet }

// Chain returns the property as a chain; false if it is a table. Cost O(1).
func (p *Property) Chain() (*Chain, bool) { return p.chain, p.chain != nil }

// Steps returns the number of steps of a chain, 0 for a table. Cost O(1).
func (p *Property) Steps() int { return p.form.steps() }

// Step returns step i of a chain, 1 ≤ i ≤ [Property.Steps]. Cost O(1).
func (p *Property) Step(i int) Step { return p.chain.Step(i) }

// Does reports whether a transition labelled l does step i of a chain,
// 1 ≤ i ≤ [Property.Steps]. Cost as for [Chain.Advance].
func (p *Property) Does(l lts.Label, i int) bool { return p.chain.Does(l, i) }

// Progress returns the number of steps of a chain that are done in q, 0 for a
// table. Cost O(1).
func (p *Property) Progress(q Q) int { return p.form.progress(q) }

// WrittenAs returns the same property with another kind and text. Cost O(1).
func (p *Property) WrittenAs(kind Kind, text string) *Property { return p.form.writtenAs(kind, text) }

// String returns the property as it was written. Cost O(length of the text).
func (p *Property) String() string { return p.form.String() }

// Kind says by which pattern or in which syntax the property was written. Cost O(1).
func (p *Property) Kind() Kind { return p.form.kindOf() }

// States returns the number of states. Cost O(1).
func (p *Property) States() int { return p.form.states() }

// Initial returns the state before the first transition. Cost O(1).
func (p *Property) Initial() Q { return p.form.initial() }

// Next returns the state after a transition labelled l from q. The states of a
// chain are progresses. Cost O(1), for chains as [Chain.Advance].
func (p *Property) Next(q Q, l lts.Label) Q {
	if t := p.table; t != nil {
		return t.Next[int(q)*t.Columns+int(t.Letters[l])]
	}
	return Q(p.chain.Advance(int(q), l))
}

// Marks returns the colours of the transition labelled l from q. In a chain,
// transitions of complete traces have colour 0. Cost O(1).
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
func (p *Property) Acceptance() Acceptance { return p.form.acceptance() }

// Stops reports whether a run that ends in q, in a deadlock, is accepted. Cost
// O(1).
func (p *Property) Stops(q Q) bool { return p.form.stops(q) }

// Ends reports whether a run that ends in q is accepted. It ends in a deadlock,
// or in a state whose transitions may all be refused for ever, see
// [Fairness.MayEnd]; freedom of deadlocks forbids only the former. Cost O(1).
func (p *Property) Ends(q Q, deadlock bool) bool {
	return p.form.stops(q) || !deadlock && p.Kind() == KindDeadlockFree
}

// Pending says in words what a run in q waits for or must not do; empty if
// nothing is left to say. Cost O(length of the text).
func (p *Property) Pending(q Q) Phrase { return p.form.pending(q) }

// NotChainError reports that an operation exists for inevitability only.
type NotChainError struct {
	Property string // the property as it was written
	What     string // what exists of inevitability only: "a certificate"; empty for "this"
}

// Error names the property and the operation.
func (e NotChainError) Error() string {
	if e.What == "" {
		return e.Property + " is not of the form Inev(…), for which alone this can be done"
	}
	return e.Property + " is not of the form Inev(…): there is " + e.What + " for that form only"
}
