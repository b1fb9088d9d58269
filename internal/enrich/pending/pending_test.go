package pending_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/enrich/pending"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// TestPending: of the steps that no transition of a component does, only the last one has
// a part of it, and steps before it have none.
func TestPending(t *testing.T) {
	ctx := context.Background()
	// Two loops, by A and B, with an A between them; C comes at last.
	m, _, err := aut.Read(ctx, strings.NewReader("des (0,6,4)\n(0,A,0)\n(0,B,1)\n(1,A,1)\n(1,I,2)\n(2,I,2)\n(2,C,3)\n"), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for formula, want := range map[string]string{
		"Inev(C)":          "[0] 1, [1] 1, [2] 1",
		"Inev(A, B, C)":    "[0] 3, [1] 3, [2] 3",
		"Inev(B, C, A)":    "[0] 2, [0] 3, [1] 2, [1] 3, [2] 3",
		"Inev(I, I, A)":    "[0] 2, [0] 3, [1] 2, [1] 3, [2] 3",
		"Inev(C, B, A, A)": "[0] 2, [0] 3, [0] 4, [1] 2, [1] 3, [1] 4, [2] 4",
		"Inev(B, I, I, I)": "[0] 4, [1] 4, [2] 3, [2] 4",
	} {
		f, err := actl.Parse(ctx, formula)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(ctx, m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		chain, _ := p.Chain()
		c, err := scc.Find(ctx, m, "")
		if err != nil {
			t.Fatal(err)
		}
		e, err := enrich.Enrich(ctx, c, chain, enrich.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list, err := pending.Find(ctx, e)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		size := int64(0)
		steps := make([][]int, m.NumStates())
		for part := range list.All {
			if !slices.IsSorted(part.States) || len(part.States) == 0 {
				t.Errorf("%s: states %v", formula, part.States)
			}
			got = append(got, fmt.Sprintf("%v %d", part.States, part.Step))
			for _, s := range part.States {
				steps[s] = append(steps[s], part.Step)
			}
			for _, s := range c.States(part.Component) {
				labels, _ := m.Out(s)
				size += 1 + int64(labels.Len())
			}
		}
		backward := 0
		for part := range list.Backward {
			backward++
			if part := fmt.Sprintf("%v %d", part.States, part.Step); part != got[len(got)-backward] {
				t.Errorf("%s: backward, part %d is %s", formula, backward, part)
			}
		}
		if backward != len(got) {
			t.Errorf("%s: backward, %d parts", formula, backward)
		}
		for s, want := range steps {
			if got := slices.Collect(list.Steps(lts.State(s))); !slices.Equal(got, want) {
				t.Errorf("%s: state %d has steps %v, want %v", formula, s, got, want)
			}
		}
		if list.Size() != size {
			t.Errorf("%s: size %d, want %d", formula, list.Size(), size)
		}
		if is := strings.Join(got, ", "); err != nil || is != want {
			t.Errorf("%s: %s, %v; want %s", formula, is, err, want)
		}
	}
}
