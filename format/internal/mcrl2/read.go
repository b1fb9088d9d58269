// Package mcrl2 reads the .lts files of mCRL2 (https://mcrl2.org), its default format for
// labelled transition systems, without mCRL2.
//
// A file is a stream of bits, the most significant bit of a byte first. Numbers are written in
// groups of seven bits, the lowest first. Each group takes eight bits: the top bit is set if more
// groups follow. A header of five bytes has a zero, 0x8baf and the version of the format; 0x8306
// (2020), 0x8307 (2023) and 0x8308 (2024) are read. Packets follow. The first two bits of a packet
// are its kind: a function symbol, which joins table F; a term, which joins table A; a term that is
// output; a number that is output. Terms name their symbol and arguments by indices into F and A,
// in as many bits as the sizes of the tables need. The symbol with the number 0 ends the stream.
//
// Terms that are output are, in this order: a marker; sorts, aliases, constructors,
// mappings and equations of the specification; parameters of states; actions. Then come,
// in any order, transitions (a marker, the source, a multi-action, the target), the values
// of states one by one, and the initial state.
//
// Labels are printed, text for text, as ltsconvert prints them into .aut: mCRL2's notation
// for data, with operators between their arguments and parentheses where they are needed.
//
// Memory is allocated for content that was read, never because of a number in the file; a term
// names only terms before it; and nothing recurses, so that a term of any depth can be read and
// printed.
package mcrl2

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"runtime"
	"slices"

	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/lineblocks"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// Options control how a file is read.
type Options = plaintext.Options

// Model is the content of a file.
type Model = plaintext.Model

