package lts_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/lts"
)

func abc(t interface{ Fatal(...any) }) *lts.Alphabet {
	a, err := lts.NewAlphabet([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// columnsOf returns the columns of transitions.
func columnsOf(transitions []lts.Transition) lts.Columns {
	var c lts.Columns
	for _, t := range transitions {
		c.Sources = append(c.Sources, uint32(t.From))
		c.Labels.Append(t.Label)
		c.Targets = append(c.Targets, t.To)
	}
	return c
}

// write shows rows, the order of addition, and who is a deadlock.
func write(m *lts.LTS) string {
	var b strings.Builder
	fmt.Fprintln(&b, m.Initial(), m.NumStates(), m.NumTransitions(), slices.Collect(m.Transitions()))
	for s := range m.NumStates() {
		labels, targets := m.Out(lts.State(s))
		first, end := m.Row(lts.State(s))
		fmt.Fprintln(&b, labels, targets, first, end, m.IsDeadlock(lts.State(s)))
	}
	return b.String()
}

func TestColumnsGiveWhatABuilderGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states, transitions := drawTransitions(t)
		if rapid.Bool().Draw(t, "ascending") {
			slices.SortStableFunc(transitions, func(a, b lts.Transition) int { return int(a.From) - int(b.From) })
		}
		want := write(build(t, 0, states, transitions))
		m, err := lts.FromColumns(context.Background(), 0, states, abc(t), columnsOf(transitions), rapid.IntRange(-1, 3).Draw(t, "workers"))
		if err != nil || write(m) != want {
			t.Fatalf("from columns, error %v:\n%swant:\n%s", err, write(m), want)
		}
	})
}

// TestColumnsOfManyTransitions has enough of them for several workers.
func TestColumnsOfManyTransitions(t *testing.T) {
	const states, transitions = 1000, 300_000
	var added []lts.Transition
	for i := range transitions {
		added = append(added, lts.Transition{From: lts.State(i * 7919 % states), Label: lts.Label(i % 3), To: lts.State(i / 300)})
	}
	want := build(t, 7, states, added)
	for _, workers := range []int{1, 2, 3, 7} {
		m, err := lts.FromColumns(context.Background(), 7, states, abc(t), columnsOf(added), workers)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(slices.Collect(m.Transitions()), added) {
			t.Errorf("%d workers: another order", workers)
		}
		for s := range lts.State(states) {
			labels, targets := m.Out(s)
			wantLabels, wantTargets := want.Out(s)
			if !slices.Equal(slices.Collect(labels.All()), slices.Collect(wantLabels.All())) || !slices.Equal(targets, wantTargets) {
				t.Fatalf("%d workers: another row %d", workers, s)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if m, err := lts.FromColumns(ctx, 7, states, abc(t), columnsOf(added), 2); m != nil || err != context.Canceled {
		t.Errorf("%v, error %v", m, err)
	}
}

func TestRowsGiveWhatABuilderGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states, transitions := drawTransitions(t)
		slices.SortStableFunc(transitions, func(a, b lts.Transition) int { return int(a.From) - int(b.From) })
		rows := make([]uint32, states+1)
		for _, tr := range transitions {
			for s := int(tr.From) + 1; s <= states; s++ {
				rows[s]++
			}
		}
		c := columnsOf(transitions)
		m, err := lts.FromRows(0, abc(t), rows, c.Labels, c.Targets)
		if want := write(build(t, 0, states, transitions)); err != nil || write(m) != want {
			t.Fatalf("from rows, error %v:\n%swant:\n%s", err, write(m), want)
		}
	})
}

func TestFromRowsRefuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		initial lts.State
		rows    []uint32
		labels  []lts.Label
		targets []lts.State
		want    string
	}{
		{"nothing", 0, nil, nil, nil, "at least one state"},
		{"no states", 0, []uint32{0}, nil, nil, "at least one state"},
		{"initial", 1, []uint32{0, 0}, nil, nil, "initial state 1 is not below"},
		{"label", 0, []uint32{0, 1}, []lts.Label{3}, []lts.State{0}, "label number 3 of 3"},
		{"target", 0, []uint32{0, 1}, []lts.Label{0}, []lts.State{1}, "mentions state 1"},
		{"lengths", 0, []uint32{0, 1}, []lts.Label{0}, nil, "1 labels, but 0 targets"},
		{"first row", 0, []uint32{1, 1}, []lts.Label{0}, []lts.State{0}, "the row of state 0 begins with transition 1"},
		{"descent", 0, []uint32{0, 1, 0, 1}, []lts.Label{0}, []lts.State{0}, "the row of state 2 begins with transition 0, the one before with 1"},
		{"too few", 0, []uint32{0, 0}, []lts.Label{0}, []lts.State{0}, "rows for 0 transitions, but 1 labels"},
		{"too many", 0, []uint32{0, 2}, []lts.Label{0}, []lts.State{0}, "rows for 2 transitions, but 1 labels"},
	} {
		var labels lts.LabelColumn
		for _, l := range c.labels {
			labels.Append(l)
		}
		if m, err := lts.FromRows(c.initial, abc(t), c.rows, labels, c.targets); m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, error %v, want one with %q", c.name, m, err, c.want)
		}
	}
}

func TestFromColumnsRefuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		initial lts.State
		states  int
		columns lts.Columns
		want    string
	}{
		{"no states", 0, 0, lts.Columns{}, "at least one state"},
		{"too many states", 0, lts.MaxStates + 1, lts.Columns{}, "at most 4294967295"},
		{"initial", 2, 2, lts.Columns{}, "initial state 2 is not below"},
		{"source", 0, 1, columnsOf([]lts.Transition{{From: 1}}), "mentions state 1"},
		{"target", 0, 1, columnsOf([]lts.Transition{{To: 1}}), "mentions state 1"},
		{"label", 0, 1, columnsOf([]lts.Transition{{Label: 3}}), "label number 3 of 3"},
		{"lengths", 0, 1, lts.Columns{Sources: []uint32{0}}, "1 sources, but 0 labels"},
	} {
		if m, err := lts.FromColumns(context.Background(), c.initial, c.states, abc(t), c.columns, 1); m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, error %v, want one with %q", c.name, m, err, c.want)
		}
	}
}

func TestAlphabetBuilderNumbersInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[ab]{0,5}`), 0, 200).Draw(t, "texts")
		var (
			b    lts.AlphabetBuilder
			want []string
		)
		for i, text := range texts {
			known := slices.Index(want, text)
			if known < 0 {
				known = len(want)
				want = append(want, text)
			}
			bytes := []byte(text)
			var l lts.Label
			if i%2 == 0 {
				l = b.LabelBytes(bytes)
				clear(bytes)
			} else {
				l = b.Label(text)
			}
			if int(l) != known || b.Text(l) != text || b.Len() != len(want) {
				t.Fatalf("%q is label %d of %d, want %d of %d", text, l, b.Len(), known, len(want))
			}
		}
		a := b.Build()
		if a.Len() != len(want) || b.Len() != 0 {
			t.Fatalf("%d labels, and %d left; want %d", a.Len(), b.Len(), len(want))
		}
		for l, text := range a.All() {
			if found, ok := a.Lookup(text); want[l] != text || !ok || found != l || a.Text(l) != text {
				t.Fatalf("label %d is %q, found as %d, want %q", l, text, found, want[l])
			}
		}
		if _, ok := a.Lookup("c"); ok {
			t.Fatal("c is no label")
		}
	})
}

func TestAlphabetBuilderKeepsTextsOfAllLengths(t *testing.T) {
	var b lts.AlphabetBuilder
	var want []string
	for n := range 300 {
		text := strings.Repeat(string(rune('a'+n%26)), n*n)
		b.LabelBytes([]byte(text))
		want = append(want, text)
	}
	a := b.Build()
	for l, text := range a.All() {
		if text != want[l] {
			t.Fatalf("label %d has %d bytes, want %d", l, len(text), len(want[l]))
		}
	}
	if found, ok := a.Lookup(want[299]); !ok || found != 299 {
		t.Errorf("the longest one is label %d, %v", found, ok)
	}
}

func TestAlphabetBuilderAllocatesForNewTextsOnly(t *testing.T) {
	var b lts.AlphabetBuilder
	text := []byte("a label")
	b.LabelBytes(text)
	if n := testing.AllocsPerRun(100, func() { b.LabelBytes(text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
