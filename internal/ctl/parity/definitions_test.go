package parity_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/ctl/parity"
	"github.com/inev-lts/inev/internal/formula/modal"
	oracle "github.com/inev-lts/inev/internal/testing/oracle/mucalculus"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// drawDefined draws functions by cases, by conditions and by recursion.
func drawDefined(t *rapid.T) (text string, f, sum func(int) int, valid func(int) bool, g func(int) int, most int) {
	number := func(most int, name string) int { return rapid.IntRange(0, most).Draw(t, name) }
	most = 1 + number(2, "K")
	least := number(1, "least")
	var table [2]int
	for i := range table {
		table[i] = number(3, "value")
	}
	otherwise := number(3, "otherwise")
	var next [3]int
	for i := range next {
		next[i] = number(2, "next")
	}
	constants := []string{"a", "b", "c"}
	sections := []string{
		"sort D = struct a | b | c?is_c; M = struct pair(of: D, with: Nat); ID = Nat;",
		"map K: Nat; valid: ID -> Bool; f: Nat -> Nat; sum: Nat -> Nat; g: D -> D;",
		fmt.Sprintf("var n: ID; eqn K = %d; valid(n) = %d <= n && n <= K;", most, least),
		fmt.Sprintf("var n: Nat; eqn f(0) = %d; f(1) = %d; n > 1 -> f(n) = %d; sum(0) = 0; n > 0 -> sum(n) = n + sum(Int2Nat(n - 1));", table[0], table[1], otherwise),
	}
	var cases []string
	for i, to := range next {
		cases = append(cases, fmt.Sprintf("g(%s) = %s;", constants[i], constants[to]))
	}
	sections = append(sections, "eqn "+strings.Join(cases, " "))
	text = strings.Join(sections, "\n  ")
	f = func(n int) int {
		if n < len(table) {
			return table[n]
		}
		return otherwise
	}
	sum = func(n int) int { return n * (n + 1) / 2 }
	valid = func(n int) bool { return least <= n && n <= most }
	g = func(i int) int { return next[i] }
	return text, f, sum, valid, g, most
}

