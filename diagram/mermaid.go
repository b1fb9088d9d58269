package diagram

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// Bounds of a picture in Mermaid, which hosts scale to the width of a column of text.
const (
	// MaxMermaidNodes is the largest number of nodes: with more, nothing is
	// readable.
	MaxMermaidNodes = 60
	// maxMermaidText bounds the characters of a picture. It is below the 50,000 of Mermaid's
	// setting maxTextSize, beyond which Mermaid shows an error.
	maxMermaidText = 45_000
	// maxMermaidLabel is the length, in runes, at which labels are cut.
	maxMermaidLabel = 40
)

// errTooLarge is the error of a picture that is too large for Mermaid.
var errTooLarge = errors.New("too large for Mermaid, which draws a few dozen states well; write an SVG")

// graphMermaid returns a graph in the language of Mermaid. It ends with errTooLarge if the graph has more
// than [MaxMermaidNodes] nodes or its text is too long. Cost O(size of g).
func graphMermaid(g *view.Graph, direction RankDir) (text string) {
	if len(g.Nodes) <= MaxMermaidNodes {
		text = newFlowchart(g, direction).text()
	}
	if text == "" || utf8.RuneCountInString(text) > maxMermaidText {
		abort.On(fmt.Errorf("diagram: a picture of %s and %s: %w",
			printable.Quantity(len(g.Nodes), "state"), printable.Quantity(len(g.Arrows), "arrow"), errTooLarge))
	}
	return text
}

// flowchart is the state of writing a graph for Mermaid.
type flowchart struct {
	b     strings.Builder
	p     *view.Graph
	names map[lts.State]string // identifiers of nodes
	links int                  // arrows written so far, by whose numbers Mermaid styles them
	// styled has the numbers of the arrows of each style; styles are in the order of first use.
	styled map[string][]int
	styles []string
}

func newFlowchart(p *view.Graph, direction RankDir) *flowchart {
	f := &flowchart{p: p, names: make(map[lts.State]string, len(p.Nodes)), styled: map[string][]int{}}
	way := "TD"
	if direction == leftRight {
		way = "LR"
	}
	hidden := map[lts.State][]string{}
	for _, s := range p.Stubs {
		// A stub is text in its state: a node would take as much room as a state.
		hidden[s.State] = append(hidden[s.State], stubText(s)+" out")
	}
	for _, a := range p.Ahead {
		hidden[a.State] = append(hidden[a.State], aheadText(a, maxMermaidLabel))
	}
	f.line("flowchart %s", way)
	for i, n := range p.Nodes {
		f.names[n.State] = fmt.Sprintf("s%d", i)
		f.node(n, hidden[n.State])
	}
	for _, a := range p.Arrows {
		link, style, class := "-->", "stroke:"+middleGrey, ""
		switch {
		case !p.Classified:
			style = ""
		case a.Class == neighbourhood.Correct:
			style, class = "stroke:"+blue, "(correct)"
		case a.Class == neighbourhood.Incorrect:
			link, style, class = "-.->", "stroke:"+vermillion+",stroke-dasharray:5 4", "(incorrect)"
		case a.Class == neighbourhood.Excluded:
			link, style, class = "-.->", style+",stroke-dasharray:1 4", "(excluded)"
		}
		if a.OnRun {
			link, style = "==>", strings.TrimPrefix(style+",stroke-width:4px", ",")
		}
		lines := p.Lines(a, maxMermaidLabel)
		if a.Better {
			class = strings.TrimSpace(class + " (better choice)")
		}
		if class != "" {
			at := len(lines)
			if a.NoReturn {
				at-- // its line is the last one
			}
			lines = slices.Insert(lines, at, class)
		}
		f.link(a.From, link, lines, f.names[a.To], style)
	}
	for _, g := range p.Gaps {
		lines := gapLines(g, "steps ")
		lines[0] += ", not shown"
		f.link(g.From, "==>", lines, f.names[g.To], "stroke-width:4px,stroke-dasharray:2 4")
	}
	return f
}

// text returns the whole text, with the styles at the end.
func (f *flowchart) text() string {
	for _, style := range f.styles {
		numbers := strings.Trim(strings.ReplaceAll(fmt.Sprint(f.styled[style]), " ", ","), "[]")
		f.line("  linkStyle %s %s", numbers, style)
	}
	for _, class := range mermaidClasses {
		if strings.Contains(f.b.String(), ":::"+class.name+"\n") {
			f.line("  classDef %s %s", class.name, class.style)
		}
	}
	return f.b.String()
}

