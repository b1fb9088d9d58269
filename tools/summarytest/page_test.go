package summarytest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/batch/summary"
	"github.com/inev-lts/inev/internal/testing/samplebatch"
	"github.com/inev-lts/inev/tools/browsertest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.Close()
	os.Exit(code)
}

// What the page tells of its table.
const (
	jobNames = `[...document.querySelectorAll("#jobs-table .scroller .column-job")].map(c => c.textContent).join("|")`
	rowCount = `document.getElementById("jobs-table").getAttribute("aria-rowcount")`
	drawn    = `document.querySelectorAll("#jobs-table .scroller .row").length`
	chosen   = `document.querySelector("#job h2").textContent`
	shown    = `document.getElementById("shown").textContent`
	sorted   = `[...document.querySelectorAll("[aria-sort]")].filter(c => c.getAttribute("aria-sort") !== "none").map(c => c.textContent + " " + c.getAttribute("aria-sort")).join()`
)

func header(name string) string { return `#jobs-table .head .column-` + name + ` button` }

func written(t *testing.T, b summary.Batch) string {
	t.Helper()
	var out strings.Builder
	if err := b.HTML(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// sample is a batch in which everything occurs.
func sample() summary.Batch {
	return summary.Batch{Manifest: "ci/nightly.yaml", Version: "1.4.0", Results: samplebatch.Results(), Differences: samplebatch.Differences()}
}

// many is a batch of n jobs.
func many(n int) summary.Batch {
	return summary.Batch{Manifest: "many.csv", Results: samplebatch.Many(n)}
}

// small is the sample without the jobs with hostile texts.
func small() summary.Batch {
	b := sample()
	b.Results = append(b.Results[:8:8], b.Results[9:12]...)
	return b
}

func TestBrowserShowsFirstWhatMatters(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, small()))
	b.Want(jobNames, "fixed at last|broken again|too slow|abp.aut: Inev(GET)|long run|nothing happens|no model|panics|canceled|courier|abp.aut: Inev(PUT)")
	b.Want(chosen, "fixed at last")
	b.Want(sorted, "verdict ascending")
	b.Want(shown, "11 jobs")
	b.Want(`document.getElementById("headline").textContent`, "9 of 11 jobs need a look: 4 violated unexpectedly, 1 satisfied unexpectedly, 4 without a verdict")
	b.Want(`[...document.querySelectorAll(".chip")].map(c => c.textContent.replace(/\s+/g, " ").trim()).join("|")`,
		"9 ‼ to be looked at|5 ✗ violated|2 ✓ satisfied|1 ! error|1 ! timeout|1 ! crash|1 ! canceled|1 newly violated|1 newly failed|1 newly satisfied|1 longer run|1 added")
	b.Want(`[...document.querySelectorAll("#jobs-table .scroller .is-changed .column-since-then")].map(c => c.textContent).join("|")`, "newly satisfied|newly violated|newly failed|longer run")
	b.Want(`document.querySelector(".compared details").textContent.replace(/\s+/g, " ").trim()`, "1 removedgiven up, satisfied before")
}

// TestBrowserLeadsWithWhatNeedsALook: above the table, in the order in which it
// should be looked at; and nothing where all is as expected.
func TestBrowserLeadsWithWhatNeedsALook(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, sample()))
	b.Want(`document.querySelector(".look li code").textContent`, "fixed at last")
	b.Want(`document.querySelector(".look li .cell-verdict").textContent.trim()`, "✓ satisfied; expected: violated; newly satisfied")
	b.Want(`document.querySelectorAll(".look > ul > li").length`, "4")
	b.Want(`document.querySelector(".look details summary").textContent`, "7 more")
	b.Want(`document.querySelector(".look details li:last-child .said").textContent.startsWith('Warning: step 1, {PUT, x}: "x" matches no label')`, "true")
	b.Want(`document.querySelector('[data-status="warned"]').textContent.replace(/\s+/g, " ").trim()`, "1 ⚠ with a warning")
	b.Click(`[data-status="warned"]`)
	b.Want(jobNames, "warned of")
	b.Want(`document.querySelector("#jobs-table .scroller .cell-verdict .mark").textContent`, "⚠ has a warning")

	calm := summary.Batch{Manifest: "m", Results: []batch.Result{
		samplebatch.Result("a", "m.aut", "Inev(A)", samplebatch.Satisfied), samplebatch.Result("b", "m.aut", "Inev(B)", samplebatch.Violated(samplebatch.Deadlock()), samplebatch.Expecting("violated")),
	}}
	b = browsertest.Open(t, written(t, calm))
	b.Want(`document.getElementById("headline").textContent`, "All 2 verdicts are as expected: 1 satisfied, 1 violated")
	b.Want(`document.querySelectorAll(".look").length`, "0")
}

