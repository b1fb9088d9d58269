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
			want:  `\A i \in 1..2 : WF_x(Serve /\ x' = x + i)`,
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

// TestNextBelowLet: a Spec that names its fairness in a LET has the actions of its next-state relation, unless that needs a
// name of the LET, which the module cannot write elsewhere.
func TestNextBelowLet(t *testing.T) {
	for spec, want := range map[string]string{
		`LET F == WF_x(Up) IN Init /\ [][Next]_x /\ F`:         `WF_x(Up)`,
		`LET F(A) == WF_x(A) IN Init /\ ([][Next]_x /\ F(Up))`: `WF_x(Up)`,
		`LET Any == Up IN LET F == TRUE IN Init /\ [][Any]_x`:  `WF_x(Up)`,
		`LET N == Next IN Init /\ [][N]_x`:                     `WF_x(Up)`,
		`LET N == Up \/ x' = 0 v == x IN Init /\ [][N]_v`:      `WF_x(x' = 0)`,
		`LET L == 1 N == x' = L IN Init /\ [][N]_x`:            "",
		`LET N(k) == x' = k IN Init /\ [][N(1)]_x`:             "",
		`LET Box == [][Next]_x IN Init /\ Box`:                 `WF_x(Up)`,
		`LET B == [][Next]_x Box == Init /\ B IN Box`:          `WF_x(Up)`,
		`LET Any == Next IN LET Box == [][Any]_x IN Box`:       `WF_x(Up)`,
	} {
		folder := t.TempDir()
		module := "---- MODULE M ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\nUp == x < 2 /\\ x' = x + 1\n" +
			"Next == Up \\/ x' = 0\nSpec == " + spec + "\n====\n"
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
		isFound := slices.ContainsFunc(actions, func(a Subaction) bool { return a.Fair(false) == want })
		if isFound != (want != "") || want == "" && len(actions) > 0 {
			t.Errorf("%s: %v are not with %q", spec, actions, want)
		}
	}
}

// TestChoicesOfInstances: the root module can contain the actions of an instance, and the choices inside of them, as they are returned.
func TestChoicesOfInstances(t *testing.T) {
	const sub = "---- MODULE Sub ----\nEXTENDS Integers\nCONSTANTS D, Op(_)\nVARIABLE y\n" +
		"LOCAL Hidden == y' = 7\nAct(k) == y < k /\\ y' \\in D\nAny == y' = Op(y)\nNext == (\\E k \\in D : Act(k)) \\/ Any \\/ Hidden\n" +
		"Runs == y = 0 /\\ [][Next]_y\n====\n"
	for _, c := range []struct {
		instance, spec string
		want, not      []string
	}{
		{
			instance: "I == INSTANCE Sub WITH y <- x, D <- 0..2, Op <- LAMBDA z : z + 1",
			spec:     "I!Runs",
			want:     []string{`WF_x(I!Next)`, `\A k \in 0..2 : WF_x(I!Act(k))`, `\A k \in 0..2, v \in 0..2 : WF_x(I!Act(k) /\ x' = v)`, `WF_x(I!Any)`},
			not:      []string{`WF_x(x' = 7)`, `WF_x(I!Hidden)`, `WF_x(Hidden)`},
		},
		{
			instance: "INSTANCE Sub WITH y <- x, D <- {1, 2}, Op <- Inc",
			spec:     "Runs",
			want:     []string{`WF_x(Next)`, `\A k \in {1, 2} : WF_x(Act(k))`, `WF_x(Any)`},
			not:      []string{`WF_x(Hidden)`},
		},
		{
			instance: "P(n) == INSTANCE Sub WITH y <- x, D <- 1..n, Op <- Inc",
			spec:     "P(2)!Runs",
			want:     []string{`WF_x(P(2)!Next)`, `\A k \in 1..2 : WF_x(P(2)!Act(k))`},
		},
		{
			instance: "P(n) == INSTANCE Sub WITH y <- x, D <- 1..n, Op <- Inc\nNext == \\E n \\in {1, 2} : P(n)!Any",
			spec:     "x = 0 /\\ [][Next]_x",
			want:     []string{`WF_x(Next)`, `\A n \in {1, 2} : WF_x(P(n)!Any)`},
		},
	} {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "Sub.tla"), sub)
		write(t, filepath.Join(folder, "M.tla"), "---- MODULE M ----\nEXTENDS Integers\nVARIABLE x\nInc(a) == a + 1\n"+c.instance+"\nSpec == "+c.spec+"\n====\n")
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
			if _, err := s.Property(a.Fair(false)); err != nil {
				t.Errorf("%s: %v", a.Fair(false), err)
			}
		}
		for _, want := range c.want {
			if !slices.Contains(fair, want) {
				t.Errorf("%s: %q are not with %q", c.instance, fair, want)
			}
		}
		for _, not := range c.not {
			if slices.Contains(fair, not) {
				t.Errorf("%s: %q are with %q", c.instance, fair, not)
			}
		}
	}
}
