package tlc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/lts"
)

// Init is the label of the steps from the start state to the initial states of TLA+, where
// there are several.
const Init = "Init"

// Options say how a file is read. The zero value is strict.
type Options struct {
	// Name is the name of the file in errors and warnings.
	Name string
	// Lenient accepts, with a warning, states outside of the constraints of the model, as
	// states without a step.
	Lenient bool
	// States asks for the values of variables. Without, they are passed over.
	States bool
}

// Model is what a file holds.
type Model struct {
	LTS *lts.LTS
	// States has the values of the variables, nil if none were asked for. The start
	// state that is added where there are several initial ones has none.
	States *states.Table
}

// Begins reports whether a text begins as a state graph of TLC does, and as none in
// another format. Cost O(len(start)).
func Begins(start []byte) bool {
	return bytes.HasPrefix(start, []byte("strict "+header)) || bytes.HasPrefix(start, []byte(header))
}

const header = "digraph DiskGraph {"

// Read reads a state graph, plain or compressed by gzip, zstd or bzip2, which the first
// bytes tell. States are numbered in the order in which the file mentions them; where
// several are initial, one more state is added, the last, from which [Init] leads to each
// of them. It also returns warnings, each of one line.
//
// Errors are of type [*aut.Error], except if a context is done. Cost O(length of
// the text) time; memory as [lts.Builder] takes, 40 bytes for each state and transition
// while it runs, and 4 bytes for each state and variable where States are asked for.
func Read(ctx context.Context, r io.Reader, o Options) (*Model, []string, error) {
	text, name, err := plaintext.Open(ctx, r, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer text.Close()
	o.Name = name
	d := &decoder{
		Options: o, ctx: ctx, statements: newStatements(ctx, text),
	}
	if err := d.read(); err != nil {
		return nil, nil, err
	}
	return d.build()
}

type decoder struct {
	Options
	ctx        context.Context
	statements *statements

	depth    int // of braces
	inLegend bool

	numbers numbers
	// declared is the line in which each state is declared, 0 if it is not.
	declared []int
	initial  []lts.State
	builder  lts.Builder
	// unnamed is how many edges have no action.
	unnamed int
	// outside is the line of the first state outside of the constraints.
	outside int

	variables []string
	// begins are how the lines of the variables begin, with escapes; ends and row belong to
	// the state at hand.
	begins [][]byte
	ends   []int
	row    []states.Value
	values *states.Builder
	// waiting are the texts of initial states, until it is known what the variables are:
	// under an ALIAS, only others have these.
	waiting  map[lts.State][]binding
	mismatch int // the line of a state with other variables
}

func (d *decoder) read() error {
	for first := true; ; first = false {
		text, open, err := d.statements.read()
		switch {
		case err == io.EOF && first:
			return d.refuse("empty file: a state graph of TLC begins with strict %s", header)
		case err == io.EOF:
			return d.finish()
		case d.ctx.Err() != nil:
			return d.ctx.Err()
		case err == errLongStatement:
			return d.refuse("%v", err)
		case err != nil:
			return inputfile.FileError(d.Name, err)
		case first:
			err = d.header(text)
		case open:
			err = d.unfinished()
		case len(text) > 0:
			err = d.take(text)
		}
		if err != nil {
			return err
		}
	}
}

func (d *decoder) header(text []byte) error {
	switch string(bytes.TrimPrefix(text, []byte("\ufeff"))) {
	case "strict " + header:
		d.depth = 1
		return nil
	case header:
		return d.refuse("this is TLC's graph of states and of the tableau for a property (_liveness.dot): give the one of the states alone, which -dump dot,actionlabels FILE.dot writes as FILE.dot")
	}
	return d.refuse("this is no state graph of TLC, which begins with strict %s: make it with -dump dot,actionlabels FILE.dot", header)
}

func (d *decoder) unfinished() error {
	return d.refuse("the graph is unfinished: TLC was stopped, or the file is truncated; let TLC run to its end, and give what it has written then")
}

func (d *decoder) finish() error {
	d.statements.line = d.statements.next - 1
	if d.depth > 0 {
		return d.unfinished()
	}
	missing, of := 0, int64(0)
	for s, line := range d.declared {
		if line == 0 {
			if missing == 0 {
				of = d.numbers.fps[s]
			}
			missing++
		}
	}
	switch {
	case missing > 0:
		return inputfile.NewError(d.Name, 0, fmt.Errorf("%d states are used and nowhere declared, such as %d: the graph was made with the option strict, which leaves edges out; make it anew without, with -dump dot,actionlabels FILE.dot", missing, of))
	case len(d.initial) == 0:
		return inputfile.NewError(d.Name, 0, errors.New("the graph has no initial state: let TLC run to its end, and give what it has written then"))
	}
	return nil
}

// take reads a statement that is not blank.
func (d *decoder) take(text []byte) error {
	if d.depth == 0 {
		return d.refuse("unexpected %s behind the graph: a file holds one", quote(text))
	}
	if !d.inLegend && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') {
		return d.nodeOrEdge(text)
	}
	switch {
	case bytes.HasPrefix(text, []byte("subgraph cluster_legend")):
		d.inLegend = true
		d.depth++
	case bytes.HasPrefix(text, []byte("subgraph ")):
		d.depth++
	case bytes.HasPrefix(text, []byte("{rank")):
	default:
		// Of the legend, all braces in one line are at the end of the file.
		for len(text) > 0 && text[0] == '}' && d.depth > 0 {
			d.depth--
			d.inLegend = false
			text = text[1:]
		}
	}
	return nil
}

