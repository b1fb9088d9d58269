// Package draw draws the graphs of package view: in the DOT language of Graphviz, as SVG
// and as PNG, and as a flowchart in the language of Mermaid.
//
// The data flows one way: a [view.Graph] is drawn as DOT (dot.go, ends.go, legend.go); DOT is laid out as SVG
// (diagram.go refuses a layout that would be too much work; svg.go; placement.go and moves.go move labels
// that arrows cross, legend_below.go moves the legend below the picture); and the PNG is made from the SVG
// (pixels.go). A flowchart in Mermaid is drawn from the graph alone (mermaid.go). A [view.Chart], a sequence
// chart, is laid out here (chart.go), or written for Mermaid (mermaid.go). A [view.Argument] is drawn as DOT
// and laid out like a graph (argument.go). Nothing here knows of models, or computes anything about them.
//
// Package diagram says which identifiers and classes the elements have.
//
// # Invariants
//
// The invariants that hold inside: all elements of a graph are in its picture; texts of labels, file
// names and formulas never become syntax of the output; an SVG has no scripts, links, styles or
// addresses; and the same input gives the same bytes.
package draw

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Options are the settings of drawing. The zero value is the default.
type Options struct {
	RankDir RankDir
	// NoLegend leaves out the legend.
	NoLegend bool
	// NoCaption leaves out legend and caption. The SVG keeps its title, which is text for programs
	// and screen readers.
	NoCaption bool
	// FontSize is the size of transition labels in points; all other text is scaled with it. 0
	// means 10.
	FontSize float64
	// Layout is the name of one of Graphviz' layouts; "" means dot.
	Layout string
	// Limit bounds the time for the layout of SVG and PNG; 0 means that only the context bounds it.
	// The layout does not depend on Limit: a picture that would take too much work is refused
	// before its layout begins.
	Limit time.Duration
	// Scale is the number of pixels for each point (1/72 inch) in a PNG; 0 means 2.
	Scale float64
	// Software is the program that a PNG names as its maker; "" means inev.
	Software string
}

// WithDefaults returns the options with defaults for the sizes that are 0.
func (o Options) WithDefaults() Options {
	o.FontSize = cmp.Or(o.FontSize, defaultFontSize)
	o.Scale = cmp.Or(o.Scale, defaultScale)
	return o
}

// RankDir is the direction of transitions on the page, by Graphviz' name: "TB" for down, "LR" for
// right, "" for the direction that suits the picture.
type RankDir string

const (
	autoDirection RankDir = ""
	topDown       RankDir = "TB"
	leftRight     RankDir = "LR"
)

// Set sets the direction by its name: TB, LR or auto.
func (d *RankDir) Set(name string) error {
	switch to := RankDir(name); to {
	case "auto":
		*d = autoDirection
		return nil
	case topDown, leftRight:
		*d = to
		return nil
	}
	return fmt.Errorf("there is no direction %q; choose auto, TB or LR", name)
}

// Engine lays out graphs; [github.com/inev-lts/inev/internal/diagram/graphviz.Engine] implements it. A
// program that writes only DOT or Mermaid needs no engine, and does not link Graphviz.
type Engine interface {
	// Render lays out a graph in the DOT language by one of Graphviz' layouts ("" means dot), and
	// returns it in one of Graphviz' formats. Pictures use svg.
	Render(ctx context.Context, graph, format, layout string) ([]byte, error)
}

// Errors of pictures that a language cannot express, and of layouts that would take too long.
var (
	errArgumentMermaid = errors.New("diagram: an argument is not written in Mermaid; write it as SVG, PNG or DOT")
	errChartDOT        = errors.New("diagram: a sequence chart is not written in DOT; write it as SVG, PNG or in Mermaid")
	errLimit           = errors.New("the layout takes too long")
)

// DOT writes a graph or an argument in the DOT language of Graphviz. It fails for a chart, or if w
// does. Cost: O(T log T) time and about 5 kB for each of T arrows.
func DOT(w io.Writer, d view.Drawing, o Options) error {
	text := ""
	switch d := d.(type) {
	case *view.Graph:
		text = draw(d, o).String()
	case *view.Argument:
		text = drawArgument(d, o).String()
	default:
		return errChartDOT
	}
	_, err := io.WriteString(w, text)
	return err
}

