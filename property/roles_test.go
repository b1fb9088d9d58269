package property_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/property/role"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// patternOfSteps returns a pattern of a kind with this number of steps, each with some labels of a;
// false if the kind is no pattern, or takes another number of steps.
func patternOfSteps(r *rand.Rand, a *lts.Alphabet, kind property.Kind, steps int) (property.Specification, bool) {
	s := property.Specification{Kind: kind, Times: r.IntN(3)}
	for range steps {
		step := property.Step{Pattern: word("any")}
		for l := range a.All() {
			if r.IntN(3) == 0 {
				step.Labels = append(step.Labels, l)
			}
		}
		s.Steps = append(s.Steps, step)
	}
	_, err := property.Specify(context.Background(), a, s)
	return s, err == nil
}

func randomWord(r *rand.Rand, a *lts.Alphabet) (x lasso) {
	for range r.IntN(6) {
		x.stem = append(x.stem, lts.Label(r.IntN(a.Len())))
	}
	for range r.IntN(4) {
		x.loop = append(x.loop, lts.Label(r.IntN(a.Len())))
	}
	return x
}

// does reports whether one of the labels of a step is in the word.
func (x lasso) does(step property.Step) bool {
	in := func(l lts.Label) bool { return slices.Contains(step.Labels, l) }
	return slices.ContainsFunc(x.stem, in) || slices.ContainsFunc(x.loop, in)
}

// satisfies reports whether the word satisfies a pattern.
func (x lasso) satisfies(t *testing.T, a *lts.Alphabet, s property.Specification) bool {
	t.Helper()
	p, err := property.Specify(context.Background(), a, s)
	if err != nil {
		t.Fatal(err)
	}
	return accepted(x, p)
}

// withLabel returns the pattern with one label more in a step that lacks it, or one less in a
// step that has it.
func withLabel(s property.Specification, step int, l lts.Label) property.Specification {
	s.Steps = slices.Clone(s.Steps)
	labels := slices.Clone(s.Steps[step].Labels)
	if at, has := slices.BinarySearch(labels, l); has {
		labels = slices.Delete(labels, at, at+1)
	} else {
		labels = slices.Insert(labels, at, l)
	}
	s.Steps[step].Labels = labels
	return s
}

// TestEveryPatternHasRoles: whatever kind makes an automaton says of each of its steps what it wants
// of it, and random words agree: by what labels more or less do to them, by what happens without the
// step, and by whether a run can be obliged to something later.
func TestEveryPatternHasRoles(t *testing.T) {
	const words = 4_000
	a := alphabet(t, "a", "b", "c")
	r := rand.New(rand.NewPCG(66, 1))
	patterns := 0
	for kind := property.Kind(1); kind <= property.KindClaim+5; kind++ {
		for steps := range 4 {
			if _, is := patternOfSteps(r, a, kind, steps); !is {
				continue
			}
			patterns++
			roles := role.Of(property.Specification{Kind: kind, Steps: make([]property.Step, steps)})
			if len(roles) != steps {
				t.Errorf("kind %d with %d steps has the roles %v", kind, steps, roles)
				continue
			}
			// rejectedWithout[i]: some word without step i is rejected. obliged: some word is rejected if
			// it ends, and accepted if it goes on.
			rejectedWithout := make([]bool, steps)
			obliged := false
			for range words {
				s, _ := patternOfSteps(r, a, kind, steps)
				x := randomWord(r, a)
				satisfied := x.satisfies(t, a, s)
				for i, wanted := range roles {
					if l := lts.Label(r.IntN(a.Len())); satisfied {
						has := slices.Contains(s.Steps[i].Labels, l)
						mayAdd := wanted == role.Demanded || wanted == role.Allowed
						if has != mayAdd && !x.satisfies(t, a, withLabel(s, i, l)) {
							t.Fatalf("kind %d, step %d, %v: %v is accepted by %v, and no more with label %d changed", kind, i, wanted, x, s.Steps, l)
						}
					}
					if !satisfied && !x.does(s.Steps[i]) {
						rejectedWithout[i] = true
					}
				}
				if len(x.loop) > 0 && satisfied {
					obliged = obliged || !lasso{stem: x.stem}.satisfies(t, a, s)
				}
			}
			for i, wanted := range roles {
				if without := rejectedWithout[i]; without == (wanted == role.Trigger || wanted == role.Condition) && wanted != role.Forbidden {
					t.Errorf("kind %d, step %d, %v: a word without the step is rejected: %t", kind, i, wanted, without)
				}
			}
			if slices.Contains(roles, role.Trigger) && !obliged || slices.Contains(roles, role.Condition) && obliged {
				t.Errorf("kind %d with %d steps, %v: obliges to something later: %t", kind, steps, roles, obliged)
			}
		}
	}
	if patterns < 10 {
		t.Errorf("only %d patterns were found", patterns)
	}
}
