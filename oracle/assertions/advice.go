package assertions

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
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
	// colours is the number of colours of which rejects decides whether those that a run
	// meets for ever make it violate the property; of a chain there are none.
	colours int
	marks   func(a at, l lts.Label) map[int]bool
	rejects func(colours map[int]bool) bool
	// phrase says what is pending; nil of a chain.
	phrase func(q int) string
	// triggers cannot be forbidden, either.
	triggers map[lts.Label]bool
	// satisfied reports whether another model satisfies the property.
	satisfied func(*lts.LTS) bool
}

func (g *game) inner(l lts.Label) bool { return inner(g.Model, l) || g.triggers[l] }

func inner(m *lts.LTS, l lts.Label) bool {
	text := m.Alphabet().Text(l)
	return text == "i" || text == "tau"
}

func (g *game) next(a at, t lts.Transition) at { return at{t.To, g.o.Advance(a.done, t.Label)} }

// finished reports whether nothing has to be done any more.
func (g *game) finished(a at) bool { return g.phrase == nil && a.done == len(g.Steps) }

func (g *game) initial() at { return at{g.Model.Initial(), g.Checker.initial} }

// play finds the least set from which one can win, round by round.
func (c *Checker) play() *game { return c.playWith(nil) }

// playWith plays as if some labels could not be forbidden, besides internal actions.
func (c *Checker) playWith(forced map[lts.Label]bool) *game {
	g := &game{
		Checker: c, wins: map[at]bool{}, triggers: forced,
		marks:   func(at, lts.Label) map[int]bool { return nil },
		rejects: func(map[int]bool) bool { return true },
		satisfied: func(m *lts.LTS) bool {
			o, err := oracle.New(m, c.Steps)
			return err == nil && o.Satisfied()
		},
	}
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
	g.explore()
	return g
}

// explore finds what runs come to.
func (g *game) explore() {
	g.reached = map[at]bool{}
	for todo := []at{g.initial()}; len(todo) > 0; {
		a := todo[0]
		todo = todo[1:]
		if g.reached[a] || !g.wins[a] {
			continue
		}
		g.reached[a] = true
		for _, t := range g.o.Out(a.state) {
			if g.finished(a) || g.wins[g.next(a, t)] {
				todo = append(todo, g.next(a, t))
			}
		}
	}
}

func (g *game) winsNow(a at) bool {
	if g.finished(a) {
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
			if !g.finished(a) && !g.wins[g.next(a, t)] {
				all[move{t, a.done}] = true
			}
		}
	}
	return all
}

var (
	neverAgain = regexp.MustCompile(`(?:, | and |^)never `)
	oneNever   = regexp.MustCompile(`^(` + label + `)(?: to state (\d+))? (?:in states? ([\d, ]+?)|\(?in (\d+)(?: of the \d+ states that allow it| states\)?))(?: (once|before) (.+?) is done(?:, before (.+?) is)?| when (.+) steps of the property are done| \((.+?)(?:; states? (.+) of the property)?\))?$`)
	ofAll      = regexp.MustCompile(`^(` + label + `)(?: to state \d+)? (?:in (\d+) of the (\d+) states that allow it|\(in (\d+) states\))`)
	manyNever  = regexp.MustCompile(`^(?:a supervisor forbids|forbidding) (\d+) transitions$`)
	fairOnes   = regexp.MustCompile(`^the choices? in states? ([\d, ]+?)(?: and (\d+) more)? (?:is|are) fair: a run that comes (?:there|to one of them) again and again takes every other transition from there again and again$`)
	leaveOne   = regexp.MustCompile(`^in states? ([\d, ]+?)(?: and (\d+) more)? not (.+) for ever(?: before (.+) is done)?, but sooner or later (.+)$`)
	stayAndDo  = regexp.MustCompile(`^no run may stay in states? ([\d, ]+?)(?: and (\d+) more)? for ever and do (.+?) again and again(?: but (.+) only finitely often)?$`)
	leaveState = regexp.MustCompile(`^in states? ([\d, ]+?)(?: and (\d+) more)? no run may do for ever what violates the property$`)
	leaveMixed = regexp.MustCompile(`^in (\d+) parts? of the model \((\d+) states?\), no run may do for ever what violates the property$`)
	leaveAll   = regexp.MustCompile(`^no run may stay for ever in one of (\d+) parts? of the model \((\d+) states?\)$`)
)

// advice checks what is said to make the property true.
func (c *Checker) advice(m []string) error { return c.play().advice(m) }

func (g *game) advice(m []string) error {
	if !g.wins[g.initial()] {
		return errors.New("nothing that is forbidden makes it true")
	}
	nevers, leave, _ := strings.Cut(strings.ToLower(m[1][:1])+m[1][1:], "; and ")
	if f := fairOnes.FindStringSubmatch(leave); f != nil {
		return errors.Join(g.never(nevers), g.fairChoices(numbers(f[1]), number(f[2])))
	}
	return errors.Join(g.never(nevers), g.leave(leave))
}

