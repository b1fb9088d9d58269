package neighbourhood

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// mostWorkers limits the memory for marks, because each goroutine has some of its
// own.
const mostWorkers = 4

// The marks of a state say what enters it (in) and what leaves it (out).
const (
	inNeutral = 1 << iota
	inDecided
	outCorrect
	outIncorrect
	outNeutral
)

// classify is [Classify] with a number of goroutines, each of which classifies
// the transitions that leave a range of the states.
func classify(ctx context.Context, f *fate.Map, reading Reading, workers int) *Classification {
	states := f.LTS().NumStates()
	sets := workers
	if reading == Some {
		sets *= 2
	}
	abort.On(resources.Ask(ctx, int64(states)+int64(sets)*int64(states)/8))
	abort.On(f.LTS().FindReachable(ctx))
	leaving := make([]uint8, states)
	parts := make([]part, workers)
	cores.InRanges(workers, states, func(worker int, first, end lts.State) {
		p := &parts[worker]
		*p = part{f: f, first: first, end: end, leaving: leaving, decided: bitset.New[lts.State](states)}
		// Only the reading Some needs the set of the states with neutral
		// incoming transitions.
		if reading == Some {
			p.neutral = bitset.New[lts.State](states)
		}
		p.mark(ctx)
	})
	n := &Classification{f: f, reading: reading}
	decided, neutral := parts[0].decided, parts[0].neutral
	for i, p := range parts {
		if n.counts.add(p.counts); i > 0 {
			decided.AddAll(p.decided)
			neutral.AddAll(p.neutral)
		}
	}
	for s, mark := range leaving {
		s := lts.State(s)
		if decided.Has(s) {
			mark |= inDecided
		}
		if neutral != nil && neutral.Has(s) {
			mark |= inNeutral
		}
		if kind, ok := reading.kind(mark); ok {
			n.states = append(n.states, s)
			n.kinds = append(n.kinds, kind)
		}
	}
	return n
}

// part is the work of one goroutine: the states in [first, end).
type part struct {
	f          *fate.Map
	first, end lts.State
	counts     Counts
	// leaving has the marks of all states for the transitions that leave them; each is written by
	// one part only. decided and neutral are sets of this part, which may have any state of the
	// model: they are small enough to stay in the cache.
	leaving          []uint8
	decided, neutral bitset.Set[lts.State]
}

// mark marks both ends of the transitions that leave the states of the part with
// their classes, and counts the classes.
func (p *part) mark(ctx context.Context) {
	m, reach := p.f.LTS(), p.f.LTS().Reachable()
	work := 0
	for s := p.first; s < p.end; s++ {
		// A state that was added in front of several initial ones is no
		// neighbourhood, and its transitions are not classified.
		if !reach.Has(s) || m.IsBefore(s) {
			continue
		}
		if work += 1 + p.markRow(m, s); work >= 1<<16 {
			work = 0
			abort.On(ctx.Err())
		}
	}
}

// markRow marks and counts the transitions that leave s, and returns their
// number.
func (p *part) markRow(m *lts.LTS, s lts.State) int {
	labels, targets := m.Out(s)
	marks := uint8(0)
	for i, t := range targets {
		switch p.f.Class(s, labels.At(i), t) {
		case Correct:
			p.counts.Correct++
			marks |= outCorrect
			p.decided.Add(t)
		case Incorrect:
			p.counts.Incorrect++
			marks |= outIncorrect
			p.decided.Add(t)
		case Neutral:
			p.counts.Neutral++
			marks |= outNeutral
			if p.neutral != nil {
				p.neutral.Add(t)
			}
		case Excluded:
			p.counts.Excluded++
		}
	}
	p.leaving[s] = marks
	return len(targets)
}

func (c *Counts) add(d Counts) {
	c.Correct += d.Correct
	c.Incorrect += d.Incorrect
	c.Neutral += d.Neutral
	c.Excluded += d.Excluded
}
