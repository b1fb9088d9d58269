package actl_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/mucalculus"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

func TestFullyFair(t *testing.T) {
	for _, c := range []struct{ formula, mcl, mu string }{
		{`Inev("a")`, `[ (not "a")* ] (< (not "a")* . "a" > true)`, `[(!a)*](<(!a)*.a>true)`},
		{
			`Inev("a", {"b", "c"}, d(1))`,
			`[ (not "a")* ] (< (not "a")* . "a" > true and [ "a" ] [ (not ("b" or "c"))* ] (< (not ("b" or "c"))* . ("b" or "c") > true and [ ("b" or "c") ] [ (not "d(1)")* ] (< (not "d(1)")* . "d(1)" > true)))`,
			`[(!a)*](<(!a)*.a>true && [a][(!(b || c))*](<(!(b || c))*.(b || c)>true && [(b || c)][(!d(1))*](<(!d(1))*.d(1)>true)))`,
		},
		{`Response("a"; "b", "c")`,
			`[ true* . "a" ] [ (not "b")* ] (< (not "b")* . "b" > true and [ "b" ] [ (not "c")* ] (< (not "c")* . "c" > true))`,
			`[true*.a][(!b)*](<(!b)*.b>true && [b][(!c)*](<(!c)*.c>true))`,
		},
	} {
		f, is := parsed(t, c.formula).FullyFair()
		if !is {
			t.Fatalf("%s is neither inevitability nor response", c.formula)
		}
		mcl, _, _ := f.MCL(context.Background())
		mu, _, _ := f.MuCalculus(context.Background())
		if mcl != c.mcl || mu != c.mu || f.ACTL() != "" {
			t.Errorf("%s is\n%s\n%s\nwant\n%s\n%s", c.formula, mcl, mu, c.mcl, c.mu)
		}
	}
	for _, text := range []string{"Response(a; b; after c)", "Never(a)"} {
		if _, is := parsed(t, text).FullyFair(); is {
			t.Errorf("%s is inevitability or response", text)
		}
	}
}

// TestFullyFairMeansFullFairness: what is printed holds, in the initial state, just where
// every run that is fully fair satisfies the property.
func TestFullyFairMeansFullFairness(t *testing.T) {
	size := randomlts.Size{States: 6, Transitions: 11, Labels: 4, Steps: 3}
	held, failed := 0, 0
	for seed := range randomlts.Share(4000) {
		c := randomlts.Seeded(seed, size)
		if c.Model.NumTransitions() > 12 || !areActions(c.Model.Alphabet()) {
			continue
		}
		want := oracle.NewFair(c.Model, c.Steps, oracle.Assumption{Full: true}).Holds()
		bound, _, err := parsed(t, c.Formula).Bind(context.Background(), c.Model.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		chain, _ := bound.Chain()
		f := actl.Bound{Chain: chain}.FullyFair()
		mcl, _, _ := f.MCL(context.Background())
		mu, _, _ := f.MuCalculus(context.Background())
		for _, text := range []string{mcl, mu} {
			if got, err := mucalculus.Holds(c.Model, text); err != nil || got != want {
				t.Fatalf("seed %d:\n%s\n%s\nholds: %t, want %t (error %v)", seed, c, text, got, want, err)
			}
		}
		if want {
			held++
		} else {
			failed++
		}
	}
	if randomlts.Whole() && (held < 200 || failed < 200) {
		t.Errorf("of the models, %d hold and %d do not", held, failed)
	}
}

var anAction = regexp.MustCompile(`^[A-Za-z]\w*$`)

// areActions reports whether all labels are actions of mCRL2 without arguments.
func areActions(a *lts.Alphabet) bool {
	for _, text := range a.All() {
		if !anAction.MatchString(text) {
			return false
		}
	}
	return true
}

func parsed(t *testing.T, text string) *actl.Formula {
	t.Helper()
	f, err := actl.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
