package aiger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxVariable is the largest number of a variable, so that the size of the file bounds the memory.
const maxVariable = 1 << 24

// maxLine bounds the length of a line.
const maxLine = 1 << 16

// Read reads a circuit, ascii or binary. Errors have the number of the line, if it is in the ascii
// part. Cost O(size of the file); memory O(size of what has been read), and 4 bytes for each
// variable of a file that defines that many.
func Read(r io.Reader) (*Circuit, error) {
	x := &reader{b: bufio.NewReader(r), c: &Circuit{Symbols: map[string]string{}}}
	if err := x.read(); err != nil {
		if x.inGates {
			return nil, fmt.Errorf("gates: %w", err)
		}
		return nil, fmt.Errorf("line %d: %w", x.number, err)
	}
	return x.c, x.check()
}

type reader struct {
	b       *bufio.Reader
	c       *Circuit
	number  int
	inGates bool
	binary  bool
	// The header has the numbers M I L O A B C J F.
	counts [9]int
}

// line returns the next line, io.EOF after the last.
func (x *reader) line() (string, error) {
	var line []byte
	for {
		part, err := x.b.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return "", fmt.Errorf("is longer than %d characters", maxLine)
		}
		if err == nil || err == io.EOF && len(line) > 0 {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
	x.number++
	return strings.TrimRight(string(line), "\r\n"), nil
}

// numbers reads a line of at least least and at most most numbers.
func (x *reader) numbers(least, most int) ([]Literal, error) {
	line, err := x.line()
	if err != nil {
		return nil, x.short(err)
	}
	fields := strings.Fields(line)
	if len(fields) < least || len(fields) > most {
		return nil, fmt.Errorf("%q is not a line of %d numbers", line, least)
	}
	all := make([]Literal, 0, most)
	for _, field := range fields {
		n, err := strconv.ParseUint(field, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", field)
		}
		all = append(all, Literal(n))
	}
	return all, nil
}

// short returns the error of a file that ends too early.
func (x *reader) short(err error) error {
	if err == io.EOF {
		x.number++
		return errors.New("the file ends before the circuit does")
	}
	return err
}

func (x *reader) read() error {
	if err := x.header(); err != nil {
		return err
	}
	if err := x.states(); err != nil {
		return err
	}
	for i, into := range []*[]Literal{&x.c.Outputs, &x.c.Bad, &x.c.Constraints} {
		if err := x.list(into, x.counts[[]int{3, 5, 6}[i]]); err != nil {
			return err
		}
	}
	var sizes []Literal
	if err := x.list(&sizes, x.counts[7]); err != nil {
		return err
	}
	for _, size := range sizes {
		var one []Literal
		if err := x.list(&one, int(size)); err != nil {
			return err
		}
		x.c.Justice = append(x.c.Justice, one)
	}
	if err := x.list(&x.c.Fairness, x.counts[8]); err != nil {
		return err
	}
	if err := x.gates(); err != nil {
		return err
	}
	return x.symbols()
}

func (x *reader) header() error {
	line, err := x.line()
	if err != nil {
		return x.short(err)
	}
	fields := strings.Fields(line)
	if len(fields) < 6 || len(fields) > 10 || fields[0] != "aag" && fields[0] != "aig" {
		return fmt.Errorf("%.60q is not a header of AIGER, such as aag 3 1 2 1 0", line)
	}
	x.binary = fields[0] == "aig"
	for i, field := range fields[1:] {
		n, err := strconv.ParseUint(field, 10, 31)
		if err != nil {
			return fmt.Errorf("%q is not a number", field)
		}
		x.counts[i] = int(n)
	}
	if x.counts[0] > maxVariable {
		return fmt.Errorf("%d variables are more than %d", x.counts[0], maxVariable)
	}
	defined := x.counts[1] + x.counts[2] + x.counts[4]
	if defined > x.counts[0] || x.binary && defined != x.counts[0] {
		return fmt.Errorf("%d inputs, latches and gates do not fit %d variables", defined,
			x.counts[0])
	}
	x.c.Max = uint32(x.counts[0])
	return nil
}

// states reads the inputs and latches.
func (x *reader) states() error {
	for i := range x.counts[1] {
		literal := Literal(2 * (i + 1))
		if !x.binary {
			numbers, err := x.numbers(1, 1)
			if err != nil {
				return err
			}
			literal = numbers[0]
		}
		x.c.Inputs = append(x.c.Inputs, literal)
	}
	for i := range x.counts[2] {
		numbers := []Literal{Literal(2 * (x.counts[1] + i + 1))}
		least, most := 1, 2
		if !x.binary {
			numbers, least, most = nil, 2, 3
		}
		rest, err := x.numbers(least, most)
		if err != nil {
			return err
		}
		numbers = append(numbers, rest...)
		l := Latch{Literal: numbers[0], Next: numbers[1]}
		if len(numbers) == 3 {
			l.Reset = numbers[2]
		}
		if l.Reset > 1 && l.Reset != l.Literal {
			return fmt.Errorf("the reset of latch %d is neither 0 nor 1 nor the latch itself",
				l.Literal)
		}
		x.c.Latches = append(x.c.Latches, l)
	}
	return nil
}

// list reads this many lines, each with one literal.
func (x *reader) list(into *[]Literal, n int) error {
	for range n {
		numbers, err := x.numbers(1, 1)
		if err != nil {
			return err
		}
		*into = append(*into, numbers[0])
	}
	return nil
}

func (x *reader) gates() error {
	for i := range x.counts[4] {
		if x.binary {
			x.inGates = true
			literal := Literal(2 * (x.counts[1] + x.counts[2] + i + 1))
			first, err := x.delta()
			if err != nil {
				return err
			}
			second, err := x.delta()
			if err != nil {
				return err
			}
			if first == 0 || first > literal || second > literal-first {
				return fmt.Errorf("gate %d is made of what comes after it", literal)
			}
			x.c.Gates = append(x.c.Gates, Gate{
				literal,
				literal - first,
				literal - first - second,
			})
			continue
		}
		numbers, err := x.numbers(3, 3)
		if err != nil {
			return err
		}
		x.c.Gates = append(x.c.Gates, Gate{numbers[0], numbers[1], numbers[2]})
	}
	x.inGates = false
	return nil
}

// delta reads a number in groups of seven bits, the lowest group first.
func (x *reader) delta() (Literal, error) {
	var n uint64
	for shift := 0; shift < 35; shift += 7 {
		b, err := x.b.ReadByte()
		if err != nil {
			return 0, x.short(err)
		}
		n |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			if n > 1<<32-1 {
				break
			}
			return Literal(n), nil
		}
	}
	return 0, errors.New("a number is too large")
}

