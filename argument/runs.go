package argument

import (
	"fmt"

	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// argueRun argues by a run: one that comes to where the claim is decided, or one on which
// nothing ever changes it.
func (x *Case) argueRun(a *Argument, n ctl.Node, c claim, how shape, left, right claim, w *weighing) error {
	l, err := x.weigh(left)
	if err != nil {
		return err
	}
	r, err := x.weigh(right)
	if err != nil {
		return err
	}
	run := &runs{Case: x, n: n, how: how, c: c, left: l, right: r}
	a.Run = run.follow(w, a.State)
	end := a.Run.Start
	if k := len(a.Run.Steps); k > 0 {
		end = a.Run.Steps[k-1].To
	}
	if len(a.Run.Steps) == 0 && a.Run.LoopStart < 0 && n.Last == ctl.NoLast {
		a.Text = a.head() + ", as can be seen there."
		if a.Run.Deadlock {
			a.Text = a.head() + ": no transition leaves it."
		}
	} else {
		a.Text = a.head() + ": " + x.runText(a.Run, how, n, right)
	}
	return x.becauseOfRun(a, n, how, left, right, end)
}

// runText tells of a run.
func (x *Case) runText(r *Run, how shape, n ctl.Node, right claim) string {
	length := printable.Quantity(len(r.Steps), "transition")
	switch {
	case r.LoopStart >= 0:
		return fmt.Sprintf("a run of %s goes round a loop for ever%s.", length, x.allAlong(right, n))
	case how == finite:
		return fmt.Sprintf("a run of %s leads to state %d%s.", length, r.Steps[len(r.Steps)-1].To, x.where(right))
	case r.Deadlock && len(r.Steps) > 0:
		return fmt.Sprintf("a run of %s ends in the deadlock %d%s.", length, r.Steps[len(r.Steps)-1].To, x.allAlong(right, n))
	case r.Deadlock:
		return "it is a deadlock."
	case len(r.Steps) > 0 && !x.has(n.Labels, r.Steps[len(r.Steps)-1].Label):
		last := r.Steps[len(r.Steps)-1]
		return fmt.Sprintf("a run of %s takes %s, by a label that the formula does not allow there%s.", length, x.transition(last), x.allAlong(right, n))
	case len(r.Steps) > 0:
		return fmt.Sprintf("a run of %s decides it%s.", length, x.allAlong(right, n))
	}
	return "the state decides it."
}

// allAlong says what is so in all states of a run.
func (x *Case) allAlong(right claim, n ctl.Node) string {
	op := x.c.Nodes[right.f].Op
	if op == ctl.True || op == ctl.False || n.Last != ctl.NoLast {
		return ""
	}
	return fmt.Sprintf(", and %s %s all along", x.c.Nodes[right.f].Formula, agree(right.holds))
}

// follow returns the run with the smallest weight from a state.
func (r *runs) follow(w *weighing, s lts.State) *Run {
	run := &Run{Start: s, LoopStart: -1}
	for {
		if _, loops := w.loop[s]; loops {
			run.LoopStart = len(run.Steps)
			r.parts.Enter(r.region(w))
			_, path, _ := r.loop(s)
			run.Steps = append(run.Steps, path...)
			return run
		}
		by := w.onward[s]
		labels, targets := r.m.Out(s)
		if by == stop {
			run.Deadlock = len(targets) == 0 && r.how == forever
			return run
		}
		t := targets[by]
		run.Steps = append(run.Steps, lts.Transition{From: s, Label: labels[by], To: t})
		if weight, last := r.end(s); last == by && weight == w.of[s] {
			return run
		}
		s = t
	}
}

// region returns the states through which loops may go.
func (r *runs) region(w *weighing) []lts.State {
	var region []lts.State
	for _, s := range r.states {
		if w.of[s] != unknown && r.before(s) != unknown {
			region = append(region, s)
		}
	}
	return region
}

// becauseOfRun adds what has to be so in the states of a run.
func (x *Case) becauseOfRun(a *Argument, n ctl.Node, how shape, left, right claim, end lts.State) error {
	steps := a.Run.Steps
	last := n.Last != ctl.NoLast
	for _, t := range steps {
		switch {
		case how == finite:
			if err := x.because(a, left, t.From); err != nil {
				return err
			}
		case last:
			if x.has(n.Last, t.Label) {
				if err := x.because(a, right, t.To); err != nil {
					return err
				}
			}
		default:
			if err := x.because(a, right, t.From); err != nil {
				return err
			}
		}
	}
	switch {
	case how == finite:
		return x.because(a, right, end)
	case a.Run.LoopStart >= 0:
		return nil
	case len(steps) > 0 && !x.has(n.Labels, steps[len(steps)-1].Label):
		return nil // the label decides
	case a.Run.Deadlock && last:
		return nil
	case a.Run.Deadlock:
		return x.because(a, right, end)
	case last:
		return x.because(a, left, end)
	}
	return x.because(a, right, end, left, end)
}
