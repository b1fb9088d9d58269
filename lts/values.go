package lts

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/resources"
)

// Parameter is a variable of the specification of a model, such as a parameter of mCRL2's linear
// process or a variable of TLA+.
type Parameter struct {
	// Name is the name of the parameter in the specification.
	Name string `json:"name"`
	// Sort is the sort or type of the parameter; "" if the format has none.
	Sort string `json:"sort,omitempty"`
}

// Value is the number of a value of a parameter: values are numbered in the
// order of their first use by the table's [ValuesBuilder].
type Value uint32

// NoValue is the value of a state for which the parameter is unknown.
const NoValue Value = 1<<32 - 1

// Values is a table of the values of the states of a model: those of its parameters, as mCRL2,
// LTSmin and TLC write them with the transitions. Values are texts, stored once for each parameter.
// A table has one value, or none, for each of its states and parameters, and is immutable.
type Values struct {
	states  int
	columns []column
}

// String returns the names of the parameters and the number of states, such as: values of holder, pc in 8 states.
func (t *Values) String() string {
	if t == nil {
		return "<nil>"
	}
	var names []string
	for i, c := range t.columns {
		if i == mostPrinted {
			names = append(names, fmt.Sprintf("… (%d more)", len(t.columns)-i))
			break
		}
		names = append(names, printable.Text(c.Name))
	}
	return fmt.Sprintf("values of %s in %s", strings.Join(names, ", "), printable.Quantity(t.states, "state"))
}

type column struct {
	Parameter
	texts []string
	// ofState has the values of the states from first on; earlier states have
	// none.
	first   State
	ofState []Value
}

// value returns the value of a state.
func (c *column) value(s State) Value {
	i := int64(s) - int64(c.first)
	if i >= 0 && i < int64(len(c.ofState)) {
		return c.ofState[i]
	}
	return NoValue
}

// NumStates returns the number of states. Cost O(1).
func (t *Values) NumStates() int {
	if t == nil {
		return 0
	}
	return t.states
}

// NumParameters returns the number of parameters. Cost O(1).
func (t *Values) NumParameters() int {
	if t == nil {
		return 0
	}
	return len(t.columns)
}

// Parameter returns the parameter with this index. Cost O(1).
func (t *Values) Parameter(p int) Parameter { return t.columns[p].Parameter }

// Find returns the index of the parameter of this name, false if there is none.
// Cost O(parameters).
func (t *Values) Find(name string) (int, bool) {
	p := slices.IndexFunc(t.columns, func(c column) bool {
		return c.Name == name
	})
	return p, p >= 0
}

// NumValues returns the number of distinct values of a parameter. Cost O(1).
func (t *Values) NumValues(p int) int { return len(t.columns[p].texts) }

// Text returns the text of a value of a parameter, "" for [NoValue]. Cost O(1).
func (t *Values) Text(p int, v Value) string {
	if v == NoValue {
		return ""
	}
	return t.columns[p].texts[v]
}

// Value returns the value of a parameter in a state, [NoValue] if it has none. Cost
// O(1).
func (t *Values) Value(s State, p int) Value {
	return t.columns[p].value(s)
}

// Known reports whether the state has any value. Cost O(parameters).
func (t *Values) Known(s State) bool {
	for p := range t.columns {
		if t.Value(s, p) != NoValue {
			return true
		}
	}
	return false
}

// Changed yields the parameters whose values differ between two states, in
// ascending order; none if one of the states has no values. Cost O(parameters).
func (t *Values) Changed(from, to State) iter.Seq[int] {
	return func(yield func(int) bool) {
		if !t.Known(from) || !t.Known(to) {
			return
		}
		for p := range t.columns {
			if t.Value(from, p) != t.Value(to, p) && !yield(p) {
				return
			}
		}
	}
}

// ValuesBuilder makes a table, for states in any order. It is for one goroutine.
type ValuesBuilder struct {
	ctx     context.Context
	columns []column
	names   map[string]int     // numbers of columns
	numbers []map[string]Value // by column
}

// NewValuesBuilder returns a builder for these parameters. It fails if two have the
// same name. The context's budget must have memory for the values.
func NewValuesBuilder(ctx context.Context, parameters []Parameter) (*ValuesBuilder, error) {
	b := &ValuesBuilder{ctx: ctx, names: make(map[string]int, len(parameters))}
	for _, parameter := range parameters {
		if _, twice := b.names[parameter.Name]; twice {
			return nil, fmt.Errorf("two parameters of states have the name %q", parameter.Name)
		}
		b.add(parameter)
	}
	return b, nil
}

func (b *ValuesBuilder) add(parameter Parameter) int {
	p := len(b.columns)
	b.names[parameter.Name] = p
	b.columns = append(b.columns, column{Parameter: parameter})
	b.numbers = append(b.numbers, map[string]Value{})
	return p
}

// Parameter returns the index of the parameter with this name; a new name makes a
// new parameter, without a sort. Cost O(len(name)).
func (b *ValuesBuilder) Parameter(name string) int {
	if p, known := b.names[name]; known {
		return p
	}
	return b.add(Parameter{Name: strings.Clone(name)})
}

// Value returns the value of a parameter with this text; a new text makes a new
// value. Amortised cost O(len(text)); the text is copied.
func (b *ValuesBuilder) Value(p int, text []byte) Value {
	v, known := b.numbers[p][string(text)]
	if !known {
		kept := string(text)
		v = Value(len(b.columns[p].texts))
		b.columns[p].texts = append(b.columns[p].texts, kept)
		b.numbers[p][kept] = v
	}
	return v
}

