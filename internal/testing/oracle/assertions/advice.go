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

// position is a state with the number of steps done.
type position struct {
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
	wins map[position]bool
	// reached are the positions that runs reach without forbidden transitions.
	reached map[position]bool
	// colours is the number of colours. rejects decides whether a run that meets exactly the given
	// colours infinitely often violates the property. A chain has no colours.
	colours int
	marks   func(a position, l lts.Label) map[int]bool
	rejects func(colours map[int]bool) bool
	// phrase describes what is pending in a property state; nil for a chain.
	phrase func(q int) string
	// triggers are further labels that cannot be forbidden.
	triggers map[lts.Label]bool
	// prohibited are the labels that the property prohibits; nil if it is no prohibition.
	prohibited map[lts.Label]bool
	// allowed are the labels that the property allows at times.
	allowed map[lts.Label]bool
	// satisfied reports whether a model, such as one without some transitions,
	// satisfies the property.
	satisfied func(*lts.LTS) bool
}

func (g *game) cannotForbid(l lts.Label) bool { return isInternal(g.Model, l) || g.triggers[l] }

func isInternal(m *lts.LTS, l lts.Label) bool {
	text := m.Alphabet().Text(l)
	return text == "i" || text == "tau"
}

func (g *game) next(a position, t lts.Transition) position {
	return position{t.To, g.judge.Advance(a.done, t.Label)}
}

// finished reports whether nothing remains to be done.
func (g *game) finished(a position) bool { return g.phrase == nil && a.done == len(g.Steps) }

func (g *game) initial() position { return position{g.Model.Initial(), g.Checker.initialProgress} }

// play computes the winning region as a least set, round by round.
func (c *Checker) play() *game { return c.playWith(nil) }

