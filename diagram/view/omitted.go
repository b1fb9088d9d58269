package view

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// noteOmitted notes how much of the model, of the counterexample and of the labels a
// graph does not show.
func (g *Graph) noteOmitted() {
	if text := g.omitted(); text != "" {
		g.note(text)
	}
}

// omitted says in one sentence what g leaves out, "" if that is nothing. Cost
// O(arrows).
func (g *Graph) omitted() string {
	parts := g.omittedStates()
	if len(g.Gaps) > 0 {
		steps := 0
		for _, gap := range g.Gaps {
			steps += gap.Last - gap.First + 1
		}
		parts = append(parts, fmt.Sprintf("does not show %s of the counterexample one by one", printable.Quantity(steps, "step")))
	}
	if g.Folded > 0 {
		parts = append(parts, fmt.Sprintf("folds %s into arrows that stand for several transitions in a row (×)", printable.Quantity(g.Folded, "state")))
	}
	more := 0
	for i := range g.Arrows {
		more += g.Arrows[i].More
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("only counts %s beside the labels of arrows", printable.Quantity(more, "transition")))
	}
	if last := len(parts) - 1; last > 0 {
		return "the picture " + strings.Join(parts[:last], ", ") + ", and " + parts[last]
	} else if last == 0 {
		return "the picture " + parts[0]
	}
	return ""
}

// omittedStates says how many states, transitions or decisions are shown where that
// is not all of them.
func (g *Graph) omittedStates() []string {
	state := "reachable state"
	switch {
	case g.Decisions && g.Shown.States < g.Neighbourhoods:
		return []string{fmt.Sprintf("shows %d of %s", g.Shown.States, printable.Quantity(g.Neighbourhoods, "neighbourhood"))}
	case g.Decisions || g.Shown == g.Reachable:
		return nil
	case g.QuotientOf.States > 0:
		state = "merged state"
	}
	return []string{fmt.Sprintf("shows %d of %s and %d of %s", g.Shown.States, printable.Quantity(g.Reachable.States, state), g.Shown.Transitions, printable.Quantity(g.Reachable.Transitions, "transition"))}
}
