package diagram

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/golden"
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
	if err := chartSVG(&b, c, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestChartGolden(t *testing.T) {
	files := golden.All(t, "testdata/chart_*")
	for name, c := range sequenceCharts(t) {
		files.Check(t, filepath.Join("testdata", name+".svg"), svgOfChart(t, c, Options{}))
		var b bytes.Buffer
		if err := chartMermaid(&b, c); err != nil {
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
		if err := chartPNG(&b, c, Options{Scale: 0.5}); err != nil {
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
		s, err := newSheet(c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.x[1:] {
			half := func(lane int) float64 { return s.width(laneName(c.Lanes[lane]), s.size.state, true) / 2 }
			if s.x[i]+half(i) > s.x[i+1]-half(i+1) {
				t.Errorf("%s: lanes %d and %d meet", name, i+1, i+2)
			}
		}
		for i := range c.Events {
			v := &c.Events[i]
			if v.Kind == view.Unshown {
				continue
			}
			width := s.widest(eventLines(v))
			if from, to := min(v.From, v.To), max(v.From, v.To); from != to && width > s.x[to]-s.x[from] {
				t.Errorf("%s: event %d is wider than its arrow", name, i+1)
			} else if from == to && (s.x[from]-width/2 < s.left || s.x[from]+width/2 > s.right) {
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
		if err := chartMermaid(&b, c); err != nil {
			t.Fatal(err)
		}
		open := 0
		for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
			switch {
			case i == 0 && line == "sequenceDiagram":
			case line == "  loop for ever":
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
	s := sequenceDiagram{}
	for text, want := range map[string]string{
		"end": "#101;nd", "the End": "the #69;nd", "ENDED": "ENDED", "bend": "bend", "a end b": "a #101;nd b", "": "#34;#34;", "a;b": "a#59;b", "append": "append",
	} {
		if got := s.text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestChartMermaidTooLarge(t *testing.T) {
	c := &view.Chart{Lanes: []view.Lane{{Name: "a"}}}
	for i := range 5000 {
		c.Events = append(c.Events, view.Event{First: i + 1, Last: i + 1, Label: "SOMETHING", Peer: -1})
	}
	if err := chartMermaid(io.Discard, c); !errors.Is(err, errTooLarge) {
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
	} {
		if got := endUnderWay(test.lanes, test.from, test.to, 10); got != test.want {
			t.Errorf("%v, from %v to %v: %v, want %v", test.lanes, test.from, test.to, got, test.want)
		}
	}
}
