package raster

import (
	"testing"

	"golang.org/x/image/colornames"
)

// TestNamedColours: the names are those of SVG 1.1, and nothing between them is one.
func TestNamedColours(t *testing.T) {
	for _, name := range colornames.Names {
		got, visible, err := colour(name)
		if err != nil || !visible || got != colornames.Map[name] {
			t.Errorf("%s: %v, %t, %v, want %v", name, got, visible, err, colornames.Map[name])
		}
	}
	for _, text := range []string{"", "alice", "blue0000ff", "aliceblue f0f8ff", "azure f0ffff\nbeige", "f0f8ff", "#red", "#aliceblue"} {
		if got, _, err := colour(text); err == nil {
			t.Errorf("%q is the colour %v", text, got)
		}
	}
}
