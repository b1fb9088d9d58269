package replay

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// node is a state at a position, with the least number of deviations of an alignment that passes
// it.
type node struct {
	state lts.State
	// key is twice the number of deviations, and one more for a guess: then the true number may be
	// larger.
	key uint32
}

func (n node) cost() uint32  { return n.key >> 1 }
func (n node) guessed() bool { return n.key&1 != 0 }

// isExactly reports whether the node is no guess, and has this number of deviations.
func (n node) isExactly(cost uint32) bool { return !n.guessed() && n.cost() == cost }

// layer has the nodes of a position in the log, in the order in which they are found. Keys ascend,
// and each node is an arrival, or is reached by a transition from an earlier node. A state without
// a node needs more deviations than the number most.
type layer struct {
	nodes []node
	most  uint32
	// sifted reports that the layer lacks the guesses that neither do the next event nor have free
	// transitions. They matter only if the next layer has guesses, too, or if there is no next
	// layer.
	sifted bool
}

func (l *layer) set(other layer) {
	l.nodes = append(l.nodes[:0], other.nodes...)
	l.most = other.most
	l.sifted = other.sifted
}

// unlimited is at least any number of deviations.
const unlimited = mostEvents

// index finds the nodes of a layer by their states. The node of state s has the index place[s] if
// seen[s] is the epoch; clearing the index changes the epoch.
type index struct {
	seen, place []uint32
	epoch       uint32
}

// init makes an empty index for a model with this number of states.
func (x *index) init(ctx context.Context, states int) (err error) {
	x.seen, err = resources.Make[uint32](ctx, states)
	if err != nil {
		return err
	}
	x.place, err = resources.Make[uint32](ctx, states)
	return err
}

// clear removes all nodes.
func (x *index) clear() {
	x.epoch++
	if x.epoch == 0 {
		clear(x.seen)
		x.epoch = 1
	}
}

// fill sets the nodes of a layer.
func (x *index) fill(nodes []node) {
	x.clear()
	for p, n := range nodes {
		x.put(n.state, p)
	}
}

func (x *index) put(s lts.State, place int) {
	x.seen[s] = x.epoch
	x.place[s] = uint32(place)
}

func (x *index) has(s lts.State) bool { return x.seen[s] == x.epoch }

// at returns the index of the node of a state.
func (x *index) at(s lts.State) (place uint32, known bool) { return x.place[s], x.has(s) }

// search finds the alignments of one case, layer by layer; position i comes after event i.
//
// Each layer has the states that need at most width more deviations than the best state. If the
// best state of the next layer needs one deviation more, states of that layer may be reachable only
// from states that the previous layer left out. These states are guessed: every state to which the
// event leads from any state gets the smallest number of deviations that it can have. Nodes that
// are no guesses are as in a computation with whole layers. If the best node is a guess or, on the
// way back, another node with as few deviations, [search.widen] makes the layers before it wider.
type search struct {
	*Aligner
	ctx    context.Context
	events *pagedlist.List[uint32]
	n      int
	band
	kept

	now                      layer  // the layer of the position that the search has reached
	arrivals, arrivalsBySkip []node // arrivals at the next position
	level, guessed           []lts.State
	// byDeviation has the states that one more deviation reaches from the nodes of the level before:
	// one list for nodes that are no guesses, and one for guesses.
	byDeviation [2][]lts.State
}

// event returns the label of event i, numbered from 1.
func (s *search) event(i int) uint32 { return s.labels[*s.events.At(i - 1)] }

// enterFirst makes the layer of position 0.
func (s *search) enterFirst() {
	s.arrivals = append(s.arrivals[:0], node{state: s.m.Initial()})
	s.arrivalsBySkip = s.arrivalsBySkip[:0]
	s.enter(s.width(0), nil)
}

// advance replaces the layer of position i-1 by that of position i: from each node, event i is
// either done or skipped.
func (s *search) advance(i int) {
	label := s.event(i)
	least := s.arrive(i, label)
	most := s.mostAt(i, least)
	if most <= s.now.most {
		s.enter(most, nil)
		return
	}
	if s.now.sifted {
		s.addSifted(i - 1)
		s.arrive(i, label)
	}
	s.rose = i
	s.guessed = s.sift(s.guessed[:0], i)
	s.enter(most, s.guessed)
	s.now.sifted = i < s.n
}

// sift adds the guesses of a position to a list: the states to which its event leads from any
// state. It leaves out the states that neither do the next event nor have free transitions. Nearly
// all guesses are such states, so making nodes for them would cost more than everything else.
func (s *search) sift(guessed []lts.State, i int) []lts.State {
	all := s.targetsAnywhere(i)
	if i == s.n {
		return append(guessed, all...)
	}
	next := s.event(i + 1)
	for _, to := range all {
		if s.rows.mayHave(to, next) || s.rows.hasFree(to) {
			guessed = append(guessed, to)
		}
	}
	return guessed
}

