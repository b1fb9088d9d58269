package aut

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestLabelsOfAllWidths reads models whose alphabets grow beyond what 1 and 2 bytes can
// number, near the beginning or the end of the file, while several workers fill their places.
func TestLabelsOfAllWidths(t *testing.T) {
	for _, c := range []struct{ labels, transitions int }{
		{255, 3000}, {256, 3000}, {257, 3000}, {65_536, 70_000}, {65_537, 70_000},
	} {
		for _, late := range []bool{false, true} {
			for _, scattered := range []bool{false, true} {
				if !randomlts.Whole() && c.labels > 1000 && late != scattered {
					continue
				}
				t.Run(fmt.Sprintf("%d late %v scattered %v", c.labels, late, scattered), func(t *testing.T) {
					want := make([]lts.Transition, c.transitions)
					var text strings.Builder
					fmt.Fprintf(&text, "des (0, %d, %d)\n", c.transitions, c.transitions)
					for i := range want {
						l := min(i, c.labels-1)
						if late {
							l = max(0, i-(c.transitions-c.labels))
						}
						want[i] = lts.Transition{From: lts.State(i), Label: lts.Label(l), To: lts.State(i / 2)}
						if scattered {
							want[i].From = lts.State(i * 7 % c.transitions)
						}
						fmt.Fprintf(&text, "(%d,\"L%d\",%d)\n", want[i].From, l, want[i].To)
					}
					m, _, err := read(context.Background(), strings.NewReader(text.String()), Options{Workers: 4}, limits{1 << 12, knownLabels})
					if err != nil {
						t.Fatal(err)
					}
					i := 0
					for tr := range m.Transitions() {
						if tr != want[i] {
							t.Fatalf("transition %d is %v, want %v", i, tr, want[i])
						}
						i++
					}
					if i != c.transitions {
						t.Errorf("%d transitions", i)
					}
				})
			}
		}
	}
}
