// Package simplify finds the part of a counterexample that is worth reading: its abstraction to
// decisions, and its free and fated steps (SEFM'18: Barbon, Leroy, Salaün, Counterexample
// Simplification for Liveness Property Violation, section 3.4).
//
// The invariant that holds inside: an abstraction is a subsequence of the counterexample, given by
// the indices of the transitions it keeps.
package simplify

import (
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Abstraction is what is worth reading of a counterexample.
type Abstraction struct {
	// Fates are the fates of the run after its first i transitions, for i from 0 to its length, with
	// the progress made by then. A fated run stays fated.
	Fates []Fate
	// PointOfNoReturn is the index of the transition that leaves the last free state; -1 if the run
	// is free to its end, or fated from the start.
	PointOfNoReturn int
	// Kept are the indices, ascending, of the transitions that enter or leave a neighbourhood state
	// (SEFM'18, section 3.4, "Abstracted Counterexample"), and of the transition that passes the point
	// of no return, which is always a decision of this run. There are none if no run satisfies the
	// property: then there is no decision.
	Kept []int
}

// Abstract returns the abstraction of t. Cost O(len(t) log of the number of neighbourhoods).
func Abstract(t *counterexample.Trace, n *neighbourhood.Classification) *Abstraction {
	x := &Abstraction{Fates: make([]Fate, t.Len()+1)}
	at := t.Initial()
	for i := range x.Fates {
		if i > 0 {
			at = t.Step(i - 1).To
		}
		x.Fates[i] = Free
		if n.Fates().At(at, t.At(i)) == fate.Lost {
			x.Fates[i] = Fated
		}
	}
	lost := slices.Index(x.Fates, Fated)
	if x.PointOfNoReturn = max(lost, 0) - 1; lost == 0 {
		return x
	}
	for i := range t.Len() {
		if step := t.Step(i); n.Has(step.From) || n.Has(step.To) || i == x.PointOfNoReturn {
			x.Kept = append(x.Kept, i)
		}
	}
	return x
}

// Fate reports whether a run can still satisfy the property (after Jin, Ravi, Somenzi: Fate and
// Free Will in Error Traces, TACAS 2002). The value 0, without a name, means that this was not
// computed.
type Fate uint8

// The fates.
const (
	Free  Fate = iota + 1 // some continuation from here satisfies the property
	Fated                 // no continuation from here satisfies the property
)

var fateNames = enumeration.New("fate", "", "free", "fated")

func (f Fate) String() string { return fateNames.Name(uint8(f)) }

// MarshalText returns the name of the fate.
func (f Fate) MarshalText() ([]byte, error) { return fateNames.Text(uint8(f)) }

// UnmarshalText sets the fate by its name.
func (f *Fate) UnmarshalText(text []byte) error { return enumeration.Set(fateNames, f, text) }
