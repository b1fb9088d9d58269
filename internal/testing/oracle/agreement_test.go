package oracle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// TestAgreement shrinks what it finds: where a test in bulk fails, this one, run
// with -rapid.checks=100000, gives a smaller model.
func TestAgreement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if err := compare(randomlts.Generator(randomlts.Small()).Draw(t, "case"), (*comparison).enumerated); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAgreementOnMediumModels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if err := compare(randomlts.Generator(randomlts.Medium()).Draw(t, "case"), (*comparison).measured); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAgreementInBulk(t *testing.T) {
	compareInBulk(t, 20_000, randomlts.Small(), (*comparison).enumerated)
}

func TestAgreementOnMediumModelsInBulk(t *testing.T) {
	compareInBulk(t, 2_000, randomlts.Medium(), (*comparison).measured)
}

func compareInBulk(t *testing.T, cases uint64, size randomlts.Size, counterexample counterexampleCheck) {
	for seed := range randomlts.Share(cases) {
		c := randomlts.Seeded(seed, size)
		if err := compare(c, counterexample); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
	}
}

// comparison collects how the packages differ from the oracle on one case.
type comparison struct {
	m    *lts.LTS
	o    *oracle.Oracle
	p    *property.Chain
	errs []error

	// setting says which engine and queue the packages are using.
	setting string
}

// counterexampleCheck compares the counterexample t, nil if there is none,
// with what the oracle knows about counterexamples.
type counterexampleCheck func(x *comparison, t *counterexample.Trace)

// compare returns all differences between the packages and the oracle, nil
// where there are none.
func compare(c randomlts.Case, counterexample counterexampleCheck) error {
	o, err := oracle.New(c.Model, c.Steps)
	if err != nil {
		return err
	}
	formula, err := actl.Parse(context.Background(), c.Formula)
	if err != nil {
		return err
	}
	x := &comparison{m: c.Model, o: o}
	bound, _, _ := formula.Bind(context.Background(), c.Model.Alphabet())
	x.p, _ = bound.Chain()
	if err := x.sameSteps(c.Steps); err != nil {
		return err
	}
	x.inAllSettings(counterexample)
	return errors.Join(x.errs...)
}

func (x *comparison) differ(format string, args ...any) {
	x.errs = append(x.errs, fmt.Errorf(x.setting+": "+format, args...))
}

// sameSteps reports whether the formula was bound to the labels of the steps:
// without that, nothing else means anything.
func (x *comparison) sameSteps(steps []map[lts.Label]bool) error {
	if x.p.Len() != len(steps) {
		return fmt.Errorf("the property has %d steps, want %d", x.p.Len(), len(steps))
	}
	for i, step := range steps {
		for l, text := range x.m.Alphabet().All() {
			if x.p.Does(l, i+1) != step[l] {
				return fmt.Errorf("label %q does step %d: %v, want %v", text, i+1, !step[l], step[l])
			}
		}
	}
	return nil
}

// inAllSettings compares everything under each engine and each queue; the
// counterexample, which the queue does not concern, once for each engine.
func (x *comparison) inAllSettings(counterexample counterexampleCheck) {
	for _, engine := range []scc.Engine{"gonum", "iterative"} {
		x.setting = engine.String()
		components, err := scc.Find(context.Background(), x.m, engine)
		if err != nil {
			x.differ("%v", err)
			continue
		}
		x.components(components)
		x.counterexample(components, counterexample)
		for _, queue := range []enrich.Queue{"buckets", "heap"} {
			x.setting = engine.String() + ", " + queue.String()
			e, err := enrich.Enrich(context.Background(), components, x.p, enrich.Options{Queue: queue})
			if err != nil {
				x.differ("%v", err)
				continue
			}
			x.values(e)
			x.neighbourhoods(e, neighbourhood.All, oracle.All)
			x.neighbourhoods(e, neighbourhood.Some, oracle.Some)
		}
	}
}

func (x *comparison) values(e *enrich.Enriched) {
	if e.Holds() != x.o.Satisfied() {
		x.differ("Enriched.Holds is %v, want %v", e.Holds(), x.o.Satisfied())
	}
	for i := range x.m.NumStates() {
		s := lts.State(i)
		if !x.o.Reachable(s) {
			continue
		}
		got := [4]int{e.MP(s), e.CP(s), e.MS(s), e.CS(s)}
		want := [4]int{x.o.MP(s), x.o.CP(s), x.o.MS(s), x.o.CS(s)}
		if got != want {
			x.differ("state %d: mp, cp, ms, cs are %v, want %v", s, got, want)
		}
	}
}

