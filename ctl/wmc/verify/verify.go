package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/lts"
)

// schemaName is the name and version of evidence of package wmc.
const schemaName = "inev.ctl/1"

// Result is what a valid file says.
type Result struct {
	// Good are the states asked about that satisfy the formula, Bad those that violate it.
	Good, Bad []lts.State
	// Internal are the patterns of hidden labels.
	Internal []string
	// Nodes is the number of nodes of the evidence.
	Nodes int
}

// Options say what a model has besides transitions, and which runs count. The zero value is the
// default.
type Options struct {
	// Holds reports whether a predicate holds in a state; nil if the model has none.
	Holds func(p ctl.Predicate, s lts.State) (bool, error)
	// Fair are the assumptions that runs must satisfy to count; all runs count if it is empty.
	Fair []*actl.Assumption
}

// Is reports whether a file begins like evidence, in any version of the format. It needs the first
// 200 bytes.
func Is(start []byte) bool {
	format, _, _ := strings.Cut(schemaName, "/")
	fair, _, _ := strings.Cut(fairSchema, "/")
	start = start[:min(len(start), 200)]
	return bytes.Contains(start, []byte(`"`+format+`/`)) || bytes.Contains(start, []byte(`"`+fair+`/`))
}

// schemaOf returns the schema with which a file begins; "" if it begins with something else. It
// assumes nothing about the rest of the file, which another version may have changed.
func schemaOf(data []byte) string {
	in := json.NewDecoder(bytes.NewReader(data))
	for _, want := range []json.Token{json.Delim('{'), "schema"} {
		if found, err := in.Token(); err != nil || found != want {
			return ""
		}
	}
	found, _ := in.Token()
	schema, _ := found.(string)
	return schema
}

// Verify checks that the evidence in r is for the formula f on the model m, and that all its claims
// are true. The error is one line about the first mistake. It is the error of ctx if ctx is done,
// and of r if reading fails.
//
// Cost O(|φ| (S + T)) time for the formulas of the closure, and the part of the model that the
// evidence is about; memory O(size of the file + |φ| S bits).
func Verify(ctx context.Context, m *lts.LTS, f *ctl.Formula, r io.Reader, o Options) (*Result, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	switch schema := schemaOf(data); {
	case schema == fairSchema:
		var in fairFile
		if err := decode(data, &in); err != nil {
			return nil, err
		}
		if err := in.concern(m, f); err != nil {
			return nil, err
		}
		return verifyFair(ctx, m, f, &in, o)
	case schema != "" && schema != schemaName:
		return nil, fmt.Errorf("schema is %q; this version of inev knows %s", schema, schemaName)
	case schema == schemaName && len(o.Fair) > 0:
		return nil, &AssumptionError{}
	}
	var in file
	if err := decode(data, &in); err != nil {
		return nil, err
	}
	if in.Schema != schemaName {
		return nil, fmt.Errorf("schema is %q; this version of inev knows %s", in.Schema, schemaName)
	}
	if err := in.concern(m, f); err != nil {
		return nil, err
	}
	c, err := newChecker(ctx, m, f.Closure(), in.Internal, o)
	if err != nil {
		return nil, err
	}
	if err := c.checkNode(in.Evidence, c.c.Root()); err != nil {
		return nil, err
	}
	return c.conclude(&in)
}

// decode reads a file of evidence, which must not contain anything else.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return inLine(data, d.InputOffset(), err)
	}
	if rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return inLine(data, d.InputOffset()+1, fmt.Errorf("found %q behind the evidence", rest[0]))
	}
	return nil
}

// inLine adds the line of the file at offset to an error.
func inLine(data []byte, offset int64, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
		err = fmt.Errorf("found a %s where it cannot stand", kind.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		offset = int64(len(bytes.TrimRight(data, " \t\r\n")))
		err = errors.New("the file ends before the evidence does")
	}
	offset = max(0, min(offset, int64(len(data))))
	return fmt.Errorf("line %d: %w", bytes.Count(data[:offset], []byte("\n"))+1, err)
}

