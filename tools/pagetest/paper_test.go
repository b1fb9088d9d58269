package pagetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/tools/browsertest"
)

// long is a run of 200 steps that is decided at its end; two steps of the property
// are done on the way.
func long(t testing.TB) *explain.Explanation {
	const n = 200
	var edges []edge
	for i := range lts.State(n) {
		label := fmt.Sprintf("STEP !%d", i)
		if i == 99 {
			label = "HALF"
		}
		edges = append(edges, edge{i, label, i + 1})
	}
	edges = append(edges, edge{n - 1, "OK", n + 1}, edge{n + 1, "OK", n + 1})
	return specimens.Asked(t, modelOf(t, n+2, edges), "Inev(HALF, OK)", explain.Options{Source: explain.Source{File: "/a/folder/long.aut"}})
}

const printedRowsShown = `[...document.querySelectorAll("#steps-print .row")].map(r => (r.querySelector(".cell-number").textContent + " " + r.querySelector(".cell-text").textContent).trim()).join("|")`

// TestBrowserPrintsTheStory: paper gets the name of the model and the steps that
// tell the story, not every row.
func TestBrowserPrintsTheStory(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, long(t), page.Options{}), browsertest.Look("prefers-color-scheme", "dark"))
	b.Click("#zoom-in")
	before := b.Value(viewBox)
	b.Run(chromedp.Evaluate(`void addEventListener("beforeprint", () => { window.seen = `+printedRowsShown+`; })`, nil))
	var pdf []byte
	b.Run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = cdppage.PrintToPDF().WithPrintBackground(true).Do(ctx)
		return err
	}))
	if !strings.HasPrefix(string(pdf), "%PDF-") {
		t.Error("what is printed is no PDF")
	}
	if pages := strings.Count(string(pdf), "/Type /Page\n"); pages == 0 || pages > 4 {
		t.Errorf("it takes %d pages", pages)
	}
	b.Until(`window.seen`)
	b.Want(`window.seen`, "start|1 STEP !0|2 STEP !1|3 STEP !2|… 96 steps|100 HALF|… 97 steps|198 STEP !197|199 STEP !198|200 STEP !199|■ deadlock: here the run ends")
	b.Until(printedRowsShown + ` === ""`)
	b.Want(viewBox, before)

	b.Run(emulation.SetEmulatedMedia().WithMedia("print"))
	b.Run(chromedp.Evaluate(`void dispatchEvent(new Event("beforeprint"))`, nil))
	b.Want(background, "rgb(255, 255, 255)")
	b.Want(`document.querySelector(".bar-file").innerText`, "/a/folder/long.aut")
	b.Want(`(r => r.width > 50 && r.height > 5)(document.querySelector(".bar-file").getBoundingClientRect())`, "true")
	b.Want(`[...document.querySelectorAll(".controls, .skip, .legend, .player, .places, #steps")].filter(e => e.getBoundingClientRect().height > 0).length`, "0")
	b.Want(`document.documentElement.scrollWidth <= innerWidth`, "true")
	b.Want(`(r => r.width <= innerWidth && r.height > 100)(document.querySelector("#viewport svg").getBoundingClientRect())`, "true")
}

// TestBrowserPrintsShortRunsWhole: what is short is not cut.
func TestBrowserPrintsShortRunsWhole(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, agency))
	b.Run(chromedp.Evaluate(`void dispatchEvent(new Event("beforeprint"))`, nil))
	b.Want(printedRowsShown, "start|1 ASK|2 REFUSE|■ deadlock: here the run ends")
}

// TestBrowserWithoutAfterprint: not every browser says that printing is over, and
// whoever walks on must not notice.
func TestBrowserWithoutAfterprint(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, long(t), page.Options{}))
	const rows = `document.querySelectorAll("#steps .row").length`
	b.Click(`#views [data-view="excerpt"]`)
	b.Press(kb.End) // what is at hand is in view from now on
	before := b.Value(viewBox)
	b.Run(chromedp.Evaluate(`void dispatchEvent(new Event("beforeprint"))`, nil))
	b.Want(rows+" < 60", "true")
	b.Click(`[data-mode="abstracted"]`)
	b.Want(position, "200 / 200")
	b.Want(rows, "3") // a gap, the decision, the end
	b.Want(`document.querySelectorAll("#steps-print .row").length`, "0")
	b.Want(viewBox, before)
	b.Click(`[data-mode="full"]`)
	b.Press("k")
	b.Want(position, "199 / 200")
}