// TestDefinitions: a formula with functions, constants and constructors that are defined before it, or in a
// specification, means the same as one in which each value is written out.
func TestDefinitions(t *testing.T) {
	constants := []string{"a", "b", "c"}
	labels := []string{"r(0)", "r(1)", "r(2)", "r(3)", "q(a)", "q(b)", "q(c)", "s(pair(a, 0))", "s(pair(b, 1))", "s(pair(b, 2))", "s(pair(c, 3))"}
	verdicts := map[bool]int{}
	check := func(t *rapid.T) {
		m := drawModel(t, labels)
		definitions, f, sum, valid, g, most := drawDefined(t)
		label := func(of string, argument any) string { return fmt.Sprintf(`"%s(%v)"`, of, argument) }
		pair := func(d string, n int) string { return fmt.Sprintf(`"s(pair(%s, %d))"`, d, n) }
		isForall := rapid.Bool().Draw(t, "forall")
		var text string
		var each []string
		numbers := func(body string, of func(n int) string) {
			guard := "exists n: ID. val(valid(n)) && "
			if isForall {
				guard = "forall n: ID. val(valid(n)) => "
			}
			text = guard + "(" + body + ")"
			for n := range 10 {
				if valid(n) {
					each = append(each, of(n))
				}
			}
		}
		ofConstants := func(body string, of func(i int) string) {
			quantifier := "exists d: D. "
			if isForall {
				quantifier = "forall d: D. "
			}
			text = quantifier + "(" + body + ")"
			for i := range constants {
				each = append(each, of(i))
			}
		}
		switch rapid.IntRange(0, 7).Draw(t, "form") {
		case 0:
			numbers("<r(f(n))> true", func(n int) string { return "<" + label("r", f(n)) + "> true" })
		case 1:
			numbers("[r(n)] <r(f(f(n)))> true", func(n int) string {
				return "[" + label("r", n) + "] <" + label("r", f(f(n))) + "> true"
			})
		case 2:
			numbers("<true* . r(n)> val(sum(n) == f(n) + 1 || f(K) < n)", func(n int) string {
				return fmt.Sprintf("<true* . %s> %t", label("r", n), sum(n) == f(n)+1 || f(most) < n)
			})
		case 3:
			ofConstants("<q(g(d))> true || [true*] <true* . q(d)> true", func(i int) string {
				return "<" + label("q", constants[g(i)]) + "> true or [true*] <true* . " + label("q", constants[i]) + "> true"
			})
		case 4:
			ofConstants("val(is_c(d) || d != g(d)) && [q(d)] false", func(i int) string {
				return fmt.Sprintf("(%t and [%s] false)", i == 2 || g(i) != i, label("q", constants[i]))
			})
		case 5: // the values are those of the labels
			text = "forall d: D, n: Nat. [s(pair(d, n))] (val(valid(n)) && <q(g(d))> true)"
			isForall = true
			for i, d := range constants {
				for n := range 4 {
					each = append(each, fmt.Sprintf("[%s] (%t and <%s> true)", pair(d, n), valid(n), label("q", constants[g(i)])))
				}
			}
		case 6:
			text = "exists x: M. <s(x)> val(with(x) > 0 && of(x) != a)"
			isForall = false
			for _, d := range constants {
				for n := range 4 {
					each = append(each, fmt.Sprintf("<%s> %t", pair(d, n), n > 0 && d != "a"))
				}
			}
		default:
			text = "exists d: D. <true*> <exists n: Nat. s(pair(d, n))> val(exists n: ID. n <= K && f(n) == 2)"
			isForall = false
			isTwo := slices.ContainsFunc([]int{0, 1, 2, 3}, func(n int) bool { return n <= most && f(n) == 2 })
			for _, d := range constants {
				each = append(each, fmt.Sprintf("<true*> <%s or %s or %s or %s> %t", pair(d, 0), pair(d, 1), pair(d, 2), pair(d, 3), isTwo))
			}
		}
		meant := "false"
		for _, one := range each {
			meant += " or (" + one + ")"
		}
		if isForall {
			meant = "true"
			for _, one := range each {
				meant += " and (" + one + ")"
			}
		}
		want, err := oracle.Holds(m, meant)
		if err != nil {
			t.Fatal(err)
		}
		own := definitions + " form " + text
		ctx := context.Background()
		besides := modal.WithSpecification(ctx, func() (string, string) {
			return "m.mcrl2", "% of the model\nact r: Nat;\n" + definitions + "\nproc P = sum n: Nat. valid(n) -> r(n). P;\ninit P;\n"
		})
		for _, asked := range []struct {
			ctx  context.Context
			text string
		}{{ctx, own}, {ctx, asItIsShown(t, own)}, {besides, text}} {
			if got := verdictOf(t, asked.ctx, m, asked.text); got != want {
				t.Errorf("%s holds: %t, want %t", asked.text, got, want)
			}
		}
		verdicts[want]++
	}
	for range randomlts.Share(20) {
		rapid.Check(t, check)
	}
	if len(verdicts) < 2 {
		t.Errorf("verdicts %v", verdicts)
	}
}

