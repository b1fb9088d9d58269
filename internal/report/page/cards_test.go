package page

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestCardsAreTrue checks what the first card of the page says, and its headline, by
// brute force.
func TestCardsAreTrue(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(10_000) {
		c := randomlts.Seeded(seed, randomlts.Small())
		f, err := actl.Parse(context.Background(), c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(context.Background(), c.Model, f, explain.Options{Source: explain.Source{File: "m.aut"}})
		if err != nil {
			t.Fatal(err)
		}
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkCard(c, e, o, met); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
	}
	for _, what := range []string{"no return", "certain", "possible", "several", "hopeless", "satisfied", "not inevitable", "after"} {
		if randomlts.Whole() && met[what] < 5 {
			t.Errorf("%s: met %d times", what, met[what])
		}
	}
}

// checkCard checks what is told of the decisions: each of them at which something would have
// been better is told once, and what it links to would have been.
func checkCard(c randomlts.Case, e *explain.Explanation, o *oracle.Oracle, met map[string]int) error {
	s := render.NewSentences(e, quote)
	if err := checkHeadline(e, o, answer(e, s), met); err != nil {
		return err
	}
	if d := s.Diagnosis(); d != "" && headline(e, s) != quote(e.Property.Text)+": "+d {
		return fmt.Errorf("the headline is %q", headline(e, s))
	}
	if e.Counterexample == nil {
		return nil
	}
	told, more := decisionsOf(e, s, "")
	all := 0
	for _, d := range told {
		all += len(d.Steps) + d.MoreSteps
		if len(d.Steps) > 1 {
			met["several"]++
		}
		if err := checkDecision(e, o, d, met); err != nil {
			return fmt.Errorf("%+v: %w", d, err)
		}
	}
	if all+more != len(e.Decisions) {
		return fmt.Errorf("%d of %d decisions are told, %d more", all, len(e.Decisions), more)
	}
	return nil
}

func checkDecision(e *explain.Explanation, o *oracle.Oracle, d decision, met map[string]int) error {
	run := e.Trace()
	start, loops := run.LoopStart()
	want := oracle.Neutral
	if d.Sign == "✓" {
		want = oracle.Correct
		met["certain"]++
	} else {
		met["possible"]++
	}
	noReturn := false
	for _, step := range d.Steps {
		i := step - 1
		taken, progress := run.Step(i), int(run.At(i))
		noReturn = noReturn || o.Free(taken.From, progress) && o.ClassAfter(progress, taken) == oracle.Incorrect
		if loops && i >= start {
			progress = e.Counterexample.Done
		}
		var better []string
		for _, t := range o.Out(taken.From) {
			if t != taken && o.ClassAfter(progress, t) == want && o.ClassAfter(progress, taken) != want {
				better = append(better, fmt.Sprint(t.To))
			}
		}
		if len(better) == 0 || len(d.Steps) == 1 && slices.ContainsFunc(d.Instead, func(to string) bool { return !slices.Contains(better, to) }) {
			return fmt.Errorf("at step %d %v would have been better", step, better)
		}
	}
	if noReturn {
		met["no return"]++
	}
	if noReturn != (d.NoReturn != "") && d.MoreSteps == 0 {
		return fmt.Errorf("it is the point of no return: %v", noReturn)
	}
	return nil
}

// checkHeadline checks what the headline claims.
func checkHeadline(e *explain.Explanation, o *oracle.Oracle, said string, met map[string]int) error {
	var claimed bool
	kind := ""
	n := len(e.Property.Steps)
	switch {
	case strings.HasPrefix(said, "Every run does ") || strings.HasSuffix(said, " is inevitable"):
		kind, claimed = "satisfied", o.Satisfied()
	case strings.HasPrefix(said, "No run does "):
		kind, claimed = "hopeless", !o.CanDo(e.Model.Initial, 1, n)
	case strings.HasPrefix(said, "After "):
		kind, claimed = "after", !o.Satisfied() && e.Counterexample.Done > 0
	case strings.HasSuffix(said, " is not inevitable"):
		kind, claimed = "not inevitable", !o.Satisfied() && e.Counterexample.Done == 0
	}
	met[kind]++
	if !claimed {
		return fmt.Errorf("the headline %q is not true", said)
	}
	return nil
}
