// Package diagram draws a model, and the explanation of why a property fails in
// it, as graphs in the DOT language of Graphviz.
//
// The data flows one way: a selection says which states and transitions are
// shown, and what is marked in them (view.go, run.go, excerpt.go); a picture holds them as plain data, with all that
// there is to say about each (picture.go); and the picture is drawn as DOT
// (dot.go, legend.go, style.go, escape.go). The first two know nothing of DOT,
// the last knows nothing of models.
//
// The invariants that hold inside: nothing is left out of a picture silently
// (what is not shown is counted by a stub, by a line of a label or by the
// caption); label texts, file names and formulas are text and never become
// syntax of the output; and the same input gives the same bytes.
package diagram

import (
	"fmt"
	"io"
	"math/big"

	"github.com/emicklei/dot"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// Options say what is shown, and how. The zero value is the default.
type Options struct {
	View View
	// MaxStates is the largest number of reachable states that Auto shows as a
	// whole; 0 stands for DefaultMaxStates. Auto also wants at most ten times as
	// many transitions.
	MaxStates int
	RankDir   RankDir
	// All, where it is not nil, is drawn in the place of the counterexample: all
	// shortest ones at once. It must belong to the LTS of the explanation. Nothing
	// is drawn of it where the property holds, and by [ModelDOT].
	All *counterexample.Family
	// AllCount is the number of members of All, which the caption tells unless it
	// is nil. It is not counted here, for that can take long.
	AllCount *big.Int
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
	Auto    View = iota // Whole for a small model, Excerpt for a large one
	Whole               // every state and every transition
	Excerpt             // the counterexample and its decisions, or what surrounds the initial state
)

// ParseView returns the view with this name: auto, whole or excerpt.
func ParseView(name string) (View, error) {
	switch name {
	case "auto":
		return Auto, nil
	case "whole":
		return Whole, nil
	case "excerpt":
		return Excerpt, nil
	}
	return 0, fmt.Errorf("there is no view %q; choose auto, whole or excerpt", name)
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
// for each of these.
func DOT(w io.Writer, e *explain.Explanation, o Options) error {
	s, err := selectView(subjectOf(e), o)
	if err != nil {
		return err
	}
	p := s.picture()
	p.caption = captionOf(e, o)
	return write(w, draw(p, o.RankDir))
}

// ModelDOT writes a picture of m without any property; name stands in its
// caption. Auto shows the whole model here whatever its size, since a conversion
// should lose nothing unless that is asked for. Errors and cost as for [DOT].
func ModelDOT(w io.Writer, m *lts.LTS, name string, o Options) error {
	if o.View == Auto {
		o.View = Whole
	}
	s, err := selectView(subject{m: m}, o)
	if err != nil {
		return err
	}
	p := s.picture()
	p.caption = caption{model: name}
	return write(w, draw(p, o.RankDir))
}

// write goes by way of a string, because the writer of dot drops the errors of
// the one beneath it.
func write(w io.Writer, g *dot.Graph) error {
	_, err := io.WriteString(w, g.String())
	return err
}
