package render_test

import (
	"context"
	"regexp"
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

// longRuns draws an explanation of a model with long runs of few labels: a chain
// that ends, or leads back, with ways off it here and there.
func longRuns(t *rapid.T, formula string, labels ...string) *explain.Explanation {
	label := rapid.SampledFrom(labels)
	var b lts.Builder
	chain := lts.State(0)
	for range rapid.IntRange(1, 6).Draw(t, "stretches") {
		repeated := b.Label(label.Draw(t, "label"))
		for range rapid.IntRange(1, 12).Draw(t, "repeated") {
			b.Add(chain, repeated, chain+1)
			chain++
		}
	}
	end := chain + 1
	if rapid.Bool().Draw(t, "loops") {
		b.Add(chain, b.Label(label.Draw(t, "last")), lts.State(rapid.IntRange(0, int(chain)).Draw(t, "back to")))
	}
	for range rapid.IntRange(0, 3).Draw(t, "ways off") {
		from := lts.State(rapid.IntRange(0, int(chain)).Draw(t, "from"))
		b.Add(from, b.Label(label.Draw(t, "off")), end)
		b.Add(end, b.Label("B"), end)
	}
	m, err := b.Build(0, int(end)+1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), m, f, explain.Options{Source: explain.Source{File: "m.aut"}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var (
	textRow     = regexp.MustCompile(`^ (.) +(\d+)(?:–(\d+))? +(\d+)  (\S+)(?: ×(\d+))?(?:  +(.*))?$`)
	markdownRow = regexp.MustCompile("^\\| (\\d+)(?:–(\\d+))? \\| (\\d+) \\| `(\\S+)`(?: ×(\\d+))? \\| (.*)\\|$")
	leftOutRow  = regexp.MustCompile(`… (\d+) steps?( hidden)?$|^\| … \| \| \*(\d+) steps?( hidden)?\* \|`)
)

// shownRow is what a row of a table says.
type shownRow struct {
	first, last, state int
	label              string
	times              int
	said               string
	without            bool // no label: steps left out
	hidden             bool
}

// shownRows reads a table of steps back, text or Markdown.
func shownRows(t *rapid.T, table string) (rows []shownRow) {
	atoi := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%q is not a number", text)
		}
		return n
	}
	at := 0
	for _, line := range strings.Split(table, "\n") {
		var r shownRow
		if p := leftOutRow.FindStringSubmatch(line); p != nil {
			n := atoi(p[1] + p[3])
			r = shownRow{first: at + 1, last: at + n, times: n, without: true, hidden: p[2]+p[4] != ""}
		} else {
			parts := textRow.FindStringSubmatch(line)
			if parts != nil {
				parts = parts[1:]
			} else {
				parts = markdownRow.FindStringSubmatch(line)
			}
			if parts == nil {
				continue
			}
			r = shownRow{first: atoi(parts[1]), state: atoi(parts[3]), label: parts[4], times: 1, said: parts[6]}
			if r.last = r.first; parts[2] != "" {
				r.last, r.times = atoi(parts[2]), atoi(parts[5])
			}
		}
		rows = append(rows, r)
		at = r.last
	}
	return rows
}

// TestStepsAreFoldedAndHidden reads tables back: no step is lost, those that matter
// have a row of their own, what is folded or hidden is what may be, and all of it.
func TestStepsAreFoldedAndHidden(t *testing.T) {
	hide, err := actl.Parse(context.Background(), "Inev(tau)")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		formula := rapid.SampledFrom([]string{"Inev(A, B)", "Inev(B)", "Inev(A, A, tau, B)", "Inev(never)"}).Draw(t, "formula")
		e := longRuns(t, formula, "A", "tau", "work")
		if e.Counterexample == nil {
			t.Skip("satisfied")
		}
		o := render.Options{Full: rapid.Bool().Draw(t, "full")}
		hides := rapid.Bool().Draw(t, "hide")
		if hides {
			o.Hide = hide.Steps()
		}
		format := rapid.SampledFrom([]string{"text", "markdown"}).Draw(t, "format")
		r, err := render.New(format, o)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := r.Explanation(&b, e); err != nil {
			t.Fatal(err)
		}
		table, _, _ := strings.Cut(b.String(), "Decisions\n")
		table, _, _ = strings.Cut(table, "Nothing is decided")
		table, _, _ = strings.Cut(table, "At no state")
		checkRows(t, e, o, hides, shownRows(t, table), table)
	})
}

