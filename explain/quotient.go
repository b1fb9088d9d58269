package explain

import (
	"context"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/simplify/quotient"
)

// HasQuotient reports whether there is a quotient: if classes are known. Under fairness there is
// none, since hidden transitions may count.
func (e *Explanation) HasQuotient() bool {
	return e.Classification() != nil && e.Classification().Fates().Fairness() == nil
}

// Quotient returns a small model that means the same for the property, in which states
// that cannot be told apart are one, and its classes and neighbourhoods: those of the
// model itself, since merging keeps them. It is for explanations that have classes.
//
// It fails with [quotient.ErrManyBlocks] where more than maxBlocks states are left, with
// [ErrFairQuotient] under fairness, and where ctx is done. Cost that of
// [quotient.ForClasses], and of [Analyse] for the quotient.
func (e *Explanation) Quotient(ctx context.Context, maxBlocks int) (*quotient.Quotient, *neighbourhood.Classification, error) {
	ofModel := e.Classification().Fates()
	if ofModel.Fairness() != nil {
		return nil, nil, errFairQuotient
	}
	q, err := quotient.ForClasses(ctx, ofModel, quotient.Options{MergeLabels: true, MaxBlocks: maxBlocks})
	if err != nil {
		return nil, nil, err
	}
	components, err := scc.Find(ctx, q.LTS(), "")
	if err != nil {
		return nil, nil, err
	}
	fates, err := fate.Compute(ctx, components, q.Property(), enrich.Options{})
	if err != nil {
		return nil, nil, err
	}
	classes, err := neighbourhood.Classify(ctx, fates, e.Classification().Reading())
	return q, classes, err
}
