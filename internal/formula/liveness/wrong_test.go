package liveness_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/formula/liveness"
)

const twoStates = `strict digraph DiskGraph {
subgraph cluster_graph {
color="white";
1 [label="/\\ x = 0\n/\\ f = <<1, 2>>",style = filled]
1 -> 2 [label="Up"];
2 [label="/\\ x = 1\n/\\ f = <<1, 2>>"]
}
}
`

// TestWrongSpecifications: what is wrong is told in one line, with its file and line, and what to do.
func TestWrongSpecifications(t *testing.T) {
	const head = "---- MODULE Random ----\nEXTENDS Integers, Sequences\nVARIABLES x, f\nvars == <<x, f>>\n"
	for _, c := range []struct{ name, module, config, want string }{
		{"no module", "x == 1\n", "PROPERTY P\n", "Random.tla:1: expected ---- MODULE Random ----"},
		{"another name", "---- MODULE Other ----\n====\n", "PROPERTY P\n", "Random.tla:1: the file of module Random begins module Other"},
		{"not ended", head + "P == <>(x = 1)\n", "PROPERTY P\n", "Random.tla:6: module Random is not ended by ===="},
		{"unknown name", head + "P == <>(y = 1)\n====\n", "PROPERTY P\n", "Random.tla:5: y is not defined; the closest names are P and f"},
		{"unknown property", head + "====\n", "PROPERTY Q\n", "Random.cfg:1: Q is not defined; the closest names are f and x"},
		{"unknown specification", head + "P == <>(x = 1)\n====\n", "SPECIFICATION Spce\nPROPERTY P\n", "Random.cfg:1: Spce is not defined; the closest names are P and Seq"},
		{"arity", head + "A(n) == n\nP == <>(A(1, 2) = x)\n====\n", "PROPERTY P\n", "Random.tla:6: A takes 1 argument, found 2"},
		{"arity of a built-in operator", head + "P == <>(Len(f, f) = x)\n====\n", "PROPERTY P\n", "Random.tla:5: Len takes 1 argument, found 2"},
		{"cycle", head + "A == B\nB == A\nP == <>A\n====\n", "PROPERTY P\n", "Random.tla:6: A is defined by itself; declare RECURSIVE A if that is meant"},
		{"twice", head + "A == 1\nA == 2\nP == <>(x = A)\n====\n", "PROPERTY P\n", "Random.tla:6: A is defined twice: see line 5"},
		{"constant", head + "CONSTANT N\nP == <>(x = N)\n====\n", "PROPERTY P\n", "Random.tla:6: the constant N has no value: give it one in the configuration (CONSTANT N = …)"},
		{"replaced by nothing", head + "CONSTANT N\nP == <>(x = N)\n====\n", "CONSTANT N <- M\nPROPERTY P\n", "Random.cfg:1: the configuration replaces N by M, which is not defined"},
		{"replaced in no module", head + "P == <>(x = 1)\nFew == 0..1\n====\n", "CONSTANT Nat <- [Numbers] Few\nPROPERTY P\n", "Random.cfg:1: there is no module Numbers: write the name of one that the specification extends, or leave [Numbers] out"},
		{"choice", head + "P == <>(x = CHOOSE n \\in {1} : n > 1)\n====\n", "PROPERTY P\n", "Random.tla:5: CHOOSE n \\in {1} : n > 1: no member of the set satisfies the condition (where x = 0, f = <<1, 2>>)"},
		{"unbounded choice", head + "P == <>(x = CHOOSE n : n > 1)\n====\n", "PROPERTY P\n", "Random.tla:5: CHOOSE n : n > 1 chooses among everything, which has no value; replace the definition in the configuration, as TLC needs it, too (where x = 0, f = <<1, 2>>)"},
		{"unbounded quantifier", head + "P == <>(\\E n : n = x)\n====\n", "PROPERTY P\n", "Random.tla:5: \\E n : n = x ranges over everything, and TLC evaluates quantifiers over sets alone; give its names sets (where x = 0, f = <<1, 2>>)"},
		{"module that is not there", "---- MODULE Random ----\nEXTENDS Integers, Bits\nVARIABLES x, f\nP == <>(Xor(x, 1) = 1)\n====\n", "PROPERTY P\n", "Random.tla:4: Xor is not defined: module Bits is not there, which line 2 extends; put Bits.tla next to it, name its folder, or name by TLA2TOOLS the jar that has it"},
		{"instance that is not there", head + "I == INSTANCE Channel\nP == <>(I!Sent)\n====\n", "PROPERTY P\n", "Random.tla:5: module Channel is not there: put Channel.tla next to the specification, name its folder, or name by TLA2TOOLS the jar that has it"},
		{"no instance", head + "I == 1\nP == <>(I!Sent)\n====\n", "PROPERTY P\n", "Random.tla:6: I in I!Sent is no instance of a module, and has no part Sent outside of quantifiers"},
		{"domain", head + "P == <>(f[3] = 1)\n====\n", "PROPERTY P\n", "Random.tla:5: f[3]: 3 is not in the domain of f, which is <<1, 2>> (where x = 0, f = <<1, 2>>)"},
		{"field", head + "P == <>(f.a = 1)\n====\n", "PROPERTY P\n", "Random.tla:5: f.a: \"a\" is not in the domain of f, which is <<1, 2>> (where x = 0, f = <<1, 2>>)"},
		{"no function", head + "P == <>(x[1] = 1)\n====\n", "PROPERTY P\n", "Random.tla:5: x[1]: x is no function, but a number: 0 (where x = 0, f = <<1, 2>>)"},
		{"kinds", head + "P == <>(x = \"a\")\n====\n", "PROPERTY P\n", "Random.tla:5: x = \"a\" compares 0, a number, with \"a\", a string (where x = 0, f = <<1, 2>>)"},
		{"no truth", head + "P == <>(x + 1)\n====\n", "PROPERTY P\n", "Random.tla:5: x + 1 must be true or false, but is a number: 1 (where x = 0, f = <<1, 2>>)"},
		{"a condition in braces", head + "P == <>{x = 3}\n====\n", "PROPERTY P\n", "Random.tla:5: {x = 3} must be true or false, but is a set: {FALSE}; braces make a set: write x = 3 (where x = 0, f = <<1, 2>>)"},
		{"no number", head + "P == <>(f > 1)\n====\n", "PROPERTY P\n", "Random.tla:5: f must be a number, but is a sequence: <<1, 2>> (where x = 0, f = <<1, 2>>)"},
		{"no set", head + "P == <>(1 \\in x)\n====\n", "PROPERTY P\n", "Random.tla:5: x must be a set, but is a number: 0 (where x = 0, f = <<1, 2>>)"},
		{"infinite", head + "P == <>(\\E n \\in Nat : n = x)\n====\n", "PROPERTY P\n", "Random.tla:5: the members of Nat are infinitely many; put a finite set in its place, as TLC needs one, too (where x = 0, f = <<1, 2>>)"},
		{"as TLC runs", "---- MODULE Random ----\nEXTENDS TLC\nVARIABLES x, f\nP == <>(x = RandomElement({1}))\n====\n", "PROPERTY P\n", "Random.tla:4: RandomElement depends on how TLC runs, and has no value in a graph; put a definition of yours in its place in the configuration (CONSTANT RandomElement <- Mine)"},
		{"an invariant about runs", head + "P == <>(x = 1)\n====\n", "INVARIANT P\n", "Random.cfg:1: P is about runs, and TLC takes no such INVARIANT: make it a PROPERTY"},
		{"no symmetry", head + "P == <>(x = 1)\n====\n", "SYMMETRY Perms\nPROPERTY P\n", "Random.cfg:1: SYMMETRY names Perms, which is no definition; the closest names are vars and Head"},
		{"a misspelt view", head + "Shown == x\nP == <>(x = 1)\n====\n", "PROPERTY P\nVIEW Show\n", "Random.cfg:2: VIEW names Show, which is no definition; the closest names are Shown and Seq"},
		{"no next state", head + "Init == x = 0\nP == <>(x = 1)\n====\n", "INIT Init\nNEXT Next\nPROPERTY P\n", "Random.cfg:2: NEXT names Next, which is no definition; the closest names are Nat and Head"},
		{"an action as specification", head + "Next == x' = 1\nP == <>(x = 1)\n====\n", "SPECIFICATION Next\nPROPERTY P\n", "Random.cfg:1: Next is about a step, and no SPECIFICATION: name a definition such as Spec == Init /\\ [][Next]_vars, or write INIT and NEXT"},
		{"an equation", head + "P = <>(x = 1)\n====\n", "PROPERTY P\n", "Random.cfg:1: P is not defined; line 5 has = where a definition has =="},
		{"PlusCal alone", "---- MODULE Random ----\nEXTENDS Integers\n(* --algorithm a\nvariables x = 0;\nbegin L: x := 1; end algorithm; *)\nP == <>(x = 1)\n====\n", "PROPERTY P\n", "Random.tla:6: x is not defined; the algorithm in PlusCal is not translated: translate it first, as by java -cp tla2tools.jar pcal.trans Random.tla"},
		{"statement", head + "P == <>(x = 1)\n====\n", "SPECIFICATION Spec\nPROPERTYS P\n", "Random.cfg:2: PROPERTYS is no statement of a configuration; the closest is PROPERTY"},
		{"statement after a constant", head + "CONSTANT N\nP == <>(x = N)\n====\n", "CONSTANT N = 1\nSPECIFICATON Spec\nPROPERTY P\n", "Random.cfg:2: SPECIFICATON is no statement of a configuration; the closest is SPECIFICATION"},
		{"a constant by an expression", head + "CONSTANT N\nP == <>(x = N)\n====\n", "CONSTANT N = 1 + 1\nPROPERTY P\n", "Random.cfg:1: expected a statement such as SPECIFICATION, PROPERTY or CONSTANT, found +; for an expression, define a name in the module, and write CONSTANT NAME <- Defined"},
		{"a property by an expression", head + "P == <>(x = 1)\n====\n", "PROPERTY P <>(x = 1)\n", "Random.cfg:1: expected a statement such as SPECIFICATION, PROPERTY or CONSTANT, found <>; PROPERTY takes names of definitions: for an expression, define a name in the module"},
		{"by zero", head + "P == <>(1 \\div x = 1)\n====\n", "PROPERTY P\n", "Random.tla:5: 1 \\div x divides by 0 (where x = 0, f = <<1, 2>>)"},
		{"empty", head + "P == <>(Head(<<>>) = 1)\n====\n", "PROPERTY P\n", "Random.tla:5: Head(<<>>): <<>> is empty"},
		{"without end", head + "RECURSIVE R(_)\nR(n) == R(n + 1)\nP == <>(R(1) = 1)\n====\n", "PROPERTY P\n", "Random.tla:6: R(n + 1) goes on forever, or deeper than 10000 calls"},
		{"conflict", head + "P == <>(x = 1 => x = 0 => x = 1)\n====\n", "PROPERTY P\n", "Random.tla:5: precedence conflict between => and =>: put parentheses around one of them"},
		{"parenthesis", head + "P == <>((x = 1)\n====\n", "PROPERTY P\n", "Random.tla:6: expected ), found the end"},
		{"string", head + "P == <>(x = \"a)\n====\n", "PROPERTY P\n", "Random.tla:5: this string is not closed by \""},
		{"comment", head + "(* P == <>(x = 1)\n====\n", "PROPERTY P\n", "Random.tla:5: this comment is not closed by *)"},
		{"action as a state", head + "P == <>(x' = 1)\n====\n", "PROPERTY P\n", "Random.tla:5: x' = 1 is about a step, and stands in a formula about runs: write [][A]_v or <><<A>>_v"},
		{"primed twice", head + "P == [][x'' = 1]_x\n====\n", "PROPERTY P\n", "Random.tla:5: x'' is primed twice"},
		{"fairness in an action", head + "P == [][WF_x(x' = 1)]_x\n====\n", "PROPERTY P\n", "Random.tla:5: [WF_x(x' = 1)]_x is about an action, but WF_x(x' = 1) is a formula about runs"},
		{"quantifier over a state", head + "P == \\A n \\in 0..x : <>(x = n)\n====\n", "PROPERTY P\n", "Random.tla:5: 0..x depends on the state, and a quantifier over formulas about runs needs a constant set"},
		{"quantifier over runs", head + "P == \\EE n : <>(x = n)\n====\n", "PROPERTY P\n", "Random.tla:5: \\EE hides variables of behaviours; TLC does not check such formulas either"},
		{"variable", "---- MODULE Random ----\nVARIABLES x, z\nP == <>(z = 1)\n====\n", "PROPERTY P\n", "the specification has a variable z, but the graph has no values of it: it was written for another specification, or for another version of this one"},
		{"statement", head + "P == <>(x = 1)\n====\n", "PROPERTIE P\n", "Random.cfg:1: PROPERTIE is no statement of a configuration; the closest is PROPERTIES"},
		{"statement after a truth value", head + "P == <>(x = 1)\n====\n", "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE P\n", "Random.cfg:2: expected a statement such as SPECIFICATION, PROPERTY or CONSTANT, found P"},
		{"neither true nor false", head + "P == <>(x = 1)\n====\n", "SPECIFICATION Spec\nPROPERTY P\nCHECK_DEADLOCK MAYBE\n", "Random.cfg:3: CHECK_DEADLOCK takes TRUE or FALSE, found MAYBE"},
		{"no truth value", head + "P == <>(x = 1)\n====\n", "SPECIFICATION Spec\nPROPERTY P\nCHECK_DEADLOCK", "Random.cfg:3: CHECK_DEADLOCK takes TRUE or FALSE, found the end"},
		{"INIT alone", head + "P == <>(x = 1)\n====\n", "INIT Init\nPROPERTY P\n", "Random.cfg:1: INIT Init needs a NEXT: write NEXT with the next-state relation, or SPECIFICATION in place of both"},
		{"NEXT alone", head + "P == <>(x = 1)\n====\n", "PROPERTY P\nNEXT Next\n", "Random.cfg:2: NEXT Next needs an INIT: write INIT with the initial predicate, or SPECIFICATION in place of both"},
		{"a comma between properties", head + "P == <>(x = 1)\n====\n", "SPECIFICATION Spec\nPROPERTIES P, P\n", "Random.cfg:2: a comma stands between items of the configuration, where TLC takes none: leave it out"},
		{"a comma between constants", head + "P == <>(x = 1)\n====\n", "SPECIFICATION Spec\nCONSTANTS M = 1,\nN = 2\nPROPERTY P\n", "Random.cfg:2: a comma stands between items of the configuration, where TLC takes none: leave it out"},
		{"a negative number", head + "P == <>(x = 1)\n====\n", "SPECIFICATION Spec\nPROPERTY P\nCONSTANT N = -1\n", "Random.cfg:3: TLC takes no negative number here: define a name in the module, as in Low == -1, and write CONSTANT NAME <- Low"},
		{"two specifications", head + "P == <>(x = 1)\n====\n", "SPECIFICATION A B\nPROPERTY P\n", "Random.cfg:1: SPECIFICATION takes one name, found 2"},
		{"value", head + "CONSTANT N\nP == <>(x = N)\n====\n", "CONSTANT N = )\nPROPERTY P\n", "Random.cfg:1: expected a value: a number, a string, a name or a set of these"},
		{"constraint", head + "P == <>(x = 1)\n====\n", "CONSTRAINT C\nPROPERTY P\n", "Random.cfg:1: C is not defined; the closest names are P and f"},
		{"constraint of steps", head + "C == x' = x\nP == <>(x = 1)\n====\n", "CONSTRAINT C\nPROPERTY P\n", "Random.cfg:1: CONSTRAINT C is about a step; make it an ACTION_CONSTRAINT, or write it without primes"},
		{"no property", head + "P == <>(x = 1)\n====\n", "", "there is no property: the configuration names none as PROPERTY or INVARIANT, so that TLC checks nothing; name a definition, or give a formula"},
		{"an empty list of properties", head + "P == <>(x = 1)\n====\n", "PROPERTIES\n\\* P\n", "there is no property: the configuration names none as PROPERTY or INVARIANT, so that TLC checks nothing; name a definition, or give a formula"},
		{"a string as a model value", head + "CONSTANT C\nG == [c \\in C |-> 1]\nP == <>(G[\"c1\"] = 1)\n====\n", "CONSTANT C = {c1}\nPROPERTY P\n", "Random.tla:7: G[\"c1\"]: \"c1\" is not in the domain of G, which is (c1 :> 1); the model value c1, without quotes, is in it"},
		{"a variable with parentheses", head + "P == <>(f(1) = 1)\n====\n", "PROPERTY P\n", "Random.tla:5: the variable f takes no arguments; a function is applied by brackets, as in f[1]"},
		{"a definition with brackets", head + "Q(n) == x = n\nP == <>Q[1]\n====\n", "PROPERTY P\n", "Random.tla:6: Q takes 1 argument, found 0; write Q(n)"},
		{"a string without quotes", head + "Q == \"up\"\nP == <>(Q = up)\n====\n", "PROPERTY P\n", "Random.tla:6: up is not defined; if a string is meant, write \"up\""},
		{"or", head + "P == <>(x = 1 or x = 2)\n====\n", "PROPERTY P\n", "Random.tla:5: expected ), found or; TLA+ writes \\/ for or"},
		{"not", head + "P == <>(not (x = 1) /\\ TRUE)\n====\n", "PROPERTY P\n", "Random.tla:5: not is not defined; TLA+ writes ~ for not"},
		{"&&", head + "P == <>(x % 2 = 1 && TRUE)\n====\n", "PROPERTY P\n", "Random.tla:5: && is not defined; TLA+ writes /\\ for &&"},
		{"&& between equations", head + "P == <>(x = 1 && x > 0)\n====\n", "PROPERTY P\n", "Random.tla:5: precedence conflict between = and >: put parentheses around one of them; TLA+ writes /\\ for &&"},
		{"|| between equations", head + "P == <>(x = 1 || x = 0)\n====\n", "PROPERTY P\n", "Random.tla:5: precedence conflict between = and =: put parentheses around one of them; TLA+ writes \\/ for ||"},
		{"!=", head + "P == <>(x != 1)\n====\n", "PROPERTY P\n", "Random.tla:5: expected ), found 1; TLA+ writes # for !="},
		{"<>", head + "P == <>(x <> 1)\n====\n", "PROPERTY P\n", "Random.tla:5: expected ), found <>; TLA+ writes # for <>"},
		{"!", head + "P == <>(!(x = 1))\n====\n", "PROPERTY P\n", "Random.tla:5: expected an expression, found !; TLA+ writes ~ for !"},
		{"==", head + "P == <>(x == 1)\n====\n", "PROPERTY P\n", "Random.tla:5: expected an expression, found the end; TLA+ writes = for =="},
		{"a definition on the next line", head + "P == <>(\nQ == 1\n====\n", "PROPERTY P\n", "Random.tla:6: expected an expression, found the end"},
		{"== after a prime", head + "P == [][x' == 1]_x\n====\n", "PROPERTY P\n", "Random.tla:5: expected an expression, found the end; TLA+ writes = for =="},
		{"if", head + "P == <>(if x = 1 THEN TRUE ELSE FALSE)\n====\n", "PROPERTY P\n", "Random.tla:5: expected ), found x; TLA+ writes IF for if"},
		{"a string in single quotes", head + "P == <>(x = 'a')\n====\n", "PROPERTY P\n", "Random.tla:5: expected an expression, found '; TLA+ writes \" for '"},
		{"assertion", head + "P == <>(Assert(x = 0, \"no\"))\n====\n", "PROPERTY P\n", "Random.tla:5: Assert(x = 0, \"no\"): the assertion fails: \"no\" (where x = 1, f = <<1, 2>>)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			write(t, folder, "Random.tla", c.module)
			write(t, folder, "Random.cfg", c.config)
			err := asked(folder)
			if err == nil {
				t.Fatal("nothing is wrong")
			}
			said := strings.ReplaceAll(err.Error(), folder+string(filepath.Separator), "")
			if said != c.want {
				t.Errorf("\n got %s\nwant %s", said, c.want)
			}
		})
	}
}

