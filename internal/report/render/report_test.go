package render_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/lts"
)

// edge is a transition of a model under test.
type edge struct {
	from  lts.State
	label string
	to    lts.State
}

// model is a model under test with a property.
type model struct {
	name    string
	formula string
	states  int
	edges   []edge
	// fair says which runs count.
	fair []string
}

// hostile holds whatever a label may, and a format may trip over.
var hostile = []string{
	`say "hi", <b>&amp;</b> | x`,
	"\x1b[31mred\x1b[0m",
	"tab\there, back\\slash, \\t",
	"line\nfeed\rreturn\u2028separator",
	"bytes \xff\xc3\x28 no UTF-8",
	"bidi \u202etxt.exe\u2069 zero\u200bwidth",
	"a`b``c`",
	" 日本語 émoji 🙂 ",
	"",
}

func models() []model {
	trap := model{name: "hostile", formula: `Inev("never")`, states: len(hostile)}
	for i, label := range hostile {
		trap.edges = append(trap.edges, edge{lts.State(i), label, lts.State((i + 1) % len(hostile))})
	}
	return []model{
		{"figure2", "Inev(A, B, C)", 6, []edge{{0, "A", 1}, {1, "X", 2}, {2, "B", 3}, {3, "C", 1}, {2, "Y", 4}, {3, "C", 5}}, nil},
		{"lasso", "Inev(START, {STOP, HALT})", 5, []edge{
			{0, "START", 1}, {1, "WORK", 2}, {2, "REST", 1}, {2, "STOP", 3}, {2, "FAIL", 4}, {1, "HALT", 3}, {4, "FAIL", 4}}, nil},
		{"satisfied", "Inev(A, B)", 3, []edge{{0, "A", 1}, {1, "B", 0}, {2, "UNREACHABLE", 0}}, nil},
		{"nothing", "Inev(A)", 1, nil, nil},
		// The sources do not ascend, and one label leads to different states.
		{"unordered", `Inev("PUT !1")`, 4, []edge{{2, "i", 2}, {1, "PUT !1", 3}, {0, "CHOOSE", 2}, {0, "CHOOSE", 1}, {1, "i", 0}}, nil},
		trap,
		// A run that does LOSE forever does not count.
		{name: "excluded", formula: "Inev(ARRIVE)", states: 5, edges: []edge{
			{0, "ARRIVE", 1}, {0, "LOSE", 2}, {0, "STOP", 3}, {2, "LOSE", 2}, {1, "ON", 4}, {3, "IDLE", 3}, {4, "ON", 4}}, fair: []string{"finitely:LOSE", "weak"}},
	}
}

func (m model) lts(t testing.TB) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for _, e := range m.edges {
		b.Add(e.from, b.Label(e.label), e.to)
	}
	built, err := b.Build(0, m.states)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

