package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts/generate"
	"github.com/inev-lts/inev/tools/build"
)

// laboratory is the place where everything is measured.
type laboratory struct {
	options
	folder string
	// inev is the command, self this program.
	inev, self string
	peers      peers
	files      map[string]file
	targets    []target
	// native is what draws the picture of the measurements without inev, nil if there is
	// no such tool.
	native *work
}

func newLaboratory(ctx context.Context, o options) (*laboratory, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	l := &laboratory{options: o, self: self, files: map[string]file{}}
	if l.folder, err = os.MkdirTemp("", "inev-performance-"); err != nil {
		return nil, err
	}
	if l.inev = o.inev; l.inev == "" {
		l.inev = filepath.Join(l.folder, "inev")
		if err := build.Command(ctx, l.inev); err != nil {
			return nil, errors.Join(err, os.RemoveAll(l.folder))
		}
	}
	l.peers = findPeers(ctx, o.mcrl2)
	return l, nil
}

// reference is the number of transitions of the reference model.
func (l *laboratory) reference() int { return l.sizes[len(l.sizes)-1] }

// tell says on standard error what is being measured.
func (l *laboratory) tell(what string) {
	fmt.Fprintf(l.log, "performance: %s %s\n", time.Now().Format("15:04:05"), what)
}

// file is a model that was generated.
type file struct {
	path                string
	states, transitions int64
	bytes               int64 // of the text
	formula             string
}

// labelled turns the offers of labels, ACTION !12, into parts of names,
// ACTION_NO_12: mCRL2 takes a label only where it is the name of an action.
func labelled[T string | []byte](text T) string {
	return strings.ReplaceAll(string(text), " !", "_NO_")
}

// labels passes text on with such labels. The text comes in whole lines, so that
// no label is cut in two.
type labels struct {
	w     io.Writer
	bytes int64
}

func (l *labels) Write(text []byte) (int, error) {
	n, err := io.WriteString(l.w, labelled(text))
	l.bytes += int64(n)
	if err != nil {
		return 0, err
	}
	return len(text), nil
}

// model returns the file of a model, with the formula that belongs to it; it is
// generated where it is not there yet.
func (l *laboratory) model(ctx context.Context, s generate.Spec, suffix string) (file, error) {
	key := fmt.Sprintf("%+v%s", s, suffix)
	if f, is := l.files[key]; is {
		return f, nil
	}
	formula, err := s.Formula()
	if err != nil {
		return file{}, err
	}
	f := file{path: filepath.Join(l.folder, fmt.Sprintf("%d.aut%s", len(l.files), suffix)), formula: labelled(formula)}
	// Neither is done here: this process stays small.
	told, err := l.do(ctx, task{Do: "size", Spec: s})
	if err != nil {
		return file{}, err
	}
	f.states, f.transitions = told.States, told.Transitions
	l.tell(fmt.Sprintf("generating %s, %d transitions%s", s.Kind, f.transitions, suffix))
	written, err := l.do(ctx, task{Do: "model", Path: f.path, Spec: s})
	if err != nil {
		return file{}, err
	}
	f.bytes = written.Bytes
	l.files[key] = f
	return f, nil
}

// generateFile writes a model and returns the length of its text.
func generateFile(ctx context.Context, path string, s generate.Spec) (bytes int64, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	packed, err := aut.Compress(f, path)
	if err != nil {
		return 0, err
	}
	out := &labels{w: packed}
	if err := generate.Write(ctx, out, s); err != nil {
		return 0, err
	}
	return out.bytes, packed.Close()
}

// sample is what one run of a piece of work took.
type sample struct {
	Seconds float64
	// Processor are the seconds of all processors, of a run of inev that tells nothing else.
	Processor float64
	// Elapsed is the time that passed, where Seconds are those of the processors.
	Elapsed float64
	// Peak is the largest resident memory of the process, in bytes.
	Peak int64
	// Transitions and Bytes are how much was worked on or, of work done in memory,
	// how much was allocated, in so many pieces.
	Transitions, States, Bytes, Allocations int64
	Phases                                  []phase
	// Holds is the verdict, Length the number of transitions of the counterexample.
	Holds  bool
	Length int
	// Texts are what a task answers in words.
	Texts []string
	// Stopped tells that the time limit was reached, Failed that a tool of others
	// ended without an answer.
	Stopped, Failed bool
	// Silent tells that it has no verdict.
	Silent bool
}

func (s sample) answered() bool { return !s.Stopped && !s.Failed }

type phase struct {
	Name    string
	Seconds float64
}

// work is a row of a table.
type work struct {
	name string
	run  func(ctx context.Context) (sample, error)
	// once is for what takes long.
	once    bool
	samples []sample
}

// measure runs all rows of a table, in turn.
func (l *laboratory) measure(ctx context.Context, runs int, all []*work) error {
	for round := range runs {
		for _, w := range all {
			if round > 0 && (w.once || !w.samples[0].answered()) {
				continue
			}
			if runs <= 10 || round == 0 {
				l.tell(w.name)
			}
			s, err := w.run(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			w.samples = append(w.samples, s)
		}
	}
	return nil
}

// taskArgument is the first argument of this program where it is to do the work
// that the second one describes, and nothing else.
const taskArgument = "task"

// do runs a task in a process of its own.
func (l *laboratory) do(ctx context.Context, t task) (sample, error) {
	var s sample
	text, err := json.Marshal(t)
	if err != nil {
		return s, err
	}
	var out, wrong bytes.Buffer
	command := exec.CommandContext(ctx, l.self, taskArgument, string(text))
	command.Stdout, command.Stderr = &out, &wrong
	if err := command.Run(); err != nil {
		return s, fmt.Errorf("%w: %s", err, wrong.String())
	}
	return s, json.Unmarshal(out.Bytes(), &s)
}

// task returns a row for a task.
func (l *laboratory) task(name string, t task) *work {
	return &work{name: name, run: func(ctx context.Context) (sample, error) { return l.do(ctx, t) }}
}
