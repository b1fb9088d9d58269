package fairset

import (
	"context"
	"math/bits"
	"runtime"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// leastAround is the smallest number of states for which [Sets.Around] searches. mostSweeps is the
// largest number of its sweeps in each direction of transitions, and mostLooks limits how often the
// search examines a state on average. Up to fewBeside states another core is not worthwhile;
// mostCores limits the memory, because each goroutine has its own.
const (
	mostCores   = 4
	fewBeside   = 1 << 13
	leastAround = 1 << 12
	mostSweeps  = 64
	mostLooks   = 4
)

// Around reports whether states, ascending and all of one component, contain a fair strongly
// connected set as [Sets.In] yields them, by a quick test: it takes the state in the middle of the
// list, and examines whether the states that reach this state and are reached from it are a fair
// set. In most large components with a fair set they are. If Around returns false, there may still
// be a fair set. It fails if the context is done, or if there is too little memory. The
// predecessors and successors of a state, direct and indirect, are found in sweeps up and down
// through the numbers of states. If transitions lead to near numbers, few sweeps suffice, and take
// a fraction of the time of a search in depth. Cost O(S + T), shared by all cores if there are many
// states; half a byte a state of the model, and a byte a label for each of up to four cores.
func (x *Sets) Around(states []lts.State, hidden bitset.Set[lts.Label]) (bool, error) {
	return x.around(states, hidden, leastAround)
}

// around does what [Sets.Around] does, for another smallest number of states.
func (x *Sets) around(
	states []lts.State,
	hidden bitset.Set[lts.Label],
	least int,
) (isAround bool, err error) {
	defer abort.Caught(&err)
	if x.f.Full() || len(states) < least {
		return false, nil
	}
	workers := 1
	if len(states) > fewBeside {
		workers = min(runtime.GOMAXPROCS(0), mostCores)
	}
	model := x.c.LTS()
	sets := 4 * int64(model.NumStates()) / 8
	perLabel := int64(workers+1) * int64(model.Alphabet().Len())
	abort.On(resources.Ask(x.ctx, sets+perLabel+int64(len(x.f.Tasks()))))
	a := &around{Sets: x, hidden: hidden, workers: workers}
	remaining := a.without(states)
	n := remaining.Len()
	if n < max(1, least) {
		return false, nil
	}
	findComponent := x.componentOf
	if workers > 1 {
		findComponent = x.componentBeside
	}
	component := findComponent(remaining, nth(remaining, n/2), hidden)
	abort.On(x.ctx.Err())
	return component != nil && a.fair(component), nil
}

// nth returns the n-th smallest member of a set, from 0.
func nth(set bitset.Set[lts.State], n int) lts.State {
	for i, word := range set {
		inWord := bits.OnesCount64(word)
		if n >= inWord {
			n -= inWord
			continue
		}
		for ; n > 0; n-- {
			word &= word - 1 // without the lowest bit
		}
		return lts.State(64*i + bits.TrailingZeros64(word))
	}
	return 0
}

// componentOf returns the strongly connected component of a state in the graph of the remaining
// states: the states that reach it and are reached from it. It returns nil if that takes too many
// sweeps, or if the context is done.
func (x *Sets) componentOf(
	remaining bitset.Set[lts.State],
	state lts.State,
	hidden bitset.Set[lts.Label],
) bitset.Set[lts.State] {
	s := newSweeps(x, hidden, remaining)
	s.add(state)
	s.back()
	if !s.stable {
		return nil
	}
	s.remaining = s.met
	s.met = bitset.New[lts.State](x.c.LTS().NumStates())
	s.add(state)
	s.forth()
	if !s.stable {
		return nil
	}
	return s.met
}

// componentBeside finds the component that [Sets.componentOf] finds on two cores: one searches
// backwards, one forwards, and the component is the intersection. If one gives up, the other is
// stopped.
func (x *Sets) componentBeside(
	remaining bitset.Set[lts.State],
	state lts.State,
	hidden bitset.Set[lts.Label],
) bitset.Set[lts.State] {
	back := newSweeps(x, hidden, remaining)
	ctx, stop := context.WithCancel(x.ctx)
	defer stop()
	back.ctx = ctx
	// The forward search keeps the memory of open, which the backward search does not use.
	forth := *back
	forth.met = bitset.New[lts.State](x.c.LTS().NumStates())
	back.open = nil
	back.met.Add(state)
	forth.add(state)
	var searches contained.Group
	searches.Go(func() {
		forth.forth()
		if !forth.stable {
			stop()
		}
	})
	back.back()
	if !back.stable {
		stop()
	}
	searches.Wait()
	if !back.stable || !forth.stable {
		return nil
	}
	for i, word := range forth.met {
		back.met[i] &= word
	}
	return back.met
}

// sweeps finds the remaining states that reach some states, or that are reached
// from them.
type sweeps struct {
	*Sets
	ctx            context.Context
	hidden         bitset.Set[lts.Label]
	remaining, met bitset.Set[lts.State]
	// open are the states in met whose successors were not added yet.
	open bitset.Set[lts.State]
	// stable reports whether met is complete; it is false once ctx is done. looks is the number of
	// states that may still be examined.
	stable bool
	looks  int
}

// newSweeps returns sweeps through the remaining states, with an empty set of
// found states.
func newSweeps(x *Sets, hidden bitset.Set[lts.Label], remaining bitset.Set[lts.State]) *sweeps {
	n := x.c.LTS().NumStates()
	return &sweeps{
		Sets:      x,
		ctx:       x.ctx,
		hidden:    hidden,
		remaining: remaining,
		met:       bitset.New[lts.State](n),
		open:      bitset.New[lts.State](n),
		looks:     mostLooks * n,
	}
}

// add adds a state where the search begins.
func (s *sweeps) add(state lts.State) {
	s.met.Add(state)
	s.open.Add(state)
}

// backWords is the number of words of a block. [sweeps.back] goes through a block until nothing changes in
// it. Otherwise a path that leads up and down between near states would need a sweep for each of its turns.
const backWords = 1 << 6

// back adds to met the states that reach a state in met.
func (s *sweeps) back() {
	s.stable = false
	blocks := (len(s.remaining) + backWords - 1) / backWords
	for sweep := 0; sweep < mostSweeps && !s.stable && s.ctx.Err() == nil; sweep++ {
		s.stable = true
		for k := range blocks {
			block := k
			if isDown(sweep) {
				block = blocks - 1 - k
			}
			first := block * backWords
			end := min(len(s.remaining), first+backWords)
			for turn := sweep; s.backIn(first, end, isDown(turn)); turn++ {
				s.stable = false
			}
			if s.looks < 0 {
				s.stable = false
				return
			}
		}
	}
}

// isDown reports whether a sweep goes from the last state to the first. Sweeps down and up take turns, and
// the first one goes down.
func isDown(sweep int) bool { return sweep&1 == 0 }

// backIn looks once at the remaining states of the words [first, end) that are not in met, from the last to
// the first if down is true. It adds to met each state that leads to a state in met, and reports whether
// it added one.
func (s *sweeps) backIn(first, end int, down bool) (added bool) {
	for k := range end - first {
		position := first + k
		if down {
			position = end - 1 - k
		}
		word := s.remaining[position] &^ s.met[position]
		for word != 0 {
			bit := next(word, down)
			word &^= 1 << bit
			s.looks--
			state := lts.State(64*position + bit)
			if s.leads(state) {
				s.met.Add(state)
				added = true
			}
		}
		if s.looks < 0 {
			return false
		}
	}
	return added
}

// next returns the bit of a word that a sweep down or up meets first.
func next(word uint64, down bool) int {
	if down {
		return bits.Len64(word) - 1
	}
	return bits.TrailingZeros64(word)
}

// leads reports whether a transition leads from a state to one in met.
func (s *sweeps) leads(from lts.State) bool {
	labels, targets := s.c.LTS().Out(from)
	for j, to := range targets {
		if s.met.Has(to) && !s.hidden.Has(labels.At(j)) {
			return true
		}
	}
	return false
}

// forth adds to met the states that are reached from a state in met.
func (s *sweeps) forth() {
	s.stable = false
	// During this search, met is inverted: it has the states not found yet, so
	// that each transition tests one bit.
	s.invert()
	defer s.invert()
	for sweep := 0; sweep < mostSweeps && !s.stable && s.ctx.Err() == nil; sweep++ {
		s.stable = true
		for k := range s.open {
			position := k
			if isDown(sweep) {
				position = len(s.open) - 1 - k
			}
			for s.open[position] != 0 {
				s.stable = false
				bit := next(s.open[position], isDown(sweep))
				s.open[position] &^= 1 << bit
				s.expand(lts.State(64*position + bit))
			}
		}
	}
}

// expand opens the states not found yet to which a visible transition leads from a state. It is a step of
// forth, for which met has the states not found yet.
func (s *sweeps) expand(from lts.State) {
	labels, targets := s.c.LTS().Out(from)
	for j, to := range targets {
		if s.met.Has(to) && !s.hidden.Has(labels.At(j)) {
			s.met.Remove(to)
			s.open.Add(to)
		}
	}
}

// invert replaces met by its complement in remaining.
func (s *sweeps) invert() {
	for i, word := range s.remaining {
		s.met[i] = word &^ s.met[i]
	}
}

// around is a call of [Sets.Around]. Its result is the same for any number of
// workers: each examines a range of states, and their findings about labels and
// tasks are joined.
type around struct {
	*Sets
	hidden  bitset.Set[lts.Label]
	workers int
}

// These are kinds of transitions with a label, one bit for each kind.
const (
	leads       = 1 << iota // a transition leads to another state
	loops                   // a transition leads to the state itself
	leadsInside             // a visible transition leads to another state of the set
	loopsInside             // a visible transition leads to the state itself
)

// inside returns leadsInside in place of leads, and loopsInside in place of loops.
func inside(kinds uint8) uint8 { return kinds * leadsInside }

// without returns the set of the states of an ascending list, without those that enable a strong
// task which cannot be taken: all labels of the task, and all labels that interfere with the task,
// are hidden. States that enable such a task lie in no fair set.
func (x *around) without(states []lts.State) bitset.Set[lts.State] {
	m := x.c.LTS()
	misses := x.missing()
	remaining := bitset.New[lts.State](m.NumStates())
	addRange := func(_ int, first, end lts.State) error {
		for i, s := range between(states, first, end) {
			if err := cores.Done(x.ctx, i); err != nil {
				return err
			}
			if misses == nil || !x.enables(s, misses) {
				remaining.Add(s)
			}
		}
		return nil
	}
	abort.On(cores.TryInRanges(x.workers, m.NumStates(), addRange))
	return remaining
}

// between returns the part of an ascending list of states that lies in [first,
// end).
func between(states []lts.State, first, end lts.State) []lts.State {
	from, _ := slices.BinarySearch(states, first)
	to, _ := slices.BinarySearch(states, end)
	return states[from:to]
}

// enables reports whether a state has a transition that counts. kinds has, for each label, the kinds of
// its transitions that count, as bits, see [way].
func (x *around) enables(s lts.State, kinds []uint8) bool {
	labels, targets := x.c.LTS().Out(s)
	for j, to := range targets {
		if kinds[labels.At(j)]&way(s, to) != 0 {
			return true
		}
	}
	return false
}

// way returns the kind of a transition: whether it is a self-loop, as a bit.
func way(from, to lts.State) uint8 {
	if from == to {
		return loops
	}
	return leads
}

// missing returns for each label the kinds of its transitions that enable a
// strong task whose labels are all hidden; nil if there are none.
func (x *around) missing() []uint8 {
	const (
		unknown = iota
		mayBeTaken
		neverTaken
	)
	misses := make([]uint8, x.c.LTS().Alphabet().Len())
	known := make([]uint8, len(x.f.Tasks()))
	isVisible := func(l lts.Label) bool { return !x.hidden.Has(l) }
	missesAny := false
	for l := range x.hidden.All {
		for _, k := range x.f.TasksOf(l) {
			if !x.f.Tasks()[k].Strong {
				continue
			}
			if known[k] == unknown {
				known[k] = neverTaken
				if x.f.SomeMeeting(k, isVisible) {
					known[k] = mayBeTaken
				}
			}
			if known[k] == neverTaken {
				missesAny = true
				misses[l] |= x.by(k)
			}
		}
	}
	if !missesAny {
		return nil
	}
	return misses
}

// fair reports whether a set that is strongly connected, or a single state, is fair and has
// transitions that are not hidden. A fair set takes each strong task that some state of the set
// enables, and each weak task that all states of the set enable.
func (x *around) fair(set bitset.Set[lts.State]) bool {
	kinds := x.labelsOf(set)
	isTaken := func(k uint32) bool {
		wanted := inside(x.by(k))
		isInside := func(l lts.Label) bool { return kinds[l]&wanted != 0 }
		return slices.ContainsFunc(x.f.Tasks()[k].Labels, isInside) ||
			x.f.Justness() != nil && x.f.SomeMeeting(k, isInside)
	}
	isCyclic := false
	for l, kind := range kinds {
		if kind == 0 {
			continue
		}
		staysInside := kind&(leadsInside|loopsInside) != 0
		isCyclic = isCyclic || staysInside
		for _, k := range x.f.TasksOf(lts.Label(l)) {
			isEnabled := kind&x.by(k) != 0
			if isEnabled && x.f.Tasks()[k].Strong && !isTaken(k) {
				return false
			}
		}
	}
	return isCyclic && !x.everywhere(set, func(k uint32) bool { return !isTaken(k) })
}

// by returns the kinds of transitions that belong to a task: all, or those that
// are not self-loops.
func (x *around) by(k uint32) uint8 {
	if x.f.Tasks()[k].Nonstuttering {
		return leads
	}
	return leads | loops
}

// labelsOf returns for each label the kinds of its transitions from the states of a set. Once it
// has found a transition with a label between two states of the set, it skips all further
// transitions with this label.
func (x *around) labelsOf(set bitset.Set[lts.State]) []uint8 {
	m := x.c.LTS()
	perWorker := make([][]uint8, x.workers)
	findInRange := func(w int, first, end lts.State) error {
		kinds := make([]uint8, m.Alphabet().Len())
		perWorker[w] = kinds
		for s := range set.From(first) {
			if s >= end {
				break
			}
			if err := cores.Done(x.ctx, s); err != nil {
				return err
			}
			labels, targets := m.Out(s)
			for j, to := range targets {
				l := labels.At(j)
				if kinds[l]&leadsInside != 0 {
					continue
				}
				kind := way(s, to)
				if set.Has(to) && !x.hidden.Has(l) {
					kind |= inside(kind)
				}
				kinds[l] |= kind
			}
		}
		return nil
	}
	abort.On(cores.TryInRanges(x.workers, m.NumStates(), findInRange))
	for _, other := range perWorker[1:] {
		for l, kind := range other {
			perWorker[0][l] |= kind
		}
	}
	return perWorker[0]
}

// everywhere reports whether all states of a set, which is not empty, enable one
// common task for which wanted returns true.
func (x *around) everywhere(set bitset.Set[lts.State], wanted func(k uint32) bool) bool {
	var common, enabled []uint32 // common has the wanted tasks that all states so far enable
	isFirst := true
	for s := range set.All {
		labels, targets := x.c.LTS().Out(s)
		enabled = enabled[:0]
		for j, to := range targets {
			for _, k := range x.f.TasksOf(labels.At(j)) {
				isEnabled := x.by(k)&way(s, to) != 0
				if isEnabled && (isFirst || slices.Contains(common, k)) {
					enabled = append(enabled, k)
				}
			}
		}
		if isFirst {
			enabled = onlyWanted(enabled, wanted)
			isFirst = false
		}
		common, enabled = enabled, common
		if len(common) == 0 {
			return false
		}
	}
	return true
}

// onlyWanted returns those of some tasks for which wanted returns true, each once. It overwrites tasks.
func onlyWanted(tasks []uint32, wanted func(k uint32) bool) []uint32 {
	slices.Sort(tasks)
	return slices.DeleteFunc(slices.Compact(tasks), func(k uint32) bool { return !wanted(k) })
}
