package star

import (
	"fmt"

	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/ctl/argument"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
)

// Argue adds to an argument for the reduced formula the runs that prove its claims about replaced
// parts: a run for a claim about some runs, and against a claim about all. The argument is then no
// longer known to be smallest. Errors and cost are those of [Reduced.Run], for each such claim.
func (r *Reduced) Argue(a *argument.Argument) (err error) {
	defer abort.Caught(&err)
	r.add(a)
	a.Weight, a.Smallest = length(a), false
	return nil
}

// length returns the number of transitions on all runs of an argument.
func length(a *argument.Argument) (n int) {
	if a.Run != nil {
		n = len(a.Run.Steps)
	}
	for _, b := range a.Because {
		n += length(b)
	}
	return n
}

func (r *Reduced) add(a *argument.Argument) {
	if known := r.parts[a.Formula]; known != nil && a.Run == nil {
		r.argue(a, known)
	}
	for _, b := range a.Because {
		r.add(b)
	}
}

// longestFormula is the number of characters of a formula that a sentence shows.
const longestFormula = 300

func (r *Reduced) argue(a *argument.Argument, known *part) {
	formula := printable.Cut(a.Formula, longestFormula)
	said := printable.Cut(known.of.said, longestFormula)
	if known.of.all == a.Holds {
		verb, none := "holds", "violates"
		if !a.Holds {
			verb, none = "does not hold", "satisfies"
		}
		a.Text = fmt.Sprintf("%s %s in %d: no run from there %s %s.", formula, verb, a.State, none, said)
		return
	}
	run := abort.Must(r.Run(ctl.Predicate{Atom: a.Formula}, a.State))
	if run == nil {
		return
	}
	verb, does := "holds", "satisfies"
	if !a.Holds {
		verb, does = "does not hold", "violates"
	}
	steps := printable.Quantity(len(run.Steps), "transition")
	end := a.State
	if n := len(run.Steps); n > 0 {
		end = run.Steps[n-1].To
	}
	deadlock := r.Model.IsDeadlock(end)
	a.Run = &argument.Run{Start: a.State, Steps: run.Steps, LoopStart: run.LoopStart, Deadlock: run.LoopStart < 0 && !run.Open && deadlock}
	// The loop of a fair run is fair, too.
	what := "a run"
	if r.Fairness != nil {
		what = "a fair run"
	}
	switch {
	case run.Open && len(run.Steps) == 0:
		a.Run = nil
		a.Text = fmt.Sprintf("%s %s in %d: each run from there %s %s.", formula, verb, a.State, does, said)
	case run.Open:
		a.Text = fmt.Sprintf("%s %s in %d: after a run of %s, whatever follows %s %s.", formula, verb, a.State, steps, does, said)
	case run.LoopStart >= 0:
		loop := printable.Quantity(len(run.Steps)-run.LoopStart, "transition")
		a.Text = fmt.Sprintf("%s %s in %d: %s with a loop of %s %s %s.", formula, verb, a.State, what, loop, does, said)
	case !deadlock:
		a.Text = fmt.Sprintf("%s %s in %d: a run of %s that stops in state %d, where all that is possible may be blocked, %s %s.", formula, verb, a.State, steps, end, does, said)
	default:
		a.Text = fmt.Sprintf("%s %s in %d: a run of %s that ends in a deadlock %s %s.", formula, verb, a.State, steps, does, said)
	}
}