// targetsAnywhere returns the states to which the event of a position leads from any state.
func (s *search) targetsAnywhere(i int) []lts.State {
	label := s.event(i)
	if label == unknown {
		return nil
	}
	return s.rows.anywhere(label, s.m.Alphabet().Len())
}

// addSifted adds to the current layer, that of position i, the guesses that were left out.
func (s *search) addSifted(i int) {
	s.met.fill(s.now.nodes)
	for _, to := range s.targetsAnywhere(i) {
		if !s.met.has(to) {
			s.met.put(to, len(s.now.nodes))
			s.now.nodes = append(s.now.nodes, node{state: to, key: 2*s.now.most + 1})
		}
	}
	s.now.sifted = false
}

// arrive sets the arrivals at position i. It returns the least number of deviations of a node
// there.
func (s *search) arrive(i int, label uint32) (least uint32) {
	s.arrivals = s.arrivals[:0]
	s.arrivalsBySkip = s.arrivalsBySkip[:0]
	least = s.now.nodes[0].cost()
	highest := min(least+1+s.width(i), s.now.most+1, unlimited)
	for _, from := range s.now.nodes {
		if from.cost() > highest {
			break
		}
		if label != unknown {
			for _, to := range s.rows.targetsBy(from.state, label) {
				s.arrivals = append(s.arrivals, node{to, from.key})
			}
		}
		if from.cost() < highest {
			s.arrivalsBySkip = append(s.arrivalsBySkip, node{from.state, from.key + 2})
		}
	}
	if len(s.arrivals) == 0 || s.arrivals[0].cost() > least {
		least++
	}
	return least
}

// mostAt returns the number of deviations up to which the layer of position i has all states. Each
// rise of this number adds guesses. So if the band is wide, it rises only where it must, where the
// band becomes wider, and at every eachRegain-th position. If guesses were left out of the previous
// layer (see [layer].sifted), it rises only where it must, since the next event refutes most of
// these guesses.
func (s *search) mostAt(i int, least uint32) uint32 {
	most := s.now.most
	width := s.width(i)
	isWide := width > narrow && !s.whole
	mayRise := !isWide || width > s.width(i-1) || i%eachRegain == 0
	mayRise = mayRise && !s.now.sifted
	mustRise := least > most
	if mustRise || mayRise && least+width > most {
		most++
	}
	return min(most, least+width, unlimited)
}

// enter makes the layer of a position from the arrivals. Among equal keys, states that are reached
// by doing the event come first. The guessed states come last, with the largest number of
// deviations.
func (s *search) enter(most uint32, guessed []lts.State) {
	s.met.clear()
	s.now.nodes = s.now.nodes[:0]
	s.now.most = most
	s.now.sifted = false
	done := s.arrivals
	skipped := s.arrivalsBySkip
	keyOfGuesses := 2*most + 1 // no key is larger
	for key := leastKey(done, skipped, keyOfGuesses); ; {
		level := s.level[:0] // the states with this key
		done, level = takeStates(done, key, level)
		skipped, level = takeStates(skipped, key, level)
		// One more deviation adds 2 to a key. So this list holds the states that were reached from key-2,
		// and then takes the states for key+2.
		byDeviation := &s.byDeviation[key&1]
		level = append(level, *byDeviation...)
		*byDeviation = (*byDeviation)[:0]
		if key == keyOfGuesses {
			level = append(level, guessed...)
		}
		mayDeviate := key>>1 < most
		s.spread(level, key, mayDeviate, byDeviation)
		if key == keyOfGuesses {
			return
		}
		key++
		hasDeviations := len(s.byDeviation[0])+len(s.byDeviation[1]) > 0
		if hasDeviations {
			continue
		}
		if len(done)+len(skipped)+len(guessed) == 0 {
			return
		}
		key = max(key, leastKey(done, skipped, keyOfGuesses))
	}
}

// takeStates takes the first nodes of a list, as long as they have the given key, and appends their
// states to a level. It returns the rest of the list, and the level.
func takeStates(nodes []node, key uint32, level []lts.State) (rest []node, extended []lts.State) {
	for len(nodes) > 0 && nodes[0].key == key {
		level = append(level, nodes[0].state)
		nodes = nodes[1:]
	}
	return nodes, level
}

