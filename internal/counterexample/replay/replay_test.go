package replay_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/counterexample/eventlog"
	"github.com/inev-lts/inev/internal/counterexample/replay"
	"github.com/inev-lts/inev/internal/neighbourhood/monitor"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// formulas are properties of several classes over the labels of random models.
var formulas = []string{
	"Inev(A, B)", "Response(A; B)", "Never(A, B)", "Precedes(A; B)", "AtMost(1; A)", "DeadlockFree", "Always({A, B}; after C)",
	"G (A -> F B)", "F G !A", "G F A || X X B", "!A U C",
}

// drawn is a random case: a model, a log, a property.
type drawn struct {
	m      *lts.LTS
	log    []string
	text   string
	p      *property.Property
	free   map[string]bool
	begins bool
}

// draw draws a case. Some logs are walks through the model that were changed a little.
func draw(t testing.TB, seed uint64) drawn {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 36))
	d := drawn{m: randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 10, Labels: 4, Steps: 2}).Model, free: map[string]bool{}}
	texts := []string{"nowhere"}
	for _, text := range d.m.Alphabet().All() {
		texts = append(texts, text)
		if r.IntN(5) == 0 {
			d.free[text] = true
		}
	}
	at := d.m.Initial()
	for range r.IntN(8) {
		labels, targets := d.m.Out(at)
		if len(targets) == 0 || r.IntN(5) == 0 {
			d.log = append(d.log, texts[r.IntN(len(texts))])
			continue
		}
		k := r.IntN(len(targets))
		if text := d.m.Alphabet().Text(labels.At(k)); r.IntN(6) > 0 && (!d.free[text] || r.IntN(3) == 0) {
			d.log = append(d.log, text)
		}
		at = targets[k]
	}
	if d.begins = r.IntN(6) == 0 && !d.m.IsDeadlock(d.m.Initial()) && len(d.m.Incoming(d.m.Initial())) == 0; d.begins {
		var err error
		if d.m, err = d.m.Refined(context.Background(), nil, func(lts.State) lts.Facts { return 0 }, true); err != nil {
			t.Fatal(err)
		}
	}
	d.text = formulas[r.IntN(len(formulas))]
	f, err := formula.Parse(context.Background(), d.text)
	if err != nil {
		t.Fatal(err)
	}
	happening, err := d.m.Happening(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if d.p, _, err = f.Bind(context.Background(), happening); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d drawn) isFree(t lts.Transition) bool {
	return d.free[d.m.Alphabet().Text(t.Label)] || d.begins && t.From == d.m.Initial()
}

// ends are the states in which alignments end; no run is where it has not begun.
func (d drawn) ends(a *oracle.Alignments) []lts.State {
	return slices.DeleteFunc(a.Ends(), func(s lts.State) bool { return d.begins && s == d.m.Initial() })
}

