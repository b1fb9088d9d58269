package counterexample

import (
	"context"
	"encoding/binary"
	"math/big"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts/bitset"
)

// Count returns the exact number of members. It fails if ctx is done.
//
// Ways through a layered graph are added up from one end to the other. That does
// not suffice for cycles where members avoid different steps, since one cycle can
// avoid several and must count once: then the ways to each node are counted
// apart by the set of steps that they have avoided so far, where steps that can
// no longer be avoided to the end are left out.
//
// Cost O(N) additions of numbers with O(Len) bits for a chainFamily of size N, where
// the members whose loop begins at one place avoid one step, and not more than
// 2^k times that where they avoid k different ones. There is little hope for
// better: the steps can be the terms of any formula in disjunctive normal form,
// the cycles the assignments to its variables, and to count those that fulfil it
// is #P-complete. Each, Transitions and Best do not depend on k in this way.
func (f *chainFamily) Count(ctx context.Context) (*big.Int, error) {
	loops := make([][]*big.Int, len(f.cycles))
	for i, c := range f.cycles {
		var err error
		if loops[i], err = c.count(ctx); err != nil {
			return nil, err
		}
	}
	// ends[node] is the number of ways from the node to the end of a member.
	const each = 32 + 24 // bytes of a number and of its digits, of which one is usual
	if err := resources.Ask(ctx, each*int64(len(f.stems.states))); err != nil {
		return nil, err
	}
	ends := make([]big.Int, len(f.stems.states))
	for node := range ends {
		if node&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		number, moves := &ends[node], f.stems.from(uint32(node))
		for _, mv := range moves {
			number.Add(number, &ends[mv.to])
		}
		if begin := f.stems.begins[node]; begin != noCycles {
			for k, m := range f.cycles[begin].steps {
				if m >= f.stems.progress[node] {
					number.Add(number, loops[begin][k])
				}
			}
		} else if len(moves) == 0 {
			number.SetUint64(1)
		}
	}
	return new(big.Int).Set(&ends[f.stems.root()]), nil
}

// tally is the number of ways to a node that have avoided these steps.
type tally struct {
	avoided bitset.Set[int]
	number  big.Int
}

// tallies are those of one node, by the bytes of the steps avoided.
type tallies map[string]*tally

// count returns, for each of the steps, the number of cycles of which it is the
// largest that they avoid. A loop whose stem has progress j violates the property
// iff the largest step that it avoids is not below j.
func (c *cycles) count(ctx context.Context) ([]*big.Int, error) {
	ways := make([]tallies, len(c.states))
	begin := tally{avoided: c.open(0)}
	begin.number.SetUint64(1)
	ways[0] = tallies{"": &begin}
	work := 0
	for node := range len(ways) - 1 {
		for i := c.first[node]; i < c.first[node+1]; i++ {
			to := c.moves[i].to
			if ways[to] == nil {
				ways[to] = make(tallies)
			}
			for _, way := range ways[node] {
				if work++; work&(1<<12-1) == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				ways[to].add(way.avoided.And(c.avoidedBy(i)), &way.number)
			}
		}
		ways[node] = nil
	}
	byLargest := make([]*big.Int, len(c.steps))
	for k := range byLargest {
		byLargest[k] = new(big.Int)
	}
	for _, way := range ways[len(ways)-1] {
		number := byLargest[way.avoided.Largest()]
		number.Add(number, &way.number)
	}
	return byLargest, nil
}

// add adds a number of ways that have avoided these steps, which are none where
// the ways lead to no counterexample.
func (t tallies) add(avoided bitset.Set[int], number *big.Int) {
	if avoided.Empty() {
		return
	}
	key := make([]byte, 0, 64)
	for _, word := range avoided {
		key = binary.LittleEndian.AppendUint64(key, word)
	}
	sum := t[string(key)]
	if sum == nil {
		sum = &tally{avoided: avoided}
		t[string(key)] = sum
	}
	sum.number.Add(&sum.number, number)
}
