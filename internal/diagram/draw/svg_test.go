package draw

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/testing/compiledonce"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// inside is the Graphviz of all tests, which ends with them.
var inside = graphviz.New(100, compiledonce.Folder())

func svgOf(t *testing.T, e *explain.Explanation, v view.Options, o ...Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := SVG(context.Background(), inside, &b, graphOf(t, e, v), append(o, Options{})[0]); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// element is one start tag of an SVG.
type element struct {
	name       string
	attributes map[string]string
}

// elements checks that an SVG is well-formed, and returns its start tags.
func elements(t *testing.T, svg string) []element {
	t.Helper()
	var all []element
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if token == nil {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{token.Name.Local, map[string]string{}}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			all = append(all, e)
		case xml.Comment, xml.Directive, xml.ProcInst:
			t.Errorf("the picture holds %#v", token)
		}
	}
}

// TestSVGIsHarmless: every picture has known elements and attributes only, and
// nothing that refers to anything.
func TestSVGIsHarmless(t *testing.T) {
	e := explained(t, hostile(t), hostileFile, hostileFormula)
	for _, o := range []struct {
		view.Options
		drawn Options
	}{
		{view.Options{Kind: view.Auto}, Options{}}, {view.Options{Kind: view.Excerpt}, Options{}}, {view.Options{Kind: view.Neighbourhoods}, Options{}},
		{view.Options{Kind: view.Quotient}, Options{}}, {view.Options{}, Options{Layout: "fdp"}},
	} {
		svg := svgOf(t, e, o.Options, o.drawn)
		ids := map[string]bool{}
		for _, e := range elements(t, svg) {
			if !slices.Contains(svgElements, e.name) {
				t.Errorf("there is an element %s", e.name)
			}
			for name, value := range e.attributes {
				if !slices.Contains([]string{"role", "textLength", "lengthAdjust"}, name) && !slices.Contains(svgAttributes, name) {
					t.Errorf("there is an attribute %s", name)
				}
				if strings.Contains(value, "url(") || strings.Contains(value, "script") {
					t.Errorf("%s is %q", name, value)
				}
			}
			if e.name == "text" && e.attributes["textLength"] == "" {
				t.Errorf("a browser does not know the width of %v", e.attributes)
			}
			if id := e.attributes["id"]; id != "" && ids[id] {
				t.Errorf("two elements are called %s", id)
			} else {
				ids[id] = true
			}
		}
		if strings.ContainsAny(svg, "\x00\x1b\r\u202e\u2066\u200b\ufeff") {
			t.Error("there are control characters")
		}
	}
}

// hostileLines are those of an arrow of the hostile model, of which all are incorrect:
// the first one of each pair is step i+1 of the counterexample.
func hostileLines(i, j int, text string) []string {
	a := view.Arrow{Labels: []view.Label{{Text: text, Times: 1 + j}}, Meaning: fate.Incorrect}
	if j == 0 {
		a.Steps, a.OnRun = []int{i + 1}, true
	}
	return (&view.Graph{Classified: true}).Lines(a, view.LabelLength)
}

// TestSVGShowsTextsAsTheyAre looks for every text of the hostile model.
func TestSVGShowsTextsAsTheyAre(t *testing.T) {
	shown := svgTexts(t, svgOf(t, explained(t, hostile(t), hostileFile, hostileFormula), view.Options{}))
	for i, text := range hostileLabels {
		for j, version := range []string{text, text + "!"} {
			line := hostileLines(i, j, version)[0]
			if !slices.Contains(shown, strings.TrimSpace(line)) {
				t.Errorf("%q is not shown; what is:\n%q", line, shown)
			}
		}
	}
}

// groups returns the classes of all that has an identifier.
func groups(t *testing.T, svg string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, e := range elements(t, svg) {
		if id := e.attributes["id"]; id != "" {
			found[id] = strings.Fields(e.attributes["class"])
		}
	}
	return found
}

