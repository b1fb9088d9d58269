package explain

import (
	"context"
	"iter"
	"slices"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property/product"
)

// Deciding is the step of the counterexample where the run went wrong. Every output that names only
// one step names this one. Step identifies a transition, since other transitions with its label may
// leave the same state.
type Deciding struct {
	Step StepIndex      `json:"step"`
	Why  DecidingReason `json:"why"`
}

// DecidingReason is the reason why a step decides.
type DecidingReason uint8

// These are the reasons, in the order in which they are tried.
const (
	atPointOfNoReturn DecidingReason = iota + 1 // the step passes the point of no return
	atLastDecision                              // the step is the last decision of the run
	atDiagnosis                                 // the run decides nothing; the step is the first step of the diagnosis
	atLastStep                                  // the run decides nothing, and the diagnosis names no step
)

var decidingNames = enumeration.New("reason of a deciding step", "", "point of no return",
	"last decision", "diagnosis", "last step")

func (r DecidingReason) String() string { return decidingNames.Name(uint8(r)) }

// MarshalText returns the name of the reason.
func (r DecidingReason) MarshalText() ([]byte, error) { return decidingNames.Text(uint8(r)) }

// UnmarshalText sets the reason by its name.
func (r *DecidingReason) UnmarshalText(text []byte) error {
	return enumeration.Set(decidingNames, r, text)
}

// IsDecision reports whether the step is a decision of the run.
func (r DecidingReason) IsDecision() bool {
	return r == atPointOfNoReturn || r == atLastDecision
}

// Deciding returns the step that decides; nil if there is no counterexample, or if it has no steps.
// Cost O(1).
func (e *Explanation) Deciding() *Deciding {
	if e.Counterexample == nil || len(e.Counterexample.Steps) == 0 {
		return nil
	}
	switch {
	case e.PointOfNoReturn != nil:
		return &Deciding{Step: e.PointOfNoReturn.Step, Why: atPointOfNoReturn}
	case len(e.Decisions) > 0:
		return &Deciding{Step: e.Decisions[len(e.Decisions)-1].Step, Why: atLastDecision}
	case e.Diagnosis != nil && len(e.Diagnosis.Steps) > 0:
		return &Deciding{Step: e.Diagnosis.Steps[0], Why: atDiagnosis}
	}
	return &Deciding{Step: StepIndex(len(e.Counterexample.Steps) - 1), Why: atLastStep}
}

// recordSteps records the steps that the diagnosis is about, if its kind determines them. The other
// kinds, which are about loops, use recordLoopSteps.
func (d diagnosis) recordSteps() {
	switch d.Kind {
	case KindStops:
		n := d.trace.Len()
		if n > 0 {
			d.Steps = []StepIndex{StepIndex(n - 1)}
		}
	case KindImpossible, KindForbidden, KindLost:
		if d.InScope != nil && *d.InScope >= 0 {
			d.Steps = append(d.Steps, *d.InScope)
		}
		if d.Step != nil {
			d.Steps = append(d.Steps, *d.Step)
		}
	case KindTurnedBack:
		if d.Instead != nil {
			d.Steps = []StepIndex{*d.Instead}
		}
	}
}

// recordLoopSteps records the steps of the loop at the visits for which selects returns true.
func (d diagnosis) recordLoopSteps(selects func(at visit) bool) {
	d.Steps = nil
	for _, at := range d.loop {
		if selects(at) {
			d.Steps = append(d.Steps, StepIndex(at.step))
		}
	}
	slices.Sort(d.Steps)
	d.Steps = slices.Compact(d.Steps)
}