func (x *comparison) neighbourhoods(e *enrich.Enriched, reading neighbourhood.Reading, oracleReading oracle.Reading) {
	n, err := neighbourhood.Classify(context.Background(), fate.OfChain(e), reading)
	if err != nil {
		x.differ("%v", err)
		return
	}
	x.classes(n)
	want := x.o.Neighbourhoods(oracleReading)
	for i := range x.m.NumStates() {
		s, got := lts.State(i), ""
		if kind, ok := n.Kind(s); ok {
			got = kind.String()
		}
		if got != string(want[s]) {
			x.differ("reading %s, state %d: neighbourhood of kind %q, want %q", reading, s, got, want[s])
		}
		if _, is := want[s]; n.Has(s) != is || slices.Contains(n.States(), s) != is {
			x.differ("reading %s: Has(%d) is %v and States are %v, want %v", reading, s, n.Has(s), n.States(), is)
		}
	}
}

func (x *comparison) classes(n *neighbourhood.Classification) {
	counts := make(map[oracle.Class]int)
	for t := range x.m.Transitions() {
		if !x.o.Reachable(t.From) {
			continue
		}
		want := x.o.Class(t)
		counts[want]++
		if got := n.Class(t.From, t.Label, t.To); got.String() != string(want) {
			x.differ("class of %v is %s, want %s", t, got, want)
		}
		for j := range x.p.Len() + 1 {
			want := x.o.ClassAfter(j, t)
			if got := n.Fates().After(property.Q(j), t.Label, t.To); got.String() != string(want) {
				x.differ("class of %v after progress %d is %s, want %s", t, j, got, want)
			}
		}
	}
	want := neighbourhood.Counts{Correct: counts[oracle.Correct], Incorrect: counts[oracle.Incorrect], Neutral: counts[oracle.Neutral]}
	if n.Counts() != want {
		x.differ("counts are %v, want %v", n.Counts(), want)
	}
}

// counterexample replays the shortest counterexample and compares it.
func (x *comparison) counterexample(c *scc.Components, check counterexampleCheck) {
	found, err := counterexample.Shortest(context.Background(), c.LTS(), x.p.Property(), counterexample.Options{Components: c})
	if err != nil {
		x.differ("%v", err)
		return
	}
	t := found.Trace
	if (t == nil) != x.o.Satisfied() {
		x.differ("the property is satisfied: %v, the counterexample is %v", x.o.Satisfied(), t)
		return
	}
	check(x, t)
	if t != nil {
		x.replay(t)
		x.fates(c, t)
	}
}

// enumerated wants the counterexample to be one of those that enumeration finds.
func (x *comparison) enumerated(t *counterexample.Trace) {
	shortest := x.o.ShortestCounterexamples()
	if t == nil {
		if len(shortest) > 0 {
			x.differ("no counterexample, want one of %v", shortest)
		}
		return
	}
	run := runOf(t)
	if !slices.ContainsFunc(shortest, func(r oracle.Run) bool {
		return r.Loop == run.Loop && slices.Equal(r.Transitions, run.Transitions)
	}) {
		x.differ("counterexample %v is none of %v", run, shortest)
	}
}

// measured wants the counterexample to have the right length.
func (x *comparison) measured(t *counterexample.Trace) {
	if length, found := x.o.ShortestLength(); found && (t == nil || t.Len() != length) {
		x.differ("counterexample %v, want one of length %d", t, length)
	}
}

func runOf(t *counterexample.Trace) oracle.Run {
	run := oracle.Run{Transitions: t.Steps(), Loop: oracle.NoLoop}
	if loop, ok := t.LoopStart(); ok {
		run.Loop = loop
	}
	return run
}

// replay checks without the packages that the run is one of the model's and
// violates the property, and with them that they see it so too.
func (x *comparison) replay(t *counterexample.Trace) {
	run := runOf(t)
	if err := x.o.Check(run); err != nil {
		x.differ("counterexample %v: %v", run, err)
	}
	if t.Len() != len(run.Transitions) {
		x.differ("Len is %d, of %d transitions", t.Len(), len(run.Transitions))
	}
	if (t.Kind() == counterexample.Lasso) != (run.Loop != oracle.NoLoop) {
		x.differ("counterexample %v is of kind %s", run, t.Kind())
	}
}

func (x *comparison) fates(c *scc.Components, t *counterexample.Trace) {
	e, err := enrich.Enrich(context.Background(), c, x.p, enrich.Options{})
	if err != nil {
		x.differ("%v", err)
		return
	}
	at, fates := t.Initial(), fate.OfChain(e)
	for i := range t.Len() + 1 {
		if i > 0 {
			at = t.Step(i - 1).To
		}
		if is, free := fates.At(at, t.At(i)), x.o.Free(at, int(t.At(i))); is.IsLost() == free {
			x.differ("after %d transitions of %v the run is %s, but free: %v", i, t.Steps(), is, free)
		}
	}
}

// components checks that two states are in one component iff each reaches the
// other, and how deep the components lie.
func (x *comparison) components(c *scc.Components) {
	for i := range x.m.NumStates() {
		s := lts.State(i)
		for j := range x.m.NumStates() {
			t := lts.State(j)
			want := x.o.Reachable(s) && x.o.Reaches(s, t) && x.o.Reaches(t, s)
			if c.Same(s, t) != want {
				x.differ("states %d and %d are in one component: %v, want %v", s, t, !want, want)
			}
		}
	}
}
