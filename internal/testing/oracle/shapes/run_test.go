package shapes_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// TestMain lets no goroutine's stack grow beyond what gonum needs for a path of
// scc.GonumStates states: whatever recurses on larger models dies.
func TestMain(m *testing.M) {
	debug.SetMaxStack(16 << 20)
	os.Exit(m.Run())
}

// TestExpectationsAreRight holds what is expected of small models against the
// oracle.
func TestExpectationsAreRight(t *testing.T) {
	for _, s := range shapes() {
		if s.small == 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			var text bytes.Buffer
			if err := s.write(&text, s.small); err != nil {
				t.Fatal(err)
			}
			m, _, err := aut.Read(context.Background(), &text, aut.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := s.want(s.small)
			e, p := explained(t, m, s.formula(s.small))
			want.check(t, e)
			o, err := oracle.New(m, steps(m, p))
			if err != nil {
				t.Fatal(err)
			}
			if length, _ := o.ShortestLength(); length != want.length && want.length > 0 || o.Satisfied() != (want.length == 0) {
				t.Errorf("the oracle finds a counterexample of %d transitions, want %d", length, want.length)
			}
			for state, values := range want.values {
				if got := [4]int{o.MP(state), o.CP(state), o.MS(state), o.CS(state)}; got != values {
					t.Errorf("the oracle finds %v for state %d, want %v", got, state, values)
				}
			}
			want.classified(t, m, o)
		})
	}
}

// classified compares classes and neighbourhoods with those of the oracle.
func (o outcome) classified(t *testing.T, m *lts.LTS, known *oracle.Oracle) {
	if o.correct < 0 {
		return
	}
	classes := map[oracle.Class]int{}
	for tr := range m.Transitions() {
		classes[known.Class(tr)]++
	}
	if classes[oracle.Correct] != o.correct || classes[oracle.Incorrect] != o.incorrect {
		t.Errorf("the oracle finds %v, want %d correct and %d incorrect", classes, o.correct, o.incorrect)
	}
	if n := len(known.Neighbourhoods(oracle.All)); n != o.neighbourhoods {
		t.Errorf("the oracle finds %d neighbourhoods, want %d", n, o.neighbourhoods)
	}
}

func steps(m *lts.LTS, p *property.Chain) []map[lts.Label]bool {
	all := make([]map[lts.Label]bool, p.Len())
	for i := range all {
		all[i] = map[lts.Label]bool{}
		for l := range m.Alphabet().All() {
			all[i][l] = p.Does(l, i+1)
		}
	}
	return all
}

func explained(t testing.TB, m *lts.LTS, formula string) (*explain.Explanation, *property.Chain) {
	t.Helper()
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), m, f, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bound, _, _ := f.Bind(context.Background(), m.Alphabet())
	p, _ := bound.Chain()
	return e, p
}

// inHaste is how many times smaller models are without CI: too small to find what recurses.
const inHaste = 60

// TestShapes runs everything on models of usual size if CI is set, otherwise on small ones. A path
// of usual size is long enough for whatever recurses: with a frame of 64 bytes, the least there is,
// it needs more than the stacks are allowed.
func TestShapes(t *testing.T) {
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			size := s.usual
			if !randomlts.Whole() {
				size = max(s.small, s.usual/inHaste)
			}
			path, length := s.file(t, size)
			m, components, allocated := s.all(t, path, size)
			s.search(t, m, components, size)
			if randomlts.Whole() { // the small ones take what all take
				s.bounded(t, m, size, length, allocated)
			}
		})
	}
}

