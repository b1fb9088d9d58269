package liveness_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	formulas "github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// lackingIn returns what the specification in a folder lacks for the first property that is violated; nil if none is.
func lackingIn(ctx context.Context, folder string) (*liveness.Advice, error) {
	g, instances, err := graphOf(ctx, folder)
	if err != nil {
		return nil, err
	}
	o := &explain.Options{}
	chosen, err := g.First(ctx, instances, func(ctx context.Context, q liveness.Question) (bool, error) {
		return o.IsViolated(ctx, q.Model, q.Formula, q.Fair)
	}, nil)
	if err != nil {
		return nil, err
	}
	return g.Lacking(ctx, chosen.Property, func(ctx context.Context, q liveness.Question) ([]lts.Transition, bool, error) {
		return o.ViolatingLoop(ctx, q.Model, q.Formula, q.Fair)
	})
}

// TestLackingForAnotherLogic: of random specifications, a formula of temporal logic lacks the fairness that the same property in TLA+
// lacks.
func TestLackingForAnotherLogic(t *testing.T) {
	ctx := t.Context()
	folder := t.TempDir()
	helped := 0
	for seed := range randomlts.Share(200) {
		g := newParts(rand.New(rand.NewPCG(seed, 73)))
		state := fmt.Sprintf("x <= %d", g.IntN(g.n)) // some state satisfies it
		form := [][2]string{
			{"[]<>(%s)", "G F (%s)"},
			{"<>(%s)", "F (%s)"},
			{"<>[](%s)", "F G (%s)"},
		}[g.IntN(3)]
		write(t, folder, "Random.tla", g.moduleWith(&formula{sign: "in"}, nil))
		write(t, folder, "Random.cfg", "SPECIFICATION Spec\n")
		write(t, folder, "Random.dot", g.dot())
		s, m, graph, err := specifiedGraph(ctx, folder)
		if err != nil {
			t.Fatal(err)
		}
		instances, err := s.Instances(ctx, fmt.Sprintf(form[0], state))
		if err != nil {
			t.Fatal(err)
		}
		inLTL, err := formulas.Parse(ctx, fmt.Sprintf(form[1], state))
		if err != nil {
			t.Fatal(err)
		}
		o := &explain.Options{}
		find := func(ctx context.Context, q liveness.Question) ([]lts.Transition, bool, error) {
			return o.ViolatingLoop(ctx, q.Model, q.Formula, q.Fair)
		}
		want, err := graph.Lacking(ctx, instances, find)
		if err != nil {
			t.Fatal(err)
		}
		got, err := graph.LackingFor(ctx, inLTL, m.States, find)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %s lacks %+v, and %s lacks %+v\n%s%s", seed, form[1], got, form[0], want, g.moduleWith(&formula{sign: "in"}, nil), g.dot())
		}
		if want != nil && len(want.Conjuncts) > 0 {
			helped++
		}
	}
	if randomlts.Whole() && helped < 25 {
		t.Errorf("only %d lack fairness that would be enough", helped)
	}
}

// parts is a specification whose next-state relation has several actions, with all fairness of them that is written down here.
type parts struct {
	*graph
	definitions string
	all         []added
}

// added is a conjunct that Spec may have besides, with its meaning.
type added struct {
	text       string
	conditions []*formula
}

func (a added) isStrong() bool { return a.conditions[0].sign == "SF" }