// TestInvariantByName: a name that the configuration has under INVARIANT alone is about all states.
func TestInvariantByName(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{"SPECIFICATION Spec\nINVARIANT Low\n", "[]Low"},
		{"SPECIFICATION Spec\nPROPERTY Low\n", "Low"},
		{"SPECIFICATION Spec\nPROPERTY Low\nINVARIANT Low\n", "Low"},
		{"SPECIFICATION Spec\nINVARIANT Other\n", "Low"},
	} {
		folder := t.TempDir()
		write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Naturals\nVARIABLE x\nSpec == x = 0 /\\ [][x' = x + 1]_x\nLow == x < 1\nOther == x < 2\n====\n")
		write(t, folder, "Random.cfg", c.config)
		s, err := liveness.Load(context.Background(), filepath.Join(folder, "Random.tla"), filepath.Join(folder, "Random.cfg"), nil)
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Instances(context.Background(), "Low")
		if err != nil || len(all) != 1 || all[0].Name != c.want {
			t.Errorf("%s: %v, %v; want %s", c.config, all, err, c.want)
		}
	}
}

// asked asks for all properties of Random.tla.
func asked(folder string) error {
	ctx := context.Background()
	s, err := liveness.Load(ctx, filepath.Join(folder, "Random.tla"), filepath.Join(folder, "Random.cfg"), nil)
	if err != nil {
		return err
	}
	instances, err := s.Instances(ctx)
	if err != nil {
		return err
	}
	m, _, err := format.Read(ctx, strings.NewReader(twoStates), format.Options{Name: "Random.dot", States: true})
	if err != nil {
		return err
	}
	g, err := s.On(ctx, m.LTS, m.States, false)
	if err != nil {
		return err
	}
	for _, i := range instances {
		if _, err := g.Ask(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// TestPropertiesCountOnce: a property that a configuration names several times is one property.
func TestPropertiesCountOnce(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Random.tla", "---- MODULE Random ----\nVARIABLE x\nP == <>(x = 1)\nI == x < 2\n====\n")
	write(t, folder, "Random.cfg", "PROPERTY P P\nPROPERTIES P\nINVARIANT I I\n")
	s, err := liveness.Load(t.Context(), filepath.Join(folder, "Random.tla"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Properties()
	if err != nil || strings.Join(all, " ") != "P []I" {
		t.Errorf("properties %q, error %v", all, err)
	}
}

// TestUnreadableValues: a text in a graph that denotes no value is no model value, which would differ from all other values.
func TestUnreadableValues(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers, Sequences\nVARIABLES x, f\nSpec == [][x' # x]_<<x, f>>\n====\n")
	for _, text := range []string{"<<1, 2", "<<1, >>", "{1, 2", "1.5", "a b", "[a |-> 1", "<<1 2>>", "[n \\\\in Nat |-> n]"} {
		write(t, folder, "Random.dot", strings.ReplaceAll(twoStates, "<<1, 2>>", text))
		told := toldAbout(t, folder, "<>(f = <<1>>)")
		shown := strings.ReplaceAll(text, `\\`, `\`)
		if want := "f = <<1>> compares " + shown + ", which is no value of TLA+"; !strings.Contains(told, want) {
			t.Errorf("%s: %q lacks %q", text, told, want)
		}
		if told := toldAbout(t, folder, "<>(x = 1)"); strings.Contains(told, "no value") {
			t.Errorf("%s: %s", text, told)
		}
	}
	write(t, folder, "Random.dot", strings.ReplaceAll(twoStates, "<<1, 2>>", "none_1"))
	if told := toldAbout(t, folder, "<>(f = <<1>>)"); strings.Contains(told, "no value") {
		t.Error(told)
	}
}
