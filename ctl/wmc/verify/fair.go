package verify

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// fairSchema is the name and version of evidence about fair runs, which package ctl/fair writes.
const fairSchema = "inev.ctl-fair/1"

// AssumptionError reports that evidence was made under other assumptions than those asked for.
type AssumptionError struct{ Made []string }

func (e *AssumptionError) Error() string {
	if len(e.Made) == 0 {
		return "made about all runs"
	}
	return "made about the runs that meet " + strings.Join(e.Made, " and ")
}

// fairFile is the content of a file about fair runs.
type fairFile struct {
	claims
	Fair     []string   `json:"fair"`
	Admitted *fairRuns  `json:"admitted"`
	Runs     []fairRuns `json:"runs"`
}

type fairRuns struct {
	Formula *int       `json:"formula"`
	Ranks   []set      `json:"ranks"`
	Loops   []set      `json:"loops"`
	Parts   []fairPart `json:"parts"`
}

type fairPart struct {
	Why    string          `json:"why"`
	States json.RawMessage `json:"states"`
	Tasks  []int           `json:"tasks"`
	Turns  []fairTurn      `json:"turns"`
	Rest   []fairPart      `json:"rest"`
}

// fairTurn has the states that a part loses in one turn: first those that enable tasks which the
// remaining states do not take, then those without outgoing, or incoming, transitions.
type fairTurn struct {
	Tasks  []int       `json:"tasks"`
	States []lts.State `json:"states"`
	Ends   []lts.State `json:"ends"`
	Begins []lts.State `json:"begins"`
}

// fairChecker decides formulas one after the other, operands first.
type fairChecker struct {
	*checker
	f      *property.Fairness
	in     []bool // whether a state is reachable from those asked about
	states []lts.State
	sat    [][]bool // whether a formula holds in a state: by formula, then by state
	// admitted reports the states that some run which counts continues; nil if that is so of all
	// states.
	admitted []bool
	// About the runs at hand: ranks is one more than the rank of a state, partIndex the number of
	// its part; 0 if it has none.
	ranks, partIndex []uint32
	mark             []uint32 // mark[s] is marks if s is in the set at hand, see enter
	marks            uint32
}

// verifyFair checks evidence about fair runs, as [Verify] does.
func verifyFair(ctx context.Context, m *lts.LTS, f *ctl.Formula, in *fairFile, o Options) *Result {
	// Tasks are numbered in the order of the assumptions in the file.
	var assumed []*actl.Assumption
	for _, text := range in.Fair {
		i := slices.IndexFunc(o.Fair, func(a *actl.Assumption) bool { return a.String() == text })
		if i < 0 {
			abort.On(&AssumptionError{in.Fair})
		}
		assumed = append(assumed, o.Fair[i])
	}
	for _, a := range o.Fair {
		if !slices.Contains(in.Fair, a.String()) {
			abort.On(&AssumptionError{in.Fair})
		}
	}
	if len(assumed) == 0 {
		fail("fair has no assumption")
	}
	fairness, _, err := actl.BindAssumptions(ctx, assumed, m.Alphabet())
	abort.On(err)
	k := newChecker(ctx, m, f.Closure(), in.Internal, o)
	n := m.NumStates()
	c := &fairChecker{checker: k, f: fairness, in: make([]bool, n), ranks: make([]uint32, n), partIndex: make([]uint32, n), mark: make([]uint32, n)}
	r := c.asked(in)
	c.admit(in)
	runs := in.Runs
	for i := range c.c.Nodes {
		abort.On(ctx.Err())
		runs = c.decideNext(ctl.Index(i), runs)
	}
	if len(runs) > 0 {
		fail("there is evidence about more formulas than are about runs")
	}
	r.Nodes = len(in.Runs)
	c.concludeFair(in, r)
	return r
}