// playWith computes the winning region if, besides internal actions, the forced
// labels cannot be forbidden either.
func (c *Checker) playWith(forced map[lts.Label]bool) *game {
	g := &game{
		Checker: c, wins: map[position]bool{}, triggers: forced,
		marks:   func(position, lts.Label) map[int]bool { return nil },
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
				a := (position{s, j})
				if !g.wins[a] && g.canEnforce(a) {
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
	g.reached = map[position]bool{}
	for todo := []position{g.initial()}; len(todo) > 0; {
		a := todo[0]
		todo = todo[1:]
		if g.reached[a] || !g.wins[a] {
			continue
		}
		g.reached[a] = true
		for _, t := range g.judge.Out(a.state) {
			if g.finished(a) || g.wins[g.next(a, t)] {
				todo = append(todo, g.next(a, t))
			}
		}
	}
}

// canEnforce reports whether, as far as is known by now, a supervisor enforces the property from a
// position: some transition from there leads to a winning position, and each one that the supervisor
// cannot forbid does.
func (g *game) canEnforce(p position) bool {
	if g.finished(p) {
		return true
	}
	anyWins := false
	anyForced := false
	allForcedWin := true
	for _, t := range g.judge.Out(p.state) {
		wins := g.wins[g.next(p, t)]
		anyWins = anyWins || wins
		if g.cannotForbid(t.Label) {
			anyForced = true
			allForcedWin = allForcedWin && wins
		}
	}
	if anyForced {
		return allForcedWin
	}
	return anyWins
}

// forbidden returns the moves that must be forbidden.
func (g *game) forbidden() map[move]bool {
	all := map[move]bool{}
	for a := range g.reached {
		for _, t := range g.judge.Out(a.state) {
			if !g.finished(a) && !g.wins[g.next(a, t)] {
				all[move{t, a.done}] = true
			}
		}
	}
	return all
}

var (
	onePlace   = regexp.MustCompile(`^(?:to state (\d+) )?(?:in states? ([\d, ]+?)|in state (\d+) \(step (\d+) of this run\) and (\d+) more|(everywhere) \((\d+) states\)|in (\d+) (?:of the (\d+) )?states(?: that allow it)?)(?: (once|before) (.+?) is done(?:, before (.+?) is)?| when (.+) steps of the property are done| \((.+?)(?:; states? (.+) of the property)?\)| ((?:before|up to the first|between|after|once|while) .+))?$`)
	fairOnes   = regexp.MustCompile(`^the choices? in states? ([\d, ]+?)(?: and (\d+) more(?: \(the JSON output has all\))?)? (?:is|are) fair: a run that comes (?:there|to one of them) again and again takes every other transition from there again and again$`)
	allFair    = regexp.MustCompile(`^all choices are fair \(\S.*\)$`)
	leaveOne   = regexp.MustCompile(`^in states? ([\d, ]+?)(?: and (\d+) more(?: \(the JSON output has all\))?)? not (.+) forever(?: before (.+) is done)?, but sooner or later (.+)$`)
	stayAndDo  = regexp.MustCompile(`^no run may stay in states? ([\d, ]+?)(?: and (\d+) more(?: \(the JSON output has all\))?)? forever and do (.+?) again and again(?: but (.+) only finitely often)?$`)
	leaveState = regexp.MustCompile(`^in states? ([\d, ]+?)(?: and (\d+) more(?: \(the JSON output has all\))?)? no run may violate the property by staying forever$`)
	leaveMixed = regexp.MustCompile(`^in (\d+) parts? of the model \((\d+) states?\), no run may violate the property by staying forever$`)
	leaveOther = regexp.MustCompile(`^(.+); likewise in (\d+) other parts? of the model \((\d+) states?\)(?: \(.+\))?$`)
	leaveAll   = regexp.MustCompile(`^no run may stay forever in one of (\d+) parts? of the model \((\d+) states?\)$`)
)

// checkAdvice checks advice that forbids transitions: exactly those that must be forbidden, what the
// change leaves of the model and, after "; and", where runs must not stay forever or which choices must
// be fair.
func (g *game) checkAdvice(m []string) error {
	if !g.wins[g.initial()] {
		return errors.New("nothing that is forbidden makes it true")
	}
	prohibitions, toLeave, _ := strings.Cut(lowerFirst(m[1]), "; and ")
	prohibitions, err := g.checkNotEnough(prohibitions)
	if err != nil {
		return err
	}
	prohibitions, err = g.checkOtherTransitions(prohibitions)
	if err != nil {
		return err
	}
	prohibitions, err = g.checkRemainder(prohibitions, g.goneBy(prohibitions))
	if err != nil {
		return err
	}
	err = g.checkAllProhibitions(prohibitions)
	f := fairOnes.FindStringSubmatch(toLeave)
	if f != nil {
		return errors.Join(err, g.checkFairChoices(numbers(f[1]), number(f[2])))
	}
	if allFair.MatchString(toLeave) {
		return errors.Join(err, g.checkAllChoicesSuffice())
	}
	return errors.Join(err, g.checkPartsToLeave(toLeave))
}

// checkOtherTransitions takes the clause about other transitions from a text, and checks it. The clause
// is there if the advice only restates the property: only labels that the property prohibits are
// forbidden, and more than three transitions are. Then each state must keep another transition.
func (g *game) checkOtherTransitions(said string) (rest string, err error) {
	const clause = ": each of these states keeps another transition"
	before, after, hasClause := strings.Cut(said, clause)
	forbidden := g.forbidden()
	transitions := map[lts.Transition]bool{}
	onlyProhibited := g.prohibited != nil
	for x := range forbidden {
		transitions[x.Transition] = true
		onlyProhibited = onlyProhibited && g.prohibited[x.Label]
		isKept := func(t lts.Transition) bool {
			return !forbidden[move{t, x.done}]
		}
		if hasClause && !slices.ContainsFunc(g.judge.Out(x.From), isKept) {
			return "", fmt.Errorf("%d keeps no other transition", x.From)
		}
	}
	if hasClause != (onlyProhibited && len(transitions) > 3) {
		return "", fmt.Errorf("it restates the property: %t", !hasClause)
	}
	if !hasClause {
		return said, nil
	}
	return before + strings.Replace(after, "; ", ": ", 1), nil
}

// onlyLeave checks the advice to forbid nothing.
func (c *Checker) onlyLeave(m []string) error { return c.play().onlyLeave(m) }

func (g *game) onlyLeave(m []string) error {
	return errors.Join(g.checkForbidsNothing(), g.checkPartsToLeave(lowerFirst(m[1])))
}

// onlyFair checks the advice to forbid nothing, and to make choices fair.
func (c *Checker) onlyFair(m []string) error { return c.play().onlyFair(m) }

func (g *game) onlyFair(m []string) error {
	if m[1] == "" {
		return errors.Join(g.checkForbidsNothing(), g.checkAllChoicesSuffice())
	}
	return errors.Join(g.checkForbidsNothing(), g.checkFairChoices(numbers(m[1]), number(m[2])))
}

func (g *game) checkForbidsNothing() error {
	return errors.Join(want(g.wins[g.initial()], "it cannot be made true"),
		want(len(g.forbidden()) == 0, "%v is to be forbidden", g.forbidden()))
}

// irreparable checks the claim that forbidding does not help because of a named label.
func (c *Checker) irreparable(m []string) error { return c.play().irreparable(m) }

// irreparable checks that forbidding does not help, and that the label that the sentence blames
// leaves the named state and cannot be forbidden.
func (g *game) irreparable(m []string) error {
	isNamed := func(t lts.Transition) bool {
		return g.cannotForbid(t.Label) && g.quote(t.Label) == m[1]
	}
	leaves := slices.ContainsFunc(g.judge.Out(lts.State(number(m[2]))), isNamed)
	return errors.Join(want(!g.wins[g.initial()], "it can be made true"),
		want(leaves, "it does not"), g.checkUnforbiddable(m),
		want(g.judge.Free(g.initial().state, g.initial().done), "no run satisfies it"))
}

// cannotBe is the form of the clauses that [game.checkUnforbiddable] checks: a label, a state and,
// for an internal label, the action that comes before it or the words that there is none.
const cannotBe = "(" + label + `) in state (\d+)(?:(?:, after (` + label + "), is internal, and)? cannot be forbidden|( is internal, and no action comes before it: the environment decides))"

// checkUnforbiddable checks the stated reason why a label cannot be forbidden, by the parts m of
// [cannotBe]: the text calls the label internal only if it is, and names an action after which it can
// happen.
func (g *game) checkUnforbiddable(m []string) error {
	isInternal := func(name string) bool { return name == "i" || name == "tau" }
	source := lts.State(number(m[2]))
	precedingAction := m[3]
	nothingPrecedes := m[4] != ""
	if !isInternal(text(m[1])) {
		return want(precedingAction == "" && !nothingPrecedes, "it is not internal")
	}
	type visit struct {
		s    lts.State
		last string // the last action that is not internal; "" if there is none
	}
	claimed := visit{source, text(precedingAction)}
	first := visit{g.Model.Initial(), ""}
	visited := map[visit]bool{first: true}
	for open := []visit{first}; len(open) > 0; open = open[1:] {
		here := open[0]
		if here == claimed {
			return want((claimed.last == "") == nothingPrecedes, "the text does not say what comes before it")
		}
		for _, t := range g.judge.Out(here.s) {
			next := visit{t.To, here.last}
			if name := g.labelText(t.Label); !isInternal(name) {
				next.last = name
			}
			if !visited[next] {
				visited[next] = true
				open = append(open, next)
			}
		}
	}
	return fmt.Errorf("%q does not come before it", claimed.last)
}

func (g *game) checkAllProhibitions(said string) error {
	return g.checkProhibitions(said, g.forbidden())
}

// splitOutside splits a text at commas outside parentheses and labels, where one of the given
// beginnings follows the comma.
func splitOutside(text string, beginnings ...string) []string {
	var parts []string
	depth := 0
	inLabel := false
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '`':
			inLabel = !inLabel
		case inLabel:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && c == ',':
			rest := strings.TrimPrefix(text[i:], ", ")
			rest = strings.TrimPrefix(rest, "and ")
			beginsPart := slices.ContainsFunc(beginnings, func(beginning string) bool {
				return strings.HasPrefix(rest, beginning)
			})
			if beginsPart {
				parts = append(parts, text[start:i])
				start = len(text) - len(rest)
				i = start - 1
			}
		}
	}
	return append(parts, text[start:])
}

