package autx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/lines"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/lts"
)

// Options say how a file is read. The zero value is strict.
type Options struct {
	// Name is the name of the file in errors and warnings.
	Name string
	// Lenient accepts, with a warning, a number of transitions other than the
	// declared one. State numbers above the declared count are always accepted,
	// because CLEAR writes such files.
	Lenient bool
}

// Open reads a model from a file, as [Read] does. An empty Options.Name becomes
// path.
func Open(ctx context.Context, path string, o Options) (*Model, []string, error) {
	if o.Name == "" {
		o.Name = path
	}
	f, err := inputfile.OpenModel(ctx, path, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return Read(ctx, f, o)
}

// Read reads a model from .autx text, plain or compressed by gzip, zstd or bzip2,
// which it recognises by the first bytes, and returns warnings, each of one line,
// with it. The LTS has states up to the largest number in the file or the
// declared count, whichever is larger; if the target -1 occurs, one more state
// represents it, and a warning says its number.
//
// Errors are of type [inputfile.Error], or the error of a context that is done. As in
// package aut, a file has at most 64 states for every transition and 1,000,000
// more. Cost O(length of the text) time, and about 30 bytes a transition and 12 a
// state.
func Read(ctx context.Context, r io.Reader, o Options) (*Model, []string, error) {
	text, name, err := plaintext.Open(ctx, r, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer text.Close()
	o.Name = name
	d := &decoder{Options: o, model: &Model{Kinds: map[lts.State]Kind{}}}
	if err := d.read(ctx, text); err != nil {
		return nil, nil, err
	}
	if err := d.build(); err != nil {
		return nil, nil, err
	}
	return d.model, d.warnings, nil
}

type decoder struct {
	Options
	line        int
	header      header
	started     bool
	model       *Model
	builder     lts.Builder // knows the labels; the transitions wait for the sink
	transitions []lts.Transition
	largest     uint64
	warnings    []string
}

// lineMax is the largest length of a line, so that a file which is no text is not
// read into memory as one line.
const lineMax = 256 << 20

func (d *decoder) read(ctx context.Context, r io.Reader) error {
	at, err := lines.Each(ctx, r, lineMax, func(number int, text []byte) error {
		d.line = number
		if text = bytes.TrimSpace(text); len(text) == 0 {
			return nil
		}
		return d.take(text)
	})
	var refused *inputfile.Error
	switch {
	case err == nil && !d.started:
		return &inputfile.Error{File: d.Name, Message: "empty file: an .autx file begins with the header " + headerShape}
	case err == nil:
		return d.checkCount()
	case ctx.Err() != nil, errors.As(err, &refused):
		return err
	case errors.Is(err, lines.ErrTooLong):
		d.line = at
		return d.refuse("this line is longer than %d MiB: this does not look like an .autx file", lineMax>>20)
	}
	return inputfile.FileError(d.Name, err)
}

// take reads a line that is not blank.
func (d *decoder) take(text []byte) error {
	if !d.started {
		h, refused := parseHeader(text)
		if refused != "" {
			return d.refuse("%s", refused)
		}
		d.header, d.started, d.largest = h, true, h.initial
		return nil
	}
	t, refused := parseLine(text)
	if refused != "" {
		return d.refuse("%s", refused)
	}
	from, to := lts.State(t.from), lts.State(t.to)
	d.transitions = append(d.transitions, lts.Transition{From: from, Label: d.builder.LabelBytes(t.label), To: to})
	d.model.Colours = append(d.model.Colours, t.colour)
	d.largest = max(d.largest, uint64(t.from))
	if t.to == sink {
		d.model.HasSink = true
	} else {
		d.largest = max(d.largest, uint64(t.to))
	}
	return d.mark(from, t.kind)
}

// mark records the kind of a state; all lines with a kind for the state must
// agree.
func (d *decoder) mark(s lts.State, k Kind) error {
	before := d.model.Kinds[s]
	switch {
	case k == NoNeighbourhood || k == before:
		return nil
	case before != NoNeighbourhood:
		return d.refuse("state %d is marked as %s here and as %s above: a state has one kind", s, k, before)
	}
	d.model.Kinds[s] = k
	return nil
}

func (d *decoder) checkCount() error {
	declared, found := d.header.transitions, uint64(len(d.transitions))
	switch {
	case declared == found:
		return nil
	case d.Lenient:
		d.warn("declared %d transitions, found %d: the file may be truncated", declared, found)
		return nil
	case found < declared:
		return d.refuseStrictly("declared %d transitions, found %d: the file looks truncated; fetch it again, or read it", declared, found)
	}
	return d.refuseStrictly("declared %d transitions, found %d: correct the header, or read the file", declared, found)
}

// build makes the LTS.
func (d *decoder) build() error {
	states := max(d.largest+1, d.header.states)
	if d.model.HasSink {
		d.model.Sink = lts.State(d.largest + 1)
		states = max(states, d.largest+2)
		d.warn("the target -1, which stands for what was cut off as correct, is state %d", d.model.Sink)
	}
	if bound := 64*uint64(len(d.transitions)) + 1_000_000; states > min(bound, lts.MaxStates) {
		return &inputfile.Error{File: d.Name, Message: fmt.Sprintf("has states up to %d, more than the %d that %d transitions account for (64 for each and 1000000 more): correct them",
			states-1, bound, len(d.transitions))}
	}
	for _, t := range d.transitions {
		if t.To == sink {
			t.To = d.model.Sink
		}
		d.builder.Add(t.From, t.Label, t.To)
	}
	var err error
	if d.model.LTS, err = d.builder.Build(lts.State(d.header.initial), int(states)); err != nil {
		return &inputfile.Error{File: d.Name, Message: err.Error()}
	}
	return nil
}

func (d *decoder) refuse(format string, args ...any) error {
	return &inputfile.Error{File: d.Name, Line: d.line, Message: fmt.Sprintf(format, args...)}
}

// refuseStrictly returns an error for something that a lenient reading accepts.
// The message says what is wrong and, except for reading leniently, what to do.
func (d *decoder) refuseStrictly(format string, args ...any) error {
	return inputfile.NewError(d.Name, d.line, remedy.New(nil, fmt.Sprintf(format, args...)+" ", remedy.Lenient))
}

func (d *decoder) warn(format string, args ...any) {
	d.warnings = append(d.warnings, d.Name+": "+fmt.Sprintf(format, args...))
}
