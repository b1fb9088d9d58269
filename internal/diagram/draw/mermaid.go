package draw

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Bounds of a picture in Mermaid. Hosts scale such a picture to the width of a column of text.
const (
	// MaxMermaidNodes is the largest number of nodes. With more nodes, the picture would be unreadable.
	MaxMermaidNodes = 60
	// maxMermaidText bounds the characters of a picture. It is below the 50,000 of Mermaid's
	// setting maxTextSize, beyond which Mermaid shows an error.
	maxMermaidText = 45_000
	// maxMermaidLabel is the length, in runes, at which labels are cut.
	maxMermaidLabel = 40
)

// errTooLarge is the error of a picture that is too large for Mermaid.
var errTooLarge = errors.New("too large for Mermaid, which draws a few dozen states well; write an SVG")

// graphMermaid returns a graph in the language of Mermaid. It fails with errTooLarge if the graph has more
// than [MaxMermaidNodes] nodes or its text is too long. Cost O(size of g).
func graphMermaid(g *view.Graph, direction RankDir) (string, error) {
	tooLarge := fmt.Errorf("%s: %w", sizeText(g), errTooLarge)
	if len(g.Nodes) > MaxMermaidNodes {
		return "", tooLarge
	}
	f := &flowchart{names: make(map[lts.State]string, len(g.Nodes))}
	keyword := "TD"
	if direction == leftRight {
		keyword = "LR"
	}
	f.line("flowchart %s", keyword)
	f.nodes(g)
	for _, a := range g.Arrows {
		f.arrow(g, a)
	}
	for _, gap := range g.Gaps {
		lines := gapLines(gap, "steps ")
		lines[0] += ", not shown"
		f.link(gap.From, gap.To, "==>", "stroke-width:4px,stroke-dasharray:2 4", lines)
	}
	for _, s := range f.styles.All {
		f.line("  linkStyle %s %s", strings.Join(s.links, ","), s.style)
	}
	for _, class := range mermaidClasses {
		if strings.Contains(f.text.String(), ":::"+class.name+"\n") {
			f.line("  classDef %s %s", class.name, class.style)
		}
	}
	text := f.text.String()
	if utf8.RuneCountInString(text) > maxMermaidText {
		return "", tooLarge
	}
	return text, nil
}

// flowchart writes a graph in the language of Mermaid.
type flowchart struct {
	text  strings.Builder
	names map[lts.State]string // of nodes
	// styles are the styles of arrows, in the order of their first use. Mermaid refers to arrows by
	// their numbers; links is the number of arrows so far.
	styles intern.List[string, linkStyle]
	links  int
}

// linkStyle is a style, with the numbers of the arrows that have it.
type linkStyle struct {
	style string
	links []string
}

func (f *flowchart) line(format string, args ...any) {
	fmt.Fprintf(&f.text, format+"\n", args...)
}

// nodes writes the states. The text of a stub becomes part of its state, since a node for it would take
// as much room as a state.
func (f *flowchart) nodes(g *view.Graph) {
	hidden := map[lts.State][]string{}
	for _, s := range g.Stubs {
		hidden[s.State] = append(hidden[s.State], stubText(s)+" out")
	}
	for _, a := range g.Ahead {
		hidden[a.State] = append(hidden[a.State], aheadText(a, maxMermaidLabel))
	}
	for i, n := range g.Nodes {
		f.names[n.State] = fmt.Sprintf("s%d", i)
		lines, form, class := mermaidNode(n, hidden[n.State])
		if class != "" {
			class = ":::" + class
		}
		f.line("  %s%s%s%s%s", f.names[n.State], form.left, mermaidLines(lines, mermaidText),
			form.right, class)
	}
}

