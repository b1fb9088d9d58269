package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// part is a strongly connected component of the moves that are left when some are
// forbidden, in which a run must not stay forever.
type part struct {
	places map[position]bool
	moves  map[move]bool
}

// eachMove calls do for each allowed move between the selected positions whose colours all belong to the given
// ones.
func (g *game) eachMove(
	isSelected func(position) bool,
	colours map[int]bool,
	do func(from position, t lts.Transition),
) {
	for from := range g.reached {
		if g.finished(from) || !isSelected(from) {
			continue
		}
		for _, t := range g.judge.Out(from.state) {
			to := g.next(from, t)
			hasOnlyThese := true
			for c := range g.marks(from, t.Label) {
				hasOnlyThese = hasOnlyThese && colours[c]
			}
			staysInGame := g.wins[to] && !g.finished(to)
			if staysInGame && isSelected(to) && hasOnlyThese {
				do(from, t)
			}
		}
	}
}

// colourSets yields every set of colours.
func (g *game) colourSets(yield func(map[int]bool) bool) {
	for bits := range 1 << g.colours {
		if !yield(coloursOf(bits, g.colours)) {
			return
		}
	}
}

// coloursOf returns the set with the colours below n whose bits are set.
func coloursOf(bits, n int) map[int]bool {
	colours := map[int]bool{}
	for c := range n {
		if has(bits, c) {
			colours[c] = true
		}
	}
	return colours
}

// reaches returns for each pair the pairs that it reaches by at least one move.
func (g *game) reaches(moves map[move]bool) map[position]map[position]bool {
	next := map[position][]position{}
	for m := range moves {
		a := position{m.From, m.done}
		next[a] = append(next[a], g.next(a, m.Transition))
	}
	reach := map[position]map[position]bool{}
	for a := range next {
		visited := map[position]bool{}
		for todo := next[a]; len(todo) > 0; todo = todo[1:] {
			if !visited[todo[0]] {
				visited[todo[0]] = true
				todo = append(todo, next[todo[0]]...)
			}
		}
		reach[a] = visited
	}
	return reach
}

// violates reports whether a run that takes exactly these moves infinitely often
// violates the property.
func (g *game) violates(moves map[move]bool) bool {
	visited := map[int]bool{}
	for m := range moves {
		for c := range g.marks(position{m.From, m.done}, m.Label) {
			visited[c] = true
		}
	}
	return g.rejects(visited)
}

// partsToLeave returns the largest parts in which a run must not stay forever.
func (g *game) partsToLeave() []part {
	var all []part
	everywhere := func(position) bool { return true }
	for colours := range g.colourSets {
		moves := map[move]bool{}
		g.eachMove(everywhere, colours, func(from position, t lts.Transition) {
			moves[move{t, from.done}] = true
		})
		for _, p := range g.components(moves) {
			if g.violates(p.moves) {
				all = addMaximal(all, p)
			}
		}
	}
	return all
}

// components returns the strongly connected components of some moves that have at least one move.
func (g *game) components(moves map[move]bool) []part {
	var all []part
	reach := g.reaches(moves)
	assigned := map[position]bool{}
	for a := range reach {
		if assigned[a] || !reach[a][a] {
			continue
		}
		p := part{map[position]bool{}, map[move]bool{}}
		for b := range reach[a] {
			if reach[b][a] {
				p.places[b] = true
				assigned[b] = true
			}
		}
		for m := range moves {
			from := position{m.From, m.done}
			if p.places[from] && p.places[g.next(from, m.Transition)] {
				p.moves[m] = true
			}
		}
		all = append(all, p)
	}
	return all
}

// addMaximal adds a part, unless another one contains it, and removes parts that it
// contains.
func addMaximal(all []part, p part) []part {
	var kept []part
	for _, other := range all {
		if isWithin(p, other) {
			return all
		}
		if !isWithin(other, p) {
			kept = append(kept, other)
		}
	}
	return append(kept, p)
}

// isWithin reports whether a part has only moves of the other one.
func isWithin(p, other part) bool {
	for m := range p.moves {
		if !other.moves[m] {
			return false
		}
	}
	return true
}

