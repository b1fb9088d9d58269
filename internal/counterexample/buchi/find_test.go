package buchi

import (
	"context"
	"reflect"
	"testing"
)

// TestFind: each algorithm is the one of its name, and takes the bound.
func TestFind(t *testing.T) {
	// The loop of three states comes first, that of one state is shorter.
	g := graph(t, 0, []State{0, 3}, []State{1, 3}, []State{2}, []State{0}, []State{3})
	long, short := Lasso{[]State{0, 1, 2}, 0}, Lasso{[]State{0, 3}, 1}
	for _, c := range []struct {
		name  string
		bound int
		want  []Lasso
	}{
		{"colour", 0, []Lasso{long}},
		{"contrex", 0, []Lasso{long, short}},
		{"contrex", 4, []Lasso{short}},
		{"contrex", 3, nil},
		{"priority", 0, []Lasso{short}},
		{"priority", 3, nil},
	} {
		var a Algorithm
		err := a.Set(c.name)
		if err != nil || a.String() != c.name {
			t.Fatalf("%s is %v, error %v", c.name, a, err)
		}
		var found []Lasso
		lasso, _, err := Find(context.Background(), g, FindOptions{Algorithm: a, Bound: c.bound}, func(l Lasso, s Stats) bool {
			if s.Length != l.Length() {
				t.Errorf("%s: length %d in the statistics of %v", c.name, s.Length, l)
			}
			found = append(found, l)
			return true
		})
		if err != nil || !reflect.DeepEqual(found, c.want) {
			t.Errorf("%s below %d: %v, error %v, want %v", c.name, c.bound, found, err, c.want)
		}
		if lasso == nil != (c.want == nil) || lasso != nil && !reflect.DeepEqual(*lasso, c.want[len(c.want)-1]) {
			t.Errorf("%s below %d returns %v", c.name, c.bound, lasso)
		}
	}
}

func TestFindRefuses(t *testing.T) {
	g := graph(t, 0, []State{0}, []State{0})
	for _, o := range []FindOptions{{Algorithm: ByColour, Bound: 5}, {Algorithm: 17}, {Algorithm: ByPriority, ColourFirst: true}} {
		if lasso, _, err := Find(context.Background(), g, o, nil); err == nil || lasso != nil {
			t.Errorf("%+v: %v, no error", o, lasso)
		}
	}
	if err := new(Algorithm).Set("inev"); err == nil {
		t.Error("inev is no algorithm on automata")
	}
}
