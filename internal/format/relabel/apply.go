package relabel

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// Changes are the rules that change a model before all else: first some labels are
// cut, then some are hidden, then some are renamed. Nil rules change nothing.
type Changes struct{ Cut, Hide, Rename *Rules }

// Set sets the rules of a kind.
func (c *Changes) Set(r *Rules) {
	switch r.kind {
	case Cut:
		c.Cut = r
	case Hide:
		c.Hide = r
	default:
		c.Rename = r
	}
}

// IsEmpty reports whether nothing is changed.
func (c *Changes) IsEmpty() bool { return c.Cut == nil && c.Hide == nil && c.Rename == nil }

// Changed is a model with its labels changed.
type Changed struct {
	LTS *lts.LTS
	// Fates has, for each label of the original model, what became of it.
	Fates []LabelFate
	// CutTransitions counts the transitions that were cut, and NewDeadlocks the reachable states that
	// have lost all their transitions.
	CutTransitions, NewDeadlocks int
	// Unmatched are the rules that match no label that is left by the rules before them.
	Unmatched []Unmatched
}

// LabelFate says what became of a label.
type LabelFate struct {
	Before string
	// Now is the text of the label after the changes; "" if the label was cut.
	Now string
	// By is the kind of the rules that changed the label, "" if none did.
	By Kind
}

// fateOf returns what becomes of a label.
func (c *Changes) fateOf(label, hidden string) LabelFate {
	f := LabelFate{Before: label, Now: label}
	switch {
	case c.Cut != nil && c.Cut.Has(label, hidden):
		f.Now = ""
		f.By = Cut
	case c.Hide != nil && c.Hide.Has(label, hidden):
		f.Now = hidden
		f.By = Hide
	case c.Rename != nil:
		f.Now = c.Rename.Renamed(label, hidden)
		if f.Now != label {
			f.By = Rename
		}
	}
	return f
}

// HiddenLabel returns the text of internal actions in a model: tau if the model has this label, or
// if isMCRL2 says that it is a model of mCRL2, and i otherwise.
func HiddenLabel(a *lts.Alphabet, isMCRL2 bool) string {
	if _, has := a.Lookup("tau"); has || isMCRL2 {
		return "tau"
	}
	return "i"
}

// Apply changes a model; it keeps the states, and the order of transitions. Renamed labels that are
// hidden by name become hidden. It fails if ctx is done, or if its budget does not have the memory.
// Cost O(S + T + labels · rules).
func (c *Changes) Apply(ctx context.Context, m *lts.LTS, hidden string) (*Changed, error) {
	out := &Changed{LTS: m}
	for _, text := range m.Alphabet().All() {
		out.Fates = append(out.Fates, c.fateOf(text, hidden))
	}
	out.Unmatched = c.unmatched(out.Fates, hidden)
	if err := out.cutTransitions(ctx); err != nil {
		return nil, err
	}
	alphabet, to := out.alphabet(m.Alphabet())
	relabelled, err := out.LTS.Relabelled(ctx, alphabet, to)
	if err != nil {
		return nil, err
	}
	out.LTS = relabelled
	return out, nil
}

// alphabet returns the new labels and, for each old label, the new label that it becomes. Labels of
// a network with different movers stay different.
func (c *Changed) alphabet(before *lts.Alphabet) (after *lts.Alphabet, to []lts.Label) {
	var texts []string
	var movers [][]uint32
	numbers := map[string]lts.Label{}
	for l, f := range c.Fates {
		if f.By == Cut {
			to = append(to, 0)
			continue
		}
		moving := before.Movers(lts.Label(l))
		key := fmt.Sprint(moving, f.Now)
		number, known := numbers[key]
		if !known {
			number = lts.Label(len(texts))
			numbers[key] = number
			texts = append(texts, f.Now)
			movers = append(movers, moving)
		}
		to = append(to, number)
	}
	if before.Components() == nil {
		return lts.RepeatingAlphabet(texts), to
	}
	return lts.MovingAlphabet(texts, before.Components(), movers), to
}

// cutTransitions removes the transitions whose labels are cut.
func (c *Changed) cutTransitions(ctx context.Context) error {
	uncut := c.LTS
	drops := func(t lts.Transition) bool { return c.Fates[t.Label].By == Cut }
	for t := range uncut.Transitions() {
		if drops(t) {
			c.CutTransitions++
		}
	}
	if c.CutTransitions == 0 {
		return ctx.Err()
	}
	after, err := uncut.Without(drops)
	if err != nil {
		return err
	}
	if err := after.FindReachable(ctx); err != nil {
		return err
	}
	reach := after.Reachable()
	for s := range lts.State(after.NumStates()) {
		if reach.Has(s) && after.IsDeadlock(s) && !uncut.IsDeadlock(s) {
			c.NewDeadlocks++
		}
	}
	c.LTS = after
	return nil
}

// Note returns a sentence about what was cut; "" if nothing was.
func (c *Changed) Note() string {
	if c.CutTransitions == 0 {
		return ""
	}
	text := fmt.Sprintf("%s cut", printable.Quantity(c.CutTransitions, "transition"))
	if c.NewDeadlocks > 0 {
		text += fmt.Sprintf(", which makes %s",
			printable.Quantity(c.NewDeadlocks, "new deadlock"))
	}
	return text
}

// Lost returns what became of the labels that a pattern matched before: the fate of
// the first of them that was changed; false if there is none.
func (c *Changed) Lost(matches func(label string) bool) (LabelFate, bool) {
	for _, f := range c.Fates {
		if f.By != "" && matches(f.Before) {
			return f, true
		}
	}
	return LabelFate{}, false
}
