package draw

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// sequenceCharts are those of the golden files.
func sequenceCharts(t testing.TB) map[string]*view.Chart {
	t.Helper()
	return map[string]*view.Chart{
		"chart_figure2":  chartBy(t, explained(t, figure2(t), "figure2.aut", "Inev(A, B, C)"), "/^([ABC])/"),
		"chart_lasso":    chartBy(t, explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), "/^(.).*(.)$/"),
		"chart_hostile":  chartBy(t, explained(t, hostile(t), hostileFile, hostileFormula), `/^(?s)(.?.?)/`),
		"chart_messages": messages(t),
		"chart_long":     chartBy(t, explained(t, longRun(t), "long.aut", "Inev(DONE)"), "/^(.)/"),
	}
}

func chartBy(t testing.TB, e *explain.Explanation, pattern string) *view.Chart {
	t.Helper()
	lanes, err := view.ParseLanes(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return chartIn(t, e, lanes)
}

func chartIn(t testing.TB, e *explain.Explanation, lanes *view.Lanes) *view.Chart {
	t.Helper()
	c, err := view.NewChart(e, lanes, view.ChartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// messages has messages that are received, later, in a later round, and never.
func messages(t testing.TB) *view.Chart {
	m := model(t, 6, edge{0, "REQ !a", 1}, edge{1, "REQ !b", 2}, edge{2, "GOT", 3}, edge{3, "ANSWER", 4}, edge{4, "GOT", 5}, edge{5, "REQ !c", 2}, edge{3, "DONE", 3})
	lanes, err := view.ReadLanes(context.Background(), strings.NewReader("REQ\tclient\tserver\tGOT\nANSWER\tserver\tthe <archive> & all\tKEPT\nDONE\tserver\n"), "lanes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	return chartIn(t, explained(t, m, "messages.aut", "Inev(DONE)"), lanes)
}

func svgOfChart(t testing.TB, c *view.Chart, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := SVG(context.Background(), nil, &b, c, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestChartGolden(t *testing.T) {
	files := golden.All(t, "testdata/chart_*")
	for name, c := range sequenceCharts(t) {
		files.Check(t, filepath.Join("testdata", name+".svg"), svgOfChart(t, c, Options{}))
		var b bytes.Buffer
		if err := Mermaid(&b, c, ""); err != nil {
			t.Fatal(err)
		}
		files.Check(t, filepath.Join("testdata", name+".mermaid"), b.Bytes())
	}
}

// TestChartSVGIsHarmless: nothing is in a chart but what draws, whatever labels hold, and
// every step and lane can be found.
func TestChartSVGIsHarmless(t *testing.T) {
	for name, c := range sequenceCharts(t) {
		drawn := svgOfChart(t, c, Options{FontSize: 14})
		d := xml.NewDecoder(bytes.NewReader(drawn))
		texts, ids := 0, map[string]bool{}
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			start, is := token.(xml.StartElement)
			if !is {
				continue
			}
			if !slices.Contains(svgElements, start.Name.Local) {
				t.Errorf("%s has an element %s", name, start.Name.Local)
			}
			for _, a := range start.Attr {
				if !slices.Contains(append([]string{"role", "textLength", "lengthAdjust"}, svgAttributes...), a.Name.Local) {
					t.Errorf("%s has an attribute %s", name, a.Name.Local)
				}
				if a.Name.Local == "id" && ids[a.Value] {
					t.Errorf("%s has the identifier %s twice", name, a.Value)
				}
			}
			ids[attribute(start, "id")] = true
			if start.Name.Local == "text" {
				texts++
			}
		}
		for i, v := range c.Events {
			if !ids[fmt.Sprintf("event-%d", i+1)] {
				t.Errorf("%s lacks event %d", name, i+1)
			}
			if v.Peer >= 0 && v.Kind == view.Sending && !ids[fmt.Sprintf("wire-%d", i+1)] {
				t.Errorf("%s lacks the arrow of event %d", name, i+1)
			}
		}
		if texts < len(c.Lanes)+2*len(c.Events) {
			t.Errorf("%s has %d texts for %d events", name, texts, len(c.Events))
		}
	}
}

// TestChartPNG: what is drawn as SVG can be drawn as pixels.
func TestChartPNG(t *testing.T) {
	for name, c := range sequenceCharts(t) {
		var b bytes.Buffer
		if err := PNG(context.Background(), nil, &b, c, Options{Scale: 0.5}); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if _, err := png.Decode(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestChartsFit: no text of a chart goes beyond its sheet, and texts in lanes beside each
// other do not meet.
func TestChartsFit(t *testing.T) {
	for name, c := range sequenceCharts(t) {
		s := newSheet(c, Options{})
		for i := range s.laneX[1:] {
			half := func(lane int) float64 { return s.width(laneName(c.Lanes[lane]), s.size.state, true) / 2 }
			if s.laneX[i]+half(i) > s.laneX[i+1]-half(i+1) {
				t.Errorf("%s: lanes %d and %d meet", name, i+1, i+2)
			}
		}
		for i := range c.Events {
			v := &c.Events[i]
			if v.Kind == view.Unshown {
				continue
			}
			width := s.widest(eventLines(v))
			if from, to := min(v.From, v.To), max(v.From, v.To); from != to && width > s.laneX[to]-s.laneX[from] {
				t.Errorf("%s: event %d is wider than its arrow", name, i+1)
			} else if from == to && (s.laneX[from]-width/2 < s.left || s.laneX[from]+width/2 > s.right) {
				t.Errorf("%s: event %d goes beyond the lanes", name, i+1)
			}
		}
	}
}

var (
	chartMessage = regexp.MustCompile(`^  l\d+(->>|-\)|-x)l\d+: (` + chartText + `)$`)
	chartNote    = regexp.MustCompile(`^  Note over l\d+(,l\d+)?: (` + chartText + `)$`)
	chartLane    = regexp.MustCompile(`^  participant l\d+ as (` + chartText + `)$`)
)

func TestChartMermaidIsHarmless(t *testing.T) {
	for name, c := range sequenceCharts(t) {
		var b bytes.Buffer
		if err := Mermaid(&b, c, ""); err != nil {
			t.Fatal(err)
		}
		open := 0
		for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
			switch {
			case i == 0 && line == "sequenceDiagram":
			case line == "  loop forever":
				open++
			case line == "  end":
				open--
			case chartMessage.MatchString(line), chartNote.MatchString(line), chartLane.MatchString(line):
			default:
				t.Errorf("%s: line %d is %q", name, i+1, line)
			}
		}
		if open != 0 || strings.Contains(b.String(), "`") {
			t.Errorf("%s: frames or the block do not end where they should", name)
		}
	}
}

// TestChartMermaidHasNoEnd: a word that ends a frame is none.
func TestChartMermaidHasNoEnd(t *testing.T) {
	for text, want := range map[string]string{
		"end": "#101;nd", "the End": "the #69;nd", "ENDED": "ENDED", "bend": "bend", "a end b": "a #101;nd b", "": "#34;#34;", "a;b": "a#59;b", "append": "append",
	} {
		if got := sequenceText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestChartMermaidTooLarge(t *testing.T) {
	c := &view.Chart{Lanes: []view.Lane{{Name: "a"}}}
	for i := range 5000 {
		c.Events = append(c.Events, view.Event{First: i + 1, Last: i + 1, Label: "SOMETHING", Peer: -1})
	}
	if err := Mermaid(io.Discard, c, ""); !errors.Is(err, errTooLarge) {
		t.Error(err)
	}
}

// TestLostMessagesEndBetweenLines: a cross stands at no line of a lane.
func TestLostMessagesEndBetweenLines(t *testing.T) {
	for _, test := range []struct {
		lanes          []float64
		from, to, want float64
	}{
		{[]float64{0, 100}, 0, 100, 50},
		{[]float64{0, 100}, 100, 0, 50},
		{[]float64{0, 50, 100}, 0, 100, 40},
		{[]float64{0, 50, 100}, 100, 0, 60},
		{[]float64{0, 30, 90}, 0, 90, 45},
		{[]float64{0, 10, 45, 90}, 0, 90, 5},
		{[]float64{0, 70, 140}, 0, 140, 60},
	} {
		s := &sheet{laneX: test.lanes, unit: 10 / (crossArm + clearance)}
		if got := s.endUnderWay(test.from, test.to, nil); got != test.want {
			t.Errorf("%v, from %v to %v: %v, want %v", test.lanes, test.from, test.to, got, test.want)
		}
	}
}

// passage is a message of random charts: who sends it, and how its steps are called.
type passage struct{ send, from, to, receive string }

// randomMessages returns the chart of a run in which messages are sent, overtake each other, and are lost.
func randomMessages(t *testing.T, r *rand.Rand) *view.Chart {
	t.Helper()
	lanes := []string{"a", "the bank", "client", "d", "a lane with a long name"}[:2+r.IntN(4)]
	word := func(n int) string { return strings.Repeat("WORD_", 1+r.IntN(n)) + strconv.Itoa(r.IntN(100)) }
	var table strings.Builder
	var all []passage
	for i := range 1 + r.IntN(6) {
		from := r.IntN(len(lanes))
		p := passage{fmt.Sprintf("S%d_%s", i, word(6)), lanes[from], lanes[(from+1+r.IntN(len(lanes)-1))%len(lanes)], fmt.Sprintf("R%d_%s", i, word(6))}
		all = append(all, p)
		fmt.Fprintf(&table, "%s\t%s\t%s\t%s\n", p.send, p.from, p.to, p.receive)
	}
	both := word(5)
	fmt.Fprintf(&table, "BOTH_%s\t%s\t%s\nALONE\t%s\n", both, lanes[0], lanes[1], lanes[r.IntN(len(lanes))])
	var edges []edge
	do := func(label string) { edges = append(edges, edge{len(edges), label, len(edges) + 1}) }
	var sent []passage
	for range 4 + r.IntN(20) {
		switch p := all[r.IntN(len(all))]; r.IntN(9) {
		case 0, 1, 2, 3:
			do(p.send)
			sent = append(sent, p)
		case 4, 5, 6:
			if len(sent) > 0 {
				p = sent[r.IntN(len(sent))]
			}
			do(p.receive)
		case 7:
			do("BOTH_" + both)
		default:
			do("ALONE")
		}
	}
	edges = append(edges, edge{0, "DONE", 0})
	read, err := view.ReadLanes(context.Background(), strings.NewReader(table.String()), "lanes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	return chartIn(t, explained(t, model(t, len(edges), edges...), "random.aut", "Inev(DONE)"), read)
}

// drawn is what a reader of a chart sees: lines and texts, each with the classes of the elements around it.
type drawn struct {
	class, text string
	// The ends of a line, or the corners of the room that a text takes.
	x1, y1, x2, y2 float64
}

// drawnIn reads a picture.
func drawnIn(t *testing.T, picture []byte) (lines, texts []drawn) {
	t.Helper()
	d, classes := xml.NewDecoder(bytes.NewReader(picture)), []string{}
	number := func(e xml.StartElement, name string) float64 {
		n, err := strconv.ParseFloat(attribute(e, name), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return lines, texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.CharData:
			if n := len(texts); n > 0 && texts[n-1].text == "" {
				texts[n-1].text = string(e)
			}
		case xml.StartElement:
			classes = append(classes, attribute(e, "class"))
			x := drawn{class: strings.Join(classes, " ")}
			if e.Name.Local == "path" {
				if _, err := fmt.Sscanf(attribute(e, "d"), "M%f,%fL%f,%f", &x.x1, &x.y1, &x.x2, &x.y2); err != nil {
					t.Fatal(err)
				}
				lines = append(lines, x)
			}
			if e.Name.Local == "text" {
				size, width := number(e, "font-size"), number(e, "textLength")
				x.x1, x.y2 = number(e, "x")-map[string]float64{"start": 0, "middle": width / 2, "end": width}[attribute(e, "text-anchor")], number(e, "y")
				x.x2, x.y1 = x.x1+width, x.y2-0.7*size
				texts = append(texts, x)
			}
		case xml.EndElement:
			classes = classes[:len(classes)-1]
		}
	}
}

// passes reports whether a line passes through a rectangle.
func (d drawn) passes(x1, y1, x2, y2 float64) bool {
	// The part of the line, from 0 to 1, that lies between two sides, and then between the others.
	first, last := 0.0, 1.0
	for _, side := range [][4]float64{{d.x1, d.x2, x1, x2}, {d.y1, d.y2, y1, y2}} {
		if side[0] == side[1] {
			if side[0] <= side[2] || side[0] >= side[3] {
				return false
			}
			continue
		}
		a, b := (side[2]-side[0])/(side[1]-side[0]), (side[3]-side[0])/(side[1]-side[0])
		first, last = max(first, min(a, b)), min(last, max(a, b))
	}
	return first < last
}

// TestChartsAreClear: no arrow of a message that takes its time passes through the text of another event, or
// through the cross of a message that is lost; no cross stands at the line of a lane; and no text meets another.
func TestChartsAreClear(t *testing.T) {
	crosses, passed, flights := 0, 0, 0
	for seed := range randomlts.Share(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := randomMessages(t, r)
		lines, texts := drawnIn(t, svgOfChart(t, c, Options{NoCaption: true, FontSize: []float64{0, 9, 20}[r.IntN(3)]}))
		var wires, lanes []drawn
		for _, l := range lines {
			switch {
			case strings.Contains(l.class, "wire"):
				wires = append(wires, l)
			case strings.Contains(l.class, "lifeline"):
				lanes = append(lanes, l)
			}
		}
		flights += len(wires)
		for i, a := range texts {
			for _, b := range texts[:i] {
				if a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2 {
					t.Errorf("seed %d: %q meets %q", seed, a.text, b.text)
				}
			}
			if strings.Contains(a.class, "action") || strings.Contains(a.class, "ending") {
				continue // in a box
			}
			for _, w := range wires {
				if w.passes(a.x1, a.y1, a.x2, a.y2) {
					t.Errorf("seed %d: an arrow passes through %q", seed, a.text)
				}
				if min(w.y1, w.y2) < a.y1 && a.y2 < max(w.y1, w.y2) {
					passed++
				}
			}
		}
		for _, l := range lines {
			if !strings.Contains(l.class, "sending") || l.x1 >= l.x2 || l.y1 == l.y2 {
				continue // no part of a cross
			}
			crosses++
			low, high := min(l.y1, l.y2), max(l.y1, l.y2)
			for _, lane := range lanes {
				if lane.passes(l.x1-2, low, l.x2+2, high) {
					t.Errorf("seed %d: a cross at the line of a lane", seed)
				}
			}
			for _, w := range wires {
				if w.passes(l.x1, low, l.x2, high) {
					t.Errorf("seed %d: an arrow passes through a cross", seed)
				}
			}
		}
	}
	t.Logf("%d arrows, %d texts between their ends, %d lines of crosses", flights, passed, crosses)
	if n := int(randomlts.Share(500)); flights < n || passed < n || crosses < n {
		t.Errorf("%d arrows, %d texts between their ends, %d lines of crosses", flights, passed, crosses)
	}
}
