package pagetest

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/tools/browsertest"
)

// TestBrowserKeysOfOneCharacter: ? lists the keys, and those of one character can be turned off, while arrows stay; the
// list stays in reach by its button.
func TestBrowserKeysOfOneCharacter(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, travel), screen(1280))
	const (
		open = `document.querySelector("dialog.key-list").open`
		at   = `document.querySelector("#position").textContent`
	)
	before := b.Value(at)
	b.Press("j")
	if b.Value(at) == before {
		t.Error("j does not step forth")
	}
	b.Press("k")
	b.Want(at, before)
	b.Press("?")
	b.Want(open, "true")
	b.Accessible("with the list of keys")
	b.Click("#character-keys")
	b.Press(kb.Escape)
	b.Want(open, "false")
	b.Press("j")
	b.Press("?")
	b.Want(open, "false")
	b.Want(at, before)
	b.Press(kb.ArrowRight)
	b.Until(at + ` !== ` + strconv.Quote(before))
	b.Click("#keys")
	b.Want(open, "true")
}
