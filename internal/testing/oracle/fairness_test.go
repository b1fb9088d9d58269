package oracle_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// fairCases is how many models are compared for each notion; INEV_FAIR_CASES asks for
// another number.
func fairCases(t *testing.T) uint64 {
	if text := os.Getenv("INEV_FAIR_CASES"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return randomlts.Share(4_000)
}

// drawAssumption draws a notion of fairness for a model with so many labels, both as
// the packages and as the oracle take it.
func drawAssumption(r *rand.Rand, a *lts.Alphabet, kind int) (*property.Fairness, oracle.Assumption) {
	var want oracle.Assumption
	var tasks []property.Task
	task := func(strong, nonstuttering bool, labels ...lts.Label) {
		set := map[lts.Label]bool{}
		for _, l := range labels {
			set[l] = true
		}
		want.Tasks = append(want.Tasks, oracle.FairTask{Labels: set, Strong: strong, Nonstuttering: nonstuttering})
		tasks = append(tasks, property.Task{Name: fmt.Sprint(labels), Labels: labels, Strong: strong, Nonstuttering: nonstuttering})
	}
	some := func() (labels []lts.Label) {
		for l := range a.All() {
			if r.IntN(2) == 0 {
				labels = append(labels, l)
			}
		}
		if labels == nil && a.Len() > 0 {
			labels = []lts.Label{lts.Label(r.IntN(a.Len()))}
		}
		return labels
	}
	if a.Len() == 0 && kind < justOnly {
		kind = 0
	}
	var rare []lts.Label
	switch kind {
	case 0:
		want.Full = true
	case 1, 2: // each label, weakly or strongly
		for l := range a.All() {
			task(kind == 2, false, l)
		}
	case 3: // sets of labels, of all kinds
		for range 1 + r.IntN(3) {
			task(r.IntN(2) == 0, r.IntN(2) == 0, some()...)
		}
	case justOnly:
	case justAndMore:
		for range r.IntN(3) {
			task(r.IntN(2) == 0, r.IntN(2) == 0, some()...)
		}
		if r.IntN(2) == 0 {
			rare = some()
			want.Rare = map[lts.Label]bool{}
			for _, l := range rare {
				want.Rare[l] = true
			}
		}
	default: // some labels finitely often, with or without other assumptions
		rare = some()
		want.Full = r.IntN(4) == 0
		for range r.IntN(3) {
			task(r.IntN(2) == 0, r.IntN(2) == 0, some()...)
		}
		want.Rare = map[lts.Label]bool{}
		for _, l := range rare {
			want.Rare[l] = true
		}
	}
	f, err := property.NewFairness(a, want.Full, tasks, rare)
	if kind >= justOnly {
		f, err = drawJustness(r, a, &want).Fairness(a, tasks, rare)
	}
	if err != nil {
		panic(err)
	}
	return f, want
}

// Kinds of assumptions, as [drawAssumption] takes them.
const (
	justOnly    = 5 + iota // justness
	justAndMore            // with tasks, and with labels that are done finitely often
)

// notions are the names of the kinds.
var notions = []string{"full", "weak", "strong", "tasks", "finitely", "just", "just and more"}

// drawJustness draws which components actions need, and which are blocking, both as the
// packages and as the oracle take it.
func drawJustness(r *rand.Rand, a *lts.Alphabet, want *oracle.Assumption) *property.Justness {
	j := &property.Justness{Names: []string{"p", "q", "x", "y"}[:1+r.IntN(4)], Components: make([][]uint32, a.Len())}
	want.Just = &oracle.Just{Components: map[lts.Label]map[int]bool{}, Blocking: map[lts.Label]bool{}}
	for l := range a.All() {
		want.Just.Components[l] = map[int]bool{}
		for c := range j.Names {
			if r.IntN(len(j.Names)+1) == 0 {
				j.Components[l] = append(j.Components[l], uint32(c))
				want.Just.Components[l][c] = true
			}
		}
		if r.IntN(4) == 0 {
			j.Blocking = append(j.Blocking, l)
			want.Just.Blocking[l] = true
		}
	}
	return j
}

// TestFairness compares verdicts, fates and classes under every notion with the oracle.
func TestFairness(t *testing.T) {
	size := randomlts.Size{States: 5, Transitions: 10, Labels: 4, Steps: 3}
	for kind, name := range notions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed, compared := uint64(0), uint64(0); compared < fairCases(t); seed++ {
				c := randomlts.Seeded(seed, size)
				if c.Model.NumTransitions() > 12 {
					continue
				}
				compared++
				f, want := drawAssumption(rand.New(rand.NewPCG(seed, uint64(kind))), c.Model.Alphabet(), kind)
				if err := sameFairly(c, f, want); err != nil {
					t.Fatalf("seed %d:\n%s\n%+v\n%v", seed, c, want, err)
				}
			}
		})
	}
}

