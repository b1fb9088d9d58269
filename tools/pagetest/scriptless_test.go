package pagetest

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/tools/browsertest"
)

// TestBrowserWithoutScripts: who allows no scripts reads the steps, the decisions and the picture, and is
// offered nothing that would not answer.
func TestBrowserWithoutScripts(t *testing.T) {
	t.Parallel()
	m := modelOf(t, 3, []edge{{0, "<b>GO</b>", 1}, {1, "ROUND", 2}, {2, "BACK", 1}, {1, "DONE", 0}})
	e := specimens.Asked(t, m, "Inev(DONE)", explain.Options{Source: explain.Source{File: "m.aut"}})
	text := written(t, e, page.Options{Command: []string{"inev"}})
	// No script of the page could say that it is ready.
	ready := strings.Replace(text, "<html ", `<html data-ready="true" `, 1)
	b := browsertest.Open(t, ready, screen(1280), emulation.SetScriptExecutionDisabled(true))
	const seen = `[...document.querySelectorAll("%")].filter(e => e.checkVisibility()).map(e => e.id || e.innerText).join("|")`
	b.Want(strings.Replace(seen, "%", ".actions-only li", 1), "<b>GO</b>|ROUND|BACK")
	b.Want(strings.Replace(seen, "%", "noscript .note", 1), "Then it begins again with step 2, and so on forever.|To walk through the run needs JavaScript.")
	b.Want(strings.Replace(seen, "%", "button:not(.legend button), input, select", 1), "")
	b.Want(`document.querySelectorAll("#viewport svg .on-run").length > 3`, "true")

	b = browsertest.Open(t, text, screen(1280))
	b.Want(strings.Replace(seen, "%", ".actions-only", 1), "")
}
