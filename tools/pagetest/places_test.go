package pagetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/tools/browsertest"
)

const (
	states = `[...document.querySelectorAll("#places [data-index]")].map(r => r.firstChild.textContent).join()`
	counts = `document.getElementById("places-count").textContent`
	card   = `document.querySelector("#place h3").textContent`
)

func travel(t testing.TB) *explain.Explanation {
	m, _, err := aut.Open(context.Background(), "../../examples/travel/travel.aut", aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return specimens.Asked(t, m, "Inev(BOOKING_REC, TICKET_REC)", explain.Options{Source: explain.Source{File: "travel.aut"}})
}

func TestBrowserShowsDecisionPoints(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, travel))
	b.Want(counts, "23 in all")
	b.Want(card, "State 2 deciding state: lost here") // the one on the run
	for _, want := range []string{"ACCEPTANCE_EM → state 4", "REFUSAL_EM → state 3 taken by the run", "incorrect: from then on, no run satisfies", "2 steps"} {
		b.Want(`document.getElementById("place").textContent.includes("`+want+`")`, "true")
	}
	b.Want(`[...document.querySelectorAll("#place .path li")].map(l => l.textContent).join()`, "REQUEST_EM,REQUEST_REC")

	sort := func(column int) {
		b.Click(fmt.Sprintf("#places .head > :nth-child(%d) button", column))
	}
	sort(3)
	b.Want(`document.querySelector('[aria-sort="ascending"]').textContent`, "distance")
	b.Want(`(d => d.every((x, i) => i === 0 || d[i - 1] <= x))([...document.querySelectorAll("#places [data-index]")].map(r => Number(r.children[2].textContent)))`, "true")
	sort(3)
	b.Want(`(d => d.every((x, i) => i === 0 || d[i - 1] >= x))([...document.querySelectorAll("#places [data-index]")].map(r => Number(r.children[2].textContent)))`, "true")

	b.Fill("#places-kind", "mixed")
	b.Want(counts, "22 of 23")
	b.Fill("#places-kind", "incorrect")
	b.Want(states, "2")
	b.Fill("#places-kind", "")
	b.Run(chromedp.SendKeys("#places-filter", "acceptance_em", chromedp.ByQuery))
	b.Want(states, "2")
	b.Fill("#places-filter", "")
	b.Click("#places-run")
	b.Want(states, "2")
	b.Click("#places-run")
	b.Want(counts, "23 in all")

	// From the table to the run and to the picture, and back.
	b.Press(kb.Home)
	b.Click("#place .controls button:nth-of-type(1)")
	b.Want(position, "3 / 4")
	b.Click(`#views [data-view="whole"]`)
	b.Click("#places [data-index]:nth-child(3)")
	state := b.Value(`document.querySelector("#place h3").textContent.split(" ")[1]`)
	b.Click("#place .controls button:last-of-type")
	b.Want(`document.querySelector("svg .pointed").id`, "state-"+state)
	b.Run(chromedp.Evaluate(`document.querySelector('[id="state-92"] text').dispatchEvent(new MouseEvent("click", {bubbles: true}))`, nil))
	b.Want(card, "State 92 deciding state: saved or lost here")
}

// many returns an explanation with n neighbourhoods: a tree of choices, each of
// which can end well or badly.
func many(t testing.TB, n lts.State) *explain.Explanation {
	var edges []edge
	for i := range n {
		edges = append(edges, edge{i, fmt.Sprintf("GOOD !%d", i%7), n}, edge{i, "BAD", n + 1})
		for next := 40*i + 1; next <= 40*i+40 && next < n; next++ {
			edges = append(edges, edge{i, "GO", next})
		}
	}
	edges = append(edges, edge{n, "A", n})
	return specimens.Asked(t, modelOf(t, int(n)+2, edges), "Inev(A)", explain.Options{Source: explain.Source{File: "many.aut"}})
}

// TestBrowserHoldsManyDecisionPoints: a hundred thousand of them are rows of which
// only the visible ones exist.
func TestBrowserHoldsManyDecisionPoints(t *testing.T) {
	t.Parallel()
	const n = 100_000
	text := written(t, many(t, n), page.Options{})
	b := browsertest.Open(t, text)
	b.Want(counts, "100\u2009000 in all")
	const rows = `document.querySelectorAll("#places .row").length`
	const few = rows + ` > 5 && ` + rows + ` < 80`
	b.Want(few, "true")
	scroll := func(to string) {
		b.Run(chromedp.Evaluate(`void(document.querySelector("#places").scrollTop = `+to+`)`, nil))
	}
	scroll("1e9")
	b.Until(states + `.endsWith("99999")`)
	b.Want(few, "true")
	scroll("document.querySelector('#places').scrollHeight / 2")
	b.Until(states + `.includes("50000")`)

	b.Click("#places .head > :nth-child(1) button") // descending
	b.Until(states + `.startsWith("99999,99998")`)
	b.Run(chromedp.Focus("#places", chromedp.ByQuery))
	b.Press(kb.End)
	b.Want(card, "State 0 deciding state: saved or lost here")
	b.Press(kb.Home, kb.PageDown, kb.ArrowDown, kb.ArrowUp)
	b.Want(card, "State 99989 deciding state: saved or lost here")
	b.Run(chromedp.SendKeys("#places-filter", "good !3", chromedp.ByQuery))
	b.Until(counts + ` === "14\u2009286 of 100\u2009000"`)
	b.Want(few, "true")
}

func TestBrowserTellsOfWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, withoutPictures(t, many(t, 3000), page.Options{MaxData: 200_000}))
	b.Want(`document.getElementById("places-cut").textContent.includes("of 3\u2009000 deciding states")`, "true")
	b.Press(kb.Home)
	b.Want(position, "0 / 1")
	b.Want(`document.getElementById("viewport").textContent.trim().startsWith("There is no picture here: ")`, "true")
}

// TestBrowserHoldsLongRuns: the same for the steps.
func TestBrowserHoldsLongRuns(t *testing.T) {
	t.Parallel()
	const n = 20_000
	var edges []edge
	for i := range lts.State(n) {
		edges = append(edges, edge{i, fmt.Sprint("STEP ", i), i + 1})
	}
	edges = append(edges, edge{n - 50, "OK", n + 1}, edge{n + 1, "OK", n + 1})
	b := browsertest.Open(t, written(t, specimens.Asked(t, modelOf(t, n+2, edges), "Inev(OK)", explain.Options{Source: explain.Source{File: "long.aut"}}), page.Options{}))
	b.Want(position, "19951 / 20000")
	b.Want(selected, "STEP 19950")
	b.Want(`document.querySelectorAll("#steps .row").length < 60`, "true")
	b.Press(kb.Home)
	b.Want(selected, "start")
	b.Press(kb.End)
	b.Want(selected, "STEP 19999")
	// A step inside states that are merged is shown by the node where it stays.
	b.Click(`#views [data-view="quotient"]`)
	b.Click(`#first`)
	for range 15 {
		b.Press("j")
	}
	b.Want(`[...document.querySelectorAll("svg .here")].map(e => e.classList.contains("inside")).join()`, "true")
}
