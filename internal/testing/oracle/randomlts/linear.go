package randomlts

import (
	"math/rand/v2"
	"strings"
)

// Linear is a formula of linear temporal logic about the labels A and B.
type Linear struct {
	Op    string // a letter, or an operator
	Parts []*Linear
}

// String returns the formula in the syntax of package ltl.
func (f *Linear) String() string {
	switch {
	case len(f.Parts) == 0:
		return f.Op
	case len(f.Parts) == 1:
		return f.Op + " (" + f.Parts[0].String() + ")"
	}
	return "(" + f.Parts[0].String() + ") " + f.Op + " (" + f.Parts[1].String() + ")"
}

// DrawLinear draws a formula with operators nested at most depth deep.
func DrawLinear(r *rand.Rand, depth int) *Linear {
	if depth == 0 || r.IntN(6) == 0 {
		return &Linear{Op: string("AB"[r.IntN(2)])}
	}
	op := []string{"!", "X", "F", "F", "G", "G", "U", "&&", "||", "->"}[r.IntN(10)]
	f := &Linear{Op: op, Parts: []*Linear{DrawLinear(r, depth-1)}}
	if strings.Contains("U&&||->", op) {
		f.Parts = append(f.Parts, DrawLinear(r, depth-1))
	}
	return f
}
