package page

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
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
// then sends and returns it for ever.
func courier(t testing.TB) *explain.Explanation {
	m := modelOf(t, 6, []edge{
		{0, "ORDER", 1}, {1, "PACK", 2}, {2, "SEND", 3}, {3, "DELIVER", 4}, {3, "RETURN", 5}, {4, "DELIVER", 4}, {5, "SEND", 3},
	})
	return explained(t, m, "Inev(SEND, DELIVER)", explain.Options{File: "courier.aut"})
}

func TestBrowserOpensAtTheDecision(t *testing.T) {
	b := open(t, pageAbout(t, agency))
	b.want(position, "2 / 2")
	b.want(selected, "REFUSE")
	b.want(now, "step-2")
	b.want(here, "state-3")
	b.want(`document.getElementById("caption").textContent.includes("ACCEPT would have made the property certain")`, "true")
	// The decision can be seen without scrolling: in words, and in the picture.
	for _, what := range []string{".why .after-incorrect", ".why .after-correct", "svg .now"} {
		b.want(`(r => r.top >= 0 && r.left >= 0 && r.bottom <= innerHeight && r.right <= innerWidth && r.width > 0)(document.querySelector("`+what+`").getBoundingClientRect())`, "true")
	}
}

func TestBrowserSteps(t *testing.T) {
	b := open(t, pageAbout(t, courier))
	b.want(position, "4 / 5")

	b.press(kb.Home)
	b.want(position, "0 / 5")
	b.want(here, "state-0")
	b.want(goals, "○✗")
	b.want(said, "Start, state 0")
	b.want(`document.getElementById("previous").disabled`, "true")

	b.press(kb.ArrowRight, "j", "j")
	b.want(position, "3 / 5")
	b.want(selected, "SEND")
	b.want(now, "step-3")
	b.want(here, "state-3")
	b.want(goals, "✓✗")
	b.want(said, "Step 3 of 5: SEND, to state 3")

	b.press(kb.ArrowLeft, "k")
	b.want(position, "1 / 5")
	b.want(goals, "○✗")

	b.click("#next")
	b.want(selected, "PACK")
	b.click("#last")
	b.want(position, "5 / 5")
	b.want(`document.getElementById("caption").textContent.includes("the loop begins anew, in state 3")`, "true")
	b.click("#previous")
	b.click("#first")
	b.want(position, "0 / 5")

	b.click(`#steps [data-position="2"]`)
	b.want(position, "2 / 5")
	b.click(`svg .step-4 text`)
	b.want(position, "4 / 5")
	b.want(selected, "RETURN")
	b.click(".why [data-go]")
	b.want(position, "4 / 5")

	// Keys with a modifier belong to the browser.
	b.run(chromedp.KeyEvent(kb.ArrowLeft, chromedp.KeyModifiers(2)))
	b.want(position, "4 / 5")
}

func TestBrowserShowsTheLoop(t *testing.T) {
	b := open(t, pageAbout(t, courier))
	b.want(`[...document.querySelectorAll("#steps .row")].map(r => {
		const c = r.querySelector(".cell-bracket").classList;
		return c.contains("loop-first") ? "╭" : c.contains("loop-last") ? "╰" : c.contains("looping") ? "│" : ".";
	}).join("")`, "....╭╰.")
	b.want(`document.querySelector("#steps .row-end").textContent`, "↻ back in state 3, and so on for ever")
}

func TestBrowserSwitches(t *testing.T) {
	m := modelOf(t, 7, []edge{{0, "A", 1}, {1, "B", 2}, {2, "GOOD", 6}, {2, "BAD", 3}, {3, "C", 4}, {4, "D", 5}, {6, "OK", 6}})
	b := open(t, written(t, explained(t, m, "Inev(OK)", explain.Options{File: "m.aut"}), Options{}))
	const rows = `[...document.querySelectorAll("#steps .row")].map(r => r.querySelector(".cell-text").textContent).join("|")`
	b.want(rows, "start|A|B|BAD|C|D|■ deadlock: nothing can happen any more")
	b.press(kb.Home)

	b.click(`[data-mode="abstracted"]`)
	b.want(rows, "… 1 step|B|BAD|… 2 steps|■ deadlock: nothing can happen any more")
	b.want(position, "2 / 5")
	b.press("j", "j", "j")
	b.want(position, "3 / 5")
	b.press("k", "k", "k")
	b.want(position, "2 / 5")
	b.press(kb.End)
	b.want(position, "3 / 5")
	b.click(`[data-mode="full"]`)
	b.press("j")
	b.want(position, "4 / 5")

	// The other picture follows at once.
	b.click(`#views [data-view="whole"]`)
	b.want(now, "step-4")
	b.want(`document.querySelector('#views [aria-pressed="true"]').textContent`, "Whole model")
	b.want(`document.querySelectorAll("#viewport svg").length`, "1")
	b.press("k")
	b.want(now, "step-3")
	b.click(`#views [data-view="excerpt"]`)
	b.want(now, "step-3")
}

