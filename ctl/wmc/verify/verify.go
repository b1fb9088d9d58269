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
	"github.com/inev-lts/inev/internal/abort"
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
func Verify(ctx context.Context, m *lts.LTS, f *ctl.Formula, r io.Reader, o Options) (found *Result, err error) {
	defer abort.Caught(&err)
	data := abort.Must(io.ReadAll(r))
	switch schema := schemaOf(data); {
	case schema == fairSchema:
		var in fairFile
		decode(data, &in)
		in.concern(m, f)
		return verifyFair(ctx, m, f, &in, o), nil
	case schema != "" && schema != schemaName:
		fail("schema is %q; this version of inev knows %s", schema, schemaName)
	case schema == schemaName && len(o.Fair) > 0:
		return nil, &AssumptionError{}
	}
	var in file
	decode(data, &in)
	if in.Schema != schemaName {
		fail("schema is %q; this version of inev knows %s", in.Schema, schemaName)
	}
	in.concern(m, f)
	c := newChecker(ctx, m, f.Closure(), in.Internal, o)
	c.checkNode(in.Evidence, c.c.Root())
	return c.conclude(&in), nil
}

// decode reads a file of evidence, which must not contain anything else.
func decode(data []byte, into any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		inLine(data, d.InputOffset(), err)
	}
	if rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		inLine(data, d.InputOffset()+1, fmt.Errorf("found %q behind the evidence", rest[0]))
	}
}

// inLine fails with an error and the line of the file at offset.
func inLine(data []byte, offset int64, err error) {
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
	fail("line %d: %w", bytes.Count(data[:offset], []byte("\n"))+1, err)
}

// conclude checks the claim about the whole formula.
func (c *checker) conclude(in *file) *Result {
	in.lists(c.c)
	r := &Result{Internal: in.Internal, Nodes: c.nodes}
	for _, part := range []struct {
		states set
		good   bool
		into   *[]lts.State
	}{{in.Good, true, &r.Good}, {in.Bad, false, &r.Bad}} {
		part.states.within(c.m.NumStates(), "")
		for s := range part.states.each {
			*part.into = append(*part.into, s)
			c.claim(c.c.Root(), s, part.good)
		}
	}
	in.follow(r)
	return r
}

// fail ends the check with an error.
func fail(format string, args ...any) { abort.On(fmt.Errorf(format, args...)) }

