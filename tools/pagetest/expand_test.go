package pagetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/tools/browsertest"
)

// junction has a run of three steps, beside which there is more than the picture
// of the run shows: behind state 3 there are four ways, one of them to a state that
// has further ways, one back to the run.
func junction(t testing.TB) *explain.Explanation {
	return specimens.Asked(t, modelOf(t, 12, []edge{
		{0, "ASK", 1}, {1, "ACCEPT", 3}, {1, "REFUSE", 2}, {2, "REST", 5},
		{3, "<b>PAY</b>", 4}, {3, "LOSE", 2}, {3, "WAIT", 6}, {3, "DROP", 7},
		{4, "OK", 4}, {6, "AGAIN", 8}, {6, "PAY !1", 4}, {6, "STOP", 9},
		{7, "x", 10}, {10, "y", 11}, {8, "OK", 8},
	}), "Inev(OK)", explain.Options{Source: explain.Source{File: "junction.aut"}})
}

const (
	twigs      = `[...document.querySelectorAll(".grown .grown-edge")].map(e => e.querySelector("title").textContent).join("|")`
	grownNodes = `[...document.querySelectorAll(".grown .grown-node")].map(e => e.querySelector("text").textContent + (e.classList.contains("elsewhere") ? "*" : "")).join()`
	stubText   = `document.querySelector('.stub.out.from-3 text').textContent`
)