// checkPartsToLeave checks a clause about the parts of the model in which a run must not stay forever: how many
// there are or, if there is one, what runs must not do there. "" claims that there are none.
func (g *game) checkPartsToLeave(said string) error {
	parts := g.partsToLeave()
	if said == "" {
		return want(len(parts) == 0, "%d parts are to be left", len(parts))
	}
	if m := leaveAll.FindStringSubmatch(said); m != nil {
		return errors.Join(checkSizes(m, parts), g.checkNoChoicesSuffice())
	}
	if m := leaveMixed.FindStringSubmatch(said); m != nil {
		g.Understood["mixed parts"]++
		if g.canStayPartly(parts) { // such parts can overlap, and are not counted
			return want(len(parts) > 0, "there are no parts")
		}
		return checkSizes(m, parts)
	}
	if m := leaveOther.FindStringSubmatch(said); m != nil {
		return g.checkPartAndOthers(m[1], number(m[2]), parts)
	}
	if len(parts) == 0 {
		return fmt.Errorf("%q: there are no parts", said)
	}
	if m := stayAndDo.FindStringSubmatch(said); m != nil {
		g.Understood["stay and do"]++
		return g.checkForbidsExactly(behaviours{states: m[1], unlisted: m[2], again: m[3], exits: m[4]})
	}
	if m := leaveState.FindStringSubmatch(said); m != nil {
		g.Understood["what violates"]++
		return g.checkStaysWithin(numbers(m[1]), m[2] != "")
	}
	m := leaveOne.FindStringSubmatch(said)
	if m == nil || len(parts) != 1 {
		return fmt.Errorf("%q: there are %d parts", said, len(parts))
	}
	b := behaviours{states: m[1], unlisted: m[2], loop: g.quotedLabels(m[3]), exits: m[5]}
	return errors.Join(g.checkPendingStep(parts[0], m[4]), g.checkForbidsExactly(b))
}

// checkPartAndOthers checks a clause about one part, and the number of the others. All that the clause
// forbids must violate the property.
func (g *game) checkPartAndOthers(one string, others int, parts []part) error {
	m := stayAndDo.FindStringSubmatch(one)
	if m == nil {
		return fmt.Errorf("%q is not understood", one)
	}
	g.Understood["one of several parts"]++
	mayOverlap := g.canStayPartly(parts)
	if !mayOverlap && others+1 != len(parts) {
		return fmt.Errorf("there are %d parts", len(parts))
	}
	b := behaviours{states: m[1], unlisted: m[2], again: m[3], exits: m[4]}
	if b.unlisted != "" || strings.Contains(b.exits+b.again, "other action") {
		return nil
	}
	f, err := g.forbiddenBehaviours(b)
	if err != nil {
		return err
	}
	for set := range g.recurringSets {
		if f.has(set) && !g.violates(set) {
			return fmt.Errorf("a run that takes %v forever does not violate the property", set)
		}
	}
	return nil
}

// checkSizes checks the number of parts, m[1], and that of all their places, m[2].
func checkSizes(m []string, parts []part) error {
	places := 0
	for _, p := range parts {
		places += len(p.places)
	}
	return want(number(m[1]) == len(parts) && number(m[2]) == places,
		"there are %d parts with %d states", len(parts), places)
}

// checkPendingStep checks whether a sentence must name the pending step of a part: it must for a chain
// if runs also reach the part's states with other steps done. named is "" if the sentence names none.
func (g *game) checkPendingStep(p part, named string) error {
	if g.phrase != nil {
		return want(named == "", "there are no steps")
	}
	isAmbiguous := false
	done := 0 // all states of the part have the same number of steps done, because no move in it does a step
	for a := range p.places {
		done = a.done
		for b := range g.reached {
			isAmbiguous = isAmbiguous || b.state == a.state && b.done != a.done
		}
	}
	if named == "" {
		return want(!isAmbiguous, "runs come there with other steps done")
	}
	return errors.Join(want(isAmbiguous, "runs come there with no other steps done"),
		g.checkStepName(named, done+1))
}

// mostMoves is the largest number of moves whose subsets are all examined.
const mostMoves = 9

// recurringSets yields each set of moves such that some run takes exactly these
// infinitely often. It yields nothing if there are too many moves.
func (g *game) recurringSets(yield func(map[move]bool) bool) {
	allColours := map[int]bool{}
	for c := range g.colours {
		allColours[c] = true
	}
	everywhere := func(position) bool { return true }
	seen := map[move]bool{}
	var moves []move
	g.eachMove(everywhere, allColours, func(from position, t lts.Transition) {
		m := move{t, from.done}
		if !seen[m] {
			seen[m] = true
			moves = append(moves, m)
		}
	})
	if len(moves) > mostMoves {
		return
	}
	for bits := 1; bits < 1<<len(moves); bits++ {
		set := map[move]bool{}
		places := map[position]bool{}
		for i, m := range moves {
			if !has(bits, i) {
				continue
			}
			set[m] = true
			from := position{m.From, m.done}
			places[from] = true
			places[g.next(from, m.Transition)] = true
		}
		if g.connects(places, set) && !yield(set) {
			return
		}
	}
}

