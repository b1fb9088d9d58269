package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/tools/browsertest"
)

// long writes a page with the engine about a model of 402 states; besides the file, the page carries
// next to nothing of them.
func long(t *testing.T) string {
	t.Helper()
	folder, err := playground()
	if err != nil {
		t.Fatal(err)
	}
	var model bytes.Buffer
	fmt.Fprint(&model, "des (0, 403, 402)\n(0, \"BAD\", 401)\n(400, \"GOOD\", 400)\n(400, \"<b>BACK</b>\", 0)\n")
	for i := range 400 {
		fmt.Fprintf(&model, "(%d, \"STEP !%d\", %d)\n", i, i, i+1)
	}
	m, _, err := aut.Read(t.Context(), bytes.NewReader(model.Bytes()), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := formula.Parse(t.Context(), "Inev(GOOD)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(t.Context(), m, f, explain.Options{Source: explain.Source{File: "long.aut"}})
	if err != nil {
		t.Fatal(err)
	}
	tour, err := view.NewTour(t.Context(), e, 1500)
	if err != nil {
		t.Fatal(err)
	}
	engine := graphviz.New(1, "")
	defer engine.Close()
	p, err := page.New(t.Context(), engine, e, tour, page.Options{Engine: os.DirFS(folder), Model: model.Bytes(), ModelName: "long.aut"})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	file := filepath.Join(t.TempDir(), "long.html")
	if err := p.Write(t.Context(), &text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestWalkBeyond: one walks wherever one wants through a model, though the page shows next to nothing of
// it: the engine in the page knows it all. Nobody else is asked.
func TestWalkBeyond(t *testing.T) {
	const (
		head   = `document.getElementById("off-head").textContent`
		moves  = `[...document.querySelectorAll("#off-moves li")].map(l => l.innerText.replace(/\s+/g, " ").trim()).join("|")`
		answer = `document.getElementById("off-answer").innerText.replace(/\s+/g, " ")`
		told   = `document.getElementById("off-told").textContent`
	)
	b := browsertest.OpenFile(t, long(t), emulation.SetDeviceMetricsOverride(1280, 900, 1, false), browsertest.Offline())
	b.Want(`document.querySelectorAll("#off-why option").length < 100 && performance.getEntriesByType("resource").length === 0`, "true") // it sleeps
	b.Run(chromedp.SendKeys("#off-state", "250"+kb.Enter, chromedp.ByQuery))
	b.Until(head + ` === "State 250 0 of 1 done"`)
	b.Want(`document.getElementById("off-length").textContent`, "250 steps from the initial state, 0 of them taken here.")
	b.Until(moves + ` === "? STEP !250 → state 251 keeps the property possible"`)
	b.Run(chromedp.Focus("#off-moves button", chromedp.ByQuery))
	b.Press(kb.Enter)
	b.Until(moves + ` === "? STEP !251 → state 252 keeps the property possible"`)
	b.Until(`document.activeElement.innerText.includes("STEP !251")`)
	b.Run(chromedp.Focus("#off-why", chromedp.ByQuery))
	b.Until(`document.querySelectorAll("#off-why option").length === 404`) // 403 labels
	b.Fill("#off-why", "<b>BACK</b>")
	b.Run(chromedp.Evaluate(`document.getElementById("off-why").dispatchEvent(new Event("change", {bubbles: true}))`, nil))
	b.Until(answer + `.includes("<b>BACK</b> is not possible here. The nearest place with it is state 400, 149 transitions on")`)
	b.Click("#off-answer button")
	b.Until(moves + `.startsWith("✓ GOOD → state 400 makes the property certain|? <b>BACK</b> → state 0 keeps the property possible")`)
	b.Want(`document.querySelectorAll("#off b").length`, "0")
	b.Accessible("a walk by the engine")
	b.Fill("#off-state", "777")
	b.Click("#off-go")
	b.Until(told + `.startsWith("No run comes to a state 777")`)
	// It answers other questions as before.
	askInside(b, "Inev(BAD)")
	b.Want(inText+`.startsWith("long.aut violates Inev(BAD)")`, "true")
}
