package compare

import (
	"context"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
)

// begun are two versions in one form: either both have a state before their initial states, or
// neither has. If only one version has several initial states, the other one gets such a state,
// too.
type begun struct {
	old, latest *lts.LTS
	// label is the label of the transitions from this state to the initial states; "" if neither
	// version has such a state.
	label string
}

// begin brings two versions into one form, so that they can be compared. Cost O(1), and O(S + T) if
// only one of them has several initial states.
func begin(ctx context.Context, old, latest *lts.LTS) begun {
	b := begun{old, latest, ""}
	several := [2]bool{old.Before() > 0, latest.Before() > 0}
	for i, m := range []*lts.LTS{old, latest} {
		if labels, _ := m.Out(m.Initial()); several[i] {
			b.label = m.Alphabet().Text(labels.At(0))
		}
	}
	switch several {
	case [2]bool{true, false}:
		b.latest = behind(ctx, latest, b.label)
	case [2]bool{false, true}:
		b.old = behind(ctx, old, b.label)
	}
	return b
}

// behind returns m with a new initial state, and a transition with this label from the new initial
// state to the old one.
func behind(ctx context.Context, m *lts.LTS, label string) *lts.LTS {
	var b lts.Builder
	b.Grow(m.NumTransitions() + 1)
	for _, text := range m.Alphabet().All() {
		b.Label(text)
	}
	for s := range lts.State(m.NumStates()) {
		if s&0xfff == 0 {
			abort.On(ctx.Err())
		}
		labels, targets := m.Out(s)
		for i, t := range targets {
			b.Add(s, b.Label(m.Alphabet().Text(labels.At(i))), t)
		}
	}
	first := lts.State(m.NumStates())
	b.Add(first, b.Label(label), m.Initial())
	return abort.Must(b.Build(first, int(first)+1))
}

// strip removes the states before initial states from the result of a comparison.
func (x begun) strip(b *Behaviour) {
	if x.label == "" {
		return
	}
	step := "<" + actl.Quoted(x.label) + "> "
	if b.Run != nil && len(b.Run.Run) > 0 {
		b.Run.Run = b.Run.Run[1:]
	}
	// A formula holds in a model if it holds in each initial state. So a formula that says "in some
	// initial state" is dropped.
	if rest, is := strings.CutPrefix(b.Formula, "!"+step); is {
		b.Formula, b.Depth = negated(rest), b.Depth-1
	} else {
		b.Formula, b.Depth = "", 0
	}
	if b.Edit == nil {
		return
	}
	for i := range b.Edit.Changes {
		c := &b.Edit.Changes[i]
		from := x.latest.Initial()
		if c.Kind == Removed {
			from = x.old.Initial()
		}
		c.Begins = c.Transition.From == from
	}
}

// negated returns the negation of a formula.
func negated(text string) string {
	if rest, is := strings.CutPrefix(text, "!"); is {
		return rest
	}
	return "!" + text
}
