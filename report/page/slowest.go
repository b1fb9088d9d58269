package page

import (
	"html/template"

	"github.com/inev-lts/inev/report"
)

// slowStep is a step of the slowest run, or several that are one row.
type slowStep struct {
	Number, State string
	Action, Said  template.HTML
}

// slowestOf returns the slowest run of a property that holds, and what stands at its end.
func slowestOf(s *report.Sentences) ([]slowStep, template.HTML) {
	var steps []slowStep
	for _, step := range s.SlowestRun(report.Options{}) {
		steps = append(steps, slowStep{step.Number, step.State, markup(step.Action), markup(step.Said)})
	}
	state, said := s.SlowestEnd()
	return steps, markup("state " + state + ": " + said)
}
