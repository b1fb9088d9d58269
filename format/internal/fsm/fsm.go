// Package fsm reads and writes .fsm files, the text format for labelled transition systems with
// values of states that mCRL2 (https://mcrl2.org) and LTSmin write.
//
// A file has three lists, with a line of three dashes between them: parameters, states,
// transitions; and perhaps the initial state after another such line.
//
//	n(3) Nat "0" "1" "2"
//	---
//	0
//	1
//	---
//	1 2 "up(1)"
//	---
//	1
//
// A parameter has a name, how many values it has, a sort, and the values. A state is a number for
// each parameter: the index of its value, from 0, or the value itself if the parameter has no list
// of values. A transition has a source and a target, numbered from 1 in the order of the states,
// and a label in quotes, in which there is no quote. The list of states may be empty: then there
// are as many states as the transitions mention. State 1 is initial if the file names no other.
//
// The invariant that holds inside: memory is allocated for content that was read, never because of
// a number in the file.
package fsm

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// Options control how a file is read. Lenient accepts, with a warning,
// transitions to states that are not in the list of states.
type Options = plaintext.Options

// Model is the content of a file.
type Model = plaintext.Model

// Begins reports whether a text certainly begins an .fsm file: with parameters,
// if any, up to a line of three dashes. Cost O(len(start)).
func Begins(start []byte) bool {
	start = bytes.TrimPrefix(start, []byte("\ufeff"))
	parameters := 0
	valued := false
	for {
		line, rest, whole := bytes.Cut(start, []byte("\n"))
		line = bytes.TrimSpace(line)
		if string(line) == separator {
			// Three dashes at the end of start may begin a longer line, but not after parameters.
			return whole || parameters > 0
		}
		if len(line) > 0 {
			if _, _, ok := parameterName(line); !ok {
				return false
			}
			parameters++
			valued = valued || bytes.IndexByte(line, '"') > 0
		}
		if !whole {
			// The list of parameters may be longer than start. A line such as f(2) could belong to another
			// format; one with a quoted value cannot.
			return parameters > 0 && valued
		}
		start = rest
	}
}

const separator = "---"

// Read reads an LTS from .fsm text, plain or compressed by gzip, zstd or bzip2,
// which it recognises by the first bytes. State s of the LTS has number s+1 in
// the file. It also returns warnings, each of one line, none in a strict reading.
//
// Errors are of type [inputfile.Error], or the error of a context that is done.
// Without a list of states, the LTS has at most 64 states for every transition
// and 1,000,000 more. Cost O(length of the text) time; memory as [lts.Builder]
// takes, and 4 bytes for each state and parameter if States are requested.
func Read(
	ctx context.Context,
	r io.Reader,
	o Options,
) (m *Model, warnings []string, err error) {
	defer abort.Caught(&err)
	o.Name = cmp.Or(o.Name, "input")
	d := &decoder{Options: o}
	d.line = abort.Must(plaintext.Lines(ctx, r, o.Name, "an .fsm file", func(number int, text []byte) {
		d.line = number
		d.take(ctx, text)
	}))
	switch {
	case d.line == 0:
		d.refuse("empty file: an .fsm file has parameters, states and transitions, with a line of --- between them")
	case d.part < transitions:
		d.refuse("the file ends in the list of %s: it is truncated; fetch it again, or make it anew", parts[d.part])
	}
	m, warnings = d.build()
	return m, warnings, nil
}

// part is one of the lists of a file.
type part uint8

const (
	parameters part = iota
	stateList
	transitions
	initialState
)

var parts = [...]string{"parameters", "states"}

type decoder struct {
	Options
	line int
	part part

	parameters []parameter
	values     *lts.ValuesBuilder
	listed     uint64 // states in the list
	numbers    []uint64

	builder lts.Builder
	largest uint64 // the largest number of a state in a transition
	// beyond is the line of the first transition to a state that the list of
	// states lacks.
	beyond int

	initial    uint64
	hasInitial bool
}

// take reads a line that is not blank.
func (d *decoder) take(ctx context.Context, text []byte) {
	if string(text) == separator {
		if d.part == initialState {
			d.refuse("a fourth line of ---: one file holds one LTS, these look like two files joined")
		}
		d.part++
		if d.part == stateList && d.States && len(d.parameters) != 0 {
			d.beginStates(ctx)
		}
		return
	}
	switch d.part {
	case parameters:
		d.parameters = append(d.parameters, d.parameter(text))
	case stateList:
		d.state(text)
	case transitions:
		d.transition(text)
	default:
		if d.hasInitial {
			d.refuse("a second initial state")
		}
		n, rest := d.stateNumber(text, "initial state")
		if len(rest) > 0 {
			d.refuse("unexpected %s after the initial state", inputfile.Quote(rest))
		}
		d.initial = n - 1
		d.hasInitial = true
	}
}

