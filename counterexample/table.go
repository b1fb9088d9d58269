package counterexample

import (
	"cmp"
	"context"

	"github.com/inev-lts/inev/counterexample/internal/run"
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
	if r, err = inProduct(ctx, m, p, o); err != nil {
		return r, err
	}
	if x, is := responseOf(p); is && r.Trace != nil && r.Minimal != MinimalUnknown {
		return x.unanswered(ctx, m, o, r)
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
	trace, wrong := run.NewViolating(m, p, r.Trace.Steps(), loop)
	r.Trace = trace
	return r, cmp.Or(err, wrong)
}

// response is a property of two states that is one by its structure, however it was written:
// something has to be answered by one step. In the first state, idle, a run may stop; in the
// other, pending, it may not. The condition is that marked transitions recur, all those that
// stay idle are marked, and none that is not leaves the pending state.
type response struct {
	p             *property.Property
	idle, pending property.Q
	marked        property.Marks
}

// responseOf returns the response that p is; false if it is none. Cost O(labels).
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

// infsOf returns the colours of which one has to recur; false if the condition is another.
func infsOf(a property.Acceptance) (property.Marks, bool) {
	switch a.Operator() {
	case property.InfOp:
		return property.Mark(a.Colour()), true
	case property.OrOp:
		var all property.Marks
		for _, part := range a.Parts() {
			if part.Operator() != property.InfOp {
				return 0, false
			}
			all |= property.Mark(part.Colour())
		}
		return all, true
	}
	return 0, false
}

// asks reports whether a label makes the property pending, answers whether it does what is
// pending.
func (x *response) asks(l lts.Label) bool { return x.p.Next(x.idle, l) == x.pending }

func (x *response) answers(l lts.Label) bool { return x.p.Marks(x.pending, l)&x.marked != 0 }

// unanswered looks for a run of m that is shorter than the one of r, which is a shortest
// one of the product of m and a response with one step.
//
// A run violates the response if it ends, or goes on without an answer for ever, in a
// state that it came to with a request pending: that is one of the product, for nothing
// but answers leaves the pending state. Or its loop has a request and no answer; then it
// does not matter what is pending when it comes to the loop, and the loop closes in the
// model. So the shorter one of both is a shortest one of the model.
func (x *response) unanswered(ctx context.Context, m *lts.LTS, o Options, r *Result) (*Result, error) {
	loops, err := x.loops()
	if err != nil {
		return r, err
	}
	o.Fates = nil
	other, err := inPart(ctx, m, loops, o, fewestStates, r.Trace.Len())
	if err != nil {
		r.Minimal = MinimalUnknown
		return r, err
	}
	if other.Trace != nil && (r.Trace == nil || other.Trace.Len() < r.Trace.Len()) {
		r.Stats.Length = other.Stats.Length
		loop, _ := other.Trace.LoopStart()
		if r.Trace, err = run.NewViolating(m, x.p, other.Trace.Steps(), loop); err != nil {
			return r, err
		}
	}
	r.Minimal = ifShortest(other.Minimal != MinimalUnknown)
	return r, nil
}

// The colours of [response.loops].
const requested, answered = 0, 1

// loops returns the property that requests that recur are answered again and again.
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
