package liveness_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// nested is a specification with choices of states deep inside of the action Serve. The choices of the action are among different states, so
// that Serve /\ x' = k is one of them.
type nested struct {
	*parts
	// targets are the states that no choice has yet.
	targets []int
	// helpers are definitions that the action uses.
	helpers string
	names   int
	// instance is how the module has the action: "", or an INSTANCE with or without a name.
	instance string
}

func newNested(random *rand.Rand) *nested {
	g := &nested{
		parts: &parts{graph: &graph{
			Rand: random, n: 3 + random.IntN(3), edges: map[[2]int]bool{},
			config: "SPECIFICATION Spec\nPROPERTY Asked\n", initial: []int{0},
		}},
	}
	g.targets = g.Perm(g.n)
	var all []int
	for s := range g.n {
		all = append(all, s)
	}
	serve := g.action(3, all)
	rest := ""
	for range 1 + g.IntN(3) {
		step := [2]int{g.IntN(g.n), g.IntN(g.n)}
		rest += fmt.Sprintf(` \/ (x = %d /\ x' = %d)`, step[0], step[1])
		g.edges[step] = true
	}
	g.definitions = g.helpers + "Serve == " + serve + "\nNext == Serve" + rest + "\n"
	var steps [][2]int
	for step := range g.edges {
		steps = append(steps, step)
	}
	g.instance = []string{"", "", "INSTANCE Sub\n", "I == INSTANCE Sub WITH y <- x\n"}[g.IntN(4)]
	g.all = append(g.all, added{"WF_x(" + g.prefix() + "Next)", []*formula{{sign: "WF", steps: steps}}})
	return g
}

// prefix is what names of the module with the action have in front.
func (g *nested) prefix() string {
	if strings.HasPrefix(g.instance, "I ==") {
		return "I!"
	}
	return ""
}

func (g *nested) someStates() []int {
	var all []int
	for s := range g.n {
		if g.IntN(3) > 0 {
			all = append(all, s)
		}
	}
	return all
}

func (g *nested) newName() string {
	g.names++
	return fmt.Sprintf("n%d", g.names)
}

// action returns a random action that has no steps from other states than these, and adds its steps and the fairness of its choices.
func (g *nested) action(depth int, from []int) string {
	guard := g.someStates()
	inside := slices.DeleteFunc(slices.Clone(from), func(s int) bool { return !slices.Contains(guard, s) })
	outside := slices.DeleteFunc(slices.Clone(from), func(s int) bool { return slices.Contains(guard, s) })
	holds := `x \in ` + listed(guard)
	name := g.newName()
	if depth == 0 || len(g.targets) < 3 {
		return g.choice(name, from)
	}
	switch g.IntN(9) {
	case 0:
		return "(" + holds + ` /\ ` + g.action(depth-1, inside) + ")"
	case 1:
		return "(IF " + holds + " THEN " + g.action(depth-1, inside) + " ELSE " + g.action(depth-1, outside) + ")"
	case 2:
		return "(CASE " + holds + " -> " + g.action(depth-1, inside) + " [] OTHER -> " + g.action(depth-1, outside) + ")"
	case 3:
		return "(LET " + name + " == " + listed(guard) + ` IN x \in ` + name + ` /\ ` + g.action(depth-1, inside) + ")"
	case 4, 5:
		return "(" + g.action(depth-1, from) + ` \/ ` + g.action(depth-1, from) + ")"
	case 6:
		body := g.action(depth-1, inside)
		g.helpers += "Part" + name + " == " + holds + ` /\ ` + body + "\n"
		return "Part" + name
	case 7:
		body := g.action(depth-1, from)
		return "(LET Act" + name + " == " + body + " IN Act" + name + ")"
	}
	return g.choice(name, from)
}

