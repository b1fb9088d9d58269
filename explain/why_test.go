package explain_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// whyOracle answers questions by walking: it knows the model, the counterexample, and
// what every history with every transition comes to.
type whyOracle struct {
	m      *lts.LTS
	is     func(lts.Label) bool
	steps  []explain.Step
	loop   int // -1 if there is none
	next   func(q int, l lts.Label) int
	first  int
	class  func(q int, t lts.Transition) fate.Class // of the transition, for one history
	arrive func(s lts.State, q int) bool
	states int // of the property
}

// distance is the number of transitions before the action is possible, by trying all
// walks of each length.
func (o whyOracle) distance(s lts.State) int {
	at := map[lts.State]bool{s: true}
	for d := range o.m.NumStates() {
		next := map[lts.State]bool{}
		for s := range at {
			labels, targets := o.m.Out(s)
			for i, to := range targets {
				if o.is(labels.At(i)) {
					return d
				}
				next[to] = true
			}
		}
		at = next
	}
	return -1
}

func (o whyOracle) places() int {
	if o.loop >= 0 {
		return len(o.steps)
	}
	return len(o.steps) + 1
}

func (o whyOracle) at(i int) lts.State {
	if i < len(o.steps) {
		return o.steps[i].From
	}
	if i == 0 {
		return o.m.Initial()
	}
	return o.steps[i-1].To
}

func (o whyOracle) label(i int) lts.Label {
	l, _ := o.m.Alphabet().Lookup(o.steps[i].Label)
	return l
}

// property returns its states at place i: on the first arrival, and in the first round of
// the loop that comes again.
func (o whyOracle) property(i int) (first, last int) {
	along := func(q, from, to int) int {
		for j := from; j < to; j++ {
			q = o.next(q, o.label(j))
		}
		return q
	}
	first = along(o.first, 0, i)
	if o.loop < 0 || i < o.loop {
		return first, first
	}
	q := along(o.first, 0, o.loop)
	for met := map[int]bool{}; !met[q]; q = along(q, o.loop, len(o.steps)) {
		met[q] = true
	}
	return first, along(q, o.loop, i)
}

// over is the class of a path for all histories that arrive at its first state.
func (o whyOracle) over(path []lts.Transition) fate.Class {
	var all []fate.Class
	for q := range o.states {
		if o.arrive(path[0].From, q) {
			all = append(all, o.after(q, path))
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 1 {
		return all[0]
	}
	return fate.Neutral
}

func (o whyOracle) after(q int, path []lts.Transition) fate.Class {
	for _, t := range path[:len(path)-1] {
		q = o.next(q, t.Label)
	}
	return o.class(q, path[len(path)-1])
}

// lost reports whether every way on from a place loses the property: it is asked of places
// that have one.
func (o whyOracle) lost(place int, s lts.State) bool {
	_, q := o.property(place)
	labels, targets := o.m.Out(s)
	for i, to := range targets {
		if o.class(q, lts.Transition{From: s, Label: labels.At(i), To: to}) != fate.Incorrect {
			return false
		}
	}
	return true
}

func (o whyOracle) actions(s lts.State, but *lts.Transition) (all []lts.Transition) {
	labels, targets := o.m.Out(s)
	for i, to := range targets {
		t := lts.Transition{From: s, Label: labels.At(i), To: to}
		if o.is(labels.At(i)) && !slices.Contains(all, t) && (but == nil || t != *but) {
			all = append(all, t)
		}
	}
	return all
}

func (o whyOracle) choices(got []explain.Missed, want []lts.Transition, path []lts.Transition, place int) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d choices, want %d", len(got), len(want))
	}
	for i, t := range want {
		c := got[i]
		whole := append(slices.Clone(path), t)
		if o.m.Alphabet().Text(t.Label) != c.Label || c.To != t.To || c.Class != o.over(whole) {
			return fmt.Errorf("choice %+v, want %v, %v", c, t, o.over(whole))
		}
		var now, before fate.Class
		if place >= 0 {
			first, last := o.property(place)
			now, before = o.after(last, whole), o.after(first, whole)
		}
		if c.After != now || c.First != before {
			return fmt.Errorf("choice %+v means %v, at first %v", c, now, before)
		}
	}
	return nil
}

