package symbolic

import (
	"errors"
	"fmt"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/modules/symbolic/aiger"
)

// Circuit is the model of a circuit: its states are the values of latches and inputs. Inputs change
// arbitrarily, as long as the constraints hold; each name of the circuit is a predicate.
type Circuit struct {
	*Model
	Circuit *aiger.Circuit
	// Initial are the states where runs begin.
	Initial Set
	// place[i] is the number of the latch that is variable i of the model; the numbers of inputs
	// follow those of the latches.
	place []int
	// variable is the variable of a latch or input, by its number in the circuit.
	variable map[int]int
	// values are the sets of states where the variables of the circuit are true, by their numbers.
	values []Set
}

// maxStateBits is the largest number of latches and inputs.
const maxStateBits = 1 << 12

// NewCircuit returns the model of a circuit. Variables are in the order of their first use on the
// way from the next values of latches back through the gates. It fails if there are more than 4096
// latches and inputs, or if there is too little room for the diagrams.
func NewCircuit(c *aiger.Circuit) (*Circuit, error) {
	bits := len(c.Latches) + len(c.Inputs)
	if bits > maxStateBits {
		return nil, fmt.Errorf("%d latches and inputs are more than %d", bits, maxStateBits)
	}
	m, err := New(max(bits, 1))
	if err != nil {
		return nil, err
	}
	x := &Circuit{
		Model:    m,
		Circuit:  c,
		variable: map[int]int{},
		values:   make([]Set, c.Max+1),
	}
	x.orderVariables()
	x.values[0] = m.None()
	for number, v := range x.variable {
		x.values[number] = m.Is(v)
	}
	for _, g := range c.Gates {
		x.values[g.Literal.Variable()] = m.And(x.statesWhere(g.Left), x.statesWhere(g.Right))
	}
	for i := bits; i < 1; i++ { // a model without variables has one state
		m.Constrain(m.And(m.Not(m.Is(i)), m.Not(m.Next(i))))
	}
	x.constrainTransitions()
	for name, l := range c.Names() {
		m.Define(name, x.statesWhere(l))
	}
	return x, m.Err()
}

// statesWhere returns the states where a literal is true.
func (x *Circuit) statesWhere(l aiger.Literal) Set {
	if l.Negated() {
		return x.Not(x.values[l.Variable()])
	}
	return x.values[l.Variable()]
}

// orderVariables gives latches and inputs their variables: the variables of a latch, and those that its next
// value depends on, are next to each other.
func (x *Circuit) orderVariables() {
	o := &ordering{
		circuit: x,
		placeOf: map[int]int{},
		gateOf:  map[int]aiger.Gate{},
		isMet:   map[int]bool{},
	}
	c := x.Circuit
	for i, l := range c.Latches {
		o.placeOf[l.Literal.Variable()] = i
	}
	for i, l := range c.Inputs {
		o.placeOf[l.Variable()] = len(c.Latches) + i
	}
	for _, g := range c.Gates {
		o.gateOf[g.Literal.Variable()] = g
	}
	for _, l := range c.Latches {
		o.visit(l.Literal.Variable())
		o.visit(l.Next.Variable())
	}
	for _, l := range c.Inputs {
		o.visit(l.Variable())
	}
}

// ordering is a depth-first search through a circuit. Latches and inputs get their variables in the order in
// which it meets them.
type ordering struct {
	circuit *Circuit
	placeOf map[int]int // of latches and inputs
	gateOf  map[int]aiger.Gate
	isMet   map[int]bool
}

// visit searches from a variable of the circuit.
func (o *ordering) visit(first int) {
	open := []int{first}
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		if o.isMet[v] {
			continue
		}
		o.isMet[v] = true
		if place, isState := o.placeOf[v]; isState {
			o.circuit.variable[v] = len(o.circuit.place)
			o.circuit.place = append(o.circuit.place, place)
		}
		if g, isGate := o.gateOf[v]; isGate {
			open = append(open, g.Right.Variable(), g.Left.Variable())
		}
	}
}

// constrainTransitions constrains the next values of latches, and restricts runs to states where the
// constraints hold.
func (x *Circuit) constrainTransitions() {
	m := x.Model
	allowed := m.All()
	for _, l := range x.Circuit.Constraints {
		allowed = m.And(allowed, x.statesWhere(l))
	}
	x.Initial = allowed
	for _, l := range x.Circuit.Latches {
		v := x.variable[l.Literal.Variable()]
		m.Constrain(m.Equal(m.Next(v), x.statesWhere(l.Next)))
		switch l.Reset {
		case 0:
			x.Initial = m.And(x.Initial, m.Not(m.Is(v)))
		case 1:
			x.Initial = m.And(x.Initial, m.Is(v))
		}
	}
	m.Constrain(allowed)
	m.Constrain(m.transitionsInto(allowed))
}

// transitionsInto returns the set of transitions into the states of s.
func (m *Model) transitionsInto(s Set) Set { return Set{m.diagrams.Replace(s.node, m.toNext)} }

// State has the values of latches and inputs.
type State struct {
	Latches string `json:"latches"` // a digit 0 or 1 for each latch
	Inputs  string `json:"inputs"`
}

// stateOf returns the only state of a set.
func (x *Circuit) stateOf(one Set) State {
	bits := make([]byte, len(x.place))
	for v, place := range x.place {
		bits[place] = '0'
		isTrue := !x.isEmpty(x.And(one, x.Is(v)))
		if isTrue {
			bits[place] = '1'
		}
	}
	latches := len(x.Circuit.Latches)
	return State{Latches: string(bits[:latches]), Inputs: string(bits[latches:])}
}

// Answer is the answer to a formula.
type Answer struct {
	Formula *syntax.Formula
	Holds   bool
	// Layers are the states that were unfolded, step by step, for the outermost operator if it is
	// about runs; otherwise nil.
	Layers []Layer
	// Run is a run that shows a claim about some run, or refutes a claim about all runs; nil if no
	// single run does.
	Run *Run
	// ranks and stay are the evidence if there is no run.
	ranks   []Set
	stay    Set
	shownBy kind
}

// Layer is the set of states that one step unfolded.
type Layer struct {
	States float64 // the number of states of the layer
	Nodes  int     // the number of nodes of the layer's diagram
}

// Run is a run of the circuit.
type Run struct {
	States []State `json:"states"`
	// Loop is the index of the state that follows the last one, -1 if none follows: the last state
	// decides the claim, or the run ends.
	Loop int `json:"loop"`
}

// kind is the kind of evidence for a claim.
type kind string

const (
	byRun   kind = "run"
	byRanks kind = "ranks" // for sets: from each rank, all transitions lead to smaller ranks
	byStay  kind = "set"   // a set that runs do not leave, or leave only into states that decide the claim
)

// ErrNested reports that a formula has nested operators about runs, or none.
var ErrNested = errors.New("evidence is written and checked for one operator about runs over formulas about states, such as AG f, E[f U g] or !EF f")
