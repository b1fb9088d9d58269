package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// at is a state with the number of steps done.
type at struct {
	state lts.State
	done  int
}

// move is a transition from a state with so many steps done.
type move struct {
	lts.Transition
	done int
}

// game knows, by brute force, from where what is not done by others can make the property
// hold: the internal actions, which cannot be forbidden, are theirs.
type game struct {
	*Checker
	wins map[at]bool
	// reached are the pairs that runs come to which take nothing that is forbidden.
	reached map[at]bool
}

func (g *game) inner(l lts.Label) bool {
	text := g.Model.Alphabet().Text(l)
	return text == "i" || text == "tau"
}

func (g *game) next(a at, t lts.Transition) at { return at{t.To, g.o.Advance(a.done, t.Label)} }

// play finds the least set from which one can win, round by round.
func (c *Checker) play() *game {
	g := &game{c, map[at]bool{}, map[at]bool{}}
	for changed := true; changed; {
		changed = false
		for s := range lts.State(c.Model.NumStates()) {
			for j := range len(c.Steps) + 1 {
				if a := (at{s, j}); !g.wins[a] && g.winsNow(a) {
					g.wins[a] = true
					changed = true
				}
			}
		}
	}
	todo := []at{{c.Model.Initial(), 0}}
	for len(todo) > 0 {
		a := todo[0]
		todo = todo[1:]
		if g.reached[a] || !g.wins[a] {
			continue
		}
		g.reached[a] = true
		for _, t := range c.o.Out(a.state) {
			if a.done == len(c.Steps) || g.wins[g.next(a, t)] {
				todo = append(todo, g.next(a, t))
			}
		}
	}
	return g
}

func (g *game) winsNow(a at) bool {
	if a.done == len(g.Steps) {
		return true
	}
	some, forced, all := false, false, true
	for _, t := range g.o.Out(a.state) {
		wins := g.wins[g.next(a, t)]
		some = some || wins
		if g.inner(t.Label) {
			forced = true
			all = all && wins
		}
	}
	return forced && all || !forced && some
}

// forbidden returns what has to be.
func (g *game) forbidden() map[move]bool {
	all := map[move]bool{}
	for a := range g.reached {
		for _, t := range g.o.Out(a.state) {
			if a.done < len(g.Steps) && !g.wins[g.next(a, t)] {
				all[move{t, a.done}] = true
			}
		}
	}
	return all
}

// parts returns the strongly connected parts of what is left, with the property
// unfinished, that hold a transition.
func (g *game) parts() []map[at]bool {
	reach := func(from at) map[at]bool {
		met := map[at]bool{}
		var visit func(a at)
		visit = func(a at) {
			for _, t := range g.o.Out(a.state) {
				if to := g.next(a, t); to.done < len(g.Steps) && g.wins[to] && !met[to] {
					met[to] = true
					visit(to)
				}
			}
		}
		visit(from)
		return met
	}
	var parts []map[at]bool
	in := map[at]bool{}
	for a := range g.reached {
		if a.done == len(g.Steps) || in[a] || !reach(a)[a] {
			continue
		}
		part := map[at]bool{}
		for b := range reach(a) {
			if reach(b)[a] {
				part[b], in[b] = true, true
			}
		}
		parts = append(parts, part)
	}
	return parts
}

var (
	neverAgain = regexp.MustCompile(`(?:, | and |^)never `)
	oneNever   = regexp.MustCompile(`^(` + label + `)(?: to state (\d+))? (?:in states? ([\d, ]+?)|\(in (\d+) states\))(?: (once|before) (.+?) is done(?:, before (.+?) is)?| when (.+) steps of the property are done)?$`)
	moreNever  = regexp.MustCompile(`^what is to be forbidden in (\d+) more states?$`)
	leaveOne   = regexp.MustCompile(`^in states? ([\d, ]+?)(?:, … (\d+) more)? not (.+) for ever, but sooner or later (.+)$`)
	leaveAll   = regexp.MustCompile(`^no run may stay for ever in one of (\d+) parts of the model, of (\d+) states in all$`)
)

// advice checks what is said to make the property true.
func (c *Checker) advice(m []string) error {
	g := c.play()
	if !g.wins[at{c.Model.Initial(), 0}] {
		return errors.New("nothing that is forbidden makes it true")
	}
	nevers, leave, _ := strings.Cut(m[1], "; and ")
	return errors.Join(g.never(nevers), g.leave(leave))
}

// onlyLeave is advice to forbid nothing.
func (c *Checker) onlyLeave(m []string) error {
	g := c.play()
	return errors.Join(want(g.wins[at{c.Model.Initial(), 0}], "it cannot be made true"),
		want(len(g.forbidden()) == 0, "%v is to be forbidden", g.forbidden()), g.leave(m[1]))
}

