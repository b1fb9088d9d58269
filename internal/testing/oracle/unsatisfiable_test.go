package oracle_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/simplify"
)

// twice returns a random formula of linear temporal logic, and one that is written otherwise and means the same.
func twice(r *rand.Rand, depth int) (f, same string) {
	if depth == 0 || r.IntN(6) == 0 {
		atom := []string{"{A}", "{B}", "{A, C}", "deadlock", "true", "{D}"}[r.IntN(6)]
		return atom, atom
	}
	f, a := twice(r, depth-1)
	g, b := twice(r, depth-1)
	switch r.IntN(9) {
	case 0:
		return "!(" + f + ")", "!(" + a + ")"
	case 1:
		return "X (" + f + ")", "!X !(" + a + ")"
	case 2:
		return "F (" + f + ")", "(true U (" + a + "))"
	case 3:
		return "G (" + f + ")", "!(true U !(" + a + "))"
	case 4:
		return "((" + f + ") && (" + g + "))", "!(!(" + b + ") || !(" + a + "))"
	case 5:
		return "((" + f + ") W (" + g + "))", "(((" + a + ") U (" + b + ")) || !F !(" + a + "))"
	case 6:
		return "((" + f + ") R (" + g + "))", "!(!(" + a + ") U !(" + b + "))"
	case 7:
		return "((" + f + ") M (" + g + "))", "((" + b + ") U ((" + a + ") && (" + b + ")))"
	}
	return "((" + f + ") U (" + g + "))", "((" + b + ") || ((" + a + ") && X ((" + a + ") U (" + b + "))))"
}

// TestUnsatisfiableAndValid: what is told of a formula that no word satisfies, or every word, follows from that alone, on every model.
func TestUnsatisfiableAndValid(t *testing.T) {
	ctx := context.Background()
	assumptions := []string{"", "", "weak:A", "strong:B", "finitely:C", "full", "strong"}
	met := map[string]int{}
	for seed := range randomlts.Share(1_500) {
		r := rand.New(rand.NewPCG(seed, 5004))
		m := randomlts.Seeded(seed+2<<32, randomlts.Size{States: 5, Transitions: 9, Labels: 4, Steps: 1}).Model
		f, same := twice(r, 3)
		text, none := "("+f+") && !("+same+")", true
		if r.IntN(3) == 0 {
			text, none = "("+f+") -> ("+same+")", false
		}
		parsed, err := read(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		o := explain.Options{}
		if fair := assumptions[r.IntN(len(assumptions))]; fair != "" {
			a, err := actl.ParseAssumption(ctx, fair)
			if err != nil {
				t.Fatal(err)
			}
			o.Fair = append(o.Fair, a)
		}
		fail := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("seed %d: %s under %v: %s\n%v", seed, text, o.Fair, fmt.Sprintf(format, args...), m)
		}
		e, err := explain.Explain(ctx, m, parsed, o)
		if o.Fair != nil && err != nil && errors.Is(err, explain.ErrNoRunCounts) {
			met["no run counts"]++
			continue
		}
		if err != nil {
			if strings.Contains(err.Error(), "states") {
				met["too large"]++
				continue
			}
			fail("%v", err)
		}
		var b strings.Builder
		w, err := render.New("text", render.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Explanation(&b, e); err != nil {
			t.Fatal(err)
		}
		said := strings.Join(strings.Fields(b.String()), " ")
		counts := e.Classification().Counts()
		if none {
			met["unsatisfiable"]++
			c := e.Counterexample
			switch {
			case e.Verdict != explain.Violated:
				fail("%v", e.Verdict)
			case counts.Correct+counts.Neutral > 0:
				fail("%+v", counts)
			case c.InitialFate != simplify.Fated:
				fail("it can still be satisfied at first")
			case c.Kind == counterexample.Prefix && c.Length != 0 || o.Fair == nil && c.Kind != counterexample.Prefix && c.Minimal != counterexample.InModel:
				fail("%v of %d transitions, minimal: %v", c.Kind, c.Length, c.Minimal)
			case len(e.Decisions) > 0 || e.PointOfNoReturn != nil:
				fail("something decides: %+v %+v", e.Decisions, e.PointOfNoReturn)
			case e.Diagnosis.Kind != explain.KindImpossible || e.Diagnosis.AllEnd || len(e.Diagnosis.Begins) > 0 || strings.Contains(said, "satisfies it, since"):
				fail("%s", said)
			case e.Repair != nil && e.Repair.Solvable || e.Nearest != nil:
				fail("it can be made true: %+v %+v", e.Repair, e.Nearest)
			case strings.Contains(said, "would have made") || strings.Contains(said, "nearest correct run") || strings.Contains(said, "would make it hold") && !strings.Contains(said, "would make it hold Nothing does"):
				fail("%s", said)
			}
		} else {
			met["valid"]++
			switch {
			case e.Verdict != explain.Satisfied:
				fail("%v", e.Verdict)
			case counts.Incorrect+counts.Neutral > 0:
				fail("%+v", counts)
			case len(e.Reasons.Bounds) > 0:
				fail("something is pending: %+v", e.Reasons.Bounds)
			}
		}
		for tr := range m.Transitions() {
			if !m.Reachable().Has(tr.From) {
				continue
			}
			want := map[bool]fate.Class{true: fate.Incorrect, false: fate.Correct}[none]
			if class := e.Classification().Class(tr.From, tr.Label, tr.To); class != want && class != fate.Excluded {
				fail("%v is %v", tr, class)
			}
		}
		if seed%4 == 0 {
			fixed, err := explain.FindRepair(ctx, m, parsed, explain.RepairOptions{})
			if err != nil {
				fail("repair: %v", err)
			}
			if fixed.Solvable != !none || len(fixed.Never) > 0 {
				fail("repair: %+v", fixed)
			}
		}
	}
	if randomlts.Whole() && (met["unsatisfiable"] < 750 || met["valid"] < 300) {
		t.Errorf("too little was met: %v", met)
	}
	t.Log(met)
}