// laidOut lays out a graph in the DOT language, and returns it as cleaned SVG with a title. The
// caption of the graph has captionLines lines. laidOut fails with errLimit if the layout takes longer
// than the options allow.
func laidOut(
	ctx context.Context,
	engine Engine,
	graph, title string,
	captionLines int,
	o Options,
) ([]byte, error) {
	limited := ctx
	stop := func() {}
	if o.Limit > 0 {
		limited, stop = context.WithTimeout(ctx, o.Limit)
	}
	defer stop()
	drawn, err := engine.Render(limited, graph, "svg", o.Layout)
	switch {
	case err == nil:
		return clean(drawn, title, captionLines)
	case ctx.Err() == nil && limited.Err() != nil:
		return nil, fmt.Errorf("%w: not done after %v", errLimit, o.Limit)
	}
	return nil, fmt.Errorf("diagram: %w", err)
}

// SVG writes a drawing as the content of one SVG document without references to anything outside. The
// package comment lists its elements for programs. The engine lays out graphs and arguments. It may be
// nil for a chart, for which only the size of letters and the legend among the options have an effect.
//
// It fails if w does, if ctx is done, if the layout takes longer than the limit, or if the layout
// would be so much work that nobody could read the picture; then an excerpt can be drawn instead. Cost:
// [DOT] and the layout, or O(size) for a chart.
func SVG(ctx context.Context, engine Engine, w io.Writer, d view.Drawing, o Options) error {
	svg, err := asSVG(ctx, engine, d, o)
	if err != nil {
		return err
	}
	_, err = w.Write(svg)
	return err
}

// asSVG returns a drawing as SVG. It fails with errCrowded if a layout is too much work and an excerpt can
// be drawn instead.
func asSVG(ctx context.Context, engine Engine, d view.Drawing, o Options) ([]byte, error) {
	switch d := d.(type) {
	case *view.Graph:
		return graphSVG(ctx, engine, d, o)
	case *view.Argument:
		title := cmp.Or(printable.Cut(strings.Join(argumentCaption(d), "; "), maxTooltipText),
			"An argument")
		return laidOut(ctx, engine, drawArgument(d, o).String(), title, 0, Options{Limit: o.Limit})
	}
	return chartSVG(d.(*view.Chart), o), nil
}

// smallExcerpt ends the error of a picture that is too crowded. It says why an excerpt is the remedy.
const smallExcerpt = ", which is small whatever the size of the model"

// graphSVG returns a graph as SVG.
func graphSVG(ctx context.Context, engine Engine, g *view.Graph, o Options) ([]byte, error) {
	work := g.Work()
	if o.Layout != "" && o.Layout != "dot" {
		// Layouts by springs and circles compare all pairs of nodes, many times.
		work = max(work, len(g.Nodes)*len(g.Nodes)/50)
	}
	if work > view.MaxWork {
		crowded := fmt.Sprintf("%s is %v: a layout would have to find %d positions, but the limit is %d; ",
			sizeText(g), errCrowded, work, view.MaxWork)
		return nil, hint.New(errCrowded, crowded, hint.Excerpt, smallExcerpt)
	}
	caption := captionLines(g)
	drawn, err := laidOut(ctx, engine, draw(g, o).String(), oneLine(g.Caption, caption),
		len(caption), o)
	if errors.Is(err, errLimit) {
		return nil, hint.New(err, sizeText(g), ": ", err, "; ", hint.Excerpt, smallExcerpt)
	}
	return drawn, err
}

// chartSVG returns a chart as SVG. It needs no Graphviz: lanes go from left to right, and steps
// downwards.
func chartSVG(c *view.Chart, o Options) []byte {
	s := newSheet(c, o)
	if !o.NoCaption {
		s.drawCaption()
	}
	s.drawLanes()
	for i := range c.Events {
		s.drawEvent(i)
	}
	for i := range c.Missing {
		s.drawMissing(i)
	}
	// The lines of the lanes are as long as the run, and lie below everything else.
	s.y += between * s.unit
	bottom := s.y
	if len(s.c.End) > 0 {
		s.out.group("ending", "ending", strings.Join(s.c.End, " "))
		s.drawNote(s.c.End, (s.left+s.right)/2)
		s.out.ungroup()
	}
	var lifelines canvas
	for i := range s.laneX {
		line := stroke{colour: "#888888", width: thin, dash: "4,3"}
		lifelines.b.WriteString("\n" + `<g class="lifeline">`)
		lifelines.along(line, s.laneX[i], s.top, s.laneX[i], bottom)
		lifelines.ungroup()
	}
	if !o.NoCaption && !o.NoLegend {
		s.drawLegend()
	}
	s.out.right = max(s.out.right, s.right+border*s.unit)
	right := math.Ceil(s.out.right + border)
	height := math.Ceil(s.y + border)
	var doc canvas
	fmt.Fprintf(&doc.b,
		`<svg width="%spt" height="%spt" viewBox="0.00 0.00 %s %s" xmlns="http://www.w3.org/2000/svg" role="graphics-document"><title>%s</title>`,
		points(right), points(height), points(right), points(height), escapeXML.Replace(oneLine(c.Caption, caption(c.Caption))))
	doc.b.WriteString("\n" + `<g id="diagram" class="diagram chart">`)
	doc.box("paper", "white", "none", 0, 0, right, height)
	// The output so far is the caption and the heads of lanes, then everything that may cover their lines.
	drawn := s.out.b.Bytes()
	for _, part := range [][]byte{
		drawn[:s.lifelineOffset],
		lifelines.b.Bytes(),
		s.wires.b.Bytes(),
		drawn[s.lifelineOffset:],
	} {
		doc.b.Write(part)
	}
	doc.b.WriteString("\n</g>\n</svg>\n")
	return doc.b.Bytes()
}

