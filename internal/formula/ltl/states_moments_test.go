package ltl_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestPatternsAboutStatesAsTemporalLogic: a pattern and the formula that it is written as, read
// back, have one verdict, and the run of one violates the other.
func TestPatternsAboutStatesAsTemporalLogic(t *testing.T) {
	ctx := context.Background()
	verdicts, kinds := map[explain.Verdict]int{}, map[string]int{}
	for seed := range randomlts.Share(10_000) {
		r := rand.New(rand.NewPCG(seed, 11))
		v := drawValued(t, r)
		text, _ := v.pattern(r)
		f, err := formula.Parse(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		pattern, is := f.(*actl.Formula)
		if !is {
			continue
		}
		written, can := ltl.OfMoments(pattern)
		if !can {
			if !strings.Contains(text, ";") {
				t.Fatalf("%s cannot be written", text)
			}
			continue
		}
		read, err := formula.Parse(ctx, written.String())
		if err != nil {
			t.Fatalf("%s: %s: %v", text, written, err)
		}
		o := explain.Options{Source: explain.Source{States: v.table}}
		x, err := explain.Check(ctx, v.m, f, o)
		if err != nil {
			t.Fatal(err)
		}
		y, err := explain.Check(ctx, v.m, read, o)
		if err != nil {
			t.Fatalf("%s: %s: %v", text, written, err)
		}
		if x.Verdict != y.Verdict {
			t.Fatalf("seed %d: %s is %s, and %s is %s\n%v\n%v %v", seed, text, x.Verdict, written, y.Verdict, slices.Collect(v.m.Transitions()), v.x, v.y)
		}
		verdicts[x.Verdict]++
		name, _, _ := strings.Cut(text, "(")
		kinds[name]++
	}
	if len(verdicts) < 2 || len(kinds) < 6 {
		t.Errorf("verdicts %v of %v", verdicts, kinds)
	}
}
