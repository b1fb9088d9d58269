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

// TestTourBeginsWithStatesToldApart: a merged model is the first picture only if the states of the run are different
// nodes in it, since the picture follows a walk along the run.
func TestTourBeginsWithStatesToldApart(t *testing.T) {
	apart := []edge{{0, "a", 0}, {0, "c", 2}, {2, "d", 5}, {5, "d", 1}, {1, "d", 0}, {2, "s", 3}, {2, "s", 4}}
	merged := []edge{{0, "a", 1}, {1, "a", 0}, {0, "c", 2}, {1, "c", 2}, {2, "d", 5}, {5, "d", 0}, {2, "s", 3}, {2, "s", 4}}
	for _, c := range []struct {
		edges []edge
		first Kind
	}{
		{apart, Quotient},
		{merged, Excerpt},
	} {
		e := explained(t, model(t, 6, c.edges...), "", "Inev(s)")
		tour, err := NewTour(context.Background(), e, 0)
		if err != nil {
			t.Fatal(err)
		}
		if tour.Stops[0].Kind != c.first || !slices.ContainsFunc(tour.Stops, func(s Stop) bool { return s.Kind == Quotient }) {
			t.Errorf("the first of %d pictures is of kind %v, want %v", len(tour.Stops), tour.Stops[0].Kind, c.first)
		}
	}
}
