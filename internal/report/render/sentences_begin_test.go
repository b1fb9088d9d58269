package render_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

var mayBegin = regexp.MustCompile(`^Forbidding actions does not make it true: Init allows (.+) \(state (\d+)\), from where (every run violates it|forbidding actions does not help)\.$`)

// TestInitialStatesThatDoNotHelp holds what the advice says of an initial state, from which forbidding actions does not help, against
// the graph: its values are those that not all initial states have, and all runs that begin there violate the property if it says so.
func TestInitialStatesThatDoNotHelp(t *testing.T) {
	told := map[string]int{}
	for seed := range randomlts.Share(1_500) {
		v := drawValuedModel(rand.New(rand.NewPCG(seed, 53)))
		numInitial := 1 + int(seed)%len(v.values)
		if numInitial == 1 || v.hasTwins() {
			continue
		}
		for _, text := range []string{"G !(x = 2)", "F (y = 1)"} {
			e := explainGraph(t, v.asGraph(numInitial), text)
			if e.Verdict != explain.Violated {
				continue
			}
			for _, said := range render.NewSentences(e, func(text string) string { return text }).Hold() {
				m := mayBegin.FindStringSubmatch(said)
				if m == nil {
					continue
				}
				told[m[3]]++
				state, err := strconv.Atoi(m[2])
				if err != nil {
					t.Fatal(err)
				}
				if values := v.valuesAmong(state, numInitial); values != m[1] {
					t.Fatalf("seed %d: %q, want %q", seed, said, values)
				}
				isHopeless := m[3] == "every run violates it"
				if want := v.allRunsViolate(state, text); isHopeless != want {
					t.Fatalf("seed %d: %+v: %s: %q, all runs violate it: %t", seed, *v, text, said, want)
				}
			}
		}
	}
	t.Log(told)
	if told["every run violates it"] == 0 && randomlts.Whole() {
		t.Error("no run begins where all runs violate the property")
	}
}

func explainGraph(t *testing.T, graph, text string) *explain.Explanation {
	t.Helper()
	ctx := context.Background()
	m, _, err := format.Read(ctx, strings.NewReader(graph), format.Options{States: true})
	if err != nil {
		t.Fatal(err)
	}
	f, err := formula.Parse(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(ctx, m.LTS, f, explain.Options{Source: explain.Source{States: m.States}})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

// hasTwins reports whether two states have the same values.
func (v *valuedModel) hasTwins() bool {
	known := map[[2]int]bool{}
	for _, values := range v.values {
		if known[values] {
			return true
		}
		known[values] = true
	}
	return false
}

// asGraph writes the model as TLC does, with the first states as initial ones.
func (v *valuedModel) asGraph(numInitial int) string {
	var b strings.Builder
	b.WriteString("strict digraph DiskGraph {\nnode [shape=box,style=rounded]\nnodesep=0.35;\nsubgraph cluster_graph {\ncolor=\"white\";\n")
	for s, values := range v.values {
		style := ""
		if s < numInitial {
			style = ",style = filled"
		}
		fmt.Fprintf(&b, "%d [label=\"/\\\\ x = %d\\n/\\\\ y = %d\"%s]\n", s+10, values[0], values[1], style)
	}
	for _, a := range v.arcs {
		fmt.Fprintf(&b, "%d -> %d [label=\"%s\"];\n", a.from+10, a.to+10, a.label)
	}
	b.WriteString("}\n}\n")
	return b.String()
}

// valuesAmong returns the values of an initial state that not all initial states have.
func (v *valuedModel) valuesAmong(state, numInitial int) string {
	var all []string
	for p, name := range []string{"x", "y"} {
		for _, values := range v.values[:numInitial] {
			if values[p] != v.values[state][p] {
				all = append(all, fmt.Sprintf("%s = %d", name, v.values[state][p]))
				break
			}
		}
	}
	return strings.Join(all, ` /\ `)
}

// allRunsViolate reports whether all runs from a state violate G !(x = 2) or F (y = 1).
func (v *valuedModel) allRunsViolate(state int, text string) bool {
	if text == "F (y = 1)" {
		return !v.canReach(state, map[int]bool{})
	}
	return v.mustReach()[state]
}

// canReach reports whether a state with y = 1 can be reached.
func (v *valuedModel) canReach(from int, visited map[int]bool) bool {
	if v.values[from][1] == 1 {
		return true
	}
	visited[from] = true
	for _, a := range v.arcs {
		if a.from == from && !visited[a.to] && v.canReach(a.to, visited) {
			return true
		}
	}
	return false
}

// mustReach returns the states from which all runs come to a state with x = 2.
func (v *valuedModel) mustReach() map[int]bool {
	must := map[int]bool{}
	for range v.values {
		for s := range v.values {
			successors, outside := 0, 0
			for _, a := range v.arcs {
				if a.from != s {
					continue
				}
				successors++
				if !must[a.to] {
					outside++
				}
			}
			must[s] = v.values[s][0] == 2 || successors > 0 && outside == 0
		}
	}
	return must
}
