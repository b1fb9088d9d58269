package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/lts"
)

// rowsOfChain returns the text of an explanation of why DeadlockFree fails for a chain of steps with one label, whose
// states have the given values of v.
func rowsOfChain(t *testing.T, label string, values ...string) string {
	t.Helper()
	var b lts.Builder
	var table strings.Builder
	for s, value := range values {
		fmt.Fprintf(&table, "%d\tv=%s\n", s, value)
		if s > 0 {
			b.Add(lts.State(s-1), b.Label(label), lts.State(s))
		}
	}
	m, err := b.Build(0, len(values))
	if err != nil {
		t.Fatal(err)
	}
	states, err := lts.ReadValues(t.Context(), strings.NewReader(table.String()), "v.tsv", len(values))
	if err != nil {
		t.Fatal(err)
	}
	f, err := formula.Parse(t.Context(), "DeadlockFree")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(t.Context(), m, f, explain.Options{Source: explain.Source{File: "v.aut", States: states}})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := newWriter(t, "text", render.Options{Width: 200}).Explanation(&text, e); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestStepsThatTheirValuesTellAreRows: steps with one label are one row, unless the values that they change tell them
// apart; those of a clock, or of internal steps, do not.
func TestStepsThatTheirValuesTellAreRows(t *testing.T) {
	for _, c := range []struct {
		label  string
		values []string
		rows   []string
	}{
		{"Next", []string{"{}", "{1}", "{1, 2}", "{2}", "{}"}, []string{"1 0 Next v: + 1", "2 1 Next v: + 2", "3 2 Next v: - 1", "4 3 Next v: - 2"}},
		{"Next", []string{"1", "2", "3", "4", "5"}, []string{"1–4 0 Next ×4"}},
		{"tau", []string{"{}", "{1}", "{1, 2}", "{2}", "{}"}, []string{"1–4 0 tau ×4"}},
		{"Next", []string{`"a"`, `"a"`, `"a"`, `"a"`, `"b"`}, []string{"1–3 0 Next ×3", `4 3 Next v = "b"`}},
	} {
		text := rowsOfChain(t, c.label, c.values...)
		var rows []string
		for line := range strings.Lines(text) {
			words := strings.Join(strings.Fields(line), " ")
			if strings.Contains(words, c.label) && strings.HasPrefix(line, "   ") {
				rows = append(rows, words)
			}
		}
		if got, want := strings.Join(rows, "\n"), strings.Join(c.rows, "\n"); got != want {
			t.Errorf("%s %q has the rows\n%s\nnot\n%s", c.label, c.values, got, want)
		}
	}
}

// TestChangesOfOneComponentAreOneText: what a step adds to a set is told once, and so is what it removes. A change
// is left out only with another one.
func TestChangesOfOneComponentAreOneText(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"{}", "{1, 2, 3}", "v: + 1, 2, 3"},
		{"{1, 2, 5}", "{3, 4, 5}", "v: + 3, 4, v: - 1, 2"},
		{"[a |-> {}, b |-> {1}, c |-> {3, 4}]", "[a |-> {1, 2}, b |-> {}, c |-> {5}]", "v.a: + 1, 2, v.b: - 1, v.c: + 5, v.c: - 3, 4"},
		{"[a |-> {1}, b |-> {1}, c |-> {1}]", "[a |-> {2}, b |-> {2}, c |-> {2}]", "v.a: + 2, v.a: - 1, v.b: + 2, 3 more changes of v"},
	} {
		text := strings.Join(strings.Fields(rowsOfChain(t, "Next", c.before, c.after)), " ")
		if !strings.Contains(text, "Next "+c.want+" 1 (deadlock)") {
			t.Errorf("from %s to %s: %q is missing in\n%s", c.before, c.after, c.want, text)
		}
	}
}
