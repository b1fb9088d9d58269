package replay

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// node is a state at a position, with the fewest deviations of an alignment that passes the state
// there.
type node struct {
	state lts.State
	// key is twice the number of deviations, plus one for a guess, whose true number may be larger.
	key uint32
}

func (n node) cost() uint32  { return n.key >> 1 }
func (n node) guessed() bool { return n.key&1 != 0 }

// layer has the nodes of a position in the log in the order that they are found: keys ascend, and
// each node is an arrival or comes from a node before it. A state without a node needs more
// deviations than the field most.
type layer struct {
	nodes []node
	most  uint32
}

func (l *layer) set(other layer) { l.nodes, l.most = append(l.nodes[:0], other.nodes...), other.most }

// unlimited is more than any number of deviations.
const unlimited = mostEvents

// index finds the nodes of a layer by state.
type index struct {
	seen, place []uint32
	epoch       uint32
}

func newIndex(ctx context.Context, states int) (x index) {
	x.seen = abort.Must(resources.Make[uint32](ctx, states))
	x.place = abort.Must(resources.Make[uint32](ctx, states))
	return x
}

// clear removes all nodes.
func (x *index) clear() {
	if x.epoch++; x.epoch == 0 {
		clear(x.seen)
		x.epoch = 1
	}
}

// fill sets the nodes of a layer.
func (x *index) fill(nodes []node) {
	x.clear()
	for p, at := range nodes {
		x.put(at.state, p)
	}
}

func (x *index) put(s lts.State, place int) { x.seen[s], x.place[s] = x.epoch, uint32(place) }

func (x *index) has(s lts.State) bool { return x.seen[s] == x.epoch }

// at returns the index of the node of a state.
func (x *index) at(s lts.State) (place uint32, is bool) { return x.place[s], x.has(s) }

// search finds the alignments of one case, layer by layer; position i comes after event i.
//
// Each layer has the states that need at most width more deviations than the best one. If the best
// one then needs one deviation more, the layer should also have states that come from states which
// the previous layer left out. As a guess, all states that the event leads to, from any state, get
// the smallest number of deviations that they can have. Nodes that are no guesses are as in a
// computation with whole layers. If the best node is a guess or, on the way back, another node with
// as few deviations, [search.widen] makes the layers before it wider.
type search struct {
	*Aligner
	ctx    context.Context
	events *paged.List[uint32]
	n      int
	band
	kept

	now           layer
	done, skipped []node // arrivals at the next position
	level         []lts.State
	above         [2][]lts.State // by guesses
}

// event returns the label of event i, numbered from 1.
func (s *search) event(i int) uint32 { return s.labels[*s.events.At(i - 1)] }

// first makes the layer of position 0.
func (s *search) first() {
	s.done, s.skipped = append(s.done[:0], node{state: s.m.Initial()}), s.skipped[:0]
	s.enter(s.width(0), nil)
}

// advance makes the layer of position i from that of position i-1: each node does event i, or skips
// it.
func (s *search) advance(i int) {
	s.done, s.skipped = s.done[:0], s.skipped[:0]
	label, width, least := s.event(i), s.width(i), s.now.nodes[0].cost()
	highest := min(least+1+width, s.now.most+1, unlimited)
	for _, at := range s.now.nodes {
		if at.cost() > highest {
			break
		}
		if label != unknown {
			for _, to := range s.rows.by(at.state, label) {
				s.done = append(s.done, node{to, at.key})
			}
		}
		if at.cost() < highest {
			s.skipped = append(s.skipped, node{at.state, at.key + 2})
		}
	}
	if len(s.done) == 0 || s.done[0].cost() > least {
		least++
	}
	most := min(least+width, s.now.most+1, unlimited)
	var guessed []lts.State
	if most > s.now.most && label != unknown {
		guessed = s.rows.anywhere(label, s.m.Alphabet().Len())
	}
	s.enter(most, guessed)
}

// enter makes the layer of a position from the arrivals: of equal keys, those by doing the event
// come first. The guessed states come last, with the largest number of deviations.
func (s *search) enter(most uint32, guessed []lts.State) {
	s.met.clear()
	s.now.nodes, s.now.most = s.now.nodes[:0], most
	done, skipped := s.done, s.skipped
	for key := leastKey(done, skipped, 2*most+1); ; {
		level := s.level[:0]
		for len(done) > 0 && done[0].key == key {
			level, done = append(level, done[0].state), done[1:]
		}
		for len(skipped) > 0 && skipped[0].key == key {
			level, skipped = append(level, skipped[0].state), skipped[1:]
		}
		above := &s.above[key&1]
		level = append(level, *above...)
		*above = (*above)[:0]
		if key == 2*most+1 {
			level = append(level, guessed...)
		}
		s.spread(level, key, key>>1 < most, above)
		if key == 2*most+1 {
			return
		}
		if key++; len(s.above[0])+len(s.above[1]) == 0 {
			if len(done)+len(skipped)+len(guessed) == 0 {
				return
			}
			key = max(key, leastKey(done, skipped, 2*most+1))
		}
	}
}

// spread adds nodes for states, and for the states that free transitions lead to. If more is true,
// it adds the targets of other transitions to the list above.
func (s *search) spread(level []lts.State, key uint32, more bool, above *[]lts.State) {
	for k := 0; k < len(level); k++ {
		at := level[k]
		if s.met.has(at) {
			continue
		}
		s.met.put(at, len(s.now.nodes))
		s.now.nodes = append(s.now.nodes, node{at, key})
		for _, to := range s.rows.free(at) {
			if !s.met.has(to) {
				level = append(level, to)
			}
		}
		if more {
			for _, to := range s.rows.others(at) {
				if !s.met.has(to) {
					*above = append(*above, to)
				}
			}
		}
	}
	s.level = level
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
