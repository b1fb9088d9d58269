package counterexample

import (
	"unsafe"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// stats returns what the search has cost so far, as [Result] says.
func (s *shortest) stats() Stats {
	stored := int64(max(s.nodes.Len(), s.reached))
	stats := Stats{Stored: stored, Matched: stored + s.bounded.visits, Found: s.found}
	if s.best != infinite {
		stats.Length = s.best + 1
	}
	return stats
}

// steps returns the best counterexample found, and the index at which its loop
// begins. It asks for the memory that they and their [Trace] take.
func (s *shortest) steps() (steps []lts.Transition, loop int, found bool, err error) {
	if s.best == infinite {
		return nil, noLoop, false, nil
	}
	const inTrace = 8
	if err := resources.Ask(s.ctx, int64(s.best)*(int64(unsafe.Sizeof(lts.Transition{}))+inTrace)); err != nil {
		return nil, noLoop, false, err
	}
	steps = make([]lts.Transition, s.best)
	stem := s.best - len(s.cycle)
	for i, at := stem, s.nodes.At(s.end); i > 0; i-- {
		before := s.nodes.At(int(at.parent))
		steps[i-1] = s.step(before, at)
		at = before
	}
	copy(steps[stem:], s.cycle)
	if s.cycle == nil {
		return steps, noLoop, true, nil
	}
	return steps, stem, true, nil
}
