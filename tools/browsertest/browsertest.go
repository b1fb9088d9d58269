// Package browsertest tries pages out in a real browser, for tests, and checks that their bundled
// scripts are up to date. A test passes only if nothing went wrong in its page: no error, no
// message on the console, no violation of the page's policy beyond those that the test takes with
// Blocked, no request for anything but files next to the page.
package browsertest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browsers are the names of programs that may be the browser. The first ones are Chromium without
// its windows, which takes a third of the time for the same pages.
var browsers = []string{
	"chromium-headless-shell",
	"headless-shell",
	"chromium",
	"chromium-browser",
	"google-chrome",
	"google-chrome-stable",
	"chrome",
}

// Find returns the path of a browser.
func Find() (string, error) {
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no browser here (one of %s)", strings.Join(browsers, ", "))
}

// patience is how long a browser may take for anything; only a failure takes all of it.
const patience = 5 * time.Minute

// chrome is the context of the browser, which is started once and has a tab for each test.
var chrome = sync.OnceValues(func() (context.Context, error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.WindowSize(1366, 768))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	started.Store(true)
	return ctx, chromedp.Run(ctx)
})

// started reports whether a browser was started, so that it must be ended.
var started atomic.Bool

// Close ends the browser, if one was started. It belongs at the end of TestMain.
func Close() {
	if !started.Load() {
		return
	}
	if ctx, err := chrome(); err == nil {
		_ = chromedp.Cancel(ctx) // waits until the browser has ended
	}
}

// Tab is a page in a browser, with everything that went wrong in it.
type Tab struct {
	// Ctx is the context of the page, for actions of chromedp.
	Ctx context.Context

	t      testing.TB
	folder string // the address of the page's folder

	mu    sync.Mutex
	wrong []string
	// requests are the requests that were not blocked, by the browser's identifiers; blocked are
	// the requests that the page's policy has blocked.
	requests map[network.RequestID]string
	blocked  []string
}

// Open opens a page in a tab of its own after the given actions, and waits until its script
// reports that it is ready (data-ready of the root). Without a browser the test is skipped;
// with CI set to true it fails.
func Open(t testing.TB, page string, before ...chromedp.Action) *Tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	return OpenFile(t, file, before...)
}

// OpenFile is [Open] for a page in a file; the page may link to other files in the folder of the
// file.
func OpenFile(t testing.TB, file string, before ...chromedp.Action) *Tab {
	t.Helper()
	return OpenAt(t, file, "", before...)
}

// OpenAt is [OpenFile] at an anchor, the part of the address after #; "" for none.
func OpenAt(t testing.TB, file, place string, before ...chromedp.Action) *Tab {
	t.Helper()
	if place != "" {
		place = "#" + place
	}
	return open(t, address(file)+place, address(filepath.Dir(file))+"/", before...)
}

// OpenURL is [Open] for a page on a server; the page may request addresses below its own.
func OpenURL(t testing.TB, address string, before ...chromedp.Action) *Tab {
	t.Helper()
	folder, _, _ := strings.Cut(address, "#")
	return open(t, address, folder, before...)
}

// open opens the page at an address; the page may link to files in a folder.
func open(t testing.TB, at, folder string, before ...chromedp.Action) *Tab {
	t.Helper()
	parent, err := chrome()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("%v: the page is not tried out", err)
	}
	// A tab in a window of its own is drawn and has the focus, whatever other tabs do.
	tabCtx, closeTab := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	ctx, stop := context.WithTimeout(tabCtx, patience)
	b := &Tab{
		t:        t,
		Ctx:      ctx,
		requests: map[network.RequestID]string{},
		folder:   folder,
	}
	chromedp.ListenTarget(ctx, b.listen)
	t.Cleanup(func() {
		stop()
		closeTab()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, what := range append(b.wrong, b.blocked...) {
			t.Error(what)
		}
		for _, request := range b.requests {
			t.Error("request:", request)
		}
	})
	b.Run(runtime.Enable(), network.Enable(), log.Enable(), cdppage.Enable())
	b.Run(before...)
	b.Run(chromedp.Navigate(at))
	b.Until(`document.documentElement.dataset.ready === "true"`)
	return b
}

