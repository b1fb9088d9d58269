package pagetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/tools/browsertest"
)

// inLanes returns a page with a sequence chart.
func inLanes(t testing.TB) string {
	edges := []edge{{0, "ASK", 1}, {1, "HEAR", 2}, {2, "OTHER <b>", 3}, {3, "DONE", 3}, {3, "REFUSE", 4}}
	const last = 24
	for i := lts.State(4); i < last; i++ {
		edges = append(edges, edge{i, fmt.Sprintf("THINK%d", i), i + 1})
	}
	e := specimens.Asked(t, modelOf(t, last+1, append(edges, edge{last, "REFUSE", last})), "Inev(DONE)", explain.Options{Source: explain.Source{File: "lanes.aut"}})
	thoughts := ""
	for i := 4; i < last; i++ {
		thoughts += fmt.Sprintf("THINK%d\tagency\n", i)
	}
	lanes, err := view.ReadLanes(context.Background(), strings.NewReader("ASK\tthe <client>\tagency\tHEAR\nREFUSE\tagency\tthe <client>\nDONE\tagency\n"+thoughts), "lanes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	c, err := view.NewChart(e, lanes, view.ChartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	tour, err := view.NewTour(ctx, e, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := page.New(ctx, inside, e, tour.WithChart(c), page.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.Write(ctx, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestBrowserShowsSequenceChart: the tab has the chart, which follows the walk through the
// run and leads it, by mouse and by keyboard, and axe-core finds nothing.
func TestBrowserShowsSequenceChart(t *testing.T) {
	t.Parallel()
	text := inLanes(t)
	const shown = `document.querySelector("#viewport svg .chart") !== null`
	const now = `[...document.querySelectorAll("#viewport svg .now")].map(e => e.id).join(" ")`
	for scheme, width := range map[string]int64{"light": 390, "dark": 1280} {
		b := browsertest.Open(t, text, screen(width), browsertest.Look("prefers-color-scheme", scheme))
		b.Want("String("+shown+")", "false")
		clickOn(b, `#views button[data-view="lanes"]`)
		b.Until(shown)
		b.Want(`[...document.querySelectorAll("#viewport .lane text")].map(e => e.textContent).join("|")`, "the <client>|agency|elsewhere")
		b.Want(`document.querySelector("#viewport #event-3 text").textContent`, "OTHER <b>")
		b.Run(chromedp.Evaluate(`document.activeElement.blur()`, nil))
		b.Press(kb.Home, "j")
		b.Want(now, "wire-1 event-1")
		b.Press("j", "j")
		b.Want(now, "event-3")
		clickOn(b, `#viewport #event-2 text`)
		b.Want(position, "2 / 25")
		b.Want(now, "wire-1 event-2")
		b.Legible("sequence chart, " + scheme)
		b.Accessible("sequence chart, " + scheme)
	}
	b := browsertest.Open(t, text, screen(1280))
	clickOn(b, `#views button[data-view="lanes"]`)
	const seen = `(() => { const [box, frame] = [document.querySelector("#viewport .now.transition").getBoundingClientRect(), document.querySelector("#viewport").getBoundingClientRect()];
		return box.top >= frame.top && box.bottom <= frame.bottom; })()`
	b.Press(kb.End)
	b.Until(seen)
	b.Press(kb.Home, "j")
	b.Until(seen)
	b.Want(`document.querySelector("#omitted").textContent.includes('1 label is in no lane of lanes.tsv: "OTHER <b>"') + ""`, "true")
}
