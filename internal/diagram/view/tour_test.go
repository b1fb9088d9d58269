package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTourLeavesCrowdedModelsOut: a tour has the whole model if that can be read, and otherwise a note; it
// always has a picture.
func TestTourLeavesCrowdedModelsOut(t *testing.T) {
	line := []edge{}
	dense := []edge{}
	for s := range 60 {
		line = append(line, edge{s, "a", s + 1})
		for _, step := range []int{1, 17, 31, 44} {
			dense = append(dense, edge{s, fmt.Sprint("a", step), (s + step) % 61})
		}
	}
	for _, c := range []struct {
		name    string
		edges   []edge
		formula string
		whole   bool
	}{
		{"a line, violated", line, "Never(a)", true},
		{"a line, which holds", line, "Inev(a)", true},
		{"dense, violated", dense, "Never(a17)", false},
		{"dense, which holds", dense, "Inev(a1 | a17 | a31 | a44)", false},
	} {
		e := explained(t, model(t, 61, c.edges...), "", c.formula)
		tour, err := NewTour(context.Background(), e, 0)
		if err != nil {
			t.Fatal(err)
		}
		whole := slices.ContainsFunc(tour.Stops, func(s Stop) bool { return s.Kind == Whole })
		noted := slices.ContainsFunc(tour.Undrawn, func(note string) bool { return strings.Contains(note, "too crowded to be read") })
		if whole != c.whole || noted == c.whole || len(tour.Stops) == 0 {
			t.Errorf("%s: whole %t, %d pictures, notes %q", c.name, whole, len(tour.Stops), tour.Undrawn)
		}
	}
}