// spread adds nodes for the states of a level, and for the states to which free transitions lead.
// If mayDeviate is true, it adds the targets of other transitions to byDeviation.
func (s *search) spread(level []lts.State, key uint32, mayDeviate bool, byDeviation *[]lts.State) {
	for k := 0; k < len(level); k++ {
		state := level[k]
		if s.met.has(state) {
			continue
		}
		s.met.put(state, len(s.now.nodes))
		s.now.nodes = append(s.now.nodes, node{state, key})
		// In each row, the transitions that cost nothing come first.
		free := s.rows.targets[s.rows.first[state]:s.rows.logged[state]]
		level = s.appendUnmet(level, free)
		if mayDeviate {
			logged := s.rows.targets[s.rows.logged[state]:s.rows.first[state+1]]
			*byDeviation = s.appendUnmet(*byDeviation, logged)
		}
	}
	s.level = level
}

// appendUnmet appends the states that have no node yet.
func (s *search) appendUnmet(list, states []lts.State) []lts.State {
	for _, state := range states {
		if !s.met.has(state) {
			list = append(list, state)
		}
	}
	return list
}

// leastKey returns the least key of both lists, but at most last.
func leastKey(a, b []node, last uint32) uint32 {
	if len(a) > 0 {
		last = min(last, a[0].key)
	}
	if len(b) > 0 {
		last = min(last, b[0].key)
	}
	return last
}

// unknown is the label of events that the model does not have. begins is the label of transitions
// that only lead to initial states.
const (
	unknown = ^uint32(0)
	begins  = unknown - 1
)

// rows are the transitions of the model that is searched, by source: first the free ones, then the
// others, each sorted by label. Transitions with equal source, label and target occur once.
type rows struct {
	first, logged []uint32 // the free transitions of state s begin at first[s], its other transitions at logged[s]
	labels        []uint32 // the first label of the same text
	targets       []lts.State

	// mayDo holds for each state the bits of the labels of its transitions, see bitOf.
	mayDo []uint64
	// free is the number of free transitions.
	free int

	// The targets of all transitions with label l are into[firstInto[l]:firstInto[l+1]].
	firstInto []uint32
	into      []lts.State
}

// newRows returns the rows of a model. Cost O(T log d) time for out-degrees up to d, 8 bytes a
// transition and 16 bytes a state.
func newRows(
	ctx context.Context,
	m *lts.LTS,
	free func(lts.State, lts.Label) (free, begins bool),
) (*rows, error) {
	if err := resources.AskFor[[2]uint32](ctx, m.NumTransitions()+2*m.NumStates()); err != nil {
		return nil, err
	}
	r := &rows{
		first:   make([]uint32, 0, m.NumStates()+1),
		logged:  make([]uint32, 0, m.NumStates()),
		mayDo:   make([]uint64, 0, m.NumStates()),
		labels:  make([]uint32, 0, m.NumTransitions()),
		targets: make([]lts.State, 0, m.NumTransitions()),
	}
	var row []edge
	for s := range lts.State(m.NumStates()) {
		if s%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row = row[:0]
		labels, targets := m.Out(s)
		for i, to := range targets {
			e := edge{
				cost:  1,
				label: uint32(m.Alphabet().Plain(labels.At(i))),
				to:    to,
			}
			isFree, isBegin := free(s, labels.At(i))
			if isFree {
				e.cost = 0
			}
			if isBegin {
				e.label = begins
			}
			row = append(row, e)
		}
		slices.SortFunc(row, compareEdges)
		row = slices.Compact(row)
		r.append(row)
	}
	r.first = append(r.first, uint32(len(r.labels)))
	return r, nil
}

// edge is a transition of a row.
type edge struct {
	cost  int // 0 if the transition is free, otherwise 1
	label uint32
	to    lts.State
}

func compareEdges(a, b edge) int {
	return cmp.Or(
		cmp.Compare(a.cost, b.cost),
		cmp.Compare(a.label, b.label),
		cmp.Compare(a.to, b.to),
	)
}

// append adds the row of the next state, whose free transitions come first.
func (r *rows) append(row []edge) {
	labelBits := uint64(0)
	r.first = append(r.first, uint32(len(r.labels)))
	logged := len(r.labels)
	for _, e := range row {
		r.labels = append(r.labels, e.label)
		r.targets = append(r.targets, e.to)
		labelBits |= bitOf(e.label)
		if e.cost == 0 {
			logged++
			r.free++
		}
	}
	r.logged = append(r.logged, uint32(logged))
	r.mayDo = append(r.mayDo, labelBits)
}

// bitOf returns one of 64 bits for a label. Some labels share it.
func bitOf(label uint32) uint64 { return 1 << (label % 64) }

// mayHave reports whether a state may have a transition with a label. If it returns false, the state
// has none.
func (r *rows) mayHave(s lts.State, label uint32) bool {
	return label != unknown && r.mayDo[s]&bitOf(label) != 0
}

// hasFree reports whether a state has free transitions.
func (r *rows) hasFree(s lts.State) bool { return r.free > 0 && r.first[s] < r.logged[s] }

