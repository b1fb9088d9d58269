package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/tools/browsertest"
	buildcommand "github.com/inev-lts/inev/tools/build"
)

var built = flag.String("folder", "", "try out the playground in this folder, and not a new one")

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.Close()
	for _, folder := range temporary {
		os.RemoveAll(folder)
	}
	os.Exit(code)
}

var temporary []string

func temporaryFolder() (string, error) {
	folder, err := os.MkdirTemp("", "inev-playground-")
	temporary = append(temporary, folder)
	return folder, err
}

// playground is the folder, built once.
var playground = sync.OnceValues(func() (string, error) {
	if *built != "" {
		return *built, nil
	}
	folder, err := temporaryFolder()
	if err != nil {
		return "", err
	}
	return folder, build(context.Background(), folder, settings{})
})

// command is inev, built once.
var command = sync.OnceValues(func() (string, error) {
	folder, err := temporaryFolder()
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "inev")
	return file, buildcommand.Command(context.Background(), file)
})

// open opens the playground at a fragment, "" for none, as a host serves it that knows nothing
// of it.
func open(t *testing.T, fragment string, before ...chromedp.Action) *browsertest.Tab {
	t.Helper()
	folder, err := playground()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	if len(before) == 0 {
		before = []chromedp.Action{emulation.SetDeviceMetricsOverride(1280, 900, 1, false)}
	}
	return browsertest.OpenURL(t, server.URL+"/"+fragment, before...)
}

// said runs the command in a folder, and returns what it writes.
func said(t *testing.T, folder string, arguments ...string) (stdout, stderr string) {
	t.Helper()
	file, err := command()
	if err != nil {
		t.Fatal(err)
	}
	c := golden.Command(t, file, arguments...)
	c.Dir = folder
	c.Env = append(os.Environ(), "INEV_CACHE=off")
	var out, wrong bytes.Buffer
	c.Stdout, c.Stderr = &out, &wrong
	var failed *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return out.String(), wrong.String()
}

const (
	idle     = `document.getElementById("stop").disabled && document.documentElement.dataset.described !== undefined`
	answered = `!document.getElementById("text").hidden`
	shown    = `document.getElementById("text").textContent`
	mistake  = `document.getElementById("wrong").textContent`
)

// give puts files into the field for them.
func give(b *browsertest.Tab, name string) {
	b.Run(chromedp.Evaluate(`delete document.documentElement.dataset.described, 0`, nil), chromedp.SetUploadFiles("#file", []string{name}, chromedp.ByQuery))
	b.Until(idle)
}

// ask asks about a property, and waits for the answer or the mistake.
func ask(b *browsertest.Tab, formula string) {
	b.Until(idle)
	b.Fill("#formula", formula)
	b.Run(chromedp.Evaluate(`delete document.documentElement.dataset.answered, 0`, nil))
	b.Run(chromedp.Evaluate(`document.getElementById("ask-form").requestSubmit()`, nil))
	b.Until(`document.documentElement.dataset.answered !== undefined`)
}

// saved downloads what the page offers under the name of a file.
func saved(t *testing.T, b *browsertest.Tab, name string) string {
	t.Helper()
	folder := t.TempDir()
	done := make(chan string, 1)
	chromedp.ListenTarget(b.Ctx, func(event any) {
		if e, is := event.(*cdpbrowser.EventDownloadProgress); is && e.State == cdpbrowser.DownloadProgressStateCompleted {
			select {
			case done <- e.GUID:
			default:
			}
		}
	})
	b.Run(cdpbrowser.SetDownloadBehavior(cdpbrowser.SetDownloadBehaviorBehaviorAllowAndName).
		WithBrowserContextID(chromedp.FromContext(b.Ctx).BrowserContextID).WithDownloadPath(folder).WithEventsEnabled(true))
	b.Until(idle)
	b.Run(chromedp.Evaluate(fmt.Sprintf(`document.getElementById("kind").value = %q, 0`, name), nil))
	b.Click("#download")
	select {
	case guid := <-done:
		text, err := os.ReadFile(filepath.Join(folder, guid))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	case <-b.Ctx.Done():
		t.Fatal("nothing was downloaded")
	}
	return ""
}