// place is a clause of a sentence about one place where a label is forbidden.
type place struct {
	label          string // as it is quoted
	to             string // the number of the target; "" if the clause names none
	listed         []int  // states by number; nil if they are counted
	step           int    // the step of the run that leaves the listed state, if the clause only counts the other states
	counted        int    // how many states are meant, if they are not all listed
	everywhere     bool
	allowing       int    // the number of states that allow the label, if the clause has it
	after, before  string // the steps of the property between which the label is forbidden
	progress       string // how many steps of the property are done there
	pending        string // what the property waits for there
	propertyStates string
	until          string // the action before which, or up to which, the property restricts something there
	isOnlyPlace    bool   // whether the text names no other place of the label
}

// placesIn reads a list of prohibitions, each label once.
func placesIn(said string) ([]place, error) {
	var all []place
	labels := map[string]bool{}
	for _, part := range splitOutside(said, "`") {
		endOfLabel := strings.Index(part[1:], "`") + 2
		label := part[:endOfLabel]
		if labels[label] {
			return nil, fmt.Errorf("%s is named twice", label)
		}
		labels[label] = true
		clauses := splitOutside(strings.TrimPrefix(part[endOfLabel:], " "), "in ", "to state ", "everywhere")
		for _, clause := range clauses {
			p, err := readPlace(clause)
			if err != nil {
				return nil, err
			}
			p.label = label
			p.isOnlyPlace = len(clauses) == 1
			all = append(all, p)
		}
	}
	return all, nil
}

// readPlace reads a clause about one place, without its label.
func readPlace(clause string) (place, error) {
	m := onePlace.FindStringSubmatch(clause)
	if m == nil {
		return place{}, fmt.Errorf("%q is not understood", clause)
	}
	p := place{
		to:             m[1],
		step:           number(m[4]),
		everywhere:     m[6] != "",
		counted:        number(m[7]) + number(m[8]),
		allowing:       number(m[9]),
		after:          m[11],
		before:         m[12],
		progress:       m[13],
		pending:        m[14],
		propertyStates: m[15],
		until:          m[16],
	}
	switch {
	case m[2] != "":
		p.listed = numbers(m[2])
	case m[3] != "":
		p.listed = numbers(m[3])
		p.counted = number(m[5]) + 1
	}
	if m[10] == "before" {
		p.after = ""
		p.before = m[11]
	}
	return p, nil
}

// checkProhibitions checks that a sentence forbids exactly the expected moves.
func (g *game) checkProhibitions(said string, expected map[move]bool) error {
	if isShort, err := g.checkShortForm(said, expected); isShort {
		return err
	}
	_, list, _ := strings.Cut(said, " ")
	places, err := placesIn(list)
	if err != nil {
		return err
	}
	if g.isAboutScope(places) {
		return g.checkEnough(places)
	}
	forbidden := map[move]bool{}
	for _, p := range places {
		if err := g.checkCounts(p); err != nil {
			return err
		}
		moves := g.forbiddenByClause(p, expected)
		if len(moves) == 0 {
			return fmt.Errorf("%+v is not what has to be forbidden: %v", p, expected)
		}
		for _, x := range moves {
			forbidden[x] = true
		}
	}
	// All forbidden moves are expected ones, so equal numbers mean equal sets.
	return want(len(forbidden) == len(expected), "%v has to be forbidden, told is %v", expected,
		forbidden)
}

// isAboutScope reports whether all places are about a scope of the property: "before B" or "between A and B".
// Then more is forbidden than must be, since the property itself forbids only B after what happened in the scope.
// A place needs no such words if runs come there only in the scope.
func (g *game) isAboutScope(places []place) bool {
	return !slices.ContainsFunc(places, func(p place) bool {
		namesScope := strings.HasPrefix(p.until, "between ") || strings.HasPrefix(p.until, "before ")
		isOpen := strings.Contains(p.pending, " follow") // what must not happen, should the scope end
		hasNoWords := p.until == "" && (p.pending == "" || strings.HasPrefix(p.pending, "step "))
		needsNoWords := hasNoWords && g.hasScope()
		return !namesScope && !isOpen && !needsNoWords
	})
}

// hasScope reports whether the property is about a scope that counts once it has ended.
func (g *game) hasScope() bool {
	if g.phrase == nil {
		return false
	}
	for a := range g.reached {
		if strings.Contains(g.phrase(a.done), " must not follow") {
			return true
		}
	}
	return false
}

// ofThisRun matches the step of the run at a single place, which says nothing about what is forbidden.
var ofThisRun = regexp.MustCompile(` \(step \d+ of this run\)$`)

// goneBy returns the moves that advice forbids: those that a text about a scope names, and otherwise those that
// must be forbidden.
func (g *game) goneBy(said string) map[move]bool {
	m := costOf(said)
	if m != nil {
		said = m[1]
	}
	m = otherForm.FindStringSubmatch(said)
	if m != nil {
		said = m[1]
	}
	_, list, _ := strings.Cut(said, " ")
	places, err := placesIn(ofThisRun.ReplaceAllString(list, ""))
	if err != nil || !g.isAboutScope(places) {
		return g.forbidden()
	}
	gone := map[move]bool{}
	for a := range g.reached {
		for _, t := range g.judge.Out(a.state) {
			isNamed := slices.ContainsFunc(places, func(p place) bool { return g.names(p, a, t) })
			if isNamed {
				gone[move{t, a.done}] = true
			}
		}
	}
	return gone
}

