package replay

import (
	"context"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// node is a state, and the fewest deviations of an alignment that is there at a position.
type node struct {
	state lts.State
	cost  uint32
}

// layer are the nodes of a position in the log as they were found, one after the other: costs
// ascend, and each is an arrival or comes from one before it.
type layer []node

// search looks for the alignments of one case, layer by layer: position i is the one behind event i.
// A node is left out if more deviations than bound are certain from there on.
type search struct {
	*Aligner
	ctx    context.Context
	events *paged.List[uint32]
	n      int
	bound  uint32

	// bounds has how many deviations are certain behind a position.
	bounds bounds

	now             layer
	done, skipped   layer // arrivals at the next position
	level, above    []lts.State
	checkpoints     []checkpoint
	sinceCheckpoint int
}

// checkpoint is a layer that is kept, for going back from the end.
type checkpoint struct {
	at int
	layer
}

// event returns the label of event i, numbered from 1.
func (s *search) event(i int) uint32 { return s.labels[*s.events.At(i - 1)] }

// limit returns the largest cost that nodes of a position may have; false if there is none.
func (s *search) limit(i int) (uint32, bool) {
	ahead := s.bounds.ahead(i)
	return s.bound - ahead, ahead <= s.bound
}

// begin begins a layer that has met no state.
func (s *search) begin() {
	if s.epoch++; s.epoch == 0 {
		clear(s.seen)
		s.epoch = 1
	}
}

// first finds the nodes of position 0.
func (s *search) first() { s.enter(0, layer{{s.m.Initial(), 0}}, nil) }

// enter finds the nodes of a position from the arrivals there: events that were done come first,
// where costs are equal.
func (s *search) enter(i int, done, skipped layer) {
	s.begin()
	s.now = s.now[:0]
	most, some := s.limit(i)
	if !some {
		return
	}
	s.level, s.above = s.level[:0], s.above[:0]
	for cost := leastCost(done, skipped); cost <= most; cost++ {
		level := s.level[:0]
		for len(done) > 0 && done[0].cost == cost {
			level, done = append(level, done[0].state), done[1:]
		}
		for len(skipped) > 0 && skipped[0].cost == cost {
			level, skipped = append(level, skipped[0].state), skipped[1:]
		}
		level = append(level, s.above...)
		s.above = s.above[:0]
		for k := 0; k < len(level); k++ {
			at := level[k]
			if s.seen[at] == s.epoch {
				continue
			}
			s.seen[at], s.place[at] = s.epoch, uint32(len(s.now))
			s.now = append(s.now, node{at, cost})
			for _, to := range s.rows.free(at) {
				if s.seen[to] != s.epoch {
					level = append(level, to)
				}
			}
			if cost < most {
				for _, to := range s.rows.others(at) {
					if s.seen[to] != s.epoch {
						s.above = append(s.above, to)
					}
				}
			}
		}
		s.level = level
		if len(s.above) == 0 {
			if len(done)+len(skipped) == 0 {
				return
			}
			cost = max(cost, leastCost(done, skipped)-1)
		}
	}
}

func leastCost(a, b layer) uint32 {
	switch {
	case len(a) == 0 && len(b) == 0:
		return 0
	case len(a) == 0 || len(b) > 0 && b[0].cost < a[0].cost:
		return b[0].cost
	}
	return a[0].cost
}

// advance goes from position i-1 to position i: each node does event i, or skips it.
func (s *search) advance(i int) {
	s.done, s.skipped = s.done[:0], s.skipped[:0]
	if most, some := s.limit(i); some {
		label := s.event(i)
		for _, at := range s.now {
			if at.cost > most {
				break
			}
			if label != unknown {
				for _, to := range s.rows.by(at.state, label) {
					s.done = append(s.done, node{to, at.cost})
				}
			}
			if at.cost < most {
				s.skipped = append(s.skipped, node{at.state, at.cost + 1})
			}
		}
	}
	s.enter(i, s.done, s.skipped)
}

// forward goes through the log, and keeps some layers. It returns false if no alignment is within
// the bound; then s.now is empty.
func (s *search) forward() (bool, error) {
	s.checkpoints, s.sinceCheckpoint = s.checkpoints[:0], 0
	s.first()
	s.keep(0)
	for i := 1; i <= s.n && len(s.now) > 0; i++ {
		s.advance(i)
		if s.sinceCheckpoint += len(s.now) + 1; s.sinceCheckpoint >= s.spaced {
			if err := s.pause(); err != nil {
				return false, err
			}
			if i > s.metered {
				s.meter.Add(int64(i - s.metered))
				s.metered = i
			}
			s.keep(i)
		}
	}
	return len(s.now) > 0, s.ctx.Err()
}

// pause lets others stop the work, and asks for the memory of a layer.
func (s *search) pause() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return resources.AskFor[node](s.ctx, 2*len(s.now)+s.spaced)
}

func (s *search) keep(i int) {
	s.checkpoints = append(s.checkpoints, checkpoint{i, append(layer(nil), s.now...)})
	s.sinceCheckpoint = 0
}

// escalate finds the least bound within which there is an alignment, or one above it.
func (s *search) escalate() error {
	s.bound = 0
	if found, err := s.forward(); found || err != nil {
		return err
	}
	if err := s.stretch(); err != nil {
		return err
	}
	s.bound = max(1, s.bounds.all())
	if found, err := s.forward(); found || err != nil {
		return err
	}
	if err := s.strengthen(); err != nil {
		return err
	}
	least := max(s.bound+1, s.bounds.all())
	for more := uint32(0); ; more = max(1, 2*more) {
		s.bound = least + more
		if found, err := s.forward(); found || err != nil {
			return err
		}
	}
}
