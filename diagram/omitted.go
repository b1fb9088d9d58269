package diagram

import (
	"fmt"
	"strings"
)

// tellOmitted tells how much of the model, of the counterexample and of the labels a
// picture does not show.
func (o *Options) tellOmitted(p *picture) {
	if text := p.omitted(); text != "" {
		o.tell(text)
	}
}

// omitted says in one sentence what p leaves out, "" where that is nothing. Cost
// O(arrows).
func (p *picture) omitted() string {
	parts := p.omittedStates()
	if len(p.gaps) > 0 {
		steps := 0
		for _, g := range p.gaps {
			steps += g.last - g.first + 1
		}
		parts = append(parts, fmt.Sprintf("does not show %s of the counterexample one by one", quantity(steps, "step")))
	}
	if p.folded > 0 {
		parts = append(parts, fmt.Sprintf("folds %s into arrows that stand for several transitions in a row (×)", quantity(p.folded, "state")))
	}
	more := 0
	for i := range p.arrows {
		more += p.arrows[i].more
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("only counts %s beside the labels of arrows", quantity(more, "transition")))
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
func (p *picture) omittedStates() []string {
	state := "reachable state"
	switch {
	case p.decisions && p.shown.states < p.neighbourhoods:
		return []string{fmt.Sprintf("shows %d of %s", p.shown.states, quantity(p.neighbourhoods, "decision"))}
	case p.decisions || p.shown == p.reachable:
		return nil
	case p.quotientOf.states > 0:
		state = "merged state"
	}
	return []string{fmt.Sprintf("shows %d of %s and %d of %s", p.shown.states, quantity(p.reachable.states, state), p.shown.transitions, quantity(p.reachable.transitions, "transition"))}
}