// Read reads an LTS of mCRL2, plain or compressed by gzip, zstd or bzip2, which
// it recognises by the first bytes. It also returns warnings, each of one line:
// for a label or value with an operation that mCRL2 may print otherwise, and for
// a state that represents several.
//
// Transitions, states and labels have the order and the texts of the .aut file
// that mCRL2's ltsconvert makes. The number of states follows from the largest
// state number, and is at most 64 for every transition and 1,000,000 more.
//
// Errors are of type [inputfile.Error] and name the byte, after decompression, at
// which the error was found; except those of a context that is done. Cost
// O(length of the file) time. Memory: 9 bytes a transition with up to 256 labels,
// and 4 a state; 9 bytes for each subterm and 4 for each of its arguments, which
// take a few bits each in the file; and 4 bytes for each state and parameter if
// States are requested.
func Read(
	ctx context.Context,
	r io.Reader,
	o Options,
) (m *Model, warnings []string, err error) {
	defer abort.Caught(&err)
	length := lineblocks.Remaining(r)
	raw, name, err := plaintext.Open(ctx, r, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer raw.Close()
	o.Name = name
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	t := &terms{}
	t.addSymbol("", 0)
	t.symbols[0].role = endOfStream
	d := &decoder{
		stream: stream{
			bitReader: &bitReader{
				ctx: ctx,
				r:   raw,
				buf: make([]byte, bufferSize),
			},
			terms: t,
			file:  o.Name,
		},
		options: o,
		printer: printer{terms: t, ctx: ctx},
		labelOf: map[[2]term]lts.Label{},
	}
	if raw.Format() == "" {
		d.length = length
	}
	if err := abort.Try(func() { d.read(ctx) }); err != nil {
		if errors.As(err, new(*inputfile.Error)) {
			return nil, nil, err
		}
		abort.On(ctx.Err())
		if err == io.ErrUnexpectedEOF {
			d.refuse("the file ends too early: it is truncated; fetch it again, or make it anew")
		}
		abort.On(inputfile.FileError(d.file, err))
	}
	m = d.build(ctx)
	return m, d.warnings, nil
}

// decoder collects the content of a stream.
type decoder struct {
	stream
	options Options
	printer printer
	// length is the length of the text in bytes, 0 or less if it is unknown.
	length int64

	labels  lts.AlphabetBuilder
	labelOf map[[2]term]lts.Label
	cache   labelCache // of recently used labels
	// transitionSymbol and actionSymbol are the symbols of the last transition and of its label; 0 until
	// a transition was read.
	transitionSymbol, actionSymbol uint32
	columns                        lts.Columns
	// largestState is the largest number of a state.
	largestState uint64
	initial      uint64
	hasInitial   bool

	parameters []lts.Parameter
	values     *lts.ValuesBuilder
	// valueOf[p] maps a term to its value, for the terms of parameter p that have been read.
	valueOf          []map[term]lts.Value
	statesWithValues uint64 // the number of states that have values
	trees            []term // the transitions of a state that are still to be checked
	hasMergedStates  bool   // a state stands for several
	warnings         []string
}

// read reads the whole stream: the header, and then transitions, values of states and the initial state in any
// order.
func (d *decoder) read(ctx context.Context) {
	d.checkMagic(ctx)
	d.checkVersion()
	d.header(ctx)
	for {
		d.usualTransitions(ctx)
		switch d.next(ctx) {
		case theEnd:
			d.checkEnd()
			return
		case aNumber:
			d.refuse("a number where a transition, a state or the initial state is expected: the file is damaged")
		}
		switch d.roleOut() {
		case transitionMark:
			d.transition(ctx)
		case cons, empty:
			d.stateValues()
		case initialStateMark:
			d.initialState(ctx)
		case probabilityMark:
			d.refuse("a probabilistic transition: probabilistic models cannot be read; make one without probabilities, by ltspbisim or by taking dist out of the specification")
		default:
			d.refuse("%q where a transition, a state or the initial state is expected: the file is damaged", d.symbols[d.symbolOut].name)
		}
	}
}

// magic is how the files of mCRL2 begin, as a number of 24 bits.
const magic = 0x008baf

// checkMagic refuses a file that does not begin like mCRL2's .lts files, or is shorter than that
// beginning.
func (d *decoder) checkMagic(ctx context.Context) {
	start := uint64(0)
	err := abort.Try(func() { start = d.take(24) })
	if start == magic {
		return
	}
	abort.On(ctx.Err())
	if err != nil && err != io.ErrUnexpectedEOF {
		abort.On(err)
	}
	abort.On(inputfile.NewError(d.file, 0,
		errors.New("this is not an .lts file of mCRL2: these begin with the bytes 00 8b af; a file of another format needs its suffix, such as .aut")))
}

// checkVersion refuses a version of the format that is not known.
func (d *decoder) checkVersion() {
	version := d.take(16)
	if version < versionFirst || version > versionLast {
		abort.On(inputfile.NewError(d.file, 0,
			fmt.Errorf("at byte 3: version %#x of mCRL2's .lts format%s; versions %#x to %#x are read: make the file anew with a recent mCRL2, or convert it with the ltsconvert that came with the one which wrote it",
				version, versions[version], versionFirst, versionLast)))
	}
}

// header reads what precedes the transitions: the data types, which it skips, the parameters of
// states, and the actions.
func (d *decoder) header(ctx context.Context) {
	d.termNext(ctx, "the marker labelled_transition_system")
	if d.roleOut() != modelMark {
		d.refuse("%q where labelled_transition_system is expected: this is another file of mCRL2, such as an .lps", d.symbols[d.symbolOut].name)
	}
	for _, part := range []string{"sorts", "aliases", "constructors", "mappings", "equations"} {
		for range d.numberNext(ctx, "the number of "+part) {
			d.termNext(ctx, "one of "+part)
		}
	}
	d.termNext(ctx, "the list of parameters")
	for _, x := range d.parameterTerms() {
		if d.terms.role(x) != variable {
			d.refuse("%q where a parameter is expected: the file is damaged", d.terms.name(x))
		}
		d.parameters = append(d.parameters, lts.Parameter{
			Name: d.terms.name(d.terms.argument(x, 0)),
			Sort: string(d.text(sort(d.terms.argument(x, 1)))),
		})
	}
	d.termNext(ctx, "the list of actions")
	role := d.roleOut()
	if role != cons && role != empty {
		d.refuse("%q where a list of actions is expected: the file is damaged",
			d.symbols[d.symbolOut].name)
	}
}

// parameterTerms returns the terms of the list of parameters, which was read last.
func (d *decoder) parameterTerms() []term {
	switch d.roleOut() {
	case empty:
		return nil
	case cons:
		return append([]term{d.argumentsOut[0]}, d.printer.list(d.argumentsOut[1])...)
	}
	d.refuse("%q where a list of parameters is expected: the file is damaged",
		d.symbols[d.symbolOut].name)
	return nil
}

// transition reads a transition after its mark.
func (d *decoder) transition(ctx context.Context) {
	d.transitionSymbol = d.symbolOut
	from := d.numberNext(ctx, "the source of a transition")
	d.termNext(ctx, "the label of a transition")
	if d.roleOut() != multiAction {
		d.refuse("%q where the label of a transition is expected: the file is damaged",
			d.symbols[d.symbolOut].name)
	}
	d.actionSymbol = d.symbolOut
	key := [2]term{d.argumentsOut[0], d.argumentsOut[1]}
	label, known := d.labelOf[key]
	if !known {
		label = d.labels.LabelBytes(d.label(key[0], key[1]))
		d.labelOf[key] = label
	}
	d.cache.keep(key, label)
	d.addTransition(ctx, from, label, d.numberNext(ctx, "the target of a transition"))
}

// initialState reads the initial state after its mark.
func (d *decoder) initialState(ctx context.Context) {
	n := d.numberNext(ctx, "the number of initial states")
	if n != 1 {
		d.refuse("the initial state is a distribution over %d states: probabilistic models cannot be read; make one without probabilities, by ltspbisim or by taking dist out of the specification", n)
	}
	s := d.numberNext(ctx, "the initial state")
	if d.hasInitial && s != d.initial {
		d.refuse("a second initial state, %d beside %d: the file is damaged", s, d.initial)
	}
	d.initial = s
	d.hasInitial = true
}

// checkEnd refuses a model without an initial state, and a file with bytes after the model.
func (d *decoder) checkEnd() {
	end := d.offset()
	if !d.hasInitial {
		d.refuse("the file has no initial state: it is damaged")
	}
	if !d.atEnd() {
		abort.On(d.err)
		abort.On(inputfile.NewError(d.file, 0,
			fmt.Errorf("at byte %d: the model ends here, but the file goes on: it is damaged, or several were joined", end)))
	}
}

// text returns the text of items.
func (d *decoder) text(of ...item) []byte {
	text, err := d.printer.print(of...)
	if err != nil {
		abort.On(d.ctx.Err())
		d.refuse("%v", err)
	}
	return text
}

// addTransition adds a transition to the columns, which it grows if one of them is full.
func (d *decoder) addTransition(ctx context.Context, from uint64, label lts.Label, to uint64) {
	largest := max(from, to)
	if largest > d.largestState {
		if largest >= lts.MaxStates {
			d.refuse("state %d: at most %d states are possible", largest, int64(lts.MaxStates))
		}
		d.largestState = largest
	}
	c := &d.columns
	isAnyFull := c.Labels.Len() == c.Labels.Cap() || len(c.Sources) == cap(c.Sources) ||
		len(c.Targets) == cap(c.Targets)
	if isAnyFull || !c.Labels.Fits(d.labels.Len()) {
		d.growColumns(ctx)
	}
	c.Sources = append(c.Sources, uint32(from))
	c.Labels.Append(label)
	c.Targets = append(c.Targets, lts.State(to))
}

// growColumns makes room for the transitions that are expected.
func (d *decoder) growColumns(ctx context.Context) {
	d.refuseIf(abort.Try(func() {
		c := &d.columns
		more := d.expectedTransitions()
		c.Sources = abort.Must(resources.Grow(ctx, c.Sources, more))
		abort.On(c.Labels.Grow(ctx, more, d.labels.Len()))
		c.Targets = abort.Must(resources.Grow(ctx, c.Targets, more))
	}))
}

// expectedTransitions returns the number of further transitions for which memory is allocated. After many
// transitions it extrapolates from the text read so far to the whole text, so that transitions need not be
// moved again.
func (d *decoder) expectedTransitions() int {
	read := d.columns.Labels.Len()
	isLengthKnown := d.length > 0
	if read < 1<<16 || !isLengthKnown {
		return 1
	}
	unreadPerReadByte := float64(d.length)/float64(d.offset()) - 1
	reserve := read / 64
	return max(1, int(float64(read)*unreadPerReadByte)+reserve)
}

// label returns the text of a multi-action, as ltsconvert prints it: the actions,
// with the time after the last of them, in the order of their texts.
func (d *decoder) label(actions, time term) []byte {
	var parts []any
	for i, a := range d.printer.list(actions) {
		if i > 0 {
			parts = append(parts, "|")
		}
		parts = append(parts, d.action(a))
	}
	if len(parts) == 0 {
		parts = append(parts, "tau")
	}
	t := d.terms
	if t.role(time) != variable || t.name(t.argument(time, 0)) != "@undefined_real" {
		parts = append(parts, " @ ", inParentheses(time, t.precedence(time) < precedenceMax))
	}
	return sortActions(d.text(items(parts...)...))
}

// action returns an action with its arguments.
func (d *decoder) action(a term) []item {
	t := d.terms
	if t.role(a) != action || t.role(t.argument(a, 0)) != actionName {
		return items(a)
	}
	name := t.name(t.argument(t.argument(a, 0), 0))
	arguments := d.printer.list(t.argument(a, 1))
	if len(arguments) > 0 {
		return items(name, "(", d.printer.separated(arguments, ", ", -1), ")")
	}
	return items(name)
}

// sortActions sorts the parts of a multi-action by their bytes. As in ltsconvert, the
// parts are separated by bars outside of parentheses.
func sortActions(text []byte) []byte {
	var parts [][]byte
	depth := 0
	start := 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	if len(parts) == 0 {
		return text
	}
	parts = append(parts, text[start:])
	slices.SortFunc(parts, bytes.Compare)
	return bytes.Join(parts, []byte("|"))
}

// build makes the model.
func (d *decoder) build(ctx context.Context) *Model {
	transitions := d.columns.Labels.Len()
	largest := max(d.largestState, d.initial)
	bound := min(inputfile.MostStates(uint64(transitions)), math.MaxUint32)
	if largest >= bound {
		abort.On(inputfile.NewError(d.file, 0,
			fmt.Errorf("state %d is beyond the %d that %d transitions account for (64 for each and 1000000 more): the file is damaged", largest, bound, transitions)))
	}
	n := int(largest) + 1
	m := &Model{}
	var err error
	m.LTS, err = lts.FromColumns(ctx, lts.State(d.initial), n, d.labels.Build(), d.columns,
		d.options.Workers)
	d.refuseIf(err)
	if d.values != nil {
		if m.States, err = d.values.Build(n); err != nil {
			// mCRL2 ignores the values of states that no transition mentions.
			abort.On(inputfile.NewError(d.file, 0, err))
		}
	}
	d.addWarnings()
	return m
}

// addWarnings adds the warnings that follow from the whole file.
func (d *decoder) addWarnings() {
	warn := func(err error) {
		d.warnings = append(d.warnings, inputfile.NewError(d.file, 0, err).Error())
	}
	name := d.printer.unknownOperation
	if name != "" {
		warn(fmt.Errorf("labels or values with %q, and perhaps others, are printed with arguments in parentheses; mCRL2 may print them otherwise", name))
	}
	if d.hasMergedStates {
		warn(errors.New("some states stand for several of the specification, as after ltsconvert -e; values are those of one of them"))
	}
}

// stateValues stores the values of the next state: a list of trees, with several trees
// if states were merged. The leaves of a tree are the values in the order of the
// parameters.
func (d *decoder) stateValues() {
	s := d.statesWithValues
	d.statesWithValues++
	if !d.options.States || d.roleOut() == empty {
		return
	}
	if s >= lts.MaxStates {
		d.refuse("values of more than %d states", int64(lts.MaxStates))
	}
	if d.values == nil {
		d.beginValues()
	}
	t := d.terms
	firstTree := d.argumentsOut[0]
	otherTrees := d.argumentsOut[1]
	if t.role(otherTrees) == cons {
		d.hasMergedStates = true
	}
	todo := append(d.trees[:0], firstTree)
	defer func() { d.trees = todo }()
	parameter := 0 // of the next leaf
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch t.role(x) {
		case node:
			if len(todo) > len(d.parameters) {
				d.refuseValues(s)
			}
			todo = append(todo, t.argument(x, 1), t.argument(x, 0))
		case singleNode:
			todo = append(todo, t.argument(x, 0))
		case emptyTree:
		default:
			if parameter == len(d.parameters) {
				d.refuseValues(s)
			}
			d.refuseIf(d.values.Set(lts.State(s), parameter, d.valueOfTerm(parameter, x)))
			parameter++
		}
	}
}

