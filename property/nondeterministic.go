package property

// Nondeterministic is an automaton that accepts the runs that violate a property:
// a generalised Büchi automaton, which may have several runs on one word.
type Nondeterministic struct {
	Initial []int
	// Letters has the letter of each label of the model.
	Letters []uint16
	// Moves[letter][state] lists the moves; those of the last letter, "nothing
	// happens", repeat for ever after the end of a run.
	Moves [][][]Move
	// All are the colours that must all recur on an accepted run.
	All Marks
}

// Move is a move of a nondeterministic automaton.
type Move struct {
	To    int
	Marks Marks
}
