package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/lts"
)

// schemaName is the name and version of evidence of package wmc.
const schemaName = "inev.ctl/1"

// Result is what a valid file says.
type Result struct {
	// Good are the asked states that satisfy the formula, and Bad are those that violate it.
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
	Holds func(p syntax.Predicate, s lts.State) (bool, error)
	// Fair are the assumptions that runs must satisfy to count; all runs count if it is empty.
	Fair []*actl.Assumption
}

// Is reports whether a file begins like evidence, in any version of the format. It needs the first
// 200 bytes.
func Is(start []byte) bool {
	format, _, _ := strings.Cut(schemaName, "/")
	fair, _, _ := strings.Cut(fairSchema, "/")
	start = start[:min(len(start), 200)]
	return bytes.Contains(start, []byte(`"`+format+`/`)) ||
		bytes.Contains(start, []byte(`"`+fair+`/`))
}

// schemaOf returns the schema at the beginning of a file; "" if the file begins with something else. It
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
func Verify(
	ctx context.Context,
	m *lts.LTS,
	f *syntax.Formula,
	r io.Reader,
	o Options,
) (found *Result, err error) {
	defer abort.Caught(&err)
	data := abort.Must(io.ReadAll(r))
	schema := schemaOf(data)
	switch {
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
	var in evidenceFile
	decode(data, &in)
	if in.Schema != schemaName {
		fail("schema is %q; this version of inev knows %s", in.Schema, schemaName)
	}
	in.concern(m, f)
	c := newChecker(ctx, m, f.Closure(), in.Internal, o)
	c.checkNode(in.Evidence, c.closure.Root())
	found = in.result(m)
	found.Nodes = c.nodes
	c.conclude(&in.claims, found, func(s lts.State) bool {
		return c.mustHold(c.closure.Root(), s)
	})
	return found, nil
}

// decode reads a file of evidence, which must not contain anything else.
func decode(data []byte, into any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		inLine(data, d.InputOffset(), err)
	}
	rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n")
	if len(rest) > 0 {
		inLine(data, d.InputOffset()+1, fmt.Errorf("found %q behind the evidence", rest[0]))
	}
}

// inLine fails with an error that names the line of the file at an offset.
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

// fail ends the check with an error.
func fail(format string, args ...any) { abort.On(fmt.Errorf(format, args...)) }

// failingWith runs a check. If the check fails, the error begins with what.
func failingWith(what any, check func()) {
	if err := abort.Try(check); err != nil {
		fail("%v: %w", what, err)
	}
}