// beginValues makes room for the values of states.
func (d *decoder) beginValues() {
	var err error
	d.values, err = lts.NewValuesBuilder(d.ctx, d.parameters)
	if err != nil {
		d.refuse("%v: the file is damaged", err)
	}
	for range d.parameters {
		d.valueOf = append(d.valueOf, map[term]lts.Value{})
	}
}

func (d *decoder) refuseValues(state uint64) {
	d.refuse("state %d has more than %d values, one for each parameter: the file is damaged", state, len(d.parameters))
}

// valueOfTerm returns the value of parameter p that a term denotes.
func (d *decoder) valueOfTerm(p int, x term) lts.Value {
	v, known := d.valueOf[p][x]
	if !known {
		v = d.values.Value(p, d.text(items(x)...))
		d.valueOf[p][x] = v
	}
	return v
}

// stream reads the packets of a file.
type stream struct {
	*bitReader
	*terms
	file string
	// symbolOut and argumentsOut are the last term that was output; valueOut is
	// the last number.
	symbolOut    uint32
	argumentsOut []term
	valueOut     uint64
}

// packet is the kind of something that was output.
type packet uint8

const (
	noPacket packet = iota
	aTerm
	aNumber
	theEnd
)

// These are the kinds of packets, which two bits encode.
const (
	packetSymbol = iota
	packetTerm
	packetTermOut
	packetNumberOut
)

