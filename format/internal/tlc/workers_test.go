package tlc

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// outcome writes down all that a reading gives.
func outcome(m *Model, warnings []string, err error) string {
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	if _, err := aut.Write(&b, m.LTS); err != nil {
		return err.Error()
	}
	for l, text := range m.LTS.Alphabet().All() {
		fmt.Fprintf(&b, "%d %q\n", l, text)
	}
	for s := range lts.State(m.LTS.NumStates()) {
		fmt.Fprint(&b, s, ":")
		for p := 0; m.States != nil && p < m.States.NumParameters(); p++ {
			v := m.States.Value(s, p)
			fmt.Fprintf(&b, " %s = %d %q", m.States.Parameter(p).Name, int32(v), m.States.Text(p, v))
		}
		b.WriteString("\n")
	}
	return b.String() + strings.Join(warnings, "\n")
}

// anyGraph returns a graph, or nearly one, of so many statements.
func anyGraph(r *rand.Rand, statements int) string {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	ends := pick("\n", "\n", "\r\n", " \n")
	fps := []string{"1", "-1", "17", "12345678", "-123456789", "1234567890123456", "-1234567890123456789", "9223372036854775807", "-9223372036854775808"}
	if r.IntN(6) == 0 {
		fps = append(fps, "9223372036854775808", "00000000000000000000017", "-", "x", "-0")
	}
	wrong := r.IntN(4) == 0
	actions := []string{"Fill", "Pour(1)", " Fill ", "", `Say(\"a\")`, `Say(\"a\\\\b\")`, `a\\`, `two\nlines`, strings.Repeat("Long(1) ", 12), "A(1,\n 2)\nline 3", "A(1, 2)", "é"}
	tails := []string{`",color="black",fontcolor="black"];`, `",color="2",fontcolor="2"];`, `",color="3",fontcolor="3"];`, `"];`, `"]`, `" , label="B"];`, `",style="dashed"];`}
	labels := []string{`/\\ x = 0\n/\\ y = {}`, `/\\ x = 1\n/\\ y = \"a\\nb\"`, `/\\ x = << 1,\n   2 >>\n/\\ y = 3`, `/\\ y = 1\n/\\ x = 2`, `x = 0`, `/\\ x = 1\n/\\ z = 2`}
	step := func() string {
		return pick(fps...) + pick(" -> ", " -> ", " -> ", "  -> ") + pick(fps...) + pick(` [label="`, ` [label="`, ` [ label="`) + pick(actions...) + pick(tails[:3+r.IntN(len(tails)-2)]...)
	}
	state := func(fp string) string {
		label := pick(labels[:4]...)
		if r.IntN(8) == 0 {
			label = pick(labels...)
		}
		if r.IntN(30) == 0 {
			return fp + ` [label="` + label + `",tooltip="` + pick(labels...) + pick(`"];`, `"]`, `",style = filled, fillcolor=lightyellow];`, `" ];`)
		}
		return fp + ` [label="` + label + `",tooltip="` + label + `"];`
	}
	whole := []string{"strict digraph DiskGraph {", "nodesep=0.35;", "subgraph cluster_graph {", `color="white";`}
	whole = append(whole, fps[0]+` [label="`+pick(labels...)+`",style = filled]`)
	for range statements {
		whole = append(whole, step())
	}
	for _, fp := range fps[1:] {
		at := 5 + r.IntN(len(whole)-4)
		if r.IntN(99) > 0 {
			whole = append(whole[:at], append([]string{state(fp)}, whole[at:]...)...)
		}
	}
	if wrong {
		at := r.IntN(len(whole))
		whole = append(whole[:at], append([]string{pick("", "}", "1 -> ", "1 [label=x", "1 -> 17;", `1 -> 1 [style="dashed"];`, `17 [label="open`, "subgraph cluster_legend {", "7 8", `1 -> 17 [label="a" b"];`, state("1"))}, whole[at:]...)...)
	}
	whole = append(whole, "{rank = same; 1;2;}", "}", pick("}", "}", "}", "}", "subgraph cluster_legend {graph[style=bold];\n1 -> 17 [label=\"A\"];\n}}", ""))
	return strings.Join(whole, ends) + pick("", "\n")
}

// TestWorkersDoNotMatter: graphs have the same states, steps, values, warnings and errors,
// however many workers read them, in blocks of whatever length.
func TestWorkersDoNotMatter(t *testing.T) {
	rounds := uint64(1_000)
	if !randomlts.Whole() {
		rounds = 150
	}
	read1, refused := 0, 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(seed, 30))
		text := anyGraph(r, r.IntN(20))
		o := Options{Name: "m.dot", Lenient: r.IntN(2) == 0, States: r.IntN(3) > 0, Workers: 1}
		m, warnings, err := read(context.Background(), strings.NewReader(text), o, limits{1 << 20, 1 << 18, statementMax})
		want := outcome(m, warnings, err)
		if err == nil {
			read1++
		} else {
			refused++
		}
		for range 3 {
			l := limits{[]int{1, 7, 30, 100, 1000}[r.IntN(5)], []int{0, 3, 1 << 18}[r.IntN(3)], statementMax}
			o.Workers = 1 + r.IntN(4)
			m, warnings, err = read(context.Background(), strings.NewReader(text), o, l)
			if got := outcome(m, warnings, err); got != want {
				t.Fatalf("seed %d, %d workers, %+v:\n%s\ngot:\n%s\nwant:\n%s", seed, o.Workers, l, text, got, want)
			}
			m, warnings, err = read(context.Background(), iotest.HalfReader(strings.NewReader(text)), o, l)
			if got := outcome(m, warnings, err); got != want {
				t.Fatalf("seed %d, %d workers, %+v, as a stream:\n%s\ngot:\n%s\nwant:\n%s", seed, o.Workers, l, text, got, want)
			}
		}
	}
	if read1*10 < refused || refused*10 < read1 {
		t.Errorf("%d graphs were read, and %d refused", read1, refused)
	}
}
