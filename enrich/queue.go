package enrich

import (
	"fmt"
	"math/bits"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// Queue is the order of states in the passes for common prefixes and suffixes:
// "heap", or "" for buckets. Both give the same result.
//
// Buckets are a monotone priority queue of one bucket a key (R. B. Dial,
// Algorithm 360: Shortest-path forest with topological ordering, CACM 12, 1969),
// O(1) an operation. The heap is the binary one of container/heap, O(log S) an
// operation; with it the passes are Algorithms 1 and 2 of SEFM'18 as they are
// printed, component by component: the reference for the default.
type Queue string

const (
	byBuckets Queue = ""
	byHeap    Queue = "heap"
)

// Set sets the queue by its name: buckets or heap.
func (q *Queue) Set(name string) error {
	for _, known := range []Queue{byBuckets, byHeap} {
		if name == known.String() {
			*q = known
			return nil
		}
	}
	return fmt.Errorf("there is no queue %q; choose buckets or heap", name)
}

func (q Queue) String() string {
	if q == byHeap {
		return "heap"
	}
	return "buckets"
}

func newBuckets(n, states int) *bucketQueue {
	return &bucketQueue{buckets: make([]bucket, n+1), lowest: n + 1, states: states, large: states / inLargeBucket}
}

// bucketQueue is the sorted set Q of SEFM'18, Algorithm 1: it returns states by
// ascending key. A state may be pushed again with a smaller key (the algorithm's
// UPDATEPOSITION); its older entries are then returned later, and the caller
// skips them. An emptied queue may be used again.
//
// There is one bucket a key. Keys are small and, once popping has begun, a pushed
// key exceeds the key popped last by 0 or 1: so beside the keys with which a
// component starts, only two buckets are in use at any time.
//
// States are returned in rounds: a round has the states that were pushed with the
// key before the round began. The rows of a round can be read independently of
// each other, which is not so in a chain of states found one from the other; and
// a large round is returned in ascending order, so that its rows are read one
// after the other.
type bucketQueue struct {
	buckets []bucket
	lowest  int // no bucket below lowest holds a state, the round left aside
	live    int // the number of buckets that hold states, the round left aside

	round bucket
	at    int // the next state of the round in its list, or the next word of its set

	states, large int
	free          []bitset.Set[lts.State] // empty sets
}

// bucket holds states in a list or, if there are many, in a set, which then is
// not nil.
type bucket struct {
	list paged.List[lts.State]
	set  bitset.Set[lts.State]
}

// inLargeBucket: a bucket has many states if it has more than 1/inLargeBucket
// of all states. Then a set takes less memory than a list, and less time than
// the rows.
const inLargeBucket = 256

func (q *bucketQueue) push(s lts.State, key int) {
	b := &q.buckets[key]
	if b.set != nil {
		b.set.Add(s)
		return
	}
	if b.list.Len() == 0 {
		q.lowest = min(q.lowest, key)
		q.live++
	}
	if b.list.Append(s); b.list.Len() > q.large {
		q.spread(b)
	}
}

// spread moves the states of a bucket into a set.
func (q *bucketQueue) spread(b *bucket) {
	if last := len(q.free) - 1; last >= 0 {
		b.set, q.free = q.free[last], q.free[:last]
	} else {
		b.set = bitset.New[lts.State](q.states)
	}
	for i := range b.list.Len() {
		b.set.Add(*b.list.At(i))
	}
	b.list.Truncate(0)
}

func (q *bucketQueue) pop() (lts.State, int, bool) {
	for {
		if q.at < q.round.list.Len() {
			q.at++
			return *q.round.list.At(q.at - 1), q.lowest, true
		}
		for ; q.at < len(q.round.set); q.at++ {
			if word := q.round.set[q.at]; word != 0 {
				q.round.set[q.at] = word & (word - 1)
				return lts.State(q.at*64 + bits.TrailingZeros64(word)), q.lowest, true
			}
		}
		if q.round.set != nil {
			q.free = append(q.free, q.round.set)
			q.round.set = nil
		}
		q.round.list.Truncate(0)
		if q.live == 0 {
			q.lowest = len(q.buckets)
			return 0, 0, false
		}
		for q.buckets[q.lowest].list.Len() == 0 && q.buckets[q.lowest].set == nil {
			q.lowest++
		}
		q.round, q.buckets[q.lowest] = q.buckets[q.lowest], q.round
		q.at = 0
		q.live--
	}
}