// These are the versions that are supported.
const (
	versionFirst = 0x8306
	versionLast  = 0x8308
)

// versions describes when mCRL2 wrote other versions.
var versions = map[uint64]string{0x8305: ", of 2019"}

// Begins reports whether a text begins as an .lts file of mCRL2 of any version.
// Cost O(1).
func Begins(start []byte) bool {
	return len(start) >= 3 && start[0] == 0 && start[1] == 0x8b && start[2] == 0xaf
}

// refuse ends the reading with an error about the current position in the file.
func (s *stream) refuse(format string, a ...any) {
	abort.On(inputfile.NewError(s.file, 0,
		fmt.Errorf("at byte %d: "+format, append([]any{s.offset()}, a...)...)))
}

// next reads packets up to the next one that is output.
func (s *stream) next(ctx context.Context) packet {
	for {
		switch s.take(2) {
		case packetSymbol:
			name := s.identifier()
			s.addSymbol(name, s.integer())
		case packetNumberOut:
			s.valueOut = s.integer()
			return aNumber
		case packetTermOut:
			symbol, read := s.termHead(ctx)
			if read == aTerm {
				s.symbolOut = symbol
			}
			if read != noPacket {
				return read
			}
		default: // a term that joins table A
			symbol, read := s.termHead(ctx)
			if read == theEnd {
				return read
			}
			if read == aTerm {
				s.refuseIf(s.reserve(ctx, len(s.argumentsOut)))
				s.add(symbol, s.argumentsOut...)
			}
		}
	}
}

