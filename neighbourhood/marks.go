package neighbourhood

import (
	"context"
	"sync"

	"github.com/inev-lts/inev/fate"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/resources"
)

const (
	// fewTransitions is a number of transitions up to which another goroutine is not
	// worth its start.
	fewTransitions = 1 << 17
	// mostWorkers bounds the memory for marks, of which each goroutine has its own.
	mostWorkers = 4
)

// Marks that are collected for each state.
const (
	inNeutral = 1 << iota
	inDecided
	outCorrect
	outIncorrect
	outNeutral
)

// classify is [Classify] by so many goroutines, each of which types the transitions that
// leave a range of the states.
func classify(ctx context.Context, f *fate.Map, reading Reading, workers int) (*Classification, error) {
	states := f.LTS().NumStates()
	if err := resources.Ask(ctx, int64(workers)*int64(states)); err != nil {
		return nil, err
	}
	parts := make([]part, workers)
	var others sync.WaitGroup
	for i := range parts {
		p := &parts[i]
		*p = part{f: f, first: lts.State(states * i / workers), end: lts.State(states * (i + 1) / workers)}
		if i == 0 {
			continue
		}
		others.Add(1)
		go func() {
			defer others.Done()
			p.mark(ctx)
		}()
	}
	parts[0].mark(ctx)
	others.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	n := &Classification{f: f, reading: reading}
	for _, p := range parts {
		n.counts.add(p.counts)
	}
	for s := range lts.State(states) {
		mark := uint8(0)
		for i := range parts {
			mark |= parts[i].marks[s]
		}
		if kind, ok := reading.kind(mark); ok {
			n.states = append(n.states, s)
			n.kinds = append(n.kinds, kind)
		}
	}
	return n, nil
}

// part is the work of one goroutine: the states from first to end, end not included.
type part struct {
	f          *fate.Map
	first, end lts.State
	marks      []uint8 // of all states, which any transition may lead to
	counts     Counts
}

// mark notes the classes of the transitions that leave the states of the part at both of
// their ends, and counts them, until ctx is done.
func (p *part) mark(ctx context.Context) {
	m, reach := p.f.LTS(), p.f.LTS().Reachable()
	p.marks = make([]uint8, m.NumStates())
	work := 0
	for s := p.first; s < p.end; s++ {
		if !reach.Has(s) {
			continue
		}
		if work += 1 + p.markRow(m, s); work >= 1<<16 {
			if work = 0; ctx.Err() != nil {
				return
			}
		}
	}
}

// markRow does so for the transitions that leave s, and returns how many there are.
func (p *part) markRow(m *lts.LTS, s lts.State) int {
	labels, targets := m.Out(s)
	for i, t := range targets {
		switch p.f.Class(s, labels.At(i), t) {
		case Correct:
			p.counts.Correct++
			p.marks[s] |= outCorrect
			p.marks[t] |= inDecided
		case Incorrect:
			p.counts.Incorrect++
			p.marks[s] |= outIncorrect
			p.marks[t] |= inDecided
		case Neutral:
			p.counts.Neutral++
			p.marks[s] |= outNeutral
			p.marks[t] |= inNeutral
		case Excluded:
			p.counts.Excluded++
		}
	}
	return len(targets)
}

func (c *Counts) add(d Counts) {
	c.Correct += d.Correct
	c.Incorrect += d.Incorrect
	c.Neutral += d.Neutral
	c.Excluded += d.Excluded
}
