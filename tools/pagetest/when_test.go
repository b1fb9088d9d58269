package pagetest

import (
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle/specimens"
	"github.com/inev-lts/inev/report/page"
	"github.com/inev-lts/inev/tools/browsertest"
)

// lossy is a message that is lost and sent again, perhaps for ever.
func lossy(t testing.TB, noFairness bool) *explain.Explanation {
	m := modelOf(t, 3, []edge{{0, "SEND", 1}, {1, "LOSE", 0}, {1, "<b>ARRIVE</b>", lts.State(2)}})
	return specimens.Asked(t, m, `Inev("<b>ARRIVE</b>")`, explain.Options{File: "lossy.aut", NoFairness: noFairness})
}

// TestBrowserSaysWhenItWouldHold: a card between why it fails and the run says under which
// assumptions it would not, on screens of every width; there is none where nothing was
// asked.
func TestBrowserSaysWhenItWouldHold(t *testing.T) {
	const words = `[...document.querySelectorAll("section.when p")].map(p => p.textContent).join("|")`
	b := browsertest.Open(t, written(t, lossy(t, false), page.Options{}), browsertest.Look("prefers-color-scheme", "light"))
	b.Want(`document.querySelector("section.when h2").textContent`, "When it would hold")
	b.Want(words, "It holds on every run in which LOSE happens finitely often; likewise with SEND in its place.|"+
		"It fails only on unfair runs: it holds if no action that is possible again and again is put off for ever (strong fairness of each action; weak fairness is not enough).")
	b.Want(`[...document.querySelectorAll("section.when code")].map(c => c.textContent).join()`, "LOSE,SEND")
	b.Want(`String(document.querySelector("section.why").getBoundingClientRect().bottom <= document.querySelector("section.when").getBoundingClientRect().top)`, "true")
	b.Want(`String(document.querySelector("section.when").getBoundingClientRect().bottom <= document.querySelector("section.run").getBoundingClientRect().top)`, "true")

	for _, width := range []int64{320, 600} {
		b = browsertest.Open(t, written(t, crowded(t), page.Options{}), screen(width))
		b.Want(`String(document.querySelector("section.when p") !== null)`, "true")
		b.Want(clipped("section.when h2, section.when p, section.when code"), "")
		b.Want(`String(document.querySelector("section.when").getBoundingClientRect().bottom <= document.querySelector("section.stage").getBoundingClientRect().top)`, "true")
	}

	b = browsertest.Open(t, written(t, lossy(t, true), page.Options{}))
	b.Want(`document.querySelectorAll("section.when").length`, "0")
	b.Want(`document.querySelectorAll("section.why").length`, "1")
}
