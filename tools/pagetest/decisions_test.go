package pagetest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/tools/browsertest"
)

// TestBrowserCountsDecisionsAlike: the hexagons, the steps that are marked, the button and the
// explanation have the same number of decisions.
func TestBrowserCountsDecisionsAlike(t *testing.T) {
	t.Parallel()
	for _, of := range []func(testing.TB) *explain.Explanation{agency, courier, travel, crossing, crowded} {
		e := of(t)
		b := browsertest.Open(t, pageAbout(t, of))
		want := fmt.Sprint(len(e.Decisions))
		b.Want(`document.querySelectorAll("#steps .mark-decision").length`, want)
		b.Want(`document.querySelector('[data-mode="abstracted"]').textContent`, "Decisions only ("+want+")")
		states := map[string]bool{}
		for _, d := range e.Decisions {
			states[e.Name(d.State)] = true
		}
		if len(states) > 0 {
			b.Run(chromedp.Evaluate(`document.querySelector('#views [data-view="excerpt"]')?.click()`, nil))
		}
		b.Want(`document.querySelectorAll("#viewport svg .node.decision").length`, fmt.Sprint(len(states)))
	}
}

// TestBrowserGoesRoundTheLoop: the arrow to the right never ends on a loop.
func TestBrowserGoesRoundTheLoop(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, courier)) // its loop are steps 4 and 5
	b.Press(kb.End)
	b.Want(position, "5 / 5")
	b.Want(`document.getElementById("next").disabled`, "false")
	b.Press(kb.ArrowRight)
	b.Want(position, "4 / 5")
}

// TestBrowserOpensWalks: a walk off the run has an address, which leads to it.
func TestBrowserOpensWalks(t *testing.T) {
	t.Parallel()
	text := pageAbout(t, agency)
	b := browsertest.Open(t, text)
	b.Click("#off-moves li:first-child button")
	b.Until(`location.hash.includes("walk=1.0")`)
	head := b.Value(`document.getElementById("off-head").textContent`)
	b = openAt(t, text, "walk=1.0")
	b.Want(`document.getElementById("off-head").textContent`, head)
	b = openAt(t, text, "walk=1.99")
	b.Want(said, "The address asks for a walk that this page cannot go.")
}

// TestBrowserOpensBetterChoices: what would have been better is a link to where it leads.
func TestBrowserOpensBetterChoices(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, agency))
	b.Click("section.why [data-open]")
	b.Want(beside, "State 2")
}
