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
		for _, twoLines := range []bool{false, true} {
			differ := 0
			for i, x := range changedArcs(all, twoLines) {
				if x != all[i] {
					differ++
				}
				if x.from < 0 || x.to < 0 {
					t.Errorf("%s: %+v", s.name, x)
				}
			}
			if want := map[bool]int{false: 1, true: 2}[twoLines]; differ != want {
				t.Errorf("%s: %d transitions differ, want %d", s.name, differ, want)
			}
		}
	}
}
