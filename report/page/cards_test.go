package page

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
	"github.com/inev-lts/inev/oracle/randomlts"
	"github.com/inev-lts/inev/report"
)

// TestCardsAreTrue checks what the first card of the page says, and its headline, by
// brute force.
func TestCardsAreTrue(t *testing.T) {
	met := map[string]int{}
	for seed := range uint64(10_000) {
		c := randomlts.Seeded(seed, randomlts.Small())
		f, err := actl.Parse(context.Background(), c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(context.Background(), c.Model, f, explain.Options{File: "m.aut"})
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
	for _, what := range []string{"no return", "looping", "no card", "better", "worse", "first round", "hopeless", "satisfied", "not inevitable", "after"} {
		if met[what] < 5 {
			t.Errorf("%s: met %d times", what, met[what])
		}
	}
}

func checkCard(c randomlts.Case, e *explain.Explanation, o *oracle.Oracle, met map[string]int) error {
	s := report.NewSentences(e, quote)
	if err := checkHeadline(e, o, headline(e, s), met); err != nil {
		return err
	}
	d := e.Decisive()
	if d == nil {
		met["no card"]++
		return nil
	}
	card := describe(e, s, d)
	i := card.Step - 1
	run := e.Trace()
	loop, loops := run.LoopStart()
	at, first := run.Progress(i), run.Progress(i)
	if card.Looping {
		at = e.Counterexample.Done
		met["looping"]++
	}
	taken := run.Step(i)
	free := func(n int, s lts.State) bool { return o.Free(s, run.Progress(n)) }
	switch {
	case card.State != fmt.Sprint(taken.From) || !slices.Equal(card.Chosen.To, []string{fmt.Sprint(taken.To)}) || !slices.Equal(card.Chosen.Labels, []string{c.Model.Alphabet().Text(taken.Label)}):
		return fmt.Errorf("card %+v about %v", card, taken)
	case card.Looping != (loops && i >= loop):
		return fmt.Errorf("card %+v: the loop begins at %d", card, loop)
	case card.NoReturn != (free(i, taken.From) && !free(i+1, taken.To)):
		return fmt.Errorf("card %+v passes the point of no return or not", card)
	case card.NoReturn != strings.HasSuffix(card.Chosen.Means, ": the property is lost"):
		return fmt.Errorf("card %+v: what the choice means", card)
	case !card.NoReturn && !free(i+1, taken.To):
		return fmt.Errorf("card %+v: the property is not possible", card)
	}
	if card.NoReturn {
		met["no return"]++
	}
	told := 0
	for _, better := range []bool{true, false} {
		list := card.Worse
		if better {
			list = card.Better
		}
		for _, choice := range list {
			told += len(choice.Labels) * len(choice.To)
			met[map[bool]string{true: "better", false: "worse"}[better]]++
			if err := checkChoice(c, o, taken, at, first, choice, better, card.NoReturn, met); err != nil {
				return err
			}
		}
	}
	if others := len(o.Out(taken.From)) - 1; told+card.More != others {
		return fmt.Errorf("card %+v tells of %d, there are %d", card, told, others)
	}
	return nil
}

func checkChoice(c randomlts.Case, o *oracle.Oracle, taken lts.Transition, at, first int, said choice, better, noReturn bool, met map[string]int) error {
	for _, label := range said.Labels {
		for _, state := range said.To {
			l, _ := c.Model.Alphabet().Lookup(label)
			var to lts.State
			fmt.Sscan(state, &to)
			t := lts.Transition{From: taken.From, Label: l, To: to}
			if t == taken || !slices.Contains(o.Out(t.From), t) {
				return fmt.Errorf("choice %+v tells of %v", said, t)
			}
			if err := checkMeaning(o, t, taken, at, first, said, better, noReturn, met); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkMeaning(o *oracle.Oracle, t, taken lts.Transition, at, first int, said choice, better, noReturn bool, met map[string]int) error {
	class, before, run := o.ClassAfter(at, t), o.ClassAfter(first, t), o.ClassAfter(at, taken)
	hope := map[oracle.Class]int{oracle.Incorrect: 0, oracle.Neutral: 1, oracle.Correct: 2}
	means := map[oracle.Class]string{
		oracle.Correct: "would have made the property certain", oracle.Neutral: "would have kept the property possible",
		oracle.Incorrect: "would have lost the property",
	}[class]
	if class == oracle.Incorrect && noReturn {
		means += " as well"
	}
	switch {
	case before == class:
	case before == oracle.Neutral:
		met["first round"]++
		means += "; in the first round it would only have kept it possible"
	default:
		met["first round"]++
		means += "; in the first round it would still have lost it"
	}
	if said.Means != means || said.Class != string(class) || better != (hope[class] > hope[run]) {
		return fmt.Errorf("choice %+v, better: %v; it %s", said, better, means)
	}
	return nil
}

// checkHeadline checks what the headline claims.
func checkHeadline(e *explain.Explanation, o *oracle.Oracle, said string, met map[string]int) error {
	var claimed bool
	kind := ""
	switch n := len(e.Property.Steps); {
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
