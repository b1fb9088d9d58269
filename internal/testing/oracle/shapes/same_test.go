package shapes_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/exampletest"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// question is a model as text, with formulas about it.
type question struct {
	name     string
	text     []byte
	formulas []string
}

// questions are the generated models with their numbers by default, two that take
// several blocks to read, one of them with sources that do not ascend, and the
// models of the examples.
func questions(t *testing.T) []question {
	t.Helper()
	specs := []generate.Spec{
		{Kind: "random", States: 20_000},
		{Kind: "scc", States: 20_000, Locality: 100, Shuffle: true},
		{Kind: "layered", Width: 400, Height: 20, Shuffle: true},
	}
	for _, k := range generate.Kinds() {
		specs = append(specs, generate.Spec{Kind: k.Name})
	}
	var all []question
	for _, s := range specs {
		var text bytes.Buffer
		if err := generate.Write(context.Background(), &text, s); err != nil {
			t.Fatal(err)
		}
		formula, err := s.Formula()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, question{fmt.Sprintf("%s, %d bytes", s.Kind, text.Len()), text.Bytes(), []string{formula}})
	}
	return append(all, examples(t)...)
}

func examples(t *testing.T) []question {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "examples", "*", "*.aut"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples", err)
	}
	var all []question
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		q := question{name: filepath.Base(path), text: text}
		formulas, err := exampletest.Read(strings.TrimSuffix(path, ".aut") + ".inev")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range formulas {
			q.formulas = append(q.formulas, f.Text)
		}
		all = append(all, q)
	}
	return all
}

// TestResultsDoNotDependOnTheWay: whatever engine, queue, number of workers and of
// cores, and compression, explain and check report the same bytes. Every way to read a model
// gives the same model, whatever it is asked; so each way to explain takes another one of
// them.
func TestResultsDoNotDependOnTheWay(t *testing.T) {
	for i, q := range questions(t) {
		if !randomlts.Whole() && i%24 != 0 {
			continue
		}
		t.Run(q.name, func(t *testing.T) {
			cores := runtime.GOMAXPROCS(0)
			defer runtime.GOMAXPROCS(cores)
			readings := []reading{}
			for _, procs := range []int{1, 2} {
				runtime.GOMAXPROCS(procs)
				readings = append(readings, q.readings(t, procs)...)
			}
			for _, r := range readings[1:] {
				if !same(r.m, readings[0].m) {
					t.Fatalf("another model by %s than by %s", r.way, readings[0].way)
				}
			}
			want := map[string][sha256.Size]byte{}
			for i, w := range ways(len(q.text) > 50_000) {
				runtime.GOMAXPROCS(w.procs)
				r := readings[i%len(readings)]
				q.compare(t, want, w, r)
			}
		})
	}
}

// same reports whether two models have the same transitions in the same order, in the file
// and in each row, with the same numbers of states and labels.
func same(a, b *lts.LTS) bool {
	if a.Initial() != b.Initial() || a.NumStates() != b.NumStates() ||
		!maps.Equal(maps.Collect(a.Alphabet().All()), maps.Collect(b.Alphabet().All())) ||
		!slices.Equal(slices.Collect(a.Transitions()), slices.Collect(b.Transitions())) {
		return false
	}
	for s := range lts.State(a.NumStates()) {
		labels, targets := a.Out(s)
		others, ends := b.Out(s)
		if !slices.Equal(targets, ends) {
			return false
		}
		for i := range targets {
			if labels.At(i) != others.At(i) {
				return false
			}
		}
	}
	return true
}

// reading is a model as it was read in one way.
type reading struct {
	way string
	m   *lts.LTS
}

func (q question) readings(t *testing.T, procs int) []reading {
	t.Helper()
	var all []reading
	for _, c := range []string{"m.aut", "m.aut.gz", "m.aut.zst"} {
		var packed bytes.Buffer
		w, err := aut.Compress(&packed, c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(q.text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 8} {
			m, warnings, err := aut.Read(context.Background(), bytes.NewReader(packed.Bytes()), aut.Options{Workers: workers})
			if err != nil || len(warnings) > 0 {
				t.Fatal(warnings, err)
			}
			all = append(all, reading{fmt.Sprintf("compression %s, %d workers on %d cores", c, workers, procs), m})
		}
	}
	return all
}

// way is one way to explain.
type way struct {
	procs  int
	engine scc.Engine
	queue  enrich.Queue
}

// ways returns all ways, or half of them, in which each two choices still meet.
func ways(half bool) []way {
	var all []way
	for i, procs := range []int{1, 2} {
		for j, engine := range []scc.Engine{"gonum", "iterative"} {
			for k, queue := range []enrich.Queue{"buckets", "heap"} {
				if half && (i+j+k)%2 == 1 {
					continue
				}
				all = append(all, way{procs, engine, queue})
			}
		}
	}
	return all
}

// compare compares the reports on one reading, made in one way, with the first ones.
func (q question) compare(t *testing.T, want map[string][sha256.Size]byte, w way, r reading) {
	t.Helper()
	for _, text := range q.formulas {
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		o := explain.Options{Source: explain.Source{File: q.name}, Engine: w.engine, Queue: w.queue}
		for name, run := range map[string]func(context.Context, *lts.LTS, property.Formula, explain.Options) (*explain.Explanation, error){
			"explain": explain.Explain, "check": specimens.Checked,
		} {
			e, err := run(context.Background(), r.m, f, o)
			if err != nil {
				t.Fatal(err)
			}
			got, key := digest(t, e), name+" "+text
			if first, is := want[key]; !is {
				want[key] = got
			} else if got != first {
				t.Errorf("%s: another result with %s, %s on %d cores, from %s", key, w.engine, w.queue, w.procs, r.way)
			}
		}
	}
}

// digest returns a hash of the JSON of a result, less what may differ: timings and
// costs.
func digest(t *testing.T, e *explain.Explanation) (sum [sha256.Size]byte) {
	t.Helper()
	e.Timings, e.Cost, e.Stats = nil, nil, nil
	w, err := render.New("json", render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	if err := w.Explanation(h, e); err != nil {
		t.Fatal(err)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
