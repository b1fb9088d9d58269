package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain/internal/variation"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// So many elements of a property, and gates of a model, are tried to do without, and so many
// places and transitions looked at for each of both questions.
const (
	mostOccurrences   = 32
	mostSupports      = 64
	workForVariations = 20_000_000
)

// vary asks what becomes of a property that holds where formula or model are changed.
func (h *Holds) vary(ctx context.Context, a *Analysis, o Options) error {
	m := a.Components.LTS()
	if int64(a.Property.States())*(int64(m.NumStates())+int64(m.NumTransitions())) > mostForAdvice {
		h.skip("what plays no role, and what it rests on, for model and property are large")
		return nil
	}
	occurrences := ltl.OccurrencesIn(a.Formula)
	if occurrences != nil {
		x := vacuity{m: m, a: a, h: h, all: occurrences}
		if err := x.find(ctx); err != nil {
			return err
		}
	}
	return h.findSupports(ctx, a, occurrences, o.RestsOnLabels)
}

// vacuity looks for elements of a property that play no role.
type vacuity struct {
	m    *lts.LTS
	a    *Analysis
	h    *Holds
	all  *ltl.Occurrences
	work int64
	// alphabet reports which labels happen.
	alphabet *lts.Alphabet
}

// errUnknown reports that a question was too large.
var errUnknown = errors.New("too large")

// find asks of each element, and of all that is asked for together.
func (x *vacuity) find(ctx context.Context) (err error) {
	if x.alphabet, err = x.m.Happening(ctx); err != nil {
		return err
	}
	asked := slices.ContainsFunc(x.all.All, func(o ltl.Occurrence) bool { return o.Asked })
	if asked {
		_, holds, err := x.stillHolds(ctx, func(o ltl.Occurrence) bool { return o.Asked })
		if err != nil && !errors.Is(err, errUnknown) {
			return err
		}
		if holds {
			if x.h.NothingAsked, err = x.wrongReason(ctx); err != nil {
				return err
			}
		}
	}
	for i, one := range x.all.All {
		if i == mostOccurrences {
			x.h.skip(fmt.Sprintf("whether %d more elements of the property play a role", len(x.all.All)-i))
			break
		}
		still, holds, err := x.stillHolds(ctx, func(o ltl.Occurrence) bool { return o.Is(one) })
		switch {
		case errors.Is(err, errUnknown):
			x.h.skip("whether " + one.Pattern.String() + " plays a role")
		case err != nil:
			return err
		case holds:
			x.h.NoRole = append(x.h.NoRole, x.noRole(one, still))
		}
	}
	return nil
}

// stillHolds reports whether the property holds with some elements replaced, and as what.
func (x *vacuity) stillHolds(ctx context.Context, replaced func(ltl.Occurrence) bool) (*ltl.Formula, bool, error) {
	f := x.all.Strengthened(replaced)
	if x.work > workForVariations {
		return f, false, errUnknown
	}
	p, _, err := f.Bind(ctx, x.alphabet)
	if errors.As(err, new(*ltl.BudgetError)) {
		return f, false, errUnknown
	}
	if err != nil {
		return f, false, err
	}
	if int64(p.States())*(int64(x.m.NumStates())+int64(x.m.NumTransitions())) > mostForAdvice {
		return f, false, errUnknown
	}
	failure, work, err := variation.Check(ctx, x.m, p, x.a.fairness)
	x.work += work
	return f, failure == nil && err == nil, err
}

// noRole describes an element without which the property holds.
func (x *vacuity) noRole(o ltl.Occurrence, still *ltl.Formula) NoRole {
	n := NoRole{Atom: o.Pattern.String(), Still: still.String()}
	if x.h.NothingAsked != nil {
		n.Because = x.h.NothingAsked.because()
	}
	f, is := x.a.Formula.(*actl.Formula)
	if !is {
		return n
	}
	s := f.Specification()
	positive := o.Asked && slices.Contains([]property.Kind{property.KindInev, property.KindResponse, property.KindAlways, property.KindPrecedes}, s.Kind)
	if positive && o.Members > 1 {
		n.Still, n.Needless = f.WithoutElement(o.Step, o.Element).String(), true
	}
	n.Again = s.Kind == property.KindResponse && s.Scope == property.Globally && o.Step == 0 && len(s.Steps) == 2
	return n
}

// because says in a few words why nothing is asked.
func (n *NothingAsked) because() string {
	switch {
	case n.Never == "" && n.Scope:
		return "nothing happens " + n.Within + ": the scope is empty"
	case n.Never == "":
		return "nothing is asked"
	case n.Scope:
		return n.Never + " never happens: the scope is empty"
	case n.Within != "":
		return n.Never + " never happens " + n.Within + ", so that nothing is asked"
	}
	return n.Never + " never happens, so that nothing is asked"
}