// checker has the results for each formula and state: good, bad or undecided.
type checker struct {
	ctx     context.Context
	m       *lts.LTS
	closure *syntax.Closure
	means   [][]bool
	holds   func(p syntax.Predicate, s lts.State) (bool, error)
	decided [][]verdict // by formula, then by state; nil for constants
	nodes   int
	// These fields are about the unfolding that is being checked, by state. Between two unfoldings they
	// are 0.
	claims     []uint8
	rank       []uint32
	metDecided []lts.State // states on frontiers that were decided before
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

// newChecker returns a checker without results. internal are the patterns of hidden labels.
func newChecker(
	ctx context.Context,
	m *lts.LTS,
	c *syntax.Closure,
	internal []string,
	o Options,
) *checker {
	means, _, err := c.Bind(ctx, m.Alphabet(), parsePatterns(ctx, internal))
	abort.On(err)
	k := &checker{
		ctx:     ctx,
		m:       m,
		closure: c,
		means:   means,
		holds:   o.Holds,
		decided: make([][]verdict, len(c.Nodes)),
	}
	for i, n := range c.Nodes {
		if n.Op > syntax.Holds {
			k.decided[i] = make([]verdict, m.NumStates())
		}
	}
	k.claims = make([]uint8, m.NumStates())
	k.rank = make([]uint32, m.NumStates())
	return k
}

// parsePatterns parses patterns of labels.
func parsePatterns(ctx context.Context, texts []string) (patterns []actl.Pattern) {
	for _, text := range texts {
		p, end, err := actl.Text(text).Atom(ctx, 0)
		if err == nil && end < len(text) {
			err = actl.Text(text).Unexpected(end, "end of the pattern")
		}
		if err != nil {
			fail("internal: %w", err)
		}
		patterns = append(patterns, p)
	}
	return patterns
}

// matches reports whether a label is in a set.
func (c *checker) matches(l syntax.Labels, label lts.Label) bool {
	return l == syntax.AnyLabel || l >= 0 && c.means[l][label]
}

// verdict returns the result for a formula in a state.
func (c *checker) verdict(i syntax.Index, s lts.State) verdict {
	holds := false
	n := c.closure.Nodes[i]
	switch n.Op {
	case syntax.True:
		holds = true
	case syntax.False:
	case syntax.Deadlock:
		holds = c.m.IsDeadlock(s)
	case syntax.Holds:
		if c.holds == nil {
			fail("%s is a predicate of states, and the states of the model have none",
				n.Predicate)
		}
		holds = abort.Must(c.holds(n.Predicate, s))
	default:
		return c.decided[i][s]
	}
	return verdictOf(holds)
}

// mustHold reports whether a formula holds in a state. It fails if the formula is undecided there.
func (c *checker) mustHold(i syntax.Index, s lts.State) bool {
	v := c.verdict(i, s)
	if v == undecided {
		fail("%s in state %d: needed, and not decided", c.closure.Nodes[i].Formula, s)
	}
	return v == good
}

// refuseClaim fails because the claim that a formula holds, or does not hold, in a state does not
// follow from its operands.
func (c *checker) refuseClaim(i syntax.Index, s lts.State, holds bool) {
	not := ""
	if !holds {
		not = "not "
	}
	fail("%s in state %d: claimed %sto hold, which does not follow", c.closure.Nodes[i].Formula, s,
		not)
}

// checkNode checks a node about a formula. A nil node needs no check.
func (c *checker) checkNode(n *node, index syntax.Index) {
	if n == nil {
		return
	}
	abort.On(c.ctx.Err())
	c.nodes++
	if n.Formula != int(index) || c.decided[index] == nil {
		fail("evidence about formula %d stands where that about %s should", n.Formula,
			c.closure.Nodes[index].Formula)
	}
	for _, s := range []set{n.Asked, n.Good, n.Bad, n.Visited, n.Q, n.P, n.Holds, n.Fails} {
		s.within(c.m.NumStates(), c.closure.Nodes[index].Formula.String()+": ")
	}
	// A state where the formula is decided must not be asked about again.
	for s := range n.Asked.each {
		if c.decided[index][s] != undecided {
			fail("%s in state %d: asked about, and decided before", c.closure.Nodes[index].Formula, s)
		}
	}
	if c.closure.Nodes[index].Op >= syntax.Until {
		c.checkUnfolding(n, index)
	} else {
		c.checkStep(n, index)
	}
	// The good and bad states must be exactly those asked about.
	c.checkAnswers(n, index, n.Good, good)
	c.checkAnswers(n, index, n.Bad, bad)
	if n.Good.size()+n.Bad.size() != n.Asked.size() {
		fail("%s: asked about states without an answer", c.closure.Nodes[index].Formula)
	}
}

// checkStep checks a node about a formula that follows from its operands in one step, and adds its
// results.
func (c *checker) checkStep(n *node, index syntax.Index) {
	f := c.closure.Nodes[index]
	if n.hasUnfolding() {
		fail("%s: has an unfolding, and needs none", f.Formula)
	}
	if f.Op == syntax.And || f.Op == syntax.Or {
		c.checkNode(n.Left, f.Left)
	} else if n.Left != nil {
		fail("%s: has evidence about two formulas", f.Formula)
	}
	c.checkNode(n.Right, f.Right)
	for s := range n.Asked.each {
		c.decided[index][s] = verdictOf(c.evaluate(f, s))
	}
}

// checkAnswers checks that some states were asked about, and that they have the verdict that the node
// claims.
func (c *checker) checkAnswers(n *node, index syntax.Index, states set, claimed verdict) {
	asked := n.Asked // without the intervals before the present state
	for s := range states.each {
		for len(asked) > 0 && asked[0][1] < s {
			asked = asked[1:]
		}
		if len(asked) == 0 || s < asked[0][0] {
			fail("%s in state %d: answered, and not asked about", c.closure.Nodes[index].Formula, s)
		}
		if verdictOf(c.mustHold(index, s)) != claimed {
			c.refuseClaim(index, s, claimed == good)
		}
	}
}

// evaluate reports whether a formula holds in a state, given the results for its operands. An EX
// formula holds if its operand holds after some transition with its labels. An AX formula holds unless
// its operand fails after such a transition.
func (c *checker) evaluate(f syntax.Node, s lts.State) bool {
	switch f.Op {
	case syntax.Not:
		return !c.mustHold(f.Right, s)
	case syntax.And:
		return c.mustHold(f.Left, s) && c.mustHold(f.Right, s)
	case syntax.Or:
		return c.mustHold(f.Left, s) || c.mustHold(f.Right, s)
	}
	isSome := f.Path == syntax.Some
	for l, t := range c.m.From(s) {
		isDecided := c.matches(f.Labels, l) && c.mustHold(f.Right, t) == isSome
		if isDecided {
			return isSome
		}
	}
	return f.Path == syntax.All
}

// claims has the members that all evidence files share.
type claims struct {
	Schema string `json:"schema"`
	Model  struct {
		Initial     int64 `json:"initial"`
		States      int64 `json:"states"`
		Transitions int64 `json:"transitions"`
		Begins      int64 `json:"initial_states"`
	} `json:"model"`
	Formula  string   `json:"formula"`
	Formulas []string `json:"formulas"`
	Internal []string `json:"internal"`
	Holds    *bool    `json:"holds"`
	Good     set      `json:"good"`
	Bad      set      `json:"bad"`
}

// concern fails if the evidence is about another model or formula.
func (c *claims) concern(m *lts.LTS, f *syntax.Formula) {
	states, transitions, begins := m.Total()
	for _, size := range []struct {
		name       string
		made, here int64
	}{
		{"initial state", c.Model.Initial, int64(m.Initial())},
		{"number of states", c.Model.States, int64(states)},
		{"number of transitions", c.Model.Transitions, int64(transitions)},
		{"number of initial states", c.Model.Begins, int64(begins)},
	} {
		if size.made != size.here {
			fail("made for another model: its %s is %d, here it is %d", size.name, size.made, size.here)
		}
	}
	if c.Formula != f.String() {
		fail("made for another formula, %s", c.Formula)
	}
}

// result returns the states that the evidence is about.
func (c *claims) result(m *lts.LTS) *Result {
	c.Good.within(m.NumStates(), "")
	c.Bad.within(m.NumStates(), "")
	return &Result{
		Good:     slices.Collect(c.Good.each),
		Bad:      slices.Collect(c.Bad.each),
		Internal: c.Internal,
	}
}

// conclude checks that the formulas of the file are those of the closure, in its order. It also
// checks that the claim about the whole formula follows from the sets of states in which the
// formula holds and fails.
func (c *checker) conclude(in *claims, r *Result, holds func(s lts.State) bool) {
	for i, n := range c.closure.Nodes {
		if i >= len(in.Formulas) || in.Formulas[i] != n.Formula.String() {
			fail("formula %d is not listed as %s", i, n.Formula)
		}
	}
	if len(in.Formulas) != len(c.closure.Nodes) {
		fail("more formulas are listed than there are")
	}
	for i, s := range slices.Concat(r.Good, r.Bad) {
		good := i < len(r.Good)
		if holds(s) != good {
			c.refuseClaim(c.closure.Root(), s, good)
		}
	}
	switch {
	case len(r.Good)+len(r.Bad) == 0:
		fail("nothing is claimed of any state")
	case in.Holds == nil || *in.Holds != (len(r.Bad) == 0):
		fail("holds is not what follows from %d good states and %d bad ones", len(r.Good),
			len(r.Bad))
	}
}

// set is a set of states, stored as the fewest ascending intervals, so that it takes no more memory
// than its text.
type set [][2]lts.State

var errSet = errors.New("a set of states is a list of ascending numbers and of pairs of them")

// UnmarshalJSON reads numbers and pairs.
func (s *set) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return errSet
	}
	*s = make(set, 0, len(parts))
	for _, part := range parts {
		interval, err := parseInterval(part)
		if err != nil {
			return err
		}
		if len(*s) == 0 {
			*s = append(*s, interval)
			continue
		}
		last := &(*s)[len(*s)-1]
		switch {
		case interval[0] <= last[1]:
			return errSet
		case interval[0] == last[1]+1:
			last[1] = interval[1]
		default:
			*s = append(*s, interval)
		}
	}
	return nil
}

