package liveness_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestInstanceOfInvariantIsNamed: of a violated invariant that is quantified, by its text or by a definition, the explanation names one
// instance that the last state violates, with its value. Where the invariant holds, it is satisfied.
func TestInstanceOfInvariantIsNamed(t *testing.T) {
	ctx := t.Context()
	folder := t.TempDir()
	violated := 0
	for seed := range randomlts.Share(200) {
		random := rand.New(rand.NewPCG(seed, 74))
		var states [][3]int
		for range 2 + random.IntN(4) {
			states = append(states, [3]int{random.IntN(3), random.IntN(3), random.IntN(3)})
		}
		graph := "strict digraph DiskGraph {\n"
		for n, s := range states {
			style := ""
			if n == 0 {
				style = ",style = filled"
			}
			graph += fmt.Sprintf("%d [label=\"/\\\\ n = %[1]d\\n/\\\\ f = <<%d, %d, %d>>\"%s]\n", n+1, s[0], s[1], s[2], style)
			if n > 0 {
				graph += fmt.Sprintf("%d -> %d [label=\"Next\"];\n", n, n+1) // a chain: the first violation is that of a shortest run
			}
		}
		write(t, folder, "Random.dot", graph+"}\n")
		write(t, folder, "Random.tla", `---- MODULE Random ----
EXTENDS Integers, Sequences
CONSTANT Top
VARIABLES n, f
Spec == n = 1 /\ [][n' = n + 1]_<<n, f>>
Below == \A k \in 1..3 : f[k] # Top
====
`)
		write(t, folder, "Random.cfg", "SPECIFICATION Spec\nCONSTANT Top = 2\n")
		asked := []string{`[](\A k \in 1..3 : f[k] # Top)`, `[]Below`, `[](\A k \in {1, 2, 3} : f[k] # 2)`}[random.IntN(3)]
		first := -1
		for n, s := range states {
			if first < 0 && (s[0] == 2 || s[1] == 2 || s[2] == 2) {
				first = n
			}
		}
		s, m, g, err := specifiedGraph(ctx, folder)
		if err != nil {
			t.Fatal(err)
		}
		instances, err := s.Instances(ctx, asked)
		if err != nil {
			t.Fatal(err)
		}
		q, err := g.Ask(ctx, instances[0])
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(ctx, q.Model, q.Formula, explain.Options{
			Fair:   q.Fair,
			Source: explain.Source{Idle: g.Stuttering(), States: m.States},
		})
		if err != nil {
			t.Fatal(err)
		}
		if (first >= 0) != (e.Verdict == explain.Violated) {
			t.Fatalf("seed %d: %s of %v is %v", seed, asked, states, e.Verdict)
		}
		if first < 0 {
			continue
		}
		violated++
		named := ""
		if e.Diagnosis.Values != nil {
			named = strings.Join(e.Diagnosis.Values.After, " and ")
		}
		isTrue := false
		for k, value := range states[first] {
			isTrue = isTrue || value == 2 && named == fmt.Sprintf("f[%d] = 2", k+1)
		}
		if !isTrue {
			t.Fatalf("seed %d: %s of %v: %q holds in state %d", seed, asked, states, named, first)
		}
	}
	if randomlts.Whole() && violated < 100 {
		t.Errorf("only %d are violated", violated)
	}
}

// TestInstancesThatCannotBeEvaluated: TLC does not evaluate an instance after one that is violated, and so no error of it is told.
func TestInstancesThatCannotBeEvaluated(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Random.dot", "strict digraph DiskGraph {\n1 [label=\"f = <<1, 1>>\",style = filled]\n2 [label=\"f = <<2>>\"]\n1 -> 2 [label=\"Next\"];\n}\n")
	write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers, Sequences\nVARIABLE f\nSpec == f = <<1, 1>> /\\ [][f' = <<2>>]_f\nAsked == [](\\A k \\in 1..2 : f[k] = 1)\n====\n")
	write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Asked\n")
	_, found, err := foundBy(t.Context(), folder)
	if !found || err != nil {
		t.Errorf("violated %t, %v", found, err)
	}
}

// TestConjunctsWithOneNameAreNamedApart: a definition with several quantified conjuncts has instances of equal values.
func TestConjunctsWithOneNameAreNamedApart(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Random.dot", "strict digraph DiskGraph {\n1 [label=\"f = <<1, 1>>\",style = filled]\n}\n")
	write(t, folder, "Random.tla", `---- MODULE Random ----
EXTENDS Integers, Sequences
VARIABLE f
Spec == f = <<1, 1>> /\ [][FALSE]_f
Asked == /\ \A k \in 1..2 : []<>(f[k] = 0)
         /\ \A k \in 1..2 : []<>(f[k] = 1)
Alone == \A k \in 1..2 : []<>(f[k] = 0)
====
`)
	write(t, folder, "Random.cfg", "SPECIFICATION Spec\n")
	s, _, _, err := specifiedGraph(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	instances, err := s.Instances(t.Context(), "Asked", "Alone")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range instances {
		names = append(names, i.Name)
	}
	const want = "Asked ([]<>(f[1] = 0)), Asked ([]<>(f[2] = 0)), Asked ([]<>(f[1] = 1)), Asked ([]<>(f[2] = 1)), Alone (k = 1), Alone (k = 2)"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}
