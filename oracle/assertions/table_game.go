package assertions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

// played checks a sentence about what others do, unless they can do it in too many ways.
func (c *TableChecker) played(check func(*game, []string) error, m []string) error {
	g, few := c.play()
	if !few {
		return nil
	}
	return check(g, m)
}

func (c *TableChecker) play() (*game, bool) { return c.playWith(c.t.Triggers) }

// playWith plays as if some labels could not be forbidden, besides internal actions.
func (c *TableChecker) playWith(triggers map[lts.Label]bool) (*game, bool) {
	general := oracle.NewGeneral(c.t.Model, c.t.Automaton)
	wins, few := general.Wins(func(l lts.Label) bool { return inner(c.t.Model, l) || triggers[l] })
	if !few {
		return nil, false
	}
	g := &game{
		Checker: c.Checker, wins: map[at]bool{}, colours: c.t.Automaton.Colours, phrase: c.t.Phrase, triggers: triggers,
		marks:   func(a at, l lts.Label) map[int]bool { return c.t.Automaton.Marks(a.done, l) },
		rejects: func(met map[int]bool) bool { return !c.t.Automaton.Accepts(met) },
		satisfied: func(m *lts.LTS) bool {
			_, reject := oracle.NewGeneral(m, c.t.Automaton).Can(m.Initial(), c.initial)
			return !reject
		},
	}
	for s := range lts.State(c.t.Model.NumStates()) {
		for q := range c.t.Automaton.States {
			if general.Reached(s, q) {
				g.wins[at{s, q}] = wins(s, q)
			}
		}
	}
	g.explore()
	return g, true
}

// addAdvice adds the forms of what is said of what to change.
func (c *TableChecker) addAdvice(add func(name, is string, check func([]string) error)) {
	add("nothing helps", "Nothing does: "+none+" satisfies it", func([]string) error { return want(!c.free(0), "some run satisfies it") })
	add("through", throughForm, func(m []string) error { return c.played((*game).through, m) })
	add("gap", gapForm, func(m []string) error { return c.played((*game).gap, m) })
	add("cut", "Without (.+)", func(m []string) error { return c.played((*game).cut, m) })
	add("only triggers", "Of what can be forbidden, only never doing (.+) would make it true", c.onlyTriggers)
	add("triggers somewhere", "No supervisor helps who does not forbid (.+) somewhere", c.onlyTriggers)
	add("advice", "((?:Never|A supervisor forbids) .+)", func(m []string) error { return c.played((*game).advice, m) })
	add("advice on choices", onlyChoices, func(m []string) error { return c.played((*game).onlyFair, m) })
	add("advice to leave", "(In states? [^(]+? (?:not|no run) .+|No run may .+)", func(m []string) error { return c.played((*game).onlyLeave, m) })
	add("leave in parts", `(In \d+ parts .+)`, func(m []string) error { return c.played((*game).onlyLeave, m) })
	add("irreparable", "Forbidding actions does not make it true: ("+label+`) in state (\d+)( is internal, and)? cannot be forbidden`, func(m []string) error { return c.played((*game).irreparable, m) })
}

// onlyTriggers checks that no supervisor helps who leaves triggers alone, and that one does
// who does not; and whether it is enough never to do some.
func (c *TableChecker) onlyTriggers(m []string) error {
	g, few := c.play()
	if !few {
		return nil
	}
	free, _ := c.playWith(nil)
	enough := func(labels map[lts.Label]bool) bool {
		var without []lts.Transition
		for t := range c.Model.Transitions() {
			if labels[t.Label] {
				without = append(without, t)
			}
		}
		return g.holdsWithout(without...)
	}
	said := map[lts.Label]bool{}
	err := errors.Join(want(!g.wins[g.initial()], "a supervisor helps"), want(free.wins[free.initial()], "no supervisor helps"))
	for _, l := range c.labelsIn(m[1]) {
		said[l] = true
		err = errors.Join(err, want(c.t.Triggers[l], "%d is no trigger", l))
	}
	only := strings.HasPrefix(m[0], "Of")
	if !only {
		said = c.t.Triggers
	}
	return errors.Join(err, want(enough(said) == only, "never to do them is enough: %t", !only))
}

// stays checks what can still happen after the stem.
func (c *TableChecker) stays(m []string) error {
	type pair struct {
		s lts.State
		q int
	}
	end := pair{c.states[len(c.states)-1], c.first[len(c.states)-1]}
	met, states, labels := map[pair]bool{end: true}, map[lts.State]bool{end.s: true}, map[string]bool{}
	for open := []pair{end}; len(open) > 0; open = open[1:] {
		for _, t := range c.o.Out(open[0].s) {
			next := pair{t.To, c.o.Advance(open[0].q, t.Label)}
			if accept, reject := c.g.Can(next.s, next.q); !accept && !reject {
				continue
			}
			labels["`"+c.Model.Alphabet().Text(t.Label)+"`"], states[t.To] = true, true
			if !met[next] {
				met[next] = true
				open = append(open, next)
			}
		}
	}
	said := strings.Split(strings.Replace(m[3], " and ", ", ", 1), ", ")
	for _, l := range said {
		if !labels[l] {
			return fmt.Errorf("%s cannot happen there", l)
		}
	}
	return want(number(m[2]) == len(states) && len(said) == len(labels), "%d states, where %d actions can happen", len(states), len(labels))
}
