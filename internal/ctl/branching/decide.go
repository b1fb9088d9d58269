package branching

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/fair"
	"github.com/inev-lts/inev/internal/ctl/linear"
	"github.com/inev-lts/inev/internal/ctl/parity"
	"github.com/inev-lts/inev/internal/ctl/star"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/formula/mucalculus"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Question asks whether a formula holds in some states of a model.
type Question struct {
	Formula *Formula
	Model   *lts.LTS
	// States has the values of states, for predicates; nil if the model has none.
	States *lts.Values
	// Hidden are patterns of labels that U with labels ignores. A formula of the mu-calculus has no
	// such operator.
	Hidden []actl.Pattern
	// Fair are the assumptions that runs must satisfy. A formula of the mu-calculus takes none.
	Fair []*actl.Assumption
	// Asked are the states that are asked about, ascending.
	Asked wmc.States
	// Unmatched is called with an [*actl.UnmatchedError] if a pattern matches no label, with any other
	// error of this check, or with nil. Decide fails with the error that Unmatched returns. If
	// Unmatched itself is nil, Decide fails with the original error.
	Unmatched func(error) error
	// Warn is called with each warning, and Note with remarks on how the formula was read. Both may be
	// nil.
	Warn, Note func(string)
}

// Answer divides the states of a question.
type Answer struct {
	// Good are the states in which the formula holds, and Bad are those in which it does not
	// hold.
	Good, Bad wmc.States
	// WriteEvidence writes evidence that inev verify checks. It is nil for a formula of CTL*, since
	// automata decide parts of it.
	WriteEvidence func(io.Writer) error
	arguer        func() (arguer, error)
	star          *star.Reduced
}

// arguer makes arguments for single states.
type arguer interface {
	Argue(s lts.State) (*argument.Argument, error)
}

// Verdict returns the verdict in words: "holds", or "does not hold".
func (a *Answer) Verdict() string {
	if len(a.Bad) > 0 {
		return "does not hold"
	}
	return "holds"
}

// Arguments returns arguments for the first states of each verdict, at most as many as most says. Those
// for states that violate the formula come first. Cost: see package argument.
func (a *Answer) Arguments(most int) ([]*argument.Argument, error) {
	x, err := a.arguer()
	if err != nil {
		return nil, err
	}
	var all []*argument.Argument
	for _, states := range []wmc.States{a.Bad, a.Good} {
		for _, s := range states[:min(len(states), most)] {
			argued, err := x.Argue(s)
			if err != nil {
				return nil, err
			}
			if a.star != nil {
				if err := a.star.Argue(argued); err != nil {
					return nil, err
				}
			}
			all = append(all, argued)
		}
	}
	return all, nil
}

// decision decides a question.
type decision struct {
	Question
	closure *syntax.Closure
	means   [][]bool
	fair    *property.Fairness // nil if all runs count
	holding func(syntax.Predicate) (wmc.States, error)
	star    *star.Reduced // the verdicts on the parts of a formula of CTL*
}

// Decide decides a formula. It fails if the formula does not fit the model, if ctx is done, or if its
// budget is used up. Cost O(S + T) for each operator. Parts about single runs in CTL* cost as much as
// their automata, and alternating fixpoints as much as their game.
func Decide(ctx context.Context, q Question) (*Answer, error) {
	d := &decision{Question: q}
	if d.Unmatched == nil {
		d.Unmatched = func(err error) error { return err }
	}
	if err := d.Model.FindPredecessors(ctx); err != nil {
		return nil, err
	}
	if d.Formula.Modal != nil {
		return d.decideModal(ctx)
	}
	return d.decideTemporal(ctx)
}

func (d *decision) warn(warnings ...string) {
	if d.Warn == nil {
		return
	}
	for _, warning := range warnings {
		d.Warn(warning)
	}
}

// decideTemporal decides a formula of computation tree logic, or of CTL*.
func (d *decision) decideTemporal(ctx context.Context) (*Answer, error) {
	f := d.Formula.Temporal
	d.holding = func(p syntax.Predicate) (wmc.States, error) {
		return d.statesOf(ctx, p)
	}
	if !f.IsStar() {
		d.closure = f.Closure()
		if err := d.bind(ctx); err != nil {
			return nil, err
		}
	}
	if err := d.bindAssumptions(ctx); err != nil {
		return nil, err
	}
	if f.IsStar() {
		if err := d.reduce(ctx); err != nil {
			return nil, err
		}
	}
	var a *Answer
	var err error
	if d.fair != nil {
		a, err = d.overFairRuns(ctx)
	} else {
		a, err = d.overAllRuns(ctx)
	}
	if err != nil {
		return nil, err
	}
	a.star = d.star
	if f.IsStar() {
		a.WriteEvidence = nil
	}
	return a, nil
}

