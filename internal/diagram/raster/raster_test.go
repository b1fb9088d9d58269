package raster

import (
	"image"
	"image/color"
	"strings"
	"testing"
)

// sheet is a picture of 20 by 10 points with something in it.
func sheet(content string) string {
	return `<svg width="20pt" height="10pt" viewBox="0.00 0.00 20.00 10.00" xmlns="http://www.w3.org/2000/svg">` +
		`<title>nothing to draw</title>` +
		`<g id="g" transform="scale(1 1) rotate(0) translate(2 8)"><title>nor here</title>` + content + `</g></svg>`
}

func drawn(t *testing.T, content string, scale float64) image.Image {
	t.Helper()
	img, err := Draw(strings.NewReader(sheet(content)), scale)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func is(img image.Image, x, y int, want color.RGBA) bool {
	r, g, b, _ := img.At(x, y).RGBA()
	return uint8(r>>8) == want.R && uint8(g>>8) == want.G && uint8(b>>8) == want.B
}

var (
	white = color.RGBA{255, 255, 255, 255}
	black = color.RGBA{0, 0, 0, 255}
	blue  = color.RGBA{0, 0x72, 0xb2, 255}
	red   = color.RGBA{255, 0, 0, 255}
)

// TestShapes looks at pixels. The origin is at (2, 8) points, four pixels a point.
func TestShapes(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		pixels  map[image.Point]color.RGBA
	}{
		"empty": {"", map[image.Point]color.RGBA{{0, 0}: white, {79, 39}: white}},
		"polygon": {`<polygon fill="#0072b2" stroke="red" stroke-width="2" points="0,0 10,0 10,-6 0,-6 0,0"/>`,
			map[image.Point]color.RGBA{{28, 20}: blue, {8, 20}: red, {6, 20}: red, {48, 9}: red, {2, 20}: white, {60, 20}: white}},
		"not filled":   {`<polygon fill="none" stroke="black" points="0,0 10,0 10,-6 0,-6 0,0"/>`, map[image.Point]color.RGBA{{28, 20}: white, {28, 32}: black}},
		"transparent":  {`<polygon fill="transparent" stroke="transparent" points="0,0 10,0 10,-6 0,-6"/>`, map[image.Point]color.RGBA{{28, 20}: white, {28, 32}: white}},
		"no line":      {`<polygon fill="blue" points="0,0 10,0 10,-6 0,-6"/>`, map[image.Point]color.RGBA{{28, 20}: {0, 0, 255, 255}, {6, 20}: white}},
		"ellipse":      {`<ellipse fill="red" stroke="black" cx="5" cy="-3" rx="5" ry="3"/>`, map[image.Point]color.RGBA{{28, 20}: red, {28, 8}: black, {10, 10}: white}},
		"straight":     {`<path fill="none" stroke="black" stroke-width="2" d="M0,-3L10,-3"/>`, map[image.Point]color.RGBA{{28, 20}: black, {28, 25}: white, {8, 20}: black, {7, 20}: white}},
		"curve":        {`<path fill="none" stroke="black" stroke-width="2" d="M0,-3C3,-3 7,-3 10,-3"/>`, map[image.Point]color.RGBA{{28, 20}: black, {28, 25}: white}},
		"closed":       {`<path fill="red" stroke="none" d="M0,0L10,0 10,-6Z"/>`, map[image.Point]color.RGBA{{44, 24}: red, {12, 12}: white}},
		"dashes":       {`<polyline fill="none" stroke="black" stroke-width="2" stroke-dasharray="5,2" points="0,-3 14,-3"/>`, map[image.Point]color.RGBA{{10, 20}: black, {32, 20}: white, {40, 20}: black, {60, 20}: white}},
		"dashes ended": {`<polyline stroke="black" stroke-dasharray="1,9" points="0,-6 14,-6"/><polyline stroke="black" stroke-width="2" points="0,-3 14,-3"/>`, map[image.Point]color.RGBA{{32, 20}: black}},
	} {
		img := drawn(t, c.content, 4)
		if img.Bounds() != image.Rect(0, 0, 80, 40) {
			t.Fatalf("the image is %v", img.Bounds())
		}
		for at, want := range c.pixels {
			if !is(img, at.X, at.Y, want) {
				t.Errorf("%s: the pixel at %v is %v, want %v", name, at, img.At(at.X, at.Y), want)
			}
		}
	}
}

