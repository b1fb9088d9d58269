package simplify_test

import (
	"testing"

	"github.com/inev-lts/inev/simplify"
)

func TestPointOfNoReturn(t *testing.T) {
	free, fated := simplify.Free, simplify.Fated
	for _, c := range []struct {
		fates []simplify.Fate
		at    int
		has   bool
	}{
		{[]simplify.Fate{free, free, fated, fated}, 1, true},
		{[]simplify.Fate{free, free}, 0, false},
		{[]simplify.Fate{fated, fated}, 0, false},
		{[]simplify.Fate{free}, 0, false},
	} {
		if at, has := simplify.PointOfNoReturn(c.fates); at != c.at || has != c.has {
			t.Errorf("%v: %d, %v", c.fates, at, has)
		}
	}
}
