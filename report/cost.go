package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/explain"
)

// Cost writes what a run cost, a line "name: value" for each figure: the time of
// each phase and of all, then the memory and the rates; c may be nil. What is not
// known is left out.
func Cost(w io.Writer, phases []explain.Phase, c *explain.Cost) error {
	b := bufio.NewWriter(w)
	var all time.Duration
	for _, p := range added(phases) {
		fmt.Fprintf(b, "time of %s: %.3f ms\n", Printable(p.Name), milliseconds(p.Took))
		all += p.Took
	}
	if len(phases) > 0 {
		fmt.Fprintf(b, "time of all phases: %.3f ms\n", milliseconds(all))
	}
	if c != nil {
		fmt.Fprintf(b, "peak memory: %d bytes\n", c.PeakMemory)
		fmt.Fprintf(b, "peak heap: %d bytes\n", c.PeakHeap)
		if c.BytesPerTransition > 0 {
			fmt.Fprintf(b, "peak memory per transition: %.1f bytes\n", c.BytesPerTransition)
		}
		if c.ReadPerSecond > 0 {
			fmt.Fprintf(b, "transitions read per second: %.0f\n", c.ReadPerSecond)
		}
	}
	return b.Flush()
}

// added returns phases with those of one name added up, in the order in which
// the names come first.
func added(phases []explain.Phase) []explain.Phase {
	var sums []explain.Phase
	at := map[string]int{}
	for _, p := range phases {
		i, known := at[p.Name]
		if !known {
			i = len(sums)
			at[p.Name] = i
			sums = append(sums, explain.Phase{Name: p.Name})
		}
		sums[i].Took += p.Took
	}
	return sums
}

// milliseconds returns a time in milliseconds, down to the microsecond.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond).Microseconds()) / 1000
}

func tenths(f float64) float64 { return math.Round(10*f) / 10 }

type costJSON struct {
	PeakMemory         int64       `json:"peak_memory_bytes"`
	PeakHeap           int64       `json:"peak_heap_bytes"`
	BytesPerTransition *float64    `json:"bytes_per_transition,omitempty"`
	ReadPerSecond      *float64    `json:"transitions_read_per_second,omitempty"`
	Search             *searchJSON `json:"search,omitempty"`
}

type searchJSON struct {
	Stored  int64 `json:"states_stored"`
	Matched int64 `json:"states_matched"`
	Found   int   `json:"counterexamples_found"`
	Length  int   `json:"length_in_states"`
}

// cost adds what a run cost, where that was measured; search may be nil.
func (d *document) cost(c *explain.Cost, search *buchi.Stats) {
	if c == nil {
		return
	}
	object := costJSON{PeakMemory: c.PeakMemory, PeakHeap: c.PeakHeap}
	if c.BytesPerTransition > 0 {
		bytes := tenths(c.BytesPerTransition)
		object.BytesPerTransition = &bytes
	}
	if c.ReadPerSecond > 0 {
		rate := math.Round(c.ReadPerSecond)
		object.ReadPerSecond = &rate
	}
	if search != nil {
		object.Search = &searchJSON{search.Stored, search.Matched, search.Found, search.Length}
	}
	d.field("stats", object)
}
