package pagetest

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	statetable "github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/report/page"
	"github.com/inev-lts/inev/tools/browsertest"
)

// TestBrowserTellsValues: where a table of states is known, the rows of a run, what is said
// beside the picture and the nodes of the run tell values, and the walk what is pending.
func TestBrowserTellsValues(t *testing.T) {
	ctx := context.Background()
	m := modelOf(t, 3, []edge{{0, "REQ", 1}, {1, "TRY", 2}, {2, "FAIL", 1}, {2, "ACK", 0}})
	table, err := statetable.ReadTSV(ctx, strings.NewReader("0\ttries=0\tup=yes\n1\ttries=0\tup=yes\n2\ttries=1\tup=yes\n"), "m.tsv", 3)
	if err != nil {
		t.Fatal(err)
	}
	f, err := formula.Parse(ctx, "Response(REQ; ACK)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{Source: explain.Source{File: "m.aut", States: table}})
	if err != nil {
		t.Fatal(err)
	}
	b := browsertest.Open(t, written(t, e, page.Options{}))
	b.Want(`[...document.querySelectorAll("#steps .values")].map(v => v.textContent).join("|")`, "tries = 0, up = yes|tries = 1|tries = 0")
	b.Press(kb.Home)
	b.Press(kb.ArrowRight)
	b.Press(kb.ArrowRight)
	b.Want(`String(document.getElementById("caption").textContent.includes("Now tries = 1."))`, "true")
	b.Click(`#views [data-view="excerpt"]`)
	b.Want(`[...document.querySelectorAll(".view:not([hidden]) #state-2 text")].map(t => t.textContent).join("|")`, "2|tries = 1|up = yes")
	b.Want(`[...document.querySelectorAll("#off-past option")].filter(o => o.textContent === "").length.toString()`, "0")
}
