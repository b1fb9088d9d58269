package pagetest

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/tools/browsertest"
)

// TestBrowserShowsComparisons: pages of two versions are accessible in light and dark, fit on small
// screens and run no script.
func TestBrowserShowsComparisons(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	engine := graphviz.New(1, "")
	defer engine.Close()
	var many []edge
	for i := range lts.State(80) {
		many = append(many, edge{i, strings.Repeat("LONG_LABEL_", 8), i + 1})
	}
	old := modelOf(t, 90, append(many, edge{80, "A", 81}))
	latest := modelOf(t, 90, append(many, edge{80, "A", 81}, edge{80, "B", 0}))
	for _, text := range []string{"", "Inev(A)"} {
		c := &compare.Comparison{OldFile: "old.aut", NewFile: "new.aut", Formula: text, Warnings: []string{"new.aut: something"}}
		var err error
		if c.Behaviour, err = compare.Models(ctx, old, latest, compare.Options{}); err != nil {
			t.Fatal(err)
		}
		if text != "" {
			f, err := formula.Parse(ctx, text)
			if err != nil {
				t.Fatal(err)
			}
			if c.Versions, err = compare.Property(ctx, compare.Version{LTS: old}, compare.Version{LTS: latest}, f, explain.Options{}, compare.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		var html strings.Builder
		if err := page.Comparison(ctx, engine, &html, c, page.Options{Command: []string{"inev", "compare", "old.aut", "new.aut"}, Version: "v1"}); err != nil {
			t.Fatal(err)
		}
		// The page has no script that could say so.
		ready := strings.Replace(html.String(), "<html ", `<html data-ready="true" `, 1)
		for scheme, width := range map[string]int64{"light": 390, "dark": 1280} {
			b := browsertest.Open(t, ready, screen(width), browsertest.Look("prefers-color-scheme", scheme))
			b.Legible("comparison, " + scheme)
			b.Accessible("comparison, " + scheme)
			b.Want(`String(document.documentElement.scrollWidth <= innerWidth)`, "true")
			b.Want(`String(document.scripts.length)`, "0")
		}
	}
}
