package report

import (
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/report/claim"
)

// claimJSON is a sentence of the report.
type claimJSON struct {
	Kind  string              `json:"kind"`
	Steps []explain.StepIndex `json:"steps,omitempty"` // those of the counterexample that it is about
	Text  string              `json:"text"`
}

func claimObject(s *Sentences, c claim.Claim) claimJSON {
	object := claimJSON{Kind: c.Kind(), Text: s.Say(c)}
	var steps []explain.StepIndex
	switch c := c.(type) {
	case claim.Chosen:
		for _, d := range c.Decisions {
			steps = append(steps, d.Step)
		}
	case claim.WaysOut:
		steps = c.Steps
	case claim.NearestWay:
		steps = []explain.StepIndex{c.Step}
	}
	object.Steps = steps
	return object
}
