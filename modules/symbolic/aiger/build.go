package aiger

// Builder makes a circuit from inputs, latches and formulas over them. The zero value is ready for
// use.
type Builder struct {
	circuit Circuit
	gates   map[[2]Literal]Literal
}

// Input returns a new input.
func (b *Builder) Input(name string) Literal {
	l := b.fresh()
	b.name("i", len(b.circuit.Inputs), name)
	b.circuit.Inputs = append(b.circuit.Inputs, l)
	return l
}

// Latch returns a new latch with an initial value, see [Builder.Next].
func (b *Builder) Latch(name string, begins bool) Literal {
	l := Latch{Literal: b.fresh()}
	if begins {
		l.Reset = 1
	}
	b.name("l", len(b.circuit.Latches), name)
	b.circuit.Latches = append(b.circuit.Latches, l)
	return l.Literal
}

// Next sets the next value of a latch.
func (b *Builder) Next(latch, becomes Literal) {
	for i := range b.circuit.Latches {
		if b.circuit.Latches[i].Literal == latch {
			b.circuit.Latches[i].Next = becomes
		}
	}
}

// Output adds an output; Bad adds a literal that must never hold.
func (b *Builder) Output(name string, l Literal) {
	b.name("o", len(b.circuit.Outputs), name)
	b.circuit.Outputs = append(b.circuit.Outputs, l)
}

// Bad is described at [Builder.Output].
func (b *Builder) Bad(name string, l Literal) {
	b.name("b", len(b.circuit.Bad), name)
	b.circuit.Bad = append(b.circuit.Bad, l)
}

// And returns a literal that holds if both literals do.
func (b *Builder) And(left, right Literal) Literal {
	left, right = max(left, right), min(left, right)
	switch {
	case right == 0 || left == right^1:
		return 0
	case right == 1 || left == right:
		return left
	}
	if l, known := b.gates[[2]Literal{left, right}]; known {
		return l
	}
	if b.gates == nil {
		b.gates = map[[2]Literal]Literal{}
	}
	l := b.fresh()
	b.gates[[2]Literal{left, right}] = l
	b.circuit.Gates = append(b.circuit.Gates, Gate{l, left, right})
	return l
}

// Or returns a literal that holds if at least one of the two does.
func (b *Builder) Or(left, right Literal) Literal { return b.And(left^1, right^1) ^ 1 }

// Circuit returns the circuit that was built so far. Names must have no line breaks.
func (b *Builder) Circuit() *Circuit { return &b.circuit }

func (b *Builder) fresh() Literal {
	b.circuit.Max++
	return Literal(2 * b.circuit.Max)
}

func (b *Builder) name(letter string, n int, name string) {
	if b.circuit.Symbols == nil {
		b.circuit.Symbols = map[string]string{}
	}
	if name != "" {
		b.circuit.Symbols[place(letter, n)] = name
	}
}
