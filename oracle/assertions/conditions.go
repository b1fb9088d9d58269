package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

// Condition is one of several conditions that a property joins by "and".
type Condition struct {
	Text      string
	Automaton oracle.Automaton
	Phrase    func(q int) string
}

// conditions checks which conditions the run violates, satisfies and leaves open.
func (c *TableChecker) conditions(m []string) error {
	violated, satisfied, open := m[2], m[3], m[4]
	want := []error{want(number(m[1]) == len(c.t.Conditions), "there are %d", len(c.t.Conditions))}
	for _, part := range c.t.Conditions {
		w := c.wordsOfCondition(part)
		accepts, rejects := w.after(len(c.Run.Transitions))
		if !c.t.Stem {
			accepts = w.satisfied()
			rejects = !accepts
		}
		var where *string
		switch {
		case !accepts:
			where = &violated
		case !rejects:
			where = &satisfied
		default:
			where = &open
		}
		rest, found := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(*where, " and "), ", "), part.Text)
		if !found {
			want = append(want, fmt.Errorf("%s is not in its place: %q", part.Text, *where))
			continue
		}
		if where == &violated {
			var err error
			if rest, err = w.broken(rest); err != nil {
				want = append(want, err)
			}
		}
		*where = rest
	}
	return errors.Join(append(want, wantNothing(violated+satisfied+open))...)
}

func wantNothing(left string) error { return want(left == "", "%q is left", left) }

// wordsOfCondition follows the run by the automaton of a condition, and knows what any words can do to it.
func (c *TableChecker) wordsOfCondition(part Condition) *conditionWords {
	w := &conditionWords{c: c, part: part, states: []int{part.Automaton.Initial}}
	for i, t := range c.Run.Transitions {
		w.states = append(w.states, part.Automaton.Next(w.states[i], t.Label))
	}
	var b lts.Builder
	for _, text := range c.Model.Alphabet().All() {
		b.Label(text)
	}
	for t := range c.Model.Transitions() {
		if c.o.Reachable(t.From) {
			b.Add(0, t.Label, 0)
			b.Add(0, t.Label, 1)
		}
	}
	all, err := b.Build(0, 2)
	if err != nil {
		panic(err)
	}
	w.g = oracle.NewGeneral(all, part.Automaton)
	return w
}

// conditionWords is a run with the states of a condition.
type conditionWords struct {
	c      *TableChecker
	part   Condition
	states []int
	g      *oracle.General
}

// after reports whether some word that goes on after i steps is accepted, and whether some is
// not.
func (w *conditionWords) after(i int) (accepts, rejects bool) {
	q := w.states[i]
	accepts, rejects = w.g.Can(0, q)
	stops := w.part.Automaton.Stops(q)
	return accepts || stops, rejects || !stops
}

// loop goes round the loop until the automaton comes again, and returns the states of that round,
// and what is met on it.
func (w *conditionWords) loop() (round []int, met map[int]bool) {
	a, run := w.part.Automaton, w.c.Run
	q := w.states[len(run.Transitions)]
	for range a.States + 1 {
		round, met = nil, map[int]bool{}
		for _, t := range run.Transitions[run.Loop:] {
			round = append(round, q)
			for colour := range a.Marks(q, t.Label) {
				met[colour] = true
			}
			q = a.Next(q, t.Label)
		}
	}
	return round, met
}

// satisfied reports whether the run, which is maximal, satisfies the condition.
func (w *conditionWords) satisfied() bool {
	if w.c.Run.Loop == oracle.NoLoop {
		return w.part.Automaton.Stops(w.states[len(w.states)-1])
	}
	_, met := w.loop()
	return w.part.Automaton.Accepts(met)
}

var inParentheses = regexp.MustCompile(`^ \((?:(from the start)|in step (\d+), (` + label + `)|([^()]*(?:\([^()]*\)[^()]*)*))\)`)

// broken checks what is said of a violated condition, in parentheses, and returns what is behind.
func (w *conditionWords) broken(text string) (rest string, err error) {
	lost := slices.IndexFunc(w.states, func(q int) bool {
		accepts, _ := w.g.Can(0, q)
		return !accepts && !w.part.Automaton.Stops(q)
	})
	m := inParentheses.FindStringSubmatch(text)
	if m == nil {
		return text, want(lost < 0, "it is lost after %d steps", lost)
	}
	rest = text[len(m[0]):]
	switch {
	case m[1] != "":
		return rest, want(lost == 0, "it is lost after %d steps", lost)
	case m[2] != "":
		i := number(m[2])
		return rest, errors.Join(want(lost == i, "it is lost after %d steps", lost),
			want(m[3] == "`"+w.c.Model.Alphabet().Text(w.c.Run.Transitions[i-1].Label)+"`", "step %d is another one", i))
	}
	last := []int{w.states[len(w.states)-1]}
	if w.c.Run.Loop != oracle.NoLoop {
		last, _ = w.loop()
	}
	for _, q := range last {
		if w.part.Phrase(q) != m[4] {
			return rest, fmt.Errorf("it is %q", w.part.Phrase(q))
		}
	}
	return rest, want(lost < 0, "it is lost after %d steps", lost)
}
