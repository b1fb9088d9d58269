package report

import (
	"fmt"

	"github.com/inev-lts/inev/report/internal/claim"
)

// through names the decisions that every violation has.
func (p *prose) through(c claim.Through) string {
	return fmt.Sprintf("Every violation goes through %s.", p.stepList(c.Steps))
}

// gap says where a transition may be missing, and which.
func (p *prose) gap(c claim.Gap) string {
	said := fmt.Sprintf("All violations stop in state %d, and no other run does: perhaps a transition is missing there.", c.State)
	if len(c.Missing) == 0 {
		return said
	}
	var ways []string
	for _, t := range c.Missing {
		ways = append(ways, fmt.Sprintf("%s to state %d", p.quote(t.Label), t.To))
	}
	return said + fmt.Sprintf(" With %s it would hold (a guess).", join(ways, "or"))
}
