package argumenttest

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/tools/browsertest"
)

var engine = graphviz.New(10, "")

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.Close()
	engine.Close()
	os.Exit(code)
}

// written returns the page about a formula in all states of a model in which labels are
// hostile, and long.
func written(t testing.TB, formula string) string {
	t.Helper()
	ctx := context.Background()
	var b lts.Builder
	for _, e := range []struct {
		from  lts.State
		label string
		to    lts.State
	}{
		{0, "PUT !a", 1}, {1, "</summary><script>alert(1)</script>", 2}, {2, strings.Repeat("LONG_", 60), 3}, {3, "ACK", 0},
		{2, "LOSE", 4}, {4, "LOSE", 5}, {5, "LOSE", 6}, {1, "ACK", 6},
	} {
		b.Add(e.from, b.Label(e.label), e.to)
	}
	m, err := b.Build(0, 7)
	if err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse(ctx, formula)
	if err != nil {
		t.Fatal(err)
	}
	c := f.Closure()
	means, _, err := c.Bind(ctx, m.Alphabet(), nil)
	if err != nil {
		t.Fatal(err)
	}
	from := wmc.States{0, 4}
	checked, err := wmc.Check(ctx, wmc.NewExplicit(m, means, nil), c, from, wmc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := argument.New(ctx, m, checked, means, from)
	if err != nil {
		t.Fatal(err)
	}
	var all []*argument.Argument
	for _, s := range []lts.State{0, 4} {
		a, err := x.Argue(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	var picture, page bytes.Buffer
	if err := draw.SVG(ctx, engine, &picture, view.NewArgument(m, all, view.Caption{}), draw.Options{}); err != nil {
		t.Fatal(err)
	}
	p := argument.Page{Model: "folder/m.aut", Formula: f.String(), Verdict: "does not hold", Picture: picture.String()}
	if err := p.WriteHTML(&page, m, all); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// formulas have arguments of all kinds: runs, loops, layers, sets, trees of them.
var formulas = []string{
	`AG (<"PUT !a"> true -> AX (AF deadlock && E[!deadlock U <LOSE> true])) || EG (EF <LOSE> true || deadlock)`,
	`A[true {LOSE} U {ACK} true] && AF deadlock -> EX EX EX true`,
	`AG (EX true || deadlock) && AF (deadlock || <LOSE> true) && EF <LOSE> <LOSE> true`,
	`EF <LOSE> <LOSE> true && AF (deadlock || <LOSE> true)`,
}

func screen(width, height int64) chromedp.Action { return chromedp.EmulateViewport(width, height) }

// TestBrowserOpensPartsByKeyboard: Tab goes from one part that can be opened to the next,
// and Enter opens and closes it.
func TestBrowserOpensPartsByKeyboard(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, formulas[2]), screen(1280, 900))
	b.Want(`document.title`, "m.aut: does not hold")
	b.Want(`document.querySelector("h1").textContent`, "✗ does not hold AG (EX true || deadlock) && AF (deadlock || <LOSE> true) && EF <LOSE> <LOSE> true")
	b.Want(`[...document.querySelectorAll("h2")].map(h => h.textContent).join()`, "State 0,State 4")
	b.Press(kb.Tab)
	b.Want(`document.activeElement === document.querySelector("summary")`, "true")
	b.Want(`document.activeElement.parentElement.open`, "true")
	b.Press(kb.Enter)
	b.Until(`!document.querySelector("details").open`)
	// What is closed is no stop: next is the other argument.
	b.Press(kb.Tab)
	b.Want(`document.activeElement.closest("section").querySelector("h2").textContent`, "State 4")
	b.Press(kb.Enter, kb.Enter)
	b.Run(chromedp.Evaluate(`document.querySelectorAll("details.claim").forEach(d => d.open = true)`, nil))

	// A layer, by the space bar.
	const layer = `document.querySelector("details.layer:nth-of-type(2)")`
	b.Run(chromedp.Evaluate(layer+`.querySelector("summary").focus()`, nil))
	b.Want(layer+`.querySelector(".states").checkVisibility({contentVisibilityAuto: true})`, "false")
	b.Press(" ")
	b.Until(layer + `.open`)
	b.Until(layer + `.querySelector(".states").checkVisibility({contentVisibilityAuto: true})`)
	b.Want(layer+`.querySelector(".states").textContent`, "1")
}

// TestBrowserFitsPhones: nothing makes the page wider than the screen; what is wider, the
// picture, moves by itself, also by keyboard.
func TestBrowserFitsPhones(t *testing.T) {
	t.Parallel()
	for _, formula := range formulas {
		b := browsertest.Open(t, written(t, formula), screen(360, 640))
		b.Run(chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil))
		b.Want(`document.documentElement.scrollWidth <= 360`, "true")
		b.Want(`[...document.querySelectorAll("main *:not(.picture *)")].filter(e => e.getBoundingClientRect().right > 361).map(e => e.outerHTML).join()`, "")
		if b.Value(`(p => p.scrollWidth > p.clientWidth + 20)(document.querySelector(".picture"))`) != "true" {
			continue
		}
		b.Run(chromedp.Focus(".picture", chromedp.ByQuery))
		b.PressUntil(`document.querySelector(".picture").scrollLeft > 0`, kb.ArrowRight)
	}
}

// TestBrowserIsAccessible: axe-core finds nothing serious, in light and dark, on large and
// small screens, as the page opens and with all that can be opened.
func TestBrowserIsAccessible(t *testing.T) {
	t.Parallel()
	for _, formula := range formulas {
		for scheme, width := range map[string]int64{"light": 390, "dark": 1280} {
			b := browsertest.Open(t, written(t, formula), screen(width, 800), browsertest.Look("prefers-color-scheme", scheme))
			b.Legible(formula + ", " + scheme)
			b.Accessible(formula + ", " + scheme)
			b.Run(chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil))
			b.Run(browsertest.Look("prefers-color-scheme", map[string]string{"light": "dark", "dark": "light"}[scheme]))
			b.Legible(formula + ", not " + scheme + ", with what can be opened")
			b.Accessible(formula + ", not " + scheme + ", with what can be opened")
		}
	}
}

