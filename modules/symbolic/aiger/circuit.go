// Package aiger reads and writes sequential circuits in the AIGER format, version 1.9 (A. Biere, K.
// Heljanko, S. Wieringa, AIGER 1.9 And Beyond, 2011), ascii and binary, and simulates them. A
// Circuit that was read defines each variable that it uses exactly once, and each gate comes after
// the gates of its operands.
package aiger

import "fmt"

// Literal is twice the number of a variable, plus one if it is negated; 0 is false and 1 true.
type Literal uint32

// Variable returns the number of the variable; Negated reports whether the literal negates it.
func (l Literal) Variable() int { return int(l / 2) }
func (l Literal) Negated() bool { return l&1 != 0 }

// Latch is a bit of memory. Its initial value is Reset: 0, 1, or arbitrary if Reset is the latch
// itself; its next value is Next.
type Latch struct{ Literal, Next, Reset Literal }

// Gate is an and of two literals.
type Gate struct{ Literal, Left, Right Literal }

// Circuit is a sequential circuit. Constraints hold in all states of its runs. A run that satisfies
// a justice property makes each literal of the property true infinitely often; a fair run makes
// each literal in Fairness true infinitely often.
type Circuit struct {
	Max                                 uint32 // the largest number of a variable
	Inputs                              []Literal
	Latches                             []Latch
	Outputs, Bad, Constraints, Fairness []Literal
	Justice                             [][]Literal
	Gates                               []Gate
	// Symbols are names, by the positions that they name: i0, l0, o0, b0, c0, j0, f0.
	Symbols map[string]string
}

// Values are the truth values of all variables in a state, by the numbers of the variables.
type Values []bool

// Of returns the truth value of a literal.
func (v Values) Of(l Literal) bool { return v[l.Variable()] != l.Negated() }

// Values returns the values of all variables in the state with these latches and inputs. It fails
// if there are too few or too many. Cost O(size of the circuit).
func (c *Circuit) Values(latches, inputs []bool) (Values, error) {
	if len(latches) != len(c.Latches) || len(inputs) != len(c.Inputs) {
		return nil, fmt.Errorf("%d latches and %d inputs; the circuit has %d and %d",
			len(latches), len(inputs), len(c.Latches), len(c.Inputs))
	}
	v := make(Values, c.Max+1)
	for i, l := range c.Latches {
		v[l.Literal.Variable()] = latches[i]
	}
	for i, l := range c.Inputs {
		v[l.Variable()] = inputs[i]
	}
	for _, g := range c.Gates {
		v[g.Literal.Variable()] = v.Of(g.Left) && v.Of(g.Right)
	}
	return v, nil
}

// Meets reports whether all constraints hold.
func (c *Circuit) Meets(v Values) bool {
	for _, l := range c.Constraints {
		if !v.Of(l) {
			return false
		}
	}
	return true
}

// Begins reports whether these are initial values of the latches.
func (c *Circuit) Begins(v Values) bool {
	for _, l := range c.Latches {
		if l.Reset != l.Literal && v.Of(l.Literal) != v.Of(l.Reset) {
			return false
		}
	}
	return true
}

// Names returns the names that formulas may use, with their literals: positions such as l0, i0, o0,
// b0, c0, f0, and those symbols of a file that do not look like positions. If a name occurs twice,
// its first literal counts, in this order.
func (c *Circuit) Names() map[string]Literal {
	places := c.places()
	names := map[string]Literal{}
	for _, p := range places {
		names[p.name] = p.literal
	}
	for _, p := range places {
		symbol := c.Symbols[p.name]
		if symbol == "" {
			continue
		}
		if _, isTaken := names[symbol]; !isTaken {
			names[symbol] = p.literal
		}
	}
	return names
}

// namedLiteral is a literal and its position, such as l0.
type namedLiteral struct {
	name    string
	literal Literal
}

// places returns the positions of a circuit, in the order in which their symbols count.
func (c *Circuit) places() []namedLiteral {
	var all []namedLiteral
	add := func(letter string, literals []Literal) {
		for i, l := range literals {
			all = append(all, namedLiteral{place(letter, i), l})
		}
	}
	add("o", c.Outputs)
	add("b", c.Bad)
	for i, l := range c.Latches {
		all = append(all, namedLiteral{place("l", i), l.Literal})
	}
	add("i", c.Inputs)
	add("c", c.Constraints)
	add("f", c.Fairness)
	return all
}

// place returns the position of a literal as files name it, such as l0.
func place(letter string, n int) string { return fmt.Sprintf("%s%d", letter, n) }
