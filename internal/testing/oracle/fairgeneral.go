package oracle

import "github.com/inev-lts/inev/lts"

// FairGeneral answers questions about a model and an automaton under an
// assumption. It tries every set of pairs that a run could meet infinitely often,
// with every set of colours. For each it considers the largest set of transitions
// between the pairs with no other colour, because a run that takes more
// transitions is fair to no fewer tasks.
type FairGeneral struct {
	*General
	assumed Assumption
	pairs   []pair
	number  map[pair]int
	moves   [][]recurringMove // those of each pair, by its number
}

// recurringMove is a transition between pairs, as [FairGeneral.canRecur] asks for it: for each set of pairs and each
// set of colours, thousands of times.
type recurringMove struct {
	to      int // the number of the pair
	colours int // as bits
	tasks   int // as bits, see [FairGeneral.taskBits]
	rare    bool
}

// MostPairsForFair is the largest number of pairs that [NewFairGeneral] accepts.
const MostPairsForFair = 10

// NewFairGeneral returns the oracle; false if there are too many pairs. It
// ignores Choices of the assumption; with Full almost all runs count. Cost
// exponential in the numbers of pairs and colours.
func NewFairGeneral(m *lts.LTS, a Automaton, assumed Assumption) (*FairGeneral, bool) {
	g := &General{
		model:     m,
		automaton: a,
		out:       map[pair][]pairEdge{},
		accepts:   map[pair]bool{},
		rejects:   map[pair]bool{},
	}
	g.explore(pair{m.Initial(), a.Initial})
	if len(g.out) > MostPairsForFair {
		return nil, false
	}
	f := &FairGeneral{General: g, assumed: assumed, number: map[pair]int{}}
	for p := range g.out {
		f.number[p] = len(f.pairs)
		f.pairs = append(f.pairs, p)
	}
	f.moves = f.movesByNumber()
	f.decide()
	return f, true
}

func (f *FairGeneral) movesByNumber() [][]recurringMove {
	moves := make([][]recurringMove, len(f.pairs))
	for i, p := range f.pairs {
		for _, e := range f.out[p] {
			moves[i] = append(moves[i], recurringMove{
				to:      f.number[e.to],
				colours: colourBits(e.marks),
				tasks:   f.taskBits(e.t),
				rare:    f.assumed.Rare[e.t.Label],
			})
		}
	}
	return moves
}

// decide finds the pairs from which some run that counts is accepted, and the pairs from which some such run
// is not.
func (f *FairGeneral) decide() {
	for _, p := range f.pairs {
		if f.mayEnd(p) {
			f.pairsWhere(f.automaton.Stops(p.q))[p] = true
		}
	}
	for set := 1; set < 1<<len(f.pairs); set++ {
		for colours := range 1 << f.automaton.Colours {
			if !f.canRecur(set, colours) {
				continue
			}
			pairs := f.pairsWhere(f.automaton.Accepts(f.colourSet(colours)))
			for i, p := range f.pairs {
				if has(set, i) {
					pairs[p] = true
				}
			}
		}
	}
	f.addPredecessors(f.accepts)
	f.addPredecessors(f.rejects)
}

// mayEnd reports whether a run that counts may end in a pair.
func (f *FairGeneral) mayEnd(p pair) bool {
	var out []lts.Transition
	for _, e := range f.out[p] {
		out = append(out, e.t)
	}
	return f.assumed.Ends(out)
}

// canRecur reports whether some run that counts takes transitions between all pairs
// of a set infinitely often, with all of these colours and no others.
func (f *FairGeneral) canRecur(set, colours int) bool {
	met := 0
	taken := 0
	next := make([]int, len(f.pairs))
	for i, moves := range f.moves {
		if !has(set, i) {
			continue
		}
		for _, m := range moves {
			staysInSet := has(set, m.to) && m.colours&^colours == 0
			recurs := staysInSet && !m.rare
			if f.assumed.Full && !recurs {
				return false
			}
			if recurs {
				next[i] |= 1 << m.to
				met |= m.colours
				taken |= m.tasks
			}
		}
	}
	return met == colours && allReachAll(set, next) && f.isFair(set, taken)
}

func colourBits(marks map[int]bool) int {
	set := 0
	for c := range marks {
		set |= 1 << c
	}
	return set
}

// taskBits returns the tasks of a transition, as bits, and, for justness, its
// label in the bits above.
func (f *FairGeneral) taskBits(t lts.Transition) int {
	set := 0
	for k, task := range f.assumed.Tasks {
		if task.Labels[t.Label] && !(task.Nonstuttering && t.From == t.To) {
			set |= 1 << k
		}
	}
	if f.assumed.Just != nil {
		set |= 1 << (len(f.assumed.Tasks) + int(t.Label))
	}
	return set
}

// allReachAll reports whether each member of a set of bits reaches all members, by at
// least one transition. next has the successors of each.
func allReachAll(set int, next []int) bool {
	for i := range next {
		if !has(set, i) {
			continue
		}
		reached := next[i]
		for before := 0; reached != before; {
			before = reached
			for j := range next {
				if has(before, j) {
					reached |= next[j]
				}
			}
		}
		if reached != set {
			return false
		}
	}
	return true
}