// about does a check whose error begins with what it is about.
func about(what any, check func()) {
	if err := abort.Try(check); err != nil {
		fail("%v: %w", what, err)
	}
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

func verdictOf(holds bool) verdict {
	if holds {
		return good
	}
	return bad
}

func newChecker(ctx context.Context, m *lts.LTS, c *ctl.Closure, internal []string, o Options) *checker {
	var hidden []actl.Pattern
	for _, text := range internal {
		p, end, err := actl.Text(text).Atom(ctx, 0)
		if err == nil && end < len(text) {
			err = actl.Text(text).Unexpected(end, "end of the pattern")
		}
		if err != nil {
			fail("internal: %w", err)
		}
		hidden = append(hidden, p)
	}
	means, _, err := c.Bind(ctx, m.Alphabet(), hidden)
	abort.On(err)
	k := &checker{ctx: ctx, m: m, c: c, means: means, holds: o.Holds, decided: make([][]verdict, len(c.Nodes))}
	for i, n := range c.Nodes {
		if n.Op > ctl.Holds {
			k.decided[i] = make([]verdict, m.NumStates())
		}
	}
	k.part, k.rank = make([]uint8, m.NumStates()), make([]uint32, m.NumStates())
	return k
}

// has reports whether a label is in a set.
func (c *checker) has(l ctl.Labels, label lts.Label) bool {
	return l == ctl.AnyLabel || l >= 0 && c.means[l][label]
}

// verdict returns the result for a formula in a state.
func (c *checker) verdict(i ctl.Index, s lts.State) verdict {
	holds := false
	switch n := c.c.Nodes[i]; n.Op {
	case ctl.True:
		holds = true
	case ctl.False:
	case ctl.Deadlock:
		holds = c.m.IsDeadlock(s)
	case ctl.Holds:
		if c.holds == nil {
			fail("%s is a predicate of states, and the states of the model have none", n.Predicate)
		}
		holds = abort.Must(c.holds(n.Predicate, s))
	default:
		return c.decided[i][s]
	}
	return verdictOf(holds)
}

// known returns whether a formula holds in a state; it fails if the formula is undecided there.
func (c *checker) known(i ctl.Index, s lts.State) bool {
	v := c.verdict(i, s)
	if v == undecided {
		fail("%s in state %d: needed, and not decided", c.c.Nodes[i].Formula, s)
	}
	return v == good
}

// claim checks the claim that a formula holds in a state, or does not.
func (c *checker) claim(i ctl.Index, s lts.State, holds bool) {
	if c.known(i, s) != holds {
		c.wrong(i, s, holds)
	}
}

func (c *checker) wrong(i ctl.Index, s lts.State, holds bool) {
	not := ""
	if !holds {
		not = "not "
	}
	fail("%s in state %d: claimed %sto hold, which does not follow", c.c.Nodes[i].Formula, s, not)
}

// checkNode checks a node about a formula; a nil node has nothing to check.
func (c *checker) checkNode(n *node, about ctl.Index) {
	if n == nil {
		return
	}
	abort.On(c.ctx.Err())
	c.nodes++
	if n.Formula != int(about) || c.decided[about] == nil {
		fail("evidence about formula %d stands where that about %s should", n.Formula, c.c.Nodes[about].Formula)
	}
	for _, s := range []set{n.Asked, n.Good, n.Bad, n.Visited, n.Q, n.P, n.Holds, n.Fails} {
		s.within(c.m.NumStates(), c.c.Nodes[about].Formula.String()+": ")
	}
	// A state where the formula is decided must not be asked about again.
	for s := range n.Asked.each {
		if c.decided[about][s] != undecided {
			fail("%s in state %d: asked about, and decided before", c.c.Nodes[about].Formula, s)
		}
	}
	if c.c.Nodes[about].Op >= ctl.Until {
		c.checkUnfolding(n, about)
	} else {
		c.checkStep(n, about)
	}
	c.checkParts(n, about)
}

// checkParts checks that the good and bad states are exactly those asked about.
func (c *checker) checkParts(n *node, about ctl.Index) {
	asked := 0
	for range n.Asked.each {
		asked++
	}
	for _, part := range []struct {
		states set
		good   bool
	}{{n.Good, true}, {n.Bad, false}} {
		i := 0
		for s := range part.states.each {
			for i < len(n.Asked) && n.Asked[i][1] < s {
				i++
			}
			if i == len(n.Asked) || s < n.Asked[i][0] {
				fail("%s in state %d: answered, and not asked about", c.c.Nodes[about].Formula, s)
			}
			asked--
			c.claim(about, s, part.good)
		}
	}
	if asked != 0 {
		fail("%s: asked about states without an answer", c.c.Nodes[about].Formula)
	}
}

// checkStep checks a node without an unfolding.
func (c *checker) checkStep(n *node, about ctl.Index) {
	f := c.c.Nodes[about]
	if len(n.Frontiers)+len(n.Ranks)+len(n.Visited)+len(n.Q)+len(n.P)+len(n.Holds)+len(n.Fails) > 0 || n.Early {
		fail("%s: has an unfolding, and needs none", f.Formula)
	}
	if f.Op == ctl.And || f.Op == ctl.Or {
		c.checkNode(n.Left, f.Left)
	} else if n.Left != nil {
		fail("%s: has evidence about two formulas", f.Formula)
	}
	c.checkNode(n.Right, f.Right)
	for s := range n.Asked.each {
		c.decided[about][s] = verdictOf(c.step(f, s))
	}
}

// step reports whether a formula holds in a state, from the results for its operands.
func (c *checker) step(f ctl.Node, s lts.State) bool {
	switch f.Op {
	case ctl.Not:
		return !c.known(f.Right, s)
	case ctl.And:
		return c.known(f.Left, s) && c.known(f.Right, s)
	case ctl.Or:
		return c.known(f.Left, s) || c.known(f.Right, s)
	}
	labels, targets := c.m.Out(s)
	for i, t := range targets {
		if c.has(f.Labels, labels.At(i)) && c.known(f.Right, t) == (f.Path == ctl.Some) {
			return f.Path == ctl.Some
		}
	}
	return f.Path == ctl.All
}
