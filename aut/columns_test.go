package aut

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// TestColumnsKeepTransitions gives transitions in blocks, also more of them than
// rows can point to, and with places that are filled late.
func TestColumnsKeepTransitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.Uint32Range(1, 20).Draw(t, "states")
		ascending := rapid.Bool().Draw(t, "ascending")
		from := rapid.Uint32Range(0, states-1)
		sources := rapid.SliceOfN(from, 0, 30).Draw(t, "sources")
		if ascending {
			slices.Sort(sources)
		}
		c := columns{
			states:       uint64(states),
			declared:     uint64(rapid.IntRange(0, 40).Draw(t, "declared")),
			isLongEnough: rapid.Bool().Draw(t, "borne"),
			mostForRows:  uint64(rapid.SampledFrom([]int{0, 5, 1000}).Draw(t, "narrow")),
		}
		var want []lts.Transition
		for i, s := range sources {
			want = append(want, lts.Transition{From: lts.State(s), Label: lts.Label(i % 2), To: lts.State(i) % lts.State(states)})
		}
		for first := 0; first < len(want); {
			n := min(rapid.IntRange(0, 7).Draw(t, "block"), len(want)-first)
			s := &scanner{found: want[first : first+n], numbers: []lts.Label{0, 1}}
			s.descends = !slices.IsSorted(sources[first : first+n])
			c.put(s, c.reserve(context.Background(), s, uint64(first), 2))
			first += n
		}
		alphabet, err := lts.NewAlphabet([]string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		m := c.lts(context.Background(), 0, uint64(states), uint64(len(want)), alphabet, 2)
		if !slices.Equal(slices.Collect(m.Transitions()), want) || m.NumStates() != int(states) {
			t.Fatalf("%v, want %v", m, want)
		}
	})
}

// TestColumnsAskForMemory: what a header declares is asked for before it is taken.
func TestColumnsAskForMemory(t *testing.T) {
	budget := resources.NewBudget(resources.Limit{Bytes: 1, By: "allowed by a test"}, nil)
	ctx, leave := resources.Join(budget.With(context.Background()))
	defer leave()
	c := columns{states: 1 << 20, declared: 1 << 20, isLongEnough: true, mostForRows: 1 << 30}
	err := abort.Try(func() {
		c.reserve(ctx, &scanner{found: []lts.Transition{{From: 0, Label: 0, To: 0}}, numbers: []lts.Label{0}}, 0, 1)
	})
	var exceeded *resources.ExceededError
	if !errors.As(err, &exceeded) {
		t.Errorf("error %v", err)
	}
}

// allocated returns how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestReadTakesLittleForSmallFiles: however much a header declares, what a file
// of 40 bytes takes are the buffers of one worker.
func TestReadTakesLittleForSmallFiles(t *testing.T) {
	for _, text := range []string{
		"des (0, 4294967295, 4294967295)\n(0,a,1)\n",
		"des (0, 4294967295000, 4000000000)\n(7,a,1)\n",
		"des (0, 1, 2)\n(0,a,1)\n",
	} {
		for name, limit := range map[string]uint64{"of known length": 300 << 10, "of unknown length": 3 << 20} {
			var r io.Reader = strings.NewReader(text)
			if limit > 1<<20 {
				r = iotest.OneByteReader(r)
			}
			if took := allocated(func() { _, _, _ = Read(context.Background(), r, Options{Workers: 8}) }); took > limit {
				t.Errorf("%q, %s: %d bytes allocated", text, name, took)
			}
		}
	}
}

// TestReadTakesTwelveBytesATransition: that is rows and buffers, for a state has
// three transitions here.
func TestReadTakesTwelveBytesATransition(t *testing.T) {
	text := string(generated(false))
	for _, workers := range []int{1, 2} {
		took := allocated(func() {
			if _, _, err := Read(context.Background(), strings.NewReader(text), Options{Workers: workers}); err != nil {
				t.Fatal(err)
			}
		})
		if took > 12*benchLines {
			t.Errorf("%d workers: %d bytes for %d transitions", workers, took, benchLines)
		}
	}
}