// beginStates prepares the table of the values of states, whose parameters are known.
func (d *decoder) beginStates(ctx context.Context) {
	declared := make([]lts.Parameter, len(d.parameters))
	for i, p := range d.parameters {
		declared[i] = p.Parameter
	}
	values, err := lts.NewValuesBuilder(ctx, declared)
	if err != nil {
		d.refuse("%v", err)
	}
	d.values = values
	// The indices of values in the file are their numbers in the table, unless
	// two values have the same text.
	for i := range d.parameters {
		p := &d.parameters[i]
		for _, text := range p.texts {
			p.values = append(p.values, d.values.Value(i, []byte(text)))
		}
		p.texts = nil
	}
}

// transition reads the line of a transition.
func (d *decoder) transition(text []byte) {
	from, rest := d.stateNumber(text, "source")
	to, rest := d.stateNumber(rest, "target")
	label := bytes.TrimSpace(rest)
	if len(label) < 2 || label[0] != '"' || label[len(label)-1] != '"' {
		d.refuse("a transition is SOURCE TARGET \"LABEL\", found %s after the numbers",
			inputfile.Quote(label))
	}
	largest := max(from, to)
	if largest > d.largest {
		d.largest = largest
		if largest > lts.MaxStates {
			d.refuse("state %d: at most %d are possible", largest, int64(lts.MaxStates))
		}
	}
	if d.listed > 0 && largest > d.listed && d.beyond == 0 {
		if !d.Lenient {
			abort.On(inputfile.NewError(d.Name, d.line,
				hint.New(nil,
					fmt.Sprintf("state %d is not in the list of %d states, numbered from 1: correct it, or read the file ", largest, d.listed), hint.Lenient)))
		}
		d.beyond = d.line
	}
	d.builder.Add(lts.State(from-1), d.builder.LabelBytes(label[1:len(label)-1]),
		lts.State(to-1))
}

// state reads the line of a state.
func (d *decoder) state(text []byte) {
	d.numbers = d.numbers[:0]
	for len(text) > 0 {
		n, rest, ok := number(text)
		if !ok || len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t' {
			d.refuse("%s is not a number of a value", inputfile.Quote(text))
		}
		d.numbers = append(d.numbers, n)
		text = bytes.TrimLeft(rest, " \t")
	}
	if len(d.numbers) != len(d.parameters) {
		d.refuse("the state has %d values, but there are %d parameters; correct one of the two", len(d.numbers),
			len(d.parameters))
	}
	for i, n := range d.numbers {
		p := &d.parameters[i]
		if p.size > 0 && n >= p.size {
			d.refuse("there is no value %d of %s, which has %d values, numbered from 0", n, printable.Echo(p.Name),
				p.size)
		}
	}
	s := d.listed
	d.listed++
	if d.listed > lts.MaxStates {
		d.refuse("more than %d states", int64(lts.MaxStates))
	}
	if d.values == nil {
		return
	}
	for i, n := range d.numbers {
		p := &d.parameters[i]
		var v lts.Value
		if p.size > 0 {
			v = p.values[n]
		} else {
			v = d.values.Value(i, fmt.Append(nil, n))
		}
		d.named(d.values.Set(lts.State(s), i, v))
	}
}

func (d *decoder) refuse(format string, a ...any) {
	abort.On(&inputfile.Error{
		File:    d.Name,
		Line:    d.line,
		Message: fmt.Sprintf(format, a...),
	})
}

// named ends the reading with an error about the file as a whole; it does nothing if err is nil.
func (d *decoder) named(err error) {
	if err != nil {
		abort.On(inputfile.NewError(d.Name, 0, err))
	}
}

