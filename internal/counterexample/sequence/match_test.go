package sequence_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/counterexample/sequence"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

type fataler interface {
	Helper()
	Fatal(...any)
}

func enriched(t fataler, m *lts.LTS, formula string) *enrich.Enriched {
	t.Helper()
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	bound, _, _ := f.Bind(context.Background(), m.Alphabet())
	p, _ := bound.Chain()
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	e, err := enrich.Enrich(context.Background(), c, p, enrich.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func matched(e *enrich.Enriched, name, text string) (*counterexample.Trace, counterexample.MatchNote, error) {
	all, _, err := sequence.Read(context.Background(), strings.NewReader(text), name)
	if err != nil {
		return nil, counterexample.MatchNote{}, err
	}
	return counterexample.Match(context.Background(), fate.OfChain(e), all[0], counterexample.MatchOptions{})
}

// unrolled returns the first labels of a run, no more than there are.
func unrolled(m *lts.LTS, steps []lts.Transition, loop, most int) []string {
	var labels []string
	for i := 0; len(labels) < most && i < len(steps); i++ {
		labels = append(labels, m.Alphabet().Text(steps[i].Label))
		if i == len(steps)-1 && loop >= 0 {
			i = loop - 1
		}
	}
	return labels
}

func unrolledTrace(m *lts.LTS, t *counterexample.Trace, most int) []string {
	loop, _ := t.LoopStart()
	return unrolled(m, t.Steps(), loop, most)
}

// asSequence writes a run as other tools do, which know of no loop.
func asSequence(m *lts.LTS, r oracle.Run) string {
	var text strings.Builder
	for _, step := range r.Transitions {
		fmt.Fprintf(&text, "%q\n", m.Alphabet().Text(step.Label))
	}
	if r.Loop == oracle.NoLoop {
		text.WriteString("<deadlock>\n")
	}
	return text.String()
}

func asPlain(m *lts.LTS, r oracle.Run) string {
	return strings.Join(unrolled(m, r.Transitions, oracle.NoLoop, len(r.Transitions)), "\n") + "\n"
}

// asGraph writes a run with state numbers of its own, and some between them left
// out.
func asGraph(m *lts.LTS, r oracle.Run) string {
	var text strings.Builder
	fmt.Fprintf(&text, "des (1, %d, 2)\n", len(r.Transitions))
	for i, step := range r.Transitions {
		to := i + 1
		if to == len(r.Transitions) && r.Loop != oracle.NoLoop {
			to = r.Loop
		}
		fmt.Fprintf(&text, "(%d, %q, %d)\n", 2*i+1, m.Alphabet().Text(step.Label), 2*to+1)
	}
	return text.String()
}

// TestFormatsAreMatched writes counterexamples as files of each format and finds
// them in the model again.
func TestFormatsAreMatched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Small()).Draw(t, "case")
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		shortest := o.ShortestCounterexamples()
		if len(shortest) == 0 || len(shortest[0].Transitions) == 0 {
			t.Skip("the property holds, or fails at once")
		}
		run := rapid.SampledFrom(shortest).Draw(t, "run")
		e := enriched(t, c.Model, c.Formula)
		for name, text := range map[string]string{
			"x.seq": asSequence(c.Model, run), "x.trc": asPlain(c.Model, run), "x.aut": asGraph(c.Model, run),
		} {
			trace, note, err := matched(e, name, text)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			// A format that knows of no loop gives one round only.
			most := len(run.Transitions)
			if name == "x.aut" {
				most = 100
			}
			want := unrolled(c.Model, run.Transitions, run.Loop, most)
			if got := unrolledTrace(c.Model, trace, most); !slices.Equal(got, want) || note.Completed > 0 || note.Skipped > 0 {
				t.Fatalf("%s: labels are %q, note %+v, want %q", name, got, note, want)
			}
		}
	})
}

