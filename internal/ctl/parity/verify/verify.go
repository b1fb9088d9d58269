// Package verify checks the evidence of package parity for formulas of the modal mu-calculus. It shares
// no code with the algorithms, and uses only the readers of models and formulas.
//
// The file lists positions. A position is a state and a node of the formula, with the value that
// the node has in the state and, for each fixpoint priority that must not recur, a number. A
// position is checked by its moves alone. If the opponent of the value moves there, all moves must
// lead to listed positions with this value; if the other player moves, one move must. A move within
// a component of the formula raises no number of a priority that is at least the priority of its
// node, and lowers the number of that priority if it must not recur. Other moves lead to components
// with smaller numbers.
//
// Proof. The player who wants the value uses only moves that satisfy these conditions. This player
// wins a play that ends, since a position without a move is listed only where the other player
// moves. A play that never ends finally stays in one component. If the largest priority that recurs
// in it were one that must not, its number would fall again and again, and from some moment on
// never rise.
//
// A claim about a state is accepted only if its position is listed, and each listed position is
// checked.
package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/formula/mucalculus"
	"github.com/inev-lts/inev/lts"
)

// schemaName is the name and version of the evidence.
const schemaName = "inev.mu/1"

// Is reports whether a file begins like evidence, in any version of the format. It needs the first
// 200 bytes.
func Is(start []byte) bool {
	format, _, _ := strings.Cut(schemaName, "/")
	return bytes.Contains(start[:min(len(start), 200)], []byte(`"`+format+`/`))
}

// evidenceFile is what a file of evidence contains.
type evidenceFile struct {
	Schema string `json:"schema"`
	Model  struct {
		Initial       lts.State `json:"initial"`
		States        int       `json:"states"`
		Transitions   int       `json:"transitions"`
		InitialStates int       `json:"initial_states"`
	} `json:"model"`
	Formula  string      `json:"formula"`
	Formulas []string    `json:"formulas"`
	Holds    bool        `json:"holds"`
	Good     []lts.State `json:"good"`
	Bad      []lts.State `json:"bad"`
	Evidence []entry     `json:"evidence"`
}

// entry is the evidence that a formula, the node with this number, holds in some states, or does not hold
// there. Measures are the progress measures, by priority, with a number for each state.
type entry struct {
	Formula  int                 `json:"formula"`
	Holds    bool                `json:"holds"`
	States   []lts.State         `json:"states"`
	Measures map[string][]uint32 `json:"measures"`
}

// Asked returns the states of m about which a file of evidence makes claims, ascending; none if the file
// cannot be read.
func Asked(m *lts.LTS, content []byte) []lts.State {
	in, err := read(bytes.NewReader(content))
	if err != nil {
		return nil
	}
	asked := slices.Concat(in.Good, in.Bad)
	asked = slices.DeleteFunc(asked, func(s lts.State) bool {
		return int(s) >= m.NumStates()
	})
	slices.Sort(asked)
	return slices.Compact(asked)
}

// Result is what a valid file claims: in which of the asked states the formula holds, and in which it
// does not hold.
type Result struct{ Good, Bad []lts.State }

// Verify checks that the evidence in r is for the formula f on the model m, and that all its claims are
// true. means are the labels of modalities, as [mucalculus.Formula.Bind] returns them. The error is one
// line about the first mistake. It is the error of ctx if ctx is done, and of r if reading fails. Cost
// O(size of the file + moves of its positions · priorities), and memory O(size of the file).
func Verify(
	ctx context.Context,
	m *lts.LTS,
	f *mucalculus.Formula,
	means [][]bool,
	r io.Reader,
) (*Result, error) {
	in, err := read(r)
	if err != nil {
		return nil, err
	}
	if err := in.concerns(m, f); err != nil {
		return nil, err
	}
	c := &checker{
		m:       m,
		formula: f,
		means:   means,
		listed:  make([]map[lts.State]*listing, f.Len()),
	}
	if err := c.listPositions(in.Evidence); err != nil {
		return nil, err
	}
	for _, e := range in.Evidence {
		for _, state := range e.States {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := c.check(e.Formula, state); err != nil {
				return nil, err
			}
		}
	}
	return c.conclude(in)
}