func wantClasses(t *testing.T, found map[string][]string, want map[string]string) {
	t.Helper()
	for id, classes := range want {
		got := found[id]
		if id == "" || got == nil {
			t.Errorf("there is no %s", id)
			continue
		}
		if text := strings.Join(got[1:], " "); text != classes {
			t.Errorf("%s has the classes %q, want %q", id, text, classes)
		}
	}
}

// TestIdentifiers holds the comment on the package against a picture.
func TestIdentifiers(t *testing.T) {
	found := groups(t, svgOf(t, explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), view.Options{}))
	wantClasses(t, found, map[string]string{
		"state-0":      "state initial on-run",
		"state-1":      "state on-run",
		"state-2":      "state on-run decision could-be-saved",
		"state-3":      "state",
		"entry":        "entry",
		"transition-1": "transition neutral from-0 to-1 on-run step-1",
		"transition-2": "transition neutral from-1 to-2 on-run loop step-2",
		"transition-3": "transition neutral from-2 to-1 on-run loop step-3",
		"transition-4": "transition correct from-2 to-3 better",
		"transition-5": "transition incorrect from-2 to-4",
	})
	found = groups(t, svgOf(t, explained(t, figure2(t), "", "Inev(A, B, C)"), view.Options{Kind: view.Excerpt}))
	wantClasses(t, found, map[string]string{
		"state-4":      "state deadlock on-run",
		"transition-4": "transition neutral from-2 to-4 on-run no-return step-3",
		"stub-1":       "stub out from-3",
		"stub-arrow-1": "stub out from-3",
	})
	found = groups(t, svgOf(t, explained(t, longRun(t), "", "Inev(DONE)"), view.Options{Kind: view.Excerpt}))
	wantClasses(t, found, map[string]string{"gap-1": "gap on-run from-10 to-119 first-11 last-119"})
	found = groups(t, svgOf(t, explained(t, hostile(t), "", "Inev(DONE)"), view.Options{}))
	wantClasses(t, found, map[string]string{"transition-2": "transition incorrect from-0 to-1 bundle"})
	found = groups(t, svgOf(t, answer(t, specimens.Checked, lasso(t), "", "Inev(DONE)"), view.Options{}))
	wantClasses(t, found, map[string]string{"transition-4": "transition unclassified from-2 to-3"})
	found = groups(t, svgOf(t, unfolded(t), view.Options{Kind: view.Whole}))
	if _, is := found["state-1·0"]; !is {
		t.Errorf("states of the unfolded model are not called by their names: %v", found)
	}
}

// TestTitles: a picture tells in words what it shows.
func TestTitles(t *testing.T) {
	svg := svgOf(t, explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), view.Options{})
	for _, want := range []string{
		"<title>lasso.aut; Inev(DONE); violated: a run of 3 transitions goes round a loop forever; 5 states, 7 transitions</title>",
		"<title>state 2, decision: could be saved, on the counterexample</title>",
		"<title>2 to 4, incorrect: BREAK</title>",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("there is no %s", want)
		}
	}
}

// TestFromTheInstalledGraphviz: another Graphviz gives the same identifiers.
func TestFromTheInstalledGraphviz(t *testing.T) {
	installedDot(t, "digraph {}", "-Tcanon")
	e := explained(t, lasso(t), "lasso.aut", "Inev(DONE)")
	var theirPicture strings.Builder
	if err := SVG(context.Background(), graphviz.Installed("dot"), &theirPicture, graphOf(t, e, view.Options{}), Options{}); err != nil {
		t.Fatal(err)
	}
	ours, theirs := groups(t, svgOf(t, e, view.Options{})), groups(t, theirPicture.String())
	for id, classes := range ours {
		if !slices.Equal(classes, theirs[id]) {
			t.Errorf("%s has the classes %q, and %q by the installed Graphviz", id, classes, theirs[id])
		}
	}
}

