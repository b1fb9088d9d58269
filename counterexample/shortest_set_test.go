package counterexample_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// TestShortestSetAgreesWithEnumeration shrinks what it finds: where a test in bulk
// fails, this one, run with -rapid.checks=100000, gives a smaller model.
func TestShortestSetAgreesWithEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Small()).Draw(t, "case")
		if err := compareShortestSet(c, 0, allShortestRuns); err != nil {
			t.Fatal(err)
		}
	})
}

func TestShortestSetAgreesWithEnumerationInBulk(t *testing.T) {
	for _, bulk := range []struct {
		name  string
		cases uint64
		size  randomlts.Size
		runs  func(*oracle.Oracle, randomlts.Case) []oracle.Run
	}{
		{"small", 10_000, randomlts.Small(), allShortestRuns},
		{"dense", 2_000, randomlts.Size{States: 6, Transitions: 20, Labels: 6, Steps: 4}, allShortestRuns},
		{"many steps", 300, randomlts.Size{States: 6, Transitions: 12, Labels: 4, Steps: 150}, allShortestRuns},
		{"medium", 2_000, randomlts.Medium(), boundedRuns},
		{"sparse", 2_000, randomlts.Size{States: 60, Transitions: 75, Labels: 6, Steps: 5}, boundedRuns},
	} {
		t.Run(bulk.name, func(t *testing.T) {
			for seed := range randomlts.Share(bulk.cases) {
				c := randomlts.Seeded(seed, bulk.size)
				if err := compareShortestSet(c, seed, bulk.runs); err != nil {
					t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
				}
			}
		})
	}
}

// allShortestRuns enumerates all elementary runs. They come in the order of the
// model's transitions.
func allShortestRuns(o *oracle.Oracle, _ randomlts.Case) []oracle.Run {
	return o.ShortestCounterexamples()
}

// boundedRuns enumerates all runs of the length that the oracle says is that of
// a shortest counterexample, in the order of the model's transitions.
func boundedRuns(o *oracle.Oracle, c randomlts.Case) []oracle.Run {
	length, found := o.ShortestLength()
	if !found {
		return nil
	}
	var (
		runs  []oracle.Run
		trace []lts.Transition
		visit func(s lts.State)
	)
	consider := func(loop int) {
		if r := (oracle.Run{Transitions: slices.Clone(trace), Loop: loop}); o.Check(r) == nil {
			runs = append(runs, r)
		}
	}
	visit = func(s lts.State) {
		if len(trace) == length {
			consider(oracle.NoLoop)
			for i, step := range trace {
				if step.From == s {
					consider(i)
				}
			}
			return
		}
		seen := map[lts.Transition]bool{}
		labels, targets := c.Model.Out(s)
		for i, to := range targets {
			step := lts.Transition{From: s, Label: labels.At(i), To: to}
			if !seen[step] {
				seen[step] = true
				trace = append(trace, step)
				visit(to)
				trace = trace[:len(trace)-1]
			}
		}
	}
	visit(c.Model.Initial())
	return runs
}

// compareShortestSet returns how the family of a case differs from the runs that
// enumeration finds.
func compareShortestSet(c randomlts.Case, seed uint64, enumerate func(*oracle.Oracle, randomlts.Case) []oracle.Run) error {
	o, err := oracle.New(c.Model, c.Steps)
	if err != nil {
		return err
	}
	formula, err := actl.Parse(context.Background(), c.Formula)
	if err != nil {
		return err
	}
	bound, _, _ := formula.Bind(context.Background(), c.Model.Alphabet())
	p, _ := bound.Chain()
	want := enumerate(o, c)
	var errs []error
	for _, engine := range []scc.Engine{"gonum", "iterative"} {
		components, err := scc.Find(context.Background(), c.Model, engine)
		if err != nil {
			return err
		}
		f, err := counterexample.AllOfChain(context.Background(), components, p)
		if err != nil {
			return err
		}
		if (f == nil) != (len(want) == 0) {
			return fmt.Errorf("%s: family %v, want %v", engine, f, want)
		}
		if f != nil {
			errs = append(errs, sameMembers(f, want), sameUnion(c.Model, f, want), sameBest(c.Model, f, want, seed))
			errs = append(errs, sound(c.Model, p, f))
		}
	}
	return errors.Join(errs...)
}

func runOf(t *counterexample.Trace) oracle.Run {
	run := oracle.Run{Transitions: t.Steps(), Loop: oracle.NoLoop}
	if loop, ok := t.LoopStart(); ok {
		run.Loop = loop
	}
	return run
}

func sameRun(a, b oracle.Run) bool {
	return a.Loop == b.Loop && slices.Equal(a.Transitions, b.Transitions)
}