// drawModel draws a model with these labels.
func drawModel(t *rapid.T, labels []string) *lts.LTS {
	var b lts.Builder
	states := rapid.IntRange(1, 5).Draw(t, "states")
	for range rapid.IntRange(0, 12).Draw(t, "transitions") {
		from := rapid.IntRange(0, states-1).Draw(t, "from")
		to := rapid.IntRange(0, states-1).Draw(t, "to")
		b.Add(lts.State(from), b.Label(rapid.SampledFrom(labels).Draw(t, "label")), lts.State(to))
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// verdictOf returns whether a formula holds in the initial state.
func verdictOf(t *rapid.T, ctx context.Context, m *lts.LTS, text string) bool {
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
	return len(s.Good) == 1
}

// TestCollectionsOfRuns: what fixpoints keep in lists and sets is what runs have taken so far. A walk through the model
// with the list or set at hand decides the same.
func TestCollectionsOfRuns(t *testing.T) {
	ctx := context.Background()
	verdicts := map[bool]int{}
	// step returns what is kept after a label with a number; false if the formula does not hold there.
	type step func(kept []int, label string, n int) ([]int, bool)
	formulas := []struct {
		text string
		step step
	}{
		{ // no r(n) comes twice, unless s(n) comes between
			"nu X(taken: Set(Nat) = {n: Nat | 0 < n && n < 1}) . (forall n: Nat. [r(n)] (val(!(n in taken)) && X(taken + {n})) && [s(n)] X(taken - {n}))",
			func(kept []int, label string, n int) ([]int, bool) {
				rest := slices.DeleteFunc(slices.Clone(kept), func(k int) bool { return k == n })
				if label == "s" {
					return rest, true
				}
				return append(rest, n), len(rest) == len(kept)
			},
		},
		{ // a queue: s(n) takes what r(n) has brought first, of two at most
			"nu X(queue: List(Nat) = []) . (forall n: Nat. [r(n)] (val(#queue < 2) => X(queue <| n)) && [s(n)] (val(queue != [] && head(queue) == n) && X(tail(queue))))",
			func(kept []int, label string, n int) ([]int, bool) {
				switch {
				case label == "r" && len(kept) < 2:
					return append(slices.Clone(kept), n), true
				case label == "r":
					return nil, true
				case len(kept) > 0 && kept[0] == n:
					return kept[1:], true
				}
				return nil, false
			},
		},
		{ // a stack, whose top is first
			"nu X(stack: List(Nat) = []) . (forall n: Nat. [r(n)] (val(#stack >= 2) || X(n |> stack)) && [s(n)] (val(n in stack && stack . 0 == n) && X(rtail([n] ++ tail(stack)))))",
			func(kept []int, label string, n int) ([]int, bool) {
				switch {
				case label == "r" && len(kept) < 2:
					return append([]int{n}, kept...), true
				case label == "r":
					return nil, true
				case len(kept) > 0 && kept[0] == n: // [n] ++ tail without its last element
					return kept[:len(kept)-1], true
				}
				return nil, false
			},
		},
	}
	check := func(t *rapid.T) {
		m := drawModel(t, []string{"r(0)", "r(1)", "s(0)", "s(1)"})
		asked := rapid.SampledFrom(formulas).Draw(t, "formula")
		isSet := asked.text == formulas[0].text
		type position struct {
			state lts.State
			kept  string
		}
		type visit struct {
			state lts.State
			kept  []int
		}
		seen := map[position]bool{}
		pending := []visit{{}}
		want := true
		for len(pending) > 0 {
			now := pending[0]
			pending = pending[1:]
			at := position{now.state, fmt.Sprint(now.kept)}
			if isSet {
				at.kept = fmt.Sprint(slices.Sorted(slices.Values(now.kept)))
			}
			if seen[at] {
				continue
			}
			seen[at] = true
			labels, targets := m.Out(now.state)
			for i, to := range targets {
				text := m.Alphabet().Text(labels.At(i))
				n := int(text[2] - '0')
				isIgnored := text[:1] == "r" && len(now.kept) >= 2 && !isSet
				if isIgnored {
					continue
				}
				kept, holds := asked.step(now.kept, text[:1], n)
				want = want && holds
				if holds {
					pending = append(pending, visit{to, kept})
				}
			}
		}
		if got := verdictOf(t, ctx, m, asked.text); got != want {
			t.Errorf("%s holds: %t, want %t", asked.text, got, want)
		}
		verdicts[want]++
	}
	for range randomlts.Share(50) {
		rapid.Check(t, check)
	}
	if len(verdicts) < 2 {
		t.Errorf("verdicts %v", verdicts)
	}
}

// TestConditionsThatChoose: a variable is compared with a bounded one through if(…), too, so that more of its values
// matter than those that occur.
func TestConditionsThatChoose(t *testing.T) {
	const text = "forall x: Nat. exists z: Nat. val(z <= 9 && if(true, x, 0) == z)"
	f, err := modal.Read(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	var b lts.Builder
	b.Add(0, b.Label("a"), 0)
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = f.Graph(context.Background(), m.Alphabet())
	if err == nil || !strings.Contains(err.Error(), "a bound on x") {
		t.Errorf("error %v, want one about a bound on x", err)
	}
}

// TestFlowInCircles: a variable that is compared with one that has its value is no reason to search forever.
func TestFlowInCircles(t *testing.T) {
	ctx := context.Background()
	var b lts.Builder
	b.Add(0, b.Label("A !1"), 0)
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	const text = "forall n:nat . let m:nat := n in let k:nat := m in (([{A !n}] (k = n)) and (m = k)) end let end let"
	f, err := modal.Read(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = f.Graph(ctx, m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
}

// TestLargeTypes: a type with more values than can be listed is one whose values only labels show.
func TestLargeTypes(t *testing.T) {
	text := "sort S0 = struct a | b;"
	for i := range 40 {
		text += fmt.Sprintf(" S%d = struct c%d(S%d, S%d);", i+1, i, i, i)
	}
	var b lts.Builder
	b.Add(0, b.Label("r(a)"), 0)
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for last, want := range map[int]string{3: "", 4: "of type S4", 40: "of type S40"} {
		f, err := modal.Read(context.Background(), fmt.Sprintf("%s form forall s: S%d. <r(s)> true", text, last))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = f.Graph(context.Background(), m.Alphabet())
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("S%d: error %v, want %s", last, err, want)
		}
	}
}
