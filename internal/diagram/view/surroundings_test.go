package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// partOf is what the script reads.
type partOf struct {
	Labels []string
	States []struct {
		State any
		Out   [][3]any
		All   int
		Fates string
	}
	Of       int
	Property *struct {
		Initial property.Q
		Next    [][]property.Q
		Words   []string
		Beyond  []struct {
			State any
			Fates string
		}
	}
}

// walk compares what a script can find out about every run from the initial state, as far
// as the surroundings go, with the fates.
func (p partOf) walk(e *explain.Explanation) error {
	fates := e.Classification().Fates()
	names := map[string]int{}
	letters := map[string]string{}
	for i, s := range p.States {
		names[fmt.Sprint(s.State)], letters[fmt.Sprint(s.State)] = i, s.Fates
	}
	for _, b := range p.Property.Beyond {
		if _, known := letters[fmt.Sprint(b.State)]; known {
			return fmt.Errorf("state %v is told twice", b.State)
		}
		letters[fmt.Sprint(b.State)] = b.Fates
	}
	type pair struct {
		state lts.State
		q     property.Q
	}
	visited := map[pair]bool{}
	var from func(at pair) error
	from = func(at pair) error {
		if visited[at] {
			return nil
		}
		visited[at] = true
		name := e.Name(at.state)
		known, is := letters[name]
		if want := fates.At(at.state, at.q).String(); !is || known == "" && want != "open" || known != "" && known[at.q] != want[0] {
			return fmt.Errorf("state %s with %d: %q (%t), want %s", name, at.q, known, is, want)
		}
		i, carried := names[name]
		if !carried {
			return nil
		}
		labels, targets := e.LTS().Out(at.state)
		for _, o := range p.States[i].Out {
			label := int(o[0].(float64))
			q := at.q
			if next := p.Property.Next[label]; next != nil {
				q = next[q]
			}
			found := false
			for j, to := range targets {
				if e.Name(to) == fmt.Sprint(o[1]) && e.LTS().Alphabet().Text(labels.At(j)) == p.Labels[label] {
					found = true
					if want := fates.Property().Next(at.q, labels.At(j)); q != want {
						return fmt.Errorf("%s from %d leads to %d, want %d", p.Labels[label], at.q, q, want)
					}
					if err := from(pair{to, q}); err != nil {
						return err
					}
					break
				}
			}
			if !found {
				return fmt.Errorf("%v does not leave %s", o, name)
			}
		}
		return nil
	}
	return from(pair{e.LTS().Initial(), p.Property.Initial})
}

// carries returns where a state stands; false if it does not.
func carries(p partOf, name string) (int, bool) {
	for i, s := range p.States {
		if fmt.Sprint(s.State) == name {
			return i, true
		}
	}
	return 0, false
}

// surroundingsIn returns the surroundings as a script reads them, and the bytes of their JSON.
func surroundingsIn(t interface{ Fatal(...any) }, e *explain.Explanation, most int64) (part partOf, bytes int) {
	tour, err := NewTour(context.Background(), e, most)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(tour.Surroundings)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &part); err != nil {
		t.Fatal(err)
	}
	return part, len(data)
}

