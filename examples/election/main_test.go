package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/exampletest"
	"github.com/inev-lts/inev/lts"
)

func TestModel(t *testing.T) {
	exampletest.Check(t, func() (*lts.LTS, error) { return generate(ring{stations: 3}) })
}

func TestLossy(t *testing.T) {
	exampletest.CheckVariant(t, "lossy", func() (*lts.LTS, error) { return generate(ring{stations: 3, lossy: true}) })
}

func TestOneLeader(t *testing.T) {
	for n := 2; n <= 5; n++ {
		for _, lossy := range []bool{false, true} {
			m, err := generate(ring{stations: n, lossy: lossy})
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("LEADER !%d", n-1)
			for _, label := range m.Alphabet().All() {
				if strings.HasPrefix(label, "LEADER") && label != want {
					t.Errorf("%d stations, lossy %t: %q, want no leader but %q", n, lossy, label, want)
				}
			}
		}
	}
}

func TestSizes(t *testing.T) {
	for _, n := range []int{1, maxStations + 1} {
		if _, err := generate(ring{stations: n}); err == nil {
			t.Errorf("no error for %d stations", n)
		}
	}
}
