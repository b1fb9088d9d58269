package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// editing is an editor with the actions of a user.
type editing struct {
	ctx      context.Context
	patience time.Duration
	folder   string // gets the pictures
	scene    string
	taken    int
}

// do performs actions until one fails.
func (e *editing) do(actions ...func() error) error {
	for _, act := range actions {
		if err := act(); err != nil {
			return err
		}
	}
	return nil
}

// search is a JavaScript function that finds the elements that show a text, also in the panels,
// which are nested frames.
const search = `(selector, text) => {
	const found = [];
	const look = (root, x, y) => {
		for (const element of root.querySelectorAll(selector)) {
			const words = element.value ?? element.textContent;
			const box = element.getBoundingClientRect();
			if (words.replaceAll("\u00a0", " ").includes(text) && box.width > 0 && box.height > 0) found.push({element, x: x + box.x, y: y + box.y, width: box.width, height: box.height});
		}
		for (const frame of root.querySelectorAll("iframe")) {
			const box = frame.getBoundingClientRect();
			try { if (frame.contentDocument) look(frame.contentDocument, x + box.x, y + box.y); } catch { /* a frame of another origin */ }
		}
	};
	look(document, 0, 0);
	return found;
}`

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// holds waits until an expression of JavaScript is true; find is [search] in it.
func (e *editing) holds(expression string) error { return e.within(e.patience, expression) }

func (e *editing) within(limit time.Duration, expression string) error {
	var is bool
	return chromedp.Run(e.ctx,
		chromedp.Poll(fmt.Sprintf(`(() => { const find = %s; return %s; })()`, search, expression), &is,
			chromedp.WithPollingTimeout(limit), chromedp.WithPollingInterval(100*time.Millisecond)))
}

// shows waits until an element has a text.
func (e *editing) shows(selector, text string) func() error {
	return func() error {
		if err := e.holds(fmt.Sprintf(`find(%s, %s).length > 0`, quoted(selector), quoted(text))); err != nil {
			return fmt.Errorf("%s does not show %q: %w", selector, text, err)
		}
		return nil
	}
}

// gone waits until no element has a text.
func (e *editing) gone(selector, text string) func() error {
	return func() error {
		if err := e.holds(fmt.Sprintf(`find(%s, %s).length === 0`, quoted(selector), quoted(text))); err != nil {
			return fmt.Errorf("%s still shows %q: %w", selector, text, err)
		}
		return nil
	}
}

// clicks clicks on the first element with a text, near its left end.
func (e *editing) clicks(selector, text string) func() error {
	return func() error {
		if err := e.shows(selector, text)(); err != nil {
			return err
		}
		var at struct{ X, Y float64 }
		expression := fmt.Sprintf(`(() => { const [f] = (%s)(%s, %s); return {x: f.x + Math.min(f.width / 2, 40), y: f.y + f.height / 2}; })()`, search, quoted(selector), quoted(text))
		if err := chromedp.Run(e.ctx, chromedp.Evaluate(expression, &at)); err != nil {
			return err
		}
		return chromedp.Run(e.ctx, chromedp.MouseClickXY(at.X, at.Y))
	}
}

func (e *editing) press(key string, with ...input.Modifier) func() error {
	return func() error {
		return chromedp.Run(e.ctx, chromedp.KeyEvent(key, chromedp.KeyModifiers(with...)))
	}
}

// until presses a key until an element has a text: an editor loses a key that comes while the focus
// moves, and closes a menu when something moves under it.
func (e *editing) until(pressed func() error, selector, text string) func() error {
	return func() error {
		for end := time.Now().Add(e.patience); ; {
			err := e.do(pressed, func() error {
				return e.within(e.patience/6,
					fmt.Sprintf(`find(%s, %s).length > 0`, quoted(selector), quoted(text)))
			})
			if err == nil || time.Now().After(end) || e.ctx.Err() != nil {
				return err
			}
		}
	}
}

// enter presses Enter without sending its character, which could come after the focus has moved.
func (e *editing) enter() error {
	down := input.DispatchKeyEvent(input.KeyRawDown).WithKey("Enter").WithCode("Enter").WithWindowsVirtualKeyCode(13)
	up := input.DispatchKeyEvent(input.KeyUp).WithKey("Enter").WithCode("Enter").WithWindowsVirtualKeyCode(13)
	return chromedp.Run(e.ctx, down, up)
}

func (e *editing) types(text string) func() error {
	return func() error { return chromedp.Run(e.ctx, input.InsertText(text)) }
}

// answers types an answer into the field that the editor shows at the top.
func (e *editing) answers(title, text string) func() error {
	return func() error {
		return e.do(e.shows(".quick-input-widget", title), e.press("a", input.ModifierCtrl),
			e.types(text), e.shows(".quick-input-widget input", text), e.enter)
	}
}

// chooses selects the entry with a text from the list that the editor shows at the top.
func (e *editing) chooses(text, entry string) func() error {
	return func() error {
		const name = ".quick-input-list .monaco-list-row .label-name"
		return e.do(e.shows(".quick-input-widget", ""), e.types(text), e.clicks(name, entry),
			e.gone(name, entry))
	}
}

// opens opens a file of the folder from the explorer.
func (e *editing) opens(name string) func() error {
	return func() error {
		// The line is shown when the text is shown and extensions have been notified.
		return e.do(e.clicks(".explorer-viewlet .monaco-list-row", name),
			e.shows(".tab.active", name), e.shows(".part.statusbar", "Ln "))
	}
}

// command runs a command by its title. If a late move of the focus closes the list of commands, it
// is opened again.
func (e *editing) command(title string) func() error {
	const entry = ".quick-input-list .monaco-list-row .label-name"
	row := fmt.Sprintf(`find(%s, %s).length > 0`, quoted(entry), quoted(title))
	return func() error {
		for end := time.Now().Add(e.patience); ; {
			err := e.do(
				e.press(kb.F1),
				func() error {
					return e.within(e.patience/6,
						`find(".quick-input-widget input", ">").length > 0`)
				},
				e.types(title),
				func() error { return e.within(e.patience/6, row) },
			)
			switch {
			case err == nil:
				return e.do(e.clicks(entry, title), e.gone(entry, title))
			case time.Now().After(end) || e.ctx.Err() != nil:
				return fmt.Errorf("the list of commands does not show %q: %w", title, err)
			}
		}
	}
}

// at puts the cursor at a position such as 6:10.
func (e *editing) at(place string) func() error {
	return func() error {
		return e.do(e.until(e.press("g", input.ModifierCtrl), ".quick-input-widget", "line number"), e.types(place), e.enter, e.gone(".quick-input-widget", "line number"))
	}
}

func (e *editing) picture(name string) error {
	var png []byte
	if err := chromedp.Run(e.ctx, chromedp.CaptureScreenshot(&png)); err != nil {
		return err
	}
	e.taken++
	return os.WriteFile(filepath.Join(e.folder, fmt.Sprintf("%s-%02d-%s.png", e.scene, e.taken, name)), png, 0o644)
}

// step performs a step of a user, and takes a picture; if the step failed, the picture shows what
// went wrong.
func (e *editing) step(name string, actions ...func() error) func() error {
	return func() error {
		err := e.do(actions...)
		if shown := e.picture(name); err == nil {
			err = shown
		}
		if err != nil {
			e.patience /= 10
			_ = e.do(e.press(kb.Escape), e.command("Notifications: Show Notifications"), func() error {
				return e.picture(name + "-told")
			})
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Printf("done: %s: %s\n", e.scene, name)
		return nil
	}
}
