package oracle_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/internal/formula/never"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// guessing is a nondeterministic automaton: edges have a letter (bit 0: A, bit 1: B) and marks. It is written
// as a never claim or in the HOA format.
type guessing struct {
	claim        bool
	states, sets int
	edges        []guessingEdge
}

type guessingEdge struct{ from, to, letter, marks int }

func drawGuessing(r *rand.Rand) guessing {
	g := guessing{states: 1 + r.IntN(3), sets: 1 + r.IntN(2), claim: r.IntN(3) == 0}
	if g.claim {
		g.sets = 1
	}
	accepts := r.IntN(1 << g.states)
	for range 2 + r.IntN(5*g.states) {
		e := guessingEdge{r.IntN(g.states), r.IntN(g.states), r.IntN(3), 0}
		if r.IntN(3) == 0 {
			e.marks = r.IntN(1 << g.sets)
		}
		if g.claim {
			e.marks = accepts >> e.from & 1
		}
		g.edges = append(g.edges, e)
	}
	return g
}

func (g guessing) String() string {
	var b strings.Builder
	if g.claim {
		return g.asClaim()
	}
	condition := []string{"", "1 Inf(0)", "2 Inf(0)&Inf(1)"}[g.sets]
	fmt.Fprintf(&b, "HOA: v1\nStates: %d\nStart: 0\nAP: 2 \"A\" \"B\"\nAcceptance: %s\n--BODY--\n", g.states, condition)
	for s := range g.states {
		fmt.Fprintf(&b, "State: %d\n", s)
		for _, e := range g.edges {
			if e.from == s {
				marks := ""
				for set := range g.sets {
					if e.marks>>set&1 == 1 {
						marks += fmt.Sprint(" ", set)
					}
				}
				if marks != "" {
					marks = " {" + marks[1:] + "}"
				}
				fmt.Fprintf(&b, "[%s] %d%s\n", []string{"!0&!1", "0&!1", "!0&1"}[e.letter], e.to, marks)
			}
		}
	}
	return b.String() + "--END--\n"
}

// asClaim writes the automaton as a never claim of SPIN.
func (g guessing) asClaim() string {
	name := func(q int) string {
		if slices.ContainsFunc(g.edges, func(e guessingEdge) bool { return e.from == q && e.marks == 1 }) {
			return fmt.Sprint("accept_", q)
		}
		return fmt.Sprint("T", q)
	}
	var b strings.Builder
	b.WriteString("never {\n")
	for q := range g.states {
		fmt.Fprintf(&b, "%s: if\n:: false -> goto %s\n", name(q), name(q))
		for _, e := range g.edges {
			if e.from == q {
				fmt.Fprintf(&b, ":: (%s) -> goto %s\n", []string{"!A && !B", "A && !B", "!A && B"}[e.letter], name(e.to))
			}
		}
		b.WriteString("fi;\n")
	}
	return b.String() + "}\n"
}

// idles reports whether the automaton accepts, from a state on, that nothing happens any more.
func (g guessing) idles(q int) bool {
	// After so many steps each reachable pair was met.
	type pair struct{ q, seen int }
	steps := g.states<<g.sets + 1
	move := func(from map[pair]bool) map[pair]bool {
		next := map[pair]bool{}
		for _, e := range g.edges {
			for seen := range 1 << g.sets {
				if e.letter == 0 && from[pair{e.from, seen}] {
					next[pair{e.to, seen | e.marks}] = true
				}
			}
		}
		return next
	}
	at := map[int]bool{q: true}
	for reached, n := (map[pair]bool{{q, 0}: true}), 0; n < steps; n++ {
		reached = move(reached)
		for p := range reached {
			at[p.q] = true
		}
	}
	for begin := range at {
		for around, n := (map[pair]bool{{begin, 0}: true}), 0; n < steps; n++ {
			if around = move(around); around[pair{begin, 1<<g.sets - 1}] {
				return true
			}
		}
	}
	return false
}

// shortest returns the length of a shortest lasso in the product of the automaton and a model, or of a shortest run into a
// deadlock that it accepts, by sets of what is reached in exactly so many steps; -1 if there is none of at most so many.
func (g guessing) shortest(m *lts.LTS, most int) int {
	type searchNode struct {
		s       lts.State
		q, seen int
	}
	letter := func(l lts.Label) int {
		return map[string]int{"A": 1, "B": 2}[m.Alphabet().Text(l)]
	}
	step := func(from map[searchNode]bool) map[searchNode]bool {
		next := map[searchNode]bool{}
		for t := range m.Transitions() {
			for _, e := range g.edges {
				for seen := range 1 << g.sets {
					if from[searchNode{t.From, e.from, seen}] && e.letter == letter(t.Label) {
						next[searchNode{t.To, e.to, seen | e.marks}] = true
					}
				}
			}
		}
		return next
	}
	best := -1
	stem := map[searchNode]bool{{m.Initial(), 0, 0}: true}
	for n := 0; n <= most; n++ {
		for p := range stem {
			if m.IsDeadlock(p.s) && g.idles(p.q) && (best < 0 || n < best) {
				best = n
			}
			around := map[searchNode]bool{{p.s, p.q, 0}: true}
			for k := 1; n+k <= most && (best < 0 || n+k < best); k++ {
				if around = step(around); around[searchNode{p.s, p.q, 1<<g.sets - 1}] {
					best = n + k
				}
			}
		}
		stem = step(stem)
		for p := range stem {
			if p.seen != 0 {
				delete(stem, p)
				stem[searchNode{p.s, p.q, 0}] = true
			}
		}
	}
	return best
}

