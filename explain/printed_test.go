package explain_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// What a program prints while it is written.
func ExampleExplanation_String() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader("des (0, 3, 4)\n(0, \"REQ\", 1)\n(1, \"ACK\", 2)\n(1, \"DROP\", 3)\n"), aut.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m)
	f, err := actl.Parse(ctx, "Inev(REQ, ACK)")
	if err != nil {
		log.Fatal(err)
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e)
	fmt.Println(e.Model)
	fmt.Println(e.Decisions)
	fmt.Println(e.Counterexample.Steps)
	fmt.Println(e.Diagnosis)
	fmt.Println(e.Repair)
	fmt.Println(e.Fairness)
	fmt.Println(e.PointOfNoReturn)
	fmt.Println(e.Nearest)
	fmt.Println(e.Causes)
	fmt.Println(e.Advice)
	fmt.Println(e.Necessity)
	fmt.Println(e.Classes)
	fmt.Println(e.Classification())
	fmt.Println(e.Neighbourhoods())
	fmt.Println(e.Deciding())
	fmt.Println(e.Loss)
	fmt.Println(e.Abstracted)
	fmt.Println(m.Alphabet())
	why, err := explain.Why(ctx, m, f, explain.WhyQuestion{}, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(why)
	labels, err := explain.ListLabels(ctx, m, explain.Source{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(labels)
	sizes, err := explain.Describe(ctx, m, nil, "", explain.Source{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sizes)
	// Output:
	// 4 states, 3 transitions, 3 labels, initial state 0
	// the model violates Inev(REQ, ACK): REQ, DROP, (deadlock)
	// the model: 4 states, 3 transitions
	// [in state 1 DROP (incorrect), not ACK (correct)]
	// [0 -REQ-> 1 1 -DROP-> 3]
	// stops: ACK awaited
	// forbid DROP in state 1
	// none found
	// step 2, DROP
	// REQ, -DROP, +ACK
	// stops: ACK awaited; in state 1 DROP (incorrect), not ACK (correct)
	// forbid DROP in state 1; nearest correct run: REQ, -DROP, +ACK
	// every violation takes steps 1, 2 and ends in state 3
	// 1 correct, 1 incorrect, 1 neutral
	// 1 correct, 1 incorrect, 1 neutral; neighbourhoods: 1
	// 1 neighbourhood
	// step 2, point of no return
	// step 2 of the property after 2 transitions
	// steps 1, 2
	// REQ, ACK, DROP
	// not ACK: possible in state 1, where the run takes DROP
	// the model: ACK 1, DROP 1, REQ 1
	// the model: 4 states, 3 transitions; no cycles
}

// TestPrintedIsShort: a run is printed in one line of a bounded length, whatever its labels have in them.
func TestPrintedIsShort(t *testing.T) {
	const steps = 50
	var text strings.Builder
	fmt.Fprintf(&text, "des (0, %d, %d)\n", steps, steps)
	for i := range steps {
		fmt.Fprintf(&text, "(%d, \"step\x1b[2J %d\", %d)\n", i, i, (i+1)%steps)
	}
	m := modelOf(t, text.String())
	f, err := actl.Parse(t.Context(), "Inev(NEVER)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(t.Context(), m, f, explain.Options{Source: explain.Source{File: "m.aut"}})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(e)
	if !strings.HasPrefix(got, "m.aut violates Inev(NEVER): again and again step") || !strings.HasSuffix(got, ", … (30 more)") ||
		strings.ContainsAny(got, "\x1b\n") {
		t.Errorf("%q", got)
	}
}

// What an analysis is made of prints as lines, too, however large the model is.
func ExampleAnalysis_String() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader("des (0, 4, 4)\n(0, REQ, 1)\n(1, ACK, 2)\n(1, RETRY, 1)\n(3, LOST, 3)\n"), aut.Options{})
	if err != nil {
		log.Fatal(err)
	}
	f, err := actl.Parse(ctx, "Inev(REQ, ACK)")
	if err != nil {
		log.Fatal(err)
	}
	a, err := explain.Analyse(ctx, m, f, explain.Options{Unfold: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a)
	fmt.Println(a.Components)
	fmt.Println(a.Fates)
	fmt.Println(a.Unfolding)
	fmt.Println(m.Reachable())
	values, err := lts.ReadValues(ctx, strings.NewReader("0\tpc=idle\tholder=none\n1\tpc=wait\tholder=none\n"), "values.tsv", 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	fmt.Println(explain.PathStep{From: 0, Label: "REQ", To: 1}, explain.ModelStep{From: 1, Label: "ACK\x1b", To: 2}, explain.Share{Owner: "client", Share: "1/2"})
	certain, err := actl.Parse(ctx, "Inev(REQ)")
	if err != nil {
		log.Fatal(err)
	}
	holds, err := explain.Explain(ctx, m, certain, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(holds.SlowestRun())
	// Output:
	// Inev(REQ, ACK): 1 correct, 0 incorrect, 2 neutral; neighbourhoods: 1
	// components: 3; states of the largest: 1
	// fates for Inev(REQ, ACK): 3 states, 3 transitions, 4 labels, initial state 0
	// unfolded: 4 states, 4 transitions, 4 labels, initial state 0
	// 3 reachable states, 3 transitions
	// values of pc, holder in 2 states
	// 0 -REQ-> 1 1 -ACK\x1b-> 2 client 1/2
	// slowest for step 1: REQ
}

// TestAssumptionsArePrinted: an assumption is printed as it can be asked for, and those that are found can be read back.
func TestAssumptionsArePrinted(t *testing.T) {
	m := modelOf(t, "des (0, 4, 3)\n(0, \"SEND\", 1)\n(1, \"LOSS\", 0)\n(1, \"ACK\", 2)\n(2, \"NEXT\", 0)\n")
	f, err := actl.Parse(t.Context(), "Inev(ACK)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(t.Context(), m, f, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(e.Fairness); got != "finitely:LOSS | strong:ACK | fair choices in state 1" {
		t.Errorf("%q", got)
	}
	for _, a := range e.Fairness.Assumptions {
		if a.Kind == explain.FairChoices {
			continue
		}
		asked, err := actl.ParseAssumption(t.Context(), a.String())
		if err != nil {
			t.Fatalf("%v: %v", a, err)
		}
		if holds, err := explain.Check(t.Context(), m, f, explain.Options{Fair: []*actl.Assumption{asked}}); err != nil || holds.Verdict != explain.Satisfied {
			t.Errorf("under %v: %v (%v)", a, holds, err)
		}
	}
	if got := fmt.Sprint(e.Repair); got != "leave 1 component, in which a run could stay forever" {
		t.Errorf("%q", got)
	}
}
