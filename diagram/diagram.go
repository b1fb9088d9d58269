// Package diagram draws a model, and the explanation of why a property fails in
// it, as graphs: in the DOT language of Graphviz, as SVG and as PNG, and as a flowchart
// in the language of Mermaid.
//
// The data flows one way: a selection says which states and transitions are
// shown, and what is marked in them (view.go, run.go, excerpt.go; decisions.go and
// reachsets.go for neighbourhoods and how they follow each other; quotient.go for
// merged states); a picture holds them as plain data, with all that there is to say
// about each (picture.go); the picture is drawn as DOT (dot.go, identity.go, ends.go,
// legend.go, style.go, escape.go); and DOT is laid out as SVG (svg.go; work.go says
// beforehand whether that is worth it, labels.go keeps arrows off labels), of which
// the PNG is made (png.go). Mermaid's flowcharts are drawn from pictures too, beside all
// that (mermaid.go). What comes before DOT knows nothing of it, what comes
// after knows nothing of models.
//
// # What a program finds in a picture
//
// In DOT and SVG, everything has an identifier (id) and classes (class), in SVG those
// of a g element, whose title says in words what it is. N is the name of a state: its
// number, state·progress where the model is unfolded, and in a quotient that of the
// first of the states that are merged. K counts from 1.
//
//	state-N       class state, and where so: initial, deadlock, on-run, merged,
//	              neighbourhood with the name of its kind
//	transition-K  class transition, the name of its class or unclassified, from-N, to-N,
//	              and where so: bundle (it stands for several transitions, beside or after
//	              each other), on-run
//	              with step-1 step-5 … (the counterexample takes it by these
//	              steps), loop (one of them belongs to its loop), no-return,
//	              better (a better choice than that of the counterexample); in the place
//	              of more than 200 steps: gap, first-3 and last-999
//	gap-K         steps of the counterexample that are not shown: class gap, on-run,
//	              from-N, to-N, first-3 and last-7 (their numbers), and where so: loop
//	stub-K        transitions of a state that are not shown, and stub-arrow-K, which
//	              leads there: class stub, with out and from-N, or in and to-N
//	end-K         in the view Decisions, what is no state: class end, with satisfied,
//	              violated, deadlock, endless or elsewhere; arrows lead there by
//	              the class to-end-K
//	start, entry  the arrow to the initial state: class start or entry
//	diagram       everything: class diagram
//
// In the views Decisions and Quotient an arrow of the counterexample has the numbers
// of all steps for which it stands; where the loop of a lasso has no other place, they
// are on the arrow that begins it.
//
// # Invariants
//
// The invariants that hold inside: nothing is left out of a picture silently
// (what is not shown is counted by a stub, by a line of a label or by the
// caption); label texts, file names and formulas are text and never become
// syntax of the output, an SVG holds no scripts, links, styles or addresses; and the
// same input gives the same bytes.
package diagram

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"time"

	"github.com/emicklei/dot"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/quotient"
)

// Options say what is shown, and how. The zero value is the default.
type Options struct {
	View View
	// MaxStates is the largest number of reachable states that Auto shows as a
	// whole; 0 stands for DefaultMaxStates, as far as arrows can be followed. Auto also
	// wants at most ten times as many transitions. In the view Decisions it is the largest number of
	// neighbourhoods, and 0 stands for DefaultMaxDecisions.
	MaxStates int
	RankDir   RankDir
	// All, where it is not nil, is drawn in the place of the counterexample: all
	// shortest ones at once. It must belong to the LTS of the explanation. Nothing
	// is drawn of it where the property holds, and by [ModelDOT].
	All *counterexample.Family
	// AllCount is the number of members of All, which the caption tells unless it
	// is nil. It is not counted here, for that can take long.
	AllCount *big.Int
	// Full says that nothing is left out for want of room: all labels of an arrow and all
	// arrows of a row with one label are shown, all that an excerpt has beside its steps, and all of these.
	Full bool
	// NoLegend leaves out the legend.
	NoLegend bool
	// Tell, where it is not nil, is called with a sentence for everything that a picture
	// shows otherwise than it was asked for, or leaves out, for want of room.
	Tell func(note string)
	// FontSize is that of the labels of transitions, in points, to which all other
	// writing is in proportion; 0 stands for DefaultFontSize.
	FontSize float64
	// Layout is the way of laying out, one of [graphviz.Layouts]; "" stands for dot.
	Layout string
	// Limit is the longest time that the layout for SVG and PNG may take; 0 stands for
	// as long as the context says. What is laid out does not depend on it: a picture
	// that would take too much work is refused before (see [ErrCrowded]).
	Limit time.Duration
	// Scale is the number of pixels a point, which is 1/72 inch, in a PNG; 0 stands
	// for DefaultScale.
	Scale float64
}