// TestBrowserFollowsTheScheme: dark where that is preferred, but for the picture.
func TestBrowserFollowsTheScheme(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, formulas[0]), screen(800, 600), browsertest.Look("prefers-color-scheme", "dark"))
	b.Want(`getComputedStyle(document.body).backgroundColor`, "rgb(20, 23, 27)")
	b.Want(`getComputedStyle(document.querySelector(".picture")).backgroundColor`, "rgb(255, 255, 255)")
	b.Run(browsertest.Look("prefers-color-scheme", "light"))
	b.Until(`getComputedStyle(document.body).backgroundColor === "rgb(246, 247, 249)"`)
}

// TestBrowserPrintsAll: on paper everything is open, and nothing is cut off.
func TestBrowserPrintsAll(t *testing.T) {
	t.Parallel()
	met := false
	for _, formula := range formulas {
		b := browsertest.Open(t, written(t, formula), screen(760, 1000), browsertest.Look("prefers-color-scheme", "dark"))
		const closed = `[...document.querySelectorAll("details *:not(br)")].filter(e => !e.checkVisibility({contentVisibilityAuto: true})).length`
		met = met || b.Value(closed) != "0"
		b.Run(emulation.SetEmulatedMedia().WithMedia("print"))
		b.Until(closed + ` === 0`)
		b.Want(`[...document.querySelectorAll(".run, .states, .picture")].filter(e => e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1).map(e => e.className).join()`, "")
		b.Want(`getComputedStyle(document.querySelector("summary")).color`, "rgb(27, 31, 36)")
	}
	if !met {
		t.Error("nothing was closed before")
	}
}

// TestBrowserKeepsTextsInBoxes: in the letters that this browser has, each line of the
// picture is within its box.
func TestBrowserKeepsTextsInBoxes(t *testing.T) {
	t.Parallel()
	for _, formula := range formulas {
		b := browsertest.Open(t, written(t, formula), screen(1280, 900))
		b.Want(`document.querySelectorAll('.picture g[id^="claim-"] text').length > 3`, "true")
		b.Want(`[...document.querySelectorAll('.picture g[id^="claim-"], .picture g[id^="layer-"], .picture g[id^="stub-"]')]
			.flatMap(g => [...g.querySelectorAll("text")].map(line => [line, g.querySelector("path, polygon")]))
			.filter(([line, box]) => line.getBBox().x < box.getBBox().x || line.getBBox().x + line.getBBox().width > box.getBBox().x + box.getBBox().width)
			.map(([line]) => line.textContent).join("|")`, "")
	}
}

// TestBrowserShowsHostileTexts: labels are text, and the policy of the page had nothing to
// stop.
func TestBrowserShowsHostileTexts(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, formulas[3]), screen(1280, 900))
	b.Want(`document.scripts.length`, "0")
	b.Want(`document.querySelector("main").textContent.includes("</summary><script>alert(1)</script>")`, "true")
}
