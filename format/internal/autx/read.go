package autx

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/lts"
)

// Options say how a file is read. Lenient accepts, with a warning, a
// number of transitions other than the declared one. State numbers above the declared count are
// always accepted, because CLEAR writes such files.
type Options = plaintext.Options

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
func Read(ctx context.Context, r io.Reader, o Options) (m *Model, warnings []string, err error) {
	defer abort.Caught(&err)
	text, name, err := plaintext.Open(ctx, r, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer text.Close()
	o.Name = name
	d := &decoder{Options: o, model: &Model{Kinds: map[lts.State]Kind{}}}
	d.read(ctx, text)
	d.build()
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

func (d *decoder) read(ctx context.Context, r io.Reader) {
	abort.On(inputfile.EachModelLine(ctx, r, d.Name, lineMax, "an .autx file", func(number int, text []byte) (err error) {
		defer abort.Caught(&err)
		d.line = number
		if text = bytes.TrimSpace(text); len(text) > 0 {
			d.take(text)
		}
		return nil
	}))
	if !d.started {
		abort.On(&inputfile.Error{File: d.Name, Message: "empty file: an .autx file begins with the header " + headerShape})
	}
	d.checkCount()
}

// take reads a line that is not blank.
func (d *decoder) take(text []byte) {
	if !d.started {
		h, refused := parseHeader(text)
		if refused != "" {
			d.refuse("%s", refused)
		}
		d.header, d.started, d.largest = h, true, h.initial
		return
	}
	t, refused := parseLine(text)
	if refused != "" {
		d.refuse("%s", refused)
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
	d.mark(from, t.kind)
}

// mark records the kind of a state; all lines with a kind for the state must
// agree.
func (d *decoder) mark(s lts.State, k Kind) {
	before := d.model.Kinds[s]
	if k == NoNeighbourhood || k == before {
		return
	}
	if before != NoNeighbourhood {
		d.refuse("state %d is marked as %s here and as %s above: a state has one kind", s, k, before)
	}
	d.model.Kinds[s] = k
}

func (d *decoder) checkCount() {
	declared, found := d.header.transitions, uint64(len(d.transitions))
	switch {
	case declared == found:
	case d.Lenient:
		d.warn("declared %d transitions, found %d: the file may be truncated", declared, found)
	case found < declared:
		d.refuseStrictly("declared %d transitions, found %d: the file looks truncated; fetch it again, or read it", declared, found)
	default:
		d.refuseStrictly("declared %d transitions, found %d: correct the header, or read the file", declared, found)
	}
}

// build makes the LTS.
func (d *decoder) build() {
	states := max(d.largest+1, d.header.states)
	if d.model.HasSink {
		d.model.Sink = lts.State(d.largest + 1)
		states = max(states, d.largest+2)
		d.warn("the target -1, which stands for what was cut off as correct, is state %d", d.model.Sink)
	}
	if bound := inputfile.MostStates(uint64(len(d.transitions))); states > min(bound, lts.MaxStates) {
		abort.On(&inputfile.Error{File: d.Name, Message: fmt.Sprintf("has states up to %d, more than the %d that %d transitions account for (64 for each and 1000000 more): correct them",
			states-1, bound, len(d.transitions))})
	}
	for _, t := range d.transitions {
		if t.To == sink {
			t.To = d.model.Sink
		}
		d.builder.Add(t.From, t.Label, t.To)
	}
	var err error
	if d.model.LTS, err = d.builder.Build(lts.State(d.header.initial), int(states)); err != nil {
		abort.On(&inputfile.Error{File: d.Name, Message: err.Error()})
	}
}

func (d *decoder) refuse(format string, args ...any) {
	abort.On(&inputfile.Error{File: d.Name, Line: d.line, Message: fmt.Sprintf(format, args...)})
}

// refuseStrictly ends the reading for something that a lenient reading accepts.
// The message says what is wrong and, except for reading leniently, what to do.
func (d *decoder) refuseStrictly(format string, args ...any) {
	abort.On(inputfile.NewError(d.Name, d.line, remedy.New(nil, fmt.Sprintf(format, args...)+" ", remedy.Lenient)))
}

func (d *decoder) warn(format string, args ...any) {
	d.warnings = append(d.warnings, d.Name+": "+fmt.Sprintf(format, args...))
}

// sink is the target of a transition into the part that CLEAR cut off, until
// the LTS has a state for it. It is lts.MaxStates, which is no state number.
const sink = math.MaxUint32

const (
	headerShape = "des (initial, transitions, states)"
	shape       = `(from, "label":COLOUR, to) or (from:N:KIND, "label":COLOUR, to)`
)

// header is the first line of a file.
type header struct{ initial, transitions, states uint64 }

// parseHeader reads a header; refused explains what is wrong with it, "" if
// nothing is.
func parseHeader(line []byte) (h header, refused string) {
	inside, ok := bytes.CutPrefix(line, []byte("des"))
	inside = bytes.TrimSpace(inside)
	refused = "expected the header " + headerShape + ", found " + inputfile.Quote(line)
	if !ok || len(inside) < 2 || inside[0] != '(' || inside[len(inside)-1] != ')' {
		return h, refused
	}
	fields := bytes.Split(inside[1:len(inside)-1], []byte(","))
	if len(fields) != 3 {
		return h, refused
	}
	for i, n := range []*uint64{&h.initial, &h.transitions, &h.states} {
		if *n, ok = number(fields[i]); !ok {
			return h, refused
		}
	}
	if h.initial >= sink {
		return h, fmt.Sprintf("the initial state %d is too large", h.initial)
	}
	return h, ""
}

// Begins reports whether a text begins as .autx does and .aut does not: with a
// header, and a transition that has a colour or leaves a state with a kind. The
// first lines of the text are enough. Cost O(length of its first two lines).
func Begins(start []byte) bool {
	rest := bytes.TrimPrefix(start, []byte("\ufeff"))
	for headed := false; ; headed = true {
		var line []byte
		line, rest, _ = bytes.Cut(bytes.TrimLeft(rest, " \t\r\n"), []byte("\n"))
		line = bytes.TrimSpace(line)
		if headed {
			t, refused := parseLine(line)
			behind := line[bytes.LastIndexByte(line, '"')+1:]
			return refused == "" && (t.kind != NoNeighbourhood || bytes.IndexByte(behind, ':') >= 0)
		}
		if _, refused := parseHeader(line); refused != "" {
			return false
		}
	}
}

// marked is a transition with its colour and kind.
type marked struct {
	from   uint32
	kind   Kind
	label  []byte
	colour Colour
	to     uint32 // or sink
}

// parseLine reads the line of a transition, without the blanks around it; refused
// explains what is wrong with it, "" if nothing is. The label is a slice of line.
func parseLine(line []byte) (t marked, refused string) {
	first, last := bytes.IndexByte(line, ','), bytes.LastIndexByte(line, ',')
	if len(line) < 2 || line[0] != '(' || line[len(line)-1] != ')' || first == last {
		return t, "expected a transition " + shape + ", found " + inputfile.Quote(line)
	}
	if refused := t.parseSource(line[1:first]); refused != "" {
		return t, refused
	}
	if refused := t.parseTarget(bytes.TrimSpace(line[last+1 : len(line)-1])); refused != "" {
		return t, refused
	}
	return t, t.parseLabel(bytes.TrimSpace(line[first+1 : last]))
}

// parseSource reads a state with or without the kind of its neighbourhood.
func (t *marked) parseSource(field []byte) string {
	name, mark, marked := bytes.Cut(bytes.TrimSpace(field), []byte(":"))
	from, ok := number(name)
	switch {
	case !ok:
		return "the source state is not a number: " + inputfile.Quote(name)
	case from >= sink:
		return "the source state is too large: " + inputfile.Quote(name)
	}
	t.from = uint32(from)
	if !marked {
		return ""
	}
	letters, ok := bytes.CutPrefix(mark, []byte("N:"))
	if t.kind, marked = kindOf(letters); !ok || !marked {
		return "expected N:G, N:R, N:GR, N:GRB or N:U behind the source state, found " + inputfile.Quote(mark)
	}
	return ""
}

func (t *marked) parseTarget(field []byte) string {
	if string(field) == "-1" {
		t.to = sink
		return ""
	}
	to, ok := number(field)
	switch {
	case !ok:
		return "the target state is not a number: " + inputfile.Quote(field)
	case to >= sink:
		return "the target state is too large: " + inputfile.Quote(field)
	}
	t.to = uint32(to)
	return ""
}

// parseLabel reads a label with its colour. A label without a colour is Unset.
func (t *marked) parseLabel(field []byte) string {
	end := bytes.LastIndexByte(field, '"')
	if end < 1 || field[0] != '"' {
		return "expected a label in quotes, found " + inputfile.Quote(field)
	}
	t.label = field[1:end]
	mark := bytes.TrimSpace(field[end+1:])
	if len(mark) == 0 {
		return ""
	}
	name, marked := bytes.CutPrefix(mark, []byte(":"))
	colour, known := colourOf(name)
	if !marked || !known {
		return "expected :GREEN, :RED, :BLACK or :UNSET behind the label, found " + inputfile.Quote(mark)
	}
	t.colour = colour
	return ""
}

// number reads a natural number with blanks around it.
func number(field []byte) (uint64, bool) {
	n, err := strconv.ParseUint(string(bytes.TrimSpace(field)), 10, 64)
	return n, err == nil
}

// Model is the content of a file.
type Model struct {
	// LTS has the state numbers of the file.
	LTS *lts.LTS
	// Colours[i] is the colour of the i-th transition of LTS.Transitions.
	Colours []Colour
	// Kinds has the kind of each state that is marked as a neighbourhood.
	Kinds map[lts.State]Kind
	// Sink is the state for the target -1 of the file; it has no meaning unless
	// HasSink is true.
	Sink    lts.State
	HasSink bool
}

// Colour is CLEAR's mark on a transition.
type Colour uint8

// The colours.
const (
	Unset Colour = iota // not known
	Green               // correct
	Red                 // incorrect
	Black               // neutral
)

var colourNames = [...]string{Unset: "UNSET", Green: "GREEN", Red: "RED", Black: "BLACK"}

// String returns the name used in files.
func (c Colour) String() string { return colourNames[c] }

// colourOf returns the colour of this name.
func colourOf(name []byte) (Colour, bool) {
	c := slices.Index(colourNames[:], string(name))
	return Colour(max(c, 0)), c >= 0
}

// Kind is CLEAR's mark on a neighbourhood: the colours that leave it.
type Kind uint8

// The kinds.
const (
	NoNeighbourhood Kind = iota
	Unknown
	GreenKind     // G: green, or green and black
	RedKind       // R: red, or red and black
	GreenRed      // GR
	GreenRedBlack // GRB
)

var kindNames = [...]string{NoNeighbourhood: "", Unknown: "U", GreenKind: "G", RedKind: "R", GreenRed: "GR", GreenRedBlack: "GRB"}

// String returns the letters used in files, "" if there is no neighbourhood.
func (k Kind) String() string { return kindNames[k] }

// kindOf returns the kind with these letters.
func kindOf(letters []byte) (Kind, bool) {
	k := slices.Index(kindNames[:], string(letters))
	return Kind(max(k, 0)), k > 0
}