func TestBrowserSorts(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, small()))
	b.Click(header("job"))
	b.Want(sorted, "job ascending")
	b.Want(jobNames, "abp.aut: Inev(GET)|abp.aut: Inev(PUT)|broken again|canceled|courier|fixed at last|long run|no model|nothing happens|panics|too slow")
	b.Click(header("run"))
	b.Want(sorted, "run descending")
	// Equals stay in the order of the manifest, and what has no number comes last.
	const longest = "long run|abp.aut: Inev(GET)|courier|broken again|nothing happens|"
	const without = "abp.aut: Inev(PUT)|fixed at last|no model|too slow|panics|canceled"
	b.Want(jobNames, longest+without)
	b.Click(header("run"))
	b.Want(sorted, "run ascending")
	b.Want(jobNames, "nothing happens|abp.aut: Inev(GET)|courier|broken again|long run|"+without)
	b.Click(header("since-then"))
	b.Want(jobNames+`.split("|").slice(0, 4).join("|")`, "abp.aut: Inev(GET)|too slow|fixed at last|broken again")
}

func TestBrowserFilters(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, small()))
	b.Click(`[data-status="violated"]`)
	b.Want(shown, "5 of 11 jobs")
	b.Want(jobNames, "broken again|abp.aut: Inev(GET)|long run|nothing happens|courier")
	b.Want(`document.querySelector('[data-status="violated"]').getAttribute("aria-pressed")`, "true")
	b.Want(chosen, "broken again") // the chosen one is not there any more
	b.Fill("#model", "models/courier.aut")
	b.Want(jobNames, "broken again|courier")
	b.Fill("#tag", "nightly")
	b.Want(jobNames, "courier")
	b.Want(`location.hash`, "#model=models%2Fcourier.aut&tag=nightly&status=violated&job=courier")
	b.Click("#clear")
	b.Want(shown, "11 jobs")
	b.Want(`document.getElementById("clear").disabled`, "true")
	b.Click(`[data-status="look"]`)
	b.Want(jobNames, "fixed at last|broken again|too slow|abp.aut: Inev(GET)|long run|nothing happens|no model|panics|canceled")
	b.Click(`[data-status="look"]`)
	b.Click(`[data-change="newly-failed"]`)
	b.Want(jobNames, "too slow")
	b.Click("#clear")
	// In names, labels and errors; several words all have to be there.
	for text, want := range map[string]string{
		"refuse": "broken again|courier", "NO SUCH": "no model", "inev(a)": "too slow|nothing happens|no model", "inev(a) limit": "too slow",
	} {
		b.Fill("#text", text)
		b.Want(jobNames, want)
	}
	b.Fill("#text", "nowhere at all")
	b.Want(jobNames, "")
	b.Want(shown, "0 of 11 jobs")
	b.Run(chromedp.Focus("#text", chromedp.ByQuery))
	b.Press(kb.Escape)
	b.Want(shown, "11 jobs")
}

// TestBrowserRemembers: the address leads back to what was chosen.
func TestBrowserRemembers(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, small()))
	b.Run(chromedp.Evaluate(`location.hash = "#status=violated&text=inev&job=long+run"`, nil))
	b.Until(chosen + ` === "long run"`)
	b.Want(jobNames, "broken again|abp.aut: Inev(GET)|long run|nothing happens|courier")
	b.Want(`document.getElementById("text").value`, "inev")
	b.Run(chromedp.Evaluate(`location.hash = "#model=no+such&status=fine"`, nil))
	b.Until(rowCount + ` === "1"`)
	b.Click("#clear")
	b.Want(shown, "11 jobs")
}

func TestBrowserShowsAJob(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, small()))
	b.Click(`#jobs-table .scroller .row:nth-child(4) .column-job`)
	b.Want(chosen, "abp.aut: Inev(GET)")
	b.Want(`[...document.querySelectorAll("#job .facts dt")].map(d => d.textContent + ": " + d.nextSibling.textContent).join("|")`,
		"property: Inev(GET)|model: models/abp.aut, 91 states, 172 transitions|expected: satisfied, for the manifest says nothing|transitions: ✓ 73 correct, ✗ 75 incorrect, ? 24 neutral|neighbourhoods: 5|"+
			"decided by: LOSE, step 2, from state 1 to 2, line 7 of the model (last decision)|time: 162 ms|asked for in: ci/nightly.yaml:19")
	b.Want(`[...document.querySelectorAll("#job .run li")].map(l => l.textContent).join("|")`, "SEND !0|LOSE↻ the loop begins|TIMEOUT")
	b.Want(`[...document.querySelectorAll("#job .files a")].map(a => a.textContent + " " + a.getAttribute("href")).join("|")`,
		"Page jobs/job-00022cd7/page.html|JSON jobs/job-00022cd7/explanation.json|Picture (SVG) jobs/job-00022cd7/picture.svg")
	b.Fill("#text", "step !30")
	b.Want(`document.querySelectorAll("#job .run li").length`, "40")
	b.Want(`document.querySelector("#job .run + .note").textContent`, "… and 210 steps more, on the page of the job.")
}