func (m model) parsed(t testing.TB) *actl.Formula {
	t.Helper()
	f, err := actl.Parse(context.Background(), m.formula)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (m model) options() explain.Options {
	o := explain.Options{Source: explain.Source{File: m.name + ".aut", Warnings: []string{"a warning"}}}
	for _, text := range m.fair {
		a, err := actl.ParseAssumption(context.Background(), text)
		if err != nil {
			panic(err)
		}
		o.Fair = append(o.Fair, a)
	}
	return o
}

// phases stand for the real ones, which differ from run to run.
var phases = []explain.Phase{{Name: "read", Took: 1234567}, {Name: "search", Took: 2 * time.Second}, {Name: "read", Took: 1000}}

func (m model) explained(t testing.TB) *explain.Explanation {
	t.Helper()
	e, err := explain.Explain(context.Background(), m.lts(t), m.parsed(t), m.options())
	if err != nil {
		t.Fatal(err)
	}
	e.Timings = phases
	return e
}

func (m model) checked(t testing.TB) *explain.Explanation {
	t.Helper()
	e, err := explain.Check(context.Background(), m.lts(t), m.parsed(t), m.options())
	if err != nil {
		t.Fatal(err)
	}
	e.Timings = phases
	return e
}

func (m model) analysed(t testing.TB) *explain.Analysis {
	t.Helper()
	a, err := explain.Analyse(context.Background(), m.lts(t), m.parsed(t), m.options())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (m model) described(t testing.TB) *explain.Statistics {
	t.Helper()
	s, err := explain.Describe(context.Background(), m.lts(t), []string{"i", "tau"}, "", m.options().Source)
	if err != nil {
		t.Fatal(err)
	}
	s.Timings = phases
	return s
}

func (m model) labels(t testing.TB) *explain.Labels {
	t.Helper()
	l, err := explain.ListLabels(context.Background(), m.lts(t), m.options().Source)
	if err != nil {
		t.Fatal(err)
	}
	l.Timings = phases
	return l
}

// onward stands for the commands that the command gives.
func onward(e *explain.Explanation) (toEach, apart []string) {
	toEach = []string{"inev", "path", e.Model.File, e.Property.Text, "--to", "each"}
	if e.IsUnfolded() {
		toEach = append(toEach, "--unfold")
	}
	return toEach, []string{"inev", "explain", e.Model.File, e.Property.Text, "--unfold"}
}

func newWriter(t testing.TB, format string, o render.Options) render.Writer {
	t.Helper()
	o.Onward = onward
	w, err := render.New(format, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (m model) found(t testing.TB) *explain.Neighbourhoods {
	t.Helper()
	found, err := m.analysed(t).Neighbourhoods(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// results are all that a Writer can write about a model.
func (m model) results(t testing.TB, r render.Writer) map[string]func(io.Writer) error {
	all := map[string]func(io.Writer) error{
		"explanation":    func(w io.Writer) error { return r.Explanation(w, m.explained(t)) },
		"check":          func(w io.Writer) error { return r.Explanation(w, m.checked(t)) },
		"statistics":     func(w io.Writer) error { return r.Statistics(w, m.described(t)) },
		"labels":         func(w io.Writer) error { return r.Labels(w, m.labels(t)) },
		"gates":          func(w io.Writer) error { return r.Labels(w, m.labels(t).ByGate()) },
		"states":         func(w io.Writer) error { return r.States(w, m.analysed(t)) },
		"transitions":    func(w io.Writer) error { return r.Transitions(w, m.analysed(t)) },
		"neighbourhoods": func(w io.Writer) error { return r.Neighbourhoods(w, m.analysed(t), m.found(t)) },
		"formula":        func(w io.Writer) error { return r.Formula(context.Background(), w, m.parsed(t)) },
	}
	// A formula is one line.
	if n := len(m.edges); n > 0 && !strings.Contains(m.edges[n-1].label, "\n") {
		state := m.edges[0].from
		all["why"] = func(w io.Writer) error { return r.WhyNot(w, m.whyNot(t, nil)) }
		all["why-state"] = func(w io.Writer) error { return r.WhyNot(w, m.whyNot(t, &state)) }
	}
	return all
}

// whyNot asks why the label of the model's last transition did not happen.
func (m model) whyNot(t testing.TB, state *lts.State) *explain.WhyNot {
	t.Helper()
	action, err := actl.Parse(context.Background(), "Inev("+actl.Quoted(m.edges[len(m.edges)-1].label)+")")
	if err != nil {
		t.Fatal(err)
	}
	y, err := explain.Why(context.Background(), m.lts(t), m.parsed(t), explain.WhyQuestion{Not: action, State: state}, m.options())
	if err != nil {
		t.Fatal(err)
	}
	y.Timings = phases
	return y
}

var suffixes = map[string]string{"text": "txt", "json": "json", "tsv": "tsv", "markdown": "md"}

func TestGolden(t *testing.T) {
	files := golden.All(t, "testdata/*/*.txt", "testdata/*/*.md", "testdata/*/*.json", "testdata/*/*.tsv")
	for _, m := range models() {
		for _, format := range render.Formats() {
			for result, write := range m.results(t, newWriter(t, format, render.Options{})) {
				t.Run(m.name+"/"+result+"/"+format, func(t *testing.T) {
					var b bytes.Buffer
					if err := write(&b); err != nil {
						t.Fatal(err)
					}
					files.Check(t, filepath.Join("testdata", m.name, result+"."+suffixes[format]), b.Bytes())
				})
			}
		}
	}
}

// limited fails once it has taken so many bytes, as a pipe does that nobody reads
// any more.
type limited struct {
	left   int
	failed int
}

var errLimit = errors.New("broken pipe")

func (l *limited) Write(data []byte) (int, error) {
	if len(data) > l.left {
		l.failed++
		return l.left, errLimit
	}
	l.left -= len(data)
	return len(data), nil
}

func TestErrorsOfTheWriterAreReturned(t *testing.T) {
	m := models()[0]
	for _, format := range render.Formats() {
		for result, write := range m.results(t, newWriter(t, format, render.Options{})) {
			t.Run(result+"/"+format, func(t *testing.T) {
				if err := write(&limited{}); !errors.Is(err, errLimit) {
					t.Errorf("error %v, want that of the writer", err)
				}
			})
		}
	}
}

// TestWritersStop looks at models whose results exceed every buffer: after an
// error, nothing more may be tried.
func TestWritersStop(t *testing.T) {
	const states = 5000
	long := model{name: "long", formula: "Inev(END)", states: states}
	for i := range lts.State(states - 1) {
		long.edges = append(long.edges, edge{i, "CONTINUE", i + 1}, edge{i, "END", states - 1})
	}
	for _, format := range render.Formats() {
		r := newWriter(t, format, render.Options{Full: true})
		for result, write := range map[string]func(io.Writer) error{
			"explanation": func(w io.Writer) error { return r.Explanation(w, long.explained(t)) },
			"states":      func(w io.Writer) error { return r.States(w, long.analysed(t)) },
			"transitions": func(w io.Writer) error { return r.Transitions(w, long.analysed(t)) },
		} {
			t.Run(result+"/"+format, func(t *testing.T) {
				pipe := &limited{left: 10}
				if err := write(pipe); !errors.Is(err, errLimit) {
					t.Errorf("error %v, want that of the writer", err)
				}
				if pipe.failed != 1 {
					t.Errorf("%d writes after the pipe broke", pipe.failed-1)
				}
			})
		}
	}
}

func TestLabelsAreSafeForPeople(t *testing.T) {
	for _, m := range models() {
		for _, format := range []string{"text", "markdown"} {
			for result, write := range m.results(t, newWriter(t, format, render.Options{Full: true})) {
				var b strings.Builder
				if err := write(&b); err != nil {
					t.Fatal(err)
				}
				for i, line := range strings.Split(b.String(), "\n") {
					if printable.Text(line) != line {
						t.Errorf("%s of %s as %s: line %d is not printable: %q", result, m.name, format, i+1, line)
					}
				}
			}
		}
	}
}

// TestTheSlowestRunKeepsItsBlanks: the table of the slowest run has labels as they are.
func TestTheSlowestRunKeepsItsBlanks(t *testing.T) {
	m := model{name: "slow", formula: "Inev(PUT)", states: 3, edges: []edge{{0, "GO ON !1", 1}, {1, "PUT !2 !3", 2}}}
	for format, want := range map[string]string{"text": "      2      1  PUT !2 !3\n", "markdown": "| 2 | 1 | `PUT !2 !3` |  |\n"} {
		var b strings.Builder
		if err := newWriter(t, format, render.Options{}).Explanation(&b, m.explained(t)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in %q", want, b.String())
		}
	}
}

func TestLongLabelsAreCutUnlessFull(t *testing.T) {
	label := strings.Repeat("é", 70) + "END"
	m := model{name: "long", formula: "Inev(A)", states: 2, edges: []edge{{0, label, 1}}}
	for _, format := range []string{"text", "markdown"} {
		for _, full := range []bool{false, true} {
			var b strings.Builder
			if err := newWriter(t, format, render.Options{Full: full}).Transitions(&b, m.analysed(t)); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(b.String(), label) != full || strings.Contains(b.String(), "é…") == full {
				t.Errorf("%s with Full = %v:\n%s", format, full, b.String())
			}
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	_, err := render.New("yaml", render.Options{})
	if want := `there is no output format "yaml"; choose one of text, json, tsv, markdown`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
