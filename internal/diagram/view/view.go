// Package view computes what a picture of a model shows: which states and transitions, their texts and
// marks, what is folded or merged, and how much is left out. Package draw draws this content, and needs
// no model.
//
// The data flows one way: a subject is a model with a run and its analysis (subject.go); a selection is
// the states and transitions of the subject that are shown (excerpt.go; neighbourhoods.go for
// neighbourhoods and the paths between them; quotient.go for merged states); a [Graph] has them as
// plain data, with the texts at its arrows, what it leaves out, and how much work its layout would be
// (graph.go). A [Chart] is the run as a sequence chart (chart.go), in lanes that a user gives
// (lanes.go). A [Tour] is the pictures of a page, and the part of the model around them (tour.go). An
// [Argument] is a proof that a formula of computation tree logic holds or fails (argument.go).
//
// The package analyses nothing: classes, decisions and the counterexample come from the Explanation;
// for merged states, from [explain.Explanation.Quotient].
//
// The invariants that hold inside: nothing is left out of a graph silently (stubs, arrows and sizes
// count what is not shown); both ends of each arrow are in the graph; and the same input gives the same
// graph.
package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// Kind selects which part of the reachable model is shown, and in which form.
type Kind uint8

// The kinds of views.
const (
	Auto           Kind = iota // Quotient for a long run, Whole for a small model, otherwise Excerpt, or Quotient if that is crowded
	Whole                      // every state and every transition
	Excerpt                    // the counterexample and its decisions, or what surrounds the initial state
	Neighbourhoods             // the neighbourhoods, and the paths between them
	Quotient                   // merges states that mean the same for the property
	Diff                       // the counterexample and the nearest correct run
	Sequence                   // the counterexample as a sequence chart: see [NewChart]
)

// Set sets the kind by its name: auto, whole, excerpt, neighbourhoods, quotient, diff or lanes. It
// also reads decisions, the former name of neighbourhoods.
func (k *Kind) Set(name string) error {
	if name == "decisions" {
		name = "neighbourhoods"
	}
	i := slices.Index(kinds, name)
	if i >= 0 {
		*k = Kind(i)
		return nil
	}
	return fmt.Errorf("there is no view %q; choose auto, whole, excerpt, neighbourhoods, quotient, diff or lanes", name)
}

// String returns the name that [Kind.Set] reads.
func (k Kind) String() string { return kinds[min(k, Sequence)] }

var kinds = []string{"auto", "whole", "excerpt", "neighbourhoods", "quotient", "diff", "lanes"}

// Options select what a view shows. The zero value is the default.
type Options struct {
	Kind Kind
	// MaxStates is the largest number of reachable states of a model that Auto shows as a whole. 0
	// means 200, of which at most 40 have nodes of their own, since nobody could follow the arrows of more. Auto also requires that there are
	// at most ten times as many transitions. In the view Neighbourhoods it is the largest number of
	// neighbourhoods, and 0 means 25.
	MaxStates int
	// If All is not nil, all shortest counterexamples together replace the counterexample. All must
	// belong to the LTS of the explanation. It is ignored if the property holds, and by [OfModel].
	All *counterexample.Family
	// AllCount is the number of counterexamples in All, for the caption; the caption leaves out nil.
	// Counting can take long, so the caller decides about it.
	AllCount *big.Int
	// Advice marks the transitions that must never be taken if the property is to hold. It has an
	// effect only in views with the states of the model itself.
	Advice bool
	// Hide are patterns of labels. Steps of the counterexample with these labels are not shown one by one,
	// except decisions. Auto then shows an excerpt.
	Hide []actl.Pattern
	// Full shows everything, even if there is no room for it: all labels of an arrow, all
	// transitions of an excerpt, and no folded rows.
	Full bool
}

// WithDefaults returns the options with the default of MaxStates for a view of the whole model.
func (o Options) WithDefaults() Options {
	o.MaxStates = cmp.Or(o.MaxStates, defaultMaxStates)
	return o
}

// defaultMaxStates replaces a MaxStates of 0. A picture on one screen can have about as many states.
const defaultMaxStates = 200

// MaxWholeTransitions is the largest number of transitions of a model that is shown as a whole. The
// writer of DOT would allocate about 5 kB for each of them, together half a gigabyte; Graphviz fails on
// far smaller models.
const MaxWholeTransitions = 100_000

var errNoClasses = errors.New("diagram: decisions and quotients are those about a property; explain one, and draw its explanation")

