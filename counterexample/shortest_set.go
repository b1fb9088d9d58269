package counterexample

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// chainFamily is the set of all shortest counterexamples to a property. Each member
// is a distinct sequence of transitions, where duplicates of a transition in the
// model count once; the sequence tells where the loop begins, for a shortest
// counterexample is elementary.
//
// A chainFamily holds not its members but two kinds of layered graphs, in which every
// move lies on a member: the stems, from the initial state to a deadlock or to
// where a loop begins, and the cycles of each such place. It never changes, and
// goroutines may share it.
type chainFamily struct {
	m      *lts.LTS
	p      *property.Chain
	length int
	stems  stems
	cycles []*cycles
}

// allOfChain returns the set of all counterexamples to p with as few
// transitions as any in the LTS of c has; nil if the property holds. The set
// depends on the model and the property alone. It fails if ctx is done.
//
// Let L be the length that [Shortest] finds, and D_m(s) as there. What is shorter
// than L satisfies the property, which leaves little to search:
//
//   - A prefix of a stem, or of a trace to a deadlock, comes to its state with
//     progress j at depth D_j of this state: with a way there that is shorter and
//     makes no more progress, the rest would make a shorter counterexample.
//   - A loop that begins in s with a stem of length d and progress j, and avoids
//     step m+1 for some m >= j, has d = D_m(s) for the same reason. So each s and
//     m ask for cycles of one length, L - D_m(s), at one depth.
//   - No state u of such a cycle has D_m(u) < D_m(s), since the loop could begin
//     there. And u at b transitions before the end of the cycle has
//     D_m(u) <= L - b. The cycles are looked for backwards, within these bounds.
//   - Every walk from s back to s of that length that avoids step m+1 is one of
//     these cycles: a walk that met a state twice, or the stem, could be cut.
//
// Cost: that of Shortest; then O(n (S + T)) time where cycle searches are short,
// and O(n S (S + T)) in the worst case. While it runs, 16 bytes for each pair of
// state and progress that is met within L transitions, 10 bytes a state, and the
// predecessor rows of the model. The chainFamily has a graph of stems, at most as
// large as the product of model and progress within L transitions, and for each
// state and depth at which a loop can begin a graph of cycles, at most as large as
// the component of that state for each step that its loops avoid. Moves take 8
// bytes in the one and 16 in the other. Usually loops begin at few states; O(S T)
// is reached where the initial state leads to each of many states of one phase of
// a protocol that goes round for ever, for each has a graph of the whole round.
func allOfChain(ctx context.Context, c *scc.Components, p *property.Chain) (*chainFamily, error) {
	search, err := newShortest(ctx, c.LTS(), p, Options{Components: c})
	if err != nil {
		return nil, err
	}
	if err := search.run(); err != nil {
		return nil, err
	}
	if search.best == infinite {
		return nil, nil
	}
	progress.Start(ctx, "all shortest", progress.Nothing, 0)
	search.nodes = paged.List[node]{}
	if err := resources.Ask(ctx, 6*int64(c.LTS().NumStates())); err != nil {
		return nil, err
	}
	a := newArrivals(c, p, search.best)
	if err := a.explore(ctx); err != nil {
		return nil, err
	}
	f := &chainFamily{m: c.LTS(), p: p, length: search.best}
	begins, err := f.findCycles(a, search)
	if err != nil {
		return nil, err
	}
	f.stems, err = a.stems(ctx, begins)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// findCycles fills f.cycles, and returns for each arrival at which a loop can
// begin the number of its cycles.
func (f *chainFamily) findCycles(a *arrivals, search *shortest) (begins map[uint32]int, err error) {
	begins = make(map[uint32]int)
	cycles := cycleSearch{arrivals: a, search: search}
	for _, e := range a.entries {
		found, err := cycles.through(e)
		if err != nil {
			return nil, err
		}
		if found == nil {
			continue
		}
		largest := found.steps[len(found.steps)-1]
		for i := range a.together(e.arrival) {
			if a.list[i].progress <= largest {
				begins[i] = len(f.cycles)
			}
		}
		f.cycles = append(f.cycles, found)
	}
	return begins, nil
}

// Minimal says among which runs none is shorter: those of the model. Cost O(1).
func (f *chainFamily) Minimal() Minimality { return InModel }

// Len returns the number of transitions that each member has. Cost O(1).
func (f *chainFamily) Len() int { return f.length }

// Transitions returns the transitions that lie on some member, and those that
// lie on the loop of some member: each once, by ascending source, and in the
// order of the model where sources are equal. Cost O(N log N) for a chainFamily of
// size N.
func (f *chainFamily) Transitions() (all, looping []lts.Transition) {
	var loopRows []int
	for _, c := range f.cycles {
		loopRows = append(loopRows, c.rows(f.m)...)
	}
	slices.Sort(loopRows)
	loopRows = slices.Compact(loopRows)
	rows := append(f.stems.rows(f.m), loopRows...)
	slices.Sort(rows)
	sources := f.sources()
	return f.atRows(sources, slices.Compact(rows)), f.atRows(sources, loopRows)
}

// sources returns the states that members pass, ascending.
func (f *chainFamily) sources() []lts.State {
	sources := slices.Clone(f.stems.states)
	for _, c := range f.cycles {
		sources = append(sources, c.states...)
	}
	slices.Sort(sources)
	return slices.Compact(sources)
}

// atRows returns the transitions with these row indices, both ascending, which
// leave some of these states.
func (f *chainFamily) atRows(sources []lts.State, rows []int) []lts.Transition {
	transitions := make([]lts.Transition, 0, len(rows))
	for _, s := range sources {
		first, end := f.m.Row(s)
		for len(rows) > 0 && rows[0] < end {
			transitions = append(transitions, transition(f.m, s, rows[0]-first))
			rows = rows[1:]
		}
	}
	return transitions
}

// transition returns the transition with this index among those that leave s.
func transition(m *lts.LTS, s lts.State, index int) lts.Transition {
	labels, targets := m.Out(s)
	return lts.Transition{From: s, Label: labels.At(index), To: targets[index]}
}
