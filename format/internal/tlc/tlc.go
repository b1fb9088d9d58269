// Package tlc reads the state graphs that TLC, the model checker of TLA+, writes with -dump
// dot,actionlabels FILE: as labelled transition systems with actions as labels, and the values of
// the variables in a table.
//
// A file is a graph for Graphviz in one layout, a statement a line:
//
//	strict digraph DiskGraph {
//	subgraph cluster_graph {
//	-42 [label="/\\ x = 0\n/\\ y = {}",style = filled]
//	-42 -> 17 [label="Send(1)",color="black",fontcolor="black"];
//	17 [label="/\\ x = 1\n/\\ y = {}",tooltip="/\\ x = 1\n/\\ y = {}"];
//	}
//	}
//
// Nodes are states, by their fingerprints; those that are filled are initial. In quotes, \\ is a
// backslash, \" a quote and \n the end of a line, from left to right. The option colorize adds a
// legend, whose nodes are no states, and stuttering adds edges without labels, which are no steps.
// In spite of the word strict, the file has several edges between two states, one for each action,
// some of them twice. Equal edges are one transition.
//
// Graphs that lack states or steps are refused. The option strict leaves edges out; then some states of
// the remaining edges are not declared. Under a CONSTRAINT, the option constrained adds states outside
// of it, without their steps, and edges that are no steps of the graph: the second line of their labels
// has the place of the constraint or of the part of Next that they violate. Symmetry and VIEW merge
// states; the file does not show whether they were used.
//
// Memory is allocated only for content that was read, and no two transitions are equal.
package tlc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/lineblocks"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/swar"
	"github.com/inev-lts/inev/lts"
)

// Init is the label of the steps from the added start state to the initial states
// of TLA+, if there are several.
const Init = "Init"

// Options control how a file is read. Lenient accepts, with a warning,
// states outside of the constraints of the model, as states without steps.
type Options = plaintext.Options

// Model is the content of a file.
type Model = plaintext.Model

// Begins reports whether a text certainly begins a state graph of TLC. Cost
// O(len(start)).
func Begins(start []byte) bool {
	return bytes.HasPrefix(start, []byte("strict "+header)) ||
		bytes.HasPrefix(start, []byte(header))
}

const header = "digraph DiskGraph {"

// outsideColour is the colour of states outside of the constraints.
const outsideColour = "lightyellow"

// Read reads a state graph, plain or compressed by gzip, zstd or bzip2, which it
// recognises by the first bytes. States are numbered in the order in which the
// file mentions them; if several are initial, a last state is added from which
// [Init] leads to each of them. It also returns warnings, each of one line.
//
// A regular file is read at several offsets at a time. Errors are of type
// [inputfile.Error], except if a context is done. Cost O(length of the text) time;
// memory as [lts.Builder] takes, 40 bytes for each state while it runs, and 4
// bytes for each state and variable if States are requested.
func Read(ctx context.Context, r io.Reader, o Options) (*Model, []string, error) {
	return read(ctx, r, o, limits{lineblocks.Size, 1 << 18, statementMax})
}

// limits are sizes that tests make small.
type limits struct {
	// blockSize is the length of blocks in bytes, mostActions the largest number of actions that a
	// worker keeps, and longestStatement the largest length of a statement.
	blockSize, mostActions, longestStatement int
}

// read is [Read] with limits of its own for tests.
func read(
	ctx context.Context,
	r io.Reader,
	o Options,
	l limits,
) (m *Model, warnings []string, err error) {
	defer abort.Caught(&err)
	o.Name = cmp.Or(o.Name, "input")
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	meter := progress.Start(ctx, "read", progress.Bytes, max(0, lineblocks.Remaining(r)))
	in, err := lineblocks.NewInput(r, l.blockSize, meter)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, inputfile.FileError(o.Name, err)
	}
	defer in.Close()
	d := &decoder{Options: o, ctx: ctx, limits: l}
	d.read(in)
	m, warnings = d.build(ctx)
	return m, warnings, nil
}

