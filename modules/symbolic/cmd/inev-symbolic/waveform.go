package main

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/modules/symbolic"
	"github.com/inev-lts/inev/modules/symbolic/aiger"
)

// The picture: distances in pixels.
const (
	columnWidth = 62
	rowHeight   = 24
	letterWidth = 7.4
	margin      = 16
)

// The largest numbers of columns and signals in a picture; the picture says how many more there
// are.
const (
	mostColumns = 40
	mostSignals = 60
)

// waveform is a latch, input or output along a run.
type waveform struct {
	name    string
	isTrue  []bool
	isNamed bool // whether the formula names the signal
}

// picture is a timing diagram of evidence: the number of states of each layer, and the signals of a
// run.
type picture struct {
	title   string
	layers  []symbolic.Layer
	run     *symbolic.Run
	signals []waveform
	notes   []string
	b       bytes.Buffer
	left    int
	y       int
}

// writePicture writes the layers and the run of an answer as a picture.
func writePicture(
	path string,
	c *aiger.Circuit,
	title, formula string,
	layers []symbolic.Layer,
	run *symbolic.Run,
) error {
	p := &picture{title: title, layers: layers, run: run}
	if run != nil {
		if err := p.simulate(c, formula); err != nil {
			return err
		}
	}
	p.draw()
	return os.WriteFile(path, p.b.Bytes(), 0o666)
}

// simulate finds the signals of the run. Signals that are false in all states are only counted.
func (p *picture) simulate(c *aiger.Circuit, formula string) error {
	words := strings.FieldsFunc(formula, func(r rune) bool {
		return strings.ContainsRune(" ()!&|<->[]", r)
	})
	outputs, err := p.outputs(c)
	if err != nil {
		return err
	}
	add := func(letter string, number int, values func(state int) bool) {
		place := letter + strconv.Itoa(number)
		s := waveform{name: cmp.Or(c.Symbols[place], place)}
		s.isNamed = slices.Contains(words, s.name) || slices.Contains(words, place)
		for state := range p.run.States {
			s.isTrue = append(s.isTrue, values(state))
		}
		if s.isNamed || slices.Contains(s.isTrue, true) {
			p.signals = append(p.signals, s)
		}
	}
	for i := range c.Latches {
		add("l", i, func(state int) bool { return p.run.States[state].Latches[i] == '1' })
	}
	for i := range c.Inputs {
		add("i", i, func(state int) bool { return p.run.States[state].Inputs[i] == '1' })
	}
	for i, l := range c.Outputs {
		add("o", i, func(state int) bool { return outputs[state].Of(l) })
	}
	if more := len(c.Latches) + len(c.Inputs) + len(c.Outputs) - len(p.signals); more > 0 {
		p.notes = append(p.notes,
			fmt.Sprintf("%d other signals are false in all of these states.", more))
	}
	if more := len(p.signals) - mostSignals; more > 0 {
		p.signals = p.signals[:mostSignals]
		p.notes = append(p.notes, fmt.Sprintf("%d more signals are not shown.", more))
	}
	return nil
}

// outputs returns the values of the circuit in the states of the run.
func (p *picture) outputs(c *aiger.Circuit) ([]aiger.Values, error) {
	var all []aiger.Values
	for _, state := range p.run.States {
		values, err := c.Values(truthValues(state.Latches), truthValues(state.Inputs))
		if err != nil {
			return nil, err
		}
		all = append(all, values)
	}
	return all, nil
}

func truthValues(bits string) []bool {
	all := make([]bool, len(bits))
	for i := range bits {
		all[i] = bits[i] == '1'
	}
	return all
}

// columns is the number of states, or of layers.
func (p *picture) columns() int {
	n := len(p.layers)
	if p.run != nil {
		n = max(n, len(p.run.States))
	}
	return n
}

