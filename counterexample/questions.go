package counterexample

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Shortest searches for a run of m that violates p with the fewest transitions; Result.Minimal is
// the set of runs among which it is a shortest one. These are all runs of the model for a chain, a
// bad prefix, a response with one step, and a property of one state; otherwise those whose loop
// closes in the product of m and p. For a safety property the result is a bad prefix, since every
// violation has one. The result is deterministic: of the runs that end, or whose loop begins, in
// the state that is visited first, it is the first in the order of the model.
//
// It fails if ctx is done, or if the complement of the condition of p has more than 1,024 pairs. If
// the search is stopped by ctx after a run was found, the result has that run, with the error;
// otherwise the result says only whether the property is known to be violated. Cost: for a chain of
// n steps that of [chainHalf.shortest], O(n (S + T)) if loops are soon found; otherwise that of [inProduct].
func Shortest(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (r *Result, err error) {
	defer abort.Caught(&err)
	r = &Result{}
	halfOf(p).shortest(ctx, m, o, r)
	return r, nil
}

// All returns all runs of m that violate p and are as short as the one that [Shortest] finds, among
// the runs that [Family.Minimal] names. It returns nil if the property holds. It fails if ctx is
// done, if no shortest run is known, or if the condition of p has more than 10 colours. Cost as for
// [chainHalf.all] and [tableHalf.all].
func All(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (all *Family, err error) {
	defer abort.Caught(&err)
	return halfOf(p).all(ctx, m, o), nil
}

// Containing searches for a run of m that violates p and does the steps of pattern, a chain, in
// this order, not necessarily contiguous: a short one, and if p is a chain a shortest one.
// Result.Minimal is about the runs with the pattern: another counterexample may be shorter. The
// result has no trace if there is none. Errors, a [property.NotChainError], and cost as for
// [Shortest], for a model or a property larger by the number of steps of the pattern.
func Containing(ctx context.Context, m *lts.LTS, p *property.Property, pattern *property.Property, o Options) (r *Result, err error) {
	defer abort.Caught(&err)
	if pattern.Steps() == 0 {
		return nil, property.NotChainError{Property: pattern.String(), What: "a pattern that a run does"}
	}
	return halfOf(p).containing(ctx, m, pattern, o), nil
}

// Fair searches for a run of the model of f that counts under its assumption and violates its
// property; the result has no trace if there is none. Errors and cost as for [chainHalf.fair] and
// [tableHalf.fair].
func Fair(ctx context.Context, f *fate.Map) (r *Result, err error) {
	defer abort.Caught(&err)
	return halfOf(f.Property()).fair(ctx, f, looksIn(f.LTS())), nil
}

// Match returns a run of the model of f that fits the given trace and violates the property of f,
// among all runs. Labels agree where their texts do; a text of the given trace that is no label of
// the model may differ from one in blanks after commas. If several runs fit, as in
// non-deterministic models, it finds one that violates the property if there is any; this need not
// be a shortest one.
//
// A given trace that has an end may be only a part of a counterexample:
//
//   - the run may stop in a state which it went through before, because a lasso
//     was written once round by a format that cannot express it;
//   - or it stops where no continuation satisfies the property any more: it is
//     then completed by a shortest one, unless it is a bad prefix as it is.
//
// Errors are of one line: a given trace that is no trace of the model is refused with
// the step that fails and what the model offers there, a run that satisfies the
// property with the step that completes it, and one that breaks off while the
// property can still be satisfied with the state reached. It also fails if ctx is done.
// Cost as for [chainHalf.match] and [tableHalf.match].
func Match(ctx context.Context, f *fate.Map, v *Given, o MatchOptions) (*Trace, MatchNote, error) {
	half := halfOf(f.Property())
	return o.try(f.LTS(), func(internal []string) (t *Trace, note MatchNote, err error) {
		defer abort.Caught(&err)
		y := &matching{pairing: newPairing(ctx, f.LTS(), v, internal), ctx: ctx, fates: f, p: f.Property()}
		half.match(y)
		t, note = y.run()
		return t, note, nil
	})
}

// half answers the questions either about chains, or about all other properties.
type half interface {
	// shortest sets r to what is found, even if the search is stopped.
	shortest(ctx context.Context, m *lts.LTS, o Options, r *Result)
	all(ctx context.Context, m *lts.LTS, o Options) *Family
	containing(ctx context.Context, m *lts.LTS, pattern *property.Property, o Options) *Result
	fair(ctx context.Context, fates *fate.Map, most looks) *Result
	match(y *matching)
}

// halfOf returns the half for a property. No other function asks which kind of property it is.
func halfOf(p *property.Property) half {
	if c, is := p.Chain(); is {
		return chainHalf{c}
	}
	return tableHalf{p}
}

// chainHalf searches states and progress, tableHalf the product of model and property.
type (
	chainHalf struct{ p *property.Chain }
	tableHalf struct{ p *property.Property }
)
