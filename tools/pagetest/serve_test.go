package pagetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
)

// TestBrowserAsksTheServer: of a model of which the page carries next to nothing, one walks
// through all.
func TestBrowserAsksTheServer(t *testing.T) {
	t.Parallel()
	var edges []edge
	for i := range lts.State(400) {
		edges = append(edges, edge{i, fmt.Sprintf("STEP !%d", i), i + 1})
	}
	edges = append(edges, edge{0, "BAD", 401}, edge{400, "GOOD", 400}, edge{400, "<b>BACK</b>", 0})
	e := specimens.Asked(t, modelOf(t, 402, edges), "Inev(GOOD)", explain.Options{Source: explain.Source{File: "long.aut"}})
	b := servedWith(t, e, 1500)
	b.Until(`document.querySelectorAll("#off-why option").length === 404`) // 403 labels

	// Why not: from the whole model.
	b.Fill("#off-why", "<b>BACK</b>")
	b.Run(chromedp.Evaluate(`document.getElementById("off-why").dispatchEvent(new Event("change", {bubbles: true}))`, nil))
	b.Until(offAnswer + `.includes("<b>BACK</b> is not possible here. The nearest place with it is state 400, 400 transitions on")`)
	b.Click("#off-answer button") // there: what leaves it is asked for
	b.Until(offHead + ` === "State 400 0 of 1 done"`)
	b.Until(offMoves + `.startsWith("✓ GOOD → state 400 makes the property certain|? <b>BACK</b> → state 0 keeps the property possible")`)
	b.Want(`document.querySelectorAll("#off b").length`, "0")

	// To a state that the page knows nothing of, and on by keyboard.
	b.Run(chromedp.Evaluate(`document.getElementById("off-state").value = ""`, nil))
	b.Run(chromedp.SendKeys("#off-state", "250"+kb.Enter, chromedp.ByQuery))
	b.Until(offHead + ` === "State 250 0 of 1 done"`)
	b.Want(`document.getElementById("off-length").textContent`, "250 steps from the initial state, 0 of them taken here.")
	b.Until(offMoves + ` === "? STEP !250 → state 251 keeps the property possible"`)
	b.Run(chromedp.Focus("#off-moves button", chromedp.ByQuery))
	b.Press(kb.Enter)
	b.Until(offMoves + ` === "? STEP !251 → state 252 keeps the property possible"`)
	b.Until(`document.activeElement.innerText.includes("STEP !251")`)
	b.Press(kb.Enter)
	b.Until(offMoves + ` === "? STEP !252 → state 253 keeps the property possible"`)
	b.Fill("#off-state", "777")
	b.Click("#off-go")
	b.Until(`document.getElementById("off-told").textContent.startsWith("No run comes to a state 777")`)
	b.Run(chromedp.Evaluate(`performance.getEntriesByType("resource").every(r => r.name.startsWith(location.href.split("#")[0]))`, nil))
}

// TestBrowserTellsLabelsApart: where a property is about values of states, transitions of one label differ in what
// they do to it, also those that the server tells of later; the label is offered once.
func TestBrowserTellsLabelsApart(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const states = 400
	edges := []edge{{0, "STOP", 0}}
	var rows strings.Builder
	for i := range lts.State(states) {
		isDone := i == 300
		fmt.Fprintf(&rows, "%d\tdone=%t\n", i, isDone)
		edges = append(edges, edge{i, "STEP", min(i+1, states-1)})
	}
	table, err := lts.ReadValues(ctx, strings.NewReader(rows.String()), "m.tsv", states)
	if err != nil {
		t.Fatal(err)
	}
	f, err := formula.Parse(ctx, "F (done = true)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(ctx, modelOf(t, states, edges), f, explain.Options{Source: explain.Source{File: "m.aut", States: table}})
	if err != nil {
		t.Fatal(err)
	}
	b := servedWith(t, e, 1500)
	b.Until(`[...document.querySelectorAll("#off-why option")].slice(1).map(o => o.value).join("|") === "STEP|STOP"`)
	b.Fill("#off-state", "299")
	b.Click("#off-go")
	b.Until(offMoves + ` === "✓ STEP → state 300 the property stays certain"`)
	b.Want(offHead, "State 299 waiting for done = true")
	b.Fill("#off-why", "STEP")
	b.Run(chromedp.Evaluate(`document.getElementById("off-why").dispatchEvent(new Event("change", {bubbles: true}))`, nil))
	b.Until(offAnswer + `.startsWith("STEP is possible here")`)
	b.Click("#off-moves button")
	b.Until(offMoves + ` === "✓ STEP → state 301 the property stays certain"`)
	b.Want(offHead, "State 300 ")
}
