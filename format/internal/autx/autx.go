// Package autx reads and writes CLEAR's .autx format: a labelled transition
// system in which every transition has a colour, its class, and every
// neighbourhood its kind (CLEAR: github.com/gbarbon/clear, the tool of SEFM'18).
//
// A file is a header line and one line a transition:
//
//	des (initial, transitions, states)
//	(from, "label":COLOUR, to)
//	(from:N:KIND, "label":COLOUR, to)
//
// The second form is for the transitions that leave a neighbourhood. COLOUR is
// GREEN (correct), RED (incorrect), BLACK (neutral) or UNSET. KIND names the
// colours of the transitions that leave the neighbourhood: G, R, GR, GRB, or U
// where that is unknown. Lines are sorted by source and target. Nothing is
// escaped: the label reaches to the last quote of the line.
//
// State numbers may be sparse, and larger than the number of states that the header declares,
// because CLEAR cuts off what it does not show and keeps the numbers of the rest. When CLEAR looks
// for violations of safety, the target -1 represents everything that it cut off as correct.
//
// A [Model] has a colour for every transition of its LTS, in the order of [lts.LTS.Transitions],
// and kinds for states of it.
package autx

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Options control how a file is read. Lenient accepts, with a warning, a
// number of transitions other than the declared one. State numbers above the declared count are
// always accepted, because CLEAR writes such files.
type Options = plaintext.Options

// Read returns a model that is written as .autx text, and warnings, each of one line. The text may
// be compressed by gzip, zstd or bzip2; the first bytes show how. The LTS has states up to the
// largest number in the file or the declared count, whichever is larger; if the target -1 occurs,
// one more state represents it, and a warning has its number.
//
// Errors are of type [inputfile.Error], or the error of a context that is done. As in
// package aut, a file has at most 64 states for every transition and 1,000,000
// more. Cost O(length of the text) time, and about 30 bytes a transition and 12 a
// state.
func Read(
	ctx context.Context,
	r io.Reader,
	o Options,
) (m *Model, warnings []string, err error) {
	defer abort.Caught(&err)
	o.Name = cmp.Or(o.Name, "input")
	d := &decoder{Options: o, model: &Model{Kinds: map[lts.State]Kind{}}}
	d.line = abort.Must(plaintext.Lines(ctx, r, o.Name, "an .autx file", func(number int, text []byte) {
		d.line = number
		d.readLine(text)
	}))
	if !d.hasHeader {
		abort.On(&inputfile.Error{
			File:    d.Name,
			Message: "empty file: an .autx file begins with the header " + headerShape,
		})
	}
	declared := d.header.transitions
	found := uint64(len(d.transitions))
	switch {
	case declared == found:
	case d.Lenient:
		d.warn("declared %d transitions, found %d: the file may be truncated", declared, found)
	default:
		cure := "correct the header, or read the file "
		if found < declared {
			cure = "the file looks truncated; fetch it again, or read it "
		}
		wrong := fmt.Sprintf("declared %d transitions, found %d: %s", declared, found, cure)
		abort.On(inputfile.NewError(d.Name, d.line, hint.New(nil, wrong, hint.Lenient)))
	}
	d.build()
	return d.model, d.warnings, nil
}

// decoder reads one file.
type decoder struct {
	Options
	line        int
	header      header
	hasHeader   bool
	model       *Model
	builder     lts.Builder // has the labels so far; it gets the transitions once the state of the sink is known
	transitions []lts.Transition
	largest     uint64
	warnings    []string
}

