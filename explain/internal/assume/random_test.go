package assume_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// minimalSets returns, as texts, the minimal sets of labels that suffice, of all subsets.
func minimalSets(m *lts.LTS, suffices func(set map[lts.Label]bool) bool) string {
	n := m.Alphabet().Len()
	var minimal [][]lts.Label
	good := make([]bool, 1<<n)
	for choice := range good {
		set := map[lts.Label]bool{}
		var labels []lts.Label
		for l := range n {
			if choice>>l&1 != 0 {
				set[lts.Label(l)] = true
				labels = append(labels, lts.Label(l))
			}
		}
		good[choice] = suffices(set)
		is := good[choice]
		for other := range choice {
			is = is && !(other&choice == other && good[other])
		}
		if is {
			minimal = append(minimal, labels)
		}
	}
	return texts(m, minimal)
}

// TestMinimalAssumptions compares the answers to each question with all subsets.
func TestMinimalAssumptions(t *testing.T) {
	size := randomlts.Size{States: 5, Transitions: 9, Labels: 4, Steps: 3}
	cases := randomlts.Share(3_000)
	asked := 0
	for seed := range cases {
		c := randomlts.Seeded(seed, size)
		if c.Model.NumTransitions() > 11 || oracle.NewFair(c.Model, c.Steps, oracle.Assumption{}).Holds() {
			continue
		}
		asked++
		if err := compare(t, c); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
	}
	if asked < int(cases/10) {
		t.Errorf("only %d models violate their property", asked)
	}
}

// complete checks that a search for one answer tells up to which size it found all.
func complete(search *assume.Search, all assume.Found) error {
	one, err := search.Finitely(assume.Limits{Members: 4, Answers: 1})
	if err != nil {
		return err
	}
	for i, set := range all.Sets {
		if i >= len(one.Sets) && len(set) <= one.Through {
			return fmt.Errorf("%v is not found, though there are said to be none up to size %d", set, one.Through)
		}
	}
	return nil
}

func compare(t *testing.T, c randomlts.Case) error {
	all := assume.Limits{Members: 4, Answers: 100}
	holds := func(a oracle.Assumption) bool { return oracle.NewFair(c.Model, c.Steps, a).Holds() }
	search, err := assume.Of(context.Background(), fate.OfChain(enriched(t, c.Model, c.Formula, nil)))
	if errors.Is(err, assume.ErrDeadlock) {
		if holds(oracle.Assumption{Full: true}) {
			return errors.New("a deadlock is said to violate the property")
		}
		return nil
	}
	if err != nil {
		return err
	}
	fair := func(strong bool) string {
		return minimalSets(c.Model, func(set map[lts.Label]bool) bool {
			var a oracle.Assumption
			for l := range set {
				a.Tasks = append(a.Tasks, oracle.FairTask{Labels: map[lts.Label]bool{l: true}, Strong: strong})
			}
			return holds(a)
		})
	}
	same := func(what string, found assume.Found, err error, want string) error {
		if got := texts(c.Model, found.Sets); err != nil || got != want || !found.Complete {
			return fmt.Errorf("%s: %s (complete: %t), %v; want %s", what, got, found.Complete, err, want)
		}
		return nil
	}
	strong, err := search.FairLabels(true, all)
	if err := same("strong", strong, err, fair(true)); err != nil {
		return err
	}
	weak, err := search.FairLabels(false, all)
	if err := same("weak", weak, err, fair(false)); err != nil {
		return err
	}
	finitely, err := search.Finitely(all)
	err = same("finitely", finitely, err, minimalSets(c.Model, func(set map[lts.Label]bool) bool {
		return holds(oracle.Assumption{Rare: set})
	}))
	if err != nil {
		return err
	}
	if err := complete(search, finitely); err != nil {
		return err
	}
	choices, err := search.FairChoices(assume.Limits{})
	if err != nil || !choices.Minimal || (choices.States != nil) != holds(oracle.Assumption{Full: true}) {
		return fmt.Errorf("choices: %v, minimal: %t, %v", choices.States, choices.Minimal, err)
	}
	if choices.States == nil {
		return nil
	}
	set := map[lts.State]bool{}
	for _, s := range choices.States {
		set[s] = true
	}
	if !holds(oracle.Assumption{Choices: set}) {
		return fmt.Errorf("choices in %v do not suffice", choices.States)
	}
	for _, s := range choices.States {
		delete(set, s)
		if holds(oracle.Assumption{Choices: set}) {
			return fmt.Errorf("of the choices in %v, %d can be left out", choices.States, s)
		}
		set[s] = true
	}
	return nil
}
