package temporal

import "fmt"

// BudgetError reports that a formula would take an automaton beyond what is made.
type BudgetError struct {
	// What there would be too much of, and the largest number of it.
	What string
	Most int
	// Of is the part of the formula, one below its Boolean operators, that takes the automaton
	// there, cut where it is long; empty if that is not one part.
	Of string

	of form
}

// longestOf is the number of characters of a part of a formula that are named.
const longestOf = 60

// name names the part.
func (e *BudgetError) name(p *speaker) {
	if e.of == falsum {
		return
	}
	e.Of = p.text(e.of)
	if text := []rune(e.Of); len(text) > longestOf {
		e.Of = string(text[:longestOf]) + "…"
	}
}

// Error names the limit.
func (e *BudgetError) Error() string {
	if e.Of == "" {
		return fmt.Sprintf("the automaton of the formula is too large: more than %d %s", e.Most, e.What)
	}
	return fmt.Sprintf("the automaton of the formula is too large: more than %d %s for %s", e.Most, e.What, e.Of)
}
