package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// hasFinding reports whether the answers of a tool have a finding: those with a verdict.
func hasFinding(tool string) bool {
	return slices.Contains([]string{"check", "explain", "ctl", "compare"}, tool)
}

// verdict returns the verdict of an answer by the exit code. Without a formula, two versions are compared; with one, the
// verdict is that of the new version.
func verdict(c command, code int) string {
	if c.name == "compare" && c.formula == "" {
		return []string{"alike", "different"}[code]
	}
	return []string{"satisfied", "violated"}[code]
}

// A decided is the structured content of tools with a verdict.
type decided struct {
	Verdict  string `json:"verdict" jsonschema:"satisfied or violated; of versions that are compared without a formula, alike or different"`
	Headline string `json:"headline" jsonschema:"the first sentence of the text"`
}

// A finding is what a program, rather than a person, wants to know of an explanation: the structured content of explain. It has
// at most about [MostText] bytes.
type finding struct {
	decided
	Steps []findingStep `json:"steps,omitempty" jsonschema:"the run that violates the property"`
	// Loop is the number of the step with which the loop of the run begins.
	Loop     int      `json:"loop,omitempty" jsonschema:"the step with which the loop begins that is repeated forever; 0 if the run ends"`
	LeftOut  int      `json:"left_out,omitempty" jsonschema:"so many steps follow those above; the resource has all"`
	Remedies []string `json:"remedies,omitempty" jsonschema:"what would make the property hold, each enough by itself unless its text says otherwise"`
}

type findingStep struct {
	State    int    `json:"state" jsonschema:"the state that the step leaves"`
	Label    string `json:"label"`
	Decision bool   `json:"decision,omitempty" jsonschema:"another choice here would have been better"`
}

const (
	mostSteps    = 16
	mostRemedies = 4
	mostSentence = 200 // bytes of a sentence or a label
)

// findingSchema returns the schema of what [findingOf] returns.
func findingSchema(tool string) *jsonschema.Schema {
	schema, err := jsonschema.For[decided](nil)
	if tool == "explain" {
		schema, err = jsonschema.For[finding](nil)
	}
	if err != nil {
		panic(err) // the types above
	}
	oneShape(schema)
	return schema
}

// explanation is the part of an explanation's JSON that a finding is made of.
type explanation struct {
	Verdict        string
	Counterexample *struct {
		LoopStart *int `json:"loop_start"`
		Steps     []struct {
			From  int
			Label string
			To    int
			Class string
			Fate  string
		}
	}
	Decisions []struct{ Step int }
	Fairness  *struct {
		Chain *struct{ None, Full string }
	}
	Claims []struct {
		Kind  string
		Steps []int
		Text  string
	}
}

// findingOf returns the structured content of the answer of a command: a [decided] from the text and the exit
// code or, if explain has written JSON, a [finding] from that.
func findingOf(c command, made run) (any, error) {
	d := decided{Verdict: verdict(c, made.code), Headline: headline(string(made.output))}
	if made.explanation == nil {
		return d, nil
	}
	f := finding{decided: d}
	var e explanation
	if err := json.Unmarshal(made.explanation, &e); err != nil {
		return nil, fmt.Errorf("the explanation cannot be read: %w", err)
	}
	if run := e.Counterexample; run != nil {
		for i, step := range run.Steps {
			if i == mostSteps {
				f.LeftOut = len(run.Steps) - mostSteps
				break
			}
			decides := slices.ContainsFunc(e.Decisions, func(d struct{ Step int }) bool { return d.Step == i+1 })
			f.Steps = append(f.Steps, findingStep{State: step.From, Label: clean(step.Label), Decision: decides})
		}
		if run.LoopStart != nil {
			f.Loop = *run.LoopStart + 1
		}
	}
	remedies := []string{"holds_if", "cut", "advice"}
	if e.Fairness != nil && e.Fairness.Chain != nil && e.Fairness.Chain.None != e.Fairness.Chain.Full {
		remedies = append(remedies, "fairness")
	}
	for _, claim := range e.Claims {
		if slices.Contains(remedies, claim.Kind) && len(f.Remedies) < mostRemedies {
			f.Remedies = append(f.Remedies, clean(claim.Text))
		}
	}
	return f, nil
}

// headline returns the first paragraph of a text, on one line.
func headline(text string) string {
	first, _, _ := strings.Cut(text, "\n\n")
	return clean(strings.Join(strings.Fields(first), " "))
}

// clean returns a text of a model without characters that do not print, and cut.
func clean(text string) string {
	text = strings.Map(shown, text)
	if len(text) <= mostSentence {
		return text
	}
	return cut(text, mostSentence) + "…"
}

// aboutStep returns what an explanation has about a step of its run.
func aboutStep(made run, step int) (string, error) {
	var e explanation
	if err := json.Unmarshal(made.explanation, &e); err != nil {
		return "", fmt.Errorf("the explanation cannot be read: %w", err)
	}
	if e.Counterexample == nil {
		return "", fmt.Errorf("there is no run: the property is %s", e.Verdict)
	}
	steps := e.Counterexample.Steps
	if step < 1 || step > len(steps) {
		return "", fmt.Errorf("the run has the steps 1 to %d", len(steps))
	}
	taken := steps[step-1]
	var b strings.Builder
	fmt.Fprintf(&b, "Step %d of %d: %s from state %d to state %d", step, len(steps), taken.Label, taken.From, taken.To)
	if taken.Class != "" {
		fmt.Fprintf(&b, " (%s)", taken.Class)
	}
	b.WriteString(".\n")
	if taken.Fate == "fated" {
		b.WriteString("After it, no choice can make the property hold.\n")
	}
	for _, claim := range e.Claims {
		if slices.Contains(claim.Steps, step) {
			b.WriteString(claim.Text + "\n")
		}
	}
	return b.String(), nil
}
