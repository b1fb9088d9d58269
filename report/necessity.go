package report

import (
	"fmt"

	"github.com/inev-lts/inev/report/claim"
)

// through names the decisions that every violation has.
func (p *prose) through(c claim.Through) string {
	return fmt.Sprintf("Every violation goes through %s.", p.stepList(c.Steps))
}

// gap says where a transition may be missing, and which.
func (p *prose) gap(c claim.Gap) string {
	var ways []string
	for _, t := range c.Missing {
		ways = append(ways, fmt.Sprintf("%s to state %d", p.quote(t.Label), t.To))
	}
	return fmt.Sprintf("All violations stop in state %d, and no other run does: perhaps a transition is missing there. With %s it would hold (a guess).",
		c.State, join(ways, "or"))
}