// TestShortestInGivenAutomaton: a run that is called shortest in the product of model and property has no more
// transitions than a shortest lasso in the product with the nondeterministic automaton that was given.
func TestShortestInGivenAutomaton(t *testing.T) {
	ctx := context.Background()
	compared, unknown, longer, searched, ends := 0, 0, 0, 0, 0
	for seed := range randomlts.Share(4_000) {
		r := rand.New(rand.NewPCG(seed, 4711))
		g := drawGuessing(r)
		var b lts.Builder
		n := 1 + r.IntN(3)
		for s := range lts.State(n) {
			for range 1 - r.IntN(8)/7 + r.IntN(2) {
				b.Add(s, b.Label([]string{"A", "B", "C"}[r.IntN(3)]), lts.State(r.IntN(n)))
			}
		}
		m, err := b.Build(0, n)
		if err != nil {
			t.Fatal(err)
		}
		f, err := never.Read(ctx, map[bool]string{true: "p.never", false: "p.hoa"}[g.claim], []byte(g.String()))
		if err != nil {
			t.Fatal(err, g)
		}
		e, err := explain.Explain(ctx, m, f, explain.Options{NoAdvice: true, NoFairness: true})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if e.Verdict != explain.Violated || e.Counterexample.Kind == counterexample.Prefix {
			continue
		}
		c := e.Counterexample
		checked, err := explain.Check(ctx, m, f, explain.Options{List: 3})
		if err != nil {
			if strings.Contains(err.Error(), "at most 10 colours") {
				continue
			}
			t.Fatal(err)
		}
		if least := g.shortest(m, checked.Counterexample.Length); least >= 0 && least < checked.Counterexample.Length {
			longer++
			for _, listed := range append(checked.All.Listed, checked.Counterexample) {
				if listed.Shortest {
					t.Fatalf("seed %d: %d transitions are enough, and %d are called shortest in a list:\n%v", seed, least, listed.Length, g)
				}
			}
			if !slices.ContainsFunc(checked.Warnings, func(w string) bool { return strings.Contains(w, "is shorter in the product") }) {
				t.Fatalf("seed %d: %v", seed, checked.Warnings)
			}
		}
		most := g.shortest(m, c.Length)
		for _, algorithm := range []buchi.Algorithm{buchi.ByContrex, buchi.ByPriority} {
			by := func(ctx context.Context, m *lts.LTS, p *property.Property) (*counterexample.Trace, counterexample.Stats, error) {
				trace, stats, err := buchi.FindInModel(ctx, m, p, buchi.FindOptions{Algorithm: algorithm}, func(*counterexample.Trace, buchi.Stats) bool { return true })
				return trace, stats.Stats, err
			}
			found, err := explain.Check(ctx, m, f, explain.Options{InAutomaton: &explain.AutomatonSearch{Find: by, Shortest: true}})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if found.Verdict != explain.Violated || found.Counterexample.Minimal == counterexample.MinimalUnknown {
				t.Fatalf("seed %d: %v: %v by %v, %v", seed, algorithm, found.Verdict, found.Trace(), g)
			}
			// In the model a run may be shorter than in the product.
			least := g.shortest(m, found.Counterexample.Length)
			if is := found.Counterexample.Length; least >= 0 && least < is || is > 0 && is != found.Stats.Length-1 || found.Trace().Satisfies() {
				t.Fatalf("seed %d: %v: %d transitions are called shortest (%v), and %d are enough\n%v\n%v", seed, algorithm, is, found.Counterexample.Minimal, least, g, slices.Collect(m.Transitions()))
			}
			if searched++; found.Counterexample.Kind == counterexample.Deadlock {
				ends++
			}
		}
		if !c.Shortest {
			unknown++
			continue
		}
		compared++
		if most >= 0 && most < c.Length {
			t.Fatalf("seed %d: %d transitions are called shortest (%v), and %d are enough\n%v", seed, c.Length, c.Minimal, most, g)
		}
	}
	t.Logf("%d compared, of %d nothing is said; %d times longer ones are listed; %d searched in the automaton, %d end", compared, unknown, longer, searched, ends)
	if randomlts.Whole() && (compared < 500 || ends < 100) || unknown > compared/20 {
		t.Errorf("%d compared, of %d nothing is said", compared, unknown)
	}
}