func clickOn(b *browsertest.Tab, selector string) {
	b.Run(chromedp.Evaluate(fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new MouseEvent("click", {bubbles: true}))`, selector), nil))
}

// TestBrowserExpandsInPlace: what "… 4 more" stands for grows where it stands, and
// goes on growing from there.
func TestBrowserExpandsInPlace(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, junction))
	b.Want(stubText, "… 4 more")
	places := `[...document.querySelectorAll("#viewport .node.state:not(.grown-node)")].map(e => (r => [e.id, r.x.toFixed(1)].join(":"))(e.getBBox())).join()`
	before := b.Value(places)
	clickOn(b, ".stub.out.from-3 text")
	b.Want(stubText, "− 4 more")
	b.Want(`document.querySelector(".node.stub.out.from-3").getAttribute("aria-expanded")`, "true")
	b.Want(twigs, "3 to 4, correct: <b>PAY</b>|3 to 6, neutral: WAIT|3 to 2, incorrect: LOSE|3 to 7, incorrect: DROP")
	b.Want(grownNodes, "4,6,2*,7")
	b.Want(`document.querySelectorAll("#viewport b").length`, "0")

	// What is drawn stays apart from what has grown.
	const apart = `(box => [...document.querySelectorAll("#viewport .node:not(.grown-node):not(.start)")].filter(n => {
		const r = n.getBoundingClientRect();
		return r.right > box.left + 1 && r.left < box.right - 1 && r.bottom > box.top + 1 && r.top < box.bottom - 1;
	}).map(n => n.id).join())(document.querySelector(".grown-back").getBoundingClientRect())`
	b.Want(apart, "")

	// From a state of the tree it goes on.
	clickOn(b, `.grown .grow[data-key="/1"]`)
	b.Want(grownNodes, "4,6,8,4*,9,2*,7")
	b.Want(apart, "")
	// Its states are states like all others: found, marked, told about.
	b.Fill("#search", "again")
	b.Want(`document.querySelector(".found-now title").textContent`, "6 to 8, correct: AGAIN")
	b.Fill("#search", "")
	clickOn(b, ".grown-node[data-state='9'] text")
	b.Want(beside, "State 9 deadlock")
	b.Want(`document.querySelector(".pointed").id`, "state-9")
	clickOn(b, ".grown-node[data-state='2'] text")
	b.Want(`document.querySelector(".pointed").id + document.querySelector(".pointed").classList.contains("grown-node")`, "state-2false")

	// And back: everything is as it was.
	clickOn(b, ".stub.out.from-3 text")
	b.Want(stubText, "… 4 more")
	b.Want(`document.querySelectorAll(".grown").length`, "0")
	b.Want(places, before)
	b.Want(`document.querySelectorAll("#viewport .node[transform]:not([transform='translate(0 0)'])").length`, "0")

	// With the keyboard alone.
	b.Run(chromedp.Focus(".node.stub.out.from-3", chromedp.ByQuery))
	b.Press(kb.Enter)
	b.Want(grownNodes, "4,6,2*,7")
	b.Run(chromedp.Focus(`.grown .grow[data-key="/1"]`, chromedp.ByQuery))
	b.Press(" ")
	b.Want(grownNodes, "4,6,8,4*,9,2*,7")
	b.Want(`document.activeElement.dataset.key`, "/1") // the focus stays
	b.Want(position, "2 / 3")
}

// TestBrowserKeepsLinesTogether: a picture that was pulled apart still has every
// line begin and end at its states.
func TestBrowserKeepsLinesTogether(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, crossing))
	clickOn(b, ".node.stub.out.from-0 text")
	b.Want(`document.querySelectorAll(".grown-edge").length > 0`, "true")
	b.Want(`[...document.querySelectorAll("#viewport .edge.on-run:not(.entry)")].flatMap(e => {
		const path = e.querySelector("path");
		const at = length => path.getPointAtLength(length).matrixTransform(path.getScreenCTM());
		const end = (prefix, p) => {
			const name = [...e.classList].find(c => c.startsWith(prefix)).slice(prefix.length);
			const r = document.querySelector('[id="state-' + name + '"]').getBoundingClientRect();
			const away = Math.max(r.left - p.x, p.x - r.right, r.top - p.y, p.y - r.bottom);
			return away > 20 * path.getScreenCTM().a ? [e.id + " is " + away.toFixed() + " away from " + name] : [];
		};
		return [...end("from-", at(0)), ...end("to-", at(path.getTotalLength()))];
	}).join()`, "")
}

// crossing is a run whose first state is left by much that is not drawn.
func crossing(t testing.TB) *explain.Explanation {
	edges := []edge{{0, "GO", 1}, {1, "ON", 2}, {2, "STOP", 3}, {1, "OK", 4}, {4, "OK", 4}, {2, "OK", 4}}
	for i := range lts.State(25) {
		edges = append(edges, edge{0, fmt.Sprintf("ASIDE !%d", i), 5 + i}, edge{5 + i, "BACK", 1})
	}
	return specimens.Asked(t, modelOf(t, 30, edges), "Inev(OK)", explain.Options{Source: explain.Source{File: "crossing.aut"}})
}

// TestBrowserShowsTenAtOnce: a fan of many is shown bit by bit.
func TestBrowserShowsTenAtOnce(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, crossing))
	clickOn(b, ".node.stub.out.from-0 text")
	const drawn = `document.querySelectorAll(".grown-edge").length`
	hidden := b.Value(`document.querySelector(".node.stub.out.from-0 title").textContent.split(" ")[0]`)
	b.Want(drawn, "10")
	for range 3 {
		b.Run(chromedp.Evaluate(`document.querySelector('.grown .grow[data-key="/more"]')?.dispatchEvent(new MouseEvent("click", {bubbles: true}))`, nil))
	}
	b.Want(drawn, hidden)
}

// TestBrowserSaysWhereItsModelEnds: what does not travel with the page is told.
func TestBrowserSaysWhereItsModelEnds(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, surrounded(t, crossing(t), 700, page.Options{}))
	clickOn(b, `[id="state-1"] text`)
	b.Want(`/This page has the transitions that leave \d+ of the 30 states/.test(document.getElementById("facts").textContent)`, "true")
	clickOn(b, ".node.stub.out.from-0 text")
	b.Want(`document.querySelector(".grown").textContent.includes("not on this page")`, "true")
}

// TestBrowserShowsFactsBesideThePicture: a click on any state tells about it, where
// one looks.
func TestBrowserShowsFactsBesideThePicture(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, junction))
	clickOn(b, `svg .node.decision polygon`)
	b.Want(beside, "State 1 deciding state: lost here")
	b.Want(`((f, v) => f.left >= v.right && Math.abs(f.top - v.top) < 2)(document.getElementById("facts").getBoundingClientRect(), document.getElementById("viewport").getBoundingClientRect())`, "true")
	b.Want(`document.querySelector("#place h3").textContent`, "State 1 deciding state: lost here")
	for _, want := range []string{"ACCEPT → state 3", "REFUSE → state 2 taken by the run", "Entered by 1 transition"} {
		b.Want(`document.getElementById("facts").textContent.includes("`+want+`")`, "true")
	}
	// From state to state, by keyboard as well.
	b.Run(chromedp.Focus(`#facts [data-state="3"]`, chromedp.ByQuery))
	b.Press(kb.Enter)
	b.Want(beside, "State 3 deciding state: saved or lost here")
	b.Want(focused, "facts")
	for _, want := range []string{"<b>PAY</b> → state 4", "WAIT → state 6", "from state 1 by ACCEPT"} {
		b.Want(`document.getElementById("facts").textContent.includes("`+want+`")`, "true")
	}
	b.Want(`document.querySelector(".pointed").id`, "state-3")
	b.Press(kb.Escape)
	b.Want(beside, "")
	// The picture itself tells about the state at hand.
	b.Run(chromedp.Focus("#viewport", chromedp.ByQuery))
	b.Press(kb.Enter)
	b.Want(beside, "State 2")
	b.Want(strings.ReplaceAll(`(e => e.textContent)(document.querySelector("#facts p"))`, "\n", ""), "No run through here satisfies the property.")
}

// TestBrowserExpandsHostileTexts: labels that travel with the page, and names in an
// address, are texts wherever they are shown.
func TestBrowserExpandsHostileTexts(t *testing.T) {
	t.Parallel()
	last := lts.State(4 + len(hostileLabels))
	edges := []edge{{0, "GO", 1}, {1, "BAD", 2}, {1, "A", 3}, {3, "A", 3}, {last, "BAD", 2}, {last, "A", 3}}
	for i, label := range hostileLabels {
		edges = append(edges, edge{0, label, lts.State(4 + i)}, edge{lts.State(4 + i), "<i>" + label, last})
	}
	text := written(t, specimens.Asked(t, modelOf(t, 5+len(hostileLabels), edges), "Inev(A)", explain.Options{Source: explain.Source{File: "m.aut"}}), page.Options{})
	b := openAt(t, text, "state=0&view=%3Cimg%20src=x%20onerror=alert(1)%3E&step=%3Csvg%3E")
	b.Want(beside, "State 0 initial state")
	clickOn(b, ".node.stub.out.from-0 text")
	clickOn(b, `.grown .grow[data-key="/more"]`)
	for i := range hostileLabels {
		clickOn(b, fmt.Sprintf(`.grown .grow[data-key="/%d"]`, i))
	}
	b.Want(`document.querySelectorAll(".grown-edge").length`, fmt.Sprint(2*len(hostileLabels)))
	b.Want(`[...document.querySelectorAll("img, iframe, object, embed, form, a[href]:not(.skip), svg script, svg svg, foreignObject, i, b")].map(e => e.outerHTML).join()`, "")
	b.Want(`[...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => a.name.startsWith("on"))).length`, "0")
	b.Want(`document.getElementById("facts").textContent.includes("</script><img src=x onerror=alert(1)>")`, "true")
	b.Want(`[...document.querySelectorAll(".grown text, #facts code")].some(e => /[\u202e\u2028\x00-\x1f]/.test(e.textContent))`, "false")
	b.Want(`document.documentElement.scrollWidth <= innerWidth`, "true")
}
