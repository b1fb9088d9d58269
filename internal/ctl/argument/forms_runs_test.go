package argument

import (
	"errors"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// told run is the run of a claim as its lines tell it: where it begins the loop that it
// repeats, -1 if it does not, and whether all of it is there.
type toldRun struct {
	steps []lts.Transition
	loop  int
	all   bool
}

// run checks that the steps of a claim are a run from its state, of so many transitions.
func (j *judge) run(c *told, from lts.State, length int) (toldRun, error) {
	r := toldRun{loop: -1, all: c.gap == 0}
	if len(c.steps)+c.gap != length {
		return r, fmt.Errorf("%d steps and %d more, of %d", len(c.steps), c.gap, length)
	}
	for i, step := range c.steps {
		if _, err := j.transition(fmt.Sprintf("%d -%s-> %d", step.From, j.label(step.Transition), step.To)); err != nil {
			return r, err
		}
		if step.From != from && !step.afterGap {
			return r, fmt.Errorf("step %d does not follow", i)
		}
		from = step.To
		if step.loops && r.loop < 0 {
			r.loop = i
		}
		if !step.loops && r.loop >= 0 {
			return r, errors.New("the loop ends")
		}
		r.steps = append(r.steps, step.Transition)
	}
	if r.loop >= 0 && r.all && r.steps[r.loop].From != from {
		return r, errors.New("the loop does not close")
	}
	if r.loop >= 0 && c.gap > 0 && r.loop >= shownSteps/2 {
		r.loop += c.gap
	}
	return r, nil
}

func (r toldRun) sources() []lts.State {
	var all []lts.State
	for _, t := range r.steps {
		all = append(all, t.From)
	}
	return all
}

func (r toldRun) end() lts.State { return r.steps[len(r.steps)-1].To }

// owed returns a claim for each of some states.
func owedOf(l literal, states []lts.State) []obligation {
	var all []obligation
	for _, s := range states {
		all = append(all, obligation{l, s})
	}
	return all
}

// allowed checks that the transitions before the last n are by labels that the formula
// allows.
func (j *judge) allowed(a about, steps []lts.Transition) error {
	for _, t := range steps {
		if !a.labels(j.label(t)) {
			return fmt.Errorf("%s is not allowed", j.label(t))
		}
	}
	return nil
}

// checkRunTo: a run leads to where it is decided.
func checkRunTo(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	length := number(found[1])
	r, err := j.run(c, of.s, length)
	a, is := of.runs()
	switch {
	case err != nil:
		return nil, 0, err
	case !is || !a.some || r.loop >= 0 || fmt.Sprint(r.end()) != found[2]:
		return nil, 0, errors.New("not what follows")
	case !a.until:
		// What may end it is so there.
		owed := owedOf(a.left, []lts.State{r.end()})
		more, err := j.along(of, a, r, append(r.sources(), r.end()), found[5], "its states", "its transitions")
		return append(owed, more...), length, first(clause(found[3], a.left), j.all(a.left, []lts.State{r.end()}), j.allowed(a, r.steps), err)
	}
	owed := append(owedOf(a.left, r.sources()), obligation{a.right, r.end()})
	before := r.steps
	if a.last != nil {
		before = r.steps[:len(r.steps)-1]
		if !a.last(j.label(r.steps[len(r.steps)-1])) {
			return nil, 0, errors.New("the last transition is none")
		}
	}
	if found[5] != "" {
		return nil, 0, errors.New("more is said")
	}
	return owed, length, first(clause(found[3], a.right), clause(found[4], a.left), j.all(a.right, []lts.State{r.end()}),
		j.all(a.left, r.sources()), j.allowed(a, before))
}

// along checks what is said of all states of a run, or of all its transitions, and returns
// what is owed of it.
func (j *judge) along(of obligation, a about, r toldRun, states []lts.State, text, which, transitions string) ([]obligation, error) {
	if a.last == nil {
		return owedOf(a.right, states), first(j.said(text, a.right, which), j.all(a.right, states))
	}
	var owed []obligation
	for _, t := range r.steps {
		if a.last(j.label(t)) {
			owed = append(owed, obligation{a.right, t.To})
		}
	}
	for _, o := range owed {
		if err := j.all(a.right, []lts.State{o.s}); err != nil {
			return nil, err
		}
	}
	return owed, j.noLast(text, of, a, transitions)
}

func checkLoop(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	length := number(found[1]) + number(found[2])
	r, err := j.run(c, of.s, length)
	a, is := of.runs()
	switch {
	case err != nil:
		return nil, 0, err
	case !is || !a.some || a.until || r.loop != number(found[1]):
		return nil, 0, fmt.Errorf("not what follows: a loop from %d", r.loop)
	}
	owed, err := j.along(of, a, r, r.sources(), found[3], "its states", "its transitions")
	return owed, length, first(err, j.allowed(a, r.steps))
}

func checkEnd(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	length := number(found[1])
	r, err := j.run(c, of.s, length)
	a, is := of.runs()
	switch {
	case err != nil:
		return nil, 0, err
	case !is || !a.some || a.until || r.loop >= 0 || fmt.Sprint(r.end()) != found[2] || len(j.out(r.end())) > 0:
		return nil, 0, errors.New("not what follows")
	}
	owed, err := j.along(of, a, r, append(r.sources(), r.end()), found[3], "its states", "its transitions")
	return owed, length, first(err, j.allowed(a, r.steps))
}

// checkTaken: the last transition is one that the formula does not allow.
func checkTaken(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	length := number(found[1])
	r, err := j.run(c, of.s, length)
	a, is := of.runs()
	if err != nil || !is || !a.some || a.until || r.loop >= 0 {
		return nil, 0, fmt.Errorf("not what follows: %w", err)
	}
	last := r.steps[len(r.steps)-1]
	if t, err := j.transition(found[2]); err != nil || t != last || a.labels(j.label(last)) {
		return nil, 0, fmt.Errorf("not the transition: %w", err)
	}
	if only := strings.Contains(found[0], "allowed only at the end"); only != (a.last != nil && a.last(j.label(last))) {
		return nil, 0, errors.New("whether it is allowed last")
	}
	owed, err := j.along(of, a, r, r.sources(), found[3], "its states before", "its transitions")
	return owed, length, first(err, j.allowed(a, r.steps[:len(r.steps)-1]))
}
