package compare

import (
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestModelsWithoutBlocks holds comparisons that look for a run first against the definitions.
func TestModelsWithoutBlocks(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(1_500) {
		old, latest := versions(t, seed)
		for _, o := range []Options{{worth: 1}, {worth: 1, NoStrange: true}} {
			b, err := checkModels(t, old, latest, o)
			if err != nil {
				t.Fatalf("seed %d: %v\nold %d %v\nnew %d %v", seed, err, old.Initial(), arcsOf(old), latest.Initial(), arcsOf(latest))
			}
			if b.Edit == nil && b.Run != nil {
				met["no edit"]++
			}
			if b.Strange >= 0 && b.Run != nil && o.NoStrange {
				t.Fatalf("seed %d: equivalent states were looked for", seed)
			}
			switch {
			case b.Alike:
				met["alike"]++
			case b.Run != nil:
				met["run"]++
			default:
				met["formula"]++
			}
			if b.Edit != nil {
				met["edit"]++
			}
		}
	}
	for _, kind := range []string{"alike", "run", "formula", "edit"} {
		if met[kind] < int(randomlts.Share(1_500))/60 {
			t.Errorf("met %v", met)
		}
	}
}

// TestEditsWithoutBlocks: edits are as short as with blocks, for nearly all versions.
func TestEditsWithoutBlocks(t *testing.T) {
	size := func(b *Behaviour) int {
		if b.Edit == nil {
			return mostChanges
		}
		return b.Edit.size()
	}
	longer, all := 0, 0
	for seed := range randomlts.Share(4_000) {
		old, latest := versions(t, seed)
		with, err := Models(t.Context(), old, latest, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if with.Run == nil {
			continue
		}
		without, err := Models(t.Context(), old, latest, Options{worth: 1, NoStrange: true})
		if err != nil {
			t.Fatal(err)
		}
		if all++; size(without) > size(with) {
			longer++
		}
	}
	if longer > all/20 {
		t.Errorf("%d of %d edits are longer", longer, all)
	}
	t.Logf("%d of %d edits are longer", longer, all)
}
