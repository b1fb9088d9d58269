package render_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
)

// TestSearchStopped: of a search for assumptions that ended at its limit it is told, in every
// format, if it found nothing, and only then.
func TestSearchStopped(t *testing.T) {
	const n = 2_000
	var edges strings.Builder
	for i := range n {
		fmt.Fprintf(&edges, "(%d,c%d,%d)\n(%d,d%d,%d)\n(%d,x,%d)\n", i, i, (i+1)%n, i, i, (i+1)%n, i, n)
	}
	text := fmt.Sprintf("des (0,%d,%d)\n%s(%d,GOAL,%d)\n", 3*n+1, n+2, edges.String(), n, n+1)
	m, _, err := aut.Read(context.Background(), strings.NewReader(text), aut.Options{Name: "m.aut"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), "Inev(GOAL)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), m, f, explain.Options{Source: explain.Source{File: "m.aut"}})
	if err != nil {
		t.Fatal(err)
	}
	const said = "The search for assumptions that make it true stopped at its limit before it found one: there may be some."
	for _, some := range []bool{true, false} {
		if !some {
			e.Fairness.Assumptions, e.Fairness.Chain = nil, &explain.FairnessChain{None: explain.Violated, Weak: explain.Violated, Strong: explain.Violated, Full: explain.Violated}
			e.Repair = nil
		}
		for _, format := range []string{"text", "markdown", "json"} {
			w, err := render.New(format, render.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := w.Explanation(&b, e); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(strings.Fields(b.String()), " "); strings.Contains(got, said) == some || format == "json" && !strings.Contains(got, `"limit_reached": true`) {
				t.Errorf("%s, some: %t: %q", format, some, got)
			}
		}
	}
}

// TestStoppedDoesNotClaimMore: whatever phase of an explanation is stopped, the report does not say that no run
// satisfies the property, for in this model one does.
func TestStoppedDoesNotClaimMore(t *testing.T) {
	const text = "des (0,3,2)\n(0,A,1)\n(0,B,0)\n(1,C,1)\n"
	f, err := actl.Parse(context.Background(), "Inev(A)")
	if err != nil {
		t.Fatal(err)
	}
	for _, phase := range []string{"classify", "search", "fairness", "advice", "explain"} {
		m, _, err := aut.Read(context.Background(), strings.NewReader(text), aut.Options{Name: "m.aut"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		stoppedThere := explain.WithProgress(ctx, func(p explain.Progress) {
			if p.Phase() == phase {
				cancel()
			}
		})
		e, err := explain.Explain(stoppedThere, m, f, explain.Options{Source: explain.Source{File: "m.aut"}})
		if err == nil || e == nil || e.Verdict != explain.Violated {
			t.Fatalf("%s: %v, %v", phase, e, err)
		}
		for _, format := range []string{"text", "markdown", "json"} {
			w, err := render.New(format, render.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := w.Explanation(&b, e); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(b.String(), "no run satisfies") {
				t.Errorf("stopped at %s, %s: %q", phase, format, b.String())
			}
		}
	}
}
