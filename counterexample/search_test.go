package counterexample_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

func search(t interface{ Fatal(...any) }, m *lts.LTS, p *property.Chain, o counterexample.Options) *counterexample.Result {
	r, err := counterexample.Search(context.Background(), m, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSearchDoesNotDependOnWhatIsKnown: components that are given, or found on the
// way by either engine, change the cost of a search only.
func TestSearchDoesNotDependOnWhatIsKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Medium()).Draw(t, "case")
		p := bind(t, c.Model, c.Formula)
		components, err := scc.Find(context.Background(), c.Model, "gonum")
		if err != nil {
			t.Fatal(err)
		}
		known := search(t, c.Model, p, counterexample.Options{Components: components})
		for _, engine := range []scc.Engine{"gonum", "iterative"} {
			found := search(t, c.Model, p, counterexample.Options{Engine: engine})
			if !reflect.DeepEqual(found.Trace, known.Trace) {
				t.Fatalf("%s: found %v, with known components %v", engine, found.Trace, known.Trace)
			}
		}
		if known.Trace == nil {
			return
		}
		limit := rapid.Int64Range(1, 2*known.Stats.Matched).Draw(t, "limit")
		limited := search(t, c.Model, p, counterexample.Options{Components: components, Limit: limit})
		switch {
		case limited.Trace == nil:
			t.Fatal("with a limit, the property seems to hold")
		case limited.Minimal != counterexample.MinimalUnknown && !reflect.DeepEqual(limited.Trace, known.Trace):
			t.Fatalf("said to be shortest: %v; it is %v", limited.Trace, known.Trace)
		case limited.Trace.Len() < known.Trace.Len():
			t.Fatalf("%d transitions, where the shortest has %d", limited.Trace.Len(), known.Trace.Len())
		case limit > known.Stats.Matched && limited.Minimal == counterexample.MinimalUnknown:
			t.Fatalf("stopped at %d visits, of %d", limit, known.Stats.Matched)
		}
	})
}

// TestLimitEndsTheSearch: the loop at the begin has four transitions, and is found
// first; the self-loop that is better comes after two.
func TestLimitEndsTheSearch(t *testing.T) {
	m := model(t, "0 X 1", "1 X 2", "2 X 3", "3 X 0", "1 Y 4", "4 Y 4")
	p := bind(t, m, "Inev(A)")
	if r := search(t, m, p, counterexample.Options{Limit: 1}); r.Minimal != counterexample.MinimalUnknown || r.Trace.Len() != 4 {
		t.Errorf("with a limit of 1: %s, shortest: %v", labels(m, r.Trace), r.Minimal != counterexample.MinimalUnknown)
	}
	if r := search(t, m, p, counterexample.Options{Limit: 1000}); r.Minimal == counterexample.MinimalUnknown || r.Trace.Len() != 3 {
		t.Errorf("with a limit of 1000: %s, shortest: %v", labels(m, r.Trace), r.Minimal != counterexample.MinimalUnknown)
	}
}

// TestLoopIsTheFirstOne: by the time the ring is met, cycles are looked for
// backwards, and 22 is the first predecessor of 23; but 21 is the first successor
// of 20, and the order of the model decides. Each of 1 to 9 is a head, for a way round
// leads there, and is searched from in vain.
func TestLoopIsTheFirstOne(t *testing.T) {
	transitions := []string{"20 A 0", "20 X 21", "20 Y 22", "22 Y 23", "21 X 23", "23 X 20"}
	for i := range 9 {
		transitions = append(transitions, fmt.Sprintf("%d X %d", i, i+1), fmt.Sprintf("%d X %d", i, 30+i), fmt.Sprintf("%d X %d", 30+i, i+1))
	}
	m := model(t, append(transitions, "9 X 20")...)
	r := search(t, m, bind(t, m, "Inev(A)"), counterexample.Options{})
	if r.Stats.Matched < 70 {
		t.Fatalf("%d visits: too few for the searches to turn", r.Stats.Matched)
	}
	if at := r.Trace.Step(11); r.Trace.Len() != 13 || at.From != 21 {
		t.Errorf("the loop takes %v: %s", at, labels(m, r.Trace))
	}
}

// TestSearchCounts: the visits are those of the breadth-first search and of the
// searches for cycles, which visit each state of the cycle at least once.
func TestSearchCounts(t *testing.T) {
	for _, c := range []struct {
		name        string
		transitions []string
		want        counterexample.Stats
		cycle       int64
	}{
		{"a ring", []string{"0 X 1", "1 X 2", "2 X 0"}, counterexample.Stats{Stored: 3, Found: 1, Length: 4}, 3},
		{"a self-loop at the end", []string{"0 X 1", "1 X 2", "2 X 2"}, counterexample.Stats{Stored: 3, Found: 1, Length: 4}, 1},
		{"a deadlock", []string{"0 X 1"}, counterexample.Stats{Stored: 2, Found: 1, Length: 2}, 0},
		{"a satisfied property", []string{"0 A 1", "1 X 1"}, counterexample.Stats{Stored: 1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model(t, c.transitions...)
			found, err := counterexample.Search(context.Background(), m, bind(t, m, "Inev(A)"), counterexample.Options{Components: components(t, m)})
			if err != nil || (found.Trace == nil) != (c.want.Found == 0) {
				t.Fatalf("%s, error %v", labels(m, found.Trace), err)
			}
			got := found.Stats
			cycle := got.Matched - got.Stored
			if cycle < c.cycle || c.cycle == 0 && cycle > 0 {
				t.Errorf("%d visits in searches for cycles, of %d states", cycle, c.cycle)
			}
			if got.Matched = 0; got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// TestWithin checks that a search for runs of a limited length finds one iff the shortest run is no
// longer.
func TestWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Medium()).Draw(t, "case")
		p := bind(t, c.Model, c.Formula)
		shortest := search(t, c.Model, p, counterexample.Options{}).Trace
		for within := 1; within <= 8; within++ {
			found := search(t, c.Model, p, counterexample.Options{Within: within}).Trace
			exists := shortest != nil && shortest.Len() <= within
			if exists != (found != nil) || exists && found.Len() > within {
				t.Fatalf("within %d: %v; a shortest run is %v", within, found, shortest)
			}
		}
	})
}
