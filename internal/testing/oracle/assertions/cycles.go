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
	places map[at]bool
	moves  map[move]bool
}

// left yields the allowed moves between the selected places that have no
// colours but the given ones.
func (g *game) left(
	in func(at) bool,
	colours map[int]bool,
	yield func(a at, t lts.Transition),
) {
	for a := range g.reached {
		if g.finished(a) || !in(a) {
			continue
		}
		for _, t := range g.o.Out(a.state) {
			to := g.next(a, t)
			only := true
			for c := range g.marks(a, t.Label) {
				only = only && colours[c]
			}
			if g.wins[to] && !g.finished(to) && in(to) && only {
				yield(a, t)
			}
		}
	}
}

// ofColours yields every set of colours.
func (g *game) ofColours(yield func(map[int]bool) bool) {
	for bits := range 1 << g.colours {
		colours := map[int]bool{}
		for c := range g.colours {
			if bits>>c&1 != 0 {
				colours[c] = true
			}
		}
		if !yield(colours) {
			return
		}
	}
}

// reaches returns for each pair the pairs that it reaches by at least one move.
func (g *game) reaches(moves map[move]bool) map[at]map[at]bool {
	next := map[at][]at{}
	for m := range moves {
		a := at{m.From, m.done}
		next[a] = append(next[a], g.next(a, m.Transition))
	}
	reach := map[at]map[at]bool{}
	for a := range next {
		visited := map[at]bool{}
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
		for c := range g.marks(at{m.From, m.done}, m.Label) {
			visited[c] = true
		}
	}
	return g.rejects(visited)
}

// parts returns the largest parts in which a run must not stay forever.
func (g *game) parts() []part {
	var all []part
	for colours := range g.ofColours {
		moves := map[move]bool{}
		g.left(func(at) bool { return true }, colours, func(a at, t lts.Transition) {
			moves[move{t, a.done}] = true
		})
		reach := g.reaches(moves)
		done := map[at]bool{}
		for a := range reach {
			if done[a] || !reach[a][a] {
				continue
			}
			p := part{map[at]bool{}, map[move]bool{}}
			for b := range reach[a] {
				if reach[b][a] {
					p.places[b], done[b] = true, true
				}
			}
			for m := range moves {
				from := at{m.From, m.done}
				if p.places[from] && p.places[g.next(from, m.Transition)] {
					p.moves[m] = true
				}
			}
			if g.violates(p.moves) {
				all = add(all, p)
			}
		}
	}
	return all
}

// add adds a part, unless another one contains it, and removes parts that it
// contains.
func add(all []part, p part) []part {
	var kept []part
	for _, other := range all {
		if inside(p, other) {
			return all
		}
		if !inside(other, p) {
			kept = append(kept, other)
		}
	}
	return append(kept, p)
}

func inside(p, other part) bool {
	for m := range p.moves {
		if !other.moves[m] {
			return false
		}
	}
	return true
}

func (g *game) leave(said string) error {
	parts := g.parts()
	places := 0
	for _, p := range parts {
		places += len(p.places)
	}
	if said == "" {
		return want(len(parts) == 0, "%d parts are to be left", len(parts))
	}
	if m := leaveAll.FindStringSubmatch(said); m != nil {
		return errors.Join(want(number(m[1]) == len(parts) && number(m[2]) == places, "there are %d parts with %d states", len(parts), places), g.noChoices())
	}
	if m := leaveMixed.FindStringSubmatch(said); m != nil {
		g.Understood["mixed parts"]++
		// Parts in which a transition may not recur can overlap.
		if !g.rare(parts) {
			return want(number(m[1]) == len(parts) && number(m[2]) == places,
				"there are %d parts with %d states", len(parts), places)
		}
		return want(len(parts) > 0, "there are no parts")
	}
	if len(parts) == 0 {
		return fmt.Errorf("%q: there are no parts", said)
	}
	if m := stayAndDo.FindStringSubmatch(said); m != nil {
		g.Understood["stay and do"]++
		return g.exactlyForbids(m[1], m[2], nil, m[3], m[4])
	}
	if m := leaveState.FindStringSubmatch(said); m != nil {
		g.Understood["what violates"]++
		return g.within(numbers(m[1]), m[2] != "")
	}
	m := leaveOne.FindStringSubmatch(said)
	if m == nil || len(parts) != 1 {
		return fmt.Errorf("%q: there are %d parts", said, len(parts))
	}
	return errors.Join(g.unfinishedIn(parts[0], m[4]),
		g.exactlyForbids(m[1], m[2], g.texts(m[3]), "", m[5]))
}

