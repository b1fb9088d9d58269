package fair_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// judge checks an argument against what is true: each claim in it, and of each run that it is one, and
// fair, and shows what it argues for.
type judge struct {
	t     *testing.T
	x     *sample
	index map[string]syntax.Index
	loops int
	stops int
	traps int
	sets  int
	left  int
}

func (j *judge) fail(a *argument.Argument, what string) {
	j.t.Helper()
	j.t.Fatalf("%s: %s; %s", a.Text, what, j.x)
}

func (j *judge) check(a *argument.Argument) {
	j.t.Helper()
	i, known := j.index[a.Formula]
	if !known {
		j.fail(a, "no formula of the closure")
	}
	if j.x.truth.sat[i][a.State] != a.Holds {
		j.fail(a, "not true")
	}
	isLeft := !j.x.truth.admitted[a.State]
	if op := j.x.c.Nodes[i].Op; isLeft && a.Run != nil || strings.HasSuffix(a.Text, ": no run from there is admitted by the assumptions.") != (isLeft && (op == syntax.Next || op == syntax.Until || op == syntax.Release)) {
		j.fail(a, "not the reason in a state without admitted runs, or in another")
	}
	if isLeft {
		j.left++
		for _, b := range a.Because {
			if b.State != a.State {
				j.fail(a, "a run goes on from a state without admitted runs")
			}
		}
	} else if slices.ContainsFunc(a.Because, func(b *argument.Argument) bool { return !j.x.truth.admitted[b.State] }) {
		j.fail(a, "argues by a state without admitted runs")
	}
	for _, s := range a.Also {
		if j.x.truth.sat[i][s] != a.Holds {
			j.fail(a, "not true in another state")
		}
	}
	if a.Run != nil {
		j.checkRun(a, j.x.c.Nodes[i])
	}
	n := j.x.c.Nodes[i]
	if strings.Contains(a.Text, ": every fair run ") {
		j.sets++
		if (n.Op == syntax.Until) != a.Holds || (n.Path == syntax.All) != a.Holds {
			j.fail(a, "about all runs, and the claim is not")
		}
	}
	if strings.Contains(a.Text, "runs never leave") && (n.Op == syntax.Release) == a.Holds && (n.Path == syntax.Some) == a.Holds && j.x.bound.Full() {
		j.traps++
		var round []lts.Transition
		for _, s := range a.Set {
			round = append(round, j.x.truth.out[s]...)
		}
		j.checkRound(a, n, round)
	}
	for _, b := range a.Because {
		j.check(b)
	}
}

func (j *judge) checkRun(a *argument.Argument, n syntax.Node) {
	at := a.Run.Start
	if at != a.State {
		j.fail(a, "the run begins elsewhere")
	}
	for _, t := range a.Run.Steps {
		if t.From != at || !slices.Contains(j.x.truth.out[at], t) {
			j.fail(a, "no run of the model")
		}
		at = t.To
	}
	if n.Op != syntax.Until && n.Op != syntax.Release || a.Set != nil {
		return
	}
	want, mayBeOpen := wantOf(a), false
	if k := a.Run.LoopStart; k >= 0 {
		j.loops++
		if a.Smallest {
			j.fail(a, "nothing is known of smallest fair runs")
		}
		if at != a.Run.Steps[k].From {
			j.fail(a, "the loop is not closed")
		}
		j.checkRound(a, n, a.Run.Steps[k:])
		mayBeOpen = true
	}
	is := open
	for _, t := range a.Run.Steps {
		if is == open {
			is = j.x.truth.before(n, t.From)
		}
		if is == open {
			is = j.x.truth.after(n, t)
		}
	}
	if is == open {
		is = j.x.truth.before(n, at)
	}
	mayStop := strings.Contains(a.Text, "which may be blocked,") && j.x.truth.mayEnd(at)
	if mayStop {
		j.stops++
	}
	if (a.Run.Deadlock || mayStop) && is == open {
		is = map[bool]outcome{true: yes, false: no}[n.Op == syntax.Release]
	}
	if is != want && !(mayBeOpen && is == open) || !j.x.truth.admitted[at] {
		j.fail(a, "the run does not show it")
	}
}

// wantOf returns the outcome that a run shows.
func wantOf(a *argument.Argument) outcome {
	if a.Holds {
		return yes
	}
	return no
}

// checkRound checks that a run can take these transitions forever, and is fair if it does.
func (j *judge) checkRound(a *argument.Argument, n syntax.Node, round []lts.Transition) {
	if !isConnected(round) || !j.x.truth.isFair(round) {
		j.fail(a, "the loop is not fair")
	}
	for _, t := range round {
		// A loop may go through a state that decides earlier.
		if is := j.x.truth.before(n, t.From); is == wantOf(a) {
			return
		} else if is != open || j.x.truth.after(n, t) != open {
			j.fail(a, "the loop decides")
		}
	}
}

// TestArguments checks the arguments for random formulas, all that they claim and each run.
func TestArguments(t *testing.T) {
	j := &judge{t: t}
	for seed := range randomlts.Share(6000) {
		x := newSample(t, seed)
		if len(x.asked) == 0 {
			continue
		}
		d := x.decide(t)
		c, err := argument.NewFair(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		j.x, j.index = x, map[string]syntax.Index{}
		for i, n := range x.c.Nodes {
			j.index[n.Formula.String()] = syntax.Index(i)
		}
		for _, s := range x.asked {
			a, err := c.Argue(s)
			if err != nil {
				t.Fatalf("seed %d: %v; %s", seed, err, x)
			}
			j.check(a)
			var b bytes.Buffer
			if err := a.WriteText(&b, x.m); err != nil || strings.Contains(b.String(), "%!") {
				t.Fatalf("seed %d: %v %s", seed, err, b.String())
			}
		}
	}
	if j.loops == 0 || j.traps == 0 || j.sets == 0 || j.stops == 0 || j.left == 0 {
		t.Errorf("%d loops, %d traps, %d sets, %d stops, %d states without admitted runs", j.loops, j.traps, j.sets, j.stops, j.left)
	}
}
