package symbolic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/modules/symbolic/aiger"
)

// schemaName names the version of the format of evidence.
const schemaName = "inev.symbolic/1"

// file is the content of a file of evidence.
type file struct {
	Schema  string    `json:"schema"`
	Formula string    `json:"formula"`
	Holds   bool      `json:"holds"`
	By      kind      `json:"by"`
	Run     *Run      `json:"run,omitempty"`
	Sets    []diagram `json:"sets,omitempty"`
}

// diagram is a set of states: nodes from the bottom up, each with the latch or input that it tests,
// latches first, and its successors for the values 0 and 1. Successor 0 is the empty set, 1 the set
// of all states, and k+2 is node k. The last node is tested first.
type diagram struct {
	Nodes [][3]int `json:"nodes"`
	Root  int      `json:"root"`
}

// WriteEvidence writes evidence for an answer, for [Verify]. It fails with [ErrNested] if the
// answer has no evidence, or if w fails.
func (x *Circuit) WriteEvidence(w io.Writer, a *Answer) error {
	f := file{
		Schema:  schemaName,
		Formula: a.Formula.String(),
		Holds:   a.Holds,
		By:      a.shownBy,
		Run:     a.Run,
	}
	if _, err := outermost(a.Formula, a.Holds); err != nil {
		return err
	}
	switch a.shownBy {
	case byRun:
		if a.Run == nil {
			return fmt.Errorf("a run of at most %d states was not found", maxRun)
		}
	case byRanks:
		for _, rank := range a.ranks {
			f.Sets = append(f.Sets, x.diagramOf(rank))
		}
	case byStay:
		f.Sets = []diagram{x.diagramOf(a.stay)}
	default:
		return ErrNested
	}
	return json.NewEncoder(w).Encode(f)
}

// diagramOf encodes a set.
func (x *Circuit) diagramOf(s Set) diagram {
	var d diagram
	number := map[int]int{0: 0, 1: 1}
	var visit func(s Set) int
	visit = func(s Set) int { // the depth is the number of variables
		if n, known := number[*s.node]; known {
			return n
		}
		low := visit(Set{x.diagrams.Low(s.node)})
		high := visit(Set{x.diagrams.High(s.node)})
		d.Nodes = append(d.Nodes, [3]int{x.place[x.diagrams.Label(s.node)/2], low, high})
		number[*s.node] = len(d.Nodes) + 1
		return len(d.Nodes) + 1
	}
	d.Root = visit(s)
	return d
}

// setOf reads a diagram that the method diagramOf has written.
func (x *Circuit) setOf(d diagram) (Set, error) {
	variableAt := make([]int, len(x.place))
	for v, place := range x.place {
		variableAt[place] = v
	}
	sets := []Set{x.None(), x.All()}
	for i, n := range d.Nodes {
		place := n[0]
		low := n[1]
		high := n[2]
		isPlace := 0 <= place && place < len(variableAt)
		areEarlier := 0 <= low && low < len(sets) && 0 <= high && high < len(sets)
		if !isPlace || !areEarlier {
			return Set{}, fmt.Errorf("node %d is no node of a diagram: its variable does not exist, or a child does not come before it", i)
		}
		isTrue := x.Is(variableAt[place])
		sets = append(sets, x.Or(x.And(x.Not(isTrue), sets[low]), x.And(isTrue, sets[high])))
	}
	if d.Root < 0 || d.Root >= len(sets) {
		return Set{}, errors.New("a diagram has no root")
	}
	return sets[d.Root], x.Err()
}

// outermost returns the operator about runs to which a formula reduces by removing negations. It
// fails if the operands are not about states alone.
func outermost(f *syntax.Formula, holds bool) (operatorAboutRuns, error) {
	closure := f.Closure()
	at := closure.Root()
	for closure.Nodes[at].Op == syntax.Not {
		at = closure.Nodes[at].Right
		holds = !holds
	}
	node := closure.Nodes[at]
	isAboutRuns := node.Op == syntax.Until || node.Op == syntax.Release
	if !isAboutRuns || node.Labels != syntax.AnyLabel || node.Last != syntax.NoLast {
		return operatorAboutRuns{}, ErrNested
	}
	for _, n := range closure.Nodes[:at] {
		if n.Op >= syntax.Next {
			return operatorAboutRuns{}, ErrNested
		}
	}
	return operatorAboutRuns{closure, node, holds}, nil
}

// Verify checks evidence against the circuit, and returns whether the formula holds. It simulates a
// run gate by gate, without diagrams. For sets, it checks conditions on single transitions with
// diagrams that it makes anew from the circuit, and computes no fixpoint. The error is one line.
func Verify(
	ctx context.Context,
	c *aiger.Circuit,
	f *syntax.Formula,
	r io.Reader,
) (bool, error) {
	in, err := readEvidence(r)
	if err != nil {
		return false, err
	}
	if in.Formula != f.String() {
		return false, fmt.Errorf("made for another formula, %.200s", in.Formula)
	}
	if err := Defines(c, f); err != nil {
		return false, err
	}
	operator, err := outermost(f, in.Holds)
	if err != nil {
		return false, err
	}
	claimed := claimAbout(operator.node, in.Holds, operator.holds)
	needed := claimed.evidence()
	switch {
	case in.By != needed:
		return false, fmt.Errorf("shown by %.20q, which takes %s", in.By, needed)
	case needed != byRun:
		return in.Holds, checkSets(ctx, c, operator, claimed, in.Sets)
	case in.Run == nil:
		return false, errors.New("there is no run")
	}
	s := &simulation{circuit: c, operator: operator, names: c.Names()}
	return in.Holds, s.check(in.Run)
}

// readEvidence reads a file of evidence of this version.
func readEvidence(r io.Reader) (file, error) {
	var in file
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return in, fmt.Errorf("the evidence cannot be read: %w", err)
	}
	if in.Schema != schemaName {
		return in, fmt.Errorf("schema is %.40q; this version knows %s", in.Schema,
			schemaName)
	}
	return in, nil
}

// operatorAboutRuns is the operator about runs of a formula, over formulas about states.
type operatorAboutRuns struct {
	closure *syntax.Closure
	node    syntax.Node
	// holds reports whether the formula claims that the operator holds.
	holds bool
}