// TestBrowserByKeyboardOnly does everything that matters without a pointer.
func TestBrowserByKeyboardOnly(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	sampled := small()
	if err := sampled.Write(context.Background(), folder); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(folder, filepath.FromSlash(sampled.Results[0].Files["page"]))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, []byte("<!DOCTYPE html><link rel=icon href=data:,><title>the page of a job</title>"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := browsertest.OpenFile(t, filepath.Join(folder, summary.HTMLFile))
	b.Press(kb.Tab)
	b.Want(`document.activeElement.className`, "skip")
	b.Want(`document.activeElement.getBoundingClientRect().left >= 0`, "true") // it is seen now
	b.Press(kb.Enter)
	b.Want(`document.activeElement.id`, "jobs-table")
	b.Press(kb.ArrowDown, "j")
	b.Want(chosen, "too slow")
	b.Press("k", kb.ArrowUp, kb.ArrowUp)
	b.Want(chosen, "fixed at last")
	b.Press(kb.End)
	b.Want(chosen, "abp.aut: Inev(PUT)")
	b.Press(kb.Home, kb.PageDown)
	b.Want(chosen, "abp.aut: Inev(PUT)")
	b.Want(`document.getElementById(document.getElementById("jobs-table").getAttribute("aria-activedescendant")).getAttribute("aria-selected")`, "true")
	b.Press("/")
	b.Want(`document.activeElement.id`, "text")
	b.Fill("#text", "") // the browser is told of the slash twice, as a key and as a character
	b.Press("g", "e", "t")
	b.Want(jobNames, "abp.aut: Inev(GET)|panics")
	b.Run(chromedp.Focus("#jobs-table", chromedp.ByQuery))
	b.Press(kb.End)
	b.Want(chosen, "panics")
	b.Press(kb.Home)
	b.Want(chosen, "abp.aut: Inev(GET)")
	b.Press(kb.Enter)
	b.Until(`document.title === "the page of a job"`)
}

const background = `getComputedStyle(document.body).backgroundColor`

func TestBrowserColours(t *testing.T) {
	t.Parallel()
	const light, dark = "rgb(245, 246, 248)", "rgb(18, 22, 27)"
	b := browsertest.Open(t, written(t, sample()), browsertest.Look("prefers-color-scheme", "light"))
	b.Want(background, light)
	b.Run(browsertest.Look("prefers-color-scheme", "dark"))
	b.Want(background, dark)
	b.Click("#theme")
	b.Run(browsertest.Look("prefers-color-scheme", "light"))
	b.Want(background, dark)
	b.Click("#theme")
	b.Want(background, light)
}

// TestBrowserTakesTenThousandJobs: there are never more rows than can be seen.
// TestBrowserIsLegible: each text and field has contrast, in light and dark, whichever job is chosen.
func TestBrowserIsLegible(t *testing.T) {
	t.Parallel()
	for scheme, width := range map[string]int64{"light": 1280, "dark": 390} {
		b := browsertest.Open(t, written(t, sample()), emulation.SetDeviceMetricsOverride(width, 800, 1, false), browsertest.Look("prefers-color-scheme", scheme))
		for range 12 {
			b.Legible("batch, " + scheme + ", " + b.Value(chosen))
			b.Press("j")
		}
	}
}

// TestBrowserLeavesCommonFoldersOut: the column is narrow, and what all models share tells none apart.
func TestBrowserLeavesCommonFoldersOut(t *testing.T) {
	t.Parallel()
	const models = `[...new Set([...document.querySelectorAll("#jobs-table .scroller .column-model")].map(c => c.textContent))].toSorted().join("|")`
	b := browsertest.Open(t, written(t, small()))
	b.Want(models, "abp.aut|courier.aut|empty.aut|gone.aut|large.aut.gz|long.aut")
}

func TestBrowserTakesTenThousandJobs(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, many(10_000)))
	b.Want(shown, "10\u2009000 jobs")
	b.Want(rowCount, "10001")
	b.Want(drawn+" < 100", "true")
	b.Run(chromedp.Focus("#jobs-table", chromedp.ByQuery))
	b.Press(kb.End)
	b.Want(chosen, "job 09998")
	b.Want(drawn+" < 100", "true")
	b.Want(`(r => r.bottom <= document.querySelector(".scroller").getBoundingClientRect().bottom + 1)(document.querySelector('#jobs-table [aria-selected="true"]').getBoundingClientRect())`, "true")
	b.Click(header("time"))
	b.Want(jobNames+`.split("|")[0]`, "job 00996")
	b.Fill("#tag", "odd")
	b.Fill("#text", "system-003")
	b.Want(shown, "15 of 10\u2009000 jobs")
}

