package counterexample

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// refusal is the error for a given trace that is no counterexample.
type refusal struct{ message string }

func (r *refusal) Error() string { return r.message }

func refuse(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...)}
}

// refuse tells why no run of the product is a counterexample.
func (y *matching) refuse() error {
	for i, at := range y.runs.nodes.All() {
		if y.isCut(at.state) {
			return y.refuseBeginning(at.state, y.run(i))
		}
	}
	fits, err := y.fits()
	switch {
	case err != nil:
		return err
	case fits || len(y.cuts()) > 0:
		return y.refuseSatisfied()
	}
	return y.refuseMisfit()
}

// refuseMisfit tells why no run of the model fits the given trace.
func (y *pairing) refuseMisfit() error {
	if y.given.linear {
		return y.refuseLine()
	}
	return y.refuseGraph()
}

// fits reports whether some maximal run fits the given trace, whatever its progress.
func (y *matching) fits() (bool, error) {
	for s := range y.joints {
		if y.isEnd(lts.State(s)) {
			return true, nil
		}
	}
	_, lively, err := y.liveComponents(y.p.Len())
	return slices.Contains(lively, true), err
}

// What is said of a given trace that satisfies the property.
const (
	satisfied = "the trace does not violate the property: "
	fitting   = "every run of the model that fits it satisfies it"
)

// refuseSatisfied names the step that completes the property. It is the same one
// in all runs of a linear given trace, internal actions that it leaves out aside.
func (y *matching) refuseSatisfied() error {
	v := y.given
	if !v.linear {
		return refuse(satisfied + fitting)
	}
	progress := 0
	for round, begin := 1, 0; ; round++ {
		before := progress
		for i, step := range v.line[begin:] {
			l, known := y.q.Alphabet().Lookup(y.spelt(step.Label))
			if !known {
				continue
			}
			if progress = y.p.Advance(progress, l); progress < y.p.Len() {
				continue
			}
			message := fmt.Sprintf("step %d (%q) completes it", begin+i+1, v.text(step.Label))
			if round > 1 {
				message += fmt.Sprintf(" on round %d of the loop", round)
			}
			return refuse("%s", satisfied+message)
		}
		if v.loop == noLoop || progress == before {
			return refuse(satisfied + "with the internal actions that it leaves out, every run of the model that fits it satisfies it")
		}
		begin = v.loop
	}
}

// spelt returns the text that the model has for a label of the given trace.
func (y *pairing) spelt(e lts.Label) string {
	for l, of := range y.spelling {
		if slices.Contains(of, e) {
			return y.m.Alphabet().Text(lts.Label(l))
		}
	}
	return y.given.text(e)
}

// refuseBeginning tells where a run to a cut breaks off.
func (y *pairing) refuseBeginning(cut lts.State, run []lts.Transition) error {
	s := y.joints[cut].state
	return refuse("the trace is only the beginning of a run: %s the property can still be satisfied; the model offers %s there",
		after(y.taken(run), []lts.State{s}), y.offers([]lts.State{s}))
}

// after says where the model is after the first steps of the given trace.
func after(steps int, states []lts.State) string {
	where := fmt.Sprintf("state %d", states[0])
	if len(states) > 1 {
		where += fmt.Sprintf(" or %s", printable.Quantity(len(states)-1, "other"))
	}
	if steps == 0 {
		return "in the beginning (" + where + ")"
	}
	return fmt.Sprintf("after step %d (%s)", steps, where)
}

// offers lists some labels by which the model can leave these states.
func (y *pairing) offers(states []lts.State) string {
	var distinct []lts.Label
	for _, s := range states {
		labels, _ := y.m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			if !slices.Contains(distinct, l) {
				distinct = append(distinct, l)
			}
		}
	}
	if len(distinct) == 0 {
		return "nothing, which is a deadlock"
	}
	return listed(distinct, y.m.Alphabet())
}