func address(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// listen records an event of the browser: what went wrong in the page, what the policy of the page blocked, and
// requests to elsewhere.
func (b *Tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.wrong = append(b.wrong, fmt.Sprintf("console %s: %s", e.Type, e.Args[0].Value))
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, "exception: "+e.ExceptionDetails.Error())
	case *cdppage.EventJavascriptDialogOpening:
		b.wrong = append(b.wrong, "dialog: "+e.Message)
	case *log.EventEntryAdded:
		if strings.Contains(e.Entry.Text, "Content Security Policy") ||
			strings.Contains(e.Entry.Text, "requires 'Trusted") {
			b.blocked = append(b.blocked, e.Entry.Text)
			return
		}
		b.wrong = append(b.wrong, fmt.Sprintf("log %s: %s", e.Entry.Source, e.Entry.Text))
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, b.folder) &&
			!strings.HasPrefix(u, "blob:") && !strings.HasPrefix(u, "data:") {
			b.requests[e.RequestID] = u
		}
	case *network.EventLoadingFailed:
		if e.BlockedReason == network.BlockedReasonCsp {
			b.blocked = append(b.blocked, b.requests[e.RequestID])
			delete(b.requests, e.RequestID)
		}
	}
}

// Blocked returns the violations of the page's policy so far, and removes them from the list of
// failures.
func (b *Tab) Blocked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	blocked := b.blocked
	b.blocked = nil
	return blocked
}

// Run runs actions of chromedp.
func (b *Tab) Run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.Ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// Until waits for a condition in the page.
func (b *Tab) Until(condition string) {
	b.t.Helper()
	// The page's policy forbids chromedp's own way of waiting, which evaluates text as code.
	b.Eventually(fmt.Sprintf(`new Promise(done => { const look = () => (%s) ? done(true) : setTimeout(look, 5); look(); })`, condition))
}

// PressUntil presses keys repeatedly until a condition holds in the page: on a busy machine,
// the browser ignores scrolling keys before its first frame.
func (b *Tab) PressUntil(condition string, keys ...string) {
	b.t.Helper()
	deadline := time.Now().Add(patience / 3)
	for {
		b.Press(keys...)
		if b.comesTo(fmt.Sprintf(`new Promise(done => { let looks = 0; const look = () => (%s) || ++looks > 200 ? done(%[1]s) : setTimeout(look, 5); look(); })`, condition)) {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("pressing %q never makes %s", keys, condition)
		}
	}
}

// Eventually waits until a promise in the page is fulfilled.
func (b *Tab) Eventually(promise string) {
	b.t.Helper()
	b.comesTo(promise)
}

// comesTo returns the value that a promise of the page is fulfilled with.
func (b *Tab) comesTo(promise string) (met bool) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.Ctx, patience/3)
	defer stop()
	err := chromedp.Run(ctx,
		chromedp.Evaluate(promise, &met, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
			return p.WithAwaitPromise(true)
		}))
	if err != nil {
		b.t.Fatalf("it never comes to %s: %v", promise, err)
	}
	return met
}

// Value returns the value of an expression in the page, as text.
func (b *Tab) Value(expression string) string {
	b.t.Helper()
	var value string
	b.Run(chromedp.Evaluate(`String(`+expression+`)`, &value))
	return value
}

// Want compares an expression in the page with a text.
func (b *Tab) Want(expression, want string) {
	b.t.Helper()
	if got := b.Value(expression); got != want {
		b.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// Press sends keys to the element with the focus.
func (b *Tab) Press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		b.Run(chromedp.KeyEvent(key))
	}
}

// Click scrolls the element of a selector into view and clicks at it.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	// After two frames the element has been drawn at its new position.
	b.Eventually(fmt.Sprintf(`new Promise(done => {
		document.querySelector(%q).scrollIntoView({block: "center"});
		requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
	})`, selector))
	b.Run(chromedp.Click(selector, chromedp.ByQuery))
}

// Fill puts a text into a field, as if it were typed.
func (b *Tab) Fill(selector, text string) {
	b.t.Helper()
	b.Run(chromedp.Evaluate(fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector(%q))`, text, selector), nil))
}

// Look sets a media feature of the page, such as a dark colour scheme.
func Look(feature, value string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: feature, Value: value}})
}

// Offline takes the network from the page and from its workers, as when a cable is pulled.
func Offline() chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		// Browsers up to version 148 want to know offline apart from the rules, and newer ones within them.
		everything := struct {
			Offline bool                  `json:"offline"`
			Rules   []*network.Conditions `json:"matchedNetworkConditions"`
		}{true, []*network.Conditions{{Offline: true}}}
		err := cdp.Execute(ctx, network.CommandEmulateNetworkConditionsByRule, everything, nil)
		if err != nil {
			return err
		}
		return network.OverrideNetworkState(true, 0, 0, 0).Do(ctx)
	})
}
