package tlaplus

import (
	"path/filepath"
	"testing"
)

// TestInPlusCal: fairness of an action is the change of its process or label that implies it, if there is one.
func TestInPlusCal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Asked.tla")
	write(t, path, `---- MODULE Asked ----
EXTENDS Naturals
(* --algorithm Asked
variable x = 0;
process P \in 1..2
begin A: x := 1; B: x := 2; F:+ x := 3; end process;
fair process Q = 3
begin C: x := 1; D:- x := 2; end process;
fair+ process R = 4
begin E: x := 1; end process;
end algorithm; *)
\* BEGIN TRANSLATION
VARIABLE x
A(self) == x' = 1
B(self) == x' = 2
F(self) == x' = 3
P(self) == A(self) \/ B(self) \/ F(self)
C == x' = 1
D == x' = 2
Q == C \/ D
E == x' = 1
R == E
Next == Q \/ R \/ \E self \in 1..2 : P(self)
\* END TRANSLATION
====
`)
	s, err := Load(t.Context(), path, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	const each = `\A self \in 1..2 : `
	weak := func(quantifiers, action, of string) Fairness {
		return Fairness{Action: Subaction{Quantifiers: quantifiers, Action: action, Of: of}}
	}
	strong := func(quantifiers, action, of string) Fairness {
		f := weak(quantifiers, action, of)
		f.IsStrong = true
		return f
	}
	for _, c := range []struct {
		all  []Fairness
		want string
	}{
		{[]Fairness{weak("", "Next", "Next")}, "fair algorithm"},
		{[]Fairness{strong("", "Next", "Next")}, ""},
		{[]Fairness{weak(each, "P(self)", "P")}, "fair process P"},
		{[]Fairness{weak("", "P(1)", "P")}, "fair process P"},
		{[]Fairness{weak(each, "B(self)", "B")}, "fair process P"},
		{[]Fairness{weak(each, "B(self) /\\ (x = 1)", "B")}, ""},
		{[]Fairness{weak("", `\E self \in 1..2 : P(self)`, "P")}, ""},
		{[]Fairness{strong(each, "P(self)", "P")}, "fair+ process P"},
		{[]Fairness{strong(each, "B(self)", "B")}, "fair process P and B:+"},
		{[]Fairness{weak("", "P(1)", "P"), strong(each, "A(self)", "A")}, "fair process P and A:+"},
		{[]Fairness{strong(each, "P(self)", "P"), strong(each, "A(self)", "A")}, "fair+ process P"},
		{[]Fairness{strong(each, "F(self)", "F")}, "fair process P"}, // there is a plus already
		{[]Fairness{strong("", "C", "C")}, "C:+"},
		{[]Fairness{strong("", "C", "C"), weak(each, "P(self)", "P")}, "fair process P and C:+"},
		{[]Fairness{weak("", "D", "D")}, ""}, // the minus would have to go
		{[]Fairness{strong("", "E", "E")}, ""},
		{[]Fairness{strong("", "Q", "Q"), strong("", "Unknown", "Unknown")}, ""},
	} {
		got, err := s.InPlusCal(c.all)
		if err != nil || got != c.want {
			t.Errorf("%+v: %q (error %v), want %q", c.all, got, err, c.want)
		}
	}
}