// read reads a file of evidence, which must not contain anything else.
func read(r io.Reader) (*evidenceFile, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var version struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(data, &version) == nil && version.Schema != schemaName {
		return nil, fmt.Errorf("schema is %q; this version of inev knows %s", version.Schema,
			schemaName)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var in evidenceFile
	if err := d.Decode(&in); err != nil {
		return nil, inLine(data, d.InputOffset(), err)
	}
	rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n")
	if len(rest) > 0 {
		return nil, inLine(data, d.InputOffset()+1,
			fmt.Errorf("found %q behind the evidence", rest[0]))
	}
	return &in, nil
}

// inLine returns an error with the line of the file at an offset.
func inLine(data []byte, offset int64, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	case errors.Is(err, io.ErrUnexpectedEOF):
		offset = int64(len(data))
		err = errors.New("the file ends before the evidence does")
	}
	line := 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
	return fmt.Errorf("line %d: %w", line, err)
}

// concerns returns an error if the evidence is for another model or formula.
func (in *evidenceFile) concerns(m *lts.LTS, f *mucalculus.Formula) error {
	if in.Formula != f.String() {
		return fmt.Errorf("made for another formula, %s", in.Formula)
	}
	states, transitions, initialStates := m.Total()
	for _, size := range []struct {
		name       string
		made, here int
	}{
		{"initial state", int(in.Model.Initial), int(m.Initial())},
		{"number of states", in.Model.States, states},
		{"number of transitions", in.Model.Transitions, transitions},
		{"number of initial states", in.Model.InitialStates, initialStates},
	} {
		if size.made != size.here {
			return fmt.Errorf("made for another model: its %s is %d, here it is %d",
				size.name, size.made, size.here)
		}
	}
	var parts []string
	for i := range f.Len() {
		parts = append(parts, f.Node(i).Text)
	}
	if !slices.Equal(in.Formulas, parts) {
		return errors.New("the formula has other parts here; another version of inev wrote the file")
	}
	return nil
}

// listing is the claim of the file about a position: the value of the node in the state, and the
// numbers that the package comment explains. The index of a number is its priority; the number of a
// priority that may recur is 0.
type listing struct {
	holds   bool
	numbers []uint32
}

// checker checks positions.
type checker struct {
	m       *lts.LTS
	formula *mucalculus.Formula
	means   [][]bool
	listed  []map[lts.State]*listing // by node
}

// listPositions notes the positions of the file.
func (c *checker) listPositions(all []entry) error {
	priorities := 0
	for i := range c.formula.Len() {
		priorities = max(priorities, c.formula.Node(i).Priority+1)
	}
	for _, e := range all {
		if err := c.listEntry(e, priorities); err != nil {
			return err
		}
	}
	return nil
}

// listEntry notes the positions of an entry.
func (c *checker) listEntry(e entry, priorities int) error {
	if e.Formula < 0 || e.Formula >= c.formula.Len() {
		return fmt.Errorf("formula %d: there are %d", e.Formula, c.formula.Len())
	}
	numbers, err := e.numbers(priorities)
	if err != nil {
		return err
	}
	if c.listed[e.Formula] == nil {
		c.listed[e.Formula] = make(map[lts.State]*listing, len(e.States))
	}
	listed := c.listed[e.Formula]
	for i, state := range e.States {
		switch {
		case int(state) >= c.m.NumStates():
			return fmt.Errorf("formula %d: there is no state %d", e.Formula, state)
		case listed[state] != nil:
			return fmt.Errorf("%s in state %d: listed twice", c.formula.Node(e.Formula).Text,
				state)
		}
		listed[state] = &listing{
			holds:   e.Holds,
			numbers: numbers[i*priorities : (i+1)*priorities],
		}
	}
	return nil
}