func (o whyOracle) check(w *explain.WhyNot, q explain.WhyQuestion) error {
	if w.Run != nil {
		if err := o.checkRun(w.Run); err != nil {
			return err
		}
	}
	places, states := []int{}, []lts.State{}
	switch {
	case q.State != nil:
		places, states = append(places, -1), append(states, *q.State)
	case w.Run == nil:
	case q.Step != nil:
		places, states = append(places, int(*q.Step)), append(states, o.at(int(*q.Step)))
	default:
		for i := range o.places() {
			places, states = append(places, i), append(states, o.at(i))
		}
	}
	left, least, nearest := w.Places, -1, 0
	for i, s := range states {
		d := o.distance(s)
		if d >= 0 && (least < 0 || d < least) {
			least, nearest = d, i
		}
		var taken *lts.Transition
		if p := places[i]; p >= 0 && p < len(o.steps) {
			taken = &lts.Transition{From: s, Label: o.label(p), To: o.steps[p].To}
		}
		want := o.actions(s, taken)
		if d != 0 || len(want) == 0 {
			continue
		}
		if len(left) == 0 {
			return fmt.Errorf("place %d, state %d is missing", places[i], s)
		}
		p := left[0]
		left = left[1:]
		if p.State != s || (p.Step == nil) != (places[i] < 0) || p.Step != nil && int(*p.Step) != places[i] {
			return fmt.Errorf("place %+v, want %d at %d", p, s, places[i])
		}
		if taken != nil && p.Took != o.m.Alphabet().Text(taken.Label) {
			return fmt.Errorf("took %q", p.Took)
		}
		if places[i] >= 0 && p.IsLost() != o.lost(places[i], s) {
			return fmt.Errorf("place %+v, lost: %t", p, !p.IsLost())
		}
		if err := o.choices(p.Choices, want, nil, places[i]); err != nil {
			return err
		}
	}
	switch {
	case len(left) > 0:
		return fmt.Errorf("%d places too many", len(left))
	case (w.Nearest != nil) != (least > 0):
		return fmt.Errorf("nearest %+v, want distance %d", w.Nearest, least)
	case w.Nearest == nil:
		return nil
	}
	n := w.Nearest
	if n.From != states[nearest] || len(n.Path) != least || (n.Step == nil) != (places[nearest] < 0) || n.Step != nil && int(*n.Step) != places[nearest] {
		return fmt.Errorf("nearest %+v, want %d transitions from place %d", n, least, places[nearest])
	}
	at, path := n.From, []lts.Transition{}
	for _, s := range n.Path {
		l, _ := o.m.Alphabet().Lookup(s.Label)
		t := lts.Transition{From: at, Label: l, To: s.To}
		if s.From != at || !slices.Contains(slices.Collect(o.m.Transitions()), t) || o.is(l) {
			return fmt.Errorf("no transition %+v leads on to the action", s)
		}
		path, at = append(path, t), s.To
	}
	return o.choices(n.Choices, o.actions(at, nil), path, places[nearest])
}

func (o whyOracle) checkRun(r *explain.WhyRun) error {
	var taken, possible []explain.StepIndex
	out := -1
	for i := range o.places() {
		if i < len(o.steps) && o.is(o.label(i)) {
			taken = append(taken, explain.StepIndex(i))
		}
		switch o.distance(o.at(i)) {
		case 0:
			possible = append(possible, explain.StepIndex(i))
		case -1:
			if out < 0 {
				out = i
			}
		}
	}
	if !slices.Equal(taken, r.Taken) || !slices.Equal(possible, r.Possible) || (out >= 0) != (r.OutOfReach != nil) || out >= 0 && out != r.OutOfReach.Steps {
		return fmt.Errorf("run %+v, want %v, %v, %d", r, taken, possible, out)
	}
	if out > 0 && *r.OutOfReach.By != (explain.PathStep{From: o.at(out - 1), Label: o.steps[out-1].Label, To: o.at(out)}) {
		return fmt.Errorf("out of reach by %+v", r.OutOfReach.By)
	}
	return nil
}

// ask compares the answers to all questions that there are about a model and a label.
func (o whyOracle) ask(t *testing.T, f property.Formula, action *actl.Formula) error {
	t.Helper()
	questions := []explain.WhyQuestion{{Not: action}}
	for i := range o.places() {
		step := explain.StepIndex(i)
		questions = append(questions, explain.WhyQuestion{Not: action, Step: &step})
	}
	for s := range lts.State(o.m.NumStates()) {
		questions = append(questions, explain.WhyQuestion{Not: action, State: &s})
	}
	for _, q := range questions {
		w, err := explain.Why(context.Background(), o.m, f, q, explain.Options{})
		var none *explain.NoPlaceError
		switch {
		case q.State != nil && !o.m.Reachable().Has(*q.State):
			if !errors.As(err, &none) {
				return fmt.Errorf("state %d cannot be reached, error %w", *q.State, err)
			}
			continue
		case err != nil:
			return err
		}
		if err := o.check(w, q); err != nil {
			return fmt.Errorf("question %+v: %w\nanswer %+v", q, err, w)
		}
	}
	return nil
}

