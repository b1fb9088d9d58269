package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/explain/remedy"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// applyFlag is the flag with the number of the remedy that inev repair applies.
const applyFlag = "apply"

// applyRemedy applies a remedy of inev explain to the model, and shows the verdict on the result.
func applyRemedy(j *job) error {
	number, err := j.wholeNumber(applyFlag, 1, math.MaxInt32, "is not the number of a remedy")
	if err != nil {
		return err
	}
	if j.writesModel() {
		if err := checkPlace(j.flag("o")); err != nil {
			return err
		}
	}
	m, f, err := j.readBoth()
	if err != nil {
		return err
	}
	e, err := explain.Explain(j.ctx, m, f, explain.Options{
		Source:  j.options.Source,
		Fair:    j.options.Fair,
		NoPaths: true,
	})
	if err != nil {
		return err
	}
	j.account(e.Timings, e.Warnings)
	if e.Verdict == explain.Satisfied {
		return fmt.Errorf("%s satisfies %s: there is no remedy to apply", j.options.File,
			asWritten(f))
	}
	remedies := render.NewSentences(e, printable.Text).Remedies()
	if number > len(remedies) {
		return noRemedy(number, remedies)
	}
	chosen := remedies[number-1]
	if err := j.printf("Remedy %d of %d: %s\n", number, len(remedies), chosen.Sentence); err != nil {
		return err
	}
	if chosen.Assumption != "" {
		return j.showAssumed(m, f, chosen.Assumption)
	}
	applied, err := j.applyToModel(m, f, chosen)
	if err != nil {
		return err
	}
	return j.showApplied(f, applied)
}

// applyToModel returns the model after a remedy that changes it.
func (j *job) applyToModel(m *lts.LTS, f property.Formula, r render.Remedy) (*remedy.Applied, error) {
	if !r.Supervised {
		return remedy.WithoutSteps(j.ctx, m, f, r.Without, j.options.Source, j.options.Fair)
	}
	applied, err := remedy.Supervised(j.ctx, m, f, j.options.Source, j.options.Fair)
	if err == nil && applied == nil {
		err = errors.New("no repair was found; inev repair shows what prevents it")
	}
	return applied, err
}

// noRemedy returns the error for a number that no remedy has. The error lists all remedies.
func noRemedy(number int, remedies []render.Remedy) error {
	if len(remedies) == 0 {
		return fmt.Errorf("--%s %d: no remedy was found; inev explain shows why", applyFlag,
			number)
	}
	var choices []string
	for i, r := range remedies {
		choices = append(choices, fmt.Sprintf("%d (%s)", i+1, strings.TrimSuffix(r.Sentence, ".")))
	}
	return fmt.Errorf("--%s %d: there is no such remedy; choose %s", applyFlag, number,
		printable.List(choices, "or"))
}

// showAssumed shows the verdict under an assumption, which changes no model.
func (j *job) showAssumed(m *lts.LTS, f property.Formula, text string) error {
	if j.writesModel() {
		return fmt.Errorf("-o: an assumption changes no model; leave -o out, and check under --fair %s", printable.ShellWord(text))
	}
	assumed, err := actl.ParseAssumption(j.ctx, text)
	if err != nil {
		return err
	}
	e, err := explain.Check(j.ctx, m, f, explain.Options{
		Source: j.options.Source,
		Fair:   append(slices.Clone(j.options.Fair), assumed),
	})
	if err != nil {
		return err
	}
	verdict := "satisfies"
	if e.Verdict == explain.Violated {
		verdict = "violates"
	}
	flags := ""
	for _, assumption := range append(assumptionTexts(j.options.Fair), text) {
		flags += " --fair " + printable.ShellWord(assumption)
	}
	err = j.printf("With%s, %s %s %s; the model stays as it is.\n",
		flags, printable.Text(j.options.File), verdict, printable.Text(asWritten(f)))
	if err != nil {
		return err
	}
	return violatedIf(e.Verdict == explain.Violated)
}

// showApplied shows the verdict after a remedy and what is lost, and writes the model if that is asked for.
func (j *job) showApplied(f property.Formula, a *remedy.Applied) error {
	verdict := j.verdictAfter(printable.Text(asWritten(f)), a)
	if err := j.printf("%s\n%s\n", verdict, changeOfModel(a)); err != nil {
		return err
	}
	if j.writesModel() {
		if err := saveModel(&j.call, a.Model, a.Values, j.flag("o")); err != nil {
			return err
		}
	}
	return violatedIf(a.FairVerdict != explain.Satisfied)
}

// verdictAfter says whether the model satisfies a formula after a remedy.
func (j *job) verdictAfter(formula string, a *remedy.Applied) string {
	isSatisfied := a.Verdict == explain.Satisfied
	switch {
	case isSatisfied && len(j.options.Fair) > 0:
		return fmt.Sprintf("The model then satisfies %s on the runs that count under the assumption.", formula)
	case isSatisfied:
		return fmt.Sprintf("The model then satisfies %s.", formula)
	case a.FairVerdict == explain.Satisfied:
		return fmt.Sprintf("The model then satisfies %s on fair runs (--fair full): others may stay forever where the property is unfinished.", formula)
	}
	return fmt.Sprintf("The model then still violates %s.", formula)
}

// changeOfModel says what a model loses by a remedy or, if it was unfolded, how its states are numbered.
func changeOfModel(a *remedy.Applied) string {
	change := "Its states are those of the unfolded model, numbered anew; what is forbidden depends on the progress made."
	if !a.Unfolded {
		change = fmt.Sprintf("It loses %d of %s and %d of %s.", a.States,
			printable.Quantity(a.OfStates, "reachable state"), a.Transitions, printable.Quantity(a.OfTransitions, "transition"))
	}
	if len(a.Labels) > 0 {
		change += fmt.Sprintf(" No run does %s any more.",
			printable.Text(printable.List(a.Labels, "or")))
	}
	return change
}

// assumptionTexts returns assumptions as --fair takes them.
func assumptionTexts(all []*actl.Assumption) []string {
	texts := make([]string, len(all))
	for i, a := range all {
		texts[i] = a.String()
	}
	return texts
}
