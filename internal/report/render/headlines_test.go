package render_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// implications are formulas with the label that the consequent awaits, or forbids.
var implications = []struct {
	text, awaited, forbidden string
}{
	{text: "(G F A && G F B) -> F D", awaited: "D"},
	{text: "G F A -> G F D", awaited: "D"},
	{text: "G F A -> (G F B -> F D)", awaited: "D"},
	{text: "!(G F A) || F D", awaited: "D"},
	{text: "F A -> F D", awaited: "D"},
	{text: "G !B -> F D", awaited: "D"},
	{text: "F G A -> G F D", awaited: "D"},
	{text: "G F A -> F G !B", forbidden: "B"},
	{text: "G F A -> G !D", forbidden: "D"},
}

var (
	lacksForm  = regexp.MustCompile("^`(\\w)` never happens( on the loop)?$")
	againForm  = regexp.MustCompile("^(.+) happens? again and again$")
	amongForm  = regexp.MustCompile("^`(\\w)` is possible in (.+), and (?:never taken|(.+) is taken (?:each time|instead))$")
	awayForm   = regexp.MustCompile("^`(\\w)` is (\\d+) steps away from (?:the loop|state \\d+) ")
	beforeForm = regexp.MustCompile("^the run stops in state (\\d+) before `(\\w)`$")
	doesForm   = regexp.MustCompile("^`(\\w)` happens \\(step (\\d+)\\).*$")
)

// TestHeadlinesOfImplications: the run meets the premises, so that the headline is about what the
// consequent lacks, and true of the run and the model.
func TestHeadlinesOfImplications(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(3_000) {
		r := rand.New(rand.NewPCG(seed, 47))
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 9, Labels: 3 + min(1, int(seed%4)), Steps: 1})
		of := implications[r.IntN(len(implications))]
		e, err := explain.Explain(context.Background(), c.Model, parseAny(t, of.text), explain.Options{Source: explain.Source{File: "m.aut"}, NoFairness: true, NoAdvice: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.Diagnosis == nil {
			continue
		}
		said := render.NewSentences(e, printable.Code).Diagnosis()
		switch e.Diagnosis.Kind {
		case explain.KindImpossible, explain.KindForbidden, explain.KindLost:
			if e.Diagnosis.Consequent == "" {
				continue // the property as a whole is lost
			}
		}
		x := headline{c.Model, e.Trace(), of.awaited, of.forbidden}
		form, err := x.check(said)
		if met[form]++; err != nil {
			t.Fatalf("seed %d, %s: %q: %v\n%s%v", seed, of.text, said, err, texts(c.Model), e.Trace().Steps())
		}
	}
	t.Log(met)
	for _, form := range []string{"lacks", "nowhere", "again", "possible", "away", "before", "does"} {
		if randomlts.Whole() && met[form] < 2 {
			t.Errorf("%q was met %d times", form, met[form])
		}
	}
}

// headline is what a headline has to be about.
type headline struct {
	m                  *lts.LTS
	run                *counterexample.Trace
	awaited, forbidden string
}

func (x headline) text(l lts.Label) string { return x.m.Alphabet().Text(l) }

// onLoop are the labels that the run does again and again.
func (x headline) onLoop() (labels []string) {
	start, loops := x.run.LoopStart()
	for i := start; loops && i < x.run.Len(); i++ {
		labels = append(labels, x.text(x.run.Step(i).Label))
	}
	return labels
}

// reach returns the labels that can happen after some states.
func (x headline) reach(from ...lts.State) map[string]bool {
	labels, visited := map[string]bool{}, map[lts.State]bool{}
	for ; len(from) > 0; from = from[1:] {
		if visited[from[0]] {
			continue
		}
		visited[from[0]] = true
		of, targets := x.m.Out(from[0])
		for i, to := range targets {
			labels[x.text(of.At(i))] = true
			from = append(from, to)
		}
	}
	return labels
}

// check returns the form of a headline, and an error if it is about something else, or not true.
func (x headline) check(said string) (string, error) {
	said, _, _ = strings.Cut(said, "; from step ")
	said, _, _ = strings.Cut(said, "; only internal")
	if m := doesForm.FindStringSubmatch(said); m != nil {
		step, _ := strconv.Atoi(m[2])
		return "does", want(m[1] == x.forbidden && x.text(x.run.Step(step-1).Label) == m[1], "it is about %s", x.forbidden)
	}
	if m := againForm.FindStringSubmatch(said); m != nil {
		return "again", want(m[1] == "`"+x.forbidden+"`" && slices.Contains(x.onLoop(), x.forbidden), "it is about %s%s", x.forbidden, x.awaited)
	}
	if m := beforeForm.FindStringSubmatch(said); m != nil {
		return "before", want(m[2] == x.awaited && m[1] == fmt.Sprint(x.run.Last()) && x.m.IsDeadlock(x.run.Last()), "it is about %s", x.awaited)
	}
	if m := lacksForm.FindStringSubmatch(said); m != nil {
		start, _ := x.run.LoopStart()
		form, from := "lacks", x.run.Step(start).From
		if m[2] == "" {
			form, from = "nowhere", x.m.Initial()
		}
		return form, want(m[1] == x.awaited && !x.reach(from)[x.awaited], "%s can happen", x.awaited)
	}
	loop := x.onLoop()
	if m := amongForm.FindStringSubmatch(said); m != nil {
		return "possible", want(m[1] == x.awaited && len(loop) > 0 && !slices.Contains(loop, x.awaited), "it is about %s", x.awaited)
	}
	if m := awayForm.FindStringSubmatch(said); m != nil {
		start, _ := x.run.LoopStart()
		return "away", want(m[1] == x.awaited && !slices.Contains(loop, x.awaited) && x.reach(x.run.Step(start).From)[x.awaited], "it is about %s", x.awaited)
	}
	return "", fmt.Errorf("it is not understood")
}

func want(is bool, format string, args ...any) error {
	if is {
		return nil
	}
	return fmt.Errorf(format, args...)
}
