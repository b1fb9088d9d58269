package enrich

import (
	"container/heap"
	"fmt"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/lts"
)

// queue is the sorted set Q of SEFM'18, Algorithm 1: it hands out states by
// ascending key. A state may be pushed again with a smaller key (the
// algorithm's UPDATEPOSITION); its older entries are then handed out too, later,
// and the caller passes over them. A queue that has been popped until it is
// empty may be used again.
type queue interface {
	push(s lts.State, key int)
	pop() (s lts.State, key int, ok bool)
}

// Queue is a way of ordering states in the passes for common prefixes and
// suffixes. All give the same result.
type Queue int

// The queues. Buckets, the default, costs O(1) an operation; Heap is the binary
// heap of container/heap, O(log S) an operation, as in SEFM'18.
const (
	Buckets Queue = iota
	Heap
)

// ParseQueue returns the queue with this name: buckets or heap.
func ParseQueue(name string) (Queue, error) {
	switch name {
	case "buckets":
		return Buckets, nil
	case "heap":
		return Heap, nil
	}
	return 0, fmt.Errorf("there is no queue %q; choose buckets or heap", name)
}

func (q Queue) String() string {
	if q == Heap {
		return "heap"
	}
	return "buckets"
}

func (q Queue) make(n int) queue {
	if q == Heap {
		return &binaryHeap{}
	}
	return &bucketQueue{buckets: make([]paged.List[lts.State], n+1), lowest: n + 1}
}

// bucketQueue keeps one list of states a key. Keys are small and, once popping
// has begun, a pushed key exceeds the one popped last by 0 or 1: so beyond the
// keys with which a component starts, only two of the lists are ever live.
type bucketQueue struct {
	buckets []paged.List[lts.State]
	lowest  int // no bucket below it holds a state
	size    int
}

func (q *bucketQueue) push(s lts.State, key int) {
	q.buckets[key].Append(s)
	q.lowest = min(q.lowest, key)
	q.size++
}

func (q *bucketQueue) pop() (lts.State, int, bool) {
	if q.size == 0 {
		q.lowest = len(q.buckets)
		return 0, 0, false
	}
	for q.buckets[q.lowest].Len() == 0 {
		q.lowest++
	}
	bucket := &q.buckets[q.lowest]
	last := bucket.Len() - 1
	s := *bucket.At(last)
	bucket.Truncate(last)
	q.size--
	return s, q.lowest, true
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
