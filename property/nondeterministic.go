package property

// Nondeterministic is an automaton that accepts the runs that violate a property, as it was given: a generalised Büchi
// automaton, of which there are several ways to read a run.
type Nondeterministic struct {
	Initial []int
	// Letters has the letter of each label of the model.
	Letters []uint16
	// Moves are the moves of each letter, by state; those of the last letter, "nothing happens", are for ever after the end of
	// a run.
	Moves [][][]Move
	// All are the colours that all recur where a run is accepted.
	All Marks
}

// Move is a move of a nondeterministic automaton.
type Move struct {
	To    int
	Marks Marks
}
