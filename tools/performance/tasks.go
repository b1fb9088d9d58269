package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// task is work that is done in a process of its own.
type task struct {
	// Do names the work, see runTask.
	Do string
	// Path is the model; if it is "", the model of Spec is generated.
	Path string
	// To is the file to be written from the file at Path.
	To      string
	Spec    generate.Spec
	Formula string
	Workers int
	Engine  scc.Engine
	Queue   enrich.Queue
	// Algorithm is a search of package buchi, or plainSearch, or ownSearch.
	Algorithm string
	// Limit is the time limit in seconds.
	Limit float64
	// Shape is the index of one of the shapes that belong to a reference model of this number of
	// Transitions.
	Shape, Transitions int
	// Bytes is the amount of memory or disk that a task processes.
	Bytes int64
}

const (
	plainSearch = "plain"
	ownSearch   = "inev"
)

// runTask does the task in text, and writes its figures.
func runTask(ctx context.Context, w io.Writer, text string) error {
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return err
	}
	do, isKnown := map[string]func(context.Context, task) (sample, error){
		"count":            countLines,
		"read":             read,
		"generate":         generateText,
		"reach":            reach,
		"visit":            visit,
		"components":       components,
		"plain components": plainComponents,
		"enrich":           enrichModel,
		"search":           search,
		"translate":        translate,
		"model":            writeModel,
		"size":             sizeOf,
		"shape":            writeShape,
		"names":            writeNames,
		"arithmetic":       arithmetic,
		"touch":            touch,
		"sequential":       sequential,
		"anywhere":         anywhere,
		"write disk":       writeDisk,
		"read disk":        readDisk,
		"blocks":           readBlocks,
		"alone":            traceAlone,
	}[t.Do]
	if !isKnown {
		return fmt.Errorf("there is no task %q", t.Do)
	}
	s, err := do(ctx, t)
	if err != nil {
		return err
	}
	s.Peak = resources.Used().Peak
	return json.NewEncoder(w).Encode(s)
}

// timed measures the time and the allocations of a function.
func timed(run func() error) (sample, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	err := run()
	s := sample{Seconds: time.Since(began).Seconds()}
	runtime.ReadMemStats(&after)
	s.Bytes = int64(after.TotalAlloc - before.TotalAlloc)
	s.Allocations = int64(after.Mallocs - before.Mallocs)
	return s, err
}

