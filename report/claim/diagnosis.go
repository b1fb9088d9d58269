package claim

import (
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// Diagnosis says why the counterexample violates the property.
type Diagnosis struct{ *explain.Diagnosis }

// Minimal reports whether the counterexample is known to be a shortest one. Certain are the initial
// states from which all runs satisfy the property. Possible are the initial states from which some
// run satisfies the property, if no run from the initial state of the counterexample does.
type Minimal struct {
	Shape
	Certain, Possible []lts.State
}

// Better has the transitions that would have been better at some decisions of the run: they would
// have made the property certain or, if Certain is false, kept it possible.
type Better struct {
	Decisions []*explain.Decision
	Certain   bool
	Instead   []Option
}

func (Diagnosis) Kind() string { return "diagnosis" }
func (Minimal) Kind() string   { return "minimal" }
func (Better) Kind() string    { return "better" }

// better returns the claims about better transitions. Decisions with the same better transitions
// share a claim, even if other decisions lie between them.
func better(choices []*explain.Decision) []Better {
	var claims []Better
	at := map[string]int{}
	for _, d := range choices {
		if !d.HasBetter() {
			continue
		}
		outlook := outlookOf(d.Alternatives, d.Chosen.Label)
		b := Better{Decisions: []*explain.Decision{d}, Certain: true, Instead: outlook.Certain}
		if len(b.Instead) == 0 {
			b.Certain, b.Instead = false, outlook.Possible
		}
		sum := Outlook{Certain: b.Instead}
		if !b.Certain {
			sum = Outlook{Possible: b.Instead}
		}
		key := sum.key()
		if i, known := at[string(key[:])]; known {
			claims[i].Decisions = append(claims[i].Decisions, d)
			continue
		}
		at[string(key[:])] = len(claims)
		claims = append(claims, b)
	}
	slices.SortStableFunc(claims, func(a, b Better) int { return weight(b) - weight(a) })
	return claims
}

// weight orders claims by importance: 2 for a point of no return, 1 for a decision that could have
// made the property certain, else 0.
func weight(b Better) int {
	switch {
	case slices.ContainsFunc(b.Decisions, func(d *explain.Decision) bool { return d.PointOfNoReturn }):
		return 2
	case b.Certain && b.Decisions[0].Chosen.After == neighbourhood.Neutral:
		return 1
	}
	return 0
}
