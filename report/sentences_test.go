package report_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/assertions"
	"github.com/inev-lts/inev/internal/oracle"
	"github.com/inev-lts/inev/internal/oracle/randomlts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/report"
	"pgregory.net/rapid"
)

// TestSentencesShrink gives a smaller model where the test in bulk fails: run it with
// -rapid.checks=100000.
func TestSentencesShrink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if _, err := readBack(randomlts.Generator(randomlts.Small()).Draw(t, "case"), neighbourhood.All); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSentencesAreTrue reads every sentence of the explanations of random models
// back, and checks it by brute force.
func TestSentencesAreTrue(t *testing.T) {
	understood := map[string]int{}
	for seed := range uint64(12_000) {
		reading := neighbourhood.All
		if seed%4 == 0 {
			reading = neighbourhood.Some
		}
		c := randomlts.Seeded(seed, randomlts.Small())
		forms, err := readBack(c, reading)
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		for form, n := range forms {
			understood[form] += n
		}
	}
	for _, form := range assertions.Forms() {
		if understood[form] < 5 {
			t.Errorf("the form %q was met %d times: nothing is known of it", form, understood[form])
		}
	}
	t.Log(understood)
}

// readBack explains a case and checks what the report says of it; it returns how
// often each form of sentence was met.
func readBack(c randomlts.Case, reading neighbourhood.Reading) (map[string]int, error) {
	formula, err := actl.Parse(c.Formula)
	if err != nil {
		return nil, err
	}
	e, err := explain.Explain(context.Background(), c.Model, formula, explain.Options{File: "m.aut", Reading: reading})
	if err != nil {
		return nil, err
	}
	checker, err := assertions.New(subject(c, e, reading))
	if err != nil {
		return nil, err
	}
	s := report.NewSentences(e, report.MarkdownCode)
	said := append([]string{s.Verdict()}, strings.SplitAfter(s.Shape(), "\n")...)
	for _, part := range [][]string{s.Decisions(), s.Beyond(), s.Exits(), s.Elsewhere()} {
		said = append(said, part...)
	}
	for _, sentence := range said {
		if sentence == "" {
			continue
		}
		if err := checker.Sentence(sentence); err != nil {
			return nil, fmt.Errorf("%w\nof\n%s", err, strings.Join(said, "\n"))
		}
	}
	return checker.Understood, nil
}

func subject(c randomlts.Case, e *explain.Explanation, reading neighbourhood.Reading) assertions.Subject {
	s := assertions.Subject{Model: c.Model, Steps: c.Steps, Violated: e.Verdict == explain.Violated, Reading: oracle.All}
	if reading == neighbourhood.Some {
		s.Reading = oracle.Some
	}
	for _, step := range e.Property.Steps {
		s.Patterns = append(s.Patterns, step.Pattern)
	}
	if t := e.Trace(); t != nil {
		s.Run = runOf(t)
	}
	return s
}

func runOf(t *counterexample.Trace) oracle.Run {
	run := oracle.Run{Transitions: slices.Clone(t.Steps()), Loop: oracle.NoLoop}
	if loop, ok := t.LoopStart(); ok {
		run.Loop = loop
	}
	return run
}