// decoder joins the results of workers, which hand over their blocks in the order
// of the text.
type decoder struct {
	Options
	limits
	ctx context.Context

	// line is the line of the current statement; linesBefore is the number of lines in the blocks
	// so far, without those of open.
	line, linesBefore int
	// open is the beginning of a statement that is inside quotes at the end of
	// the blocks so far.
	open        []byte
	openEscaped bool // whether the text after open is escaped
	hasHeader   bool

	depth    int // of braces
	inLegend bool

	numbers stateNumbers
	// declared has the line that declares each state, 0 for none.
	declared []int
	initial  []lts.State
	builder  lts.Builder
	// unnamedSteps is how many edges have no action.
	unnamedSteps int
	// outsideStates are the states outside of the constraints if Options.Constrained accepts them;
	// else deadlocksOutside is how many there are, each of them taken for a deadlock.
	outsideStates    []lts.State
	deadlocksOutside int
	// onlyOutside are the states that were declared outside of the constraints alone.
	onlyOutside map[lts.State]bool
	// violatingSteps are the edges that violate a constraint or a part of Next.
	violatingSteps []lts.Transition

	variables []string
	// lineStarts has the beginnings of the lines of the variables, with escapes; rawValues has the
	// values of the current state.
	lineStarts [][]byte
	rawValues  [][]byte
	values     *lts.ValuesBuilder // nil until there are variables
	// bindingsOf has the texts of initial states while the variables are not
	// known: under an ALIAS, only other states have variables.
	bindingsOf   map[lts.State][]binding
	mismatchLine int // the line of a state with other variables
}

// read reads all blocks of the input, on several workers, and then what depends on all of them.
func (d *decoder) read(in *lineblocks.Input) {
	w := d.worker()
	err := in.Next(d.ctx, w.Room())
	if err == io.EOF {
		d.line = 1
		d.refuse("empty file: a state graph of TLC begins with strict %s", header)
	}
	abort.On(err)
	abort.On(lineblocks.Each(d.ctx, in, d.Workers, w, func() lineblocks.Worker {
		return d.worker()
	}))
	d.finish()
}

// finish refuses a graph that is unfinished, that uses states which it does not declare, or that has no initial
// state.
func (d *decoder) finish() {
	d.line = d.linesBefore
	if d.open != nil {
		d.line = d.linesBefore + 1
	}
	switch {
	case d.open != nil && !d.hasHeader:
		d.statement(bytes.TrimSpace(d.open)) // refuses it, since it is no header
	case d.open != nil, d.depth > 0:
		d.refuse("the graph is unfinished: TLC was stopped, or the file is truncated; let TLC run to its end, and give what it has written then")
	}
	undeclared, firstUndeclared := d.countUndeclared()
	switch {
	case undeclared > 0:
		abort.On(inputfile.NewError(d.Name, 0,
			fmt.Errorf("%d states are used but never declared, such as %d: the graph was made with the option strict, which leaves edges out; make it again without that option, with -dump dot,actionlabels FILE.dot", undeclared, firstUndeclared)))
	case len(d.initial) == 0:
		abort.On(inputfile.NewError(d.Name, 0,
			errors.New("the graph has no initial state: let TLC run to its end, and give what it has written then; if no initial state satisfies CONSTRAINT, give the specification itself")))
	}
}

// countUndeclared returns the number of states that are used and not declared, and the fingerprint of
// the first.
func (d *decoder) countUndeclared() (count int, first int64) {
	for s, line := range d.declared {
		if line > 0 {
			continue
		}
		if count == 0 {
			first = d.numbers.fingerprints[s]
		}
		count++
	}
	return count, first
}

// statement reads a statement without the blanks around it.
func (d *decoder) statement(text []byte) {
	switch {
	case !d.hasHeader:
		d.checkHeader(text)
	case len(text) == 0:
	case d.depth == 0:
		d.refuse("unexpected %s behind the graph: a file holds one", inputfile.Quote(text))
	case !d.inLegend && beginsWithNumber(text):
		if !d.nodeOrEdge(text) {
			d.refuse("expected a state or a step, found %s", inputfile.Quote(text))
		}
	case bytes.HasPrefix(text, []byte("subgraph cluster_legend")):
		d.inLegend = true
		d.depth++
	case bytes.HasPrefix(text, []byte("subgraph ")):
		d.depth++
	case bytes.HasPrefix(text, []byte("{rank")):
	default:
		d.closeBraces(text)
	}
}

// beginsWithNumber reports whether a statement, which is not empty, begins with the number of a state.
func beginsWithNumber(text []byte) bool {
	isDigit := '0' <= text[0] && text[0] <= '9'
	return isDigit || text[0] == '-'
}

// checkHeader refuses a file whose first statement is not the header of a graph of states.
func (d *decoder) checkHeader(text []byte) {
	d.hasHeader = true
	switch string(bytes.TrimPrefix(text, []byte("\ufeff"))) {
	case "strict " + header:
		d.depth = 1
	case header:
		d.refuse("this is TLC's graph of states and of the tableau for a property (_liveness.dot): give the one of the states alone, which -dump dot,actionlabels FILE.dot writes as FILE.dot")
	default:
		d.refuse("this is not a state graph of TLC, which begins with strict %s: make it with -dump dot,actionlabels FILE.dot", header)
	}
}

