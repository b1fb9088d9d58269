package actl

import (
	"context"
	"testing"

	"pgregory.net/rapid"
)

func TestReadLabels(t *testing.T) {
	tests := []struct {
		text string
		in   byte
		want string
	}{
		{"<PUT>", '<', "<PUT>"},
		{"<PUT !1>", '<', "<PUT !1>"},
		{"<a or b, c|d>", '<', "<a or b or c or d>"},
		{"<true>", '<', "<true>"},
		{"<false>", '<', "<false>"},
		{"<{true}>", '<', "<{true}>"},
		{"<{a->b}>", '<', "<{a->b}>"},
		{"<\"a>b\">", '<', "<\"a>b\">"},
		{"[r(d1, 2)]", '[', "[r(d1, 2)]"},
		{"[x[1]]", '[', "[x[1]]"},
		{"{PUT, GET*}", '{', "{PUT or GET*}"},
	}
	for _, test := range tests {
		p, end, err := Text(test.text).Labels(context.Background(), 1, test.in)
		if err != nil || end != len(test.text) || p.Within(test.in) != test.want {
			t.Errorf("%s is %s up to %d, error %v; want %s", test.text, p.Within(test.in), end, err, test.want)
		}
	}
}

// TestBracketsRoundTrip: any pattern reads back from within any bracket.
func TestBracketsRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.OneOf(rapid.StringOf(rapid.SampledFrom([]rune(`aA1_|&~!\/ <>-,()[]{}*?."`))),
			rapid.SampledFrom([]string{"true", "false", "*", "{true}", "a or b", "not x", "a>b", "{a>b, c}"})).Draw(r, "text")
		p, end, err := Text("{"+text+"}").Atom(context.Background(), 0)
		if err != nil || end != len(text)+2 {
			r.Skip("no pattern")
		}
		for _, b := range []byte{'{', '[', '<'} {
			in := p.Within(b)
			back, end, err := Text(in+"x").Labels(context.Background(), 1, b)
			if err != nil || end != len(in) || back.key() != p.key() {
				r.Fatalf("%s is read back as %s up to %d, error %v", in, back, end, err)
			}
		}
	})
}