func TestCleanRefusesWhatDoesNotBelong(t *testing.T) {
	for _, content := range []string{
		`<script>alert(1)</script>`, `<image/>`, `<foreignObject/>`, `<style>a{}</style>`, `<svg:g/>`, `<use/>`, `<set/>`,
	} {
		if out, err := clean([]byte("<svg>"+content+"</svg>"), "", 0); err == nil {
			t.Errorf("%s becomes %s", content, out)
		}
	}
	out, err := clean([]byte(`<?xml version="1.0"?><!DOCTYPE svg PUBLIC "x" "http://x"><!-- c --><svg onload="x" style="y">`+
		`<g id="a_n"><a xlink:href="javascript:x" xlink:title="&lt;n&gt;"><text href="z" x="1">a&amp;b</text></a></g>`+
		`<g id="n"><title>internal</title><path d="M0,0"/></g></svg>`), `t"`, 0)
	want := `<svg role="graphics-document"><title>t&quot;</title>` + "\n" + `<text x="1">a&amp;b</text>` + "\n" +
		`<g id="n"><title>&lt;n&gt;</title>` + "\n" + `<path d="M0,0"/>` + "\n</g>\n</svg>\n"
	if err != nil || string(out) != want {
		t.Errorf("clean returns\n%s\nwant\n%s\nerror %v", out, want, err)
	}
	if _, err := clean([]byte("<svg><g"), "", 0); err == nil {
		t.Error("what is cut off is no error")
	}
}

func TestPNG(t *testing.T) {
	e := explained(t, lasso(t), "lasso.aut", "Inev(DONE)")
	box := regexp.MustCompile(`viewBox="0.00 0.00 ([0-9]+)`).FindStringSubmatch(svgOf(t, e, view.Options{}))
	width := 0
	for _, digit := range box[1] {
		width = 10*width + int(digit-'0')
	}
	for scale, want := range map[float64]int{0: 2 * width, 1: width, 3: 3 * width} {
		var b bytes.Buffer
		if err := PNG(context.Background(), inside, &b, graphOf(t, e, view.Options{}), Options{Scale: scale}); err != nil {
			t.Fatal(err)
		}
		image, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		if got := image.Bounds().Dx(); got < want || got > want+3 {
			t.Errorf("in scale %v the image is %d wide, want %d", scale, got, want)
		}
	}
	var b bytes.Buffer
	if err := PNG(context.Background(), inside, &b, graphOf(t, e, view.Options{}), Options{Scale: 1000}); err == nil || !strings.Contains(err.Error(), "SVG") || b.Len() > 0 {
		t.Errorf("error is %v", err)
	}
}

func TestModelPictures(t *testing.T) {
	var b bytes.Buffer
	g := graphOfModel(t, figure2(t), "figure2.aut", view.Options{})
	if err := SVG(context.Background(), inside, &b, g, Options{}); err != nil {
		t.Fatal(err)
	}
	wantClasses(t, groups(t, b.String()), map[string]string{"transition-1": "transition unclassified from-0 to-1"})
	b.Reset()
	if err := PNG(context.Background(), inside, &b, g, Options{}); err != nil || !bytes.HasPrefix(b.Bytes(), []byte("\x89PNG")) {
		t.Errorf("error is %v", err)
	}
}

// TestLayoutLimit: a layout that takes too long proposes what does not.
func TestLayoutLimit(t *testing.T) {
	var b bytes.Buffer
	e := explained(t, lasso(t), "lasso.aut", "Inev(DONE)")
	err := SVG(context.Background(), inside, &b, graphOf(t, e, view.Options{}), Options{Limit: time.Nanosecond})
	if !errors.Is(err, errLimit) || !strings.Contains(err.Error(), "choose the excerpt") || b.Len() > 0 {
		t.Errorf("error is %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := SVG(ctx, inside, &b, graphOf(t, e, view.Options{}), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if err := SVG(context.Background(), inside, brokenWriter{}, graphOf(t, e, view.Options{}), Options{}); !errors.Is(err, errBroken) {
		t.Errorf("error is %v", err)
	}
}