// closeBraces leaves as many groups as the text begins with closing braces. At the end of the file, those of a
// legend are all on one line.
func (d *decoder) closeBraces(text []byte) {
	for len(text) > 0 && text[0] == '}' && d.depth > 0 {
		d.depth--
		d.inLegend = false
		text = text[1:]
	}
}

// nodeOrEdge reads a state or a step; it returns false for something else.
func (d *decoder) nodeOrEdge(text []byte) bool {
	from, rest, ok := fingerprint(text)
	if !ok {
		return false
	}
	target, isEdge := bytes.CutPrefix(rest, []byte("-> "))
	if isEdge {
		return d.edge(from, target)
	}
	a, ok := parseAttributes(rest)
	if !ok || !a.hasLabel {
		return false
	}
	d.node(from, a)
	return true
}

// node reads a state.
func (d *decoder) node(fp int64, a attributes) {
	isOutside := string(a.fill) == outsideColour
	s, isAgain := d.declare(fp, isOutside)
	if isAgain {
		return
	}
	if !a.hasTooltip && string(a.style) == "filled" {
		d.initial = append(d.initial, s)
	}
	if isOutside {
		d.acceptOutside(fp, s, a)
	}
	switch {
	case !d.States:
	case a.hasTooltip:
		d.setFromTooltip(s, a.tooltip)
	case d.values != nil:
		d.setValues(s, bindings(unescaped(a.label)))
	default:
		if d.bindingsOf == nil {
			d.bindingsOf = map[lts.State][]binding{}
		}
		d.bindingsOf[s] = bindings(unescaped(a.label))
	}
}

// acceptOutside records a state outside of the constraints of the model, or refuses it.
func (d *decoder) acceptOutside(fp int64, s lts.State, a attributes) {
	if d.Constrained {
		d.outsideStates = append(d.outsideStates, s)
		return
	}
	if !d.Lenient {
		abort.On(inputfile.NewError(d.Name, d.line,
			hint.New(nil,
				fmt.Sprintf("state %d (%s) lies outside of the constraints of the model, and its steps are unknown: it would be taken for a deadlock. "+
					"A property in TLA+ takes the constraints into account; if all that is asked for lies inside, read the file ", fp, shownValues(a)), hint.Lenient)))
	}
	d.deadlocksOutside++
}

// shownValues returns the values of variables in a state, cut to what fits into a message.
func shownValues(a attributes) string {
	const length = 60
	text := a.label
	if a.hasTooltip {
		text = a.tooltip
	}
	var values []string
	for _, b := range bindings(unescaped(text)) {
		values = append(values, b.name+" = "+b.value)
	}
	return printable.Cut(strings.Join(values, ", "), length)
}

// edge reads a step after its source; it returns false for something else.
func (d *decoder) edge(from int64, text []byte) bool {
	to, rest, ok := fingerprint(text)
	if !ok {
		return false
	}
	var action []byte
	violates := false
	if string(rest) != ";" {
		a, ok := parseAttributes(rest)
		isStuttering := !a.hasLabel && string(a.style) == "dashed"
		if !ok || isStuttering {
			return ok
		}
		// TLC writes the second line after a line feed, not after an escaped one.
		hasLineFeed := bytes.IndexByte(a.label, '\n') >= 0
		var hasSecondLine bool
		action, hasSecondLine = actionOf(unescaped(a.label))
		violates = hasSecondLine && hasLineFeed
	}
	source := d.stateOf(from)
	isUnnamed := len(action) == 0
	if isUnnamed {
		action = []byte(unnamedStep)
	}
	label := d.builder.LabelBytes(action)
	if violates {
		d.violatingSteps = append(d.violatingSteps, lts.Transition{
			From:  source,
			Label: label,
			To:    d.stateOf(to),
		})
		return true
	}
	d.addStep(source, label, isUnnamed, d.stateOf(to))
	return true
}

// stateOf returns the number of the state with a fingerprint.
func (d *decoder) stateOf(fp int64) lts.State {
	s, known := d.numbers.numberOf(fp)
	if !known {
		if int64(s) >= lts.MaxStates-1 {
			d.refuse("more than %d states", int64(lts.MaxStates-1))
		}
		d.declared = append(d.declared, 0)
	}
	return s
}

func (d *decoder) addStep(from lts.State, action lts.Label, unnamed bool, to lts.State) {
	if unnamed {
		d.unnamedSteps++
	}
	d.builder.Add(from, action, to)
}