// Of returns the view of e that o asks for: the model with the class of every transition, the
// neighbourhoods, and the counterexample. If e is the result of [explain.Check], there are no
// classes and neighbourhoods.
//
// It fails if ctx is done, if the whole of a model with more than [MaxWholeTransitions] is
// requested, or if o.All is not of this model. Cost: O(T log T) for the whole model; for an excerpt
// O(transitions of its states), and [lts.LTS.Predecessors]; for the view Quotient
// [quotient.ForClasses]. With o.All also [counterexample.Family], and about 100 bytes for each of
// its transitions.
func Of(ctx context.Context, e *explain.Explanation, o Options) (*Graph, error) {
	return explanation{e, subjectOf(e)}.view(ctx, o)
}

// explanation is an explanation, with the model, run and analysis of its pictures.
type explanation struct {
	*explain.Explanation
	subject subject
}

// view returns the view that [Of] describes; the subject is computed already.
func (e explanation) view(ctx context.Context, o Options) (*Graph, error) {
	g, err := e.bareView(ctx, o)
	if err != nil {
		return nil, err
	}
	g.noteOmitted()
	if o.Kind != Quotient {
		g.addValues(e.Explanation)
	}
	return g, nil
}

// bareView is view without the note about omitted elements, and without values.
func (e explanation) bareView(ctx context.Context, o Options) (*Graph, error) {
	switch o.Kind {
	case Auto:
		return e.mostReadable(ctx, o)
	case Neighbourhoods:
		return e.neighbourhoods(ctx, o)
	case Quotient:
		return e.quotient(ctx, o)
	case Diff:
		return e.diff(o)
	case Sequence:
		return nil, errNoChart
	}
	if o.Advice {
		e.subject.never = forbidden(e.Explanation)
	}
	selected, err := selectView(ctx, e.subject, o)
	if err != nil {
		return nil, err
	}
	g := selected.graph()
	if err := e.lookAhead(ctx, g, func(s lts.State) lts.State { return s }); err != nil {
		return nil, err
	}
	if !o.Full && o.All == nil {
		g.fold()
	}
	g.Caption = captionOf(e.Explanation, o)
	return g, nil
}

// OfModel returns a view of m without a property. The caption has the given name. Auto shows the whole
// model whatever its size, since a conversion should lose nothing unless the user requests it. Errors
// and cost as for [Of].
func OfModel(m *lts.LTS, name string, o Options) (*Graph, error) {
	switch o.Kind {
	case Auto:
		o.Kind = Whole
	case Neighbourhoods, Quotient, Diff:
		return nil, errNoClasses
	case Sequence:
		return nil, errNoChart
	}
	selected, err := selectView(context.Background(), subject{m: m}, o)
	if err != nil {
		return nil, err
	}
	g := selected.graph()
	g.Caption = Caption{Model: name}
	g.noteOmitted()
	return g, nil
}

// Small returns a view of e with at most the given number of nodes: the excerpt; if it is larger, the
// view of neighbourhoods; if that is larger, too, only the last neighbourhoods. If o requests a certain
// kind of view, the result is of that kind. Errors and cost as for [Of].
func Small(
	ctx context.Context,
	e *explain.Explanation,
	o Options,
	nodes int,
) (g *Graph, err error) {
	kinds := []Kind{o.Kind}
	shown := explanation{e, subjectOf(e)}
	if o.Kind == Auto {
		kinds = []Kind{Excerpt}
		if shown.reasonForQuotient(o) != "" {
			kinds = []Kind{Quotient, Excerpt}
		}
		if e.Classification() != nil && len(e.Classification().States()) > 0 && o.All == nil {
			kinds = append(kinds, Neighbourhoods)
		}
	}
	for _, kind := range kinds {
		o.Kind = kind
		g, err = shown.view(ctx, o)
		if err != nil {
			return nil, err
		}
		if len(g.Nodes) <= nodes {
			return g, nil
		}
	}
	return g, nil
}

// tooLarge returns the reason why the model is too large for Auto to show it as a whole; "" if it is
// not.
func (o *Options) tooLarge(reach *lts.Reach) string {
	most := o.WithDefaults().MaxStates
	switch {
	case reach.NumStates() > most:
		return fmt.Sprintf("the model has %d reachable states, more than the %d up to which it is drawn as a whole", reach.NumStates(), most)
	case reach.NumTransitions() > min(10*most, MaxWholeTransitions):
		return fmt.Sprintf("the model has %d reachable transitions, more than the %d up to which it is drawn as a whole",
			reach.NumTransitions(), min(10*most, MaxWholeTransitions))
	}
	return ""
}

// note adds a note to the graph.
func (g *Graph) note(text string) { g.Notes = append(g.Notes, text) }

// mostSteps is the largest number of steps that people read one by one.
const mostSteps = 15

