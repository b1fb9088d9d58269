package counterexample_test

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

func enriched(t failing, m *lts.LTS, p *property.Chain) *enrich.Enriched {
	t.Helper()
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

// evidence builds evidence from a text like those of the function labels: a path
// "A B", one to a deadlock "A B .", or a lasso "A [ B C ]". An underscore stands
// for a blank.
func evidence(t testing.TB, text string) *counterexample.Given {
	t.Helper()
	var b lts.Builder
	var steps []string
	loop, deadlock := -1, false
	for _, word := range strings.Fields(text) {
		switch word {
		case "[":
			loop = len(steps)
		case "]":
		case ".":
			deadlock = true
		default:
			steps = append(steps, strings.ReplaceAll(word, "_", " "))
		}
	}
	return lineEvidence(t, &b, steps, loop, deadlock)
}

func lineEvidence(t interface{ Fatal(...any) }, b *lts.Builder, steps []string, loop int, deadlock bool) *counterexample.Given {
	nodes := len(steps) + 1
	if loop >= 0 {
		nodes--
	}
	for i, label := range steps {
		to := i + 1
		if to == nodes {
			to = loop
		}
		b.Add(lts.State(i), b.Label(label), lts.State(to))
	}
	graph, err := b.Build(0, nodes)
	if err != nil {
		t.Fatal(err)
	}
	var ends []lts.State
	if deadlock {
		ends = append(ends, lts.State(len(steps)))
	}
	v, err := counterexample.NewGiven(graph, nil, ends...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

type matchCase struct {
	name        string
	transitions []string
	formula     string
	evidence    string
	skip        bool
	want        string // the trace as labels writes it, or the error
	note        string
}

func (c matchCase) run(t *testing.T) {
	m := model(t, c.transitions...)
	e := enriched(t, m, bind(t, m, c.formula))
	trace, note, err := counterexample.Match(context.Background(), fate.OfChain(e), evidence(t, c.evidence), counterexample.MatchOptions{SkipInternal: c.skip})
	got := labels(m, trace)
	if err != nil {
		got = err.Error()
	}
	if got != c.want {
		t.Errorf("got  %s\nwant %s", got, c.want)
	}
	if got := strings.Join(note.Sentences(), "; "); got != c.note {
		t.Errorf("note %s\nwant %s", got, c.note)
	}
}

func TestMatch(t *testing.T) {
	twice := []string{"0 A 1", "1 A 0", "1 B 2"}
	for _, c := range []matchCase{
		{name: "to a deadlock", transitions: []string{"0 A 1", "1 X 2", "1 B 3"}, formula: "Inev(A, B)", evidence: "A X .", want: "A X"},
		{name: "to a deadlock that is not said to be one", transitions: []string{"0 A 1", "1 X 2", "1 B 3"}, formula: "Inev(A, B)", evidence: "A X", want: "A X"},
		{name: "no step at all", formula: "Inev(A)", evidence: ".", want: ""},
		{name: "lasso", transitions: []string{"0 A 1", "1 B 0", "0 X 2", "2 Y 2"}, formula: "Inev(A, B)", evidence: "X [ Y ]", want: "X [ Y ]"},
		{name: "the second of two runs is the one", transitions: []string{"0 A 1", "0 A 2", "1 X 1", "2 X 3"}, formula: "Inev(B)", evidence: "A X .", want: "A X"},
		{name: "a way on is guessed that fits much later", transitions: []string{"0 A 1", "0 A 2", "1 A 3", "2 A 4", "3 B 5", "4 C 6"}, formula: "Inev(B)", evidence: "A A C .", want: "A A C"},
		{name: "two rounds for one", transitions: twice, formula: "Inev(B)", evidence: "[ A ]", want: "[ A A ]",
			note: "the loop of the trace is written out 2 times: only then does the model return to an earlier state"},
		{name: "the loop begins later in the model", transitions: []string{"0 A 1", "1 A 1", "1 B 1"}, formula: "Inev(B)", evidence: "[ A ]", want: "A [ A ]",
			note: "the loop of the trace is written out 2 times: only then does the model return to an earlier state"},
		{name: "blanks after commas", transitions: []string{"0 f(1,2) 1"}, formula: "Inev(B)", evidence: "f(1,_2) .", want: "f(1,2)"},
		{name: "labels have other numbers in the evidence", transitions: []string{"0 A 1", "1 B 2", "1 C 3"}, formula: "Inev(A, C, B)", evidence: "A C", want: "A C"},
	} {
		t.Run(c.name, c.run)
	}
}

func TestMatchOfAPart(t *testing.T) {
	lasso := []string{"0 A 1", "1 X 2", "2 Y 1", "2 B 3"}
	for _, c := range []matchCase{
		{name: "a lasso written once round", transitions: lasso, formula: "Inev(A, B)", evidence: "A X Y", want: "A [ X Y ]",
			note: "the trace ends neither in a deadlock nor in a loop; it is read as a lasso whose loop is written once, from state 1"},
		{name: "of two loops the longer one", transitions: []string{"0 X 0", "0 B 1"}, formula: "Inev(B)", evidence: "X X X", want: "[ X X X ]",
			note: "the trace ends neither in a deadlock nor in a loop; it is read as a lasso whose loop is written once, from state 0"},
		{name: "of two loops the one that violates", transitions: []string{"0 X 0", "0 B 0", "0 A 1"}, formula: "Inev(X, B, X)", evidence: "B X B", want: "B X [ B ]",
			note: "the trace ends neither in a deadlock nor in a loop; it is read as a lasso whose loop is written once, from state 0"},
		{name: "completed to a deadlock", transitions: []string{"0 A 1", "0 B 4", "1 X 2", "2 X 3"}, formula: "Inev(B)", evidence: "A", want: "A X X",
			note: "the trace stops before the run ends, in a state from which the property can no longer be satisfied; a shortest continuation of 2 transitions is added"},
		{name: "completed by a loop of its own", transitions: []string{"0 A 1", "0 B 4", "1 X 2", "2 X 3", "3 Y 2"}, formula: "Inev(B)", evidence: "A", want: "A X [ X Y ]",
			note: "the trace stops before the run ends, in a state from which the property can no longer be satisfied; a shortest continuation of 3 transitions is added"},
		{name: "completed by a way back into it", transitions: []string{"0 A 1", "1 X 2", "2 X 3", "3 Y 1"}, formula: "Inev(B)", evidence: "A X X", want: "A [ X X Y ]",
			note: "the trace stops before the run ends, in a state from which the property can no longer be satisfied; a shortest continuation of 1 transition is added"},
		{name: "all is lost from the beginning", transitions: []string{"0 A 1"}, formula: "Inev(B)", evidence: "", want: "A",
			note: "the trace stops before the run ends, in a state from which the property can no longer be satisfied; a shortest continuation of 1 transition is added"},
	} {
		t.Run(c.name, c.run)
	}
}

func TestMatchSkipsInternalActions(t *testing.T) {
	hidden := []string{"0 A 1", "1 i 2", "2 tau 3", "3 B 4", "4 i 5"}
	for _, c := range []matchCase{
		{name: "between steps and at the end", transitions: hidden, formula: "Inev(C)", evidence: "A B .", skip: true, want: "A i tau B i",
			note: "the trace leaves out 3 internal actions, which the run has"},
		{name: "those that are there match", transitions: hidden, formula: "Inev(C)", evidence: "A tau B i", skip: true, want: "A i tau B i",
			note: "the trace leaves out 1 internal action, which the run has"},
		{name: "divergence at the end", transitions: []string{"0 A 1", "1 i 2", "2 i 1", "1 B 3"}, formula: "Inev(B)", evidence: "A", skip: true, want: "A [ i i ]",
			note: "the trace leaves out 2 internal actions, which the run has"},
		{name: "no divergence between steps", transitions: []string{"0 i 0", "0 A 1", "1 B 1"}, formula: "Inev(B)", evidence: "A [ B ]", skip: true,
			want: `the trace does not violate the property: step 2 ("B") completes it`},
		{name: "no divergence where a deadlock is said to be", transitions: []string{"0 A 1", "1 i 1"}, formula: "Inev(B)", evidence: "A .", skip: true,
			want: `the trace ends in a deadlock, but after step 1 (state 1) the model offers "i"`},
		{name: "inside a loop", transitions: []string{"0 i 1", "1 X 2", "2 i 1", "2 B 2"}, formula: "Inev(B)", evidence: "[ X ]", skip: true, want: "i [ X i ]",
			note: "the trace leaves out 2 internal actions, which the run has"},
		{name: "a step of the property may be internal", transitions: []string{"0 i 1", "1 A 1", "0 A 2", "2 A 2"}, formula: "Inev(i)", evidence: "[ A ]", skip: true, want: "A [ A ]",
			note: "the loop of the trace is written out 2 times: only then does the model return to an earlier state"},
		{name: "internal actions complete the property", transitions: []string{"0 A 1", "1 i 2", "2 C 2"}, formula: "Inev(i)", evidence: "A [ C ]", skip: true,
			want: "the trace does not violate the property: with the internal actions that it leaves out, every run of the model that fits it satisfies it"},
		{name: "hint", transitions: hidden, formula: "Inev(C)", evidence: "A B .",
			want: `step 2, "B", is not a step of the model: after step 1 (state 1) it offers "i"; but it is a counterexample that leaves out internal actions: skip these`},
		{name: "no hint where it does not help", transitions: hidden, formula: "Inev(C)", evidence: "A C .",
			want: `step 2, "C", is not a step of the model: after step 1 (state 1) it offers "i"`},
	} {
		t.Run(c.name, c.run)
	}
}

func TestMatchRefuses(t *testing.T) {
	for _, c := range []matchCase{
		{name: "no step of the model", transitions: []string{"0 A 1", "1 B 2", "1 C 2", "1 D 2", "1 E 2"}, formula: "Inev(X)", evidence: "A FOO",
			want: `step 2, "FOO", is not a step of the model: after step 1 (state 1) it offers "B", "C" and 2 more`},
		{name: "first step", transitions: []string{"0 A 1", "0 A 2", "0 B 2"}, formula: "Inev(X)", evidence: "B B",
			want: `step 2, "B", is not a step of the model: after step 1 (state 2) it offers nothing, which is a deadlock`},
		{name: "in the beginning", transitions: []string{"0 A 1", "0 A 2", "0 B 2"}, formula: "Inev(X)", evidence: "C",
			want: `step 1, "C", is not a step of the model: in the beginning (state 0) it offers "A", "B"`},
		{name: "several states", transitions: []string{"0 A 2", "0 A 1", "0 A 3", "1 B 4", "2 C 4", "3 B 4"}, formula: "Inev(X)", evidence: "A D",
			want: `step 2, "D", is not a step of the model: after step 1 (state 1 or 2 others) it offers "B", "C"`},
		{name: "on the second round", transitions: []string{"0 A 1", "1 B 2", "2 A 3", "3 C 3"}, formula: "Inev(X)", evidence: "[ A B ]",
			want: `step 2, "B", is not a step of the model on round 2 of the loop: after step 3 (state 3) it offers "C"`},
		{name: "no deadlock", transitions: []string{"0 A 1", "1 B 2"}, formula: "Inev(B)", evidence: "A .",
			want: `the trace ends in a deadlock, but after step 1 (state 1) the model offers "B"`},
		{name: "deadlock in the beginning", transitions: []string{"0 A 1"}, formula: "Inev(B)", evidence: ".",
			want: `the trace ends in a deadlock, but in the beginning (state 0) the model offers "A"`},
		{name: "satisfied by a path", transitions: []string{"0 A 1", "1 B 2", "2 C 3"}, formula: "Inev(A, B)", evidence: "A B C .",
			want: `the trace does not violate the property: step 2 ("B") completes it`},
		{name: "satisfied before it breaks off", transitions: []string{"0 A 1", "1 B 2", "2 C 3"}, formula: "Inev(A, B)", evidence: "A B",
			want: `the trace does not violate the property: step 2 ("B") completes it`},
		{name: "satisfied by a lasso", transitions: []string{"0 A 0", "0 B 0"}, formula: "Inev(A, B)", evidence: "A [ B ]",
			want: `the trace does not violate the property: step 2 ("B") completes it`},
		{name: "satisfied on round 2", transitions: []string{"0 B 1", "1 A 0"}, formula: "Inev(A, B)", evidence: "[ B A ]",
			want: `the trace does not violate the property: step 1 ("B") completes it on round 2 of the loop`},
		{name: "only the beginning", transitions: []string{"0 A 1", "1 B 2", "1 X 3"}, formula: "Inev(A, B)", evidence: "A",
			want: `the trace is only the beginning of a run: after step 1 (state 1) the property can still be satisfied; the model offers "B", "X" there`},
		{name: "only the beginning of the beginning", transitions: []string{"0 A 1", "1 B 2", "1 X 3"}, formula: "Inev(A, B)", evidence: "",
			want: `the trace is only the beginning of a run: in the beginning (state 0) the property can still be satisfied; the model offers "A" there`},
	} {
		t.Run(c.name, c.run)
	}
}

// graphEvidence builds evidence from transitions written as for model.
func graphEvidence(t testing.TB, transitions ...string) *counterexample.Given {
	t.Helper()
	v, err := counterexample.NewGiven(model(t, transitions...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestMatchInKnownStates: of runs with the same labels, the one that passes the given states is matched, also if another one is shorter.
func TestMatchInKnownStates(t *testing.T) {
	m := model(t, "0 A 1", "1 A 0", "0 A 2", "2 A 3", "3 A 0")
	e := enriched(t, m, bind(t, m, "Inev(B)"))
	graph := model(t, "0 A 1", "1 A 2", "2 A 3", "3 A 4", "4 A 5", "5 A 0")
	for _, states := range [][]lts.State{{0, 1, 0, 1, 0, 1}, {0, 2, 3, 0, 2, 3}, {0, 2, 3, 0, 1, 0}, {0, 3, 2, 0, 2, 3}} {
		given, err := counterexample.NewGiven(graph, states)
		if err != nil {
			t.Fatal(err)
		}
		trace, _, err := counterexample.Match(context.Background(), fate.OfChain(e), given, counterexample.MatchOptions{})
		isRun := states[1] != 3 && states[5] != 0
		if (err == nil) != isRun {
			t.Errorf("%v: %v", states, err)
		}
		if err != nil {
			continue
		}
		for i, step := range trace.Steps() {
			if step.From != states[i] {
				t.Errorf("%v: step %d is from state %d", states, i, step.From)
			}
		}
	}
}

func TestMatchOfAGraph(t *testing.T) {
	transitions := []string{"0 A 1", "1 B 2", "1 X 3", "2 Y 2", "3 Z 1", "3 V 4"}
	for _, c := range []struct {
		name, formula string
		evidence      []string
		want          string
	}{
		{"a branch violates", "Inev(B)", []string{"0 A 1", "1 B 2", "2 Y 2", "1 X 3", "3 Z 1"}, "A [ X Z ]"},
		{"the shorter of two branches", "Inev(W)", []string{"0 A 1", "1 B 2", "2 Y 2", "1 X 3", "3 Z 5", "5 X 6", "6 V 4"}, "A B [ Y ]"},
		{"neither branch violates", "Inev(A)", []string{"0 A 1", "1 B 2", "2 Y 2", "1 X 3", "3 V 4"},
			"the trace does not violate the property: every run of the model that fits it satisfies it"},
		{"neither branch fits", "Inev(A)", []string{"0 A 1", "1 C 2", "1 X 3", "3 A 1", "3 B 2"},
			`no run of the model fits the trace: the one that gets furthest stops after step 2 (state 3), where the trace goes on with "A", "B" and the model offers "Z", "V"`},
		{"not even the first step", "Inev(A)", []string{"0 B 1", "0 C 2"},
			`no run of the model fits the trace: the one that gets furthest stops in the beginning (state 0), where the trace goes on with "B", "C" and the model offers "A"`},
		{"a branch breaks off", "Inev(B, Y, A)", []string{"0 A 1", "0 X 1", "1 B 2"}, "A B [ Y ]"},
		{"a branch breaks off while all is open", "Inev(B)", []string{"0 A 1", "0 X 1"},
			`the trace is only the beginning of a run: after step 1 (state 1) the property can still be satisfied; the model offers "B", "X" there`},
		{"a duplicate is no branch", "Inev(B)", []string{"0 A 1", "0 A 1", "1 C 2"},
			`step 2, "C", is not a step of the model: after step 1 (state 1) it offers "B", "X"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model(t, transitions...)
			e := enriched(t, m, bind(t, m, c.formula))
			trace, _, err := counterexample.Match(context.Background(), fate.OfChain(e), graphEvidence(t, c.evidence...), counterexample.MatchOptions{})
			got := labels(m, trace)
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Where the model has both spellings of a label, each stands for itself.
func TestMatchPrefersTheExactLabel(t *testing.T) {
	var b lts.Builder
	b.Add(0, b.Label("f(1,2)"), 1)
	b.Add(0, b.Label("f(1, 2)"), 2)
	m, err := b.Build(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	e := enriched(t, m, bind(t, m, "Inev(B)"))
	for text, last := range map[string]lts.State{"f(1,2) .": 1, "f(1,_2) .": 2} {
		trace, _, err := counterexample.Match(context.Background(), fate.OfChain(e), evidence(t, text), counterexample.MatchOptions{})
		if err != nil || trace.Last() != last {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

func TestMatchTakesOtherInternalActions(t *testing.T) {
	m := model(t, "0 A 1", "1 step 2", "2 i 3")
	e := enriched(t, m, bind(t, m, "Inev(B)"))
	o := counterexample.MatchOptions{SkipInternal: true, Internal: []string{"step", "unknown"}}
	trace, note, err := counterexample.Match(context.Background(), fate.OfChain(e), evidence(t, "A i ."), o)
	if err != nil || labels(m, trace) != "A step i" || note.Skipped != 1 {
		t.Errorf("%s, %+v, error %v", labels(m, trace), note, err)
	}
	if _, _, err := counterexample.Match(context.Background(), fate.OfChain(e), evidence(t, "A step ."), o); err == nil {
		t.Error("i must not be skipped where other labels are the internal ones")
	}
}

func TestNewEvidence(t *testing.T) {
	g := model(t, "0 A 1", "1 B 2")
	for _, node := range []lts.State{1, 3} {
		if _, err := counterexample.NewGiven(g, nil, node); err == nil {
			t.Errorf("node %d was taken for a deadlock", node)
		}
	}
	v, err := counterexample.NewGiven(g, nil, 2)
	if err != nil || !v.IsDeadlock(2) || v.IsDeadlock(0) || v.Graph() != g {
		t.Errorf("%+v, error %v", v, err)
	}
	if steps, loop, ok := evidence(t, "A [ B C ]").Line(); !ok || loop != 1 || strings.Join(steps, " ") != "A B C" {
		t.Errorf("line is %v, loop %d, %v", steps, loop, ok)
	}
	if steps, _, ok := graphEvidence(t, "0 A 1", "1 B 2", "1 B 3").Line(); ok {
		t.Errorf("two ways on are no line, but %v", steps)
	}
}

func TestMatchHonoursContext(t *testing.T) {
	m := model(t, "0 A 1", "1 i 1")
	e := enriched(t, m, bind(t, m, "Inev(B)"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := counterexample.Match(ctx, fate.OfChain(e), evidence(t, "A"), counterexample.MatchOptions{}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
