package neighbourhood_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// classified builds an LTS from transitions written "0 A 1" and types them.
func classified(t *testing.T, formula string, reading neighbourhood.Reading, transitions ...string) *neighbourhood.Classification {
	t.Helper()
	var b lts.Builder
	for _, text := range transitions {
		var from, to lts.State
		var label string
		if _, err := fmt.Sscanf(text, "%d %s %d", &from, &label, &to); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		b.Add(from, b.Label(label), to)
	}
	m, err := b.Build(0, b.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	bound, _, _ := f.Bind(context.Background(), m.Alphabet())
	p, _ := bound.Chain()
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	e, err := enrich.Enrich(context.Background(), c, p, enrich.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n, err := neighbourhood.Classify(context.Background(), fate.OfChain(e), reading)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// classes lists the classes of all transitions in order.
func classes(n *neighbourhood.Classification) (list []string) {
	m := n.Fates().LTS()
	for t := range m.Transitions() {
		list = append(list, n.Class(t.From, t.Label, t.To).String())
	}
	return list
}

// kinds lists the neighbourhoods with their kinds.
func kinds(n *neighbourhood.Classification) (list []string) {
	for _, s := range n.States() {
		kind, _ := n.Kind(s)
		list = append(list, fmt.Sprint(s, " ", kind))
	}
	return list
}

// The figure of SEFM'18 by which its section 3.2 explains the passes.
func TestFigure2(t *testing.T) {
	n := classified(t, "Inev(A, B, C)", neighbourhood.All, "0 A 1", "1 X 2", "2 B 3", "3 C 1", "2 Y 4", "3 C 5")
	want := []string{"neutral", "neutral", "correct", "correct", "neutral", "correct"}
	// Transitions are listed as they were added; 2 -Y-> 4 is the fifth.
	if got := classes(n); !slices.Equal(got, want) {
		t.Errorf("classes %v, want %v", got, want)
	}
	if got := kinds(n); !slices.Equal(got, []string{"2 correct"}) {
		t.Errorf("neighbourhoods %v", got)
	}
	e, _ := n.Fates().Enriched()
	for s, want := range [][4]int{1: {3, 1, 2, 0}, 2: {3, 1, 2, 0}, 3: {3, 2, 2, 1}} {
		if s == 0 {
			continue
		}
		if got := [4]int{e.MP(lts.State(s)), e.CP(lts.State(s)), e.MS(lts.State(s)), e.CS(lts.State(s))}; got != want {
			t.Errorf("state %d: mp, cp, ms, cs = %v, want %v", s, got, want)
		}
	}
	if e.MS(0) != 3 {
		t.Errorf("state 0: ms = %d, want 3", e.MS(0))
	}
}

// Cases in which published tools have erred.
func TestTraps(t *testing.T) {
	for _, c := range []struct {
		formula     string
		transitions []string
		want        []string
	}{
		{"Inev(A, B)", []string{"0 A 1", "1 A 1"}, []string{"incorrect", "incorrect"}},
		{"Inev(A, B)", []string{"0 A 1", "1 B 0"}, []string{"correct", "correct"}},
		{"Inev(A, B, C)", []string{"0 A 1", "0 B 0", "1 B 1", "1 C 1"}, []string{"neutral", "neutral", "neutral", "neutral"}},
	} {
		if got := classes(classified(t, c.formula, neighbourhood.All, c.transitions...)); !slices.Equal(got, c.want) {
			t.Errorf("%s of %v: classes %v, want %v", c.formula, c.transitions, got, c.want)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		transitions []string
		want        []string
	}{
		{[]string{"0 A 1", "0 X 2", "2 A 1", "2 X 3"}, []string{"0 correct", "2 mixed"}},
		{[]string{"0 X 1", "0 X 2", "2 A 3", "2 Y 1", "2 Z 4", "4 A 3", "4 X 1"}, []string{"0 incorrect", "2 mixed-neutral", "4 mixed"}},
	} {
		if got := kinds(classified(t, "Inev(A)", neighbourhood.All, c.transitions...)); !slices.Equal(got, c.want) {
			t.Errorf("%v: neighbourhoods %v, want %v", c.transitions, got, c.want)
		}
	}
}

// State 2 is entered by a neutral and by an incorrect transition.
func TestReadingsDiffer(t *testing.T) {
	transitions := []string{"0 A 1", "0 X 2", "1 X 2", "2 B 3", "2 X 4"}
	all := classified(t, "Inev(A, B)", neighbourhood.All, transitions...)
	some := classified(t, "Inev(A, B)", neighbourhood.Some, transitions...)
	if got := kinds(all); !slices.Equal(got, []string{"0 incorrect"}) {
		t.Errorf("all: %v", got)
	}
	if got := kinds(some); !slices.Equal(got, []string{"0 incorrect", "2 incorrect"}) {
		t.Errorf("some: %v", got)
	}
	if all.Has(2) || !some.Has(2) || some.Reading() != neighbourhood.Some {
		t.Error("Has and Reading do not fit")
	}
}

func TestReadingByName(t *testing.T) {
	for _, name := range []string{"all", "some"} {
		var r neighbourhood.Reading
		if err := r.UnmarshalText([]byte(name)); err != nil || r.String() != name {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	if err := new(neighbourhood.Reading).UnmarshalText([]byte("none")); err == nil {
		t.Error("none must be refused")
	}
}
