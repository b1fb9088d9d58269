package pagetest

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/tools/browsertest"
)

func screen(width int64) *emulation.SetDeviceMetricsOverrideParams {
	return emulation.SetDeviceMetricsOverride(width, 800, 1, false)
}

func TestBrowserFitsNarrowScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{320, 390, 600, 1000} {
		b := browsertest.Open(t, pageAbout(t, travel), screen(width))
		b.Want(`[...document.querySelectorAll("main *, header *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest("svg, .grid, .scroller, .bar-file")).map(e => e.outerHTML.slice(0, 80)).join()`, "")
		b.Want(`document.documentElement.scrollWidth <= innerWidth`, "true")
	}
}

// crowded has a step with all marks that a step can have, and a long label.
func crowded(t testing.TB) *explain.Explanation {
	m := modelOf(t, 4, []edge{
		{0, "GO", 1}, {1, "ACCEPTANCE_OF_THE_WHOLE_ORDER", 2}, {1, "B", 3}, {3, "B", 3}, {3, "ACCEPTANCE_OF_THE_WHOLE_ORDER", 3}, {3, "C", 3},
	})
	return specimens.Asked(t, m, "Inev({ACCEPTANCE_OF_THE_WHOLE_ORDER, B}, C)", explain.Options{Source: explain.Source{File: "/a/folder/with/a/very/long/name/crowded.aut"}})
}

// clipped lists the elements that a selector finds whose text is not seen as a
// whole, in themselves or in what is around them up to the card.
func clipped(selector string) string {
	return `[...document.querySelectorAll('` + selector + `')].filter(e => {
		if (e.getBoundingClientRect().width === 0) return false;
		if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline") return true;
		const r = e.getBoundingClientRect();
		for (let p = e.parentElement; p && !p.matches(".card, .grid"); p = p.parentElement) {
			const q = p.getBoundingClientRect();
			if (getComputedStyle(p).overflowX !== "visible" && (r.right > q.right + 1 || r.left < q.left - 1)) return true;
		}
		return false;
	}).map(e => e.textContent).join()`
}

// brokenWords lists the buttons in which a line ends within a word.
const brokenWords = `[...document.querySelectorAll("button, th")].flatMap(e => {
	const broken = [];
	const walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
	for (let n = walker.nextNode(); n; n = walker.nextNode()) for (const word of n.data.matchAll(/\S+/g)) {
		const range = document.createRange();
		range.setStart(n, word.index);
		range.setEnd(n, word.index + word[0].length);
		const tops = new Set([...range.getClientRects()].filter(r => r.width > 0).map(r => Math.round(r.top)));
		if (tops.size > 1) broken.push(word[0]);
	}
	return broken;
}).join()`

// TestBrowserCutsNothing: on no screen is a word broken, or a mark or the head of a
// column cut.
func TestBrowserCutsNothing(t *testing.T) {
	t.Parallel()
	for _, explanation := range []func(testing.TB) *explain.Explanation{crowded, travel} {
		for _, width := range []int64{320, 390, 640, 1000, 1280, 1600} {
			b := browsertest.Open(t, pageAbout(t, explanation), screen(width))
			b.Want(brokenWords, "")
			b.Want(clipped(".mark, .grid .head button, .switch button, .stamp, .grid [role=gridcell], .bar-name, .row-end .cell-text"), "")
		}
	}
	b := browsertest.Open(t, pageAbout(t, crowded), screen(320))
	b.Want(`[...document.querySelectorAll('#steps [data-position="2"] .mark')].map(m => m.innerText).join("|")`, "✓ 1/2|⊘ no return|⬡")
}

// TestBrowserShowsTheModelsName: where there is no room for its folder, the name
// is what stays.
func TestBrowserShowsTheModelsName(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{320, 1280} {
		b := browsertest.Open(t, pageAbout(t, crowded), screen(width))
		b.Want(`document.querySelector(".bar-name").innerText`, "crowded.aut")
		b.Want(`document.querySelector(".bar-name").getBoundingClientRect().width > 30`, "true")
	}
}

// TestBrowserFoldsOnPhones: a page is a few screens long on a phone. What lies below the picture is
// folded there, and unfolds where something leads to it.
func TestBrowserFoldsOnPhones(t *testing.T) {
	t.Parallel()
	for _, explanation := range []func(testing.TB) *explain.Explanation{crowded, travel} {
		b := browsertest.Open(t, pageAbout(t, explanation), screen(390))
		b.Want(`document.querySelectorAll("details.fold").length > 1`, "true")
		b.Want(`document.querySelectorAll("details.fold[open]").length`, "0")
		b.Want(`document.documentElement.scrollHeight < 3000`, "true")
	}
	b := browsertest.Open(t, pageAbout(t, travel), screen(390))
	b.Run(chromedp.Click("#off-title", chromedp.ByQuery))
	b.Until(`document.querySelector("#off details.fold").open`)
	b.Run(chromedp.Click("#off-title", chromedp.ByQuery))
	b.Until(`!document.querySelector("#off details.fold").open`)
	b.Run(chromedp.Evaluate(`document.querySelector("[data-open]").click()`, nil))
	b.Run(chromedp.Evaluate(`[...document.querySelectorAll("#facts button")].find(e => e.textContent === "Walk on from here").click()`, nil))
	b.Until(`document.querySelector("#off details.fold").open`)
	b.Want(`document.querySelectorAll("details.fold[open]").length`, "1")

	wide := browsertest.Open(t, pageAbout(t, travel), screen(1280))
	wide.Want(`document.querySelectorAll("details.fold:not([open])").length`, "0")
}
