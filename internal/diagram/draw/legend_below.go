package draw

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/diagram/typeface"
)

// Graphviz draws caption and legend as one table above the picture. This file moves the legend below
// the picture, in as many columns as fit on the page, so that the picture follows the caption.

// legendRow is a sample with its explanation.
type legendRow struct {
	elements []xml.Token
	box
}

// Distances, in points: above and below a legend, between its columns, and from the edge of the page.
const (
	legendGap    = 8
	columnGap    = 18
	legendIndent = 14
)

// takeLegend removes the legend from a picture, and moves the caption down to the picture. It returns
// the rows of the legend; none if there is no legend. The caption has the given number of lines.
func takeLegend(
	drawn []xml.Token,
	captionLines int,
	family *typeface.Family,
) ([]xml.Token, []legendRow) {
	if captionLines == 0 {
		return drawn, nil
	}
	begin, end := headOf(drawn)
	// The head consists of the page, the lines of the caption, and the legend.
	var before, caption, legend [][]xml.Token
	texts := 0
	for _, e := range elementsOf(drawn[begin:end]) {
		name := e[0].(xml.StartElement).Name.Local
		switch {
		case name == "text" && texts < captionLines:
			texts++
			caption = append(caption, e)
		case texts == 0:
			before = append(before, e)
		default:
			legend = append(legend, e)
		}
	}
	if len(legend) == 0 {
		return drawn, nil
	}
	rows := rowsOf(legend, family)
	captionTokens := slices.Concat(caption...)
	legendBottom := boxOf(slices.Concat(legend...), family).bottom
	legendHeight := legendBottom - boxOf(captionTokens, family).bottom
	page := slices.Concat(drawn[:begin], slices.Concat(before...))
	rest := cropped(page, legendHeight)
	rest = append(rest, shifted(captionTokens, point{0, legendHeight})...)
	return append(rest, drawn[end:]...), rows
}

// headOf returns the range of the tokens for the page, the caption and the legend: from the start of the
// outermost group to the start of the first node or, without nodes, to the end of the group.
func headOf(drawn []xml.Token) (begin, end int) {
	for i, t := range drawn {
		switch t := t.(type) {
		case xml.StartElement:
			if t.Name.Local != "g" {
				continue
			}
			if begin > 0 {
				return begin, i
			}
			begin = i + 1
		case xml.EndElement:
			if begin > 0 && t.Name.Local == "g" {
				return begin, i
			}
		}
	}
	return 0, 0
}

// elementsOf splits a part of a picture into its elements. Each element includes its content.
func elementsOf(drawn []xml.Token) [][]xml.Token {
	var all [][]xml.Token
	begin := 0
	depth := 0
	for i, t := range drawn {
		switch t.(type) {
		case xml.StartElement:
			if depth == 0 {
				begin = i
			}
			depth++
		case xml.EndElement:
			depth--
			if depth == 0 {
				all = append(all, drawn[begin:i+1])
			}
		}
	}
	return all
}

// rowsOf splits the elements of a legend into rows. A row ends with its explanation. All explanations
// begin at the same distance from the left, to the right of the samples.
func rowsOf(legend [][]xml.Token, family *typeface.Family) []legendRow {
	left := 0.0
	for _, e := range legend {
		left = max(left, textLeft(e))
	}
	var rows []legendRow
	var row []xml.Token
	for _, e := range legend {
		row = append(row, e...)
		if textLeft(e) == left {
			rows = append(rows, legendRow{elements: row, box: boxOf(row, family)})
			row = nil
		}
	}
	return rows
}

// textLeft returns the x-coordinate at which a text begins; 0 for another element.
func textLeft(element []xml.Token) float64 {
	start := element[0].(xml.StartElement)
	if start.Name.Local != "text" {
		return 0
	}
	return number(start, "x")
}

// boxOf returns the box around elements of a caption or a legend.
func boxOf(elements []xml.Token, family *typeface.Family) box {
	r := sketcher{sketch: &sketch{head: nothing}, family: family, kind: "graph"}
	for _, t := range elements {
		r.read(t)
	}
	return r.head
}

// putLegend adds a legend below a picture. growth is how much moved labels enlarge the page.
// putLegend returns the picture, and how much labels and legend together enlarge the page.
func putLegend(drawn []xml.Token, rows []legendRow, growth point) ([]xml.Token, point) {
	if len(rows) == 0 {
		return drawn, growth
	}
	page := pageOf(drawn)
	page.right += growth.x
	page.bottom += growth.y
	sheet := arrange(rows, page)
	legend := []xml.Token{groupStart("legend")}
	for i, r := range rows {
		column := float64(i / sheet.perColumn)
		line := float64(i%sheet.perColumn + 1)
		to := point{
			page.left + legendIndent + column*(sheet.width+columnGap),
			page.bottom + legendGap + line*sheet.line,
		}
		legend = append(legend,
			shifted(r.elements, point{to.x - sheet.left, to.y - r.bottom})...)
	}
	legend = append(legend, xml.EndElement{Name: xml.Name{Local: "g"}})
	end := len(drawn) - 1
	for !isEnd(drawn[end], "g") {
		end--
	}
	growth.x += max(0, sheet.total()-(page.right-page.left))
	growth.y += sheet.height()
	return slices.Concat(drawn[:end], legend, drawn[end:]), growth
}

