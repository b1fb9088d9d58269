package explain_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

func patternsOf(t testing.TB, text string) []actl.Pattern {
	t.Helper()
	f, err := actl.Parse(context.Background(), "Inev("+text+")")
	if err != nil {
		t.Fatal(err)
	}
	return f.Steps()
}

// mostCounted is how many faults are counted by formulas, which become large.
const mostCounted = 3

// atLeast is a formula that says that C happens so many times.
func atLeast(n int) string {
	text := "F C"
	for range n - 1 {
		text = "F (C && X " + text + ")"
	}
	return text
}

// TestFaultsAgreeWithCountingFormulas: a violation takes k faults iff k is the least number such
// that the formula is violated which also allows more than k; and no run that violates that one
// is shorter than the run that is shown.
func TestFaultsAgreeWithCountingFormulas(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(4_000) {
		r := rand.New(rand.NewPCG(seed, 36))
		m := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 10, Labels: 3, Steps: 1}).Model
		text := []string{"F A", "F (A && X F B)", "GF A", "G (A -> F B)", "GF A || GF B", "FG !B"}[r.IntN(6)]
		var fair []*actl.Assumption
		if r.IntN(3) == 0 {
			fair = assumed(t, []string{"weak", "strong", "full"}[r.IntN(3)])
		}
		e, err := explain.Explain(context.Background(), m, parseAny(t, text), explain.Options{
			NoFairness: true, NoAdvice: true, Fair: fair, Faults: patternsOf(t, "C")})
		if err != nil {
			t.Fatal(err)
		}
		if satisfies(t, m, "Never(A)") || satisfies(t, m, "Never(B)") {
			continue // among what happens there are other bad prefixes
		}
		least := -1
		var shortest *explain.Explanation
		for k := 0; k <= mostCounted && least < 0; k++ {
			c, err := explain.Check(context.Background(), m, parseAny(t, "("+text+") || "+atLeast(k+1)), explain.Options{Fair: fair})
			if err != nil {
				t.Fatal(err)
			}
			if c.Verdict == explain.Violated {
				least, shortest = k, c
			}
		}
		f := e.Faults
		if least < 0 && f.Least != nil && *f.Least > mostCounted {
			continue
		}
		if (least >= 0) != (f.Least != nil) || least >= 0 && *f.Least != least {
			t.Fatalf("seed %d, %s %v: %+v, and it takes %d\n%s", seed, text, fair, f, least, texts(m))
		}
		if f.OnlyForEver != (least < 0 && e.Verdict == explain.Violated) {
			t.Fatalf("seed %d, %s: %+v", seed, text, f)
		}
		switch {
		case f.OnlyForEver:
			met["forever"]++
		case least > 0:
			met["some"]++
		}
		checkLost(t, m, text, fair, f)
		if !f.Fewest {
			if least >= 0 && fair == nil && text != "F (A && X F B)" {
				t.Fatalf("seed %d, %s: the run need not be one with the fewest faults", seed, text)
			}
			continue
		}
		met["fewest"]++
		faults := 0
		for i, step := range e.Counterexample.Steps {
			if step.Label == "C" {
				if faults++; e.Counterexample.LoopStart >= 0 && i >= int(e.Counterexample.LoopStart) {
					t.Fatalf("seed %d, %s: C on the loop", seed, text)
				}
			}
		}
		if faults != least || e.Counterexample.Length > shortest.Counterexample.Length {
			t.Fatalf("seed %d, %s: %d faults, length %d; it takes %d, and %d\n%s", seed, text, faults, e.Counterexample.Length, least, shortest.Counterexample.Length, texts(m))
		}
	}
	if randomlts.Whole() && (met["forever"] < 10 || met["some"] < 10 || met["fewest"] < 50) {
		t.Errorf("met %v", met)
	}
}