// targetsBy returns the targets of transitions with a label, free or not.
func (r *rows) targetsBy(s lts.State, label uint32) []lts.State {
	if r.mayDo[s]&bitOf(label) == 0 {
		return nil
	}
	first := r.first[s]
	logged := r.logged[s]
	end := r.first[s+1]
	if first < logged {
		// The label is in only one of the two ranges.
		found := r.between(first, logged, label)
		if len(found) > 0 {
			return found
		}
	}
	return r.between(logged, end, label)
}

// between returns the targets of transitions with a label in a range of a row.
func (r *rows) between(first, end, label uint32) []lts.State {
	if end-first > 8 {
		skipped, _ := slices.BinarySearch(r.labels[first:end], label)
		first += uint32(skipped)
	}
	for first < end && r.labels[first] < label {
		first++
	}
	last := first
	for last < end && r.labels[last] == label {
		last++
	}
	return r.targets[first:last]
}

// labelTo returns the label of the first transition between two states that has the given cost. There must
// be one.
func (r *rows) labelTo(from, to lts.State, cost stepCost) uint32 {
	first := r.logged[from]
	end := r.first[from+1]
	if cost == ofUnlogged {
		first = r.first[from]
		end = r.logged[from]
	}
	return r.labels[first+uint32(slices.Index(r.targets[first:end], to))]
}

// anywhere returns the targets of all transitions with a label; labels is the number of labels.
func (r *rows) anywhere(label uint32, labels int) []lts.State {
	if r.firstInto == nil {
		r.groupByLabel(labels)
	}
	return r.into[r.firstInto[label]:r.firstInto[label+1]]
}

// groupByLabel groups the targets by label. It is a counting sort: the first pass over the
// transitions counts those of each label, the second stores their targets.
func (r *rows) groupByLabel(labels int) {
	r.firstInto = make([]uint32, labels+1)
	for _, l := range r.labels {
		if l != begins {
			r.firstInto[l+1]++
		}
	}
	for l := range labels {
		r.firstInto[l+1] += r.firstInto[l]
	}
	r.into = make([]lts.State, r.firstInto[labels])
	next := slices.Clone(r.firstInto)
	for i, l := range r.labels {
		if l != begins {
			r.into[next[l]] = r.targets[i]
			next[l]++
		}
	}
}

// band has the widths of the layers.
type band struct {
	// widths has, for each position, the number of deviations by which its nodes may exceed the
	// best node; nil if all widths are 0. base is the least width of positions that were not
	// visited yet.
	widths []uint16
	base   uint16
	whole  bool // whether all layers have all states
	// fresh is the number of nodes of positions visited for the first time. again is the number of
	// nodes visited again, with a wider band, since base rose; wasted is that number since the
	// beginning. furthest is the last position visited.
	fresh, again, wasted, furthest int
	// rose is the last position where guesses were added.
	rose int
	// layers and sizes count the computed layers and their nodes, indexed by the number of bits of
	// the width.
	layers, sizes [17]int
}

// span returns the number of layers before a guess that get the given width: enough for wrong
// guesses to need more deviations at the end.
func span(width uint16) int { return 16 * int(width) }

const (
	// narrow is the largest width that all layers around a position get at once. Larger widths rise
	// from layer to layer.
	narrow = 8
	// pace is the number of positions over which a band becomes wider by one: after so many events,
	// most guesses are refuted.
	pace = 4
	// settle is the least number of positions for which a band stays wide.
	settle = 16
	// eachRegain is the number of positions after which a layer may again have all states that the
	// band allows.
	eachRegain = 16
)

// direction is the direction in which a search passes through the log.
type direction uint8

const (
	forwards direction = iota
	backwards
)

// errWide reports that computing whole layers costs less than computing a band of them.
var errWide = errors.New("the band is too wide")

// width returns the number of deviations by which the nodes of a position may exceed the best node.
func (b *band) width(i int) uint32 {
	switch {
	case b.whole:
		return unlimited
	case b.widths == nil:
		return 0
	}
	return uint32(b.widths[i])
}

// count counts the nodes of the layer of a position, which the search has just computed.
func (s *search) count(i, nodes int) {
	b := &s.band
	s.visited += nodes
	if b.widths != nil {
		class := bits.Len16(b.widths[i])
		b.layers[class]++
		b.sizes[class] += nodes
	}
	if i > b.furthest {
		b.furthest = i
		b.fresh += nodes
		return
	}
	b.repeat(nodes)
}

// repeat counts nodes that were visited again.
func (b *band) repeat(nodes int) {
	b.again += nodes
	b.wasted += nodes
}

// raise gives the layers between two positions at least the given width.
func (s *search) raise(first, last int, width uint16) {
	for k := max(first, 0); k <= min(last, s.n); k++ {
		s.widths[k] = max(s.widths[k], width)
	}
}

