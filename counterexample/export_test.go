package counterexample

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// resultOf returns the result of a search, and the error that ends it.
// NewTrace returns a run that may satisfy the property.
var NewTrace = newTrace

func resultOf(search func(r *Result)) (*Result, error) {
	r := &Result{}
	err := abort.Try(func() { search(r) })
	return r, err
}

// The halves of the questions, for tests that compare them.

func BadPrefix(ctx context.Context, m *lts.LTS, p *property.Property, always bool) (r *Result, safety bool, err error) {
	defer abort.Caught(&err)
	r, safety = badPrefix(ctx, m, p, always)
	return r, safety, nil
}

func InUnfolding(ctx context.Context, u *product.Unfolding, c *scc.Components, o Options) (*Result, error) {
	return resultOf(func(r *Result) { inUnfolding(ctx, u, c, o, r) })
}

func SearchProduct(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (*Result, error) {
	return resultOf(func(r *Result) { inProduct(ctx, m, p, o, r) })
}

func Search(ctx context.Context, m *lts.LTS, p *property.Chain, o Options) (*Result, error) {
	return resultOf(func(r *Result) { chainHalf{p}.shortest(ctx, m, o, r) })
}

func AllOfChain(ctx context.Context, c *scc.Components, p *property.Chain) (f *Family, err error) {
	defer abort.Caught(&err)
	return chainHalf{p}.all(ctx, c.LTS(), Options{Components: c}), nil
}

func ContainingOfChain(ctx context.Context, c *scc.Components, p *property.Chain, pattern *property.Property) (t *Trace, err error) {
	defer abort.Caught(&err)
	return chainHalf{p}.containing(ctx, c.LTS(), pattern, Options{Components: c}).Trace, nil
}
