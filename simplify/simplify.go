// Package simplify finds the part of a counterexample that is worth reading: the third part of
// [SEFM18], G. Barbon, V. Leroy, G. Salaün, Counterexample Simplification for Liveness Property
// Violation, SEFM 2018, section 3.4. It also finds the point of no return, and the transitions that
// decide for this run.
//
// An abstraction is a subsequence of the counterexample, given by the indices of the transitions
// that it keeps.
package simplify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Abstraction is what is worth reading of a counterexample.
type Abstraction struct {
	// Fates are the fates of the run after its first i transitions, for i from 0 to its length, given
	// the progress that it has made by then. A fated run stays fated.
	Fates []Fate
	// PointOfNoReturn is the index of the transition that leaves the last free state; -1 if the run
	// is free to its end, or fated from the start.
	PointOfNoReturn int
	// Kept are the indices, ascending, of the transitions that enter or leave a neighbourhood
	// ([SEFM18], section 3.4, "Abstracted Counterexample"). The transition that passes the point of no
	// return is kept, too: it decides for this run even if it is at no neighbourhood. There are none if
	// no run satisfies the property: then nothing was decided.
	Kept []int

	trace   *counterexample.Trace
	classes *neighbourhood.Classification
	// recurring are the property states before the transitions of the loop, in the first of the rounds
	// that repeat forever.
	recurring []property.Q
}

// String returns, for people, the labels of the transitions that are kept, with their numbers from 1, and
// the point of no return: step 3 WORK, step 5 DROP; point of no return: step 5.
func (a *Abstraction) String() string {
	switch {
	case a == nil:
		return "<nil>"
	case a.classes == nil:
		return "no counterexample"
	}
	kept := make([]string, len(a.Kept))
	alphabet := a.classes.Fates().LTS().Alphabet()
	for i, k := range a.Kept {
		kept[i] = fmt.Sprintf("step %d %s", k+1, printable.Text(alphabet.Text(a.trace.Step(k).Label)))
	}
	text := strings.Join(kept, ", ")
	if len(kept) == 0 {
		text = "no step is kept"
	}
	if a.PointOfNoReturn < 0 {
		return text
	}
	return fmt.Sprintf("%s; point of no return: step %d", text, a.PointOfNoReturn+1)
}

// Abstract returns the abstraction of a counterexample in the model whose transitions c classifies.
// A transition from the state before several initial states is never kept. Cost O(length of t · log
// of the number of neighbourhoods), and as for [counterexample.Trace.Rounds].
func Abstract(t *counterexample.Trace, c *neighbourhood.Classification) *Abstraction {
	a := &Abstraction{
		Fates:           fatesOf(t, c),
		PointOfNoReturn: -1,
		Kept:            []int{},
		trace:           t,
		classes:         c,
	}
	a.recurring = recurring(t, c.Fates().Property())
	firstFated := slices.Index(a.Fates, Fated)
	if firstFated == 0 {
		return a
	}
	m := c.Fates().LTS()
	for i := range t.Len() {
		step := t.Step(i)
		if m.IsBefore(step.From) {
			continue
		}
		passes := i == firstFated-1
		if passes {
			a.PointOfNoReturn = i
		}
		if passes || c.Has(step.From) || c.Has(step.To) {
			a.Kept = append(a.Kept, i)
		}
	}
	return a
}

// fatesOf returns the fates of the run after its first 0, 1, 2 and so on transitions.
func fatesOf(t *counterexample.Trace, c *neighbourhood.Classification) []Fate {
	fates := make([]Fate, t.Len()+1)
	at := t.Initial()
	for i := range fates {
		if i > 0 {
			at = t.Step(i - 1).To
		}
		fates[i] = FateAt(c.Fates(), at, t.At(i))
	}
	return fates
}

// FateAt returns the fate of a run that is in a state of the model and in state q of the property.
// Cost O(1).
func FateAt(fates *fate.Map, s lts.State, q property.Q) Fate {
	if fates.At(s, q) == fate.Lost {
		return Fated
	}
	return Free
}

// Fate reports whether a run can still satisfy the property (after H. Jin, K. Ravi, F. Somenzi,
// Fate and Free Will in Error Traces, TACAS 2002). The value 0, without a name, means that the fate
// was not computed.
type Fate uint8

// The fates.
const (
	Free  Fate = iota + 1 // some continuation from here satisfies the property
	Fated                 // no continuation from here satisfies the property
)

var fateNames = enumeration.New("fate", "", "free", "fated")

// String returns the name of the fate.
func (f Fate) String() string { return fateNames.Name(uint8(f)) }

// MarshalText returns the name of the fate.
func (f Fate) MarshalText() ([]byte, error) { return fateNames.Text(uint8(f)) }

// UnmarshalText sets the fate by its name.
func (f *Fate) UnmarshalText(text []byte) error { return enumeration.Set(fateNames, f, text) }
