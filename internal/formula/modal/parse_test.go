package modal_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/formulafile"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/mucalculus"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

var letters = []string{"a", "b", "c"}

// author writes random formulas of the fragment that is read.
type author struct {
	r     *rand.Rand
	isMCL bool
	vars  int
}

func (w *author) pick(all ...string) string { return all[w.r.IntN(len(all))] }

// either returns the first text in MCL, the second in mCRL2.
func (w *author) either(mcl, mu string) string {
	if w.isMCL {
		return mcl
	}
	return mu
}

func (w *author) action(depth int) string {
	l := w.pick(letters...)
	if depth == 0 || w.r.IntN(2) == 0 {
		return w.either(`"`+l+`"`, l)
	}
	switch w.r.IntN(4) {
	case 0:
		return "true"
	case 1:
		return "(" + w.action(depth-1) + w.either(" or ", " || ") + w.action(depth-1) + ")"
	case 2:
		return "(" + w.action(depth-1) + w.either(" and ", " && ") + w.action(depth-1) + ")"
	}
	return "(" + w.either("not ", "!") + w.action(depth-1) + ")"
}

func (w *author) run(depth int) string {
	if depth == 0 {
		return w.action(1)
	}
	switch w.r.IntN(6) {
	case 0:
		return "(" + w.run(depth-1) + " . " + w.run(depth-1) + ")"
	case 1:
		return "(" + w.run(depth-1) + w.either(" | ", " + ") + w.run(depth-1) + ")"
	case 2:
		return "(" + w.run(depth-1) + ")*"
	case 3:
		return "(" + w.run(depth-1) + ")?"
	}
	return w.action(1)
}

// state writes a formula; free are the variables that may stand in it, whose sign is the one
// of the fixpoints around.
func (w *author) state(depth int, free []string) string {
	and, or, not := w.either(" and ", " && "), w.either(" or ", " || "), w.either("not ", "!")
	if depth == 0 {
		if len(free) > 0 && w.r.IntN(3) > 0 {
			return w.pick(free...)
		}
		return w.pick("true", "false", "<true>true", "[true]false")
	}
	switch w.r.IntN(8) {
	case 0:
		return "(" + w.state(depth-1, free) + and + w.state(depth-1, free) + ")"
	case 1:
		return "(" + w.state(depth-1, free) + or + w.pick("<true>true", "[true]false") + ")"
	case 2, 3:
		name := fmt.Sprintf("X%d", w.vars)
		w.vars++
		// Another fixpoint that mentions no outer variable is of either kind.
		kind := w.pick("mu ", "nu ")
		return "(" + kind + name + " . (" + w.pick("<true>true", "true") + and + "[" + w.action(1) + "]" + name + and + w.state(depth-1, append([]string{name}, free...)) + "))"
	case 4:
		return "(" + not + "<" + w.run(1) + "> (" + not + w.state(depth-1, free) + "))"
	}
	return "[" + w.run(2) + "] " + w.state(depth-1, free)
}

