package counterexample

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// The halves of the questions, for tests that compare them.
var (
	BadPrefix     = badPrefix
	InUnfolding   = inUnfolding
	SearchProduct = inProduct
)

func Search(ctx context.Context, m *lts.LTS, p *property.Chain, o Options) (*Result, error) {
	return chainHalf{p}.shortest(ctx, m, o)
}

func AllOfChain(ctx context.Context, c *scc.Components, p *property.Chain) (*Family, error) {
	return chainHalf{p}.all(ctx, c.LTS(), Options{Components: c})
}

func ContainingOfChain(ctx context.Context, c *scc.Components, p *property.Chain, pattern *property.Property) (*Trace, error) {
	r, err := chainHalf{p}.containing(ctx, c.LTS(), pattern, Options{Components: c})
	return r.Trace, err
}
