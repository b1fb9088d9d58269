package draw

import (
	"encoding/xml"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/typeface"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
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
				if len(c) == 2 { // a line that leads to a label
					c = []point{c[0], c[0], c[1], c[1]}
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

// TestArrowsKeepOffLabels: no arrow of 60 pictures runs through a label, of real models and of random
// ones, and no line that leads to a label.
func TestArrowsKeepOffLabels(t *testing.T) {
	wanted := func(t *testing.T, m *lts.LTS, formula string, kind view.Kind) int {
		t.Helper()
		labels, found := struck(t, svgOf(t, explained(t, m, "", formula), view.Options{Kind: kind}))
		if len(found) > 0 {
			t.Errorf("%s, view %v: lines run through %q", formula, kind, found)
		}
		return labels
	}
	for _, c := range []struct{ model, formula string }{
		{"examples/travel/travel.aut", "Inev(BOOKING_REC, TICKET_REC)"},
		{"examples/abp/abp.aut", "Inev(PUT, GET)"},
		{"examples/philosophers/philosophers.aut", "Inev(EAT)"},
		{"mcrl2/wolf_goat_cabbage_bisim.aut", "Inev(done)"},
		{"mcrl2/trains.aut", "Inev(enter_p, leave_p)"},
		{"mcrl2/bridge_crossing.aut", `Inev("ready(17)")`},
		{"mcrl2/dining3.aut", `Inev("free(p2, f2)")`},
		{"mcrl2/garage_r3_first300.aut", `Inev("exec(move_belts([b_r1lift, b_r1b], col_dec, full))")`},
		{"iteration.aut", "Inev(LOSS, REC)"},
		{"sanitary_agency.aut", "Inev(REQ_EM, PROVT_REC)"},
		{"abp.aut", `Inev("r1(d1)")`},
	} {
		m := real(t, c.model)
		if m == nil {
			continue
		}
		t.Run(c.model, func(t *testing.T) {
			for _, kind := range []view.Kind{view.Quotient, view.Excerpt, view.Neighbourhoods} {
				wanted(t, m, c.formula, kind)
			}
		})
	}
	labels := 0
	for seed := range uint64(27) {
		size := randomlts.Small()
		if seed >= 20 {
			size = randomlts.Size{States: 14, Transitions: 40, Labels: 6, Steps: 3}
		}
		c := randomlts.Seeded(seed, size)
		labels += wanted(t, c.Model, c.Formula, view.Whole)
	}
	if labels < 150 {
		t.Errorf("the random pictures have only %d labels", labels)
	}
}

// TestLabelsKeepOffBoxes: no label of an arrow, and no cross, lies on a state with values, which is drawn as a
// box with rounded corners; no cross lies on a label.
func TestLabelsKeepOffBoxes(t *testing.T) {
	node := regexp.MustCompile(`(?s)class="node state[^"]*">(?:\s*<title>[^<]*</title>)?\s*<path [^>]*? d="([^"]*)"`)
	text := regexp.MustCompile(`(?s)class="edge transition.*?</g>`)
	line := regexp.MustCompile(`<text text-anchor="middle" x="([-\d.]+)" y="([-\d.]+)"[^>]*textLength="([\d.]+)"`)
	cross := regexp.MustCompile(`stroke-width="2.50" d="M([-\d.]+),([-\d.]+)L`)
	pair := regexp.MustCompile(`(-?[\d.]+),(-?[\d.]+)`)
	number := func(text string) float64 {
		n, _ := strconv.ParseFloat(text, 64)
		return n
	}
	boxes, crossed := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 69))
		var b lts.Builder
		for s := range lts.State(3) {
			b.Add(s, b.Label("step "+strconv.Itoa(r.IntN(4))), s+1)
			for range r.IntN(3) {
				b.Add(s, b.Label("other"+strings.Repeat("r", r.IntN(8))), min(s+2, 3))
			}
		}
		for i := range 2 {
			b.Add(3, b.Label(strings.Repeat("loop", 3+r.IntN(4))+strconv.Itoa(i)), 3)
		}
		b.Add(0, b.Label("c"), 4)
		m, err := b.Build(0, 5)
		if err != nil {
			t.Fatal(err)
		}
		e := explained(t, m, "", "Inev(c)")
		e.Values = &explain.Values{Initial: []explain.StateValue{
			{Name: "a", Value: `{[type |-> "Abort"]}`}, {Name: "b", Value: `"a value of some length"`}, {Name: "c", Value: "0"}, {Name: "d", Value: "{}"},
		}}
		for _, direction := range []RankDir{leftRight, topDown} {
			svg := svgOf(t, e, view.Options{Kind: view.Excerpt, Advice: true}, Options{RankDir: direction})
			if _, found := struck(t, svg); len(found) > 0 {
				t.Errorf("seed %d: lines run through %q", seed, found)
			}
			for _, state := range node.FindAllStringSubmatch(svg, -1) {
				outline := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
				for _, at := range pair.FindAllStringSubmatch(state[1], -1) {
					x, y := number(at[1]), number(at[2])
					outline = box{min(outline.left, x), min(outline.top, y), max(outline.right, x), max(outline.bottom, y)}
				}
				boxes++
				for _, arrow := range text.FindAllString(svg, -1) {
					for _, at := range line.FindAllStringSubmatch(arrow, -1) {
						x, y, half := number(at[1]), number(at[2]), number(at[3])/2
						if x-half < outline.right && outline.left < x+half && y-5 < outline.bottom && outline.top < y {
							t.Errorf("seed %d, %s: the label at %v, %v lies on the box %v", seed, direction, x, y, outline)
						}
					}
					for _, at := range cross.FindAllStringSubmatch(arrow, -1) {
						x, y := number(at[1])+6, number(at[2])+6
						crossed++
						if x < outline.right && outline.left < x && y < outline.bottom && outline.top < y {
							t.Errorf("seed %d, %s: the cross at %v, %v lies on the box %v", seed, direction, x, y, outline)
						}
					}
				}
			}
		}
	}
	if boxes < 200 || crossed < 100 {
		t.Errorf("%d boxes and %d crosses", boxes, crossed)
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
	if moves, _ := sketchOf(readTokens(t, picture(clear)), typeface.Load()).labelMoves(); len(moves) > 0 {
		t.Errorf("a label that is free is moved by %v", moves)
	}
	across := group("b", "M100,5C100,20 100,30 100,48", 160, 20)
	moves, _ := sketchOf(readTokens(t, picture(clear+across)), typeface.Load()).labelMoves()
	m, moved := moves["a"]
	if by := m.by; !moved || by.x == 0 && by.y < 8 {
		t.Errorf("the label that is crossed is moved by %v", m)
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

// TestMovedLabelsKeepOffRoundedBoxes: a label is not moved onto a state that is drawn as a path.
func TestMovedLabelsKeepOffRoundedBoxes(t *testing.T) {
	picture := []byte(`<svg><g id="diagram" class="graph"><polygon points="0,0 200,0 200,120 0,120"/>` +
		`<g id="s" class="node"><path d="M40,40C40,40 160,40 160,40 160,40 160,100 160,100 160,100 40,100 40,100 40,100 40,40 40,40"/></g>` +
		`<g id="a" class="edge"><path d="M60,30C80,30 120,30 140,30"/><text text-anchor="middle" x="100" y="27" font-size="10.00">LABEL</text></g>` +
		`<g id="b" class="edge"><path d="M0,24C50,24 100,24 200,24"/><path d="M0,16C50,16 100,16 200,16"/><path d="M0,8C50,8 100,8 200,8"/></g></g></svg>`)
	s := sketchOf(readTokens(t, picture), typeface.Load())
	moves, _ := s.labelMoves()
	if _, moved := moves["a"]; !moved {
		t.Fatal("the label that is crossed is not moved")
	}
	if at := s.labels.All[0].box; at.overlaps(box{40, 40, 160, 100}) {
		t.Errorf("the label is moved onto a state: %v", at)
	}
}

// TestLeaders: a label without a free position next to its arrow stands where one is, with a line to the
// arrow that crosses no label.
func TestLeaders(t *testing.T) {
	lines := ""
	for x := 2; x < 300; x += 4 { // no room between them, but below
		lines += fmt.Sprintf(`<g id="w%d" class="edge"><path d="M%d,0C%d,40 %d,80 %d,120"/></g>`, x, x, x, x, x)
	}
	picture := []byte(`<svg><g id="diagram" class="graph"><polygon points="0,0 300,0 300,300 0,300"/>` + lines +
		`<g id="a" class="edge"><path d="M100,10C100,20 100,30 100,40"/><text text-anchor="middle" x="120" y="30" font-size="10.00">LABEL</text></g></g></svg>`)
	moves, _ := sketchOf(readTokens(t, picture), typeface.Load()).labelMoves()
	m, moved := moves["a"]
	if !moved || len(m.leader) != 2 || m.by.y < 90 {
		t.Fatalf("the label is moved by %v", m)
	}
	drawn, err := clean(picture, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, found := struck(t, string(drawn)); len(found) > 0 || strings.Count(string(drawn), "stroke-dasharray") != 1 {
		t.Errorf("crossed are %q in %s", found, drawn)
	}
}

// TestMovedLabelsKeepOffTheCaption: a label is not moved over the caption.
func TestMovedLabelsKeepOffTheCaption(t *testing.T) {
	picture := []byte(`<svg><g id="diagram" class="graph"><polygon points="0,0 200,0 200,100 0,100"/><text x="10" y="36" font-size="10.00">the caption of the picture</text>` +
		`<g id="a" class="edge"><path d="M10,50C50,50 100,50 190,50"/><text text-anchor="middle" x="60" y="45" font-size="10.00">LABEL</text></g>` +
		`<g id="b" class="edge"><path d="M0,44C50,44 100,44 190,44"/></g></g></svg>`)
	moves, _ := sketchOf(readTokens(t, picture), typeface.Load()).labelMoves()
	if m, moved := moves["a"]; !moved || m.by.y < 0 {
		t.Errorf("the label is moved by %v", m)
	}
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
		moves, by := sketchOf(readTokens(t, picture(height)), typeface.Load()).labelMoves()
		if _, moved := moves["a"]; !moved || (by.y > 0) != grows || by.x != 0 {
			t.Errorf("height %d: moves %v, the page grows by %v", height, moves, by)
		}
		drawn, err := clean(picture(height), "", 0)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("viewBox=\"0.00 0.00 200.00 %.2f\"", float64(height)+by.y)
		if !strings.Contains(string(drawn), want) || grows && !strings.Contains(string(drawn), fmt.Sprintf("200.00,%.2f", float64(height)+by.y)) {
			t.Errorf("height %d: no %s in %s", height, want, drawn)
		}
	}
}

// TestLoopsOfAStateLieApart: where two arrows lead from a state to itself, neither surrounds the other, and
// no arrow runs through a label.
func TestLoopsOfAStateLieApart(t *testing.T) {
	loop := regexp.MustCompile(`(?s)class="edge transition[^"]* from-(\w+) to-(\w+)[^"]*">.*?<path [^>]*? d="([^"]*)"`)
	pair := regexp.MustCompile(`(-?[\d.]+),(-?[\d.]+)`)
	met := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 12))
		var b lts.Builder
		for i := range 2 + r.IntN(3) {
			b.Add(0, b.Label(strings.Repeat("label", 1+r.IntN(3))+strconv.Itoa(i)), 0)
		}
		b.Add(0, b.Label("a"), 1)
		b.Add(1, b.Label("c"), 1)
		for i := range r.IntN(3) {
			b.Add(1, b.Label("d"+strconv.Itoa(i)), 0)
		}
		m, err := b.Build(0, 2)
		if err != nil {
			t.Fatal(err)
		}
		svg := svgOf(t, explained(t, m, "", "Inev(c)"), view.Options{Kind: view.Quotient})
		if _, found := struck(t, svg); len(found) > 0 {
			t.Errorf("seed %d: lines run through %q", seed, found)
		}
		boxes := map[string][]box{}
		for _, arrow := range loop.FindAllStringSubmatch(svg, -1) {
			if arrow[1] != arrow[2] {
				continue
			}
			around := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
			for _, at := range pair.FindAllStringSubmatch(arrow[3], -1) {
				x, _ := strconv.ParseFloat(at[1], 64)
				y, _ := strconv.ParseFloat(at[2], 64)
				around = box{min(around.left, x), min(around.top, y), max(around.right, x), max(around.bottom, y)}
			}
			boxes[arrow[1]] = append(boxes[arrow[1]], around)
		}
		for state, loops := range boxes {
			if len(loops) != 2 {
				continue
			}
			met++
			one, other := loops[0], loops[1]
			if one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom {
				t.Errorf("seed %d: the loops at state %s overlap: %v and %v", seed, state, one, other)
			}
		}
	}
	if met < 20 {
		t.Errorf("%d states had two loops", met)
	}
}