// countLines does the work of wc -l, with a large buffer.
func countLines(_ context.Context, t task) (sample, error) {
	f, err := os.Open(t.Path)
	if err != nil {
		return sample{}, err
	}
	defer f.Close() // the file was only read
	buffer := make([]byte, 1<<20)
	lines := int64(0)
	length := int64(0)
	s, err := timed(func() error {
		for {
			n, err := f.Read(buffer)
			lines += int64(bytes.Count(buffer[:n], []byte{'\n'}))
			length += int64(n)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	s.Transitions = lines - 1
	s.Bytes = length
	return s, err
}

// sizeOf returns the numbers of states and transitions of the model of Spec; for some kinds, it
// explores the model.
func sizeOf(ctx context.Context, t task) (s sample, err error) {
	s.States, s.Transitions, err = t.Spec.Size(ctx)
	return s, err
}

// writeModel writes the model of Spec to Path.
func writeModel(ctx context.Context, t task) (s sample, err error) {
	s.Bytes, err = generateFile(ctx, t.Path, t.Spec)
	return s, err
}

// writeShape writes a shape to Path.
func writeShape(_ context.Context, t task) (sample, error) {
	return sample{}, allShapes(t.Transitions)[t.Shape].write(t.Path)
}

// read measures reading a model.
func read(ctx context.Context, t task) (sample, error) {
	var m *lts.LTS
	s, err := timed(func() (err error) {
		m, _, err = aut.Open(ctx, t.Path, aut.Options{Workers: t.Workers})
		return err
	})
	if err != nil {
		return s, err
	}
	s.Transitions = int64(m.NumTransitions())
	return s, nil
}

// counter counts bytes.
type counter int64

func (c *counter) Write(text []byte) (int, error) {
	*c += counter(len(text))
	return len(text), nil
}

// generateText writes a model to nowhere.
func generateText(ctx context.Context, t task) (sample, error) {
	var length counter
	s, err := timed(func() error {
		return generate.Write(ctx, &length, t.Spec)
	})
	if err != nil {
		return s, err
	}
	s.Bytes = int64(length)
	s.States, s.Transitions, err = t.Spec.Size(ctx)
	return s, err
}

// model returns the model of a task.
func (t task) model(ctx context.Context) (*lts.LTS, error) {
	if t.Path == "" {
		return generate.LTS(ctx, t.Spec)
	}
	m, _, err := aut.Open(ctx, t.Path, aut.Options{})
	return m, err
}

// question returns the model of a task, and its formula, an inevitability.
func (t task) question(ctx context.Context) (*lts.LTS, *property.Chain, error) {
	m, err := t.model(ctx)
	if err != nil {
		return nil, nil, err
	}
	f, err := actl.Parse(ctx, t.Formula)
	if err != nil {
		return nil, nil, err
	}
	bound, _, _ := f.Bind(ctx, m.Alphabet())
	p, isInevitability := bound.Chain()
	if !isInevitability {
		return nil, nil, fmt.Errorf("%s is no inevitability", t.Formula)
	}
	return m, p, nil
}

// reach measures a search for all reachable states.
func reach(ctx context.Context, t task) (sample, error) {
	m, err := t.model(ctx)
	if err != nil {
		return sample{}, err
	}
	return timed(func() error {
		if m.Reachable().NumStates() != m.NumStates() {
			return errors.New("some states are not reachable")
		}
		return nil
	})
}

func components(ctx context.Context, t task) (sample, error) {
	m, err := t.model(ctx)
	if err != nil {
		return sample{}, err
	}
	m.Reachable() // it is kept, and measured elsewhere
	return timed(func() error {
		_, err := scc.Find(ctx, m, t.Engine)
		return err
	})
}

// enrichModel measures all four passes for prefixes and suffixes, after the preparation of their
// input.
func enrichModel(ctx context.Context, t task) (sample, error) {
	m, p, err := t.question(ctx)
	if err != nil {
		return sample{}, err
	}
	c, err := scc.Find(ctx, m, "iterative")
	if err != nil {
		return sample{}, err
	}
	m.Predecessors()
	return timed(func() error {
		_, err := enrich.Enrich(ctx, c, p, enrich.Options{Queue: t.Queue})
		return err
	})
}

// search measures a search for a counterexample, as the best of several runs, since on a small
// model one run is too short to measure.
func search(ctx context.Context, t task) (sample, error) {
	m, p, err := t.question(ctx)
	if err != nil {
		return sample{}, err
	}
	c, err := scc.Find(ctx, m, "iterative")
	if err != nil {
		return sample{}, err
	}
	var best sample
	for began := time.Now(); best.Seconds == 0 || time.Since(began) < time.Second/4; {
		s, err := timed(func() error { return searchOnce(ctx, t, c, p) })
		if errors.Is(err, context.DeadlineExceeded) {
			return sample{Stopped: true}, nil
		}
		if err != nil {
			return s, err
		}
		if best.Seconds == 0 || s.Seconds < best.Seconds {
			best = s
		}
	}
	return best, nil
}

// searchOnce searches for a shortest counterexample once, by the algorithm of the task.
func searchOnce(ctx context.Context, t task, c *scc.Components, p *property.Chain) error {
	switch t.Algorithm {
	case plainSearch:
		visitAll(c.LTS())
		return nil
	case ownSearch:
		_, err := counterexample.Shortest(ctx, c.LTS(), p.Property(), counterexample.Options{Components: c})
		return err
	}
	var algorithm buchi.Algorithm
	err := algorithm.Set(t.Algorithm)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, time.Duration(t.Limit*float64(time.Second)))
	defer stop()
	_, _, err = buchi.FindInModel(ctx, c.LTS(), p.Property(),
		buchi.FindOptions{Algorithm: algorithm}, nil)
	return err
}

// visit measures a plain search through the model.
func visit(ctx context.Context, t task) (sample, error) {
	m, err := t.model(ctx)
	if err != nil {
		return sample{}, err
	}
	return timed(func() error {
		visitAll(m)
		return nil
	})
}

// visitAll is a breadth-first search of the whole model: the yardstick of the searches for a
// counterexample.
func visitAll(m *lts.LTS) {
	seen := make([]bool, m.NumStates())
	seen[m.Initial()] = true
	open := []lts.State{m.Initial()}
	for i := 0; i < len(open); i++ {
		_, targets := m.Out(open[i])
		for _, to := range targets {
			if !seen[to] {
				seen[to] = true
				open = append(open, to)
			}
		}
	}
}

// translate returns the input of mCRL2 for a property of a model: the formula, then the labels that
// concern it, an empty text, and the other labels.
func translate(ctx context.Context, t task) (sample, error) {
	m, p, err := t.question(ctx)
	if err != nil {
		return sample{}, err
	}
	text, _, err := actl.Bound{Chain: p}.MuCalculus(ctx)
	if err != nil {
		return sample{}, err
	}
	s := sample{Texts: []string{text}}
	var others []string
	for l, label := range m.Alphabet().All() {
		switch {
		case label == "tau": // no action, to mCRL2
		case p.Concerns(l):
			s.Texts = append(s.Texts, label)
		default:
			others = append(others, label)
		}
	}
	s.Texts = append(append(s.Texts, ""), others...)
	return s, nil
}
