package main

import (
	"testing"

	"github.com/inev-lts/inev/internal/testing/exampletest"
	"github.com/inev-lts/inev/lts"
)

func TestModel(t *testing.T) {
	exampletest.Check(t, func() (*lts.LTS, error) { return generate(table{philosophers: 4}) })
}

func TestAsymmetric(t *testing.T) {
	exampletest.CheckVariant(t, "asymmetric", func() (*lts.LTS, error) { return generate(table{philosophers: 4, asymmetric: true}) })
}

func TestSizes(t *testing.T) {
	for n := 2; n <= 6; n++ {
		for _, asymmetric := range []bool{false, true} {
			m, err := generate(table{philosophers: n, asymmetric: asymmetric})
			if err != nil {
				t.Fatal(err)
			}
			want := 1
			if asymmetric {
				want = 0
			}
			if got := m.Reachable().NumDeadlocks(); got != want {
				t.Errorf("%d philosophers, asymmetric %t: %d deadlocks, want %d", n, asymmetric, got, want)
			}
		}
	}
	for _, n := range []int{1, maxPhilosophers + 1} {
		if _, err := generate(table{philosophers: n}); err == nil {
			t.Errorf("no error for %d philosophers", n)
		}
	}
}
