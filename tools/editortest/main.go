// Command editortest tests the extension in a real VS Code: code-server in Chromium. It does an
// afternoon's work on examples, and takes a picture of each step.
//
//	go -C tools run ./editortest -vsix inev.vsix -o FOLDER
//
// A step ends when the editor shows its result, and never merely after some time.
package main

import (
	"bytes"
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
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/inev-lts/inev/tools/browsertest"
)

func main() {
	t := &trial{}
	program := flag.String("code-server", "code-server", "the `command` code-server")
	flag.StringVar(&t.vsix, "vsix", "", "the `file` of the extension")
	flag.StringVar(&t.pictures, "o", ".", "write the pictures to this `folder`")
	flag.StringVar(&t.theme, "theme", "Default Light Modern", "the theme of the editor")
	flag.StringVar(&t.programs, "programs", "",
		"take inev and inev-ls from this `folder` instead of building them")
	flag.DurationVar(&t.patience, "patience", 4*time.Minute,
		"wait so long for each step: the machine may do other work, too")
	only := flag.String("scene", "", "do only this `scene`: "+strings.Join(names(), ", "))
	flag.Parse()
	var err error
	if t.program, err = exec.LookPath(*program); err != nil {
		fmt.Println("skipped: there is no code-server:", err)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, stop = context.WithTimeout(ctx, time.Hour)
	defer stop()
	if err := t.run(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "editortest:", err)
		os.Exit(1)
	}
}

// trial is one run of this command.
type trial struct {
	program, vsix, pictures, theme string
	scratch, standIns              string
	programs                       string // the folder with inev and inev-ls
	patience                       time.Duration
}

// run plays the scenes: all of them, or one.
func (t *trial) run(ctx context.Context, only string) (err error) {
	if only != "" && !slices.Contains(names(), only) {
		return fmt.Errorf("there is no scene %s", only)
	}
	if t.vsix == "" {
		return errors.New("-vsix is missing")
	}
	if t.scratch, err = os.MkdirTemp("", "editortest-"); err != nil {
		return err
	}
	defer os.RemoveAll(t.scratch)
	if err := t.build(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(t.pictures, 0o755); err != nil {
		return err
	}
	for _, s := range scenes {
		if only != "" && only != s.name {
			continue
		}
		if wrong := t.scene(ctx, s); wrong != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", s.name, wrong))
		}
	}
	return err
}

