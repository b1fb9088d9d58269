package temporal

import "fmt"

// BudgetError reports that the automaton of a formula would exceed a limit.
type BudgetError struct {
	// What is the noun for what would be too many, such as states, and Most the
	// limit of their number.
	What string
	Most int
	// Of is the subformula, below the outermost Boolean operators, whose automaton
	// exceeds the limit, shortened if it is long; empty if no single subformula
	// does.
	Of string

	of form
}

// longestOf is the largest number of characters of a subformula in an error.
const longestOf = 60

// name sets the field Of to the text of the subformula.
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
