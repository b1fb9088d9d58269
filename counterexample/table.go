package counterexample

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/run"
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
	o.Unfolding = nil
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