// termHead reads a symbol and, if the symbol begins a term, the arguments of the term. It returns
// noPacket for a number, which it adds to table A.
func (s *stream) termHead(ctx context.Context) (symbol uint32, read packet) {
	index := s.take(s.symbolWidth)
	if index >= uint64(len(s.symbols)) {
		s.refuse("function symbol %d of %d: the file is damaged", index, len(s.symbols))
	}
	symbol = uint32(index)
	switch s.symbols[symbol].role {
	case endOfStream:
		return symbol, theEnd
	case number:
		// mCRL2 outputs no such packet, but reads it as a number in table A.
		v := s.integer()
		s.refuseIf(s.reserve(ctx, 2))
		s.add(symbol, term(v>>32), term(v))
		return symbol, noPacket
	}
	s.argumentsOut = s.argumentsOut[:0]
	for range s.symbols[symbol].arity {
		index := s.take(s.termWidth)
		if index >= uint64(len(s.symbolOf)) {
			s.refuse("term %d of %d: the file is damaged", index, len(s.symbolOf))
		}
		s.argumentsOut = append(s.argumentsOut, term(index))
	}
	return symbol, aTerm
}

// refuseIf ends the reading if err, the error of a table that does not fit into memory, is not nil.
func (s *stream) refuseIf(err error) {
	if err != nil {
		abort.On(s.ctx.Err())
		abort.On(inputfile.NewError(s.file, 0, err))
	}
}

