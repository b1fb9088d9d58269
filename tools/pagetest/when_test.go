package pagetest

import (
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/tools/browsertest"
)

// lossy is a message that is lost and sent again, perhaps forever.
func lossy(t testing.TB, noFairness bool) *explain.Explanation {
	m := modelOf(t, 3, []edge{{0, "SEND", 1}, {1, "LOSE", 0}, {1, "<b>ARRIVE</b>", lts.State(2)}})
	return specimens.Asked(t, m, `Inev("<b>ARRIVE</b>")`, explain.Options{Source: explain.Source{File: "lossy.aut"}, NoFairness: noFairness})
}

// TestBrowserSaysWhenItWouldHold: on screens of every width the run, its decisions, what would
// make the property hold and the nearest correct run follow each other.
func TestBrowserSaysWhenItWouldHold(t *testing.T) {
	t.Parallel()
	const words = `[...document.querySelectorAll("section.when p")].map(p => p.textContent).join("|")`
	b := browsertest.Open(t, written(t, lossy(t, false), page.Options{}), browsertest.Look("prefers-color-scheme", "light"))
	b.Want(`document.querySelector("section.when h2").textContent`, "What would make it hold")
	b.Want(words+`.startsWith("1. LOSE happens finitely often.|")`, "true")
	const order = `[...document.querySelectorAll("section.answer, section.card")].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map(s => s.classList[1] ).filter(c => !["stage", "off", "places", "again"].includes(c)).join()`
	b.Want(order, "is-violated,run,why,when,change")

	for _, width := range []int64{320, 600} {
		b = browsertest.Open(t, written(t, crowded(t), page.Options{}), screen(width))
		b.Want(`String(document.querySelector("section.when p") !== null)`, "true")
		b.Want(clipped("section.when h2, section.when p, section.when code"), "")
		b.Want(order, "is-violated,run,why,when,change")
	}

	b = browsertest.Open(t, written(t, lossy(t, true), page.Options{}))
	b.Want(words+`.includes("finitely often")`, "false")
	b.Want(`document.querySelectorAll("section.why").length`, "1")
}
