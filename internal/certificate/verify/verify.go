package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Schema names the version of the format.
const Schema = "inev.certificate/1"

// Result is the content of a valid certificate.
type Result struct {
	// Violated reports whether some maximal trace violates the property.
	Violated bool
	// States and Transitions are the numbers of reachable states and transitions.
	States, Transitions int
	// Shortest reports whether the certificate proves that no violating run is shorter than the
	// counterexample.
	Shortest bool
}

// Digest returns the SHA-256 that binds a certificate to its model, in hexadecimal digits: the hash
// of the text that [aut.Write] writes. It fails if a label has a line feed, for which there is no
// such text. Cost O(length of the text) time.
func Digest(m *lts.LTS) (string, error) {
	h := sha256.New()
	if _, err := aut.Write(h, m); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Verify checks that the certificate in r is for the model m and the formula f, on the runs that
// meet all of the assumptions (none: on all runs), and that all its claims are true. The error is
// one line about the first mistake: the state, the transition, the line of the file. It is the
// error of ctx if ctx is done, the error of r if reading fails, and an [*AssumptionError] if the
// certificate is for other assumptions.
//
// Cost O(n (S + T)) time for S states, T transitions and n steps: one pass over the file, which has
// up to 3n + 7 numbers a state, and four over the model. Memory: 4 bytes for each such number and
// as much again for those of mp, 30 bytes a state, and one a transition; it does not depend on what
// the file claims. Under assumptions with k strong tasks: at most O(n (k+1) (S + T)) time, as sets
// are nested at most k deep, with up to n + 4 more numbers a state and 40 bytes more; a set within
// no other one adds nothing.
func Verify(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	fair []*actl.Assumption,
	r io.Reader,
) (_ *Result, err error) {
	defer abort.Caught(&err)
	happening, err := m.Happening(ctx)
	if err != nil {
		return nil, err
	}
	bound, _, err := f.Bind(ctx, happening)
	if err != nil {
		return nil, err
	}
	p, ok := bound.Chain()
	if !ok {
		return verifyTable(ctx, m, f, bound, fair, newScanner(r))
	}
	c := newChecker(ctx, m, fair, newScanner(r))
	size := m.NumStates()
	numbers := func() []uint16 { return make([]uint16, size) }
	lists := func() rows { return rows{start: make([]int, size+1)} }
	c.chain = p
	c.numSteps = p.Len()
	c.mp = numbers()
	c.cp = numbers()
	c.ms = numbers()
	c.cs = numbers()
	c.first = lists()
	c.next = lists()
	c.due = lists()
	c.least = make([]uint32, size)
	return c.run([]func(){
		func() { c.readHead(f) },
		c.readStates,
		c.readSets,
		c.checkPrefixes,
		c.checkSuffixes,
		c.checkFairness,
		c.checkVerdict,
		c.checkClasses,
		c.checkNeighbourhoods,
		c.checkCounterexample,
		c.checkShortest,
		c.finish,
	})
}

// run calls functions in their order; each reads and checks one part of the certificate.
func (c *checker) run(parts []func()) (*Result, error) {
	for _, part := range parts {
		abort.On(c.ctx.Err())
		part()
	}
	return &Result{
		Violated: c.violated,
		States:   c.states,
		Transitions: c.counts[correct] + c.counts[incorrect] + c.counts[neutral] +
			c.counts[excluded],
		Shortest: c.shortest,
	}, nil
}

// fail ends the check with an error.
func fail(format string, args ...any) { abort.On(fmt.Errorf(format, args...)) }

// prefixErrors runs a check. It puts the formatted text before an error of the check, unless the scanner has
// failed.
func (c *checker) prefixErrors(check func(), format string, args ...any) {
	err := abort.Try(check)
	if err != nil && c.in.err == nil {
		err = fmt.Errorf("%s%w", fmt.Sprintf(format, args...), err)
	}
	abort.On(err)
}

// checker has the claims about states, by the number of the state. The entries of states that the
// certificate does not list are undefined.
type checker struct {
	ctx      context.Context
	in       *scanner
	model    *lts.LTS
	chain    *property.Chain
	numSteps int

	listed         []bool
	states         int
	mp, cp, ms, cs []uint16
	// first[s] has an entry for each progress from 0 to mp(s); next[s] and
	// due[s] have one for each suffix from 1 to ms(s) and cs(s).
	first, next, due rows
	least            []uint32
	// classes has the class of each transition, by its row index.
	classes []class

	violated        bool
	usesSomeReading bool
	claimedCounts   [4]uint32

	counts [4]int
	kinds  []uint8 // by state: index into kindNames, 0 for none

	// length is the length of the counterexample; shortest reports whether there is evidence that
	// none is shorter.
	length   uint32
	shortest bool

	// table has the claims for a property that is no chain, else it is nil. With a table, chain, numSteps
	// and all claims about steps are unused.
	table *tableChecker

	// assumptions are those under which runs count, and fair is their fairness; nil if all runs
	// count.
	assumptions []*actl.Assumption
	fair        *property.Fairness
	// The slices below have the evidence about the runs that count; they are nil or empty if all
	// runs count. notAdmitted[s] reports that s is not admitted: no run that counts continues it.
	// notAdmitted is nil if no label is rare.
	notAdmitted []bool
	// home[s] is the root of the set of s where a fair run can stay, none if there is no such
	// set. from and back are the distances from and to the root. For settle see the package
	// comment.
	settle, home, from, back []uint32
	// within[s] has, for each number in due[s], the number (from 1) of the set from where s was
	// removed; 0, or an empty row, for no set. Under full fairness there are no rows.
	within rows
	sets   []set
}

// rows has a list of numbers for each state.
type rows struct {
	start  []int // where the list of each state starts, and the previous list ends
	values []uint32
}

func (r *rows) rowOf(s lts.State) []uint32 { return r.values[r.start[s]:r.start[int(s)+1]] }

// newChecker returns a checker for the parts that all certificates have.
func newChecker(
	ctx context.Context,
	m *lts.LTS,
	fair []*actl.Assumption,
	in *scanner,
) *checker {
	return &checker{
		ctx:         ctx,
		in:          in,
		model:       m,
		assumptions: fair,
		listed:      make([]bool, m.NumStates()),
		classes:     make([]class, m.NumTransitions()),
		kinds:       make([]uint8, m.NumStates()),
	}
}

// longest is the largest length; none means that there is no length.
const (
	longest = math.MaxUint32 - 1
	none    = math.MaxUint32
)

var errOtherModel = errors.New("made for another model")

// readHead reads the model, property and assumptions of the certificate, and its claims about the
// whole model.
func (c *checker) readHead(f property.Formula) {
	in := c.in
	in.open('{')
	in.member("schema")
	found := in.text(64)
	if found != Schema {
		fail("schema is %q; this version of inev knows %s", found, Schema)
	}
	in.member("model")
	c.readModel()
	in.member("property")
	text := f.String()
	if found := in.text(max(1<<12, len(text))); found != text {
		fail("made for another property, %s", found)
	}
	c.readFairness()
	c.violated = in.word("satisfied", "violated") == 1
	in.member("classes")
	in.open('{')
	for i, name := range c.classNames() {
		in.member(name)
		c.claimedCounts[i] = in.number(longest)
	}
	in.end('}')
	in.member("neighbourhood_reading")
	c.usesSomeReading = in.word("all", "some") == 1
}

// readModel reads which model the certificate is for.
func (c *checker) readModel() {
	c.in.open('{')
	c.readSize("initial", int(c.model.Initial()))
	c.readSize("states", c.model.NumStates())
	c.readSize("transitions", c.model.NumTransitions())
	c.in.member("sha256")
	digest := c.in.text(2 * sha256.Size)
	c.in.end('}')
	want := abort.Must(Digest(c.model))
	if digest != want {
		fail("%w: its transitions have the sha256 %s, which is not that of the transitions here", errOtherModel, digest)
	}
}

// readSize reads a number about the model, which must be want.
func (c *checker) readSize(name string, want int) {
	c.in.member(name)
	found := c.in.number(math.MaxUint32)
	if int(found) != want {
		fail("%w: %s is %d there, %d here", errOtherModel, name, found, want)
	}
}

// checkVerdict checks the verdict. It relies on the suffixes.
func (c *checker) checkVerdict() {
	if !c.admits(c.model.Initial()) {
		fail("verdict: there is none, for no run from the initial state %d is admitted",
			c.model.Initial())
	}
	holds := int(c.cs[c.model.Initial()]) == c.numSteps
	if holds == c.violated {
		claim := "satisfied"
		if c.violated {
			claim = "violated"
		}
		fail("verdict is %s, but cs of the initial state %d is %d of %d steps", claim,
			c.model.Initial(), c.cs[c.model.Initial()], c.numSteps)
	}
}

// finish reads the end of the file.
func (c *checker) finish() {
	c.in.end('}')
	c.in.finish()
}

// eachState calls do for every listed state in ascending order, until one call fails or the context is
// done.
func (c *checker) eachState(do func(s lts.State)) {
	for i, listed := range c.listed {
		if i%16384 == 0 {
			abort.On(c.ctx.Err())
		}
		if listed {
			do(lts.State(i))
		}
	}
}

// transition returns the text of a transition in errors.
func (c *checker) transition(from lts.State, l lts.Label, to lts.State) string {
	return fmt.Sprintf("%d -%s-> %d", from, c.model.Alphabet().Text(l), to)
}

// readStates reads the claims about each reachable state, with their evidence.
func (c *checker) readStates() {
	c.in.member("states")
	c.in.open('[')
	after := 0 // the smallest state that may come next
	for c.in.more() {
		if c.states%16384 == 0 {
			abort.On(c.ctx.Err())
		}
		c.in.open('{')
		c.in.member("state")
		s := lts.State(c.in.number(longest))
		switch {
		case int(s) >= c.model.NumStates():
			fail("state %d is listed, but the model has %d states", s, c.model.NumStates())
		case int(s) < after:
			fail("state %d is listed twice, or behind a larger one", s)
		}
		addEmptyRows(after, int(s), &c.first, &c.next, &c.due, &c.within)
		after = int(s) + 1
		c.listed[s] = true
		c.states++
		c.readClaims(s)
		c.readClasses(s)
		c.in.end('}')
	}
	addEmptyRows(after, c.model.NumStates(), &c.first, &c.next, &c.due, &c.within)
	if !c.listed[c.model.Initial()] {
		fail("state %d, the initial one, is not listed", c.model.Initial())
	}
}

// readClaims reads the claims about s, and their evidence.
func (c *checker) readClaims(s lts.State) {
	if c.notAdmitted != nil {
		c.in.member("admitted")
		c.notAdmitted[s] = !c.in.truth()
	}
	c.mp[s] = c.readSteps("mp")
	c.cp[s] = c.readSteps("cp")
	c.ms[s] = c.readSteps("ms")
	c.cs[s] = c.readSteps("cs")
	c.in.member("least")
	c.least[s] = c.in.number(longest)
	c.readWholeRow(s, "first", &c.first, int(c.mp[s])+1)
	c.readWholeRow(s, "next", &c.next, int(c.ms[s]))
	c.readWholeRow(s, "due", &c.due, c.levels(s))
	c.readFairEvidence(s)
}

// readSteps reads a number of steps of the property.
func (c *checker) readSteps(name string) uint16 {
	c.in.member(name)
	return uint16(c.in.number(uint32(c.numSteps)))
}

// addEmptyRows gives empty rows to the states in [from, to), which are not listed.
func addEmptyRows(from, to int, all ...*rows) {
	for _, r := range all {
		for s := from; s < to && r.start != nil; s++ {
			r.start[s+1] = len(r.values)
		}
	}
}

// readRow reads a row of at most as many numbers as are wanted; it returns how many there are.
func (c *checker) readRow(s lts.State, name string, r *rows, want int) (found int) {
	c.in.member(name)
	c.in.open('[')
	for ; c.in.more(); found++ {
		value := c.in.number(longest)
		if found < want {
			r.values = append(r.values, value)
		}
	}
	r.start[int(s)+1] = len(r.values)
	return found
}

// readWholeRow reads a row, which must have exactly as many numbers as are wanted.
func (c *checker) readWholeRow(s lts.State, name string, r *rows, want int) {
	found := c.readRow(s, name, r, want)
	if found != want {
		fail("state %d: %s has %d numbers, not %d", s, name, found, want)
	}
}

// readClasses reads the classes of the transitions from s, one letter each.
func (c *checker) readClasses(s lts.State) {
	c.in.member("out")
	first, end := c.model.Row(s)
	letters := c.in.text(end - first)
	if len(letters) != end-first {
		fail("state %d: out has %d classes, but %d transitions leave the state", s,
			len(letters), end-first)
	}
	for i := range letters {
		k := slices.IndexFunc(classNames[:], func(name string) bool {
			return name[0] == letters[i]
		})
		if k < 0 {
			fail("state %d: out has %q, which is not a class", s, letters[i])
		}
		c.classes[first+i] = class(k)
	}
}

// checkPrefixes checks mp, cp, and which states are reachable. In one pass over the transitions it
// checks the conditions on each, and computes for each target the least lengths over its incoming
// transitions.
func (c *checker) checkPrefixes() {
	initial := c.model.Initial()
	if c.cp[initial] != 0 {
		fail("state %d: cp is %d, but it is 0 in the initial state", initial, c.cp[initial])
	}
	lengths := newPrefixLengths(c)
	c.eachState(func(s lts.State) {
		labels, targets := c.model.Out(s)
		for i, t := range targets {
			c.checkPrefixStep(s, labels.At(i), t)
			lengths.addStep(s, labels.At(i), t)
		}
	})
	c.eachState(func(s lts.State) {
		for j, want := range lengths.first.rowOf(s) {
			found := c.first.rowOf(s)[j]
			if found != want {
				failLength(s, "mp", int(c.mp[s]), fmt.Sprintf("first[%d]", j), found, want)
			}
		}
		if c.least[s] != lengths.least[s] {
			failLength(s, "cp", int(c.cp[s]), "least", c.least[s], lengths.least[s])
		}
	})
}

// checkPrefixStep checks the conditions that a transition puts on mp and cp: each run to its source
// can be continued by the transition.
func (c *checker) checkPrefixStep(s lts.State, l lts.Label, t lts.State) {
	if !c.listed[t] {
		fail("state %d is not listed, but transition %s enters it", t, c.transition(s, l, t))
	}
	brings := c.chain.Advance(int(c.mp[s]), l)
	if brings > int(c.mp[t]) {
		fail("state %d: mp is %d, but by transition %s it is at least %d", t, c.mp[t],
			c.transition(s, l, t), brings)
	}
	brings = c.chain.Advance(int(c.cp[s]), l)
	if brings < int(c.cp[t]) {
		fail("state %d: cp is %d, but by transition %s it is at most %d", t, c.cp[t],
			c.transition(s, l, t), brings)
	}
}

// prefixLengths are the numbers first and least, computed by the transitions from the numbers in
// the certificate. The certificate is right if it has the same numbers.
type prefixLengths struct {
	*checker
	first rows
	least []uint32
}

// newPrefixLengths returns the numbers of a model without transitions.
func newPrefixLengths(c *checker) *prefixLengths {
	p := &prefixLengths{
		checker: c,
		first:   rows{start: c.first.start, values: allNone(len(c.first.values))},
		least:   allNone(len(c.least)),
	}
	initial := c.model.Initial()
	p.first.rowOf(initial)[0] = 0
	p.least[initial] = 0
	return p
}

// addStep takes a transition into account.
func (p *prefixLengths) addStep(s lts.State, l lts.Label, t lts.State) {
	if p.chain.Advance(int(p.cp[s]), l) == int(p.cp[t]) {
		p.least[t] = min(p.least[t], p.checker.least[s]+1)
	}
	before := p.checker.first.rowOf(s)
	after := p.first.rowOf(t)
	for j := range after {
		progress := j // before the transition
		if j > 0 && p.chain.Does(l, j) {
			progress--
		}
		if progress < len(before) {
			after[j] = min(after[j], before[progress]+1)
		}
	}
}

func allNone(size int) []uint32 {
	return slices.Repeat([]uint32{none}, size)
}

// failLength fails because a length in the certificate differs from the length that the transitions
// give.
func failLength(s lts.State, claim string, value int, name string, found, want uint32) {
	if want == none {
		fail("state %d: %s is %d, but there is no evidence for it: no transition justifies %s",
			s, claim, value, name)
	}
	fail("state %d: %s is %d, but the transitions make it %d", s, name, found, want)
}

// checkSuffixes checks ms and cs.
func (c *checker) checkSuffixes() {
	c.eachState(func(s lts.State) {
		if c.admits(s) {
			c.checkCS(s)
			c.checkMS(s)
			return
		}
		labels, targets := c.model.Out(s)
		switch {
		case c.fair.MayEnd(c.model, s):
			fail("state %d is said not to be admitted, but a run may end there", s)
		case c.ms[s] > 0 || c.cs[s] > 0:
			fail("state %d is said not to be admitted, but ms and cs are not 0", s)
		case c.home[s] != none || c.settle[s] > 0:
			fail("state %d is said not to be admitted, but to have a run that counts", s)
		}
		for i, t := range targets {
			if c.admits(t) {
				fail("state %d is said not to be admitted, but transition %s leads to a state that is", s, c.transition(s, labels.At(i), t))
			}
		}
	})
}

// checkMS checks ms of a state: no transition brings a longer suffix, and the ranks in next prove
// that some run does a suffix of this length.
func (c *checker) checkMS(s lts.State) {
	labels, targets := c.model.Out(s)
	for i, t := range targets {
		if !c.admits(t) {
			continue
		}
		length := c.chain.AdvanceSuffix(int(c.ms[t]), labels.At(i))
		if length > int(c.ms[s]) {
			fail("state %d: ms is %d, but by transition %s it is at least %d", s, c.ms[s],
				c.transition(s, labels.At(i), t), length)
		}
	}
	for i, rank := range c.next.rowOf(s) {
		want := c.rankOfSuffix(s, i+1)
		if rank != want {
			failLength(s, "ms", int(c.ms[s]), fmt.Sprintf("next[%d]", i), rank, want)
		}
	}
}

// rankOfSuffix returns the rank that next must have in a state for the suffix of m steps. It is 1
// if a transition does the last remaining step. Otherwise it is one more than the least rank of a
// target for the remaining steps, or none if no target has such a rank.
func (c *checker) rankOfSuffix(s lts.State, m int) uint32 {
	rank := uint32(none)
	labels, targets := c.model.Out(s)
	for j, t := range targets {
		if !c.admits(t) {
			continue
		}
		rest := m
		if c.chain.Does(labels.At(j), c.numSteps-m+1) {
			rest--
		}
		switch {
		case rest == 0:
			rank = 1
		case rest <= int(c.ms[t]):
			rank = min(rank, c.next.rowOf(t)[rest-1]+1)
		}
	}
	return rank
}

// checkCS checks cs and due of a state.
func (c *checker) checkCS(s lts.State) {
	if c.fair.MayEnd(c.model, s) {
		c.checkCSOfEnd(s)
		return
	}
	c.checkLeastCS(s)
	if c.fair == nil { // else checkFairness checks due
		c.checkDue(s)
	}
}

// checkCSOfEnd checks cs of a state where a run may end.
func (c *checker) checkCSOfEnd(s lts.State) {
	if c.cs[s] == 0 {
		return
	}
	where := "in a deadlock"
	if !c.model.IsDeadlock(s) {
		where = "where a run may end"
	}
	fail("state %d: cs is %d, but it is 0 %s", s, c.cs[s], where)
}

// checkLeastCS checks that cs of a state is the least number that its transitions bring.
func (c *checker) checkLeastCS(s lts.State) {
	labels, targets := c.model.Out(s)
	least := c.numSteps + 1
	by := 0
	for i, t := range targets {
		brings := c.chain.AdvanceSuffix(int(c.cs[t]), labels.At(i))
		if c.admits(t) && brings < least {
			least = brings
			by = i
		}
	}
	if least > c.numSteps {
		fail("state %d is said to be admitted, but no transition leads on to such a state", s)
	}
	if least != int(c.cs[s]) {
		fail("state %d: cs is %d, but the transitions make it %d, the value by %s", s, c.cs[s],
			least, c.transition(s, labels.At(by), targets[by]))
	}
}

// checkDue checks the numbers due of a state.
func (c *checker) checkDue(s lts.State) {
	labels, targets := c.model.Out(s)
	for i, found := range c.due.rowOf(s) {
		m := i + 1
		greatest := uint32(0)
		for j, t := range targets {
			// If step n-m+1 is not done, cs(t) >= m follows from what checkLeastCS checks.
			if !c.chain.Does(labels.At(j), c.numSteps-m+1) {
				greatest = max(greatest, c.due.rowOf(t)[i])
			}
		}
		if found != greatest+1 {
			failLength(s, "cs", int(c.cs[s]), fmt.Sprintf("due[%d]", i), found, greatest+1)
		}
	}
}

// class is the class of a transition. The certificate counts the transitions of each class in this
// order.
type class uint8

const (
	correct class = iota
	incorrect
	neutral
	excluded
)

var classNames = [...]string{
	correct:   "correct",
	incorrect: "incorrect",
	neutral:   "neutral",
	excluded:  "excluded",
}

// classNames returns the names of the classes that can occur in the certificate.
func (c *checker) classNames() []string {
	if c.fair == nil || !c.fair.Excludes() {
		return classNames[:excluded]
	}
	return classNames[:]
}

// class returns the class of s -l-> t by Definitions 10 and 11, from numbers that are already
// checked.
func (c *checker) class(s lts.State, l lts.Label, t lts.State) class {
	switch {
	case c.table != nil:
		return c.table.class(s, l, t)
	case !c.admits(t):
		return excluded
	case c.chain.Advance(int(c.cp[s]), l)+int(c.cs[t]) >= c.numSteps:
		return correct
	case c.chain.Advance(int(c.mp[s]), l)+int(c.ms[t]) < c.numSteps:
		return incorrect
	}
	return neutral
}

// class returns the class of s -l-> t by the claims about runs from its targets in the product.
// All product states of the source count.
func (c *tableChecker) class(s lts.State, l lts.Label, t lts.State) class {
	satisfies := false
	violates := false
	for at := c.start[s]; at < c.start[int(s)+1]; at++ {
		if to, listed := c.productState(t, c.automaton.Next(c.propertyStates[at], l)); listed {
			satisfies = satisfies || c.sides[satisfying].hasRun[to]
			violates = violates || c.sides[violating].hasRun[to]
		}
	}
	switch {
	case !satisfies && !violates:
		return excluded
	case !violates:
		return correct
	case !satisfies:
		return incorrect
	}
	return neutral
}

// The kinds of neighbourhoods; 0 is for a state that is none.
const (
	kindCorrect = 1 + iota
	kindIncorrect
	kindMixedNeutral
	kindMixed
)

var kindNames = [...]string{
	"",
	kindCorrect:      "correct",
	kindIncorrect:    "incorrect",
	kindMixedNeutral: "mixed-neutral",
	kindMixed:        "mixed",
}

// checkClasses checks the class of every transition and the number of transitions of each class. It
// finds the neighbourhoods.
func (c *checker) checkClasses() {
	in := make([]uint8, len(c.listed))
	out := make([]uint8, len(c.listed)) // the classes of the transitions from each state, as bits
	c.eachState(func(s lts.State) {
		labels, targets := c.model.Out(s)
		first, _ := c.model.Row(s)
		for i, t := range targets {
			class := c.class(s, labels.At(i), t)
			claimed := c.classes[first+i]
			if claimed != class {
				fail("transition %s: class is %s, but the prefixes and suffixes of its ends make it %s",
					c.transition(s, labels.At(i), t), classNames[claimed], classNames[class])
			}
			if c.model.IsBefore(s) {
				continue // s is before the initial states
			}
			c.counts[class]++
			if class == excluded {
				continue
			}
			out[s] |= 1 << class
			in[t] |= 1 << class
		}
	})
	for k, name := range c.classNames() {
		if int(c.claimedCounts[k]) != c.counts[k] {
			fail("classes: %d transitions are said to be %s, but %d are", c.claimedCounts[k],
				name, c.counts[k])
		}
	}
	c.findKinds(in, out)
}

// findKinds finds the neighbourhoods and their kinds by Definition 12. entering and leaving have, by state, the
// classes of the transitions into it and out of it, as bits.
func (c *checker) findKinds(entering, leaving []uint8) {
	const (
		correctBit   = 1 << correct
		incorrectBit = 1 << incorrect
		neutralBit   = 1 << neutral
	)
	for s, in := range entering {
		allNeutral := in == 0 || in == neutralBit
		isEntered := allNeutral || c.usesSomeReading && in&neutralBit != 0
		hasCorrect := leaving[s]&correctBit != 0
		hasIncorrect := leaving[s]&incorrectBit != 0
		hasNeutral := leaving[s]&neutralBit != 0
		switch {
		case !c.listed[s] || !isEntered || !hasCorrect && !hasIncorrect:
		case !hasIncorrect:
			c.kinds[s] = kindCorrect
		case !hasCorrect:
			c.kinds[s] = kindIncorrect
		case hasNeutral:
			c.kinds[s] = kindMixedNeutral
		default:
			c.kinds[s] = kindMixed
		}
	}
}

// checkNeighbourhoods compares the list with the neighbourhoods that the classes imply.
func (c *checker) checkNeighbourhoods() {
	c.in.member("neighbourhoods")
	c.in.open('[')
	next := 0 // the neighbourhood that must come next
	skip := func() {
		for next < len(c.kinds) && c.kinds[next] == 0 {
			next++
		}
	}
	for skip(); c.in.more(); skip() {
		c.in.open('{')
		c.in.member("state")
		s := int(c.in.number(longest))
		switch {
		case next == len(c.kinds) || s < next:
			fail("neighbourhoods: state %d is listed, but it is none, or was listed before", s)
		case s > next:
			fail("neighbourhoods: state %d is one, but not listed", next)
		}
		c.in.member("kind")
		kind := c.in.word(kindNames[:]...)
		if kind != int(c.kinds[s]) {
			fail("neighbourhood %d: kind is %s, but the classes make it %s", s, kindNames[kind],
				kindNames[c.kinds[s]])
		}
		c.in.member("distance_from_initial")
		distance := c.in.number(longest)
		want := c.distance(lts.State(s))
		if distance != want {
			fail("neighbourhood %d: distance_from_initial is %d, but the distance is %d", s, distance,
				want)
		}
		c.in.end('}')
		next++
	}
	if next < len(c.kinds) {
		fail("neighbourhoods: state %d is one, but not listed", next)
	}
}

// distance returns the number of transitions of a shortest run to s, from where runs begin.
func (c *checker) distance(s lts.State) uint32 {
	shortest := uint32(none)
	if c.table == nil {
		shortest = c.first.rowOf(s)[0]
	} else {
		for _, length := range c.table.first[c.table.start[s]:c.table.start[int(s)+1]] {
			shortest = min(shortest, length)
		}
	}
	return shortest - uint32(c.model.Before())
}

// run is a counterexample that is being replayed.
type run struct {
	state    lts.State
	progress int // the property state, for a property that is no chain
	steps    int

	// loops reports whether the run ends in a loop. The loop begins in loopState, before step
	// loopStart; onLoop are the labels on it.
	loops     bool
	loopStart int
	loopState lts.State
	onLoop    []bool
	// moved and visited are for assumptions: the labels of the loop's transitions that are no
	// self-loops, and the states of the loop.
	moved, visited []bool
	// loop has the labels of the loop in order, for a property that is no chain.
	loop []lts.Label
}

// checkCounterexample replays the counterexample, which exists iff the property is violated.
func (c *checker) checkCounterexample() {
	in := c.in
	in.member("counterexample")
	if in.literal("null") {
		if c.violated {
			fail("counterexample: there is none, but the verdict is violated")
		}
		return
	}
	in.open('{')
	in.member("length")
	c.length = in.number(longest)
	in.member("loop_start")
	r := &run{state: c.model.Initial(), progress: c.initialProgress()}
	r.loops = !in.literal("null")
	if r.loops {
		r.loopStart = int(in.number(longest))
		r.onLoop = make([]bool, c.model.Alphabet().Len())
		if c.fair != nil {
			r.moved = make([]bool, c.model.Alphabet().Len())
			r.visited = make([]bool, c.model.NumStates())
		}
	}
	in.member("steps")
	in.open('[')
	for in.more() {
		c.prefixErrors(func() { c.checkStep(r) }, "counterexample: step %d ", r.steps+1)
		r.steps++
	}
	in.end('}')
	if r.steps != int(c.length) {
		fail("counterexample: length is %d, but it has %d steps", c.length, r.steps)
	}
	c.checkEnd(r)
}

// initialProgress returns the progress of the empty run.
func (c *checker) initialProgress() int {
	if c.table != nil {
		return int(c.table.automaton.Initial())
	}
	return 0
}

// checkStep reads a step and performs it.
func (c *checker) checkStep(r *run) {
	c.in.open('{')
	from := r.state
	wasFated := c.isFated(from, r.progress)
	l, to := c.readTaken(r)
	r.continueBy(c, l, to)
	c.checkTaken(from, l, to)
	c.checkProgress(r)
	fated := c.isFated(to, r.progress)
	c.checkFate(r, fated)
	c.checkKept(from, to, fated && !wasFated)
	c.in.end('}')
}

// readTaken reads which transition a step takes from where the run is.
func (c *checker) readTaken(r *run) (lts.Label, lts.State) {
	in := c.in
	in.member("from")
	claimed := lts.State(in.number(longest))
	in.member("out")
	out := int(in.number(longest))
	labels, targets := c.model.Out(r.state)
	switch {
	case claimed != r.state:
		fail("leaves state %d, but the run is in state %d", claimed, r.state)
	case out >= labels.Len():
		fail("is transition %d of state %d, which only %d leave", out, r.state, labels.Len())
	}
	return labels.At(out), targets[out]
}

// continueBy continues the run by a transition, and records the transition if it lies on the loop.
func (r *run) continueBy(c *checker, l lts.Label, to lts.State) {
	if r.loops && r.steps == r.loopStart {
		r.loopState = r.state
	}
	if r.loops && r.steps >= r.loopStart {
		r.onLoop[l] = true
		if c.table != nil {
			r.loop = append(r.loop, l)
		}
		if c.fair != nil {
			r.visited[r.state] = true
			r.moved[l] = r.moved[l] || to != r.state
		}
	}
	r.state = to
	if c.table == nil {
		r.progress = c.chain.Advance(r.progress, l)
	} else {
		r.progress = int(c.table.automaton.Next(property.Q(r.progress), l))
	}
}

// checkTaken checks the label, the target and the class of a step.
func (c *checker) checkTaken(from lts.State, l lts.Label, to lts.State) {
	in := c.in
	// The file has U+FFFD for a byte that is no UTF-8, and so has a text converted to runes.
	label := string([]rune(c.model.Alphabet().Text(l)))
	in.member("label")
	claimedLabel := in.text(max(1<<12, len(label)))
	if claimedLabel != label {
		fail("has the label %s, but transition %s has another", claimedLabel,
			c.transition(from, l, to))
	}
	in.member("to")
	claimedTarget := in.number(longest)
	if lts.State(claimedTarget) != to {
		fail("leads to %d, but transition %s does not", claimedTarget,
			c.transition(from, l, to))
	}
	in.member("class")
	claimedClass := in.word(classNames[:]...)
	class := c.class(from, l, to)
	if claimedClass != int(class) {
		fail("has class %s, but its transition is %s", classNames[claimedClass],
			classNames[class])
	}
}

// checkProgress checks the progress, or the property state, after a step.
func (c *checker) checkProgress(r *run) {
	name := "progress"
	wrong := "progress %d, but the run has made %d"
	if c.table != nil {
		name = "q"
		wrong = "the property in state %d, but the run brings it to %d"
	}
	c.in.member(name)
	claimed := c.in.number(longest)
	if int(claimed) != r.progress {
		fail("has "+wrong, claimed, r.progress)
	}
}

// checkFate checks the fate after a step.
func (c *checker) checkFate(r *run, fated bool) {
	c.in.member("fate")
	claimed := c.in.word("free", "fated") == 1
	switch {
	case claimed == fated:
	case c.table != nil:
		fail("has the wrong fate in place %d·%d", r.state, r.progress)
	default:
		fail("has the wrong fate: progress %d, and ms of state %d is %d of %d steps",
			r.progress, r.state, c.ms[r.state], c.numSteps)
	}
}

// checkKept checks whether a step leaves a neighbourhood, and whether the abstracted counterexample
// keeps it: a step that enters or leaves a neighbourhood, or passes the point of no return. The
// abstracted counterexample never keeps the step to an initial state, and it keeps no step if no
// run satisfies the property.
func (c *checker) checkKept(from, to lts.State, passesNoReturn bool) {
	in := c.in
	in.member("neighbourhood")
	claimedKind := in.truth()
	if claimedKind != (c.kinds[from] != 0) {
		fail("has neighbourhood %v, which does not fit state %d", claimedKind, from)
	}
	isAtNeighbourhood := c.kinds[from] != 0 || c.kinds[to] != 0
	mayKeep := !c.model.IsBefore(from) && !c.isFated(c.model.Initial(), c.initialProgress())
	kept := mayKeep && (isAtNeighbourhood || passesNoReturn)
	in.member("abstracted")
	claimedKept := in.truth()
	if claimedKept != kept {
		fail("has abstracted %v, which does not fit the step from state %d to state %d", claimedKept, from, to)
	}
}

// isFated reports whether no run from s satisfies the property after this progress.
func (c *checker) isFated(s lts.State, progress int) bool {
	if c.table != nil {
		return c.table.isLost(s, property.Q(progress))
	}
	return progress+int(c.ms[s]) < c.numSteps
}

// checkEnd checks that the run is maximal, violates the property and, under assumptions, counts.
func (c *checker) checkEnd(r *run) {
	switch {
	case !c.violated:
		fail("counterexample: there is one, but the verdict is satisfied")
	case !r.loops && c.table != nil:
		c.checkTableEnd(r)
		return
	case !r.loops:
		c.checkChainEnd(r)
		return
	}
	c.checkClosed(r)
	if c.table != nil {
		c.checkTableLoop(r)
	} else {
		c.checkChainLoop(r)
	}
	if c.fair != nil {
		c.checkFairLoop(r)
	}
}

// checkTableEnd checks the end of a run without a loop: either the run may end there, and violates
// the property; or some run that counts continues it, and no such run satisfies the property.
func (c *checker) checkTableEnd(r *run) {
	q := property.Q(r.progress)
	at, listed := c.table.productState(r.state, q)
	switch {
	case listed && c.table.mayEnd(&c.table.sides[violating], at):
	case !c.table.isLost(r.state, q):
		fail("counterexample: it ends in place %d·%d, from where some run satisfies the property", r.state, r.progress)
	case !c.table.isAdmitted(at):
		fail("counterexample: it ends in place %d·%d, from where no run is admitted", r.state,
			r.progress)
	}
}

// checkChainEnd checks the end of a run without a loop. The run must end in a trap, from which no
// run that counts does the remaining steps, or in a state where a run may end, before the last
// step.
func (c *checker) checkChainEnd(r *run) {
	if c.fair != nil && c.admits(r.state) && c.isFated(r.state, r.progress) {
		return
	}
	if !c.fair.MayEnd(c.model, r.state) {
		fail("counterexample: it ends in state %d, which is not a deadlock", r.state)
	}
	c.checkUndone(r.progress)
}

// checkUndone checks that a run which has made this progress does not do all steps.
func (c *checker) checkUndone(progress int) {
	if progress == c.numSteps {
		fail("counterexample: it does all steps of the property")
	}
}

// checkClosed checks that the loop of the run has steps, and ends where it begins.
func (c *checker) checkClosed(r *run) {
	if r.loopStart >= r.steps {
		fail("counterexample: its loop begins behind step %d, its last one", r.steps)
	}
	if r.loopState != r.state {
		fail("counterexample: it ends in state %d, but its loop begins in state %d", r.state,
			r.loopState)
	}
}

// checkTableLoop checks that a run that repeats the loop violates the property. After as many rounds
// as there are property states, the property states at the beginning of rounds recur.
func (c *checker) checkTableLoop(r *run) {
	q := property.Q(r.progress)
	round := func() (met property.Marks) {
		for _, l := range r.loop {
			met |= c.table.automaton.Marks(q, l)
			q = c.table.automaton.Next(q, l)
		}
		return met
	}
	for i := range c.table.automaton.States() {
		if i%256 == 0 {
			abort.On(c.table.ctx.Err())
		}
		round()
	}
	begin := q
	met := round()
	for q != begin {
		abort.On(c.table.ctx.Err())
		met |= round()
	}
	if c.table.automaton.Acceptance().Holds(met) {
		fail("counterexample: its loop satisfies the property")
	}
}

// checkChainLoop checks that a run that repeats the loop does not do all steps: it makes progress
// until no label of the loop does another step.
func (c *checker) checkChainLoop(r *run) {
	progress := r.progress
	onLoop := func(l lts.Label) bool { return r.onLoop[l] }
	for progress < c.numSteps && slices.ContainsFunc(c.chain.Step(progress+1).Labels, onLoop) {
		progress++
	}
	c.checkUndone(progress)
}

// checkFairLoop checks that a run that repeats the loop counts under the assumptions.
func (c *checker) checkFairLoop(r *run) {
	if c.fair.Full() {
		fail("counterexample: it has a loop, but what is fully fair is told by a trap or a deadlock")
	}
	for l, occurs := range r.onLoop {
		if occurs && c.fair.Rare(lts.Label(l)) {
			fail("counterexample: its loop does %s, which is to be done finitely often",
				c.model.Alphabet().Text(lts.Label(l)))
		}
	}
	// The states of the run are counted as a home. Which tasks the run takes, its loop says.
	counts := c.newTaskCounts()
	counts.enter(0)
	states := 0
	ignoreTaken := func(lts.Label, lts.State) bool { return false }
	for s, visited := range r.visited {
		if visited {
			states++
			counts.add(uint32(s), lts.State(s), ignoreTaken)
		}
	}
	for l, occurs := range r.onLoop {
		if !occurs {
			continue
		}
		for _, k := range c.fair.MetBy(lts.Label(l)) {
			if r.moved[l] || !c.fair.Tasks()[k].Nonstuttering {
				counts.of[k].taken = true
			}
		}
	}
	slices.Sort(counts.met)
	if k, found := counts.neglected(states); found {
		fail("counterexample: its loop is not fair to task %s", c.fair.Tasks()[k].Name)
	}
}
