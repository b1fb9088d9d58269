package explain_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// pathToLoss follows the path that is found under an assumption, and holds it against
// the shortest one of all.
func pathToLoss(c randomlts.Case, fair []*actl.Assumption, a oracle.Assumption, unfold bool) error {
	ctx := context.Background()
	f, err := actl.Parse(ctx, c.Formula)
	if err != nil {
		return err
	}
	want := oracle.NewFair(c.Model, c.Steps, a)
	analysis, err := explain.Analyse(ctx, c.Model, f, explain.Options{Fair: fair, Unfold: unfold})
	if errors.Is(err, explain.ErrNoRunCounts) {
		if want.Counts(c.Model.Initial()) {
			return errors.New("some run counts")
		}
		return nil
	}
	if err != nil {
		return err
	}
	found, _, err := analysis.Paths(ctx, explain.Destination{Lost: true}, nil)
	if err != nil {
		return err
	}
	paths := slices.Collect(found)
	length, some := want.ShortestLoss()
	if some != (len(paths) == 1) {
		return fmt.Errorf("%d paths, want one: %t", len(paths), some)
	}
	if !some {
		return nil
	}
	p := paths[0]
	at, done := analysis.Components.LTS().Initial(), 0
	for _, s := range p.Steps {
		l, _ := c.Model.Alphabet().Lookup(s.Label)
		if s.From != at || !slices.Contains(slices.Collect(analysis.Components.LTS().Transitions()), lts.Transition{From: at, Label: l, To: s.To}) {
			return fmt.Errorf("there is no step %v from %d", s, at)
		}
		if at = s.To; done < len(c.Steps) && c.Steps[done][l] {
			done++
		}
	}
	end := at
	if unfold {
		end = analysis.Unfolding.At(at).State
	}
	accept, reject := want.Can(end, done)
	if p.State != at || !p.Lost || accept || !reject || len(p.Steps) != length {
		return fmt.Errorf("path %v after which runs satisfy: %t, violate: %t; want one of length %d", p, accept, reject, length)
	}
	return nil
}

// TestPathToLoss: the path after which the property is lost is a shortest one, under every
// notion of fairness and under none.
func TestPathToLoss(t *testing.T) {
	size := randomlts.Size{States: 5, Transitions: 9, Labels: 4, Steps: 3}
	for seed := range randomlts.Share(1200) {
		c := randomlts.Seeded(seed, size)
		if c.Model.NumTransitions() > 10 || c.Model.Alphabet().Len() == 0 {
			continue
		}
		each := func(strong bool) (a oracle.Assumption) {
			for l := range c.Model.Alphabet().All() {
				a.Tasks = append(a.Tasks, oracle.FairTask{Labels: map[lts.Label]bool{l: true}, Strong: strong})
			}
			return a
		}
		rare := lts.Label(seed % uint64(c.Model.Alphabet().Len()))
		for text, a := range map[string]oracle.Assumption{
			"": {}, "full": {Full: true}, "weak": each(false), "strong": each(true),
			fmt.Sprintf("finitely:%q", c.Model.Alphabet().Text(rare)): {Rare: map[lts.Label]bool{rare: true}},
		} {
			var fair []*actl.Assumption
			if text != "" {
				fair = assumed(t, text)
			}
			if err := pathToLoss(c, fair, a, seed%2 == 0); err != nil {
				t.Fatalf("seed %d under %q:\n%s\n%v", seed, text, c, err)
			}
		}
	}
}

// TestPathsThroughStates: the path to a state, or to the nearest neighbourhood, through another one if that
// is asked for, with a pattern on the way, is as long as the shortest one by distances of all pairs of
// states and steps of the pattern.
func TestPathsThroughStates(t *testing.T) {
	ctx := context.Background()
	size := randomlts.Size{States: 5, Transitions: 9, Labels: 3, Steps: 2}
	some := map[bool]int{}
	for seed := range randomlts.Share(1500) {
		c := randomlts.Seeded(seed, size)
		n := c.Model.NumStates()
		f, err := actl.Parse(ctx, c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		a, err := explain.Analyse(ctx, c.Model, f, explain.Options{Unfold: seed%3 == 0})
		if err != nil {
			t.Fatal(err)
		}
		var pattern *actl.Formula
		steps := 0
		if seed%2 == 0 {
			pattern, steps = f, len(c.Steps)
		}
		// distance[s][q][u][p] is that from state s after q steps of the pattern to state u after p.
		type place struct{ s, q int }
		const far = 1 << 20
		distance := map[place]map[place]int{}
		for s := range n {
			for q := range steps + 1 {
				from := map[place]int{{s, q}: 0}
				for open := []place{{s, q}}; len(open) > 0; open = open[1:] {
					at := open[0]
					labels, targets := c.Model.Out(lts.State(at.s))
					for i, to := range targets {
						next := place{int(to), at.q}
						if at.q < steps && c.Steps[at.q][labels.At(i)] {
							next.q++
						}
						if _, met := from[next]; !met {
							from[next] = from[at] + 1
							open = append(open, next)
						}
					}
				}
				distance[place{s, q}] = from
			}
		}
		between := func(from, to place) int {
			if d, met := distance[from][to]; met {
				return d
			}
			return far
		}
		start := place{int(c.Model.Initial()), 0}
		inModel := func(s lts.State) int {
			if a.Unfolding != nil {
				s = a.Unfolding.At(s).State
			}
			return int(s)
		}
		for goal := -1; goal < n; goal++ {
			for through := -1; through < n; through++ {
				var to explain.Destination
				goals := map[int]bool{goal: true}
				if goal >= 0 {
					s := lts.State(goal)
					to.State = &s
				} else if a.Unfolding != nil {
					continue // which places of a state are neighbourhoods is another question
				}
				if goal < 0 {
					goals = map[int]bool{}
					for _, s := range a.Classification.States() {
						goals[int(s)] = true
					}
				}
				if through >= 0 {
					s := lts.State(through)
					to.Through = &s
				}
				want := far
				for end := range goals {
					last := place{end, steps}
					if through < 0 {
						want = min(want, between(start, last))
						continue
					}
					for q := range steps + 1 {
						want = min(want, between(start, place{through, q})+between(place{through, q}, last))
					}
				}
				found, _, err := a.Paths(ctx, to, pattern)
				if err != nil && strings.Contains(err.Error(), "matches no label") {
					continue // the pattern has a step that nothing does
				}
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				paths := slices.Collect(found)
				if some[want < far]++; len(paths) != 1 || want == far {
					if len(paths) > 0 || want < far {
						t.Fatalf("seed %d: to %d through %d: %v, want a path of %d\n%s", seed, goal, through, paths, want, c)
					}
					continue
				}
				at, passed, done := a.Components.LTS().Initial(), through < 0 || through == start.s, 0
				for _, s := range paths[0].Steps {
					l, _ := c.Model.Alphabet().Lookup(s.Label)
					if done < steps && c.Steps[done][l] {
						done++
					}
					if s.From != at || !slices.Contains(slices.Collect(a.Components.LTS().Transitions()), lts.Transition{From: at, Label: l, To: s.To}) {
						t.Fatalf("seed %d: no step %v", seed, s)
					}
					at = s.To
					passed = passed || inModel(at) == through
				}
				if len(paths[0].Steps) != want || !passed || !goals[inModel(at)] || done < steps || at != paths[0].State {
					t.Fatalf("seed %d: to %d through %d: %v, want a path of %d\n%s", seed, goal, through, paths, want, c)
				}
			}
		}
	}
	if some[true] < 100 || some[false] < 100 {
		t.Error(some)
	}
}
