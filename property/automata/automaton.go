package automata

import (
	"context"
	"io"
	"math"
	"strings"

	"github.com/inev-lts/inev/internal/resources"
)

// State is the number of a state in a file.
type State uint32

// MaxStates is the largest number of states: the numbers of a file are below 2^31.
const MaxStates = math.MaxInt32

// Alias is an abbreviation of a label expression.
type Alias struct {
	// Name begins with "@".
	Name string
	// Text is a label expression without blanks.
	Text string
}

// MaxSets is the largest number of acceptance sets of a [Automaton].
const MaxSets = 64

// Automaton is an automaton as it is in an HOA file, with any acceptance
// condition. It is immutable.
type Automaton struct {
	// Name is the text of name:, empty if there is none.
	Name string
	// Propositions are the atomic propositions, and Aliases the abbreviations in
	// labels.
	Propositions []string
	Aliases      []Alias
	// Meanings[i] is the pattern of labels that proposition i stands for, in the
	// syntax of formulas; "" stands for "nothing happens". It is nil if the file
	// has no inev-atoms:.
	Meanings []string
	States   int
	// Starts are the initial states, each once.
	Starts []State
	// Names has the names of those states that have one, Accepting the states whose section
	// has marks; Lines has the line of each state's section.
	Names     map[State]string
	Accepting []State
	Lines     []int
	// Edges are the edges of the file in their order. The slice must not be changed.
	Edges []Edge
	// Acceptance is the condition, and AcceptanceLine its line.
	Acceptance     Condition
	AcceptanceLine int
	// AccName is the value of acc-name:, "" if it is missing.
	AccName string

	solver solver
	// condition is the condition as it stands in the file.
	condition string
}

// Edge is an edge of a [Automaton].
type Edge struct {
	From, To State
	// Marks has bit c set if the edge, or the state that it leaves, is in set c.
	Marks uint64
	// Line is the line of the edge in the file.
	Line int

	label *label
}

// Label returns the label of the edge, or of its state, without blanks.
func (e *Edge) Label() string { return e.label.text }

// label is a label, and whether some letter satisfies it. Edges with equal labels share it.
type label struct {
	expression
	kept bool
}

// ConditionOp is the outermost operator of a [Condition].
type ConditionOp uint8

// The operators of conditions.
const (
	ConditionTrue  ConditionOp = iota // t
	ConditionFalse                    // f
	ConditionInf                      // the set is met infinitely often
	ConditionFin                      // the set is met finitely often
	ConditionAnd
	ConditionOr
)

// Condition is an acceptance condition.
type Condition struct {
	Op ConditionOp
	// Set is the acceptance set of Inf or Fin; Complement reports whether its
	// complement is meant.
	Set        int
	Complement bool
	// Parts are the two operands of and, or.
	Parts []Condition
}

// conditionAtom encodes an atom of a condition as a number.
func conditionAtom(set int, fin, complement bool) int {
	code := set << 2
	if fin {
		code |= 2
	}
	if complement {
		code |= 1
	}
	return code
}

// newCondition decodes a condition in postfix order.
func newCondition(code []int) Condition {
	var stack []Condition
	for _, c := range code {
		switch {
		case c == codeTrue || c == codeFalse:
			stack = append(stack, Condition{Op: ConditionOp(codeTrue - c)})
		case c == codeAnd || c == codeOr:
			op := ConditionAnd
			if c == codeOr {
				op = ConditionOr
			}
			n := len(stack) - 2
			stack = append(stack[:n], Condition{Op: op, Parts: []Condition{stack[n], stack[n+1]}})
		default:
			atom := Condition{Op: ConditionInf, Set: c >> 2, Complement: c&1 != 0}
			if c&2 != 0 {
				atom.Op = ConditionFin
			}
			stack = append(stack, atom)
		}
	}
	return stack[0]
}

// ReadAutomaton reads the first automaton of a stream, with any acceptance
// condition of at most [MaxSets] sets, and changes nothing in it. Errors are of
// type *[Error], except that of a context that is done. Cost O(length of the
// file).
func ReadAutomaton(ctx context.Context, r io.Reader, file string) (*Automaton, error) {
	p := newParser(ctx, r, file)
	p.general = true
	b, err := p.nextBody()
	if err != nil {
		return nil, err
	}
	g := b.Automaton
	g.Acceptance, g.AcceptanceLine, g.condition = newCondition(b.acceptance.code), b.lines["Acceptance:"], b.acceptance.text
	g.Meanings, g.AccName = b.meanings, strings.Join(b.accName, " ")
	if err := resources.AskFor[int](ctx, g.States); err != nil {
		return nil, err
	}
	g.Lines = make([]int, g.States)
	for s := range g.States {
		g.Lines[s], _ = b.listed.line(State(s))
	}
	return &g, nil
}

// Letter reports for each edge, by its index, whether a letter satisfies its
// label. The letter consists of the propositions for which holds returns true.
// Cost O(size of all labels and aliases).
func (g *Automaton) Letter(holds func(proposition int) bool) []bool {
	s := solver{aliases: g.solver.aliases, values: map[int]truth{}}
	for i := range g.Propositions {
		if s.values[i] = isFalse; holds(i) {
			s.values[i] = isTrue
		}
	}
	s.results = make([]truth, len(s.aliases))
	for i, code := range s.aliases {
		s.results[i] = s.evaluate(code)
	}
	takes := make([]bool, len(g.Edges))
	for i := range g.Edges {
		takes[i] = s.evaluate(g.Edges[i].label.code) == isTrue
	}
	return takes
}
