package liveness_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/lts"
)

// withSlow returns the graph and the properties of a specification whose first property, Slow, is the given one, and whose
// second one, Quick, is violated.
func withSlow(t *testing.T, ctx context.Context, slow string) (*liveness.Graph, []liveness.Instance) {
	folder := t.TempDir()
	write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\nRECURSIVE Fib(_)\n"+
		"Fib(n) == IF n < 2 THEN n ELSE Fib(n - 1) + Fib(n - 2)\nSpec == x = 0 /\\ [][x' = 1 - x]_x\n"+
		"Slow == "+slow+"\nQuick == []<>(x = 1)\n====\n")
	write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Slow Quick\n")
	write(t, folder, "Random.dot", (&graph{n: 2, edges: map[[2]int]bool{{0, 1}: true, {1, 0}: true}, initial: []int{0}}).dot())
	g, instances, err := graphOf(ctx, folder)
	if err != nil {
		t.Fatal(err)
	}
	return g, instances
}

// checkSlowIsNamed: the answer names Slow, which took its share of the time, and Quick is answered.
func checkSlowIsNamed(t *testing.T, chosen liveness.Chosen) {
	refused := strings.Join(chosen.Unasked, "; ")
	if !strings.HasPrefix(refused, "Slow cannot be evaluated: it takes more than ") || !chosen.IsViolated {
		t.Errorf("violated %t; refused: %s", chosen.IsViolated, refused)
	}
	if chosen.Unanswered != "1 of 2 properties is answered, but not Slow" {
		t.Error(chosen.Unanswered)
	}
}

// TestPropertiesShareTheTime: a property whose evaluation does not end, or whose quantifier ranges over a set that takes
// forever, takes its share of the time, and is named; the others are answered.
func TestPropertiesShareTheTime(t *testing.T) {
	for name, slow := range map[string]string{
		"evaluation": "[]<>(Fib(60) = x)",
		"unfolding":  `\A k \in {Fib(60)} : []<>(x = k)`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
			defer cancel()
			g, instances := withSlow(t, ctx, slow)
			chosen, err := g.First(ctx, instances, func(ctx context.Context, q liveness.Question) (bool, error) {
				return (&explain.Options{}).IsViolated(ctx, q.Model, q.Formula, q.Fair)
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkSlowIsNamed(t, chosen)
		})
	}
}

// TestSlowPropertiesAreNamed: if all properties take too long, the error names the first one.
func TestSlowPropertiesAreNamed(t *testing.T) {
	const want = "Slow cannot be evaluated: it takes more than "
	folder := t.TempDir()
	write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\nRECURSIVE Fib(_)\n"+
		"Fib(n) == IF n < 2 THEN n ELSE Fib(n - 1) + Fib(n - 2)\nSlow == \\A k \\in {Fib(60)} : []<>(x = k)\n====\n")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	s, err := liveness.Load(ctx, folder+"/Random.tla", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Instances(ctx, "Slow", " Slow"); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	g, _ := withSlow(t, ctx, "[]<>(Fib(60) = x)")
	instances, err := s.Instances(ctx, "[]<>(Fib(60) = x)", "[]<>(Fib(61) = x)")
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.First(ctx, instances, nil, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "[]<>(Fib(60) = x) cannot be evaluated: it takes more than ") {
		t.Error(err)
	}
}

// TestUnfoldingLeavesTime: the last property leaves time for the answers, too.
func TestUnfoldingLeavesTime(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\nRECURSIVE Fib(_)\n"+
		"Fib(n) == IF n < 2 THEN n ELSE Fib(n - 1) + Fib(n - 2)\nQuick == []<>(x = 1)\nSlow == \\A k \\in {Fib(60)} : []<>(x = k)\n====\n")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	s, err := liveness.Load(ctx, folder+"/Random.tla", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	instances, err := s.Instances(ctx, "Quick", "Slow")
	if err != nil || ctx.Err() != nil || len(instances) != 2 {
		t.Fatal(instances, err, ctx.Err())
	}
}

// TestConjunctsOfInstances: a conjunct in an instance of a module is named by the property that the specification names, since
// the names in the conjunct may mean something else there.
func TestConjunctsOfInstances(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Part.tla", "---- MODULE Part ----\nVARIABLE y\nInit == y = 0\nNext == y' = 1 - y\nLive == \\A k \\in {0, 1} : []<>(y = k)\n"+
		"Spec == /\\ Init /\\ [][Next]_y\n        /\\ Live\n====\n")
	write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\nB == INSTANCE Part WITH y <- x\nBSpec == B!Spec\n"+
		"Own == Init /\\ B!Live\n====\n")
	s, err := liveness.Load(t.Context(), folder+"/Random.tla", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for property, want := range map[string]string{
		"BSpec":  "BSpec (Init); BSpec ([][Next]_y); BSpec (Live, k = 0); BSpec (Live, k = 1)",
		"B!Spec": "B!Spec (Init); B!Spec ([][Next]_y); B!Spec (Live, k = 0); B!Spec (Live, k = 1)",
		"Own":    "Init; B!Live (k = 0); B!Live (k = 1)",
	} {
		instances, err := s.Instances(t.Context(), property)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, i := range instances {
			names = append(names, i.Name)
		}
		if got := strings.Join(names, "; "); got != want {
			t.Errorf("%s: %s, want %s", property, got, want)
		}
	}
}