// parseInterval reads a number, or a pair of the first and the last number of an interval.
func parseInterval(text json.RawMessage) (interval [2]lts.State, err error) {
	if text[0] == '[' {
		var pair []lts.State
		err := json.Unmarshal(text, &pair)
		if err != nil || len(pair) != 2 || pair[0] >= pair[1] {
			return interval, errSet
		}
		return [2]lts.State(pair), nil
	}
	var number lts.State
	isNull := text[0] == 'n'
	if err := json.Unmarshal(text, &number); err != nil || isNull {
		return interval, errSet
	}
	return [2]lts.State{number, number}, nil
}

// each yields the states.
func (s set) each(yield func(lts.State) bool) {
	for _, row := range s {
		for state := row[0]; ; state++ {
			if !yield(state) {
				return
			}
			if state == row[1] {
				break
			}
		}
	}
}

func (s set) size() (n int) {
	for _, row := range s {
		n += int(row[1]-row[0]) + 1
	}
	return n
}

// within fails if the set has a number that is not less than the number of states of the model. The
// error begins with the prefix.
func (s set) within(states int, prefix string) {
	n := len(s)
	if n > 0 && int64(s[n-1][1]) >= int64(states) {
		fail("%snames state %d, but the model has %d states", prefix, s[n-1][1], states)
	}
}

