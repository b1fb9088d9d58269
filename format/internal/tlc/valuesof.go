package tlc

import (
	"bytes"
	"slices"

	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// inOrder reads the values of all variables if they are in order, each on a line
// of its own, as in nearly all states. Otherwise it returns false and changes
// nothing.
func (d *decoder) inOrder(raw []byte) bool {
	if d.values == nil {
		return false
	}
	// All lines are checked first, because reading changes the text.
	for p, begin := range d.begins {
		after, is := bytes.CutPrefix(raw, begin)
		if !is {
			return false
		}
		end, next := shownLine(after)
		value := after[:end]
		if len(value) == 0 || value[0] == ' ' || value[end-1] == ' ' || (next < 0) != (p == len(d.begins)-1) {
			return false
		}
		d.raws[p] = value
		if next >= 0 {
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
		if at += escape; raw[at+1] == 'n' {
			return at, at + 2
		}
	}
}

// valuesOf stores the values of a state.
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
	return d.tooltip(s, a.tooltip)
}

// tooltip stores the values of a state, given the text of its tooltip.
func (d *decoder) tooltip(s lts.State, raw []byte) error {
	if !d.inOrder(raw) {
		return d.assign(s, bindings(unescaped(raw)))
	}
	for p, value := range d.raws {
		if err := d.set(s, p, d.values.Value(p, unescaped(value))); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) set(s lts.State, p int, v states.Value) error {
	if err := d.values.Set(s, p, v); err != nil {
		return inputfile.NewError(d.Name, 0, err)
	}
	return nil
}

// assign stores the values of a state. The first state with values determines the
// variables.
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
		d.raws = make([][]byte, len(all))
		if d.values, err = states.NewBuilder(d.ctx, parameters); err != nil {
			return d.refuse("%v", err)
		}
	}
	for i, b := range all {
		p := i
		if p >= len(d.variables) || d.variables[p] != b.name {
			p = slices.Index(d.variables, b.name)
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