// irreparable checks that forbidding does not help, and a label in the way.
func (c *Checker) irreparable(m []string) error {
	g := c.play()
	leaves := false
	for _, t := range c.o.Out(lts.State(number(m[2]))) {
		leaves = leaves || g.inner(t.Label) && "`"+c.Model.Alphabet().Text(t.Label)+"`" == m[1]
	}
	return errors.Join(want(!g.wins[at{c.Model.Initial(), 0}], "it can be made true"), want(leaves, "it does not"),
		want(c.o.Free(c.Model.Initial(), 0), "no run satisfies it"))
}

func (g *game) never(said string) error {
	expected := g.forbidden()
	told := map[move]bool{}
	cut := false
	for _, part := range neverAgain.Split(said, -1)[1:] {
		if moreNever.MatchString(part) {
			cut = true
			continue
		}
		m := oneNever.FindStringSubmatch(part)
		if m == nil {
			return fmt.Errorf("%q is not understood", part)
		}
		moves := g.meant(m, expected)
		if len(moves) == 0 {
			return fmt.Errorf("%q is not what has to be forbidden: %v", part, expected)
		}
		for _, x := range moves {
			told[x] = true
		}
	}
	return want(cut || len(told) == len(expected), "%v has to be forbidden, told is %v", expected, told)
}

// meant returns the transitions of which a part of a sentence says that they are
// forbidden, under a reading by which they have to be.
func (g *game) meant(m []string, expected map[move]bool) []move {
	candidates := func(name string) []int {
		if name == "" {
			return []int{0}
		}
		var steps []int
		for step := range g.Steps {
			if g.named(name, step+1) == nil {
				steps = append(steps, step+1)
			}
		}
		return steps
	}
	after, before := m[6], m[7]
	if m[5] == "before" {
		after, before = "", m[6]
	}
	for _, first := range candidates(after) {
		for _, last := range candidates(before) {
			moves, ok := g.under(m, func(done int) bool {
				return done >= first && (last == 0 || done < last) && (m[8] == "" || slices.Contains(numbers(strings.ReplaceAll(m[8], " or ", ", ")), done))
			}, expected)
			if ok {
				return moves
			}
		}
	}
	return nil
}

// under returns the transitions that are meant where the steps done are so; false where
// one of them does not have to be forbidden, or there are not as many states as are said.
func (g *game) under(m []string, is func(done int) bool, expected map[move]bool) ([]move, bool) {
	var moves []move
	states := map[lts.State]bool{}
	listed := map[lts.State]bool{}
	if m[3] != "" {
		for _, n := range numbers(m[3]) {
			listed[lts.State(n)] = true
		}
	}
	for a := range g.reached {
		if a.done == len(g.Steps) || !is(a.done) || m[3] != "" && !listed[a.state] {
			continue
		}
		for _, t := range g.o.Out(a.state) {
			x := move{t, a.done}
			if "`"+g.Model.Alphabet().Text(t.Label)+"`" != m[1] || m[2] != "" && number(m[2]) != int(t.To) || m[4] != "" && !expected[x] {
				continue
			}
			if !expected[x] {
				return nil, false
			}
			moves = append(moves, x)
			states[t.From] = true
		}
	}
	return moves, m[4] == "" && len(states) == len(listed) || m[4] != "" && len(states) >= number(m[4])
}

func (g *game) leave(said string) error {
	parts := g.parts()
	places := 0
	for _, p := range parts {
		places += len(p)
	}
	if said == "" {
		return want(len(parts) == 0, "%d parts are to be left", len(parts))
	}
	if m := leaveAll.FindStringSubmatch(said); m != nil {
		return want(number(m[1]) == len(parts) && number(m[2]) == places, "there are %d parts with %d states", len(parts), places)
	}
	m := leaveOne.FindStringSubmatch(said)
	if m == nil || len(parts) != 1 {
		return fmt.Errorf("%q: there are %d parts", said, len(parts))
	}
	states, loop, out := map[lts.State]bool{}, map[string]bool{}, map[string]bool{}
	for a := range parts[0] {
		states[a.state] = true
		for _, t := range g.o.Out(a.state) {
			switch to := g.next(a, t); {
			case parts[0][to]:
				loop[g.Model.Alphabet().Text(t.Label)] = true
			case g.wins[to]:
				out[g.Model.Alphabet().Text(t.Label)] = true
			}
		}
	}
	var errs []error
	for _, n := range numbers(m[1]) {
		errs = append(errs, want(states[lts.State(n)], "state %d is not in the part", n))
	}
	errs = append(errs, want(len(numbers(m[1]))+number(m[2]) == len(states), "the part has %d states", len(states)))
	return errors.Join(append(errs, g.all(m[3], loop), g.all(m[4], out))...)
}

// all checks that labels are those that are expected, but for those that are counted.
func (g *game) all(said string, expected map[string]bool) error {
	labels := g.texts(said)
	for _, l := range labels {
		if !expected[l] {
			return fmt.Errorf("%q, expected %v", l, expected)
		}
	}
	return want(len(labels) == len(expected) || strings.Contains(said, "other action") && len(labels) < len(expected), "%q, expected %v", said, expected)
}
