package pagetest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/tools/browsertest"
)

// What the page tells of where the reader is.
const (
	position = `document.getElementById("position").textContent`
	selected = `document.querySelector('#steps [aria-selected="true"] .cell-text').textContent`
	now      = `[...document.querySelectorAll("svg .now")].flatMap(e => [...e.classList].filter(c => c.startsWith("step-"))).join()`
	here     = `[...document.querySelectorAll("svg .here")].map(e => e.id).join()`
	said     = `document.getElementById("announce").textContent`
	goals    = `[...document.querySelectorAll("#formula .goal-sign")].map(g => g.textContent).join("")`
	viewBox  = `document.querySelector("#viewport svg").getAttribute("viewBox")`
	focused  = `(document.activeElement.id || document.activeElement.className)`
)

// courier is a parcel service: its shortest counterexample sends the parcel, and
// then sends and returns it forever.
func courier(t testing.TB) *explain.Explanation {
	m := modelOf(t, 6, []edge{
		{0, "ORDER", 1}, {1, "PACK", 2}, {2, "SEND", 3}, {3, "DELIVER", 4}, {3, "RETURN", 5}, {4, "DELIVER", 4}, {5, "SEND", 3},
	})
	return specimens.Asked(t, m, "Inev(SEND, DELIVER)", explain.Options{Source: explain.Source{File: "courier.aut"}})
}

func TestBrowserOpensAtTheDecision(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, agency))
	b.Want(position, "2 / 2")
	b.Want(selected, "REFUSE")
	b.Want(now, "step-2")
	b.Want(here, "state-3")
	b.Want(`document.getElementById("caption").textContent.includes("ACCEPT would have made the property certain")`, "true")
	// The decision can be seen without scrolling: in words, and in the picture.
	for _, what := range []string{".why .after-correct", "svg .now"} {
		b.Want(`(r => r.top >= 0 && r.left >= 0 && r.bottom <= innerHeight && r.right <= innerWidth && r.width > 0)(document.querySelector("`+what+`").getBoundingClientRect())`, "true")
	}
}

func TestBrowserSteps(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, courier))
	b.Want(position, "4 / 5")

	b.Press(kb.Home)
	b.Want(position, "0 / 5")
	b.Want(here, "state-0")
	b.Want(goals, "○✗")
	b.Want(said, "Start, state 0")
	b.Want(`document.getElementById("previous").disabled`, "true")

	b.Press(kb.ArrowRight, "j", "j")
	b.Want(position, "3 / 5")
	b.Want(selected, "SEND")
	b.Want(now, "step-3")
	b.Want(here, "state-3")
	b.Want(goals, "✓✗")
	b.Want(said, "Step 3 of 5: SEND, to state 3")

	b.Press(kb.ArrowLeft, "k")
	b.Want(position, "1 / 5")
	b.Want(goals, "○✗")

	b.Click("#next")
	b.Want(selected, "PACK")
	b.Click("#last")
	b.Want(position, "5 / 5")
	b.Want(`document.getElementById("caption").textContent.includes("the loop begins again, in state 3")`, "true")
	b.Click("#previous")
	b.Click("#first")
	b.Want(position, "0 / 5")

	b.Click(`#steps [data-position="2"]`)
	b.Want(position, "2 / 5")
	b.Click(`svg .step-4 text`)
	b.Want(position, "4 / 5")
	b.Want(selected, "RETURN")
	b.Click(".why [data-go]")
	b.Want(position, "4 / 5")

	// Keys with a modifier belong to the browser.
	b.Run(chromedp.KeyEvent(kb.ArrowLeft, chromedp.KeyModifiers(2)))
	b.Want(position, "4 / 5")
}

func TestBrowserShowsTheLoop(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, courier))
	b.Want(`[...document.querySelectorAll("#steps .row")].map(r => {
		const c = r.querySelector(".cell-bracket").classList;
		return c.contains("loop-first") ? "╭" : c.contains("loop-last") ? "╰" : c.contains("looping") ? "│" : ".";
	}).join("")`, "....╭╰.")
	b.Want(`document.querySelector("#steps .row-end").textContent`, "↻ back in state 3, and so on forever")
}

