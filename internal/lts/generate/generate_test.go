package generate_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// small are small models: those of all kinds with and without what can be asked
// for, at the edges of what is possible.
func small() []generate.Spec {
	specs := []generate.Spec{
		{Kind: "random", States: 1, Degree: 1}, {Kind: "random", States: 20, Degree: 1}, {Kind: "random", States: 21, Degree: 2, Labels: 1},
		{Kind: "random", States: 100, Degree: 7, Seed: 5}, {Kind: "random", States: 2}, {Kind: "random", States: 10, Labels: 100_000},
		{Kind: "layered", Width: 1, Height: 1}, {Kind: "layered", Width: 3, Height: 5, Degree: 1, Labels: 1},
		{Kind: "scc", States: 1}, {Kind: "scc", States: 50, Locality: 1}, {Kind: "scc", States: 50, Locality: 100}, {Kind: "scc", States: 30, Degree: 1},
		{Kind: "datarich", States: 11, Degree: 2},
		{Kind: "chain", States: 2}, {Kind: "chain", States: 10, Labels: 3},
		{Kind: "cycle", States: 1}, {Kind: "cycle", States: 10, Labels: 3},
		{Kind: "grid", Width: 1, Height: 1}, {Kind: "grid", Width: 7, Height: 3}, {Kind: "grid", Width: 7, Height: 3, Wrap: true}, {Kind: "grid", Width: 1, Height: 1, Wrap: true},
		{Kind: "star", States: 2}, {Kind: "star", States: 9, Labels: 4},
		{Kind: "complete", States: 2}, {Kind: "complete", States: 9, Seed: 3},
		{Kind: "parallel", Transitions: 1}, {Kind: "parallel", Transitions: 9, Labels: 9},
		{Kind: "stages", Width: 1, Height: 1}, {Kind: "stages", Width: 3, Height: 200},
		{Kind: "ring", Width: 1, Height: 1}, {Kind: "ring", Width: 4, Height: 3, Degree: 2, Seed: 3},
		{Kind: "carousel", Width: 1, Height: 1}, {Kind: "carousel", Width: 5, Height: 4},
		{Kind: "philosophers", Processes: 2}, {Kind: "philosophers", Processes: 6, Asymmetric: true},
		{Kind: "peterson", Processes: 3}, {Kind: "dijkstra", Processes: 2},
	}
	for _, k := range generate.Kinds() {
		specs = append(specs, generate.Spec{Kind: k.Name})
	}
	for _, s := range slices.Clone(specs) {
		s.Shuffle, s.Seed = true, s.Seed+1
		specs = append(specs, s)
	}
	return specs
}

func written(t rapid.TB, s generate.Spec) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := generate.Write(context.Background(), &out, s); err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	return out.Bytes()
}

func read(t rapid.TB, s generate.Spec) *lts.LTS {
	t.Helper()
	m, warnings, err := aut.Read(context.Background(), bytes.NewReader(written(t, s)), aut.Options{})
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%+v: %v, warnings %q", s, err, warnings)
	}
	return m
}

// check compares a model with what is promised of all.
func check(t rapid.TB, s generate.Spec) {
	t.Helper()
	text := written(t, s)
	m := read(t, s)
	states, transitions, err := s.Size(context.Background())
	if err != nil || states != int64(m.NumStates()) || transitions != int64(m.NumTransitions()) {
		t.Errorf("%+v: %d states and %d transitions, not %d and %d (%v)", s, m.NumStates(), m.NumTransitions(), states, transitions, err)
	}
	if m.Initial() != 0 || m.Reachable().NumStates() != m.NumStates() {
		t.Errorf("%+v: %d states are reachable from state %d of %d", s, m.Reachable().NumStates(), m.Initial(), m.NumStates())
	}
	// The layout is that of aut.Write, and the model the same without the text.
	direct, err := generate.LTS(context.Background(), s)
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	for _, m := range []*lts.LTS{m, direct} {
		var again bytes.Buffer
		if _, err := aut.Write(&again, m); err != nil || !bytes.Equal(again.Bytes(), text) {
			t.Errorf("%+v: read and written again, it is another text (%v)", s, err)
		}
	}
	if !slices.Equal(textsOf(m), textsOf(direct)) {
		t.Errorf("%+v: labels are numbered in another order", s)
	}
}

func textsOf(m *lts.LTS) (texts []string) {
	for _, text := range m.Alphabet().All() {
		texts = append(texts, text)
	}
	return texts
}

func TestModels(t *testing.T) {
	for _, s := range small() {
		check(t, s)
	}
}