// TestErrorsAreNoLackOfTime: a property that cannot be read keeps its error while the time is limited.
func TestErrorsAreNoLackOfTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	g, instances := withSlow(t, ctx, "[]<>(x = unknown)")
	isViolated := func(context.Context, liveness.Question) (bool, error) { return true, nil }
	chosen, err := g.First(ctx, instances, isViolated, nil)
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(chosen.Unasked, "; ")
	if !strings.Contains(told, "Slow cannot be evaluated: ") || !strings.Contains(told, "Random.tla:7: unknown is not defined") {
		t.Error(told)
	}
}

// TestPreferencesShareTheTime: if it takes too long to find out whether the given counterexample violates a property, the
// others are still asked, and a sentence names the property.
func TestPreferencesShareTheTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	g, instances := withSlow(t, ctx, "[]<>(x = 0)")
	isViolated := func(context.Context, liveness.Question) (bool, error) { return true, nil }
	numAsked := 0
	chosen, err := g.First(ctx, instances, isViolated, func(ctx context.Context, q liveness.Question) (bool, error) {
		numAsked++
		if numAsked == 1 {
			<-ctx.Done()
			return false, ctx.Err()
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(chosen.Unasked, "; ")
	if !strings.HasPrefix(told, "it is unknown whether the given counterexample violates Slow, since finding out takes more than ") {
		t.Error(told)
	}
	if chosen.Unanswered != "" || !strings.HasSuffix(chosen.Others, "this is about Quick, which the given counterexample violates") {
		t.Errorf("%s; %s", chosen.Unanswered, chosen.Others)
	}
}

// TestAdviceLeavesTime: a search for advice that does not end leaves time for the explanation, and a note tells.
func TestAdviceLeavesTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	g, instances := withSlow(t, ctx, "[]<>(x = 0)")
	advice, err := g.Lacking(ctx, instances, func(ctx context.Context, q liveness.Question) ([]lts.Transition, bool, error) {
		<-ctx.Done()
		return nil, false, ctx.Err()
	})
	if err != nil || advice.IsKnown() || ctx.Err() != nil {
		t.Fatal(advice, err, ctx.Err())
	}
	notes := strings.Join(g.Notes(), "; ")
	if !strings.Contains(notes, "there is no advice on fairness, since the search for it takes more than ") {
		t.Error(notes)
	}
	for _, i := range instances {
		if _, err := g.Ask(ctx, i); err != nil {
			t.Error(err)
		}
	}
}

// TestFairnessHasItsText: fairness that Spec has by a name is shown as if Spec contained it.
func TestFairnessHasItsText(t *testing.T) {
	for conjunct, want := range map[string]string{
		`WF_x(Up)`:                           `WF_x(Up)`,
		`Fair`:                               `WF_x(Up)`,
		`Twice`:                              `WF_x(Up)`,
		`FairTo(1)`:                          `SF_<<x>>(x = 1 /\ Up)`,
		`\A k \in {0} : FairTo(k)`:           `SF_<<x>>(x = 0 /\ Up)`,
		`LET F == SF_x(<<Up>>_x) IN F`:       `SF_x(<<Up>>_x)`,
		`(WF_x(Up) /\ FairTo(0))`:            `WF_x(Up), SF_<<x>>(x = 0 /\ Up)`,
		`(Fair /\ \A k \in {1} : FairTo(k))`: `WF_x(Up), SF_<<x>>(x = 1 /\ Up)`,
		`FairOf(Up)`:                         `WF_x(A)`,
		`FairOf(Up) /\ FairOf(To(0))`:        `FairOf(Up), FairOf(To(0))`,
		`I!Fair /\ J!Fair`:                   `I!Fair, J!Fair`,
		`I!Runs /\ J!Runs`:                   `WF_y(Up) (line 5 of Part.tla) (1), WF_y(Up) (line 5 of Part.tla) (2)`,
		`I!Runs /\ J!Moves`:                  `WF_y(Up) (line 5 of Part.tla), WF_y(Up) (line 6 of Part.tla)`,
	} {
		folder := t.TempDir()
		write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\nUp == x' = 1 - x\nFair == WF_x(Up)\nTwice == Fair\n"+
			"FairTo(k) == SF_<<x>>(x = k /\\ Up)\nFairOf(A) == WF_x(A)\nTo(k) == x' = k /\\ x' # x\n"+
			"I == INSTANCE Part WITH y <- x, k <- 0\nJ == INSTANCE Part WITH y <- x, k <- 1\nSpec == x = 0 /\\ [][Up]_x /\\ "+conjunct+"\nAsked == <>(x = 1)\n====\n")
		write(t, folder, "Part.tla", "---- MODULE Part ----\nCONSTANT k\nVARIABLE y\nUp == y = k /\\ y' # y\nRuns == /\\ WF_y(Up)\n"+
			"Moves == /\\ WF_y(Up)\nFair == WF_y(Up)\n====\n")
		write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Asked\n")
		write(t, folder, "Random.dot", (&graph{n: 2, edges: map[[2]int]bool{{0, 1}: true, {1, 0}: true}, initial: []int{0}}).dot())
		g, instances, err := graphOf(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		q, err := g.Ask(t.Context(), instances[0])
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		for _, f := range q.Fair {
			shown = append(shown, f.Written())
		}
		if got := strings.Join(shown, ", "); got != want {
			t.Errorf("%s: %s, want %s", conjunct, got, want)
		}
	}
}

// TestLongFormulasAreShortened: an error or a note about a long formula shows its beginning.
func TestLongFormulasAreShortened(t *testing.T) {
	long := "x = 0" + strings.Repeat(` \/ x = 1`, 500)
	for _, asked := range []string{long, "<>[](<><<" + long + ">>_x)", "(" + long + ") + 1", "[](" + long + ") <=> [](x = 0)", "<>(y = 1 /\\ " + long + ")"} {
		folder := t.TempDir()
		write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\nSpec == x = 0 /\\ [][x' = 1 - x]_x\n====\n")
		write(t, folder, "Random.cfg", "SPECIFICATION Spec\n")
		write(t, folder, "Random.dot", (&graph{n: 2, edges: map[[2]int]bool{{0, 1}: true, {1, 0}: true}, initial: []int{0}}).dot())
		told := toldAbout(t, folder, asked)
		if told == "" || len(told) > 900 {
			t.Errorf("%d bytes are told about %s…: %s", len(told), asked[:20], told)
		}
	}
}

// toldAbout returns the errors and notes of asking for a property of a specification in a folder.
func toldAbout(t *testing.T, folder, property string) string {
	s, err := liveness.Load(t.Context(), folder+"/Random.tla", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := format.Open(t.Context(), folder+"/Random.dot", format.Options{Name: "Random.dot", States: true})
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.On(t.Context(), m.LTS, m.States, false)
	if err != nil {
		t.Fatal(err)
	}
	instances, err := s.Instances(t.Context(), property)
	if err != nil {
		return err.Error()
	}
	for _, i := range instances {
		if _, err := g.Ask(t.Context(), i); err != nil {
			return err.Error()
		}
	}
	if err := g.Assume(t.Context(), property); err != nil {
		return strings.Join(g.Notes(), "; ") + "; " + err.Error()
	}
	return strings.Join(g.Notes(), "; ")
}

// TestSearchesShareTheTime: so does a property whose search for a violation does not end.
func TestSearchesShareTheTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	g, instances := withSlow(t, ctx, "[]<>(x = 0)")
	searches := 0
	chosen, err := g.First(ctx, instances, func(ctx context.Context, q liveness.Question) (bool, error) {
		searches++
		if searches == 1 {
			<-ctx.Done()
			return false, ctx.Err()
		}
		return (&explain.Options{}).IsViolated(ctx, q.Model, q.Formula, q.Fair)
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkSlowIsNamed(t, chosen)
}

// TestRefusedFormsAreNoted: <=> and CASE of formulas about runs are answered, with a note that TLC refuses them.
func TestRefusedFormsAreNoted(t *testing.T) {
	for asked, want := range map[string]bool{
		"[](x = 0 => <>(x = 1)) <=> TRUE":                 true,
		"CASE x = 0 -> <>(x = 1) [] OTHER -> <>(x = 0)":   true,
		"IF x = 0 THEN <>(x = 1) ELSE <>(x = 0)":          false,
		"[](x = 0 <=> x # 1)":                             false,
		"[](CASE x = 0 -> TRUE [] OTHER -> x = 1)":        false,
		"\\A k \\in {0, 1} : (<>(x = k) <=> []<>(x = k))": true,
	} {
		folder := t.TempDir()
		write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\nSpec == x = 0 /\\ [][x' = 1 - x]_x\nAsked == "+asked+"\n====\n")
		write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Asked\n")
		write(t, folder, "Random.dot", (&graph{n: 2, edges: map[[2]int]bool{{0, 1}: true, {1, 0}: true}, initial: []int{0}}).dot())
		g, instances, err := graphOf(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range instances {
			if _, err := g.Ask(t.Context(), i); err != nil {
				t.Fatal(err)
			}
		}
		isNoted := strings.Contains(strings.Join(g.Notes(), "; "), "TLC refuses Asked: it cannot check <=> or CASE")
		isNoted = isNoted || strings.Contains(strings.Join(g.Notes(), "; "), "TLC refuses Asked (k = ")
		if isNoted != want {
			t.Errorf("%s: noted %t; %q", asked, isNoted, g.Notes())
		}
	}
}
