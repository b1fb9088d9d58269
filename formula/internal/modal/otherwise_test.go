package modal_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/formula/internal/modal"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle/mucalculus"
	"github.com/inev-lts/inev/property"
)

// otherwise returns what answers a formula that is no property of all runs.
func otherwise(t testing.TB, text string) (fair, dual property.Formula) {
	t.Helper()
	_, err := modal.Parse(context.Background(), text)
	var other *modal.OtherwiseError
	if !errors.As(err, &other) {
		t.Fatalf("%s: %v", text, err)
	}
	return other.WhenFullyFair(), other.Dual()
}

// TestFullyFairReadsBack: what is printed of inevitability under full fairness, with and without a
// model, in MCL and in the mu-calculus, is read as that.
func TestFullyFairReadsBack(t *testing.T) {
	ctx := context.Background()
	a, err := lts.NewAlphabet([]string{"a", "b", "b(1)", "c", "other"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Inev(a)", "Inev({a, c}, b)", "Inev(a, b, c)", `Inev("b(1)", b)`, "Inev(/^[ab].*$/)", "Inev(o*r, b)", "Inev(a, a)", `Response("a"; {"b", "c"}, b)`} {
		f, err := actl.Parse(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		fair, _ := f.FullyFair()
		all := []*actl.FullyFair{fair}
		chain, isChain := p.Chain()
		if isChain {
			all = append(all, actl.Bound{Chain: chain}.FullyFair())
		}
		for _, from := range all {
			mcl, _, err := from.MCL(ctx)
			if err != nil {
				t.Fatal(err)
			}
			mu, notes, err := from.MuCalculus(ctx)
			if err != nil {
				t.Fatal(err)
			}
			written := []string{mcl}
			if len(notes) == 0 {
				written = append(written, mu)
			}
			for _, w := range written {
				read, _ := otherwise(t, w)
				if read == nil {
					t.Fatalf("%s, that is %s, is not read back", text, w)
				}
				if w == mcl && from == fair && !strings.Contains(text, "*r") && read.String() != f.String() {
					t.Errorf("%s, that is %s, is read as %s", text, w, read)
				}
				q, _, err := read.Bind(ctx, a)
				if err != nil {
					t.Fatal(err)
				}
				if !isChain {
					continue
				}
				other, is := q.Chain()
				if !is || other.Len() != chain.Len() {
					t.Fatalf("%s is read as %s", w, read)
				}
				for l := range lts.Label(a.Len()) {
					for i := 1; i <= chain.Len(); i++ {
						if chain.Does(l, i) != other.Does(l, i) {
							t.Errorf("%s: step %d of %s does not mean the same", w, i, read)
						}
					}
				}
			}
		}
	}
}

// TestFullyFairMeans: formulas that are read as properties of fully fair runs hold, by iteration over
// states, of a model if and only if all its fully fair runs satisfy the property.
func TestFullyFairMeans(t *testing.T) {
	ctx := context.Background()
	full, err := actl.ParseAssumption(ctx, "full")
	if err != nil {
		t.Fatal(err)
	}
	cases := 3000
	if testing.Short() {
		cases = 300
	}
	verdicts := map[string]map[bool]int{}
	for seed := range cases {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		action := func() string {
			return []string{"a", "b", "c", "(a || b)", "(b || c)"}[r.IntN(5)]
		}
		x, y, z := action(), action(), action()
		before := func(step string) string {
			return []string{"true*", "(!" + step + ")*"}[r.IntN(2)]
		}
		possible := func(step string) string { return "<" + before(step) + "." + step + ">true" }
		shape, text := "", ""
		switch seed % 6 {
		case 0:
			shape, text = "Inev", fmt.Sprintf("[(!%s)*]%s", x, possible(x))
		case 1:
			shape, text = "Inev 2", fmt.Sprintf("[(!%s)*](%s && [%s][(!%s)*]%s)", x, possible(x), x, y, possible(y))
		case 2:
			shape, text = "G F", fmt.Sprintf("[true*]<true*.%s>true", x)
		case 3:
			shape, text = "Response", fmt.Sprintf("[true*.%s][(!%s)*]%s", x, y, possible(y))
		case 4:
			shape, text = "Response in one", fmt.Sprintf("[true*.%s.(!%s)*]%s", x, y, possible(y))
		case 5:
			shape, text = "Response 2", fmt.Sprintf("[true*.%s.(!%s)*](%s && [%s][(!%s)*]%s)", x, y, possible(y), y, z, possible(z))
		}
		f, _ := otherwise(t, text)
		if f == nil {
			t.Fatalf("%s is not read", text)
		}
		for range 4 {
			m := randomModel(t, r)
			holds, err := mucalculus.Holds(m, text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			e, err := explain.Check(ctx, m, f, explain.Options{Fair: []*actl.Assumption{full}})
			if err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			if holds != (e.Verdict == explain.Satisfied) {
				t.Fatalf("%s, read as %s, on %v: %t", text, f, m, holds)
			}
			if verdicts[shape] == nil {
				verdicts[shape] = map[bool]int{}
			}
			verdicts[shape][holds]++
		}
	}
	if len(verdicts) != 6 {
		t.Error(verdicts)
	}
	for shape, of := range verdicts {
		if of[true] < cases/10 || of[false] < cases/20 {
			t.Errorf("%s: %v", shape, of)
		}
	}
}

// TestExistence: < R > true holds of the models that violate the property it is answered by, which
// reads back, by iteration over states.
func TestExistence(t *testing.T) {
	ctx := context.Background()
	cases := 3000
	if testing.Short() {
		cases = 300
	}
	verdicts := map[bool]int{}
	for seed := range cases {
		w := &author{r: rand.New(rand.NewPCG(uint64(seed), 4)), isMCL: seed%2 == 0}
		// Of one action that is any, it says that something can happen, which is one about all runs.
		text := "<" + w.run(2) + " . " + w.action(1) + "> true"
		if w.r.IntN(3) == 0 {
			text = "(" + text + ")"
		}
		_, dual := otherwise(t, text)
		if dual == nil {
			t.Fatalf("%s is not read", text)
		}
		again, err := formula.Parse(ctx, dual.String())
		if err != nil || again.String() != dual.String() {
			t.Fatalf("%s is answered by %s, which reads as %v, %v", text, dual, again, err)
		}
		for range 4 {
			m := randomModel(t, w.r)
			holds, err := mucalculus.Holds(m, text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if holds != violates(t, m, dual) || holds != violates(t, m, again) {
				t.Fatalf("%s, answered by %s, on %v: %t", text, dual, m, holds)
			}
			verdicts[holds]++
		}
	}
	if verdicts[true] < cases/2 || verdicts[false] < cases/2 {
		t.Error(verdicts)
	}
}

// TestNotOtherwise: what no property answers has no such error.
func TestNotOtherwise(t *testing.T) {
	for _, text := range []string{
		`[ true* ] < "a" > true`, `[ (not "A")* ] < (not "B")* . "A" > true`, `< "a" > < "b" > true`, `[ true* . "A" . "B" ] < true* . "A" > true`,
		`[ (not "A")* ] (< (not "A")* . "A" > true and [ "B" ] [ (not "C")* ] < true* . "C" > true)`, `not < "a" > true or < "b" > true`,
		`[ true* . "A" ] < true* . "B" > true`, `[ true* . "A" . (not "C")* ] < true* . "B" > true`,
	} {
		_, err := modal.Parse(context.Background(), text)
		var other *modal.OtherwiseError
		if err == nil && !strings.HasPrefix(text, "not") || errors.As(err, &other) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