// behaviours are the infinite behaviours that a sentence forbids: those that stay in some states, take only the
// labels of the loop, take a label of each set of again infinitely often, and never take an exit.
type behaviours struct {
	states   string   // a list of numbers
	unlisted string   // how many more states are meant; "" if the list is complete
	loop     []string // nil if all labels are meant
	again    string   // lists of labels, joined by "and"
	exits    string   // a list of labels, with targets where the label does not tell them
}

// exit is a transition by which a run leaves a forbidden behaviour.
type exit struct {
	label  string
	target string // "" for all targets
}

// readExits reads a list of exits.
func readExits(list string) (map[exit]bool, error) {
	exits := map[exit]bool{}
	for _, part := range regexp.MustCompile(`, | or `).Split(list, -1) {
		m := toState.FindStringSubmatch(part)
		switch {
		case m != nil:
			exits[exit{text(m[1]), m[2]}] = true
		case part != "":
			return nil, fmt.Errorf("%q is no way out", part)
		}
	}
	return exits, nil
}

var toState = regexp.MustCompile("^(" + label + ")(?: to state (\\d+))?$")

// checkForbidsExactly checks that the behaviours that a sentence forbids are exactly the infinite
// behaviours that violate the property. A sentence that only counts states or labels is not checked.
func (g *game) checkForbidsExactly(b behaviours) error {
	if b.unlisted != "" || strings.Contains(b.exits+b.again, "other action") {
		return nil
	}
	f, err := g.forbiddenBehaviours(b)
	if err != nil {
		return err
	}
	for set := range g.recurringSets {
		violates := g.violates(set)
		if violates != f.has(set) {
			return fmt.Errorf("a run that takes %v forever violates the property: %t", set, violates)
		}
	}
	return nil
}

// forbiddenBehaviours are the infinite behaviours that a sentence forbids.
type forbiddenBehaviours struct {
	game   *game
	states map[lts.State]bool // a run stays in these states forever
	exits  map[exit]bool      // and takes none of these,
	loop   []string           // only these labels, if it is not nil,
	again  [][]string         // and of each list some label again and again
}

// forbiddenBehaviours reads the behaviours that a sentence forbids.
func (g *game) forbiddenBehaviours(b behaviours) (*forbiddenBehaviours, error) {
	f := &forbiddenBehaviours{
		game:   g,
		states: map[lts.State]bool{},
		loop:   b.loop,
	}
	var err error
	f.exits, err = readExits(b.exits)
	if err != nil {
		return nil, err
	}
	for _, s := range numbers(b.states) {
		f.states[lts.State(s)] = true
	}
	if b.again != "" {
		for _, list := range strings.Split(b.again, " and ") {
			f.again = append(f.again, g.quotedLabels(list))
		}
	}
	return f, nil
}

// has reports whether a run that takes exactly these moves again and again is forbidden.
func (f *forbiddenBehaviours) has(moves map[move]bool) bool {
	taken := map[string]bool{}
	for m := range moves {
		l := f.game.labelText(m.Label)
		taken[l] = true
		stays := f.states[m.From] && f.states[m.To]
		leaves := f.exits[exit{l, ""}] || f.exits[exit{l, fmt.Sprint(m.To)}]
		isOnLoop := f.loop == nil || slices.Contains(f.loop, l)
		if !stays || leaves || !isOnLoop {
			return false
		}
	}
	isTaken := func(l string) bool { return taken[l] }
	for _, labels := range f.again {
		if !slices.ContainsFunc(labels, isTaken) {
			return false
		}
	}
	return true
}

// checkStaysWithin checks that all runs that violate the property stay in some states, unless more states are
// meant than are listed.
func (g *game) checkStaysWithin(listed []int, areMore bool) error {
	if areMore {
		return nil
	}
	for set := range g.recurringSets {
		for m := range set {
			if g.violates(set) && !slices.Contains(listed, int(m.From)) {
				return fmt.Errorf("a run that takes %v forever violates it, too", set)
			}
		}
	}
	return nil
}

