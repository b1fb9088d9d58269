package argument

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/ctl/internal/logic"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// argueRun argues by a run: one that comes to where the claim is decided, or one on which
// nothing ever changes it.
func (x *Case) argueRun(a *Argument, n logic.Node, c claim, how shape, left, right claim, w *weighing) error {
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
	if how == finite {
		a.Text = a.head() + x.finiteText(a.Run, n, left, right)
	} else {
		a.Text = a.head() + x.foreverText(a.Run, n, left, right)
	}
	return x.becauseOfRun(a, n, how, left, right, a.Run.end())
}

// end returns the state that a run comes to.
func (r *Run) end() lts.State {
	if k := len(r.Steps); k > 0 {
		return r.Steps[k-1].To
	}
	return r.Start
}

// finiteText tells of a run to where something is so.
func (x *Case) finiteText(r *Run, n logic.Node, left, right claim) string {
	if len(r.Steps) == 0 {
		return x.there(right)
	}
	return fmt.Sprintf(": a run of %s leads to state %d%s%s.",
		printable.Quantity(len(r.Steps), "transition"), r.end(), x.where(right), x.through(left))
}

// foreverText tells of a run on which nothing changes a claim, up to where nothing can.
func (x *Case) foreverText(r *Run, n logic.Node, left, right claim) string {
	length := printable.Quantity(len(r.Steps), "transition")
	last := n.Last != logic.NoLast
	along := func(states string) string {
		if last {
			return x.noLast(n, right, "its transitions")
		}
		return x.inStates(right, states)
	}
	switch {
	case r.LoopStart == 0:
		return fmt.Sprintf(": a run goes round a loop of %s for ever%s.", length, along("its states"))
	case r.LoopStart > 0:
		return fmt.Sprintf(": after %s a run goes round a loop of %s for ever%s.", printable.Quantity(r.LoopStart, "transition"),
			printable.Quantity(len(r.Steps)-r.LoopStart, "transition"), along("its states"))
	case r.Deadlock && len(r.Steps) == 0 && (last || x.isConstant(right)):
		return ": no transition leaves it."
	case r.Deadlock && len(r.Steps) == 0:
		return fmt.Sprintf(": no transition leaves it, and %s there.", x.claimed(right))
	case r.Deadlock:
		return fmt.Sprintf(": a run of %s ends in the deadlock %d%s.", length, r.end(), along("its states"))
	case r.stops && len(r.Steps) == 0 && (last || x.isConstant(right)):
		return fmt.Sprintf(": a run may stop there, where %s.", x.refused(r.end()))
	case r.stops && len(r.Steps) == 0:
		return fmt.Sprintf(": a run may stop there, where %s, and %s there.", x.refused(r.end()), x.claimed(right))
	case r.stops:
		return fmt.Sprintf(": a run of %s stops in state %d, where %s%s.", length, r.end(), x.refused(r.end()), along("its states"))
	case len(r.Steps) == 0 && last:
		return x.there(left)
	case len(r.Steps) == 0:
		return x.there(left, right)
	}
	taken := r.Steps[len(r.Steps)-1]
	switch {
	case x.has(n.Labels, taken.Label):
		return fmt.Sprintf(": a run of %s leads to state %d%s%s.", length, r.end(), x.where(left), along("its states"))
	case last && x.has(n.Last, taken.Label):
		return fmt.Sprintf(": a run of %s takes %s, by a label that is allowed last only%s.", length, x.transition(taken), along(""))
	}
	return fmt.Sprintf(": a run of %s takes %s, by a label that is not allowed%s.", length, x.transition(taken), along("its states before"))
}

// refused names what is possible in a state where a run may stop.
func (x *Case) refused(s lts.State) string {
	labels, _ := x.m.Out(s)
	var names []string
	for i := range labels.Len() {
		if name := printable.Cut(x.m.Alphabet().Text(labels.At(i)), 60); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return "only " + names[0] + ", which may be blocked, is possible"
	}
	last, before := names[len(names)-1], names[:len(names)-1]
	if more := len(names) - shownParts; more > 0 {
		last, before = fmt.Sprintf("%d more", more), names[:shownParts]
	}
	return "only " + strings.Join(before, ", ") + " and " + last + ", which may be blocked, are possible"
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
		run.Steps = append(run.Steps, lts.Transition{From: s, Label: labels.At(int(by)), To: t})
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
func (x *Case) becauseOfRun(a *Argument, n logic.Node, how shape, left, right claim, end lts.State) error {
	steps := a.Run.Steps
	last := n.Last != logic.NoLast
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
	case (a.Run.Deadlock || a.Run.stops) && last:
		return nil
	case a.Run.Deadlock || a.Run.stops:
		return x.because(a, right, end)
	case last:
		return x.because(a, left, end)
	}
	return x.because(a, right, end, left, end)
}
