package counterexample

import (
	"cmp"
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// shortestOfTable looks for a shortest run of m that violates p, a property other than a
// chain: a bad prefix of [badPrefix]; for a response with one step a run whose loop closes in
// the model; and elsewhere that of [inProduct], which is one of the model where p has one
// state. Errors, options and cost as for the functions named.
func shortestOfTable(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (*Result, error) {
	if single, err := oneStepOf(ctx, p); err != nil || single != nil {
		return shortestWithout(ctx, m, p, single, o, err)
	}
	r, safety, err := badPrefix(ctx, m, p)
	if err != nil || safety {
		return r, err
	}
	if x, is := responseOf(p); is {
		return x.shortest(ctx, m, o)
	}
	if r, err = inProduct(ctx, m, p, o); err != nil {
		return r, err
	}
	if r.Trace == nil || p.States() == 1 {
		r.closesInModel()
	}
	return r, nil
}

// oneStepOf returns the chain with one step that a property about values of states is, such as
// F x = 1: a run violates it if it never does a label of a set. It is nil for all others. Cost
// O(labels).
func oneStepOf(ctx context.Context, p *property.Property) (*property.Property, error) {
	if len(p.Alphabet().FactNames()) == 0 || p.States() > 8 {
		return nil, nil
	}
	chain, err := product.AsChain(ctx, p, nil)
	if err != nil || chain.Steps() != 1 {
		return nil, err
	}
	return chain, nil
}

// shortestWithout looks for a shortest run that violates p as a chain with one step. It makes no
// progress in either, so that its loop closes in the model and in the product.
func shortestWithout(ctx context.Context, m *lts.LTS, p, chain *property.Property, o Options, err error) (*Result, error) {
	if err != nil {
		return nil, err
	}
	o.Fates = nil
	r, err := Shortest(ctx, m, chain, o)
	if r == nil || r.Trace == nil {
		return r, err
	}
	loop, _ := r.Trace.LoopStart()
	trace, wrong := NewViolating(m, p, r.Trace.Steps(), loop)
	r.Trace = trace
	return r, cmp.Or(err, wrong)
}
