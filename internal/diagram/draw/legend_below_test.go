package draw

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/diagram/typeface"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// areas returns the page of a picture, the box of its legend, and that of everything else but the caption.
func areas(t *testing.T, svg string) (page, legend, rest box) {
	t.Helper()
	tokens := readTokens(t, []byte(svg))
	legend = nothing
	rest = nothing
	for i, token := range tokens {
		start, is := token.(xml.StartElement)
		if !is || start.Name.Local != "g" {
			continue
		}
		for end := i + 1; end < len(tokens); end++ {
			inner, begins := tokens[end].(xml.StartElement)
			if begins && inner.Name.Local == "g" {
				break
			}
			switch {
			case isEnd(tokens[end], "g") && attribute(start, "id") == "legend":
				legend = boxOf(tokens[i+1:end], typeface.Load())
			case isEnd(tokens[end], "g"):
				rest = rest.with(boxOf(tokens[i+1:end], typeface.Load()))
			default:
				continue
			}
			break
		}
	}
	return pageOf(tokens), legend, rest
}

// TestLegendIsBelow: the legend of 30 pictures is below all states and arrows, on the page, and takes at most
// a fifth of it; the page has no gap where Graphviz has drawn it.
func TestLegendIsBelow(t *testing.T) {
	pictures := 0
	wanted := func(t *testing.T, name string, m *lts.LTS, formula string, kind view.Kind) {
		t.Helper()
		e := explained(t, m, "", formula)
		if len(legend(graphOf(t, e, view.Options{Kind: kind}), sizesOf(Options{}))) == 0 {
			return // nothing needs to be explained
		}
		pictures++
		svg := svgOf(t, e, view.Options{Kind: kind})
		page, legend, rest := areas(t, svg)
		share := (legend.right - legend.left) * (legend.bottom - legend.top) / ((page.right - page.left) * (page.bottom - page.top))
		if legend.top < rest.bottom || !page.contains(legend) || share > 0.2 {
			t.Errorf("%s, view %v: page %v, legend %v, rest to %v; the legend takes %.2f", name, kind, page, legend, rest.bottom, share)
		}
		if strings.Count(svg, `id="legend"`) != 1 {
			t.Errorf("%s, view %v: %d legends", name, kind, strings.Count(svg, `id="legend"`))
		}
	}
	for _, c := range []struct{ model, formula string }{
		{"examples/travel/travel.aut", "Inev(BOOKING_REC, TICKET_REC)"},
		{"examples/abp/abp.aut", "Inev(PUT, GET)"},
		{"examples/philosophers/philosophers.aut", "Inev(EAT)"},
		{"examples/dekker/dekker.aut", "Inev(enter0)"},
		{"mcrl2/wolf_goat_cabbage_bisim.aut", "Inev(done)"},
	} {
		m := real(t, c.model)
		if m == nil {
			continue
		}
		for _, kind := range []view.Kind{view.Quotient, view.Excerpt} {
			wanted(t, c.model, m, c.formula, kind)
		}
	}
	wanted(t, "lasso", lasso(t), "Inev(DONE)", view.Whole)
	wanted(t, "figure 2", figure2(t), "Inev(A, B, C)", view.Excerpt)
	for seed := range uint64(30) {
		c := randomlts.Seeded(seed, randomlts.Small())
		e := explained(t, c.Model, "", c.Formula)
		if e.Counterexample != nil {
			wanted(t, c.String(), c.Model, c.Formula, view.Auto)
		}
	}
	if pictures < 30 {
		t.Errorf("%d pictures have a legend", pictures)
	}
}