// bind finds the labels that match the patterns of the formula.
func (d *decision) bind(ctx context.Context) error {
	labels := d.Model.Alphabet()
	if err := d.Unmatched(d.closure.Unmatched(ctx, labels)); err != nil {
		return err
	}
	means, warnings, err := d.closure.Bind(ctx, labels, d.Hidden)
	if err != nil {
		return err
	}
	d.means = means
	d.warn(warnings...)
	return nil
}

// bindAssumptions binds the assumptions to the model, and warns of assumptions that do not fit it.
func (d *decision) bindAssumptions(ctx context.Context) error {
	bound, warnings, err := actl.BindAssumptions(ctx, d.Fair, d.Model.Alphabet())
	if err != nil {
		return err
	}
	misfit, err := bound.Misfit(ctx, d.Model)
	if err != nil {
		return err
	}
	if misfit != "" {
		warnings = append(warnings, misfit)
	}
	d.fair = bound
	d.warn(warnings...)
	return nil
}

// reduce decides the path subformulas of a formula of CTL*. A formula of CTL remains.
func (d *decision) reduce(ctx context.Context) error {
	reduced, err := star.Reduce(ctx, star.Question{
		Model:    d.Model,
		Formula:  d.Formula.Temporal,
		Hidden:   d.Hidden,
		Holding:  d.holding,
		Asked:    d.Asked,
		Fairness: d.fair,
	})
	if err != nil {
		return err
	}
	d.warn(reduced.Warnings...)
	d.star = reduced
	d.closure = reduced.Formula.Closure()
	d.holding = reduced.Holding
	return d.bind(ctx)
}

// statesOf returns the states where a predicate about values holds.
func (d *decision) statesOf(ctx context.Context, p syntax.Predicate) (wmc.States, error) {
	holds, err := p.In(d.States)
	if err != nil {
		return nil, d.predicateError(ctx, err)
	}
	unvalued, hasUnvalued, err := p.Unvalued(ctx, d.Model, d.States)
	if err != nil {
		return nil, err
	}
	if hasUnvalued {
		d.warn(fmt.Sprintf("%s: state %d has no value to compare; where there is none, no comparison holds, not even !=", p, unvalued))
	}
	var in wmc.States
	for s := range lts.State(d.Model.NumStates()) {
		if holds(s) {
			in = append(in, s)
		}
	}
	return in, ctx.Err()
}

// PredicateError reports that a predicate of the formula does not fit the states of the model.
type PredicateError struct {
	err error
	// linear is the formula about actions that the user may have meant; "" if none is known.
	linear string
}

func (e *PredicateError) Error() string {
	if e.linear == "" {
		return e.err.Error()
	}
	return fmt.Sprintf("%v; about the actions of all runs it is written %s, which inev check answers", e.err, e.linear)
}

// Unwrap returns the error of the predicate.
func (e *PredicateError) Unwrap() error { return e.err }

// predicateError returns the error for a predicate that the model lacks. If the model has no values at all,
// the user may have meant an action.
func (d *decision) predicateError(ctx context.Context, err error) error {
	lacking := &PredicateError{err: err}
	var unknown *syntax.UnknownPredicateError
	if errors.As(err, &unknown) && len(unknown.Names) == 0 {
		lacking.linear = linear.OfActions(ctx, d.Formula.String())
	}
	return lacking
}

// overAllRuns decides a formula over all runs.
func (d *decision) overAllRuns(ctx context.Context) (*Answer, error) {
	sets := wmc.NewExplicit(d.Model, d.means, d.holding)
	found, err := wmc.Check(ctx, sets, d.closure, d.Asked, wmc.Options{})
	if err != nil {
		return nil, err
	}
	asked := wmc.Question{
		Model:    d.Model,
		Formula:  d.Formula.String(),
		Internal: d.hiddenTexts(),
	}
	return &Answer{
		Good: found.Good,
		Bad:  found.Bad,
		WriteEvidence: func(w io.Writer) error {
			return asked.WriteJSON(w, found)
		},
		arguer: func() (arguer, error) {
			return argument.New(ctx, d.Model, found, d.means, d.Asked)
		},
	}, nil
}