// markShortest marks the exits that begin a shortest path to what the run waits for. It visits
// twice the product states that are no farther away: cost O(S + T) of these.
func (d diagnosis) markShortest(ctx context.Context, exits []Exit) error {
	canBeDone := d.Kind == KindStarved || d.Kind == KindTurnedBack
	if len(exits) == 0 || !canBeDone {
		return nil
	}
	w, _, err := d.pendingLabels(ctx)
	if err != nil || w == nil {
		return err
	}
	first, err := d.firstOfShortest(ctx, w)
	if err != nil {
		return err
	}
	for i := range exits {
		exit := &exits[i]
		exit.Shortest = first[d.a.m.Transition(exit.From, exit.Label, exit.To)]
	}
	return nil
}

// firstOfShortest returns the first transitions of the shortest paths from the loop to a transition
// that w waits for. Only paths that do not lose the property count.
func (d diagnosis) firstOfShortest(
	ctx context.Context,
	w *waiting,
) (map[lts.Transition]bool, error) {
	first := map[lts.Transition]bool{}
	levels, found, err := d.levelsUntil(ctx, w)
	if err != nil || !found {
		return first, err
	}
	// onPath has the product states on shortest paths, as far as their levels have been visited;
	// the last level comes first.
	onPath, err := newProductSet(ctx, d.a.m, d.a.Property)
	if err != nil {
		return nil, err
	}
	for level := len(levels) - 1; level >= 0; level-- {
		isLastLevel := level == len(levels)-1
		var onPathHere []product.State
		for i, state := range levels[level] {
			if err := cores.Done(ctx, i); err != nil {
				return nil, err
			}
			isOnPath := false
			for t, next := range d.notLost(state) {
				continuesPath := onPath.has(next)
				if isLastLevel {
					continuesPath = w.helps(state.Q, t.Label)
				}
				if !continuesPath {
					continue
				}
				isOnPath = true
				if level == 0 {
					first[t] = true
				}
			}
			if isOnPath {
				onPathHere = append(onPathHere, state)
			}
		}
		for _, state := range onPathHere {
			onPath.add(state)
		}
	}
	return first, nil
}

// levelsUntil returns the product states level by level, by their distance from the loop, up to the
// nearest level that has a transition that w waits for. found is false if no product state has such
// a transition.
func (d diagnosis) levelsUntil(
	ctx context.Context,
	w *waiting,
) (levels [][]product.State, found bool, err error) {
	visited, err := newProductSet(ctx, d.a.m, d.a.Property)
	if err != nil {
		return nil, false, err
	}
	var level []product.State
	for _, at := range d.loop {
		if visited.add(at.State) {
			level = append(level, at.State)
		}
	}
	for len(level) > 0 && !found {
		levels = append(levels, level)
		if err := resources.AskFor[product.State](ctx, 4*len(level)); err != nil {
			return nil, false, err
		}
		var next []product.State
		for i, at := range level {
			if err := cores.Done(ctx, i); err != nil {
				return nil, false, err
			}
			for t, to := range d.notLost(at) {
				found = found || w.helps(at.Q, t.Label)
				if visited.add(to) {
					next = append(next, to)
				}
			}
		}
		level = next
	}
	return levels, found, nil
}

// notLost yields the transitions from a product state after which a run can still satisfy the
// property, with the product states to which they lead.
func (d diagnosis) notLost(from product.State) iter.Seq2[lts.Transition, product.State] {
	return func(yield func(lts.Transition, product.State) bool) {
		labels, targets := d.a.m.Out(from.State)
		for i, to := range targets {
			l := labels.At(i)
			switch d.a.Fates.After(from.Q, l, to) {
			case fate.Correct, fate.Neutral:
				next := product.State{State: to, Q: d.a.Property.Next(from.Q, l)}
				if !yield(lts.Transition{From: from.State, Label: l, To: to}, next) {
					return
				}
			}
		}
	}
}

// shortestExits is [diagnosis.markShortest] for a run whose diagnosis is known.
func (r repeating) shortestExits(ctx context.Context, known *Diagnosis, exits []Exit) error {
	return diagnosis{Diagnosis: known, repeating: r}.markShortest(ctx, exits)
}
