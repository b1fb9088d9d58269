package compare

import (
	"context"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// sketchRounds is how many transitions ahead a sketch looks.
const sketchRounds = 4

// sketchOf returns a number for a state, another one for most states that can do different things
// soon. Equivalent states have the same number, others may. The numbers of all states are found only
// if many are asked for: cost O(S + T) in all.
func (d *divided) sketchOf(ctx context.Context, side Side, s lts.State) (uint64, error) {
	if d.sketch == nil {
		if number, few := d.look(side, s, sketchRounds); few {
			return number, nil
		}
		if err := d.sketches(ctx); err != nil {
			return 0, err
		}
	}
	if side == Old {
		return d.sketch[0][s], nil
	}
	return d.sketch[1][s], nil
}

// look is the sketch of a state after some rounds; false if too many transitions were looked at so far.
func (d *divided) look(side Side, s lts.State, rounds int) (sketch uint64, few bool) {
	if rounds == 0 {
		return 0, true
	}
	labels, targets := d.version(side).Out(s)
	d.looks += len(targets)
	if d.looks > (d.old.NumTransitions()+d.latest.NumTransitions())/64 {
		return 0, false
	}
	number := d.numbersOf(side)
	next := newSketcher()
	for k, t := range targets {
		target, few := d.look(side, t, rounds-1)
		if !few {
			return 0, false
		}
		next.add(number[labels.At(k)], target)
	}
	return next.sketch(), true
}

// sketcher makes the sketch of a state from what it can do. Each move counts once, as of equivalent states one may have it
// more often: so the largest and the smallest are taken, and not the sum.
type sketcher struct{ most, least uint64 }

func newSketcher() sketcher { return sketcher{0, ^uint64(0)} }

// add adds a label and the sketch of the state that it leads to.
func (m *sketcher) add(l lts.Label, target uint64) {
	x := mix(target + uint64(l)<<32)
	m.most, m.least = max(m.most, x), min(m.least, x)
}

func (m *sketcher) sketch() uint64 { return mix(m.most ^ mix(m.least)) }

// sketches finds the sketches of all states.
func (d *divided) sketches(ctx context.Context) error {
	var both [2][]uint64
	for i, side := range []Side{Old, New} {
		m := d.version(side)
		now, err := resources.Make[uint64](ctx, m.NumStates())
		if err != nil {
			return err
		}
		next, err := resources.Make[uint64](ctx, m.NumStates())
		if err != nil {
			return err
		}
		for range sketchRounds {
			if err := sketchRound(ctx, m, d.numbersOf(side), now, next); err != nil {
				return err
			}
			now, next = next, now
		}
		both[i] = now
	}
	d.sketch = &both
	return nil
}

// sketchRound looks one transition further ahead.
func sketchRound(ctx context.Context, m *lts.LTS, number []lts.Label, now, next []uint64) error {
	for s := range lts.State(m.NumStates()) {
		if s&(1<<14-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		labels, targets := m.Out(s)
		x := newSketcher()
		for k, t := range targets {
			x.add(number[labels.At(k)], now[t])
		}
		next[s] = x.sketch()
	}
	return nil
}

// mix scatters the bits of a number (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
