// Command editortest tries the extension in a real VS Code: code-server, driven by Chromium. It does an afternoon's work
// in examples/travel, and takes a picture of each step.
//
//	go -C tools run ./editortest -vsix inev.vsix -o FOLDER
//
// The invariant that holds inside: a step is done when the editor shows what it led to, and never after some time.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func main() {
	program := flag.String("code-server", "code-server", "the `command` code-server")
	vsix := flag.String("vsix", "", "the `file` of the extension")
	folder := flag.String("o", ".", "write the pictures to this `folder`")
	theme := flag.String("theme", "Default Light Modern", "the theme of the editor")
	flag.Parse()
	path, err := exec.LookPath(*program)
	if err != nil {
		fmt.Println("skipped: there is no code-server:", err)
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), 8*time.Minute)
	defer stop()
	if err := try(ctx, path, *vsix, *folder, *theme); err != nil {
		fmt.Fprintln(os.Stderr, "editortest:", err)
		os.Exit(1)
	}
}

// try does the work.
func try(ctx context.Context, program, vsix, folder, theme string) (err error) {
	scratch, err := os.MkdirTemp("", "editortest-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	work := filepath.Join(scratch, "travel")
	if err := os.CopyFS(work, os.DirFS(filepath.Join("..", "examples", "travel"))); err != nil {
		return err
	}
	user := filepath.Join(scratch, "user")
	settings, err := json.Marshal(map[string]any{
		"workbench.colorTheme": theme, "security.workspace.trust.enabled": false, "workbench.startupEditor": "none",
		"telemetry.telemetryLevel": "off", "inev.server": "", "workbench.tips.enabled": false, "chat.disableAIFeatures": true, "files.autoSave": "off", "workbench.secondarySideBar.defaultVisibility": "hidden", "editor.minimap.enabled": false,
		"editor.autoClosingBrackets": "never", "editor.acceptSuggestionOnCommitCharacter": false,
	})
	if err == nil {
		err = os.MkdirAll(filepath.Join(user, "User"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(user, "User", "settings.json"), settings, 0o644)
	}
	if err != nil {
		return err
	}
	flags := []string{"--user-data-dir", user, "--extensions-dir", filepath.Join(scratch, "extensions"), "--config", filepath.Join(scratch, "config.yaml")}
	if said, err := exec.CommandContext(ctx, program, append(flags, "--install-extension", vsix)...).CombinedOutput(); err != nil {
		return fmt.Errorf("the extension cannot be installed: %w\n%s", err, said)
	}
	address, err := free()
	if err != nil {
		return err
	}
	server := exec.CommandContext(ctx, program, append(flags, "--bind-addr", address, "--auth", "none", "--disable-telemetry", "--disable-update-check")...)
	server.WaitDelay = 10 * time.Second
	if err := server.Start(); err != nil {
		return err
	}
	// What it has started ends with it only if it is asked to end.
	defer func() { _ = server.Process.Signal(os.Interrupt); _ = server.Wait() }()
	if err := answers(ctx, "http://"+address+"/healthz"); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1400, 900))
	browsing, end := chromedp.NewExecAllocator(ctx, options...)
	defer end()
	page, end := chromedp.NewContext(browsing, chromedp.WithErrorf(func(string, ...any) {})) // newer browsers have events that cdproto does not know
	defer end()
	e := &editing{page, folder, 0}
	return e.all("http://"+address+"/?folder="+work, work)
}

