package explain

import (
	"context"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// prohibited returns, for each label, whether the property p prohibits it: that of the analysis, or a
// stricter one with the same pattern. A pattern such as Never
// prohibits a label that does its step. Other properties prohibit a label if some word can satisfy
// the property before the label, but none can after it. To forbid such a label restates the
// property, so advice also searches for its causes. The result is nil for properties that are no
// prohibitions: those that are no safety properties, those that allow only some actions, as Always
// does, and those about values of states. Cost O(states of the automaton · labels), and
// [product.ResidualsOf].
func (a *Analysis) prohibited(ctx context.Context, p *property.Property) ([]bool, error) {
	isAboutStates := a.m.Alphabet().Texts() < a.m.Alphabet().Len()
	if p.Steps() > 0 || p.Kind() == property.KindAlways || isAboutStates {
		return nil, nil
	}
	words, err := product.ResidualsOf(ctx, p)
	if err != nil || !words.IsSafety() {
		return nil, err
	}
	prohibited := make([]bool, a.m.Alphabet().Len())
	if err := a.addProhibitedStep(ctx, prohibited); err != nil {
		return nil, err
	}
	mayAlwaysEnd := addFatal(p, words, prohibited)
	if !mayAlwaysEnd {
		return nil, nil
	}
	happening, err := a.m.Happening(ctx)
	if err != nil {
		return nil, err
	}
	total := 0 // the number of labels that runs do
	forbidden := 0
	for l := range happening.All() {
		if !happening.Happens(l) {
			continue
		}
		total++
		if prohibited[l] {
			forbidden++
		}
	}
	allowsOnlySome := 2*forbidden > total
	if forbidden == 0 || allowsOnlySome {
		return nil, nil
	}
	return prohibited, nil
}

// prohibits returns a function that reports whether the property p prohibits a label, see
// [Analysis.prohibited]; nil if p is no prohibition.
func (a *Analysis) prohibits(ctx context.Context, p *property.Property) (func(lts.Label) bool, error) {
	prohibited, err := a.prohibited(ctx, p)
	if err != nil || prohibited == nil {
		return nil, err
	}
	return func(l lts.Label) bool { return prohibited[l] }, nil
}

// addProhibitedStep adds the labels of the step that the pattern of the formula prohibits, if there is
// one.
func (a *Analysis) addProhibitedStep(ctx context.Context, prohibited []bool) error {
	f, isPattern := a.Formula.(interface {
		Prohibited(context.Context, *lts.Alphabet) ([]property.Step, error)
	})
	if !isPattern {
		return nil
	}
	steps, err := f.Prohibited(ctx, a.m.Alphabet())
	if err != nil {
		return err
	}
	for _, step := range steps {
		for _, l := range step.Labels {
			prohibited[l] = true
		}
	}
	return nil
}

// addFatal adds to prohibited the labels of the transitions of the automaton that lead from a state
// where some word satisfies the property to a state where none does. It reports whether a run may
// end in every state where some word satisfies the property. If it may not, the property also
// demands that something happens.
func addFatal(p *property.Property, words *product.Residuals, prohibited []bool) bool {
	reached := bitset.New[property.Q](p.States())
	reached.Add(p.Initial())
	open := []property.Q{p.Initial()}
	for len(open) > 0 {
		q := open[len(open)-1]
		open = open[:len(open)-1]
		if !p.Stops(q) || !words.CanAccept(q) {
			return false
		}
		for l := range p.Alphabet().All() {
			next := p.Next(q, l)
			switch {
			case !p.Alphabet().Happens(l):
				continue
			case !words.CanAccept(next):
				prohibited[l] = true
			case !reached.Has(next):
				reached.Add(next)
				open = append(open, next)
			}
		}
	}
	return true
}

// missed returns a function that reports whether something is lost if a label never happens: the property
// does not prohibit the label, or, as AtMost(1; A) does with A, only at times. isProhibited is nil if the
// property is no prohibition.
func (a *Analysis) missed(
	ctx context.Context,
	isProhibited func(lts.Label) bool,
) (func(lts.Label) bool, error) {
	if isProhibited == nil {
		return func(lts.Label) bool { return true }, nil
	}
	allowed, err := a.allowedAtTimes(ctx)
	if err != nil {
		return nil, err
	}
	return func(l lts.Label) bool { return !isProhibited(l) || allowed.Has(l) }, nil
}

// allowedAtTimes returns the labels that some run of the model takes, and after which the property can
// still be satisfied. Cost O(product of model and property).
func (a *Analysis) allowedAtTimes(ctx context.Context) (bitset.Set[lts.Label], error) {
	p := a.Property
	words, err := product.ResidualsOf(ctx, p)
	if err != nil {
		return nil, err
	}
	allowed := bitset.New[lts.Label](p.Alphabet().Len())
	reached := map[product.State]bool{}
	var open []product.State
	visit := func(at product.State) {
		if !reached[at] {
			reached[at] = true
			open = append(open, at)
		}
	}
	visit(product.State{State: a.m.Initial(), Q: p.Initial()})
	for len(open) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := open[len(open)-1]
		open = open[:len(open)-1]
		labels, targets := a.m.Out(at.State)
		for i, to := range targets {
			l := labels.At(i)
			next := p.Next(at.Q, l)
			if words.CanAccept(next) {
				allowed.Add(a.m.Alphabet().Plain(l))
				visit(product.State{State: to, Q: next})
			}
		}
	}
	return allowed, nil
}