// arrow writes an arrow. Its form, style and words show its class.
func (f *flowchart) arrow(g *view.Graph, a view.Arrow) {
	form := "-->"
	style := "stroke:" + middleGrey
	class := ""
	switch {
	case a.Side == view.NewVersion:
		style = "stroke:" + blue
	case a.Side == view.OldVersion:
		form = "-.->"
		style = "stroke:" + vermillion + ",stroke-dasharray:5 4"
	case !g.Classified:
		style = ""
	case a.Class == fate.Correct:
		style = "stroke:" + blue
		class = "(correct)"
	case a.Class == fate.Incorrect:
		form = "-.->"
		style = "stroke:" + vermillion + ",stroke-dasharray:5 4"
		class = "(incorrect)"
	case a.Class == fate.Excluded:
		form = "-.->"
		style += ",stroke-dasharray:1 4"
		class = "(excluded)"
	}
	if a.OnRun {
		form = "==>"
		style = strings.TrimPrefix(style+",stroke-width:4px", ",")
	}
	if a.Better {
		class = strings.TrimSpace(class + " (better choice)")
	}
	lines := g.Lines(a, maxMermaidLabel)
	if class != "" {
		line := len(lines)
		if a.NoReturn {
			line-- // put this line before the last one, which names the point of no return
		}
		lines = slices.Insert(lines, line, class)
	}
	f.link(a.From, a.To, form, style, lines)
}

func (f *flowchart) link(from, to lts.State, form, style string, lines []string) {
	f.line(`  %s %s|"%s"| %s`, f.names[from], form, mermaidLines(lines, mermaidText),
		f.names[to])
	if style != "" {
		s := &f.styles.All[f.styles.Index(style, linkStyle{style: style})]
		s.links = append(s.links, fmt.Sprint(f.links))
	}
	f.links++
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

// shape is the text before and after the label of a node. It determines the form of the node.
type shape struct{ left, right string }

var (
	circle       = shape{`(("`, `"))`}
	doubleCircle = shape{`((("`, `")))`}
	stadium      = shape{`(["`, `"])`}
	hexagon      = shape{`{{"`, `"}}`}
)

// mermaidNode returns the lines of a node, its shape and its style. The last lines are about its hidden
// transitions.
func mermaidNode(n view.Node, hidden []string) (lines []string, form shape, class string) {
	switch {
	case n.End == view.Stuck:
		form = doubleCircle
	case n.End == view.Elsewhere:
		form = stadium
	default:
		form = circle
	}
	switch {
	case n.End != view.NoEnd:
		return []string{endNodes[n.End].text(n.Hidden)}, form, endNodes[n.End].class
	case n.Before:
		return []string{"runs begin"}, form, ""
	case n.OnRun:
		class = "run"
	}
	lines = []string{n.Name}
	if n.Initial || n.Merged > 1 || len(hidden) > 0 {
		form = stadium // a circle around several lines is large
	}
	if n.Deadlock {
		form = doubleCircle
		if n.Merged < 2 {
			lines = append(lines, "deadlock")
		}
	}
	decision := n.DecisionText()
	if decision != "" {
		class = map[string]string{
			paleBlue:   "correct",
			paleOrange: "incorrect",
			paleYellow: "mixed",
		}[fillOf(n)]
		form = stadium
		if n.Turn != view.NoTurn {
			form = hexagon
		}
		lines = append(lines, decision)
	}
	for _, text := range []string{n.Size(), n.InsideSteps()} {
		if text != "" {
			lines = append(lines, text)
		}
	}
	if n.Initial {
		lines = append(lines, "initial")
	}
	return append(lines, hidden...), form, class
}

// mermaidLines returns printable lines as one text between double quotes. The function escape escapes
// each line.
func mermaidLines(lines []string, escape func(string) string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = escape(line)
	}
	return strings.Join(escaped, "<br/>")
}

