package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/inev-lts/inev/internal/printable"
)

// hasFinding reports whether the answers of a tool have a finding: those with a verdict.
func hasFinding(tool string) bool {
	return slices.Contains([]string{"check", "explain", "ctl", "compare"}, tool)
}

// verdict returns the verdict of an answer by the exit code. Without a formula, two versions are compared; with one, the
// new version is worse if it has a violation that is new. Both versions may violate the property, so that
// satisfied and violated say too little.
func verdict(c command, code int) string {
	verdicts := []string{"satisfied", "violated"}
	switch {
	case c.name == "compare" && c.formula == "":
		verdicts = []string{"alike", "different"}
	case c.name == "compare":
		verdicts = []string{"not worse", "worse"}
	}
	return verdicts[code]
}

// A decidedAnswer is the structured content of tools with a verdict.
type decidedAnswer struct {
	Verdict  string `json:"verdict" jsonschema:"satisfied or violated; of versions that are compared, alike or different, and with a formula worse (the new version violates it by a run that the old one does not have) or not worse"`
	Headline string `json:"headline" jsonschema:"the first sentence of the text"`
}

// A finding is the structured content of explain: the part of an explanation that programs, rather
// than people, need. It has at most about [MostText] bytes.
type finding struct {
	decidedAnswer
	Steps []findingStep `json:"steps,omitempty" jsonschema:"the run that violates the property"`
	// Loop is the number of the step with which the loop of the run begins.
	Loop    int `json:"loop,omitempty" jsonschema:"the step with which the loop begins that is repeated forever; 0 if the run ends"`
	LeftOut int `json:"left_out,omitempty" jsonschema:"the number of further steps; the resource has all"`
	// NoReturn is the number of the step that is the point of no return.
	NoReturn int             `json:"point_of_no_return,omitempty" jsonschema:"after this step the run can no longer satisfy the property; 0 if it always could"`
	Remedies []findingRemedy `json:"remedies,omitempty" jsonschema:"what would make the property hold, each enough by itself unless its text says otherwise"`
}

type findingStep struct {
	State    int    `json:"state" jsonschema:"the state that the step leaves"`
	Label    string `json:"label"`
	Decision bool   `json:"decision,omitempty" jsonschema:"another choice here would have been better"`
}

type findingRemedy struct {
	Number int    `json:"number" jsonschema:"the number that repair takes as apply"`
	Text   string `json:"text"`
}

const (
	mostSteps    = 16
	mostRemedies = 4
	mostSentence = 200 // bytes of a sentence or a label
)

// findingSchema returns the schema of what [findingOf] returns.
func findingSchema(tool string) *jsonschema.Schema {
	schema, err := jsonschema.For[decidedAnswer](nil)
	if tool == "explain" {
		schema, err = jsonschema.For[finding](nil)
	}
	if err != nil {
		panic(err) // the types above
	}
	giveOneType(schema)
	return schema
}

// explanation is the part of an explanation's JSON that a finding is made of.
type explanation struct {
	Verdict        string
	Counterexample *struct {
		LoopStart *int `json:"loop_start"`
		Steps     []explainedStep
	}
	PointOfNoReturn *struct{ Step int } `json:"point_of_no_return"`
	Decisions       []struct{ Step int }

	Claims []struct {
		Steps []int
		Text  string
	}
	Remedies []findingRemedy
}

type explainedStep struct {
	From  stateName
	Label string
	To    stateName
	Class string
	Fate  string
}

// stateName is a state as an explanation names it: by its number or, where states are split by the progress made,
// by that number and the progress, such as 3·0.
type stateName string

func (n *stateName) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		*n = stateName(text)
		return nil
	}
	return json.Unmarshal(text, (*string)(n))
}

// number returns the number of the state in the model, without the progress.
func (n stateName) number() (int, error) {
	digits, _, _ := strings.Cut(string(n), "·")
	return strconv.Atoi(digits)
}

// findingOf returns the structured content of the answer of a command: a [decidedAnswer] from the text and the exit
// code or, if explain has written JSON, a [finding] from that.
func findingOf(c command, outcome processResult) (any, error) {
	d := decidedAnswer{Verdict: verdict(c, outcome.exitCode), Headline: headline(string(outcome.output))}
	if outcome.explanation == nil {
		return d, nil
	}
	f := finding{decidedAnswer: d}
	var e explanation
	if err := json.Unmarshal(outcome.explanation, &e); err != nil {
		return nil, fmt.Errorf("the explanation cannot be read: %w", err)
	}
	if run := e.Counterexample; run != nil {
		steps, err := findingSteps(e)
		if err != nil {
			return nil, err
		}
		f.Steps = steps
		f.LeftOut = len(run.Steps) - len(steps)
		if run.LoopStart != nil {
			f.Loop = *run.LoopStart + 1
		}
	}
	if e.PointOfNoReturn != nil {
		f.NoReturn = e.PointOfNoReturn.Step
	}
	for _, r := range e.Remedies[:min(len(e.Remedies), mostRemedies)] {
		f.Remedies = append(f.Remedies, findingRemedy{Number: r.Number, Text: cleaned(r.Text)})
	}
	return f, nil
}

// findingSteps returns the first [mostSteps] steps of the counterexample.
func findingSteps(e explanation) ([]findingStep, error) {
	all := e.Counterexample.Steps
	var steps []findingStep
	for i, step := range all[:min(len(all), mostSteps)] {
		state, err := step.From.number()
		if err != nil {
			return nil, fmt.Errorf("the explanation cannot be read: %w", err)
		}
		steps = append(steps, findingStep{
			State: state,
			Label: cleaned(step.Label),
			Decision: slices.ContainsFunc(e.Decisions, func(d struct{ Step int }) bool {
				return d.Step == i+1
			}),
		})
	}
	return steps, nil
}

// headline returns the first paragraph of a text, on one line.
func headline(text string) string {
	first, _, _ := strings.Cut(text, "\n\n")
	return cleaned(strings.Join(strings.Fields(first), " "))
}

// cleaned returns a text of a model with escapes for characters that do not print, as inev shows it, and cuts a long text.
func cleaned(text string) string {
	text = printable.Text(text)
	if len(text) <= mostSentence {
		return text
	}
	return shortened(text, mostSentence) + "…"
}

// aboutStep returns what an explanation has about a step of its run.
func aboutStep(outcome processResult, step int) (string, error) {
	if outcome.explanation == nil {
		return "", fmt.Errorf("the explanation has more than %d MB: leave step out", mostExplanation>>20)
	}
	var e explanation
	if err := json.Unmarshal(outcome.explanation, &e); err != nil {
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
	fmt.Fprintf(&b, "Step %d of %d: %s from state %s to state %s", step, len(steps),
		taken.Label, taken.From, taken.To)
	if taken.Class != "" {
		fmt.Fprintf(&b, " (%s over all runs)", taken.Class)
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