// onlyLeave is advice to forbid nothing.
func (c *Checker) onlyLeave(m []string) error { return c.play().onlyLeave(m) }

func (g *game) onlyLeave(m []string) error {
	return errors.Join(g.forbidsNothing(), g.leave(strings.ToLower(m[1][:1])+m[1][1:]))
}

// onlyFair is advice to forbid nothing, and to make choices fair.
func (c *Checker) onlyFair(m []string) error { return c.play().onlyFair(m) }

func (g *game) onlyFair(m []string) error {
	return errors.Join(g.forbidsNothing(), g.fairChoices(numbers(m[1]), number(m[2])))
}

func (g *game) forbidsNothing() error {
	return errors.Join(want(g.wins[g.initial()], "it cannot be made true"), want(len(g.forbidden()) == 0, "%v is to be forbidden", g.forbidden()))
}

// irreparable checks that forbidding does not help, and a label in the way.
func (c *Checker) irreparable(m []string) error { return c.play().irreparable(m) }

func (g *game) irreparable(m []string) error {
	leaves := false
	for _, t := range g.o.Out(lts.State(number(m[2]))) {
		leaves = leaves || g.inner(t.Label) && "`"+g.Model.Alphabet().Text(t.Label)+"`" == m[1]
	}
	return errors.Join(want(!g.wins[g.initial()], "it can be made true"), want((m[3] != "") == slices.Contains([]string{"i", "tau"}, text(m[1])), "it is internal: %t", m[3] == ""), want(leaves, "it does not"),
		want(g.o.Free(g.initial().state, g.initial().done), "no run satisfies it"))
}

func (g *game) never(said string) error { return g.nevers(said, g.forbidden()) }

// nevers checks what is said to be forbidden against what has to be.
func (g *game) nevers(said string, expected map[move]bool) error {
	if m := manyNever.FindStringSubmatch(said); m != nil {
		all := map[lts.Transition]bool{}
		for x := range expected {
			all[x.Transition] = true
		}
		return want(len(all) == number(m[1]), "%d are", len(all))
	}
	told := map[move]bool{}
	for _, part := range neverAgain.Split(said, -1)[1:] {
		m := oneNever.FindStringSubmatch(part)
		if m == nil {
			return fmt.Errorf("%q is not understood", part)
		}
		if err := g.ofAll(part); err != nil {
			return err
		}
		moves := g.meant(m, expected)
		if len(moves) == 0 {
			return fmt.Errorf("%q is not what has to be forbidden: %v", part, expected)
		}
		for _, x := range moves {
			told[x] = true
		}
	}
	return want(len(told) == len(expected), "%v has to be forbidden, told is %v", expected, told)
}

// ofAll checks in how many states a label is possible, if that is said.
func (g *game) ofAll(said string) error {
	m := ofAll.FindStringSubmatch(said)
	if m == nil || strings.Contains(said, " to state ") {
		return nil
	}
	met, open := map[lts.State]bool{}, []lts.State{g.Model.Initial()}
	possible := map[lts.State]bool{}
	for ; len(open) > 0; open = open[1:] {
		if met[open[0]] {
			continue
		}
		met[open[0]] = true
		for _, t := range g.o.Out(open[0]) {
			open = append(open, t.To)
			if g.Model.Alphabet().Text(t.Label) == text(m[1]) {
				possible[t.From] = true
			}
		}
	}
	if m[4] != "" && strings.HasSuffix(m[0], said) {
		return want(len(possible) == number(m[4]), "%s is possible in %d states", m[1], len(possible))
	}
	return want(len(possible) == number(m[3]) && number(m[2]) < number(m[3]), "%s is possible in %d states", m[1], len(possible))
}

// meant returns the transitions of which a part of a sentence says that they are
// forbidden, under a reading by which they have to be.
func (g *game) meant(m []string, expected map[move]bool) []move {
	if g.phrase != nil {
		moves, _ := g.under(m, func(q int) bool {
			in := numbers(strings.ReplaceAll(m[10], " or ", ", "))
			return m[9] == "" || g.among(m[9], q) && (m[10] == "" || slices.Contains(in, q))
		}, expected)
		return moves
	}
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

// under returns the transitions that are meant where the steps done are so; false if
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
		if g.finished(a) || !is(a.done) || m[3] != "" && !listed[a.state] {
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

// among reports whether what is pending in a state of the property is one of those listed.
func (g *game) among(listed string, q int) bool {
	all := map[string]bool{}
	for a := range g.reached {
		if p := g.phrase(a.done); p != "" {
			all[p] = true
		}
	}
	all["nothing pending"] = true
	mine := g.phrase(q)
	if mine == "" {
		mine = "nothing pending"
	}
	for _, p := range slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) }) {
		if strings.Contains(listed, p) && p == mine {
			return true
		}
		listed = strings.Replace(listed, p, "", 1)
	}
	return false
}