func (d drawn) aligner(t testing.TB) *replay.Aligner {
	t.Helper()
	a, err := replay.New(context.Background(), d.m, replay.Options{Property: d.p, Unlogged: func(l string) bool { return d.free[l] }})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// gathered returns the log of one case with these events.
func gathered(t testing.TB, events []string) *replay.Log {
	t.Helper()
	r, err := eventlog.NewReader(context.Background(), strings.NewReader(strings.Join(events, "\n")), eventlog.Options{Name: "log", Format: "lines"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := replay.Gather(context.Background(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestAlignmentsAreThoseOfTheDefinition compares alignments of random models and logs with a
// table of all positions, states and states of the property.
func TestAlignmentsAreThoseOfTheDefinition(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(10_000) {
		d := draw(t, seed)
		want := oracle.NewAlignments(d.m, fromproperty.Automaton(d.p), d.log, d.isFree, d.begins)
		a := d.aligner(t)
		if seed%2 == 0 {
			a.Space(int(seed % 5))
		}
		r, err := a.Replay(context.Background(), gathered(t, d.log), 0)
		if err != nil {
			t.Fatal(err)
		}
		c := r.Cases[0]
		fail := func(format string, args ...any) {
			t.Fatalf("seed %d, log %v, %s, free %v: %s", seed, d.log, d.text, d.free, fmt.Sprintf(format, args...))
		}
		if c.Cost != want.Cost || c.Fits != (want.Cost == 0) || len(c.Deviations) != want.Cost {
			fail("%d deviations (%v), want %d", c.Cost, c.Deviations, want.Cost)
		}
		if ends := d.ends(want); !slices.Equal(c.States, ends) {
			fail("ends %v, want %v", c.States, ends)
		}
		fate, since := want.Fate()
		found := -1
		if c.Property.Since != nil {
			found = *c.Property.Since
		}
		if c.Property.Fate.String() != fate || found != since {
			fail("%s since %d, want %s since %d", c.Property.Fate, found, fate, since)
		}
		for _, v := range c.Deviations {
			from := v.State
			if v.Start {
				from = d.m.Initial()
			}
			if possible := want.Possible(from); !slices.Equal(possible, v.Possible) {
				fail("in state %d %v is possible, want %v", v.State, v.Possible, possible)
			}
		}
		if wrong := d.checkRun(r.Run, c.Deviations); wrong != "" {
			fail("%s", wrong)
		}
		met[fate]++
		met[fmt.Sprint("cost ", min(c.Cost, 3))]++
	}
	if randomlts.Whole() && (met["sure"] < 250 || met["lost"] < 250 || met["open"] < 250 || met["cost 3"] < 50 || met["cost 0"] < 500) {
		t.Errorf("met: %v", met)
	}
}

// TestLongLogs: logs with many deviations, which depend on each other, so that bounds are looked for.
func TestLongLogs(t *testing.T) {
	met := 0
	for seed := range randomlts.Share(300) {
		d := draw(t, seed)
		r := rand.New(rand.NewPCG(seed, 2))
		d.log = nil
		at := d.m.Initial()
		for range 30 + r.IntN(50) {
			labels, targets := d.m.Out(at)
			if len(targets) == 0 || r.IntN(6) == 0 {
				d.log = append(d.log, []string{"A", "B", "C", "D", "nowhere"}[r.IntN(5)])
				continue
			}
			k := r.IntN(len(targets))
			if r.IntN(6) > 0 {
				d.log = append(d.log, d.m.Alphabet().Text(labels.At(k)))
			}
			at = targets[k]
		}
		want := oracle.NewAlignments(d.m, fromproperty.Automaton(d.p), d.log, d.isFree, d.begins)
		a := d.aligner(t)
		a.Space(int(seed % 50))
		found, err := a.Replay(context.Background(), gathered(t, d.log), -1)
		if err != nil {
			t.Fatal(err)
		}
		c := found.Cases[0]
		fate, since := want.Fate()
		from := -1
		if c.Property.Since != nil {
			from = *c.Property.Since
		}
		if c.Cost != want.Cost || !slices.Equal(c.States, d.ends(want)) || c.Property.Fate.String() != fate || from != since {
			t.Fatalf("seed %d: cost %d, ends %v, %s since %d, want %d, %v, %s since %d", seed, c.Cost, c.States, c.Property.Fate, from, want.Cost, d.ends(want), fate, since)
		}
		if c.Cost > 8 {
			met++
		}
	}
	if met < 20 && randomlts.Whole() {
		t.Errorf("only %d logs with many deviations", met)
	}
}

// checkRun says what is wrong with a run that is aligned with the log by these deviations.
func (d drawn) checkRun(run []lts.Transition, deviations []replay.Deviation) string {
	at := d.m.Initial()
	for i, step := range run {
		labels, targets := d.m.Out(at)
		is := false
		for k, to := range targets {
			is = is || to == step.To && labels.At(k) == step.Label
		}
		if step.From != at || !is {
			return fmt.Sprintf("step %d of the run %v is none of the model", i, run)
		}
		at = step.To
	}
	if !d.aligned(d.m.Initial(), run, 1, deviations, map[[3]int]bool{}) {
		return fmt.Sprintf("the run %v is not aligned by %v", run, deviations)
	}
	return ""
}

// aligned reports whether a run goes with the log from an event on, by these deviations. What
// was tried in vain is remembered, by what is left.
func (d drawn) aligned(at lts.State, run []lts.Transition, event int, rest []replay.Deviation, tried map[[3]int]bool) bool {
	if len(run) == 0 && event > len(d.log) {
		return len(rest) == 0
	}
	key := [3]int{len(run), event, len(rest)}
	if tried[key] {
		return false
	}
	tried[key] = true
	of := func(kind replay.Kind) bool {
		return len(rest) > 0 && rest[0].Kind == kind && rest[0].Event == event && (rest[0].State == at || rest[0].Start && d.m.IsBefore(at))
	}
	if of(replay.InLog) && event <= len(d.log) && d.log[event-1] == rest[0].Label && d.aligned(at, run, event+1, rest[1:], tried) {
		return true
	}
	if len(run) == 0 {
		return false
	}
	step := run[0]
	text := d.m.Alphabet().Text(step.Label)
	switch {
	case d.isFree(step) && d.aligned(step.To, run[1:], event, rest, tried):
		return true
	case of(replay.InModel) && rest[0].Label == text && !d.isFree(step) && d.aligned(step.To, run[1:], event, rest[1:], tried):
		return true
	}
	return event <= len(d.log) && d.log[event-1] == text && !(d.begins && at == d.m.Initial()) && d.aligned(step.To, run[1:], event+1, rest, tried)
}

// TestWatchAgrees: on a log that fits, what is certain of all words is certain of the model;
// where the model allows all words, and to stop at any time, both say the same.
func TestWatchAgrees(t *testing.T) {
	var b lts.Builder
	for _, text := range []string{"A", "B", "C"} {
		b.Add(0, b.Label(text), 0)
		b.Add(0, b.Label(text), 1)
	}
	words, err := b.Build(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]int{}
	for seed := range randomlts.Share(3000) {
		d := draw(t, seed)
		whole := seed%2 == 0
		if whole {
			d.m, d.free, d.begins = words, nil, false
			r := rand.New(rand.NewPCG(seed, 1))
			d.log = nil
			for range r.IntN(7) {
				d.log = append(d.log, []string{"A", "B", "C"}[r.IntN(3)])
			}
			f, _ := formula.Parse(context.Background(), d.text)
			if d.p, _, err = f.Bind(context.Background(), words.Alphabet()); err != nil {
				t.Fatal(err)
			}
		}
		d.free = nil
		r, err := d.aligner(t).Replay(context.Background(), gathered(t, d.log), -1)
		if err != nil {
			t.Fatal(err)
		}
		c := r.Cases[0]
		if !c.Fits {
			continue
		}
		fate, since := watched(t, d)
		replayed, from := c.Property.Fate.String(), -1
		if c.Property.Since != nil {
			from = *c.Property.Since
		}
		switch {
		case whole && (fate != replayed || since != from):
			t.Fatalf("seed %d, %s, %v: %s since %d, watch says %s since %d", seed, d.text, d.log, replayed, from, fate, since)
		case !whole && !d.begins && fate != "open" && (replayed != fate || from > since):
			t.Fatalf("seed %d, %s, %v: %s since %d, but %s since %d for all words", seed, d.text, d.log, replayed, from, fate, since)
		}
		met[fate]++
	}
	if randomlts.Whole() && (met["sure"] < 20 || met["lost"] < 20 || met["open"] < 20) {
		t.Errorf("met: %v", met)
	}
}

// watched returns the verdict of a monitor, and the number of actions after which it was certain.
func watched(t *testing.T, d drawn) (string, int) {
	t.Helper()
	f, err := formula.Parse(context.Background(), d.text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := monitor.New(context.Background(), f.(monitor.Formula))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		if fate := m.Fate().String(); fate != "open" {
			return fate, i
		}
		if i == len(d.log) {
			return "open", -1
		}
		if err := m.Step(d.log[i]); err != nil {
			t.Fatal(err)
		}
	}
}
