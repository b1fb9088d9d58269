package typeface

import _ "embed" // the metrics

// widths are the metrics of both weights.
//
//go:embed metrics.bin
var widths []byte

// Family is the widths of the typeface in its two weights.
type Family struct{ regular, bold *metrics }

// Load reads the embedded widths. It takes some milliseconds.
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

func (f *Family) face(s Style) *metrics {
	if s.Bold {
		return f.bold
	}
	return f.regular
}

// Outline draws nothing: a browser draws letters itself.
func (f *Family) Outline(Pen, string, Style, float64, float64) {}