// roleOut returns the role of the term that was output last.
func (s *stream) roleOut() role { return s.symbols[s.symbolOut].role }

// numberNext reads the next output, which must be a number; errors call the
// number by the noun what.
func (s *stream) numberNext(ctx context.Context, what string) uint64 {
	s.expect(ctx, aNumber, what)
	return s.valueOut
}

// termNext reads the next output, which must be a term.
func (s *stream) termNext(ctx context.Context, what string) { s.expect(ctx, aTerm, what) }

func (s *stream) expect(ctx context.Context, kind packet, what string) {
	if s.next(ctx) != kind {
		s.refuse("%s is missing: the file is damaged", what)
	}
}

// bitReader reads numbers of bits. It ends the reading with an error if the text cannot be read,
// which is [io.ErrUnexpectedEOF] if the text has ended.
type bitReader struct {
	ctx context.Context
	r   io.Reader
	buf []byte
	// buf[at:end] was read, but is not in bits yet.
	at, end int
	// base is the number of bytes of the text before buf.
	base int64
	// bits holds the next n bits at its top. The bits below are zeros, or bits
	// that are read again later.
	bits uint64
	n    uint
	err  error // why the bytes after buf[:end] cannot be read
}

// bufferSize is how many bytes are read at a time; the context is checked each
// time.
const bufferSize = 64 << 10

// offset returns the number of whole bytes that have been read.
func (b *bitReader) offset() int64 { return b.base + int64(b.at) - int64((b.n+7)/8) }

// take returns the next k bits, at most 32.
func (b *bitReader) take(k uint) uint64 {
	if b.n < k && !b.fill(k) {
		abort.On(cmp.Or(b.err, io.ErrUnexpectedEOF))
	}
	v := b.bits >> (64 - k)
	b.bits <<= k
	b.n -= k
	return v
}

// fill reads until there are at least k bits. It returns false if there are no
// more.
func (b *bitReader) fill(k uint) bool {
	if b.end-b.at < 8 {
		b.refill()
	}
	if b.end-b.at >= 8 {
		b.bits |= binary.BigEndian.Uint64(b.buf[b.at:]) >> b.n
		whole := (63 - b.n) >> 3
		b.at += int(whole)
		b.n += 8 * whole
		return true
	}
	for b.n <= 56 && b.at < b.end {
		b.bits |= uint64(b.buf[b.at]) << (56 - b.n)
		b.at++
		b.n += 8
	}
	return b.n >= k
}

