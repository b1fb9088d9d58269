package assertions

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/lts"
)

// at is a state with the number of steps done.
type at struct {
	state lts.State
	done  int
}

// move is a transition from a state where this many steps are done.
type move struct {
	lts.Transition
	done int
}

// game computes, by brute force, the states where a supervisor who forbids
// transitions can enforce the property. Internal actions belong to the
// opponent, because they cannot be forbidden.
type game struct {
	*Checker
	wins map[at]bool
	// reached are the pairs that runs reach without forbidden transitions.
	reached map[at]bool
	// colours is the number of colours; rejects decides whether a run that meets
	// these colours infinitely often violates the property. A chain has no
	// colours.
	colours int
	marks   func(a at, l lts.Label) map[int]bool
	rejects func(colours map[int]bool) bool
	// phrase describes what is pending in a property state; nil for a chain.
	phrase func(q int) string
	// triggers are further labels that cannot be forbidden.
	triggers map[lts.Label]bool
	// prohibited are the labels that the property prohibits; nil if it is no prohibition.
	prohibited map[lts.Label]bool
	// satisfied reports whether a model, such as one without some transitions,
	// satisfies the property.
	satisfied func(*lts.LTS) bool
}

func (g *game) inner(l lts.Label) bool { return inner(g.Model, l) || g.triggers[l] }

func inner(m *lts.LTS, l lts.Label) bool {
	text := m.Alphabet().Text(l)
	return text == "i" || text == "tau"
}

func (g *game) next(a at, t lts.Transition) at { return at{t.To, g.o.Advance(a.done, t.Label)} }

// finished reports whether nothing remains to be done.
func (g *game) finished(a at) bool { return g.phrase == nil && a.done == len(g.Steps) }

func (g *game) initial() at { return at{g.Model.Initial(), g.Checker.initial} }

// play computes the winning region as a least set, round by round.
func (c *Checker) play() *game { return c.playWith(nil) }

// playWith is play with more labels that cannot be forbidden, besides internal
// actions.
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

// explore computes the pairs that runs reach.
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

// forbidden returns the moves that must be forbidden.
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
	onePlace   = regexp.MustCompile(`^(?:to state (\d+) )?(?:in states? ([\d, ]+?)|in state (\d+) \(step (\d+) of this run\) and (\d+) more|(everywhere) \((\d+) states\)|in (\d+) (?:of the (\d+) )?states(?: that allow it)?)(?: (once|before) (.+?) is done(?:, before (.+?) is)?| when (.+) steps of the property are done| \((.+?)(?:; states? (.+) of the property)?\))?$`)
	fairOnes   = regexp.MustCompile(`^the choices? in states? ([\d, ]+?)(?: and (\d+) more)? (?:is|are) fair: a run that comes (?:there|to one of them) again and again takes every other transition from there again and again$`)
	allFair    = regexp.MustCompile(`^all choices are fair \(\S.*\)$`)
	leaveOne   = regexp.MustCompile(`^in states? ([\d, ]+?)(?: and (\d+) more)? not (.+) forever(?: before (.+) is done)?, but sooner or later (.+)$`)
	stayAndDo  = regexp.MustCompile(`^no run may stay in states? ([\d, ]+?)(?: and (\d+) more)? forever and do (.+?) again and again(?: but (.+) only finitely often)?$`)
	leaveState = regexp.MustCompile(`^in states? ([\d, ]+?)(?: and (\d+) more)? no run may violate the property by staying forever$`)
	leaveMixed = regexp.MustCompile(`^in (\d+) parts? of the model \((\d+) states?\), no run may violate the property by staying forever$`)
	leaveAll   = regexp.MustCompile(`^no run may stay forever in one of (\d+) parts? of the model \((\d+) states?\)$`)
)

func (g *game) advice(m []string) error {
	if !g.wins[g.initial()] {
		return errors.New("nothing that is forbidden makes it true")
	}
	nevers, leave, _ := strings.Cut(strings.ToLower(m[1][:1])+m[1][1:], "; and ")
	nevers, err := g.otherWays(nevers)
	if err != nil {
		return err
	}
	nevers, err = g.cutKeeps(nevers, g.forbidden())
	if err != nil {
		return err
	}
	if f := fairOnes.FindStringSubmatch(leave); f != nil {
		return errors.Join(g.never(nevers), g.fairChoices(numbers(f[1]), number(f[2])))
	}
	if allFair.MatchString(leave) {
		return errors.Join(g.never(nevers), g.allChoices())
	}
	return errors.Join(g.never(nevers), g.leave(leave))
}

