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
	x := &reader{text: bufio.NewReader(r), circuit: &Circuit{Symbols: map[string]string{}}}
	if err := x.read(); err != nil {
		if x.inGates {
			return nil, fmt.Errorf("gates: %w", err)
		}
		return nil, fmt.Errorf("line %d: %w", x.number, err)
	}
	return x.circuit, x.check()
}

// reader reads a file into a circuit.
type reader struct {
	text     *bufio.Reader
	circuit  *Circuit
	number   int  // of the line read last
	inGates  bool // whether the reader is at binary gates, which have no lines
	isBinary bool
	// counts has the numbers of the header.
	counts [countsInHeader]int
}

// The numbers in the header, in its order.
const (
	variableCount = iota
	inputCount
	latchCount
	outputCount
	gateCount
	badCount
	constraintCount
	justiceCount
	fairnessCount
	countsInHeader
)

// line returns the next line, io.EOF after the last.
func (x *reader) line() (string, error) {
	var line []byte
	for {
		part, err := x.text.ReadSlice('\n')
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
		return nil, x.tooShort(err)
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

// tooShort returns the error of a file that ends too early.
func (x *reader) tooShort(err error) error {
	if err == io.EOF {
		x.number++
		return errors.New("the file ends before the circuit does")
	}
	return err
}

// read reads the file from its header to its symbols.
func (x *reader) read() error {
	if err := x.header(); err != nil {
		return err
	}
	if err := x.inputsAndLatches(); err != nil {
		return err
	}
	if err := x.lists(); err != nil {
		return err
	}
	if err := x.gates(); err != nil {
		return err
	}
	return x.symbols()
}

// header reads the first line: the format, and the numbers of what follows.
func (x *reader) header() error {
	line, err := x.line()
	if err != nil {
		return x.tooShort(err)
	}
	fields := strings.Fields(line)
	hasLength := len(fields) >= 6 && len(fields) <= 10
	if !hasLength || fields[0] != "aag" && fields[0] != "aig" {
		return fmt.Errorf("%.60q is not a header of AIGER, such as aag 3 1 2 1 0", line)
	}
	x.isBinary = fields[0] == "aig"
	for i, field := range fields[1:] {
		n, err := strconv.ParseUint(field, 10, 31)
		if err != nil {
			return fmt.Errorf("%q is not a number", field)
		}
		x.counts[i] = int(n)
	}
	if x.counts[variableCount] > maxVariable {
		return fmt.Errorf("%d variables are more than %d", x.counts[variableCount], maxVariable)
	}
	defined := x.counts[inputCount] + x.counts[latchCount] + x.counts[gateCount]
	if defined > x.counts[variableCount] || x.isBinary && defined != x.counts[variableCount] {
		return fmt.Errorf("%d inputs, latches and gates do not fit %d variables", defined,
			x.counts[variableCount])
	}
	x.circuit.Max = uint32(x.counts[variableCount])
	return nil
}

// lists reads the literals that stand on lines of their own, from outputs to fairness.
func (x *reader) lists() error {
	c := x.circuit
	for _, list := range []struct {
		into  *[]Literal
		count int
	}{
		{&c.Outputs, outputCount},
		{&c.Bad, badCount},
		{&c.Constraints, constraintCount},
	} {
		if err := x.list(list.into, x.counts[list.count]); err != nil {
			return err
		}
	}
	var sizes []Literal
	if err := x.list(&sizes, x.counts[justiceCount]); err != nil {
		return err
	}
	for _, size := range sizes {
		var property []Literal
		if err := x.list(&property, int(size)); err != nil {
			return err
		}
		c.Justice = append(c.Justice, property)
	}
	return x.list(&c.Fairness, x.counts[fairnessCount])
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

// gates reads the gates, ascii or binary.
func (x *reader) gates() error {
	for i := range x.counts[gateCount] {
		gate, err := x.gate(i)
		if err != nil {
			return err
		}
		x.circuit.Gates = append(x.circuit.Gates, gate)
	}
	x.inGates = false
	return nil
}

// gate reads the gate of this number.
func (x *reader) gate(number int) (Gate, error) {
	if !x.isBinary {
		numbers, err := x.numbers(3, 3)
		if err != nil {
			return Gate{}, err
		}
		return Gate{numbers[0], numbers[1], numbers[2]}, nil
	}
	x.inGates = true
	literal := Literal(2 * (x.counts[inputCount] + x.counts[latchCount] + number + 1))
	first, err := x.difference()
	if err != nil {
		return Gate{}, err
	}
	second, err := x.difference()
	if err != nil {
		return Gate{}, err
	}
	if first == 0 || first > literal || second > literal-first {
		return Gate{}, fmt.Errorf("gate %d is made of what comes after it", literal)
	}
	return Gate{literal, literal - first, literal - first - second}, nil
}

// inputsAndLatches reads the inputs and latches. Those of a binary file have no numbers of their own.
func (x *reader) inputsAndLatches() error {
	for i := range x.counts[inputCount] {
		literal := Literal(2 * (i + 1))
		if !x.isBinary {
			numbers, err := x.numbers(1, 1)
			if err != nil {
				return err
			}
			literal = numbers[0]
		}
		x.circuit.Inputs = append(x.circuit.Inputs, literal)
	}
	for i := range x.counts[latchCount] {
		latch, err := x.latch(i)
		if err != nil {
			return err
		}
		x.circuit.Latches = append(x.circuit.Latches, latch)
	}
	return nil
}

// latch reads the latch of this number.
func (x *reader) latch(number int) (Latch, error) {
	var numbers []Literal
	least := 2
	most := 3
	if x.isBinary {
		numbers = []Literal{Literal(2 * (x.counts[inputCount] + number + 1))}
		least = 1
		most = 2
	}
	read, err := x.numbers(least, most)
	if err != nil {
		return Latch{}, err
	}
	numbers = append(numbers, read...)
	latch := Latch{Literal: numbers[0], Next: numbers[1]}
	if len(numbers) == 3 {
		latch.Reset = numbers[2]
	}
	if latch.Reset > 1 && latch.Reset != latch.Literal {
		return Latch{}, fmt.Errorf("the reset of latch %d is neither 0 nor 1 nor the latch itself",
			latch.Literal)
	}
	return latch, nil
}

// difference reads a number in groups of seven bits, the lowest group first.
func (x *reader) difference() (Literal, error) {
	var n uint64
	for shift := 0; shift < 35; shift += 7 {
		b, err := x.text.ReadByte()
		if err != nil {
			return 0, x.tooShort(err)
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
			return fmt.Errorf("%.60q is not an entry of the symbol table, such as i0 request", line)
		}
		n, err := strconv.ParseUint(place[1:], 10, 31)
		if err != nil || int(n) >= x.count(place[0]) {
			return fmt.Errorf("there is no %.60q", place)
		}
		x.circuit.Symbols[place[:1]+strconv.FormatUint(n, 10)] = name
	}
}

func (x *reader) count(letter byte) int {
	return x.counts[map[byte]int{
		'i': inputCount,
		'l': latchCount,
		'o': outputCount,
		'b': badCount,
		'c': constraintCount,
		'j': justiceCount,
		'f': fairnessCount,
	}[letter]]
}

// check checks that each used variable is defined exactly once, and orders the gates such that each
// comes after the gates of its operands.
func (x *reader) check() error {
	c := x.circuit
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

// order orders the gates such that each comes after the gates of its operands. gateOf has, for each
// variable, one more than the number of its gate.
func (c *Circuit) order(gateOf []int32) error {
	o := &gateOrder{
		gates:  c.Gates,
		gateOf: gateOf,
		state:  make([]gateState, len(c.Gates)),
	}
	for first := range c.Gates {
		if err := o.add(first); err != nil {
			return err
		}
	}
	c.Gates = o.ordered
	return nil
}

// gateOrder is a depth-first search through the gates, which are ordered when they are left.
type gateOrder struct {
	gates   []Gate
	gateOf  []int32
	state   []gateState
	ordered []Gate
}

// gateState is how far the search has come with a gate.
type gateState uint8

const (
	unseen  gateState = iota
	entered           // on the path of the search
	left
)

// add adds a gate after all gates below it, unless it has been added. Its path is a slice, because a circuit can be
// deeper than a stack of calls.
func (o *gateOrder) add(first int) error {
	path := []int{first}
	for len(path) > 0 {
		current := path[len(path)-1]
		if o.state[current] != left {
			o.state[current] = entered
			operand, isMissing, err := o.missingOperand(current)
			if err != nil {
				return err
			}
			if isMissing {
				path = append(path, operand)
				continue
			}
			o.state[current] = left
			o.ordered = append(o.ordered, o.gates[current])
		}
		path = path[:len(path)-1]
	}
	return nil
}

// missingOperand returns the gate of an operand that has not been added yet, if there is one. It fails if
// the operand is on the path to the gate.
func (o *gateOrder) missingOperand(gate int) (operand int, isMissing bool, err error) {
	for _, l := range []Literal{o.gates[gate].Left, o.gates[gate].Right} {
		below := int(o.gateOf[l.Variable()]) - 1
		isGate := l > 1 && below >= 0
		if !isGate || o.state[below] == left {
			continue
		}
		if o.state[below] == entered {
			return 0, false, fmt.Errorf("gate %d is made of itself", o.gates[below].Literal)
		}
		operand = below
		isMissing = true
	}
	return operand, isMissing, nil
}
