package main

import (
	"testing"

	"github.com/inev-lts/inev/internal/testing/exampletest"
	"github.com/inev-lts/inev/lts"
)

func TestModel(t *testing.T) {
	exampletest.Check(t, func() (*lts.LTS, error) {
		return generate(line{stages: 4, order: 2, rejects: 2})
	})
}

func TestSizes(t *testing.T) {
	states := 33
	for stages := 2; stages <= 8; stages++ {
		m, err := generate(line{stages: stages, order: 2, rejects: 2})
		if err != nil {
			t.Fatal(err)
		}
		if m.NumStates() != states {
			t.Errorf("%d stages: %d states, want %d", stages, m.NumStates(), states)
		}
		// All but the final state are 32 times the contents of the stages between
		// the first one and the inspection.
		states = 3*(states-1) + 1
	}
	for _, l := range []line{{1, 1, 1}, {maxStages + 1, 1, 1}, {2, 0, 1}, {2, 1, 0}, {2, maxParts + 1, 1}, {2, 1, maxParts + 1}} {
		if _, err := generate(l); err == nil {
			t.Errorf("no error for %+v", l)
		}
	}
}
