package raster

import (
	"bytes"
	"image"
	"image/color"
	"runtime"
	"testing"

	"pgregory.net/rapid"
)

func distance(a, b color.RGBA) int {
	part := func(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
	return max(part(a.R, b.R), part(a.G, b.G), part(a.B, b.B))
}

func sequence[T any](n int, of func() T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = of()
	}
	return all
}

// TestPalettize: inks and white stay as they are, a colour between them differs by less
// than 8 where there are few, and else is the nearest that there is; whatever the number
// of processors.
func TestPalettize(t *testing.T) {
	part := rapid.Uint8()
	rapid.Check(t, func(rt *rapid.T) {
		anyColour := func() color.RGBA {
			return color.RGBA{part.Draw(rt, "red"), part.Draw(rt, "green"), part.Draw(rt, "blue"), 0xff}
		}
		inks := sequence(rapid.IntRange(0, 3).Draw(rt, "inks"), anyColour)
		others := sequence(rapid.SampledFrom([]int{0, 1, 40, 250, 400}).Draw(rt, "others"), anyColour)
		img := image.NewRGBA(image.Rect(0, 0, 40, 30))
		for i, x := 0, 0; i < 40*30; i += x {
			c := paper
			switch k := rapid.IntRange(-2, len(inks)+len(others)-1).Draw(rt, "colour"); {
			case k >= len(inks):
				c = others[k-len(inks)]
			case k >= 0:
				c = inks[k]
			}
			x = rapid.IntRange(1, 9).Draw(rt, "run")
			for k := i; k < min(i+x, 40*30); k++ {
				img.SetRGBA(k%40, k/40, c)
			}
		}
		out := palettize(img, inks)
		if len(out.Palette) > maxColours {
			rt.Fatalf("%d colours", len(out.Palette))
		}
		all := len(inks) + len(others) + 1
		for i, entry := range out.Pix {
			c, got := img.RGBAAt(i%40, i/40), out.Palette[entry].(color.RGBA)
			switch {
			case isAlone(c, inks) && c != got, c == paper && got != paper && isAlone(c, append(inks, paper)):
				rt.Fatalf("an ink %v is %v", c, got)
			case all <= maxColours && distance(c, got) >= 8:
				rt.Fatalf("of %d colours, %v is %v", all, c, got)
			}
		}
		processors := runtime.GOMAXPROCS(5)
		defer runtime.GOMAXPROCS(processors)
		if again := palettize(img, inks); !bytes.Equal(again.Pix, out.Pix) {
			rt.Error("on 5 processors the image is another one")
		}
	})
}

// isAlone reports whether a colour is an ink, and no other one has its shade.
func isAlone(c color.RGBA, inks []color.RGBA) bool {
	is := false
	for _, ink := range inks {
		if ink != c && shadeOf(ink) == shadeOf(c) {
			return false
		}
		is = is || ink == c
	}
	return is
}

// TestRareColours: what does not fit into a palette becomes the nearest that does.
func TestRareColours(t *testing.T) {
	counts := make([]int, shades)
	for s := range 300 {
		counts[s*8] = 1 + s
	}
	palette, index := paletteOf(counts, []color.RGBA{shade(0).colour()})
	if len(palette) != maxColours {
		t.Fatalf("%d colours", len(palette))
	}
	for s := range 300 {
		c := shade(s * 8).colour()
		want := s > 300-maxColours || s == 0
		if got := palette[index[s*8]]; want != (got == c) || got != palette.Convert(c) {
			t.Errorf("the colour number %d by frequency is %v, drawn as %v", s, c, got)
		}
	}
}
