package counterexample

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Joined is a property with other views of it. A run may be shorter there: a loop may close in the
// product with one of these that does not close in the product with the property.
type Joined struct {
	Property *property.Property
	// Conditions have the property as their conjunction; nil if there are none. A condition has fewer
	// states than the property.
	Conditions []*property.Property
	// Nondeterministic returns an automaton of the runs that violate the property; nil if none is
	// known.
	Nondeterministic func(context.Context) (*property.Nondeterministic, error)
}

// Shortest is the function [Shortest] for all views of the property. The conditions are asked if
// together they have at most twice as many states as the property.
func (j Joined) Shortest(ctx context.Context, m *lts.LTS, o Options) (*Result, error) {
	states := 0
	for _, p := range j.Conditions {
		states += p.States()
	}
	var r *Result
	var err error
	if states <= 2*j.Property.States() {
		r, err = j.ByConditions(ctx, m, o)
	}
	if r == nil && err == nil {
		r, err = Shortest(ctx, m, j.Property, o)
	}
	if err != nil || r == nil || r.Trace == nil || r.Minimal == InModel {
		return r, err
	}
	shorter, complete, err := j.Shorter(ctx, m, r.Trace, o.Limit)
	if err != nil {
		return r, err
	}
	if !complete {
		r.Minimal = MinimalUnknown
	}
	if shorter != nil {
		r.Trace, r.Stats.Length = shorter, shorter.Len()+1
	}
	return r, nil
}

// ByConditions returns a shortest run that violates one of the conditions, and so the property; nil
// if there are no conditions, and if no run is known to be shortest in the model. If it is stopped, it
// returns the shortest run found until then.
func (j Joined) ByConditions(ctx context.Context, m *lts.LTS, o Options) (*Result, error) {
	if len(j.Conditions) == 0 {
		return nil, nil
	}
	best := &Result{Minimal: InModel}
	o.Fates = nil
	for _, p := range j.Conditions {
		r, err := Shortest(ctx, m, p, o)
		if err != nil {
			best.Minimal = MinimalUnknown
			best.Violated = best.Violated || r != nil && r.Violated
			return best, err
		}
		best.Stats.Stored, best.Stats.Matched = best.Stats.Stored+r.Stats.Stored, best.Stats.Matched+r.Stats.Matched
		if r.Trace == nil {
			continue
		}
		if r.Minimal != InModel || r.Trace.Kind() == Prefix {
			return nil, nil
		}
		best.Stats.Found, best.Violated = best.Stats.Found+r.Stats.Found, true
		if best.Trace != nil && best.Trace.Len() <= r.Trace.Len() {
			continue
		}
		if best.Trace, err = Under(m, r.Trace, j.Property); err != nil {
			return nil, err
		}
		best.Stats.Length = r.Stats.Length
	}
	return best, nil
}

// Shorter returns a shortest run in the product with the nondeterministic automaton, if this run is
// shorter than another run; nil if it is not shorter, if there is no such automaton, or if the search
// is not complete: it would visit more transitions than limit.
func (j Joined) Shorter(ctx context.Context, m *lts.LTS, than *Trace, limit int64) (t *Trace, complete bool, err error) {
	defer abort.Caught(&err)
	n := abort.Must(j.Nondeterministic(ctx))
	if n == nil {
		return nil, true, nil
	}
	t, complete = shortestAmong(ctx, m, j.Property, n, than.Len(), limit)
	return t, complete, nil
}