// otherWays takes the clause about other transitions from a text, and checks it: only labels that the property
// prohibits are forbidden, and more than three transitions are.
func (g *game) otherWays(said string) (string, error) {
	const clause = ": each of these states keeps another transition"
	before, after, is := strings.Cut(said, clause)
	forbidden := g.forbidden()
	transitions := map[lts.Transition]bool{}
	isRestated := g.prohibited != nil
	for x := range forbidden {
		transitions[x.Transition] = true
		isRestated = isRestated && g.prohibited[x.Label]
		isOther := func(t lts.Transition) bool {
			return !forbidden[move{t, x.done}]
		}
		if is && !slices.ContainsFunc(g.o.Out(x.From), isOther) {
			return "", fmt.Errorf("%d keeps no other transition", x.From)
		}
	}
	if is != (isRestated && len(transitions) > 3) {
		return "", fmt.Errorf("it restates the property: %t", !is)
	}
	if !is {
		return said, nil
	}
	return before + strings.Replace(after, "; ", ": ", 1), nil
}

// onlyLeave checks the advice to forbid nothing.
func (c *Checker) onlyLeave(m []string) error { return c.play().onlyLeave(m) }

func (g *game) onlyLeave(m []string) error {
	return errors.Join(g.forbidsNothing(), g.leave(strings.ToLower(m[1][:1])+m[1][1:]))
}

// onlyFair checks the advice to forbid nothing, and to make choices fair.
func (c *Checker) onlyFair(m []string) error { return c.play().onlyFair(m) }

func (g *game) onlyFair(m []string) error {
	if m[1] == "" {
		return errors.Join(g.forbidsNothing(), g.allChoices())
	}
	return errors.Join(g.forbidsNothing(), g.fairChoices(numbers(m[1]), number(m[2])))
}

func (g *game) forbidsNothing() error {
	return errors.Join(want(g.wins[g.initial()], "it cannot be made true"),
		want(len(g.forbidden()) == 0, "%v is to be forbidden", g.forbidden()))
}

// irreparable checks that forbidding does not help, and the label that prevents
// it.
func (c *Checker) irreparable(m []string) error { return c.play().irreparable(m) }

func (g *game) irreparable(m []string) error {
	leaves := false
	for _, t := range g.o.Out(lts.State(number(m[2]))) {
		leaves = leaves || g.inner(t.Label) && "`"+g.Model.Alphabet().Text(t.Label)+"`" == m[1]
	}
	return errors.Join(want(!g.wins[g.initial()], "it can be made true"),
		want(leaves, "it does not"), g.unforbidden(m),
		want(g.o.Free(g.initial().state, g.initial().done), "no run satisfies it"))
}

// cannotBe is the form of the clauses that unforbidden checks: a label, a state and, for an
// internal label, the action that comes before it or the words that there is none.
const cannotBe = "(" + label + `) in state (\d+)(?:(?:, after (` + label + "), is internal, and)? cannot be forbidden|( is internal, and no action comes before it: the environment decides))"

// unforbidden checks the stated reason why a label cannot be forbidden: the text calls the label
// internal only if it is, and names an action after which it can happen.
func (g *game) unforbidden(m []string) error {
	isInternal := func(name string) bool { return name == "i" || name == "tau" }
	if !isInternal(text(m[1])) {
		return want(m[3] == "" && m[4] == "", "it is not internal")
	}
	last := ""
	if m[3] != "" {
		last = text(m[3])
	}
	type visit struct {
		s    lts.State
		last string // the last action that is not internal
	}
	first := visit{g.Model.Initial(), ""}
	visited := map[visit]bool{first: true}
	for open := []visit{first}; len(open) > 0; open = open[1:] {
		if open[0] == (visit{lts.State(number(m[2])), last}) {
			return want((last == "") == (m[4] != ""), "what comes before it is not told")
		}
		for _, t := range g.o.Out(open[0].s) {
			next := visit{t.To, open[0].last}
			if name := g.Model.Alphabet().Text(t.Label); !isInternal(name) {
				next.last = name
			}
			if !visited[next] {
				visited[next] = true
				open = append(open, next)
			}
		}
	}
	return fmt.Errorf("%q does not come before it", last)
}

func (g *game) never(said string) error { return g.nevers(said, g.forbidden()) }

// outside splits a text at commas that are neither in parentheses nor in a label, and that one of
// the given beginnings follows.
func outside(text string, begins ...string) []string {
	var parts []string
	depth, quoted, from := 0, false, 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '`':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && c == ',':
			rest := strings.TrimPrefix(text[i:], ", ")
			rest = strings.TrimPrefix(rest, "and ")
			if slices.ContainsFunc(begins, func(begin string) bool {
				return strings.HasPrefix(rest, begin)
			}) {
				parts = append(parts, text[from:i])
				from = len(text) - len(rest)
				i = from - 1
			}
		}
	}
	return append(parts, text[from:])
}

// place is a clause of a sentence about one place where a label is forbidden.
type place struct {
	label         string
	to            string
	listed        []int // states by number; nil if they are counted
	step          int   // the step of the run that leaves the listed state, if the clause only counts the other states
	states        int   // how many are counted
	everywhere    bool
	of            int // the number of states that allow the label, if the clause has it
	after, before string
	progress      string
	while, in     string
	alone         bool // the only place of the label
}