// refill reads until there are eight bytes or the text has ended.
func (b *bitReader) refill() {
	left := copy(b.buf, b.buf[b.at:b.end])
	b.base += int64(b.at)
	b.at = 0
	b.end = left
	for b.end < 8 && b.err == nil {
		if err := b.ctx.Err(); err != nil {
			b.err = err
			return
		}
		n, err := b.r.Read(b.buf[b.end:])
		b.end += n
		switch {
		case err == io.EOF:
			return
		case err != nil:
			b.err = err
		}
	}
}

// atEnd reports whether only zeros follow, with which mCRL2 fills the last words
// of a file.
func (b *bitReader) atEnd() bool {
	for range 2 * 8 {
		if b.n < 8 && !b.fill(8) {
			return b.err == nil
		}
		b.take(8)
	}
	return false
}

// integer returns the next number in groups of seven bits.
func (s *stream) integer() uint64 {
	v := uint64(0)
	for shift := uint(0); ; shift += 7 {
		group := s.take(8)
		if shift == 63 && group > 1 {
			s.refuse("a number of more than 64 bits: the file is damaged")
		}
		v |= group & 0x7f << shift
		if group < 0x80 {
			return v
		}
	}
}

// nameMax is the largest length of a name.
const nameMax = 16 << 20

// identifier returns the next text, in memory that is allocated as it is read.
func (s *stream) identifier() string {
	length := s.integer()
	if length > nameMax {
		s.refuse("a name of more than 16 MiB: the file is damaged")
	}
	text := make([]byte, 0, min(length, 64))
	for range length {
		text = append(text, byte(s.take(8)))
	}
	return string(text)
}

// role is the meaning of a function symbol in mCRL2's terms.
type role uint8

const (
	other role = iota
	endOfStream
	number           // <aterm_int>, whose value follows
	cons             // the first element of a list, and the other elements
	empty            // the empty list
	operation        // OpId: a name, a sort
	variable         // DataVarId: a name, a sort
	application      // DataAppl: a function and arguments, any number of them
	binder           // Binder: its kind, variables, a body
	where            // Whr: a body, assignments
	assignment       // DataVarIdInit: a variable, a value
	basicSort        // SortId: a name
	containerSort    // SortCons: a container, a sort
	arrowSort        // SortArrow: a list of sorts, a sort
	structSort       // SortStruct: a list of constructors
	action           // Action: an ActId, a list of arguments
	actionName       // ActId: a name, a list of sorts
	multiAction      // TimedMultAct: a list of actions, a time
	node             // @node@: two trees of values
	singleNode       // @single_node@: a tree of one value
	emptyTree        // @empty@
	modelMark        // labelled_transition_system
	transitionMark   // transition
	probabilityMark  // probabilistic_transition
	initialStateMark // initial_state
)

// anyArity means any number of arguments greater than 0.
const anyArity = math.MaxUint64

// roles maps the names of symbols to their roles and numbers of arguments.
var roles = map[string]struct {
	role  role
	arity uint64
}{
	"<aterm_int>":                {number, 0},
	"<list_constructor>":         {cons, 2},
	"<empty_list>":               {empty, 0},
	"OpIdNoIndex":                {operation, 2},
	"DataVarId":                  {variable, 2},
	"DataVarIdNoIndex":           {variable, 2},
	"DataAppl":                   {application, anyArity},
	"Binder":                     {binder, 3},
	"Whr":                        {where, 2},
	"DataVarIdInit":              {assignment, 2},
	"SortId":                     {basicSort, 1},
	"SortCons":                   {containerSort, 2},
	"SortArrow":                  {arrowSort, 2},
	"SortStruct":                 {structSort, 1},
	"Action":                     {action, 2},
	"ActId":                      {actionName, 2},
	"TimedMultAct":               {multiAction, 2},
	"@node@":                     {node, 2},
	"@single_node@":              {singleNode, 1},
	"@empty@":                    {emptyTree, 0},
	"labelled_transition_system": {modelMark, 0},
	"transition":                 {transitionMark, 0},
	"probabilistic_transition":   {probabilityMark, 0},
	"initial_state":              {initialStateMark, 0},
}

// term is the index of a term in table A.
type term uint32

// symbol is an element of table F.
type symbol struct {
	name  string
	arity uint64
	role  role
	op    op
}

