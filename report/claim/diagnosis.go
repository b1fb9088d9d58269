package claim

import (
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// Diagnosis says why the counterexample violates the property.
type Diagnosis struct{ *explain.Diagnosis }

// Minimal reports whether a shorter counterexample is known not to exist, and lists initial states that are better than
// where this one begins: all runs from Certain satisfy the property, and some from Possible, where none from its own does.
type Minimal struct {
	Shape
	Certain, Possible []lts.State
}

// Better says which transitions would have been better for the run at some of its decisions:
// they would have made the property certain or, if Certain is false, kept it possible.
type Better struct {
	Decisions []*explain.Decision
	Certain   bool
	Instead   []Option
}

func (Diagnosis) Kind() string { return "diagnosis" }
func (Minimal) Kind() string   { return "minimal" }
func (Better) Kind() string    { return "better" }

// better says what would have been better at decisions; those at which the same would have
// been share a claim, wherever on the run they are.
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

// weight is larger of what is to be read first: the point of no return, and what would have
// made the property certain.
func weight(b Better) int {
	switch {
	case slices.ContainsFunc(b.Decisions, func(d *explain.Decision) bool { return d.PointOfNoReturn }):
		return 2
	case b.Certain && b.Decisions[0].Chosen.After == neighbourhood.Neutral:
		return 1
	}
	return 0
}