// widen makes the layers before position i twice as wide and, if the search goes forwards, also the
// layers after it. It returns the position after which layers must be computed again. It fails with
// errWide if the layers that were computed again already have as many nodes as all whole layers.
func (s *search) widen(i int, d direction) (from int) {
	if s.widths == nil {
		s.widths = abort.Must(resources.Make[uint16](s.ctx, s.n+1))
	}
	if s.wasted > s.patience+s.n*s.m.NumStates() {
		abort.On(errWide)
	}
	width := uint16(min(max(1, 2*int(s.widths[i])), 1<<15))
	s.raiseBase(i, d)
	width = max(width, s.widths[i])
	if width <= narrow {
		return s.widenAround(i, d, width)
	}
	return s.widenTowards(i, d, width)
}

// widenAround gives the same width to the layers before a position and, if the search goes forwards, to
// those after it. It returns the position after which layers must be computed again.
func (s *search) widenAround(i int, d direction, width uint16) (from int) {
	span := span(width)
	last := i
	if d == forwards {
		last += span
	}
	first := s.fewestGuesses(i-span-span/2, i-span)
	s.raise(first, last, width)
	return first
}

// fewestGuesses returns the position between two others, but not before 0, where the fewest guesses
// are expected if the labels of transitions are independent.
func (s *search) fewestGuesses(first, last int) int {
	best := max(0, last)
	least := math.Inf(1)
	for i := best; i >= max(1, first); i-- {
		guesses := float64(len(s.targetsAnywhere(i)))
		if i < s.n {
			guesses *= float64(len(s.targetsAnywhere(i + 1)))
		}
		if guesses < least {
			best = i
			least = guesses
		}
	}
	return best
}

// widenTowards gives the layers before a position widths that rise step by step. The layers after
// it stay as wide until later events have shown which states were the best. It returns the position
// after which layers must be computed again.
func (s *search) widenTowards(i int, d direction, width uint16) (from int) {
	peak := i
	last := i
	if d == forwards {
		peak = max(0, min(i, s.rose)-1)
		last += settle + pace*int(width)
	}
	for k := range int(width) { // the k-th group of layers, counted back from the peak
		s.raise(peak-pace*(k+1)+1, peak-pace*k, width-uint16(k))
	}
	s.raise(peak, last, width)
	return max(0, peak-pace*int(width))
}

// raiseBase gives a larger width to all layers that the search has still to visit from position i: those
// after it or, if the search goes backwards, those before it. It does so only if these layers will
// cost at most as much as the layers that were computed again so far.
func (s *search) raiseBase(i int, d direction) {
	base := uint16(min(max(1, 2*int(s.base)), 1<<15))
	class := bits.Len16(base)
	isPatient := s.again <= s.fresh+s.patience
	if isPatient || s.layers[class] == 0 {
		return
	}
	first := i
	last := s.n
	if d == backwards {
		first = 0
		last = i
	}
	meanSize := float64(s.sizes[class]) / float64(s.layers[class])
	if meanSize*float64(last-first) > float64(s.again) {
		return
	}
	s.again = 0
	s.base = base
	s.raise(first, last, base)
}

// kept are the layers that are kept so that the search can go back.
type kept struct {
	checkpoints []checkpoint
	nodes       int // the number of nodes of all checkpoints
	nodesSince  int // the number of nodes visited after the last checkpoint
	spaced      int // the number of nodes between two checkpoints
	// recent has some of the last layers, by position.
	recent [mostRecent]checkpoint
}

// Every eachRecent-th layer is kept unless it has more than largestRecent nodes. The last
// mostRecent of these layers are available.
const (
	eachRecent    = 16
	mostRecent    = 64
	largestRecent = 1 << 12
)

// checkpoint is the layer of a position.
type checkpoint struct {
	at int
	layer
}

// remember keeps the current layer if it is due. It reports whether the layer becomes a checkpoint.
func (s *search) remember(i int) (isCheckpoint bool) {
	if i%eachRecent == 0 {
		slot := &s.recent[i/eachRecent%mostRecent]
		slot.at = 0
		if len(s.now.nodes) <= largestRecent {
			slot.at = i
			slot.set(s.now)
		}
	}
	s.nodesSince += len(s.now.nodes) + 1
	if s.nodesSince < s.spaced {
		return false
	}
	s.pause()
	if i > s.metered {
		s.meter.Add(int64(i - s.metered))
		s.metered = i
	}
	s.keep(i)
	return true
}

// pause checks the context, and asks for the memory of the layers up to the next checkpoint.
func (s *search) pause() {
	abort.On(s.ctx.Err())
	abort.On(resources.AskFor[node](s.ctx, 2*len(s.now.nodes)+s.spaced))
}