// TestSurroundingsAreOfTheModel: what travels with the page is what the model has,
// with the classes that it has; all of it where there is room.
func TestSurroundingsAreOfTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomlts.Generator(randomlts.Small()).Draw(rt, "case")
		f, err := actl.Parse(context.Background(), c.Formula)
		if err != nil {
			rt.Fatal(err)
		}
		check := rapid.Bool().Draw(rt, "check only")
		var fair []*actl.Assumption
		if texts := slices.Collect(maps.Values(maps.Collect(c.Model.Alphabet().All()))); len(texts) > 0 && rapid.Bool().Draw(rt, "fair") {
			slices.Sort(texts)
			a, err := actl.ParseAssumption(context.Background(), "finitely:"+strconv.Quote(rapid.SampledFrom(texts).Draw(rt, "rare")))
			if err != nil {
				rt.Fatal(err)
			}
			fair = append(fair, a)
		}
		var e *explain.Explanation
		if check {
			e, err = explain.Check(context.Background(), c.Model, f, explain.Options{Source: explain.Source{File: "m.aut"}, Fair: fair})
		} else {
			e, err = explain.Explain(context.Background(), c.Model, f, explain.Options{Source: explain.Source{File: "m.aut"}, Fair: fair, Unfold: rapid.Bool().Draw(rt, "unfold")})
		}
		if errors.Is(err, explain.ErrNoRunCounts) {
			rt.Skip()
		}
		if err != nil {
			rt.Fatal(err)
		}
		most := rapid.SampledFrom([]int64{0, 1, 200, 1000}).Draw(rt, "most")
		part, size := surroundingsIn(rt, e, most)
		if most > 0 && int64(size) > most+100 {
			rt.Fatalf("%d bytes where %d are allowed", size, most)
		}
		m := e.LTS()
		names := map[string]lts.State{}
		for s := range lts.State(m.NumStates()) {
			names[e.Name(s)] = s
		}
		if part.Of != m.Reachable().NumStates() || most == 0 && len(part.States) != part.Of {
			rt.Fatalf("%d states of %d, the model has %d that can be reached", len(part.States), part.Of, m.Reachable().NumStates())
		}
		if (part.Property != nil) != (!check && most != 1) && most != 200 {
			rt.Fatalf("the property is there: %t", part.Property != nil)
		}
		if part.Property != nil && len(part.States) > 0 {
			if _, there := carries(part, e.Name(m.Initial())); there {
				if err := part.walk(e); err != nil {
					rt.Fatal(err)
				}
			}
		}
		for _, s := range part.States {
			from, known := names[fmt.Sprint(s.State)]
			if !known || !m.Reachable().Has(from) {
				rt.Fatalf("there is no state %v", s.State)
			}
			var got, want []string
			for _, o := range s.Out {
				got = append(got, fmt.Sprint(part.Labels[int(o[0].(float64))], o[1], o[2]))
			}
			labels, targets := m.Out(from)
			for i, to := range targets {
				class := 4
				if !check {
					class = map[string]int{"correct": 0, "neutral": 1, "incorrect": 2, "excluded": 3}[e.Classification().Class(from, labels.At(i), to).String()]
				}
				want = append(want, fmt.Sprint(m.Alphabet().Text(labels.At(i)), e.Name(to), class))
			}
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], " ", "")
				want[i] = strings.ReplaceAll(want[i], " ", "")
			}
			slices.Sort(got)
			slices.Sort(want)
			if s.All != len(targets) || !slices.Equal(got, want) {
				rt.Fatalf("state %v is left by %q, want %q", s.State, got, want)
			}
		}
	})
}

// TestSurroundingsKeepTheBetterChoice: of thousands of transitions those stay that
// leave most hope, and the number of all is told.
func TestSurroundingsKeepTheBetterChoice(t *testing.T) {
	var edges []edge
	for i := range 3000 {
		edges = append(edges, edge{0, fmt.Sprintf("BAD !%d", i), 1})
	}
	edges = append(edges, edge{0, "GOOD", 2}, edge{2, strings.Repeat("<", 100_000), 2}, edge{2, "A", 2})
	e := explained(t, model(t, 3, edges...), "m.aut", "Inev(GOOD)")
	part, size := surroundingsIn(t, e, 0)
	first := part.States[0]
	if first.All != 3001 || len(first.Out) != nearTransitions || part.Labels[int(first.Out[0][0].(float64))] != "GOOD" {
		t.Errorf("of %d transitions %d are kept, %v first", first.All, len(first.Out), first.Out[0])
	}
	if size > 20_000 {
		t.Errorf("%d bytes", size)
	}
}
