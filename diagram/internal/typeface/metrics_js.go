package typeface

import _ "embed" // the metrics

// widths are the metrics of both weights.
//
//go:embed metrics.bin
var widths []byte

// Family is the widths of the typeface in its two weights.
type Family struct{ regular, bold *metrics }

// Load reads the widths, which are valid. It takes some milliseconds.
func Load() *Family {
	regular, rest, err := readMetrics(widths)
	if err != nil {
		panic(err)
	}
	bold, _, err := readMetrics(rest)
	if err != nil {
		panic(err)
	}
	return &Family{regular, bold}
}

func (f *Family) face(s Style) face {
	if s.Bold {
		return f.bold
	}
	return f.regular
}

// Pen draws outlines.
type Pen interface {
	MoveTo(x, y float64)
	LineTo(x, y float64)
	QuadTo(x1, y1, x, y float64)
	CubeTo(x1, y1, x2, y2, x, y float64)
	Close()
}

// Outline draws nothing: a browser draws letters itself.
func (f *Family) Outline(Pen, string, Style, float64, float64) {}
