package explain

import (
	"context"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/fate"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/quotient"
)

// HasQuotient reports whether there is a quotient to be asked for: where classes are known,
// and the property is a chain. Under fairness there is none: what is hidden may count.
func (e *Explanation) HasQuotient() bool {
	if e.Classification() == nil {
		return false
	}
	enriched, is := e.Classification().Fates().Enriched()
	return is && enriched.Fairness() == nil
}

// Quotient returns a small model that means the same for the property, in which states
// that cannot be told apart are one, and its classes and neighbourhoods: those of the
// model itself, since merging keeps them. It is for explanations that have classes.
//
// It fails with [quotient.ErrManyBlocks] where more than maxBlocks states are left, with
// [property.NotChainError] where the property is no chain, and where ctx is done. Cost that of [quotient.ForClasses], and of [Analyse] for the quotient.
func (e *Explanation) Quotient(ctx context.Context, maxBlocks int) (*quotient.Quotient, *neighbourhood.Classification, error) {
	ofModel, is := e.Classification().Fates().Enriched()
	if !is {
		return nil, nil, property.NotChainError{Property: e.Classification().Fates().Property().String(), What: "a quotient"}
	}
	if ofModel.Fairness() != nil {
		return nil, nil, ErrFairQuotient
	}
	q, err := quotient.ForClasses(ctx, ofModel, quotient.Options{MergeLabels: true, MaxBlocks: maxBlocks})
	if err != nil {
		return nil, nil, err
	}
	components, err := scc.Find(ctx, q.LTS(), scc.Auto)
	if err != nil {
		return nil, nil, err
	}
	enriched, err := enrich.Enrich(ctx, components, q.Property(), enrich.Options{})
	if err != nil {
		return nil, nil, err
	}
	classes, err := neighbourhood.Classify(ctx, fate.OfChain(enriched), e.Classification().Reading())
	return q, classes, err
}
