package wmc_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/lts"
)

// kripke is a model of the slides: p holds in some states.
func kripke(t *testing.T, text string, holding wmc.States, edges [][2]lts.State) (*wmc.Answer[wmc.States], *wmc.Explicit) {
	t.Helper()
	var b lts.Builder
	l := b.Label("")
	for _, e := range edges {
		b.Add(e[0], l, e[1])
	}
	m, err := b.Build(0, b.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	c := f.Closure()
	sets := wmc.NewExplicit(m, nil, func(syntax.Predicate) (wmc.States, error) { return holding, nil })
	a, err := wmc.Check(context.Background(), sets, c, wmc.States{0}, wmc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a, sets
}

// stages returns what is left of P after each round of a fixpoint: the W of the slides.
func stages(u *wmc.Unfolding[wmc.States], sets *wmc.Explicit) []wmc.States {
	left := []wmc.States{u.P}
	for _, round := range u.Ranks[1:] {
		left = append(left, sets.Minus(left[len(left)-1], round))
	}
	return left
}

// layers returns the slides' traces of sets of states: for each frontier those of its states that
// lie in a set.
func layers(u *wmc.Unfolding[wmc.States], sets *wmc.Explicit, in wmc.States) []wmc.States {
	var all []wmc.States
	for _, f := range u.Frontiers {
		all = append(all, sets.Intersect(f.Reached, in))
	}
	return all
}

// TestExampleEG is the example EG p of the slides: V⁺ = {0, 1}, W = [{0, 1}, {0}, ∅], and
// the counterexample [{0}, {1, 2}, {2}].
func TestExampleEG(t *testing.T) {
	a, sets := kripke(t, "EG p", wmc.States{0, 1}, [][2]lts.State{{0, 1}, {0, 2}, {1, 2}, {2, 2}})
	u := a.Root.Unfolding
	got := fmt.Sprint(a.Good, a.Bad, u.P, stages(u, sets), layers(u, sets, u.Fails))
	if want := "[] [0] [0 1] [[0 1] [0] []] [[0] [1 2] [2]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestExampleAF is the example AF p: V⁻ = {0, 3}, and the witness [{0}, {1, 3, 4}, {5, 6}].
// Of W the slides print the first stage and the last, [{0, 3}, ∅]. By their own definition,
// νZ. V⁻ ∧ pre(Z), there is the stage {0} between them, as they print it for EG p: state 0
// leads to 3, which the forward exploration shows.
func TestExampleAF(t *testing.T) {
	edges := [][2]lts.State{{0, 1}, {0, 3}, {0, 4}, {3, 5}, {3, 6}, {1, 1}, {4, 4}, {5, 5}, {6, 6}, {2, 0}}
	a, sets := kripke(t, "AF p", wmc.States{1, 4, 5, 6}, edges)
	u := a.Root.Unfolding
	got := fmt.Sprint(a.Good, a.Bad, u.P, stages(u, sets), layers(u, sets, u.Holds))
	if want := "[0] [] [0 3] [[0 3] [0] []] [[0] [1 3 4] [5 6]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
