package tlc

import (
	"bytes"
	"slices"

	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// variables are those of a graph, in the order in which the first state has them.
type variables struct {
	names []string
	// begins are how their lines begin, with escapes.
	begins [][]byte
}

func newVariables(all []binding) *variables {
	v := &variables{}
	for _, b := range all {
		v.names = append(v.names, b.name)
		begin := b.name + " = "
		if len(all) > 1 {
			begin = `/\\ ` + begin
		}
		v.begins = append(v.begins, []byte(begin))
	}
	return v
}

// split appends the values of all variables, with their escapes, where a text has them in
// their order, each in a line of its own, as nearly all states have them.
func (v *variables) split(raw []byte, values [][]byte) (_ [][]byte, inOrder bool) {
	for p, begin := range v.begins {
		after, is := bytes.CutPrefix(raw, begin)
		if !is {
			return values, false
		}
		end, next := shownLine(after)
		value := after[:end]
		if len(value) == 0 || value[0] == ' ' || value[end-1] == ' ' || (next < 0) != (p == len(v.begins)-1) {
			return values, false
		}
		values = append(values, value)
		if next >= 0 {
			raw = after[next:]
		}
	}
	return values, true
}

// shownLine returns where the first line of a text ends that has its escapes still, and where the
// next one begins; -1 if there is none.
func shownLine(raw []byte) (end, next int) {
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

// valuesOf notes the values of a state.
func (d *decoder) valuesOf(s lts.State, a attributes) error {
	if !a.hasTooltip {
		all := bindings(unescaped(a.label))
		if d.values != nil {
			return d.assign(s, all)
		}
		if d.waiting == nil {
			d.waiting = map[lts.State][]binding{}
		}
		d.waiting[s] = all
		return nil
	}
	return d.assign(s, bindings(unescaped(a.tooltip)))
}

func (d *decoder) set(s lts.State, p int, v states.Value) error {
	if err := d.values.Set(s, p, v); err != nil {
		return inputfile.NewError(d.Name, 0, err)
	}
	return nil
}

// assign notes the values of a state. The first one that is known tells the variables.
func (d *decoder) assign(s lts.State, all []binding) (err error) {
	if d.values == nil {
		v := newVariables(all)
		parameters := make([]states.Parameter, len(all))
		for i, name := range v.names {
			parameters[i].Name = name
		}
		if d.values, err = states.NewBuilder(d.ctx, parameters); err != nil {
			return d.refuse("%v", err)
		}
		d.variables.Store(v)
	}
	names := d.variables.Load().names
	for i, b := range all {
		p := i
		if p >= len(names) || names[p] != b.name {
			p = slices.Index(names, b.name)
		}
		if p < 0 {
			d.mismatch = d.declared[s]
			continue
		}
		if err := d.set(s, p, d.values.Value(p, []byte(b.value))); err != nil {
			return err
		}
	}
	return nil
}

// localValues are the numbers that a worker gives to values of variables, by their texts with
// escapes.
type localValues struct {
	of []map[string]uint32
	// texts are without escapes; numbers are those of the model, as far as they are known.
	texts   [][]string
	numbers [][]states.Value
	count   int
}

func newLocalValues(variables int) localValues {
	l := localValues{of: make([]map[string]uint32, variables), texts: make([][]string, variables), numbers: make([][]states.Value, variables)}
	for p := range l.of {
		l.of[p] = map[string]uint32{}
	}
	return l
}

// number returns that of a value.
func (l *localValues) number(p int, raw []byte) uint32 {
	n, known := l.of[p][string(raw)]
	if !known {
		n = uint32(len(l.texts[p]))
		l.of[p][string(raw)] = n
		l.texts[p] = append(l.texts[p], string(unescaped(bytes.Clone(raw))))
		l.numbers[p] = append(l.numbers[p], states.None)
		l.count++
	}
	return n
}

// setLocal gives a state values that a worker has numbered.
func (d *decoder) setLocal(s lts.State, l *localValues, values []uint32) error {
	for p, n := range values {
		if l.numbers[p][n] == states.None {
			l.numbers[p][n] = d.values.Value(p, []byte(l.texts[p][n]))
		}
		if err := d.set(s, p, l.numbers[p][n]); err != nil {
			return err
		}
	}
	return nil
}
