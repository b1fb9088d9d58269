package pagetest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/tools/browsertest"
)

// wordy has more text than fits anywhere: its property, captions and command scroll.
func wordy(t testing.TB) *explain.Explanation {
	var edges []edge
	var names []string
	for i := range 25 {
		name := strings.Repeat(string(rune('A'+i)), 60)
		names = append(names, name)
		edges = append(edges, edge{0, name, 1})
	}
	edges = append(edges, edge{0, "BAD", 2}, edge{1, "OK", 1})
	return specimens.Asked(t, modelOf(t, 3, edges), "Inev({"+strings.Join(names, ", ")+"}, OK)", explain.Options{Source: explain.Source{File: "wordy.aut"}})
}

// TestBrowserIsAccessible: axe-core finds nothing serious, in light and dark, on
// large and small screens, as the page opens and with all that can be opened.
func TestBrowserIsAccessible(t *testing.T) {
	t.Parallel()
	holds := func(t testing.TB) *explain.Explanation {
		return specimens.Asked(t, modelOf(t, 2, []edge{{0, "A", 1}, {1, "B", 0}}), "Inev(A)", explain.Options{Source: explain.Source{File: "good.aut"}})
	}
	for name, explanation := range map[string]func(testing.TB) *explain.Explanation{
		"travel": travel, "junction": junction, "courier": courier, "wordy": wordy, "holds": holds,
	} {
		text := written(t, explanation(t), page.Options{Command: strings.Fields("inev explain " + strings.Repeat("word ", 400)), Version: "v1"})
		for scheme, width := range map[string]int64{"light": 390, "dark": 1280} {
			b := browsertest.Open(t, text, screen(width), browsertest.Look("prefers-color-scheme", scheme))
			b.Accessible(name + ", " + scheme)
			clickOn(b, `svg .node.state text`)
			b.Run(chromedp.Evaluate(`document.querySelectorAll(".node.stub").forEach(s => s.dispatchEvent(new MouseEvent("click", {bubbles: true})))`, nil))
			// The other colours at once: nothing but contrast depends on them.
			b.Run(browsertest.Look("prefers-color-scheme", map[string]string{"light": "dark", "dark": "light"}[scheme]))
			b.Accessible(name + ", not " + scheme + ", with what can be opened")
		}
	}
}

// TestBrowserScrollsByKeyboard: what scrolls can be reached by Tab and moved by the
// arrow keys; what does not scroll is no stop.
func TestBrowserScrollsByKeyboard(t *testing.T) {
	t.Parallel()
	long := written(t, wordy(t), page.Options{Command: strings.Fields("inev " + strings.Repeat("word ", 400))})
	b := browsertest.Open(t, long, screen(800))
	b.Press(kb.Home, "j")
	const stops = `[...document.querySelectorAll("[data-scrolls]")].filter(e => e.tabIndex === 0).map(e => e.getAttribute("aria-label")).join("|")`
	const scrolling = `[...document.querySelectorAll("[data-scrolls]")].filter(e => e.scrollHeight > e.clientHeight + 1).map(e => e.dataset.scrolls).join("|")`
	if b.Value(scrolling) == "" {
		t.Fatal("nothing scrolls")
	}
	b.Until(stops + " === " + scrolling)
	b.Run(chromedp.Focus("pre[data-scrolls]", chromedp.ByQuery))
	b.PressUntil(`document.querySelector("pre[data-scrolls]").scrollTop > 0`, kb.ArrowDown)
	b.Want(position, "1 / 1")

	b = browsertest.Open(t, pageAbout(t, agency), screen(1280))
	b.Want(stops, "")
}
