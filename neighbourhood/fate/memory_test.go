package fate_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// TestMemoryOfProducts: the fates of a property with ten states keep three words of two bytes for
// each state of the model; with the product at most 60 bytes for
// each place that is reached, where five transitions leave it, which take 40.
func TestMemoryOfProducts(t *testing.T) {
	const states, labels = 100_000, 12
	r := rand.New(rand.NewPCG(1, 1))
	var b lts.Builder
	for l := range labels {
		b.Label(string(rune('a' + l)))
	}
	for i := range 5 * states {
		b.Add(lts.State(i/5), lts.Label(r.IntN(labels)), lts.State(r.IntN(states)))
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), "Response(a; b, c, d, e, f, g, h, i, j)")
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := f.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	m.Reachable()
	before := heap()
	fates, err := fate.Compute(context.Background(), c, p, enrich.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if each := float64(heap()-before) / states; each > 7 {
		t.Errorf("%.1f bytes a state are kept", each)
	}
	u, err := fates.Unfold(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	after := heap()
	places := u.LTS().NumStates()
	if places < 5*states || p.States() != 10 {
		t.Fatalf("%d places of %d states and %d of the property", places, states, p.States())
	}
	if each := float64(after-before) / float64(places); each > 60 {
		t.Errorf("%.1f bytes a place are kept", each)
	}
	runtime.KeepAlive(m)
}

// heap returns the bytes of what is reachable.
func heap() int64 {
	var s runtime.MemStats
	// Pools are emptied by the second collection only.
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
