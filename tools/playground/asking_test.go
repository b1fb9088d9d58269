package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/tools/browsertest"
)

const (
	travelProperty = "Inev(BOOKING_REC, TICKET_REC)"
	inText         = `document.getElementById("asking-text").textContent`
	inMistake      = `document.getElementById("asking-wrong").textContent`
	inIdle         = `document.getElementById("asking-stop").disabled && document.documentElement.dataset.described !== undefined`
)

// carrying writes a page with the engine about the example travel, opens it as a file, without a
// network, and returns the folder of the model, too.
func carrying(t *testing.T, more ...string) (*browsertest.Tab, string) {
	t.Helper()
	engine, err := playground()
	if err != nil {
		t.Fatal(err)
	}
	at, folder := filepath.Join(engine, "examples", "travel"), t.TempDir()
	page := filepath.Join(folder, "page.html")
	said(t, at, append([]string{"explain", "travel.aut", travelProperty, "--html", page, "--engine", "--engine-dir", engine}, more...)...)
	return browsertest.OpenFile(t, page, emulation.SetDeviceMetricsOverride(1280, 900, 1, false), browsertest.Offline()), at
}

// askInside asks by the keyboard alone.
func askInside(b *browsertest.Tab, formula string) {
	b.Run(chromedp.Focus("#asking-formula", chromedp.ByQuery))
	b.Until(inIdle)
	b.Fill("#asking-formula", formula)
	b.Run(chromedp.Evaluate(`delete document.documentElement.dataset.answered, 0`, nil))
	b.Run(chromedp.SendKeys("#asking-formula", kb.Enter, chromedp.ByQuery))
	b.Until(`document.documentElement.dataset.answered !== undefined`)
}

// TestPagesAnswer: a page with the engine answers as the command does, from a file, without a
// network, and by keys alone.
func TestPagesAnswer(t *testing.T) {
	b, at := carrying(t)
	b.Want(`document.getElementById("asking-formula").value`, travelProperty)
	place := b.Value(`location.hash`)
	b.Want(`performance.getEntriesByType("resource").length`, "0") // nothing is loaded, and the engine sleeps
	b.Accessible("a page with the engine")
	for _, question := range []string{"Inev(BOOKING_REC)", "Response(BOOKING_REC; TICKET_REC)", "G (REFUSAL_EM -> F false)", travelProperty} {
		askInside(b, question)
		if out, _ := said(t, at, "explain", "travel.aut", question); b.Value(inText) != out {
			t.Errorf("%s: the page says\n%s\nand the command\n%s", question, b.Value(inText), out)
		}
	}
	askInside(b, "Inev(BOOKINGREC)")
	if _, wrong := said(t, at, "explain", "travel.aut", "Inev(BOOKINGREC)"); b.Value(inMistake) != strings.TrimRight(wrong, "\n") || wrong == "" {
		t.Errorf("the mistake is %q, and the command says %q", b.Value(inMistake), wrong)
	}
	askInside(b, travelProperty)
	b.Run(chromedp.Evaluate(`document.getElementById("asking-fair").value = "weak", document.getElementById("asking-fair").dispatchEvent(new Event("change")), 0`, nil))
	b.Until(`document.getElementById("asking-command").textContent.includes("--fair weak") && ` + inIdle)
	if out, _ := said(t, at, "explain", "travel.aut", travelProperty, "--fair", "weak"); b.Value(inText) != out {
		t.Errorf("under fairness: %s", b.Value(inText))
	}
	b.Accessible("a page with the engine, with an answer")
	b.Run(chromedp.Focus("#asking-tab-text", chromedp.ByQuery))
	b.Press(kb.ArrowRight, kb.ArrowRight)
	b.Until(`document.getElementById("asking-picture").naturalWidth > 0`)
	b.Press(kb.ArrowLeft)
	b.Until(`!document.getElementById("asking-page").hidden`)
	b.Want(`location.hash`, place)
	b.Run(emulation.SetDeviceMetricsOverride(390, 800, 1, true))
	b.Want(`document.documentElement.scrollWidth <= innerWidth`, "true")
}

// TestPagesAnswerUnderFairness: a page asks first what it was written for.
func TestPagesAnswerUnderFairness(t *testing.T) {
	b, at := carrying(t, "--fair", "finitely:REFUSAL_EM")
	b.Want(`document.getElementById("asking-fair").value + document.getElementById("asking-fair-of").value`, "finitely:REFUSAL_EM")
	b.Run(chromedp.Evaluate(`document.getElementById("asking-formula").focus(), 0`, nil))
	b.Click("#asking-ask")
	b.Until(`!document.getElementById("asking-text").hidden`)
	if out, _ := said(t, at, "explain", "travel.aut", travelProperty, "--fair", "finitely:REFUSAL_EM"); b.Value(inText) != out {
		t.Errorf("the page says\n%s\nand the command\n%s", b.Value(inText), out)
	}
}

// TestPagesWithoutEngine: without the flag a page has nothing of it.
func TestPagesWithoutEngine(t *testing.T) {
	engine, err := playground()
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	said(t, filepath.Join(engine, "examples", "travel"), "explain", "travel.aut", travelProperty, "--html", page)
	text, err := os.ReadFile(page)
	if err != nil || strings.Contains(string(text), `id="asking"`) || strings.Contains(string(text), "wasm") {
		t.Errorf("the page has something of the engine (%v)", err)
	}
}
