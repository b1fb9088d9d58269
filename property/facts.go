package property

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// LeadsTo reports whether the step is done in the targets of transitions with
// label l of a. Cost O(1).
func (s Step) LeadsTo(a *lts.Alphabet, l lts.Label) bool {
	if s.Facts == 0 {
		return false
	}
	facts, _ := a.Facts(l)
	return facts&s.Facts != 0
}

// moments computes the steps that transitions do. Where labels carry facts about
// states, a transition is two letters: one for its label, and one for the state
// that it leads to; the state in which runs begin is a letter before all others.
// If runs begin behind the initial state, the transitions of that state have the
// letter of the target alone.
type moments struct {
	a     *lts.Alphabet
	steps []Step
	in    incidence
	facts bool // whether steps or labels are about states
	// allLabels is set if every label does step 0, and allStates if every state
	// does: an Always about facts forbids no labels, and one about labels forbids
	// no facts.
	allLabels, allStates bool
}

func newMoments(a *lts.Alphabet, s Specification, steps []Step) *moments {
	k := &moments{a: a, steps: steps, in: newIncidence(a.Len(), steps)}
	k.facts = a.TellsStates() || slices.ContainsFunc(steps, func(step Step) bool { return step.Facts != 0 })
	if k.facts && s.Kind == KindAlways {
		k.allLabels = s.Steps[0].Facts != 0
		k.allStates = !k.allLabels
	}
	return k
}

func (k *moments) ofLabel(l lts.Label) letter {
	of := letter(k.in.of(l))
	if k.allLabels && !of.does(0) {
		of = append(letter{0}, of...)
	}
	return of
}

func (k *moments) ofFacts(f lts.Facts) letter {
	var of letter
	for i, step := range k.steps {
		if step.Facts&f != 0 || i == 0 && k.allStates {
			of = append(of, uint32(i))
		}
	}
	return of
}

// column has the steps that a transition does by its label, and then by its
// target; begins is set for transitions with which runs begin.
type column struct {
	label, state letter
	begins       bool
}

// columns returns the distinct columns of the labels that happen, and stores the
// index of each label's column in of. A label that does not happen has an
// arbitrary column, unless no label happens.
func (k *moments) columns(ctx context.Context, of []uint16) ([]column, error) {
	var all []column
	number, key := map[string]uint16{}, []byte(nil)
	none := noneHappens(k.a)
	for l := range k.a.All() {
		if l&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !none && !k.a.Happens(l) {
			continue
		}
		c := column{label: k.ofLabel(l)}
		if k.facts {
			facts, begins := k.a.Facts(l)
			c.state, c.begins = k.ofFacts(facts), begins
		}
		key = fmt.Append(key[:0], c.label, c.state, c.begins)
		n, known := number[string(key)]
		if !known {
			if len(all) == 1<<16 {
				what := "labels"
				if k.facts {
					what = "steps"
				}
				return nil, fmt.Errorf("property: the patterns tell more than %d classes of %s apart", 1<<16, what)
			}
			n = uint16(len(all))
			number[string(key)] = n
			all = append(all, c)
		}
		of[l] = n
	}
	return all, nil
}

// possible returns c if a run can do it at this point, and otherwise the first
// column that a run can do: so the automaton accepts no additional words.
func possible(columns []column, c column, unread bool) column {
	if c.begins != unread {
		if i := slices.IndexFunc(columns, func(other column) bool { return other.begins == unread }); i >= 0 {
			return columns[i]
		}
	}
	return c
}