// readLine reads a line that is not blank.
func (d *decoder) readLine(text []byte) {
	if !d.hasHeader {
		d.header = d.parseHeader(text)
		d.hasHeader = true
		d.largest = d.header.initial
		return
	}
	t := d.parseLine(text)
	from := lts.State(t.from)
	to := lts.State(t.to)
	d.transitions = append(d.transitions, lts.Transition{
		From:  from,
		Label: d.builder.LabelBytes(t.label),
		To:    to,
	})
	d.model.Colours = append(d.model.Colours, t.colour)
	d.largest = max(d.largest, uint64(t.from))
	if t.to == sink {
		d.model.HasSink = true
	} else {
		d.largest = max(d.largest, uint64(t.to))
	}
	before := d.model.Kinds[from]
	switch {
	case t.kind == NoNeighbourhood || t.kind == before:
	case before != NoNeighbourhood:
		d.refuse("state %d is marked as %s here and as %s above: a state has one kind", from,
			t.kind, before)
	default:
		d.model.Kinds[from] = t.kind
	}
}

// build makes the LTS.
func (d *decoder) build() {
	states := max(d.largest+1, d.header.states)
	if d.model.HasSink {
		d.model.Sink = lts.State(d.largest + 1)
		states = max(states, d.largest+2)
		d.warn("the target -1, which stands for what was cut off as correct, is state %d",
			d.model.Sink)
	}
	bound := inputfile.MostStates(uint64(len(d.transitions)))
	if states > min(bound, lts.MaxStates) {
		abort.On(&inputfile.Error{
			File: d.Name,
			Message: fmt.Sprintf("has states up to %d, more than the %d that %d transitions account for (64 for each and 1000000 more): correct them",
				states-1, bound, len(d.transitions)),
		})
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
	abort.On(&inputfile.Error{
		File:    d.Name,
		Line:    d.line,
		Message: fmt.Sprintf(format, args...),
	})
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

// parseHeader reads the first line: des (initial state, transitions, states).
func (d *decoder) parseHeader(line []byte) header {
	h, isHeader := headerIn(line)
	if !isHeader {
		d.refuse("expected the header "+headerShape+", found %s", inputfile.Quote(line))
	}
	if h.initial >= sink {
		d.refuse("the initial state %d is too large", h.initial)
	}
	return h
}

// headerIn returns the numbers in a header; isHeader is false if the line is no header.
func headerIn(line []byte) (h header, isHeader bool) {
	text, hasKeyword := bytes.CutPrefix(line, []byte("des"))
	text = bytes.TrimSpace(text)
	isBracketed := len(text) >= 2 && text[0] == '(' && text[len(text)-1] == ')'
	if !hasKeyword || !isBracketed {
		return header{}, false
	}
	fields := bytes.Split(text[1:len(text)-1], []byte(","))
	if len(fields) != 3 {
		return header{}, false
	}
	for i, n := range []*uint64{&h.initial, &h.transitions, &h.states} {
		value, isNumber := number(fields[i])
		if !isNumber {
			return header{}, false
		}
		*n = value
	}
	return h, true
}

// Begins reports whether a text begins as .autx does and .aut does not: with a
// header, and a transition that has a colour or leaves a state with a kind. The
// first lines of the text are enough. Cost O(length of its first two lines).
func Begins(start []byte) bool {
	var t marked
	var line []byte
	refused := abort.Try(func() {
		d := &decoder{}
		header, rest := cutLine(bytes.TrimPrefix(start, []byte("\ufeff")))
		d.parseHeader(header)
		line, _ = cutLine(rest)
		t = d.parseLine(line)
	})
	if refused != nil {
		return false
	}
	behindLabel := line[bytes.LastIndexByte(line, '"')+1:]
	return t.kind != NoNeighbourhood || bytes.IndexByte(behindLabel, ':') >= 0
}

// cutLine returns the first line that is not blank, without the blanks around it, and the text after the line.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	return bytes.TrimSpace(line), rest
}

// marked is a transition with its colour and kind.
type marked struct {
	from   uint32
	kind   Kind
	label  []byte
	colour Colour
	to     uint32 // or sink
}

// parseLine reads the line of a transition, without the blanks around it. The label is a slice of
// line. A label without a colour is Unset.
func (d *decoder) parseLine(line []byte) (t marked) {
	first := bytes.IndexByte(line, ',')
	last := bytes.LastIndexByte(line, ',')
	isBracketed := len(line) >= 2 && line[0] == '(' && line[len(line)-1] == ')'
	if !isBracketed || first == last {
		d.refuse("expected a transition "+shape+", found %s", inputfile.Quote(line))
	}
	source := bytes.TrimSpace(line[1:first])
	label := bytes.TrimSpace(line[first+1 : last])
	target := bytes.TrimSpace(line[last+1 : len(line)-1])
	d.parseSource(&t, source)
	t.to = sink
	if string(target) != "-1" {
		t.to = d.parseState(target, "target")
	}
	d.parseLabel(&t, label)
	return t
}

// parseSource reads the source state of a transition, and the kind after it if there is one.
func (d *decoder) parseSource(t *marked, source []byte) {
	name, mark, hasKind := bytes.Cut(source, []byte(":"))
	t.from = d.parseState(name, "source")
	if !hasKind {
		return
	}
	letters, hasPrefix := bytes.CutPrefix(mark, []byte("N:"))
	kind, isKnown := kindOf(letters)
	if !hasPrefix || !isKnown {
		d.refuse("expected N:G, N:R, N:GR, N:GRB or N:U behind the source state, found %s",
			inputfile.Quote(mark))
	}
	t.kind = kind
}

// parseState reads the number of a state; role is source or target.
func (d *decoder) parseState(name []byte, role string) uint32 {
	n, ok := number(name)
	switch {
	case !ok:
		d.refuse("the %s state is not a number: %s", role, inputfile.Quote(name))
	case n >= sink:
		d.refuse("the %s state is too large: %s", role, inputfile.Quote(name))
	}
	return uint32(n)
}

// parseLabel reads the label of a transition, in quotes, and the colour after it if there is one.
func (d *decoder) parseLabel(t *marked, text []byte) {
	end := bytes.LastIndexByte(text, '"')
	if end < 1 || text[0] != '"' {
		d.refuse("expected a label in quotes, found %s", inputfile.Quote(text))
	}
	t.label = text[1:end]
	mark := bytes.TrimSpace(text[end+1:])
	if len(mark) == 0 {
		return
	}
	name, hasColon := bytes.CutPrefix(mark, []byte(":"))
	colour, isKnown := colourOf(name)
	if !hasColon || !isKnown {
		d.refuse("expected :GREEN, :RED, :BLACK or :UNSET behind the label, found %s",
			inputfile.Quote(mark))
	}
	t.colour = colour
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

var colourNames = [...]string{
	Unset: "UNSET",
	Green: "GREEN",
	Red:   "RED",
	Black: "BLACK",
}

// String returns the name used in files.
func (c Colour) String() string { return colourNames[c] }

// colourOf returns the colour of this name.
func colourOf(name []byte) (Colour, bool) {
	c := slices.Index(colourNames[:], string(name))
	return Colour(max(c, 0)), c >= 0
}

// Kind is CLEAR's mark on a neighbourhood: the colours of the transitions that leave it.
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

var kindNames = [...]string{
	NoNeighbourhood: "",
	Unknown:         "U",
	GreenKind:       "G",
	RedKind:         "R",
	GreenRed:        "GR",
	GreenRedBlack:   "GRB",
}

// String returns the letters used in files, "" if there is no neighbourhood.
func (k Kind) String() string { return kindNames[k] }

// kindOf returns the kind with these letters.
func kindOf(letters []byte) (Kind, bool) {
	k := slices.Index(kindNames[:], string(letters))
	return Kind(max(k, 0)), k > 0
}

// Write writes the reachable part of the LTS of n, with the classes of its
// transitions as colours and the kinds of its neighbourhoods, as CLEAR writes it:
// lines sorted by source and target, and otherwise in the order of the model.
// State numbers are those of the LTS, and the header counts what is written.
//
// CLEAR uses the [neighbourhood.Some] reading. A warning names the first label
// that CLEAR's visualiser cuts off because of a comma or colon. A label with a
// line feed fits no file: then Write fails before it has written anything. Other
// errors come from w. Cost O(S + T log d) time for d transitions that leave one
// state; the output is buffered.
func Write(w io.Writer, n *neighbourhood.Classification) (warnings []string, err error) {
	m := n.Fates().LTS()
	if warnings, err = checkLabels(m); err != nil {
		return nil, err
	}
	reach := m.Reachable()
	b := bufio.NewWriterSize(w, 64<<10)
	fmt.Fprintf(b, "des (%d, %d, %d)\n", m.Initial(), reach.NumTransitions(), reach.NumStates())
	var row []int
	var lineBeginning []byte // the beginning of each line of a state
	for i := range m.NumStates() {
		s := lts.State(i)
		if !reach.Has(s) {
			continue
		}
		labels, targets := m.Out(s)
		row = byTarget(row[:0], targets)
		lineBeginning = strconv.AppendUint(append(lineBeginning[:0], '('), uint64(s), 10)
		if kind, is := n.Kind(s); is {
			lineBeginning = append(append(lineBeginning, ":N:"...), KindOf(kind).String()...)
		}
		for _, j := range row {
			b.Write(lineBeginning)
			b.WriteString(`, "`)
			b.WriteString(m.Alphabet().Text(labels.At(j)))
			b.WriteString(`":`)
			b.WriteString(ColourOf(n.Class(s, labels.At(j), targets[j])).String())
			b.WriteString(", ")
			b.Write(strconv.AppendUint(b.AvailableBuffer(), uint64(targets[j]), 10))
			if _, err := b.WriteString(")\n"); err != nil {
				return nil, err
			}
		}
	}
	return warnings, b.Flush()
}

// ColourOf returns the colour for a class.
func ColourOf(c fate.Class) Colour {
	switch c {
	case fate.Correct:
		return Green
	case fate.Incorrect:
		return Red
	case fate.Excluded:
		return Unset
	}
	return Black
}

// KindOf returns the mark for a kind of neighbourhood.
func KindOf(k neighbourhood.Kind) Kind {
	switch k {
	case neighbourhood.CorrectChoice:
		return GreenKind
	case neighbourhood.IncorrectChoice:
		return RedKind
	case neighbourhood.Mixed:
		return GreenRed
	}
	return GreenRedBlack
}

// checkLabels fails for labels that cannot be written, and warns of those that
// the visualiser misreads: it splits lines at commas, and fields at colons
// (clear_visualizer/js/automate.js, parserCont). Only labels of reachable
// transitions matter.
func checkLabels(m *lts.LTS) (warnings []string, err error) {
	used := make([]bool, m.Alphabet().Len())
	reach := m.Reachable()
	for s := range lts.State(m.NumStates()) {
		if !reach.Has(s) {
			continue
		}
		labels, _ := m.Out(s)
		for i := range labels.Len() {
			used[labels.At(i)] = true
		}
	}
	for l, text := range m.Alphabet().All() {
		switch {
		case !used[l]:
		case strings.ContainsRune(text, '\n'):
			return nil, fmt.Errorf("label %s holds a line feed, which no .autx file can: rename it", inputfile.Quote([]byte(text)))
		case len(warnings) == 0 && strings.ContainsAny(text, ",:"):
			warnings = append(warnings,
				"label "+inputfile.Quote([]byte(text))+
					" holds a comma or a colon: CLEAR's visualiser misreads it")
		}
	}
	return warnings, nil
}

// byTarget appends the indices of the targets of a state to row, in the order of the targets.
func byTarget(row []int, targets []lts.State) []int {
	for i := range targets {
		row = append(row, i)
	}
	slices.SortStableFunc(row, func(i, j int) int {
		return cmp.Compare(targets[i], targets[j])
	})
	return row
}
