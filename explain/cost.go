package explain

import (
	"math"
	"time"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/resources"
)

// Cost is what a run took of the machine. Unlike all other results it differs
// from run to run.
type Cost struct {
	// PeakMemory and PeakHeap are the peaks of the process, in bytes: see
	// [resources.Usage].
	PeakMemory int64 `json:"peak_memory_bytes"`
	PeakHeap   int64 `json:"peak_heap_bytes"`
	// BytesPerTransition is PeakMemory divided by the transitions of the model, to a
	// tenth; 0 if it has none.
	BytesPerTransition float64 `json:"bytes_per_transition,omitzero"`
	// ReadPerSecond is the number of transitions read in a second, 0 if the time
	// for that is not among the phases.
	ReadPerSecond float64 `json:"transitions_read_per_second,omitzero"`
	// Search is what the search for the counterexample counted, nil if there was
	// none.
	Search *counterexample.Stats `json:"search,omitempty"`
}

// cost returns the cost until now if the options ask for it.
func (o Source) cost(transitions int, phases []Phase, search *counterexample.Stats) *Cost {
	if !o.Measure {
		return nil
	}
	c := Measure(transitions, phases)
	c.Search = search
	return c
}

// Measure returns the cost until now of a process that has worked on one model
// with this many transitions. Cost as for [resources.Used].
func Measure(transitions int, phases []Phase) *Cost {
	used := resources.Used()
	c := &Cost{PeakMemory: used.Peak, PeakHeap: used.PeakHeap}
	if transitions > 0 {
		c.BytesPerTransition = math.Round(10*float64(used.Peak)/float64(transitions)) / 10
	}
	var reading time.Duration
	for _, p := range phases {
		if p.Name == "read" {
			reading += p.Took
		}
	}
	if reading > 0 {
		c.ReadPerSecond = math.Round(float64(transitions) / reading.Seconds())
	}
	return c
}