// build makes the programs that a user would have installed, and stand-ins for mCRL2's programs.
func (t *trial) build(ctx context.Context) error {
	t.standIns = filepath.Join(t.scratch, "standins")
	if err := os.MkdirAll(t.standIns, 0o755); err != nil {
		return err
	}
	own := map[string]string{}
	if t.programs == "" {
		t.programs = filepath.Join(t.scratch, "bin") + string(filepath.Separator)
		own = map[string]string{
			"..":                                     "./cmd/inev",
			filepath.Join("..", "modules", "editor"): "./cmd/inev-ls",
		}
	}
	for folder, name := range own {
		if said, err := exec.CommandContext(ctx, "go", "-C", folder, "build", "-o", t.programs, name).CombinedOutput(); err != nil {
			return fmt.Errorf("%s cannot be built: %w\n%s", name, err, said)
		}
	}
	for name, script := range map[string]string{
		"mcrl22lps": `cp "$2" "$3"`,
		"lps2lts": `for last; do :; done
printf 'des (0, 3, 3)\n(0, "ask", 1)\n(1, "answer", 0)\n(1, "refuse", 2)\n' > "$last.aut"
"` + filepath.Join(t.programs, "inev") + `" convert "$last.aut" -o "$last"`,
	} {
		if err := os.WriteFile(filepath.Join(t.standIns, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// forgetExpectations removes the expected results from the files of formulas, so that the editor shows
// each violation as a mistake.
func forgetExpectations(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.inev"))
	if err != nil {
		return err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, bytes.ReplaceAll(text, []byte("# expect:"), []byte("# found:")), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// scene plays a scene in an editor and a workspace of its own.
func (t *trial) scene(ctx context.Context, s scene) (err error) {
	own := filepath.Join(t.scratch, s.name)
	work := filepath.Join(own, "work")
	for _, name := range s.examples {
		if err := os.CopyFS(work, os.DirFS(filepath.Join("..", "examples", name))); err != nil {
			return err
		}
	}
	if err := forgetExpectations(work); err != nil {
		return err
	}
	for _, name := range s.alsoFiles {
		text, err := os.ReadFile(filepath.Join("..", "examples", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(work, filepath.Base(name)), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	for name, text := range s.files {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	settings := map[string]any{
		"workbench.colorTheme":                         t.theme,
		"workbench.startupEditor":                      "none",
		"security.workspace.trust.enabled":             false,
		"workbench.tips.enabled":                       false,
		"workbench.secondarySideBar.defaultVisibility": "hidden",
		"chat.disableAIFeatures":                       true,
		"telemetry.telemetryLevel":                     "off",
		"files.autoSave":                               "off",
		"files.simpleDialog.enable":                    true,
		"editor.minimap.enabled":                       false,
		"editor.autoClosingBrackets":                   "never",
		"editor.acceptSuggestionOnCommitCharacter":     false,
		"inev.server":                                  "",
		"inev.command":                                 filepath.Join(t.programs, "inev"),
	}
	for name, value := range s.settings {
		if value == installedServer {
			value = filepath.Join(t.programs, "inev-ls")
		}
		settings[name] = value
	}
	address, end, err := t.serve(ctx, own, settings)
	if err != nil {
		return err
	}
	defer end()
	browser, err := browsertest.Find()
	if err != nil {
		return err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox,
		chromedp.WindowSize(1400, 900))
	browsing, stop := chromedp.NewExecAllocator(ctx, options...)
	defer stop()
	page, stop := chromedp.NewContext(browsing, chromedp.WithErrorf(func(string, ...any) {})) // newer browsers have events that cdproto does not know
	defer stop()
	defer func() { _ = chromedp.Cancel(page) }() // to kill a script that starts the browser would not end the browser
	if err := chromedp.Run(page, chromedp.Navigate("http://"+address+"/?folder="+work)); err != nil {
		return err
	}
	e := &editing{
		ctx:      page,
		patience: t.patience,
		folder:   t.pictures,
		scene:    s.name,
	}
	return e.do(append([]func() error{e.shows(".explorer-viewlet", s.examples[0])},
		s.steps(e)...)...)
}

// serve starts code-server with the extension, and returns its address and a function that ends it.
func (t *trial) serve(
	ctx context.Context,
	own string,
	settings map[string]any,
) (address string, end func(), err error) {
	user := filepath.Join(own, "user")
	text, err := json.Marshal(settings)
	for _, of := range []string{"User", "Machine"} { // settings about programs are only read from the file of the machine
		if err == nil {
			err = os.MkdirAll(filepath.Join(user, of), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(user, of, "settings.json"), text, 0o644)
		}
	}
	if err != nil {
		return "", nil, err
	}
	flags := []string{
		"--user-data-dir",
		user,
		"--extensions-dir",
		filepath.Join(own, "extensions"),
		"--config",
		filepath.Join(own, "config.yaml"),
	}
	if said, err := exec.CommandContext(ctx, t.program, append(flags, "--install-extension", t.vsix)...).CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("the extension cannot be installed: %w\n%s", err, said)
	}
	if address, err = free(); err != nil {
		return "", nil, err
	}
	server := exec.CommandContext(ctx, t.program,
		append(flags, "--bind-addr", address, "--auth", "none", "--disable-telemetry",
			"--disable-update-check")...)
	// With VSCODE_CLI extensions get this PATH, and not that of a login shell.
	server.Env = append(os.Environ(),
		"PATH="+t.standIns+string(os.PathListSeparator)+
			os.Getenv("PATH"), "INEV_CACHE=off", "VSCODE_CLI=1")
	// The processes that the server has started end only if the server is asked to end, not if it
	// is killed.
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	server.WaitDelay = 10 * time.Second
	if err := server.Start(); err != nil {
		return "", nil, err
	}
	end = func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	}
	if err := answers(ctx, t.patience, "http://"+address+"/healthz"); err != nil {
		end()
		return "", nil, err
	}
	return address, end, nil
}

// free returns an address that no process listens on.
func free() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// answers waits until a server answers.
func answers(ctx context.Context, patience time.Duration, url string) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
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
