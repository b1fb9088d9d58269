package assertions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

// wordsOf returns what knows of each state of the automaton whether some word satisfies it:
// by a model that can do everything, and end after each action.
func (c *TableChecker) wordsOf() (*oracle.General, error) {
	var b lts.Builder
	for l, text := range c.t.Model.Alphabet().All() {
		b.Label(text)
		b.Add(0, l, 0)
		b.Add(0, l, 1)
	}
	m, err := b.Build(0, 2)
	if err != nil {
		return nil, err
	}
	a := c.t.Automaton
	return oracle.NewGeneral(m, a), nil
}

// diagnosis checks what follows the colon of a verdict about a property without steps.
func (c *TableChecker) diagnosis(said string) error {
	loops := c.t.Violated && !c.t.Stem && c.Run.Loop != oracle.NoLoop
	if m := diagnosed.internal.FindStringSubmatch(said); m != nil {
		if !loops || max(1, number(m[2])) != c.Run.Loop+1 {
			return fmt.Errorf("the loop begins with step %d", c.Run.Loop+1)
		}
		for _, t := range c.Run.Transitions[c.Run.Loop:] {
			if text := c.Model.Alphabet().Text(t.Label); text != "i" && text != "tau" {
				return fmt.Errorf("%s is not internal", text)
			}
		}
		said = m[1]
	}
	n := len(c.Run.Transitions)
	lost := 0
	for lost <= n && c.free(lost) {
		lost++
	}
	if m := diagnosed.impossible.FindStringSubmatch(said); m != nil {
		return errors.Join(want(lost == 0, "some run satisfies it"), c.gone(m[1], c.Model.Initial()), c.noBeginning(m[3], m[4]))
	}
	if lost == 0 {
		return errors.New("no run satisfies it, which is not told")
	}
	sunk, err := c.sunk()
	if err != nil {
		return err
	}
	if m := diagnosed.forbidden.FindStringSubmatch(said); m != nil {
		return want(number(m[2]) == sunk, "from step %d on no word satisfies it", sunk)
	}
	if sunk > 0 {
		return fmt.Errorf("from step %d on no word satisfies it, which is not told", sunk)
	}
	if m := diagnosed.early.FindStringSubmatch(said); m != nil {
		return errors.Join(want(number(m[1]) == lost && (lost < n || loops || c.t.Stem), "it is lost after step %d", lost), c.calledTooLate(m))
	}
	if m := diagnosed.lost.FindStringSubmatch(said); m != nil {
		i := number(m[1])
		if i != lost || i > n || text(m[2]) != c.Model.Alphabet().Text(c.Run.Transitions[i-1].Label) {
			return fmt.Errorf("it is lost after step %d", lost)
		}
		return errors.Join(want(i < n || loops || c.t.Stem, "it is the step into a deadlock"), c.gone(m[3], c.states[i]), want(m[7] == "" || c.endsInVain(c.states[i], c.first[i]), "a run goes on, or may end"))
	}
	if m := diagnosed.stops.FindStringSubmatch(said); m != nil {
		last := c.states[n]
		if m[2] == "" {
			lost = n // a run that must not end stops, whatever was lost before
		}
		return errors.Join(want(!loops && number(m[1]) == int(last) && lost >= n, "it ends in %d, and is lost after %d steps", last, lost),
			c.nearer(m[2], c.first[n]), c.refused(m[3], m[4]))
	}
	if !loops || lost <= n {
		return fmt.Errorf("the diagnosis %q: there is a loop: %t; lost after %d steps", said, loops, lost)
	}
	return c.onTheLoop(said)
}

// sunk returns the step after which no word satisfies the property, 0 if there is none.
func (c *TableChecker) sunk() (int, error) {
	g, err := c.wordsOf()
	if err != nil {
		return 0, err
	}
	for i := 1; i < len(c.states); i++ {
		if accept, _ := g.Can(0, c.first[i]); !accept && !c.t.Automaton.Stops(c.first[i]) {
			return i, nil
		}
	}
	return 0, nil
}