// numbers returns the numbers of the states of an entry, one row of all priorities after the other.
func (e entry) numbers(priorities int) ([]uint32, error) {
	numbers := make([]uint32, len(e.States)*priorities)
	for name, measures := range e.Measures {
		priority, err := strconv.Atoi(name)
		isPriority := err == nil && priority >= 0 && priority < priorities
		if !isPriority || len(measures) != len(e.States) {
			return nil, fmt.Errorf("formula %d: measures of priority %s are not those of %d states", e.Formula, name, len(e.States))
		}
		for i, n := range measures {
			numbers[i*priorities+priority] = n
		}
	}
	return numbers, nil
}

// check checks a listed position by its moves.
func (c *checker) check(node int, state lts.State) error {
	n := c.formula.Node(node)
	from := c.listed[node][state]
	needsAll := n.Kind == mucalculus.Fixpoint || n.All == from.holds
	hasValidMove := false
	var wrong error // about the last wrong move if all are needed, and otherwise about the first
	c.eachMove(node, state, func(to int, target lts.State) {
		err := c.checkMove(node, from, to, target)
		hasValidMove = hasValidMove || err == nil
		if err != nil && (wrong == nil || needsAll) {
			wrong = err
		}
	})
	isValid := hasValidMove
	if needsAll {
		isValid = wrong == nil
	}
	if isValid {
		return nil
	}
	if wrong == nil {
		wrong = errors.New("it has no move")
	}
	return fmt.Errorf("%s in state %d: %w", n.Text, state, wrong)
}

// eachMove calls do for each position that a position leads to.
func (c *checker) eachMove(node int, state lts.State, do func(to int, target lts.State)) {
	n := c.formula.Node(node)
	if n.Kind != mucalculus.Modality {
		for _, part := range n.Parts {
			do(part, state)
		}
		return
	}
	for label, target := range c.m.From(state) {
		if c.means[node][label] {
			do(n.Parts[0], target)
		}
	}
}

// checkMove returns an error unless a move satisfies the conditions.
func (c *checker) checkMove(node int, from *listing, to int, target lts.State) error {
	n := c.formula.Node(node)
	next := c.formula.Node(to)
	there := c.listed[to][target]
	switch {
	case there == nil:
		return fmt.Errorf("%s in state %d is needed, and not decided", next.Text, target)
	case there.holds != from.holds:
		return fmt.Errorf("%s in state %d is decided otherwise", next.Text, target)
	case next.Component > n.Component:
		return fmt.Errorf("%s does not come before it", next.Text)
	case next.Component < n.Component:
		return nil
	}
	least := 0
	if n.Kind == mucalculus.Fixpoint {
		least = n.Priority
	}
	for priority := least; priority < len(from.numbers); priority++ {
		if from.holds == (priority%2 == 0) {
			continue // this priority may recur
		}
		mustFall := n.Kind == mucalculus.Fixpoint && priority == n.Priority
		rises := there.numbers[priority] > from.numbers[priority]
		stays := there.numbers[priority] == from.numbers[priority]
		if rises || mustFall && stays {
			return fmt.Errorf("the measure of priority %d does not fall to %s in state %d",
				priority, next.Text, target)
		}
	}
	return nil
}

// conclude returns what the file claims, if the listed positions prove it.
func (c *checker) conclude(in *evidenceFile) (*Result, error) {
	if in.Holds != (len(in.Bad) == 0) {
		return nil, errors.New("the verdict does not follow from the states")
	}
	if len(in.Good)+len(in.Bad) == 0 {
		return nil, errors.New("no state is asked about")
	}
	root := c.formula.Root()
	for _, claim := range []struct {
		holds  bool
		states []lts.State
	}{{true, in.Good}, {false, in.Bad}} {
		for _, state := range claim.states {
			found := c.listed[root][state]
			if found == nil || found.holds != claim.holds {
				return nil, fmt.Errorf("%s in state %d: needed, and not decided", c.formula, state)
			}
		}
	}
	return &Result{Good: in.Good, Bad: in.Bad}, nil
}