func (d *decoder) nodeOrEdge(text []byte) error {
	from, rest, ok := fingerprint(text)
	if !ok {
		return d.refuse("expected a state or a step, found %s", quote(text))
	}
	if target, isEdge := bytes.CutPrefix(rest, []byte("-> ")); isEdge {
		to, rest, ok := fingerprint(target)
		if !ok {
			return d.refuse("expected a state or a step, found %s", quote(text))
		}
		if string(rest) == ";" {
			return d.edge(from, to, nil)
		}
		a, ok := parseAttributes(rest)
		switch {
		case !ok:
			return d.refuse("expected a state or a step, found %s", quote(text))
		case !a.hasLabel && string(a.style) == "dashed":
			return nil // stuttering
		}
		return d.edge(from, to, actionOf(unescaped(a.label)))
	}
	a, ok := parseAttributes(rest)
	if !ok || !a.hasLabel {
		return d.refuse("expected a state or a step, found %s", quote(text))
	}
	return d.node(from, a)
}

// number returns the number of a state.
func (d *decoder) number(fp int64) (lts.State, error) {
	s, known := d.numbers.of(fp)
	if !known {
		if int64(s) >= lts.MaxStates-1 {
			return 0, d.refuse("more than %d states", int64(lts.MaxStates-1))
		}
		d.declared = append(d.declared, 0)
	}
	return s, nil
}

func (d *decoder) edge(from, to int64, action []byte) error {
	source, err := d.number(from)
	if err != nil {
		return err
	}
	target, err := d.number(to)
	if err != nil {
		return err
	}
	if len(action) == 0 {
		d.unnamed++
	}
	d.builder.Add(source, d.builder.LabelBytes(action), target)
	return nil
}

func (d *decoder) node(fp int64, a attributes) error {
	s, err := d.number(fp)
	if err != nil {
		return err
	}
	if d.declared[s] > 0 {
		return d.refuse("state %d is declared a second time, after line %d", fp, d.declared[s])
	}
	d.declared[s] = d.statements.line
	isInitial := !a.hasTooltip && string(a.style) == "filled"
	if isInitial {
		d.initial = append(d.initial, s)
	}
	if string(a.fill) == "lightyellow" && d.outside == 0 {
		if !d.Lenient {
			return inputfile.NewError(d.Name, d.statements.line, remedy.New(nil, "state "+strconv.FormatInt(fp, 10)+" lies outside of the constraints of the model, and its steps are unknown: it would be taken for a deadlock. Make the graph without the option constrained, where all that the property needs is inside, or read the file ", remedy.Lenient))
		}
		d.outside = d.statements.line
	}
	if !d.States {
		return nil
	}
	if !a.hasTooltip {
		if d.waiting == nil {
			d.waiting = map[lts.State][]binding{}
		}
		if d.values == nil {
			d.waiting[s] = bindings(unescaped(a.label))
			return nil
		}
		return d.assign(s, bindings(unescaped(a.label)))
	}
	if d.inOrder(a.tooltip) {
		for p, v := range d.row {
			if err := d.values.Set(s, p, v); err != nil {
				return inputfile.NewError(d.Name, 0, err)
			}
		}
		return nil
	}
	return d.assign(s, bindings(unescaped(a.tooltip)))
}