// choice returns an action that chooses one of at most two states that no other choice has.
func (g *nested) choice(name string, from []int) string {
	if len(g.targets) == 0 {
		return "FALSE"
	}
	first := g.newTarget()
	if len(g.targets) == 0 || g.IntN(3) == 0 {
		g.addChoice([][]int{from}, first)
		if g.IntN(3) == 0 {
			return fmt.Sprintf("(LET %s == %d IN x' = %[1]s)", name, first)
		}
		return fmt.Sprintf("x' = %d", first)
	}
	second := g.newTarget()
	both := listed([]int{first, second})
	guard := g.someStates()
	inGuard := slices.DeleteFunc(slices.Clone(from), func(s int) bool { return !slices.Contains(guard, s) })
	notSecond := slices.DeleteFunc(slices.Clone(from), func(s int) bool { return s == second })
	notFirst := slices.DeleteFunc(slices.Clone(from), func(s int) bool { return s == first })
	switch g.IntN(5) {
	case 0:
		g.addChoice([][]int{from, from}, first, second)
		return fmt.Sprintf(`(\E %s \in %s : x' = %[1]s)`, name, both)
	case 1:
		g.addChoice([][]int{from, from}, first, second)
		return `x' \in ` + both
	case 2:
		g.addChoice([][]int{from, inGuard}, first, second)
		return fmt.Sprintf(`(\E %s \in {z%[1]s \in %s : x \in %s \/ z%[1]s = %[4]d} : x' = %[1]s)`, name, both, listed(guard), first)
	case 3:
		g.addChoice([][]int{notFirst, notSecond}, first, second)
		return fmt.Sprintf(`(\E %s \in %s \ {x} : x' = %[1]s)`, name, both)
	}
	g.addChoice([][]int{from, inGuard}, first, second)
	g.helpers += fmt.Sprintf("Of%s == IF x \\in %s THEN %s ELSE {%d}\nType%[1]s == Of%[1]s \\subseteq %[3]s\n", name, listed(guard), both, first)
	return fmt.Sprintf(`(\E %s \in Of%[1]s : x' = %[1]s)`, name)
}

func (g *nested) newTarget() int {
	target := g.targets[0]
	g.targets = g.targets[1:]
	return target
}

// addChoice adds the steps to some states, each from its own states, and the fairness of all these choices together.
func (g *nested) addChoice(from [][]int, targets ...int) {
	var families [2]added
	for i, sign := range []string{"WF", "SF"} {
		families[i].text = fmt.Sprintf(`\A z0 \in %s : %s_x(Serve /\ x' = z0)`, listed(targets), sign)
	}
	for i, target := range targets {
		var steps [][2]int
		for _, s := range from[i] {
			steps = append(steps, [2]int{s, target})
			g.edges[[2]int{s, target}] = true
		}
		for k, sign := range []string{"WF", "SF"} {
			families[k].conditions = append(families[k].conditions, &formula{sign: sign, steps: steps})
		}
	}
	g.all = append(g.all, families[:]...)
}

// moduleWith returns the module with further conjuncts in its Spec.
func (g *nested) moduleWith(asked *formula, more []string) string {
	definitions := g.definitions
	inner := ""
	if g.instance != "" {
		variable := "x"
		text := definitions
		if g.prefix() != "" {
			variable = "y"
			text = strings.NewReplacer(`x \in`, `y \in`, "x'", "y'", "x = ", "y = ", "{x}", "{y}").Replace(definitions)
		}
		inner = "---- MODULE Sub ----\nEXTENDS Integers\nVARIABLE " + variable + "\n" + text + "Runs == " + variable + " = 0 /\\ [][Next]_" + variable + "\n====\n"
		definitions = inner + g.instance
	}
	spec := `x = 0 /\ [][Next]_x`
	if g.instance != "" {
		spec = g.prefix() + "Runs"
	}
	text := strings.Replace(g.module(asked), "Spec == [][TRUE]_x", definitions+"Spec == "+spec, 1)
	for _, conjunct := range more {
		text = strings.Replace(text, "\nInside", " /\\ ("+conjunct+")\nInside", 1)
	}
	return text
}

