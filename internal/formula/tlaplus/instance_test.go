package tlaplus

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/property/values"
)

// TestBuiltInInstance: a formula about runs that comes from an INSTANCE without a name is found
// behind the INSTANCE of a built-in module, which has no file.
func TestBuiltInInstance(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"Channel.tla": "---- MODULE Channel ----\nVARIABLE x\nSent == <>(x = 1)\n====\n",
		"Random.tla":  "---- MODULE Random ----\nVARIABLE x\nLOCAL INSTANCE Naturals\nINSTANCE Channel\n====\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Load(t.Context(), filepath.Join(folder, "Random.tla"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Property("Sent")
	if err != nil {
		t.Fatal(err)
	}
	if f.Operator != Eventually || f.Position.Line != 3 {
		t.Errorf("operator %d in line %d", f.Operator, f.Position.Line)
	}
}

// TestNestedUnnamedInstances: an INSTANCE without a name provides what an INSTANCE without a name in its module provides, and an inner
// module that sees its own INSTANCE is searched once.
func TestNestedUnnamedInstances(t *testing.T) {
	for _, c := range []struct {
		module string
		isRead bool
	}{
		{"---- MODULE Deep ----\nIn(a) == a = 1\n====\n---- MODULE Middle ----\nINSTANCE Deep\n====\nINSTANCE Middle\nP == In(1)\n", true},
		{"---- MODULE Deep ----\nIn(a) == a = 1\n====\n---- MODULE Middle ----\nLOCAL INSTANCE Deep\n====\nINSTANCE Middle\nP == In(1)\n", false},
		{"---- MODULE Inner ----\nLOCAL Out == 1\n====\nINSTANCE Inner\nP == In(1)\n", false},
	} {
		holds, err := holdsOf(t, "---- MODULE M ----\n"+c.module+"====\n", "")
		isRead := holds && err == nil
		if isRead != c.isRead || !c.isRead && !strings.Contains(err.Error(), "In is not defined") {
			t.Errorf("%s: %t, error %v", c.module, holds, err)
		}
	}
}

// TestNamedInstanceBehindUnnamedOne: I!Op is found if an INSTANCE without a name provides I, also in the instance of a module, and if
// an INSTANCE without a name provides Op to the module of I.
func TestNamedInstanceBehindUnnamedOne(t *testing.T) {
	module := `---- MODULE M ----
EXTENDS Integers
---- MODULE Cell ----
CONSTANT c
Twice == 2 * c
====
---- MODULE Pair ----
CONSTANT k
In == INSTANCE Cell WITH c <- k
Par(x) == INSTANCE Cell WITH c <- x + k
====
---- MODULE Middle ----
INSTANCE Pair WITH k <- 10
====
INSTANCE Pair WITH k <- 3
Mid == INSTANCE Middle
---- MODULE Whole ----
INSTANCE Cell WITH c <- 7
====
Op == INSTANCE Whole
P == /\ In!Twice = 6 /\ Par(1)!Twice = 8
     /\ Mid!In!Twice = 20 /\ Mid!Par(1)!Twice = 22
     /\ Op!Twice = 14
====
`
	holds, err := holdsOf(t, module, "")
	if !holds || err != nil {
		t.Errorf("%t, error %v", holds, err)
	}
}

// TestInstancesOfStandardModules: an operator of a module that is built in is found through an instance of the module, wherever the
// instance has its name.
func TestInstancesOfStandardModules(t *testing.T) {
	module := `---- MODULE M ----
EXTENDS Integers
---- MODULE Named ----
Whole == INSTANCE Naturals
====
INSTANCE Named
I == INSTANCE Named
Num == INSTANCE Naturals
P == /\ Num!+(1, 2) = 3 /\ 3 \in Num!Nat
     /\ Whole!+(1, 2) = 3 /\ 3 \in Whole!Nat
     /\ I!Whole!+(1, 2) = 3 /\ 3 \in I!Whole!Nat
     /\ LET J == INSTANCE Named IN J!Whole!+(1, 2) = 3
====
`
	holds, err := holdsOf(t, module, "")
	if !holds || err != nil {
		t.Errorf("%t, error %v", holds, err)
	}
}

