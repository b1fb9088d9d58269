package oracle_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/internal/formula/never"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// stateGraph is a state graph of TLC: state s has x = s%3, and some states are initial.
type stateGraph struct {
	states int
	edges  []string
}

func drawGraph(r *rand.Rand) stateGraph {
	g := stateGraph{states: 2 + r.IntN(4)}
	for range 1 + r.IntN(2*g.states) {
		g.edges = append(g.edges, fmt.Sprintf("%d -> %d [label=%q];", 1+r.IntN(g.states), 1+r.IntN(g.states), []string{"A", "B", "C"}[r.IntN(3)]))
	}
	return g
}

func (g stateGraph) with(t *testing.T, initial ...int) *format.Model {
	t.Helper()
	var b strings.Builder
	b.WriteString("strict digraph DiskGraph {\nnode [shape=box,style=rounded]\nnodesep=0.35;\nsubgraph cluster_graph {\ncolor=\"white\";\n")
	first := map[int]bool{}
	for _, s := range initial {
		first[s] = true
	}
	for s := 1; s <= g.states; s++ {
		if first[s] {
			fmt.Fprintf(&b, "%d [label=\"/\\\\ x = %d\",style = filled]\n", s, s%3)
		} else {
			fmt.Fprintf(&b, "%d [label=\"/\\\\ x = %d\",tooltip=\"/\\\\ x = %d\"];\n", s, s%3, s%3)
		}
	}
	b.WriteString(strings.Join(g.edges, "\n") + "\n}\n}\n")
	m, _, err := format.Read(context.Background(), strings.NewReader(b.String()), format.Options{Name: "g.dot", States: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return m
}

// TestRunsBeginInInitialStates: a model with several initial states satisfies a formula exactly if
// the models with one of them each do; what leads to them is no step and no state of a run.
func TestRunsBeginInInitialStates(t *testing.T) {
	ctx := context.Background()
	linear := []string{
		"A", "X B", "X X A", "B U A", "G (A -> X B)", "F A || G B", "G F A", "F G !B", "deadlock || F A", "A R !B",
		"x = 1 || A", "x # 2 U B", "X x = 1", "[](x # 1)", "Inev(A)", "Inev(A, B)", "Inev(/.*/)", "Always({A, B})", "Never(A)", "Never(A, A)", "AtMost(1; A)", "AtMost(1; /.*/)",
		`[ not "A" ] false`, `[ true ] [ not "B" ] false`, "never { T0: do :: !A -> goto T1 :: A -> goto T0 od; T1: skip; accept: do :: true od }",
		"HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"A\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n",
		"Response(A; B)", "Precedes(A; B)", "Never(A; after B)", "Always({A, C}; before B)", "DeadlockFree",
	}
	assumptions := []string{"", "", "weak:A", "strong:B", "finitely:C", "strong", "full"}
	branching := []string{"<A> true", "[A] false", "EX true", "AX <B> true", "AF <A> true", "EG !deadlock", "AG x >= 0", "x = 1", "E[x = 1 U <A> true]", "A[true {A} U {B} true]", "AG [A] AF x = 2"}
	violated := map[string]int{}
	for seed := range randomlts.Share(1_250) {
		r := rand.New(rand.NewPCG(seed, 11))
		g := drawGraph(r)
		var initial []int
		for _, s := range r.Perm(g.states)[:2+r.IntN(g.states-1)] {
			initial = append(initial, s+1)
		}
		text := linear[r.IntN(len(linear))]
		f, err := read(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		var fair []*actl.Assumption
		if under := assumptions[r.IntN(len(assumptions))]; under != "" {
			a, err := actl.ParseAssumption(ctx, under)
			if err != nil {
				t.Fatal(err)
			}
			fair = append(fair, a)
		}
		var answers []*explain.Explanation
		holds := func(m *format.Model) bool {
			o := explain.Options{Source: explain.Source{States: m.States}, NoAdvice: true, Fair: fair}
			e, err := explain.Explain(ctx, m.LTS, f, o)
			if errors.Is(err, explain.ErrNoRunCounts) {
				return true
			}
			if err != nil {
				t.Fatalf("seed %d: %s under %v: %v\n%s\n%v", seed, text, fair, err, strings.Join(g.edges, "\n"), initial)
			}
			answers = append(answers, e)
			c, err := explain.Check(ctx, m.LTS, f, o)
			if err != nil || c.Verdict != e.Verdict {
				t.Fatalf("seed %d: %s: check says %v (error %v), explain %v", seed, text, c.Verdict, err, e.Verdict)
			}
			return e.Verdict == explain.Satisfied
		}
		want, all := true, true
		ask := branching[r.IntN(len(branching))]
		for _, s := range initial {
			one := g.with(t, s)
			satisfied := holds(one)
			want = want && satisfied
			all = all && holdsBranching(t, one, ask)
		}
		if got := holds(g.with(t, initial...)); got != want {
			t.Fatalf("seed %d: %.60s: %t from %v together, %t one by one under %v\n%s", seed, text, got, initial, want, fair, strings.Join(g.edges, "\n"))
		}
		if fair == nil {
			safety := slices.Contains([]string{"Never(A)", "Never(A, A)", "AtMost(1; A)", "Always({A, B})"}, text)
			if err := sameNumbers(safety, answers[:len(answers)-1], answers[len(answers)-1], g, initial); err != nil {
				t.Fatalf("seed %d: %.60s: %v\n%s\n%v", seed, text, err, strings.Join(g.edges, "\n"), initial)
			}
		}
		if got := holdsBranching(t, g.with(t, initial...), ask); got != all {
			t.Fatalf("seed %d: %.60s: %t from %v together, %t one by one\n%s", seed, ask, got, initial, all, strings.Join(g.edges, "\n"))
		}
		if !want {
			violated[text]++
		}
	}
	if len(violated) < 15 && randomlts.Whole() {
		t.Errorf("only %d formulas were violated: %v", len(violated), violated)
	}
}

// sameNumbers compares what is counted of a model with several initial states with the models that have one of them each: lengths where
// no run is shorter or, of a property about safety, is lost sooner, and bounds.
func sameNumbers(safety bool, ones []*explain.Explanation, e *explain.Explanation, g stateGraph, initial []int) error {
	edges := map[string]bool{}
	for _, edge := range g.edges {
		edges[edge] = true
	}
	if e.Model.InitialStates != len(initial) || e.Model.States != g.states || e.Model.Transitions != len(edges) {
		return fmt.Errorf("%+v", e.Model)
	}
	if e.Verdict == explain.Violated {
		if slices.Contains(e.Diagnosis.Pending, "Init") {
			return fmt.Errorf("%v are waited for", e.Diagnosis.Pending)
		}
		least := -1
		for _, one := range ones {
			if one.Verdict == explain.Violated && (least < 0 || one.Counterexample.Length < least) {
				least = one.Counterexample.Length
			}
		}
		// A run that is lost where it begins needs no action; alone, nothing satisfies the property, and a whole run is shown.
		lost := e.Counterexample.Kind == counterexample.Prefix && e.Counterexample.Length == 0
		if !lost && (safety || e.Counterexample.Minimal == counterexample.InModel) && e.Counterexample.Length != least {
			return fmt.Errorf("a counterexample has %d transitions from an initial state, and one from there alone has %d", e.Counterexample.Length, least)
		}
		return nil
	}
	if s := e.Reasons.Slowest; s != nil && len(e.Reasons.Bounds) >= s.Step {
		if b := e.Reasons.Bounds[s.Step-1]; s.Begins < 1 || b.Most == nil || s.Length-s.Begins != *b.Most {
			return fmt.Errorf("the slowest run has %d steps, %d of them before anything is pending, and the bound is %+v", s.Length, s.Begins, b)
		}
		for _, f := range s.Faster {
			if int(f.Step) < s.Begins {
				return fmt.Errorf("the step to where runs begin could have been faster")
			}
		}
	}
	for i, b := range e.Reasons.Bounds {
		least, most := -1, 0
		for _, one := range ones {
			if len(one.Reasons.Bounds) <= i {
				return nil // nothing can be pending there
			}
			of := one.Reasons.Bounds[i]
			if least < 0 || of.Least < least {
				least = of.Least
			}
			if of.Most == nil {
				most = -1
			} else if most >= 0 {
				most = max(most, *of.Most)
			}
		}
		if b.Least != least || (b.Most == nil) != (most < 0) || b.Most != nil && *b.Most != most {
			return fmt.Errorf("bound %d is %+v, and one by one from %d to %d", i+1, b, least, most)
		}
	}
	return nil
}

// read reads a formula by the reader of its syntax.
func read(ctx context.Context, text string) (property.Formula, error) {
	switch {
	case strings.HasPrefix(text, "never {"):
		return never.Read(ctx, "p.never", []byte(text))
	case strings.HasPrefix(text, "HOA:"):
		return hoa.Read(ctx, strings.NewReader(text), "p.hoa")
	}
	return formula.ParseFile(ctx, "p.inev", []byte(text))
}

func holdsBranching(t *testing.T, m *format.Model, text string) bool {
	t.Helper()
	ctx := context.Background()
	f, err := syntax.Parse(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.LTS.FindPredecessors(ctx); err != nil {
		t.Fatal(err)
	}
	begin := m.LTS.Begin()
	c := f.Closure()
	means, _, err := c.Bind(ctx, m.LTS.Alphabet(), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := wmc.Check(ctx, wmc.NewExplicit(m.LTS, means, func(p syntax.Predicate) (wmc.States, error) {
		holds, err := p.In(m.States)
		if err != nil {
			return nil, nil // no state has the value
		}
		var in wmc.States
		for s := range lts.State(m.LTS.NumStates()) {
			if holds(s) {
				in = append(in, s)
			}
		}
		return in, nil
	}), c, begin, wmc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return len(a.Bad) == 0
}
