package page

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browsers are the names under which a browser is looked for.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell"}

// patience is how long a browser may take for anything; nothing waits for as long
// as that unless it fails.
const patience = 60 * time.Second

// chrome is the context of one browser, in which every test has its own tab. It
// is started once.
var chrome = sync.OnceValues(func() (context.Context, error) {
	var path string
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, fmt.Errorf("there is no browser here (one of %s)", strings.Join(browsers, ", "))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1366, 768))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	return ctx, chromedp.Run(ctx)
})

func TestMain(m *testing.M) {
	code := m.Run()
	if ctx, err := chrome(); err == nil {
		_ = chromedp.Cancel(ctx) // waits until the browser has ended
	}
	os.Exit(code)
}

// tab is a page in a browser, and all that went wrong in it.
type tab struct {
	t    *testing.T
	ctx  context.Context
	file string

	mu    sync.Mutex
	wrong []string
	// requests are those that were not stopped, by the identifiers that the browser
	// gives them; blocked is what the policy of the page stopped.
	requests map[network.RequestID]string
	blocked  []string
}

// open opens a page in a tab of its own. At the end of the test nothing may have
// gone wrong in it: no error, nothing on the console, no violation of the policy, no
// request for anything but the page.
func open(t *testing.T, page string, before ...chromedp.Action) *tab {
	t.Helper()
	parent, err := chrome()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("%v: the page is not tried out", err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	tabCtx, closeTab := chromedp.NewContext(parent)
	ctx, stop := context.WithTimeout(tabCtx, patience)
	b := &tab{t: t, ctx: ctx, requests: map[network.RequestID]string{}, file: (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()}
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
	b.run(runtime.Enable(), network.Enable(), log.Enable(), cdppage.Enable())
	b.run(before...)
	b.run(chromedp.Navigate(b.file))
	b.until(`document.documentElement.dataset.ready === "true"`)
	return b
}

func (b *tab) listen(event any) {
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
		if strings.Contains(e.Entry.Text, "Content Security Policy") || strings.Contains(e.Entry.Text, "requires 'Trusted") {
			b.blocked = append(b.blocked, e.Entry.Text)
			return
		}
		b.wrong = append(b.wrong, fmt.Sprintf("log %s: %s", e.Entry.Source, e.Entry.Text))
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; u != b.file && !strings.HasPrefix(u, "blob:") && !strings.HasPrefix(u, "data:") {
			b.requests[e.RequestID] = u
		}
	case *network.EventLoadingFailed:
		if e.BlockedReason == network.BlockedReasonCsp {
			b.blocked = append(b.blocked, b.requests[e.RequestID])
			delete(b.requests, e.RequestID)
		}
	}
}

func (b *tab) run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// until waits for a condition in the page.
func (b *tab) until(condition string) {
	b.t.Helper()
	// The policy of the page forbids chromedp's own way of waiting, which makes code
	// of text.
	b.eventually(fmt.Sprintf(`new Promise(done => { const look = () => (%s) ? done(true) : setTimeout(look, 5); look(); })`, condition))
}

// eventually waits for a promise in the page.
func (b *tab) eventually(promise string) {
	b.t.Helper()
	var met bool
	ctx, stop := context.WithTimeout(b.ctx, patience/3)
	defer stop()
	err := chromedp.Run(ctx, chromedp.Evaluate(promise, &met, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	if err != nil {
		b.t.Fatalf("it never comes to %s: %v", promise, err)
	}
}

// value returns what an expression is in the page, as text.
func (b *tab) value(expression string) string {
	b.t.Helper()
	var value string
	b.run(chromedp.Evaluate(`String(`+expression+`)`, &value))
	return value
}

func (b *tab) want(expression, want string) {
	b.t.Helper()
	if got := b.value(expression); got != want {
		b.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// press gives keys to what has the focus.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		b.run(chromedp.KeyEvent(key))
	}
}

func (b *tab) click(selector string) {
	b.t.Helper()
	// Two frames later what was scrolled into view has been drawn there.
	b.eventually(fmt.Sprintf(`new Promise(done => {
		document.querySelector(%q).scrollIntoView({block: "center"});
		requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
	})`, selector))
	b.run(chromedp.Click(selector, chromedp.ByQuery))
}

// fill puts a text into a field, as if it was typed.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.run(chromedp.Evaluate(fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector(%q))`, text, selector), nil))
}

// look sets what the page is looked at on.
func look(feature, value string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: feature, Value: value}})
}