// draw draws the title, the rows about layers, the run with a wave for each signal, and the notes, from top
// to bottom.
func (p *picture) draw() {
	shown := min(p.columns(), mostColumns)
	more := p.columns() - shown
	if more > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d more steps are not shown.", more))
	}
	longest := len("nodes of the diagram")
	for _, s := range p.signals {
		longest = max(longest, len([]rune(s.name)))
	}
	p.left = margin + int(letterWidth*float64(longest)) + 12
	if p.run != nil && p.run.Loop >= 0 {
		p.notes = append(p.notes,
			fmt.Sprintf("After the last state the run goes on from state %d.", p.run.Loop))
	}
	width := p.width(shown)
	p.y = margin + rowHeight
	p.text(margin, p.y-8, "title", p.title)
	if len(p.layers) > 0 {
		p.row("after steps", shown, len(p.layers), strconv.Itoa)
		p.row("states unfolded", shown, len(p.layers), func(i int) string {
			return fmt.Sprintf("%.6g", p.layers[i].States)
		})
		p.row("nodes of the diagram", shown, len(p.layers), func(i int) string {
			return strconv.Itoa(p.layers[i].Nodes)
		})
		p.y += rowHeight / 2
	}
	if p.run != nil {
		p.row("state of the run", shown, len(p.run.States), strconv.Itoa)
		for _, s := range p.signals {
			p.wave(s, shown)
		}
	}
	p.y += rowHeight / 3
	for _, note := range p.notes {
		p.y += rowHeight
		p.text(margin, p.y-8, "note", note)
	}
	p.finish(width, p.y+margin)
}

// width returns the width of a picture that shows this number of columns, its title and its notes.
func (p *picture) width(columns int) int {
	ofTitle := int(letterWidth * float64(len([]rune(p.title))))
	width := max(p.left+columns*columnWidth, margin+ofTitle) + margin
	for _, note := range p.notes {
		width = max(width, 2*margin+int(letterWidth*float64(len(note))))
	}
	return width
}

// style is the style sheet of pictures.
const style = `<style>
text { font: 13px Helvetica, Arial, sans-serif; fill: #222 }
.title { font-weight: bold }
.note { fill: #555 }
.value { text-anchor: middle }
.named { font-weight: bold }
.wave { fill: none; stroke: #0072b2; stroke-width: 2 }
.high { fill: #d6e9f5 }
.grid { stroke: #ddd }
.named-wave { fill: none; stroke: #c04a00; stroke-width: 2.5 }
.named-high { fill: #fbe3d4 }
</style>
`

// finish puts the drawing into an SVG document.
func (p *picture) finish(width, height int) {
	body := p.b.String()
	p.b.Reset()
	fmt.Fprintf(&p.b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n", width, height, width, height)
	fmt.Fprintf(&p.b, "<title>%s</title>\n", escaped(p.title))
	p.b.WriteString(style)
	fmt.Fprintf(&p.b, `<rect width="%d" height="%d" fill="white"/>`+"\n%s</svg>\n", width,
		height, body)
}

// row writes a row of numbers.
func (p *picture) row(name string, shown, count int, value func(int) string) {
	p.y += rowHeight
	p.text(margin, p.y-7, "note", name)
	for i := range min(shown, count) {
		p.text(p.left+i*columnWidth+columnWidth/2, p.y-7, "value", value(i))
	}
}

// wave draws a signal as a line that is high in states where the signal is true.
func (p *picture) wave(s waveform, shown int) {
	p.y += rowHeight
	high := p.y - rowHeight + 4
	low := p.y - 4
	class := ""
	prefix := ""
	if s.isNamed {
		class = "named"
		prefix = "named-"
	}
	p.text(margin, p.y-7, class, s.name)
	var points []string
	for i := range min(shown, len(s.isTrue)) {
		x := p.left + i*columnWidth
		at := low
		if s.isTrue[i] {
			at = high
			fmt.Fprintf(&p.b,
				`<rect class="%shigh" x="%d" y="%d" width="%d" height="%d"/>`+"\n", prefix, x, high, columnWidth, low-high)
		}
		points = append(points, fmt.Sprintf("%d,%d %d,%d", x, at, x+columnWidth, at))
		fmt.Fprintf(&p.b, `<line class="grid" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", x,
			p.y-rowHeight, x, p.y)
	}
	fmt.Fprintf(&p.b, `<polyline class="%swave" points="%s"/>`+"\n", prefix,
		strings.Join(points, " "))
}

func (p *picture) text(x, y int, class, text string) {
	if class != "" {
		class = fmt.Sprintf(` class="%s"`, class)
	}
	fmt.Fprintf(&p.b, `<text x="%d" y="%d"%s>%s</text>`+"\n", x, y, class, escaped(text))
}

// escaped returns a text as it stands in XML.
func escaped(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		return "" // a strings.Builder takes all
	}
	return b.String()
}
