package counterexample

import (
	"context"
	"math"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// shortest searches for a shortest run of m that violates a property other than a chain:
// a bad prefix, see [badPrefix]; for a response with one step a run whose loop closes in the model;
// otherwise the run of [inProduct], whose loop closes in the model if p has one state. Errors,
// options and cost as for these functions.
func (h tableHalf) shortest(ctx context.Context, m *lts.LTS, o Options, r *Result) {
	if single := oneStepOf(ctx, h.p); single != nil {
		shortestWithout(ctx, m, h.p, single, o, r)
		return
	}
	prefix, safety := badPrefix(ctx, m, h.p, o.Prefixes)
	if safety {
		*r = *prefix
		return
	}
	shortestMaximal(ctx, m, h.p, o, r)
	if prefix != nil && prefix.Trace != nil && (r.Trace == nil || prefix.Trace.Len() <= r.Trace.Len()) {
		prefix.Minimal = r.Minimal
		*r = *prefix
	}
}

// shortestMaximal is [tableHalf.shortest] for runs that end in a deadlock, or have a loop.
func shortestMaximal(ctx context.Context, m *lts.LTS, p *property.Property, o Options, r *Result) {
	if x, is := responseOf(p); is {
		x.shortest(ctx, m, o, r)
		return
	}
	inProduct(ctx, m, p, o, r)
	if r.Trace == nil || p.States() == 1 {
		r.closesInModel()
	}
}

// oneStepOf returns the chain with one step that is equivalent to a property about values of
// states, such as F x = 1: a run violates it if it never does a label of a set. It is nil for all
// other properties. Cost O(labels).
func oneStepOf(ctx context.Context, p *property.Property) *property.Property {
	if len(p.Alphabet().FactNames()) == 0 || p.States() > 8 {
		return nil
	}
	if chain := abort.Must(product.AsChain(ctx, p, nil)); chain.Steps() == 1 {
		return chain
	}
	return nil
}

// shortestWithout searches for a shortest run that violates p as a chain with one step. The run
// makes no progress in either property, so its loop closes both in the model and in the product.
func shortestWithout(ctx context.Context, m *lts.LTS, p, chain *property.Property, o Options, r *Result) {
	o.Fates = nil
	stopped := abort.Try(func() { halfOf(chain).shortest(ctx, m, o, r) })
	if r.Trace != nil {
		r.Trace = abort.Must(NewViolating(m, p, r.Trace.steps, r.Trace.loop))
	}
	abort.On(stopped)
}

// response is a property with two states and the structure of a response, however it was written:
// one step answers requests. In the first state, idle, a run may stop; in the other, pending, it
// may not. The condition is that marked transitions recur: all transitions from idle to idle are
// marked, and no unmarked transition leaves the pending state.
type response struct {
	p             *property.Property
	idle, pending property.Q
	marked        property.Marks
}

// responseOf returns p as a response; false if it is none. Cost O(labels).
func responseOf(p *property.Property) (*response, bool) {
	if p.States() != 2 {
		return nil, false
	}
	x := &response{p: p, idle: p.Initial(), pending: 1 - p.Initial()}
	infs, is := infsOf(p.Acceptance())
	if x.marked = infs; !is || !p.Stops(x.idle) || p.Stops(x.pending) {
		return nil, false
	}
	for l := range p.Alphabet().All() {
		if !x.asks(l) && p.Marks(x.idle, l)&x.marked == 0 || !x.answers(l) && p.Next(x.pending, l) == x.idle {
			return nil, false
		}
	}
	return x, true
}

// infsOf returns the colours of a condition "one of these colours recurs"; false for other
// conditions.
func infsOf(a property.Acceptance) (property.Marks, bool) {
	switch a.Operator() {
	case property.InfOp:
		return property.Mark(a.Colour()), true
	case property.OrOp:
		var all property.Marks
		for _, operand := range a.Parts() {
			if operand.Operator() != property.InfOp {
				return 0, false
			}
			all |= property.Mark(operand.Colour())
		}
		return all, true
	}
	return 0, false
}

// asks reports whether a label is a request, answers whether it is an answer.
func (x *response) asks(l lts.Label) bool { return x.p.Next(x.idle, l) == x.pending }

func (x *response) answers(l lts.Label) bool { return x.p.Marks(x.pending, l)&x.marked != 0 }

// shortest searches for a shortest run of m that violates a response with one step.
//
// A run violates the response if a request is pending when it stops, or if a request is pending
// while it goes on for ever without an answer: then its loop closes in the product, since only
// answers leave the pending state. Or its loop has a request and no answer; then it does not matter
// what is pending before the loop, and the loop closes in the model. So the shorter one of the two
// is a shortest run of the model. Both searches go on by length, in turns, so neither goes far
// beyond the length of the run that is found. Options, errors and cost as for [inProduct].
func (x *response) shortest(ctx context.Context, m *lts.LTS, o Options, r *Result) {
	levels := product.NewLevels(m, x.p)
	if _, whole := o.product(x.p); whole || o.Engine == "gonum" || levels == nil {
		inProduct(ctx, m, x.p, o, r)
		x.besidesProduct(ctx, m, o, r)
		return
	}
	excluded, below := 0, math.MaxInt
	if m.NumStates() >= mostParts*fewestStates {
		u := o.inStates(ctx, m, x.p, fewestStates, r)
		if !u.IsCut() || r.Trace != nil && r.Trace.Len() <= u.Depth() {
			x.besidesProduct(ctx, m, o, r)
			return
		}
		if excluded = u.Depth(); r.Trace != nil {
			excluded, below = min(excluded, r.Trace.Len()-1), r.Trace.Len()+1
		}
		*r = Result{Trace: r.Trace, Violated: r.Trace != nil}
	}
	x.inTurns(ctx, levels, m, o, excluded, below, r)
}

// besidesProduct completes [response.shortest] if r has a shortest run of the product: a run whose
// loop closes in the model may be shorter.
func (x *response) besidesProduct(ctx context.Context, m *lts.LTS, o Options, r *Result) {
	switch {
	case r.Trace == nil:
		r.closesInModel()
	case r.Minimal != MinimalUnknown:
		o.Fates = nil
		x.shorten(m, r, func(other *Result) { inPart(ctx, m, x.loops(), o, fewestStates, r.Trace.Len(), other) })
	}
}

// inTurns is [response.shortest] without the product. Every run has more transitions than excluded;
// a run need not be found unless it is shorter than below.
func (x *response) inTurns(ctx context.Context, levels *product.Levels, m *lts.LTS, o Options, excluded, below int, r *Result) {
	a := newLevelled(ctx, levels, m, x.p, o, excluded, below, worthNear())
	if a.none {
		*r = Result{Minimal: InModel}
		return
	}
	loops := x.loops()
	o.Fates = nil
	recurring := product.NewLevels(m, loops)
	recurring.Follow(levels)
	b := newLevelled(ctx, recurring, m, loops, o, 0, below, worthNear())
	defer func() { r.Violated = r.Violated || a.violated || b.violated }()
	if !b.none && a.near != nil && b.near != nil {
		takeTurns(a, b)
	}
	if b.known && b.best != infinite {
		below = b.best + 1
	}
	if a.finish(below, r); r.Minimal == MinimalUnknown {
		return
	}
	if r.Trace != nil {
		below = r.Trace.Len()
	}
	x.shorten(m, r, func(other *Result) { b.finish(below, other) })
}

// takeTurns continues the searches in turns, the smaller bound first, until one of them has found
// its run or is too expensive.
func takeTurns(a, b *levelled) {
	for {
		next := a
		if b.near.Bound() < a.near.Bound() {
			next = b
		}
		known, err := next.near.Round(next.ctx)
		if err != nil || known || next.near.Tired() {
			next.note(known && err == nil)
			abort.On(err)
			return
		}
	}
}

// shorten replaces the run of r by a shorter one, if find finds one.
func (x *response) shorten(m *lts.LTS, r *Result, find func(other *Result)) {
	r.Minimal = MinimalUnknown // until find ends
	other := &Result{}
	find(other)
	if other.Trace != nil && (r.Trace == nil || other.Trace.Len() < r.Trace.Len()) {
		r.Stats.Length = other.Stats.Length
		r.Violated = true
		r.Trace = abort.Must(NewViolating(m, x.p, other.Trace.steps, other.Trace.loop))
	}
	r.Minimal = ifShortest(other.Minimal != MinimalUnknown)
}

// The colours of [response.loops].
const requested, answered = 0, 1

// loops returns the property that answers recur if requests do.
func (x *response) loops() *property.Property {
	t := property.Automaton{Columns: 4, Letters: make([]uint16, x.p.Alphabet().Len()), Next: make([]property.Q, 4), Stop: []bool{true}}
	t.Marks = []property.Marks{0, property.Mark(requested), property.Mark(answered), property.Mark(requested, answered)}
	t.Acceptance = property.Any(property.Fin(requested), property.Inf(answered))
	for l := range x.p.Alphabet().All() {
		if x.asks(l) {
			t.Letters[l] |= 1
		}
		if x.answers(l) {
			t.Letters[l] |= 2
		}
	}
	return abort.Must(property.Table(x.p.Alphabet(), t))
}
