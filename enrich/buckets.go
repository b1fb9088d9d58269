package enrich

import (
	"math/bits"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/lts"
)

func newBuckets(n, states int) *bucketQueue {
	return &bucketQueue{
		buckets: make([]bucket, n+1),
		lowest:  n + 1,
		states:  states,
		large:   states / inLargeBucket,
	}
}

// bucketQueue is the sorted set Q of SEFM'18, Algorithm 1: it returns states by ascending key. A
// state may be pushed again with a smaller key (the algorithm's UPDATEPOSITION); its older entries
// are then returned later, and the caller skips them. An emptied queue may be used again.
//
// There is one bucket for each key. Keys are small and, once popping has begun, a pushed key
// exceeds the key popped last by 0 or 1. So only two buckets are in use at any time, besides those
// of the keys with which a component starts.
//
// States are returned in rounds: a round has the states that were pushed with the key before the
// round began. These states do not depend on each other, so the processor can read their rows in
// parallel. A large round is returned in ascending order, so that its rows are read one after the
// other.
type bucketQueue struct {
	buckets []bucket
	lowest  int // buckets below this one are empty
	live    int // the number of buckets that are not empty; the round is no bucket

	round bucket
	at    int // the next state of the round in its list, or the next word of its set

	states int                     // the number of states of the model
	large  int                     // a bucket with more states than this is a set
	free   []bitset.Set[lts.State] // empty sets
}

// bucket holds states in a list or, if there are many, in a set, which then is
// not nil.
type bucket struct {
	list pagedlist.List[lts.State]
	set  bitset.Set[lts.State]
}

// inLargeBucket decides which buckets are large: those with more than 1/inLargeBucket of all
// states. For a large bucket, a set takes less memory than a list, and scanning the set takes less
// time than reading the rows of its states.
const inLargeBucket = 256

// push adds a state with a key.
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
	b.list.Append(s)
	if b.list.Len() > q.large {
		q.moveToSet(b)
	}
}

// moveToSet moves the states of a bucket from its list into a set.
func (q *bucketQueue) moveToSet(b *bucket) {
	last := len(q.free) - 1
	if last >= 0 {
		b.set = q.free[last]
		q.free = q.free[:last]
	} else {
		b.set = bitset.New[lts.State](q.states)
	}
	for i := range b.list.Len() {
		b.set.Add(*b.list.At(i))
	}
	b.list.Truncate(0)
}

// pop removes a state with the smallest key, and returns both; false if the queue is empty.
func (q *bucketQueue) pop() (s lts.State, key int, ok bool) {
	for {
		if q.at < q.round.list.Len() {
			q.at++
			return *q.round.list.At(q.at - 1), q.lowest, true
		}
		for ; q.at < len(q.round.set); q.at++ {
			word := q.round.set[q.at]
			if word != 0 {
				q.round.set[q.at] = word & (word - 1)
				return lts.State(q.at*64 + bits.TrailingZeros64(word)), q.lowest, true
			}
		}
		if !q.nextRound() {
			return 0, 0, false
		}
	}
}

// nextRound makes the lowest bucket with states the round; false if no bucket has any.
func (q *bucketQueue) nextRound() bool {
	if q.round.set != nil {
		q.free = append(q.free, q.round.set)
		q.round.set = nil
	}
	q.round.list.Truncate(0)
	if q.live == 0 {
		q.lowest = len(q.buckets)
		return false
	}
	for q.buckets[q.lowest].list.Len() == 0 && q.buckets[q.lowest].set == nil {
		q.lowest++
	}
	q.round, q.buckets[q.lowest] = q.buckets[q.lowest], q.round
	q.at = 0
	q.live--
	return true
}