// names reports whether a place names a transition, when runs come to its source in a position.
func (g *game) names(p place, a position, t lts.Transition) bool {
	isMeant := p.counted > 0 || slices.Contains(p.listed, int(a.state))
	isAbout := g.quote(t.Label) == p.label && (p.to == "" || number(p.to) == int(t.To))
	applies := func(is func(int) bool) bool { return is(a.done) }
	return isMeant && isAbout && slices.ContainsFunc(g.readingsOf(p), applies)
}

// checkEnough checks that the property holds without what the places forbid, and that no deadlock arises.
func (g *game) checkEnough(places []place) error {
	isMet := false
	left, err := g.guarded(func(a position, t lts.Transition) bool {
		isForbidden := slices.ContainsFunc(places, func(p place) bool { return g.names(p, a, t) })
		isMet = isMet || isForbidden
		return isForbidden
	})
	if err != nil {
		return err
	}
	return errors.Join(
		want(isMet, "nothing is forbidden"),
		want(g.satisfied(left), "the property does not hold without what is forbidden"))
}

// guarded returns the product of model and property without forbidden transitions, as a model. It fails if a
// deadlock arises.
func (g *game) guarded(isForbidden func(position, lts.Transition) bool) (*lts.LTS, error) {
	var b lts.Builder
	for _, text := range g.Model.Alphabet().All() {
		b.Label(text)
	}
	reached := []position{g.initial()}
	for i := 0; i < len(reached); i++ {
		a := reached[i]
		out := g.judge.Out(a.state)
		isDeadlock := true
		for _, t := range out {
			if isForbidden(a, t) {
				continue
			}
			isDeadlock = false
			next := g.next(a, t)
			if !slices.Contains(reached, next) {
				reached = append(reached, next)
			}
			b.Add(lts.State(i), t.Label, lts.State(slices.Index(reached, next)))
		}
		if isDeadlock && len(out) > 0 {
			return nil, fmt.Errorf("state %d is a new deadlock", a.state)
		}
	}
	return b.Build(0, len(reached))
}

// checkCounts checks what a place says besides its label: the step of the run that it names or, if
// it has none, the number of states in which the label is possible.
func (g *game) checkCounts(p place) error {
	if p.step > 0 {
		t := g.Run.Transitions[p.step-1]
		isMeant := int(t.From) == p.listed[0] && g.quote(t.Label) == p.label
		return want(isMeant, "step %d of the run is another", p.step)
	}
	if !p.everywhere && p.allowing == 0 {
		return nil
	}
	possible := len(g.statesAllowing(text(p.label)))
	if p.everywhere {
		return want(possible == p.counted, "%s is possible in %d states", p.label, possible)
	}
	return want(possible == p.allowing && p.counted < p.allowing, "%s is possible in %d states",
		p.label, possible)
}

// statesAllowing returns the reachable states that a transition with this label leaves.
func (g *game) statesAllowing(label string) map[lts.State]bool {
	allowing := map[lts.State]bool{}
	visited := map[lts.State]bool{}
	for open := []lts.State{g.Model.Initial()}; len(open) > 0; open = open[1:] {
		s := open[0]
		if visited[s] {
			continue
		}
		visited[s] = true
		for _, t := range g.judge.Out(s) {
			open = append(open, t.To)
			if g.labelText(t.Label) == label {
				allowing[s] = true
			}
		}
	}
	return allowing
}

// forbiddenByClause returns the moves that a clause forbids. A clause can have several readings:
// the first one counts in which all these moves must be forbidden or, for a property without steps,
// simply the first one.
func (g *game) forbiddenByClause(p place, expected map[move]bool) []move {
	for _, applies := range g.readingsOf(p) {
		moves, fits := g.forbiddenAt(p, applies, expected)
		if fits || g.phrase != nil {
			return moves
		}
	}
	return nil
}

// forbiddenAt returns the moves that a place forbids. The function applies selects the numbers of
// steps done, or states of the property, for which the place forbids them. fits is false if one of
// the moves need not be forbidden, or the number of states is not as stated.
func (g *game) forbiddenAt(
	p place,
	applies func(done int) bool,
	expected map[move]bool,
) (moves []move, fits bool) {
	states := map[lts.State]bool{}
	listed := map[lts.State]bool{}
	for _, n := range p.listed {
		listed[lts.State(n)] = true
	}
	onlyCounted := p.counted > 0
	for a := range g.reached {
		isMeant := onlyCounted || listed[a.state]
		if g.finished(a) || !applies(a.done) || !isMeant {
			continue
		}
		for _, t := range g.judge.Out(a.state) {
			x := move{t, a.done}
			isAbout := g.quote(t.Label) == p.label && (p.to == "" || number(p.to) == int(t.To))
			mayBeElsewhere := onlyCounted && !p.everywhere && !expected[x]
			if !isAbout || mayBeElsewhere {
				continue
			}
			if !expected[x] {
				return nil, false
			}
			moves = append(moves, x)
			states[t.From] = true
		}
	}
	if !onlyCounted {
		return moves, len(states) == len(listed)
	}
	for s := range listed {
		if !states[s] {
			return nil, false
		}
	}
	// Other places of the label have states of their own.
	return moves, len(states) == p.counted || !p.isOnlyPlace && len(states) > p.counted
}

// helpsTogether reports whether a supervisor helps together with fairness, and not alone.
func (g *game) helpsTogether() bool { return g.wins[g.initial()] && len(g.partsToLeave()) > 0 }