// TestOperatorsPutByInstances: what an instance puts for an operator may be a definition, a LAMBDA, or an operator of the language.
func TestOperatorsPutByInstances(t *testing.T) {
	for put, want := range map[string]string{
		"LAMBDA a, b : a + 2 * b": "7", "LAMBDA a, b : Two * a": "2", "Twice": "8", "+": "4", "..": "1..3", "Max": "3",
	} {
		module := `---- MODULE M ----
EXTENDS Integers
Two == 2
Max(a, b) == IF a > b THEN a ELSE b
Twice(a, b) == 2 * (a + b)
---- MODULE Inner ----
CONSTANT Ok(_, _)
Use == Ok(1, 3)
Later(c) == Ok(c, 3)
====
I == INSTANCE Inner WITH Ok <- ` + put + `
P == I!Use = ` + want + ` /\ \A c \in {1} : I!Later(c) = ` + want + `
====
`
		if holds, err := holdsOf(t, module, ""); err != nil || !holds {
			t.Errorf("%s: %t, error %v", put, holds, err)
		}
	}
	for put, want := range map[string]string{
		"LAMBDA a : a": "LAMBDA a : a takes 1 argument, found 2",
		"1 + 2":        "Ok is applied to arguments, but the instance substitutes something for it that takes none",
	} {
		module := "---- MODULE M ----\nEXTENDS Integers\n---- MODULE Inner ----\nCONSTANT Ok(_, _)\nUse == Ok(1, 3)\n====\nI == INSTANCE Inner WITH Ok <- " + put + "\nP == I!Use = 1\n====\n"
		if _, err := holdsOf(t, module, ""); err == nil || !strings.Contains(err.Error(), "M.tla:5: "+want) {
			t.Errorf("%s: error %v, want %s", put, err, want)
		}
	}
}