// unnamedStep is the label of steps of a graph without the names of actions: all that is known of them is that
// the next-state relation allows them.
const unnamedStep = "Next"

// declare returns the number of the state that is declared here, and reports whether it was
// declared before. TLC declares a state outside of the constraints once for each step that leads to
// the state, and once more if a step that the constraints allow leads to it.
func (d *decoder) declare(fp int64, isOutside bool) (s lts.State, isAgain bool) {
	s = d.stateOf(fp)
	isAgain = d.declared[s] > 0
	wasOutside := isAgain && d.onlyOutside[s]
	switch {
	case !isAgain:
		d.declared[s] = d.line
		if isOutside {
			d.markOutside(s)
		}
	case wasOutside && !isOutside:
		delete(d.onlyOutside, s)
	case !wasOutside && !isOutside:
		d.refuse("state %d is declared a second time, after line %d", fp, d.declared[s])
	}
	return s, isAgain
}

// markOutside records that all declarations of a state so far are outside of the constraints.
func (d *decoder) markOutside(s lts.State) {
	if d.onlyOutside == nil {
		d.onlyOutside = map[lts.State]bool{}
	}
	d.onlyOutside[s] = true
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
func (d *decoder) build(ctx context.Context) (m *Model, warnings []string) {
	for s := range lts.State(len(d.numbers.fingerprints)) {
		if all, ok := d.bindingsOf[s]; ok {
			d.setValues(s, all)
		}
	}
	n := len(d.numbers.fingerprints)
	start := d.initial[0]
	if len(d.initial) > 1 {
		start = lts.State(n)
		n++
		label := d.builder.Label(Init)
		for _, s := range d.initial {
			d.builder.Add(start, label, s)
		}
	}
	// A violating step is kept if it leads to a state outside of the constraints, since it shows
	// that the state exists. Any other violating step is no step of the model.
	for _, t := range d.violatingSteps {
		if d.onlyOutside[t.To] {
			d.builder.Add(t.From, t.Label, t.To)
		}
	}
	d.violatingSteps = nil
	transitions := d.builder.NumTransitions()
	// These tables are not needed any more while rows are made.
	d.numbers = stateNumbers{}
	d.declared = nil
	d.bindingsOf = nil
	isInside := func(s lts.State) bool { return !d.onlyOutside[s] }
	m = &Model{Outside: slices.DeleteFunc(d.outsideStates, isInside)}
	d.refuseIf(abort.Try(func() {
		m.LTS = withoutRepeats(abort.Must(d.builder.Build(start, n)))
	}))
	if len(d.initial) > 1 {
		m.LTS = abort.Must(m.LTS.Refined(ctx, nil, func(lts.State) lts.Facts {
			return 0
		},
			true))
	}
	if d.values != nil {
		var err error
		m.States, err = d.values.Build(n)
		d.refuseIf(err)
	}
	return m, d.warnings(transitions)
}

// warnings returns what the user should know about the graph, one sentence each: steps without names, states outside of
// constraints, and values that are left out.
func (d *decoder) warnings(transitions int) []string {
	var all []string
	warn := func(line int, format string, a ...any) {
		all = append(all,
			(&inputfile.Error{
				File:    d.Name,
				Line:    line,
				Message: fmt.Sprintf(format, a...),
			}).Error())
	}
	if d.unnamedSteps > 0 && transitions > 0 {
		warn(0,
			"%d steps have no action, and are called Next: make the graph with -dump dot,actionlabels FILE.dot", d.unnamedSteps)
	}
	switch d.deadlocksOutside {
	case 0:
	case 1:
		warn(0, "1 state outside of the constraints of the model is taken for a deadlock, since its steps are unknown")
	default:
		warn(0, "%d states outside of the constraints of the model are taken for deadlocks, since their steps are unknown", d.deadlocksOutside)
	}
	if d.mismatchLine > 0 {
		warn(d.mismatchLine,
			"states have other variables than the first that was met, as under an ALIAS: their values are left out")
	}
	return all
}

// readInOrder finds the values of all variables in a text with escapes, if they are in order, each on a line
// of its own, as in nearly all states. Otherwise it returns false.
func (d *decoder) readInOrder(raw []byte) bool {
	if d.values == nil {
		return false
	}
	for p, start := range d.lineStarts {
		after, hasStart := bytes.CutPrefix(raw, start)
		if !hasStart {
			return false
		}
		end, next := shownLine(after)
		value := after[:end]
		isTrimmed := len(value) > 0 && value[0] != ' ' && value[end-1] != ' '
		isLastLine, isLastVariable := next < 0, p == len(d.lineStarts)-1
		if !isTrimmed || isLastLine != isLastVariable {
			return false
		}
		d.rawValues[p] = value
		if !isLastLine {
			raw = after[next:]
		}
	}
	return true
}

// shownLine returns the end of the first line of a text with escapes, and the
// beginning of the next one; -1 if there is none.
func shownLine(raw []byte) (end, next int) {
	for at := 0; ; at += 2 {
		escape := bytes.IndexByte(raw[at:], '\\')
		if escape < 0 || at+escape+1 == len(raw) {
			return len(raw), -1
		}
		at += escape
		if raw[at+1] == 'n' {
			return at, at + 2
		}
	}
}

// setFromTooltip stores the values of a state, given the text of its tooltip.
func (d *decoder) setFromTooltip(s lts.State, raw []byte) {
	if !d.readInOrder(raw) {
		d.setValues(s, bindings(unescaped(raw)))
		return
	}
	for p, value := range d.rawValues {
		d.refuseIf(d.values.Set(s, p, d.values.Value(p, unescaped(value))))
	}
}

// setValues stores the values of a state. The first state with values determines the
// variables.
func (d *decoder) setValues(s lts.State, all []binding) {
	if d.values == nil {
		d.beginValues(all)
	}
	for i, b := range all {
		p := i
		isInPlace := p < len(d.variables) && d.variables[p] == b.name
		if !isInPlace {
			p = slices.Index(d.variables, b.name)
		}
		if p < 0 {
			d.mismatchLine = d.declared[s]
			continue
		}
		d.refuseIf(d.values.Set(s, p, d.values.Value(p, []byte(b.value))))
	}
}

// beginValues makes the table of values for the variables of the first state that has values.
func (d *decoder) beginValues(first []binding) {
	parameters := make([]lts.Parameter, len(first))
	for i, b := range first {
		parameters[i].Name = b.name
		d.variables = append(d.variables, b.name)
		start := b.name + " = "
		if len(first) > 1 {
			start = `/\\ ` + start
		}
		d.lineStarts = append(d.lineStarts, []byte(start))
	}
	d.rawValues = make([][]byte, len(first))
	values, err := lts.NewValuesBuilder(d.ctx, parameters)
	if err != nil {
		d.refuse("%v", err)
	}
	d.values = values
}

// worker is a scanner with its decoder.
type worker struct {
	scanner
	d *decoder
}

func (d *decoder) worker() *worker {
	return &worker{scanner{mostActions: d.mostActions}, d}
}

func (w *worker) Room() *lineblocks.Block { return &w.Block }

func (w *worker) Scan() { w.scan(0) }

func (w *worker) Put() {}

// Take completes a statement that is open from the blocks before, and then takes
// over the results of the scan.
func (w *worker) Take(context.Context) (err error) {
	defer abort.Caught(&err)
	d := w.d
	if d.open != nil {
		// The results of the first scan began at a wrong offset.
		w.scan(d.continueStatement(w.Text))
	}
	for i := range w.statements {
		w.take(&w.statements[i])
	}
	d.linesBefore += w.lines
	if w.rest < len(w.Text) {
		d.open = bytes.Clone(w.Text[w.rest:])
		d.openEscaped = w.escaped
	}
	switch {
	case errors.Is(w.Err, lineblocks.ErrLongLine):
		d.line = d.linesBefore + 1
		d.refuse("%v", errLongStatement)
	case w.Err != nil:
		return inputfile.FileError(d.Name, w.Err)
	}
	return nil
}

// take takes a statement that a scanner has read into the model.
func (w *worker) take(st *statement) {
	d := w.d
	d.line = d.linesBefore + 1 + int(st.line)
	switch {
	case st.kind == someText || d.depth == 0 || d.inLegend:
		if int(st.end-st.begin) > d.limits.longestStatement {
			d.refuse("%v", errLongStatement)
		}
		d.statement(bytes.TrimSpace(w.Text[st.begin:st.end]))
	case st.kind == aStep:
		from := d.stateOf(st.from)
		to := d.stateOf(st.to)
		label := &w.labels[st.action]
		text := w.table.Text(st.action)
		if *label == unnumbered {
			*label = d.builder.Label(cmp.Or(text, unnamedStep))
		}
		d.addStep(from, *label, text == "", to)
	default:
		s, isAgain := d.declare(st.from, false)
		if d.States && !isAgain {
			d.setFromTooltip(s, w.Text[st.text:][:st.size])
		}
	}
}

// continueStatement adds text to the open statement, and processes the statement if it ends.
// It returns the offset after the statement.
func (d *decoder) continueStatement(text []byte) (behind int) {
	d.line = d.linesBefore + 1
	state := quoting{inQuotes: true, escaped: d.openEscaped}
	for state.inQuotes && behind < len(text) {
		next := lineEnd(text, behind)
		state = state.after(text[behind:next])
		behind = next
	}
	d.openEscaped = state.escaped
	d.open = append(d.open, text[:behind]...)
	if len(d.open) > d.limits.longestStatement {
		d.refuse("%v", errLongStatement)
	}
	if state.inQuotes {
		return behind
	}
	whole := d.open
	d.open = nil
	d.linesBefore += bytes.Count(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n")) + 1
	d.statement(bytes.TrimSpace(whole))
	return behind
}

// withoutRepeats returns a model without repeated transitions: TLC writes a step
// once for each way in which its action can produce it. The first of equal
// transitions is kept; the order of the others stays. Cost O(S + T).
func withoutRepeats(m *lts.LTS) *lts.LTS {
	isRepeated := make([]bool, m.NumTransitions())
	hasRepeats := false
	var row []uint64
	for s := range lts.State(m.NumStates()) {
		labels, targets := m.Out(s)
		rowStart, _ := m.Row(s)
		row = row[:0]
		for i, to := range targets {
			row = append(row, uint64(labels.At(i))<<32|uint64(to))
		}
		if markRepeats(row, isRepeated[rowStart:]) {
			hasRepeats = true
		}
	}
	if !hasRepeats {
		return m
	}
	// Without passes the transitions of a state in the order of its row.
	passed := make([]uint32, m.NumStates())
	return abort.Must(m.Without(func(t lts.Transition) bool {
		rowStart, _ := m.Row(t.From)
		index := rowStart + int(passed[t.From])
		passed[t.From]++
		return isRepeated[index]
	}))
}

// markRepeats marks the numbers that are equal to an earlier one, and reports
// whether there are any.
func markRepeats(numbers []uint64, marks []bool) (anyMarked bool) {
	const few = 16 // so few are compared one by one
	var seen map[uint64]bool
	if len(numbers) > few {
		seen = make(map[uint64]bool, len(numbers))
	}
	for i, n := range numbers {
		isRepeat := seen[n]
		if seen == nil {
			isRepeat = slices.Contains(numbers[:i], n)
		} else {
			seen[n] = true
		}
		if isRepeat {
			marks[i] = true
			anyMarked = true
		}
	}
	return anyMarked
}

// scanner reads the statements of one block after the other; each worker has one.
// It assumes that no statement is open at the beginning of a block, and that all
// statements are states and steps of the graph. The decoder knows whether that is
// true when it takes over the results, and otherwise reads the block again; so a
// scan does not change the text.
type scanner struct {
	lineblocks.Block
	// mostActions is the number of actions that the scanner keeps from one block to
	// another.
	mostActions int

	actions swar.Cache
	table   lts.AlphabetBuilder
	// labels[l] is the label of the LTS for the scanner's action l, unnumbered if
	// it has none yet; tails[l] is the end of the last line with this action,
	// after the action.
	labels []lts.Label
	tails  [][]byte

	statements []statement
	// rest is the beginning of a statement that is open at the end of the block;
	// the end of the block if no statement is open.
	rest int
	// escaped reports whether the first character after an open statement is
	// escaped.
	escaped bool
	// lines is the number of lines before rest.
	lines int
}

const unnumbered lts.Label = 1<<32 - 1

// statement is the result of scanning a statement.
type statement struct {
	kind     kind
	from, to int64
	action   lts.Label
	// text and size are the position and length of the text of a state.
	text, size uint32
	// line counts from the beginning of the scan; [begin, end) is the range of
	// the statement.
	line       uint32
	begin, end uint32
}

type kind uint8

const (
	someText kind = iota // a statement that must be parsed from its text
	aStep
	aState // a state with a tooltip equal to its text
)

// scan reads the statements of the block from text[at] on.
func (s *scanner) scan(at int) {
	if len(s.labels) > s.mostActions {
		s.actions = swar.Cache{}
		s.table = lts.AlphabetBuilder{}
		s.labels = s.labels[:0]
		s.tails = s.tails[:0]
	}
	s.statements = s.statements[:0]
	s.lines = 0
	for s.rest = len(s.Text); at < s.rest; {
		st, next := s.usualLine(at)
		lines := 1
		if next == 0 {
			st = statement{begin: uint32(at)}
			next, lines = s.statementEnd(at)
			if next == 0 {
				s.rest = at
				return
			}
			st.end = uint32(next)
			if lines == 1 {
				s.learnTail(s.Text[at:next])
			}
		}
		st.line = uint32(s.lines)
		s.statements = append(s.statements, st)
		s.lines += lines
		at = next
	}
}

// statementEnd returns the end of the statement that begins with text[at], and
// the number of its lines; 0 if it is open at the end of the block.
func (s *scanner) statementEnd(at int) (end, lines int) {
	for state := (quoting{}); at < len(s.Text); at = end {
		end = lineEnd(s.Text, at)
		lines++
		state = state.after(s.Text[at:end])
		if !state.inQuotes {
			return end, lines
		}
		s.escaped = state.escaped
	}
	return 0, 0
}

// lineEnd returns the beginning of the next line.
func lineEnd(text []byte, at int) int {
	i := bytes.IndexByte(text[at:], '\n')
	if i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// quoteEnd returns the index of the quote that ends a text whose first character
// is b[at], -1 if there is none.
func quoteEnd(b []byte, at int) int {
	for i := at; ; {
		end := bytes.IndexByte(b[i:], '"')
		if end < 0 {
			return -1
		}
		end += i
		before := end
		for before > at && b[before-1] == '\\' {
			before--
		}
		if (end-before)%2 == 0 {
			return end
		}
		i = end + 1
	}
}

// statementMax is the largest length of a statement, so that a file which is no
// graph is not read into memory as one statement.
const statementMax = 256 << 20

var errLongStatement = errors.New("a statement of more than 256 MiB: this does not look like a state graph of TLC")

// quoting is the state of a reader at a position of a text: whether the text there is inside quotes, and
// whether its first character is escaped.
type quoting struct{ inQuotes, escaped bool }

// after returns the state after a part of the text, which begins in this state.
func (q quoting) after(part []byte) quoting {
	isPlain := !q.escaped && bytes.IndexByte(part, '\\') < 0
	if isPlain {
		hasOddQuotes := bytes.Count(part, []byte{'"'})%2 == 1
		return quoting{inQuotes: q.inQuotes != hasOddQuotes}
	}
	for _, c := range part {
		switch {
		case q.escaped:
			q.escaped = false
		case c == '\\' && q.inQuotes:
			q.escaped = true
		case c == '"':
			q.inQuotes = !q.inQuotes
		}
	}
	return q
}

// attributes are the attributes of a node or edge that this package uses.
type attributes struct {
	label, tooltip       []byte
	hasLabel, hasTooltip bool
	style, fill          []byte
}

// parseAttributes reads [name=value,…] and an optional semicolon. A value is a
// word or a text in quotes.
func parseAttributes(text []byte) (a attributes, ok bool) {
	text, ok = bytes.CutPrefix(text, []byte("["))
	for ok {
		name, rest, found := bytes.Cut(text, []byte("="))
		if !found {
			return a, false
		}
		var value []byte
		if value, text, ok = parseValue(bytes.TrimLeft(rest, " ")); !ok {
			return a, false
		}
		switch string(bytes.TrimSpace(name)) {
		case "label":
			a.label = value
			a.hasLabel = true
		case "tooltip":
			a.tooltip = value
			a.hasTooltip = true
		case "style":
			a.style = value
		case "fillcolor":
			a.fill = value
		}
		text = bytes.TrimLeft(text, " ")
		end := bytes.TrimSuffix(text, []byte(";"))
		if string(end) == "]" {
			return a, true
		}
		text, ok = bytes.CutPrefix(text, []byte(","))
	}
	return a, false
}

// parseValue reads a value. A quoted value keeps its escapes.
func parseValue(text []byte) (value, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		end := bytes.IndexAny(text, ",]")
		return bytes.TrimSpace(text[:max(end, 0)]), text[max(end, 0):], end > 0
	}
	end := quoteEnd(text, 1)
	if end < 0 {
		return nil, nil, false
	}
	return text[1:end], text[end+1:], true
}

// unescaped resolves the escapes of a value in place.
func unescaped(raw []byte) []byte {
	first := bytes.IndexByte(raw, '\\')
	if first < 0 {
		return raw
	}
	value := raw[:first]
	for i := first; i < len(raw); i++ {
		c := raw[i]
		if c != '\\' || i+1 == len(raw) {
			value = append(value, c)
			continue
		}
		i++
		switch next := raw[i]; next {
		case 'n':
			value = append(value, '\n')
		case '\\', '"':
			value = append(value, next)
		default:
			value = append(value, c, next)
		}
	}
	return value
}

// fingerprint reads the number at the beginning of a text, and the blanks after it.
func fingerprint(text []byte) (fp int64, rest []byte, ok bool) {
	end := 0
	for end < len(text) && (text[end] == '-' && end == 0 || '0' <= text[end] && text[end] <= '9') {
		end++
	}
	fp, err := strconv.ParseInt(string(text[:end]), 10, 64)
	return fp, bytes.TrimLeft(text[end:], " "), err == nil
}

// binding is a variable and its value, in the form that TLC prints.
type binding struct{ name, value string }

// bindings reads the text of a state: a line for each variable, which begins with
// /\ unless there is only one variable. TLC breaks a long value into several
// lines, which are joined by blanks.
func bindings(text []byte) []binding {
	var all []binding
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		conjunct, begins := bytes.CutPrefix(line, []byte(`/\ `))
		name, value, equals := bytes.Cut(conjunct, []byte(" = "))
		if equals && (begins || len(all) == 0) {
			all = append(all, binding{
				string(bytes.TrimSpace(name)),
				string(bytes.TrimSpace(value)),
			})
			continue
		}
		line = bytes.TrimSpace(line)
		if len(all) > 0 && len(line) > 0 {
			all[len(all)-1].value += " " + string(line)
		}
	}
	return all
}

// actionOf returns the action in the label of an edge. Under constraints, and
// only then, a further line of the label names the constraint or the part of
// Next that the edge violates; it is removed. If TLC has broken an argument
// into lines, they are joined by blanks.
func actionOf(label []byte) (action []byte, violates bool) {
	if bytes.IndexByte(label, '\n') < 0 {
		return bytes.TrimSpace(label), false
	}
	depth := 0 // of parentheses
	inQuotes, escaped := false, false
	rest := label
	for isComplete := false; !isComplete && len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if len(action) > 0 {
			action = append(action, ' ')
		}
		action = append(action, bytes.TrimSpace(line)...)
		for _, c := range line {
			switch {
			case escaped:
				escaped = false
			case inQuotes && c == '\\':
				escaped = true
			case c == '"':
				inQuotes = !inQuotes
			case !inQuotes && c == '(':
				depth++
			case !inQuotes && c == ')':
				depth--
			}
		}
		isComplete = depth <= 0 && !inQuotes
	}
	return action, len(bytes.TrimSpace(rest)) > 0
}

