package draw

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/diagram/typeface"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// struck returns the labels of a picture through which an arrow runs, found by many
// points on each curve.
func struck(t *testing.T, svg string) (labels int, found []string) {
	t.Helper()
	family := typeface.Load()
	var on []point
	type text struct {
		box
		what string
	}
	var texts []text
	pair := regexp.MustCompile(`(-?[\d.]+),(-?[\d.]+)`)
	of := func(e xml.StartElement, name string) float64 {
		n, _ := strconv.ParseFloat(attribute(e, name), 64)
		return n
	}
	d := xml.NewDecoder(strings.NewReader(svg))
	edge := false
	var last xml.StartElement
	for {
		token, _ := d.Token()
		if token == nil {
			break
		}
		switch e := token.(type) {
		case xml.StartElement:
			last = e
			if e.Name.Local == "g" {
				edge = strings.HasPrefix(attribute(e, "class"), "edge")
			}
			if e.Name.Local == "path" && edge {
				var c []point
				for _, m := range pair.FindAllStringSubmatch(attribute(e, "d"), -1) {
					x, _ := strconv.ParseFloat(m[1], 64)
					y, _ := strconv.ParseFloat(m[2], 64)
					c = append(c, point{x, y})
				}
				for i := 0; i+3 < len(c); i += 3 {
					for step := range 200 {
						on = append(on, bezier(c[i:i+4], float64(step)/200))
					}
				}
			}
		case xml.CharData:
			if edge && last.Name.Local == "text" && strings.TrimSpace(string(e)) != "" {
				size := of(last, "font-size")
				half := family.Width(string(e), typeface.Style{Size: size, Bold: attribute(last, "font-weight") == "bold"}) / 2
				x, y := of(last, "x"), of(last, "y")
				if attribute(last, "text-anchor") == "start" {
					x += half
				}
				texts = append(texts, text{box{x - half + 1, y - 0.6*size, x + half - 1, y}, string(e)})
			}
		}
	}
	for _, at := range texts {
		for _, p := range on {
			if at.left < p.x && p.x < at.right && at.top < p.y && p.y < at.bottom {
				found = append(found, at.what)
				break
			}
		}
	}
	return len(texts), found
}

// TestArrowsKeepOffLabels: of real models and random ones.
func TestArrowsKeepOffLabels(t *testing.T) {
	for name, c := range map[string]struct {
		formula string
		view    view.Kind
	}{
		"examples/travel/travel.aut":             {"Inev(BOOKING_REC, TICKET_REC)", view.Neighbourhoods},
		"examples/abp/abp.aut":                   {"Inev(PUT, GET)", view.Excerpt},
		"examples/philosophers/philosophers.aut": {"Inev(EAT)", view.Quotient},

		"mcrl2/trains.aut":          {"Inev(enter_p, leave_p)", view.Quotient},
		"mcrl2/bridge_crossing.aut": {`Inev("ready(17)")`, view.Excerpt},
		"iteration.aut":             {"Inev(LOSS, REC)", view.Neighbourhoods},
		"sanitary_agency.aut":       {"Inev(REQ_EM, PROVT_REC)", view.Excerpt},
		"abp.aut":                   {`Inev("r1(d1)")`, view.Excerpt},
	} {
		m := real(t, name)
		if m == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if _, found := struck(t, svgOf(t, explained(t, m, "", c.formula), view.Options{Kind: c.view})); len(found) > 0 {
				t.Errorf("arrows run through %q", found)
			}
		})
	}
	labels, crossed := 0, 0
	for seed := range uint64(25) {
		c := randomlts.Seeded(seed, randomlts.Small())
		all, found := struck(t, svgOf(t, explained(t, c.Model, "", c.Formula), view.Options{}))
		labels, crossed = labels+all, crossed+len(found)
	}
	if labels < 100 || crossed*100 > labels {
		t.Errorf("arrows run through %d of %d labels", crossed, labels)
	}
}

// TestMovedLabels: a label is moved where an arrow runs through it, beside its own arrow,
// and no further than it must.
func TestMovedLabels(t *testing.T) {
	group := func(id, path string, x, y float64) string {
		text := fmt.Sprintf(`<text text-anchor="middle" x="%v" y="%v" font-size="10.00">LABEL</text>`, x, y)
		return fmt.Sprintf(`<g id=%q class="edge"><path d=%q/>%s</g>`, id, path, text)
	}
	picture := func(edges string) []byte {
		return []byte(`<svg><g id="diagram" class="graph"><polygon points="0,0 200,0 200,100 0,100"/>` + edges + `</g></svg>`)
	}
	clear := group("a", "M10,50C50,50 100,50 190,50", 100, 45)
	if moves, _ := placed(readTokens(t, picture(clear)), typeface.Load()); len(moves) > 0 {
		t.Errorf("a label that is free is moved by %v", moves)
	}
	across := group("b", "M100,5C100,20 100,30 100,48", 160, 20)
	moves, _ := placed(readTokens(t, picture(clear+across)), typeface.Load())
	by, moved := moves["a"]
	if !moved || by.x == 0 && by.y < 8 {
		t.Errorf("the label that is crossed is moved by %v", by)
	}
	if _, moved := moves["b"]; moved {
		t.Log("the other one is moved, too: it is far from its arrow, but free")
		t.Fail()
	}
}

// readTokens returns the elements of a picture.
func readTokens(t *testing.T, drawn []byte) []xml.Token {
	t.Helper()
	tokens, err := tokensOf(drawn)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// TestGrownPage: the page grows for a label that is crossed and has no free position on it, and for
// no other.
func TestGrownPage(t *testing.T) {
	picture := func(height int) []byte {
		wall := ""
		for y := 5; y < 100; y += 6 { // no free position on a low page
			wall += fmt.Sprintf(`<g id="w%d" class="edge"><path d="M0,%dC50,%d 100,%d 200,%d"/></g>`, y, y, y, y, y)
		}
		return []byte(fmt.Sprintf(`<svg width="200pt" height="%dpt" viewBox="0.00 0.00 200.00 %d.00"><g id="diagram" class="graph"><polygon points="0,0 200,0 200,%d 0,%d"/>`, height, height, height, height) +
			wall + `<g id="a" class="edge"><path d="M100,98C100,98 100,98 100,99"/><text text-anchor="middle" x="100" y="90" font-size="10.00">LABEL</text></g></g></svg>`)
	}
	for height, grows := range map[int]bool{100: true, 200: false} {
		moves, by := placed(readTokens(t, picture(height)), typeface.Load())
		if _, moved := moves["a"]; !moved || (by.y > 0) != grows || by.x != 0 {
			t.Errorf("height %d: moves %v, the page grows by %v", height, moves, by)
		}
		drawn, err := clean(picture(height), "")
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("viewBox=\"0.00 0.00 200.00 %.2f\"", float64(height)+by.y)
		if !strings.Contains(string(drawn), want) || grows && !strings.Contains(string(drawn), fmt.Sprintf("200.00,%.2f", float64(height)+by.y)) {
			t.Errorf("height %d: no %s in %s", height, want, drawn)
		}
	}
}