// overFairRuns decides a formula for the runs that satisfy the assumptions.
func (d *decision) overFairRuns(ctx context.Context) (*Answer, error) {
	found, err := fair.Decide(ctx, fair.Question{
		Model:    d.Model,
		Closure:  d.closure,
		Means:    d.means,
		Asked:    d.Asked,
		Fairness: d.fair,
		Holding: func(p syntax.Predicate) ([]lts.State, error) {
			return d.holding(p)
		},
	})
	if err != nil {
		return nil, err
	}
	d.warnOfUnadmitted(found)
	asked := fair.Asked{
		Formula:  d.Formula.String(),
		Internal: d.hiddenTexts(),
		Fair:     assumptionTexts(d.Fair),
	}
	return &Answer{
		Good: found.Good,
		Bad:  found.Bad,
		WriteEvidence: func(w io.Writer) error {
			return fair.WriteJSON(w, asked, found)
		},
		arguer: func() (arguer, error) {
			return argument.NewFair(ctx, found)
		},
	}, nil
}

// warnOfUnadmitted warns of states from which no run satisfies the assumptions.
func (d *decision) warnOfUnadmitted(found *fair.Decision) {
	const shown = 10
	var names []string
	for _, s := range d.Asked {
		if !found.IsAdmitted(s) {
			names = append(names, fmt.Sprint(s))
		}
	}
	count := len(names)
	if count == 0 {
		return
	}
	if count > shown {
		names = append(names[:shown], "…")
	}
	d.warn(fmt.Sprintf("no run is admitted by the assumptions from %s (%s): A holds there, and E does not", printable.Quantity(count, "state"), strings.Join(names, ", ")))
}

// hiddenTexts returns the patterns of hidden labels as texts.
func (d *decision) hiddenTexts() []string {
	var texts []string
	for _, p := range d.Hidden {
		texts = append(texts, p.String())
	}
	return texts
}

func assumptionTexts(all []*actl.Assumption) []string {
	texts := make([]string, len(all))
	for i, a := range all {
		texts[i] = a.String()
	}
	return texts
}

// errFairFixpoints is the error of assumptions for a formula of the mu-calculus.
var errFairFixpoints = errors.New("a formula with fixpoints is about transitions, not about fair runs; leave the assumption out")

// decideModal decides a formula of the mu-calculus.
func (d *decision) decideModal(ctx context.Context) (*Answer, error) {
	if len(d.Fair) > 0 {
		return nil, errFairFixpoints
	}
	graph, means, err := d.Bind(ctx)
	if err != nil {
		return nil, err
	}
	solved, err := parity.Solve(ctx, d.Model, graph, means, d.Asked)
	if err != nil {
		return nil, err
	}
	return &Answer{
		Good: solved.Good,
		Bad:  solved.Bad,
		WriteEvidence: func(w io.Writer) error {
			return solved.WriteJSON(ctx, w)
		},
		arguer: func() (arguer, error) {
			return gameArguer{ctx: ctx, solved: solved}, nil
		},
	}, nil
}

// gameArguer makes arguments from the solution of a game.
type gameArguer struct {
	ctx    context.Context
	solved *parity.Solution
}

func (g gameArguer) Argue(s lts.State) (*argument.Argument, error) {
	return g.solved.Argue(g.ctx, s)
}

// Bind returns a formula of the mu-calculus as a graph, and which labels of the model its modalities
// are about. It fails with the error of Unmatched if a pattern matches no label, or if data cannot be
// expanded to a finite formula. If the parameters of fixpoints have no bound, the graph has only the values
// to which runs from the asked states lead. Cost O(size of the expanded formula · labels).
func (q Question) Bind(ctx context.Context) (*mucalculus.Formula, [][]bool, error) {
	f := q.Formula.Modal
	if err := q.Unmatched(f.Unmatched(ctx, q.Model.Alphabet())); err != nil {
		return nil, nil, err
	}
	happening, err := q.Model.Happening(ctx)
	if err != nil {
		return nil, nil, err
	}
	graph, note, err := f.Graph(ctx, happening)
	var syntax *actl.SyntaxError
	if errors.As(err, &syntax) && f.HasParameters() && len(q.Asked) > 0 {
		graph, note, err = f.ReachedGraph(ctx, q.Model, happening, q.Asked)
	}
	if err != nil {
		return nil, nil, err
	}
	if note != "" && q.Note != nil {
		q.Note(note)
	}
	means, warnings, err := graph.Bind(ctx, q.Model.Alphabet())
	(&decision{Question: q}).warn(warnings...)
	return graph, means, err
}
