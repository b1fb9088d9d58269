package compare

import (
	"context"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// sketchRounds is how many transitions ahead a sketch looks.
const sketchRounds = 4

// sketches returns a number for each state of the union, another one for most states that can do
// different things soon. Equivalent states have the same number, others may. Cost O(S + T).
func (d *divided) sketches(ctx context.Context) ([]uint64, error) {
	now, err := resources.Make[uint64](ctx, d.m.NumStates())
	if err != nil {
		return nil, err
	}
	next, err := resources.Make[uint64](ctx, d.m.NumStates())
	if err != nil {
		return nil, err
	}
	for range sketchRounds {
		for s := range lts.State(d.m.NumStates()) {
			if s&(1<<14-1) == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			// Each move counts once, as of equivalent states one may have it more often: so the
			// largest and the smallest are taken, and not the sum.
			labels, targets := d.m.Out(s)
			most, least := uint64(0), ^uint64(0)
			for k, t := range targets {
				m := mix(now[t] + uint64(labels.At(k))<<32)
				most, least = max(most, m), min(least, m)
			}
			next[s] = mix(most ^ mix(least))
		}
		now, next = next, now
	}
	return now, nil
}

// mix scatters the bits of a number (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
