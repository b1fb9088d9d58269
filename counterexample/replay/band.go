package replay

import (
	"errors"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
)

// band has the widths of the layers.
type band struct {
	// levels has a level for each position: 0 keeps only the best states, k keeps the states with
	// up to 2^(k-1) more deviations; nil if all levels are 0. base is the least level of positions
	// that were not visited yet.
	levels []uint8
	base   uint8
	whole  bool // whether all layers have all states
	// fresh is the number of nodes of positions visited for the first time, again the number of
	// nodes of positions visited again with a wider band; furthest is the last position visited.
	fresh, again, furthest int
}

// widest is the level where a band costs as much as whole layers, which then are computed instead.
const widest = 5

// errWide reports that computing whole layers costs less.
var errWide = errors.New("the band is too wide")

// width returns how many more deviations than the best node the nodes of a position may have.
func (b *band) width(i int) uint32 {
	switch {
	case b.whole:
		return unlimited
	case b.levels == nil || b.levels[i] == 0:
		return 0
	}
	return min(unlimited, uint32(1)<<min(31, b.levels[i]-1))
}

// span returns how many layers before a guess become wider: so many that wrong guesses need more
// deviations at the end. It grows with the width, so the last attempt costs most.
func span(level uint8) int { return 8 << min(40, int(level)) }

// count adds the nodes of a position to the counts.
func (s *search) count(i int) {
	if i > s.furthest {
		s.furthest = i
		s.fresh += len(s.now.nodes)
	} else {
		s.again += len(s.now.nodes)
	}
}

// widen makes the layers before position i wider and, if behind is set, also the layers after it.
// It returns the position after which layers must be computed again. It fails with errWide if
// layers became wider so often that whole layers would cost less.
func (s *search) widen(i int, behind bool) (from int) {
	if s.levels == nil {
		s.levels = abort.Must(resources.Make[uint8](s.ctx, s.n+1))
	}
	raise := func(first, last int, level uint8) {
		for k := max(first, 0); k <= min(last, s.n); k++ {
			s.levels[k] = max(s.levels[k], level)
		}
	}
	before := s.levels[i]
	if s.again > s.fresh+s.patience {
		if s.again, s.base = 0, s.base+1; s.base == widest {
			abort.On(errWide)
		}
		if behind {
			raise(i, s.n, s.base)
		} else {
			raise(0, i, s.base)
		}
	}
	level, last := max(s.levels[i], before+1), i
	if behind {
		last += span(level)
	}
	raise(i-span(level), last, level)
	return max(0, i-span(level))
}

// kept are the layers that are kept for going back.
type kept struct {
	checkpoints []checkpoint
	// Numbers of nodes: nodes counts the nodes of all checkpoints, since the nodes visited after
	// the last checkpoint, spaced the nodes between two checkpoints.
	nodes, since, spaced int
	// recent has some of the last layers, by position.
	recent [mostRecent]checkpoint
}

// Every eachRecent-th layer is kept among the recent ones, of which there are mostRecent.
const (
	eachRecent = 16
	mostRecent = 64
)

// checkpoint is the layer of a position.
type checkpoint struct {
	at int
	layer
}

// forward computes the layers of all positions.
func (s *search) forward() {
	s.first()
	s.keep(0)
	for i := 1; i <= s.n; i++ {
		s.advance(i)
		s.count(i)
		if s.guesses(i) {
			i = s.goBack(s.widen(i, true))
			continue
		}
		s.remember(i)
	}
	abort.On(s.ctx.Err())
}

// guesses reports whether the best node of layer i is a guess or, in the last layer, another node
// with as few deviations.
func (s *search) guesses(i int) bool {
	nodes := s.now.nodes
	best := nodes[0].key
	if i < s.n || best&1 != 0 {
		return best&1 != 0
	}
	behind := slices.IndexFunc(nodes, func(at node) bool { return at.key > best })
	return behind >= 0 && nodes[behind].key == best+1
}

// remember keeps the current layer if it is due. It reports whether the layer becomes a checkpoint.
func (s *search) remember(i int) (is bool) {
	if i%eachRecent == 0 {
		slot := &s.recent[i/eachRecent%mostRecent]
		slot.at = i
		slot.set(s.now)
	}
	if s.since += len(s.now.nodes) + 1; s.since < s.spaced {
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

// pause checks the context, and asks for the memory of a layer.
func (s *search) pause() {
	abort.On(s.ctx.Err())
	abort.On(resources.AskFor[node](s.ctx, 2*len(s.now.nodes)+s.spaced))
}

// keep makes the current layer a checkpoint. It drops every second checkpoint when they take more
// memory than the layers between them.
func (s *search) keep(i int) {
	s.checkpoints = append(s.checkpoints, checkpoint{at: i})
	s.checkpoints[len(s.checkpoints)-1].set(s.now)
	s.nodes, s.since = s.nodes+len(s.now.nodes), 0
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

// goBack returns to the last kept layer up to a position, and drops the layers after it.
func (s *search) goBack(i int) (at int) {
	slot := &s.recent[i/eachRecent%mostRecent]
	near := i/eachRecent*eachRecent > 0 && slot.at == i/eachRecent*eachRecent
	for last := len(s.checkpoints) - 1; s.checkpoints[last].at > i; last-- {
		s.nodes -= len(s.checkpoints[last].nodes)
		s.checkpoints, s.since = s.checkpoints[:last], 0
	}
	switch c := s.checkpoints[len(s.checkpoints)-1]; {
	case near && slot.at > c.at:
		s.now.set(slot.layer)
		return slot.at
	case c.at > 0:
		s.since = 0
		s.now.set(c.layer)
		return c.at
	}
	s.since = 0
	s.first()
	return 0
}
