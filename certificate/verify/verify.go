package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Schema names the version of the format.
const Schema = "inev.certificate/1"

// Result is what a certificate that was found right says.
type Result struct {
	// Violated reports whether some maximal trace violates the property.
	Violated bool
	// States and Transitions are the numbers of reachable ones.
	States, Transitions int
}

// Digest returns the SHA-256 by which a certificate is bound to its model: that
// of the text that [aut.Write] gives, in hexadecimal digits. It fails if a
// label holds a line feed, for which there is no such text. Cost O(length of
// the text) time.
func Digest(m *lts.LTS) (string, error) {
	h := sha256.New()
	if _, err := aut.Write(h, m); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Verify checks that the certificate in r is one for the model m and the formula
// f, on the runs that meet all of the assumptions (none: on all runs), and that
// all its claims are true. The error is one line and names what is
// wrong first: the state, the transition, the line of the file. It is that of
// ctx where ctx is done, that of r where it cannot be read, and an
// [*AssumptionError] where the certificate is for other assumptions.
//
// Cost O(n (S + T)) time for S states, T transitions and n steps: one pass over
// the file, which has up to 3n + 7 numbers a state, and four over the model. Memory:
// 4 bytes for each such number and as much again for those of mp, 30 bytes a
// state, and one a transition; it does not depend on what the file claims.
// Under assumptions with k strong tasks it is O(n (k+1) (S + T)) time at most, as
// sets lie in each other k deep, with up to n + 4 more numbers a state and
// 40 bytes more; a set that no other lies in adds nothing.
func Verify(ctx context.Context, m *lts.LTS, f property.Formula, fair []*actl.Assumption, r io.Reader) (*Result, error) {
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
	c := newChecker(ctx, m, p, newScanner(r))
	c.asked = fair
	return c.run([]func() error{
		func() error { return c.readHead(f) },
		c.readStates,
		c.readSets,
		c.checkPrefixes,
		c.checkSuffixes,
		c.checkFairness,
		c.checkVerdict,
		c.checkClasses,
		c.checkNeighbourhoods,
		c.checkCounterexample,
		c.finish,
	})
}

// run reads and checks part by part.
func (c *checker) run(parts []func() error) (*Result, error) {
	for _, part := range parts {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		err := part()
		// What is read after an error is not what the file says.
		if c.in.err != nil {
			err = c.in.err
		}
		if err != nil {
			return nil, err
		}
	}
	return &Result{Violated: c.violated, States: c.states, Transitions: c.counts[correct] + c.counts[incorrect] + c.counts[neutral] + c.counts[excluded]}, nil
}

// checker holds the claims about states, each by state number. They mean
// nothing where a state is not listed.
type checker struct {
	ctx context.Context
	in  *scanner
	m   *lts.LTS
	p   *property.Chain
	n   int

	listed         []bool
	states         int
	mp, cp, ms, cs []uint16
	// first[s] has an entry for each progress 0 to mp(s), next and due one for
	// each suffix 1 to ms(s) and cs(s).
	first, next, due rows
	least            []uint32
	// classes holds the class of each transition by its row index.
	classes []class

	violated      bool
	some          bool
	claimedCounts [4]uint32

	counts [4]int
	kinds  []uint8 // by state: index into kindNames, 0 for none

	// table holds what is claimed where the property is no chain, nil if it is; then p,
	// n and all that is by steps mean nothing.
	table *tableChecker

	// asked are the assumptions under which runs count, fair what they mean; nil if
	// all runs do.
	asked []*actl.Assumption
	fair  *property.Fairness
	fairEvidence
}

// rows are lists of numbers, one for each state.
type rows struct {
	start  []int // of the list of each state; that of the next one is its end
	values []uint32
}

func (r *rows) of(s lts.State) []uint32 { return r.values[r.start[s]:r.start[int(s)+1]] }

func newChecker(ctx context.Context, m *lts.LTS, p *property.Chain, in *scanner) *checker {
	size := m.NumStates()
	numbers := func() []uint16 { return make([]uint16, size) }
	lists := func() rows { return rows{start: make([]int, size+1)} }
	c := newPlainChecker(ctx, m, in)
	c.p, c.n = p, p.Len()
	c.mp, c.cp, c.ms, c.cs = numbers(), numbers(), numbers(), numbers()
	c.first, c.next, c.due = lists(), lists(), lists()
	c.least = make([]uint32, size)
	return c
}

// newPlainChecker returns a checker of what all certificates have.
func newPlainChecker(ctx context.Context, m *lts.LTS, in *scanner) *checker {
	return &checker{
		ctx: ctx, in: in, m: m,
		listed: make([]bool, m.NumStates()), classes: make([]class, m.NumTransitions()), kinds: make([]uint8, m.NumStates()),
	}
}

// longest is the largest number that stands for a length; the one above it is
// kept free as a mark for "none".
const (
	longest = math.MaxUint32 - 1
	none    = math.MaxUint32
)

var errOtherModel = errors.New("made for another model")

// readHead reads what the certificate is about, and what it claims of the whole.
func (c *checker) readHead(f property.Formula) error {
	in := c.in
	in.open('{')
	in.member("schema")
	if found := in.text(64); in.err == nil && found != Schema {
		return fmt.Errorf("schema is %q; this version of inev knows %s", found, Schema)
	}
	in.member("model")
	if err := c.readModel(); err != nil {
		return err
	}
	in.member("property")
	text := f.String()
	if found := in.text(max(1<<12, len(text))); in.err == nil && found != text {
		return fmt.Errorf("made for another property, %s", found)
	}
	if err := c.readFairness(); err != nil {
		return err
	}
	c.violated = in.word("satisfied", "violated") == 1
	in.member("classes")
	in.open('{')
	for i, name := range c.classNames() {
		in.member(name)
		c.claimedCounts[i] = in.number(longest)
	}
	in.end('}')
	in.member("neighbourhood_reading")
	c.some = in.word("all", "some") == 1
	return nil
}

func (c *checker) readModel() error {
	in := c.in
	in.open('{')
	for _, of := range []struct {
		name string
		want int
	}{
		{"initial", int(c.m.Initial())},
		{"states", c.m.NumStates()},
		{"transitions", c.m.NumTransitions()},
	} {
		in.member(of.name)
		if found := in.number(math.MaxUint32); in.err == nil && int(found) != of.want {
			return fmt.Errorf("%w: %s is %d there, %d here", errOtherModel, of.name, found, of.want)
		}
	}
	in.member("sha256")
	found := in.text(2 * sha256.Size)
	in.end('}')
	if in.err != nil {
		return in.err
	}
	want, err := Digest(c.m)
	if err == nil && found != want {
		err = fmt.Errorf("%w: its transitions differ from those here (sha256 %s)", errOtherModel, found)
	}
	return err
}

// checkVerdict needs the suffixes checked.
func (c *checker) checkVerdict() error {
	if !c.admits(c.m.Initial()) {
		return fmt.Errorf("verdict: there is none, for no run from the initial state %d is admitted", c.m.Initial())
	}
	if holds := int(c.cs[c.m.Initial()]) == c.n; holds == c.violated {
		claim := "satisfied"
		if c.violated {
			claim = "violated"
		}
		return fmt.Errorf("verdict is %s, but cs of the initial state %d is %d of %d steps", claim, c.m.Initial(), c.cs[c.m.Initial()], c.n)
	}
	return nil
}

// finish reads the end of the file.
func (c *checker) finish() error {
	c.in.end('}')
	c.in.finish()
	return c.in.err
}

// each calls do for every listed state in ascending order, until one fails or
// the context is done.
func (c *checker) each(do func(s lts.State) error) error {
	for i, is := range c.listed {
		if i&(1<<14-1) == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		if is {
			if err := do(lts.State(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// transition names a transition.
func (c *checker) transition(from lts.State, l lts.Label, to lts.State) string {
	return fmt.Sprintf("%d -%s-> %d", from, c.m.Alphabet().Text(l), to)
}