// gone checks that none of the labels that are named can happen after a state.
func (c *TableChecker) gone(list string, from lts.State) error {
	labels := c.labelsIn(list)
	return want(!c.happens(from, func(l lts.Label) bool { return slices.Contains(labels, l) }), "%s can happen", list)
}

// noBeginning checks why no run satisfies the property: that each ends, or how each begins.
func (c *TableChecker) noBeginning(ends, begins string) error {
	start, q := c.Model.Initial(), c.first[0]
	if ends != "" && (!c.endsInVain(start, q) || (ends == "nothing can happen") != (len(c.o.Out(start)) == 0)) {
		return errors.New("a run goes on, or may end")
	}
	if begins == "" {
		return nil
	}
	c.Understood["all begin"]++
	g, err := c.wordsOf()
	if err != nil {
		return err
	}
	first := map[lts.Label]bool{}
	for _, t := range c.o.Out(start) {
		to := c.t.Automaton.Next(q, t.Label)
		if accept, _ := g.Can(0, to); accept || c.t.Automaton.Stops(to) {
			return fmt.Errorf("%v does not forbid it", t)
		}
		first[t.Label] = true
	}
	named := c.labelsIn(begins)
	for _, l := range named {
		if !first[l] {
			return fmt.Errorf("no run begins with %s", c.Model.Alphabet().Text(l))
		}
	}
	return want(len(named) > 0 && (len(named) == len(first) || strings.Contains(begins, "other actions")), "runs begin with %v", first)
}

// endsInVain reports whether every run ends that goes on from a state, and none of them, nor any word
// that ends, satisfies the property.
func (c *TableChecker) endsInVain(from lts.State, q int) bool {
	c.Understood["all end"]++
	var goesOn func(s lts.State, on map[lts.State]bool) bool
	goesOn = func(s lts.State, on map[lts.State]bool) bool {
		if on[s] {
			return true
		}
		on[s] = true
		defer delete(on, s)
		return slices.ContainsFunc(c.o.Out(s), func(t lts.Transition) bool { return goesOn(t.To, on) })
	}
	met := map[int]bool{q: true}
	for open := []int{q}; len(open) > 0; open = open[1:] {
		if c.t.Automaton.Stops(open[0]) {
			return false
		}
		for l := range lts.Label(c.Model.Alphabet().Len()) {
			if to := c.t.Automaton.Next(open[0], l); !met[to] {
				met[to] = true
				open = append(open, to)
			}
		}
	}
	return !goesOn(from, map[lts.State]bool{})
}

// calledTooLate checks that a step, which is needed later, comes for the last time, and what calls for it.
func (c *TableChecker) calledTooLate(m []string) error {
	c.Understood["called too late"]++
	i, k, n := number(m[1]), number(m[4]), len(c.Run.Transitions)
	if i >= k || k > n {
		return fmt.Errorf("step %d does not come after step %d", k, i)
	}
	name := func(step int) string { return c.Model.Alphabet().Text(c.Run.Transitions[step-1].Label) }
	stops := func(step int) bool { return c.t.Automaton.Stops(c.first[step]) }
	for after := k; after <= n; after++ {
		if stops(after) {
			return fmt.Errorf("nothing is pending after step %d", after)
		}
	}
	return errors.Join(want(text(m[2]) == name(i) && text(m[3]) == name(k), "they are %s and %s", name(i), name(k)),
		want(stops(i) && stops(k-1), "something is pending before"), c.gone(m[2], c.states[i]))
}

