package assertions

import (
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

func (c *TableChecker) play() (*game, bool) {
	general := oracle.NewGeneral(c.t.Model, c.t.Automaton)
	wins, few := general.Wins(func(l lts.Label) bool { return inner(c.t.Model, l) })
	if !few {
		return nil, false
	}
	g := &game{
		Checker: c.Checker, wins: map[at]bool{}, colours: c.t.Automaton.Colours, phrase: c.t.Phrase,
		marks:   func(a at, l lts.Label) map[int]bool { return c.t.Automaton.Marks(a.done, l) },
		rejects: func(met map[int]bool) bool { return !c.t.Automaton.Accepts(met) },
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
	add("advice", "To make it true: (never .+)", func(m []string) error { return c.played((*game).advice, m) })
	add("advice on choices", onlyChoices, func(m []string) error { return c.played((*game).onlyFair, m) })
	add("advice to leave", "Nothing has to be forbidden to make it true: (.+)", func(m []string) error { return c.played((*game).onlyLeave, m) })
	add("irreparable", "Forbidding actions does not make it true: ("+label+`) leaves state (\d+), and cannot be forbidden`, func(m []string) error { return c.played((*game).irreparable, m) })
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