// DefaultMaxStates is what a MaxStates of 0 stands for: about the size at which
// a picture no longer fits a screen.
const DefaultMaxStates = 200

// MaxWholeTransitions is the number of transitions beyond which a model is not
// drawn as a whole. The writer of dot allocates about 5 kB for each of them, half
// a gigabyte here, and Graphviz gives up long before.
const MaxWholeTransitions = 100_000

// View says how much of the reachable part of a model is shown.
type View uint8

// The views.
const (
	Auto      View = iota // Whole for a small model, otherwise Excerpt, or Quotient where that is crowded
	Whole                 // every state and every transition
	Excerpt               // the counterexample and its decisions, or what surrounds the initial state
	Decisions             // the neighbourhoods, and how they follow each other
	Quotient              // states that mean the same for the property as one
)

// ParseView returns the view with this name: auto, whole, excerpt, decisions or
// quotient.
func ParseView(name string) (View, error) {
	switch name {
	case "auto":
		return Auto, nil
	case "whole":
		return Whole, nil
	case "excerpt":
		return Excerpt, nil
	case "decisions":
		return Decisions, nil
	case "quotient":
		return Quotient, nil
	}
	return 0, fmt.Errorf("there is no view %q; choose auto, whole, excerpt, decisions or quotient", name)
}

// RankDir says in which direction transitions lead on the page.
type RankDir uint8

// The directions.
const (
	AutoDirection RankDir = iota // what suits the picture
	TopDown
	LeftRight
)

// ParseRankDir returns the direction with this name, which is Graphviz' own: TB
// or LR; or auto.
func ParseRankDir(name string) (RankDir, error) {
	switch name {
	case "auto":
		return AutoDirection, nil
	case "TB":
		return TopDown, nil
	case "LR":
		return LeftRight, nil
	}
	return 0, fmt.Errorf("there is no direction %q; choose auto, TB or LR", name)
}

// DOT writes a picture of e: the model with the class of every transition, the
// neighbourhoods, and the counterexample traced out. The result of
// [explain.Check] gives a picture without classes and neighbourhoods.
//
// It fails where the whole of a model with more than [MaxWholeTransitions] is
// asked for, where o.All is not of this model, and where w does. Cost: for a
// whole view O(T log T) time and about 5 kB a transition; for an excerpt that of
// the transitions of the states it shows, and of [lts.LTS.Predecessors]. With
// o.All, that of [counterexample.Family.Transitions] too, and about 100 bytes
// for each of these; for the view Quotient that of [quotient.ForClasses].
func DOT(w io.Writer, e *explain.Explanation, o Options) error {
	return DOTContext(context.Background(), w, e, o)
}

// DOTContext is [DOT] for large models and the view Quotient: it fails where ctx is
// done.
func DOTContext(ctx context.Context, w io.Writer, e *explain.Explanation, o Options) error {
	p, err := pictureOf(ctx, e, o)
	if err != nil {
		return err
	}
	return write(w, draw(p, o))
}

// ModelDOT writes a picture of m without any property; name stands in its
// caption. Auto shows the whole model here whatever its size, since a conversion
// should lose nothing unless that is asked for. Errors and cost as for [DOT].
func ModelDOT(w io.Writer, m *lts.LTS, name string, o Options) error {
	p, err := pictureOfModel(m, name, o)
	if err != nil {
		return err
	}
	return write(w, draw(p, o))
}