// TestExamples compares the text for every example with what the command writes.
func TestExamples(t *testing.T) {
	b := open(t, "")
	folder, _ := playground()
	var all []example
	text, err := os.ReadFile(filepath.Join(folder, "examples.json"))
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all) < 15 {
		t.Fatalf("%d examples: %v", len(all), err)
	}
	b.Until(answered)
	b.Until(idle)
	for _, e := range all {
		b.Run(chromedp.Evaluate(fmt.Sprintf(`delete document.documentElement.dataset.described, document.getElementById("example").value = %q, document.getElementById("example").dispatchEvent(new Event("change")), 0`, e.Name), nil))
		b.Until(idle + ` && document.getElementById("model-name").textContent === "` + filepath.Base(e.File) + `"`)
		b.Until(answered)
		out, wrong := said(t, filepath.Join(folder, "examples", filepath.Dir(e.File)), "explain", filepath.Base(e.File), e.Formula)
		if wrong != "" {
			out += "\n" + wrong
		}
		if got := b.Value(shown); got != out {
			t.Errorf("%s: the page says\n%s\nand the command\n%s", e.Name, got, out)
		}
	}
}

// checkFullSize: a picture that is wider than its frame fits into it until its full size is asked for, and can then be scrolled.
func checkFullSize(b *browsertest.Tab) {
	const (
		frame    = `document.getElementById("picture").parentElement`
		isScaled = `document.getElementById("picture").clientWidth < document.getElementById("picture").naturalWidth`
	)
	b.Until(isScaled + ` && !document.getElementById("size").hidden`)
	b.Want(frame+`.scrollWidth > `+frame+`.clientWidth`, "false")
	b.Click("#size")
	b.Until(frame + `.scrollWidth > ` + frame + `.clientWidth && document.getElementById("size").getAttribute("aria-pressed") === "true"`)
	b.Click("#size")
	b.Until(isScaled)
}

// TestViews compares pictures and the other answers with what the command gives.
func TestViews(t *testing.T) {
	b := open(t, "")
	folder, _ := playground()
	const property = "Inev(BOOKING_REC, TICKET_REC)"
	at := filepath.Join(folder, "examples", "travel")
	scratch := t.TempDir()
	ask(b, property)
	b.Click("#tab-picture")
	b.Until(`document.getElementById("picture").complete && document.getElementById("picture").naturalWidth > 0`)
	checkFullSize(b)
	said(t, at, "explain", "travel.aut", property, "--svg", filepath.Join(scratch, "travel.svg"))
	want, err := os.ReadFile(filepath.Join(scratch, "travel.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if got := saved(t, b, "explanation.svg"); got != string(want) {
		t.Errorf("the picture has %d bytes, that by the command %d", len(got), len(want))
	}
	b.Click("#tab-advice")
	b.Until(idle + " && " + answered)
	if out, _ := said(t, at, "repair", "travel.aut", property); b.Value(shown) != out {
		t.Errorf("advice is %s", b.Value(shown))
	}
	b.Click("#tab-why")
	b.Until(idle + " && " + answered)
	b.Run(chromedp.Evaluate(`document.getElementById("action").value = "PAYMENT_REC", document.getElementById("action").dispatchEvent(new Event("change")), 0`, nil))
	b.Until(`document.getElementById("command").textContent.includes("PAYMENT_REC")`)
	if out, _ := said(t, at, "why", "travel.aut", property, "--not", "PAYMENT_REC"); b.Value(shown) != out {
		t.Errorf("why not: %s", b.Value(shown))
	}
	b.Click("#tab-page")
	b.Until(`!document.getElementById("page").hidden`)
}

// TestFiles: a model comes from a file, compressed too, by the field and dropped.
func TestFiles(t *testing.T) {
	b := open(t, "")
	folder := t.TempDir()
	model := []byte("des (0, 2, 3)\n(0, \"REQ\", 1)\n(1, \"ACK\", 2)\n")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(model)
	w.Close()
	for name, data := range map[string][]byte{"plain.aut": model, "packed.aut.gz": packed.Bytes()} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
		b.Until(idle)
		give(b, filepath.Join(folder, name))
		ask(b, "Inev(ACK, REQ)")
		if out, _ := said(t, folder, "explain", name, "Inev(ACK, REQ)"); b.Value(shown) != out {
			t.Errorf("%s: %s", name, b.Value(shown))
		}
	}
	b.Run(chromedp.Evaluate(`delete document.documentElement.dataset.described; (() => {
		const data = new DataTransfer();
		data.items.add(new File(["des (0, 1, 1)\n(0, \"ROUND\", 0)\n"], "dropped.aut"));
		dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true}));
	})()`, nil))
	b.Until(idle)
	b.Until(`document.getElementById("model-name").textContent === "dropped.aut"`)
	b.Want(`document.getElementById("info").textContent.includes("ROUND") || /[Ss]tates\s+1\b/.test(document.getElementById("info").textContent)`, "true")
}

