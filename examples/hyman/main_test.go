package main

import (
	"testing"

	"github.com/inev-lts/inev/internal/testing/exampletest"
	"github.com/inev-lts/inev/lts"
)

func TestModel(t *testing.T) {
	exampletest.Check(t, func() (*lts.LTS, error) { return generate(algorithm{}) })
}

func TestOnce(t *testing.T) {
	exampletest.CheckVariant(t, "once", func() (*lts.LTS, error) { return generate(algorithm{once: true}) })
}

func TestNoMutualExclusion(t *testing.T) {
	for _, once := range []bool{false, true} {
		m, err := generate(algorithm{once: once})
		if err != nil {
			t.Fatal(err)
		}
		if _, found := m.Alphabet().Lookup("CRASH"); !found {
			t.Errorf("once %t: the bug is gone", once)
		}
	}
}
