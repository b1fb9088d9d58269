package render_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
)

func TestCost(t *testing.T) {
	phases := []explain.Phase{{Name: "read", Took: 1500 * time.Microsecond}, {Name: "search", Took: time.Second}, {Name: "read", Took: time.Microsecond}}
	c := &explain.Cost{PeakMemory: 12_000_000, PeakHeap: 8_000_000, BytesPerTransition: 10.26, ReadPerSecond: 2e7, Queue: "heap"}
	var b strings.Builder
	if err := render.Cost(&b, phases, c); err != nil {
		t.Fatal(err)
	}
	want := `time of read: 1.501 ms
time of search: 1000.000 ms
time of all phases: 1001.501 ms
peak memory: 12000000 bytes
peak heap: 8000000 bytes
peak memory per transition: 10.3 bytes
transitions read per second: 20000000
queue: heap
`
	if b.String() != want {
		t.Errorf("written\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := render.Cost(&b, nil, &explain.Cost{PeakMemory: 1, PeakHeap: 2}); err != nil || b.String() != "peak memory: 1 bytes\npeak heap: 2 bytes\n" {
		t.Errorf("written %q (error %v)", b.String(), err)
	}
}

// TestCostInJSON: it satisfies the schema, with and without what may be missing,
// and is the only difference that it makes.
func TestCostInJSON(t *testing.T) {
	s := compiledSchema(t)
	for _, m := range models() {
		t.Run(m.name, func(t *testing.T) {
			e := m.explained(t)
			e.Stats = nil
			plain := asJSON(t, s, e)
			e.Cost = &explain.Cost{PeakMemory: 3, PeakHeap: 2}
			few := asJSON(t, s, e)
			if added := "  \"stats\": {\n    \"peak_memory_bytes\": 3,\n    \"peak_heap_bytes\": 2\n  }\n}\n"; !bytes.HasSuffix(few, []byte(added)) ||
				!bytes.Equal(append(bytes.TrimSuffix(few, []byte(",\n"+added)), "\n}\n"...), plain) {
				t.Errorf("with the cost\n%s", few)
			}
			e.Cost = &explain.Cost{PeakMemory: 3, PeakHeap: 2, BytesPerTransition: 1.3, ReadPerSecond: 2.5e7, Search: &counterexample.Stats{Stored: 4, Matched: 5, Found: 1, Length: 3}}
			all := asJSON(t, s, e)
			for _, part := range []string{`"bytes_per_transition": 1.3,`, `"transitions_read_per_second": 25000000,`, `"states_stored": 4,`, `"length_in_states": 3`} {
				if !bytes.Contains(all, []byte(part)) {
					t.Errorf("no %s in\n%s", part, all)
				}
			}
		})
	}
}
