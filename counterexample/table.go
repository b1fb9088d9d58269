package counterexample

import (
	"cmp"
	"context"
	"math"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// shortest searches for a shortest run of m that violates a property other than a chain:
// a bad prefix, see [badPrefix]; for a response with one step a run whose loop closes in the model;
// otherwise the run of [inProduct], whose loop closes in the model if p has one state. Errors,
// options and cost as for these functions.
func (h tableHalf) shortest(ctx context.Context, m *lts.LTS, o Options) (*Result, error) {
	p := h.p
	if single, err := oneStepOf(ctx, p); err != nil || single != nil {
		return shortestWithout(ctx, m, p, single, o, err)
	}
	prefix, safety, err := badPrefix(ctx, m, p, o.Prefixes)
	if err != nil || safety {
		return prefix, err
	}
	r, err := shortestMaximal(ctx, m, p, o)
	if err == nil && prefix != nil && prefix.Trace != nil && (r.Trace == nil || prefix.Trace.Len() <= r.Trace.Len()) {
		prefix.Minimal = r.Minimal
		return prefix, nil
	}
	return r, err
}

// shortestMaximal is [tableHalf.shortest] for runs that end in a deadlock, or have a loop.
func shortestMaximal(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (*Result, error) {
	if x, is := responseOf(p); is {
		return x.shortest(ctx, m, o)
	}
	r, err := inProduct(ctx, m, p, o)
	if err == nil && (r.Trace == nil || p.States() == 1) {
		r.closesInModel()
	}
	return r, err
}

// oneStepOf returns the chain with one step that is equivalent to a property about values of
// states, such as F x = 1: a run violates it if it never does a label of a set. It is nil for all
// other properties. Cost O(labels).
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

// shortestWithout searches for a shortest run that violates p as a chain with one step. The run
// makes no progress in either property, so its loop closes both in the model and in the product.
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
func (x *response) shortest(ctx context.Context, m *lts.LTS, o Options) (*Result, error) {
	levels := product.NewLevels(m, x.p)
	if _, whole := o.product(x.p); whole || o.Engine == "gonum" || levels == nil {
		return x.ofProduct(ctx, m, o, nil)
	}
	known, excluded, below := &Result{}, 0, math.MaxInt
	if m.NumStates() >= mostParts*fewestStates {
		u, r, err := o.inStates(ctx, m, x.p, fewestStates)
		if err != nil || !u.IsCut() || r.Trace != nil && r.Trace.Len() <= u.Depth() {
			return x.ofProduct(ctx, m, o, func() (*Result, error) { return r, err })
		}
		if excluded = u.Depth(); r.Trace != nil {
			known, excluded, below = &Result{Trace: r.Trace, Violated: true}, min(excluded, r.Trace.Len()-1), r.Trace.Len()+1
		}
	}
	r, err := x.inTurns(ctx, levels, m, o, excluded, below)
	if err != nil {
		r = atLeast(known, r)
	}
	return r, err
}

// ofProduct is [response.shortest] with find to search for a shortest run of the product;
// [inProduct] if find is nil.
func (x *response) ofProduct(ctx context.Context, m *lts.LTS, o Options, find func() (*Result, error)) (*Result, error) {
	if find == nil {
		find = func() (*Result, error) { return inProduct(ctx, m, x.p, o) }
	}
	r, err := find()
	switch {
	case err != nil:
		return r, err
	case r.Trace == nil:
		return r.closesInModel(), nil
	case r.Minimal == MinimalUnknown:
		return r, nil
	}
	loops, err := x.loops()
	if err != nil {
		return r, err
	}
	o.Fates = nil
	other, err := inPart(ctx, m, loops, o, fewestStates, r.Trace.Len())
	return x.shorter(m, r, other, err)
}

// inTurns is [response.shortest] without the product. Every run has more transitions than excluded;
// a run need not be found unless it is shorter than below.
func (x *response) inTurns(ctx context.Context, levels *product.Levels, m *lts.LTS, o Options, excluded, below int) (*Result, error) {
	a, err := newLevelled(ctx, levels, m, x.p, o, excluded, below, worthNear())
	if err != nil {
		return nil, err
	}
	if a.none {
		return &Result{Minimal: InModel}, nil
	}
	loops, err := x.loops()
	if err != nil {
		return nil, err
	}
	o.Fates = nil
	recurring := product.NewLevels(m, loops)
	recurring.Follow(levels)
	b, err := newLevelled(ctx, recurring, m, loops, o, 0, below, worthNear())
	if err == nil && !b.none && a.near != nil && b.near != nil {
		err = takeTurns(a, b)
	}
	if err != nil {
		return &Result{Violated: a.violated || b != nil && b.violated}, err
	}
	if b.known && b.best != infinite {
		below = b.best + 1
	}
	r, err := a.finish(below)
	if r == nil || err != nil || r.Minimal == MinimalUnknown {
		if r != nil {
			r.Violated = r.Violated || b.violated
		}
		return r, err
	}
	if r.Trace != nil {
		below = r.Trace.Len()
	}
	other, err := b.finish(below)
	return x.shorter(m, r, other, err)
}

// takeTurns continues the searches in turns, the smaller bound first, until one of them has found
// its run or is too expensive.
func takeTurns(a, b *levelled) error {
	for {
		next := a
		if b.near.Bound() < a.near.Bound() {
			next = b
		}
		known, err := next.near.Round(next.ctx)
		if err != nil || known || next.near.Tired() {
			next.note(known && err == nil)
			return err
		}
	}
}

// shorter returns the shorter of r and another run; err is the error of the search for the other
// run.
func (x *response) shorter(m *lts.LTS, r, other *Result, err error) (*Result, error) {
	if err != nil {
		r.Minimal = MinimalUnknown
		return r, err
	}
	if other.Trace != nil && (r.Trace == nil || other.Trace.Len() < r.Trace.Len()) {
		r.Stats.Length = other.Stats.Length
		r.Violated = true
		loop, _ := other.Trace.LoopStart()
		if r.Trace, err = NewViolating(m, x.p, other.Trace.Steps(), loop); err != nil {
			return r, err
		}
	}
	r.Minimal = ifShortest(other.Minimal != MinimalUnknown)
	return r, nil
}

// The colours of [response.loops].
const requested, answered = 0, 1

// loops returns the property that answers recur if requests do.
func (x *response) loops() (*property.Property, error) {
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
	return property.Table(x.p.Alphabet(), t)
}