// runOf returns the counterexample that is explained, as steps.
func (o *whyOracle) runOf(t *testing.T, f property.Formula) {
	t.Helper()
	e, err := explain.Explain(context.Background(), o.m, f, explain.Options{NoFairness: true})
	if err != nil {
		t.Fatal(err)
	}
	o.loop, o.steps = -1, nil
	if c := e.Counterexample; c != nil {
		o.steps, o.loop = c.Steps, int(c.LoopStart)
	}
}

// TestWhyNot: every claim of every answer is what walking through the model says.
func TestWhyNot(t *testing.T) {
	size := randomlts.Size{States: 6, Transitions: 12, Labels: 4, Steps: 3}
	for seed := range randomlts.Share(700) {
		c := randomlts.Seeded(seed, size)
		if c.Model.Alphabet().Len() == 0 {
			continue
		}
		brute, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		f := parse(t, c.Formula)
		wanted := lts.Label(seed % uint64(c.Model.Alphabet().Len()))
		o := whyOracle{
			m: c.Model, is: func(l lts.Label) bool { return l == wanted }, next: brute.Advance, arrive: brute.Arrives, states: len(c.Steps) + 1,
			class: func(q int, t lts.Transition) fate.Class {
				return map[oracle.Class]fate.Class{
					oracle.Correct: fate.Correct, oracle.Incorrect: fate.Incorrect, oracle.Neutral: fate.Neutral,
				}[brute.ClassAfter(q, t)]
			},
		}
		o.runOf(t, f)
		if err := o.ask(t, f, parse(t, fmt.Sprintf("Inev(%q)", c.Model.Alphabet().Text(wanted)))); err != nil {
			t.Fatalf("seed %d, not %s:\n%s\n%v", seed, c.Model.Alphabet().Text(wanted), c, err)
		}
	}
}

// TestWhyNotOfOtherProperties: the same of properties that are no chains of steps.
func TestWhyNotOfOtherProperties(t *testing.T) {
	size := randomlts.Size{States: 5, Transitions: 10, Labels: 3, Steps: 2}
	cases := uint64(250)
	if !randomlts.Whole() {
		cases = 60
	}
	for seed := range cases {
		c := randomlts.Seeded(seed, size)
		if c.Model.Alphabet().Len() == 0 {
			continue
		}
		text := func(i uint64) string {
			return fmt.Sprintf("%q", c.Model.Alphabet().Text(lts.Label((seed+i)%uint64(c.Model.Alphabet().Len()))))
		}
		source := []string{"Response(%s; %s)", "Never(%s; after %s)", "G F %s || F G !%s", "Precedes(%s; %s)"}[seed%4]
		f, err := formula.Parse(context.Background(), fmt.Sprintf(source, text(0), text(1)))
		if err != nil {
			t.Fatal(err)
		}
		a, err := explain.Analyse(context.Background(), c.Model, f, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := a.Property
		met := map[[2]int]bool{}
		var walk func(s lts.State, q int)
		walk = func(s lts.State, q int) {
			if met[[2]int{int(s), q}] {
				return
			}
			met[[2]int{int(s), q}] = true
			labels, targets := c.Model.Out(s)
			for i, to := range targets {
				walk(to, int(p.Next(property.Q(q), labels.At(i))))
			}
		}
		walk(c.Model.Initial(), int(p.Initial()))
		states := 0
		for at := range met {
			states = max(states, at[1]+1)
		}
		wanted := lts.Label((seed + 2) % uint64(c.Model.Alphabet().Len()))
		o := whyOracle{
			m: c.Model, is: func(l lts.Label) bool { return l == wanted }, first: int(p.Initial()), states: states,
			next:   func(q int, l lts.Label) int { return int(p.Next(property.Q(q), l)) },
			arrive: func(s lts.State, q int) bool { return met[[2]int{int(s), q}] },
			class: func(q int, t lts.Transition) fate.Class {
				return a.Fates.After(property.Q(q), t.Label, t.To)
			},
		}
		o.runOf(t, f)
		if err := o.ask(t, f, parse(t, "Inev("+text(2)+")")); err != nil {
			t.Fatalf("seed %d, %s, not %s:\n%s\n%v", seed, f, text(2), c, err)
		}
	}
}
