package specimens

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// nondeterministic are properties over the labels of [randomlts.Nondeterministic].
var nondeterministic = []string{
	"Inev(A)", "Inev(A, B)", "Inev({A, B}, C)", "Inev(C, A)", "Inev(B, B)", "Inev(D)",
	"Response(A; B)", "Response(B; C)", "Never(A, B)", "Precedes(A; B)", "AtMost(2; A)", "DeadlockFree",
	"G F A -> G F B", "F G !A", "G (A -> X B)", "G F (A && X B)", "F G (A || B)",
}

// Nondeterministic explains a random property in a random model, both drawn from seed. In this model,
// several transitions from one state may have the same label.
func Nondeterministic(t testing.TB, seed uint64) *explain.Explanation {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 66))
	m, err := randomlts.Nondeterministic(r)
	if err != nil {
		t.Fatal(err)
	}
	text := nondeterministic[r.IntN(len(nondeterministic))]
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	o := explain.Options{Source: explain.Source{File: "m.aut"}, NoAdvice: true}
	e, err := explain.Explain(context.Background(), m, f, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Steps returns the facts about the steps of a counterexample, by brute force, and what its diagnosis
// says, with the numbers of the steps that this is about.
func Steps(e *explain.Explanation) (is *assertions.Steps, d assertions.Diagnosed, numbers []int) {
	run := oracle.Run{Transitions: e.Trace().Steps(), Loop: oracle.NoLoop}
	if start, loops := e.Trace().LoopStart(); loops {
		run.Loop = start
	}
	is = assertions.NewSteps(e.LTS(),
		fromproperty.Automaton(e.Classification().Fates().Property()), run)
	d = assertions.Diagnosed{
		Kind:      e.Diagnosis.Kind.String(),
		Pending:   e.Diagnosis.Pending,
		Recurring: e.Diagnosis.Recurring,
		Alike:     e.Diagnosis.Alike,
		Cause:     e.Diagnosis.Cause,
	}
	for _, step := range e.Diagnosis.Steps {
		numbers = append(numbers, int(step)+1)
	}
	return is, d, numbers
}

// Written returns the model of an explanation in the .aut format, followed by the property.
func Written(e *explain.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "des (%d,%d,%d)\n", e.LTS().Initial(), e.LTS().NumTransitions(),
		e.LTS().NumStates())
	for t := range e.LTS().Transitions() {
		fmt.Fprintf(&b, "(%d,%q,%d)\n", t.From, e.LTS().Alphabet().Text(t.Label), t.To)
	}
	return b.String() + e.Property.Text
}
