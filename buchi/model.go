package buchi

import (
	"context"
	"errors"
	"fmt"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// endsInDeadlock is the loop start of a run that ends in a deadlock.
const endsInDeadlock = -1

// FindInModel returns a counterexample to p in m that an algorithm of this
// package finds in the [Product], with its statistics; nil if there is none below
// the bound of o. The length in the statistics is that of the lasso in the
// product. yield, which may be nil, is called with each counterexample found on
// the way, as by [Find]. If ctx is done, contrex returns the best counterexample
// so far, and FindInModel returns it with the context's error. It fails otherwise
// as [NewProduct] and [Find] do.
func FindInModel(ctx context.Context, m *lts.LTS, p *property.Property, o FindOptions, yield func(*counterexample.Trace, Stats) bool) (*counterexample.Trace, Stats, error) {
	g, err := NewProduct(ctx, m, p)
	if err != nil {
		return nil, Stats{}, err
	}
	var wrong error
	var each func(Lasso, Stats) bool
	if yield != nil {
		each = func(l Lasso, stats Stats) bool {
			t, err := g.Trace(l)
			wrong = errors.Join(wrong, err)
			return err == nil && yield(t, stats)
		}
	}
	lasso, stats, stopped := Find(ctx, g, o, each)
	if lasso == nil {
		return nil, stats, stopped
	}
	t, err := g.Trace(*lasso)
	if wrong = errors.Join(wrong, err); wrong != nil {
		return nil, stats, fmt.Errorf("buchi: the search in the product went wrong, please report it: %w", wrong)
	}
	return t, stats, stopped
}
