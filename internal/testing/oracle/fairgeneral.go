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
}

// MostPairsForFair is the largest number of pairs that [NewFairGeneral] accepts.
const MostPairsForFair = 10

// NewFairGeneral returns the oracle; false if there are too many pairs. It
// ignores Choices of the assumption; with Full almost all runs count. Cost
// exponential in the numbers of pairs and colours.
func NewFairGeneral(m *lts.LTS, a Automaton, assumed Assumption) (*FairGeneral, bool) {
	g := &General{
		m:       m,
		a:       a,
		out:     map[pair][]pairEdge{},
		accepts: map[pair]bool{},
		rejects: map[pair]bool{},
	}
	g.explore(pair{m.Initial(), a.Initial})
	if len(g.out) > MostPairsForFair {
		return nil, false
	}
	f := &FairGeneral{General: g, assumed: assumed, number: map[pair]int{}}
	for p := range g.out {
		f.number[p] = len(f.pairs)
		f.pairs = append(f.pairs, p)
		if f.ends(p) {
			g.side(a.Stops(p.q))[p] = true
		}
	}
	for set := 1; set < 1<<len(f.pairs); set++ {
		for colours := range 1 << a.Colours {
			if f.recurs(set, colours) {
				for i, p := range f.pairs {
					if set>>i&1 != 0 {
						g.side(a.Accepts(f.colours(colours)))[p] = true
					}
				}
			}
		}
	}
	g.backwards(g.accepts)
	g.backwards(g.rejects)
	return f, true
}

// ends reports whether a run that counts may end in a pair.
func (f *FairGeneral) ends(p pair) bool {
	var out []lts.Transition
	for _, e := range f.out[p] {
		out = append(out, e.t)
	}
	return f.assumed.Ends(out)
}

func (f *FairGeneral) colours(set int) map[int]bool {
	colours := map[int]bool{}
	for c := range f.a.Colours {
		if set>>c&1 != 0 {
			colours[c] = true
		}
	}
	return colours
}

// recurs reports whether some run that counts takes transitions between all pairs
// of a set infinitely often, with all of these colours and no others.
func (f *FairGeneral) recurs(set, colours int) bool {
	met, taken := 0, 0
	next := make([]int, len(f.pairs))
	for i, p := range f.pairs {
		if set>>i&1 == 0 {
			continue
		}
		for _, e := range f.out[p] {
			to := f.number[e.to]
			inside := set>>to&1 != 0 && within(e.marks, f.colours(colours)) &&
				!f.assumed.Rare[e.t.Label]
			if f.assumed.Full && !inside {
				return false
			}
			if inside {
				next[i] |= 1 << to
				met |= bitsOf(e.marks)
				taken |= f.tasksOf(e.t)
			}
		}
	}
	return met == colours && allReachAll(set, next) && f.fair(set, taken)
}

func bitsOf(marks map[int]bool) int {
	set := 0
	for c := range marks {
		set |= 1 << c
	}
	return set
}

// tasksOf returns the tasks of a transition, as bits, and, for justness, its
// label in the bits above.
func (f *FairGeneral) tasksOf(t lts.Transition) int {
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

// allReachAll reports whether each member of a set reaches all members, by at
// least one transition.
func allReachAll(set int, next []int) bool {
	for i := range next {
		if set>>i&1 == 0 {
			continue
		}
		met := next[i]
		for before := 0; met != before; {
			before = met
			for j := range next {
				if before>>j&1 != 0 {
					met |= next[j]
				}
			}
		}
		if met != set {
			return false
		}
	}
	return true
}

// fair reports whether a run that meets exactly these pairs infinitely often, and takes exactly
// these tasks and labels infinitely often, is fair.
func (f *FairGeneral) fair(set, taken int) bool {
	for k, task := range f.assumed.Tasks {
		enabled := 0
		for i, p := range f.pairs {
			for _, e := range f.out[p] {
				if set>>i&1 != 0 && f.tasksOf(e.t)>>k&1 != 0 {
					enabled |= 1 << i
				}
			}
		}
		if taken>>k&1 == 0 && (enabled == set || task.Strong && enabled != 0) {
			return false
		}
	}
	possible, done := map[lts.Label]bool{}, map[lts.Label]bool{}
	for i, p := range f.pairs {
		for _, e := range f.out[p] {
			if set>>i&1 != 0 {
				possible[e.t.Label] = true
			}
		}
	}
	for l := range f.m.Alphabet().Len() {
		if taken>>(len(f.assumed.Tasks)+l)&1 != 0 {
			done[lts.Label(l)] = true
		}
	}
	return f.assumed.Just.isJust(possible, done)
}

// Class returns the class of a reachable transition, excluded if no run through
// it counts.
func (f *FairGeneral) Class(t lts.Transition) Class {
	accept, reject := false, false
	for _, edges := range f.out {
		for _, e := range edges {
			if e.t == t {
				accept, reject = accept || f.accepts[e.to], reject || f.rejects[e.to]
			}
		}
	}
	if !accept && !reject {
		return "excluded"
	}
	return f.General.Class(t)
}

// ShortestLoss returns the length of a shortest run that runs which count continue, none of which
// is accepted; false if there is none.
func (f *FairGeneral) ShortestLoss() (int, bool) {
	best := -1
	for p, d := range f.distances(pair{f.m.Initial(), f.a.Initial}) {
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
	for p, d := range f.distances(pair{f.m.Initial(), f.a.Initial}) {
		if f.ends(p) && !f.a.Stops(p.q) && (best < 0 || d < best) {
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
	for p, d := range f.distances(pair{f.m.Initial(), f.a.Initial}) {
		if round, is := f.shortestFairRound(p); is && (!found || d+round < best) {
			best, found = d+round, true
		}
	}
	return best, found
}

func (f *FairGeneral) shortestFairRound(from pair) (int, bool) {
	type searchNode struct {
		at                   pair
		pairs, colours, done int
	}
	distance := map[searchNode]int{{at: from}: 0}
	for open := []searchNode{{at: from}}; len(open) > 0; open = open[1:] {
		here := open[0]
		for _, e := range f.out[here.at] {
			if f.assumed.Rare[e.t.Label] {
				continue
			}
			next := searchNode{
				e.to,
				here.pairs | 1<<f.number[e.to],
				here.colours | bitsOf(e.marks),
				here.done | f.tasksOf(e.t),
			}
			if e.to == from && !f.a.Accepts(f.colours(next.colours)) &&
				f.fair(next.pairs, next.done) {
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
	pairs, taken := 0, 0
	for i, t := range steps {
		pairs |= 1 << f.number[pair{t.From, from[i]}]
		taken |= f.tasksOf(t)
		if f.assumed.Rare[t.Label] {
			return false
		}
	}
	return f.fair(pairs, taken)
}