// isEnough reports whether conjuncts, in the words of the test, are enough for what is asked.
func (g *nested) isEnough(ctx context.Context, t *testing.T, folder string, asked *formula, set []added) bool {
	t.Helper()
	if g.with(set).violatedBy(asked) {
		return false
	}
	var texts []string
	for _, a := range set {
		texts = append(texts, strings.ReplaceAll(a.text, "(Serve", "("+g.prefix()+"Serve"))
	}
	write(t, folder, "Random.tla", g.moduleWith(asked, texts))
	_, found, err := foundBy(ctx, folder)
	if err != nil {
		t.Fatalf("%v\n%s", err, g.moduleWith(asked, texts))
	}
	return !found
}

// TestFairnessOfChoicesIsFound: of random specifications with choices deep inside of an action, also in an instance, what is said to be
// lacking is enough when it is written into Spec. Where nothing is said to be enough, no two conditions about single choices are.
func TestFairnessOfChoicesIsFound(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	helped, ofChoices, none := 0, 0, 0
	for seed := range randomlts.Share(1_500) {
		g := newNested(rand.New(rand.NewPCG(seed, 72)))
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
		if advice == nil {
			continue
		}
		said := fmt.Sprintf("seed %d: %+v\n%s%s", seed, advice, g.moduleWith(asked, nil), g.dot())
		if len(advice.Conjuncts) > 0 {
			helped++
			if strings.Contains(strings.Join(advice.Conjuncts, ""), "Serve /") {
				ofChoices++
			}
			write(t, folder, "Random.tla", g.moduleWith(asked, advice.Conjuncts))
			_, found, err := foundBy(ctx, folder)
			if found || err != nil {
				t.Fatalf("it is not enough: %v\n%s", err, said)
			}
			continue
		}
		if g.isUnsafe(asked) {
			continue
		}
		none++
		for i, a := range g.all {
			for _, b := range g.all[:i+1] {
				if g.isEnough(ctx, t, folder, asked, []added{a, b}) {
					t.Fatalf("%s and %s are enough\n%s", a.text, b.text, said)
				}
			}
		}
	}
	t.Logf("%d lack fairness, %d that of a choice; for %d, nothing is said", helped, ofChoices, none)
	if randomlts.Whole() && (helped < 300 || ofChoices < 30 || none < 100) {
		t.Error("too few of a kind")
	}
}

// TestFairnessOfChoicesIsThatOfTLC: TLC accepts what is said to be lacking of random specifications with choices deep inside of an
// action, also in an instance, and finds no violation with it.
func TestFairnessOfChoicesIsThatOfTLC(t *testing.T) {
	tlc := newChecker(t)
	ctx := context.Background()
	folder := t.TempDir()
	first, last := seedsOf(t, 300)
	helped, refused := 0, 0
	for seed := first; seed <= last; seed++ {
		g := newNested(rand.New(rand.NewPCG(seed, 72)))
		asked := g.asked()
		write(t, folder, "Random.tla", g.moduleWith(asked, nil))
		write(t, folder, "Random.cfg", g.config)
		write(t, folder, "Random.dot", g.dot())
		advice, err := lackingIn(ctx, folder)
		if err != nil || advice == nil || len(advice.Conjuncts) == 0 {
			continue
		}
		code, _ := tlc.ask(t, folder, "Random.cfg")
		if code != 0 && code != 12 && code != 13 {
			refused++ // the property itself
			continue
		}
		helped++
		module := g.moduleWith(asked, advice.Conjuncts)
		write(t, folder, "Random.tla", module)
		code, said := tlc.ask(t, folder, "Random.cfg")
		if code != 0 {
			t.Errorf("seed %d: with %v, TLC ends with %d: %s\n%s", seed, advice.Conjuncts, code, brief(said), module)
		}
	}
	t.Logf("TLC accepts %d; it refused %d properties", helped, refused)
}
