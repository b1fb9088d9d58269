package counterexample_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

func family(t testing.TB, m *lts.LTS, formula string) *counterexample.Family {
	t.Helper()
	f, err := counterexample.AllOfChain(context.Background(), components(t, m), bind(t, m, formula))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func components(t testing.TB, m *lts.LTS) *scc.Components {
	t.Helper()
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// members writes the first members, at most limit of them.
func members(m *lts.LTS, f *counterexample.Family, limit int) []string {
	var texts []string
	for t := range f.Each(context.Background()) {
		if len(texts) == limit {
			break
		}
		texts = append(texts, labels(m, t))
	}
	return texts
}

func count(t testing.TB, f *counterexample.Family) *big.Int {
	t.Helper()
	number, err := f.Count(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return number
}

func TestShortestSet(t *testing.T) {
	for _, c := range []struct {
		name        string
		transitions []string
		formula     string
		want        []string
	}{
		{"a model without transitions", nil, "Inev(A)", []string{""}},
		{"a duplicate is one transition", []string{"0 X 1", "0 X 1", "0 Y 1"}, "Inev(A)", []string{"X", "Y"}},
		{"a loop that avoids both steps counts once", []string{"0 X 0"}, "Inev(A, B)", []string{"[ X ]"}},
		{"deadlocks and lassos by the order of transitions",
			[]string{"0 X 1", "1 X 1", "0 Y 2", "0 Z 3", "3 Z 3", "2 Y 4"}, "Inev(A)",
			[]string{"X [ X ]", "Y Y", "Z [ Z ]"}},
		{"a stem that comes too far, and one that does not", []string{"0 A 1", "0 X 1", "1 B 1"}, "Inev(A, B)", []string{"X [ B ]"}},
		{"stems of either progress", []string{"0 A 1", "0 X 1", "1 A 1"}, "Inev(A, B)", []string{"A [ A ]", "X [ A ]"}},
		{"one beginning for two lassos and a stem",
			[]string{"0 X 1", "1 X 2", "2 X 0", "2 X 1", "2 X 3", "1 Y 0", "3 A 3"}, "Inev(A)",
			[]string{"[ X Y ]"}},
		{"where the loop begins is known at its end",
			[]string{"0 X 1", "1 X 2", "2 X 0", "2 Y 3"}, "Inev(A)",
			[]string{"[ X X X ]", "X X Y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model(t, c.transitions...)
			f := family(t, m, c.formula)
			if got := members(m, f, 10); !slices.Equal(got, c.want) {
				t.Errorf("members %q, want %q", got, c.want)
			}
			if got := count(t, f); got.Cmp(big.NewInt(int64(len(c.want)))) != 0 {
				t.Errorf("count %v, want %d", got, len(c.want))
			}
		})
	}
}

func TestShortestSetOfSatisfiedProperty(t *testing.T) {
	if f := family(t, model(t, "0 A 1", "1 B 0"), "Inev(A, B)"); f != nil {
		t.Errorf("family of length %d, want none", f.Len())
	}
}

// diamonds builds a chain of this many places with two ways by a state each from
// one to the next. Place i is state 3i, and its ways are labelled l<i> and r<i>.
func diamonds(t *testing.T, b *lts.Builder, places int) {
	t.Helper()
	for i := range places {
		at := lts.State(3 * i)
		for way, name := range []string{"l", "r"} {
			b.Add(at, b.Label(fmt.Sprint(name, i)), at+1+lts.State(way))
		}
		for way := range lts.State(2) {
			b.Add(at+1+way, b.Label("on"), at+3)
		}
	}
}

func TestShortestSetOfDiamonds(t *testing.T) {
	const places = 100
	for _, closed := range []bool{false, true} {
		t.Run(fmt.Sprint("closed ", closed), func(t *testing.T) {
			var b lts.Builder
			diamonds(t, &b, places)
			length := 2 * places
			if closed {
				b.Add(3*places, b.Label("back"), 0)
				length++
			}
			m, err := b.Build(0, 3*places+1)
			if err != nil {
				t.Fatal(err)
			}
			f := family(t, m, "Inev(never)")
			if f.Len() != length {
				t.Errorf("length %d, want %d", f.Len(), length)
			}
			if got, want := count(t, f), new(big.Int).Lsh(big.NewInt(1), places); got.Cmp(want) != 0 {
				t.Errorf("count %v, want %v", got, want)
			}
			got := members(m, f, 3)
			if len(got) != 3 || !strings.Contains(got[0], "l98 on l99") || !strings.Contains(got[1], "l98 on r99") || !strings.Contains(got[2], "r98 on l99") {
				t.Errorf("members %q", got)
			}
			all, looping := f.Transitions()
			if len(all) != m.NumTransitions() || closed && !slices.Equal(all, looping) || !closed && len(looping) > 0 {
				t.Errorf("%d transitions, %d of loops, of %d", len(all), len(looping), m.NumTransitions())
			}
			lefts := best(t, f, func(s lts.State) int { return int(s % 3 & 1) }, true)
			rights := best(t, f, func(s lts.State) int { return int(s % 3 & 1) }, false)
			if strings.Contains(labels(m, lefts), "r") || strings.Contains(labels(m, rights), "l") {
				t.Errorf("best %q and %q", labels(m, lefts), labels(m, rights))
			}
		})
	}
}

// best returns the lightest member of a family, or the heaviest.
func best(t *testing.T, f *counterexample.Family, weight func(lts.State) int, most bool) *counterexample.Trace {
	t.Helper()
	trace, err := f.Best(context.Background(), weight, most)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// The shortest ways from one corner of a grid to the other, where a deadlock is.
func TestShortestSetOfGrid(t *testing.T) {
	const side = 60
	var b lts.Builder
	for y := range lts.State(side + 1) {
		for x := range lts.State(side + 1) {
			at := y*(side+1) + x
			if x < side {
				b.Add(at, b.Label("right"), at+1)
			}
			if y < side {
				b.Add(at, b.Label("down"), at+side+1)
			}
		}
	}
	m, err := b.Build(0, (side+1)*(side+1))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := count(t, family(t, m, "Inev(never)")), new(big.Int).Binomial(2*side, side); got.Cmp(want) != 0 {
		t.Errorf("count %v, want %v", got, want)
	}
}

// roundOfDiamonds is a model whose only cycles go round all diamonds, with the
// property that needs l0, l1, … of so many steps: the loops that violate it are
// those that go right at one of these places at least.
func roundOfDiamonds(t *testing.T, places, steps int) (*lts.LTS, string) {
	t.Helper()
	var b lts.Builder
	diamonds(t, &b, places)
	b.Add(lts.State(3*places), b.Label("back"), 0)
	m, err := b.Build(0, 3*places+1)
	if err != nil {
		t.Fatal(err)
	}
	var lefts []string
	for i := range steps {
		lefts = append(lefts, fmt.Sprint("l", i))
	}
	return m, "Inev(" + strings.Join(lefts, ", ") + ")"
}

func TestShortestSetCountsLoopThatAvoidsSeveralStepsOnce(t *testing.T) {
	const places, steps = 40, 10
	m, formula := roundOfDiamonds(t, places, steps)
	f := family(t, m, formula)
	want := new(big.Int).Lsh(big.NewInt(1), places)
	want.Sub(want, new(big.Int).Lsh(big.NewInt(1), places-steps))
	if got := count(t, f); got.Cmp(want) != 0 {
		t.Errorf("count %v, want %v", got, want)
	}
	lefts := best(t, f, func(s lts.State) int { return int(s % 3 & 1) }, true)
	if got := labels(m, lefts); strings.Count(got, "l") != places-1 || !strings.Contains(got, "r9 ") {
		t.Errorf("best %q, want the last of the steps avoided alone", got)
	}
}

// The sets of steps that can be avoided are too many to count with: only the
// context can end it. All else does not depend on their number.
func TestShortestSetOfManySteps(t *testing.T) {
	const places, steps = 80, 70
	m, formula := roundOfDiamonds(t, places, steps)
	f := family(t, m, formula)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Count(ctx); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	if got := members(m, f, 3); len(got) != 3 || strings.Contains(got[0], "r68") || !strings.Contains(got[0], "r69 ") {
		t.Errorf("members %q", got)
	}
	lefts := best(t, f, func(s lts.State) int { return int(s % 3 & 1) }, true)
	if got := labels(m, lefts); strings.Count(got, "l") != places-1 || !strings.Contains(got, "r69 ") {
		t.Errorf("best %q, want the last of the steps avoided alone", got)
	}
	if all, looping := f.Transitions(); len(all) != m.NumTransitions() || !slices.Equal(all, looping) {
		t.Errorf("%d transitions, %d of loops, of %d", len(all), len(looping), m.NumTransitions())
	}
}

// Of the loops at state 3, the one by state 4 violates the property only after the
// stem by state 2, which has made no progress.
func TestBestHeedsProgressOfStem(t *testing.T) {
	m := model(t, "0 X 1", "0 X 2", "1 A 3", "2 X 3", "3 B 4", "4 B 3", "3 A 5", "5 A 3")
	f := family(t, m, "Inev(A, B)")
	weights := []int{2: 10, 5: 1}
	for most, want := range map[bool]string{false: "X A [ A A ]", true: "X X [ A A ]"} {
		if got := labels(m, best(t, f, func(s lts.State) int { return weights[s] }, most)); got != want {
			t.Errorf("best with most %v is %q, want %q", most, got, want)
		}
	}
	if got := count(t, f); got.Cmp(big.NewInt(3)) != 0 {
		t.Errorf("count %v, want 3", got)
	}
}

// Stems of every progress up to 40 come to one loop, which avoids all of the
// 100 steps.
func TestShortestSetOfStemsOfManyProgresses(t *testing.T) {
	const places = 40
	var b lts.Builder
	for i := range lts.State(places) {
		b.Add(i, b.Label("A"), i+1)
		b.Add(i, b.Label("X"), i+1)
	}
	b.Add(places, b.Label("X"), places)
	m, err := b.Build(0, places+1)
	if err != nil {
		t.Fatal(err)
	}
	f := family(t, m, "Inev(A"+strings.Repeat(", A", 99)+")")
	if got, want := count(t, f), new(big.Int).Lsh(big.NewInt(1), places); got.Cmp(want) != 0 {
		t.Errorf("count %v, want %v", got, want)
	}
}

// spent is a context that is done once it was asked this often.
type spent struct {
	context.Context
	left int
}

func (c *spent) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Whenever the context ends, there is no result. The initial state has so many
// predecessors that looking at them is long work.
func TestAllShortestHonoursContext(t *testing.T) {
	const petals = 70_000
	var b lts.Builder
	for s := range lts.State(petals) {
		b.Add(0, b.Label("there"), s+1)
	}
	for s := range lts.State(petals) {
		b.Add(s+1, b.Label("back"), 0)
	}
	m, err := b.Build(0, petals+1)
	if err != nil {
		t.Fatal(err)
	}
	c, p := components(t, m), bind(t, m, "Inev(never)")
	step := 1
	if !randomlts.Whole() {
		step = 23
	}
	for asked := 0; ; asked += step {
		f, err := counterexample.AllOfChain(&spent{context.Background(), asked}, c, p)
		if err == nil && f != nil {
			if got := count(t, f); got.Cmp(big.NewInt(petals)) != 0 {
				t.Errorf("count %v, want %d", got, petals)
			}
			break
		}
		if f != nil || err != context.Canceled {
			t.Fatalf("family %v, error %v", f, err)
		}
	}
}

func TestEachStopsWhenAsked(t *testing.T) {
	f := family(t, model(t, "0 X 1", "0 Y 1", "0 Z 1"), "Inev(A)")
	calls := 0
	f.Each(context.Background())(func(*counterexample.Trace, error) bool {
		calls++
		return calls < 2
	})
	if calls != 2 {
		t.Errorf("%d calls after a stop at the second", calls)
	}
}

// TestLongFamiliesAreLeft: a context ends the making of members and the weighing of
// them, and no more memory is taken than there is.
func TestLongFamiliesAreLeft(t *testing.T) {
	states := 1 << 20
	if !randomlts.Whole() {
		states >>= 2
	}
	m, err := generate.LTS(context.Background(), generate.Spec{Kind: "chain", States: states})
	if err != nil {
		t.Fatal(err)
	}
	f := family(t, m, "Inev(NEVER)")
	done, cancel := context.WithCancel(context.Background())
	cancel()
	ones := func(lts.State) int { return 1 }
	if _, err := f.Best(done, ones, true); !errors.Is(err, context.Canceled) {
		t.Errorf("the best: %v", err)
	}
	for trace, err := range f.Each(done) {
		if trace != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("the members: %v, %v", trace, err)
		}
	}
	budget := resources.NewBudget(resources.Limit{Bytes: 1, By: "allowed by a test"}, nil)
	tight, leave := resources.Join(budget.With(context.Background()))
	defer leave()
	var exceeded *resources.ExceededError
	if _, err := f.Best(tight, ones, true); !errors.As(err, &exceeded) {
		t.Errorf("the best: %v", err)
	}
	for trace, err := range f.Each(tight) {
		if trace != nil || !errors.As(err, &exceeded) {
			t.Errorf("the members: %v, %v", trace, err)
		}
	}
}

// TestChainsAreListedInLittleMemory: where nothing parts from a member, nothing is kept
// of its states.
func TestChainsAreListedInLittleMemory(t *testing.T) {
	const states = 1 << 18
	m, err := generate.LTS(context.Background(), generate.Spec{Kind: "chain", States: states})
	if err != nil {
		t.Fatal(err)
	}
	f := family(t, m, "Inev(NEVER)")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range f.Each(context.Background()) {
	}
	runtime.ReadMemStats(&after)
	// Its transitions twice, and its progress.
	if each := float64(after.TotalAlloc-before.TotalAlloc) / states; each > 2*12+8+1 {
		t.Errorf("%.1f bytes for each state", each)
	}
}