// namesPhraseOf reports whether a list contains the phrase of a property state. A phrase can be a part
// of another one, so that longer phrases are cut from the list first.
func (g *game) namesPhraseOf(list string, q int) bool {
	const nothingPending = "nothing is pending"
	phrases := map[string]bool{nothingPending: true}
	for a := range g.reached {
		if p := g.phrase(a.done); p != "" {
			phrases[p] = true
		}
	}
	phrase := cmp.Or(g.phrase(q), nothingPending)
	longestFirst := slices.SortedFunc(maps.Keys(phrases), func(a, b string) int {
		return cmp.Or(len(b)-len(a), cmp.Compare(a, b))
	})
	for _, p := range longestFirst {
		if strings.Contains(list, p) && p == phrase {
			return true
		}
		list = strings.Replace(list, p, "", 1)
	}
	return false
}

// holdsWithout reports whether the property holds without some transitions, and
// no run reaches a new deadlock.
func (g *game) holdsWithout(without ...lts.Transition) bool {
	m, err := g.modelWithout(without)
	if err != nil {
		return false
	}
	visited := map[lts.State]bool{m.Initial(): true}
	for open := []lts.State{m.Initial()}; len(open) > 0; open = open[1:] {
		isNewDeadlock := m.IsDeadlock(open[0]) && !g.Model.IsDeadlock(open[0])
		if isNewDeadlock {
			return false
		}
		for _, t := range m.From(open[0]) {
			if !visited[t] {
				visited[t] = true
				open = append(open, t)
			}
		}
	}
	return g.satisfied(m)
}

// modelWithout returns the model without some transitions, with the same labels.
func (g *game) modelWithout(without []lts.Transition) (*lts.LTS, error) {
	var b lts.Builder
	for _, text := range g.Model.Alphabet().All() {
		b.Label(text)
	}
	for t := range g.Model.Transitions() {
		if !slices.Contains(without, t) {
			b.Add(t.From, t.Label, t.To)
		}
	}
	return b.Build(g.Model.Initial(), g.Model.NumStates())
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
		step := g.Run.Transitions[i-1]
		avoiding := g.modelAvoiding(func(t lts.Transition) bool { return t == step })
		if avoiding != nil && !g.satisfied(avoiding) {
			return fmt.Errorf("some violation does not go through step %d", i)
		}
	}
	return nil
}

// gapOne matches a transition that may be missing from the model.
var gapOne = regexp.MustCompile("(" + label + `) to state (\d+)`)

// gap checks that the property holds of the runs that avoid a deadlock, that no run which stops in
// that state satisfies it, and that the property holds if a transition from that state is added.
func (g *game) gap(m []string) error {
	deadlock := lts.State(number(m[1]))
	if !g.Model.IsDeadlock(deadlock) {
		return fmt.Errorf("state %d is not a deadlock", deadlock)
	}
	avoiding := g.modelAvoiding(func(t lts.Transition) bool { return t.To == deadlock })
	if avoiding != nil && deadlock != g.Model.Initial() && !g.satisfied(avoiding) {
		return fmt.Errorf("some violation does not stop in state %d", deadlock)
	}
	for q := range max(g.mostStates, len(g.Steps)+1) {
		if g.judge.Arrives(deadlock, q) && g.judge.Free(deadlock, q) {
			return fmt.Errorf("a run that satisfies it stops in state %d", deadlock)
		}
	}
	for _, way := range gapOne.FindAllStringSubmatch(m[2], -1) {
		l, _ := g.Model.Alphabet().Lookup(text(way[1]))
		missing := lts.Transition{
			From:  deadlock,
			Label: l,
			To:    lts.State(number(way[2])),
		}
		repaired := g.modelWith(append(slices.Collect(g.Model.Transitions()), missing))
		if repaired == nil || !g.satisfied(repaired) {
			return fmt.Errorf("it does not hold with %v", missing)
		}
	}
	return nil
}

// modelAvoiding returns the model of the runs that take none of some transitions; nil
// if there is no such run. It also removes states from which every run would end
// in a state that is a deadlock only because of the removal.
func (g *game) modelAvoiding(gone func(lts.Transition) bool) *lts.LTS {
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
			return g.modelWith(left)
		}
	}
}

