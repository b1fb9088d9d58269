package render_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestQueuesGiveTheSameBytes: the order of states in the passes for common prefixes and suffixes shows
// in no byte of an explanation, without and with fairness.
func TestQueuesGiveTheSameBytes(t *testing.T) {
	explained := func(c randomlts.Case, o explain.Options, queue enrich.Queue) []byte {
		o.Queue = queue
		o.NoFairness = true
		o.NoAdvice = true
		e, err := explain.Explain(context.Background(), c.Model, parseAny(t, c.Formula), o)
		if err != nil {
			return []byte(err.Error())
		}
		if e.Cost.Queue != queue {
			t.Fatalf("asked for %s, and reported %s", queue, e.Cost.Queue)
		}
		e.Timings = nil
		e.Cost = nil
		var b bytes.Buffer
		if err := newWriter(t, "json", render.Options{}).Explanation(&b, e); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for seed := range randomlts.Share(10_000) {
		size := randomlts.Small()
		if seed%4 == 0 {
			size = randomlts.Medium()
		}
		c := randomlts.Seeded(seed, size)
		o := explain.Options{Source: explain.Source{File: "m.aut", Measure: true}}
		heap, buckets := explained(c, o, "heap"), explained(c, o, "buckets")
		if !bytes.Equal(heap, buckets) {
			t.Fatalf("seed %d, %s: by heap\n%s\nby buckets\n%s", seed, c.Formula, heap, buckets)
		}
	}
}