// node is a node of the evidence in a file.
type node struct {
	Formula   int        `json:"formula"`
	Asked     set        `json:"asked"`
	Good      set        `json:"good"`
	Bad       set        `json:"bad"`
	Left      *node      `json:"left"`
	Right     *node      `json:"right"`
	Early     bool       `json:"early"`
	Visited   set        `json:"visited"`
	Q         set        `json:"q"`
	P         set        `json:"p"`
	Holds     set        `json:"holds"`
	Fails     set        `json:"fails"`
	Ranks     []set      `json:"ranks"`
	Frontiers []frontier `json:"frontiers"`
}

// hasUnfolding reports whether a node has a member that only an unfolding has.
func (n *node) hasUnfolding() bool {
	for _, s := range []set{n.Visited, n.Q, n.P, n.Holds, n.Fails} {
		if len(s) > 0 {
			return true
		}
	}
	return n.Early || len(n.Ranks) > 0 || len(n.Frontiers) > 0
}

type frontier struct {
	Reached set   `json:"reached"`
	Left    *node `json:"left"`
	Right   *node `json:"right"`
}

// evidenceFile is the content of a file.
type evidenceFile struct {
	claims
	Evidence *node `json:"evidence"`
}

// The possible claims about a visited state of an unfolding.
const (
	visited uint8 = 1 << iota
	inQ
	inP
	holding
	failing
	ranked
	met // an earlier frontier has the state
)

// checkUnfolding checks a node about an Until or a Release, and adds its results.
func (c *checker) checkUnfolding(n *node, index syntax.Index) {
	u := &unfolding{
		checker: c,
		node:    n,
		index:   index,
		formula: c.closure.Nodes[index],
	}
	if n.Left != nil || n.Right != nil {
		u.refuse("has evidence of one step")
	}
	u.checkOperands()
	u.markClaims()
	u.checkFrontiers()
	for s := range n.Visited.each {
		c.checkState(n, index, s)
	}
	for s := range n.Holds.each {
		c.decided[index][s] = good
	}
	for s := range n.Fails.each {
		c.decided[index][s] = bad
	}
	u.clear()
}

// unfolding is a node about an Until or a Release that is being checked.
type unfolding struct {
	*checker
	node    *node
	index   syntax.Index
	formula syntax.Node
	// unreached counts the visited states that no frontier has reached yet.
	unreached int
}

// refuse fails with an error about the formula.
func (u *unfolding) refuse(format string, args ...any) {
	fail("%s: %s", u.formula.Formula, fmt.Sprintf(format, args...))
}

// checkOperands checks the evidence about the operands, frontier by frontier. For a formula with a
// condition on the last transition, wmc evaluates the operands in the opposite order.
func (u *unfolding) checkOperands() {
	for _, frontier := range u.node.Frontiers {
		frontier.Reached.within(u.m.NumStates(), u.formula.Formula.String()+": ")
		if u.formula.Last == syntax.NoLast {
			u.checkNode(frontier.Right, u.formula.Right)
			u.checkNode(frontier.Left, u.formula.Left)
		} else {
			u.checkNode(frontier.Left, u.formula.Left)
			u.checkNode(frontier.Right, u.formula.Right)
		}
	}
}

