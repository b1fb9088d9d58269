// Package simplify finds the part of a counterexample that is worth reading: its abstraction to
// decisions, and its free and fated steps (SEFM'18: Barbon, Leroy, Salaün, Counterexample
// Simplification for Liveness Property Violation, section 3.4).
//
// The invariant that holds inside: an abstraction is a subsequence of the counterexample, given by
// the indices of the transitions it keeps.
package simplify

import (
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Abstract returns the abstracted counterexample: the indices, ascending, of the transitions of t
// that enter or leave a neighbourhood state (SEFM'18, section 3.4, "Abstracted Counterexample"),
// and of the transition that passes the point of no return, which is always a decision of this run.
// It returns no indices if no run satisfies the property: then there is no decision. Cost O(len(t)
// log of the number of neighbourhoods).
func Abstract(t *counterexample.Trace, n *neighbourhood.Classification) []int {
	fates := Fates(t, n.Fates())
	if fates[0] == Fated {
		return nil
	}
	turn, turns := PointOfNoReturn(fates)
	var kept []int
	for i := range t.Len() {
		if step := t.Step(i); n.Has(step.From) || n.Has(step.To) || turns && i == turn {
			kept = append(kept, i)
		}
	}
	return kept
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

// Fates returns the fate of the run t after its first i transitions, for i from 0 to its length,
// with the progress made by then. A fated run stays fated. Cost O(len(t)).
func Fates(t *counterexample.Trace, f *fate.Map) []Fate {
	fates := make([]Fate, t.Len()+1)
	for i := range fates {
		at := t.Initial()
		if i > 0 {
			at = t.Step(i - 1).To
		}
		fates[i] = Free
		if f.At(at, t.At(i)) == fate.Lost {
			fates[i] = Fated
		}
	}
	return fates
}

// PointOfNoReturn returns the index of the transition that leaves the last free state of a run with
// these fates; false if the run is free to its end, or fated from the start. Cost O(len(fates)).
func PointOfNoReturn(fates []Fate) (int, bool) {
	for i := 1; i < len(fates); i++ {
		if fates[i-1] == Free && fates[i] == Fated {
			return i - 1, true
		}
	}
	return 0, false
}
