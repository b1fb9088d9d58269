package buchi

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEach compares the lassos of all accepting states with all paths of small random automata.
func TestEach(t *testing.T) {
	found := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 1 + r.IntN(6)
		g, err := Random(n, min(r.IntN(2*n+1), n*n), r.IntN(n+1), seed)
		if err != nil {
			t.Fatal(err)
		}
		want := smallestByPaths(g)
		d := &Description{Automaton: g}
		got := map[State]int{}
		err = d.Each(context.Background(), func(f State, l Lasso) bool {
			if err := l.Check(g); err != nil {
				t.Fatalf("seed %d: %v: %v", seed, l, err)
			}
			on := false
			for _, s := range l.Loop() {
				on = on || s == f
			}
			if !on {
				t.Fatalf("seed %d: %d is not on the loop of %v", seed, f, l)
			}
			got[f] = l.Transitions()
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		for f, length := range want {
			found++
			if got[f] != length {
				t.Fatalf("seed %d: state %d: %d transitions, want %d", seed, f, got[f], length)
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d lassos", found)
	}
}

// smallestByPaths follows all simple paths.
func smallestByPaths(g *Automaton) map[State]int {
	best := map[State]int{}
	var path []State
	var walk func(s State)
	walk = func(s State) {
		for i, before := range path {
			if before == s {
				for _, f := range path[i:] {
					if old, known := best[f]; g.Accepting(f) && (!known || len(path) < old) {
						best[f] = len(path)
					}
				}
				return
			}
		}
		path = append(path, s)
		for _, t := range g.Successors(s, nil) {
			walk(t)
		}
		path = path[:len(path)-1]
	}
	walk(g.Initial())
	return best
}

// TestColour: no lasso passes black states, white ones were not visited, and all are drawn.
func TestColour(t *testing.T) {
	blacks, whites := 0, 0
	for seed := range uint64(500) {
		g, err := Random(6, 9, 2, seed)
		if err != nil {
			t.Fatal(err)
		}
		d := &Description{Automaton: g}
		c, err := d.Colour(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		counts := c.Count()
		blacks, whites = blacks+counts[3], whites+counts[0]
		lassos := map[State]bool{}
		if err := d.Each(context.Background(), func(_ State, l Lasso) bool {
			for _, s := range l.States {
				lassos[s] = true
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		for s := range c.marks {
			if c.marks[s]&colourBits == black && lassos[State(s)] {
				t.Fatalf("seed %d: black state %d is on a lasso", seed, s)
			}
		}
		if c.Found == nil && counts[0] > 0 && len(lassos) > 0 {
			t.Fatalf("seed %d: no lasso was found", seed)
		}
		d.Names = []string{`a"] evil [x="`, "two\nlines", `back\slash`, "", "<b>", "é"}
		var b bytes.Buffer
		if err := c.WriteDOT(&b, d); err != nil || strings.Count(b.String(), "fillcolor") != 6 {
			t.Fatalf("%v\n%s", err, b.String())
		}
	}
	if blacks == 0 || whites == 0 {
		t.Errorf("%d black, %d white", blacks, whites)
	}
}
