package temporal

import "fmt"

// BudgetError tells that a formula would take an automaton beyond what is made.
type BudgetError struct {
	// What there would be too much of, and the largest number of it.
	What string
	Most int
}

// Error names the limit.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the automaton of the formula is too large: more than %d %s", e.Most, e.What)
}
