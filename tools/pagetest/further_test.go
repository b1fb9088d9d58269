package pagetest

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/report/page/serve"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/tools/browsertest"
)

// served returns the page of an explanation as a server has it, open in a browser.
func served(t *testing.T, e *explain.Explanation) *browsertest.Tab {
	t.Helper()
	return servedWith(t, e, 0)
}

// servedWith is [served] for a page with so many bytes of surroundings.
func servedWith(t *testing.T, e *explain.Explanation, maxSurroundings int64) *browsertest.Tab {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	tour, err := view.NewTour(ctx, e, maxSurroundings)
	if err != nil {
		t.Fatal(err)
	}
	p, err := page.New(ctx, inside, e, tour, page.Options{Served: true})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := p.Write(ctx, &text); err != nil {
		t.Fatal(err)
	}
	s, err := serve.New(e, text.Bytes(), 0)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, time.Hour) }()
	t.Cleanup(func() { stop(); <-ended })
	return browsertest.OpenURL(t, s.URL(), screen(1280))
}

// TestBrowserShowsWhatTheRunTakes: among many better choices the one of the run is visible, and ways on name a
// label once that comes several times in a row.
func TestBrowserShowsWhatTheRunTakes(t *testing.T) {
	t.Parallel()
	edges := []edge{{0, "BAD", 1}, {1, "i", 2}, {2, "i", 3}, {3, "STOP", 3}}
	for i := range lts.State(12) {
		edges = append(edges, edge{0, fmt.Sprintf("GOOD !%d", i), 4})
	}
	edges = append(edges, edge{4, "i", 5}, edge{5, "i", 6}, edge{6, "i", 7}, edge{7, "DONE", 8})
	e := specimens.Asked(t, modelOf(t, 9, edges), "Inev(DONE)", explain.Options{Source: explain.Source{File: "wide.aut"}})
	b := served(t, e)
	b.Want(`[...document.querySelectorAll("#off-moves button.move")].filter(b => b.innerText.includes("the run takes it")).map(b => b.querySelector("code").textContent).join()`, "BAD")
	b.Want(`document.querySelectorAll("#off-moves button.move").length`, "8")
	b.Click("#off-moves .more")
	b.Want(`document.querySelectorAll("#off-moves button.move").length`, "13")
	b.Click("#off-fork")
	b.Until(`document.querySelectorAll("#off-fork-answer ol").length === 2`)
	b.Want(`[...document.querySelectorAll("#off-fork-answer ol")].map(l => [...l.children].map(s => s.innerText).join(" ")).join("; ")`, "GOOD !0 i ×3 DONE; BAD i ×2 STOP")
	b.Want(`document.getElementById("off-fork-answer").innerText.includes("in 4 steps; forever again the last step:")`, "true")
}

// TestBrowserAsksFurther: the buttons for another counterexample and for a new fork.
func TestBrowserAsksFurther(t *testing.T) {
	t.Parallel()
	edges := []edge{{0, "START", 1}, {1, "BAD", 2}, {1, "GOOD", 3}, {1, "<b>LOSE</b>", 4}}
	e := specimens.Asked(t, modelOf(t, 5, edges), "Inev(GOOD)", explain.Options{Source: explain.Source{File: "two.aut"}})
	b := served(t, e)
	b.Click("#another")
	b.Until(`document.querySelectorAll("#others-list p").length === 1`)
	b.Want(`document.getElementById("others-list").innerText.includes("Run 2, of 2 transitions: START, <b>LOSE</b>: deadlock in state 4. It never takes BAD from state 1 to state 2 (step 2 above).")`, "true")
	b.Want(`document.getElementById("another").disabled`, "false")
	b.Click("#another")
	b.Until(`document.querySelectorAll("#others-list p").length === 2`)
	b.Until(`document.getElementById("another-told").innerText === "These are all."`)
	b.Want(`document.getElementById("another").disabled`, "true")

	b.Click("#off-fork")
	b.Until(`document.querySelectorAll("#off-fork-answer ol").length === 2`)
	b.Want(`document.getElementById("off-fork-answer").innerText.includes("The nearest way on that satisfies the property")`, "true")
	b.Want(`document.querySelectorAll("#off-fork-answer b, #others-list b").length`, "0")
}