// isFair reports whether a run that meets exactly these pairs infinitely often, and takes exactly
// these tasks and labels infinitely often, is fair.
func (f *FairGeneral) isFair(set, taken int) bool {
	possible := map[lts.Label]bool{}
	enabledAt := make([]int, len(f.assumed.Tasks)) // enabledAt[k] has the pairs where task k is enabled
	for i, p := range f.pairs {
		if !has(set, i) {
			continue
		}
		for _, e := range f.out[p] {
			possible[e.t.Label] = true
			for k := range enabledAt {
				if has(f.taskBits(e.t), k) {
					enabledAt[k] |= 1 << i
				}
			}
		}
	}
	for k, task := range f.assumed.Tasks {
		isAlwaysEnabled := enabledAt[k] == set
		isOftenEnabled := enabledAt[k] != 0
		mustBeTaken := isAlwaysEnabled || task.Strong && isOftenEnabled
		if mustBeTaken && !has(taken, k) {
			return false
		}
	}
	return f.assumed.Just.isJust(possible, f.labelsIn(taken))
}

// labelsIn returns the labels of a set of tasks and labels. In its bits, the labels come after the
// tasks.
func (f *FairGeneral) labelsIn(set int) map[lts.Label]bool {
	labels := map[lts.Label]bool{}
	for l := range f.model.Alphabet().Len() {
		if has(set, len(f.assumed.Tasks)+l) {
			labels[lts.Label(l)] = true
		}
	}
	return labels
}

// has reports whether a set, given by its bits, has a member.
func has[S ~int | ~uint32, M ~int | ~uint32](set S, member M) bool { return set>>member&1 != 0 }

// Class returns the class of a reachable transition, excluded if no run through
// it counts.
func (f *FairGeneral) Class(t lts.Transition) Class {
	accepts, rejects := f.after(t)
	if !accepts && !rejects {
		return "excluded"
	}
	return f.General.Class(t)
}

// ShortestLoss returns the length of a shortest run such that some runs that count continue it, and
// none of these is accepted; false if there is none.
func (f *FairGeneral) ShortestLoss() (int, bool) {
	best := -1
	for p, d := range f.distances(pair{f.model.Initial(), f.automaton.Initial}) {
		if f.rejects[p] && !f.accepts[p] && (best < 0 || d < best) {
			best = d
		}
	}
	return best, best >= 0
}

// ShortestDeadlock returns the length of a shortest rejected run that ends in a
// deadlock, or in a state in which all labels may be refused; false if there is
// none.
func (f *FairGeneral) ShortestDeadlock() (int, bool) {
	best := -1
	for p, d := range f.distances(pair{f.model.Initial(), f.automaton.Initial}) {
		if f.mayEnd(p) && !f.automaton.Stops(p.q) && (best < 0 || d < best) {
			best = d
		}
	}
	return best, best >= 0
}

// ShortestViolation returns the length of a shortest rejected run that counts and
// ends in a deadlock, or is a lasso whose loop begins and ends in the same
// automaton state; false if there is none. It searches pairs with sets of pairs,
// colours and tasks met.
func (f *FairGeneral) ShortestViolation() (int, bool) {
	best, found := f.ShortestDeadlock()
	for p, distance := range f.distances(pair{f.model.Initial(), f.automaton.Initial}) {
		round, hasRound := f.shortestFairRound(p)
		if hasRound && (!found || distance+round < best) {
			best = distance + round
			found = true
		}
	}
	return best, found
}

// shortestFairRound returns the length of a shortest cycle through a pair that a run which counts can repeat
// forever, and whose repetition is rejected.
func (f *FairGeneral) shortestFairRound(from pair) (int, bool) {
	type searchNode struct {
		at                    pair
		pairs, colours, taken int // met since the start, as bits
	}
	start := searchNode{at: from}
	distance := map[searchNode]int{start: 0}
	for open := []searchNode{start}; len(open) > 0; open = open[1:] {
		here := open[0]
		for _, e := range f.out[here.at] {
			if f.assumed.Rare[e.t.Label] {
				continue
			}
			next := searchNode{
				at:      e.to,
				pairs:   here.pairs | 1<<f.number[e.to],
				colours: here.colours | colourBits(e.marks),
				taken:   here.taken | f.taskBits(e.t),
			}
			isRejected := !f.automaton.Accepts(f.colourSet(next.colours))
			if e.to == from && isRejected && f.isFair(next.pairs, next.taken) {
				return distance[here] + 1, true
			}
			if _, met := distance[next]; !met {
				distance[next] = distance[here] + 1
				open = append(open, next)
			}
		}
	}
	return 0, false
}

// Recurs reports whether a run that counts can take exactly these transitions of
// the model infinitely often, each with the automaton in the state at its index
// in from.
func (f *FairGeneral) Recurs(steps []lts.Transition, from []int) bool {
	pairs := 0
	taken := 0
	for i, t := range steps {
		if f.assumed.Rare[t.Label] {
			return false
		}
		pairs |= 1 << f.number[pair{t.From, from[i]}]
		taken |= f.taskBits(t)
	}
	return f.isFair(pairs, taken)
}
