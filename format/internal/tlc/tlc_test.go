package tlc_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/format/internal/tlc"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

func read(text string, o tlc.Options) (*tlc.Model, []string, error) {
	o.Name, o.States = "m.dot", true
	return tlc.Read(context.Background(), strings.NewReader(text), o)
}

// graph is a file with these statements.
func graph(statements ...string) string {
	return "strict digraph DiskGraph {\nnode [shape=box,style=rounded]\nnodesep=0.35;\nsubgraph cluster_graph {\ncolor=\"white\";\n" +
		strings.Join(statements, "\n") + "\n{rank = same; 1;2;}\n}\n}"
}

// initial, state and step are statements as TLC writes them.
func initial(fp int, label string) string {
	return fmt.Sprintf(`%d [label="%s",style = filled]`, fp, label)
}
func state(fp int, label string) string {
	return fmt.Sprintf(`%d [label="%s",tooltip="%s"];`, fp, label, label)
}
func step(from int, action string, to int) string {
	return fmt.Sprintf(`%d -> %d [label="%s",color="black",fontcolor="black"];`, from, to, action)
}

// told is a model as .aut in one line, and the values of its states.
func told(t *testing.T, m *tlc.Model) string {
	t.Helper()
	var b strings.Builder
	if _, err := aut.Write(&b, m.LTS); err != nil {
		t.Fatal(err)
	}
	for s := range lts.State(m.LTS.NumStates()) {
		fmt.Fprintf(&b, "%d:", s)
		for p := range m.States.NumParameters() {
			if v := m.States.Value(s, p); m.States.Known(s) {
				fmt.Fprintf(&b, " %s = %s", m.States.Parameter(p).Name, m.States.Text(p, v))
			}
		}
		b.WriteString("\n")
	}
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", "; ")
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"one variable, values with escapes": {graph(initial(-7, `x = 0`), step(-7, `Say(\"a\\\\b\")`, 1), state(1, `x = \"a\\\\b\\n\\\"\"`)),
			`des (0, 1, 2); (0, "Say("a\\b")", 1); 0: x = 0; 1: x = "a\\b\n\""`},
		"equal lines are one transition, parallel ones are several": {graph(initial(1, `x = 0`), step(1, "A", 1), step(1, "A", 1), step(1, "B", 1)),
			`des (0, 2, 1); (0, "A", 0); (0, "B", 0); 0: x = 0`},
		"long values": {graph(initial(1, `/\\ x = << 1,\n   2 >>\n/\\ y = 3`)), `des (0, 0, 1); 0: x = << 1, 2 >> y = 3`},
		"several initial states": {graph(initial(1, `x = 0`), initial(2, `x = 1`), step(1, "A", 2)),
			`des (2, 3, 3); (0, "A", 1); (2, "Init", 0); (2, "Init", 1); 0: x = 0; 1: x = 1; 2:`},
		"stuttering is no step": {graph(initial(1, `x = 0`), `1 -> 1 [style="dashed",color="lightgray"];`), `des (0, 0, 1); 0: x = 0`},
		"an action in two lines": {graph(initial(1, `x = 0`), step(1, "A(1,\n 2)", 1)),
			`des (0, 1, 1); (0, "A(1, 2)", 0); 0: x = 0`},
		"a legend": {strings.TrimSuffix(graph(initial(1, `x = 0`), step(1, "A", 1)), "}") +
			"subgraph cluster_legend {graph[style=bold];label = \"Next State Actions\" style=\"solid\"\nnode [ labeljust=\"l\" ]\nA [label=\"A\",fillcolor=2]\n}}",
			`des (0, 1, 1); (0, "A", 0); 0: x = 0`},
		"an alias": {graph(initial(1, `y = 0`), step(1, "A", 2), `2 [label="y = 1",tooltip="/\\ x = 1\n/\\ z = 2"];`),
			`des (0, 1, 2); (0, "A", 1); 0:; 1: x = 1 z = 2`},
		"variables in another order": {graph(initial(1, `/\\ x = 0\n/\\ y = 1`), step(1, "A", 2), state(2, `/\\ y = 2\n/\\ x = 3`)),
			`des (0, 1, 2); (0, "A", 1); 0: y = 1 x = 0; 1: y = 2 x = 3`},
		"other ends of lines": {strings.ReplaceAll(graph(initial(1, `x = 0`)), "\n", "\r\n"), `des (0, 0, 1); 0: x = 0`},
	} {
		m, warnings, err := read(c.text, tlc.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name != "an alias" && len(warnings) > 0 {
			t.Errorf("%s: warnings %q", name, warnings)
		}
		if got := told(t, m); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestWarnings(t *testing.T) {
	outside := `2 [label="x = 1",tooltip="x = 1",style = filled, fillcolor=lightyellow];`
	for want, c := range map[string]struct {
		text    string
		lenient bool
	}{
		"m.dot: 1 steps have no action, and are called Next: make the graph with -dump dot,actionlabels FILE.dot":        {graph(initial(1, "x = 0"), step(1, "", 1)), false},
		"m.dot:6: states have other variables than the first that was met, as under an ALIAS: their values are left out": {graph(initial(1, `y = 0`), step(1, "A", 2), state(2, `x = 1`)), false},
		"m.dot: 1 state outside of the constraints of the model is taken for a deadlock, since its steps are unknown":    {graph(initial(1, "x = 0"), step(1, "A", 2), outside), true},
	} {
		_, warnings, err := read(c.text, tlc.Options{Lenient: c.lenient})
		if err != nil || !slices.Equal(warnings, []string{want}) {
			t.Errorf("got %v, %q, want %s", err, warnings, want)
		}
	}
}

// TestStatesOutsideOfConstraints: TLC declares such a state for each step that leads there; one that another step leads to inside is inside.
func TestStatesOutsideOfConstraints(t *testing.T) {
	outside := func(n int, text string) string {
		return fmt.Sprintf(`%d [label="%s",tooltip="%[2]s",style = filled, fillcolor=lightyellow];`, n, text)
	}
	inside := func(n int, text string) string { return fmt.Sprintf(`%d [label="%s",tooltip="%[2]s"];`, n, text) }
	for text, want := range map[string]int{
		graph(initial(1, "x = 0"), step(1, "A", 2), outside(2, "x = 1"), step(1, "B", 2), outside(2, "x = 1")):                      1,
		graph(initial(1, "x = 0"), step(1, "A", 2), outside(2, "x = 1"), step(1, "B", 2), inside(2, "x = 1"), step(2, "A", 1)):      0,
		graph(initial(1, "x = 0"), step(1, "A", 2), inside(2, "x = 1"), step(1, "B", 2), outside(2, "x = 1"), step(2, "A", 1)):      0,
		graph(initial(1, "x = 0"), step(1, "A", 2), outside(2, "x = 1"), step(1, "B", 3), outside(3, "x = 2"), outside(2, "x = 1")): 2,
		graph(initial(1, "x = 0"), step(1, "A", 1), outside(1, "x = 0"), step(1, "B", 3), outside(3, "x = 2"), outside(3, "x = 2")): 1,
	} {
		m, _, err := read(text, tlc.Options{States: true, Constrained: true})
		if err != nil || len(m.Outside) != want {
			t.Errorf("%s: %v, error %v", text, m, err)
			continue
		}
		if got := m.States.Text(0, m.States.Value(1, 0)); got != "1" && got != "2" {
			t.Errorf("%s: state 1 has %s", text, got)
		}
	}
}

// TestStepsWithoutActions: a step whose action the graph does not have is called Next, whatever attributes its edge has.
func TestStepsWithoutActions(t *testing.T) {
	for _, edge := range []string{step(1, "", 1), "1 -> 1;", `1 -> 1 [label="",color="black",fontcolor="black"];`} {
		m, _, err := read(graph(initial(1, "x = 0"), edge), tlc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := told(t, m), `des (0, 1, 1); (0, "Next", 0); 0: x = 0`; got != want {
			t.Errorf("%s: %s, want %s", edge, got, want)
		}
	}
}

// TestViolatingEdges: with the option constrained, TLC also writes edges that violate a constraint or a part of Next: those between states inside
// are no steps, and those to states outside are.
func TestViolatingEdges(t *testing.T) {
	const violates = "A\nline 9, col 10 to line 9, col 14 of module M"
	outside := func(n int) string {
		return fmt.Sprintf(`%d [label="x = %[1]d",tooltip="x = %[1]d",style = filled, fillcolor=lightyellow];`, n)
	}
	inside := func(n int) string { return fmt.Sprintf(`%d [label="x = %[1]d",tooltip="x = %[1]d"];`, n) }
	for seed := range randomlts.Share(500) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 2 + r.IntN(4)
		lines := []string{initial(0, "x = 0")}
		sources := []int{0}
		declared := map[int]bool{0: true}
		want := map[[2]int]bool{}
		cut := map[[2]int]bool{}
		for range 2 * n {
			from, to := sources[r.IntN(len(sources))], r.IntN(n)
			if r.IntN(2) == 0 {
				lines = append(lines, step(from, violates, to), outside(to))
				cut[[2]int{from, to}] = true
				continue
			}
			lines = append(lines, step(from, "A", to))
			want[[2]int{from, to}] = true
			if !declared[to] {
				lines = append(lines, inside(to))
				declared[to] = true
				sources = append(sources, to)
			}
		}
		for e := range cut {
			want[e] = want[e] || !declared[e[1]]
		}
		text := graph(lines...)
		m, _, err := read(text, tlc.Options{States: true, Constrained: true})
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		got := map[[2]int]bool{}
		number := func(s lts.State) int {
			n, _ := strconv.Atoi(m.States.Text(0, m.States.Value(s, 0)))
			return n
		}
		for e := range m.LTS.Transitions() {
			got[[2]int{number(e.From), number(e.To)}] = true
		}
		for e := range want {
			if want[e] != got[e] {
				t.Fatalf("edge %v: %t, want %t:\n%s", e, got[e], want[e], text)
			}
		}
		for e := range got {
			if !want[e] {
				t.Fatalf("edge %v is no step:\n%s", e, text)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	const make = "make it again without that option, with -dump dot,actionlabels FILE.dot"
	for text, want := range map[string]string{
		"":                         "m.dot:1: empty file: a state graph of TLC begins with strict digraph DiskGraph {",
		"digraph G {\n}\n":         "m.dot:1: this is not a state graph of TLC",
		"digraph DiskGraph {\n}\n": "m.dot:1: this is TLC's graph of states and of the tableau for a property (_liveness.dot)",
		graph(initial(1, "x = 0"), step(1, "A", 2)): "m.dot: 1 states are used but never declared, such as 2: the graph was made with the option strict, which leaves edges out; " + make,
		graph(): "m.dot: the graph has no initial state",
		graph(initial(1, "x = 0"), initial(1, "x = 0")): "m.dot:7: state 1 is declared a second time, after line 6",
		graph(initial(1, "x = 0"), step(1, "A", 2), `2 [label="x = 1",tooltip="x = 1",style = filled, fillcolor=lightyellow];`): "m.dot:8: state 2 (x = 1) lies outside of the constraints of the model, and its steps are unknown: it would be taken for a deadlock. A property in TLA+ takes the constraints into account; if all that is asked for lies inside, read the file leniently",
		graph("1 -> x"):                            `m.dot:6: expected a state or a step, found "1 -> x"`,
		graph("1 2"):                               `m.dot:6: expected a state or a step, found "1 2"`,
		graph(`1 [label="a]`):                      "m.dot:6: the graph is unfinished",
		graph(`1 [label="a";`):                     `m.dot:6: expected a state or a step, found "1 [label=\"a\";"`,
		graph("99999999999999999999 [label=\"\"]"): "m.dot:6: expected a state or a step, found ",
		graph(initial(1, `/\\ x = 0\n/\\ x = 1`)):  `m.dot`,
		graph(initial(1, "x = 0")) + "\n}":         `m.dot:10: unexpected "}" behind the graph`,
	} {
		_, _, err := read(text, tlc.Options{})
		var located *inputfile.Error
		if err == nil || !errors.As(err, &located) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

// TestUnfinished: a graph that TLC did not end is none, wherever it stopped.
func TestUnfinished(t *testing.T) {
	whole := graph(initial(1, "x = 0"), step(1, "A", 2), state(2, "x = 1"))
	for n := range len(whole) {
		_, _, err := read(whole[:n], tlc.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "m.dot:") || strings.Contains(err.Error(), "\n") {
			t.Errorf("cut off after %d bytes: %v", n, err)
		}
	}
}

func TestReadersErrors(t *testing.T) {
	whole := graph(initial(1, "x = 0"), step(1, "A", 2), state(2, "x = 1"))
	broken := errors.New("the disk fails")
	if _, _, err := tlc.Read(context.Background(), io.MultiReader(strings.NewReader(whole[:90]), iotest.ErrReader(broken)), tlc.Options{}); !errors.Is(err, broken) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := tlc.Read(ctx, strings.NewReader(whole), tlc.Options{}); err != context.Canceled {
		t.Error(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, whole)
	w.Close()
	if m, _, err := tlc.Read(context.Background(), iotest.OneByteReader(&packed), tlc.Options{}); err != nil || m.LTS.NumStates() != 2 || m.States != nil {
		t.Error(m, err)
	}
}

// TestDumps: of the graphs that TLC wrote, there are as many states, transitions, labels,
// self-loops and states without a step as the manifest counts.
func TestDumps(t *testing.T) {
	manifest, there := collection.Foreign(t, "tlc/MANIFEST.tsv")
	if !there {
		t.Skip("the models by others are not here")
	}
	f, err := os.Open(manifest)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table := csv.NewReader(f)
	table.Comma, table.LazyQuotes = '\t', true
	rows, err := table.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		of := func(column string) int {
			n, err := strconv.Atoi(row[slices.Index(rows[0], column)])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		path := filepath.Join(filepath.Dir(manifest), row[0]+".dot")
		open := func(lenient bool) (*tlc.Model, []string, error) {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			return tlc.Read(context.Background(), f, tlc.Options{Name: row[0], Lenient: lenient, States: true})
		}
		m, warnings, err := open(false)
		switch row[0] {
		case "diehard_strict":
			if err == nil || !strings.Contains(err.Error(), "6 states are used but never declared") {
				t.Errorf("%s: %v", row[0], err)
			}
			continue
		case "fifo_constrained":
			if err == nil || !strings.Contains(err.Error(), "lies outside of the constraints") {
				t.Errorf("%s: %v", row[0], err)
			}
			m, warnings, err = open(true)
			if len(warnings) != 1 {
				t.Errorf("%s: %q", row[0], warnings)
			}
			warnings = nil
		}
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v, %q", row[0], err, warnings)
			continue
		}
		initial, added := of("initial_states"), 0
		if initial > 1 {
			added = 1
		}
		sinks, loops := 0, 0
		for s := range lts.State(m.LTS.NumStates()) {
			_, targets := m.LTS.Out(s)
			if len(targets) == 0 {
				sinks++
			}
			for _, to := range targets {
				if to == s {
					loops++
				}
			}
		}
		got := []int{m.LTS.NumStates(), m.LTS.NumTransitions(), m.LTS.Alphabet().Len(), sinks, loops}
		want := []int{of("dot_nodes") + added, of("distinct_edges") + added*initial, of("distinct_labels") + added, of("sinks_in_dot"), of("self_loops")}
		if row[0] == "fifo_constrained" {
			// The manifest leaves out edges to what lies outside, and counts the actions
			// there by the constraints behind them.
			got[1], want[1], want[2] = 0, 0, want[2]-1
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: states, transitions, labels, sinks, self-loops %v, want %v", row[0], got, want)
		}
	}
}

// FuzzRead: whatever is read, there is a model, or an error of one line about the file.
func FuzzRead(f *testing.F) {
	f.Add(graph(initial(-7, `x = 0`), step(-7, `Say(\"a\\\\b\")`, 1), state(1, `x = \"a\\\\b\\n\\\"\"`)))
	f.Add(graph(initial(1, `/\\ x = 0\n/\\ y = {}`), initial(2, `/\\ x = 0`), step(1, "A\nline 3", 2)))
	f.Fuzz(func(t *testing.T, text string) {
		defer mutation.Limited()()
		m, _, err := read(text, tlc.Options{Lenient: len(text)%2 == 0})
		var located *inputfile.Error
		switch {
		case err == nil && m.LTS.NumStates() < 1:
			t.Error("a model without states")
		case err != nil && (!errors.As(err, &located) || !strings.HasPrefix(err.Error(), "m.dot") || strings.Contains(err.Error(), "\n")):
			t.Errorf("%q", err)
		}
	})
}
