package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
)

// chartOf returns the chart of a property of a chain of labels, whose last step leads back
// to a step, or nowhere.
func chartOf(t testing.TB, lanes *Lanes, o ChartOptions, back int, labels ...string) *Chart {
	t.Helper()
	var edges []specimens.Edge
	for i, label := range labels {
		to := i + 1
		if back >= 0 && to == len(labels) {
			to = back
		}
		edges = append(edges, specimens.Edge{From: i, Label: label, To: to})
	}
	edges = append(edges, specimens.Edge{From: len(labels) + 1, Label: "GOAL", To: 0})
	e := specimens.Asked(t, specimens.Model(t, len(labels)+2, edges...), "Inev(GOAL)", explain.Options{NoAdvice: true})
	c, err := NewChart(e, lanes, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func tableOf(t testing.TB, text string) *Lanes {
	t.Helper()
	lanes, err := ReadLanes(context.Background(), strings.NewReader(text), "lanes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	return lanes
}

// inWords says what a chart shows, an event a line.
func inWords(c *Chart) []string {
	var all []string
	for i, v := range c.Events {
		line := fmt.Sprintf("%d", v.First)
		if v.Kind == Unshown {
			all = append(all, fmt.Sprintf("%d-%d unshown", v.First, v.Last))
			continue
		}
		line += fmt.Sprintf(" %s %s>%s", v.Label, c.Lanes[v.From].Name, c.Lanes[v.To].Name)
		line += [...]string{" action", " message", " sending", " receipt"}[v.Kind]
		if v.Other > 0 {
			line += fmt.Sprintf(" %d", v.Other)
		}
		if v.Again {
			line += " again"
		}
		if n := v.Last - v.First; n > 0 {
			line += fmt.Sprintf(" ×%d", n+1)
		}
		if c.Loop != nil && c.Loop.First == i {
			line = "loop " + line
		}
		all = append(all, line)
	}
	return all
}

func TestChart(t *testing.T) {
	const table = "A\tleft\tright\tB\nBOTH\tright\tleft\nALONE\tleft\nIDLE\tnobody\n"
	for _, c := range []struct {
		name, labels string
		back         int
		want         []string
	}{
		{"first sent is first received", "A A B B", -1, []string{
			"1 A left>right sending 3", "2 A left>right sending 4", "3 B left>right receipt 1", "4 B left>right receipt 2"}},
		{"lost", "A B A", -1, []string{"1 A left>right sending 2", "2 B left>right receipt 1", "3 A left>right sending"}},
		{"received in a later round", "A B A ALONE", 1, []string{
			"1 A left>right sending 2", "loop 2 B left>right receipt 1", "3 A left>right sending again", "4 ALONE left>left action"}},
		{"never received, loop or not", "A ALONE", 1, []string{"1 A left>right sending", "loop 2 ALONE left>left action"}},
		{"received, and never sent", "B BOTH", -1, []string{"1 B right>right action", "2 BOTH right>left message"}},
		{"in no lane", "OTHER BOTH", -1, []string{"1 OTHER elsewhere>elsewhere action", "2 BOTH right>left message"}},
		{"folded", "ALONE ALONE ALONE BOTH", -1, []string{"1 ALONE left>left action ×3", "4 BOTH right>left message"}},
	} {
		got := inWords(chartOf(t, tableOf(t, table), ChartOptions{}, c.back, strings.Fields(c.labels)...))
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestChartSaysWhatItDoesNotShow(t *testing.T) {
	has := func(c *Chart, want string) {
		t.Helper()
		if !slices.ContainsFunc(c.Notes, func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("%q does not say %q", c.Notes, want)
		}
	}
	c := chartOf(t, tableOf(t, "A\tleft\nB\tright\n"), ChartOptions{}, -1, "A", "X", "Y")
	has(c, `2 labels are in no lane of lanes.tsv: "X", "Y"; such steps stand in the lane "elsewhere"`)
	has(c, `1 lane is without a step on this run, and not drawn: "right"`)

	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf("go%d", i))
	}
	each, err := ParseLanes(`/go(\d+)/`)
	if err != nil {
		t.Fatal(err)
	}
	c = chartOf(t, each, ChartOptions{}, -1, many...)
	if len(c.Lanes) != maxChartLanes || !c.Lanes[maxChartLanes-1].Elsewhere {
		t.Errorf("%d lanes", len(c.Lanes))
	}
	has(c, "the chart has room for 16 lanes: ")
	if c = chartOf(t, each, ChartOptions{Full: true}, -1, many...); len(c.Lanes) != 40 || len(c.Notes) != 0 || c.Lanes[9].Name != "9" {
		t.Errorf("in full: %d lanes, %q", len(c.Lanes), c.Notes)
	}

	var long []string
	for i := range 3000 {
		long = append(long, []string{"A", "S", "R"}[i%3])
	}
	table := tableOf(t, "A\tleft\nS\tleft\tright\tR\n")
	c = chartOf(t, table, ChartOptions{}, 1500, long...)
	if len(c.Events) > maxChartRows || c.Loop == nil || c.Events[c.Loop.First].First != 1501 {
		t.Errorf("%d events, loop %v", len(c.Events), c.Loop)
	}
	has(c, "of the counterexample one by one")
	if c = chartOf(t, table, ChartOptions{Full: true}, 1500, long...); len(c.Events) != 3000 || len(c.Notes) != 0 {
		t.Errorf("in full: %d events, %q", len(c.Events), c.Notes)
	}
}

// TestChartHasEveryStepOnce: whatever the labels and lanes are, each step belongs to one
// event, messages have two ends, and the loop is the loop.
func TestChartHasEveryStepOnce(t *testing.T) {
	table := tableOf(t, "S\ta\tb\tR\nT\tb\tc\tU\nM\tc\ta\nL\ta\n")
	rapid.Check(t, func(rt *rapid.T) {
		labels := rapid.SliceOfN(rapid.SampledFrom([]string{"S", "S !1", "R", "T", "U", "U !1", "M", "L", "L", "X"}), 1, 200).Draw(rt, "labels")
		back := rapid.IntRange(-1, len(labels)-1).Draw(rt, "back")
		c := chartOf(t, table, ChartOptions{Full: rapid.Bool().Draw(rt, "full")}, back, labels...)
		next := 1
		for i, v := range c.Events {
			if v.First != next || v.Last < v.First {
				rt.Fatalf("event %d is of steps %d to %d, want from %d", i, v.First, v.Last, next)
			}
			next = v.Last + 1
			if v.Kind != Unshown && v.Label != labels[v.First-1] {
				rt.Fatalf("step %d is %q", v.First, v.Label)
			}
			if v.Peer >= 0 {
				other := c.Events[v.Peer]
				if other.Peer != i || v.From != other.From || v.To != other.To || (v.Kind == Sending) != (v.First < other.First) || v.Other != other.First {
					rt.Fatalf("events %d and %d: %+v, %+v", i, v.Peer, v, other)
				}
			}
		}
		if next != len(labels)+1 {
			rt.Fatalf("the chart ends with step %d", next-1)
		}
		if (c.Loop != nil) != (back >= 0) || c.Loop != nil && c.Events[c.Loop.First].First != back+1 {
			rt.Fatalf("loop %v, back to %d", c.Loop, back)
		}
		// Messages never overtake each other.
		for _, ends := range [][2]string{{"S", "R"}, {"T", "U"}} {
			waiting := 0
			for i, label := range labels {
				at := slices.IndexFunc(c.Events, func(v Event) bool { return v.First == i+1 && v.Kind != Unshown })
				switch gate, _, _ := strings.Cut(label, " "); gate {
				case ends[0]:
					waiting++
				case ends[1]:
					if at >= 0 && (c.Events[at].Kind == Receipt) != (waiting > 0) {
						rt.Fatalf("step %d: %+v with %d messages under way", i+1, c.Events[at], waiting)
					}
					waiting = max(0, waiting-1)
				}
			}
		}
	})
}

// laneNames returns the names of lanes.
func laneNames(c *Chart, lanes []int) []string {
	var names []string
	for _, i := range lanes {
		names = append(names, c.Lanes[i].Name)
	}
	return names
}

func TestChartTellsDecisions(t *testing.T) {
	e := specimens.Explained(t, specimens.Figure2(t), "figure2.aut", "Inev(A, B, C)")
	lanes, err := ParseLanes("/^([A-Z])/")
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewChart(e, lanes, ChartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	last := c.Events[len(c.Events)-1]
	if want := []string{"B decides in state 2", "✓ B would have made the property certain"}; !slices.Equal(last.Decision, want) || !last.NoReturn {
		t.Errorf("%q, no return %v", last.Decision, last.NoReturn)
	}
	if names := laneNames(c, last.Deciders); !slices.Equal(names, []string{"B"}) {
		t.Errorf("the note stands over %q, and B decides", names)
	}
	if want := []Missing{{Lane: slices.IndexFunc(c.Lanes, func(l Lane) bool { return l.Name == "B" }), Label: "B"}}; !slices.Equal(c.Missing, want) {
		t.Errorf("missing: %v, want %v", c.Missing, want)
	}
	if want := []string{"1 of 3 done"}; !slices.Equal(c.Events[0].Remarks, want) {
		t.Errorf("%q", c.Events[0].Remarks)
	}
	if want := "deadlock in state 4: nothing can happen any more"; strings.Join(c.End, " ") != want {
		t.Errorf("%q", c.End)
	}
	if _, err := NewChart(specimens.Explained(t, specimens.Figure2(t), "f.aut", "Inev(A)"), lanes, ChartOptions{}); err == nil {
		t.Error("a property that holds has a chart")
	}
	if _, err := Of(context.Background(), e, Options{Kind: Sequence}); err == nil {
		t.Error("a chart is a graph")
	}
}

// TestChartTellsTargets: of choices with the label that the run takes, a chart names the state to which the better
// ones lead.
func TestChartTellsTargets(t *testing.T) {
	m := specimens.Model(t, 5, specimens.Edge{From: 0, Label: "A(1)", To: 1}, specimens.Edge{From: 0, Label: "A(1)", To: 2},
		specimens.Edge{From: 0, Label: "B(2)", To: 3}, specimens.Edge{From: 2, Label: "DONE(2)", To: 4}, specimens.Edge{From: 3, Label: "DONE(2)", To: 4})
	e := specimens.Explained(t, m, "m.aut", "Inev(DONE(2))")
	lanes, _ := GuessLanes([]string{"A(1)", "B(2)", "DONE(2)"})
	c, err := NewChart(e, lanes, ChartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"argument 1 or argument 2 decide in state 0", "✓ A(1) to state 2, B(2) would have made the property certain"}; !slices.Equal(c.Events[0].Decision, want) {
		t.Errorf("%q, want %q", c.Events[0].Decision, want)
	}
}

// TestChartMissingElsewhere: an awaited action without an owner is missing in the lane of all others.
func TestChartMissingElsewhere(t *testing.T) {
	m := specimens.Model(t, 3, specimens.Edge{From: 0, Label: "A(1)", To: 1}, specimens.Edge{From: 0, Label: "A(2)", To: 1}, specimens.Edge{From: 0, Label: "DONE", To: 2})
	e := specimens.Explained(t, m, "m.aut", "Inev(DONE)")
	lanes, _ := GuessLanes([]string{"A(1)", "A(2)", "DONE"})
	c, err := NewChart(e, lanes, ChartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Missing) != 1 || c.Missing[0].Label != "DONE" || !c.Lanes[c.Missing[0].Lane].Elsewhere {
		t.Errorf("missing are %v, the lanes %v", c.Missing, c.Lanes)
	}
}

// TestChartMissing: on random models, an action that is drawn as missing stands in its own lane, is
// no step of the loop, and does the step of the property that the run never does.
func TestChartMissing(t *testing.T) {
	lanes, err := ParseLanes("/^(.)/")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for seed := range uint64(400) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 12, Labels: 4, Steps: 2})
		if c.Model.NumTransitions() == 0 {
			continue
		}
		e := specimens.Asked(t, c.Model, c.Formula, explain.Options{})
		if e.Counterexample == nil {
			continue
		}
		chart, err := NewChart(e, lanes, ChartOptions{Full: true})
		if err != nil {
			t.Fatal(err)
		}
		repeated := map[string]bool{}
		if e.Counterexample.LoopStart >= 0 {
			for _, s := range e.Counterexample.Steps[e.Counterexample.LoopStart:] {
				repeated[s.Label] = true
			}
		}
		for _, m := range chart.Missing {
			shown++
			if repeated[m.Label] {
				t.Errorf("seed %d: %s is missing, and in the loop", seed, m.Label)
			}
			if !strings.HasPrefix(m.Label, chart.Lanes[m.Lane].Name) {
				t.Errorf("seed %d: %s is missing in the lane %s", seed, m.Label, chart.Lanes[m.Lane].Name)
			}
			l, _ := c.Model.Alphabet().Lookup(m.Label)
			if !c.Steps[e.Counterexample.Done][l] {
				t.Errorf("seed %d: %s is missing, but does not do step %d", seed, m.Label, e.Counterexample.Done+1)
			}
		}
	}
	if shown < 50 {
		t.Errorf("only %d missing actions were drawn", shown)
	}
}