// symbols reads the names, up to comments.
func (x *reader) symbols() error {
	for {
		line, err := x.line()
		if err == io.EOF || err == nil && (line == "c" || strings.HasPrefix(line, "c\n")) {
			return nil
		}
		if err != nil {
			return err
		}
		place, name, found := strings.Cut(line, " ")
		if !found || len(place) < 2 || !strings.Contains("ilobcjf", place[:1]) {
			return fmt.Errorf("%.60q is not a name of a place, such as i0 request", line)
		}
		n, err := strconv.ParseUint(place[1:], 10, 31)
		if err != nil || int(n) >= x.count(place[0]) {
			return fmt.Errorf("there is no %.60q", place)
		}
		x.c.Symbols[place[:1]+strconv.FormatUint(n, 10)] = name
	}
}

func (x *reader) count(letter byte) int {
	return x.counts[map[byte]int{
		'i': 1,
		'l': 2,
		'o': 3,
		'b': 5,
		'c': 6,
		'j': 7,
		'f': 8,
	}[letter]]
}

// check checks that each used variable is defined exactly once, and orders the gates such that each
// comes after the gates of its operands.
func (x *reader) check() error {
	c := x.c
	gate := make([]int32, c.Max+1) // one more than the number of the gate, -1 for inputs and latches
	define := func(l Literal, as int32) error {
		if l.Negated() || l == 0 || l.Variable() > int(c.Max) {
			return fmt.Errorf("%d cannot be defined", l)
		}
		if gate[l.Variable()] != 0 {
			return fmt.Errorf("%d is defined twice", l)
		}
		gate[l.Variable()] = as
		return nil
	}
	for _, l := range c.Inputs {
		if err := define(l, -1); err != nil {
			return err
		}
	}
	for _, l := range c.Latches {
		if err := define(l.Literal, -1); err != nil {
			return err
		}
	}
	for i, g := range c.Gates {
		if err := define(g.Literal, int32(i)+1); err != nil {
			return err
		}
	}
	for _, l := range c.used() {
		if l.Variable() > int(c.Max) || l > 1 && gate[l.Variable()] == 0 {
			return fmt.Errorf("%d is used, and not defined", l)
		}
	}
	return c.order(gate)
}

// used returns the literals that a circuit refers to.
func (c *Circuit) used() []Literal {
	used := slices.Concat(c.Outputs, c.Bad, c.Constraints, c.Fairness)
	for _, j := range c.Justice {
		used = append(used, j...)
	}
	for _, l := range c.Latches {
		used = append(used, l.Next)
	}
	for _, g := range c.Gates {
		used = append(used, g.Left, g.Right)
	}
	return used
}

// order orders the gates such that each comes after the gates of its operands.
func (c *Circuit) order(gate []int32) error {
	const begun, done = 1, 2
	state := make([]uint8, len(c.Gates))
	var ordered []Gate
	for first := range c.Gates {
		path := []int{first}
		for len(path) > 0 {
			i := path[len(path)-1]
			g := c.Gates[i]
			next := -1
			if state[i] != done {
				state[i] = begun
				for _, l := range []Literal{g.Left, g.Right} {
					below := int(gate[l.Variable()]) - 1
					if l <= 1 || below < 0 || state[below] == done {
						continue
					}
					if state[below] == begun {
						return fmt.Errorf("gate %d is made of itself", c.Gates[below].Literal)
					}
					next = below
				}
			}
			if next >= 0 {
				path = append(path, next)
				continue
			}
			path = path[:len(path)-1]
			if state[i] != done {
				state[i] = done
				ordered = append(ordered, g)
			}
		}
	}
	c.Gates = ordered
	return nil
}
