package randomlts

import "math/rand/v2"

// BranchingAtoms are formulas about one state, its transitions and these predicates.
func BranchingAtoms(predicates ...string) []string {
	atoms := []string{
		"true",
		"false",
		"deadlock",
		"!deadlock",
		"<A> true",
		"[B] false",
		"<{A, B}> true",
	}
	for _, p := range predicates {
		atoms = append(atoms, p, "!"+p, "<{A, B}> "+p)
	}
	return atoms
}

// Branching returns the text of a random formula of branching time over atoms,
// with operators nested at most depth deep. It has all quantifiers over runs and
// steps, with sets of the labels A, B and C as conditions on the actions before
// and at the end. Cost O(2^depth).
func Branching(r *rand.Rand, depth int, atoms []string) string {
	if depth == 0 || r.IntN(9) == 0 {
		return atoms[r.IntN(len(atoms))]
	}
	sub := func() string { return "(" + Branching(r, depth-1, atoms) + ")" }
	path := []string{"E", "A"}[r.IntN(2)]
	labels := func() string {
		return []string{"", "{A}", "{B}", "{A, B}", "{C}", "{false}", "{true}"}[r.IntN(7)]
	}
	switch r.IntN(15) {
	case 0:
		return "!" + sub()
	case 1:
		return sub() + " && " + sub()
	case 2:
		return sub() + " || " + sub()
	case 3:
		return sub() + " -> " + sub()
	case 4:
		return path + "X " + sub()
	case 5:
		return []string{"<A>", "[A]", "<{B, C}>", "[{B, C}]"}[r.IntN(4)] + sub()
	case 6:
		return path + "F " + sub()
	case 7:
		return path + "G " + sub()
	case 8:
		return path + "[" + sub() + " U " + sub() + "]"
	case 9:
		return path + "[" + sub() + " R " + sub() + "]"
	case 10:
		return path + "[" + sub() + " W " + sub() + "]"
	case 11:
		return path + "[" + sub() + " M " + sub() + "]"
	}
	return path + "[" + sub() + labels() + " U " + labels() + sub() + "]"
}
