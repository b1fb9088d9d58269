package draw

import (
	"bytes"
	"context"
	"encoding/xml"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/diagram/typeface"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
)

// argued returns the picture of the argument about a formula in the initial state.
func argued(t testing.TB, m *lts.LTS, file, text string) *view.Argument {
	t.Helper()
	a, formula := specimens.Argued(t, m, text)
	return view.NewArgument(m, []*argument.Argument{a}, view.Caption{Model: file, Formula: formula, Verdict: "is argued about"})
}

// argumentPictures are those of the golden files.
func argumentPictures(t testing.TB) map[string]*view.Argument {
	t.Helper()
	long := "AG (<PUT> true -> AX (<X> true && E[<X> true {X or Y} U {B} EX true])) || E[" + strings.Repeat("<B> ", 60) + "true R " +
		`<"` + strings.Repeat("W", 80) + `"> true]`
	return map[string]*view.Argument{
		"argument_figure2":   argued(t, figure2(t), "figure2.aut", "AF (<C> true || deadlock) && EG !<C> true"),
		"argument_set":       argued(t, figure2(t), "figure2.aut", "AG (<A> true -> AX <X> true) && !E[true {A, X} U {C} true]"),
		"argument_lasso":     argued(t, lasso(t), "lasso.aut", "AF deadlock -> false"),
		"argument_long":      argued(t, longRun(t), "long.aut", "EF deadlock || AF deadlock"),
		"argument_wide":      argued(t, figure2(t), "figure2.aut", long),
		"argument_hostile":   argued(t, hostile(t), hostileFile, "EX EX EX true || AG deadlock"),
		"argument_hostile_2": argued(t, hostile(t), hostileFile, "EG true"),
	}
}

var numberForm = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// TestBoxesOfArgumentsFitTheirTexts: each line is within its box, also in a typeface that is
// wider by a sixth than ours, such as browsers take where there is neither Helvetica nor Arial.
func TestBoxesOfArgumentsFitTheirTexts(t *testing.T) {
	letters := typeface.Load()
	texts := 0
	for name, p := range argumentPictures(t) {
		var b bytes.Buffer
		if err := SVG(context.Background(), inside, &b, p, Options{}); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
		box, left, right, size := false, 0., 0., 0.
		inText := false
		for {
			token, err := d.Token()
			if token == nil {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			switch token := token.(type) {
			case xml.StartElement:
				a := map[string]string{}
				for _, attribute := range token.Attr {
					a[attribute.Name.Local] = attribute.Value
				}
				inText = token.Name.Local == "text"
				switch token.Name.Local {
				case "g":
					kind, _, _ := strings.Cut(a["id"], "-")
					box = slices.Contains([]string{"claim", "layer", "stub"}, kind)
					left, right = math.Inf(1), math.Inf(-1)
				case "path", "polygon":
					for i, n := range numberForm.FindAllString(a["d"]+a["points"], -1) {
						if x, _ := strconv.ParseFloat(n, 64); i%2 == 0 {
							left, right = min(left, x), max(right, x)
						}
					}
				case "text":
					size, _ = strconv.ParseFloat(a["font-size"], 64)
				}
			case xml.CharData:
				if box && inText {
					texts++
					if width := letters.Width(string(token), typeface.Style{Size: size}) * 7 / 6; width > right-left {
						t.Errorf("%s: %q is %.0f wide in a box of %.0f", name, token, width, right-left)
					}
				}
			case xml.EndElement:
				inText = false
			}
		}
	}
	if texts < 60 {
		t.Errorf("only %d texts were measured", texts)
	}
}

// TestPicturesOfArgumentsAreHarmless: labels, file names and formulas become no elements,
// and everything can be found by an identifier.
func TestPicturesOfArgumentsAreHarmless(t *testing.T) {
	for name, p := range argumentPictures(t) {
		var b bytes.Buffer
		if err := SVG(context.Background(), inside, &b, p, Options{}); err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, e := range elements(t, b.String()) {
			if !slices.Contains(svgElements, e.name) {
				t.Errorf("%s has an element %s", name, e.name)
			}
			if id := e.attributes["id"]; id != "" {
				if ids[id] {
					t.Errorf("%s has the identifier %s twice", name, id)
				}
				ids[id] = true
			}
		}
		if strings.ContainsAny(b.String(), "\x1b\x00") || !ids["claim-1"] {
			t.Errorf("%s: %s", name, b.String())
		}
		var image bytes.Buffer
		if err := PNG(context.Background(), inside, &image, p, Options{Scale: 0.5}); err != nil || !bytes.HasPrefix(image.Bytes(), []byte("\x89PNG")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
