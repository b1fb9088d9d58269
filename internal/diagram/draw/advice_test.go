package draw

import (
	"bytes"
	"context"
	"encoding/xml"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/diagram/typeface"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/testing/golden"
)

// TestAdviceGolden: what must never be taken, and the nearest correct run, as DOT.
func TestAdviceGolden(t *testing.T) {
	e := explained(t, figure2(t), "figure2.aut", "Inev(A, B, C)")
	for name, o := range map[string]view.Options{
		"advice_figure2": {Kind: view.Whole, Advice: true}, "advice_figure2_diff": {Kind: view.Diff},
	} {
		var b bytes.Buffer
		if err := DOT(&b, graphOf(t, e, o), Options{}); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, filepath.Join("testdata", name+".gv"), b.Bytes())
	}
}

// TestLegendOfNearRun: a run that was found where the search for the nearest one was stopped is a near one.
func TestLegendOfNearRun(t *testing.T) {
	e := explained(t, figure2(t), "figure2.aut", "Inev(A, B, C)")
	for near, want := range map[bool]string{false: "the nearest correct run", true: "a near correct run"} {
		e.Nearest.Near = near
		var b bytes.Buffer
		if err := DOT(&b, graphOf(t, e, view.Options{Kind: view.Diff}), Options{}); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"the nearest correct run", "a near correct run"} {
			if has := strings.Contains(b.String(), name+", where it is another one"); has != (name == want) {
				t.Errorf("near: %t: the legend says %q: %t", near, name, has)
			}
		}
	}
}

// TestForbiddenArrowsAreCrossedOut: each arrow that must never be taken has a cross, and no
// other one; so it is drawn as pixels, too.
func TestForbiddenArrowsAreCrossedOut(t *testing.T) {
	e := explained(t, figure2(t), "figure2.aut", "Inev(A, B, C)")
	for _, advised := range []bool{true, false} {
		g := graphOf(t, e, view.Options{Kind: view.Whole, Advice: advised})
		var svg, image bytes.Buffer
		if err := SVG(context.Background(), inside, &svg, g, Options{}); err != nil {
			t.Fatal(err)
		}
		if err := PNG(context.Background(), inside, &image, g, Options{}); err != nil {
			t.Fatal(err)
		}
		never := 0
		for _, a := range g.Arrows {
			if a.Never != "" {
				never++
			}
		}
		if advised != (never > 0) {
			t.Fatalf("%d arrows must never be taken", never)
		}
		crosses := strings.Count(svg.String(), `stroke-width="2.50"`)
		if crosses != 2*never {
			t.Errorf("%d strokes for %d arrows", crosses, never)
		}
		if marked := len(regexp.MustCompile(`class="[^"]* never[ "]`).FindAllString(svg.String(), -1)); marked != never {
			t.Errorf("%d arrows have the class, want %d", marked, never)
		}
		if has := strings.Contains(svg.String(), "crossed out: if all these are forbidden"); has != advised {
			t.Errorf("the legend explains it: %v", has)
		}
	}
}

// TestCrossesCoverNoLabel: a cross stands in the middle of its arrow or, if a label is there, beside the
// label, on the arrow.
func TestCrossesCoverNoLabel(t *testing.T) {
	picture := func(label string) []xml.Token {
		return readTokens(t, []byte(`<svg><g id="diagram" class="graph"><polygon points="0,0 200,0 200,100 0,100"/>`+
			`<g id="a" class="edge never"><path d="M0,50C40,50 80,50 120,50"/></g>`+
			`<g id="b" class="edge">`+label+`</g></g></svg>`))
	}
	for label, want := range map[string]point{
		"": {60, 50},
		`<text text-anchor="middle" x="60" y="56" font-size="10.00">LABEL</text>`: {30, 50},
	} {
		got := sketchOf(picture(label), typeface.Load()).crossings()
		if at := got["a"]; len(got) != 1 || at.y != want.y || math.Abs(at.x-want.x) > 6 {
			t.Errorf("with the label %q, the crosses are at %v, want about %v", label, got, want)
		}
	}
}
