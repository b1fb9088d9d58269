package autx_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/format/internal/autx"
	"github.com/inev-lts/inev/lts"
)

// TestBeginsIsSure: no .aut file is taken for .autx, whatever is in its labels.
func TestBeginsIsSure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b lts.Builder
		piece := rapid.SampledFrom([]string{`"`, ":", ",", ":GREEN", ":N:G", "(", ")", " ", "a"})
		label := strings.Join(rapid.SliceOfN(piece, 1, 6).Draw(t, "label"), "")
		b.Add(0, b.Label(label), 1)
		m, err := b.Build(0, 2)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if _, err := aut.Write(&text, m); err != nil {
			t.Skip(err)
		}
		if autx.Begins([]byte(text.String())) {
			t.Fatalf("taken for .autx:\n%s", text.String())
		}
	})
}

func TestBegins(t *testing.T) {
	const header = "des (0, 1, 2)\n"
	for text, want := range map[string]bool{
		header + `(0, "a":GREEN, 1)`:          true,
		header + `(0:N:GR, "a":UNSET, 1)`:     true,
		header + `(0, "a":UNSET, 1)` + "\n":   true,
		header + `(0, "a":BLACK, -1)` + "\n":  true,
		"\n\n" + header + "\n(0,\"a\":RED,1)": true,
		header + `(0, "a", 1)`:                false,
		header + `(0, a:GREEN, 1)`:            false,
		header + `(0, "a":PINK, 1)`:           false,
		header + `(0, "a":GRE`:                false, // more is wanted
		header:                                false,
		"":                                    false,
		`(0, "a":GREEN, 1)`:                   false,
	} {
		if got := autx.Begins([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