func (f *flowchart) line(format string, args ...any) {
	fmt.Fprintf(&f.b, format+"\n", args...)
}

// mermaidClasses are the styles of nodes. Each sets the colours of outline, text and inside, since
// a host may show the picture on a dark page.
var mermaidClasses = []struct{ name, style string }{
	{"run", "stroke-width:3px"},
	{"correct", "fill:" + paleBlue + ",stroke:" + blue + ",color:" + black},
	{"incorrect", "fill:" + paleOrange + ",stroke:" + vermillion + ",color:" + black},
	{"mixed", "fill:" + paleYellow + ",stroke:" + middleGrey + ",color:" + black},
	{"hidden", "fill:none,stroke:" + middleGrey + ",stroke-dasharray:3 3"},
}

// middleGrey is visible on light and on dark pages.
const middleGrey = "#808080"

// node writes a node, with lines about its hidden transitions.
func (f *flowchart) node(n view.Node, hidden []string) {
	if n.End != view.NoEnd {
		f.end(n)
		return
	}
	lines, shape, class := []string{n.Name}, circle, ""
	if n.Before {
		f.shape(n, circle, []string{"runs begin"}, class)
		return
	}
	if n.OnRun {
		class = "run"
	}
	if n.Initial || n.Merged > 1 || len(hidden) > 0 {
		shape = stadium // a circle around several lines is large
	}
	if n.Deadlock {
		shape = doubleCircle
		lines = append(lines, "deadlock")
	}
	if said := n.Says(); said != "" {
		if shape, class = stadium, classOf(n); n.Turn != view.NoTurn {
			shape = hexagon
		}
		lines = append(lines, said)
	}
	if n.Merged > 1 {
		lines = append(lines, printable.Quantity(n.Merged, "state"))
	}
	if n.Initial {
		lines = append(lines, "initial")
	}
	f.shape(n, shape, append(lines, hidden...), class)
}

func (f *flowchart) end(n view.Node) {
	shape := circle
	switch n.End {
	case view.Stuck:
		shape = doubleCircle
	case view.Elsewhere:
		shape = stadium
	}
	end := endNodes[n.End]
	f.shape(n, shape, []string{end.text(n.Hidden)}, end.class)
}

// shape is the text before and after the label of a node: it determines the form of the node.
type shape struct{ left, right string }

var (
	circle       = shape{`(("`, `"))`}
	doubleCircle = shape{`((("`, `")))`}
	stadium      = shape{`(["`, `"])`}
	hexagon      = shape{`{{"`, `"}}`}
)

func (f *flowchart) shape(n view.Node, s shape, lines []string, class string) {
	if class != "" {
		class = ":::" + class
	}
	f.line("  %s%s%s%s%s", f.names[n.State], s.left, mermaidLines(lines, mermaidText), s.right, class)
}

// classOf returns the style of a decision or a neighbourhood.
func classOf(n view.Node) string {
	switch fillOf(n) {
	case paleBlue:
		return "correct"
	case paleOrange:
		return "incorrect"
	}
	return "mixed"
}

// link writes an arrow with its lines of text.
func (f *flowchart) link(from lts.State, link string, lines []string, to, style string) {
	f.line(`  %s %s|"%s"| %s`, f.names[from], link, mermaidLines(lines, mermaidText), to)
	if style != "" {
		if !slices.Contains(f.styles, style) {
			f.styles = append(f.styles, style)
		}
		f.styled[style] = append(f.styled[style], f.links)
	}
	f.links++
}

// mermaidLines returns printable lines as one text between double quotes, each as escape returns it.
func mermaidLines(lines []string, escape func(string) string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = escape(line)
	}
	return strings.Join(escaped, "<br/>")
}