// listed quotes the first of the labels and counts the rest.
func listed(labels []lts.Label, a *lts.Alphabet) string {
	const most = 3
	shown := labels
	if len(labels) > most {
		shown = labels[:most-1]
	}
	quoted := make([]string, len(shown))
	for i, l := range shown {
		quoted[i] = fmt.Sprintf("%q", a.Text(l))
	}
	text := strings.Join(quoted, ", ")
	if rest := len(labels) - len(shown); rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// refuseLine follows all runs that fit a linear given trace, step by step, and names
// the step that none of them can take. There is one: a loop that some run could go
// round for ever would have fitted.
func (y *pairing) refuseLine() error {
	v := y.given
	at := y.aside([]lts.State{y.q.Initial()})
	for steps := 0; ; steps++ {
		next := y.aside(y.stepped(at))
		if len(next) > 0 {
			at = next
			continue
		}
		var states []lts.State
		for _, s := range at {
			states = append(states, y.joints[s].state)
		}
		slices.Sort(states)
		offers := y.offers(states)
		if steps == len(v.line) && v.loop == noLoop {
			return refuse("the trace ends in a deadlock, but %s the model offers %s", after(steps, states), offers)
		}
		step, round := v.position(steps)
		what := fmt.Sprintf("step %d, %q, is no step of the model", step+1, v.text(v.line[step].Label))
		if round > 1 {
			what += fmt.Sprintf(" on round %d of the loop", round)
		}
		return refuse("%s: %s it offers %s", what, after(steps, states), offers)
	}
}

// position returns which edge of a linear given trace is taken after so many steps,
// and on which round of the loop.
func (v *Given) position(steps int) (step, round int) {
	if steps < len(v.line) {
		return steps, 1
	}
	length := len(v.line) - v.loop
	beyond := steps - len(v.line)
	return v.loop + beyond%length, 2 + beyond/length
}

// aside adds what the model reaches from these states by internal actions alone.
func (y *pairing) aside(states []lts.State) []lts.State {
	met := map[lts.State]bool{}
	for _, s := range states {
		met[s] = true
	}
	for i := 0; i < len(states); i++ {
		labels, targets := y.q.Out(states[i])
		for j, to := range targets {
			if !met[to] && !y.moves(states[i], labels.At(j), to) {
				met[to] = true
				states = append(states, to)
			}
		}
	}
	return states
}

// stepped returns where one step of the given trace leads from these states.
func (y *pairing) stepped(states []lts.State) []lts.State {
	var next []lts.State
	met := map[lts.State]bool{}
	for _, s := range states {
		labels, targets := y.q.Out(s)
		for j, to := range targets {
			if !met[to] && y.moves(s, labels.At(j), to) {
				met[to] = true
				next = append(next, to)
			}
		}
	}
	return next
}

// refuseGraph tells where the run that follows the given trace furthest ends.
func (y *pairing) refuseGraph() error {
	furthest, steps := y.furthest()
	place := y.joints[furthest]
	states := []lts.State{place.state}
	wants := "has ended in a deadlock"
	if edges, _ := y.given.graph.Out(place.node); edges.Len() > 0 {
		wants = "goes on with " + listed(slices.Collect(edges.All()), y.given.graph.Alphabet())
	}
	return refuse("no run of the model fits the trace: the one that gets furthest stops %s, where the trace %s and the model offers %s",
		after(steps, states), wants, y.offers(states))
}

// furthest returns where the runs end that take the most steps of the given trace
// (of shortest runs), the first of these places, and that number of steps.
func (y *pairing) furthest() (place lts.State, most int) {
	place = y.q.Initial()
	met := map[lts.State]bool{place: true}
	for at, steps := []lts.State{place}, 0; len(at) > 0; steps++ {
		at = y.aside(at)
		for _, s := range at {
			if y.q.IsDeadlock(s) && (steps > most || !y.q.IsDeadlock(place)) {
				place, most = s, steps
			}
		}
		at = slices.DeleteFunc(y.stepped(at), func(s lts.State) bool { return met[s] })
		for _, s := range at {
			met[s] = true
		}
	}
	return place, most
}
