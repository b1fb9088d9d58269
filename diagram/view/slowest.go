package view

import (
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// mostAroundSlowest is the largest number of states of a model that is drawn whole around the
// slowest run.
const mostAroundSlowest = 40

// beFaster makes the choices that are faster than the slowest run the better choices.
func (c *choices) beFaster(m *lts.LTS, s *explain.Slowest) {
	for _, f := range s.Faster {
		c.turns = append(c.turns, int(f.Step))
		for _, a := range f.Alternatives {
			c.better[m.Transition(s.Steps[f.Step].From, a.Label, a.To)] = true
		}
	}
}
