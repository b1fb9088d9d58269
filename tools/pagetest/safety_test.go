package pagetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/tools/browsertest"
)

// hostileLabels hold whatever a page may trip over.
var hostileLabels = []string{
	`</script><img src=x onerror=alert(1)>`,
	`"];a->b[`,
	"\x1b[31mred\x07\x00",
	"abc\u202egnp.exe\u200f",
	strings.Repeat("L", 100_000),
	"<!--<script>", "]]><svg onload=alert(1)>", "&lt;b&gt;&amp;",
	"\u2028\u2029", "{{.Violated}}${alert(1)}`", "\x02 \x02code\x03", "bytes \xff\xc3\x28",
	`' onmouseover='alert(1)`, "javascript:alert(1)", "</style></title></template></svg>",
}

// hostile is a model of hostile labels, one after the other, at each of which the
// run could have been saved by another.
func hostile(t testing.TB) *explain.Explanation {
	var edges []edge
	good := lts.State(len(hostileLabels) + 1)
	for i, label := range hostileLabels {
		edges = append(edges, edge{lts.State(i), label, lts.State(i + 1)}, edge{lts.State(i), "<i>" + label, good})
	}
	edges = append(edges, edge{good, "A", good})
	return specimens.Asked(t, modelOf(t, int(good)+1, edges), `Inev({A, "</script><script>alert(1)</script>"})`, explain.Options{
		Source: explain.Source{File: `</title><script>alert(1)</script>"&.aut`, Warnings: []string{"<script>alert(2)</script>"}},
	})
}

func TestBrowserWithstandsHostileTexts(t *testing.T) {
	t.Parallel()
	command := []string{"inev", "explain", `</pre><script>alert(1)</script>`, "\x1b[2J\u202e'"}
	b := browsertest.Open(t, written(t, hostile(t), page.Options{Command: command, Version: "<b>v</b>"}))
	const strangers = `[...document.querySelectorAll("img, iframe, object, embed, form, a[href]:not(.skip), svg script, svg svg, foreignObject, i, b")].map(e => e.outerHTML).join()`
	b.Want(strangers, "")
	b.Want(`document.scripts.length`, "4")
	b.Want(`[...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => a.name.startsWith("on") || a.name === "style" && !e.closest(".scroller"))).length`, "0")
	// The picture is whole, and every step can be walked to and read.
	b.Want(`document.querySelectorAll("#viewport .node.state").length >= 16`, "true")
	b.Press(kb.Home)
	b.Want(position, "0 / 15")
	shown := []string{
		hostileLabels[0], hostileLabels[1], `\x1b[31mred\x07\x00`, `abc\u202egnp.exe\u200f`, strings.Repeat("L", 159) + "…",
		hostileLabels[5], hostileLabels[6], hostileLabels[7], `\u2028\u2029`, hostileLabels[9], `\x02 \x02code\x03`, `bytes \xff\xc3(`,
		hostileLabels[12], hostileLabels[13], hostileLabels[14],
	}
	for _, want := range shown {
		b.Press("j")
		if got := b.Value(selected); got != want {
			t.Errorf("%q is shown, want %q", got, want)
		}
	}
	b.Click(`#views [data-view="whole"]`)
	b.Want(strangers, "")
	b.Want(`document.getElementById("command").textContent`, `inev explain '</pre><script>alert(1)</script>' $'\033[2J\342\200\256\047'`)
	b.Click("#copy")
	b.Until(`document.getElementById("copied").textContent !== ""`)
	b.Want(`document.documentElement.scrollWidth <= innerWidth`, "true")
}

// TestBrowserEnforcesThePolicy: if something got in nevertheless, it could do
// nothing.
func TestBrowserEnforcesThePolicy(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, withoutPictures(t, agency(t), page.Options{}))
	for _, attempt := range []string{
		`const s = document.createElement("script"); s.text = "document.title = 'taken over'"; document.body.append(s)`,
		`document.body.innerHTML = "<p onclick=x>"`,
		`const s = document.createElement("script"); s.src = "data:text/javascript,document.title='taken over'"; document.body.append(s)`,
		`const i = new Image(); i.src = "https://example.org/x.png"; document.body.append(i)`,
		`const l = document.createElement("link"); l.rel = "stylesheet"; l.href = "https://example.org/x.css"; document.head.append(l)`,
		`fetch("https://example.org/")`,
		`document.body.setAttribute("style", "display: none")`,
	} {
		b.Run(chromedp.Evaluate(`(() => { addEventListener("unhandledrejection", e => e.preventDefault()); try { `+attempt+` } catch {} })()`, nil))
		b.Until(`true`)
	}
	b.Want(`document.title.includes("taken over")`, "false")
	b.Want(`getComputedStyle(document.body).display`, "block")
	if blocked := b.Blocked(); len(blocked) < 7 {
		t.Errorf("the policy stopped only %q", blocked)
	}
}

func TestBrowserDownloads(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	done := make(chan string, 1)
	b := browsertest.Open(t, withoutPictures(t, travel(t), page.Options{}))
	chromedp.ListenTarget(b.Ctx, func(event any) {
		if e, is := event.(*cdpbrowser.EventDownloadProgress); is && e.State == cdpbrowser.DownloadProgressStateCompleted {
			done <- e.GUID
		}
	})
	b.Run(cdpbrowser.SetDownloadBehavior(cdpbrowser.SetDownloadBehaviorBehaviorAllowAndName).
		WithBrowserContextID(chromedp.FromContext(b.Ctx).BrowserContextID).WithDownloadPath(folder).WithEventsEnabled(true))
	b.Click("#download")
	var name string
	select {
	case name = <-done:
	case <-b.Ctx.Done():
		t.Fatal("nothing was downloaded")
	}
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got["schema"] != "inev.explanation/3" || len(got["neighbourhoods"].([]any)) != 23 {
		t.Errorf("the download has schema %v and %d neighbourhoods", got["schema"], len(got["neighbourhoods"].([]any)))
	}
}

const background = `getComputedStyle(document.body).backgroundColor`

func TestBrowserColours(t *testing.T) {
	t.Parallel()
	const light, dark = "rgb(245, 246, 248)", "rgb(18, 22, 27)"
	text := pageAbout(t, agency)
	b := browsertest.Open(t, text, browsertest.Look("prefers-color-scheme", "light"))
	b.Want(background, light)
	b.Run(browsertest.Look("prefers-color-scheme", "dark"))
	b.Want(background, dark)
	// What is drawn in black on white is not left so.
	b.Want(`getComputedStyle(document.querySelector("svg .node text")).fill`, "rgb(228, 232, 238)")
	b.Click("#theme")
	b.Want(`document.getElementById("theme").getAttribute("aria-label")`, "Colours: dark")
	b.Run(browsertest.Look("prefers-color-scheme", "light"))
	b.Want(background, dark)
	b.Click("#theme")
	b.Run(browsertest.Look("prefers-color-scheme", "dark"))
	b.Want(background, light)
	b.Click("#theme")
	b.Want(background, dark)
}
