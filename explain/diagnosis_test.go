package explain_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// diagnosed are properties of all classes over the labels of random models.
var diagnosed = []string{
	"", "", "Response(A; B)", "Response(A; B, C)", "Never(A, B)", "Precedes(A; B)", "AtMost(1; A)", "DeadlockFree", "Response(A; B; after C until D)",
	"G (A -> F B)", "G F A -> G F B", "F G !A", "A U B", "G F A && G F B", "F (A && X B)", "F A || G F B",
}

// TestCheckGivesTheSameDiagnosis: a check knows no classes of transitions, and comes to
// the same diagnosis as an explanation of the same run.
func TestCheckGivesTheSameDiagnosis(t *testing.T) {
	met := map[explain.DiagnosisKind]int{}
	for seed := range randomlts.Share(10_000) {
		c := randomlts.Seeded(seed, randomlts.Small())
		text := diagnosed[seed%uint64(len(diagnosed))]
		if text == "" {
			text = c.Formula
		}
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(context.Background(), c.Model, f, explain.Options{NoAdvice: true, NoFairness: true})
		if err != nil {
			t.Fatal(err)
		}
		checked, err := explain.Check(context.Background(), c.Model, f, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if e.Trace() == nil {
			continue
		}
		// A check finds no assumptions, and so no cause.
		e.Diagnosis.Cause = nil
		e.Diagnosis.Again = false
		if len(checked.Counterexample.Steps) == len(e.Counterexample.Steps) && !reflect.DeepEqual(checked.Diagnosis, e.Diagnosis) {
			t.Fatalf("seed %d: %s\n%v\na check says %+v, an explanation %+v", seed, text, c, checked.Diagnosis, e.Diagnosis)
		}
		met[e.Diagnosis.Kind]++
	}
	for _, kind := range []explain.DiagnosisKind{
		explain.KindImpossible, explain.KindForbidden, explain.KindLost, explain.KindStops, explain.KindRecurs, explain.KindStarved, explain.KindTurnedBack,
	} {
		if randomlts.Whole() && met[kind] < 20 {
			t.Errorf("%v was met %d times", kind, met[kind])
		}
	}
	t.Log(met)
}

// TestExitsLeaveTheLoop: a loop that passes a state twice leaves it in two ways, neither of
// which leads out.
func TestExitsLeaveTheLoop(t *testing.T) {
	m := modelOf(t, "des (0, 5, 4)\n(0, A, 1)\n(1, B, 0)\n(0, C, 2)\n(2, D, 0)\n(1, END, 3)\n")
	f, err := formula.Parse(context.Background(), "G F A && G F C -> F END")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), m, f, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	loop := e.Trace().Steps()
	own := map[lts.Transition]bool{}
	start, _ := e.Trace().LoopStart()
	for _, s := range loop[start:] {
		own[s] = true
	}
	if len(loop)-start != 4 || len(e.Exits) == 0 {
		t.Fatalf("the loop is %v, its exits are %v", loop[start:], e.Exits)
	}
	for _, x := range e.Exits {
		l, _ := m.Alphabet().Lookup(x.Label)
		if own[lts.Transition{From: x.From, Label: l, To: x.To}] {
			t.Errorf("%+v is a transition of the loop", x)
		}
	}
}