// newParts returns a random specification with the actions A, which has one choice between two, B, with a case for each step, C of an
// argument, and half of the time D of an argument from a set that depends on the state, and that is never taken for one member.
func newParts(random *rand.Rand) *parts {
	g := &parts{graph: &graph{Rand: random, n: 2 + random.IntN(3), edges: map[[2]int]bool{}, config: "SPECIFICATION Spec\nPROPERTY Asked\n", initial: []int{0}}}
	var inA, first, second []int
	for range 1 + g.IntN(2) {
		inA = append(inA, g.IntN(g.n))
	}
	var stepsFirst, stepsSecond [][2]int
	first, second = []int{g.IntN(g.n)}, []int{g.IntN(g.n)}
	for _, s := range inA {
		stepsFirst = append(stepsFirst, [2]int{s, first[0]})
		stepsSecond = append(stepsSecond, [2]int{s, second[0]})
	}
	g.addSteps(fmt.Sprintf(`A /\ x' = %d`, first[0]), stepsFirst)
	g.addSteps(fmt.Sprintf(`A /\ x' = %d`, second[0]), stepsSecond)
	stepsA := slices.Concat(stepsFirst, stepsSecond)
	g.addSteps("A", stepsA)
	g.definitions = fmt.Sprintf("A == /\\ x \\in %s\n     /\\ \\/ x' = %d\n        \\/ x' = %d\nB ==", listed(inA), first[0], second[0])
	var stepsB [][2]int
	for range 1 + g.IntN(3) {
		step := [2]int{g.IntN(g.n), g.IntN(g.n)}
		stepsB = append(stepsB, step)
		g.definitions += fmt.Sprintf("\n  \\/ /\\ x = %d\n     /\\ x' = %d", step[0], step[1])
		g.addSteps(fmt.Sprintf(`x = %d /\ x' = %d`, step[0], step[1]), [][2]int{step})
	}
	g.addSteps("B", stepsB)
	g.addSteps(`A \/ B`, slices.Concat(stepsA, stepsB))
	add := g.IntN(3)
	stepsC := [2][][2]int{{{0, add % g.n}}, {{1, (1 + add) % g.n}}}
	g.definitions += fmt.Sprintf("\nC(k) == x = k /\\ x' = (k + %d) %% %d\n", add, g.n)
	next := `A \/ B \/ \E k \in {0, 1} : C(k)`
	g.addSteps("C(0)", stepsC[0])
	g.addSteps("C(1)", stepsC[1])
	g.addSteps(`\E k \in {0, 1} : C(k)`, slices.Concat(stepsC[0], stepsC[1]))
	for _, sign := range []string{"WF", "SF"} {
		g.all = append(g.all, added{`\A k \in {0, 1} : ` + sign + "_x(C(k))", []*formula{{sign: sign, steps: stepsC[0]}, {sign: sign, steps: stepsC[1]}}})
	}
	stepsD := [][2]int{}
	if g.IntN(2) == 0 {
		var choice string
		choice, stepsD = g.addMembers()
		next += ` \/ ` + choice
	}
	g.definitions += "Next == " + next + "\n"
	g.addSteps("Next", slices.Concat(stepsA, stepsB, stepsC[0], stepsC[1], stepsD))
	for range g.IntN(2) {
		g.fair = append(g.fair, g.all[g.IntN(len(g.all))].conditions...)
	}
	return g
}

// addMembers adds the action D(m) for the members m of a set that depends on the state, with its steps and its fairness: as it is, and for
// each member of a constant set, of which the last has no steps. It returns the action for some member.
func (g *parts) addMembers() (choice string, all [][2]int) {
	whole := fmt.Sprintf("0..%d", g.n)
	set := ""
	isMember := func(m, s int) bool { return m != s }
	condition := ""
	switch g.IntN(4) {
	case 0:
		set = `{m \in ` + whole + " : m # x}"
		condition = "m # x"
	case 1:
		set = "(" + whole + `) \ {x}`
	case 2:
		set = "(" + whole + `) \cap {x, x + 1}`
		isMember = func(m, s int) bool { return m == s || m == s+1 }
	default:
		set = "Open"
		g.definitions += fmt.Sprintf("Open == {m \\in %s : m # x}\nTypes == Open \\subseteq %[1]s\n", whole)
	}
	if condition == "" {
		condition = `m \in ` + set
	}
	add := g.IntN(2)
	g.definitions += fmt.Sprintf("D(m) == m < %[1]d /\\ x' = (m + %[2]d) %% %[1]d\n", g.n, add)
	var ofMember [][][2]int
	for m := range g.n + 1 {
		var steps [][2]int
		for s := range g.n {
			if m < g.n && isMember(m, s) {
				steps = append(steps, [2]int{s, (m + add) % g.n})
			}
		}
		ofMember = append(ofMember, steps)
		all = append(all, steps...)
	}
	choice = fmt.Sprintf(`\E m \in %s : D(m)`, set)
	g.addSteps(choice, all)
	for _, sign := range []string{"WF", "SF"} {
		each := added{text: fmt.Sprintf(`\A m \in %s : %s_x(%s /\ D(m))`, whole, sign, condition)}
		for _, steps := range ofMember {
			each.conditions = append(each.conditions, &formula{sign: sign, steps: steps})
		}
		g.all = append(g.all, each)
	}
	return choice, all
}

