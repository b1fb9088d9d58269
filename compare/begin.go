package compare

import (
	"context"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
)

// begun are two versions whose runs begin behind the initial states: where one has several initial states and
// the other has not, one more state is added to the other, too.
type begun struct {
	old, latest *lts.LTS
	// label leads to where runs begin; "" if both versions begin in their initial states, and nothing was added.
	label string
}

// begin returns two versions so that they can be compared. Cost O(1), and O(S + T) if one of them alone has several
// initial states.
func begin(ctx context.Context, old, latest *lts.LTS) (begun, error) {
	b := begun{old, latest, ""}
	several := [2]bool{old.IsBefore(old.Initial()), latest.IsBefore(latest.Initial())}
	for i, m := range []*lts.LTS{old, latest} {
		if labels, _ := m.Out(m.Initial()); several[i] {
			b.label = m.Alphabet().Text(labels.At(0))
		}
	}
	var err error
	switch several {
	case [2]bool{true, false}:
		b.latest, err = behind(ctx, latest, b.label)
	case [2]bool{false, true}:
		b.old, err = behind(ctx, old, b.label)
	}
	return b, err
}

// behind returns m with one more state, where a transition with this label leads to the initial one.
func behind(ctx context.Context, m *lts.LTS, label string) (*lts.LTS, error) {
	var b lts.Builder
	b.Grow(m.NumTransitions() + 1)
	for _, text := range m.Alphabet().All() {
		b.Label(text)
	}
	for s := range lts.State(m.NumStates()) {
		if s&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		labels, targets := m.Out(s)
		for i, t := range targets {
			b.Add(s, b.Label(m.Alphabet().Text(labels.At(i))), t)
		}
	}
	first := lts.State(m.NumStates())
	b.Add(first, b.Label(label), m.Initial())
	return b.Build(first, int(first)+1)
}

// strip takes from a comparison what was added before initial states.
func (x begun) strip(b *Behaviour) {
	if x.label == "" {
		return
	}
	step := "<" + actl.Quoted(x.label) + "> "
	if b.Run != nil && len(b.Run.Run) > 0 {
		b.Run.Run = b.Run.Run[1:]
	}
	// A formula holds in a model if it does in each of its initial states: there is none that says that it holds in some.
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

// negated returns that a formula does not hold.
func negated(text string) string {
	if rest, is := strings.CutPrefix(text, "!"); is {
		return rest
	}
	return "!" + text
}
