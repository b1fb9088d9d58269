package explain

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestFairnessNeedsNoProduct: what is found out of obligations in the model, and of several one by
// one, is what is found out in the product of model and property.
func TestFairnessNeedsNoProduct(t *testing.T) {
	ctx := context.Background()
	met := map[string]int{}
	for _, text := range []string{
		"G (A -> F B)", "G F A", "F G !A", "G (A -> F B) && G (C -> F A)", "G F A && F G !B", "F A && G (B -> F C)",
		"G (A -> F B) && G F (A && X A)", "G (A -> X B) && G F C",
	} {
		for seed := range randomlts.Share(300) {
			m := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 14, Labels: 3, Steps: 1}).Model
			f, err := formula.Parse(ctx, text)
			if err != nil {
				t.Fatal(err)
			}
			a, err := Analyse(ctx, m, f, Options{})
			if err != nil {
				continue // no label of an atom
			}
			if a.Fates.Holds() || a.Property.Steps() > 0 {
				continue
			}
			got, err := a.describeFairness(ctx, nil, mostUnfoldedForFairness)
			if err != nil {
				t.Fatal(err)
			}
			u, err := a.Fates.Unfold(ctx)
			if err != nil {
				t.Fatal(err)
			}
			search, err := assume.OfProduct(ctx, u, u.Components)
			if err != nil && !errors.Is(err, assume.ErrDeadlock) {
				t.Fatal(err)
			}
			want := inProduct(t, a, search, err)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, seed %d:\n%s\n%s, want\n%s", text, seed, randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 14, Labels: 3, Steps: 1}), shown(got), shown(want))
			}
			met[string(rune('0'+len(got.Assumptions)/2))]++
			if got.OutOfReach != nil {
				met["out of reach"]++
				if got.OutOfReach.Steps > 0 {
					met["later"]++
				}
			}
		}
	}
	if randomlts.Whole() && (met["out of reach"] < 100 || met["later"] < 20) {
		t.Errorf("met %v", met)
	}
}

// inProduct finds out which fairness would make the property of a hold, in its product.
func inProduct(t *testing.T, a *Analysis, search *assume.Search, failed error) *Fairness {
	t.Helper()
	q, err := a.fairnessQuestion(context.Background(), nil, mostUnfoldedForFairness)
	if err != nil {
		t.Fatal(err)
	}
	answers := &assume.Answers{Deadlock: true}
	if failed == nil {
		answers, err = search.Answers(a.Fates, q)
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := a.describeAnswers(context.Background(), q, answers)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func shown(f *Fairness) string {
	return fmt.Sprintf("%+v %+v %+v", *f, *f.Chain, f.OutOfReach)
}

// TestLargeProductsAreNotMadeForFairness: a product above the limit is said not to have been made, and
// obligations do without it, alone and together.
func TestLargeProductsAreNotMadeForFairness(t *testing.T) {
	ctx := context.Background()
	for text, needed := range map[string]bool{
		"G (A -> F B)": false, "G (A -> F B) && G (B -> F C) && G (C -> F A)": false,
		"G F (A && X A)": true, "G (A -> F B) && G F (A && X A)": true,
	} {
		violated, warnings := 0, 0
		for seed := range uint64(40) {
			m := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 14, Labels: 3, Steps: 1}).Model
			f, err := formula.Parse(ctx, text)
			if err != nil {
				t.Fatal(err)
			}
			a, err := Analyse(ctx, m, f, Options{})
			if err != nil || a.Fates.Holds() {
				continue
			}
			p := newParts(a, Options{NoPaths: true})
			p.mostUnfolded = 0
			p.choose(ctx)
			p.describeFairness(ctx)
			violated++
			warned := slices.Contains(p.warnings, tooLargeForFairness)
			if warned != (p.Fairness == nil) {
				t.Fatalf("%s, seed %d: %q, %+v", text, seed, p.warnings, p.Fairness)
			}
			if warned {
				warnings++
			}
		}
		// Where a label does not happen, a property may be a simpler one.
		if violated < 10 || needed != (warnings >= violated/4) || !needed && warnings > 0 {
			t.Errorf("%s is violated %d times, with %d warnings", text, violated, warnings)
		}
	}
}
