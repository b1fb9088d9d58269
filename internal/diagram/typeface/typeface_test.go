package typeface

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestWidth compares with the widths of Arial, in thousandths of the size.
func TestWidth(t *testing.T) {
	f := Load()
	for _, c := range []struct {
		text string
		bold bool
		want float64
	}{
		{"", false, 0},
		{"0", false, 556},
		{"W", false, 944},
		{"i", false, 222},
		{"i", true, 278},
		{" ", false, 278},
		{"0000", false, 4 * 556},
		{"AV", false, 667 + 667 - 74}, // kerned
		{"é", false, 556},
		{"日", false, 1000}, // not in the typeface
		{"e\u0301", false, 556},
		{"↻", false, 1000},
	} {
		if got := f.Width(c.text, Style{Size: 1000, Bold: c.bold}); math.Abs(got-c.want) > 1 {
			t.Errorf("%q (bold %v) is %.1f wide, want %.1f", c.text, c.bold, got, c.want)
		}
	}
	if got := f.Width("00", Style{Size: 10}); math.Abs(got-11.12) > 0.02 {
		t.Errorf("in another size the width is %v", got)
	}
}

// recorder is a pen that remembers how far it came.
type recorder struct {
	contours, open           int
	left, right, top, bottom float64
}

func (r *recorder) to(points ...float64) {
	for i := 0; i < len(points); i += 2 {
		r.left, r.right = math.Min(r.left, points[i]), math.Max(r.right, points[i])
		r.top, r.bottom = math.Min(r.top, points[i+1]), math.Max(r.bottom, points[i+1])
	}
}

func (r *recorder) MoveTo(x, y float64)                 { r.open++; r.to(x, y) }
func (r *recorder) LineTo(x, y float64)                 { r.to(x, y) }
func (r *recorder) QuadTo(x1, y1, x, y float64)         { r.to(x1, y1, x, y) }
func (r *recorder) CubeTo(x1, y1, x2, y2, x, y float64) { r.to(x1, y1, x2, y2, x, y) }
func (r *recorder) Close()                              { r.contours++; r.open-- }

func outlined(f *Family, text string, s Style) *recorder {
	r := &recorder{left: math.Inf(1), right: math.Inf(-1), top: math.Inf(1), bottom: math.Inf(-1)}
	f.Outline(r, text, s, 100, 200)
	return r
}

func TestOutline(t *testing.T) {
	f := Load()
	for text, contours := range map[string]int{
		"": 0, " ": 0, "l": 1, "i": 2, "O": 2, "B": 3, "lll": 3, "日": 2, "▻": 2, "✓": 1, "✗": 2, "↻": 2,
	} {
		if got := outlined(f, text, Style{Size: 10}); got.contours != contours || got.open != 0 {
			t.Errorf("%q has %d closed and %d open contours, want %d closed ones", text, got.contours, got.open, contours)
		}
	}
}

// TestOutlineIsWhereItWasMeasured: the letters stand on the base line, within the
// width that was measured.
func TestOutlineIsWhereItWasMeasured(t *testing.T) {
	f := Load()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`[A-Za-z0-9_ ✓✗↻▻日]{1,20}`).Draw(rt, "text")
		s := Style{Size: rapid.Float64Range(5, 50).Draw(rt, "size"), Bold: rapid.Bool().Draw(rt, "bold")}
		r := outlined(f, text, s)
		if r.contours == 0 {
			return
		}
		slack := s.Size / 8
		if r.left < 100-slack || r.right > 100+f.Width(text, s)+slack || r.top < 200-s.Size || r.bottom > 200+s.Size/3 {
			rt.Errorf("%q in size %.1f lies in %v", text, s.Size, *r)
		}
	})
}
