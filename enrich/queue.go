package enrich

import (
	"cmp"
	"fmt"

	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/lts"
)

// Queue is the order of states in the passes for common prefixes and suffixes:
// "heap", "buckets", or "" to choose by the size of the model. The results do not
// depend on it.
//
// The heap is the binary one of container/heap, O(log S) an operation; with it the
// passes are Algorithms 1 and 2 of SEFM'18 as they are printed, component by
// component in the order of depth. It is chosen up to 8,192 states and 65,536
// transitions, where gonum finds the components, too. Buckets are a monotone
// priority queue of one bucket a key (R. B. Dial, Algorithm 360: Shortest-path
// forest with topological ordering, CACM 12, 1969), O(1) an operation, for larger
// models.
type Queue string

const (
	byBuckets Queue = "buckets"
	byHeap    Queue = "heap"
)

// automatic is the name of the queue that is chosen by the size of the model.
const automatic = "auto"

// Set sets the queue by its name: auto, buckets or heap.
func (q *Queue) Set(name string) error {
	queue := Queue(name)
	switch queue {
	case automatic:
		*q = ""
		return nil
	case byBuckets, byHeap:
		*q = queue
		return nil
	}
	return fmt.Errorf("there is no queue %q; choose auto, buckets or heap", name)
}

func (q Queue) String() string { return cmp.Or(string(q), automatic) }

// chosenFor returns the queue that is used for a model: q itself or, if q leaves the choice open, the
// one that suits the model's size.
func (q Queue) chosenFor(m *lts.LTS) Queue {
	switch {
	case q != "":
		return q
	case m.NumStates() <= footprint.GonumStates &&
		m.NumTransitions() <= footprint.GonumTransitions:
		return byHeap
	}
	return byBuckets
}
