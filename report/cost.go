package report

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

// Cost writes the cost of a run, a line "name: value" for each figure: the time of each phase and
// in total, then memory and rates; c may be nil. Unknown figures are left out.
func Cost(w io.Writer, phases []explain.Phase, c *explain.Cost) error {
	b := bufio.NewWriter(w)
	var all time.Duration
	for _, p := range explain.Phases(phases).Totals() {
		fmt.Fprintf(b, "time of %s: %.3f ms\n", printable.Text(p.Name), p.Milliseconds())
		all += p.Took
	}
	if len(phases) > 0 {
		fmt.Fprintf(b, "time of all phases: %.3f ms\n", explain.Phase{Took: all}.Milliseconds())
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

// cost adds the cost of a run: the time of each phase, in milliseconds, and the other figures that
// were measured.
func (d *document) cost(phases explain.Phases, c *explain.Cost) {
	d.field("timings_ms", phases)
	if c != nil {
		d.field("stats", c)
	}
}
