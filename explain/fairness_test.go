package explain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/lts"
)

// assumed parses assumptions.
func assumed(t testing.TB, texts ...string) (all []*actl.Assumption) {
	t.Helper()
	for _, text := range texts {
		a, err := actl.ParseAssumption(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

// TestKnownFairness: how many transitions are correct, incorrect and neutral under each
// notion, in models that have been worked out elsewhere.
func TestKnownFairness(t *testing.T) {
	type counts struct{ Correct, Incorrect, Neutral int }
	for _, c := range []struct {
		model, formula           string
		none, weak, strong, full counts
	}{
		{"abp/abp", "Inev(PUT)", counts{462, 0, 7}, counts{469, 0, 0}, counts{469, 0, 0}, counts{469, 0, 0}},
		{"abp/abp", "Inev(PUT, GET)", counts{355, 0, 114}, counts{384, 0, 85}, counts{384, 0, 85}, counts{469, 0, 0}},
		{"philosophers/asymmetric", `Inev("EAT !0")`, counts{97, 0, 207}, counts{120, 0, 184}, counts{304, 0, 0}, counts{304, 0, 0}},
		{"peterson/peterson", `Inev("ENTER !0")`, counts{47, 0, 89}, counts{136, 0, 0}, counts{136, 0, 0}, counts{136, 0, 0}},
		{"dekker/dekker", `Inev("ENTER !0")`, counts{214, 0, 74}, counts{288, 0, 0}, counts{288, 0, 0}, counts{288, 0, 0}},
		{"hyman/hyman", `Inev("ENTER !0")`, counts{80, 0, 110}, counts{127, 0, 63}, counts{190, 0, 0}, counts{190, 0, 0}},
	} {
		m, _, err := aut.Open(context.Background(), "../examples/"+c.model+".aut", aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := actl.Parse(context.Background(), c.formula)
		if err != nil {
			t.Fatal(err)
		}
		for notion, want := range map[string]counts{"": c.none, "weak": c.weak, "strong": c.strong, "full": c.full} {
			var o explain.Options
			if notion != "" {
				o.Fair = assumed(t, notion)
			}
			e, err := explain.Explain(context.Background(), m, f, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := (counts{e.Classes.Correct, e.Classes.Incorrect, e.Classes.Neutral}); got != want || e.Classes.Excluded != 0 {
				t.Errorf("%s %s under %q: %+v, want %+v", c.model, c.formula, notion, *e.Classes, want)
			}
			holds := want.Incorrect+want.Neutral == 0
			if (e.Verdict == explain.Satisfied) != holds || (e.Counterexample == nil) != holds {
				t.Errorf("%s %s under %q is %s", c.model, c.formula, notion, e.Verdict)
			}
			if chain := e.Fairness; notion == "" && ((chain.Chain.Weak == explain.Satisfied) != (c.weak.Neutral == 0) ||
				(chain.Chain.Strong == explain.Satisfied) != (c.strong.Neutral == 0) || (chain.Chain.Full == explain.Satisfied) != (c.full.Neutral == 0)) {
				t.Errorf("%s %s: the chain is %+v", c.model, c.formula, *chain.Chain)
			}
		}
	}
}

// TestKnownAssumptions: which assumptions make well-known models satisfy their properties,
// and that none does where a deadlock violates them.
func TestKnownAssumptions(t *testing.T) {
	for _, c := range []struct {
		model, formula string
		want           string
		classes        explain.Classes
	}{
		{model: "abp/abp", formula: "Inev(PUT)", want: "finitely LOSS; finitely RACK1; finitely TIMEOUT; strong PUT; weak PUT; choices 5", classes: explain.Classes{Correct: 462, Incorrect: 0, Neutral: 7}},
		{model: "travel/travel", formula: "Inev(BOOKING_REC, TICKET_REC)", want: "deadlock", classes: explain.Classes{Correct: 62, Incorrect: 64, Neutral: 91}},
		{model: "figure2/figure2", formula: "Inev(A, B, C)", want: "deadlock", classes: explain.Classes{Correct: 3, Incorrect: 0, Neutral: 3}},
	} {
		m, _, err := aut.Open(context.Background(), "../examples/"+c.model+".aut", aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := explainedFairly(t, m, c.formula)
		var got []string
		for _, a := range e.Fairness.Assumptions {
			text := a.Kind.String()
			for _, l := range a.Labels {
				text += " " + l
			}
			for _, s := range a.States {
				text += fmt.Sprint(" ", s)
			}
			got = append(got, text)
		}
		if e.Fairness.Deadlock {
			got = append(got, "deadlock")
		}
		if is := strings.Join(got, "; "); is != c.want || *e.Classes != c.classes {
			t.Errorf("%s %s: %s, %+v; want %s, %+v", c.model, c.formula, is, *e.Classes, c.want, c.classes)
		}
	}
}

// TestNoFewFairLabels: fairness to three labels or fewer makes no philosopher eat, though
// strong fairness to all of them does.
func TestNoFewFairLabels(t *testing.T) {
	m, _, err := aut.Open(context.Background(), "../examples/philosophers/asymmetric.aut", aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := explainedFairly(t, m, `Inev("EAT !0")`)
	for _, a := range e.Fairness.Assumptions {
		if a.Kind == explain.Strong || a.Kind == explain.Weak {
			t.Errorf("%+v", a)
		}
	}
	if e.Fairness.Chain.Strong != explain.Satisfied {
		t.Errorf("%+v", e.Fairness.Chain)
	}
}

// TestAlternatingBit: of the alternating bit protocol with two data only full fairness
// makes the property true, that is fair choices; no cycle goes without i, so that to do it
// finitely often admits no run.
func TestAlternatingBit(t *testing.T) {
	path, there := collection.Foreign(t, "abp.aut")
	if !there {
		t.Skip("abp.aut of others is not there")
	}
	m, _, err := aut.Open(context.Background(), path, aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const formula = `Inev("r1(d1)")`
	e := explainedFairly(t, m, formula)
	if chain := *e.Fairness.Chain; chain != (explain.FairnessChain{None: explain.Violated, Weak: explain.Violated, Strong: explain.Violated, Full: explain.Satisfied}) || *e.Classes != (explain.Classes{Correct: 46, Incorrect: 0, Neutral: 46}) {
		t.Errorf("%+v, %+v", chain, *e.Classes)
	}
	for _, a := range e.Fairness.Assumptions {
		is := a.Kind == explain.Finitely && len(a.Labels) > 1
		if a.Kind == explain.FairChoices {
			is = fmt.Sprint(a.States) == "[0 4 20 35 57]"
		}
		if !is {
			t.Errorf("%+v", a)
		}
	}
	if full := explainedFairly(t, m, formula, "full"); *full.Classes != (explain.Classes{Correct: 92, Incorrect: 0, Neutral: 0}) {
		t.Errorf("%+v", *full.Classes)
	}
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := explain.Explain(context.Background(), m, f, explain.Options{Fair: assumed(t, "finitely:i")}); !errors.Is(err, explain.ErrNoRunCounts) {
		t.Errorf("error %v", err)
	}
}

// explainedFairly explains a formula on a model under assumptions.
func explainedFairly(t testing.TB, m *lts.LTS, formula string, under ...string) *explain.Explanation {
	t.Helper()
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), m, f, explain.Options{Fair: assumed(t, under...)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestProcessFairness: in Peterson's algorithm weak fairness of the two processes is
// enough, in Hyman's not even strong fairness is.
func TestProcessFairness(t *testing.T) {
	for model, want := range map[string]explain.Verdict{"peterson/peterson": explain.Satisfied, "dekker/dekker": explain.Satisfied, "hyman/hyman": explain.Violated} {
		m, _, err := aut.Open(context.Background(), "../examples/"+model+".aut", aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := actl.Parse(context.Background(), `Inev("ENTER !0")`)
		if err != nil {
			t.Fatal(err)
		}
		for _, notion := range []string{"weak", "strong"} {
			// A process reads the other one's flag, and gives the turn to the other one.
			o := explain.Options{Fair: assumed(t, notion+`:{/^(ENTER|LEAVE|NCS|WRITE_FLAG|READ_TURN) !0/, /^(READ_FLAG|WRITE_TURN) !1/},
				{/^(ENTER|LEAVE|NCS|WRITE_FLAG|READ_TURN) !1/, /^(READ_FLAG|WRITE_TURN) !0/}`)}
			e, err := explain.Check(context.Background(), m, f, o)
			if err != nil {
				t.Fatal(err)
			}
			if e.Verdict != want {
				t.Errorf("%s under %s fairness of the processes is %s", model, notion, e.Verdict)
			}
		}
	}
}

// TestNoRunCounts: where no run meets the assumptions there is no verdict.
func TestNoRunCounts(t *testing.T) {
	m, _, err := aut.Open(context.Background(), "../examples/abp/abp.aut", aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), "Inev(PUT)")
	if err != nil {
		t.Fatal(err)
	}
	o := explain.Options{Fair: assumed(t, "finitely:*")}
	if _, err := explain.Explain(context.Background(), m, f, o); !errors.Is(err, explain.ErrNoRunCounts) {
		t.Errorf("error %v", err)
	}
	o = explain.Options{Fair: assumed(t, "full"), Search: explain.Search{Prefer: "most"}}
	if _, err := explain.Explain(context.Background(), m, f, o); err == nil || !strings.Contains(err.Error(), "under fairness there is only one counterexample") {
		t.Errorf("error %v", err)
	}
}