func sameMembers(f *counterexample.Family, want []oracle.Run) error {
	var got []oracle.Run
	for t := range f.Each(context.Background()) {
		if got = append(got, runOf(t)); len(got) > len(want) {
			break
		}
	}
	if !slices.EqualFunc(got, want, sameRun) {
		return fmt.Errorf("members %v, want %v", got, want)
	}
	if f.Len() != len(want[0].Transitions) {
		return fmt.Errorf("length %d, want %d", f.Len(), len(want[0].Transitions))
	}
	count, err := f.Count(context.Background())
	if err != nil || count.Cmp(big.NewInt(int64(len(want)))) != 0 {
		return fmt.Errorf("count %v (error %v), want %d", count, err, len(want))
	}
	return nil
}

func sameUnion(m *lts.LTS, f *counterexample.Family, want []oracle.Run) error {
	all, looping := map[lts.Transition]bool{}, map[lts.Transition]bool{}
	for _, r := range want {
		for i, step := range r.Transitions {
			all[step] = true
			if r.Loop != oracle.NoLoop && i >= r.Loop {
				looping[step] = true
			}
		}
	}
	gotAll, gotLooping := f.Transitions()
	if want := inModelOrder(m, all); !slices.Equal(gotAll, want) {
		return fmt.Errorf("transitions %v, want %v", gotAll, want)
	}
	if want := inModelOrder(m, looping); !slices.Equal(gotLooping, want) {
		return fmt.Errorf("transitions of loops %v, want %v", gotLooping, want)
	}
	return nil
}

func inModelOrder(m *lts.LTS, set map[lts.Transition]bool) []lts.Transition {
	index := func(t lts.Transition) int {
		labels, targets := m.Out(t.From)
		for i, to := range targets {
			if to == t.To && labels.At(i) == t.Label {
				return i
			}
		}
		return -1
	}
	return slices.SortedFunc(maps.Keys(set), func(a, b lts.Transition) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(index(a), index(b)))
	})
}

// sameBest compares the lightest and the heaviest member under random weights,
// of which some are equal so that there are ties.
func sameBest(m *lts.LTS, f *counterexample.Family, want []oracle.Run, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 1))
	weights := make([]int, m.NumStates())
	for s := range weights {
		weights[s] = r.IntN(4) - 1
	}
	total := func(run oracle.Run) (sum int) {
		for _, step := range run.Transitions {
			sum += weights[step.From]
		}
		return sum
	}
	byTotal := func(a, b oracle.Run) int { return cmp.Compare(total(a), total(b)) }
	byDebt := func(a, b oracle.Run) int { return cmp.Compare(total(b), total(a)) }
	for most, want := range map[bool]oracle.Run{false: slices.MinFunc(want, byTotal), true: slices.MinFunc(want, byDebt)} {
		got, err := f.Best(context.Background(), func(s lts.State) int { return weights[s] }, most)
		if err != nil || !sameRun(runOf(got), want) {
			return fmt.Errorf("best with most %v is %v, want %v", most, got, want)
		}
	}
	return nil
}

// sound makes each member again from its parts, as New checks them.
func sound(m *lts.LTS, p *property.Chain, f *counterexample.Family) error {
	for t := range f.Each(context.Background()) {
		run := runOf(t)
		again, err := counterexample.NewViolating(m, p.Property(), run.Transitions, run.Loop)
		if err != nil {
			return fmt.Errorf("%v: %w", run, err)
		}
		if again.Initial() != t.Initial() || again.Kind() != t.Kind() || again.Last() != t.Last() {
			return fmt.Errorf("member %v, made anew %v", t, again)
		}
		for i := range t.Len() + 1 {
			if again.At(i) != t.At(i) {
				return fmt.Errorf("member %v, made anew %v", t, again)
			}
		}
	}
	return nil
}

func TestFamiliesOfRealModels(t *testing.T) {
	for file, steps := range map[string][]string{
		"examples/figure2/figure2.aut": {"A", "B", "C"},
		"examples/travel/travel.aut":   {"BOOKING_REC", "TICKET_REC"},
		"examples/election/lossy.aut":  {"RECEIVE !1 !2", "LEADER !2"},

		"sanitary_agency.aut": {"REQ_EM", "PROVT_REC"},
		"abp.aut":             {"r1(d1)"},
		"iteration.aut":       {"LOSS", "REC"},
	} {
		path, there := collection.Find(t, file)
		if !there {
			continue
		}
		t.Run(file, func(t *testing.T) {
			m, _, err := aut.Open(context.Background(), path, aut.Options{})
			if err != nil {
				t.Fatal(err)
			}
			c := randomlts.Case{Model: m, Formula: `Inev("` + strings.Join(steps, `", "`) + `")`}
			for _, step := range steps {
				l, _ := m.Alphabet().Lookup(step)
				c.Steps = append(c.Steps, map[lts.Label]bool{l: true})
			}
			if err := compareShortestSet(c, 0, boundedRuns); err != nil {
				t.Error(err)
			}
		})
	}
}