// canStayPartly reports whether a run may stay in one of the parts forever if it meets only some of its colours
// again and again: whether the property accepts a subset of them.
func (g *game) canStayPartly(parts []part) bool {
	return slices.ContainsFunc(parts, func(p part) bool {
		ofPart := map[int]bool{}
		for m := range p.moves {
			for c := range g.marks(position{m.From, m.done}, m.Label) {
				ofPart[c] = true
			}
		}
		for colours := range g.colourSets {
			isSubset := true
			for c := range colours {
				isSubset = isSubset && ofPart[c]
			}
			if isSubset && !g.rejects(colours) {
				return true
			}
		}
		return false
	})
}

// mostForChoices is the largest number of pairs whose subsets are all examined.
const mostForChoices = 10

// unfinishedPositions returns the pairs in which something remains to be done; false if
// there are too many.
func (g *game) unfinishedPositions() (all []position, areFew bool) {
	for a := range g.reached {
		if !g.finished(a) {
			all = append(all, a)
		}
	}
	return all, len(all) <= mostForChoices
}

// suffices reports whether every run without forbidden moves that is fair to the
// choices in some states satisfies the property. It examines each set of pairs
// that a run can visit infinitely often, with each set of colours.
func (g *game) suffices(places []position, fairStates map[lts.State]bool) bool {
	for bits := 1; bits < 1<<len(places); bits++ {
		visited := map[position]bool{}
		for i, a := range places {
			isChosen := has(bits, i)
			if isChosen {
				visited[a] = true
			}
		}
		for colours := range g.colourSets {
			moves := g.movesWithin(visited, colours)
			canRecur := g.connects(visited, moves)
			if canRecur && g.violates(moves) && g.isFair(visited, moves, fairStates) {
				return false
			}
		}
	}
	return true
}

// movesWithin returns all allowed moves between some pairs with some colours. Runs that take all of them again
// and again are the fairest.
func (g *game) movesWithin(visited map[position]bool, colours map[int]bool) map[move]bool {
	moves := map[move]bool{}
	isVisited := func(p position) bool { return visited[p] }
	g.eachMove(isVisited, colours, func(from position, t lts.Transition) {
		moves[move{t, from.done}] = true
	})
	return moves
}

// connects reports whether moves lead from each place to each, by at least one move.
func (g *game) connects(places map[position]bool, moves map[move]bool) bool {
	reach := g.reaches(moves)
	for a := range places {
		for b := range places {
			if !reach[a][b] {
				return false
			}
		}
	}
	return true
}

// isFair reports whether moves contain every transition that is possible at some places, from the
// states to whose choices a run is fair.
func (g *game) isFair(places map[position]bool, moves map[move]bool, fairStates map[lts.State]bool) bool {
	taken := map[lts.Transition]bool{}
	for m := range moves {
		taken[m.Transition] = true
	}
	for a := range places {
		if !fairStates[a.state] {
			continue
		}
		for _, t := range g.judge.Out(a.state) {
			if g.wins[g.next(a, t)] && !taken[t] {
				return false
			}
		}
	}
	return true
}

// checkFairChoices checks that fair choices in some states suffice, and that all of them
// are needed. It checks nothing if the sentence leaves states out, or if there are
// too many pairs to examine.
func (g *game) checkFairChoices(states []int, unlisted int) error {
	places, areFew := g.unfinishedPositions()
	if !areFew || unlisted > 0 {
		return nil
	}
	fairStates := map[lts.State]bool{}
	for _, s := range states {
		fairStates[lts.State(s)] = true
	}
	if !g.suffices(places, fairStates) {
		return fmt.Errorf("it is not enough")
	}
	for s := range fairStates {
		fairStates[s] = false
		if g.suffices(places, fairStates) {
			return fmt.Errorf("it is enough without state %d", s)
		}
		fairStates[s] = true
	}
	return nil
}

// checkNoChoicesSuffice checks that no fair choices would suffice.
func (g *game) checkNoChoicesSuffice() error {
	suffice, few := g.allChoicesSuffice()
	return want(!few || !suffice, "it is enough that all choices are fair")
}

// checkAllChoicesSuffice checks that it is enough that all choices are fair.
func (g *game) checkAllChoicesSuffice() error {
	suffice, few := g.allChoicesSuffice()
	return want(!few || suffice, "it is not enough that all choices are fair")
}

// allChoicesSuffice reports whether fair choices in all unfinished places would suffice; few is false
// if these are too many to be tried.
func (g *game) allChoicesSuffice() (suffice, few bool) {
	places, few := g.unfinishedPositions()
	if !few {
		return false, false
	}
	fair := map[lts.State]bool{}
	for _, a := range places {
		fair[a.state] = true
	}
	return g.suffices(places, fair), true
}