// Set sets a parameter in a state to v, which must come from [ValuesBuilder.Value] or be [NoValue].
// Amortised cost O(1) if states ascend; otherwise O(s) once. It fails if the budget of the context does
// not have the memory for values of so many states.
func (b *ValuesBuilder) Set(s State, p int, v Value) error {
	c := &b.columns[p]
	switch {
	case len(c.ofState) == 0:
		c.first = s
	case s < c.first: // states do not ascend: the number of the next state is unpredictable
		if err := c.beginWithFirstState(b.ctx); err != nil {
			return err
		}
	}
	missing := int(s-c.first) + 1 - len(c.ofState)
	if missing > 0 {
		var err error
		c.ofState, err = resources.Grow(b.ctx, c.ofState, missing)
		if err != nil {
			return err
		}
		for range missing {
			c.ofState = append(c.ofState, NoValue)
		}
	}
	c.ofState[s-c.first] = v
	return nil
}

// beginWithFirstState gives the column a place for each state before its first one.
func (c *column) beginWithFirstState(ctx context.Context) error {
	values, err := resources.Grow(ctx, []Value(nil), int(c.first)+len(c.ofState))
	if err != nil {
		return err
	}
	for range c.first {
		values = append(values, NoValue)
	}
	c.first = 0
	c.ofState = append(values, c.ofState...)
	return nil
}

// Build returns the table of the states 0 to n-1. It fails only if other states
// have values. The ValuesBuilder is empty afterwards. Cost O(parameters).
func (b *ValuesBuilder) Build(n int) (*Values, error) {
	for _, c := range b.columns {
		last := int64(c.first) + int64(len(c.ofState))
		if last > int64(n) {
			return nil, fmt.Errorf("values of more states than there are: %d, and %d", last, n)
		}
	}
	t := &Values{states: n, columns: b.columns}
	*b = ValuesBuilder{}
	return t, nil
}

// lineMax is the largest length of a line, so that a file which is no text is not
// read into memory as one line.
const lineMax = 64 << 20

// ReadValues reads a table of the states of a model with n states. A line has the
// number of a state and, after a tab each, its values as NAME=VALUE; the values
// of a state or a parameter without an entry are unknown. A backslash, tab,
// line feed and carriage return are written \\, \t, \n and \r. name is the name
// of the file in errors.
//
// Errors are of type aut.Error, or the error of a context that is done. Cost
// O(length of the text) time, and 4 bytes for each state and parameter.
func ReadValues(ctx context.Context, r io.Reader, name string, n int) (_ *Values, err error) {
	b := &ValuesBuilder{ctx: ctx, names: map[string]int{}}
	err = inputfile.EachModelLine(ctx, r, name, lineMax, "a table of states", func(number int, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		err := b.readLine(text, n)
		if err == nil || ctx.Err() != nil {
			return err
		}
		return inputfile.NewError(name, number, err)
	})
	if err != nil {
		return nil, err
	}
	t, err := b.Build(n)
	if err != nil {
		return nil, inputfile.NewError(name, 0, err)
	}
	return t, nil
}

// readLine stores the values in the line of a state.
func (b *ValuesBuilder) readLine(text []byte, n int) error {
	number, rest, _ := bytes.Cut(text, []byte("\t"))
	state, err := strconv.ParseUint(string(number), 10, 64)
	switch {
	case err != nil:
		return fmt.Errorf("a line is STATE, a tab, and NAME=VALUE after a tab each; %s is not a state", quoted(number))
	case state >= uint64(n):
		return fmt.Errorf("state %d, where the model has %d, numbered from 0", state, n)
	}
	for cells := 0; len(rest) > 0; cells++ {
		if err := cores.Done(b.ctx, cells); err != nil {
			return err
		}
		var cell []byte
		cell, rest, _ = bytes.Cut(rest, []byte("\t"))
		if err := b.readCell(State(state), cell); err != nil {
			return err
		}
	}
	return nil
}

// readCell stores the value NAME=VALUE of a state.
func (b *ValuesBuilder) readCell(s State, cell []byte) error {
	name, value, ok := strings.Cut(printable.FromCell(string(cell)), "=")
	if !ok || name == "" {
		return fmt.Errorf("a value is NAME=VALUE, found %s", quoted(cell))
	}
	p := b.Parameter(name)
	if b.columns[p].value(s) != NoValue {
		return fmt.Errorf("state %d has a second value of %s", s, strconv.Quote(name))
	}
	return b.Set(s, p, b.Value(p, []byte(value)))
}

// quoted returns a text of a file for a message, in quotes and shortened if it is long.
func quoted(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most]) + "…")
	}
	return strconv.Quote(string(text))
}

// WriteTSV writes a table in the form that [ReadValues] reads: a line for each state
// with values. It fails if the name of a parameter is empty or has an equals
// sign, which the form cannot represent. Cost O(states · parameters).
func (t *Values) WriteTSV(w io.Writer) error {
	for _, c := range t.columns {
		if c.Name == "" || strings.Contains(c.Name, "=") {
			return fmt.Errorf("a table of states has no place for the parameter %q: its name is empty or has an equals sign", c.Name)
		}
	}
	b := bufio.NewWriterSize(w, 64<<10)
	for s := range State(t.states) {
		if !t.Known(s) {
			continue
		}
		b.WriteString(strconv.Itoa(int(s)))
		for p, c := range t.columns {
			v := t.Value(s, p)
			if v != NoValue {
				b.WriteByte('\t')
				b.WriteString(printable.Cell(c.Name))
				b.WriteByte('=')
				b.WriteString(printable.Cell(c.texts[v]))
			}
		}
		if err := b.WriteByte('\n'); err != nil {
			return err
		}
	}
	return b.Flush()
}