// TestFormats: the answer about a model in another format than .aut is that of the command, and so
// is what it says about the model, whatever its file is called.
func TestFormats(t *testing.T) {
	b := open(t, "")
	folder := t.TempDir()
	top := filepath.Join("..", "..")
	said(t, folder, "convert", absolute(t, filepath.Join(top, "examples", "abp", "abp.aut")), "-o", "kept.clts")
	for _, c := range []struct{ from, name, property string }{
		{filepath.Join(top, "format", "internal", "mcrl2", "testdata", "values.lts"), "values.lts", "Inev(tau, tau, tau)"},
		{filepath.Join(top, "cmd", "inev", "testdata", "models", "m.fsm"), "small.fsm", "Inev(ACK, REQ)"},
		{filepath.Join(top, "examples", "jugs", "jugs.dot"), "jugs.dot", "Inev(FillBig)"},
		{filepath.Join(top, "examples", "jugs", "jugs.dot"), "jugs.txt", "Inev(FillBig)"}, // content comes before names
		{filepath.Join(folder, "kept.clts"), "kept.clts", "Inev(PUT, GET)"},
	} {
		data, err := os.ReadFile(c.from)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, c.name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		b.Until(idle)
		give(b, filepath.Join(folder, c.name))
		ask(b, c.property)
		out, wrong := said(t, folder, "explain", c.name, c.property)
		if wrong != "" {
			out += "\n" + wrong
		}
		if b.Value(shown) != out || out == "" {
			t.Errorf("%s: the page says\n%s\nand the command\n%s%s", c.name, b.Value(shown), out, b.Value(mistake))
		}
		if info, _ := said(t, folder, "info", c.name); b.Value(`document.getElementById("info").textContent`) != strings.TrimRight(info, "\n") {
			t.Errorf("%s: about the model it says\n%s\nand the command\n%s", c.name, b.Value(`document.getElementById("info").textContent`), info)
		}
	}
}

