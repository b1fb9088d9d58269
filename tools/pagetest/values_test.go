package pagetest

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/tools/browsertest"
)

// TestBrowserTellsValues: where a table of states is known, the rows of a run, what is said
// beside the picture and the nodes of the run tell values, and the walk what is pending.
func TestBrowserTellsValues(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m := modelOf(t, 3, []edge{{0, "REQ", 1}, {1, "TRY", 2}, {2, "FAIL", 1}, {2, "ACK", 0}})
	table, err := lts.ReadValues(ctx, strings.NewReader("0\ttries=0\tup=yes\n1\ttries=0\tup=yes\n2\ttries=1\tup=yes\n"), "m.tsv", 3)
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
	b.Want(`String(document.getElementById("caption").textContent.includes("tries"))`, "false")
	b.Click(`#views [data-view="excerpt"]`)
	b.Want(`[...document.querySelectorAll(".view:not([hidden]) #state-2 text")].map(t => t.textContent).join("|")`, "2|tries = 1|up = yes")
	b.Want(`[...document.querySelectorAll("#off-past option")].filter(o => o.textContent === "").length.toString()`, "0")
}

// TestBrowserShowsTrees: the values of the state at hand are a tree, unfolded and marked where
// the last step has changed something, in the three widths in which pages are tried.
func TestBrowserShowsTrees(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m := modelOf(t, 2, []edge{{0, "PUT", 1}, {1, "GET", 1}})
	const values = "0\tqueue=<<>>\tpc=(\"a\" :> \"wait\" @@ \"b\" :> \"<<\")\tn=1\ts={3}\n1\tqueue=<<2>>\tpc=(\"a\" :> \"cs\" @@ \"b\" :> \"<<\")\tn=2\ts={3, 4, 5}\n"
	table, err := lts.ReadValues(ctx, strings.NewReader(values), "m.tsv", 2)
	if err != nil {
		t.Fatal(err)
	}
	f, err := formula.Parse(ctx, `G (queue = <<>>)`)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{Source: explain.Source{File: "m.aut", States: table}})
	if err != nil {
		t.Fatal(err)
	}
	b := browsertest.Open(t, written(t, e, page.Options{}))
	const lines = `[...document.querySelectorAll("#values li > details > summary, #values li:not(:has(> details))")].filter(l => l.checkVisibility()).map(l => l.textContent).join("|")`
	b.Press(kb.Home)
	b.Want(lines, `queue = <<>>|pc = ("a" :> "wait" @@ "b" :> "<<")|n = 1|s = {3}`)
	b.Press(kb.ArrowRight)
	b.Want(lines, `● changed: queue = <<2>> new: <<2>>|[1] = 2|pc = ("a" :> "cs" @@ "b" :> "<<")|● changed: ["a"] = "cs" was "wait"|["b"] = "<<"|● changed: n = 2|● changed: s = {3, 4, 5} new: 4 new: 5|3|4|5`)
	b.Want(`document.getElementById("values-head").textContent`, "Values in state 1")
	b.Want(`document.querySelector("#steps .row[aria-selected=true] .values").textContent`, `queue: + <<2>>, pc.a: "wait" → "cs", n = 2, s: + 4, 5`)
}
