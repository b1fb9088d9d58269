package diagram

import (
	"context"
	"io"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/ctl/argument"
	"github.com/inev-lts/inev/diagram/internal/view"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// What a picture shows, as plain data: views are computed once and drawn in any way.
type (
	// Graph is a view of a model, or of a property: states and transitions with what is
	// known about them.
	Graph = view.Graph
	// ViewOptions say what [View] shows. The zero value is the default.
	ViewOptions = view.Options
	// Kind is a kind of view.
	Kind = view.Kind
	// Tour is the views that explain a result one after the other.
	Tour = view.Tour
	// Stop is one view of a tour, or why there is none.
	Stop = view.Stop
	// Legend lists the classes that the views of a tour draw.
	Legend = view.Legend

	// Chart is a counterexample as a sequence chart.
	Chart = view.Chart
	// ChartOptions say which steps a chart shows.
	ChartOptions = view.ChartOptions
	// Lanes say between whom the actions of a model happen.
	Lanes = view.Lanes

	// Argument is a picture of arguments about states.
	Argument = view.Argument
	// Caption is what stands below the picture of an argument.
	Caption = view.Caption
)

// The kinds of views.
const (
	Auto      = view.Auto      // one of the others, by what can be read
	Whole     = view.Whole     // every state and every transition
	Excerpt   = view.Excerpt   // the counterexample and its decisions, or what surrounds the initial state
	Decisions = view.Decisions // the neighbourhoods, and how they follow each other
	Quotient  = view.Quotient  // states that mean the same for the property as one
	Diff      = view.Diff      // the counterexample and the nearest correct run
	Sequence  = view.Sequence  // the counterexample as a sequence chart: see [NewChart]
)

// MaxStops is the largest number of views in a tour.
const MaxStops = view.MaxStops

// View returns a view of what is known about a model and a property. It fails if ctx is done,
// if the whole of a model is asked for that is too large to be drawn, and if o.All is not of
// this model. Cost: for a whole view O(T log T); for an excerpt the transitions of the states
// that it shows, and [lts.LTS.Predecessors].
func View(ctx context.Context, e *explain.Explanation, o ViewOptions) (*Graph, error) {
	return view.Of(ctx, e, o)
}

// ViewModel returns a view of m without any property; name stands in its caption. Auto shows
// the whole model here whatever its size, since a conversion should lose nothing unless that
// is asked for. Errors and cost as for [View].
func ViewModel(m *lts.LTS, name string, o ViewOptions) (*Graph, error) {
	return view.OfModel(m, name, o)
}

// ViewComparison returns a picture of two versions: the run that is shown of them, with what
// the other version can do where they part; nil if no run is known. Cost O(length of the run).
func ViewComparison(c *compare.Comparison) *Graph { return view.OfComparison(c) }

// SmallView returns a view of e with at most so many nodes, if there is one: the excerpt, or
// the decisions if that is larger. If o asks for a certain view it is that one. Errors and
// cost as for [View].
func SmallView(ctx context.Context, e *explain.Explanation, o ViewOptions, nodes int) (*Graph, error) {
	return view.Small(ctx, e, o, nodes)
}

// Automaton returns the automaton of a property as a picture. The property is one over
// letters, as [github.com/inev-lts/inev/actl.Formula.BindLetters] and its like give it with
// its steps. Cost O(states · letters · steps).
func Automaton(p *property.Property, steps []property.Step) *Graph { return view.Automaton(p, steps) }

// NewTour returns the tour through e. Its surroundings take up to about so many bytes of
// JSON; 0 stands for half a megabyte. It fails if ctx is done. Cost: the views,
// and the surroundings.
func NewTour(ctx context.Context, e *explain.Explanation, maxSurroundings int64) (*Tour, error) {
	return view.NewTour(ctx, e, maxSurroundings)
}

// Around returns one state of e with what leaves it. It fails if ctx is done. Cost
// O(transitions of the state).
func Around(ctx context.Context, e *explain.Explanation, state lts.State) (*view.Surroundings, error) {
	return view.Around(ctx, e, state)
}

// ParseLanes reads a regular expression between slashes (Go RE2), with a capture for the lane
// that acts, or one for the lane that sends a message and one for the lane that receives it.
// If the second one takes no part in a match, the first lane acts alone. Cost O(len(text)).
func ParseLanes(text string) (*Lanes, error) { return view.ParseLanes(text) }

// ReadLanes reads a table of lanes. A line has a label of the model (or its gate, for all
// labels that have it) and, after a tab each, the lane that does it; of a message, the lane
// that receives it; and if the other lane receives it by a step of its own, the label (or gate)
// of that. Lines that begin with # are comments. A backslash, tab, line feed and carriage
// return are written \\, \t, \n and \r. The name is the file's, for errors.
//
// Errors begin with the name and the number of a line. Cost O(length of the text).
func ReadLanes(ctx context.Context, r io.Reader, name string) (*Lanes, error) {
	return view.ReadLanes(ctx, r, name)
}

// IsLanesPattern reports whether a text is meant to be read by [ParseLanes], and is not the
// name of a file: it stands between slashes.
func IsLanesPattern(text string) bool { return view.IsLanesPattern(text) }

// OfferLanes says in one sentence, and as a table for [ReadLanes], which lanes would fit the labels of a model, by the
// conventions that are common; "" if none does. Cost O(length of the labels).
func OfferLanes(labels []string) (said, table string) { return view.OfferLanes(labels) }

// NewChart returns the sequence chart of the counterexample of e in lanes. It fails if the
// property holds. Cost O(steps of the counterexample, and alternatives of its decisions).
func NewChart(e *explain.Explanation, lanes *Lanes, o ChartOptions) (*Chart, error) {
	return view.NewChart(e, lanes, o)
}

// NewArgument returns the picture of arguments about states of a model: of their first claims,
// and of the beginnings and ends of long runs. Cost O(what is shown).
func NewArgument(m *lts.LTS, all []*argument.Argument, caption Caption) *Argument {
	return view.NewArgument(m, all, caption)
}