// checkLost compares after how many faults the property is lost: the least number after which
// every run that goes on violates it, and so the whole property.
func checkLost(t testing.TB, m *lts.LTS, text string, fair []*actl.Assumption, f *explain.Faults) {
	t.Helper()
	if fair != nil || text != "F A" && text != "GF A" {
		return
	}
	// From a state from where no run satisfies it, checking its negation in the model that
	// begins there holds.
	negated := map[string]string{"F A": "G !A", "GF A": "FG !A"}[text]
	type place struct {
		s    lts.State
		done bool
	}
	faults := map[place]int{{m.Initial(), false}: 0}
	queue := []place{{m.Initial(), false}}
	lost := -1
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		var b lts.Builder
		b.Over(m.Alphabet())
		for tr := range m.Transitions() {
			b.Add(tr.From, tr.Label, tr.To)
		}
		from, err := b.Build(at.s, m.NumStates())
		if err != nil {
			t.Fatal(err)
		}
		if n := faults[at]; !at.done && satisfies(t, from, negated) && (lost < 0 || n < lost) {
			lost = n
		}
		labels, targets := m.Out(at.s)
		for k, to := range targets {
			l := m.Alphabet().Text(labels.At(k))
			next, n := place{to, at.done || text == "F A" && l == "A"}, faults[at]
			if l == "C" {
				n++
			}
			if known, is := faults[next]; !is || n < known {
				faults[next] = n
				queue = append(queue, next)
			}
		}
	}
	reports := lost >= 0 && (f.Least == nil || lost < *f.Least)
	if reports != (f.LostAfter != nil) || reports && *f.LostAfter != lost {
		t.Fatalf("%s: %+v, and it is lost after %d\n%s", text, f, lost, texts(m))
	}
}

// TestBadPrefixesCountTheirFaults: what comes after a bad prefix does not count.
func TestBadPrefixesCountTheirFaults(t *testing.T) {
	some := 0
	for seed := range randomlts.Share(3_000) {
		m := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 10, Labels: 3, Steps: 1}).Model
		e, err := explain.Explain(context.Background(), m, parseAny(t, "Never(A)"), explain.Options{NoFairness: true, NoAdvice: true, Faults: patternsOf(t, "C")})
		if err != nil {
			t.Fatal(err)
		}
		if e.Verdict == explain.Satisfied {
			if e.Faults.Least != nil {
				t.Fatal(e.Faults)
			}
			continue
		}
		// C, ..., C precede A where fewer of them come before it than that.
		least := 0
		for least < 8 && satisfies(t, m, "Precedes("+strings.TrimSuffix(strings.Repeat("C, ", least+1), ", ")+"; A)") {
			least++
		}
		if e.Faults.Least == nil || *e.Faults.Least != least || !e.Faults.Fewest {
			t.Fatalf("seed %d: %+v, and it takes %d\n%s", seed, e.Faults, least, texts(m))
		}
		if least > 0 {
			some++
		}
	}
	if some < 3 {
		t.Errorf("%d took faults", some)
	}
}

// TestFewestFaultsByDefinition compares the run that is shown, and the number of its faults, with all bad prefixes, runs
// into deadlocks and lassos of the product.
func TestFewestFaultsByDefinition(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(2_500) {
		r := rand.New(rand.NewPCG(seed, 83))
		m := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 10, Labels: 3, Steps: 1}).Model
		text := randomlts.DrawLinear(r, 1+r.IntN(3)).String()
		if r.IntN(3) == 0 {
			text = "(" + text + ") && (" + randomlts.DrawLinear(r, 2).String() + ")"
		}
		fault := string("AC"[r.IntN(2)])
		f := parseAny(t, text)
		e, err := explain.Explain(context.Background(), m, f, explain.Options{NoFairness: true, NoAdvice: true, Faults: patternsOf(t, fault)})
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		const most = 3
		isFault := func(l lts.Label) bool { return m.Alphabet().Text(l) == fault }
		faults, length, found := oracle.NewGeneral(m, fromproperty.Automaton(p)).FewestViolation(isFault, most)
		if !found {
			if e.Faults.Least != nil && *e.Faults.Least <= most {
				t.Fatalf("seed %d, %s with %s: %d, and there is no such run\n%s", seed, text, fault, *e.Faults.Least, texts(m))
			}
			continue
		}
		if e.Faults.Least == nil || *e.Faults.Least != faults {
			t.Fatalf("seed %d, %s with %s: %+v, and it takes %d\n%s", seed, text, fault, e.Faults, faults, texts(m))
		}
		if !e.Faults.Fewest {
			continue
		}
		on := 0
		for _, step := range e.Counterexample.Steps {
			if step.Label == fault {
				on++
			}
		}
		if on != faults || e.Counterexample.Length > length {
			t.Fatalf("seed %d, %s with %s: %d faults, length %d; it takes %d, and %d\n%s", seed, text, fault, on, e.Counterexample.Length, faults, length, texts(m))
		}
		if met["fewest"]++; e.Counterexample.Kind == counterexample.Prefix {
			met["prefix"]++
		}
		if faults > 0 {
			met["some"]++
		}
	}
	if randomlts.Whole() && (met["fewest"] < 400 || met["prefix"] < 120 || met["some"] < 40) {
		t.Errorf("met %v", met)
	}
}