// TestInstancesWithParameters: an instance may have parameters, stand in LET, and in another instance; what it puts for a name may use all
// names that are bound around it.
func TestInstancesWithParameters(t *testing.T) {
	const definitions = `
---- MODULE Inner ----
EXTENDS Naturals
CONSTANTS q, Op(_)
Val == q * 2
Add(x) == Val + x
Ops == Op(q) + Op(1)
RECURSIVE Sum(_)
Sum(n) == IF n = 0 THEN 0 ELSE q + Sum(n - 1)
f[i \in 0..3] == IF i = 0 THEN q ELSE f[i - 1] + 1
Let == LET w == q IN w + Val
====
---- MODULE Outer ----
EXTENDS Naturals
CONSTANT k
Half(a) == a + k
In(r) == INSTANCE Inner WITH q <- r + k, Op <- LAMBDA x : x + r * k
Fixed == INSTANCE Inner WITH q <- k, Op <- Half
Both(r, s) == In(r)!Add(s) + In(s)!Val
====
I(q, Op(_)) == INSTANCE Inner
J(r) == INSTANCE Outer WITH k <- r
Dec(a) == a - 1
`
	for _, text := range []string{
		`I(3, Dec)!Val = 6`, `I(3, Dec)!Ops = 2`, `I(3, LAMBDA a : a * 5)!Ops = 20`, `I(2, Dec)!Sum(4) = 8`, `I(2, Dec)!f[3] = 5`,
		`\A a \in {1, 2}, b \in {3} : I(a, Dec)!Add(b) = 2 * a + b`, `{I(a, Dec)!Let : a \in 1..2} = {3, 6}`,
		`J(2)!In(3)!Val = 10`, `J(2)!In(3)!Ops = (5 + 6) + (1 + 6)`, `J(2)!Fixed!Ops = 7`, `J(1)!Both(2, 3) = (6 + 3) + 8`,
		`\E a \in {2} : \A b \in {3, 4} : J(a)!In(b)!Add(1) = 2 * (a + b) + 1 /\ J(b)!Fixed!f[1] = b + 1`,
		`LET M1 == INSTANCE Outer WITH k <- 4 IN M1!Fixed!Val = 8 /\ M1!In(1)!Val = 10`,
		`\A a \in {1, 2} : LET b == a + 1 M1(c) == INSTANCE Inner WITH q <- a + b + c, Op <- Dec IN M1(5)!Val = 2 * (a + b + 5)`,
		`LET F(a) == LET M1 == INSTANCE Inner WITH q <- a, Op <- LAMBDA y : y + a IN M1!Ops IN F(2) = 7 /\ F(3) = 10`,
		`(LET g[a \in 0..2] == IF a = 0 THEN 0 ELSE I(a, Dec)!Val + g[a - 1] IN g[2]) = 6`,
		`[a \in {1} |-> I(a, Dec)!Add(a)][1] = 3`, `(CHOOSE a \in {1, 2} : I(a, Dec)!Val = 4) = 2`, `1 ## 2 = <<1, 2>> /\ \b101 + \o17 + \hfF = 275`,
	} {
		module := "---- MODULE M ----\nEXTENDS Integers" + definitions + "a ## b == <<a, b>>\nP == " + text + "\n====\n"
		if holds, err := holdsOf(t, module, ""); err != nil || !holds {
			t.Errorf("%s: %t, error %v", text, holds, err)
		}
	}
	for text, want := range map[string]string{
		`I!Val = 1`: "I in I!Val takes 2 arguments, found 0", `I(1)!Val = 1`: "I in I(1)!Val takes 2 arguments, found 1",
		`I!Add(3, Dec, 1) = 1`: "I in I!Add(3, Dec, 1) takes 2 arguments, found 0", `I!Val(3, Dec) = 1`: "I in I!Val(3, Dec) takes 2 arguments, found 0",
		`J(1, 2)!In!Val = 1`: "J in J(1, 2)!In!Val takes 1 argument, found 2", `J(1)!In!Add(2, 1) = 1`: "In in J(1)!In!Add(2, 1) takes 1 argument, found 0",
		`J(1)!Fixed(2)!Val = 1`: "Fixed in J(1)!Fixed(2)!Val takes 0 arguments, found 1", `I(1, Dec)!Add(2, 3) = 1`: "Add takes 1 argument, found 2",
		`LET M1(c) == INSTANCE Outer WITH k <- c IN M1!Half(1, 2) = 3`: "M1 in M1!Half(1, 2) takes 1 argument, found 0", `I(1, Dec) = 1`: "I is an instance of Inner",
		`LET M1 == INSTANCE Inner WITH q <- 1, Op <- Dec IN M1 = 1`: "M1 is an instance of Inner", `LET M1 == INSTANCE Absent IN M1!x`: "module Absent is not there",
	} {
		module := "---- MODULE M ----\nEXTENDS Integers" + definitions + "P == " + text + "\n====\n"
		if _, err := holdsOf(t, module, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestLocalNamesStayInTheirModule: a module that extends another one does not see what that defines or instantiates locally, so that
// a name of the same spelling from a third module is meant; a module inside of another one sees it.
func TestLocalNamesStayInTheirModule(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"First":  "EXTENDS Naturals\nLOCAL Help == 1\nLOCAL G[n \\in Nat] == n\nLOCAL INSTANCE Third\nOne == Help + G[0] + Inside - 10",
		"Second": "EXTENDS Naturals\nHelp == 2\nG(n) == n + 5\nInside == 20",
		"Third":  "Inside == 10",
		"Asked": "EXTENDS Naturals, First, Second\nLOCAL Mine == 3\n---- MODULE Inner ----\nDeep == Mine + One\n====\nI == INSTANCE Inner\n" +
			"P == One = 1 /\\ Help = 2 /\\ G(1) = 6 /\\ Inside = 20 /\\ I!Deep = 4",
		"Hidden": "EXTENDS First\nP == Help = 1",
	} {
		write(t, filepath.Join(folder, name+".tla"), "---- MODULE "+name+" ----\n"+text+"\n====\n")
	}
	s, err := Load(t.Context(), filepath.Join(folder, "Asked.tla"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.State("P")
	if err != nil {
		t.Fatal(err)
	}
	if holds, err := s.Evaluator(t.Context()).Holds(p, nil, nil, nil); err != nil || !holds {
		t.Errorf("holds %t, error %v", holds, err)
	}
	s, err = Load(t.Context(), filepath.Join(folder, "Hidden.tla"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.State("P"); err == nil || !strings.Contains(err.Error(), "Help is not defined") {
		t.Errorf("error %v", err)
	}
}

// TestPredicatesNameTheirInstances: the name that a predicate of an instance with parameters has in a formula is an expression of the
// module of the specification, and means the same there.
func TestPredicatesNameTheirInstances(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"Queue": "EXTENDS Integers\nVARIABLE q\nFull == q = 2\nOver(n) == q > n\nFilled == <>Full\nRises == \\A n \\in {0, 1} : <>Over(n)\nOne == INSTANCE Cell WITH c <- q\nNested == <>One!Set",
		"Cell":  "EXTENDS Integers\nVARIABLE c\nSet == c # 0",
		"Grid":  "EXTENDS Integers\nCONSTANT k\nVARIABLE rows\nIn(i) == INSTANCE Queue WITH q <- rows[i + k]\nAll == \\A i \\in {1, 2} : In(i)!Filled",
		"Asked": "EXTENDS Integers\nVARIABLE s\nQ(i) == INSTANCE Queue WITH q <- s[i]\nG(k) == INSTANCE Grid WITH rows <- s\n" +
			"Plain == \\A i \\in {1, 2} : Q(i)!Filled /\\ Q(i)!Rises\nDeep == \\A k \\in {0, 1} : G(k)!All",
	} {
		write(t, filepath.Join(folder, name+".tla"), "---- MODULE "+name+" ----\n"+text+"\n====\n")
	}
	s, err := Load(t.Context(), filepath.Join(folder, "Asked.tla"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for property, want := range map[string][]string{
		"Plain": {"Q(1)!Full", "Q(1)!Over(0)", "Q(1)!Over(1)", "Q(2)!Full", "Q(2)!Over(0)", "Q(2)!Over(1)"},
		"Deep":  {"G(0)!In(1)!Full", "G(0)!In(2)!Full", "G(1)!In(1)!Full", "G(1)!In(2)!Full"},
	} {
		f, err := s.Property(property)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range predicatesOf(nil, f) {
			names = append(names, p.Name)
			again, err := s.State(p.Name)
			if err != nil {
				t.Errorf("%s: %v", p.Name, err)
				continue
			}
			for _, state := range []string{"<<0, 0, 2>>", "<<0, 2, 1>>", "<<2, 1, 0>>", "<<1, 2, 2>>"} {
				v := values.Parse(state)
				e := s.Evaluator(t.Context())
				holds, err := e.Holds(p, []values.Value{v}, nil, nil)
				other, failed := e.Holds(again, []values.Value{v}, nil, nil)
				if holds != other || err != nil || failed != nil {
					t.Errorf("%s in %s: %t and, by its name, %t (errors %v, %v)", p.Name, state, holds, other, err, failed)
				}
			}
		}
		slices.Sort(names)
		if !slices.Equal(names, want) {
			t.Errorf("%s: predicates %q, want %q", property, names, want)
		}
	}
}

// predicatesOf appends the predicates of a formula.
func predicatesOf(all []*Predicate, f *Formula) []*Predicate {
	if f.Operator == Holds {
		return append(all, f.Predicate)
	}
	for _, part := range f.Parts {
		all = predicatesOf(all, part)
	}
	return all
}