// markClaims marks the claims about each visited state.
func (u *unfolding) markClaims() {
	n := u.node
	for s := range n.Visited.each {
		if u.decided[u.index][s] != undecided {
			u.refuse("visited state %d, where it was decided before", s)
		}
		u.claims[s] = visited
	}
	u.mark(n.Q, inQ)
	u.mark(n.P, inP)
	u.mark(n.Holds, holding)
	u.mark(n.Fails, failing)
	for r, states := range n.Ranks {
		states.within(u.m.NumStates(), u.formula.Formula.String()+": ")
		u.mark(states, ranked)
		for s := range states.each {
			u.rank[s] = uint32(r)
		}
	}
}

// mark marks a claim about visited states.
func (u *unfolding) mark(states set, claim uint8) {
	for s := range states.each {
		if u.claims[s]&visited == 0 {
			u.refuse("state %d is judged, and was not visited", s)
		}
		// A set never has a state twice. So the state was in an earlier set, of another rank.
		if u.claims[s]&claim != 0 {
			u.refuse("state %d has two ranks", s)
		}
		u.claims[s] |= claim
	}
}

// clear removes all marks.
func (u *unfolding) clear() {
	for _, s := range u.metDecided {
		u.claims[s] = 0
	}
	u.metDecided = u.metDecided[:0]
	for s := range u.node.Visited.each {
		u.claims[s] = 0
		u.rank[s] = 0
	}
}

// checkFrontiers checks that the visited states are those that the frontiers reach.
func (u *unfolding) checkFrontiers() {
	n := u.node
	u.unreached = n.Visited.size()
	if len(n.Frontiers) == 0 || !slices.Equal(n.Frontiers[0].Reached, n.Asked) {
		u.refuse("the first frontier is not what was asked about")
	}
	for i, frontier := range n.Frontiers {
		onward := u.enterFrontier(frontier.Reached)
		isLast := i+1 == len(n.Frontiers)
		if isLast && n.Early {
			if len(onward) == 0 {
				u.refuse("ended early, and has no states to go on from")
			}
			break
		}
		var next set
		if !isLast {
			next = n.Frontiers[i+1].Reached
		}
		u.checkNext(onward, next)
	}
	if u.unreached > 0 {
		u.refuse("visited states that no frontier reaches")
	}
}

// enterFrontier enters the states of a frontier. It returns those states of P that are in no earlier frontier.
func (u *unfolding) enterFrontier(frontier set) (onward []lts.State) {
	for s := range frontier.each {
		claims := u.claims[s]
		isOnEarlierFrontier := claims&met != 0
		isDecidedBefore := u.decided[u.index][s] != undecided // such states are not visited: nothing is claimed about them
		switch {
		case isOnEarlierFrontier:
			continue
		case isDecidedBefore:
			u.claims[s] = met
			u.metDecided = append(u.metDecided, s)
		case claims&visited == 0:
			u.refuse("state %d is on a frontier, and was not visited", s)
		default:
			u.claims[s] |= met
			u.unreached--
			if claims&inP != 0 {
				onward = append(onward, s)
			}
		}
	}
	return onward
}

// checkNext checks that the next frontier has exactly the targets of transitions from some states.
func (u *unfolding) checkNext(onward []lts.State, next set) {
	missing := map[lts.State]bool{}
	for _, s := range onward {
		for l, t := range u.m.From(s) {
			if u.matches(u.formula.Labels, l) {
				missing[t] = true
			}
		}
	}
	for s := range next.each {
		if !missing[s] {
			u.refuse("state %d is on a frontier, and nothing leads there", s)
		}
		delete(missing, s)
	}
	if len(missing) > 0 {
		u.refuse("a frontier does not have all states that transitions lead to")
	}
}

