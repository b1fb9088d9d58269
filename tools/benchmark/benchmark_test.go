package main

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/lts"
)

// small are a few subjects, of the examples folder.
func small(t *testing.T) []subject {
	t.Helper()
	all, err := gather(context.Background(), "../..", "", 1)
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(s subject) bool { return s.model.NumTransitions() > 60 })
	if len(all) < 10 {
		t.Fatalf("there are only %d subjects", len(all))
	}
	return all[:10]
}

// TestSubjectsHold: the property holds of each model before it is damaged, whose states can all
// be reached.
func TestSubjectsHold(t *testing.T) {
	for _, s := range small(t) {
		e, err := explain.Check(context.Background(), s.model, s.formula, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if e.Verdict != explain.Satisfied {
			t.Errorf("%s violates %s", s.name, s.text)
		}
		if err := s.model.FindReachable(context.Background()); err != nil || s.model.Reachable().NumStates() != s.model.NumStates() {
			t.Errorf("%s: %v, %d of %d states are reached", s.name, err, s.model.Reachable().NumStates(), s.model.NumStates())
		}
	}
}

// TestHarness: a method that always names the fault first scores 1 everywhere, one that never does
// scores nothing, and has to read the whole run from its end.
func TestHarness(t *testing.T) {
	fault := []lts.State{7}
	for name, c := range map[string]struct {
		places, run []lts.State
		want        score
	}{
		"always":             {fault, []lts.State{3, 2, 7, 0}, score{listed: 1, rank: 1, read: 0.25}},
		"never":              {nil, []lts.State{3, 2, 7, 0}, score{read: 0.75}},
		"misled":             {[]lts.State{5}, []lts.State{3, 2, 7, 0}, score{listed: 1, read: 0.8}},
		"off the run":        {nil, []lts.State{3, 2}, score{read: 1}},
		"always off the run": {fault, []lts.State{3, 2}, score{listed: 1, rank: 1, read: 1.0 / 3}},
		"second of two":      {[]lts.State{2, 7}, []lts.State{3, 2, 7, 0}, score{listed: 2, rank: 2, read: 0.5}},
	} {
		got := scoreOf(c.places, c.run, fault)
		if got.listed != c.want.listed || got.rank != c.want.rank || math.Abs(got.read-c.want.read) > 1e-9 {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestFaults: a fault is one transition, or a label; and its places are where it is.
func TestFaults(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, s := range small(t) {
		before := slices.Collect(s.model.Transitions())
		for _, kind := range faultKinds {
			d, changed, err := damage(s.model, kind, random)
			if err != nil {
				t.Fatal(err)
			}
			if !changed {
				continue
			}
			after := slices.Collect(d.model.Transitions())
			var gone, come []lts.Transition
			for _, x := range before {
				if !slices.Contains(after, x) {
					gone = append(gone, x)
				}
			}
			for _, x := range after {
				if !slices.Contains(before, x) {
					come = append(come, x)
				}
			}
			want := map[faultKind][2]int{added: {0, 1}, redirected: {1, 1}, removed: {1, 0}, relabelled: {1, 1}, losable: {0, len(come)}}[kind]
			if len(gone) != want[0] || len(come) != want[1] {
				t.Errorf("%s, %s: %v are gone and %v have come", s.name, kind, gone, come)
			}
			for _, x := range append(gone, come...) {
				if !slices.Contains(d.places, x.From) {
					t.Errorf("%s, %s: %v is not at %v", s.name, kind, x, d.places)
				}
			}
		}
	}
}

// TestNecessarySteps: a fault that is a transition is among those which every violation takes, if
// the run passes it at all.
func TestNecessarySteps(t *testing.T) {
	subjects := small(t)
	at := slices.IndexFunc(methods, func(m method) bool { return m.name == "necessary steps" })
	trials, err := inject(context.Background(), subjects, 60, 3, methods)
	if err != nil {
		t.Fatal(err)
	}
	met := 0
	for _, x := range trials {
		if x.fault != added && x.fault != redirected && x.fault != relabelled || !x.onRun {
			continue
		}
		met++
		if x.scores[at].rank == 0 {
			t.Errorf("%s, %s: a transition %s is no necessary step", subjects[x.subject].name, subjects[x.subject].text, x.fault)
		}
	}
	if met < 20 {
		t.Errorf("there were only %d", met)
	}
}

// TestSameTables: the tables are a function of the seed.
func TestSameTables(t *testing.T) {
	subjects := small(t)
	write := func(seed uint64) string {
		trials, err := inject(context.Background(), subjects, 30, seed, methods)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		writeTables(&b, subjects, trials, seed)
		return b.String()
	}
	first := write(1)
	if second := write(1); first != second {
		t.Errorf("%s\nand then\n%s", first, second)
	}
	if other := write(2); first == other || !strings.HasPrefix(first, "30 faults") {
		t.Errorf("another seed has the same faults:\n%s", other)
	}
}

// TestIntervals: the interval of a share that is the same in all subjects is a point; if two
// subjects differ it reaches from one to the other.
func TestIntervals(t *testing.T) {
	trials := []trial{{subject: 0, length: 1}, {subject: 0, length: 1}, {subject: 1, length: 1}}
	of := func(x trial) float64 { return float64(x.length) }
	random := rand.New(rand.NewPCG(1, 1))
	if got := interval(trials, random, of); got != (figure{1, 1, 1}) {
		t.Errorf("%+v", got)
	}
	trials[2].length = 4
	if got := interval(trials, random, of); got != (figure{2, 1, 4}) {
		t.Errorf("%+v", got)
	}
}

// TestGuesses: a side of a square of actions that is removed is guessed.
func TestGuesses(t *testing.T) {
	var b lts.Builder
	for _, x := range []struct {
		from  lts.State
		label string
		to    lts.State
	}{{0, "A", 1}, {0, "B", 2}, {1, "B", 3}, {2, "A", 3}, {3, "END", 4}} {
		b.Add(x.from, b.Label(x.label), x.to)
	}
	m, err := b.Build(0, 5)
	if err != nil {
		t.Fatal(err)
	}
	f, err := formula.Parse(context.Background(), "Inev(END)")
	if err != nil {
		t.Fatal(err)
	}
	s := subject{name: "square", model: m, text: "Inev(END)", formula: f}
	transitions := slices.Collect(m.Transitions())
	var cut lts.Builder
	cut.Over(m.Alphabet())
	for _, x := range transitions {
		if x.From != 2 {
			cut.Add(x.From, x.Label, x.To)
		}
	}
	without, err := cut.Build(0, 5)
	if err != nil {
		t.Fatal(err)
	}
	d := damaged{model: without, places: []lts.State{2}, gone: &transitions[3]}
	v, err := look(context.Background(), s, d)
	if err != nil {
		t.Fatal(err)
	}
	if g := guessOf(*v, d); !g.guessed || g.label != 1 || g.transition != 1 {
		t.Errorf("%+v", g)
	}
}