func randomModel(t testing.TB, r *rand.Rand) *lts.LTS {
	t.Helper()
	n := 1 + r.IntN(5)
	var b lts.Builder
	for range r.IntN(2*n + 1) {
		b.Add(lts.State(r.IntN(n)), b.Label(letters[r.IntN(len(letters))]), lts.State(r.IntN(n)))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// violates asks the property of a formula whether a model has a run that it rejects.
func violates(t testing.TB, m *lts.LTS, f property.Formula) bool {
	t.Helper()
	p, _, err := f.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	_, violated := oracle.NewGeneral(m, fromproperty.Automaton(p)).Can(m.Initial(), int(p.Initial()))
	return violated
}

// TestFormulasAreWhatTheySay compares the verdict of random formulas, in either notation, with
// that of iteration over the states of random models; and so of what they are written as.
func TestFormulasAreWhatTheySay(t *testing.T) {
	cases := 6000
	if !randomlts.Whole() {
		cases = 600
	}
	verdicts, refused := map[bool]int{}, 0
	for seed := range cases {
		w := &author{r: rand.New(rand.NewPCG(uint64(seed), 1)), isMCL: seed%2 == 0}
		text := "[nil] " + w.state(3, nil)
		f, err := modal.Parse(context.Background(), text)
		if err != nil {
			// A fixpoint that depends on one of the other kind may be refused, and nothing else.
			if !strings.Contains(err.Error(), "of the other kind") {
				t.Fatalf("%s: %v", text, err)
			}
			refused++
			continue
		}
		again, err := modal.Parse(context.Background(), f.String())
		if _, is := f.(*modal.Formula); is && (err != nil || again.String() != f.String()) {
			t.Fatalf("%s is %s, which reads as %v, %v", text, f, again, err)
		}
		for range 4 {
			m := randomModel(t, w.r)
			holds, err := mucalculus.Holds(m, strings.TrimPrefix(text, "[nil] "))
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			for _, g := range []property.Formula{f, again} {
				if g != nil && holds == violates(t, m, g) {
					t.Fatalf("%s on %v: %t, and the property says %t", text, m, holds, !holds)
				}
			}
			verdicts[holds]++
		}
	}
	if verdicts[true] < cases || verdicts[false] < cases || refused > cases/4 {
		t.Errorf("holds, does not: %v; refused: %d", verdicts, refused)
	}
}

// TestKnownPatterns: what has the form of a pattern is that pattern.
func TestKnownPatterns(t *testing.T) {
	file := "% of mCRL2\nact a, b;\n form [true*.a]false;\n% the end\n"
	if f, err := modal.Parse(context.Background(), file); err != nil || f.String() != `Never("a")` {
		t.Errorf("%s is %v, %v", file, f, err)
	}
	for text, want := range map[string]string{
		`mu X . (< true > true and [ not "a" ] X)`:                                                      `Inev("a")`,
		`mu X . (<true>true && [!put(1, 2)]X && [put(1, 2)]mu Y . (<true>true && [!b]Y))`:               `Inev(put(1, 2), "b")`,
		`library actl.mcl end_library [ true* . "a" ] AU_A_B (true, true, "b", true)`:                   `Response("a"; "b")`,
		`library standard.mcl end_library NEVER (true* . "a")`:                                          `Never("a")`,
		`library standard.mcl end_library [ true* . "a" ] inevitable ("b" or "c")`:                      `Response("a"; {"b", "c"})`,
		`[true*.a]mu X . (<true>true && [!(b || c)]X)`:                                                  `Response("a"; {"b", "c"})`,
		`[ true* . 'REQ.*' . true* . "B" ] false`:                                                       `Never(/^REQ.*$/, "B")`,
		"([\n  true* . 'EXEC1' .\n  true* . 'EXEC2' .\n  true*\n] false\n)\n":                           `Never("EXEC1", "EXEC2")`,
		`[ true* . "A" . "B" . true* ] false`:                                                           `[ true* . "A" . "B" . true* ] false`,
		`[ true* ] < true > true`:                                                                       `DeadlockFree`,
		`mu X . (< true > true and [ not ("PUT" or ('PUT[ (].*' and not 'PUT(.*)|.*')) ] X)`:            `Inev(PUT)`,
		`mu X . (< true > true and [ not ("P.T" or ('P[.]T[ (].*' and not 'P[.]T(.*)|.*') or "x") ] X)`: `Inev({P.T, "x"})`,
		"(* of CADP *)\nmacro INEVITABLE (A) =\n  mu X . (< true > true and [ not (A) ] X)\nend_macro\n\n[ true* . \"REQ\" ] INEVITABLE (\"ACK\" or \"NACK\")\n": `Response("REQ"; {"ACK", "NACK"})`,
		`macro INEV (A, F) = mu X . (< true > true and [ not (A) ] X and [ A ] F) end_macro INEV ("PUT", INEV ("GET", INEV ("x", true)))`:                        `Inev("PUT", "GET", "x")`,
		`macro TWICE (A) = A . A end_macro [ TWICE (TWICE ("a")) ] false`:                                                                                        `[ "a" . "a" . "a" . "a" ] false`,
		`[ true* . "a" ] -|`: `FG !"a"`, `mu X . [ true* . ("a" or "b") ] X`: `FG !{"a", "b"}`,
		`[a|b(1)] false`: `[a|b(1)] false`,
		"macro SAFE() = [ true* . {PUT !1} . \"x\" ] false end_macro SAFE": `[ true* . {PUT !1} . "x" ] false`,
		"% of mCRL2\n[true*.a+b]false":                                     `[true*.a+b]false`,
		`not < true* . "a" . "a" > true`:                                   `not < true* . "a" . "a" > true`,
		"(* nothing *) macro T = true end_macro T and true":                `[ nil ] (true and true)`,
	} {
		f, err := modal.Parse(context.Background(), text)
		if err != nil || f.String() != want {
			t.Errorf("%s is %v, %v; want %s", text, f, err, want)
		}
		if err == nil && !modal.Begins(text) {
			t.Errorf("%s does not begin like a formula", text)
		}
	}
}

// TestRefusals: what is no property of all runs, or not read, is named by its place.
func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		`form [a]false; form [b]false`:                `column 16: expected the end of the file behind the formula`,
		"glob n: Nat; form [a]false;":                 `column 6: expected types as sort S = struct a | b(n: Nat), and functions by map, var and eqn`,
		`mu X . val(0) || [a](val(1) + X)`:            `column 29: expected a formula that is true or false; formulas whose values are numbers, by sup, inf, sum, val(N) and arithmetic on them, are not evaluated`,
		`sup s: S . <r(s)> val(s)`:                    `column 1: expected a formula that is true or false; formulas whose values are numbers, by sup, inf, sum, val(N) and arithmetic on them, are not evaluated`,
		`exists n: Nat . <r(n)> val(n / 2 == 1)`:      `column 30: expected numbers without fractions; real numbers are not evaluated; div is the quotient of whole numbers`,
		`forall b: Bag(Nat) . [r(b)] false`:           `column 11: expected a type whose values can be listed; numbers, bool, strings, types of constants, and lists and sets of them can`,
		`[ true* ] < "a" > true`:                      `column 11: expected a formula about all runs; inev ctl answers the formula as AG <"a"> true`,
		`[ (not "A")* ] (< (not "A")* . "A" > true)`:  `column 17: expected a formula about all runs; this is Inev("A") on runs that are fully fair`,
		`[ "a" ] false or [ "b" ] false`:              `column 15: expected a formula about all runs; inev ctl answers the formula as (["a"] false || ["b"] false)`,
		`not ([ "a" ] false and [ "b" ] false)`:       `column 6: expected a formula about all runs, as its negation is; inev check and inev ctl answer the formula`,
		`nu X . ([ "a" ] X and < "b" > X)`:            `column 23: expected a formula about all runs; inev ctl answers the formula`,
		`nu X . mu Y . ([ "a" ] X and [ not "a" ] Y)`: `column 8: expected fixpoints`,
		`mu X . [ "a"* ] X`:                           `column 13: expected fixpoints`,
		`[ step1 . "a" ] false`:                       `column 3: expected an action of MCL`,
		`INEVITABLE ("a")`:                            `column 1: expected a formula; INEVITABLE is a macro`,
		`[ "a" ] INEVITABLE ("a")`:                    `column 9: expected a formula; INEVITABLE is a macro`,
		`library other.mcl end_library [ "a" ] false`: `column 9: expected a library that can be read (there are no files here; write its macros where it is named)`,
		`library a.mcl [ "a" ] false`:                 `expected end_library`,
		`macro A (X) = A (X) end_macro A ("a")`:       `column 15: expected a formula; A is a macro`,
		`mu X . ([ not "a" ] X) and [ "b" ] false`:    `column 24: expected parentheses around the fixpoint mu X`,
		`[ "a" ] X`:                                 `column 9: expected a formula; X is a macro or variable`,
		`mu X . not [ "a" ] X`:                      `column 12: expected a formula about all runs`,
		`mu X . [ "a" ] not X`:                      `column 20: expected a fixpoint variable under an even number`,
		`[ not ("a" . "b") ] false`:                 `column 3: expected an action formula behind it`,
		`[ "a" and ("a" | "b") ] false`:             `column 7: expected action formulas on both sides`,
		`[ "a" ] @`:                                 `column 9: expected [ R ] -|, that no run repeats R forever`,
		`< "a" > -|`:                                `column 9: expected < R > @, that some run repeats R forever`,
		`< "a" > @ and true`:                        `column 1: expected a formula about all runs`,
		`[ "a"{3 ... 2} ] false`:                    `column 6: expected numbers of times, as in {2}, {2 ...} or {1 ... 3}`,
		`[ "a"{n} ] false`:                          `column 6: expected numbers of times`,
		`[ ("a"{900}){900} ] false`:                 `column 13: expected expressions that are repeated at most 4096 times in all`,
		`[ {} ] false`:                              `{PUT ...} has any offers`,
		`macro nil (X) = X end_macro [ "a" ] false`: `column 7: expected the name of a macro`,
		`[ 'a[' ] false`:                            `column 3: expected a UNIX regular expression: "[" is not closed`,
		`[ {PUT ?n:nat} | "b" ] (2 <= n)`:           `column 30: expected a variable that is in scope here; n is bound where it is out of reach`,
		`<a @ 3> true`:                              `column 4: expected an action formula without time`,
		`[ true . "PUT !\"a\"" ] false`:             `column 10: expected a label without "\", which versions of MCL read differently; write it as a 'regular expression', in which a quote stands for itself: 'PUT !"a"'`,
		`[ "\PUT" ] false`:                          `column 3: expected a label without "\"`,
		`[ "a`:                                      `expected the """ that ends`,
		`[ [ "a" ] ] false`:                         `weak modalities`,
		`(* no end [ "a" ] false`:                   `expected "*)"`,
	} {
		_, err := modal.Parse(context.Background(), text)
		var syntax *actl.SyntaxError
		column, words, placed := strings.Cut(want, ": ")
		if !placed {
			column, words = "column", want
		}
		if !errors.As(err, &syntax) || !strings.Contains(wordsOf(syntax), words) || !strings.Contains(err.Error(), "("+column) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// wordsOf returns what an error expects, and its hint.
func wordsOf(e *actl.SyntaxError) string {
	words := "expected " + e.Expected
	if e.Hint != "" {
		words += "; " + e.Hint
	}
	return words
}

// TestUNIXExpressions: regular expressions of UNIX match whole labels.
func TestUNIXExpressions(t *testing.T) {
	for source, labels := range map[string]map[string]bool{
		`PUT.*`:     {"PUT": true, "PUT !1": true, "xPUT": false},
		`a[.]b`:     {"a.b": true, "axb": false},
		`[]x]*`:     {"]x": true, "": true, "a": false},
		`[^]x]`:     {"a": true, "]": false},
		`a+b|(c)`:   {"a+b|(c)": true, "aab": false},
		`\(ab\)*c`:  {"ababc": true, "c": true, "abab": false},
		`a\{2,3\}`:  {"aa": true, "aaaa": false},
		`*a`:        {"*a": true},
		`^a$`:       {"a": true, "^a$": false},
		`a^b$c`:     {"a^b$c": true},
		`a[$]\.[*]`: {"a$.*": true, "a$x*": false},
		`x/y`:       {"x/y": true, "x": false},
		`[a-c-]`:    {"b": true, "-": true, "d": false},
		`[\]`:       {`\`: true},
	} {
		f, err := modal.Parse(context.Background(), "[ '"+source+"' . '"+source+"' ] false")
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		for label, want := range labels {
			if got := f.(*modal.Formula).Atoms()[0].Matches(label); got != want {
				t.Errorf("%s matches %q: %t", source, label, got)
			}
		}
	}
}

// TestLibraries: macros come from libraries, each read once, which may name others; errors are told where
// they are.
func TestLibraries(t *testing.T) {
	files := map[string]string{
		"standard.mcl": "(* of all *)\nlibrary base.mcl end_library\nmacro RESPONSE (A, B) = [ true* . A ] INEV (B) end_macro\n",
		"base.mcl":     "library \"standard.mcl\" end_library macro INEV (A) =\n  mu X . (< true > true and [ not (A) ] X)\nend_macro",
		"wrong.mcl":    "macro M =\n  [ A ] true\nend_macro",
		"formula.mcl":  "\n[ true ] false",
		"open.mcl":     "macro M =\n\n",
	}
	ctx := modal.WithLibraries(context.Background(), func(name string) (string, error) {
		text, is := files[name]
		if !is {
			return "", errors.New("it is not there")
		}
		return text, nil
	})
	for text, want := range map[string]string{
		`library standard.mcl end_library RESPONSE ("a", "b")`:                `Response("a"; "b")`,
		"library standard.mcl, base.mcl\n\tbase.mcl end_library INEV (\"a\")": `Inev("a")`,
		"library \"base.mcl\" end_library\nINEV (\"a\")":                      `Inev("a")`,
		"library base.mcl other.mcl end_library INEV (\"a\")":                 `f:1: expected a library that can be read (it is not there), found "other.mcl" (column 18)`,
		`library wrong.mcl end_library [ "a" ] M`:                             `wrong.mcl:2: expected an action of MCL, as in "A", found "A" (column 5); without quotes it is a macro, and none of this name is defined here`,
		`library formula.mcl end_library true`:                                `formula.mcl:2: expected a macro, or the end of the library, found "[" (column 1)`,
		`library open.mcl end_library true`:                                   `open.mcl:1: expected end_macro, found end of formula (column 10)`,
		"library base.mcl end_library\nINEV (\"a\", \"b\")":                   `f:2: expected INEV with 1 argument in parentheses, not 2, found "INEV" (column 1)`,
		"library base.mcl end_library\nINEV":                                  `f:2: expected INEV with 1 argument in parentheses, found "INEV" (column 1)`,
	} {
		f, err := formulafile.Parse("f", []byte(text), func(text string) (property.Formula, error) { return modal.Parse(ctx, text) })
		got := fmt.Sprint(f)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// FuzzParse: what is read is written as something that reads the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`mu X . (< true > true and [ not "a" ] X)`, `[true*.a+b]false`, `macro M (A) = [ A ] false end_macro M ('x.*')`,
		`nu X . ([a(1)|b] X && (<true>true || [true]false))`, `not < {PUT !1 ...}? > true`, `(* c *) [ nil | "a"+ ] true`, `[ ("a" . true{1 ... 3}){2 ...} ] -|`, `not < "a"{2} > @`, `macro M (A) = [ A ] M2 end_macro macro M2 = true end_macro M (M2 . M2)`,
		`sort D = struct a | b(n: Nat)?is_b; S = List(D); map f: Nat -> Nat; N: Nat; var n: Nat; eqn N = 2; f(0) = 1; n > 0 -> f(n) = f(Int2Nat(n - 1)); form forall n: Nat. [a(n)] val(n <= N && f(n) == 1 && is_b(b(n)))`,
		`nu X(s: Set(Nat) = {n: Nat | n < 3}, q: List(Nat) = []) . forall n: Nat . [a(n)] (val(!(n in s) || #q == 2) && X(s + {n}, (n |> q) ++ [1]))`,
		`[{PUT ?n:nat where n > 1}] let m:nat := n in if m = 1 then true else false end if end let`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := modal.Parse(context.Background(), text)
		if err != nil {
			return
		}
		a, err := lts.NewAlphabet([]string{"a", "b", "PUT !1", "a(1)"})
		if err != nil {
			t.Fatal(err)
		}
		if _, isData := p.(*modal.DataFormula); isData {
			again, err := modal.Parse(context.Background(), p.String())
			if err != nil || again.String() != p.String() {
				t.Fatalf("%q is %q, which reads as %v, %v", text, p, again, err)
			}
			ctx, stop := context.WithTimeout(context.Background(), time.Second)
			defer stop()
			began := time.Now()
			_, _, _ = p.Bind(ctx, a)
			if time.Since(began) > 10*time.Second {
				t.Fatalf("%q: binding does not stop", text)
			}
			return
		}
		read, is := p.(*modal.Formula)
		if !is {
			return
		}
		again, err := modal.Parse(context.Background(), read.String())
		if err != nil || again.String() != read.String() {
			t.Fatalf("%q is %q, which reads as %v, %v", text, read, again, err)
		}
		if len(text) < 200 {
			_, _, _ = read.Bind(context.Background(), a)
		}
	})
}
