package replaytest

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/internal/counterexample/replay"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/tools/browsertest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.Close()
	os.Exit(code)
}

const hostile = "</summary><script>alert(1)</script>"

// written returns the page of a log with so many cases, of which texts are hostile, and long.
func written(t testing.TB, cases int) string {
	t.Helper()
	three := 3
	r := &replay.Result{ModelFile: "folder/m.aut", LogFile: "folder/" + strings.Repeat("orders", 20) + ".csv", Formula: "Response(REQ; ACK)", Warnings: []string{hostile}}
	for i := range cases {
		c := replay.CaseResult{Name: fmt.Sprint("order", i), Events: 4, Fits: i%3 == 2, Property: &replay.Judgement{Fate: fate.Open}}
		if i%3 == 0 {
			c.Property = &replay.Judgement{Fate: fate.Lost, Since: &three, Line: 5, Event: hostile}
		}
		if !c.Fits {
			c.Cost = 2
			c.Deviations = []replay.Deviation{
				{Event: 2, Line: 3, Label: hostile, Kind: replay.InLog, Possible: []string{"ACK", strings.Repeat("LONG_", 60)}, State: 1},
				{Event: 3, Line: 4, Label: "ACK", Next: "REQ", Kind: replay.InModel, State: 2},
			}
		}
		c.States = append(c.States, 1, 2)
		r.Cases = append(r.Cases, c)
	}
	r.Frequent = []replay.Frequency{{Kind: replay.InLog, Label: hostile, Deviations: 40, Cases: 12}, {Kind: replay.InModel, Label: strings.Repeat("LONG_", 60), Deviations: 3, Cases: 3}}
	var page bytes.Buffer
	if err := render.ReplayPage(&page, r); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func screen(width, height int64) chromedp.Action { return chromedp.EmulateViewport(width, height) }

const openAll = `document.querySelectorAll("details").forEach(d => d.open = true)`

// TestBrowserFitsPhones: nothing makes the page wider than the screen but tables, which move by
// themselves.
func TestBrowserFitsPhones(t *testing.T) {
	t.Parallel()
	for _, cases := range []int{1, 30} {
		b := browsertest.Open(t, written(t, cases), screen(360, 640))
		b.Run(chromedp.Evaluate(openAll, nil))
		b.Want(`document.documentElement.scrollWidth <= 360`, "true")
		b.Want(`[...document.querySelectorAll("main *:not(.scroll *)")].filter(e => e.getBoundingClientRect().right > 361).map(e => e.outerHTML).join()`, "")
	}
}

// TestBrowserIsAccessible: axe-core finds nothing serious, in light and dark, on large and small
// screens, as the page opens and with all that can be opened.
func TestBrowserIsAccessible(t *testing.T) {
	t.Parallel()
	for _, cases := range []int{1, 30} {
		for scheme, width := range map[string]int64{"light": 390, "dark": 1280} {
			b := browsertest.Open(t, written(t, cases), screen(width, 800), browsertest.Look("prefers-color-scheme", scheme))
			b.Legible(fmt.Sprint(cases, " cases, ", scheme))
			b.Accessible(fmt.Sprint(cases, " cases, ", scheme))
			b.Run(chromedp.Evaluate(openAll, nil))
			b.Run(browsertest.Look("prefers-color-scheme", map[string]string{"light": "dark", "dark": "light"}[scheme]))
			b.Legible(fmt.Sprint(cases, " cases, not ", scheme, ", with what can be opened"))
			b.Accessible(fmt.Sprint(cases, " cases, not ", scheme, ", with what can be opened"))
		}
	}
}

// TestBrowserOpensCasesByKeyboard: Tab goes to a case, and Enter opens it.
func TestBrowserOpensCasesByKeyboard(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, 3), screen(1280, 900))
	b.Run(chromedp.Focus("summary", chromedp.ByQuery))
	b.Press(kb.Enter)
	b.Until(`document.querySelector("details").open`)
	b.Want(`document.querySelector("details li").checkVisibility()`, "true")
	b.Press(kb.Tab)
	b.Want(`document.activeElement === document.querySelectorAll("summary")[1]`, "true")
}

// TestBrowserPrintsAll: on paper everything is open.
func TestBrowserPrintsAll(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, 3), screen(760, 1000), browsertest.Look("prefers-color-scheme", "dark"))
	const closed = `[...document.querySelectorAll("details *:not(br)")].filter(e => !e.checkVisibility({contentVisibilityAuto: true})).length`
	b.Want(closed+" > 0", "true")
	b.Run(emulation.SetEmulatedMedia().WithMedia("print"))
	b.Until(closed + ` === 0`)
}

// TestBrowserShowsHostileTexts: texts are text, and the policy of the page had nothing to stop.
func TestBrowserShowsHostileTexts(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, 3), screen(1280, 900))
	b.Want(`document.scripts.length`, "0")
	b.Want(`document.querySelector("main").textContent.includes("</summary><script>alert(1)</script>")`, "true")
}
