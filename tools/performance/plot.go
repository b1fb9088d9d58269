package main

import (
	"bytes"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const width, height = 24 * vg.Centimeter, 10 * vg.Centimeter

// draw returns the plot of the growth as SVG: time and memory for each transition, side by side.
// Its background is white, so that it can be read on a dark page, too.
func draw(all []*curve) ([]byte, error) {
	canvas := vgsvg.New(width, height)
	if err := drawOn(vgdraw.New(canvas), all); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// drawOn draws the panels of the plot, for time and for memory.
func drawOn(canvas vgdraw.Canvas, all []*curve) error {
	plot.DefaultFont.Variant = "Sans"
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
	took, err := panel(all, "time a transition [ns]", func(s sample) float64 {
		return s.Seconds * 1e9 / float64(s.Transitions)
	})
	if err != nil {
		return err
	}
	peak, err := panel(all, "peak memory a transition [bytes]", func(s sample) float64 {
		return float64(s.Peak) / float64(s.Transitions)
	})
	if err != nil {
		return err
	}
	tiles := vgdraw.Tiles{
		Rows:      1,
		Cols:      2,
		PadX:      vg.Centimeter,
		PadTop:    4 * vg.Millimeter,
		PadBottom: 4 * vg.Millimeter,
		PadLeft:   4 * vg.Millimeter,
		PadRight:  6 * vg.Millimeter,
	}
	for i, c := range plot.Align([][]*plot.Plot{{took, peak}}, tiles, canvas)[0] {
		[]*plot.Plot{took, peak}[i].Draw(c)
	}
	return nil
}

// panel draws one figure over the sizes. Curves also differ in their marks, for readers who cannot
// distinguish the colours.
func panel(all []*curve, title string, figure func(sample) float64) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text = "transitions"
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = plot.TickerFunc(decades)
	p.Legend.Top = true
	p.Legend.Padding = vg.Millimeter
	p.Add(plotter.NewGrid())
	colours := []color.Color{
		color.RGBA{G: 90, B: 170, A: 255},
		color.RGBA{R: 200, G: 80, A: 255},
		color.RGBA{G: 120, B: 80, A: 255},
	}
	marks := []vgdraw.GlyphDrawer{
		vgdraw.CircleGlyph{},
		vgdraw.SquareGlyph{},
		vgdraw.TriangleGlyph{},
	}
	for i, c := range all {
		var points plotter.XYs
		for _, w := range c.works {
			m := w.median()
			points = append(points, plotter.XY{X: float64(m.Transitions), Y: figure(m)})
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		colour := colours[i%len(colours)]
		line.Color = colour
		line.Width = vg.Points(1.5)
		dots.Color = colour
		dots.Shape = marks[i%len(marks)]
		dots.Radius = vg.Points(3)
		p.Add(line, dots)
		p.Legend.Add(c.name, line, dots)
	}
	p.X.Min = math.Pow(10, math.Floor(math.Log10(p.X.Min*1.001)))
	p.X.Max = math.Pow(10, math.Ceil(math.Log10(p.X.Max)))
	p.Y.Min = 0
	p.Y.Max = 1.4 * p.Y.Max // room for the legend
	return p, nil
}

// decades marks the powers of ten.
func decades(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for x := 1.0; x <= high*1.001; x *= 10 {
		if x < low*0.999 {
			continue
		}
		label := strconv.FormatFloat(x, 'f', -1, 64)
		switch {
		case x >= 1e6:
			label = strconv.FormatFloat(x/1e6, 'f', -1, 64) + " M"
		case x >= 1e3:
			label = strconv.FormatFloat(x/1e3, 'f', -1, 64) + " k"
		}
		ticks = append(ticks, plot.Tick{Value: x, Label: label})
	}
	return ticks
}
