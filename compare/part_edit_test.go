package compare

import (
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestPartByEdit: a run to a changed state parts the versions if it is said to, and none is shorter;
// a run of the new version goes before one of the old version.
func TestPartByEdit(t *testing.T) {
	met := map[Side]int{}
	open := 0
	seeds := []uint64{50_037} // a label that another run to the changed state parts as soon, of the other version
	for seed := range randomlts.Share(4_000) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		old, latest := versions(t, seed)
		d, err := newDisjointUnion(t.Context(), old, latest, Options{})
		if err != nil {
			t.Fatal(err)
		}
		d.countLabels()
		edit, a, err := editOf(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if edit == nil || a == nil || edit.size() == 0 {
			continue
		}
		run, err := a.distinguishingRun(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if run == nil {
			open++
			continue
		}
		met[run.Only]++
		b := &Behaviour{Run: run}
		if err := checkRun(b, words(old, depth, d.hides), words(latest, depth, d.hides)); err != nil {
			t.Fatalf("seed %d: %v\nold %d %v\nnew %d %v", seed, err, old.Initial(), arcsOf(old), latest.Initial(), arcsOf(latest))
		}
	}
	if n := int(randomlts.Share(4_000)) / 40; met[New] < n || met[Old] < n || open < n {
		t.Errorf("met %v, %d open", met, open)
	}
}
