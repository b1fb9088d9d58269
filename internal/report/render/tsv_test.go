package render_test

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/lts"
)

// parseTSV reads a table as its documentation says that it is to be read.
func parseTSV(t interface{ Fatalf(string, ...any) }, table string) (header []string, rows [][]string) {
	lines := strings.Split(table, "\n")
	if lines[len(lines)-1] != "" {
		t.Fatalf("the last line has no line feed: %q", table)
	}
	for i, line := range lines[:len(lines)-1] {
		cells := strings.Split(line, "\t")
		if i == 0 {
			header = cells
			continue
		}
		if len(cells) != len(header) {
			t.Fatalf("line %d has %d cells, the header has %d: %q", i+1, len(cells), len(header), line)
		}
		for j := range cells {
			cells[j] = unescape(t, cells[j])
		}
		rows = append(rows, cells)
	}
	return header, rows
}

func unescape(t interface{ Fatalf(string, ...any) }, cell string) string {
	var b strings.Builder
	for i := 0; i < len(cell); i++ {
		if cell[i] != '\\' {
			b.WriteByte(cell[i])
			continue
		}
		if i++; i == len(cell) {
			t.Fatalf("a backslash ends the cell %q", cell)
		}
		if cell[i] == 'x' && i+2 < len(cell) {
			c, err := strconv.ParseUint(cell[i+1:i+3], 16, 8)
			if err != nil || c >= ' ' && c != 0x7f {
				t.Fatalf("a wrong escape in %q: %v", cell, err)
			}
			b.WriteByte(byte(c))
			i += 2
			continue
		}
		escaped, known := map[byte]byte{'\\': '\\', 't': '\t', 'n': '\n', 'r': '\r'}[cell[i]]
		if !known {
			t.Fatalf("unknown escape in %q", cell)
		}
		b.WriteByte(escaped)
	}
	return b.String()
}

// TestTransitionsReadBack draws models with any labels: what is read back from
// the table are the reachable transitions in the order of addition.
func TestTransitionsReadBack(t *testing.T) {
	formula, err := actl.Parse(context.Background(), "Inev(A)")
	if err != nil {
		t.Fatal(err)
	}
	r := newWriter(t, "tsv", render.Options{})
	rapid.Check(t, func(t *rapid.T) {
		const states = 5
		state := rapid.Map(rapid.IntRange(0, states-1), func(s int) lts.State { return lts.State(s) })
		label := rapid.OneOf(
			rapid.SampledFrom(append([]string{"A", `\`, `\t`, `\\`, "\t", "\r\n"}, hostile...)),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 6), func(b []byte) string { return string(b) }))
		var b lts.Builder
		for range rapid.IntRange(0, 15).Draw(t, "transitions") {
			b.Add(state.Draw(t, "from"), b.Label(label.Draw(t, "label")), state.Draw(t, "to"))
		}
		m, err := b.Build(state.Draw(t, "initial"), states)
		if err != nil {
			t.Fatal(err)
		}
		a, err := explain.Analyse(context.Background(), m, formula, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var table bytes.Buffer
		if err := r.Transitions(&table, a); err != nil {
			t.Fatal(err)
		}
		header, rows := parseTSV(t, table.String())
		if !slices.Equal(header, []string{"from", "label", "to", "class"}) {
			t.Fatalf("header %q", header)
		}
		var want [][]string
		for tr := range m.Transitions() {
			if m.Reachable().Has(tr.From) {
				want = append(want, []string{strconv.Itoa(int(tr.From)), m.Alphabet().Text(tr.Label), strconv.Itoa(int(tr.To)),
					a.Classification.Class(tr.From, tr.Label, tr.To).String()})
			}
		}
		if !slices.EqualFunc(rows, want, slices.Equal) {
			t.Fatalf("rows %q, want %q", rows, want)
		}
	})
}

func TestStatesReadBack(t *testing.T) {
	r := newWriter(t, "tsv", render.Options{})
	for _, m := range models() {
		a := m.analysed(t)
		var table bytes.Buffer
		if err := r.States(&table, a); err != nil {
			t.Fatal(err)
		}
		header, rows := parseTSV(t, table.String())
		if !slices.Equal(header, []string{"state", "scc", "depth", "mp", "cp", "ms", "cs"}) {
			t.Fatalf("header %q", header)
		}
		at := 0
		e, _ := a.Fates.Enriched()
		for i := range m.states {
			s := lts.State(i)
			c, reachable := a.Components.Of(s)
			if !reachable {
				continue
			}
			var want []string
			for _, n := range []int{i, int(c), a.Components.Depth(c), e.MP(s), e.CP(s), e.MS(s), e.CS(s)} {
				want = append(want, strconv.Itoa(n))
			}
			if at >= len(rows) || !slices.Equal(rows[at], want) {
				t.Fatalf("%s: row %d of %q, want %q", m.name, at, rows, want)
			}
			at++
		}
		if at != len(rows) {
			t.Errorf("%s: %d rows, want %d", m.name, len(rows), at)
		}
	}
}

// TestTransitionsDoNotAllocate looks at twice as many rows with the same labels.
// A few allocations more are those of pools, which the race detector empties.
func TestTransitionsDoNotAllocate(t *testing.T) {
	analysed := func(states lts.State) *explain.Analysis {
		m := model{name: "chain", formula: "Inev(A)", states: int(states)}
		for i := range states - 1 {
			m.edges = append(m.edges, edge{i, "B\t", i + 1})
		}
		return m.analysed(t)
	}
	for _, format := range render.Formats() {
		r := newWriter(t, format, render.Options{})
		allocations := func(a *explain.Analysis) float64 {
			return testing.AllocsPerRun(3, func() {
				if err := r.Transitions(&limited{left: 1 << 30}, a); err != nil {
					t.Fatal(err)
				}
			})
		}
		if few, many := allocations(analysed(1000)), allocations(analysed(2000)); many > few+200 {
			t.Errorf("%s: %v allocations for 1000 rows, %v for 2000", format, few, many)
		}
	}
}
