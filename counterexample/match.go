package counterexample

import (
	"context"
	"errors"
	"fmt"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/lts"
)

// MatchOptions say how a given trace is matched with a model.
type MatchOptions struct {
	// SkipInternal lets the model take internal actions that the given trace leaves
	// out: finitely many between two of its steps, and any number where it has
	// ended.
	SkipInternal bool
	// Internal are the texts of the labels that are internal actions; nil stands
	// for i and tau.
	Internal []string
}

// MatchNote tells what was made of the given trace, where the counterexample is not
// simply the run that it writes out.
type MatchNote struct {
	// Skipped is the number of internal actions that the given trace leaves out.
	Skipped int
	// Closed tells that the given trace stops where no run can end, and was read as a
	// lasso that is written once round its loop.
	Closed bool
	// Completed is the number of transitions that were added behind the given trace.
	Completed int
	// Rounds is how often the loop of the given trace is written out, 1 as a rule: a
	// model may take several rounds to come back to a state. It is 0 if the
	// given trace is no lasso.
	Rounds int

	last lts.State // of the counterexample
}

// Sentences says the same in words, a sentence for each thing that is remarkable.
func (n MatchNote) Sentences() []string {
	var all []string
	if n.Rounds > 1 {
		all = append(all, fmt.Sprintf("the loop of the trace is written out %d times: only then is the model back in a state where it was before", n.Rounds))
	}
	if n.Closed {
		all = append(all, fmt.Sprintf("the trace ends neither in a deadlock nor in a loop; it is read as a lasso written once round, whose loop begins in state %d", n.last))
	}
	if n.Completed > 0 {
		all = append(all, fmt.Sprintf("the trace stops before the run ends, but where the property can no longer be satisfied; a shortest continuation of %s is added", printable.Quantity(n.Completed, "transition")))
	}
	if n.Skipped > 0 {
		all = append(all, fmt.Sprintf("the trace leaves out %s, which the run has", printable.Quantity(n.Skipped, "internal action")))
	}
	return all
}

// matchChain is [Match] for a chain.
//
// Cost O(n P) for P states and transitions of the product of model and given trace,
// which is about as large as the given trace where few runs fit; for a given trace
// without a loop that stops early also O(n P) for each state in which it may stop,
// and O(S + T).
func matchChain(ctx context.Context, e *enrich.Enriched, v *Given, o MatchOptions) (*Trace, MatchNote, error) {
	return o.try(e.LTS(), func(internal []string) (*Trace, MatchNote, error) { return matchWith(ctx, e, v, internal) })
}

// try matches as the options say, where the model takes the internal actions alone that it
// is called with. Where nothing fits, it looks whether something would with them.
func (o MatchOptions) try(m *lts.LTS, match func(internal []string) (*Trace, MatchNote, error)) (*Trace, MatchNote, error) {
	internal := o.Internal
	if internal == nil {
		internal = []string{"i", "tau"}
	}
	if o.SkipInternal {
		return match(internal)
	}
	t, note, err := match(nil)
	var refused *refusal
	if !errors.As(err, &refused) || !hasAny(m.Alphabet(), internal) {
		return t, note, err
	}
	if _, _, again := match(internal); again == nil {
		err = remedy.New(refused, refused, "; but it is a counterexample that leaves out internal actions: ", remedy.SkipInternal)
	}
	return nil, MatchNote{}, err
}

func hasAny(a *lts.Alphabet, texts []string) bool {
	for _, text := range texts {
		if _, ok := a.Lookup(text); ok {
			return true
		}
	}
	return false
}

// matchWith is matchChain where the model takes the internal actions alone.
func matchWith(ctx context.Context, e *enrich.Enriched, v *Given, internal []string) (*Trace, MatchNote, error) {
	x, err := newPairing(ctx, e.LTS(), v, internal)
	if err != nil {
		return nil, MatchNote{}, err
	}
	y, err := newMatching(ctx, x, e.Property())
	if err != nil {
		return nil, MatchNote{}, err
	}
	found, err := y.maximal()
	switch {
	case err != nil:
		return nil, MatchNote{}, err
	case found != nil:
		return y.replayed(e, found, MatchNote{Rounds: y.rounds(found.steps)})
	}
	found, err = y.closed()
	switch {
	case err != nil:
		return nil, MatchNote{}, err
	case found != nil:
		return y.replayed(e, found, MatchNote{Closed: true})
	}
	if run, ok := y.fatedCut(e); ok {
		steps := y.run(run)
		t, err := complete(ctx, e, y.inModel(steps))
		if err != nil {
			return nil, MatchNote{}, err
		}
		return t, MatchNote{Skipped: len(steps) - y.taken(steps), Completed: t.Len() - len(steps), last: t.Last()}, nil
	}
	return nil, MatchNote{}, y.refuse()
}

// replayed returns what was found as a run of the model, with the rest of the
// note.
func (y *matching) replayed(e *enrich.Enriched, found *match, note MatchNote) (*Trace, MatchNote, error) {
	t, err := NewViolating(e.LTS(), e.Property().Property(), y.inModel(found.steps), found.loop)
	if err != nil {
		return nil, MatchNote{}, fmt.Errorf("counterexample: matching went wrong, please report it: %w", err)
	}
	note.Skipped = len(found.steps) - y.taken(found.steps)
	note.last = t.Last()
	return t, note, nil
}

// rounds returns how often these steps go round the loop of the given trace, begun
// rounds included; 0 if the given trace is no lasso.
func (y *pairing) rounds(steps []lts.Transition) int {
	v := y.given
	if !v.linear || v.loop == noLoop {
		return 0
	}
	length := len(v.line) - v.loop
	return (y.taken(steps) - v.loop + length - 1) / length
}
