package modal_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/testing/oracle/mucalculus"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
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
	if !randomlts.Whole() {
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
	if !randomlts.Whole() {
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

// TestNegation: a formula whose negation is a property of all runs holds of the models that violate that.
func TestNegation(t *testing.T) {
	ctx := context.Background()
	cases, answered := randomlts.Share(6_000), 0
	verdicts := map[bool]int{}
	for seed := range cases {
		w := &author{r: rand.New(rand.NewPCG(seed, 7)), isMCL: seed%2 == 0}
		text := w.either("not ", "!") + "(" + w.state(3, nil) + ")"
		if w.r.IntN(2) == 0 {
			a, b := w.action(1), w.action(1)
			text = "mu Y . (<" + a + ">Y" + w.either(" or ", " || ") + "(<" + b + ">Y" + w.either(" or ", " || ") + "<" + w.run(1) + ">" + w.pick("true", "[true]false") + "))"
		}
		_, err := modal.Parse(ctx, text)
		var other *modal.OtherwiseError
		if !errors.As(err, &other) || other.Dual() == nil {
			continue
		}
		answered++
		again, err := formula.Parse(ctx, other.Dual().String())
		if err != nil || again.String() != other.Dual().String() {
			t.Fatalf("%s is answered by %s, which reads as %v, %v", text, other.Dual(), again, err)
		}
		for range 3 {
			m := randomModel(t, w.r)
			holds, err := mucalculus.Holds(m, text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if holds != violates(t, m, other.Dual()) || holds != violates(t, m, again) {
				t.Fatalf("%s, answered by %s, on %v: %t", text, other.Dual(), m, holds)
			}
			verdicts[holds]++
		}
	}
	if answered < int(cases)/4 || verdicts[true] < answered/4 || verdicts[false] < answered/4 {
		t.Errorf("%d answered, %v", answered, verdicts)
	}
}

// TestNotOtherwise: what no property answers has no property in its error.
func TestNotOtherwise(t *testing.T) {
	for _, text := range []string{
		`[ true* ] < "a" > true`, `[ (not "A")* ] < (not "B")* . "A" > true`, `[ true* . "A" . "B" ] < true* . "A" > true`,
		`[ (not "A")* ] (< (not "A")* . "A" > true and [ "B" ] [ (not "C")* ] < true* . "C" > true)`, `not < "a" > true or < "b" > true`,
		`[ true* . "A" ] < true* . "B" > true`, `[ true* . "A" . (not "C")* ] < true* . "B" > true`,
	} {
		_, err := modal.Parse(context.Background(), text)
		var other *modal.OtherwiseError
		if err == nil && !strings.HasPrefix(text, "not") || errors.As(err, &other) && (other.Dual() != nil || other.WhenFullyFair() != nil) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestBranching: a formula that is proposed in computation tree logic holds, by the search of package wmc,
// of the models that the formula itself holds of, by iteration over states.
func TestBranching(t *testing.T) {
	ctx := context.Background()
	proposed, verdicts := 0, map[bool]int{}
	for seed := range randomlts.Share(3_000) {
		w := &author{r: rand.New(rand.NewPCG(seed, 5)), isMCL: seed%2 == 0}
		var state func(depth int) string
		shuffled := func(sign string, parts ...string) string {
			w.r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			return "(" + strings.Join(parts, sign) + ")"
		}
		// byHand writes an operator of computation tree logic by its fixpoint, its operands in any order.
		byHand := func(depth int) string {
			and, or := w.either(" and ", " && "), w.either(" or ", " || ")
			kind, next := w.pick("mu ", "nu "), w.pick("[true]X", "<true>X", "(<true>X"+or+"[true]false)", "([true]false"+or+"<true>X)")
			round := []string{next}
			if w.r.IntN(2) == 0 {
				round = append(round, "<true>true")
			}
			if w.r.IntN(2) == 0 {
				round = append(round, state(depth))
			}
			body := shuffled(and, round...)
			if w.r.IntN(2) == 0 {
				body = shuffled(or, body, state(depth))
			}
			return "(" + kind + "X . " + body + ")"
		}
		run := func() string {
			return w.pick("true*", "true*."+w.action(1), w.action(1), w.run(1), "true.true*", "(true*."+w.action(0)+")?")
		}
		inevitably := func() string {
			a := w.action(1)
			return "(mu X . (<true>true" + w.either(" and ", " && ") + "[" + w.either("not ", "!") + a + "]X" + w.pick("", w.either(" and ", " && ")+"["+a+"]true") + "))"
		}
		state = func(depth int) string {
			if depth == 0 {
				return w.pick("true", "false", "<true>true", "[true]false", inevitably())
			}
			switch w.r.IntN(8) {
			case 6, 7:
				return byHand(depth - 1)
			case 0:
				return "(" + state(depth-1) + w.either(" and ", " && ") + state(depth-1) + ")"
			case 1:
				return "(" + state(depth-1) + w.either(" or ", " || ") + state(depth-1) + ")"
			case 2:
				return w.either("not ", "!") + "(" + state(depth-1) + ")"
			case 3:
				return "[" + run() + "]" + state(depth-1)
			}
			return "<" + run() + ">" + state(depth-1)
		}
		text := state(3)
		same, _ := modal.Branching(ctx, text)
		if same == "" {
			continue
		}
		_, err := modal.Parse(ctx, text)
		var other *modal.OtherwiseError
		if errors.As(err, &other) && other.Branching() != "" && other.Branching() != same {
			t.Fatalf("%s: %s, and %s", text, same, other.Branching())
		}
		proposed++
		f, err := syntax.Parse(ctx, same)
		if err != nil {
			t.Fatalf("%s, proposed for %s: %v", same, text, err)
		}
		for range 3 {
			m := randomModel(t, w.r)
			holds, err := mucalculus.Holds(m, text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			c := f.Closure()
			means, _, err := c.Bind(ctx, m.Alphabet(), nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := wmc.Check(ctx, wmc.NewExplicit(m, means, nil), c, wmc.States{m.Initial()}, wmc.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if holds != (len(a.Good) == 1) {
				t.Fatalf("%s, as %s, on %v: %t", text, same, m, holds)
			}
			verdicts[holds]++
		}
	}
	if proposed < int(randomlts.Share(3_000))/20 || verdicts[true] < proposed/4 || verdicts[false] < proposed/4 {
		t.Errorf("%d proposed, %v", proposed, verdicts)
	}
}

// TestRepeated: {n}, {n ...}, {n ... m}, -| and @ mean what they are short for, and are read back.
func TestRepeated(t *testing.T) {
	ctx := context.Background()
	verdicts := map[bool]int{}
	for seed := range randomlts.Share(4_000) {
		w := &author{r: rand.New(rand.NewPCG(seed, 6)), isMCL: true}
		r, n, more := "("+w.run(1)+")", w.r.IntN(4), w.r.IntN(3)
		list := func(n int, of string) []string { return slices.Repeat([]string{of}, n) }
		count, all := fmt.Sprintf("{%d}", n), append(list(n, r), "(false)*")
		switch w.r.IntN(3) {
		case 0:
			count, all = fmt.Sprintf("{%d...}", n), append(list(n, r), r+"*")
		case 1:
			count, all = fmt.Sprintf("{ %d ... %d }", n, n+more), append(append(list(n, r), list(more, r+"?")...), "(false)*")
		}
		text, long := "[ "+r+count+` . "a" ] false`, "[ ("+strings.Join(all, ".")+`) . "a" ] false`
		if w.r.IntN(2) == 0 {
			if w.r.IntN(3) == 0 {
				r = "true* . " + w.action(1)
			}
			text, long = "[ "+r+" ] -|", "mu X . ([ "+r+" ] X)"
		}
		exists := w.r.IntN(3) == 0 && strings.HasSuffix(text, "-|")
		if exists {
			text, long = "< "+r+" > @", "nu X . (< "+r+" > X)"
		}
		f, err := modal.Parse(ctx, text)
		if err != nil && strings.Contains(err.Error(), "of the other kind") {
			continue // what is repeated could go on without an action
		}
		var other *modal.OtherwiseError
		if exists && errors.As(err, &other) {
			f, err = other.Dual(), nil
		}
		if err != nil || f == nil {
			if exists && strings.Contains(r, "*") {
				continue
			}
			t.Fatalf("%s: %v", text, err)
		}
		again, err := formula.Parse(ctx, f.String())
		if err != nil || again.String() != f.String() {
			t.Fatalf("%s is %s, which reads as %v, %v", text, f, again, err)
		}
		for range 3 {
			m := randomModel(t, w.r)
			holds, err := mucalculus.Holds(m, long)
			if err != nil {
				t.Fatalf("%s: %v", long, err)
			}
			for _, g := range []property.Formula{f, again} {
				if holds != (violates(t, m, g) == exists) {
					t.Fatalf("%s, that is %s, on %v: %t", text, long, m, holds)
				}
			}
			verdicts[holds]++
		}
	}
	if verdicts[true] < int(randomlts.Share(4_000))/2 || verdicts[false] < int(randomlts.Share(4_000))/4 {
		t.Error(verdicts)
	}
}