func TestBrowserSwitches(t *testing.T) {
	t.Parallel()
	m := modelOf(t, 7, []edge{{0, "A", 1}, {1, "B", 2}, {2, "GOOD", 6}, {2, "BAD", 3}, {3, "C", 4}, {4, "D", 5}, {6, "OK", 6}})
	b := browsertest.Open(t, written(t, specimens.Asked(t, m, "Inev(OK)", explain.Options{Source: explain.Source{File: "m.aut"}}), page.Options{}))
	const rows = `[...document.querySelectorAll("#steps .row")].map(r => r.querySelector(".cell-text").textContent).join("|")`
	b.Want(rows, "start|A|B|BAD|C|D|■ deadlock: here the run ends")
	b.Press(kb.Home)

	b.Click(`[data-mode="abstracted"]`)
	b.Want(rows, "… 2 steps|BAD|… 2 steps|■ deadlock: here the run ends")
	b.Want(position, "3 / 5")
	b.Press("j", "j", "j")
	b.Want(position, "3 / 5")
	b.Press("k", "k", "k")
	b.Want(position, "3 / 5")
	b.Press(kb.End)
	b.Want(position, "3 / 5")
	b.Click(`[data-mode="full"]`)
	b.Press("j")
	b.Want(position, "4 / 5")

	// The other picture follows at once.
	b.Click(`#views [data-view="whole"]`)
	b.Want(now, "step-4")
	b.Want(`document.querySelector('#views [aria-pressed="true"]').textContent`, "Whole model")
	b.Want(`document.querySelectorAll("#viewport svg").length`, "1")
	b.Press("k")
	b.Want(now, "step-3")
	b.Click(`#views [data-view="excerpt"]`)
	b.Want(now, "step-3")
}

func TestBrowserDims(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, agency))
	opacity := func(selector string) string {
		return b.Value(`getComputedStyle(document.querySelector("#viewport svg ` + selector + `")).opacity`)
	}
	for _, c := range []struct{ button, faint, clear string }{
		{`[data-dim="incorrect"]`, ".edge.incorrect", ".edge.correct"},
		{`[data-dim="correct"]`, ".edge.correct", ".edge.incorrect"},
		{`[data-dim="neutral"]`, ".edge.neutral", ".edge.incorrect"},
		{`[data-only="run"]`, ".edge.correct", ".edge.incorrect"},
	} {
		if got := opacity(c.faint); got != "1" {
			t.Errorf("%s has opacity %s from the start", c.faint, got)
		}
		b.Click(c.button)
		if faint, clear := opacity(c.faint), opacity(c.clear); faint == "1" || clear != "1" {
			t.Errorf("%s gives %s to %s and %s to %s", c.button, faint, c.faint, clear, c.clear)
		}
		b.Click(c.button)
	}
}

func TestBrowserSearches(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, agency))
	const count = `document.getElementById("search-count").textContent`
	const found = `[...document.querySelectorAll("svg .found")].length`
	b.Click("#search")
	b.Press("r", "e")
	b.Want(count, "1 of 1") // REFUSE; the letters are no steps
	b.Want(position, "2 / 2")
	b.Want(`document.querySelector(".found-now").classList.contains("step-2")`, "true")
	b.Press(kb.Escape)
	b.Want(found, "0")
	b.Press("1")
	b.Want(`document.querySelector(".found-now").id`, "state-1")
	b.Press(kb.Escape, "e")
	b.Want(count, "1 of 2") // ACCEPT and REFUSE
	b.Press(kb.Enter)
	b.Want(count, "2 of 2")
	b.Press(kb.Enter)
	b.Want(count, "1 of 2")
	b.Click("#search-previous")
	b.Want(count, "2 of 2")
	b.Fill("#search", "nowhere")
	b.Want(count, "nothing found")
	b.Want(found, "0")
}