// build makes the model.
func (d *decoder) build() (m *Model, warnings []string) {
	d.line = 0 // errors are about the file as a whole
	n := d.countStates()
	if d.beyond > 0 {
		message := fmt.Sprintf("a state is not in the list of %d states; the largest number found is %d, and the LTS has as many states", d.listed, d.largest)
		warning := &inputfile.Error{
			File:    d.Name,
			Line:    d.beyond,
			Message: message,
		}
		warnings = append(warnings, warning.Error())
	}
	m = &Model{}
	buildModel := func() {
		m.LTS = abort.Must(d.builder.Build(lts.State(d.initial), int(n)))
		if d.values != nil && d.listed > 0 {
			m.States = abort.Must(d.values.Build(int(n)))
		}
	}
	d.named(abort.Try(buildModel))
	return m, warnings
}

// countStates returns the number of states that the list and the transitions mention; without a
// list, it also counts the initial state. It refuses a file that has too many states for its
// transitions, and a file whose initial state is not one of its states.
func (d *decoder) countStates() (n uint64) {
	n = max(d.listed, d.largest, 1)
	if d.listed == 0 {
		n = max(n, d.initial+1)
	}
	bound := inputfile.MostStates(uint64(d.builder.NumTransitions()))
	if n > d.listed && n > bound {
		d.refuse("state %d is beyond the %d that %d transitions account for (64 for each and 1000000 more): correct it", n, bound, d.builder.NumTransitions())
	}
	if d.initial >= n {
		d.refuse("the initial state %d is not among the %d states, numbered from 1",
			d.initial+1, n)
	}
	return n
}

// parameter is an entry of the first list.
type parameter struct {
	lts.Parameter
	// size is the number of values; 0 if states contain the values themselves.
	size   uint64
	texts  []string
	values []lts.Value
}

// parameterName returns the name at the beginning of the line of a parameter, and
// the rest of the line; ok is false if the line is no line of a parameter.
func parameterName(line []byte) (name []byte, rest []byte, ok bool) {
	for at := 0; ; {
		open := bytes.IndexByte(line[at:], '(')
		if open < 0 {
			return nil, nil, false
		}
		at += open + 1
		digits := at
		for digits < len(line) && '0' <= line[digits] && line[digits] <= '9' {
			digits++
		}
		if digits > at && digits < len(line) && line[digits] == ')' && at > 1 {
			return line[:at-1], line[at:], true
		}
	}
}

// parameter reads the line of a parameter.
func (d *decoder) parameter(line []byte) (p parameter) {
	name, rest, ok := parameterName(line)
	if !ok {
		d.refuse("a parameter is NAME(SIZE) SORT \"VALUE\" …, and a line of --- ends their list; found %s", inputfile.Quote(line))
	}
	p.Name = string(bytes.TrimSpace(name))
	if p.size, rest, ok = number(rest); !ok {
		d.refuse("the number of values of %s is too large", p.Name)
	}
	rest = rest[1:]
	first := bytes.IndexByte(rest, '"')
	if first < 0 {
		first = len(rest)
	}
	p.Sort = string(bytes.TrimSpace(rest[:first]))
	for rest = rest[first:]; len(rest) > 0; rest = bytes.TrimLeft(rest, " \t") {
		end := bytes.IndexByte(rest[1:], '"')
		if rest[0] != '"' || end < 0 {
			d.refuse("a value of %s is not in quotes: %s", p.Name, inputfile.Quote(rest))
		}
		p.texts = append(p.texts, string(rest[1:1+end]))
		rest = rest[end+2:]
	}
	if uint64(len(p.texts)) != p.size {
		d.refuse("%s should have %d values, but has %d", p.Name, p.size, len(p.texts))
	}
	return p
}

// stateNumber reads a state number and the blanks after it.
func (d *decoder) stateNumber(text []byte, what string) (n uint64, rest []byte) {
	if len(text) > 0 && text[0] == '[' {
		d.refuse("the %s is a distribution over states: probabilistic models cannot be read; make one without probabilities, by ltspbisim of mCRL2 or by taking dist out of the specification", what)
	}
	n, rest, ok := number(text)
	switch {
	case !ok && len(text) == 0:
		d.refuse("the %s is missing", what)
	case !ok, len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t':
		d.refuse("the %s is not a number: %s", what, inputfile.Quote(text))
	case n == 0:
		d.refuse("the %s is 0, and states are numbered from 1", what)
	}
	return n, bytes.TrimLeft(rest, " \t")
}

// number reads the number at the beginning of a text.
func number(text []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for ; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
		if n > 1<<53 {
			return 0, nil, false
		}
		n = 10*n + uint64(text[i]-'0')
	}
	return n, text[i:], i > 0
}