// keep makes the current layer a checkpoint. It drops every second checkpoint when they take more
// memory than the layers between them.
func (s *search) keep(i int) {
	s.checkpoints = append(s.checkpoints, checkpoint{at: i})
	s.checkpoints[len(s.checkpoints)-1].set(s.now)
	s.nodes += len(s.now.nodes)
	s.nodesSince = 0
	const parts = 4
	if s.nodes <= parts*s.spaced {
		return
	}
	s.spaced = max(1, 2*s.spaced)
	rest := s.checkpoints[:0]
	for k, c := range s.checkpoints {
		if k%2 == 0 {
			rest = append(rest, c)
		} else {
			s.nodes -= len(c.nodes)
		}
	}
	clear(s.checkpoints[len(rest):])
	s.checkpoints = rest
}

// goBack returns to the last kept layer up to a position, and drops the checkpoints after that
// position.
func (s *search) goBack(i int) (at int) {
	lastRecent := i / eachRecent * eachRecent // the last position up to i whose layer may be in recent
	slot := &s.recent[i/eachRecent%mostRecent]
	hasRecent := lastRecent > 0 && slot.at == lastRecent
	for last := len(s.checkpoints) - 1; s.checkpoints[last].at > i; last-- {
		s.nodes -= len(s.checkpoints[last].nodes)
		s.checkpoints = s.checkpoints[:last]
		s.nodesSince = 0
	}
	c := s.checkpoints[len(s.checkpoints)-1]
	switch {
	case hasRecent && lastRecent > c.at:
		s.now.set(slot.layer)
		return lastRecent
	case c.at > 0:
		s.nodesSince = 0
		s.now.set(c.layer)
		return c.at
	}
	s.nodesSince = 0
	s.enterFirst()
	return 0
}

// back goes backwards through the log. It visits all states on alignments with the fewest
// deviations, and follows one such alignment.
type back struct {
	*search
	block
	// shown is the position of the layer whose nodes are in the index before; -1 if there is none.
	shown int
	// seeds are the states of the current position from which a best alignment leads to the next
	// position. marked are all nodes of the layer on a best alignment.
	seeds  []lts.State
	marked []bool

	// fate is the fate of all ends, unless it is open. since is the first visited position from
	// which on all marked nodes have this fate. ended reports that since is final.
	fate  fate.Fate
	since int
	ended bool

	// path reports whether the caller needs steps: the deviations, or all steps if keep is set. at
	// is the state that the path has reached on its way back.
	path, keep bool
	at         lts.State
	reversed   []step
}

// step is a step of an alignment. event is the number of the event that the step does or skips, from
// 1; 0 if the log has no event for the step. A step that skips an event stays in its state.
type step struct {
	from, to lts.State
	label    uint32
	event    int
	kind     Kind
	free     bool // whether the step is an action that would not be logged
	position int
}

// block has the layers from position base on; the nodes of each layer begin at its offset.
type block struct {
	base    int
	nodes   []node
	offsets []int
	most    []uint32
	sifted  []bool
}

func (b *block) begin(i int, l *layer) {
	b.base = i
	b.nodes = b.nodes[:0]
	b.offsets = append(b.offsets[:0], 0)
	b.most = b.most[:0]
	b.sifted = b.sifted[:0]
	b.add(l)
}

func (b *block) add(l *layer) {
	b.nodes = append(b.nodes, l.nodes...)
	b.offsets = append(b.offsets, len(b.nodes))
	b.most = append(b.most, l.most)
	b.sifted = append(b.sifted, l.sifted)
}

// layer returns the layer of a position.
func (b *block) layer(i int) layer {
	i -= b.base
	return layer{
		nodes:  b.nodes[b.offsets[i]:b.offsets[i+1]],
		most:   b.most[i],
		sifted: b.sifted[i],
	}
}

// load recomputes the layers of the positions between two bounds, and counts their nodes. The block
// then has the layers since the last checkpoint.
func (b *back) load(from, end int) (nodes int) {
	kept := b.goBack(from)
	b.begin(kept, &b.now)
	for i := kept + 1; i <= end; i++ {
		b.advance(i)
		nodes += len(b.now.nodes)
		if b.remember(i) && i < end {
			b.begin(i, &b.now)
		} else {
			b.add(&b.now)
		}
	}
	b.shown = -1
	b.pause()
	return nodes
}

func (b *back) finished() bool { return !b.path && (b.fate == 0 || b.ended) }

// process processes one position: seeds become the states of the previous position. If a guess may
// lie on an alignment with the fewest deviations, it returns false, and leaves the results as they
// are.
func (b *back) process(i int) (certain bool) {
	here := b.layer(i)
	if b.shown == i {
		b.here, b.before = b.before, b.here
	} else {
		b.here.fill(here.nodes)
	}
	var previous layer
	b.before.clear()
	if i > 0 {
		previous = b.layer(i - 1)
		b.before.fill(previous.nodes)
	}
	b.shown = i - 1
	needsSince := b.fate != 0 && !b.ended
	if needsSince && !b.moveSince(here, previous, i) {
		return false
	}
	if b.path {
		b.followWithin(here, previous, i)
	}
	if i == 0 {
		b.path = false
		b.ended = true
	}
	return true
}

