package enrich

import (
	"container/heap"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/lts"
)

// TestQueuesHandOutTheSame: whatever is pushed while states are popped, both queues hand out
// the same states with the same keys, keys ascending, whether buckets are lists or sets.
func TestQueuesHandOutTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 3
		states := rapid.SampledFrom([]int{40, 600, 2_000}).Draw(t, "states")
		state := rapid.Custom(func(t *rapid.T) lts.State { return lts.State(rapid.IntRange(0, states-1).Draw(t, "state")) })
		queues := map[Queue]queue{byBuckets: newBuckets(n, states), byHeap: &binaryHeap{}}
		for range 3 { // a queue that is empty is used again
			first := rapid.SliceOfN(state, 0, 30).Draw(t, "first")
			later := rapid.MapOfN(state, rapid.SliceOfN(state, 1, 6), 0, 20).Draw(t, "later")
			handed := map[Queue]map[entry]int{}
			for which, q := range queues {
				handed[which] = drained(t, q, n, first, later)
			}
			for e, times := range handed[byHeap] {
				if handed[byBuckets][e] != times {
					t.Fatalf("%v: %d times by buckets, %d by the heap", e, handed[byBuckets][e], times)
				}
			}
			if len(handed[byBuckets]) != len(handed[byHeap]) {
				t.Fatalf("%d different ones by buckets, %d by the heap", len(handed[byBuckets]), len(handed[byHeap]))
			}
		}
	})
}

// drained pushes first and, when a state is popped for the first time with its key, later
// of it, and returns how often each entry was handed out. No state is pushed twice with
// one key.
func drained(t *rapid.T, q queue, n int, first []lts.State, later map[lts.State][]lts.State) map[entry]int {
	pushed, handed := map[entry]bool{}, map[entry]int{}
	push := func(s lts.State, key int) {
		if e := (entry{s, key}); !pushed[e] {
			pushed[e] = true
			q.push(s, key)
		}
	}
	for _, s := range first {
		push(s, int(s)%(n+1))
	}
	for last := 0; ; {
		s, key, ok := q.pop()
		if !ok {
			break
		}
		if key < last {
			t.Fatalf("key %d after %d", key, last)
		}
		last = key
		handed[entry{s, key}]++
		for i, next := range later[s] {
			push(next, min(n, key+i%2))
		}
	}
	for e := range pushed {
		if handed[e] != 1 {
			t.Fatalf("%v was handed out %d times", e, handed[e])
		}
	}
	return handed
}

// queue is what both hand out states by.
type queue interface {
	push(s lts.State, key int)
	pop() (s lts.State, key int, ok bool)
}

type entry struct {
	state lts.State
	key   int
}

// binaryHeap is the reference queue, by container/heap.
type binaryHeap struct{ entries entries }

func (q *binaryHeap) push(s lts.State, key int) { heap.Push(&q.entries, entry{s, key}) }

func (q *binaryHeap) pop() (lts.State, int, bool) {
	if len(q.entries) == 0 {
		return 0, 0, false
	}
	e := heap.Pop(&q.entries).(entry)
	return e.state, e.key, true
}

type entries []entry

func (e entries) Len() int           { return len(e) }
func (e entries) Less(i, j int) bool { return e[i].key < e[j].key }
func (e entries) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *entries) Push(x any)        { *e = append(*e, x.(entry)) }
func (e *entries) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}