// unfinishedIn checks whether a sentence must name the pending step of a part: it
// must for a chain if runs also reach the part's states with other steps done.
func (g *game) unfinishedIn(p part, before string) error {
	if g.phrase != nil {
		return want(before == "", "there are no steps")
	}
	other, done := false, 0
	for a := range p.places {
		done = a.done
		for b := range g.reached {
			other = other || b.state == a.state && b.done != a.done
		}
	}
	if before == "" {
		return want(!other, "runs come there with other steps done")
	}
	return errors.Join(want(other, "runs come there with no other steps done"),
		g.named(before, done+1))
}

// mostMoves is the largest number of moves whose subsets are all examined.
const mostMoves = 9

// forEver yields each set of moves such that some run takes exactly these
// infinitely often. It yields nothing if there are too many moves.
func (g *game) forEver(yield func(map[move]bool) bool) {
	all := map[int]bool{}
	for c := range g.colours {
		all[c] = true
	}
	seen := map[move]bool{}
	var moves []move
	g.left(func(at) bool { return true }, all, func(a at, t lts.Transition) {
		if m := (move{t, a.done}); !seen[m] {
			seen[m] = true
			moves = append(moves, m)
		}
	})
	if len(moves) > mostMoves {
		return
	}
	for bits := 1; bits < 1<<len(moves); bits++ {
		set, places := map[move]bool{}, map[at]bool{}
		for i, m := range moves {
			if bits>>i&1 != 0 {
				set[m] = true
				a := at{m.From, m.done}
				places[a], places[g.next(a, m.Transition)] = true, true
			}
		}
		if g.connects(places, set) && !yield(set) {
			return
		}
	}
}

var toState = regexp.MustCompile("^(" + label + ")(?: to state (\\d+))?$")

// exactlyForbids checks that a sentence forbids exactly the infinite behaviours that violate the
// property: the behaviours that stay in the given states, take only the labels in loop, take a
// label of each set in again infinitely often, and never take a transition in ways. A sentence that
// only counts things is not checked.
func (g *game) exactlyForbids(states, more string, loop []string, again, ways string) error {
	if more != "" || strings.Contains(ways+again, "other action") {
		return nil
	}
	in := map[lts.State]bool{}
	for _, s := range numbers(states) {
		in[lts.State(s)] = true
	}
	type way struct {
		label string
		to    string
	}
	out := map[way]bool{}
	for _, w := range regexp.MustCompile(`, | or `).Split(ways, -1) {
		if m := toState.FindStringSubmatch(w); m != nil {
			out[way{text(m[1]), m[2]}] = true
		} else if w != "" {
			return fmt.Errorf("%q is no way out", w)
		}
	}
	var sets [][]string
	for _, set := range strings.Split(again, " and ") {
		if again != "" {
			sets = append(sets, g.texts(set))
		}
	}
	forbids := func(set map[move]bool) bool {
		done := map[string]bool{}
		for m := range set {
			l := g.Model.Alphabet().Text(m.Label)
			done[l] = true
			if !in[m.From] || !in[m.To] || out[way{l, ""}] || out[way{l, fmt.Sprint(m.To)}] ||
				loop != nil && !slices.Contains(loop, l) {
				return false
			}
		}
		return !slices.ContainsFunc(sets, func(set []string) bool {
			return !slices.ContainsFunc(set, func(l string) bool {
				return done[l]
			})
		})
	}
	for set := range g.forEver {
		if bad := g.violates(set); bad != forbids(set) {
			return fmt.Errorf("who takes %v forever violates the property: %t", set, bad)
		}
	}
	return nil
}

// within checks that all runs that violate the property stay in some states.
func (g *game) within(states []int, more bool) error {
	for set := range g.forEver {
		for m := range set {
			if !more && g.violates(set) && !slices.Contains(states, int(m.From)) {
				return fmt.Errorf("who takes %v forever violates it, too", set)
			}
		}
	}
	return nil
}

