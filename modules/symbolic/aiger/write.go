package aiger

import (
	"bufio"
	"fmt"
	"io"
	"slices"
)

// Write writes the circuit as ascii, WriteBinary as binary. In binary, variables get new numbers,
// since inputs come first, then latches, then gates. Both fail if w does. Cost O(size of the
// circuit).
func (c *Circuit) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	c.writeHeader(b, "aag")
	for _, l := range c.Inputs {
		fmt.Fprintln(b, l)
	}
	for _, l := range c.Latches {
		fmt.Fprintf(b, "%d ", l.Literal)
		writeLatch(b, l)
	}
	c.writeLists(b)
	for _, g := range c.Gates {
		fmt.Fprintln(b, g.Literal, g.Left, g.Right)
	}
	c.writeSymbols(b)
	return b.Flush()
}

func writeLatch(b *bufio.Writer, l Latch) {
	if l.Reset == 0 {
		fmt.Fprintln(b, l.Next)
		return
	}
	fmt.Fprintln(b, l.Next, l.Reset)
}

func (c *Circuit) writeHeader(b *bufio.Writer, format string) {
	fmt.Fprintf(b, "%s %d %d %d %d %d", format, c.Max, len(c.Inputs), len(c.Latches),
		len(c.Outputs), len(c.Gates))
	if len(c.Bad)+len(c.Constraints)+len(c.Justice)+len(c.Fairness) > 0 {
		fmt.Fprintf(b, " %d %d %d %d", len(c.Bad), len(c.Constraints), len(c.Justice),
			len(c.Fairness))
	}
	fmt.Fprintln(b)
}

// writeLists writes the literals that stand on lines of their own, from outputs to fairness.
func (c *Circuit) writeLists(b *bufio.Writer) {
	lists := [][]Literal{c.Outputs, c.Bad, c.Constraints}
	var sizes []Literal
	for _, j := range c.Justice {
		sizes = append(sizes, Literal(len(j)))
	}
	lists = append(append(append(lists, sizes), c.Justice...), c.Fairness)
	for _, list := range lists {
		for _, l := range list {
			fmt.Fprintln(b, l)
		}
	}
}

func (c *Circuit) writeSymbols(b *bufio.Writer) {
	places := make([]string, 0, len(c.Symbols))
	for place := range c.Symbols {
		places = append(places, place)
	}
	slices.Sort(places)
	for _, place := range places {
		fmt.Fprintln(b, place, c.Symbols[place])
	}
}

// renumbered returns the circuit with the numbers that the binary format requires.
func (c *Circuit) renumbered() *Circuit {
	number := make([]Literal, c.Max+1)
	next := Literal(0)
	give := func(l Literal) Literal {
		next += 2
		number[l.Variable()] = next
		return next
	}
	literal := func(l Literal) Literal { return number[l.Variable()] | l&1 }
	all := func(list []Literal) []Literal {
		made := make([]Literal, 0, len(list))
		for _, l := range list {
			made = append(made, literal(l))
		}
		return made
	}
	d := &Circuit{Symbols: c.Symbols}
	for _, l := range c.Inputs {
		d.Inputs = append(d.Inputs, give(l))
	}
	for _, l := range c.Latches {
		d.Latches = append(d.Latches, Latch{Literal: give(l.Literal)})
	}
	for _, g := range c.Gates {
		left := literal(g.Left)
		right := literal(g.Right)
		d.Gates = append(d.Gates, Gate{
			Literal: give(g.Literal),
			Left:    max(left, right),
			Right:   min(left, right),
		})
	}
	for i, l := range c.Latches {
		d.Latches[i].Next = literal(l.Next)
		d.Latches[i].Reset = literal(l.Reset)
	}
	d.Outputs = all(c.Outputs)
	d.Bad = all(c.Bad)
	d.Constraints = all(c.Constraints)
	d.Fairness = all(c.Fairness)
	for _, j := range c.Justice {
		d.Justice = append(d.Justice, all(j))
	}
	d.Max = uint32(next / 2)
	return d
}

// WriteBinary is described at [Circuit.Write].
func (c *Circuit) WriteBinary(w io.Writer) error {
	d := c.renumbered()
	b := bufio.NewWriter(w)
	d.writeHeader(b, "aig")
	for _, l := range d.Latches {
		writeLatch(b, l)
	}
	d.writeLists(b)
	for _, g := range d.Gates {
		for _, delta := range []Literal{g.Literal - g.Left, g.Left - g.Right} {
			for ; delta >= 0x80; delta >>= 7 {
				_ = b.WriteByte(byte(delta) | 0x80)
			}
			_ = b.WriteByte(byte(delta))
		}
	}
	d.writeSymbols(b)
	return b.Flush()
}
