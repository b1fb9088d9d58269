package tlaplus

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestChoicesInsideActions: a choice among the conjuncts of an action, or in a branch of its IF, is an action of its own.
func TestChoicesInsideActions(t *testing.T) {
	for name, c := range map[string]struct{ serve, want string }{
		"conjunct": {
			serve: `x < 5 /\ (\E i \in 1..2 : x' = x + i)`,
			want:  `\A i \in 1..2 : WF_x((Serve) /\ x' = x + i)`,
		},
		"branch": {
			serve: `IF x > 5 THEN x' = 0 ELSE \E i \in 1..2 : x' = x + i`,
			want:  `\A i \in 1..2 : WF_x(Serve /\ x' = x + i)`,
		},
		"disjunct of a branch": {
			serve: `IF x > 5 THEN x' = 0 ELSE x' = x + 1 \/ x' = x + 2`,
			want:  `WF_x(Serve /\ x' = x + 2)`,
		},
		"condition": {
			serve: `IF x > 5 THEN x' = 0 ELSE x' = x + 1`,
			want:  `WF_x(Serve /\ ~(x > 5))`,
		},
	} {
		folder := t.TempDir()
		module := "---- MODULE M ----\nEXTENDS Integers\nVARIABLE x\nServe == " + c.serve +
			"\nSpec == x = 0 /\\ [][Serve]_x\n====\n"
		write(t, filepath.Join(folder, "M.tla"), module)
		write(t, filepath.Join(folder, "M.cfg"), "SPECIFICATION Spec\n")
		s, err := Load(t.Context(), filepath.Join(folder, "M.tla"), filepath.Join(folder, "M.cfg"), nil)
		if err != nil {
			t.Fatal(err)
		}
		actions, err := s.Subactions()
		if err != nil {
			t.Fatal(err)
		}
		var fair []string
		for _, a := range actions {
			fair = append(fair, a.Fair(false))
		}
		if !slices.Contains(fair, c.want) {
			t.Errorf("%s: %q are not with %q", name, fair, c.want)
		}
	}
}
