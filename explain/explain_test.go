package explain_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

type fataler interface {
	Fatal(...any)
	Fatalf(string, ...any)
}

func parse(t fataler, formula string) *actl.Formula {
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func explained(t fataler, m *lts.LTS, formula string, o explain.Options) *explain.Explanation {
	e, err := explain.Explain(context.Background(), m, parse(t, formula), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// real reads a model of the collection, nil if it is not there.
func real(t *testing.T, name string) *lts.LTS {
	t.Helper()
	path, there := collection.Find(t, name)
	if !there {
		return nil
	}
	m, _, err := aut.Open(context.Background(), path, aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func names(e *explain.Explanation) (names []string) {
	for n := range e.Neighbourhoods().All() {
		names = append(names, e.Name(n.State)+" "+n.Kind.String())
	}
	return names
}

// TestRealModels compares with what is known of them, from papers or by hand.
func TestRealModels(t *testing.T) {
	for _, c := range []struct{ file, formula, want string }{
		{"examples/figure2/figure2.aut", "Inev(A, B, C)",
			"{Correct:3 Incorrect:0 Neutral:3 Excluded:0} [2 correct]; deadlock of 3, 1 done; abstracted to [X Y]; no return by Y in 2; decisions [Y, not B correct]; loss {Steps:3 Step:2}"},
		{"examples/travel/travel.aut", "Inev({REFUSAL_EM, BOOKING_REC}, {REFUSAL_REC, TICKET_REC, VOUCHER_REC})",
			"{Correct:217 Incorrect:0 Neutral:0 Excluded:0} [0 correct]; holds"},
		{"sanitary_agency.aut", "Inev(REQ_EM, PROVT_REC)",
			"{Correct:73 Incorrect:75 Neutral:24 Excluded:0} [67 mixed 74 mixed-neutral 75 mixed-neutral 77 mixed-neutral 85 incorrect]; deadlock of 8, 0 done; " +
				"abstracted to [PROVINF_REC REFUSAL_EM]; no return by REFUSAL_EM in 85; decisions [REFUSAL_EM, not ACCEPTANCE_EM neutral]; loss {Steps:7 Step:1}"},
		{"iteration.aut", "Inev(LOSS, REC)",
			"{Correct:20 Incorrect:7 Neutral:78 Excluded:0} [5 correct 12 correct 22 mixed 28 correct 34 correct 40 correct 46 correct 52 correct 58 correct 64 mixed-neutral]; " +
				"deadlock of 5, 1 done; abstracted to [WAIT REC]; no return by REC in 64; decisions [REC, not LOSS correct]; loss {Steps:2 Step:2}"},
		{"commproc.aut", `Inev("DEPLOY !1", "START !1")`, "{Correct:646 Incorrect:0 Neutral:0 Excluded:0} [0 correct]; holds"},
	} {
		m := real(t, c.file)
		if m == nil {
			continue
		}
		if got := inShort(t, explained(t, m, c.formula, explain.Options{})); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.file, got, c.want)
		}
	}
}

func inShort(t *testing.T, e *explain.Explanation) string {
	t.Helper()
	text := fmt.Sprintf("%+v %v; ", *e.Classes, names(e))
	c := e.Counterexample
	if e.Verdict == explain.Satisfied {
		if c != nil || e.Abstracted != nil || e.Loss != nil || e.PointOfNoReturn != nil {
			t.Errorf("explanation %+v", e)
		}
		return text + "holds"
	}
	text += fmt.Sprintf("%s of %d, %d done; ", c.Kind, len(c.Steps), c.Done)
	var kept, decided []string
	for _, i := range e.Abstracted.Steps {
		kept = append(kept, c.Steps[i].Label)
	}
	for _, d := range e.Decisions {
		decided = append(decided, fmt.Sprintf("%s, not %s %s", d.Chosen.Label, d.Alternatives[0].Label, d.Alternatives[0].After))
	}
	p := e.PointOfNoReturn
	if c.Steps[p.Step].Label != p.Label {
		t.Errorf("the point of no return %+v is not step %d", p, p.Step)
	}
	return text + fmt.Sprintf("abstracted to %v; no return by %s in %d; decisions %v; loss %+v", kept, p.Label, p.State, decided, *e.Loss)
}

// TestUnfoldedModels: where states mix histories, neighbourhoods are found only once
// the model is unfolded. By Definition 12 the alternating bit protocol of mCRL2 has
// none, unfolded it has two; the other one does A or does not, round by round.
func TestUnfoldedModels(t *testing.T) {
	rounds := modelOf(t, "des (0, 2, 1)\n(0, A, 0)\n(0, SKIP, 0)\n")
	for _, c := range []struct {
		m        *lts.LTS
		formula  string
		classes  explain.Classes
		length   int
		unfolded int
	}{
		{rounds, "Inev(A)", explain.Classes{Correct: 1, Neutral: 1}, 1, 1},
		{real(t, "abp.aut"), "Inev(r1(d1))", explain.Classes{Correct: 46, Neutral: 46}, 7, 2},
	} {
		if c.m == nil {
			continue
		}
		e := explained(t, c.m, c.formula, explain.Options{})
		if *e.Classes != c.classes || e.Neighbourhoods().Len() != 0 || len(e.Counterexample.Steps) != c.length {
			t.Errorf("classes %+v, %d neighbourhoods, length %d", e.Classes, e.Neighbourhoods().Len(), len(e.Counterexample.Steps))
		}
		if len(e.Decisions) != 1 || e.Decisions[0].Kind != 0 || e.Decisions[0].Alternatives[0].After.String() != "correct" {
			t.Errorf("decisions %+v", e.Decisions)
		}
		u := explained(t, c.m, c.formula, explain.Options{Unfold: true})
		if u.Neighbourhoods().Len() != c.unfolded || !u.IsUnfolded() || u.Name(u.Counterexample.Steps[0].From) != "0·0" {
			t.Errorf("unfolded: neighbourhoods %v", names(u))
		}
		if u.Folded == nil || u.Folded.Neighbourhoods != 0 || u.Folded.Classes != *e.Classes {
			t.Errorf("folded %+v", u.Folded)
		}
	}
}

func modelOf(t *testing.T, text string) *lts.LTS {
	t.Helper()
	m, _, err := aut.Read(context.Background(), strings.NewReader(text), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func draw(t *rapid.T) (randomlts.Case, *oracle.Oracle) {
	c := randomlts.Generator(randomlts.Small()).Draw(t, "model")
	o, err := oracle.New(c.Model, c.Steps)
	if err != nil {
		t.Fatal(err)
	}
	return c, o
}

// TestDecisionsAreTrue shrinks what the test in bulk finds.
func TestDecisionsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, o := draw(t)
		checkDecisions(t, c, o)
	})
}

// TestDecisionsAreTrueInBulk counts the loops whose rounds make progress: there the
// choices of the first round can mean something else.
func TestDecisionsAreTrueInBulk(t *testing.T) {
	late := 0
	for seed := range randomlts.Share(10_000) {
		c := randomlts.Seeded(seed, randomlts.Small())
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		if e := checkDecisions(t, c, o); e.Counterexample != nil && len(e.Counterexample.Late) > 0 {
			late++
		}
	}
	if randomlts.Whole() && late < 20 {
		t.Errorf("only %d loops make progress after their first round", late)
	}
}

// checkDecisions checks every sentence's ground against the oracle: the fates, what
// each alternative would have meant for the run, and what is lost.
func checkDecisions(t fataler, c randomlts.Case, o *oracle.Oracle) *explain.Explanation {
	e := explained(t, c.Model, c.Formula, explain.Options{})
	if (e.Verdict == explain.Satisfied) != o.Satisfied() {
		t.Fatalf("verdict %s", e.Verdict)
	}
	if e.Counterexample == nil {
		return e
	}
	kinds := o.Neighbourhoods(oracle.All)
	decisions := 0
	for i, step := range e.Counterexample.Steps {
		first := int(e.Trace().At(i))
		progress := first
		if start, loops := e.Trace().LoopStart(); loops && i >= start {
			progress = e.Counterexample.Done
		}
		if free := o.Free(step.To, step.Progress); free != (step.Fate.String() == "free") {
			t.Fatalf("step %d: fate %s", i+1, step.Fate)
		}
		_, is := kinds[step.From]
		if step.Neighbourhood.Is() != is {
			t.Fatalf("step %d: neighbourhood %v", i+1, step.Neighbourhood)
		}
		if e.Counterexample.InitialFate.String() == "fated" {
			continue // nothing is decided
		}
		if decisions == len(e.Decisions) || int(e.Decisions[decisions].Step) != i {
			checkNoDecision(t, o, e, i, progress)
			continue
		}
		d := e.Decisions[decisions]
		decisions++
		if int(d.Step) != i || d.State != step.From || d.Progress != progress || d.FirstProgress != first || string(kinds[step.From]) != d.Kind.String() {
			t.Fatalf("step %d: decision %+v", i+1, d)
		}
		for _, choice := range append(d.Alternatives, d.Chosen) {
			l, _ := c.Model.Alphabet().Lookup(choice.Label)
			transition := lts.Transition{From: d.State, Label: l, To: choice.To}
			if want := string(o.ClassAfter(progress, transition)); choice.After.String() != want {
				t.Fatalf("step %d: %v is %s for this run, want %s", i+1, choice, choice.After, want)
			}
			if want := string(o.ClassAfter(first, transition)); choice.First.String() != want {
				t.Fatalf("step %d: %v is %s for this run at first, want %s", i+1, choice, choice.First, want)
			}
		}
	}
	if decisions != len(e.Decisions) {
		t.Fatalf("%d decisions of %d", decisions, len(e.Decisions))
	}
	checkLoss(t, c, o, e)
	return e
}

// checkNoDecision checks that at step i, with this progress, no choice is better than that of
// the run, and that the run does not pass the point of no return.
func checkNoDecision(t fataler, o *oracle.Oracle, e *explain.Explanation, i, progress int) {
	hope := map[oracle.Class]int{oracle.Correct: 2, oracle.Neutral: 1}
	step := e.Trace().Step(i)
	labels, targets := e.LTS().Out(step.From)
	for j, to := range targets {
		other := lts.Transition{From: step.From, Label: labels.At(j), To: to}
		if hope[o.ClassAfter(progress, other)] > hope[o.ClassAfter(progress, step)] {
			t.Fatalf("step %d is a decision, for %v", i+1, other)
		}
	}
	if e.PointOfNoReturn != nil && int(e.PointOfNoReturn.Step) == i {
		t.Fatalf("step %d passes the point of no return", i+1)
	}
}

// checkLoss checks what is lost by going through all continuations.
func checkLoss(t fataler, c randomlts.Case, o *oracle.Oracle, e *explain.Explanation) {
	last := e.Trace().Len()
	if free := o.Free(e.Trace().Last(), int(e.Trace().At(last))); free != (e.Loss == nil) {
		t.Fatalf("loss %+v, free at the end: %v", e.Loss, free)
	}
	if e.Loss == nil {
		return
	}
	type place struct {
		state    lts.State
		progress int
	}
	at := e.Trace().Initial()
	if e.Loss.Steps > 0 {
		at = e.Trace().Step(e.Loss.Steps - 1).To
	}
	open := []place{{at, int(e.Trace().At(e.Loss.Steps))}}
	seen := map[place]bool{open[0]: true}
	furthest := 0
	for i := 0; i < len(open); i++ {
		furthest = max(furthest, open[i].progress)
		labels, targets := c.Model.Out(open[i].state)
		for j, to := range targets {
			next := place{to, open[i].progress}
			if next.progress < len(c.Steps) && c.Steps[next.progress][labels.At(j)] {
				next.progress++
			}
			if !seen[next] {
				seen[next] = true
				open = append(open, next)
			}
		}
	}
	if e.Loss.Step != furthest+1 {
		t.Fatalf("loss %+v, but continuations do %d steps", e.Loss, furthest)
	}
}

// TestUnfoldedDecidesForTheRun: unfolded, the class of a transition on the run is
// what it means for the run.
func TestUnfoldedDecidesForTheRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, o := draw(t)
		e := explained(t, c.Model, c.Formula, explain.Options{Unfold: true})
		if (e.Verdict == explain.Satisfied) != o.Satisfied() {
			t.Fatalf("verdict %s", e.Verdict)
		}
		if e.Counterexample == nil {
			return
		}
		if shortest, _ := o.ShortestLength(); e.Counterexample.Shortest != (e.Trace().Len() == shortest) {
			t.Fatalf("length %d said to be shortest: %v", e.Trace().Len(), e.Counterexample.Shortest)
		}
		for _, d := range e.Decisions {
			for _, choice := range append(d.Alternatives, d.Chosen) {
				if choice.Class != choice.After {
					t.Fatalf("choice %+v: class and meaning differ", choice)
				}
			}
		}
	})
}

func TestCheckComputesNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, o := draw(t)
		e, err := explain.Check(context.Background(), c.Model, parse(t, c.Formula), explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if (e.Verdict == explain.Satisfied) != o.Satisfied() || (e.Counterexample == nil) != o.Satisfied() {
			t.Fatalf("verdict %s", e.Verdict)
		}
		if e.Classes != nil || e.Model.SCCs != 0 || e.Neighbourhoods().Len() != 0 {
			t.Fatalf("explanation %+v", e)
		}
	})
}

func TestDescribe(t *testing.T) {
	var b lts.Builder
	add := func(from lts.State, label string, to lts.State) { b.Add(from, b.Label(label), to) }
	add(0, "a", 1)
	add(0, "a", 2)
	add(1, "i", 2)
	add(2, "i", 1)
	add(1, "b", 1)
	add(4, "c", 0)
	m, err := b.Build(0, 5)
	if err != nil {
		t.Fatal(err)
	}
	s, err := explain.Describe(context.Background(), m, []string{"i", "tau"}, "", explain.Source{File: "m.aut"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Model.ReachableStates != 3 || s.Model.SCCs != 2 || s.LargestSCC != 2 || s.CyclicSCCs != 1 || s.Nondeterministic != 1 ||
		s.InternalTransitions != 2 || s.Divergent != 2 || s.MaxOutDegree != 2 || !slices.Equal(s.Internal, []string{"i"}) {
		t.Errorf("statistics %+v", s)
	}
}

func TestExplainHonoursContext(t *testing.T) {
	var b lts.Builder
	const n = 200_000
	for s := range n {
		b.Add(lts.State(s), b.Label("x"), lts.State((s+1)%n))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := explain.Explain(ctx, m, parse(t, "Inev(y)"), explain.Options{}); err != context.Canceled {
		t.Fatalf("error %v", err)
	}
}

// TestNoPaths: what leaves out shortest paths to neighbourhoods leaves out nothing else.
func TestNoPaths(t *testing.T) {
	several := 0
	for seed := range uint64(200) {
		c := randomlts.Seeded(seed, randomlts.Medium())
		full := explained(t, c.Model, c.Formula, explain.Options{})
		without := explained(t, c.Model, c.Formula, explain.Options{NoPaths: true})
		want := slices.Collect(full.Neighbourhoods().All())
		for i := range want {
			want[i].Distance = -1
		}
		if got := slices.Collect(without.Neighbourhoods().All()); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v, want %v\n%s", seed, got, want, c)
		}
		if len(want) > 1 {
			several++
		}
		if !reflect.DeepEqual(without.Decisions, full.Decisions) || !reflect.DeepEqual(without.Counterexample, full.Counterexample) || !reflect.DeepEqual(without.Repair, full.Repair) {
			t.Fatalf("seed %d: another explanation\n%s", seed, c)
		}
	}
	if several < 20 {
		t.Errorf("only %d models have several neighbourhoods", several)
	}
}

// TestPathsWithinLabels: the paths to neighbourhoods have as many labels as their distance says,
// and one is left out where it would make the labels of all too many, and only there.
func TestPathsWithinLabels(t *testing.T) {
	left, listed := 0, 0
	for seed := range uint64(200) {
		c := randomlts.Seeded(seed, randomlts.Medium())
		found := explained(t, c.Model, c.Formula, explain.Options{}).Neighbourhoods()
		for _, most := range []int{0, 1, 3, 1000} {
			rest := most
			for n := range found.WithPaths(most) {
				switch {
				case n.Distance > rest:
					left++
					if n.ShortestPath != nil {
						t.Fatalf("seed %d: a path of %d labels where %d of %d are left", seed, len(n.ShortestPath), rest, most)
					}
				case n.ShortestPath == nil || len(n.ShortestPath) != n.Distance:
					t.Fatalf("seed %d: path %v, want one of %d labels", seed, n.ShortestPath, n.Distance)
				default:
					listed++
				}
				rest -= len(n.ShortestPath)
			}
		}
	}
	if left < 50 || listed < 50 {
		t.Errorf("only %d paths left out, %d listed", left, listed)
	}
}