// TestOwnSequencesAreRead reads what package report writes, loops included: a
// change of its comments must not go unnoticed.
func TestOwnSequencesAreRead(t *testing.T) {
	lassos := 0
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Small()).Draw(t, "case")
		f, err := actl.Parse(context.Background(), c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		x, err := explain.Explain(context.Background(), c.Model, f, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if x.Trace() == nil {
			t.Skip("the property holds")
		}
		var text bytes.Buffer
		if err := render.Sequence(&text, x, false); err != nil {
			t.Fatal(err)
		}
		trace, note, err := matched(enriched(t, c.Model, c.Formula), "x.seq", text.String())
		if err != nil || note.Closed || note.Completed > 0 {
			t.Fatalf("note %+v, error %v\n%s", note, err, text.String())
		}
		if got, want := unrolledTrace(c.Model, trace, 100), unrolledTrace(c.Model, x.Trace(), 100); !slices.Equal(got, want) {
			t.Fatalf("labels are %q, want %q", got, want)
		}
		if trace.Kind() == counterexample.Lasso {
			lassos++
		}
		if text.Reset(); len(x.Abstracted.Steps) == 0 {
			return
		}
		if err := render.Sequence(&text, x, true); err != nil {
			t.Fatal(err)
		}
		if _, _, err := matched(nil, "x.seq", text.String()); err == nil || !strings.Contains(err.Error(), "this is an abstraction") {
			t.Fatalf("an abstraction was taken for a run: error %v", err)
		}
	})
	if lassos == 0 {
		t.Error("no lasso was tried")
	}
}

