package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/exampletest"
	"github.com/inev-lts/inev/lts"
)

func TestModel(t *testing.T) {
	exampletest.Check(t, func() (*lts.LTS, error) { return generate(model{}) })
}

// TestExplicit: without its internal actions, each of which some visible action follows in the
// same state or later, the model with explicit choices is the other one.
func TestExplicit(t *testing.T) {
	explicit, err := generate(model{explicit: true})
	if err != nil {
		t.Fatal(err)
	}
	own, err := generate(model{})
	if err != nil {
		t.Fatal(err)
	}
	var b lts.Builder
	choices := 0
	for s := range lts.State(explicit.NumStates()) {
		pending := []lts.State{s}
		for len(pending) > 0 {
			at := pending[0]
			pending = pending[1:]
			labels, targets := explicit.Out(at)
			for i, to := range targets {
				if text := explicit.Alphabet().Text(labels.At(i)); text == "i" {
					pending, choices = append(pending, to), choices+1
				} else {
					b.Add(s, b.Label(text), to)
				}
			}
		}
	}
	hidden, err := b.Build(explicit.Initial(), explicit.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	if class := classes(own, hidden); choices == 0 || class[own.Initial()] != class[own.NumStates()+int(hidden.Initial())] {
		t.Errorf("%d choices; without them the model is another one", choices)
	}
}

// TestIsThePublishedModel compares the model with the one that the authors published, if that
// is there: the same up to the numbers of states. Both have no two states with the same
// behaviour, so that it is enough that together they have no more such classes than each.
func TestIsThePublishedModel(t *testing.T) {
	file, there := collection.Foreign(t, "sanitary_agency.aut")
	if !there {
		t.Skip("the published model is not there")
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	published, _, err := aut.Read(context.Background(), f, aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	own, err := generate(model{})
	if err != nil {
		t.Fatal(err)
	}
	if own.NumStates() != published.NumStates() || own.NumTransitions() != published.NumTransitions() {
		t.Fatalf("%d states and %d transitions, and published are %d and %d", own.NumStates(), own.NumTransitions(), published.NumStates(), published.NumTransitions())
	}
	class := classes(own, published)
	distinct := slices.Compact(slices.Sorted(slices.Values(class)))
	if len(distinct) != own.NumStates() || class[own.Initial()] != class[own.NumStates()+int(published.Initial())] {
		t.Errorf("%d classes of %d states", len(distinct), own.NumStates())
	}
}

// classes returns the classes of strong bisimulation of the states of models, one model after
// the other.
func classes(models ...*lts.LTS) []int {
	var class []int
	for _, m := range models {
		class = append(class, make([]int, m.NumStates())...)
	}
	for count := 0; ; {
		number := map[string]int{}
		var finer []int
		first := 0
		for _, m := range models {
			for s := range lts.State(m.NumStates()) {
				var moves []string
				labels, targets := m.Out(s)
				for i, to := range targets {
					moves = append(moves, fmt.Sprint(m.Alphabet().Text(labels.At(i)), " ", class[first+int(to)]))
				}
				slices.Sort(moves)
				key := fmt.Sprint(class[first+int(s)], slices.Compact(moves))
				if _, known := number[key]; !known {
					number[key] = len(number)
				}
				finer = append(finer, number[key])
			}
			first += m.NumStates()
		}
		class = finer
		if len(number) == count {
			return class
		}
		count = len(number)
	}
}
