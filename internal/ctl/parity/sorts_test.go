package parity_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/ctl/parity"
	"github.com/inev-lts/inev/internal/formula/modal"
	oracle "github.com/inev-lts/inev/internal/testing/oracle/mucalculus"
	"github.com/inev-lts/inev/lts"
)

// inMCL turns a formula of mCRL2 into one of MCL, which the oracle reads with arguments.
var inMCL = strings.NewReplacer("&&", "and", "||", "or", "!", "not ", "r(a)", `"r(a)"`, "r(b)", `"r(b)"`, "r(absent)", `"r(absent)"`,
	"s(a)", `"s(a)"`, "s(b)", `"s(b)"`, "s(absent)", `"s(absent)"`, "<t>", `<"t">`)

// TestSortsOfConstants: a quantifier over a type that the file declares means the formula for each of its constants,
// whether labels have them or not, and whatever other constants labels have.
func TestSortsOfConstants(t *testing.T) {
	ctx := context.Background()
	labels := []string{"r(a)", "r(b)", "r(other)", "s(a)", "t"}
	bodies := []string{"<r(%)> true", "[r(%)] false", "[true*] <true* . r(%)> true", "[r(%)] (<s(%)> true || <t> true)", "mu X . (<r(%)> true || <t> X)", "nu Y . ([!r(%)] Y && <true> true)"}
	verdicts := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		var b lts.Builder
		states := rapid.IntRange(1, 5).Draw(t, "states")
		for range rapid.IntRange(0, 10).Draw(t, "transitions") {
			from := rapid.IntRange(0, states-1).Draw(t, "from")
			to := rapid.IntRange(0, states-1).Draw(t, "to")
			b.Add(lts.State(from), b.Label(rapid.SampledFrom(labels).Draw(t, "label")), lts.State(to))
		}
		m, err := b.Build(0, states)
		if err != nil {
			t.Fatal(err)
		}
		constants := rapid.SampledFrom([][]string{{"a"}, {"a", "b"}, {"b", "absent"}, {"a", "b", "absent"}}).Draw(t, "constants")
		quantifier := rapid.SampledFrom([]string{"forall", "exists"}).Draw(t, "quantifier")
		body := rapid.SampledFrom(bodies).Draw(t, "body")
		var each []string
		for _, constant := range constants {
			each = append(each, "("+strings.ReplaceAll(body, "%", constant)+")")
		}
		meant := strings.Join(each, map[string]string{"forall": " && ", "exists": " || "}[quantifier])
		want, err := oracle.Holds(m, inMCL.Replace(meant))
		if err != nil {
			t.Fatal(err)
		}
		text := "sort Other;\n  S = struct " + strings.Join(constants, " ? is_it | ") + ";\nact t; form " + quantifier + " s: S . (" + strings.ReplaceAll(body, "%", "s") + ");"
		for _, text := range []string{text, asItIsShown(t, text)} {
			f, err := modal.Read(ctx, text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			graph, _, err := f.Graph(ctx, m.Alphabet())
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			means, _, err := graph.Bind(ctx, m.Alphabet())
			if err != nil {
				t.Fatal(err)
			}
			s, err := parity.Solve(ctx, m, graph, means, []lts.State{0})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(s.Good) == 1; got != want {
				t.Errorf("%s holds: %t, want %t", text, got, want)
			}
		}
		verdicts[want]++
	})
	if len(verdicts) < 2 {
		t.Errorf("verdicts %v", verdicts)
	}
}