// mermaidText returns a printable text for Mermaid. Every character that could mean something to
// Mermaid, to the Markdown and HTML in its texts, or to the surrounding block of Markdown becomes
// an entity, which Mermaid writes as #number;. Letters, digits, blanks and a few other characters
// stay.
func mermaidText(text string) string {
	text = placeholders.Replace(text)
	var b strings.Builder
	for at, r := range text {
		switch {
		case r >= utf8.RuneSelf || isWord(text, at) || strings.ContainsRune(" ,!()", r):
			b.WriteRune(r)
		case r == ':' && strings.HasPrefix(text[at:], ": "):
			// A colon before a blank is safe: addresses and names of icons go on after their colon.
			b.WriteRune(r)
		case (r == '_' || r == '-') && at > 0 && isWord(text, at-1) && isWord(text, at+1):
			// A sign between letters or digits is safe; elsewhere it could begin emphasis, an arrow
			// or a list.
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// placeholders replaces the characters that Mermaid itself uses to mark entities: a ligature of f
// and l, and the paragraph sign before a sharp s.
var placeholders = strings.NewReplacer("\ufb02", `\ufb02`, "\u00b6\u00df", `\u00b6ß`)

// isWord reports whether the character at this position is an ASCII letter or digit.
func isWord(text string, at int) bool {
	if at >= len(text) {
		return false
	}
	c := text[at]
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// chartMermaid returns a sequence chart in the language of Mermaid, as [Mermaid] writes a
// flowchart: loops are frames, decisions notes. Mermaid has no slanting arrows, so a
// receipt is a note that names the step that sent the message.
//
// It ends with errTooLarge if the text is too long. Cost O(size of c).
func chartMermaid(c *view.Chart) string {
	s := sequenceDiagram{c: c}
	s.line("sequenceDiagram")
	for i, lane := range c.Lanes {
		s.line("  participant l%d as %s", i+1, s.text(laneName(lane)))
	}
	for i := range c.Events {
		v := &c.Events[i]
		if f := c.Loop; f != nil && f.First == i {
			s.line("  loop for ever")
		}
		if len(v.Decision) > 0 {
			s.note(v.From, v.To, v.Decision)
		}
		lines := []string{stepNumbers(v) + ": "}
		for n, line := range eventLines(v) {
			if n == 0 {
				lines[0] += line.text
			} else {
				lines = append(lines, line.text)
			}
		}
		arrow := "->>"
		switch {
		case v.Kind == view.Unshown:
			s.note(0, len(c.Lanes)-1, lines)
			arrow = ""
		case v.From == v.To && v.Kind == view.Action, v.Kind == view.Receipt:
			if v.Kind == view.Receipt && v.Peer >= 0 {
				lines = append(lines, fmt.Sprintf("sent in step %d", v.Other))
			}
			s.note(v.To, v.To, lines)
			arrow = ""
		case isLost(*v):
			arrow = "-x"
		case v.Kind == view.Sending:
			arrow = "-)"
		}
		if arrow != "" {
			s.line("  l%d%sl%d: %s", v.From+1, arrow, v.To+1, mermaidLines(lines, s.text))
		}
		if f := c.Loop; f != nil && f.Last == i {
			s.line("  end")
		}
	}
	if len(c.End) > 0 {
		s.note(0, len(c.Lanes)-1, c.End)
	}
	if utf8.RuneCountInString(s.b.String()) > maxMermaidText {
		abort.On(fmt.Errorf("diagram: a sequence chart of %s: %w", printable.Quantity(len(c.Events), "event"), errTooLarge))
	}
	return s.b.String()
}

// sequenceDiagram is the state of writing a chart for Mermaid.
type sequenceDiagram struct {
	b strings.Builder
	c *view.Chart
}

func (s *sequenceDiagram) line(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }

// text escapes a text for Mermaid as in flowcharts, and also the word "end", which would end a
// frame.
func (s *sequenceDiagram) text(text string) string {
	text = mermaidText(text)
	var b strings.Builder
	for at := 0; at < len(text); {
		if len(text)-at >= 3 && strings.EqualFold(text[at:at+3], "end") && (at == 0 || !isWord(text, at-1)) && !isWord(text, at+3) {
			fmt.Fprintf(&b, "#%d;%s", text[at], text[at+1:at+3])
			at += 3
			continue
		}
		b.WriteByte(text[at])
		at++
	}
	if b.Len() == 0 {
		return "#34;#34;"
	}
	return b.String()
}

// note writes a note over lanes.
func (s *sequenceDiagram) note(from, to int, lines []string) {
	from, to = min(from, to), max(from, to)
	over := fmt.Sprintf("l%d", from+1)
	if to > from {
		over += fmt.Sprintf(",l%d", to+1)
	}
	s.line("  Note over %s: %s", over, mermaidLines(lines, s.text))
}
