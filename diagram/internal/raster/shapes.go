package raster

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"

	"github.com/inev-lts/inev/internal/abort"
)

// attributes are the attributes of one element.
type attributes struct {
	element string
	values  map[string]string
}

func (a attributes) get(name, otherwise string) string {
	if value, is := a.values[name]; is {
		return value
	}
	return otherwise
}

// numbers reads numbers between blanks and commas.
func numbers(text string) ([]float64, error) {
	var all []float64
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' }) {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, fmt.Errorf("raster: %q is not a number", word)
		}
		all = append(all, n)
	}
	return all, nil
}

// colour parses a colour; false if the element has none.
func colour(text string) (color.RGBA, bool) {
	if text == "none" || text == "transparent" {
		return color.RGBA{}, false
	}
	if named, is := colornames.Map[text]; is {
		return named, true
	}
	if digits, is := strings.CutPrefix(text, "#"); is && len(digits) == 6 {
		if n, err := strconv.ParseUint(digits, 16, 32); err == nil {
			return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 0xff}, true
		}
	}
	fail("%q is not a colour", text)
	return color.RGBA{}, false
}

// outline draws the path of an element.
func (p *painter) outline(a attributes) {
	switch a.element {
	case "path":
		p.path(a.values["d"])
		return
	case "ellipse":
		p.ellipse(a)
		return
	}
	points := abort.Must(numbers(a.values["points"]))
	if len(points) < 4 || len(points)%2 != 0 {
		fail("a %s has no points", a.element)
	}
	p.canvas.MoveTo(points[0], points[1])
	for i := 2; i < len(points); i += 2 {
		p.canvas.LineTo(points[i], points[i+1])
	}
	if a.element == "polygon" {
		p.canvas.ClosePath()
		// The library joins each line to the next, but not the last to the first: another line
		// along the first closes that corner.
		p.canvas.LineTo(points[2], points[3])
	}
}

func (p *painter) ellipse(a attributes) {
	values, err := numbers(strings.Join([]string{a.values["cx"], a.values["cy"], a.values["rx"], a.values["ry"]}, " "))
	if err != nil || len(values) != 4 {
		fail("it is not said where an ellipse stands")
	}
	p.canvas.DrawEllipse(values[0], values[1], values[2], values[3])
}

// path draws the data of a path: absolute moves, lines and curves, the only commands that Graphviz
// writes.
func (p *painter) path(data string) {
	for data != "" {
		command := data[0]
		end := strings.IndexAny(data[1:], "MLCZz") + 1
		if end == 0 {
			end = len(data)
		}
		if !p.segment(command, abort.Must(numbers(data[1:end]))) {
			fail("the path %q is not drawn here", data[:end])
		}
		data = data[end:]
	}
}

// segment draws one command of a path with all its points; false if the command is unknown, or the
// number of points is wrong.
func (p *painter) segment(command byte, points []float64) bool {
	each := map[byte]int{'M': 2, 'L': 2, 'C': 6}[command]
	if command == 'Z' || command == 'z' {
		p.canvas.ClosePath()
		return len(points) == 0
	}
	if each == 0 || len(points) == 0 || len(points)%each != 0 {
		return false
	}
	for i := 0; i < len(points); i += each {
		at := points[i : i+each]
		switch {
		case command == 'C':
			p.canvas.CubicTo(at[0], at[1], at[2], at[3], at[4], at[5])
		case command == 'M' && i == 0:
			p.canvas.MoveTo(at[0], at[1])
		default:
			p.canvas.LineTo(at[0], at[1])
		}
	}
	return true
}