// moveSince sets the field since to position i, and moves the seeds to the previous position. If
// some best alignment has another fate at position i, it sets nothing: then since is final. If a
// guess may lie on a best alignment, it returns false, and changes neither.
func (b *back) moveSince(here, before layer, i int) (certain bool) {
	if !b.markWithin(here) {
		return false
	}
	seeds, certain := b.markedSources(here, before, i)
	if !certain {
		return false
	}
	for p, n := range here.nodes {
		if b.marked[p] && b.hasOtherFate(n.state) {
			b.ended = true
		}
	}
	if !b.ended {
		b.since = i
		b.seeds = seeds
	}
	return true
}

// hasOtherFate reports whether the fate of a state differs from that of all ends. It returns false
// for the state before several initial states, since runs begin only after it.
func (b *back) hasOtherFate(s lts.State) bool {
	return b.fateAt(s) != b.fate && !b.model.IsBefore(b.search.state(s))
}

// markWithin marks the nodes of a layer that lead to its seeds on a best alignment. It returns
// false if a guess may lead to them, too.
func (b *back) markWithin(here layer) (certain bool) {
	b.marked = append(b.marked[:0], make([]bool, len(here.nodes))...)
	work := make([]uint32, 0, len(b.seeds))
	for _, state := range b.seeds {
		p, _ := b.here.at(state)
		b.marked[p] = true
		work = append(work, p)
	}
	certain = true
	for len(work) > 0 && certain {
		to := here.nodes[work[len(work)-1]]
		work = work[:len(work)-1]
		b.eachInto(&b.here, here.nodes, to.state, func(p uint32, _ uint32, isFree bool) {
			cost := uint32(1)
			if isFree {
				cost = 0
			}
			from := here.nodes[p]
			switch {
			case b.marked[p] || from.cost()+cost != to.cost():
			case from.guessed():
				certain = false
			default:
				b.marked[p] = true
				work = append(work, p)
			}
		})
	}
	return certain
}

// eachInto calls do for each transition that leads from a node of a layer to a state. The index x
// has the places of the nodes. It visits the nodes or the predecessors of the state, whichever are
// fewer.
func (b *back) eachInto(
	x *index,
	nodes []node,
	to lts.State,
	do func(place, label uint32, isFree bool),
) {
	if len(nodes) == 1 && nodes[0].state == to {
		return // a self-loop changes nothing within a layer
	}
	labels, sources := b.m.Predecessors().In(to)
	if len(sources) > 2*len(nodes) {
		for p, from := range nodes {
			first := b.rows.first[from.state]
			end := b.rows.first[from.state+1]
			for i := first; i < end; i++ {
				if b.rows.targets[i] == to {
					isFree := i < b.rows.logged[from.state]
					do(uint32(p), b.rows.labels[i], isFree)
				}
			}
		}
		return
	}
	for k, from := range sources {
		p, hasNode := x.at(from)
		if !hasNode {
			continue
		}
		isFree, isBegin := b.isFree(from, labels.At(k))
		label := uint32(b.model.Alphabet().Plain(labels.At(k)))
		if isBegin {
			label = begins
		}
		do(p, label, isFree)
	}
}

// markedSources returns the states of the previous layer from which a best alignment leads to
// marked nodes. It returns false if a guess may lead to them, too.
func (b *back) markedSources(here, previous layer, i int) (states []lts.State, certain bool) {
	if i == 0 {
		return nil, true
	}
	label := b.event(i)
	isListed := make([]bool, len(previous.nodes))
	certain = true
	list := func(p uint32) {
		switch {
		case previous.nodes[p].guessed():
			certain = false
		case !isListed[p]:
			isListed[p] = true
			states = append(states, previous.nodes[p].state)
		}
	}
	for p, next := range here.nodes {
		if !b.marked[p] {
			continue
		}
		skipped, isInBefore := b.before.at(next.state)
		switch {
		case !isInBefore:
			certain = certain && !b.wasSifted(previous, next, i-1)
		case previous.nodes[skipped].cost()+1 == next.cost():
			list(skipped)
		}
		b.eachDoing(previous, next.state, label, func(q uint32) {
			if previous.nodes[q].cost() == next.cost() {
				list(q)
			}
		})
		certain = certain && (next.cost() <= previous.most || !b.comesFromUnseen(next.state, label))
	}
	return states, certain
}

