package render_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/report"
)

func TestAnswersToWhyNotSatisfyTheSchema(t *testing.T) {
	s := compiled(t, report.Schemas()["inev.why/1"])
	r := newWriter(t, "json", render.Options{})
	right := ""
	for _, m := range models() {
		for _, result := range []string{"why", "why-state"} {
			write, asked := m.results(t, r)[result]
			if !asked {
				continue
			}
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			if m.name == "figure2" && result == "why" {
				right = b.String()
			}
			document, err := jsonschema.UnmarshalJSON(&b)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(document); err != nil {
				t.Errorf("%s of %s: %v", result, m.name, err)
			}
		}
	}
	// It has to notice what is wrong.
	for old, damaged := range map[string]string{
		"": "", `why/1`: `why/2`, `"verdict": "violated"`: `"verdict": "open"`, `"after": "`: `"after": "un`, `"nearest"`: `"farthest"`, `"sentences"`: `"said"`,
	} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(right, old, damaged, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(document); (err == nil) != (old == "") {
			t.Errorf("with %q for %q: %v", damaged, old, err)
		}
	}
}

// TestWhyNotInWords: each kind of answer is said.
func TestWhyNotInWords(t *testing.T) {
	zero := explain.StepIndex(0)
	one := explain.StepIndex(1)
	loop := model{name: "loop", formula: "Inev(A)", states: 7, edges: []edge{
		{0, "X", 1}, {1, "Y", 2}, {2, "Z", 1}, {2, "A", 3}, {0, "B", 4}, {1, "C", 4}, {4, "D", 5}, {5, "E", 6}, {6, "E", 5},
	}}
	// In the first round, A does the first step only.
	round := model{name: "round", formula: "Inev(B, A)", states: 2, edges: []edge{{0, "B", 0}, {0, "A", 1}}}
	nondeterministic := model{name: "both", formula: "Inev(A)", states: 3, edges: []edge{{0, "X", 1}, {0, "X", 2}, {2, "A", 2}}}
	unreached := model{name: "unreached", formula: "Inev(A)", states: 3, edges: []edge{{0, "X", 0}, {1, "A", 2}}}
	for _, c := range []struct {
		m      model
		action string
		step   *explain.StepIndex
		want   string
	}{
		{loop, "Y", nil, "The run does take it: in step 2."},
		{loop, "A", nil, "In state 2 (step 3, in every round) it was possible, and the run took Z. A to state 3 would have made the property certain."},
		{loop, "B", nil, "After step 1 (X, into state 1) it can no longer happen. | In state 0 (step 1) it was possible, and the run took X. B to state 4 would have lost the property."},
		{loop, "D", nil, "It was possible nowhere on this run. | " +
			"The nearest place with it is state 4, 1 transition on from state 0 (step 1): B. The property is lost there, whatever follows."},
		{loop, "D", &one, "It is not possible there. | The nearest place with it is state 4, 1 transition on from state 1: C. The property is lost there, whatever follows."},
		{loop, "D", &zero, "It is not possible there. | The nearest place with it is state 4, 1 transition on from state 0: B. The property is lost there, whatever follows."},
		{loop, "Y", &one, "The run does take it there."},
		{loop, "Y", &zero, "It is not possible there. | Elsewhere on the run it was possible in step 2, and it happened in step 2. | " +
			"The nearest place with it is state 1, 1 transition on from state 0: X. Y to state 2 would have kept the property possible."},
		{round, "A", nil, "In state 0 (step 1, in every round) it was possible, and the run took B. A to state 1 would have made the property certain. " +
			"In the first round: A to state 1 would have lost the property."},
		{nondeterministic, "X", nil, "The run does take it: in step 1. | In state 0 (step 1) it was possible in another way than by the X that the run took. " +
			"X to state 2 would have made the property certain. | After step 1 (X, into state 1) it can no longer happen."},
		{nondeterministic, "A", &one, "It is not possible there. | After step 1 (X, into state 1) it can no longer happen."},
		{unreached, "A", nil, "No run of the model does it: it leaves no state that can be reached. | It was possible nowhere on this run."},
	} {
		action, err := actl.Parse(context.Background(), "Inev("+c.action+")")
		if err != nil {
			t.Fatal(err)
		}
		y, err := explain.Why(context.Background(), c.m.lts(t), c.m.parsed(t), explain.WhyQuestion{Not: action, Step: c.step}, explain.Options{Source: explain.Source{File: "m.aut"}})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := newWriter(t, "text", render.Options{Width: 10_000}).WhyNot(&b, y); err != nil {
			t.Fatal(err)
		}
		_, said, _ := strings.Cut(b.String(), "\n\n  ")
		if got := strings.ReplaceAll(strings.TrimSpace(said), "\n  ", " | "); got != c.want {
			t.Errorf("%s, not %s\n got %s\nwant %s", c.m.name, c.action, got, c.want)
		}
	}
}
