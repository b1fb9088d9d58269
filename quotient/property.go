package quotient

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Options are the settings of a quotient for a property.
type Options struct {
	// MergeLabels makes one label of all labels that do exactly the same steps; labels that do none
	// are hidden in any case. Verdict and classes do not depend on which of the labels occurs. The
	// text of such a label is the pattern of their steps; for a property without steps, which
	// merges the labels that it does not distinguish, the text of the first of them and their
	// number.
	MergeLabels bool
	// MaxBlocks is the largest number of blocks: with more, the search ends with [ErrManyBlocks]; 0
	// means no limit.
	MaxBlocks int
}

// ForProperty returns the quotient of m after hiding labels under which p is closed under
// stuttering: for a chain the labels that do no step, for other properties see [product.Silent]. p
// must be bound to m. The quotient keeps the verdict; a class in it is about all histories of all
// merged states (see the package comment). It fails as [New] does. Cost as for New and, for a
// property that is no chain, [product.Silent].
func ForProperty(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (_ *Quotient, err error) {
	defer abort.Caught(&err)
	return forProperty(ctx, m, p, nil, o, nil), nil
}

// ForClasses returns the quotient of the model of f, which must be without fairness, after hiding
// the same labels as [ForProperty]. It merges two states only if both are certain to satisfy the
// property, or both are certain to violate it, or runs reach both with the same property states
// (for a chain, with the same max and common prefix). Then every transition of the model has the
// class of the transition of the quotient that stands for it. It fails as [New] does. Cost as for
// New and ForProperty.
func ForClasses(ctx context.Context, f *fate.Map, o Options) (_ *Quotient, err error) {
	defer abort.Caught(&err)
	apart := histories(f)
	return forProperty(ctx, f.LTS(), f.Property(), apart, o, func(names *renaming) {
		checkTail(ctx, f.Components(), names, apart, o.MaxBlocks)
	}), nil
}

// forProperty computes the quotient of m for the property. It calls check, unless check is nil,
// before it begins if the number of blocks is limited.
func forProperty(ctx context.Context, m *lts.LTS, p *property.Property, apart func(lts.State) uint32, o Options, check func(*renaming)) *Quotient {
	silent := abort.Must(product.Silent(ctx, p))
	var patterns []property.Step
	alike := columns(p)
	if p.Steps() > 0 {
		for i := range p.Steps() {
			patterns = append(patterns, p.Step(i+1))
		}
		alike = stepsOf(m.Alphabet(), p)
	}
	names := hide(m.Alphabet(), func(l lts.Label) bool { return silent[l] }, patterns)
	if o.MergeLabels {
		names.merge(abort.Must(m.Happening(ctx)), alike, patterns)
	}
	if o.MaxBlocks > 0 && check != nil {
		check(names)
	}
	q := divide(ctx, m, names, apart, o.MaxBlocks)
	q.property = q.bind(p)
	return q
}

// histories returns a function from states to numbers. Only states with the same number may be
// merged by [ForClasses].
func histories(f *fate.Map) func(lts.State) uint32 {
	e, is := f.Enriched()
	if !is {
		return historiesInProduct(f)
	}
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

// Numbers of histories that no prefixes have, since the common prefix of a state is at most as long
// as its max prefix. For other properties, smaller numbers stand for sets of property states.
const (
	certain = math.MaxUint32 - 1 - iota
	fated
	aboveTail // the number for the root of a tail, which no state of the model has
)

// historiesInProduct is [histories] for a property that is no chain: each set of property states
// with which runs reach a state has a number.
func historiesInProduct(f *fate.Map) func(lts.State) uint32 {
	number := map[string]uint32{}
	var arrivals []property.Q
	var key []byte
	return func(s lts.State) uint32 {
		switch _, satisfy, violate := f.Histories(s); {
		case violate == 0:
			return certain
		case satisfy == 0:
			return fated
		}
		arrivals = slices.AppendSeq(arrivals[:0], f.Arrivals(s))
		slices.Sort(arrivals)
		key = key[:0]
		for _, q := range arrivals {
			key = binary.AppendUvarint(key, uint64(q))
		}
		n, known := number[string(key)]
		if !known {
			n = uint32(len(number))
			number[string(key)] = n
		}
		return n
	}
}

// bind returns the property, bound to the labels of the quotient.
func (q *Quotient) bind(p *property.Property) *property.Property {
	old := make([]lts.Label, q.system.Alphabet().Len())
	for l, to := range q.names.to {
		old[to] = lts.Label(l)
	}
	return abort.Must(p.Relabel(q.system.Alphabet(), func(l lts.Label) lts.Label { return old[l] }))
}