// conclude checks the claim about the whole formula.
func (c *checker) conclude(in *file) (*Result, error) {
	if err := in.lists(c.c); err != nil {
		return nil, err
	}
	r := &Result{Internal: in.Internal, Nodes: c.nodes}
	for _, part := range []struct {
		states set
		good   bool
		into   *[]lts.State
	}{{in.Good, true, &r.Good}, {in.Bad, false, &r.Bad}} {
		if err := part.states.within(c.m.NumStates()); err != nil {
			return nil, err
		}
		err := part.states.each(func(s lts.State) error {
			*part.into = append(*part.into, s)
			return c.claim(c.c.Root(), s, part.good)
		})
		if err != nil {
			return nil, err
		}
	}
	if err := in.follow(r); err != nil {
		return nil, err
	}
	return r, nil
}

// checker has the results: for each formula and state good, bad or undecided.
type checker struct {
	ctx     context.Context
	m       *lts.LTS
	c       *ctl.Closure
	means   [][]bool
	holds   func(p ctl.Predicate, s lts.State) (bool, error)
	decided [][]verdict // by formula, then by state; nil for constants
	nodes   int
	// About the unfolding at hand, by state; all 0 between two unfoldings.
	part   []uint8
	rank   []uint32
	leaves []lts.State // states on frontiers that were decided before
}

type verdict uint8

const (
	undecided verdict = iota
	good
	bad
)

func newChecker(ctx context.Context, m *lts.LTS, c *ctl.Closure, internal []string, o Options) (*checker, error) {
	var hidden []actl.Pattern
	for _, text := range internal {
		p, end, err := actl.Text(text).Atom(ctx, 0)
		if err == nil && end < len(text) {
			err = actl.Text(text).Unexpected(end, "end of the pattern")
		}
		if err != nil {
			return nil, fmt.Errorf("internal: %w", err)
		}
		hidden = append(hidden, p)
	}
	means, _, err := c.Bind(ctx, m.Alphabet(), hidden)
	if err != nil {
		return nil, err
	}
	k := &checker{ctx: ctx, m: m, c: c, means: means, holds: o.Holds, decided: make([][]verdict, len(c.Nodes))}
	for i, n := range c.Nodes {
		if n.Op > ctl.Holds {
			k.decided[i] = make([]verdict, m.NumStates())
		}
	}
	k.part, k.rank = make([]uint8, m.NumStates()), make([]uint32, m.NumStates())
	return k, nil
}

// has reports whether a label is in a set.
func (c *checker) has(l ctl.Labels, label lts.Label) bool {
	return l == ctl.AnyLabel || l >= 0 && c.means[l][label]
}

// verdict returns the result for a formula in a state.
func (c *checker) verdict(i ctl.Index, s lts.State) (verdict, error) {
	holds := false
	switch n := c.c.Nodes[i]; n.Op {
	case ctl.True:
		holds = true
	case ctl.False:
	case ctl.Deadlock:
		holds = c.m.IsDeadlock(s)
	case ctl.Holds:
		if c.holds == nil {
			return undecided, fmt.Errorf("%s is a predicate of states, and the states of the model have none", n.Predicate)
		}
		var err error
		if holds, err = c.holds(n.Predicate, s); err != nil {
			return undecided, err
		}
	default:
		return c.decided[i][s], nil
	}
	if holds {
		return good, nil
	}
	return bad, nil
}

// known returns whether a formula holds in a state; it fails if the formula is undecided there.
func (c *checker) known(i ctl.Index, s lts.State) (bool, error) {
	v, err := c.verdict(i, s)
	if err == nil && v == undecided {
		err = fmt.Errorf("%s in state %d: needed, and not decided", c.c.Nodes[i].Formula, s)
	}
	return v == good, err
}

// claim checks the claim that a formula holds in a state, or does not.
func (c *checker) claim(i ctl.Index, s lts.State, holds bool) error {
	found, err := c.known(i, s)
	if err == nil && found != holds {
		err = c.wrong(i, s, holds)
	}
	return err
}

func (c *checker) wrong(i ctl.Index, s lts.State, holds bool) error {
	not := ""
	if !holds {
		not = "not "
	}
	return fmt.Errorf("%s in state %d: claimed %sto hold, which does not follow", c.c.Nodes[i].Formula, s, not)
}

func (c *checker) decide(i ctl.Index, s lts.State, v verdict) { c.decided[i][s] = v }