// terms are the tables of a file as far as it has been read.
type terms struct {
	symbols []symbol
	// symbolOf has the symbol of each term, and firstArgument the index of its first argument. A
	// number has its two halves as arguments.
	symbolOf      []uint32
	firstArgument []uint32
	arguments     []term
	// shapes has the shape of each operation, and of each application as a whole,
	// such as that it is a list.
	shapes []shape
	// symbolWidth and termWidth are the numbers of bits of an index of a symbol
	// and of a term.
	symbolWidth, termWidth uint
	// hasWords reports whether numbers are represented by words, as in mCRL2 since
	// 2024 unless it was built otherwise.
	hasWords bool
}

// addSymbol adds a symbol to table F.
func (t *terms) addSymbol(name string, arity uint64) {
	s := symbol{name: name, arity: arity}
	r, isKnown := roles[name]
	hasArity := r.arity == arity || r.arity == anyArity && arity > 0
	switch {
	case isKnown && hasArity:
		s.role = r.role
	case arity == 0:
		s.op = operations[name].op
	}
	switch name {
	case "@word", "@most_significant_digit", "@most_significant_digitNat":
		t.hasWords = true
	}
	t.symbols = append(t.symbols, s)
	t.symbolWidth = uint(bits.Len(uint(len(t.symbols))))
}

// reserve makes room for a term with n arguments.
func (t *terms) reserve(ctx context.Context, n int) error {
	if len(t.symbolOf) == math.MaxUint32 || len(t.arguments)+n > math.MaxUint32 {
		return fmt.Errorf("more than %d terms or arguments", uint32(math.MaxUint32))
	}
	var errs [4]error
	t.arguments, errs[0] = resources.Grow(ctx, t.arguments, n)
	t.symbolOf, errs[1] = resources.Grow(ctx, t.symbolOf, 1)
	t.firstArgument, errs[2] = resources.Grow(ctx, t.firstArgument, 1)
	t.shapes, errs[3] = resources.Grow(ctx, t.shapes, 1)
	return cmp.Or(errs[:]...)
}

// add adds a term, or a number with its two halves, to table A; call reserve before.
func (t *terms) add(symbol uint32, arguments ...term) {
	t.symbolOf = append(t.symbolOf, symbol)
	t.firstArgument = append(t.firstArgument, uint32(len(t.arguments)))
	t.arguments = append(t.arguments, arguments...)
	t.shapes = append(t.shapes, noShape)
	t.termWidth = uint(bits.Len(uint(len(t.symbolOf))))
	switch t.symbols[symbol].role {
	case operation:
		t.shapes[len(t.shapes)-1] = shape(t.symbols[t.symbolOf[arguments[0]]].op)
	case application:
		t.shapes[len(t.shapes)-1] = t.shapeOf(arguments)
	}
}

func (t *terms) symbol(x term) *symbol       { return &t.symbols[t.symbolOf[x]] }
func (t *terms) role(x term) role            { return t.symbol(x).role }
func (t *terms) name(x term) string          { return t.symbol(x).name }
func (t *terms) argument(x term, i int) term { return t.arguments[int(t.firstArgument[x])+i] }

// argumentsOf returns the arguments of a term that is no number.
func (t *terms) argumentsOf(x term) []term {
	first := int(t.firstArgument[x])
	return t.arguments[first : first+int(t.symbol(x).arity)]
}

// value returns a number.
func (t *terms) value(x term) uint64 {
	return uint64(t.argument(x, 0))<<32 | uint64(t.argument(x, 1))
}

// op returns which operation a term is, if it is one.
func (t *terms) op(x term) op {
	if t.role(x) != operation {
		return noOp
	}
	return op(t.shapes[x])
}

// opOf returns the operation that an application applies to this many arguments; noOp if x is no
// application, or has another number of arguments.
func (t *terms) opOf(x term, arguments uint64) op {
	s := t.symbol(x)
	if s.role != application || s.arity != arguments+1 {
		return noOp
	}
	return t.op(t.argument(x, 0))
}