// inOrder reads the values of all variables in their order, each in a line of its own, as nearly
// all states have them; false, with nothing changed, if they stand otherwise.
func (d *decoder) inOrder(raw []byte) bool {
	if d.values == nil {
		return false
	}
	// First all is looked at, since what is read is changed.
	for rest, p := raw, 0; p < len(d.begins); p++ {
		after, is := bytes.CutPrefix(rest, d.begins[p])
		if !is {
			return false
		}
		end, next := lineEnd(after)
		value := after[:end]
		if len(value) == 0 || value[0] == ' ' || value[end-1] == ' ' || (next < 0) != (p == len(d.begins)-1) {
			return false
		}
		d.ends[p] = end
		if next >= 0 {
			rest = after[next:]
		}
	}
	for p := range d.begins {
		value := raw[len(d.begins[p]):][:d.ends[p]]
		raw = raw[min(len(raw), len(d.begins[p])+d.ends[p]+len(`\n`)):]
		d.row[p] = d.values.Value(p, unescaped(value))
	}
	return true
}

// lineEnd returns where the first line of a text ends that has its escapes still, and where the
// next one begins; -1 if there is none.
func lineEnd(raw []byte) (end, next int) {
	for at := 0; ; at += 2 {
		escape := bytes.IndexByte(raw[at:], '\\')
		if escape < 0 || at+escape+1 == len(raw) {
			return len(raw), -1
		}
		if at += escape; raw[at+1] == 'n' {
			return at, at + 2
		}
	}
}

// assign notes the values of a state. The first one that is known tells the variables.
func (d *decoder) assign(s lts.State, all []binding) (err error) {
	if d.values == nil {
		parameters := make([]states.Parameter, len(all))
		for i, b := range all {
			parameters[i].Name = b.name
			d.variables = append(d.variables, b.name)
			begin := b.name + " = "
			if len(all) > 1 {
				begin = `/\\ ` + begin
			}
			d.begins = append(d.begins, []byte(begin))
		}
		d.ends, d.row = make([]int, len(all)), make([]states.Value, len(all))
		if d.values, err = states.NewBuilder(d.ctx, parameters); err != nil {
			return d.refuse("%v", err)
		}
	}
	for i, b := range all {
		p := i
		if p >= len(d.variables) || d.variables[p] != b.name {
			p = d.variable(b.name)
		}
		if p < 0 {
			d.mismatch = d.declared[s]
			continue
		}
		if err := d.values.Set(s, p, d.values.Value(p, []byte(b.value))); err != nil {
			return inputfile.NewError(d.Name, 0, err)
		}
	}
	return nil
}

func (d *decoder) variable(name string) int {
	for i, v := range d.variables {
		if v == name {
			return i
		}
	}
	return -1
}

func (d *decoder) refuse(format string, a ...any) error {
	return &aut.Error{File: d.Name, Line: d.statements.line, Message: fmt.Sprintf(format, a...)}
}

// build makes the model.
func (d *decoder) build() (*Model, []string, error) {
	for s := range lts.State(len(d.numbers.fps)) {
		if all, waits := d.waiting[s]; waits {
			if err := d.assign(s, all); err != nil {
				return nil, nil, err
			}
		}
	}
	n, start := len(d.numbers.fps), d.initial[0]
	if len(d.initial) > 1 {
		start = lts.State(n)
		n++
		label := d.builder.Label(Init)
		for _, s := range d.initial {
			d.builder.Add(start, label, s)
		}
	}
	m, unnamed, transitions := &Model{}, d.unnamed, d.builder.NumTransitions()
	var err error
	if m.LTS, err = d.builder.Build(start, n); err != nil {
		return nil, nil, inputfile.NewError(d.Name, 0, err)
	}
	if m.LTS, err = withoutRepeats(m.LTS); err != nil {
		return nil, nil, inputfile.NewError(d.Name, 0, err)
	}
	if d.values != nil {
		if m.States, err = d.values.Build(n); err != nil {
			return nil, nil, inputfile.NewError(d.Name, 0, err)
		}
	}
	return m, d.warnings(unnamed, transitions), nil
}

func (d *decoder) warnings(unnamed, transitions int) []string {
	var all []string
	warn := func(line int, format string, a ...any) {
		all = append(all, (&aut.Error{File: d.Name, Line: line, Message: fmt.Sprintf(format, a...)}).Error())
	}
	if unnamed > 0 && transitions > 0 {
		warn(0, "%d steps have no action, and the empty label: make the graph with -dump dot,actionlabels FILE.dot", unnamed)
	}
	if d.outside > 0 {
		warn(d.outside, "states outside of the constraints of the model, of which this is the first, are taken for deadlocks: their steps are unknown")
	}
	if d.mismatch > 0 {
		warn(d.mismatch, "states have other variables than the first that was met, as under an ALIAS: their values are left out")
	}
	return all
}

// quote shows bytes of a file in a message: escaped, and never many.
func quote(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "..."
	}
	return strconv.Quote(string(text))
}
