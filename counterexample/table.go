package counterexample

import (
	"context"

	"github.com/inev-lts/inev/counterexample/internal/run"
	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// shortestOfTable looks for a shortest run of m that violates p, a property other than a
// chain: a bad prefix of [badPrefix]; for a response with one step a run whose loop closes in
// the model; and elsewhere that of [inProduct], which is one of the model where p has one
// state. Errors, options and cost as for the functions named.
func shortestOfTable(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (*Result, error) {
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

// isDone reports whether nothing is pending after an answer, unless it asks again: so it is not
// where an answer has to come again and again, as in G (A -> GF B).
func (x *response) isDone() bool {
	for l := range x.p.Alphabet().All() {
		if x.answers(l) && !x.asks(l) && x.p.Next(x.pending, l) == x.pending {
			return false
		}
	}
	return true
}

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

// isAnswered reports whether p is a response with one step, after which nothing is pending, for
// which there is no product yet, and holds in m: whether no run that goes on without answers from where a request leads ends
// or goes round. Cost O(S + T) of m, 2 bits a state, and 8 bytes for each state on the longest
// path without answers.
func isAnswered(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (*Result, bool, error) {
	response, is := responseOf(p)
	if _, known := o.product(p); known || !is || !response.isDone() {
		return nil, false, nil
	}
	if err := m.FindReachable(ctx); err != nil {
		return nil, false, err
	}
	if err := resources.AskFor[uint64](ctx, m.NumStates()/32); err != nil {
		return nil, false, err
	}
	x := &unansweredSearch{ctx: ctx, m: m, met: bitset.New[lts.State](m.NumStates()), on: bitset.New[lts.State](m.NumStates())}
	for l := range m.Alphabet().All() {
		x.asks, x.answers = append(x.asks, response.asks(l)), append(x.answers, response.answers(l))
	}
	for s := range lts.State(m.NumStates()) {
		if !m.Reachable().Has(s) {
			continue
		}
		labels, targets := m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			if !x.asks[l] || x.met.Has(targets[i]) {
				continue
			}
			if violated, err := x.from(targets[i]); err != nil || violated {
				return nil, false, err
			}
		}
	}
	return &Result{Minimal: InModel, Stats: Stats{Stored: x.stored, Matched: x.stored}}, true, nil
}

// unansweredSearch looks, depth first, for a run without answers that ends or goes round.
type unansweredSearch struct {
	ctx           context.Context
	m             *lts.LTS
	asks, answers []bool // by label
	met, on       bitset.Set[lts.State]
	path          []pathState
	stored        int64
}

// pathState is a state on the path, with its next transition.
type pathState struct {
	state lts.State
	next  uint32
}

func (x *unansweredSearch) enter(s lts.State) {
	x.met.Add(s)
	x.on.Add(s)
	x.stored++
	x.path = append(x.path, pathState{state: s})
}

// from reports whether there is such a run from s.
func (x *unansweredSearch) from(s lts.State) (bool, error) {
	x.enter(s)
	for len(x.path) > 0 {
		at := &x.path[len(x.path)-1]
		labels, targets := x.m.Out(at.state)
		if len(targets) == 0 {
			return true, nil
		}
		onward := false
		for i := int(at.next); i < len(targets); i++ {
			t := targets[i]
			if x.answers[labels.At(i)] {
				continue
			}
			if x.on.Has(t) {
				return true, nil
			}
			if !x.met.Has(t) {
				at.next = uint32(i + 1)
				x.enter(t)
				onward = true
				break
			}
		}
		if onward {
			if x.stored&(1<<14-1) == 0 && x.ctx.Err() != nil {
				return false, x.ctx.Err()
			}
			continue
		}
		x.on.Remove(at.state)
		x.path = x.path[:len(x.path)-1]
	}
	return false, nil
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