func checkRows(t *rapid.T, e *explain.Explanation, o render.Options, hides bool, rows []shownRow, table string) {
	steps := e.Counterexample.Steps
	before := 0
	matters := make([]bool, len(steps))
	for i, step := range steps {
		matters[i] = step.Progress > before || i == len(steps)-1 && e.Counterexample.LoopStart >= 0 ||
			e.PointOfNoReturn != nil && int(e.PointOfNoReturn.Step) == i
		before = step.Progress
	}
	for _, d := range e.Decisions {
		matters[d.Step] = true
	}
	for _, late := range e.Counterexample.Late {
		matters[late.Step] = true
	}
	at := 0
	elided := false
	for _, r := range rows {
		if r.first != at+1 || r.times != r.last-r.first+1 || r.last > len(steps) {
			t.Fatalf("after %d steps comes %+v:\n%s", at, r, table)
		}
		at = r.last
		elided = elided || r.without && !r.hidden
		for i := r.first - 1; i < r.last; i++ {
			switch {
			case matters[i] && r.times > 1, matters[i] && r.without, i == int(e.Counterexample.LoopStart) && i > r.first-1:
				t.Fatalf("step %d is not shown by itself:\n%s", i+1, table)
			case !r.without && r.label != steps[i].Label:
				t.Fatalf("step %d is %s:\n%s", i+1, steps[i].Label, table)
			case r.hidden && (!hides || steps[i].Label != "tau"):
				t.Fatalf("step %d, %s, is hidden:\n%s", i+1, steps[i].Label, table)
			case hides && !matters[i] && !r.without && steps[i].Label == "tau":
				t.Fatalf("step %d is not hidden:\n%s", i+1, table)
			}
		}
		if !r.without && r.state != int(steps[r.first-1].From) || matters[r.first-1] && r.said == "" {
			t.Fatalf("%+v:\n%s", r, table)
		}
		if o.Full && (r.times > 1 && !r.hidden) {
			t.Fatalf("folded or left out though all is asked for: %+v:\n%s", r, table)
		}
	}
	if at != len(steps) {
		t.Fatalf("%d of %d steps:\n%s", at, len(steps), table)
	}
	if o.Full || elided {
		return
	}
	for i := 2; i < len(rows); i++ {
		three := rows[i-2 : i+1]
		if !slices.ContainsFunc(three, func(r shownRow) bool {
			return r.without || r.label != rows[i].label || matters[r.first-1]
		}) && three[1].first-1 != int(e.Counterexample.LoopStart) && three[2].first-1 != int(e.Counterexample.LoopStart) {
			t.Fatalf("steps %d to %d are not folded:\n%s", rows[i-2].first, rows[i].last, table)
		}
	}
}