func absolute(t *testing.T, file string) string {
	t.Helper()
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestMistakes are shown under the text, as the command words them.
func TestMistakes(t *testing.T) {
	b := open(t, "")
	folder, _ := playground()
	// What looks at a formula while it is written must not look at it once it is asked.
	b.Run(chromedp.Evaluate(`{
		const [set, clear] = [window.setTimeout, window.clearTimeout];
		window.looks = new Set();
		window.setTimeout = (f, ms, ...more) => { const id = set(f, ms, ...more); if (ms === 400) window.looks.add(id); return id; };
		window.clearTimeout = id => { window.looks.delete(id); clear(id); };
		0
	}`, nil))
	for _, wrong := range []string{"Inev(A", "Inev(BOOKINGREC)", "Inv(A)"} {
		ask(b, wrong)
		_, stderr := said(t, filepath.Join(folder, "examples", "travel"), "explain", "travel.aut", wrong)
		if got := b.Value(mistake); got != strings.TrimRight(stderr, "\n") || got == "" {
			t.Errorf("%s: %q, and the command says %q", wrong, got, stderr)
		}
		b.Want(`window.looks.size`, "0")
	}
	b.Until(idle)
	b.Fill("#formula", "Inev(B")
	b.Until(mistake + `.includes("Inev(B")`) // while it is written
	ask(b, "Inev(BOOKING_REC, TICKET_REC)")
	b.Want(mistake, "")
	file := filepath.Join(t.TempDir(), "broken.aut")
	if err := os.WriteFile(file, []byte("des (0, 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	give(b, file)
	b.Until(mistake + `.includes("broken.aut:1")`)
}

// TestStop ends what takes long, and what is asked then is answered. More than two million
// transitions are refused.
func TestStop(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, spec generate.Spec) string {
		f, err := os.Create(filepath.Join(folder, name))
		if err == nil {
			err = generate.Write(context.Background(), f, spec)
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return f.Name()
	}
	long := write("long.aut", generate.Spec{Kind: "scc", States: 200_000, Degree: 3, Locality: 1000, Labels: 50})
	b := open(t, "")
	b.Until(answered)
	b.Until(idle)
	b.Run(chromedp.SetUploadFiles("#file", []string{long}, chromedp.ByQuery))
	b.Until(`!document.getElementById("stop").disabled && /[0-9]/.test(document.getElementById("progress").textContent)`)
	b.Click("#stop")
	b.Until(`document.getElementById("progress").textContent === "Stopped."`)
	b.Run(chromedp.Evaluate(`delete document.documentElement.dataset.described, document.getElementById("example").value = "abp", document.getElementById("example").dispatchEvent(new Event("change")), 0`, nil))
	b.Until(idle)
	ask(b, "Inev(PUT)")
	b.Want(shown+`.startsWith("abp.aut violates Inev(PUT)")`, "true")
	if !testing.Short() {
		huge := filepath.Join(folder, "huge.aut")
		var text bytes.Buffer
		text.WriteString("des (0, 2000001, 1)\n" + strings.Repeat("(0,a,0)\n", 2_000_001))
		if err := os.WriteFile(huge, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		give(b, huge)
		b.Until(mistake + `.includes("2,000,001 transitions are more than the 2,000,000 that a browser takes")`)
	}
}

// TestLink: a link carries the question and a small model into another profile, and nothing is
// kept where the page was.
func TestLink(t *testing.T) {
	b := open(t, "")
	file := filepath.Join(t.TempDir(), "mine <b>.aut")
	if err := os.WriteFile(file, []byte("des (0, 2, 2)\n(0, \"A \\\"b\\\"\", 1)\n(1, \"TAU\", 1)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.Until(idle)
	give(b, file)
	b.Run(chromedp.Evaluate(`document.getElementById("fair").value = "weak", 0`, nil))
	ask(b, "Inev(TAU, TAU, /b/)")
	answer := b.Value(shown)
	if !strings.HasPrefix(answer, "mine <b>.aut violates") {
		t.Errorf("the answer is %s", answer)
	}
	b.Until(`location.hash.includes("model=")`)
	fragment := b.Value(`location.hash`)
	b.Want(`localStorage.length + document.cookie.length`, "0")
	other := open(t, fragment)
	other.Until(answered)
	if got := other.Value(shown); got != answer {
		t.Errorf("the link leads to %s, and not %s", got, answer)
	}
	other.Want(`document.getElementById("fair").value`, "weak")
}

// TestInSight: on a desktop and on a phone the verdict is seen without scrolling, and patterns and formulas of LTL are one click away.
func TestInSight(t *testing.T) {
	for _, size := range [][2]int64{{1280, 900}, {390, 844}} {
		b := open(t, "", emulation.SetDeviceMetricsOverride(size[0], size[1], 1, size[0] < 500))
		b.Until(idle + " && " + answered)
		b.Want(`[...document.querySelectorAll("#verdict, #text")].some(e => !e.hidden && getComputedStyle(e).display !== "none" && e.textContent.includes("violates") && e.getBoundingClientRect().top + 40 < innerHeight && e.getBoundingClientRect().top >= 0)`, "true")
		b.Click(".patterns summary")
		b.Click(`[data-pattern^="Response"]`)
		b.Want(`document.getElementById("formula").value`, "Response(A; B)")
		b.Want(`getSelection().toString() || document.getElementById("formula").value.slice(document.getElementById("formula").selectionStart, document.getElementById("formula").selectionEnd)`, "A")
		b.Want(`[...document.querySelectorAll("button, select, summary, label:has(input)")].filter(e => e.getClientRects().length > 0 && !e.classList.contains("hidden") && (e.getBoundingClientRect().height < 24 || e.getBoundingClientRect().width < 24)).map(e => e.outerHTML.slice(0, 80)).join("\n")`, "")
	}
}

// TestWhyNotAtOnce: whoever asks why something does not happen before the labels are there gets an answer when
// they are. On a phone, pictures have their own size.
func TestWhyNotAtOnce(t *testing.T) {
	b := open(t, "", emulation.SetDeviceMetricsOverride(390, 800, 1, true))
	b.Run(chromedp.Evaluate(`document.getElementById("tab-why").click()`, nil))
	b.Until(shown + `.includes("ACCEPTANCE_EM")`)
	b.Want(`String(document.getElementById("wrong").hidden)`, "true")
	b.Run(chromedp.Evaluate(`document.getElementById("tab-picture").click()`, nil))
	b.Until(`document.getElementById("picture").naturalWidth > 0`)
	b.Want(`document.getElementById("size").getAttribute("aria-pressed")`, "true")
	b.Want(`String(document.getElementById("picture").clientWidth >= document.getElementById("picture").naturalWidth)`, "true")
	b.Want(`String(document.documentElement.scrollWidth <= innerWidth)`, "true")
}

// TestPhoneAndKeyboard: the page fits a phone, can be used by keys, and shuts nobody out.
func TestPhoneAndKeyboard(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		b := open(t, "", emulation.SetDeviceMetricsOverride(390, 800, 1, true), browsertest.Look("prefers-color-scheme", scheme))
		b.Until(idle + " && " + answered)
		b.Want(`document.documentElement.scrollWidth <= innerWidth`, "true")
		b.Legible("the playground, " + scheme)
		b.Accessible("the playground, " + scheme)
		b.Fill("#formula", "")
		b.Run(chromedp.Focus("#formula", chromedp.ByQuery))
		b.Run(chromedp.SendKeys("#formula", "Inev(booking_r", chromedp.ByQuery))
		b.Until(`!document.getElementById("labels").hidden`)
		b.Want(`document.getElementById("offered").textContent`, "1 label offered; the arrow keys choose one")
		b.Accessible("with labels offered, " + scheme)
		b.Press(kb.ArrowDown, kb.Enter)
		b.Want(`document.getElementById("formula").value`, "Inev(BOOKING_REC")
		b.Want(`document.getElementById("offered").textContent`, "")
		b.Run(chromedp.SendKeys("#formula", ")"+kb.Enter, chromedp.ByQuery))
		b.Until(shown + `.includes("Inev(BOOKING_REC)")`)
		b.Run(chromedp.Focus("#tab-text", chromedp.ByQuery))
		b.Press(kb.ArrowRight, kb.ArrowRight)
		b.Until(`!document.getElementById("drawn").hidden`)
		b.Accessible("with a picture, " + scheme)
	}
}

// hostile are labels that a page may trip over.
var hostile = []string{
	`</script><img src=x onerror=alert(1)>`, `]];a->b[`, "\x1b[31mred\x07", "abc\u202egnp.exe", strings.Repeat("L", 10_000), "<!--<script>",
	"]]><svg onload=alert(1)>", "&lt;b&gt;&amp;", "\u2028\u2029", "{{.Violated}}${alert(1)}`", "\x02 code\x03", "bytes \xff\xc3(",
	`' onmouseover='alert(1)`, "javascript:alert(1)", "</style></title></template></svg>", "--help", "-", "*", "/a/", "Inev(A)",
}

// TestHostileModels: texts of models are only ever text.
func TestHostileModels(t *testing.T) {
	b := open(t, "")
	folder := t.TempDir()
	for i, label := range hostile {
		name := fmt.Sprintf("-<i>%d&.aut", i)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(fmt.Sprintf("des (0, 2, 2)\n(0, \"%s\", 1)\n(0, \"B\", 0)\n", label)), 0o644); err != nil {
			t.Fatal(err)
		}
		b.Until(idle)
		give(b, filepath.Join(folder, name))
		ask(b, "Inev(B)")
		kept := fmt.Sprintf("_<i>%d&.aut", i)
		if err := os.Rename(filepath.Join(folder, name), filepath.Join(folder, kept)); err != nil {
			t.Fatal(err)
		}
		if out, _ := said(t, folder, "explain", kept, "Inev(B)"); b.Value(shown) != out {
			t.Errorf("%q: %s", label, b.Value(shown))
		}
		b.Want(`document.querySelectorAll("main i, main b, main svg, main script, main style, img:not(#picture)").length`, "0")
	}
	b.Click("#tab-page")
	b.Until(`!document.getElementById("page").hidden`)
}