// rare reports whether a run may stay in one of the parts forever without doing everything that is
// possible there.
func (g *game) rare(parts []part) bool {
	return slices.ContainsFunc(parts, func(p part) bool {
		for bits := range 1 << g.colours {
			visited := map[int]bool{}
			for c := range g.colours {
				if bits>>c&1 != 0 {
					visited[c] = true
				}
			}
			all := map[int]bool{}
			for m := range p.moves {
				for c := range g.marks(at{m.From, m.done}, m.Label) {
					all[c] = true
				}
			}
			fewer := true
			for c := range visited {
				fewer = fewer && all[c]
			}
			if fewer && !g.rejects(visited) {
				return true
			}
		}
		return false
	})
}

// mostForChoices is the largest number of pairs whose subsets are all examined.
const mostForChoices = 10

// unfinished returns the pairs in which something remains to be done; false if
// there are too many.
func (g *game) unfinished() ([]at, bool) {
	var all []at
	for a := range g.reached {
		if !g.finished(a) {
			all = append(all, a)
		}
	}
	return all, len(all) <= mostForChoices
}

// suffices reports whether every run without forbidden moves that is fair to the
// choices in some states satisfies the property. It examines each set of pairs
// that a run can visit infinitely often, with each set of colours. It is enough
// to consider runs that take all allowed moves between these pairs, because they
// are the fairest.
func (g *game) suffices(places []at, fair map[lts.State]bool) bool {
	for bits := 1; bits < 1<<len(places); bits++ {
		in := map[at]bool{}
		for i, a := range places {
			if bits>>i&1 != 0 {
				in[a] = true
			}
		}
		for colours := range g.ofColours {
			moves := map[move]bool{}
			g.left(func(a at) bool { return in[a] }, colours, func(a at, t lts.Transition) {
				moves[move{t, a.done}] = true
			})
			if g.connects(in, moves) && g.violates(moves) && g.isFair(in, moves, fair) {
				return false
			}
		}
	}
	return true
}

func (g *game) connects(places map[at]bool, moves map[move]bool) bool {
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

// isFair reports whether moves contain every transition, possible at some pairs,
// of the states to which a run is fair.
func (g *game) isFair(places map[at]bool, moves map[move]bool, fair map[lts.State]bool) bool {
	taken := map[lts.Transition]bool{}
	for m := range moves {
		taken[m.Transition] = true
	}
	for a := range places {
		for _, t := range g.o.Out(a.state) {
			if fair[a.state] && g.wins[g.next(a, t)] && !taken[t] {
				return false
			}
		}
	}
	return true
}

// fairChoices checks that fair choices in some states suffice, and that all of them
// are needed. It checks nothing if the sentence leaves states out, or if there are
// too many pairs to examine.
func (g *game) fairChoices(states []int, more int) error {
	places, areFew := g.unfinished()
	if !areFew || more > 0 {
		return nil
	}
	fair := map[lts.State]bool{}
	for _, s := range states {
		fair[lts.State(s)] = true
	}
	if !g.suffices(places, fair) {
		return fmt.Errorf("it is not enough")
	}
	for s := range fair {
		fair[s] = false
		if g.suffices(places, fair) {
			return fmt.Errorf("it is enough without state %d", s)
		}
		fair[s] = true
	}
	return nil
}

// noChoices checks that no fair choices would suffice.
func (g *game) noChoices() error {
	suffice, few := g.allChoicesSuffice()
	return want(!few || !suffice, "it is enough that all choices are fair")
}

// allChoices checks that it is enough that all choices are fair.
func (g *game) allChoices() error {
	suffice, few := g.allChoicesSuffice()
	return want(!few || suffice, "it is not enough that all choices are fair")
}

// allChoicesSuffice reports whether fair choices in all unfinished places would suffice; few is false
// if these are too many to be tried.
func (g *game) allChoicesSuffice() (suffice, few bool) {
	places, few := g.unfinished()
	if !few {
		return false, false
	}
	fair := map[lts.State]bool{}
	for _, a := range places {
		fair[a.state] = true
	}
	return g.suffices(places, fair), true
}
