package actl

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/internal/written"
	"github.com/inev-lts/inev/property"
)

// Bound is a chain bound to a model, which prints in the languages that a [Formula]
// prints in, by the labels of the model.
type Bound struct {
	*property.Chain
}

// Kind names the kind of property for people.
func (c Bound) Kind() string { return "Inevitability" }

// ACTL returns the chain written out as [Formula.ACTL] does, each step as the
// labels that do it; false if there are none. Cost O(length of the text).
func (c Bound) ACTL() string {
	subscripts := make([]string, c.Len())
	for i := range subscripts {
		var texts []string
		for _, l := range c.Step(i + 1).Labels {
			texts = append(texts, quote(c.Alphabet().Text(l)))
		}
		if subscripts[i] = strings.Join(texts, " or "); len(texts) == 0 {
			subscripts[i] = "false"
		}
	}
	return nestedUntils(subscripts)
}

// MCL returns the chain in MCL, each step as the labels that do it and false
// where there are none, and notes as [Formula.MCL] does. Cost O(length of the
// text).
func (c Bound) MCL(ctx context.Context) (text string, notes []string, err error) {
	return inLogic(ctx, mclName, c.mclActions, mcl.nest)
}

func (c Bound) mclActions(m *written.Meter) (actions, notes []string) {
	actions = make([]string, c.Len())
	for i := range actions {
		var terms []string
		for _, l := range c.Step(i + 1).Labels {
			label := c.Alphabet().Text(l)
			if !m.Spend(len(label)) {
				return nil, nil
			}
			term := mclLabel(label)
			terms = append(terms, term)
			notes = append(notes, primeNotes(i+1, label, []string{term})...)
		}
		actions[i] = mcl.any(m, terms)
	}
	return actions, notes
}

// MuCalculus returns the chain in the modal mu-calculus of mCRL2, each step as
// the actions that do it and false if there are none, and notes as
// [Formula.MuCalculus] does. Cost O(length of the text).
func (c Bound) MuCalculus(ctx context.Context) (text string, notes []string, err error) {
	return inLogic(ctx, muName, c.muActions, muCalculus.nest)
}

func (c Bound) muActions(m *written.Meter) (actions, notes []string) {
	actions = make([]string, c.Len())
	for i := range actions {
		var terms []string
		for _, l := range c.Step(i + 1).Labels {
			label := c.Alphabet().Text(l)
			if !m.Spend(len(label)) {
				return nil, nil
			}
			action, ok := mcrl2Action(label)
			if !ok {
				notes = append(notes, fmt.Sprintf("step %d, label %s", i+1, notMCRL2(quote(label), i+1)))
				terms = []string{placeholder(i + 1)}
				break
			}
			if label == "i" && isInternal(c.Alphabet()) {
				notes = append(notes, fmt.Sprintf("step %d, %s", i+1, internalInModel))
			}
			terms = append(terms, action)
		}
		actions[i] = muCalculus.any(m, terms)
	}
	return actions, notes
}