// nearer checks that just the labels that are named lead the automaton nearer to a state
// in which runs may end.
func (c *TableChecker) nearer(list string, q int) error {
	a := c.t.Automaton
	distance := func(from int) int {
		met, layer := map[int]bool{from: true}, []int{from}
		for d := 0; len(layer) > 0; d++ {
			var next []int
			for _, at := range layer {
				if a.Stops(at) {
					return d
				}
				for l := range lts.Label(c.Model.Alphabet().Len()) {
					if to := a.Next(at, l); !met[to] {
						met[to] = true
						next = append(next, to)
					}
				}
			}
			layer = next
		}
		return a.States + 1
	}
	here := distance(q)
	named := c.labelsIn(list)
	if here > a.States {
		return want(list == "", "nothing helps")
	}
	if strings.Contains(list, "other actions") {
		return nil
	}
	for l := range lts.Label(c.Model.Alphabet().Len()) {
		if !c.happens(c.Model.Initial(), func(other lts.Label) bool { return other == l }) {
			continue // nothing is told of what no run does
		}
		if helps := distance(a.Next(q, l)) < here; helps != slices.Contains(named, l) && list != "" {
			return fmt.Errorf("%s helps: %t", c.Model.Alphabet().Text(l), helps)
		}
	}
	return nil
}

// onTheLoop checks a diagnosis of a loop that could be left.
func (c *TableChecker) onTheLoop(said string) error {
	text := func(t lts.Transition) string { return c.Model.Alphabet().Text(t.Label) }
	onLoop := map[string]bool{}
	for _, t := range c.Run.Transitions[c.Run.Loop:] {
		onLoop[text(t)] = true
	}
	if m := diagnosed.recurs.FindStringSubmatch(said); m != nil {
		for _, l := range c.labelsIn(m[1]) {
			if !onLoop[c.Model.Alphabet().Text(l)] {
				return fmt.Errorf("%s does not happen on the loop", c.Model.Alphabet().Text(l))
			}
		}
		return nil
	}
	if m := diagnosed.back.FindStringSubmatch(said); m != nil {
		pending := c.labelsIn(m[1])
		if onLoop[c.Model.Alphabet().Text(pending[0])] && len(c.rounds()) == len(c.Run.Transitions)-c.Run.Loop && c.constant() {
			return fmt.Errorf("%s is on the loop", m[1])
		}
		return c.goes(m, func(t lts.Transition) bool { return slices.Contains(pending, t.Label) })
	}
	if m := diagnosed.differently.FindStringSubmatch(said); m != nil {
		_, all, err := placesNamed(m[1])
		return errors.Join(err, want(all == len(c.distinct()), "there are %d places", len(c.distinct())))
	}
	m := diagnosed.starved.FindStringSubmatch(said)
	if m == nil {
		return fmt.Errorf("the diagnosis %q is not understood", said)
	}
	possible, all, err := placesNamed(m[2])
	if err != nil || strings.Contains(m[1], "other actions") {
		return err
	}
	pending, is := c.labelsIn(m[1]), 0
	for at := range c.distinct() {
		if slices.ContainsFunc(c.o.Out(at.s), func(t lts.Transition) bool { return slices.Contains(pending, t.Label) }) {
			is++
		}
	}
	for _, l := range pending {
		if onLoop[c.Model.Alphabet().Text(l)] {
			return fmt.Errorf("%s is taken", c.Model.Alphabet().Text(l))
		}
	}
	return want(possible == is && all == len(c.distinct()), "it is possible in %d of %d", is, len(c.distinct()))
}

// place is a state with that of the property.
type place struct {
	s lts.State
	q int
}

// rounds returns the places that repeat on the loop, in their order.
func (c *TableChecker) rounds() []place {
	q := c.again[c.Run.Loop]
	var all []place
	met := map[int]bool{}
	for !met[q] {
		met[q] = true
		for i := c.Run.Loop; i < len(c.Run.Transitions); i++ {
			all = append(all, place{c.states[i], q})
			q = c.t.Automaton.Next(q, c.Run.Transitions[i].Label)
		}
	}
	return all
}

func (c *TableChecker) distinct() map[place]bool {
	all := map[place]bool{}
	for _, p := range c.rounds() {
		all[p] = true
	}
	return all
}

// constant reports whether the property stays in one state on the loop.
func (c *TableChecker) constant() bool {
	all := c.rounds()
	return !slices.ContainsFunc(all, func(p place) bool { return p.q != all[0].q })
}
