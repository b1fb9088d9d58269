package pagetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/tools/browsertest"
)

const (
	address  = `location.hash`
	viewName = `document.querySelector('#views [aria-pressed="true"]').dataset.view`
	beside   = `(f => f.hidden ? "" : f.querySelector("h3").textContent.trim())(document.getElementById("facts"))`
)

// openAt opens a page at an address within it.
func openAt(t *testing.T, text, at string) *browsertest.Tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return browsertest.OpenAt(t, file, at)
}

func TestBrowserOpensWhereTheAddressLeads(t *testing.T) {
	t.Parallel()
	text := pageAbout(t, travel)
	for _, c := range []struct{ at, position, view, facts string }{
		{"", "3 / 4", "excerpt", ""},
		{"step=1", "1 / 4", "excerpt", ""},
		{"step=0", "0 / 4", "excerpt", ""},
		{"view=whole", "3 / 4", "whole", ""},
		{"state=2", "3 / 4", "excerpt", "State 2 deciding state: lost here"},
		{"state=92", "3 / 4", "neighbourhoods", "State 92 deciding state: saved or lost here"}, // in the first view that has it
		{"step=2&view=whole&state=4", "2 / 4", "whole", "State 4"},
		// What the page does not have changes nothing.
		{"step=99&view=nowhere&state=4711", "3 / 4", "excerpt", ""},
		{"step=-1", "3 / 4", "excerpt", ""},
		{"step=1e0", "3 / 4", "excerpt", ""},
		{"state=%22%5D%3Cimg%20src=x%3E&view=%5C", "3 / 4", "excerpt", ""},
		{"run", "3 / 4", "excerpt", ""},
	} {
		b := openAt(t, text, c.at)
		b.Want(position, c.position)
		b.Want(viewName, c.view)
		b.Want(beside, c.facts)
	}
	b := openAt(t, text, "step=99")
	b.Want(said, "The address asks for a step that this run does not have.")
}

// TestBrowserKeepsTheAddress: what is copied from the address bar leads to what is
// seen, and a change of it is followed.
func TestBrowserKeepsTheAddress(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, travel))
	b.Want(address, "")
	b.Press(kb.Home)
	b.Want(address, "#step=0")
	b.Press("j", "j")
	b.Want(address, "#step=2")
	b.Click(`#views [data-view="whole"]`)
	b.Want(address, "#step=2&view=whole")
	b.Run(chromedp.Evaluate(`document.querySelector('[id="state-4"] text').dispatchEvent(new MouseEvent("click", {bubbles: true}))`, nil))
	b.Want(address, "#step=2&view=whole&state=4")
	b.Click("#facts .shut")
	b.Want(address, "#step=2&view=whole")
	b.Click(`#views [data-view="excerpt"]`)
	b.Want(address, "#step=2")
	b.Want(`history.length`, "2") // walking leaves no trail: blank, and this page

	b.Run(chromedp.Evaluate(`void(location.hash = "step=4&state=2")`, nil))
	b.Until(position + ` === "4 / 4"`)
	b.Want(beside, "State 2 deciding state: lost here")
	b.Run(chromedp.Evaluate(`void(location.hash = "step=1")`, nil))
	b.Until(position + ` === "1 / 4"`)
	b.Want(beside, "")

	// Where only the decisions are shown, another step shows all.
	b.Click(`[data-mode="abstracted"]`)
	b.Want(position, "3 / 4")
	b.Run(chromedp.Evaluate(`void(location.hash = "step=4")`, nil))
	b.Until(position + ` === "4 / 4"`)
	b.Want(selected, "REFUSAL_REC")
	b.Want(`document.querySelector('[data-mode="full"]').getAttribute("aria-pressed")`, "true")
}