// asked returns a formula, mostly one of those that fairness is needed for.
func (g *parts) asked() *formula {
	one := func() *formula {
		in := []int{}
		for s := range g.n {
			if g.IntN(2) == 0 {
				in = append(in, s)
			}
		}
		return &formula{sign: "in", in: in}
	}
	over := func(sign string, parts ...*formula) *formula { return &formula{sign: sign, parts: parts} }
	switch g.IntN(6) {
	case 0:
		return over("<>", one())
	case 1:
		return over("~>", one(), one())
	case 2:
		return over("[]", over("<>", one()))
	case 3:
		return over("<>", over("[]", one()))
	case 4:
		return over(`/\`, over("~>", one(), one()), over("[]", over("<>", one())))
	}
	return g.formula(3)
}

// addSteps adds the steps of an action to the graph, and its fairness to what Spec may have.
func (g *parts) addSteps(action string, steps [][2]int) {
	for _, step := range steps {
		g.edges[step] = true
	}
	for _, sign := range []string{"WF", "SF"} {
		g.all = append(g.all, added{sign + "_x(" + action + ")", []*formula{{sign: sign, steps: steps}}})
	}
}

func (g *parts) moduleWith(asked *formula, more []string) string {
	text := strings.Replace(g.module(asked), "Spec == [][TRUE]_x", g.definitions+"Spec == x = 0 /\\ [][Next]_x", 1)
	for _, conjunct := range more {
		text = strings.Replace(text, "\nInside", " /\\ ("+conjunct+")\nInside", 1)
	}
	return text
}

// with returns the graph with further fairness.
func (g *parts) with(set []added) *graph {
	more := *g.graph
	more.fair = slices.Clone(more.fair)
	for _, a := range set {
		more.fair = append(more.fair, a.conditions...)
	}
	return &more
}

// violatedBy reports whether a short lasso that is fair violates a formula.
func (g *graph) violatedBy(asked *formula) bool {
	found := false
	g.lassos(5, func(l lasso) { found = found || asked.isUnsafe(l) || !asked.at(l, 0) && g.isFair(l) })
	return found
}

// TestLackingFairnessIsEnoughAndLeast: of random specifications, what is said to be lacking makes the property hold on all short lassos,
// and when it is written into Spec; nothing that has fewer conjuncts, or less SF, or fewer instances does.
func TestLackingFairnessIsEnoughAndLeast(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	helped, two, unhelpful, unknown := 0, 0, 0, 0
	for seed := range randomlts.Share(1_400) {
		g := newParts(rand.New(rand.NewPCG(seed, 70)))
		asked := g.asked()
		write(t, folder, "Random.tla", g.moduleWith(asked, nil))
		write(t, folder, "Random.cfg", g.config)
		write(t, folder, "Random.dot", g.dot())
		advice, err := lackingIn(ctx, folder)
		if err != nil {
			if strings.Contains(err.Error(), "too large") || strings.Contains(err.Error(), "at most") {
				continue
			}
			t.Fatalf("seed %d: %v\n%s", seed, err, g.moduleWith(asked, nil))
		}
		said := fmt.Sprintf("seed %d: %+v\n%s%s", seed, advice, g.moduleWith(asked, nil), g.dot())
		isViolatedWith := func(set []added) bool {
			if g.with(set).violatedBy(asked) {
				return true
			}
			var texts []string
			for _, a := range set {
				texts = append(texts, a.text)
			}
			write(t, folder, "Random.tla", g.moduleWith(asked, texts))
			_, found, err := foundBy(ctx, folder)
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			return found
		}
		switch {
		case advice == nil:
			if g.violatedBy(asked) && !g.isUnsafe(asked) {
				t.Fatalf("nothing is said\n%s", said)
			}
			continue
		case len(advice.Conjuncts) == 0:
			if !isViolatedWith(g.all) {
				t.Fatalf("all fairness is enough\n%s", said)
			}
			if advice.Unhelpful {
				unhelpful++
			} else {
				unknown++
			}
			continue
		}
		helped++
		if len(advice.Conjuncts) > 1 {
			two++
		}
		write(t, folder, "Random.tla", g.moduleWith(asked, advice.Conjuncts))
		if _, found, err := foundBy(ctx, folder); found || err != nil {
			t.Fatalf("it is not enough: %v\n%s", err, said)
		}
		var set []added
		for _, conjunct := range advice.Conjuncts {
			i := slices.IndexFunc(g.all, func(a added) bool { return a.text == conjunct })
			if i < 0 {
				t.Fatalf("%s is none of the actions\n%s", conjunct, said)
			}
			set = append(set, g.all[i])
		}
		if g.with(set).violatedBy(asked) {
			t.Fatalf("it is not enough\n%s", said)
		}
		for _, smaller := range g.cheaperThan(set) {
			if !isViolatedWith(smaller) {
				t.Fatalf("%v is enough\n%s", smaller, said)
			}
		}
	}
	t.Logf("%d lack fairness, of which %d lack several conjuncts; fairness helps %d not, and of %d it is not known", helped, two, unhelpful, unknown)
	if randomlts.Whole() && (helped < 300 || two < 10 || unhelpful < 250) {
		t.Error("too few of a kind")
	}
}

// isUnsafe reports whether some lasso violates a part of a formula that fairness does not excuse.
func (g *parts) isUnsafe(asked *formula) bool {
	found := false
	g.lassos(5, func(l lasso) { found = found || asked.isUnsafe(l) })
	return found
}

// cheaperThan returns the sets of at most two conjuncts that are cheaper than a set.
func (g *parts) cheaperThan(set []added) [][]added {
	cost := func(set []added) [3]int {
		all := [3]int{len(set)}
		for _, a := range set {
			all[2] += len(a.conditions)
			if a.isStrong() {
				all[1]++
			}
		}
		return all
	}
	most := cost(set)
	var cheaper [][]added
	keep := func(one []added) {
		c := cost(one)
		if slices.Compare(c[:], most[:]) < 0 {
			cheaper = append(cheaper, one)
		}
	}
	keep(nil)
	for i, a := range g.all {
		keep([]added{a})
		for _, b := range g.all[:i] {
			if len(set) > 1 && g.IntN(5) == 0 {
				keep([]added{a, b})
			}
		}
	}
	return cheaper
}

// TestLackingFairnessIsThatOfTLC: with what is said to be lacking, TLC finds no violation, and without, or with WF in place of its SF, it does.
func TestLackingFairnessIsThatOfTLC(t *testing.T) {
	tlc := newChecker(t)
	ctx := context.Background()
	first, last := seedsOf(t, 60)
	helped, unhelpful, refused := 0, 0, 0
	for seed := first; seed <= last; seed++ {
		folder := t.TempDir()
		g := randomSpecification(rand.New(rand.NewPCG(seed, 52)))
		write(t, folder, "Random.tla", g.module)
		write(t, folder, "Graph.cfg", g.config)
		write(t, folder, "Random.cfg", g.config+"PROPERTY Asked\n")
		code, said := tlc.ask(t, folder, "Graph.cfg")
		if code != 0 || strings.Contains(said, " 0 distinct states found") {
			refused++
			continue
		}
		advice, err := lackingIn(ctx, folder)
		if err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, g.module)
			continue
		}
		if advice == nil || len(advice.Conjuncts) == 0 {
			unhelpful++
			continue
		}
		helped++
		verdict := func(conjuncts []string) int {
			module := g.module
			for _, conjunct := range conjuncts {
				module = strings.Replace(module, "\nGoal(k)", " /\\ ("+conjunct+")\nGoal(k)", 1)
			}
			write(t, folder, "Random.tla", module)
			code, said := tlc.ask(t, folder, "Random.cfg")
			if code != 0 && code != 13 {
				t.Errorf("seed %d: with %v, TLC ends with %d: %s\n%s", seed, conjuncts, code, brief(said), module)
			}
			return code
		}
		if code := verdict(advice.Conjuncts); code != 0 {
			t.Errorf("seed %d: %v is not enough\n%s", seed, advice.Conjuncts, g.module)
		}
		for i := range advice.Conjuncts {
			weaker := slices.Delete(slices.Clone(advice.Conjuncts), i, i+1)
			if code := verdict(weaker); code == 0 {
				t.Errorf("seed %d: %v is enough of %v\n%s", seed, weaker, advice.Conjuncts, g.module)
			}
			if !strings.Contains(advice.Conjuncts[i], "SF_") {
				continue
			}
			weaker = slices.Clone(advice.Conjuncts)
			weaker[i] = strings.Replace(weaker[i], "SF_", "WF_", 1)
			if code := verdict(weaker); code == 0 {
				t.Errorf("seed %d: %v is enough in place of %v\n%s", seed, weaker, advice.Conjuncts, g.module)
			}
		}
	}
	t.Logf("%d lack fairness; in %d, nothing is said; TLC refused %d", helped, unhelpful, refused)
}

// TestLeastFairnessIsThatOfTLC: of random specifications whose Next has parts, TLC finds no violation with what is said to be lacking, and
// does with each of up to eight sets of conditions that are cheaper.
func TestLeastFairnessIsThatOfTLC(t *testing.T) {
	tlc := newChecker(t)
	ctx := context.Background()
	folder := t.TempDir()
	first, last := seedsOf(t, 300)
	helped, compared, refused := 0, 0, 0
	for seed := first; seed <= last; seed++ {
		g := newParts(rand.New(rand.NewPCG(seed, 71)))
		asked := g.asked()
		write(t, folder, "Random.tla", g.moduleWith(asked, nil))
		write(t, folder, "Random.cfg", g.config)
		write(t, folder, "Random.dot", g.dot())
		advice, err := lackingIn(ctx, folder)
		if err != nil || advice == nil || len(advice.Conjuncts) == 0 {
			continue
		}
		var set []added
		for _, conjunct := range advice.Conjuncts {
			i := slices.IndexFunc(g.all, func(a added) bool { return a.text == conjunct })
			if i < 0 {
				t.Fatalf("seed %d: %s is none of the actions\n%s", seed, conjunct, g.moduleWith(asked, nil))
			}
			set = append(set, g.all[i])
		}
		verdict := func(set []added) int {
			var texts []string
			for _, a := range set {
				texts = append(texts, a.text)
			}
			module := g.moduleWith(asked, texts)
			write(t, folder, "Random.tla", module)
			code, said := tlc.ask(t, folder, "Random.cfg")
			if code != 0 && code != 12 && code != 13 {
				t.Logf("seed %d: TLC ends with %d: %s\n%s", seed, code, brief(said), module)
				return -1
			}
			return code
		}
		code := verdict(set)
		if code < 0 {
			refused++
			continue
		}
		helped++
		if code != 0 {
			t.Errorf("seed %d: %v is not enough\n%s", seed, advice.Conjuncts, g.moduleWith(asked, nil))
		}
		cheaper := g.cheaperThan(set)
		g.Shuffle(len(cheaper), func(i, j int) { cheaper[i], cheaper[j] = cheaper[j], cheaper[i] })
		for _, smaller := range cheaper[:min(8, len(cheaper))] {
			compared++
			if code := verdict(smaller); code == 0 {
				t.Errorf("seed %d: %v is enough in place of %v\n%s", seed, smaller, advice.Conjuncts, g.moduleWith(asked, nil))
			}
		}
	}
	t.Logf("%d lack fairness, and %d cheaper sets are not enough; TLC refused %d", helped, compared, refused)
}

// TestInstanceThatIsNeverTaken: fairness of an action for all members of a set is advised, although the action can be taken for some of
// them only.
func TestInstanceThatIsNeverTaken(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Random.tla", `---- MODULE Random ----
EXTENDS Integers
VARIABLE x
Reset == x' = 0
Send(p) == p > 1 /\ x' = p
Next == Reset \/ \E p \in 0..3 : Send(p)
Spec == x = 0 /\ [][Next]_x
Asked == []<>(x = 2) /\ []<>(x = 3)
====
`)
	write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Asked\n")
	write(t, folder, "Random.dot", `strict digraph DiskGraph {
1 [label="x = 0",style = filled]
1 -> 1 [label="Reset"];
2 [label="x = 2"];
3 [label="x = 3"];
1 -> 2 [label="Send(2)"];
1 -> 3 [label="Send(3)"];
2 -> 1 [label="Reset"];
2 -> 2 [label="Send(2)"];
2 -> 3 [label="Send(3)"];
3 -> 1 [label="Reset"];
3 -> 2 [label="Send(2)"];
3 -> 3 [label="Send(3)"];
}
`)
	advice, err := lackingIn(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`\A p \in 0..3 : WF_x(Send(p))`}
	if !slices.Equal(advice.Conjuncts, want) {
		t.Errorf("the advice is %q, not %q", advice.Conjuncts, want)
	}
}

// TestPartBeforeWhole: if Spec has fairness of actions, that of another action is advised, also if fairness of the whole next-state relation
// is enough; if Spec has none, that of the whole relation is.
func TestPartBeforeWhole(t *testing.T) {
	for fairness, want := range map[string]string{
		"":                       "WF_x(Next)",
		` /\ WF_x(Take)`:         "WF_x(Return)",
		` /\ WF_x(Take /\ TRUE)`: "WF_x(Return)",
	} {
		folder := t.TempDir()
		write(t, folder, "Random.tla", `---- MODULE Random ----
EXTENDS Integers
VARIABLE x
Take == x = 0 /\ x' = 1
Return == x = 1 /\ x' = 0
Next == Take \/ Return
Spec == x = 0 /\ [][Next]_x`+fairness+`
Asked == []<>(x = 0)
====
`)
		write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Asked\n")
		write(t, folder, "Random.dot", `strict digraph DiskGraph {
1 [label="x = 0",style = filled]
2 [label="x = 1"];
1 -> 2 [label="Take"];
2 -> 1 [label="Return"];
}
`)
		advice, err := lackingIn(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(advice.Conjuncts, []string{want}) {
			t.Errorf("%q lacks %q, not %q", fairness, advice.Conjuncts, want)
		}
	}
}