// reasonForQuotient returns the reason why the quotient shows more than the model itself: the run is long,
// or it has a loop where nothing is decided. It returns "" if neither is true.
func (e explanation) reasonForQuotient(o Options) string {
	c := e.Counterexample
	asksForMore := o.All != nil || o.Full || o.MaxStates > 0 || len(o.Hide) > 0
	hasChoices := e.HasQuotient() && !lostFromTheStart(e.Explanation)
	switch {
	case c == nil || asksForMore || !hasChoices:
		return ""
	case e.Model.ReachableTransitions > maxMerged:
		return ""
	case len(c.Steps) > mostSteps:
		return fmt.Sprintf("the run has %d steps, more than the %d that are read one by one",
			len(c.Steps), mostSteps)
	case c.LoopStart >= 0 && len(e.Decisions) == 0:
		return "nothing was decided on the loop"
	}
	return ""
}

// readableQuotient returns the quotient if it is readable and smaller than the model; otherwise nil.
func (e explanation) readableQuotient(ctx context.Context, o Options) (*Graph, error) {
	// A quotient with more than MaxClearWork states is never clear, so it is not computed.
	g, err := e.quotientUpTo(ctx, o, MaxClearWork)
	if err != nil || g == nil || !g.isReadableQuotient() {
		return nil, err
	}
	return g, nil
}

// isReadableQuotient reports whether a quotient is readable, smaller than the model, and has more than
// one state.
func (g *Graph) isReadableQuotient() bool {
	return g.canBeFollowed() && len(g.Nodes) > 1 && g.Reachable.States < g.QuotientOf.States
}

// mostClasses is the largest number of states of a quotient that is preferred to the run. If there are
// more, and the reader has not asked for classes, the steps of the run are easier to follow.
const mostClasses = 12

// isPreferable reports whether a quotient is readable and small enough to be preferred to the run.
func (g *Graph) isPreferable() bool {
	return g.isReadableQuotient() && g.Reachable.States <= mostClasses
}

// mostWhole is the largest number of states that a whole model is drawn with if nobody asks for more. Among
// more states, the run is hard to find.
const mostWhole = 40

// merging is the end of the note that gives the reason for showing the quotient.
const merging = "the quotient is drawn, in which states that are equivalent for the property are merged"

// mostReadable returns the first of these views that is readable: the quotient if it shows more, the
// whole model if it is small, the excerpt, the quotient.
func (e explanation) mostReadable(ctx context.Context, o Options) (*Graph, error) {
	g, err := e.preferredQuotient(ctx, o)
	if err != nil || g != nil {
		return g, err
	}
	reason := e.reasonAgainstWhole(o)
	if reason == "" {
		o.Kind = Whole
		g, err = e.bareView(ctx, o)
		if err != nil {
			return nil, err
		}
		isRequested := o.MaxStates > 0 && g.Work() <= MaxWork
		isFew := len(g.Nodes) <= mostWhole
		if g.isReadable() && isFew || isRequested {
			return g, nil
		}
		reason = "the whole model is too crowded to be read"
	}
	o.Kind = Excerpt
	g, err = e.bareView(ctx, o)
	if err != nil {
		return nil, err
	}
	if !g.canBeFollowed() && e.HasQuotient() && o.All == nil {
		quotient, err := e.readableQuotient(ctx, o)
		if err != nil {
			return nil, err
		}
		if quotient != nil {
			quotient.Notes = []string{reason + ", and so is an excerpt; " + merging}
			return quotient, nil
		}
	}
	g.note(reason + "; an excerpt is drawn")
	return g, nil
}

// preferredQuotient returns the quotient if it shows more than the run and is readable; otherwise nil.
func (e explanation) preferredQuotient(ctx context.Context, o Options) (*Graph, error) {
	reason := e.reasonForQuotient(o)
	if reason == "" {
		return nil, nil
	}
	g, err := e.readableQuotient(ctx, o)
	if err != nil || g == nil || !g.isPreferable() {
		return nil, err
	}
	g.Notes = []string{reason + "; " + merging}
	return g, nil
}

// reasonAgainstWhole returns the reason why the whole model is not drawn; "" if it may be.
func (e explanation) reasonAgainstWhole(o Options) string {
	isAroundSlowest := e.SlowestRun() != nil && o.MaxStates == 0 && !o.Full
	if isAroundSlowest && e.Model.ReachableStates > mostAroundSlowest {
		return "the slowest run is to be seen"
	}
	if len(o.Hide) > 0 && e.Counterexample != nil {
		return "steps of the run are folded"
	}
	return o.tooLarge(e.LTS().Reachable())
}

// mostAroundSlowest is the largest number of states of a model that is drawn as a whole around the
// slowest run.
const mostAroundSlowest = 40
