package quotient

import (
	"context"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Options are the choices for the quotient of a property.
type Options struct {
	// MergeLabels makes one label of all labels that do exactly the same steps,
	// beside hiding those that do none. What a verdict and a class say does not
	// depend on which of them occurs. The text of such a label is that of the
	// pattern of the step that they do.
	MergeLabels bool
	// MaxBlocks is the number of blocks beyond which nobody wants the quotient: the
	// search for it ends with [ErrManyBlocks] as soon as there are more. 0 stands for
	// any number.
	MaxBlocks int
}

// ForProperty returns the quotient of m after hiding the labels that do no step
// of p, which must be bound to m. It keeps the verdict; a class in it stands for
// all histories of all merged states (see the package comment). It fails as [New]
// does. Cost as for New.
func ForProperty(ctx context.Context, m *lts.LTS, p *property.Chain, o Options) (*Quotient, error) {
	return forProperty(ctx, m, p, nil, o, nil)
}

// ForClasses returns the quotient of an enriched model after hiding the labels
// that do no step of its property, in which two states are merged only where they
// also have the same history: where both are certain to satisfy the property, or
// both are certain not to, or both have the same max and common prefix. Every
// transition of the model has the same class as the one of the quotient that
// stands for it. It fails as [New] does. Cost as for New.
func ForClasses(ctx context.Context, e *enrich.Enriched, o Options) (*Quotient, error) {
	apart := histories(e)
	return forProperty(ctx, e.LTS(), e.Property(), apart, o, func(names *renaming) error {
		return checkTail(ctx, e, names, apart, o.MaxBlocks)
	})
}

// forProperty divides m, unless check, where it is not nil and a number of blocks is
// set, fails.
func forProperty(ctx context.Context, m *lts.LTS, p *property.Chain, apart func(lts.State) uint32, o Options, check func(*renaming) error) (*Quotient, error) {
	names := hide(m.Alphabet(), func(l lts.Label) bool { return !p.Concerns(l) }, p.Patterns())
	if o.MergeLabels {
		names.merge(m.Alphabet(), p)
	}
	if o.MaxBlocks > 0 && check != nil {
		if err := check(names); err != nil {
			return nil, err
		}
	}
	q, err := divide(ctx, m, names, apart, o.MaxBlocks)
	if err != nil {
		return nil, err
	}
	q.property, err = q.bind(p)
	return q, err
}

// histories numbers the histories that [ForClasses] keeps apart.
func histories(e *enrich.Enriched) func(lts.State) uint32 {
	n := e.Property().Len()
	return func(s lts.State) uint32 {
		switch cp, mp := e.CP(s), e.MP(s); {
		case cp+e.CS(s) >= n:
			return certain
		case mp+e.MS(s) < n:
			return fated
		default:
			// A prefix has at most actl.MaxSteps steps; cp = n is certain already.
			return uint32(cp)<<16 | uint32(mp)
		}
	}
}

// Numbers of histories that no prefixes have: the common prefix of a state is at
// most as long as its max prefix.
const (
	certain = 2 << 16
	fated   = 3 << 16
)

// bind returns the property over the labels of the quotient.
func (q *Quotient) bind(p *property.Chain) (*property.Chain, error) {
	old := make([]lts.Label, q.system.Alphabet().Len())
	for l, to := range q.names.to {
		old[to] = lts.Label(l)
	}
	return p.Relabel(q.system.Alphabet(), func(l lts.Label) lts.Label { return old[l] })
}
