package counterexample

import (
	"context"

	"github.com/inev-lts/inev/counterexample/run"
	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// ShortestOf looks for a shortest run of m that violates p, a property other than a
// chain, and reports whether it is one of the model: a bad prefix of [BadPrefix]; for a
// response with one step a run whose loop closes in the model; and elsewhere that of
// [InProduct], which is one of the model where p has one state. Result.Shortest tells
// whether it is a shortest one of the model or the product. Errors, options and cost as
// for the functions named.
func ShortestOf(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (r *Result, inModel bool, err error) {
	r, safety, err := BadPrefix(ctx, m, p)
	if err != nil || safety {
		return r, true, err
	}
	if r, err = InProduct(ctx, m, p, o); err != nil {
		return r, false, err
	}
	if r.Trace != nil && isSimpleResponse(p) && r.Shortest {
		return unanswered(ctx, m, p, o, r)
	}
	return r, r.Trace == nil || p.States() == 1, nil
}

// unanswered looks for a run of m that is shorter than the one of r, which is a shortest
// one of the product of m and a response with one step.
//
// A run violates the response if it ends, or goes on without an answer for ever, in a
// state that it came to with a request pending: that is one of the product, for nothing
// but answers leaves the pending state. Or its loop has a request and no answer; then it
// does not matter what is pending when it comes to the loop, and the loop closes in the
// model. So the shorter one of both is a shortest one of the model.
func unanswered(ctx context.Context, m *lts.LTS, p *property.Property, o Options, r *Result) (*Result, bool, error) {
	loops, err := unansweredLoops(p)
	if err != nil {
		return r, false, err
	}
	o.Fates = nil
	other, err := inProduct(ctx, m, loops, o, fewestStates, r.Trace.Len())
	if err != nil {
		return r, false, err
	}
	if other.Trace != nil && (r.Trace == nil || other.Trace.Len() < r.Trace.Len()) {
		r.Stats.Length = other.Stats.Length
		loop, _ := other.Trace.LoopStart()
		if r.Trace, err = run.NewViolating(m, p, other.Trace.Steps(), loop); err != nil {
			return r, false, err
		}
	}
	r.Shortest = r.Shortest && other.Shortest
	return r, r.Shortest, nil
}

// answers reports whether p is a response with one step, for which there is no product yet,
// and holds in m: whether no run that goes on without answers from where a request leads ends
// or goes round. Cost O(S + T) of m, 2 bits a state, and 8 bytes for each state on the longest
// path without answers.
func answers(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (*Result, bool, error) {
	if _, known := o.product(p); known || !isSimpleResponse(p) {
		return nil, false, nil
	}
	loops, err := unansweredLoops(p)
	if err != nil {
		return nil, false, err
	}
	if err := m.FindReachable(ctx); err != nil {
		return nil, false, err
	}
	if err := resources.AskFor[uint64](ctx, m.NumStates()/32); err != nil {
		return nil, false, err
	}
	x := &unansweredSearch{ctx: ctx, m: m, met: bitset.New[lts.State](m.NumStates()), on: bitset.New[lts.State](m.NumStates())}
	for l := range m.Alphabet().All() {
		x.asks, x.answers = append(x.asks, loops.Marks(0, l).Has(requested)), append(x.answers, loops.Marks(0, l).Has(answered))
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
	return &Result{Shortest: true, Stats: Stats{Stored: x.stored, Matched: x.stored}}, true, nil
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

// isSimpleResponse reports whether a property is a response with one step, about the whole
// run.
func isSimpleResponse(p *property.Property) bool {
	return p.Kind() == property.KindResponse && p.States() == 2
}

// The colours of [unansweredLoops].
const requested, answered = 0, 1

// unansweredLoops returns the property that requests that recur are answered again and
// again, where p is a response with one step.
func unansweredLoops(p *property.Property) (*property.Property, error) {
	const pending, answer = 0, 1
	t := property.Automaton{Columns: 4, Letters: make([]uint16, p.Alphabet().Len()), Next: make([]property.Q, 4), Stop: []bool{true}}
	t.Marks = []property.Marks{0, property.Mark(requested), property.Mark(answered), property.Mark(requested, answered)}
	t.Acceptance = property.Any(property.Fin(requested), property.Inf(answered))
	for l := range p.Alphabet().All() {
		if p.Next(p.Initial(), l) == pending {
			t.Letters[l] |= 1
		}
		if p.Marks(pending, l).Has(answer) {
			t.Letters[l] |= 2
		}
	}
	return property.Table(p.Alphabet(), t)
}