func TestBrowserDims(t *testing.T) {
	b := open(t, pageAbout(t, agency))
	opacity := func(selector string) string {
		return b.value(`getComputedStyle(document.querySelector("#viewport svg ` + selector + `")).opacity`)
	}
	for _, c := range []struct{ button, faint, clear string }{
		{`[data-dim="incorrect"]`, ".edge.incorrect", ".edge.correct"},
		{`[data-dim="correct"]`, ".edge.correct", ".edge.incorrect"},
		{`[data-dim="neutral"]`, ".edge.neutral", ".edge.incorrect"},
		{`[data-dim="kind-mixed"]`, ".node.mixed", ".edge.incorrect"},
		{`[data-only="run"]`, ".edge.correct", ".edge.incorrect"},
	} {
		if got := opacity(c.faint); got != "1" {
			t.Errorf("%s has opacity %s from the start", c.faint, got)
		}
		b.click(c.button)
		if faint, clear := opacity(c.faint), opacity(c.clear); faint == "1" || clear != "1" {
			t.Errorf("%s gives %s to %s and %s to %s", c.button, faint, c.faint, clear, c.clear)
		}
		b.click(c.button)
	}
}

func TestBrowserSearches(t *testing.T) {
	b := open(t, pageAbout(t, agency))
	const count = `document.getElementById("search-count").textContent`
	const found = `[...document.querySelectorAll("svg .found")].length`
	b.click("#search")
	b.press("r", "e")
	b.want(count, "1 of 1") // REFUSE; the letters are no steps
	b.want(position, "2 / 2")
	b.want(`document.querySelector(".found-now").classList.contains("step-2")`, "true")
	b.press(kb.Escape)
	b.want(found, "0")
	b.press("1")
	b.want(`document.querySelector(".found-now").id`, "state-1")
	b.press(kb.Escape, "e")
	b.want(count, "1 of 2") // ACCEPT and REFUSE
	b.press(kb.Enter)
	b.want(count, "2 of 2")
	b.press(kb.Enter)
	b.want(count, "1 of 2")
	b.click("#search-previous")
	b.want(count, "2 of 2")
	b.fill("#search", "nowhere")
	b.want(count, "nothing found")
	b.want(found, "0")
}

func TestBrowserZooms(t *testing.T) {
	b := open(t, pageAbout(t, agency))
	const width = `Number(document.querySelector("#viewport svg").getAttribute("viewBox").split(" ")[2])`
	before := b.value(viewBox)
	b.click("#zoom-in")
	b.want(width+" < "+`Number("`+before+`".split(" ")[2])`, "true")
	b.click("#zoom-out")
	b.click("#zoom-out")
	b.want(width+" > "+`Number("`+before+`".split(" ")[2])`, "true")
	b.click("#zoom-fit")

	// By keys, where the diagram has the focus: there arrows move it.
	b.run(chromedp.Focus("#viewport", chromedp.ByQuery))
	fitted := b.value(viewBox)
	b.press("+", kb.ArrowRight, kb.ArrowDown)
	if b.value(viewBox) == fitted {
		t.Error("keys do not move the diagram")
	}
	b.want(position, "2 / 2")
	b.press("0")
	b.want(viewBox, fitted)

	// By wheel and by hand.
	b.run(chromedp.Evaluate(`document.getElementById("viewport").dispatchEvent(new WheelEvent("wheel", {deltaY: -100, clientX: 900, clientY: 500, cancelable: true}))`, nil))
	wheeled := b.value(viewBox)
	if wheeled == fitted {
		t.Error("the wheel does not zoom")
	}
	b.run(chromedp.Evaluate(`for (const [type, x] of [["pointerdown", 900], ["pointermove", 960], ["pointerup", 960]])
		document.getElementById("viewport").dispatchEvent(new PointerEvent(type, {clientX: x, clientY: 500, button: 0, pointerId: 1, bubbles: true}))`, nil))
	if b.value(viewBox) == wheeled {
		t.Error("the diagram cannot be dragged")
	}
}

// TestBrowserByKeyboardOnly does everything that matters without a pointer.
func TestBrowserByKeyboardOnly(t *testing.T) {
	b := open(t, written(t, agency(t), Options{Command: []string{"inev"}}))
	b.press(kb.Tab)
	b.want(focused, "skip")
	b.want(`document.activeElement.getBoundingClientRect().left >= 0`, "true") // it is seen now
	b.press(kb.Enter)
	b.want(focused, "run")

	reached := map[string]bool{}
	for range 60 {
		b.press(kb.Tab)
		id := b.value(focused)
		reached[id] = true
		if b.value(`getComputedStyle(document.activeElement).outlineStyle`) == "none" {
			t.Errorf("nobody sees that %s has the focus", id)
		}
		switch id {
		case "steps":
			b.press(kb.ArrowUp)
			b.want(position, "1 / 2")
			b.want(`document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).getAttribute("aria-selected")`, "true")
			b.press(kb.ArrowDown)
			b.want(position, "2 / 2")
		case "zoom-in":
			before := b.value(viewBox)
			b.press(kb.Enter)
			b.want(viewBox+` === "`+before+`"`, "false")
		case "places":
			b.press(kb.End)
			b.want(`document.querySelector("#place h3").textContent.startsWith("State 1")`, "true")
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
	b := open(t, pageAbout(t, courier))
	b.want(`[...document.querySelectorAll("button, input, select, [tabindex='0']")].filter(e =>
		!(e.getAttribute("aria-label") || e.labels?.length || e.textContent.trim())).map(e => e.outerHTML).join()`, "")
	b.want(`(ids => ids.length - new Set(ids).size)([...document.querySelectorAll("[id]")].map(e => e.id))`, "0")
	b.want(`[...document.querySelectorAll("[aria-labelledby]")].filter(e => !document.getElementById(e.getAttribute("aria-labelledby"))).length`, "0")
	b.want(`document.querySelectorAll("h1").length`, "1")
	b.want(`document.documentElement.lang`, "en-GB")
}
