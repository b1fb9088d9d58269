package explain_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
	"github.com/inev-lts/inev/oracle/randomlts"
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
		end = analysis.Unfolding.Place(at).State
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
