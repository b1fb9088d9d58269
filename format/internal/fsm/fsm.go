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
// Memory is allocated for content that was read, never because of a number in the file.
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
		d.readLine(ctx, text)
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

// parts are the names of the lists after which others must follow.
var parts = [...]string{"parameters", "states"}

// decoder reads one file.
type decoder struct {
	Options
	line int
	part part

	parameters   []parameter
	values       *lts.ValuesBuilder
	listedStates uint64 // states in the list
	stateValues  []uint64

	builder      lts.Builder
	largestState uint64 // the largest number of a state in a transition
	// firstUnlisted is the line of the first transition to a state that the list of
	// states lacks.
	firstUnlisted int

	initial    uint64
	hasInitial bool
}

// readLine reads a line that is not blank.
func (d *decoder) readLine(ctx context.Context, text []byte) {
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
		d.parameters = append(d.parameters, d.readParameter(text))
	case stateList:
		d.readState(text)
	case transitions:
		d.readTransition(text)
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

// readTransition reads the line of a transition.
func (d *decoder) readTransition(text []byte) {
	from, rest := d.stateNumber(text, "source")
	to, rest := d.stateNumber(rest, "target")
	label := bytes.TrimSpace(rest)
	if len(label) < 2 || label[0] != '"' || label[len(label)-1] != '"' {
		d.refuse("a transition is SOURCE TARGET \"LABEL\", found %s after the numbers",
			inputfile.Quote(label))
	}
	largest := max(from, to)
	if largest > lts.MaxStates {
		d.refuse("state %d: at most %d are possible", largest, int64(lts.MaxStates))
	}
	d.largestState = max(d.largestState, largest)
	hasList := d.listedStates > 0
	if hasList && largest > d.listedStates {
		d.noteUnlisted(largest)
	}
	d.builder.Add(lts.State(from-1), d.builder.LabelBytes(label[1:len(label)-1]),
		lts.State(to-1))
}

// noteUnlisted refuses a transition to a state that the list of states lacks, or records the first one.
func (d *decoder) noteUnlisted(state uint64) {
	if d.firstUnlisted > 0 {
		return
	}
	if !d.Lenient {
		abort.On(inputfile.NewError(d.Name, d.line,
			hint.New(nil,
				fmt.Sprintf("state %d is not in the list of %d states, numbered from 1: correct it, or read the file ", state, d.listedStates), hint.Lenient)))
	}
	d.firstUnlisted = d.line
}

// readState reads the line of a state.
func (d *decoder) readState(text []byte) {
	d.readStateValues(text)
	s := d.listedStates
	d.listedStates++
	if d.listedStates > lts.MaxStates {
		d.refuse("more than %d states", int64(lts.MaxStates))
	}
	if d.values == nil {
		return
	}
	for i, n := range d.stateValues {
		p := &d.parameters[i]
		var v lts.Value
		if p.size > 0 {
			v = p.values[n]
		} else {
			v = d.values.Value(i, fmt.Append(nil, n))
		}
		d.refuseIf(d.values.Set(lts.State(s), i, v))
	}
}

// readStateValues reads the numbers of the values of a state, one for each parameter.
func (d *decoder) readStateValues(text []byte) {
	d.stateValues = d.stateValues[:0]
	for len(text) > 0 {
		n, rest, ok := number(text)
		endsWord := len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t'
		if !ok || !endsWord {
			d.refuse("%s is not a number of a value", inputfile.Quote(text))
		}
		d.stateValues = append(d.stateValues, n)
		text = bytes.TrimLeft(rest, " \t")
	}
	if len(d.stateValues) != len(d.parameters) {
		d.refuse("the state has %d values, but there are %d parameters; correct one of the two", len(d.stateValues),
			len(d.parameters))
	}
	for i, n := range d.stateValues {
		p := &d.parameters[i]
		if p.size > 0 && n >= p.size {
			d.refuse("there is no value %d of %s, which has %d values, numbered from 0", n, printable.Echo(p.Name),
				p.size)
		}
	}
}

func (d *decoder) refuse(format string, a ...any) {
	abort.On(&inputfile.Error{
		File:    d.Name,
		Line:    d.line,
		Message: fmt.Sprintf(format, a...),
	})
}

// refuseIf ends the reading with an error about the file as a whole; it does nothing if err is nil.
func (d *decoder) refuseIf(err error) {
	if err != nil {
		abort.On(inputfile.NewError(d.Name, 0, err))
	}
}

// build makes the model.
func (d *decoder) build() (m *Model, warnings []string) {
	d.line = 0 // errors are about the file as a whole
	n := d.countStates()
	if d.firstUnlisted > 0 {
		message := fmt.Sprintf("a state is not in the list of %d states; the largest number found is %d, so the LTS gets as many states", d.listedStates, d.largestState)
		warning := &inputfile.Error{
			File:    d.Name,
			Line:    d.firstUnlisted,
			Message: message,
		}
		warnings = append(warnings, warning.Error())
	}
	m = &Model{}
	buildModel := func() {
		m.LTS = abort.Must(d.builder.Build(lts.State(d.initial), int(n)))
		if d.values != nil && d.listedStates > 0 {
			m.States = abort.Must(d.values.Build(int(n)))
		}
	}
	d.refuseIf(abort.Try(buildModel))
	return m, warnings
}

// countStates returns the number of states that the list and the transitions mention; without a
// list, it also counts the initial state. It refuses a file that has too many states for its
// transitions, and a file whose initial state is not one of its states.
func (d *decoder) countStates() (n uint64) {
	n = max(d.listedStates, d.largestState, 1)
	if d.listedStates == 0 {
		n = max(n, d.initial+1)
	}
	bound := inputfile.MostStates(uint64(d.builder.NumTransitions()))
	if n > d.listedStates && n > bound {
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
// the rest of the line from its size on; ok is false if the line is no line of a parameter. A name may contain
// parentheses: the size is the first number that is alone in parentheses.
func parameterName(line []byte) (name []byte, rest []byte, ok bool) {
	start := 0
	for {
		open := bytes.IndexByte(line[start:], '(')
		if open < 0 {
			return nil, nil, false
		}
		start += open + 1
		end := start
		for end < len(line) && '0' <= line[end] && line[end] <= '9' {
			end++
		}
		isSize := end > start && end < len(line) && line[end] == ')'
		hasName := start > 1
		if isSize && hasName {
			return line[:start-1], line[start:], true
		}
	}
}

// readParameter reads the line of a parameter.
func (d *decoder) readParameter(line []byte) (p parameter) {
	name, rest, ok := parameterName(line)
	if !ok {
		d.refuse("a parameter is NAME(SIZE) SORT \"VALUE\" …, and a line of --- ends their list; found %s", inputfile.Quote(line))
	}
	p.Name = string(bytes.TrimSpace(name))
	if p.size, rest, ok = number(rest); !ok {
		d.refuse("the number of values of %s is too large", p.Name)
	}
	rest = rest[len(")"):]
	firstQuote := bytes.IndexByte(rest, '"')
	if firstQuote < 0 {
		firstQuote = len(rest)
	}
	p.Sort = string(bytes.TrimSpace(rest[:firstQuote]))
	rest = rest[firstQuote:]
	for len(rest) > 0 {
		length := bytes.IndexByte(rest[1:], '"')
		if rest[0] != '"' || length < 0 {
			d.refuse("a value of %s is not in quotes: %s", p.Name, inputfile.Quote(rest))
		}
		p.texts = append(p.texts, string(rest[1:1+length]))
		rest = bytes.TrimLeft(rest[length+2:], " \t")
	}
	if uint64(len(p.texts)) != p.size {
		d.refuse("%s should have %d values, but has %d", p.Name, p.size, len(p.texts))
	}
	return p
}

// stateNumber reads a state number and the blanks after it.
func (d *decoder) stateNumber(text []byte, role string) (n uint64, rest []byte) {
	if len(text) > 0 && text[0] == '[' {
		d.refuse("the %s is a distribution over states: probabilistic models cannot be read; make one without probabilities, by ltspbisim of mCRL2 or by taking dist out of the specification", role)
	}
	n, rest, ok := number(text)
	endsWord := len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t'
	switch {
	case !ok && len(text) == 0:
		d.refuse("the %s is missing", role)
	case !ok || !endsWord:
		d.refuse("the %s is not a number: %s", role, inputfile.Quote(text))
	case n == 0:
		d.refuse("the %s is 0, but states are numbered from 1", role)
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