// stateNumbers maps fingerprints of states to numbers, in the order in which fingerprints first occur: a
// hash table with open addressing, of 4 bytes a slot. TLC's fingerprints are spread evenly over all
// 64-bit numbers; multiplying twice also spreads fingerprints that people wrote.
type stateNumbers struct {
	fingerprints []int64
	slots        []uint32 // each slot has the number of a state plus one, or 0; the number of slots is a power of two
	shift        uint
	last         lts.State // the state of the last fingerprint that was known
}

// numberOf returns the number of a fingerprint, and whether it occurred before.
func (n *stateNumbers) numberOf(fp int64) (s lts.State, known bool) {
	// The steps of a state are adjacent in the file.
	if len(n.fingerprints) > 0 && n.fingerprints[n.last] == fp {
		return n.last, true
	}
	if 2*len(n.fingerprints) >= len(n.slots) {
		n.grow()
	}
	at := n.slot(fp)
	slot := n.slots[at]
	if slot != 0 {
		n.last = lts.State(slot - 1)
		return n.last, true
	}
	n.fingerprints = append(n.fingerprints, fp)
	n.slots[at] = uint32(len(n.fingerprints))
	return lts.State(len(n.fingerprints) - 1), false
}

// slot returns the slot of a fingerprint, or the empty slot for it.
func (n *stateNumbers) slot(fp int64) int {
	last := len(n.slots) - 1
	hash := uint64(fp) * multiplier
	at := int((hash ^ hash>>32) * multiplier >> n.shift)
	for n.slots[at] != 0 && n.fingerprints[n.slots[at]-1] != fp {
		at = (at + 1) & last
	}
	return at
}

func (n *stateNumbers) grow() {
	size := max(64, 2*len(n.slots))
	n.slots = make([]uint32, size)
	n.shift = 65 - uint(bits.Len(uint(size)))
	for i, fp := range n.fingerprints {
		n.slots[n.slot(fp)] = uint32(i + 1)
	}
}

// multiplier is 2^64 divided by the golden ratio, as in Knuth's multiplicative hashing.
const multiplier = 0x9e3779b97f4a7c15
