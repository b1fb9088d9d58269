package mcrl2

import (
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/lts"
)

// vector stores the values of the next state: a list of trees, with several trees
// if states were merged. The leaves of a tree are the values in the order of the
// parameters.
func (d *decoder) vector() error {
	s := d.vectors
	d.vectors++
	if !d.options.States || d.roleOut() == empty {
		return nil
	}
	if s >= lts.MaxStates {
		return d.refuse("values of more than %d states", int64(lts.MaxStates))
	}
	if d.values == nil {
		var err error
		if d.values, err = states.NewBuilder(d.ctx, d.parameters); err != nil {
			return d.refuse("%v: the file is damaged", err)
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
				return d.refuse("state %d has more than %d values, one for each parameter: the file is damaged", s, len(d.parameters))
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
			return d.refuse("state %d has more than %d values, one for each parameter: the file is damaged", s, len(d.parameters))
		}
		if err := d.value(lts.State(s), p, x); err != nil {
			return err
		}
		p++
	}
	return nil
}

// value stores the value of a parameter in a state.
func (d *decoder) value(s lts.State, p int, x term) error {
	v, known := d.valueOf[p][x]
	if !known {
		text, err := d.printer.print(data(x))
		if err != nil {
			return d.unprintable(err)
		}
		v = d.values.Value(p, text)
		d.valueOf[p][x] = v
	}
	if err := d.values.Set(s, p, v); err != nil {
		return d.unbearable(err)
	}
	return nil
}