// Errors of views that show less than is asked for.
var (
	errNoClasses = errors.New("diagram: decisions and quotients are those about a property; explain one, and draw its explanation")
	errOneOnly   = errors.New("diagram: this view is drawn with one counterexample, not with all shortest ones; choose the excerpt")
)

// pictureOf returns the picture that o asks for, and tells what it leaves out.
func pictureOf(ctx context.Context, e *explain.Explanation, o Options) (*picture, error) {
	p, err := chosen(ctx, e, o)
	if err == nil {
		o.tellOmitted(p)
	}
	return p, err
}

func chosen(ctx context.Context, e *explain.Explanation, o Options) (*picture, error) {
	switch o.View {
	case Auto:
		return pictureOfAny(ctx, e, o)
	case Decisions:
		return pictureOfDecisions(ctx, e, o)
	case Quotient:
		return pictureOfQuotient(ctx, e, o)
	}
	s, err := selectView(subjectOf(e), o)
	if err != nil {
		return nil, err
	}
	p := s.picture()
	if p.whole && !o.Full && o.All == nil {
		p.fold()
	}
	p.caption = captionOf(e, o)
	return p, nil
}

// pictureOfAny draws the first that is clear of the whole model, if it is small, the
// excerpt, and the quotient.
func pictureOfAny(ctx context.Context, e *explain.Explanation, o Options) (*picture, error) {
	why := o.tooLarge(e.LTS().Reachable())
	if why == "" {
		o.View = Whole
		p, err := chosen(ctx, e, o)
		if err != nil || p.clear() || o.MaxStates > 0 && p.work() <= maxWork {
			return p, err
		}
		why = "the whole model is too crowded to be read"
	}
	o.View = Excerpt
	p, err := chosen(ctx, e, o)
	if err != nil {
		return nil, err
	}
	if p.clear() || e.Map() == nil || o.All != nil {
		o.tell(why + "; an excerpt is drawn")
		return p, nil
	}
	// What has more states than its work may be is not clear, whatever its arrows.
	quiet := o
	quiet.Tell = nil
	merged, err := pictureOfBlocks(ctx, e, quiet, maxClearWork)
	if err != nil && !errors.Is(err, quotient.ErrManyBlocks) {
		return nil, err
	}
	if err != nil || !merged.clear() {
		o.tell(why + "; an excerpt is drawn")
		return p, nil
	}
	o.tell(why + ", and so is an excerpt; the quotient is drawn, in which states that mean the same for the property are one")
	return merged, nil
}

// tooLarge says why the whole of a model is not what Auto draws, "" where it may be.
func (o *Options) tooLarge(reach *lts.Reach) string {
	most := o.MaxStates
	if most == 0 {
		most = DefaultMaxStates
	}
	switch {
	case reach.NumStates() > most:
		return fmt.Sprintf("the model has %d reachable states, more than the %d up to which it is drawn as a whole", reach.NumStates(), most)
	case reach.NumTransitions() > min(10*most, MaxWholeTransitions):
		return fmt.Sprintf("the model has %d reachable transitions, more than the %d up to which it is drawn as a whole",
			reach.NumTransitions(), min(10*most, MaxWholeTransitions))
	}
	return ""
}

func (o *Options) tell(note string) {
	if o.Tell != nil {
		o.Tell(note)
	}
}

func pictureOfModel(m *lts.LTS, name string, o Options) (*picture, error) {
	switch o.View {
	case Auto:
		o.View = Whole
	case Decisions, Quotient:
		return nil, errNoClasses
	}
	s, err := selectView(subject{m: m}, o)
	if err != nil {
		return nil, err
	}
	p := s.picture()
	p.caption = caption{model: name}
	o.tellOmitted(p)
	return p, nil
}

// write goes by way of a string, because the writer of dot drops the errors of
// the one beneath it.
func write(w io.Writer, g *dot.Graph) error {
	_, err := io.WriteString(w, g.String())
	return err
}
