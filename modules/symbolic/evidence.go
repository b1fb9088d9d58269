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
// answer has no evidence, and if w fails.
func (x *Circuit) WriteEvidence(w io.Writer, a *Answer) error {
	f := file{
		Schema:  schemaName,
		Formula: a.Formula.String(),
		Holds:   a.Holds,
		By:      a.by,
		Run:     a.Run,
	}
	if _, _, _, err := outermost(a.Formula, a.Holds); err != nil {
		return err
	}
	switch a.by {
	case byRun:
		if a.Run == nil {
			return fmt.Errorf("a run of at most %d states was not found", maxRun)
		}
	case byRanks:
		for _, rank := range a.ranks {
			f.Sets = append(f.Sets, x.diagram(rank))
		}
	case byStay:
		f.Sets = []diagram{x.diagram(a.stay)}
	default:
		return ErrNested
	}
	return json.NewEncoder(w).Encode(f)
}

// diagram encodes a set.
func (x *Circuit) diagram(s Set) diagram {
	var d diagram
	number := map[int]int{0: 0, 1: 1}
	var visit func(s Set) int
	visit = func(s Set) int { // the depth is the number of variables
		if n, known := number[*s.node]; known {
			return n
		}
		low, high := visit(Set{x.b.Low(s.node)}), visit(Set{x.b.High(s.node)})
		d.Nodes = append(d.Nodes, [3]int{x.place[x.b.Label(s.node)/2], low, high})
		number[*s.node] = len(d.Nodes) + 1
		return len(d.Nodes) + 1
	}
	d.Root = visit(s)
	return d
}

// set reads a diagram that the method diagram has written.
func (x *Circuit) set(d diagram) (Set, error) {
	variable := make([]int, len(x.place))
	for v, place := range x.place {
		variable[place] = v
	}
	all := []Set{x.None(), x.All()}
	for i, n := range d.Nodes {
		if n[0] < 0 || n[0] >= len(variable) || n[1] < 0 || n[2] < 0 || n[1] > i+1 ||
			n[2] > i+1 {
			return Set{}, fmt.Errorf("node %d of a diagram is none", i)
		}
		is := x.Is(variable[n[0]])
		all = append(all, x.Or(x.And(x.Not(is), all[n[1]]), x.And(is, all[n[2]])))
	}
	if d.Root < 0 || d.Root >= len(all) {
		return Set{}, errors.New("a diagram has no root")
	}
	return all[d.Root], x.Err()
}

// outermost returns the operator about runs to which a formula reduces by removing negations, and
// whether the formula then claims that the operator holds. It fails if the operands are not about
// states alone.
func outermost(f *syntax.Formula, holds bool) (*syntax.Closure, int, bool, error) {
	c := f.Closure()
	at := int(c.Root())
	for c.Nodes[at].Op == syntax.Not {
		at, holds = int(c.Nodes[at].Right), !holds
	}
	if n := c.Nodes[at]; n.Op != syntax.Until && n.Op != syntax.Release ||
		n.Labels != syntax.AnyLabel || n.Last != syntax.NoLast {
		return nil, 0, false, ErrNested
	}
	for _, n := range c.Nodes[:at] {
		if n.Op >= syntax.Next {
			return nil, 0, false, ErrNested
		}
	}
	return c, at, holds, nil
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
	var in file
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return false, fmt.Errorf("the evidence cannot be read: %w", err)
	}
	if in.Schema != schemaName {
		return false, fmt.Errorf("schema is %.40q; this version knows %s", in.Schema,
			schemaName)
	}
	if in.Formula != f.String() {
		return false, fmt.Errorf("made for another formula, %.200s", in.Formula)
	}
	if err := Defines(c, f); err != nil {
		return false, err
	}
	closure, at, holds, err := outermost(f, in.Holds)
	if err != nil {
		return false, err
	}
	n := closure.Nodes[at]
	least, some := (n.Op == syntax.Until) == holds, (n.Path == syntax.Some) == holds
	want := shownBy(in.Holds, least, some)
	if in.By != want {
		return false, fmt.Errorf("shown by %.20q, which takes %s", in.By, want)
	}
	if want == byRun {
		if in.Run == nil {
			return false, errors.New("there is no run")
		}
		s := &simulation{
			c:     c,
			f:     closure,
			n:     n,
			holds: holds,
			names: c.Names(),
		}
		return in.Holds, s.check(in.Run)
	}
	return in.Holds, checkSets(ctx, c, closure, n,
		claimed{all: in.Holds, holds: holds, some: some}, in.Sets)
}