// ink returns the box around all that is not white.
func ink(img image.Image) image.Rectangle {
	var box image.Rectangle
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if !is(img, x, y, white) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box
}

// TestText: an H of 4 points is 2.9 wide and 2.9 high; what is inside an entity is
// text, and lines elsewhere do not change it.
func TestText(t *testing.T) {
	for anchor, left := range map[string]int{"start": 83, "middle": 69, "end": 54} {
		box := ink(drawn(t, `<text text-anchor="`+anchor+`" x="6" y="-2" font-size="4.00" fill="#0072b2">H</text>`, 10))
		if box.Min.X < left-1 || box.Min.X > left+1 || box.Max.Y != 60 || box.Dx() < 20 || box.Dx() > 26 || box.Dy() < 26 || box.Dy() > 30 {
			t.Errorf("anchored at its %s, the letter lies in %v", anchor, box)
		}
	}
	thin := ink(drawn(t, `<text x="0" y="0" font-size="4">iiii</text>`, 10)).Dx()
	bold := ink(drawn(t, `<text x="0" y="0" font-size="4" font-weight="bold">iiii</text>`, 10)).Dx()
	if bold <= thin {
		t.Errorf("bold letters take %d pixels, others %d", bold, thin)
	}
	one := ink(drawn(t, `<text x="0" y="0" font-size="4">&lt;</text>`, 10))
	if box := ink(drawn(t, `<polyline stroke="white" stroke-dasharray="1,2" points="0,0 1,1"/><text x="0" y="0" font-size="4">&lt;</text>`, 10)); box != one {
		t.Errorf("after a dashed line the text lies in %v, not in %v", box, one)
	}
}

func TestWhatIsNotUnderstoodIsAnError(t *testing.T) {
	for content, want := range map[string]string{
		`<image href="x.png"/>`:                                      `an element "image" is not drawn here`,
		`<polygon points="0,0 1"/>`:                                  "has no points",
		`<polygon points="0,0 1,NaN"/>`:                              `"NaN" is not a number`,
		`<polygon fill="url(#x)" points="0,0 1,1"/>`:                 `"url(#x)" is not a colour`,
		`<polygon stroke="#12345" points="0,0 1,1"/>`:                `"#12345" is not a colour`,
		`<path d="M0,0A1,1 0 0 0 1,1"/>`:                             "is not a number",
		`<path d="M0,0Q1,1 0,0"/>`:                                   "is not a number",
		`<path d="M0,0C1,1"/>`:                                       `the path "C1,1" is not drawn here`,
		`<path d="A1,1"/>`:                                           "is not drawn here",
		`<ellipse cx="1" cy="1" rx="1"/>`:                            "an ellipse has no position",
		`<text x="1">x</text>`:                                       `the text "x" has no position`,
		`<text x="1" y="1" text-anchor="below">x</text>`:             `anchored at "below"`,
		`<g transform="matrix(1 0 0 1 0 0)"></g>`:                    "the transformation",
		`<polyline stroke="red" stroke-width="a" points="0,0 1,1"/>`: "wide",
	} {
		if _, err := Draw(strings.NewReader(sheet(content)), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want one with %q", content, err, want)
		}
	}
	for svg, want := range map[string]string{
		"":                          "there is no picture",
		"<svg":                      "EOF",
		`<g/>`:                      "outside of the picture",
		`<svg viewBox="0 0 0 10"/>`: "is not that of a picture",
		`<svg viewBox="0 0 10 x"/>`: "is not that of a picture",
		`<svg viewBox="0 0 100000 100000"></svg>`: "more than the 50000000",
	} {
		if _, err := Draw(strings.NewReader(svg), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want one with %q", svg, err, want)
		}
	}
	if _, err := Draw(strings.NewReader(sheet("")), 0); err == nil {
		t.Error("a scale of 0 is accepted")
	}
}
