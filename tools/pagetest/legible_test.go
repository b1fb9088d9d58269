package pagetest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/tools/browsertest"
)

// forbidding is about a step that may not happen, so that its picture has arrows that are crossed out.
func forbidding(t testing.TB) *explain.Explanation {
	m := modelOf(t, 5, []edge{{0, "REQ", 1}, {1, "OK", 0}, {1, "CRASH", 2}, {2, "REQ", 3}, {3, "OK", 4}})
	return specimens.Asked(t, m, "Never(CRASH)", explain.Options{Source: explain.Source{File: "forbidding.aut"}})
}

// holding is about a property that holds, with choices that are slow.
func holding(t testing.TB) *explain.Explanation {
	m := modelOf(t, 4, []edge{{0, "BEGIN", 1}, {1, "DONE", 3}, {1, "SLOW", 2}, {2, "DONE", 3}})
	return specimens.Asked(t, m, "Inev(DONE)", explain.Options{Source: explain.Source{File: "holding.aut"}})
}

// smallest is the size of the smallest letters of the picture, in pixels.
const smallest = `Math.min(...[...document.querySelectorAll("#viewport svg text")].filter(e => e.checkVisibility()).map(e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a))`

// TestBrowserIsLegible: each text, field and line has contrast in light and dark, in all pictures, as the page
// opens, at both ends of the run, and with the facts of a state; pictures open so that their smallest letters
// can be read.
func TestBrowserIsLegible(t *testing.T) {
	t.Parallel()
	for name, explanation := range map[string]func(testing.TB) *explain.Explanation{
		"agency": agency, "travel": travel, "junction": junction, "courier": courier, "forbidding": forbidding, "holding": holding,
	} {
		text := written(t, explanation(t), page.Options{Command: []string{"inev"}, Version: "v1"})
		for scheme, width := range map[string]int64{"light": 1280, "dark": 390} {
			b := browsertest.Open(t, text, screen(width), browsertest.Look("prefers-color-scheme", scheme))
			for _, other := range []string{scheme, map[string]string{"light": "dark", "dark": "light"}[scheme]} {
				b.Run(browsertest.Look("prefers-color-scheme", other))
				b.Legible(name + ", " + other)
				b.Press(kb.End)
				b.Legible(name + " at the end, " + other)
				b.Press(kb.Home)
			}
			b.Value(`document.querySelectorAll("details").forEach(d => d.open = true)`)
			for _, shown := range strings.Fields(b.Value(`[...document.querySelectorAll("#views [data-view]")].map(v => v.dataset.view).join(" ")`)) {
				clickOn(b, `#views [data-view="`+shown+`"]`)
				if b.Value(smallest+" >= 9.9") != "true" {
					t.Errorf("%s, %s, %d pixels wide: the smallest letters have %s", name, shown, width, b.Value(smallest))
				}
				clickOn(b, `#viewport .view:not([hidden]) .node.state text`)
				b.Legible(name + ", " + shown)
			}
		}
	}
}