// checkState checks the claims about a visited state: that it is in Q, in P or in neither, as the
// operands demand; that it holds or fails, as far as that is known; and its rank. A state has a rank
// iff it is claimed to satisfy an Until or to violate a Release. The rank is 0 outside P.
func (c *checker) checkState(n *node, index syntax.Index, s lts.State) {
	f := c.closure.Nodes[index]
	part := c.partOf(f, s)
	if c.claims[s]&(inQ|inP) != part {
		fail("%s in state %d: Q or P is not what follows from its operands", f.Formula, s)
	}
	c.checkVerdict(n, index, s)
	verdicts := c.claims[s] & (holding | failing)
	isRelease := f.Op == syntax.Release
	needsRank := verdicts == holding
	if isRelease {
		needsRank = verdicts == failing
	}
	hasRank := c.claims[s]&ranked != 0
	if needsRank != hasRank {
		fail("%s in state %d: has a rank that it does not need, or lacks one", f.Formula, s)
	}
	if part != inP && hasRank && c.rank[s] != 0 {
		fail("%s in state %d: decided by itself, and has rank %d", f.Formula, s, c.rank[s])
	}
	if part != inP || verdicts == 0 {
		return
	}
	// A rank follows from one successor for a claim about some run, and otherwise from all successors.
	bySome := (f.Path == syntax.Some) != isRelease
	if hasRank {
		c.checkRank(index, s, bySome)
		return
	}
	// The opposite claim has no rank, so it is the other way round.
	mayLackRank := c.someAllowsUnranked
	if bySome {
		mayLackRank = c.allAllowUnranked
	}
	if !mayLackRank(f, index, s) {
		c.refuseClaim(index, s, isRelease)
	}
}

// checkVerdict checks that a visited state is claimed to hold or to fail if that is known, and is not
// claimed to do both.
func (c *checker) checkVerdict(n *node, index syntax.Index, s lts.State) {
	f := c.closure.Nodes[index]
	part := c.claims[s] & (inQ | inP)
	holds := c.claims[s]&holding != 0
	fails := c.claims[s]&failing != 0
	isClaimed := holds || fails
	dependsOnRest := n.Early && part == inP // on states that the unfolding has not visited
	isFoundEarly := holds == (f.Path == syntax.Some)
	switch {
	case holds && fails:
		fail("%s in state %d: claimed both to hold and not to hold", f.Formula, s)
	case part == inQ && fails, part == 0 && holds:
		c.refuseClaim(index, s, holds)
	case !isClaimed && !dependsOnRest:
		fail("%s in state %d: decided, but nothing is claimed", f.Formula, s)
	case !isClaimed && c.needsClaim(f, index, s):
		fail("%s in state %d: decided by a successor, but nothing is claimed", f.Formula, s)
	case dependsOnRest && isClaimed && !isFoundEarly:
		fail("%s in state %d: cannot be decided by an unfolding that ended early", f.Formula, s)
	}
}

// checkRank checks the rank of a state of P: by one of its successors if bySome is set, otherwise by
// all of them. By induction on the rank, a state with a rank satisfies an Until, or violates a Release.
func (c *checker) checkRank(index syntax.Index, s lts.State, bySome bool) {
	f := c.closure.Nodes[index]
	rank, ok := c.rankOf(f, index, s, bySome)
	if !ok {
		c.refuseClaim(index, s, f.Op == syntax.Until)
	}
	if c.rank[s] != rank {
		fail("%s in state %d: rank %d, where %d follows", f.Formula, s, c.rank[s], rank)
	}
}

// partOf returns inQ, inP or 0 for a state, according to the results for the operands.
func (c *checker) partOf(f syntax.Node, s lts.State) uint8 {
	if f.Last != syntax.NoLast {
		return c.partByLast(f, s)
	}
	right := c.mustHold(f.Right, s)
	switch {
	case right && f.Op == syntax.Until:
		return inQ
	case !right && f.Op == syntax.Release:
		return 0
	}
	left := c.mustHold(f.Left, s)
	switch {
	case !left && f.Op == syntax.Until:
		return 0
	case left && f.Op == syntax.Release:
		return inQ
	}
	return inP
}

// partByLast is partOf for an operator with labels of its last transition. A state of Q has some such
// transition (for E), or only such transitions (for A).
func (c *checker) partByLast(f syntax.Node, s lts.State) uint8 {
	if !c.mustHold(f.Left, s) {
		return 0
	}
	labels, targets := c.m.Out(s)
	numLast := 0
	for i, t := range targets {
		if c.matches(f.Last, labels.At(i)) && c.mustHold(f.Right, t) {
			numLast++
		}
	}
	mayEndHere := numLast > 0 && f.Path == syntax.Some
	mustEndHere := numLast > 0 && numLast == len(targets)
	if mayEndHere || mustEndHere {
		return inQ
	}
	return inP
}