// modelWith returns the model with other transitions.
func (g *game) modelWith(transitions []lts.Transition) *lts.LTS {
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

// coalitionPowers records for each set of owners whether they can prevent the violation. A set is a
// bit for each of names. isComplete is false if there are too many supervisors to try.
type coalitionPowers struct {
	names      []string
	canPrevent []bool
	isComplete bool
}

// coalitions tries all supervisors for each set of owners.
func (c *Checker) coalitions() *coalitionPowers {
	// To meet several conditions in turn, a supervisor needs a memory, which the supervisors tried here lack.
	powers := &coalitionPowers{isComplete: c.colours <= 1}
	happening := c.happening()
	for _, name := range c.Owners {
		for l := range c.Model.Alphabet().All() {
			if happening[l] && c.canForbid(name, l) && !slices.Contains(powers.names, name) {
				powers.names = append(powers.names, name)
			}
		}
	}
	for set := range 1 << len(powers.names) {
		can, areFew := c.canPrevent(func(owner string) bool {
			i := slices.Index(powers.names, owner)
			return i >= 0 && has(set, i)
		})
		powers.canPrevent = append(powers.canPrevent, can)
		powers.isComplete = powers.isComplete && areFew
	}
	return powers
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
// state and the progress, forbids only transitions of the owners that isMember selects, and leaves
// a transition in each state. It is enough to try the supervisors that forbid as much as possible,
// because a supervisor that leaves fewer runs leaves no more violations: in a position that a
// transition of another owner leaves, they forbid all transitions of the selected owners, and
// elsewhere all but one. areFew is false if there are too many such supervisors.
func (c *Checker) canPrevent(isMember func(owner string) bool) (can, areFew bool) {
	options := c.supervisorOptions(isMember)
	supervisors := 1
	for _, x := range options.choices {
		supervisors *= len(x.transitions)
		if supervisors > mostSupervisors {
			return false, false
		}
	}
	for supervisor := range supervisors {
		m, err := c.supervisedBy(supervisor, options)
		if err != nil {
			return false, false
		}
		if c.satisfies(m) {
			return true, true
		}
	}
	return false, true
}

// supervisorOptions are what supervisors may leave in the positions that runs reach.
type supervisorOptions struct {
	number    map[position]lts.State // the states that stand for the positions in the model that the supervisor leaves
	positions []position
	kept      map[position][]lts.Transition // transitions of others, which stay
	choices   []supervisorChoice
}

// supervisorChoice is a position that only transitions of the supervisor's owners leave: it must leave one.
type supervisorChoice struct {
	from        position
	transitions []lts.Transition
}

// add numbers a position, unless it has a number.
func (o *supervisorOptions) add(p position) {
	if _, met := o.number[p]; !met {
		o.number[p] = lts.State(len(o.positions))
		o.positions = append(o.positions, p)
	}
}

// supervisorOptions returns the positions that runs reach, the transitions that every supervisor leaves
// there, and the choices of a supervisor: the positions where only members act, with their transitions.
func (c *Checker) supervisorOptions(isMember func(owner string) bool) *supervisorOptions {
	o := &supervisorOptions{
		number: map[position]lts.State{},
		kept:   map[position][]lts.Transition{},
	}
	o.add(position{c.Model.Initial(), c.initialProgress})
	for i := 0; i < len(o.positions); i++ { // positions grows
		p := o.positions[i]
		isUndone := c.satisfied != nil || p.done < len(c.Steps)
		var theirs []lts.Transition
		for _, t := range c.judge.Out(p.state) {
			o.add(position{t.To, c.judge.Advance(p.done, t.Label)})
			if isUndone && !c.Triggers[t.Label] && isMember(c.Owner(c.labelText(t.Label))) {
				theirs = append(theirs, t)
			} else {
				o.kept[p] = append(o.kept[p], t)
			}
		}
		if len(o.kept[p]) == 0 && len(theirs) > 0 {
			o.choices = append(o.choices, supervisorChoice{p, theirs})
		}
	}
	return o
}

// supervisedBy returns the model of the runs that a supervisor leaves. The supervisor is a number with
// a digit for each choice: the index of the transition that it leaves there.
func (c *Checker) supervisedBy(supervisor int, options *supervisorOptions) (*lts.LTS, error) {
	var b lts.Builder
	for _, text := range c.Model.Alphabet().All() {
		b.Label(text)
	}
	keep := func(p position, t lts.Transition) {
		to := position{t.To, c.judge.Advance(p.done, t.Label)}
		b.Add(options.number[p], t.Label, options.number[to])
	}
	for _, p := range options.positions {
		for _, t := range options.kept[p] {
			keep(p, t)
		}
	}
	for _, x := range options.choices {
		n := len(x.transitions)
		keep(x.from, x.transitions[supervisor%n])
		supervisor /= n
	}
	return b.Build(0, len(options.positions))
}

func (c *Checker) satisfies(m *lts.LTS) bool {
	if c.satisfied != nil {
		return c.satisfied(m)
	}
	o, err := oracle.New(m, c.Steps)
	return err == nil && o.Satisfied()
}

// canForbid reports whether an owner can forbid a label.
func (c *Checker) canForbid(name string, l lts.Label) bool {
	return c.Owner(c.labelText(l)) == name && !c.Triggers[l]
}

// minimalSets returns the sets that can prevent the violation, and cannot without any
// of their members.
func (p *coalitionPowers) minimalSets() (sets [][]string) {
	for set, isMinimal := range p.canPrevent {
		var names []string
		for i, name := range p.names {
			if !has(set, i) {
				continue
			}
			names = append(names, name)
			without := set &^ (1 << i)
			isMinimal = isMinimal && !p.canPrevent[without]
		}
		if isMinimal {
			sets = append(sets, names)
		}
	}
	return sets
}

// readOwners reads a list of owners, and the number of others in it.
func (c *Checker) readOwners(list string) (names []string, others int) {
	m := manyOthers.FindStringSubmatch(list)
	if m != nil {
		others = number(m[1])
	}
	return c.quotedLabels(list), others
}

// checkOwners checks that a list names the expected owners in their order, and counts those that it omits.
func (c *Checker) checkOwners(list string, expected []string) error {
	names, omitted := c.readOwners(list)
	listed := expected[:min(len(names), len(expected))]
	return want(len(names)+omitted == len(expected) && slices.Equal(names, listed), "%q: it is %v", list, expected)
}

// withMinimalSets calls check with the powers of all sets of owners and the minimal sets that can prevent the
// violation. It checks nothing if there are too many supervisors to try.
func (c *Checker) withMinimalSets(check func(powers *coalitionPowers, minimal [][]string) error) error {
	if c.Owner == nil || !c.Violated {
		return errors.New("it is not known who acts, or nothing is violated")
	}
	powers := c.coalitions()
	if !powers.isComplete {
		c.Understood["too many supervisors"]++
		return nil
	}
	return check(powers, powers.minimalSets())
}

func (c *Checker) nobodyCan(m []string) error {
	return c.withMinimalSets(func(a *coalitionPowers, minimal [][]string) error {
		return errors.Join(want(len(minimal) == 0, "%v can", minimal),
			want((m[2] != "") == (len(a.names) == 1), "there are %v", a.names), c.checkOwners(m[1]+m[2], a.names), c.checkObstacle(a.names, m[3:]))
	})
}

func (c *Checker) onlyTogether(m []string) error {
	return c.withMinimalSets(func(_ *coalitionPowers, minimal [][]string) error {
		if len(minimal) != 1 || len(minimal[0]) < 2 {
			return fmt.Errorf("%v can", minimal)
		}
		return errors.Join(c.checkOwners(m[1], minimal[0]), c.checkSupervisors(m[2], minimal[0]))
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
	return c.withMinimalSets(func(a *coalitionPowers, minimal [][]string) error {
		err := want(len(a.names) > 1 && len(singlesOf(minimal)) == len(a.names), "%v can",
			minimal)
		if m[2] != "" {
			return errors.Join(err, want(number(m[2]) == len(a.names), "there are %v", a.names))
		}
		return errors.Join(err, c.checkOwners(m[1], a.names))
	})
}

// someAlone checks which owners suffice alone, and which do not.
func (c *Checker) someAlone(m []string) error {
	sufficient := m[1]
	insufficient := m[2]
	notEvenTogether := m[3] != ""
	return c.withMinimalSets(func(powers *coalitionPowers, minimal [][]string) error {
		alone := singlesOf(minimal)
		if len(alone) == 0 {
			return fmt.Errorf("%v can", minimal)
		}
		cannot := slices.DeleteFunc(slices.Clone(powers.names), func(name string) bool {
			return slices.Contains(alone, name)
		})
		err := errors.Join(c.checkOwners(sufficient, alone),
			want((insufficient == "") == (len(cannot) == 0), "%v cannot", cannot),
			want(notEvenTogether == (len(cannot) > 1), "%v cannot", cannot))
		if insufficient != "" {
			err = errors.Join(err, c.checkOwners(insufficient, cannot))
		}
		return err
	})
}

// anyOfThese checks the list of minimal sets of owners, of which at least one has several members.
func (c *Checker) anyOfThese(m []string) error {
	return c.withMinimalSets(func(_ *coalitionPowers, minimal [][]string) error {
		lists := strings.Split(m[1], "; ")
		omitted := number(m[2])
		err := errors.Join(
			want(len(minimal) > 1 && singlesOf(minimal) == nil, "%v can", minimal),
			want(len(lists)+omitted == len(minimal), "%v can", minimal))
		for _, list := range lists {
			isMinimal := slices.ContainsFunc(minimal, func(set []string) bool {
				return c.checkOwners(list, set) == nil
			})
			err = errors.Join(err, want(isMinimal, "%q: %v can", list, minimal))
		}
		return err
	})
}

// shares checks the Shapley values of the owners.
func (c *Checker) shares(m []string) error {
	return c.withMinimalSets(func(powers *coalitionPowers, _ [][]string) error {
		shares := powers.shapleyValues()
		if each, isSame := strings.CutSuffix(m[1], " each"); isSame {
			for i, share := range shares {
				if share != each {
					return fmt.Errorf("%s has %s", powers.names[i], share)
				}
			}
			return nil
		}
		said := shareOne.FindAllStringSubmatch(m[1], -1)
		err := want(len(said) == len(powers.names), "%d shares of %v", len(said), powers.names)
		for i, one := range said[:min(len(said), len(shares))] {
			name := text(one[1])
			share := one[2]
			err = errors.Join(err,
				want(name == powers.names[i] && share == shares[i], "%s has %s", powers.names[i], shares[i]))
		}
		return err
	})
}

// shapleyValues returns the Shapley value of each owner: if owners join a coalition one after
// another, the share of all orders in which this owner makes the coalition sufficient.
func (p *coalitionPowers) shapleyValues() []string {
	pivotal := make([]int64, len(p.names))
	orders := int64(0)
	everybody := len(p.canPrevent) - 1
	var join func(set int)
	join = func(set int) {
		if set == everybody {
			orders++
		}
		for i := range p.names {
			if has(set, i) {
				continue
			}
			joined := set | 1<<i
			before := orders
			join(joined)
			if !p.canPrevent[set] && p.canPrevent[joined] {
				pivotal[i] += orders - before
			}
		}
	}
	join(0)
	values := make([]string, len(p.names))
	for i := range values {
		values[i] = big.NewRat(pivotal[i], orders).RatString()
	}
	return values
}

// prevention are the forms of sentences about owners, and about who could have
// prevented the violation.
func (c *Checker) prevention() []tableForm {
	var list []tableForm
	for _, f := range allForms {
		if slices.Contains([]string{"nobody can", "only together", "supervised", "each alone", "some alone", "any of these", "shares", "owned"}, f.name) {
			list = append(list, tableForm{
				f.name,
				f.pattern,
				func(m []string) error { return f.check(c, m) },
			})
		}
	}
	return list
}

// isDecision reports whether transition i of the run is a decision: another transition would
// have had a better class, or the transition loses the property.
func (c *Checker) isDecision(i int) bool {
	if !c.free(0) {
		return false
	}
	taken := c.judge.ClassAfter(c.progressAt(i), c.Run.Transitions[i])
	hasBetter := slices.ContainsFunc(c.alternatives(i), func(t lts.Transition) bool {
		return rankOf(c.judge.ClassAfter(c.progressAt(i), t)) > rankOf(taken)
	})
	loses := c.free(i) && !c.free(i+1)
	return hasBetter || loses
}

// rankOf returns the place of a class from worst to best; -1 for transitions after which no run counts.
func rankOf(c oracle.Class) int {
	return slices.Index([]oracle.Class{oracle.Incorrect, oracle.Neutral, oracle.Correct}, c)
}

// owned checks a sentence about who owns the decisions of the run.
func (c *Checker) owned(m []string) error {
	if c.Owner == nil {
		return errors.New("it is not known who acts")
	}
	counts := map[string]int{}
	all := 0
	for i, t := range c.Run.Transitions {
		if c.isDecision(i) {
			counts[c.Owner(c.labelText(t.Label))]++
			all++
		}
	}
	unowned := counts[""]
	delete(counts, "")
	onlyOwner := m[2]
	if onlyOwner != "" {
		makesAll := number(m[1]) == all && counts[text(onlyOwner)] == all
		return want(makesAll && unowned == 0 && all > 1, "of %d decisions are %v", all, counts)
	}
	most := number(m[3])
	said := map[string]int{text(m[5]): most}
	for _, one := range ownedOne.FindAllStringSubmatch(m[6], -1) {
		said[text(one[2])] = number(one[1])
	}
	omitted := number(m[7])
	err := want(number(m[4]) == all && len(said)+omitted == len(counts),
		"of %d decisions are %v", all, counts)
	for name, n := range said {
		err = errors.Join(err,
			want(counts[name] == n && n <= most, "%s makes %d", name, counts[name]))
	}
	return err
}

// checkDecidedBy checks the owner that a sentence about choices names. indices are those of the
// transitions that the sentence is about. If there is only one transition, the sentence must name
// its owner.
func (c *Checker) checkDecidedBy(said string, indices []int) error {
	m := byWhomOne.FindStringSubmatch(said)
	if m == nil {
		mayOmit := c.Owner == nil || len(indices) != 1 || c.ownerOf(indices[0]) == ""
		return want(mayOmit, "nobody is said to decide")
	}
	if c.Owner == nil {
		return errors.New("it is not known who acts")
	}
	owner := text(m[1])
	taken := m[2]
	for _, i := range indices {
		takes := taken == "" || c.takenLabel(i+1) == text(taken)
		err := errors.Join(want(c.ownerOf(i) == owner, "step %d is taken by %q", i+1, c.ownerOf(i)),
			want(takes, "step %d takes something else", i+1))
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Checker) ownerOf(i int) string {
	return c.Owner(c.labelText(c.Run.Transitions[i].Label))
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
	if c.gameWithout != nil {
		return c.gameWithout(forced)
	}
	return c.playWith(forced), true
}

// mustBeForbiddenBy returns the moves that an owner must forbid.
func (g *game) mustBeForbiddenBy(owner string) map[move]bool {
	all := g.forbidden()
	for x := range all {
		if g.Owner(g.labelText(x.Label)) != owner {
			delete(all, x)
		}
	}
	return all
}

// checkSupervisors checks what the owners of the only minimal set must forbid, and what
// they must leave.
func (c *Checker) checkSupervisors(said string, owners []string) error {
	g, areFew := c.playedBy(owners)
	if said == "" || !areFew {
		return nil
	}
	said, toLeave, _ := splitLeave(said)
	omitted := 0
	m := restThey.FindStringSubmatch(said)
	if m != nil {
		said = strings.TrimSuffix(said, m[0])
		omitted = number(m[1])
	}
	err := g.checkPartsOnly(toLeave)
	told := map[string]bool{}
	heads := byOwner.FindAllStringSubmatchIndex(said, -1)
	for i, head := range heads {
		end := len(said)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		owner := text(said[head[2]:head[3]])
		prohibitions := said[head[4]:end]
		told[owner] = true
		err = errors.Join(err, want(slices.Contains(owners, owner), "%s is no member", owner),
			g.checkProhibitions(prohibitions, g.mustBeForbiddenBy(owner)))
	}
	for _, owner := range owners {
		if !told[owner] && len(g.mustBeForbiddenBy(owner)) > 0 {
			omitted--
		}
	}
	return errors.Join(err,
		want(omitted == 0 && (len(heads) > 0) == (said != ""), "%q: %d owners more", said,
			omitted))
}

// supervised checks what the only sufficient owner must do.
func (c *Checker) supervised(m []string) error {
	return c.withMinimalSets(func(_ *coalitionPowers, minimal [][]string) error {
		if len(minimal) != 1 || len(minimal[0]) != 1 {
			return fmt.Errorf("%v can", minimal)
		}
		g, few := c.playedBy(minimal[0])
		if !few {
			return nil
		}
		nevers, leave, _ := splitLeave(m[1])
		if nevers == "" {
			return errors.Join(g.checkPartsOnly(leave),
				want(len(g.forbidden()) == 0, "%v is to be forbidden", g.forbidden()))
		}
		return errors.Join(g.checkPartsOnly(leave), g.checkProhibitions(nevers, g.forbidden()))
	})
}

// splitLeave splits a sentence before the clause about what must be left.
func splitLeave(said string) (nevers, leave string, both bool) {
	if strings.HasPrefix(said, "in ") && !ruleForm.MatchString(said) ||
		strings.HasPrefix(said, "no run ") {
		return "", said, false
	}
	return strings.Cut(said, "; and ")
}

// checkPartsOnly checks the clause about what must be left. It does not check fair choices, which
// the clause does not mention.
func (g *game) checkPartsOnly(said string) error {
	m := leaveAll.FindStringSubmatch(said)
	if m != nil {
		return checkSizes(m, g.partsToLeave())
	}
	return g.checkPartsToLeave(said)
}

// checkObstacle checks the reason why not even all owners together can prevent the violation, by
// the parts m of the sentence. Either no run satisfies the property, or a label that no owner can
// forbid leads from a state that runs reach to a state where nobody can make the property true.
func (c *Checker) checkObstacle(owners []string, m []string) error {
	noRunSatisfies := m[0] != ""
	label := m[1]
	source := number(m[2])
	isCalledTrigger := m[3] == "triggers the property"
	switch {
	case noRunSatisfies:
		return want(!c.free(0), "some run satisfies it")
	case label == "":
		return nil
	}
	g, areFew := c.playedBy(owners)
	if !areFew {
		return nil
	}
	visited := map[position]bool{}
	for todo := []position{g.initial()}; len(todo) > 0; todo = todo[1:] {
		p := todo[0]
		if visited[p] {
			continue
		}
		visited[p] = true
		for _, t := range c.judge.Out(p.state) {
			next := g.next(p, t)
			isNamed := int(p.state) == source && c.labelText(t.Label) == text(label)
			if isNamed && g.cannotForbid(t.Label) && !g.wins[next] {
				return want(c.Triggers[t.Label] == isCalledTrigger,
					"%s triggers the property: %t", label, c.Triggers[t.Label])
			}
			todo = append(todo, next)
		}
	}
	return fmt.Errorf("%s does not lead from state %d to where the property cannot be made true", label, source)
}