// asked sets the states that the evidence is about, and finds all states that are reachable from
// them.
func (c *fairChecker) asked(in *fairFile) *Result {
	r := &Result{Internal: in.Internal}
	for _, part := range []struct {
		states set
		into   *[]lts.State
	}{{in.Good, &r.Good}, {in.Bad, &r.Bad}} {
		part.states.within(c.m.NumStates(), "")
		for s := range part.states.each {
			*part.into = append(*part.into, s)
			if !c.in[s] {
				c.in[s] = true
				c.states = append(c.states, s)
			}
		}
	}
	for i := 0; i < len(c.states); i++ {
		_, targets := c.m.Out(c.states[i])
		for _, t := range targets {
			if !c.in[t] {
				c.in[t] = true
				c.states = append(c.states, t)
			}
		}
	}
	return r
}

// admit checks which states some fair run continues.
func (c *fairChecker) admit(in *fairFile) {
	if (in.Admitted != nil) != c.f.Excludes() {
		fail("admitted stands where all states are, or is missing where they need not be")
	}
	if in.Admitted == nil {
		return
	}
	all := fairFrame{
		base:    c.mayEnd,
		via:     func(lts.State) bool { return true },
		step:    func(lts.State, lts.Label, lts.State) bool { return true },
		forever: true,
	}
	about("admitted", func() { c.admitted = c.checkRuns(in.Admitted, all) })
}

// mayEnd reports whether a run that counts may end in a state.
func (c *fairChecker) mayEnd(s lts.State) bool {
	labels, _ := c.m.Out(s)
	for j := range labels.Len() {
		if !c.f.Blocks(labels.At(j)) {
			return false
		}
	}
	return true
}

func (c *fairChecker) counts(s lts.State) bool { return c.admitted == nil || c.admitted[s] }

// decideNext decides the next formula; if that needs evidence, it takes the first of runs, and
// returns the others.
func (c *fairChecker) decideNext(i ctl.Index, runs []fairRuns) []fairRuns {
	n := c.c.Nodes[i]
	sat := make([]bool, c.m.NumStates())
	c.sat = append(c.sat, sat)
	if n.Op == ctl.Until || n.Op == ctl.Release {
		if len(runs) == 0 || runs[0].Formula == nil || *runs[0].Formula != int(i) {
			fail("%s: there is no evidence", n.Formula)
		}
		var reach []bool
		about(n.Formula, func() { reach = c.checkRuns(&runs[0], c.frame(n)) })
		for _, s := range c.states {
			sat[s] = reach[s] == (n.Path == ctl.Some)
		}
		return runs[1:]
	}
	for _, s := range c.states {
		sat[s] = c.local(n, s)
	}
	return runs
}

// local returns whether a formula without Until or Release at its top holds in a state.
func (c *fairChecker) local(n ctl.Node, s lts.State) bool {
	switch n.Op {
	case ctl.Not:
		return !c.sat[n.Right][s]
	case ctl.And:
		return c.sat[n.Left][s] && c.sat[n.Right][s]
	case ctl.Or:
		return c.sat[n.Left][s] || c.sat[n.Right][s]
	case ctl.Next:
		some, every := false, true
		labels, targets := c.m.Out(s)
		for j, t := range targets {
			if c.has(n.Labels, labels.At(j)) && c.counts(t) {
				some, every = some || c.sat[n.Right][t], every && c.sat[n.Right][t]
			}
		}
		return some && n.Path == ctl.Some || every && n.Path == ctl.All
	}
	return c.verdict(ctl.Index(len(c.sat)-1), s) == good
}

// concludeFair checks the claim about the whole formula.
func (c *fairChecker) concludeFair(in *fairFile, r *Result) {
	in.lists(c.c)
	if all := slices.Concat(r.Good, r.Bad); len(all) > 0 && !slices.ContainsFunc(all, c.counts) {
		fail("no run from state %d counts", all[0])
	}
	for _, part := range []struct {
		states []lts.State
		good   bool
	}{{r.Good, true}, {r.Bad, false}} {
		for _, s := range part.states {
			if c.sat[c.c.Root()][s] != part.good {
				c.wrong(c.c.Root(), s, part.good)
			}
		}
	}
	in.follow(r)
}
