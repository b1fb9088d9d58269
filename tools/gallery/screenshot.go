package main

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/report/page"
)

// The size of a screenshot, that of a small screen.
const (
	screenWidth  = 1280
	screenHeight = 800
)

// patience is how long a browser may take for a page.
const patience = time.Minute

var errNoBrowser = errors.New("there is no Chromium or Chrome on PATH")

// findBrowser returns the path of a browser.
func findBrowser() (string, error) {
	for _, name := range []string{
		"chromium",
		"chromium-browser",
		"google-chrome",
		"google-chrome-stable",
		"chrome",
		"chromium-headless-shell",
		"headless-shell",
	} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoBrowser
}

// screenshots returns the first screen of each page. The keys are the names of the files in docs.
func screenshots(ctx context.Context, root string) (map[string][]byte, error) {
	browser, err := findBrowser()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser),
		chromedp.Flag("hide-scrollbars", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, end := chromedp.NewExecAllocator(ctx, options...)
	defer end()
	folder, err := os.MkdirTemp("", "gallery")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	shots := map[string][]byte{}
	for _, s := range subjects() {
		file := filepath.Join(folder, s.name()+".html")
		if err := s.writePage(ctx, root, file); err != nil {
			return nil, err
		}
		if shots[s.picture("page.png")], err = screenshot(allocator, file); err != nil {
			return nil, err
		}
	}
	return shots, nil
}

// writePage writes the page of a subject to a file.
func (s subject) writePage(ctx context.Context, root, file string) error {
	e, err := s.explained(ctx, root, "")
	if err != nil {
		return err
	}
	tour, err := view.NewTour(ctx, e, 0)
	if err != nil {
		return err
	}
	engine := graphviz.New(view.MaxStops, "")
	defer engine.Close()
	p, err := page.New(ctx, engine, e, tour, page.Options{Command: s.pageCommand()})
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	err = p.Write(ctx, f)
	return errors.Join(err, f.Close())
}

// screenshot opens a page in a browser of its own and takes a picture.
func screenshot(allocator context.Context, file string) (shot []byte, err error) {
	tab, end := chromedp.NewContext(allocator)
	defer end()
	ctx, stop := context.WithTimeout(tab, patience)
	defer stop()
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(file)}
	// The policy of the page forbids chromedp's own way of waiting.
	const ready = `new Promise(done => {
		const look = () => document.documentElement.dataset.ready === "true" ? requestAnimationFrame(() => requestAnimationFrame(() => done(true))) : setTimeout(look, 20);
		look();
	})`
	light := emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: "light"}, {Name: "prefers-reduced-motion", Value: "reduce"},
	})
	err = chromedp.Run(ctx,
		chromedp.EmulateViewport(screenWidth, screenHeight), light,
		chromedp.Navigate(address.String()),
		chromedp.Evaluate(ready, nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
			return p.WithAwaitPromise(true)
		}),
		chromedp.CaptureScreenshot(&shot))
	return shot, err
}
