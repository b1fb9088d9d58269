package explain_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// reachablePart returns a model without the transitions that no run takes, and with the
// labels alone that some run does; beside it the model with them, and with more of them.
func reachablePart(t *rapid.T, m *lts.LTS) (part, whole *lts.LTS) {
	var b, c lts.Builder
	n := m.NumStates()
	for x := range m.Transitions() {
		if m.Reachable().Has(x.From) {
			text := m.Alphabet().Text(x.Label)
			b.Add(x.From, b.Label(text), x.To)
			c.Add(x.From, c.Label(text), x.To)
		}
	}
	for x := range m.Transitions() {
		if !m.Reachable().Has(x.From) {
			c.Add(x.From, c.Label(m.Alphabet().Text(x.Label)), x.To)
		}
	}
	for _, label := range []string{"A", "B", "Y", "Z"} {
		if rapid.Bool().Draw(t, label) {
			c.Add(lts.State(n), c.Label(label), 0)
		}
	}
	part, err := b.Build(m.Initial(), n+1)
	if err != nil {
		t.Fatal(err)
	}
	if whole, err = c.Build(m.Initial(), n+1); err != nil {
		t.Fatal(err)
	}
	return part, whole
}

// temporalFormula draws a formula in linear temporal logic.
func temporalFormula(t *rapid.T, depth int, atoms []string) string {
	if depth == 0 {
		return rapid.SampledFrom(atoms).Draw(t, "atom")
	}
	sub := func() string { return temporalFormula(t, rapid.IntRange(0, depth-1).Draw(t, "depth"), atoms) }
	switch rapid.IntRange(0, 3).Draw(t, "arity") {
	case 0:
		return sub()
	case 1:
		return rapid.SampledFrom([]string{"!", "X ", "F ", "G "}).Draw(t, "operator") + "(" + sub() + ")"
	}
	return "(" + sub() + " " + rapid.SampledFrom([]string{"&&", "||", "->", "U", "W", "R"}).Draw(t, "operator") + " " + sub() + ")"
}

// TestWhatIsOutOfReachMakesNoDifference explains a model with transitions and labels that no
// run takes, and without them.
func TestWhatIsOutOfReachMakesNoDifference(t *testing.T) {
	patterns := []string{
		"Always(A)", "Always({A, Z})", "Never(Z, A)", "Precedes(Z; A)", "AtMost(1; {A, Z}; after Y)", "Inev(Z)", "Inev({A, Z}, B)",
		"Inev(A; before Z)", "Response(A; B)", "Response(A; {B, Z}; after Z until A)", "DeadlockFree", "X F !B", "F G !{A, B}",
	}
	rapid.Check(t, func(t *rapid.T) {
		part, whole := reachablePart(t, randomlts.Generator(randomlts.Small()).Draw(t, "model").Model)
		text := rapid.SampledFrom(patterns).Draw(t, "pattern")
		if rapid.Bool().Draw(t, "in logic") {
			text = "true && (" + temporalFormula(t, 3, []string{"A", "B", "Z", "{A, Z}", "{B, Y}", "deadlock"}) + ")"
		}
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		want, err := told(explain.Explain(context.Background(), part, f, explain.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		got, err := told(explain.Explain(context.Background(), whole, f, explain.Options{}))
		if err != nil || got != want {
			t.Fatalf("%s: %v; with what no run takes:\n%s\nwithout:\n%s", text, err, got, want)
		}
		if want, err = told(explain.Check(context.Background(), part, f, explain.Options{})); err != nil {
			t.Fatal(err)
		}
		got, err = told(explain.Check(context.Background(), whole, f, explain.Options{}))
		if err != nil || got != want {
			t.Fatalf("%s: %v; with what no run takes:\n%s\nwithout:\n%s", text, err, got, want)
		}
	})
}

// told returns all that an explanation says of runs.
func told(e *explain.Explanation, err error) (string, error) {
	if err != nil {
		return "", err
	}
	plain := *e
	plain.Model, plain.Warnings, plain.Timings, plain.Cost, plain.Stats = explain.Model{}, nil, nil, nil, nil
	for i := range plain.Property.Steps {
		plain.Property.Steps[i].Labels = nil
	}
	if plain.Reasons != nil {
		reasons := *plain.Reasons
		reasons.Margin = nil // of what never happens, it counts the transitions out of reach
		plain.Reasons = &reasons
	}
	text, err := json.MarshalIndent(plain, "", " ")
	return string(text), err
}

// TestLabelsOutOfReachAreWarnedOf: a pattern whose labels no run does is said to be so, and
// not to match nothing.
func TestLabelsOutOfReachAreWarnedOf(t *testing.T) {
	var b lts.Builder
	b.Add(0, b.Label("B"), 0)
	b.Add(1, b.Label("C"), 2)
	m, err := b.Build(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Inev(C)", "G F C", "Response(B; C)"} {
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		checked, err := explain.Check(context.Background(), m, f, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		explained, err := explain.Explain(context.Background(), m, f, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, warnings := range [][]string{checked.Warnings, explained.Warnings} {
			if len(warnings) != 1 || !strings.Contains(warnings[0], `"C", never happens: no run`) {
				t.Errorf("%s: warnings %q", text, warnings)
			}
		}
	}
}