// wasSifted reports whether a node of the next layer may be reached by skipping an event in a guess
// that was left out of the layer of position i.
func (b *back) wasSifted(before layer, next node, i int) bool {
	isAboveAll := next.cost() == before.most+1
	if !before.sifted || !isAboveAll || b.event(i) == unknown {
		return false
	}
	labels, sources := b.m.Predecessors().In(next.state)
	for k, from := range sources {
		if b.doesEvent(from, labels.At(k), b.event(i)) {
			return true
		}
	}
	return false
}

// eachDoing calls do for the nodes of the previous layer from which an event leads to a state.
func (b *back) eachDoing(previous layer, to lts.State, label uint32, do func(place uint32)) {
	if label == unknown {
		return
	}
	labels, sources := b.m.Predecessors().In(to)
	if len(sources) > 2*len(previous.nodes) {
		for p, from := range previous.nodes {
			if slices.Contains(b.rows.targetsBy(from.state, label), to) {
				do(uint32(p))
			}
		}
		return
	}
	for k, from := range sources {
		p, hasNode := b.before.at(from)
		if hasNode && b.doesEvent(from, labels.At(k), label) {
			do(p)
		}
	}
}

// doesEvent reports whether a transition does an event, which has the given label.
func (b *back) doesEvent(from lts.State, l lts.Label, label uint32) bool {
	if uint32(b.model.Alphabet().Plain(l)) != label {
		return false
	}
	_, isBegin := b.isFree(from, l)
	return !isBegin
}

// comesFromUnseen reports whether an event leads to a state from a state that has no node in the
// previous layer.
func (b *back) comesFromUnseen(to lts.State, label uint32) bool {
	if label == unknown {
		return false
	}
	labels, sources := b.m.Predecessors().In(to)
	for k, from := range sources {
		if !b.before.has(from) && b.doesEvent(from, labels.At(k), label) {
			return true
		}
	}
	return false
}

// followWithin follows the path backwards through a layer, and into the previous layer. It prefers
// deviations to events, so that deviations come as late as possible, but takes actions that are not
// logged first.
func (b *back) followWithin(here, previous layer, i int) {
	for {
		p, _ := b.here.at(b.at)
		cost := here.nodes[p].cost()
		done, canDo := b.firstDoing(previous, i, cost)
		skipped, isInBefore := b.before.at(b.at)
		canSkip := isInBefore && previous.nodes[skipped].key+2 == 2*cost
		if canSkip && !canDo && b.stepBack(here, i, cost, ofUnlogged) {
			continue
		}
		if canSkip {
			b.reversed = append(b.reversed, step{
				from:     b.at,
				to:       b.at,
				label:    b.event(i),
				event:    i,
				kind:     InLog,
				position: i,
			})
			return
		}
		switch {
		case b.stepBack(here, i, cost, ofDeviation):
		case canDo:
			from := previous.nodes[done].state
			if b.keep {
				b.reversed = append(b.reversed, step{
					from:     from,
					to:       b.at,
					label:    b.event(i),
					event:    i,
					position: i,
				})
			}
			b.at = from
			return
		case !b.stepBack(here, i, cost, ofUnlogged):
			return // the path has reached an initial state
		}
	}
}

// firstDoing returns the first node of the previous layer from which event i leads to the current
// state without another deviation; cost is the number of deviations of the current node.
func (b *back) firstDoing(previous layer, i int, cost uint32) (place uint32, found bool) {
	if i == 0 {
		return 0, false
	}
	none := uint32(len(previous.nodes))
	first := none
	b.eachDoing(previous, b.at, b.event(i), func(p uint32) {
		if previous.nodes[p].isExactly(cost) {
			first = min(first, p)
		}
	})
	return first, first < none
}

// stepCost is the number of deviations of an action that the log does not have.
type stepCost uint32

const (
	ofUnlogged  stepCost = 0 // an action that is not logged is free
	ofDeviation stepCost = 1
)

// stepBack takes back the first transition of this cost from an earlier node of the same layer, and reports
// whether there is one. cost is the number of deviations of the current node.
func (b *back) stepBack(here layer, i int, cost uint32, costOfStep stepCost) bool {
	p, _ := b.here.at(b.at)
	free := costOfStep == ofUnlogged
	first := p
	b.eachInto(&b.here, here.nodes, b.at, func(q, _ uint32, isFree bool) {
		isExact := here.nodes[q].key+2*uint32(costOfStep) == 2*cost
		if isFree == free && isExact {
			first = min(first, q)
		}
	})
	if first == p {
		return false
	}
	from := here.nodes[first].state
	if b.keep || !free {
		b.reversed = append(b.reversed, step{
			from:     from,
			to:       b.at,
			label:    b.rows.labelTo(from, b.at, costOfStep),
			kind:     InModel,
			free:     free,
			position: i,
		})
	}
	b.at = from
	return true
}
