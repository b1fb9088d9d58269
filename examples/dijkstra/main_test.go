package main

import (
	"testing"

	"github.com/inev-lts/inev/internal/testing/exampletest"
	"github.com/inev-lts/inev/lts"
)

func TestModel(t *testing.T) {
	exampletest.Check(t, func() (*lts.LTS, error) { return generate(3) })
}

func TestSizes(t *testing.T) {
	for _, n := range []int{1, maxProcesses + 1} {
		if _, err := generate(n); err == nil {
			t.Errorf("no error for %d processes", n)
		}
	}
}

func TestMutualExclusion(t *testing.T) {
	m, err := generate(3)
	if err != nil {
		t.Fatal(err)
	}
	// A process is inside from ENTER to LEAVE. As the state of the LTS tells who
	// is, one visit of each state is enough.
	inside := make([]int, m.NumStates())
	for transition := range m.Transitions() {
		count := inside[transition.From]
		switch label := m.Alphabet().Text(transition.Label); label[:5] {
		case "ENTER":
			count++
		case "LEAVE":
			count--
		}
		if count > 1 {
			t.Fatalf("%d processes are inside in state %d", count, transition.To)
		}
		inside[transition.To] = count
	}
}
