package explain

// Faults says how many of certain actions a violation takes.
type Faults struct {
	Patterns string `json:"patterns"`
	// Least is the smallest number of them on a run that violates the property; nil if there is
	// none, or all of them have infinitely many.
	Least *int `json:"least"`
	// OnlyForEver reports whether the property is violated, but only by runs with infinitely
	// many.
	OnlyForEver bool `json:"only_for_ever"`
	// LostAfter is the smallest number after which the property can no longer hold, where that
	// is less than Least, or Least is nil; nil elsewhere.
	LostAfter *int `json:"lost_after,omitempty"`
	// Fewest reports whether the counterexample has no more of them than it takes, and is a
	// shortest of those.
	Fewest bool `json:"fewest,omitempty"`
}