func TestBrowserZooms(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, agency))
	const width = `Number(document.querySelector("#viewport svg").getAttribute("viewBox").split(" ")[2])`
	before := b.Value(viewBox)
	b.Click("#zoom-in")
	b.Want(width+" < "+`Number("`+before+`".split(" ")[2])`, "true")
	b.Click("#zoom-out")
	b.Click("#zoom-out")
	b.Want(width+" > "+`Number("`+before+`".split(" ")[2])`, "true")
	b.Click("#zoom-fit")

	// By keys, where the diagram has the focus: there arrows move it.
	b.Run(chromedp.Focus("#viewport", chromedp.ByQuery))
	fitted := b.Value(viewBox)
	b.Press("+", kb.ArrowRight, kb.ArrowDown)
	if b.Value(viewBox) == fitted {
		t.Error("keys do not move the diagram")
	}
	b.Want(position, "2 / 2")
	b.Press("0")
	b.Want(viewBox, fitted)

	// By wheel and by hand.
	turnWheel := func(ctrl bool) {
		b.Run(chromedp.Evaluate(fmt.Sprintf(`document.getElementById("viewport").dispatchEvent(new WheelEvent("wheel",
			{deltaY: -100, clientX: 900, clientY: 500, cancelable: true, ctrlKey: %t}))`, ctrl), nil))
	}
	b.Run(chromedp.Blur("#viewport", chromedp.ByQuery))
	turnWheel(false)
	b.Want(viewBox, fitted) // the page scrolls instead
	turnWheel(true)
	pinched := b.Value(viewBox)
	if pinched == fitted {
		t.Error("the wheel with Ctrl does not zoom")
	}
	b.Run(chromedp.Focus("#viewport", chromedp.ByQuery))
	turnWheel(false)
	wheeled := b.Value(viewBox)
	if wheeled == pinched {
		t.Error("the wheel does not zoom the picture that has the focus")
	}
	b.Run(chromedp.Evaluate(`for (const [type, x] of [["pointerdown", 900], ["pointermove", 960], ["pointerup", 960]])
		document.getElementById("viewport").dispatchEvent(new PointerEvent(type, {clientX: x, clientY: 500, button: 0, pointerId: 1, bubbles: true}))`, nil))
	if b.Value(viewBox) == wheeled {
		t.Error("the diagram cannot be dragged")
	}
}

// TestBrowserByKeyboardOnly does everything that matters without a pointer.
func TestBrowserByKeyboardOnly(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, agency(t), page.Options{Command: []string{"inev"}}))
	b.Press(kb.Tab)
	b.Want(focused, "skip")
	b.Want(`document.activeElement.getBoundingClientRect().left >= 0`, "true") // it is seen now
	b.Press(kb.Enter)
	b.Want(focused, "run")

	reached := map[string]bool{}
	for range 60 {
		b.Press(kb.Tab)
		id := b.Value(focused)
		reached[id] = true
		if b.Value(`getComputedStyle(document.activeElement).outlineStyle`) == "none" {
			t.Errorf("nobody sees that %s has the focus", id)
		}
		switch id {
		case "steps":
			b.Press(kb.ArrowUp)
			b.Want(position, "1 / 2")
			b.Want(`document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).getAttribute("aria-selected")`, "true")
			b.Press(kb.ArrowDown)
			b.Want(position, "2 / 2")
		case "zoom-in":
			before := b.Value(viewBox)
			b.Press(kb.Enter)
			b.Want(viewBox+` === "`+before+`"`, "false")
		case "places":
			b.Press(kb.End)
			b.Want(`document.querySelector("#place h3").textContent.startsWith("State 1")`, "true")
		}
		if id == "copy" {
			break
		}
	}
	for _, id := range []string{"steps", "search", "zoom-in", "first", "previous", "viewport", "places-filter", "places-kind", "places-run", "places", "copy"} {
		if !reached[id] {
			t.Errorf("%s cannot be reached by Tab", id)
		}
	}
}

// TestBrowserNamesEverything: what can be used has a name, and no two things have
// the same identifier.
func TestBrowserNamesEverything(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, courier))
	b.Want(`[...document.querySelectorAll("button, input, select, [tabindex='0']")].filter(e =>
		!(e.getAttribute("aria-label") || e.labels?.length || e.textContent.trim())).map(e => e.outerHTML).join()`, "")
	b.Want(`(ids => ids.length - new Set(ids).size)([...document.querySelectorAll("[id]")].map(e => e.id))`, "0")
	b.Want(`[...document.querySelectorAll("[aria-labelledby]")].filter(e => !document.getElementById(e.getAttribute("aria-labelledby"))).length`, "0")
	b.Want(`document.querySelectorAll("h1").length`, "1")
	b.Want(`document.documentElement.lang`, "en-GB")
}
