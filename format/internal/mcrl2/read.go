package mcrl2

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/blocks"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// Options say how a file is read.
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
func Read(ctx context.Context, r io.Reader, o Options) (m *Model, warnings []string, err error) {
	defer abort.Caught(&err)
	length := blocks.Remaining(r)
	raw, name, err := plaintext.Open(ctx, r, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer raw.Close()
	o.Name = name
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	t := newTerms()
	d := &decoder{
		stream:  stream{bitReader: newBitReader(ctx, raw), terms: t, file: o.Name},
		options: o,
		printer: printer{terms: t, ctx: ctx},
		known:   map[[2]term]lts.Label{},
	}
	if raw.Format() == "" {
		d.length = length
	}
	d.read(ctx)
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

	labels lts.AlphabetBuilder
	known  map[[2]term]lts.Label
	// cache has recently used labels; mark and multi are the symbols of the last
	// transition.
	cache       labelCache
	mark, multi uint32 // 0 until they are known
	columns     lts.Columns
	// largest is the largest number of a state.
	largest    uint64
	initial    uint64
	hasInitial bool

	parameters []states.Parameter
	values     *states.Builder
	// valueOf has the known values of each parameter, by their terms.
	valueOf  []map[term]states.Value
	vectors  uint64 // the number of states that have values
	trees    []term // the transitions of a state that are still to be checked
	several  bool   // a state stands for several
	warnings []string
}

func (d *decoder) read(ctx context.Context) {
	d.header()
	d.preamble(ctx)
	for {
		d.usualTransitions(ctx)
		switch d.next(ctx) {
		case theEnd:
			d.finish()
			return
		case aNumber:
			d.refuse("a number where a transition, a state or the initial state is expected: the file is damaged")
		}
		switch d.roleOut() {
		case transitionMark:
			d.transition(ctx)
		case cons, empty:
			d.vector()
		case initialStateMark:
			d.initialState(ctx)
		case probabilityMark:
			d.refuse("a probabilistic transition: probabilistic models cannot be read; make one without probabilities, by ltspbisim or by taking dist out of the specification")
		default:
			d.refuse("%q where a transition, a state or the initial state is expected: the file is damaged", d.symbols[d.symbolOut].name)
		}
	}
}

// preamble reads everything before the transitions.
func (d *decoder) preamble(ctx context.Context) {
	d.termNext(ctx, "the marker labelled_transition_system")
	if d.roleOut() != modelMark {
		d.refuse("%q where labelled_transition_system is expected: this is another file of mCRL2, such as an .lps", d.symbols[d.symbolOut].name)
	}
	for _, what := range []string{"sorts", "aliases", "constructors", "mappings", "equations"} {
		for range d.numberNext(ctx, "the number of "+what) {
			d.termNext(ctx, "one of "+what)
		}
	}
	d.termNext(ctx, "the list of parameters")
	d.parametersOut()
	d.termNext(ctx, "the list of actions")
	if r := d.roleOut(); r != cons && r != empty {
		d.refuse("%q where a list of actions is expected: the file is damaged", d.symbols[d.symbolOut].name)
	}
}

// parametersOut stores the parameters of states.
func (d *decoder) parametersOut() {
	all, ok := d.listOut()
	if !ok {
		d.refuse("%q where a list of parameters is expected: the file is damaged", d.symbols[d.symbolOut].name)
	}
	for _, x := range all {
		if d.terms.role(x) != variable {
			d.refuse("%q where a parameter is expected: the file is damaged", d.terms.name(x))
		}
		d.parameters = append(d.parameters, states.Parameter{Name: d.terms.name(d.terms.argument(x, 0)), Sort: string(d.text(sort(d.terms.argument(x, 1))))})
	}
}

// listOut returns the elements of the list that was output.
func (d *decoder) listOut() ([]term, bool) {
	switch d.roleOut() {
	case empty:
		return nil, true
	case cons:
		return append([]term{d.argumentsOut[0]}, d.printer.list(d.argumentsOut[1])...), true
	}
	return nil, false
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

// transition reads a transition after its marker.
func (d *decoder) transition(ctx context.Context) {
	d.mark = d.symbolOut
	from := d.numberNext(ctx, "the source of a transition")
	d.termNext(ctx, "the label of a transition")
	if d.roleOut() != multiAction {
		d.refuse("%q where the label of a transition is expected: the file is damaged", d.symbols[d.symbolOut].name)
	}
	d.multi = d.symbolOut
	key := [2]term{d.argumentsOut[0], d.argumentsOut[1]}
	label, known := d.known[key]
	if !known {
		label = d.labels.LabelBytes(d.label(key[0], key[1]))
		d.known[key] = label
	}
	d.cache.keep(key, label)
	d.add(ctx, from, label, d.numberNext(ctx, "the target of a transition"))
}

func (d *decoder) add(ctx context.Context, from uint64, label lts.Label, to uint64) {
	largest := max(from, to)
	if largest > d.largest {
		if largest >= lts.MaxStates {
			d.refuse("state %d: at most %d states are possible", largest, int64(lts.MaxStates))
		}
		d.largest = largest
	}
	c := &d.columns
	if !c.Labels.Fits(d.labels.Len()) || c.Labels.Len() == c.Labels.Cap() || len(c.Sources) == cap(c.Sources) || len(c.Targets) == cap(c.Targets) {
		d.grow(ctx)
	}
	c.Sources = append(c.Sources, uint32(from))
	c.Labels.Append(label)
	c.Targets = append(c.Targets, lts.State(to))
}

func (d *decoder) grow(ctx context.Context) {
	d.bear(abort.Try(func() {
		c, more := &d.columns, d.ahead()
		c.Sources = abort.Must(resources.Grow(ctx, c.Sources, more))
		abort.On(c.Labels.Grow(ctx, more, d.labels.Len()))
		c.Targets = abort.Must(resources.Grow(ctx, c.Targets, more))
	}))
}

// ahead returns for how many transitions memory is allocated. After many
// transitions it extrapolates from the text read so far to the whole text, so
// that transitions need not be moved again.
func (d *decoder) ahead() int {
	read := d.columns.Labels.Len()
	if read < 1<<16 || d.length <= 0 {
		return 1
	}
	return max(1, int(float64(read)*(float64(d.length)/float64(d.offset())-1))+read/64)
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
	if t := d.terms; t.role(time) != variable || t.name(t.argument(time, 0)) != "@undefined_real" {
		parts = append(parts, " @ ", inParentheses(time, t.precedence(time) < precedenceMax))
	}
	return inOrder(d.text(items(parts...)...))
}

// action returns an action with its arguments.
func (d *decoder) action(a term) []item {
	t := d.terms
	if t.role(a) != action || t.role(t.argument(a, 0)) != actionName {
		return items(a)
	}
	name := t.name(t.argument(t.argument(a, 0), 0))
	if arguments := d.printer.list(t.argument(a, 1)); len(arguments) > 0 {
		return items(name, "(", d.printer.separated(arguments, ", ", -1), ")")
	}
	return items(name)
}

// inOrder sorts the parts of a multi-action by their bytes. As in ltsconvert, the
// parts are separated by bars outside of parentheses.
func inOrder(whole []byte) []byte {
	var parts [][]byte
	depth, begin := 0, 0
	for i, c := range whole {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			parts = append(parts, whole[begin:i])
			begin = i + 1
		}
	}
	if len(parts) == 0 {
		return whole
	}
	parts = append(parts, whole[begin:])
	slices.SortFunc(parts, bytes.Compare)
	return bytes.Join(parts, []byte("|"))
}

func (d *decoder) initialState(ctx context.Context) {
	if n := d.numberNext(ctx, "the number of initial states"); n != 1 {
		d.refuse("the initial state is a distribution over %d states: probabilistic models cannot be read; make one without probabilities, by ltspbisim or by taking dist out of the specification", n)
	}
	s := d.numberNext(ctx, "the initial state")
	if d.hasInitial && s != d.initial {
		d.refuse("a second initial state, %d beside %d: the file is damaged", s, d.initial)
	}
	d.initial, d.hasInitial = s, true
}

// finish makes the checks that need the whole file.
func (d *decoder) finish() {
	end := d.offset()
	if !d.hasInitial {
		d.refuse("the file has no initial state: it is damaged")
	}
	if !d.atEnd() {
		d.intact()
		abort.On(inputfile.NewError(d.file, 0, fmt.Errorf("at byte %d: the model ends here, and the file goes on: it is damaged, or several were joined", end)))
	}
}

// build makes the model.
func (d *decoder) build(ctx context.Context) *Model {
	transitions := d.columns.Labels.Len()
	if bound := min(inputfile.MostStates(uint64(transitions)), math.MaxUint32); max(d.largest, d.initial) >= bound {
		abort.On(inputfile.NewError(d.file, 0, fmt.Errorf("state %d is beyond the %d that %d transitions account for (64 for each and 1000000 more): the file is damaged", max(d.largest, d.initial), bound, transitions)))
	}
	n := int(max(d.largest, d.initial)) + 1
	m := &Model{}
	var err error
	m.LTS, err = lts.FromColumns(ctx, lts.State(d.initial), n, d.labels.Build(), d.columns, d.options.Workers)
	d.bear(err)
	if d.values != nil {
		if m.States, err = d.values.Build(n); errors.Is(err, states.ErrStates) {
			// mCRL2 ignores the values of states that no transition mentions.
			abort.On(inputfile.NewError(d.file, 0, err))
		}
	}
	d.warn()
	return m
}

func (d *decoder) warn() {
	if name := d.printer.unlike; name != "" {
		d.warnings = append(d.warnings, inputfile.NewError(d.file, 0, fmt.Errorf("labels or values with %q, and perhaps others, are printed with arguments in parentheses; mCRL2 may print them otherwise", name)).Error())
	}
	if d.several {
		d.warnings = append(d.warnings, inputfile.NewError(d.file, 0, errors.New("some states stand for several of the specification, as after ltsconvert -e; values are those of one of them")).Error())
	}
}

// vector stores the values of the next state: a list of trees, with several trees
// if states were merged. The leaves of a tree are the values in the order of the
// parameters.
func (d *decoder) vector() {
	s := d.vectors
	d.vectors++
	if !d.options.States || d.roleOut() == empty {
		return
	}
	if s >= lts.MaxStates {
		d.refuse("values of more than %d states", int64(lts.MaxStates))
	}
	if d.values == nil {
		var err error
		if d.values, err = states.NewBuilder(d.ctx, d.parameters); err != nil {
			d.refuse("%v: the file is damaged", err)
		}
		for range d.parameters {
			d.valueOf = append(d.valueOf, map[term]states.Value{})
		}
	}
	t := d.terms
	if t.role(d.argumentsOut[1]) == cons {
		d.several = true
	}
	rest := append(d.trees[:0], d.argumentsOut[0])
	defer func() { d.trees = rest }()
	for p := 0; len(rest) > 0; {
		x := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		switch t.role(x) {
		case node:
			if len(rest) > len(d.parameters) {
				d.refuse("state %d has more than %d values, one for each parameter: the file is damaged", s, len(d.parameters))
			}
			rest = append(rest, t.argument(x, 1), t.argument(x, 0))
			continue
		case singleNode:
			rest = append(rest, t.argument(x, 0))
			continue
		case emptyTree:
			continue
		}
		if p == len(d.parameters) {
			d.refuse("state %d has more than %d values, one for each parameter: the file is damaged", s, len(d.parameters))
		}
		d.value(lts.State(s), p, x)
		p++
	}
}

// value stores the value of a parameter in a state.
func (d *decoder) value(s lts.State, p int, x term) {
	v, known := d.valueOf[p][x]
	if !known {
		v = d.values.Value(p, d.text(items(x)...))
		d.valueOf[p][x] = v
	}
	d.bear(d.values.Set(s, p, v))
}