// TestTextKeepsToItsWidth draws labels of narrow and wide characters: no line is
// wider than asked for, and breaking lines changes no word of the text.
func TestTextKeepsToItsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := longRuns(t, "Inev(A, B)", "A", "時刻 !1", "émigré", "x y", "work")
		width := rapid.IntRange(50, 130).Draw(t, "width")
		written := func(o render.Options) string {
			r, err := render.New("text", o)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := r.Explanation(&b, e); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		narrow := written(render.Options{Width: width})
		lines := strings.Split(narrow, "\n")
		for i, line := range lines {
			cells := 0
			for _, r := range line {
				if cells++; r == '時' || r == '刻' {
					cells++
				}
			}
			if cells > width {
				t.Fatalf("%d cells, want %d: %s", cells, width, line)
			}
			next := ""
			if i+1 < len(lines) {
				next = strings.TrimLeft(lines[i+1], " │╭╰")
			}
			if strings.HasSuffix(line, "時刻") && strings.HasPrefix(next, "!1") || strings.HasSuffix(line, " x") && strings.HasPrefix(next, "y") {
				t.Fatalf("a label is broken: %s", line)
			}
		}
		words := func(text string) []string { return strings.Fields(strings.ReplaceAll(text, "│", "")) }
		if !slices.Equal(words(narrow), words(written(render.Options{Width: 10_000}))) {
			t.Fatalf("other words than in one line:\n%s", narrow)
		}
		if written(render.Options{}) != written(render.Options{Width: 80}) {
			t.Fatal("the width is not 80 where none is given")
		}
	})
}

// TestColumnsStandBelowEachOther where labels have wide characters: in cells, as a
// terminal shows them, not in characters.
func TestColumnsStandBelowEachOther(t *testing.T) {
	m := model{name: "wide", formula: "Inev(A, 時刻)", states: 3, edges: []edge{{0, "A", 1}, {1, "時刻待", 2}, {2, "時刻待", 1}, {1, "時刻", 0}}}
	var b strings.Builder
	if err := newWriter(t, "text", render.Options{}).Explanation(&b, m.explained(t)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n      1      0  A       1 of 2 done\n",
		"\n ╭    2      1  時刻待  decision\n",
		"\n ╰    3      2  時刻待  back to state 1\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}

// TestLongLabelsLeaveRoom: what is to be said about a step with a long label stands
// below it, inside the loop's bracket, and long labels are cut.
func TestLongLabelsLeaveRoom(t *testing.T) {
	long := strings.Repeat("long", 20)
	m := model{name: "long", formula: "Inev(A, B)", states: 3, edges: []edge{{0, "A", 1}, {1, long, 2}, {2, "x", 1}, {1, "B", 0}}}
	var b strings.Builder
	if err := newWriter(t, "text", render.Options{Width: 60}).Explanation(&b, m.explained(t)); err != nil {
		t.Fatal(err)
	}
	want := "\n ╭    2      1  " + long[:43] + "…\n │" + strings.Repeat(" ", 18) + "decision\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("no\n%s\nin:\n%s", want, b.String())
	}
}

// TestWhatMattersIsNotFaint: remarks are set at least as strongly as their labels.
func TestWhatMattersIsNotFaint(t *testing.T) {
	var b strings.Builder
	if err := newWriter(t, "text", render.Options{Color: true}).Explanation(&b, models()[0].explained(t)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\x1b[1m\x1b[31mdecision, point of no return\x1b[0m", "\x1b[32m1 of 3 done\x1b[0m"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %q", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b[2m1 of 3") {
		t.Error("a remark is dim")
	}
}

// TestStepsAfterTheVerdict: what follows a step that decides, and only leads on to the end of the run,
// is counted in the table, and shown in full.
func TestStepsAfterTheVerdict(t *testing.T) {
	for text, decides := range map[string]lts.State{"X B": 1, "X X X B": 3} {
		var b lts.Builder
		for s, label := range []string{"A", "C", "D", "E", "F"} {
			b.Add(lts.State(s), b.Label(label), lts.State(s+1))
		}
		b.Add(decides, b.Label("B"), 5)
		m, err := b.Build(0, 6)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explainedText(m, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, full := range []bool{false, true} {
			var said strings.Builder
			w, err := render.New("text", render.Options{Full: full})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Explanation(&said, e); err != nil {
				t.Fatal(err)
			}
			if cut := strings.Contains(said.String(), "… "); cut != (!full && text == "X B") {
				t.Errorf("%s, in full: %t:\n%s", text, full, &said)
			}
		}
	}
}