// TestAnyModel draws Specs by what the kinds say about their parameters.
func TestAnyModel(t *testing.T) {
	kinds := generate.Kinds()
	rapid.Check(t, func(t *rapid.T) {
		k := kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")]
		s := generate.Spec{Kind: k.Name}
		set := func(name, value string) {
			if err := s.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		set("seed", fmt.Sprint(rapid.Uint64().Draw(t, "seed")))
		set("shuffle", fmt.Sprint(rapid.Bool().Draw(t, "shuffle")))
		for _, p := range k.Parameters {
			if p.Switch {
				set(p.Name, fmt.Sprint(rapid.Bool().Draw(t, p.Name)))
			} else {
				most := min(p.Max, p.Min+40)
				if p.Name == "processes" {
					most = 3
				}
				set(p.Name, fmt.Sprint(rapid.Int64Range(p.Min, most).Draw(t, p.Name)))
			}
		}
		check(t, s)
	})
}

// TestGolden: the bytes are the same on every platform, and stay so.
func TestGolden(t *testing.T) {
	var lines strings.Builder
	for _, s := range small() {
		fmt.Fprintf(&lines, "%x %+v\n", sha256.Sum256(written(t, s)), s)
	}
	golden.Check(t, "testdata/golden.txt", []byte(lines.String()))
}

// TestShuffled: the same model, by lines in another order.
func TestShuffled(t *testing.T) {
	for _, s := range small() {
		if s.Shuffle || s.States == 1 {
			continue
		}
		s.Seed = 7
		straight := written(t, s)
		s.Shuffle = true
		shuffled := written(t, s)
		if len(shuffled) != len(straight) || sum(straight) != sum(shuffled) {
			t.Errorf("%+v: shuffled, it has other lines", s)
		}
		if m := read(t, s); m.NumStates() > 20 && s.Kind != "star" && bytes.Equal(straight, shuffled) {
			t.Errorf("%+v: the order is the same", s)
		}
	}
}

// sum is the sum of the hashes of all lines, which does not depend on their order.
func sum(text []byte) (total [8]byte) {
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		for i, b := range sha256.Sum256(line) {
			total[i%8] += b
		}
	}
	return total
}

func TestSeeds(t *testing.T) {
	for _, k := range generate.Kinds() {
		one, two := written(t, generate.Spec{Kind: k.Name, Seed: 1}), written(t, generate.Spec{Kind: k.Name, Seed: 2})
		if bytes.Equal(one, two) == k.Drawn {
			t.Errorf("%s: drawn %t, but seeds 1 and 2 give equal models: %t", k.Name, k.Drawn, !k.Drawn)
		}
	}
}

// failing fails when it is given its last byte but some.
type failing struct {
	left int
	stop func() error
}

func (f *failing) Write(data []byte) (int, error) {
	if f.left -= len(data); f.left < 0 {
		return 0, f.stop()
	}
	return len(data), nil
}

// TestStops: an error of the writer, or of the context, ends even a row that has
// all transitions of the model, soon.
func TestStops(t *testing.T) {
	for _, s := range []generate.Spec{
		{Kind: "random", States: 1 << 31, Degree: 8}, {Kind: "star", States: 1 << 31}, {Kind: "complete", States: 1 << 20},
		{Kind: "parallel", Transitions: 1 << 40}, {Kind: "layered", Width: 1 << 31, Height: 1},
	} {
		broken := errors.New("broken")
		err := generate.Write(context.Background(), &failing{1 << 20, func() error { return broken }}, s)
		if !errors.Is(err, broken) {
			t.Errorf("%+v: error %v", s, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		err = generate.Write(ctx, &failing{1 << 20, func() error { cancel(); return nil }}, s)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: error %v", s, err)
		}
	}
}

// looked counts how often it is looked at.
type looked struct {
	context.Context
	times int64
}

func (l *looked) Err() error { l.times++; return nil }

// TestContextIsLookedAt: often enough, also on the way over states without
// transitions.
func TestContextIsLookedAt(t *testing.T) {
	for i, s := range large() {
		if !randomlts.Whole() && i%4 != 0 {
			continue
		}
		states, transitions, err := s.Size(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for what, work := range map[string]func(context.Context) error{
			"Write": func(ctx context.Context) error { return generate.Write(ctx, io.Discard, s) },
			"LTS":   func(ctx context.Context) error { _, err := generate.LTS(ctx, s); return err },
		} {
			ctx := &looked{Context: context.Background()}
			if err := work(ctx); err != nil {
				t.Fatal(err)
			}
			if least := (states + transitions) >> 16; ctx.times < least {
				t.Errorf("%s of %+v: %d times, not %d", what, s, ctx.times, least)
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, k := range generate.Kinds() {
		s := generate.Spec{Kind: k.Name}
		if err := generate.Write(ctx, io.Discard, s); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v of Write", k.Name, err)
		}
		if _, err := generate.LTS(ctx, s); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v of LTS", k.Name, err)
		}
	}
	if _, _, err := (generate.Spec{Kind: "dijkstra", Processes: 6}).Size(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of Size", err)
	}
}

// TestMemory: what is not explored takes no more memory the larger it is.
func TestMemory(t *testing.T) {
	for i, s := range large() {
		if s.Processes > 0 || s.Labels > 0 || !randomlts.Whole() && i%3 != 0 {
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := generate.Write(context.Background(), io.Discard, s); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%+v: %d bytes", s, took)
		}
	}
}