// placesIn reads a list of prohibitions, each label once.
func placesIn(said string) ([]place, error) {
	var all []place
	labels := map[string]bool{}
	for _, part := range outside(said, "`") {
		end := strings.Index(part[1:], "`") + 2
		head := part[:end]
		if labels[head] {
			return nil, fmt.Errorf("%s is named twice", head)
		}
		labels[head] = true
		places := outside(strings.TrimPrefix(part[end:], " "), "in ", "to state ", "everywhere")
		for _, text := range places {
			m := onePlace.FindStringSubmatch(text)
			if m == nil {
				return nil, fmt.Errorf("%q is not understood", text)
			}
			p := place{
				label:      head,
				to:         m[1],
				step:       number(m[4]),
				everywhere: m[6] != "",
				states:     number(m[7]) + number(m[8]),
				of:         number(m[9]),
				progress:   m[13],
				while:      m[14],
				in:         m[15],
				alone:      len(places) == 1,
			}
			switch {
			case m[2] != "":
				p.listed = numbers(m[2])
			case m[3] != "":
				p.listed, p.states = numbers(m[3]), number(m[5])+1
			}
			if p.after, p.before = m[11], m[12]; m[10] == "before" {
				p.after, p.before = "", m[11]
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// nevers checks the moves that a sentence forbids against those that must be
// forbidden.
func (g *game) nevers(said string, expected map[move]bool) error {
	if isRule, err := g.ruled(said, expected); isRule {
		return err
	}
	_, list, _ := strings.Cut(said, " ")
	places, err := placesIn(list)
	if err != nil {
		return err
	}
	told := map[move]bool{}
	for _, p := range places {
		if err := g.counts(p); err != nil {
			return err
		}
		moves := g.meant(p, expected)
		if len(moves) == 0 {
			return fmt.Errorf("%+v is not what has to be forbidden: %v", p, expected)
		}
		for _, x := range moves {
			told[x] = true
		}
	}
	return want(len(told) == len(expected), "%v has to be forbidden, told is %v", expected,
		told)
}

// counts checks the number of states in which a label is possible, if a place has it, and the step
// of the run that it names.
func (g *game) counts(p place) error {
	if p.step > 0 {
		t := g.Run.Transitions[p.step-1]
		return want(int(t.From) == p.listed[0] && "`"+g.Model.Alphabet().Text(t.Label)+"`" == p.label, "step %d of the run is another", p.step)
	}
	if !p.everywhere && p.of == 0 {
		return nil
	}
	visited, open := map[lts.State]bool{}, []lts.State{g.Model.Initial()}
	possible := map[lts.State]bool{}
	for ; len(open) > 0; open = open[1:] {
		if visited[open[0]] {
			continue
		}
		visited[open[0]] = true
		for _, t := range g.o.Out(open[0]) {
			open = append(open, t.To)
			if g.Model.Alphabet().Text(t.Label) == text(p.label) {
				possible[t.From] = true
			}
		}
	}
	if p.everywhere {
		return want(len(possible) == p.states, "%s is possible in %d states", p.label,
			len(possible))
	}
	return want(len(possible) == p.of && p.states < p.of, "%s is possible in %d states",
		p.label, len(possible))
}

// meant returns the transitions that a clause forbids, in a reading of the clause
// by which all of them must be forbidden.
func (g *game) meant(p place, expected map[move]bool) []move {
	if g.phrase != nil {
		moves, _ := g.under(p, func(q int) bool {
			in := numbers(strings.ReplaceAll(p.in, " or ", ", "))
			return p.while == "" ||
				g.among(p.while, q) && (p.in == "" || slices.Contains(in, q))
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
	for _, first := range candidates(p.after) {
		for _, last := range candidates(p.before) {
			moves, ok := g.under(p, func(done int) bool {
				return done >= first && (last == 0 || done < last) &&
					(p.progress == "" ||
						slices.Contains(numbers(strings.ReplaceAll(p.progress, " or ", ", ")),
							done))
			}, expected)
			if ok {
				return moves
			}
		}
	}
	return nil
}

// under returns the transitions that a place forbids when the given predicate
// holds of the number of steps done; false if one of them need not be
// forbidden, or the number of states is not as stated.
func (g *game) under(p place, is func(done int) bool, expected map[move]bool) ([]move, bool) {
	var moves []move
	states := map[lts.State]bool{}
	listed := map[lts.State]bool{}
	for _, n := range p.listed {
		listed[lts.State(n)] = true
	}
	anywhere := p.states > 0
	for a := range g.reached {
		if g.finished(a) || !is(a.done) || !anywhere && !listed[a.state] {
			continue
		}
		for _, t := range g.o.Out(a.state) {
			x := move{t, a.done}
			if "`"+g.Model.Alphabet().Text(t.Label)+"`" != p.label ||
				p.to != "" && number(p.to) != int(t.To) ||
				anywhere && !p.everywhere && !expected[x] {
				continue
			}
			if !expected[x] {
				return nil, false
			}
			moves = append(moves, x)
			states[t.From] = true
		}
	}
	if !anywhere {
		return moves, len(states) == len(listed)
	}
	for s := range listed {
		if !states[s] {
			return nil, false
		}
	}
	return moves, len(states) == p.states || !p.alone && len(states) > p.states
}

// helpsTogether reports whether a supervisor helps together with fairness, and not alone.
func (g *game) helpsTogether() bool { return g.wins[g.initial()] && len(g.parts()) > 0 }

// among reports whether a list contains the phrase of a property state.
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
	for _, p := range slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(len(b)-len(a), cmp.Compare(a, b))
	}) {
		if strings.Contains(listed, p) && p == mine {
			return true
		}
		listed = strings.Replace(listed, p, "", 1)
	}
	return false
}

// holdsWithout reports whether the property holds without some transitions, and
// no run reaches a new deadlock.
func (g *game) holdsWithout(without ...lts.Transition) bool {
	var b lts.Builder
	for _, text := range g.Model.Alphabet().All() {
		b.Label(text)
	}
	gone := map[lts.Transition]bool{}
	for _, t := range without {
		gone[t] = true
	}
	for t := range g.Model.Transitions() {
		if !gone[t] {
			b.Add(t.From, t.Label, t.To)
		}
	}
	m, err := b.Build(g.Model.Initial(), g.Model.NumStates())
	if err != nil {
		return false
	}
	visited := map[lts.State]bool{m.Initial(): true}
	for open := []lts.State{m.Initial()}; len(open) > 0; open = open[1:] {
		if m.IsDeadlock(open[0]) && !g.Model.IsDeadlock(open[0]) {
			return false
		}
		for t := range m.Transitions() {
			if t.From == open[0] && !visited[t.To] {
				visited[t.To] = true
				open = append(open, t.To)
			}
		}
	}
	return g.satisfied(m)
}

// These are the forms of sentences about all violations.
const (
	throughForm = `Every violation goes through steps? ([\d, –]+?)(?: and (\d+) more)?`
	gapForm     = `All violations stop in state (\d+), and no other run does: perhaps a transition is missing there\. With (.+) it would hold \(a guess\)`
)

func (c *Checker) through(m []string) error { return c.play().through(m) }
func (c *Checker) gap(m []string) error     { return c.play().gap(m) }

// through checks for each step that the runs that avoid it satisfy the property.
func (g *game) through(m []string) error {
	steps, err := g.stepNumbers(m[1])
	if err != nil {
		return err
	}
	for _, i := range steps {
		t := g.Run.Transitions[i-1]
		if m := g.avoiding(func(x lts.Transition) bool {
			return x == t
		}); m != nil && !g.satisfied(m) {
			return fmt.Errorf("some violation does not go through step %d", i)
		}
	}
	return nil
}

// gapOne matches a transition that may be missing from the model.
var gapOne = regexp.MustCompile("(" + label + `) to state (\d+)`)

// gap checks that the property holds of the runs that avoid a state, that no run which stops in
// that state satisfies it, and that the property holds if a transition from that state is added.
func (g *game) gap(m []string) error {
	at := lts.State(number(m[1]))
	if !g.Model.IsDeadlock(at) {
		return fmt.Errorf("state %d is not a deadlock", at)
	}
	if m := g.avoiding(func(x lts.Transition) bool {
		return x.To == at
	}); m != nil && at != g.Model.Initial() && !g.satisfied(m) {
		return fmt.Errorf("some violation does not stop in state %d", at)
	}
	for q := range max(g.mostStates, len(g.Steps)+1) {
		if g.o.Arrives(at, q) && g.o.Free(at, q) {
			return fmt.Errorf("a run that satisfies it stops in state %d", at)
		}
	}
	for _, way := range gapOne.FindAllStringSubmatch(m[2], -1) {
		l, _ := g.Model.Alphabet().Lookup(text(way[1]))
		more := lts.Transition{
			From:  at,
			Label: l,
			To:    lts.State(number(way[2])),
		}
		with := g.edited(append(slices.Collect(g.Model.Transitions()), more))
		if with == nil || !g.satisfied(with) {
			return fmt.Errorf("it does not hold with %v", more)
		}
	}
	return nil
}

// avoiding returns the model of the runs that take none of some transitions; nil
// if there is no such run. It also removes states from which every run would end
// in a state that is a deadlock only because of the removal.
func (g *game) avoiding(gone func(lts.Transition) bool) *lts.LTS {
	left := slices.DeleteFunc(slices.Collect(g.Model.Transitions()), gone)
	for {
		leaves := map[lts.State]bool{}
		for _, t := range left {
			leaves[t.From] = true
		}
		stuck := func(s lts.State) bool {
			return !leaves[s] && !g.Model.IsDeadlock(s)
		}
		if stuck(g.Model.Initial()) {
			return nil
		}
		before := len(left)
		left = slices.DeleteFunc(left, func(t lts.Transition) bool {
			return stuck(t.To)
		})
		if len(left) == before {
			return g.edited(left)
		}
	}
}

// edited returns the model with other transitions.
func (g *game) edited(transitions []lts.Transition) *lts.LTS {
	var b lts.Builder
	for _, text := range g.Model.Alphabet().All() {
		b.Label(text)
	}
	for _, t := range transitions {
		b.Add(t.From, t.Label, t.To)
	}
	m, err := b.Build(g.Model.Initial(), g.Model.NumStates())
	if err != nil {
		return nil
	}
	return m
}

// These are the forms of sentences about the owners of actions, and about who
// could have prevented the violation.
const (
	someOwners = label + `(?:(?:, ` + label + `)*(?:, ` + label + `)? (?:and|or) (?:` + label + `|\d+ others?))?`

	standing     = `(?:, for (?:(no run satisfies it)|(` + label + `) leaves state (\d+), and (is nobody's to forbid|triggers the property)))?`
	nobodyCan    = `(?:Nobody can prevent it(?:: not even (` + someOwners + `) together|: all that owners do triggers the property)?|(` + label + `) cannot prevent it)` + standing
	onlyTogether = `Only (` + someOwners + `) together can prevent it(?:: (.+))?`
	supervised   = `For that: (.+)`
	eachAlone    = `Each of (?:(` + someOwners + `)|the (\d+) owners) alone can prevent it`
	someAlone    = `(` + someOwners + `) alone can prevent it(?:; (` + someOwners + `) cannot(, not even together)?)?`
	anyOfThese   = `Any of these can prevent it: (.+?)(?:; and (\d+) other sets?)?`
	sharesForm   = `Shares in what all together can prevent \(Shapley values\): (.+)`
	ownedForm    = `All (\d+) decisions are made by (` + label + `)|(\d+) of the (\d+) decisions (?:is|are) made by (` + label + `)((?:, \d+ by ` + label + `)*)(?:, others by (\d+) others?)?`

	byWhom = `(?:, where ` + label + ` (?:takes ` + label + `|decides),)?`
)

var (
	byWhomOne  = regexp.MustCompile(`, where (` + label + `) (?:takes (` + label + `)|decides),`)
	manyOthers = regexp.MustCompile(` (\d+) others?$`)
	shareOne   = regexp.MustCompile(`(` + label + `): ([\d/]+)`)
	ownedOne   = regexp.MustCompile(`(\d+) by (` + label + `)`)
)

// mostSupervisors is the largest number of supervisors that are tried for a
// coalition.
const mostSupervisors = 20_000

// justness checks that the property holds on just runs.
func (c *Checker) justness([]string) error {
	return want(c.Violated && c.Just != nil && c.fair.Holds(oracle.Assumption{Just: c.Just}),
		"it does not hold on just runs")
}

// able reports for each set of owners, a bit for each of names, whether they
// can prevent the violation; few is false if there are too many supervisors.
type able struct {
	names []string
	can   []bool
	few   bool
}

// coalitions tries all supervisors for each set of owners.
func (c *Checker) coalitions() *able {
	a := &able{few: c.colours <= 1} // to meet several conditions in turn, a supervisor needs a memory, which those tried here lack
	happening := c.happening()
	for _, name := range c.Owners {
		for l := range c.Model.Alphabet().All() {
			if happening[l] && c.owns(name, l) && !slices.Contains(a.names, name) {
				a.names = append(a.names, name)
			}
		}
	}
	for set := range 1 << len(a.names) {
		can, few := c.canPrevent(func(owner string) bool {
			i := slices.Index(a.names, owner)
			return i >= 0 && set>>i&1 != 0
		})
		a.can, a.few = append(a.can, can), a.few && few
	}
	return a
}

// happening returns the labels that runs do.
func (c *Checker) happening() map[lts.Label]bool {
	reached := map[lts.State]bool{c.Model.Initial(): true}
	labels := map[lts.Label]bool{}
	for grown := true; grown; {
		grown = false
		for x := range c.Model.Transitions() {
			if !reached[x.From] {
				continue
			}
			labels[x.Label] = true
			grown = grown || !reached[x.To]
			reached[x.To] = true
		}
	}
	return labels
}

// canPrevent reports whether some supervisor can prevent the violation. A supervisor knows the
// state and the progress, forbids only transitions of these owners, and leaves a transition in each
// state. canPrevent tries all supervisors who forbid as much as possible: all transitions of these
// owners if others have one, otherwise all but one. That is enough, because a supervisor who leaves
// fewer runs leaves no more violations.
func (c *Checker) canPrevent(in func(owner string) bool) (can, few bool) {
	type choice struct {
		from at
		ways []lts.Transition
	}
	number := map[at]lts.State{}
	var pairs []at
	add := func(a at) lts.State {
		if _, met := number[a]; !met {
			number[a] = lts.State(len(pairs))
			pairs = append(pairs, a)
		}
		return number[a]
	}
	add(at{c.Model.Initial(), c.initial})
	forced := map[at][]lts.Transition{}
	var choices []choice
	supervisors := 1
	for i := 0; i < len(pairs); i++ {
		a := pairs[i]
		var theirs, others []lts.Transition
		for _, t := range c.o.Out(a.state) {
			add(at{t.To, c.o.Advance(a.done, t.Label)})
			if (c.satisfied != nil || a.done < len(c.Steps)) && !c.Triggers[t.Label] &&
				in(c.Owner(c.Model.Alphabet().Text(t.Label))) {
				theirs = append(theirs, t)
			} else {
				others = append(others, t)
			}
		}
		if forced[a] = others; len(others) == 0 && len(theirs) > 0 {
			choices = append(choices, choice{a, theirs})
			if supervisors *= len(theirs); supervisors > mostSupervisors {
				return false, false
			}
		}
	}
	for way := range supervisors {
		var b lts.Builder
		for _, text := range c.Model.Alphabet().All() {
			b.Label(text)
		}
		take := func(a at, t lts.Transition) {
			b.Add(number[a], t.Label, number[at{t.To, c.o.Advance(a.done, t.Label)}])
		}
		for _, a := range pairs {
			for _, t := range forced[a] {
				take(a, t)
			}
		}
		for _, x := range choices {
			take(x.from, x.ways[way%len(x.ways)])
			way /= len(x.ways)
		}
		m, err := b.Build(0, len(pairs))
		if err != nil {
			return false, false
		}
		if c.satisfies(m) {
			return true, true
		}
	}
	return false, true
}

func (c *Checker) satisfies(m *lts.LTS) bool {
	if c.satisfied != nil {
		return c.satisfied(m)
	}
	o, err := oracle.New(m, c.Steps)
	return err == nil && o.Satisfied()
}

// owns reports whether an owner can forbid a label.
func (c *Checker) owns(name string, l lts.Label) bool {
	return c.Owner(c.Model.Alphabet().Text(l)) == name && !c.Triggers[l]
}

// minimal returns the sets that can prevent the violation, and cannot without any
// of their members.
func (a *able) minimal() (sets [][]string) {
	for set, can := range a.can {
		var names []string
		for i, name := range a.names {
			if set>>i&1 != 0 {
				names = append(names, name)
				can = can && !a.can[set&^(1<<i)]
			}
		}
		if can {
			sets = append(sets, names)
		}
	}
	return sets
}

// ownersIn reads a list of owners, and the number of others in it.
func (c *Checker) ownersIn(list string) (names []string, others int) {
	if m := manyOthers.FindStringSubmatch(list); m != nil {
		others = number(m[1])
	}
	return c.texts(list), others
}

// areThese checks that a list names owners in their order, and counts the others.
func (c *Checker) areThese(list string, expected []string) error {
	names, others := c.ownersIn(list)
	return want(len(names)+others == len(expected) && slices.Equal(names, expected[:min(len(names), len(expected))]), "%q: it is %v", list, expected)
}

// compared checks a sentence against the minimal sets.
func (c *Checker) compared(check func(a *able, minimal [][]string) error) error {
	if c.Owner == nil || !c.Violated {
		return errors.New("it is not known who acts, or nothing is violated")
	}
	a := c.coalitions()
	if !a.few {
		c.Understood["too many supervisors"]++
		return nil
	}
	return check(a, a.minimal())
}

func (c *Checker) nobodyCan(m []string) error {
	return c.compared(func(a *able, minimal [][]string) error {
		return errors.Join(want(len(minimal) == 0, "%v can", minimal),
			want((m[2] != "") == (len(a.names) == 1), "there are %v", a.names), c.areThese(m[1]+m[2], a.names), c.stands(a.names, m[3:]))
	})
}

func (c *Checker) onlyTogether(m []string) error {
	return c.compared(func(_ *able, minimal [][]string) error {
		if len(minimal) != 1 || len(minimal[0]) < 2 {
			return fmt.Errorf("%v can", minimal)
		}
		return errors.Join(c.areThese(m[1], minimal[0]), c.supervise(m[2], minimal[0]))
	})
}

// singlesOf returns the owners who suffice alone; nil if some minimal set has
// several members.
func singlesOf(minimal [][]string) (alone []string) {
	for _, set := range minimal {
		if len(set) != 1 {
			return nil
		}
		alone = append(alone, set[0])
	}
	return alone
}

func (c *Checker) eachAlone(m []string) error {
	return c.compared(func(a *able, minimal [][]string) error {
		err := want(len(a.names) > 1 && len(singlesOf(minimal)) == len(a.names), "%v can",
			minimal)
		if m[2] != "" {
			return errors.Join(err, want(number(m[2]) == len(a.names), "there are %v", a.names))
		}
		return errors.Join(err, c.areThese(m[1], a.names))
	})
}

func (c *Checker) someAlone(m []string) error {
	return c.compared(func(a *able, minimal [][]string) error {
		alone := singlesOf(minimal)
		if len(alone) == 0 {
			return fmt.Errorf("%v can", minimal)
		}
		cannot := slices.DeleteFunc(slices.Clone(a.names), func(name string) bool {
			return slices.Contains(alone, name)
		})
		err := errors.Join(c.areThese(m[1], alone),
			want((m[2] == "") == (len(cannot) == 0) && (m[3] != "") == (len(cannot) > 1),
				"%v cannot", cannot))
		if m[2] != "" {
			err = errors.Join(err, c.areThese(m[2], cannot))
		}
		return err
	})
}

func (c *Checker) anyOfThese(m []string) error {
	return c.compared(func(_ *able, minimal [][]string) error {
		said := strings.Split(m[1], "; ")
		err := want(len(minimal) > 1 && singlesOf(minimal) == nil && len(said)+number(m[2]) == len(minimal), "%v can", minimal)
		for _, list := range said {
			if !slices.ContainsFunc(minimal, func(set []string) bool {
				return c.areThese(list, set) == nil
			}) {
				err = errors.Join(err, fmt.Errorf("%q: %v can", list, minimal))
			}
		}
		return err
	})
}

// shares checks the owners' shares: the average over all orders in which owners
// can join.
func (c *Checker) shares(m []string) error {
	return c.compared(func(a *able, _ [][]string) error {
		pivotal, orders := make([]int64, len(a.names)), int64(0)
		var join func(set int)
		join = func(set int) {
			if set == len(a.can)-1 {
				orders++
			}
			for i := range a.names {
				if set>>i&1 != 0 {
					continue
				}
				before := orders
				join(set | 1<<i)
				if !a.can[set] && a.can[set|1<<i] {
					pivotal[i] += orders - before
				}
			}
		}
		join(0)
		if each, is := strings.CutSuffix(m[1], " each"); is {
			for i := range a.names {
				share := big.NewRat(pivotal[i], orders).RatString()
				if share != each {
					return fmt.Errorf("%s has %s", a.names[i], share)
				}
			}
			return nil
		}
		said := shareOne.FindAllStringSubmatch(m[1], -1)
		err := want(len(said) == len(a.names), "%d shares of %v", len(said), a.names)
		for i, one := range said[:min(len(said), len(a.names))] {
			share := big.NewRat(pivotal[i], orders).RatString()
			err = errors.Join(err,
				want(text(one[1]) == a.names[i] && one[2] == share, "%s has %s", a.names[i],
					share))
		}
		return err
	})
}

// prevention are the forms of sentences about owners, and about who could have
// prevented the violation.
func (c *Checker) prevention() []tableForm {
	var list []tableForm
	for _, f := range allForms {
		if slices.Contains([]string{"nobody can", "only together", "supervised", "each alone", "some alone", "any of these", "shares", "owned"}, f.name) {
			list = append(list, tableForm{
				f.name,
				f.is,
				func(m []string) error { return f.check(c, m) },
			})
		}
	}
	return list
}

// decides reports whether step i, from 0, is a decision: another transition would
// have had a better class, or the step loses the property.
func (c *Checker) decides(i int) bool {
	if !c.free(0) {
		return false
	}
	rank := func(t lts.Transition) int {
		return slices.Index([]oracle.Class{oracle.Incorrect, oracle.Neutral, oracle.Correct},
			c.o.ClassAfter(c.at(i), t))
	}
	taken := rank(c.Run.Transitions[i])
	better := slices.ContainsFunc(c.others(i), func(t lts.Transition) bool {
		return rank(t) > taken
	})
	return better || c.free(i) && !c.free(i+1)
}

// owned checks a sentence about who owns the decisions of the run.
func (c *Checker) owned(m []string) error {
	if c.Owner == nil {
		return errors.New("it is not known who acts")
	}
	counts, all := map[string]int{}, 0
	for i, t := range c.Run.Transitions {
		if c.decides(i) {
			counts[c.Owner(c.Model.Alphabet().Text(t.Label))]++
			all++
		}
	}
	nobodys := counts[""]
	delete(counts, "")
	said := map[string]int{}
	if m[2] != "" {
		said[text(m[2])] = number(m[1])
		return want(number(m[1]) == all && counts[text(m[2])] == all && nobodys == 0 && all > 1,
			"of %d decisions are %v", all, counts)
	}
	said[text(m[5])] = number(m[3])
	for _, one := range ownedOne.FindAllStringSubmatch(m[6], -1) {
		said[text(one[2])] = number(one[1])
	}
	err := want(number(m[4]) == all && len(said)+number(m[7]) == len(counts),
		"of %d decisions are %v", all, counts)
	for name, n := range said {
		err = errors.Join(err,
			want(counts[name] == n && n <= number(m[3]), "%s makes %d", name, counts[name]))
	}
	return err
}

// decidedBy checks the owner of the decisions at steps, from 0: nobody unless all
// have the same owner.
func (c *Checker) decidedBy(said string, steps []int) error {
	m := byWhomOne.FindStringSubmatch(said)
	if m == nil {
		return want(c.Owner == nil || len(steps) != 1 || c.ownerOf(steps[0]) == "",
			"nobody is said to decide")
	}
	if c.Owner == nil {
		return errors.New("it is not known who acts")
	}
	for _, i := range steps {
		if err := errors.Join(want(c.ownerOf(i) == text(m[1]), "step %d is taken by %q", i+1, c.ownerOf(i)),
			want(m[2] == "" || c.Model.Alphabet().Text(c.Run.Transitions[i].Label) == text(m[2]), "step %d takes something else", i+1)); err != nil {
			return err
		}
	}
	return nil
}

func (c *Checker) ownerOf(i int) string {
	return c.Owner(c.Model.Alphabet().Text(c.Run.Transitions[i].Label))
}

var (
	byOwner  = regexp.MustCompile(`(?:^|, )(` + label + `) by (forbidding )`)
	restThey = regexp.MustCompile(`, (\d+) others? likewise$`)
)

// playedBy plays as if exactly the labels of some owners could be forbidden, and
// no triggers; false if there are too many choices of the opponent.
func (c *Checker) playedBy(owners []string) (*game, bool) {
	forced := map[lts.Label]bool{}
	for l, text := range c.Model.Alphabet().All() {
		forced[l] = c.Triggers[l] || !slices.Contains(owners, c.Owner(text))
	}
	if c.without != nil {
		return c.without(forced)
	}
	return c.playWith(forced), true
}

// ownedBy returns the moves that an owner must forbid.
func (g *game) ownedBy(owner string) map[move]bool {
	all := g.forbidden()
	for x := range all {
		if g.Owner(g.Model.Alphabet().Text(x.Label)) != owner {
			delete(all, x)
		}
	}
	return all
}

// supervise checks what the owners of the only minimal set must forbid, and what
// they must leave.
func (c *Checker) supervise(said string, owners []string) error {
	g, few := c.playedBy(owners)
	if said == "" || !few {
		return nil
	}
	said, leave, _ := cutLeave(said)
	others := 0
	if m := restThey.FindStringSubmatch(said); m != nil {
		said, others = strings.TrimSuffix(said, m[0]), number(m[1])
	}
	err := g.leaves(leave)
	told := map[string]bool{}
	heads := byOwner.FindAllStringSubmatchIndex(said, -1)
	for i, head := range heads {
		end := len(said)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		owner := text(said[head[2]:head[3]])
		told[owner] = true
		err = errors.Join(err, want(slices.Contains(owners, owner), "%s is no member", owner),
			g.nevers(said[head[4]:end], g.ownedBy(owner)))
	}
	for _, owner := range owners {
		if !told[owner] && len(g.ownedBy(owner)) > 0 {
			others--
		}
	}
	return errors.Join(err,
		want(others == 0 && (len(heads) > 0) == (said != ""), "%q: %d owners more", said,
			others))
}

// supervised checks what the only sufficient owner must do.
func (c *Checker) supervised(m []string) error {
	return c.compared(func(_ *able, minimal [][]string) error {
		if len(minimal) != 1 || len(minimal[0]) != 1 {
			return fmt.Errorf("%v can", minimal)
		}
		g, few := c.playedBy(minimal[0])
		if !few {
			return nil
		}
		nevers, leave, _ := cutLeave(m[1])
		if nevers == "" {
			return errors.Join(g.leaves(leave),
				want(len(g.forbidden()) == 0, "%v is to be forbidden", g.forbidden()))
		}
		return errors.Join(g.leaves(leave), g.nevers(nevers, g.forbidden()))
	})
}

// cutLeave splits a sentence before the clause about what must be left.
func cutLeave(said string) (nevers, leave string, both bool) {
	if strings.HasPrefix(said, "in ") && !ruleForm.MatchString(said) ||
		strings.HasPrefix(said, "no run ") {
		return "", said, false
	}
	return strings.Cut(said, "; and ")
}

// leaves checks the clause about what must be left; it says nothing of fair
// choices.
func (g *game) leaves(said string) error {
	if m := leaveAll.FindStringSubmatch(said); m != nil {
		places, parts := 0, g.parts()
		for _, p := range parts {
			places += len(p.places)
		}
		return want(number(m[1]) == len(parts) && number(m[2]) == places,
			"there are %d parts with %d states", len(parts), places)
	}
	return g.leave(said)
}

// stands checks the obstacle for all owners: after a step that nobody owns, in a
// state that runs reach, not even all owners can prevent the violation.
func (c *Checker) stands(owners []string, m []string) error {
	switch {
	case m[0] != "":
		return want(!c.free(0), "some run satisfies it")
	case m[1] == "":
		return nil
	}
	g, few := c.playedBy(owners)
	if !few {
		return nil
	}
	visited := map[at]bool{}
	for todo := []at{g.initial()}; len(todo) > 0; todo = todo[1:] {
		a := todo[0]
		if visited[a] {
			continue
		}
		visited[a] = true
		for _, t := range c.o.Out(a.state) {
			next := g.next(a, t)
			if int(a.state) == number(m[2]) && g.inner(t.Label) &&
				c.Model.Alphabet().Text(t.Label) == text(m[1]) && !g.wins[next] {
				return want(c.Triggers[t.Label] == (m[3] == "triggers the property"),
					"%s triggers the property: %t", m[1], c.Triggers[t.Label])
			}
			todo = append(todo, next)
		}
	}
	return fmt.Errorf("%s does not lead from state %s to where the property cannot be made true", m[1], m[2])
}
