package network

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/inev-lts/inev/lts"
)

// manyOf returns a network in which the same automaton takes part n times.
func manyOf(n int) []byte {
	return []byte("par a in " + strings.Repeat("c || ", n-1) + "c end par")
}

// allocationsOf returns how often memory is asked for while a network is composed.
func allocationsOf(t *testing.T, text []byte) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := Compose(context.Background(), text, Options{Name: "n.exp", Open: openLoop, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

// TestManyComponents: a network of twice as many components costs about twice as much, though all are of one file.
func TestManyComponents(t *testing.T) {
	few := allocationsOf(t, manyOf(1_000))
	many := allocationsOf(t, manyOf(2_000))
	if many > 3*few {
		t.Errorf("%d allocations for 1,000 components, %d for 2,000", few, many)
	}
	_, _, err := Compose(context.Background(), manyOf(mostComponents+1), Options{Name: "n.exp", Open: openLoop, Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "n.exp:1: the network has more than 4096 components") {
		t.Errorf("error %v", err)
	}
}

// TestLongChains: a chain of an infix operator costs what a composition of all its behaviours costs, and may be as long.
func TestLongChains(t *testing.T) {
	for _, operator := range []string{" ||| ", " |[x]| ", " | ", " [| {x} |] ", " || "} {
		chainOf := func(n int) []byte { return []byte(strings.Repeat("c"+operator, n-1) + "c") }
		few := allocationsOf(t, chainOf(1_000))
		many := allocationsOf(t, chainOf(4_000))
		if many > 6*few {
			t.Errorf("%s: %d allocations for 1,000 components, %d for 4,000", operator, few, many)
		}
	}
	nested := strings.Repeat("c ||| c |[x]| ", mostNested/2) + "c"
	_, _, err := Compose(context.Background(), []byte(nested), Options{Name: "n.exp", Open: openLoop, Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "operators are nested more than") {
		t.Errorf("error %v", err)
	}
}

// TestReadingStops: no further component is read once the context is done.
func TestReadingStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opened := 0
	open := func(ctx context.Context, path string) (*lts.LTS, error) {
		opened++
		cancel()
		return openLoop(context.Background(), path)
	}
	_, _, err := Compose(ctx, []byte("c || c || d"), Options{Name: "n.exp", Open: open, Workers: 1})
	if !errors.Is(err, context.Canceled) || opened != 1 {
		t.Errorf("error %v, %d files were read", err, opened)
	}
}