// legendSheet is the arrangement of a legend in columns.
type legendSheet struct {
	columns, perColumn int
	left               float64 // where the rows begin now
	width, line        float64 // of each row
}

// total returns the width of a page on which the legend fits.
func (s legendSheet) total() float64 {
	return 2*legendIndent + float64(s.columns)*(s.width+columnGap) - columnGap
}

// height returns the height that the legend takes.
func (s legendSheet) height() float64 {
	return legendGap + float64(s.perColumn)*s.line + legendGap
}

// arrange arranges a legend in as many columns as fit on a page. If the legend would then take more
// than a fifth of the height, it gets more columns, and the page becomes wider.
func arrange(rows []legendRow, page box) legendSheet {
	around := nothing
	tallest := 0.0
	for _, r := range rows {
		around = around.with(r.box)
		tallest = max(tallest, r.bottom-r.top)
	}
	s := legendSheet{
		left:  around.left,
		width: around.right - around.left,
		line:  tallest + 2,
	}
	for s.columns = 1; ; s.columns++ {
		s.perColumn = (len(rows) + s.columns - 1) / s.columns
		next := s
		next.columns++
		nextFits := next.total() <= page.right-page.left
		isLow := 4*s.height() <= page.bottom-page.top
		mayWidenPage := !isLow && s.columns < mostColumns
		if s.perColumn == 1 || !nextFits && !mayWidenPage {
			return s
		}
	}
}

// mostColumns is the largest number of columns for which a page is made wider.
const mostColumns = 3

// groupStart returns the start of a group.
func groupStart(id string) xml.StartElement {
	attributes := []xml.Attr{
		{Name: xml.Name{Local: "id"}, Value: id},
		{Name: xml.Name{Local: "class"}, Value: id},
	}
	return xml.StartElement{Name: xml.Name{Local: "g"}, Attr: attributes}
}

// isEnd reports whether a token ends an element of this name.
func isEnd(t xml.Token, name string) bool {
	end, is := t.(xml.EndElement)
	return is && end.Name.Local == name
}

// pageOf returns the page of a picture: its first polygon.
func pageOf(drawn []xml.Token) box {
	for _, t := range drawn {
		if start, is := t.(xml.StartElement); is && start.Name.Local == "polygon" {
			return around(numbers(attribute(start, "points")))
		}
	}
	return box{}
}

// shifted returns texts and straight lines, moved to another place.
func shifted(elements []xml.Token, by point) []xml.Token {
	all := slices.Clone(elements)
	for i, t := range all {
		start, is := t.(xml.StartElement)
		if !is {
			continue
		}
		all[i] = withAttributes(start, func(name, value string) string {
			switch {
			case start.Name.Local == "text" && name == "x":
				return points(number(start, "x") + by.x)
			case start.Name.Local == "text" && name == "y":
				return points(number(start, "y") + by.y)
			case name == "points":
				return shiftedPoints(value, func(p point) point {
					return point{p.x + by.x, p.y + by.y}
				})
			}
			return value
		})
	}
	return all
}

// cropped returns the beginning of a picture, up to its page, with the upper part of the page cut off.
func cropped(head []xml.Token, by float64) []xml.Token {
	page := pageOf(head)
	all := slices.Clone(head)
	for i, t := range all {
		start, is := t.(xml.StartElement)
		if !is {
			continue
		}
		all[i] = withAttributes(start, func(name, value string) string {
			switch start.Name.Local + " " + name {
			case "svg height":
				return fmt.Sprintf("%.0fpt", number(start, "height")-by)
			case "svg viewBox":
				corners := numbers(value)
				if len(corners) == 2 {
					return fmt.Sprintf("%s %s %s %s", points(corners[0].x),
						points(corners[0].y), points(corners[1].x), points(corners[1].y-by))
				}
			case "g transform":
				return loweredOrigin(value, by)
			case "polygon points":
				return shiftedPoints(value, func(p point) point {
					if p.y == page.top {
						p.y += by
					}
					return p
				})
			}
			return value
		})
	}
	return all
}

// loweredOrigin returns the transformation of the outermost group after the upper part of the page has
// been cut off.
func loweredOrigin(transform string, by float64) string {
	before, translation, found := strings.Cut(transform, "translate(")
	to := numbers(strings.TrimSuffix(translation, ")"))
	if !found || len(to) != 1 {
		return transform
	}
	return fmt.Sprintf("%stranslate(%s %s)", before, points(to[0].x), points(to[0].y-by))
}

// withAttributes returns an element with other values of some attributes.
func withAttributes(
	e xml.StartElement,
	value func(name, value string) string,
) xml.StartElement {
	e.Attr = slices.Clone(e.Attr)
	for i := range e.Attr {
		e.Attr[i].Value = value(e.Attr[i].Name.Local, e.Attr[i].Value)
	}
	return e
}

// shiftedPoints returns the points of a polygon or a line, moved to other places.
func shiftedPoints(text string, place func(point) point) string {
	var all []string
	for _, p := range numbers(text) {
		p = place(p)
		all = append(all, points(p.x)+","+points(p.y))
	}
	return strings.Join(all, " ")
}
