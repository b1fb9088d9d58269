package values

// AtomsOf returns the atoms about values of states in a formula of any syntax;
// nil if the syntax has none. Cost O(size).
func AtomsOf(formula any) []*Atom {
	if about, is := formula.(interface{ StateAtoms() []*Atom }); is {
		return about.StateAtoms()
	}
	return nil
}
