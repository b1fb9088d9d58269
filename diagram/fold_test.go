package diagram

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// rowed draws a model of rows: states with one or two ways on, each a row of equal
// labels of some length to another state, or to one of no way on.
func rowed(t *testing.T, seed uint64) *lts.LTS {
	r := rand.New(rand.NewPCG(seed, 1))
	var edges []edge
	states := 4
	for from := range 3 {
		for range 1 + r.IntN(2) {
			at, label := from, string("AB"[r.IntN(2)])
			for range r.IntN(12) {
				if r.IntN(20) == 0 {
					label = "B"
				}
				edges = append(edges, edge{at, label, states})
				at = states
				states++
			}
			edges = append(edges, edge{at, label, r.IntN(4)})
		}
	}
	return model(t, states, edges...)
}

// TestRowsAreFolded: every folded arrow is a row of so many transitions of one label and
// class, whose inner states have no other way in or out and are no decisions; steps of the
// counterexample keep their numbers; and no such row is left that is long enough.
func TestRowsAreFolded(t *testing.T) {
	folded := 0
	for seed := range uint64(2_000) {
		m := rowed(t, seed)
		e := explained(t, m, "", []string{"Inev(A, B)", "Inev(B)", "Inev(A, A, B)"}[seed%3])
		s, err := selectView(subjectOf(e), Options{View: Whole})
		if err != nil {
			t.Fatal(err)
		}
		before := s.picture()
		p := s.picture()
		p.fold()
		if err := unfoldsTo(p, before, m, e.Map()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		folded += p.folded
	}
	if folded < 2_000 {
		t.Errorf("only %d states folded", folded)
	}
}

// unfoldsTo follows the transitions that the arrows of p stand for in the model.
func unfoldsTo(p, before *picture, m *lts.LTS, classes *neighbourhood.Map) error {
	var got, want []string
	taken := map[lts.State]bool{} // by rows between the same states
	text := func(a arrow) string {
		return fmt.Sprint(a.labels[0].text, a.class, a.meaning, a.better, a.steps, a.onRun, a.loop)
	}
	for _, a := range before.arrows {
		want = append(want, text(a))
	}
	for _, a := range p.arrows {
		if a.folded == 0 {
			got = append(got, text(a))
			continue
		}
		if a.folded < minRow || len(a.steps) > 0 && len(a.steps) != a.folded {
			return fmt.Errorf("%d transitions are one arrow, with steps %v", a.folded, a.steps)
		}
		l, _ := m.Alphabet().Lookup(a.labels[0].text)
		at := a.from
		for i := range a.folded {
			labels, targets := m.Out(at)
			way := -1
			for j, next := range targets {
				if labels[j] == l && !taken[next] && (i > 0 || reaches(m, next, l, a.folded-1, a.to)) {
					way = j
				}
			}
			if way < 0 {
				return fmt.Errorf("no row of %d leads from %d to %d", a.folded, a.from, a.to)
			}
			to := targets[way]
			if i < a.folded-1 {
				taken[to] = true
			}
			one := a
			one.steps = nil
			if len(a.steps) > 0 {
				one.steps = a.steps[i : i+1]
			}
			if _, decided := classes.Kind(at); i > 0 && (decided || len(targets) != 1 || len(m.Incoming(at)) != 1 || at == m.Initial()) {
				return fmt.Errorf("state %d is inside a row", at)
			}
			got = append(got, text(one))
			at = to
		}
		if at != a.to {
			return fmt.Errorf("the row from %d ends at %d, not at %d", a.from, at, a.to)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("the arrows stand for\n%s\nof\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(before.nodes)-len(p.nodes) != p.folded {
		return fmt.Errorf("%d states of %d, and %d folded", len(p.nodes), len(before.nodes), p.folded)
	}
	return nil
}

// reaches reports whether so many transitions with a label, each the only one of its
// state, lead from a state to another.
func reaches(m *lts.LTS, from lts.State, l lts.Label, n int, to lts.State) bool {
	for range n {
		labels, targets := m.Out(from)
		if len(targets) != 1 || labels[0] != l {
			return false
		}
		from = targets[0]
	}
	return from == to
}

// TestLongRowsInQuotients: 44 states with one label are one arrow, and that is told; in
// full they are all there.
func TestLongRowsInQuotients(t *testing.T) {
	var edges []edge
	for i := range 44 {
		edges = append(edges, edge{i, "A", i + 1})
	}
	e := explained(t, model(t, 46, append(edges, edge{44, "B", 45})...), "", "Inev(B, A)")
	for _, view := range []View{Whole, Quotient} {
		var notes []string
		o := Options{View: view, Tell: func(note string) { notes = append(notes, note) }}
		p, err := pictureOf(context.Background(), e, o)
		if err != nil || len(p.nodes) != 3 || p.folded != 43 || !strings.Contains(p.labelLines(p.arrows[0])[0], "1–44: A ×44") {
			t.Fatalf("view %d: error %v, nodes %v, %d folded, arrows %v", view, err, p.numbers(), p.folded, p.arrows)
		}
		if len(notes) != 1 || !strings.Contains(notes[0], "folds 43 states") {
			t.Errorf("view %d: told %q", view, notes)
		}
		o.Full = true
		if p, err := pictureOf(context.Background(), e, o); err != nil || len(p.nodes) != 46 {
			t.Errorf("view %d, in full: error %v, %d nodes", view, err, len(p.nodes))
		}
	}
}