// mermaidText returns a printable text for Mermaid. Every character that could mean something to
// Mermaid, to the Markdown and HTML in its texts, or to the surrounding block of Markdown becomes an
// entity, which Mermaid writes as #number;. Letters, digits, blanks and a few other characters remain
// as they are.
func mermaidText(text string) string {
	text = placeholders.Replace(text)
	var b strings.Builder
	for i, r := range text {
		switch {
		case r >= utf8.RuneSelf || isWord(text, i) || strings.ContainsRune(" ,!()", r):
			b.WriteRune(r)
		case r == ':' && strings.HasPrefix(text[i:], ": "):
			// A colon before a blank is safe: in addresses and names of icons, no blank follows a
			// colon.
			b.WriteRune(r)
		case (r == '_' || r == '-') && isInsideWord(text, i):
			// Elsewhere, the sign could begin emphasis, an arrow or a list.
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

// isInsideWord reports whether ASCII letters or digits surround the character at this position.
func isInsideWord(text string, at int) bool {
	return at > 0 && isWord(text, at-1) && isWord(text, at+1)
}

// chartMermaid returns a sequence chart in the language of Mermaid, as [Mermaid] writes a
// flowchart: loops are frames, decisions notes. Mermaid has no slanting arrows, so a
// receipt is a note that names the step that sent the message.
//
// It ends with errTooLarge if the text is too long. Cost O(size of c).
func chartMermaid(c *view.Chart) (string, error) {
	m := &mermaidChart{c: c}
	m.line("sequenceDiagram")
	for i, lane := range c.Lanes {
		m.line("  participant l%d as %s", i+1, sequenceText(laneName(lane)))
	}
	for i := range c.Events {
		if f := c.Loop; f != nil && f.First == i {
			m.line("  loop forever")
		}
		m.event(&c.Events[i])
		if f := c.Loop; f != nil && f.Last == i {
			m.line("  end")
		}
	}
	for _, missing := range c.Missing {
		lines := missingLines(missing)
		m.note(missing.Lane, missing.Lane, []string{lines[0].text, lines[1].text})
	}
	if len(c.End) > 0 {
		m.note(0, len(c.Lanes)-1, c.End)
	}
	text := m.b.String()
	if utf8.RuneCountInString(text) > maxMermaidText {
		return "", fmt.Errorf("diagram: a sequence chart of %s: %w",
			printable.Quantity(len(c.Events), "event"), errTooLarge)
	}
	return text, nil
}

// mermaidChart is the text of a sequence chart while it is written.
type mermaidChart struct {
	c *view.Chart
	b strings.Builder
}

func (m *mermaidChart) line(format string, args ...any) {
	fmt.Fprintf(&m.b, format+"\n", args...)
}

// note writes a note over the lanes from first to last.
func (m *mermaidChart) note(first, last int, lines []string) {
	over := fmt.Sprintf("l%d", first+1)
	if last > first {
		over += fmt.Sprintf(",l%d", last+1)
	}
	m.line("  Note over %s: %s", over, mermaidLines(lines, sequenceText))
}

// event writes an event, after the decision in the state before it. Events of a single lane and
// receipts are notes.
func (m *mermaidChart) event(v *view.Event) {
	if len(v.Decision) > 0 {
		m.note(slices.Min(v.Deciders), slices.Max(v.Deciders), v.Decision)
	}
	var lines []string
	for _, line := range eventLines(v) {
		lines = append(lines, line.text)
	}
	lines[0] = stepNumbers(v) + ": " + lines[0]
	isAlone := v.Kind == view.Action && v.From == v.To
	switch {
	case v.Kind == view.Unshown:
		m.note(0, len(m.c.Lanes)-1, lines)
	case v.Kind == view.Receipt:
		if v.Peer >= 0 {
			lines = append(lines, fmt.Sprintf("sent in step %d", v.Other))
		}
		m.note(v.To, v.To, lines)
	case isAlone:
		m.note(v.To, v.To, lines)
	default:
		m.line("  l%d%sl%d: %s", v.From+1, arrowOf(v), v.To+1,
			mermaidLines(lines, sequenceText))
	}
}

// arrowOf returns the arrow of a message.
func arrowOf(v *view.Event) string {
	switch {
	case isLost(*v):
		return "-x"
	case v.Kind == view.Sending:
		return "-)"
	}
	return "->>"
}

// sequenceText escapes a text for Mermaid as in flowcharts, and also the word "end", which would end a
// frame.
func sequenceText(text string) string {
	text = mermaidText(text)
	var b strings.Builder
	for i := 0; i < len(text); {
		isEnd := len(text)-i >= 3 && strings.EqualFold(text[i:i+3], "end")
		isInsideWord := i > 0 && isWord(text, i-1) || isWord(text, i+3)
		if isEnd && !isInsideWord {
			fmt.Fprintf(&b, "#%d;%s", text[i], text[i+1:i+3])
			i += 3
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	if b.Len() == 0 {
		return "#34;#34;" // two quotation marks, since Mermaid needs a text
	}
	return b.String()
}