// asItIsShown returns the text of a formula after reading it.
func asItIsShown(t *rapid.T, text string) string {
	f, err := modal.Read(context.Background(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f.String()
}

// TestOtherDeclarationsAreRefused: what the definitions do not say is refused by its name, with its place.
func TestOtherDeclarationsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"sort S = struct a | b(n: Nat); form forall s: S . <r(s)> true":           `formula: expected a quantifier over numbers, bool, or constants that the formula lists, found "forall" (column 37); of type S the model shows the values in labels only, and others matter for s: write the formula for each value`,
		"sort S; form forall s: S . <r(s)> true":                                  `formula: expected a quantifier over numbers, bool, or constants that the formula lists, found "forall" (column 14); of type S the model shows the values in labels only, and others matter for s: write the formula for each value`,
		"sort S = struct a form true":                                             `formula: expected ";" at the end of the type, found "form" (column 19)`,
		"sort S = struct a | true; form true":                                     `formula: expected constructors of S, as in sort S = struct a | b(n: Nat), found "S" (column 6)`,
		"map f: Nat -> Nat; eqn f(0) = 1; form val(f(1) == 1)":                    `formula: expected a function with a value, found "f(1)" (column 43); no equation tells f(1)`,
		"map f: Nat -> Nat; var n: Nat; eqn f(n) = f(n + 1); form val(f(0) == 1)": `formula: expected a function that uses itself at most 4096 deep, found "f(n + 1)" (column 43)`,
		"map f: Nat -> Nat; var n: Nat; eqn f(n + 1) = n; form val(f(0) == 1)":    `formula: expected an expression of numbers, conditions and constants, found "f(0)" (column 59); what f computes is not read: one of its equations is not read: formula: expected a left-hand side with constants, constructors and variables, found "f(n + 1)" (column 36)`,
		"map f: Bool; f: Nat; eqn f = 1; form val(f == 1)":                        `formula: expected an expression of numbers, conditions and constants, found "f" (column 42); what f computes is not read: there are several functions of this name`,
		"map f: Nat -> Nat; var n: Nat; eqn f(n) = n + n; form val(" + strings.Repeat("f(", 60) + "1" + strings.Repeat(")", 60) + " == 0)": `formula: expected functions whose equations are used at most 4096 times in all, found "n" (column 47)`,
		"form nu X(q: List(Nat) = [1]) . X(q ++ q)": `formula: expected a value of at most 16384 characters, found "+" (column 37)`,
		"form val(head([]) == 1)":                   `formula: expected a list with elements for head, found "head([])" (column 10)`,
		"form val([1] . 1 == 1)":                    `formula: expected a position in a list with 1 elements, and not 1, found "." (column 14)`,
		"form val(exists n: Nat. n > 1)":            `formula: expected a bound on n, found "exists" (column 10); within a condition, the values of n are listed: write n <= 9 && …, or … => …`,
	} {
		var b lts.Builder
		b.Add(0, b.Label("r(a)"), 0)
		m, err := b.Build(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		f, err := modal.Read(context.Background(), text)
		if err == nil {
			_, _, err = f.Graph(context.Background(), m.Alphabet())
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v\nwant %s", text, err, want)
		}
	}
}

// TestListsOfConstants: that a value is in a list means that it is equal to one of its elements; a quantifier whose
// condition lists the values is the formula for each of them. Blanks within the arguments of labels mean nothing.
func TestListsOfConstants(t *testing.T) {
	ctx := context.Background()
	texts := map[string]string{"[a,b]": "s([a, b])", "[a]": "s([a])", "[[a],b]": "s([[a], b])", "c": "s(c)", "1": "s(1)", "2": "s(2)"}
	elements := []string{"[a,b]", "[a]", "[[a],b]", "c", "1", "2", "[b]"}
	bodies := []string{`< "%" > true`, `[ "%" ] false`, `[ true* ] < true* . "%" > true`}
	verdicts := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		var b lts.Builder
		states := rapid.IntRange(1, 4).Draw(t, "states")
		for range rapid.IntRange(0, 8).Draw(t, "transitions") {
			from := rapid.IntRange(0, states-1).Draw(t, "from")
			to := rapid.IntRange(0, states-1).Draw(t, "to")
			label := texts[rapid.SampledFrom(elements[:6]).Draw(t, "label")]
			b.Add(lts.State(from), b.Label(label), lts.State(to))
		}
		m, err := b.Build(0, states)
		if err != nil {
			t.Fatal(err)
		}
		listed := rapid.SliceOfNDistinct(rapid.SampledFrom(elements), 1, 4, rapid.ID).Draw(t, "listed")
		label := func(element string) string {
			if texts[element] == "" {
				return "s(" + element + ")"
			}
			return texts[element]
		}
		var text string
		parts := []string{"true"}
		sign := " and "
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			text = "forall v: S . [s(v)] val(v in [" + strings.Join(listed, ", ") + "])"
			for _, element := range elements {
				if !slices.Contains(listed, element) {
					parts = append(parts, `[ "`+label(element)+`" ] false`)
				}
			}
		default:
			body := rapid.SampledFrom(bodies).Draw(t, "body")
			text = "forall v: S . val(v in [" + strings.Join(listed, ", ") + "]) => "
			if rapid.Bool().Draw(t, "exists") {
				text = "exists v: S . val(v in [" + strings.Join(listed, ", ") + "]) && "
				sign = " or "
				parts = []string{"false"}
			}
			text += strings.ReplaceAll(body, `"%"`, "s(v)")
			for _, element := range listed {
				parts = append(parts, strings.ReplaceAll(body, "%", label(element)))
			}
		}
		want, err := oracle.Holds(m, "("+strings.Join(parts, ")"+sign+"(")+")")
		if err != nil {
			t.Fatal(err)
		}
		f, err := modal.Read(ctx, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		graph, _, err := f.Graph(ctx, m.Alphabet())
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		means, _, err := graph.Bind(ctx, m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		s, err := parity.Solve(ctx, m, graph, means, []lts.State{0})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(s.Good) == 1; got != want {
			t.Errorf("%s holds: %t, want %t", text, got, want)
		}
		verdicts[want]++
	})
	if len(verdicts) < 2 {
		t.Errorf("verdicts %v", verdicts)
	}
}
