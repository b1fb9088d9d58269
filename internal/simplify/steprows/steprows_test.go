package steprows

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// tau is a pattern of one label.
type tau struct{}

func (tau) Matches(label string) bool { return label == "tau" }

// TestRows: every step is in one row, and a row of several steps is what its kind says, as
// long as it can be.
func TestRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 120).Draw(rt, "steps")
		loop := rapid.IntRange(-1, n-1).Draw(rt, "loop")
		var labels []string
		eventful := map[int]bool{}
		for range n {
			labels = append(labels, rapid.SampledFrom([]string{"A", "A", "tau"}).Draw(rt, "label"))
			eventful[len(labels)] = rapid.IntRange(0, 20).Draw(rt, "eventful") == 0
		}
		o := RowOptions{Loop: loop, Full: rapid.Bool().Draw(rt, "full"), Eventful: func(i int) bool { return eventful[i] }}
		if rapid.Bool().Draw(rt, "hide") {
			o.Hides = Matching([]tau{{}})
		}
		rows := Rows(n, func(i int) string { return labels[i] }, o)
		at := 0
		for k, r := range rows {
			if r.First != at || r.Len() < 1 || r.Kind == OneStep && r.Len() > 1 {
				rt.Fatalf("after %d steps comes %+v", at, r)
			}
			at = r.End
			for i := r.First; i < r.End; i++ {
				fits := r.Kind == OneStep || !eventful[i] && (i == r.First || i != loop)
				switch r.Kind {
				case Folded:
					fits = fits && labels[i] == labels[r.First] && r.Len() >= FoldFrom && !o.Full
				case Hidden:
					fits = fits && labels[i] == "tau" && o.Hides != nil
				case LeftOut:
					fits = fits && !o.Full && k > 0 && k < len(rows)-1
				}
				if !fits {
					rt.Fatalf("step %d, %s, is in %+v", i, labels[i], r)
				}
			}
		}
		if at != n || len(rows) > elideFrom && !o.Full && !slices.ContainsFunc(rows, func(r Row) bool { return r.Kind == LeftOut || eventful[r.First] }) {
			rt.Fatalf("%d rows of %d steps: %+v", len(rows), n, rows)
		}
	})
}

// TestLeavesOut compares the rows with those of the definition: of a long run, those near an eventful one,
// the first and the last, and one instead of all others that follow each other.
func TestLeavesOut(t *testing.T) {
	long := 0
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 150).Draw(rt, "steps")
		loop := rapid.IntRange(-1, n-1).Draw(rt, "loop")
		few := rapid.IntRange(1, 40).Draw(rt, "few")
		eventful, distinct, labels := make([]bool, n), make([]bool, n), make([]string, n)
		for i := range n {
			labels[i] = rapid.SampledFrom([]string{"A", "B", "B"}).Draw(rt, "label")
			eventful[i] = rapid.IntRange(0, few).Draw(rt, "eventful") == 0
			distinct[i] = rapid.IntRange(0, 4).Draw(rt, "distinct") == 0
		}
		o := RowOptions{
			Loop:     loop,
			Eventful: func(i int) bool { return eventful[i] },
			Distinct: func(i int) bool { return distinct[i] },
		}
		label := func(i int) string { return labels[i] }
		got := Rows(n, label, o)
		var all []Row
		for i := 0; i < n; {
			r := Row{First: i, End: i + 1}
			for r.End < n && !eventful[i] && !distinct[i] && r.End != loop && !eventful[r.End] && !distinct[r.End] && labels[r.End] == labels[i] {
				r.End++
			}
			if r.Kind = Folded; r.Len() < FoldFrom {
				r.End, r.Kind = i+1, OneStep
			}
			all = append(all, r)
			i = r.End
		}
		want := all
		if len(all) >= 40 {
			long++
			want = nil
			near := func(i int) bool {
				for j := max(0, i-2); j <= min(len(all)-1, i+2); j++ {
					if j == 0 || j == len(all)-1 || eventful[all[j].First] || all[j].First == loop {
						return true
					}
				}
				return false
			}
			for i, r := range all {
				switch {
				case near(i):
					want = append(want, r)
				case near(i - 1):
					want = append(want, Row{r.First, r.End, LeftOut})
				default:
					want[len(want)-1].End = r.End
				}
			}
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%v, want %v", got, want)
		}
	})
	if long == 0 {
		t.Error("no long one")
	}
}