// isLast reports whether a transition is a last one: its label matches Last, and the right operand
// holds in its target.
func (c *checker) isLast(f syntax.Node, label lts.Label, to lts.State) bool {
	return f.Last != syntax.NoLast && c.matches(f.Last, label) && c.verdict(f.Right, to) == good
}

// verdictOrClaim returns the earlier result for a state or, if there is none, the claim about it. It also
// returns the rank of the state, if it has one.
func (c *checker) verdictOrClaim(index syntax.Index, s lts.State) (verdict, uint32) {
	v := c.decided[index][s]
	if v != undecided {
		return v, 0
	}
	switch {
	case c.claims[s]&holding != 0:
		return good, c.rank[s]
	case c.claims[s]&failing != 0:
		return bad, c.rank[s]
	}
	return undecided, 0
}

// rankOf returns the rank that a state of P must have. By some successor, it is the least rank of a
// successor plus one, and ok is false if no successor has a rank. By all successors, it is the greatest
// rank plus one, and ok is false if some successor has none, or there is no successor.
func (c *checker) rankOf(
	f syntax.Node,
	index syntax.Index,
	s lts.State,
	bySome bool,
) (rank uint32, ok bool) {
	ranks, allRanked := c.successorRanks(f, index, s)
	switch {
	case len(ranks) == 0:
		return 0, false
	case bySome:
		return slices.Min(ranks) + 1, true
	}
	return slices.Max(ranks) + 1, allRanked
}

// successorRanks returns the ranks of those successors of a state of P that satisfy an Until, or violate a
// Release. all is false if there are other successors. The targets of last transitions do not count.
func (c *checker) successorRanks(
	f syntax.Node,
	index syntax.Index,
	s lts.State,
) (ranks []uint32, all bool) {
	ranked := good
	if f.Op == syntax.Release {
		ranked = bad
	}
	all = true
	for label, t := range c.m.From(s) {
		if c.isLast(f, label, t) {
			continue
		}
		v := undecided
		rank := uint32(0)
		if c.matches(f.Labels, label) {
			v, rank = c.verdictOrClaim(index, t)
		}
		if v == ranked {
			ranks = append(ranks, rank)
		} else {
			all = false
		}
	}
	return ranks, all
}

// needsClaim reports whether a state of P without a claim needs one, in an unfolding that ended early. For
// E, one successor that satisfies the formula is enough, and for A one that violates it. A deadlock is
// enough for E of a Release and for A of an Until.
func (c *checker) needsClaim(f syntax.Node, index syntax.Index, s lts.State) bool {
	want := good
	if f.Path == syntax.All {
		want = bad
	}
	labels, targets := c.m.Out(s)
	for i, t := range targets {
		if c.claims[t] != 0 && c.matches(f.Labels, labels.At(i)) {
			v, _ := c.verdictOrClaim(index, t)
			if v == want {
				return true
			}
		}
	}
	return len(targets) == 0 && (f.Op == syntax.Until) == (f.Path == syntax.All)
}

// allAllowUnranked reports whether all successors of a state of P allow a claim without a rank: to violate an
// Until, or to satisfy a Release. A state without successors allows it.
func (c *checker) allAllowUnranked(f syntax.Node, index syntax.Index, s lts.State) bool {
	labels, targets := c.m.Out(s)
	for i, t := range targets {
		if c.matches(f.Labels, labels.At(i)) && !c.isClaimedUnranked(f, index, t) {
			return false
		}
	}
	return true
}

// someAllowsUnranked reports whether one successor of a state of P allows a claim without a rank: to violate
// an Until, or to satisfy a Release. A state without successors allows it.
func (c *checker) someAllowsUnranked(f syntax.Node, index syntax.Index, s lts.State) bool {
	labels, targets := c.m.Out(s)
	for i, t := range targets {
		isInner := c.matches(f.Labels, labels.At(i))
		isRefused := isInner && !c.isClaimedUnranked(f, index, t)
		if !isRefused && !c.isLast(f, labels.At(i), t) {
			return true
		}
	}
	return len(targets) == 0
}

// isClaimedUnranked reports whether a state has the verdict that needs no rank.
func (c *checker) isClaimedUnranked(f syntax.Node, index syntax.Index, s lts.State) bool {
	unranked := bad
	if f.Op == syntax.Release {
		unranked = good
	}
	v, _ := c.verdictOrClaim(index, s)
	return v == unranked
}