// TestRealTraces matches counterexamples that CLEAR wrote, of safety properties:
// paths to a state in which something has happened that must not happen. Of an
// inevitability property they are part of a counterexample at most. The courier and
// its traces are written as CLEAR writes them, with the numbers of states of a larger
// model.
func TestRealTraces(t *testing.T) {
	const courier = "internal/counterexample/sequence/testdata/models/"
	for _, c := range []struct{ model, trace, formula, want string }{
		{courier + "courier.aut", courier + "lost.aut", "Inev(SEND, LOSE)",
			`the trace does not violate the property: step 3 ("LOSE") completes it`},
		{courier + "courier.aut", courier + "lost.aut", "Inev(LOSE, SEND)",
			`the trace is only the beginning of a run: after step 4 (state 8) the property can still be satisfied; the model offers "SEND", "CANCEL" there`},
		{courier + "courier.aut", courier + "delivered.aut", "Inev(PAY, DELIVER)", "ORDER SEND DELIVER | PAY"},
		{courier + "courier.aut", "examples/figure2/figure2.aut", "Inev(LOSE)",
			`no run of the model fits the trace: the one that gets furthest stops in the beginning (state 0), where the trace goes on with "A" and the model offers "ORDER"`},
		{courier + "courier.aut", courier + "orders.trc", "Inev(SEND)",
			`step 1, "add(order, [b_r1, b_r2])", is not a step of the model: in the beginning (state 0) it offers "ORDER"`},

		{"iteration.aut", "traces/iteration_counterexample.aut", "Inev(LOSS, REC)",
			`the trace does not violate the property: step 3 ("REC") completes it`},
		{"iteration.aut", "traces/iteration_counterexample.aut", "Inev(REC, LOSS)", "WAIT LOSS REC | EXEC2 exit"},
		{"iteration.aut", "traces/iteration_counterexample.aut", "Inev(EXEC2)",
			`the trace is only the beginning of a run: after step 3 (state 15) the property can still be satisfied; the model offers "EXEC2" there`},
		{"allbad.aut", "traces/allbad_counterexample.aut", "Inev(EXEC1, EXEC2)",
			`the trace does not violate the property: step 7 ("EXEC2") completes it`},
		{"allbad.aut", "traces/allbad_counterexample.aut", "Inev(EXEC2, EXEC1)",
			"INIT EXEC1 WAIT STORE WAIT WAIT EXEC2 | WAIT WAIT SEND WAIT WAIT REC exit"},
		{"isolated.aut", "traces/isolated_counterexample.aut", "Inev(EXEC, SEND)",
			"WAIT INIT INIT CONNECT INIT WAIT SEND EXEC | WAIT CONN_LOSS exit"},
		{"isolated.aut", "traces/isolated_counterexample.aut", "Inev(SEND, EXEC)",
			`the trace does not violate the property: step 8 ("EXEC") completes it`},
		{"iteration.aut", "traces/isolated_counterexample.aut", "Inev(LOSS)",
			`step 2, "INIT", is not a step of the model: after step 1 (state 64) it offers "REC", "LOSS", "EXEC1"`},
		{"isolated.aut", "traces/lift-error.trc", "Inev(SEND)",
			`step 1, "occur(add_car)", is not a step of the model: in the beginning (state 0) it offers "INIT", "WAIT"`},
	} {
		model, there := collection.Find(t, c.model)
		if !there {
			continue
		}
		t.Run(c.trace+" for "+c.formula, func(t *testing.T) {
			m, _, err := aut.Open(context.Background(), model, aut.Options{})
			if err != nil {
				t.Fatal(err)
			}
			traces, _ := collection.Find(t, c.trace)
			all, _, err := sequence.Open(context.Background(), traces)
			if err != nil {
				t.Fatal(err)
			}
			trace, note, err := counterexample.Match(context.Background(), fate.OfChain(enriched(t, m, c.formula)), all[0], counterexample.MatchOptions{})
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				labels := unrolled(m, trace.Steps(), -1, trace.Len())
				labels = slices.Insert(labels, trace.Len()-note.Completed, "|")
				got = strings.Join(labels, " ")
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestAnyLabelIsReadBack: a label may hold any bytes; what package report writes as a
// sequence, with all but quotes and line feeds, is read as it is.
func TestAnyLabelIsReadBack(t *testing.T) {
	part := rapid.SampledFrom([]string{"\x00", "\x01", "\x02", "a", " ", "\t", "\r", "<deadlock>", "[]", "\\", "\xff", "\ufeff", "des (0,1,1)", "é", "(", "\x1f\x8b", "The loop begins here", `"`, "\n"})
	label := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(part, 0, 4).Draw(t, "parts"), "")
	})
	written := 0
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfNDistinct(label, 1, 4, rapid.ID[string]).Draw(t, "labels")
		var b lts.Builder
		for i, text := range labels {
			b.Add(lts.State(i), b.Label(text), lts.State(i+1))
		}
		if rapid.Bool().Draw(t, "loop") {
			b.Add(lts.State(len(labels)), b.Label(labels[0]), lts.State(rapid.IntRange(0, len(labels)).Draw(t, "to")))
		}
		m, err := b.Build(0, len(labels)+1)
		if err != nil {
			t.Fatal(err)
		}
		f, err := actl.Parse(context.Background(), `Inev("never")`)
		if err != nil {
			t.Fatal(err)
		}
		x, err := explain.Explain(context.Background(), m, f, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		err = render.Sequence(&text, x, false)
		cannot := strings.ContainsAny(strings.Join(labels, ""), "\"\n")
		if (err != nil) != cannot {
			t.Fatalf("labels %q: error %v", labels, err)
		}
		if cannot {
			return
		}
		written++
		trace, _, err := matched(enriched(t, m, `Inev("never")`), "x.seq", text.String())
		if err != nil {
			t.Fatalf("%q: %v", text.String(), err)
		}
		if got, want := unrolledTrace(m, trace, 20), unrolledTrace(m, x.Trace(), 20); !slices.Equal(got, want) {
			t.Fatalf("labels are %q, want %q", got, want)
		}
	})
	if written == 0 {
		t.Error("nothing was written")
	}
}
