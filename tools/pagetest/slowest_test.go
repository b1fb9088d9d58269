package pagetest

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/tools/browsertest"
)

// TestBrowserWalksTheSlowestRun: of a property that holds, the slowest run is walked through like a
// counterexample: its steps, what would have been faster, and the picture go together.
func TestBrowserWalksTheSlowestRun(t *testing.T) {
	t.Parallel()
	m := modelOf(t, 4, []edge{{0, "BEGIN", 1}, {1, "DONE", 3}, {1, "SLOW", 2}, {2, "DONE", 3}})
	text := written(t, specimens.Asked(t, m, "Inev(DONE)", explain.Options{Source: explain.Source{File: "m.aut"}}), page.Options{})
	for scheme, width := range map[string]int64{"light": 390, "dark": 1280} {
		b := browsertest.Open(t, text, screen(width), browsertest.Look("prefers-color-scheme", scheme))
		// It begins where something would have been faster.
		b.Want(position, "2 / 3")
		b.Want(`document.querySelector("#steps [aria-selected=true] .cell-text").textContent`, "SLOW")
		b.Want(`document.querySelector("#caption").textContent`, "Step 2: SLOW from state 1 to state 2. DONE: 1 step left, not 2.")
		b.Want(`String(document.querySelectorAll("#steps .mark-decision").length)`, "1")
		b.Want(`String(document.querySelectorAll(".view svg .now").length > 0)`, "true")
		b.Press(kb.End)
		b.Want(position, "3 / 3")
		b.Until(`document.querySelector("#formula .goal-word").textContent === "done"`)
		b.Want(`String(document.querySelector("#steps .row-end .cell-text").textContent.startsWith("■ "))`, "true")
		b.Press(kb.Home)
		b.Want(position, "0 / 3")
		clickOn(b, `[data-mode="abstracted"]`)
		b.Want(position, "2 / 3")
		b.Accessible("slowest run, " + scheme)
		b.Want(`String(document.documentElement.scrollWidth <= innerWidth)`, "true")
	}
}
