package pagetest

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/tools/browsertest"
)

// TestBrowserTellsWhatIsPending: the rows of a run, and what is said beside the picture,
// tell where something comes to be pending, and where nothing is any more.
func TestBrowserTellsWhatIsPending(t *testing.T) {
	t.Parallel()
	m := modelOf(t, 4, []edge{{0, "REQ", 1}, {1, "ACK", 2}, {2, "REQ", 3}, {3, "WAIT", 3}})
	f, err := formula.Parse(context.Background(), "Response(REQ; ACK)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), m, f, explain.Options{Source: explain.Source{File: "m.aut"}})
	if err != nil {
		t.Fatal(err)
	}
	b := browsertest.Open(t, written(t, e, page.Options{}))
	b.Want(`[...document.querySelectorAll("#steps .mark-pending .mark-text, #steps .mark-done .mark-text")].map(m => m.textContent).join("|")`,
		"waiting for ACK since REQ|nothing pending|waiting for ACK since REQ")
	b.Press(kb.Home)
	b.Press(kb.ArrowRight)
	b.Want(`String(document.body.textContent.includes("From here on: waiting for ACK since REQ."))`, "true")
}