// wrongReason says why a property holds whatever becomes of what it asks for.
func (x *vacuity) wrongReason(ctx context.Context) (*NothingAsked, error) {
	n := &NothingAsked{}
	for _, o := range x.all.All {
		if text := o.Pattern.String(); o.Asked && !slices.Contains(n.Asked, text) {
			n.Asked = append(n.Asked, text)
		}
	}
	f, is := x.a.Formula.(conditional)
	if !is {
		return n, nil
	}
	steps, err := f.Antecedents(ctx, x.m.Alphabet())
	if err != nil {
		return nil, err
	}
	delimiters := map[string]bool{}
	if p, is := x.a.Formula.(*actl.Formula); is {
		s := p.Specification()
		for _, step := range []property.Step{s.From, s.To} {
			if step.Pattern != nil {
				delimiters[step.Pattern.String()] = true
			}
		}
	}
	for _, scope := range []bool{true, false} {
		for _, step := range steps {
			if text := step.Pattern.String(); delimiters[text] == scope && !happens(step, x.alphabet) {
				n.Never, n.Scope = text, scope
				return n, nil
			}
		}
	}
	x.withinScope(n)
	return n, nil
}

// withinScope reports what never happens within the scope, where it does elsewhere: what obliges
// to something, of patterns that leave no other reason.
func (x *vacuity) withinScope(n *NothingAsked) {
	p, is := x.a.Formula.(*actl.Formula)
	if !is || p.Scope() == "" {
		return
	}
	s := p.Specification()
	switch s.Kind {
	case property.KindResponse:
		n.Never, n.Within = s.Steps[0].Pattern.String(), p.Scope()
	case property.KindPrecedes:
		n.Never, n.Within = s.Steps[len(s.Steps)-1].Pattern.String(), p.Scope()
	case property.KindNever:
		// Whatever were forbidden would not happen there.
		if len(s.Steps) == 1 && len(p.StateAtoms()) == 0 {
			n.Scope, n.Within = true, p.Scope()
		}
	}
}

// happens reports whether some run does a step; the alphabet reports which labels happen.
func happens(step property.Step, happening *lts.Alphabet) bool {
	if slices.ContainsFunc(step.Labels, happening.Happens) {
		return true
	}
	for l := range happening.All() {
		if happening.Happens(l) && step.LeadsTo(happening, l) {
			return true
		}
	}
	facts, _ := happening.InitialFacts()
	return facts&step.Facts != 0
}

// support is a gate, or a label, with its labels.
type support struct {
	name   string
	labels map[lts.Label]bool
	step   bool // whether some element of the property is about it
}

// findSupports finds the gates without which the property fails.
func (h *Holds) findSupports(ctx context.Context, a *Analysis, occurrences *ltl.Occurrences, byLabel bool) error {
	m := a.Components.LTS()
	happening, err := m.Happening(ctx)
	if err != nil {
		return err
	}
	all := supportsOf(happening, a.concerns(occurrences), byLabel)
	what := "gates"
	if byLabel {
		what = "labels"
	}
	if len(all) > mostSupports {
		h.skip(fmt.Sprintf("whether it rests on %d more %s", len(all)-mostSupports, what))
		all = all[:mostSupports]
	}
	work := int64(0)
	for i, s := range all {
		if work > workForVariations {
			h.skip(fmt.Sprintf("whether it rests on %d more %s", len(all)-i, what))
			return nil
		}
		less, err := variation.Without(m, func(l lts.Label) bool { return s.labels[l] })
		if err != nil {
			return err
		}
		failure, took, err := variation.Check(ctx, less, a.Property, a.fairness)
		if err != nil {
			return err
		}
		work += took + int64(m.NumTransitions())
		if failure == nil {
			continue
		}
		found := Support{Gate: s.name, Kind: loopsWithout, Step: s.step, ByLabel: byLabel}
		if failure.Deadlock {
			at := ModelState(failure.State)
			found.Kind, found.State = stopsWithout, &at
		}
		h.RestsOn = append(h.RestsOn, found)
	}
	return nil
}

// concerns returns whether the property is about a label: a step of a chain, however it was
// written, or an element of the formula.
func (a *Analysis) concerns(occurrences *ltl.Occurrences) func(lts.Label) bool {
	p := a.Property
	if n := p.Steps(); n > 0 {
		return func(l lts.Label) bool {
			for q := range property.Q(n) {
				if p.Next(q, l) != q {
					return true
				}
			}
			return false
		}
	}
	return func(l lts.Label) bool {
		return occurrences != nil && slices.ContainsFunc(occurrences.All, func(o ltl.Occurrence) bool { return o.Pattern.Matches(p.Alphabet().Text(l)) })
	}
}

// supportsOf returns the gates, or labels, of what happens, in the order of the alphabet; those
// that the property is about last.
func supportsOf(happening *lts.Alphabet, concerns func(lts.Label) bool, byLabel bool) []*support {
	var all []*support
	known := map[string]*support{}
	for l, text := range happening.All() {
		if _, begins := happening.Facts(l); begins || !happening.Happens(l) {
			continue
		}
		name, is := actl.GateOf(text)
		if byLabel || !is {
			name = text
		}
		s := known[name]
		if s == nil {
			s = &support{name: name, labels: map[lts.Label]bool{}}
			known[name] = s
			all = append(all, s)
		}
		s.labels[l] = true
		s.step = s.step || concerns(l)
	}
	slices.SortStableFunc(all, func(a, b *support) int {
		switch {
		case a.step == b.step:
			return 0
		case a.step:
			return 1
		}
		return -1
	})
	return all
}