// checkNode checks a node about a formula; a nil node has nothing to check.
func (c *checker) checkNode(n *node, about ctl.Index) error {
	if n == nil {
		return nil
	}
	if err := c.ctx.Err(); err != nil {
		return err
	}
	c.nodes++
	if n.Formula != int(about) || c.decided[about] == nil {
		return fmt.Errorf("evidence about formula %d stands where that about %s should", n.Formula, c.c.Nodes[about].Formula)
	}
	for _, s := range []set{n.Asked, n.Good, n.Bad, n.Visited, n.Q, n.P, n.Holds, n.Fails} {
		if err := s.within(c.m.NumStates()); err != nil {
			return fmt.Errorf("%s: %w", c.c.Nodes[about].Formula, err)
		}
	}
	// A state where the formula is decided must not be asked about again.
	err := n.Asked.each(func(s lts.State) error {
		if c.decided[about][s] != undecided {
			return fmt.Errorf("%s in state %d: asked about, and decided before", c.c.Nodes[about].Formula, s)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if c.c.Nodes[about].Op >= ctl.Until {
		err = c.checkUnfolding(n, about)
	} else {
		err = c.checkStep(n, about)
	}
	if err != nil {
		return err
	}
	return c.checkParts(n, about)
}

// checkParts checks that the good and bad states are exactly those asked about.
func (c *checker) checkParts(n *node, about ctl.Index) error {
	asked := 0
	if err := n.Asked.each(func(lts.State) error { asked++; return nil }); err != nil {
		return err
	}
	for _, part := range []struct {
		states set
		good   bool
	}{{n.Good, true}, {n.Bad, false}} {
		i := 0
		err := part.states.each(func(s lts.State) error {
			for i < len(n.Asked) && n.Asked[i][1] < s {
				i++
			}
			if i == len(n.Asked) || s < n.Asked[i][0] {
				return fmt.Errorf("%s in state %d: answered, and not asked about", c.c.Nodes[about].Formula, s)
			}
			asked--
			return c.claim(about, s, part.good)
		})
		if err != nil {
			return err
		}
	}
	if asked != 0 {
		return fmt.Errorf("%s: asked about states without an answer", c.c.Nodes[about].Formula)
	}
	return nil
}

// checkStep checks a node without an unfolding.
func (c *checker) checkStep(n *node, about ctl.Index) error {
	f := c.c.Nodes[about]
	if len(n.Frontiers)+len(n.Ranks)+len(n.Visited)+len(n.Q)+len(n.P)+len(n.Holds)+len(n.Fails) > 0 || n.Early {
		return fmt.Errorf("%s: has an unfolding, and needs none", f.Formula)
	}
	if f.Op == ctl.And || f.Op == ctl.Or {
		if err := c.checkNode(n.Left, f.Left); err != nil {
			return err
		}
	} else if n.Left != nil {
		return fmt.Errorf("%s: has evidence about two formulas", f.Formula)
	}
	if err := c.checkNode(n.Right, f.Right); err != nil {
		return err
	}
	return n.Asked.each(func(s lts.State) error {
		v, err := c.step(f, s)
		if err != nil {
			return err
		}
		c.decide(about, s, v)
		return nil
	})
}

// step returns the result for a formula in a state, from the results for its operands.
func (c *checker) step(f ctl.Node, s lts.State) (verdict, error) {
	answer := func(holds bool, err error) (verdict, error) {
		if err != nil {
			return undecided, err
		}
		if holds {
			return good, nil
		}
		return bad, nil
	}
	switch f.Op {
	case ctl.Not:
		holds, err := c.known(f.Right, s)
		return answer(!holds, err)
	case ctl.Next:
		labels, targets := c.m.Out(s)
		for i, t := range targets {
			if !c.has(f.Labels, labels.At(i)) {
				continue
			}
			holds, err := c.known(f.Right, t)
			if err != nil || holds == (f.Path == ctl.Some) {
				return answer(holds, err)
			}
		}
		return answer(f.Path == ctl.All, nil)
	}
	holds, err := c.known(f.Left, s)
	if err != nil || holds == (f.Op == ctl.Or) {
		return answer(holds, err)
	}
	return answer(c.known(f.Right, s))
}
