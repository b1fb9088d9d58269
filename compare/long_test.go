package compare_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/lts"
)

// TestLongRunsArePartedInLinearMemory: the formula of a long run is written once, from its first
// step to its last.
func TestLongRunsArePartedInLinearMemory(t *testing.T) {
	const n = 10_000
	chain := func(changed int) *lts.LTS {
		var b strings.Builder
		fmt.Fprintf(&b, "des (0, %d, %d)\n", n, n+1)
		for i := range n {
			label := "a"
			if i == changed {
				label = "b"
			}
			fmt.Fprintf(&b, "(%d, %q, %d)\n", i, label, i+1)
		}
		m, _, err := aut.Read(context.Background(), strings.NewReader(b.String()), aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	before, after := chain(-1), chain(n-1)
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	c, err := compare.Models(context.Background(), before, after, compare.Options{})
	runtime.ReadMemStats(&to)
	if err != nil {
		t.Fatal(err)
	}
	if c.Run == nil {
		t.Fatal("no run parts the versions")
	}
	if bytes := to.TotalAlloc - from.TotalAlloc; bytes > 4_000*n {
		t.Errorf("%d bytes for a run of %d steps", bytes, n)
	}
}