// PNG writes the picture of [SVG] as an image, with the built-in typeface and at most 256 colours.
// Characters that the typeface lacks, such as Chinese ones, become empty boxes; SVG shows them. The
// file contains the title of the SVG, the formula and o.Software as texts, and the number of pixels for
// a metre. Errors are as for [SVG]; PNG also fails if the image would have too many pixels. Cost: SVG,
// and the pixels.
func PNG(ctx context.Context, engine Engine, w io.Writer, d view.Drawing, o Options) error {
	svg, err := asSVG(ctx, engine, d, o)
	if err != nil {
		return err
	}
	return writePNG(w, d, svg, o)
}

// Mermaid writes a graph or a chart in the language of Mermaid (https://mermaid.js.org). Many code
// hosts and wikis draw a block of this language in Markdown. [view.Small] finds a graph that is
// small enough. The picture has no caption and no legend. The direction is ignored for a chart.
//
// It fails for an argument, if the graph has more than [MaxMermaidNodes] nodes or the text is too
// long, or if w does. Cost O(size).
func Mermaid(w io.Writer, d view.Drawing, direction RankDir) error {
	text := ""
	var err error
	switch d := d.(type) {
	case *view.Graph:
		text, err = graphMermaid(d, direction)
	case *view.Chart:
		text, err = chartMermaid(d)
	default:
		err = errArgumentMermaid
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// errCrowded is the error of a graph whose layout would take too long: so many arrows would pass so
// many states that nobody could follow the arrows.
var errCrowded = errors.New("too crowded to be laid out")

// sizeText describes a picture in errors by its size.
func sizeText(g *view.Graph) string {
	return fmt.Sprintf("diagram: a picture of %s and %s",
		printable.Quantity(len(g.Nodes), "state"), printable.Quantity(len(g.Arrows), "arrow"))
}

// reversesClosing reports whether Graphviz is certain to reverse the arrow that closes the loop when it
// breaks cycles. Then the layout keeps a path free for this arrow. Graphviz reverses it in an excerpt
// in which other arrows enter the loop only at its beginning, the target of the closing arrow. Cost O(A).
func reversesClosing(g *view.Graph, closing view.Arrow) bool {
	if g.Whole || g.OfNeighbourhoods {
		return false
	}
	onLoop := map[lts.State]bool{}
	for _, a := range g.Arrows {
		if a.OnRun && a.Loop {
			onLoop[a.From] = true
		}
	}
	for _, gap := range g.Gaps {
		if gap.Loop {
			onLoop[gap.From] = true
			onLoop[gap.To] = true
		}
	}
	for _, a := range g.Arrows {
		entersLoop := !onLoop[a.From] && onLoop[a.To]
		if entersLoop && a.To != closing.To {
			return false
		}
	}
	return true
}

// The colours of classes are from the palette of Okabe and Ito (Color Universal
// Design, 2008): people with any of the common colour deficiencies can
// distinguish them. On paper without colours, the forms of lines and arrowheads
// distinguish classes.
const (
	blue       = "#0072B2"
	vermillion = "#D55E00"
	grey       = "#555555"
	black      = "#000000"
	white      = "#FFFFFF"
	// On paper without colours, these fills are three different greys.
	paleBlue   = "#DCEEF8"
	paleOrange = "#F0A070"
	paleYellow = "#F0D060"
	paleRed    = "#FBDCC4" // the background of a sign
)

// Widths of lines, in points.
const (
	fine  = 0.7 // neutral transitions
	thin  = 1
	firm  = 1.8 // correct transitions
	bold  = 2.2 // the initial state, and the states of the counterexample
	thick = 2.8 // the transitions of the counterexample
)

// font is a list of typefaces; a renderer uses the first that it has.
const font = "Helvetica,Arial,sans-serif"

// defaultFontSize is the size if FontSize is 0.
const defaultFontSize = 10

// defaultScale is the scale if Scale is 0: 144 pixels an inch, sharp on most screens.
const defaultScale = 2

// sizes are the sizes of texts, in points.
type sizes struct{ label, state, stub, caption, legend float64 }

// sizesOf returns the sizes of texts, all in proportion to that of labels.
func sizesOf(o Options) sizes {
	label := o.FontSize
	if label <= 0 {
		label = defaultFontSize
	}
	in := func(proportion float64) float64 {
		return math.Round(proportion*label*10) / 10
	}
	return sizes{
		label:   label,
		state:   in(1.1),
		stub:    in(0.9),
		caption: in(1.2),
		legend:  in(0.8),
	}
}

// lineStyle is the style of the transitions of a class. head is a character that looks like the
// arrowhead.
type lineStyle struct {
	colour, line, arrowhead, head string
	width                         float64 // in points
}

// openHead is Graphviz' name for an arrowhead of two lines.
const openHead = "vee"

// styleOf returns how the transitions of a class are drawn; all alike if the picture shows no classes.
func styleOf(p *view.Graph, class fate.Class) lineStyle {
	if !p.Classified {
		return lineStyle{
			colour:    black,
			line:      "solid",
			arrowhead: "normal",
			head:      "►",
			width:     thin,
		}
	}
	return styleOfClass(class)
}

// styleOfClass returns how the transitions of a class are drawn in a picture that shows classes.
func styleOfClass(class fate.Class) lineStyle {
	switch class {
	case fate.Correct:
		return lineStyle{
			colour:    blue,
			line:      "solid",
			arrowhead: "empty",
			head:      "▻",
			width:     firm,
		}
	case fate.Incorrect:
		return lineStyle{
			colour:    vermillion,
			line:      "dashed",
			arrowhead: "normal",
			head:      "►",
			width:     thin,
		}
	case fate.Excluded:
		return lineStyle{
			colour:    grey,
			line:      "dotted",
			arrowhead: openHead,
			head:      ">",
			width:     fine,
		}
	}
	return lineStyle{
		colour:    grey,
		line:      "solid",
		arrowhead: openHead,
		head:      ">",
		width:     fine,
	}
}

// styleOfArrow returns how an arrow is drawn. Where two versions part, what the new one does is drawn
// like a correct transition, and what the old one does like an incorrect one.
func styleOfArrow(p *view.Graph, a view.Arrow) lineStyle {
	switch a.Side {
	case view.NewVersion:
		return styleOfClass(fate.Correct)
	case view.OldVersion:
		return styleOfClass(fate.Incorrect)
	}
	return styleOf(p, a.Class)
}

// fillOf returns the colour inside a state that is a decision, or a neighbourhood off the run.
func fillOf(n view.Node) string {
	switch {
	case n.Turn == view.CouldBeSaved, n.Turn == view.NoTurn && n.Kind == neighbourhood.CorrectChoice:
		return paleBlue
	case n.Turn == view.LostHere, n.Turn == view.NoTurn && n.Kind == neighbourhood.IncorrectChoice:
		return paleOrange
	}
	return paleYellow
}

// Lengths, in runes, after which texts in captions and tooltips are cut. For labels see
// [view.LabelLength].
const (
	maxCaptionText = 120
	maxTooltipText = 500
)

// entity matches an HTML entity, which Graphviz replaces by its character even in plain labels.
var entity = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`&(#?[0-9A-Za-z]+;)`)
})

// plainText returns lines of printable text as the value of a label attribute. The writer of dot quotes
// the value by %q. The escapes that printable text needs, \", \\ and \n, mean the same in DOT.
func plainText(lines []string) string {
	return entity().ReplaceAllString(strings.Join(lines, "\n"), "&amp;$1")
}

// htmlText escapes a printable text for an HTML-like label. Graphviz expands escapes such as \G
// even there, so a backslash is doubled.
func htmlText(text string) string {
	return html.EscapeString(strings.ReplaceAll(text, `\`, `\\`))
}