// bounded compares what was allocated with the size of model and property.
func (s shape) bounded(t *testing.T, m *lts.LTS, size int, length int64, allocated uint64) {
	const always = 16 << 20 // buffers, whatever the model
	f, err := actl.Parse(context.Background(), s.formula(size))
	if err != nil {
		t.Fatal(err)
	}
	bytes := s.bytes
	if bytes == 0 {
		bytes = 72 + f.Len() // a word of them for what every violation takes
	}
	units := m.NumStates() + m.NumTransitions() + int(length)
	t.Logf("%d bytes allocated, %.1f for each state, transition and byte of text", allocated, float64(allocated)/float64(units))
	if allocated > uint64(bytes*units+always) {
		t.Errorf("%d bytes allocated, for %d states, transitions and bytes of text", allocated, units)
	}
}

// file writes the model of a size, and returns where it is and its length.
func (s shape) file(t testing.TB, size int) (path string, length int64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "model.aut")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.write(f, size); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path, info.Size()
}

// all reads a model, explains it and reports, compares the results with what is
// expected, and returns its components and how many bytes were allocated on the way.
func (s shape) all(t *testing.T, path string, size int) (*lts.LTS, *scc.Components, uint64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m, e := s.run(t, path, size)
	runtime.ReadMemStats(&after)
	want := s.want(size)
	want.check(t, e)
	components, err := scc.Find(context.Background(), m, "iterative")
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), s.formula(size))
	if err != nil {
		t.Fatal(err)
	}
	bound, _, _ := f.Bind(context.Background(), m.Alphabet())
	p, _ := bound.Chain()
	values, err := enrich.Enrich(context.Background(), components, p, enrich.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for state, want := range want.values {
		if got := [4]int{values.MP(state), values.CP(state), values.MS(state), values.CS(state)}; got != want {
			t.Errorf("state %d: mp, cp, ms, cs are %v, want %v", state, got, want)
		}
	}
	return m, components, after.TotalAlloc - before.TotalAlloc
}

// run is what inev explain does, twice: for people, and as JSON.
func (s shape) run(t testing.TB, path string, size int) (*lts.LTS, *explain.Explanation) {
	t.Helper()
	m, warnings, err := aut.Open(context.Background(), path, aut.Options{})
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	e, _ := explained(t, m, s.formula(size))
	for _, format := range []string{"json", "text"} {
		w, err := render.New(format, render.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Explanation(io.Discard, e); err != nil {
			t.Fatal(err)
		}
	}
	return m, e
}

// search counts the visits of the search for a counterexample, without components
// and with them, and looks whether check agrees.
func (s shape) search(t *testing.T, m *lts.LTS, components *scc.Components, size int) {
	f, err := actl.Parse(context.Background(), s.formula(size))
	if err != nil {
		t.Fatal(err)
	}
	bound, _, _ := f.Bind(context.Background(), m.Alphabet())
	p, _ := bound.Chain()
	for _, o := range []counterexample.Options{{}, {Components: components}} {
		r, err := counterexample.Shortest(context.Background(), m, bound, o)
		if err != nil {
			t.Fatal(err)
		}
		length := 0
		if r.Trace != nil {
			length = r.Trace.Len()
		}
		if want := s.want(size).length; length != want {
			t.Errorf("a counterexample of %d transitions, want %d", length, want)
		}
		// A search for cycles may go through everything once for each step, and has a
		// few thousand visits before it looks for components.
		if most := int64(4*p.Len()*(m.NumStates()+m.NumTransitions()) + 1<<12); r.Stats.Matched > most {
			t.Errorf("%d visits, at most %d were expected", r.Stats.Matched, most)
		}
		t.Logf("%d visits, %.2f for each state and transition", r.Stats.Matched, float64(r.Stats.Matched)/float64(m.NumStates()+m.NumTransitions()))
	}
}

// BenchmarkShapes reads, explains and reports, on the largest model of each shape.
func BenchmarkShapes(b *testing.B) {
	for _, s := range shapes() {
		size := max(s.usual, s.large)
		b.Run(fmt.Sprintf("%s/%d", s.name, size), func(b *testing.B) {
			path, length := s.file(b, size)
			b.SetBytes(length)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				s.run(b, path, size)
			}
		})
	}
}