func TestBrowserPrints(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, many(2_100)), browsertest.Look("prefers-color-scheme", "dark"))
	b.Run(chromedp.Evaluate(`void addEventListener("beforeprint", () => { window.seen = `+drawn+`; })`, nil))
	var pdf []byte
	b.Run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = cdppage.PrintToPDF().WithPrintBackground(true).WithPreferCSSPageSize(true).Do(ctx)
		return err
	}))
	if !strings.HasPrefix(string(pdf), "%PDF-") {
		t.Error("what is printed is no PDF")
	}
	b.Until(`window.seen`)
	b.Want(`window.seen`, "2000")
	b.Want(`document.getElementById("print-cut").textContent`, "… and 100 more; summary.csv has them.")
	b.Until(drawn + ` < 100`)
	b.Run(emulation.SetEmulatedMedia().WithMedia("print"))
	b.Run(chromedp.Evaluate(`void dispatchEvent(new Event("beforeprint"))`, nil))
	b.Want(background, "rgb(255, 255, 255)")
	b.Want(`[...document.querySelectorAll(".controls, .skip, #job")].filter(e => e.getBoundingClientRect().height > 0).length`, "0")
	b.Want(`document.documentElement.scrollWidth <= innerWidth`, "true")
}

func TestBrowserFitsNarrowScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{320, 600, 900, 1200, 1265, 1440} {
		b := browsertest.Open(t, written(t, sample()), emulation.SetDeviceMetricsOverride(width, 800, 1, false))
		b.Want(`[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".cell")).map(e => e.outerHTML.slice(0, 80)).join()`, "")
		b.Want(`document.documentElement.scrollWidth <= innerWidth`, "true")
		b.Want(`(s => s.scrollWidth <= s.clientWidth)(document.querySelector(".scroller"))`, "true")
		b.Want(`[...document.querySelectorAll("#jobs-table .row")].filter(e => e.scrollWidth > e.clientWidth).length`, "0")
	}
}

// TestBrowserRunsNothing: no text of a model becomes more than text, and what gets in
// all the same is stopped by the policy.
// TestBrowserKeepsNumbersBesideTheirNouns: no line breaks between a number and what it counts, and on a common screen
// the table has room for the names of jobs.
func TestBrowserKeepsNumbersBesideTheirNouns(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{360, 1240, 1280} {
		b := browsertest.Open(t, written(t, small()), emulation.SetDeviceMetricsOverride(width, 800, 1, false))
		b.Want(`["state", "transition", "correct", "incorrect", "neutral"].filter(noun => ![...document.querySelectorAll("#job .facts .together")].some(s => s.textContent.includes(noun))).join()`, "")
		b.Want(`[...document.querySelectorAll("#job .facts .together")].filter(s => s.getClientRects().length > 1).map(s => s.textContent).join()`, "")
	}
	alone := small()
	alone.Differences = nil
	b := browsertest.Open(t, written(t, alone), emulation.SetDeviceMetricsOverride(1280, 800, 1, false))
	b.Want(`document.querySelector("#jobs-table .scroller .column-job").getBoundingClientRect().width > 180`, "true")
}

func TestBrowserRunsNothing(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, written(t, sample()))
	b.Fill("#text", "cmd|'")
	b.Want(rowCount, "3")
	b.Want(chosen+`.startsWith("=cmd|' /C calc'!A0 </script><img src=x onerror=alert(1)>]]>&amp;")`, "true")
	b.Want(chosen+`.includes("\\u202e\\u200b\\x00\\x1b[31m\\xff\\ufffe\\n\\r\\t{{.}}")`, "true")
	b.Want(`document.querySelectorAll("img, iframe, object, embed, base, form").length`, "0")
	b.Want(`[...document.querySelectorAll("a[href]")].filter(a => !a.href.startsWith(location.href.split("#")[0].replace(/[^/]*$/, ""))).length`, "0")
	for _, attempt := range []string{
		`document.body.innerHTML = "<b>x</b>"`, `eval("1")`, `fetch("https://example.org/")`,
		`const s = document.createElement("script"); s.src = "https://example.org/x.js"; document.body.append(s)`,
		`const i = new Image(); i.src = "https://example.org/x.png"; document.body.append(i)`,
	} {
		b.Run(chromedp.Evaluate(`(() => { addEventListener("unhandledrejection", e => e.preventDefault()); try { `+attempt+` } catch {} })()`, nil))
		b.Until(`true`)
	}
	if blocked := b.Blocked(); len(blocked) < 4 {
		t.Errorf("the policy stopped only %q", blocked)
	}
}
