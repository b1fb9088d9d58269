package render_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
)

// asking checks answers to questions why an action did not happen.
type asking struct {
	t   *testing.T
	r   *rand.Rand
	m   *lts.LTS
	f   property.Formula
	run int // the number of places of the counterexample; 0 if there is none
}

// ask asks a random question, and has the answer checked.
func (a *asking) ask(check func(assertions.Question, []string) error) error {
	ctx := context.Background()
	var q assertions.Question
	var why explain.WhyQuestion
	text := ""
	q.Action = map[lts.Label]bool{}
	for l, label := range a.m.Alphabet().All() {
		if a.r.IntN(3) == 0 {
			q.Action[l] = true
			text += fmt.Sprintf(", %q", label)
		}
	}
	if text == "" {
		return nil
	}
	var err error
	if why.Not, err = actl.Parse(ctx, "Inev("+text[2:]+")"); err != nil {
		return err
	}
	kind := a.r.IntN(3)
	switch {
	case kind == 1 && a.run > 0:
		i := a.r.IntN(a.run)
		step := explain.StepIndex(i)
		q.Step, why.Step = &i, &step
	case kind == 2:
		s := lts.State(a.r.IntN(a.m.NumStates()))
		q.State, why.State = &s, &s
	}
	y, err := explain.Why(ctx, a.m, a.f, why, explain.Options{Source: explain.Source{File: "m.aut"}})
	if errors.As(err, new(*explain.NoPlaceError)) && q.State != nil && !a.m.Reachable().Has(*q.State) {
		return nil
	}
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := newWriter(a.t, "markdown", render.Options{}).WhyNot(&b, y); err != nil {
		return err
	}
	var said []string
	for _, line := range strings.Split(b.String(), "\n") {
		if line != "" && !strings.HasPrefix(line, "##") && !strings.HasPrefix(line, "Warning:") {
			said = append(said, line)
		}
	}
	if err := check(q, said); err != nil {
		return fmt.Errorf("not %s, step %v, state %v:\n%s\n%w", text[2:], why.Step, why.State, b.String(), err)
	}
	return nil
}

// placesOf returns the number of places of a counterexample that can be asked about.
func placesOf(e *explain.Explanation) int {
	t := e.Trace()
	if t == nil {
		return 0
	}
	if _, loops := t.LoopStart(); loops {
		return t.Len()
	}
	return t.Len() + 1
}

// TestAnswersToWhyNotAreTrue reads the answers to random questions back, and checks each
// sentence by brute force.
func TestAnswersToWhyNotAreTrue(t *testing.T) {
	understood := map[string]int{}
	ctx := context.Background()
	cases := randomlts.Share(12_000)
	for seed := range cases {
		c := randomlts.Seeded(seed, randomlts.Small())
		e, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}, NoAdvice: true})
		if err != nil {
			t.Fatal(err)
		}
		checker, err := assertions.New(subject(c, e, neighbourhood.All))
		if err != nil {
			t.Fatal(err)
		}
		f, err := actl.Parse(ctx, c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		a := &asking{t: t, r: rand.New(rand.NewPCG(seed, 3)), m: c.Model, f: f, run: placesOf(e)}
		if err := a.ask(checker.Answer); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		for form, n := range checker.Understood {
			understood[form] += n
		}
	}
	wantAnswers(t, understood, int(cases/1_000), "taken", "taken there", "not there", "there", "missed", "nowhere", "elsewhere", "nearest", "never", "gone")
}

// TestAnswersAboutTablesAreTrue is the same for properties without steps.
func TestAnswersAboutTablesAreTrue(t *testing.T) {
	understood := map[string]int{}
	ctx := context.Background()
	cases := randomlts.Share(4_000)
	for seed := range cases {
		c := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 8, Labels: 4, Steps: 1})
		text := tables[seed%uint64(len(tables))]
		checker, e, err := tableChecker(c.Model, text, "", explain.Options{Source: explain.Source{File: "m.aut"}, NoAdvice: true})
		if err != nil {
			t.Fatalf("seed %d, %s:\n%s\n%v", seed, text, c, err)
		}
		if checker == nil {
			continue
		}
		f, err := formula.Parse(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		a := &asking{t: t, r: rand.New(rand.NewPCG(seed, 3)), m: c.Model, f: f, run: placesOf(e)}
		if err := a.ask(checker.Answer); err != nil {
			t.Fatalf("seed %d, %s:\n%s\n%v", seed, text, c, err)
		}
		for form, n := range checker.Understood {
			understood[form] += n
		}
	}
	wantAnswers(t, understood, int(cases/1_000), "taken", "not there", "there", "missed", "missed at the end", "nearest", "never", "gone")
}

func wantAnswers(t *testing.T, understood map[string]int, least int, forms ...string) {
	t.Helper()
	t.Log(understood)
	for _, form := range forms {
		if understood["why: "+form] < least {
			t.Errorf("the form %q was met %d times: nothing is known of it", form, understood["why: "+form])
		}
	}
}
