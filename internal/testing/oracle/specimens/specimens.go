// Package specimens has the models with which views and pictures are tested.
package specimens

import (
	"context"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Edge is a transition of a model that a test writes down.
type Edge struct {
	From  int
	Label string
	To    int
}

// Model returns a model with these transitions, whose initial state is 0.
func Model(t testing.TB, states int, edges ...Edge) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for _, e := range edges {
		b.Add(lts.State(e.From), b.Label(e.Label), lts.State(e.To))
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Explained explains why a property fails, or holds.
func Explained(t testing.TB, m *lts.LTS, file, formula string) *explain.Explanation {
	t.Helper()
	return Answer(t, explain.Explain, m, file, formula)
}

// Asked explains why a property fails, or holds, with options.
func Asked(t testing.TB, m *lts.LTS, text string, o explain.Options) *explain.Explanation {
	t.Helper()
	return answer(t, explain.Explain, m, text, o)
}

// Argued returns the argument about a formula in the initial state, and the text
// of the formula.
func Argued(t testing.TB, m *lts.LTS, text string) (a *argument.Argument, formula string) {
	t.Helper()
	ctx := context.Background()
	f, err := syntax.Parse(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	c := f.Closure()
	means, _, err := c.Bind(ctx, m.Alphabet(), nil)
	if err != nil {
		t.Fatal(err)
	}
	from := wmc.States{m.Initial()}
	checked, err := wmc.Check(ctx, wmc.NewExplicit(m, means, nil), c, from, wmc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := argument.New(ctx, m, checked, means, from)
	if err != nil {
		t.Fatal(err)
	}
	if a, err = x.Argue(m.Initial()); err != nil {
		t.Fatal(err)
	}
	return a, f.String()
}

// Question is [explain.Explain] or [explain.Check].
type Question func(context.Context, *lts.LTS, property.Formula, explain.Options) (*explain.Explanation, error)

// Checked calls [explain.Check].
func Checked(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	o explain.Options,
) (*explain.Explanation, error) {
	return explain.Check(ctx, m, f, o)
}

// Answer calls the function ask about a property.
func Answer(t testing.TB, ask Question, m *lts.LTS, file, text string) *explain.Explanation {
	t.Helper()
	return answer(t, ask, m, text, explain.Options{Source: explain.Source{File: file}})
}

// answer calls the function ask about a property, and fails the test at an error.
func answer(
	t testing.TB,
	ask Question,
	m *lts.LTS,
	text string,
	o explain.Options,
) *explain.Explanation {
	t.Helper()
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ask(context.Background(), m, f, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Real returns a model of the examples, or a model by others, nil if that is
// missing.
func Real(t testing.TB, name string) *lts.LTS {
	t.Helper()
	file, there := collection.Find(t, name)
	if !there {
		return nil
	}
	m, _, err := aut.Open(context.Background(), file, aut.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Figure2 is the model of Figure 2 in the paper: see docs/semantics.md.
func Figure2(t testing.TB) *lts.LTS {
	return Model(t, 6, Edge{0, "A", 1}, Edge{1, "X", 2}, Edge{2, "B", 3}, Edge{2, "Y", 4},
		Edge{3, "C", 1}, Edge{3, "C", 5})
}

// Lasso has a counterexample that goes round 1, 2; its loop can be left for a
// good and for a bad outcome.
func Lasso(t testing.TB) *lts.LTS {
	return Model(t, 5, Edge{0, "START", 1}, Edge{1, "TRY", 2}, Edge{2, "LOSS", 1},
		Edge{2, "DONE", 3},
		Edge{2, "BREAK", 4}, Edge{3, "STAY", 3}, Edge{4, "STAY", 4})
}

// HostileLabels try to end the string that contains them, to be read as syntax,
// or to control a terminal.
var HostileLabels = []string{
	`"];a->b[`,
	`a\nb\N\G\l\`,
	"line\nbreak\r\ttab\x1b[31m\x00",
	"\u202eright to left\u2066",
	"bad\xff\xfeutf",
	`<b>&lt;x&amp;&#65;&unknown;</b>`,
	strings.Repeat("ab<", 40_000),
	"",
	" ",
	"--> ]> */ // #",
	`\`,
	"naïve ↻ 日本語",
	"\u00a0\u200b\ufeff",
	`</script><img src=x onerror=alert(1)>`,
	`javascript:alert(1)`,
	`]]><a xlink:href="javascript:alert(1)">`,
	`%s %1$n ${x} {{y}}`,
}

// Hostile uses each label both on the counterexample, whose labels are HTML-like,
// and elsewhere. It also has duplicates and an unreachable state.
func Hostile(t testing.TB) *lts.LTS {
	var edges []Edge
	for i, label := range HostileLabels {
		edges = append(edges, Edge{i, label, i + 1}, Edge{i, label + "!", i + 1}, Edge{
			i,
			label + "!",
			i + 1,
		})
	}
	return Model(t, len(HostileLabels)+2, edges...)
}

// The names of the file and the steps are as hostile as the labels.
const (
	HostileFile    = "\\G\\N<x>&\"]\u202e&lt;.aut"
	HostileFormula = `Inev(/\\G <b>&lt;.*"x/, "\N")`
)

// Star has an initial state with n transitions, all correct except the transition
// to the last state, a deadlock.
func Star(t testing.TB, n int) *lts.LTS {
	var edges []Edge
	for i := 0; i < n; i++ {
		edges = append(edges, Edge{0, "go" + strconv.Itoa(i), i + 1})
		if i != n-1 {
			edges = append(edges, Edge{i + 1, "DONE", n + 1})
		}
	}
	return Model(t, n+2, edges...)
}

// LongRun has a counterexample to Inev(DONE) of 200 steps: through the states 0 to 199, and back to 120.
// Its neighbourhoods are 150, 180 and 183, from which DONE leads to 300. An excerpt that shows the steps
// to and from each neighbourhood has a gap of a single step, from 181 to 182, between the last two. There
// are 20 detours around the step from 149 to 150.
func LongRun(t testing.TB) *lts.LTS {
	var edges []Edge
	for i := range 199 {
		edges = append(edges, Edge{i, "step", i + 1})
	}
	edges = append(edges, Edge{199, "back", 120}, Edge{5, "skip", 6})
	for _, neighbourhood := range []int{150, 180, 183} {
		edges = append(edges, Edge{neighbourhood, "DONE", 300})
	}
	for i := range 20 {
		detour := 210 + i
		edges = append(edges, Edge{149, "aside", detour}, Edge{detour, "join", 150})
	}
	return Model(t, 301, edges...)
}

// Ways has four shortest counterexamples, of 3 transitions. Two lead through state 1: one to a
// deadlock, and one to state 3, which it never leaves. The other two lead through state 2, from
// which two labels lead to state 7. State 1 is a neighbourhood.
func Ways(t testing.TB) *lts.LTS {
	return Model(t, 9, Edge{0, "LEFT", 1}, Edge{0, "RIGHT", 2}, Edge{1, "STOP", 4},
		Edge{1, "TURN", 3}, Edge{1, "DONE", 6},
		Edge{2, "LOSE", 7}, Edge{2, "DROP", 7}, Edge{7, "END", 8}, Edge{3, "TICK", 3}, Edge{4, "HALT", 5}, Edge{6, "REST", 6})
}

// ManyWays has width disjoint counterexamples of length steps each, from one
// state, and a neighbourhood at the second state of each.
func ManyWays(t testing.TB, width, length int) *lts.LTS {
	var edges []Edge
	for i := range width {
		first := 2 + i*length
		edges = append(edges, Edge{0, "go" + strconv.Itoa(i), first}, Edge{first, "DONE", 1})
		for j := 1; j < length; j++ {
			edges = append(edges, Edge{first + j - 1, "step", first + j})
		}
	}
	return Model(t, 2+width*length, edges...)
}

// Unfolded is an explanation that distinguishes histories: state 1 is reached
// with and without A, and its choices have different classes.
func Unfolded(t testing.TB) *explain.Explanation {
	t.Helper()
	m := Model(t, 6, Edge{0, "A", 1}, Edge{0, "X", 1}, Edge{1, "B", 2}, Edge{1, "Y", 0},
		Edge{1, "C", 3}, Edge{2, "STAY", 2}, Edge{5, "GONE", 4})
	f, err := actl.Parse(context.Background(), "Inev(A, B)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), m, f, explain.Options{
		Source: explain.Source{File: "histories.aut"},
		Unfold: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// UnfoldedResponse is an explanation that distinguishes histories, for a property
// without steps: state 1 is reached with a request and without one.
func UnfoldedResponse(t testing.TB) *explain.Explanation {
	t.Helper()
	m := Model(t, 4, Edge{0, "REQ", 1}, Edge{1, "ACK", 2}, Edge{1, "DROP", 3}, Edge{
		2,
		"SKIP",
		1,
	})
	f, err := formula.Parse(context.Background(), "Response(REQ; ACK)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), m, f, explain.Options{
		Source: explain.Source{File: "answers.aut"},
		Unfold: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Tangle returns the transitions of a model of n states: from each state to the d
// states after it, and back to the first. It is small, but its arrows cross.
func Tangle(t testing.TB, n, d int) []Edge {
	var edges []Edge
	for i := range n {
		for j := 1; j <= d; j++ {
			edges = append(edges, Edge{i, fmt.Sprint("go", j), (i + j*j) % n})
		}
	}
	return edges
}

// Together returns all shortest counterexamples of an explanation, and their
// number; nil if the property holds.
func Together(t testing.TB, e *explain.Explanation) (*counterexample.Family, *big.Int) {
	t.Helper()
	all, err := e.AllShortest(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if all == nil {
		return nil, nil
	}
	count, err := all.Count(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return all, count
}

// Excluding explains a property under the assumption that LOSE happens finitely
// often, which excludes some runs.
func Excluding(t testing.TB) *explain.Explanation {
	m := Model(t, 5, Edge{0, "ARRIVE", 1}, Edge{0, "LOSE", 2}, Edge{0, "STOP", 3},
		Edge{2, "LOSE", 2},
		Edge{1, "ON", 4}, Edge{3, "IDLE", 3}, Edge{4, "ON", 4})
	return Answer(t, func(ctx context.Context, m *lts.LTS, f property.Formula, o explain.Options) (*explain.Explanation, error) {
		a, err := actl.ParseAssumption(ctx, "finitely:LOSE")
		if err != nil {
			return nil, err
		}
		o.Fair = append(o.Fair, a)
		return explain.Explain(ctx, m, f, o)
	}, m, "excluded.aut", "Inev(ARRIVE)")
}
