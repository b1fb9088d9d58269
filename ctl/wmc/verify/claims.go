package verify

import (
	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/lts"
)

// claims has the members that all evidence files have in common.
type claims struct {
	Schema string `json:"schema"`
	Model  struct {
		Initial     int64 `json:"initial"`
		States      int64 `json:"states"`
		Transitions int64 `json:"transitions"`
		Begins      int64 `json:"initial_states"`
	} `json:"model"`
	Formula  string   `json:"formula"`
	Formulas []string `json:"formulas"`
	Internal []string `json:"internal"`
	Holds    *bool    `json:"holds"`
	Good     set      `json:"good"`
	Bad      set      `json:"bad"`
}

// concern fails if the evidence is about another model or formula.
func (c *claims) concern(m *lts.LTS, f *ctl.Formula) {
	states, transitions, begins := m.Total()
	if made := c.Model; made.Initial != int64(m.Initial()) || made.States != int64(states) || made.Transitions != int64(transitions) || made.Begins != int64(begins) {
		fail("made for another model: initial state, states and transitions are %d, %d and %d there, %d, %d and %d here",
			made.Initial, made.States, made.Transitions, m.Initial(), states, transitions)
	}
	if c.Formula != f.String() {
		fail("made for another formula, %s", c.Formula)
	}
}

// lists checks that the formulas of the file are those of a closure, in its order.
func (c *claims) lists(closure *ctl.Closure) {
	for i, n := range closure.Nodes {
		if i >= len(c.Formulas) || c.Formulas[i] != n.Formula.String() {
			fail("formula %d is not listed as %s", i, n.Formula)
		}
	}
	if len(c.Formulas) != len(closure.Nodes) {
		fail("more formulas are listed than there are")
	}
}

// follow checks that the claim about the whole formula follows from the states that were checked.
func (c *claims) follow(r *Result) {
	switch {
	case len(r.Good)+len(r.Bad) == 0:
		fail("nothing is claimed of any state")
	case c.Holds == nil || *c.Holds != (len(r.Bad) == 0):
		fail("holds is not what follows from %d good states and %d bad ones", len(r.Good), len(r.Bad))
	}
}
