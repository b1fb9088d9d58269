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