func sameFairly(c randomlts.Case, f *property.Fairness, a oracle.Assumption) error {
	formula, err := actl.Parse(context.Background(), c.Formula)
	if err != nil {
		return err
	}
	p, _, _ := formula.Bind(context.Background(), c.Model.Alphabet())
	components, err := scc.Find(context.Background(), c.Model, "")
	if err != nil {
		return err
	}
	got, err := fate.Compute(context.Background(), components, p, enrich.Options{Fairness: f})
	if err != nil {
		return err
	}
	want := oracle.NewFair(c.Model, c.Steps, a)
	if got.Admits() != want.Counts(c.Model.Initial()) {
		return fmt.Errorf("some run counts: %t, want %t", got.Admits(), want.Counts(c.Model.Initial()))
	}
	if !got.Admits() {
		return nil
	}
	if _, reject := want.Can(c.Model.Initial(), 0); got.Holds() == reject {
		return fmt.Errorf("holds: %t", got.Holds())
	}
	for s := range lts.State(c.Model.NumStates()) {
		for j := range len(c.Steps) + 1 {
			if !want.Reached(s, j) || !want.Counts(s) {
				continue
			}
			accept, reject := want.Can(s, j)
			fates := map[[2]bool]fate.Fate{{true, true}: fate.Open, {true, false}: fate.Sure, {false, true}: fate.Lost}
			if is := got.At(s, property.Q(j)); is != fates[[2]bool{accept, reject}] {
				return fmt.Errorf("state %d, progress %d: %s, want %s", s, j, is, fates[[2]bool{accept, reject}])
			}
		}
	}
	for t := range c.Model.Transitions() {
		if c.Model.Reachable().Has(t.From) && got.Class(t.From, t.Label, t.To).String() != string(want.Class(t)) {
			return fmt.Errorf("transition %v is %s, want %s", t, got.Class(t.From, t.Label, t.To), want.Class(t))
		}
	}
	return fairRun(c.Model, got, want)
}

// fairRun checks the counterexample under an assumption: that it counts, and that it is a
// shortest one where it says so.
func fairRun(m *lts.LTS, f *fate.Map, want *oracle.Fair) error {
	found, err := counterexample.Fair(context.Background(), f)
	if err != nil {
		return err
	}
	t := found.Trace
	if (t == nil) != f.Holds() {
		return fmt.Errorf("holds: %t, counterexample %v", f.Holds(), t)
	}
	if t == nil {
		return nil
	}
	if t.Kind() != counterexample.Trap && !want.Full() && m.NumTransitions() <= 9 {
		if length, _ := want.ShortestViolation(); length != t.Len() || found.Minimal == counterexample.MinimalUnknown {
			return fmt.Errorf("run %v, shortest: %t, want one of length %d", t.Steps(), found.Minimal != counterexample.MinimalUnknown, length)
		}
	}
	switch t.Kind() {
	case counterexample.Trap:
		accept, reject := want.Can(t.Last(), int(t.At(t.Len())))
		length, _ := want.ShortestLoss()
		if accept || !reject || length != t.Len() || found.Minimal == counterexample.MinimalUnknown {
			return fmt.Errorf("trap %v: accept %t, reject %t, want one of length %d", t.Steps(), accept, reject, length)
		}
	case counterexample.Lasso:
		start, _ := t.LoopStart()
		set := map[lts.Transition]bool{}
		var loop []lts.Transition
		for _, x := range t.Steps()[start:] {
			if !set[x] {
				set[x] = true
				loop = append(loop, x)
			}
		}
		if !want.Recurs(loop) {
			return fmt.Errorf("lasso %v from %d on does not count", t.Steps(), start)
		}
	}
	return nil
}

// TestNotionsAreMonotone: what full fairness leaves of the runs is among those that strong
// fairness leaves, and so on: each notion makes no fewer properties true, and no fewer
// transitions correct, than the one before it, and the same ones incorrect.
func TestNotionsAreMonotone(t *testing.T) {
	size := randomlts.Size{States: 12, Transitions: 30, Labels: 5, Steps: 4}
	differs := 0
	for seed := range fairCases(t) {
		c := randomlts.Seeded(seed, size)
		a := c.Model.Alphabet()
		each := func(strong bool) *property.Fairness {
			var tasks []property.Task
			for l := range a.All() {
				tasks = append(tasks, property.Task{Labels: []lts.Label{l}, Strong: strong})
			}
			f, err := property.NewFairness(a, false, tasks, nil)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		full, err := property.NewFairness(a, true, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		formula, err := actl.Parse(context.Background(), c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		p, _, _ := formula.Bind(context.Background(), a)
		components, err := scc.Find(context.Background(), c.Model, "")
		if err != nil {
			t.Fatal(err)
		}
		var before *fate.Map
		for i, f := range []*property.Fairness{nil, each(false), each(true), full} {
			m, err := fate.Compute(context.Background(), components, p, enrich.Options{Fairness: f})
			if err != nil {
				t.Fatal(err)
			}
			if before != nil && before.Holds() && !m.Holds() {
				t.Fatalf("seed %d:\n%s\nit holds under notion %d, and not under the next one", seed, c, i-1)
			}
			for x := range c.Model.Transitions() {
				if before == nil || !c.Model.Reachable().Has(x.From) {
					continue
				}
				was, is := before.Class(x.From, x.Label, x.To), m.Class(x.From, x.Label, x.To)
				if was != is {
					differs++
				}
				if was == fate.Correct && is != fate.Correct || (was == fate.Incorrect) != (is == fate.Incorrect) {
					t.Fatalf("seed %d:\n%s\n%v is %s under notion %d, and %s under the next one", seed, c, x, was, i-1, is)
				}
			}
			before = m
		}
	}
	if differs < int(fairCases(t))/10 {
		t.Errorf("only %d classes differ between notions", differs)
	}
}
