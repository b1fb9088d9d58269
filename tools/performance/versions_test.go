package main

import "testing"

// TestShapesOfVersions: models have about as many transitions as they are made for, and versions differ from them in
// one transition or in two.
func TestShapesOfVersions(t *testing.T) {
	const n = 3_000
	shapes := versionShapes()
	if len(shapes) != 12 {
		t.Errorf("%d shapes", len(shapes))
	}
	for _, s := range shapes {
		all := s.arcs(n)
		if len(all) < n/3 || len(all) > n*4/3 {
			t.Errorf("%s: %d transitions", s.name, len(all))
		}
		for i, change := range versionChanges() {
			differ := 0
			for k, x := range change.changed(all) {
				if x != all[k] {
					differ++
				}
				if x.from < 0 || x.to < 0 {
					t.Errorf("%s: %+v", s.name, x)
				}
			}
			if want := i + 1; differ != want {
				t.Errorf("%s, %s: %d transitions differ, want %d", s.name, change.name, differ, want)
			}
		}
	}
}