// free returns an address that nobody listens on.
func free() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// answers waits until a server answers.
func answers(ctx context.Context, url string) error {
	for {
		r, err := http.Get(url)
		if err == nil {
			_, _ = io.Copy(io.Discard, r.Body)
			return r.Body.Close()
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// editing is an editor in which somebody works.
type editing struct {
	ctx    context.Context
	folder string
	taken  int
}

// all does all steps.
func (e *editing) all(url, work string) error {
	if err := chromedp.Run(e.ctx, chromedp.Navigate(url)); err != nil {
		return err
	}
	const formula = "Inev(BOOKNG_REC, TICKET_REC)"
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"opened", func() error { return e.shows(".monaco-workbench .explorer-viewlet", "travel.inev") }},
		{"verdicts", func() error {
			return errors.Join(e.quickly("p", "travel.inev"), e.shows(".codelens-decoration", "✗"))
		}},
		{"typo", func() error {
			return errors.Join(e.press(kb.End, input.ModifierCtrl), e.types("\n"+formula+"\n"),
				// What is shown at first can be about a part of what is typed.
				e.command("Problems: Focus on Problems View"), e.shows(".markers-panel", "did you mean BOOKING_REC"), e.command("View: Focus Active Editor Group"),
				e.press(kb.ArrowUp, 0), e.press(kb.Home, 0), e.press(kb.F8, 0), e.shows(".zone-widget, .monaco-hover", "did you mean BOOKING_REC"))
		}},
		{"mended", func() error {
			return errors.Join(e.press(kb.Escape, 0), e.command("Quick Fix..."), e.shows(".action-widget", "Change to BOOKING_REC"), e.enter(), e.shows(".view-lines", "Inev(BOOKING_REC, TICKET_REC)"))
		}},
		{"saved", func() error {
			return errors.Join(e.press("s", input.ModifierCtrl), e.shows(".codelens-decoration", "REFUSAL_EM"))
		}},
		{"tests", func() error {
			return errors.Join(e.command("Testing: Focus on Test Explorer View"), e.shows(".test-explorer", "travel.inev"), e.click(".test-explorer .monaco-tl-twistie.collapsible"), e.shows(".test-explorer", "Inev(BOOKING_REC, TICKET_REC)"))
		}},
		{"explained", func() error { return errors.Join(e.explain(), e.shows(".tab", "travel.aut:")) }},
	} {
		err := s.do()
		if err = errors.Join(err, e.picture(s.name)); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Println("done:", s.name)
	}
	return e.walk()
}

// explain opens the page of the formula at the cursor.
func (e *editing) explain() error {
	return errors.Join(e.quickly("p", "travel.inev"), e.command("inev: Explain the formula here"))
}

// walk takes three steps on the page, closes it, and opens it again.
func (e *editing) walk() error {
	var ready bool
	waiting, stop := context.WithTimeout(e.ctx, time.Minute)
	defer stop()
	if err := chromedp.Run(waiting, chromedp.Poll(`document.querySelector("iframe.webview.ready") !== null`, &ready)); err != nil {
		return fmt.Errorf("the page is not shown: %w", errors.Join(err, e.picture("no-page")))
	}
	for i := range 3 {
		if err := e.press(kb.ArrowRight, 0); err != nil {
			return err
		}
		if err := e.picture(fmt.Sprintf("walk-%d", i+1)); err != nil {
			return err
		}
	}
	err := errors.Join(e.command("View: Close Editor"), e.gone("iframe.webview.ready"), e.explain(), e.shows(".tab", "travel.aut:"), e.picture("again"))
	if err == nil {
		fmt.Println("done: walked, closed, opened again")
	}
	return err
}

// shows waits until an element has a text.
func (e *editing) shows(selector, text string) error {
	ctx, stop := context.WithTimeout(e.ctx, time.Minute)
	defer stop()
	name, _ := json.Marshal(selector)
	part, _ := json.Marshal(text)
	var is bool
	err := chromedp.Run(ctx, chromedp.Poll(fmt.Sprintf(`[...document.querySelectorAll(%s)].some(e => e.textContent.replaceAll("\u00a0", " ").includes(%s))`, name, part), &is))
	if err != nil {
		return fmt.Errorf("%s does not show %q: %w", selector, text, err)
	}
	return nil
}

// gone waits until there is no such element.
func (e *editing) gone(selector string) error {
	ctx, stop := context.WithTimeout(e.ctx, time.Minute)
	defer stop()
	name, _ := json.Marshal(selector)
	var is bool
	return chromedp.Run(ctx, chromedp.Poll(fmt.Sprintf(`document.querySelector(%s) === null`, name), &is))
}

func (e *editing) press(key string, with input.Modifier) error {
	return chromedp.Run(e.ctx, chromedp.KeyEvent(key, chromedp.KeyModifiers(with)))
}

// enter presses Enter without the character that it types, which could come after the focus has moved.
func (e *editing) enter() error {
	down := input.DispatchKeyEvent(input.KeyRawDown).WithKey("Enter").WithCode("Enter").WithWindowsVirtualKeyCode(13)
	up := input.DispatchKeyEvent(input.KeyUp).WithKey("Enter").WithCode("Enter").WithWindowsVirtualKeyCode(13)
	return chromedp.Run(e.ctx, down, up)
}

func (e *editing) click(selector string) error {
	ctx, stop := context.WithTimeout(e.ctx, time.Minute)
	defer stop()
	return chromedp.Run(ctx, chromedp.Click(selector, chromedp.ByQuery))
}

func (e *editing) types(text string) error {
	return chromedp.Run(e.ctx, input.InsertText(text))
}

// quickly takes what the quick input finds for a text.
func (e *editing) quickly(key, text string) error {
	return errors.Join(e.press(key, input.ModifierCtrl), e.shows(".quick-input-widget", ""), e.types(text), e.shows(".quick-input-list .monaco-list-row.focused", text), e.press(kb.Enter, 0), e.shows(".tab.active", text))
}

// command runs a command by its title.
func (e *editing) command(title string) error {
	return errors.Join(e.press(kb.F1, 0), e.shows(".quick-input-widget", ""), e.types(title), e.shows(".quick-input-list .monaco-list-row.focused", title), e.press(kb.Enter, 0))
}

func (e *editing) picture(name string) error {
	var png []byte
	if err := chromedp.Run(e.ctx, chromedp.CaptureScreenshot(&png)); err != nil {
		return err
	}
	e.taken++
	return os.WriteFile(filepath.Join(e.folder, fmt.Sprintf("%02d-%s.png", e.taken, name)), png, 0o644)
}
