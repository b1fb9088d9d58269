package liveness_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestTemporalByLassos: properties of random graphs, with fairness and constraints, are compared with the definitions on all short
// lassos, which stutter where they like. Of what is said to hold no lasso may violate it, and the run that is shown has to.
func TestTemporalByLassos(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	violated, compared, cut, begunOutside := 0, 0, 0, 0
	for seed := range randomlts.Share(2_500) {
		g := newGraph(rand.New(rand.NewPCG(seed, 2)))
		asked := g.formula(4)
		write(t, folder, "Random.tla", g.module(asked))
		write(t, folder, "Random.cfg", g.config)
		write(t, folder, "Random.dot", g.dot())
		run, found, err := foundBy(ctx, folder)
		if err != nil {
			if strings.Contains(err.Error(), "too large") || strings.Contains(err.Error(), "at most") {
				continue
			}
			t.Fatalf("seed %d: %v\n%s%s", seed, err, g.module(asked), g.dot())
		}
		compared++
		if !slices.ContainsFunc(g.initial, func(s int) bool { return !g.outside[s] }) {
			// There is no run. TLC checks predicates of states in the initial states all the same.
			begunOutside++
			want := slices.ContainsFunc(g.initial, asked.isUnsafeAlone)
			if found != want || found && !(slices.Contains(g.initial, run.states[0]) && asked.isUnsafeAlone(run.states[0])) {
				t.Fatalf("seed %d: violated %t by %v, want %t\n%s%s%s", seed, found, run, want, g.module(asked), g.config, g.dot())
			}
			continue
		}
		violates := func(l lasso) bool { return asked.isUnsafe(l) || !asked.at(l, 0) && g.isFair(l) }
		if len(g.outside) > 0 {
			cut++
		}
		said := fmt.Sprintf("seed %d:\n%s%s%s", seed, g.module(asked), g.config, g.dot())
		if found {
			violated++
			if !g.isRun(run) {
				t.Fatalf("%v is no run\n%s", run, said)
			}
			if is := violates(run); !is {
				// Of a finite run, some way to go on does.
				n := len(run.states)
				if run.back == n-1 {
					g.lassos(n+4, func(l lasso) { is = is || len(l.states) >= n && slices.Equal(l.states[:n], run.states) && violates(l) })
				}
				if !is {
					t.Fatalf("%v violates nothing, or is not fair\n%s", run, said)
				}
			}
			continue
		}
		g.lassos(6, func(l lasso) {
			if violates(l) {
				t.Fatalf("%v violates it\n%s", l, said)
			}
		})
	}
	counts := fmt.Sprintf("%d compared, %d violated, %d with constraints, %d with all initial states outside", compared, violated, cut, begunOutside)
	if randomlts.Whole() && (compared < 2_200 || violated < 750 || violated > 1_750 || cut < 250 || begunOutside < 100) {
		t.Error(counts)
	}
	t.Log(counts)
}

// TestVacuityByLassos: what is asked of runs is said to hold for the wrong reason if and only if no short lasso is a run that
// Spec allows.
func TestVacuityByLassos(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	vacuous, allowed := 0, 0
	for seed := range randomlts.Share(2_000) {
		g := newGraph(rand.New(rand.NewPCG(seed, 3)))
		write(t, folder, "Random.tla", g.module(g.formula(3)))
		write(t, folder, "Random.cfg", g.config)
		write(t, folder, "Random.dot", g.dot())
		graph, instances, err := graphOf(ctx, folder)
		if err != nil {
			continue // others are met by TestTemporalByLassos
		}
		chosen, err := graph.First(ctx, instances, func(ctx context.Context, q liveness.Question) (bool, error) {
			return (&explain.Options{}).IsViolated(ctx, q.Model, q.Formula, q.Fair)
		}, nil)
		if err != nil {
			continue
		}
		some := false
		g.lassos(6, func(l lasso) { some = some || g.isFair(l) })
		if chosen.Vacuous != "" {
			vacuous++
			if some {
				t.Fatalf("seed %d: %s\n%s%s%s", seed, chosen.Vacuous, g.module(g.formula(3)), g.config, g.dot())
			}
		} else if some {
			allowed++
		}
	}
	if randomlts.Whole() && (vacuous < 10 || allowed < 1_000) {
		t.Errorf("%d vacuous, %d not", vacuous, allowed)
	}
	t.Logf("%d vacuous, %d not", vacuous, allowed)
}

// graphOf returns the graph of a folder and what is asked of it.
func graphOf(ctx context.Context, folder string) (*liveness.Graph, []liveness.Instance, error) {
	s, _, g, err := specifiedGraph(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	instances, err := s.Instances(ctx)
	return g, instances, err
}

// specifiedGraph returns the specification in a folder, the model, and the model as the graph of the specification.
func specifiedGraph(ctx context.Context, folder string) (*liveness.Specification, *format.Model, *liveness.Graph, error) {
	s, err := liveness.Load(ctx, filepath.Join(folder, "Random.tla"), filepath.Join(folder, "Random.cfg"), nil)
	if err != nil {
		return nil, nil, nil, err
	}
	m, _, err := format.Open(ctx, filepath.Join(folder, "Random.dot"), format.Options{Name: "Random.dot", States: true, Constrained: true})
	if err != nil {
		return nil, nil, nil, err
	}
	g, err := s.On(ctx, m.LTS, m.States, false, m.Outside...)
	return s, m, g, err
}

// TestNegatedPredicateIsAboutStates: fairness that no run meets does not excuse a state that violates [](~P), nor does it where
// SYMMETRY or VIEW makes one state of several.
func TestNegatedPredicateIsAboutStates(t *testing.T) {
	ctx := context.Background()
	for _, asked := range []string{`[]~(x = 0)`, `[]~~(x = 1)`, `~(x = 0)`, `[](~(x = 0 /\ x # 1))`} {
		for _, merging := range []string{"", "VIEW Seen\n"} {
			folder := t.TempDir()
			// SF asks for a step that the graph does not have, but that is enabled in state 0.
			write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\nSeen == x\nSpec == [][TRUE]_x /\\ SF_x(x = 0 /\\ x' = 2)\nAsked == "+asked+"\n====\n")
			write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Asked\n"+merging)
			write(t, folder, "Random.dot", (&graph{n: 2, edges: map[[2]int]bool{{0, 0}: true, {1, 0}: true}, initial: []int{0, 1}}).dot())
			_, found, err := foundBy(ctx, folder)
			if err != nil || !found {
				t.Errorf("%s %s: violated %t, %v", asked, merging, found, err)
			}
		}
	}
}

// TestBuiltinsAreReplacedInModules: NAME <- [M] OTHER replaces an operator of a standard module, wherever M has it from, also
// inside a module that the root extends. TLC finds the same violations.
func TestBuiltinsAreReplacedInModules(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ asked, replaced string }{
		{`[](x \in Nat)`, "Nat <- [Naturals]Few"},
		{`[](x \in Nat)`, "Nat <- [Integers]Few"},
		{`[](x \in Nat)`, "Nat <- [Extended]Few"},
		{"[]IsNatural", "Nat <- [Naturals]Few"},
		{"[]IsNatural", "Nat <- [Extended]Few"},
		{`[](x \in Int)`, "Int <- [Integers]Few"},
		{"[](Len(<<x>>) = 1)", "Len <- [Sequences]Two"},
		{"[](Cardinality({x}) = 1)", "Cardinality <- [FiniteSets]Two"},
	} {
		folder := t.TempDir()
		write(t, folder, "Extended.tla", "---- MODULE Extended ----\nEXTENDS Integers, Sequences, FiniteSets\nVARIABLE x\nIsNatural == x \\in Nat\n====\n")
		write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Extended\nSpec == [][TRUE]_x\nFew == {0}\nTwo(s) == 2\nAsked == "+c.asked+"\n====\n")
		write(t, folder, "Random.dot", (&graph{n: 2, edges: map[[2]int]bool{{0, 1}: true, {1, 1}: true}, initial: []int{0}}).dot())
		for _, replaced := range []string{"", "CONSTANT " + c.replaced + "\n"} {
			write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Asked\n"+replaced)
			_, found, err := foundBy(ctx, folder)
			if err != nil || found != (replaced != "") {
				t.Errorf("%s, %q: violated %t, %v", c.asked, replaced, found, err)
			}
		}
	}
}

// TestConstantStandsForConstant: A <- B gives A the value that the configuration gives B, rather than one of its own, as with TLC.
func TestConstantStandsForConstant(t *testing.T) {
	for _, c := range []struct {
		constants string
		violated  bool // [](A # B)
	}{
		{"A = m1\nB <- A\n", true},
		{"A <- B\nB = {m1, 2}\n", true},
		{"A = 5\nA <- B\nB = 1\n", true},
		{"A = 5\nB = 1\n", false},
	} {
		folder := t.TempDir()
		write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nCONSTANTS A, B\nVARIABLE x\nSpec == [][TRUE]_x\nAsked == [](A # B)\n====\n")
		write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Asked\nCONSTANTS "+c.constants)
		write(t, folder, "Random.dot", (&graph{n: 2, edges: map[[2]int]bool{{0, 1}: true, {1, 1}: true}, initial: []int{0}}).dot())
		_, found, err := foundBy(context.Background(), folder)
		if err != nil || found != c.violated {
			t.Errorf("%s: violated %t, %v", c.constants, found, err)
		}
	}
}

// lasso has states, after the last of which it goes on at number back.
type lasso struct {
	states []int
	back   int
}

func (l lasso) next(i int) int {
	if i+1 == len(l.states) {
		return l.states[l.back]
	}
	return l.states[i+1]
}

// foundBy returns a run that violates what is asked, and whether there is one.
func foundBy(ctx context.Context, folder string) (lasso, bool, error) {
	none := func(err error) (lasso, bool, error) { return lasso{}, false, err }
	s, err := liveness.Load(ctx, filepath.Join(folder, "Random.tla"), filepath.Join(folder, "Random.cfg"), nil)
	if err != nil {
		return none(err)
	}
	m, _, err := format.Open(ctx, filepath.Join(folder, "Random.dot"), format.Options{Name: "Random.dot", States: true, Constrained: true})
	if err != nil {
		return none(err)
	}
	g, err := s.On(ctx, m.LTS, m.States, false, m.Outside...)
	if err != nil {
		return none(err)
	}
	instances, err := s.Instances(ctx)
	if err != nil {
		return none(err)
	}
	for _, i := range instances {
		question, err := g.Ask(ctx, i)
		if err != nil {
			return none(err)
		}
		e, err := explain.Check(ctx, question.Model, question.Formula, explain.Options{Fair: question.Fair})
		if err != nil {
			return none(err)
		}
		if e.Verdict != explain.Violated {
			continue
		}
		number := func(s lts.State) int {
			n, err := strconv.Atoi(m.States.Text(0, m.States.Value(s, 0)))
			if err != nil {
				return -1
			}
			return n
		}
		trace := e.Trace()
		var l lasso
		begins, at := 0, question.Model.Initial()
		added := m.LTS.Before() > 0
		for i := range trace.Len() {
			step := trace.Step(i)
			if at = step.To; added && step.From == m.LTS.Initial() {
				begins = 1
				continue
			}
			l.states = append(l.states, number(step.From))
		}
		start, loops := trace.LoopStart()
		if l.back = start - begins; !loops {
			l.states = append(l.states, number(at))
			l.back = len(l.states) - 1
		}
		return l, true, nil
	}
	return none(nil)
}

// graph is a random one of states 0 to n-1, and what a specification says of it.
type graph struct {
	*rand.Rand
	n       int
	edges   map[[2]int]bool
	initial []int
	outside map[int]bool
	fair    []*formula
	config  string
}

func newGraph(random *rand.Rand) *graph {
	g := &graph{Rand: random, edges: map[[2]int]bool{}, outside: map[int]bool{}, config: "SPECIFICATION Spec\nPROPERTY Asked\n"}
	g.n = 1 + g.IntN(4)
	for s := range g.n {
		for range g.IntN(3) {
			g.edges[[2]int{s, g.IntN(g.n)}] = true
		}
	}
	g.initial = []int{0}
	if g.n > 1 && g.IntN(4) == 0 {
		g.initial = []int{0, 1}
	}
	if g.IntN(5) == 0 {
		g.config += "CONSTRAINT Inside\n"
		g.outside[g.IntN(g.n)] = true
	}
	for range g.IntN(3) {
		g.fair = append(g.fair, g.fairness())
	}
	return g
}

func (g *graph) isEdge(s, t int) bool {
	return !g.outside[s] && !g.outside[t] && (s == t || g.edges[[2]int{s, t}])
}

func (g *graph) isRun(l lasso) bool {
	for i, s := range l.states {
		if !g.isEdge(s, l.next(i)) {
			return false
		}
	}
	return slices.Contains(g.initial, l.states[0])
}

func (g *graph) isFair(l lasso) bool {
	return !slices.ContainsFunc(g.fair, func(f *formula) bool { return !f.at(l, 0) })
}

// lassos goes through all of at most so many steps.
func (g *graph) lassos(most int, do func(lasso)) {
	var walk func(path []int)
	walk = func(path []int) {
		last := path[len(path)-1]
		for t := range g.n {
			if !g.isEdge(last, t) {
				continue
			}
			for back, s := range path {
				if s == t {
					do(lasso{path, back})
				}
			}
			if len(path) < most {
				walk(append(path[:len(path):len(path)], t))
			}
		}
	}
	for _, s := range g.initial {
		if !g.outside[s] {
			walk([]int{s})
		}
	}
}

func (g *graph) dot() string {
	var b strings.Builder
	b.WriteString("strict digraph DiskGraph {\nsubgraph cluster_graph {\ncolor=\"white\";\n")
	for s := range g.n {
		style := ""
		if slices.Contains(g.initial, s) {
			style = ",style = filled"
		}
		fmt.Fprintf(&b, "%d [label=\"x = %d\"%s]\n", s+1, s, style)
	}
	for s := range g.n {
		for t := range g.n {
			if g.edges[[2]int{s, t}] {
				fmt.Fprintf(&b, "%d -> %d [label=\"Go\"];\n", s+1, t+1)
			}
		}
	}
	return b.String() + "}\n}\n"
}

func (g *graph) module(asked *formula) string {
	fair := ""
	for _, f := range g.fair {
		fair += " /\\ " + f.text()
	}
	var out []int
	for s := range g.outside {
		out = append(out, s)
	}
	return fmt.Sprintf("---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\n"+instances+"Spec == [][TRUE]_x%s\nInside == x \\notin %s\nAsked == %s\n====\n", fair, listed(out), asked.text())
}

func listed(all []int) string {
	return "{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", ", "), "[]") + "}"
}

// formula is one about runs: in is a set of states, and steps a set of pairs of them, which may have states that are not there.
type formula struct {
	sign  string
	parts []*formula
	in    []int
	steps [][2]int
	// around are expressions with the same value that the text stands in, the innermost first.
	around []string
}

// sameValue are expressions that have the value of %s, a predicate of states: parentheses and lists by layout, local
// definitions and operators, functions, records, tuples and choices. Names end with $, which stands for a number.
var sameValue = []string{
	"(%s)", "((%s))", "~(~(%s))", "~~(%s)", "(%s /\\ TRUE)", "(FALSE \\/ %s)", "(%s <=> TRUE)", "(TRUE => %s)", "(%s = TRUE)",
	"(\n/\\ %s\n/\\ TRUE)", "(\n\\/ FALSE\n\\/ %s)",
	"(LET w$ == %s IN w$)", "(LET o$(z$) == z$ /\\ %s IN o$(TRUE))", "(LET v$ == 1 w$ == ~(%s) IN v$ = 1 /\\ ~w$)",
	"(LET h$[k$ \\in {0, 1}] == IF k$ = 0 THEN %s ELSE h$[k$ - 1] IN h$[1])",
	"([i$ \\in {0, 1} |-> IF i$ = 0 THEN FALSE ELSE %s])[1]",
	// Without = TRUE, TLC 2026 ignores EXCEPT where it looks for the steps of an action.
	"(([[i$ \\in {0, 1} |-> FALSE] EXCEPT ![1] = %s])[1] = TRUE)",
	"([[i$ \\in {0, 1} |-> [a |-> TRUE, b |-> FALSE]] EXCEPT ![1].a = @ /\\ %s])[1].a",
	"(\\E c$ \\in {TRUE} : c$ = %s)", "(\\A c$ \\in {FALSE} : c$ # %s)", "(CHOOSE c$ \\in {TRUE, FALSE} : c$ = %s)",
	"(LET Ap$(o$(_), a$) == o$(a$) IN Ap$(LAMBDA z$ : z$ /\\ %s, TRUE))",
	"(LET Ap$(o$(_, _), a$) == o$(a$, FALSE) IN Ap$(LAMBDA y$, z$ : (y$ \\/ z$) /\\ (%s), TRUE))",
	"(IF %s THEN TRUE ELSE FALSE)", "(CASE %s -> TRUE [] OTHER -> FALSE)", "<<FALSE, %s>>[2]", "[a |-> FALSE, b |-> %s].b",
	"(%s \\in {TRUE})", "({} # {y$ \\in {x} : %s})", "(TRUE \\in {y$ /\\ %s : y$ \\in {TRUE}})", "(\\E y$ \\in {x} : LET z$ == y$ IN %s /\\ z$ = x)",
	"Id(%s)", "Par(1)!Has(%s)", "(~Par(2)!Has(TRUE) /\\ Par(1)!Same(%s))", "(\\A y$ \\in {1} : Par(y$)!Has(%s))", "(LET I$ == INSTANCE Inner WITH c0 <- 1 IN I$!Has(%s))",
	"(\\E y$ \\in {0} : LET I$(a$) == INSTANCE Inner WITH c0 <- a$ + y$ IN I$(1)!Has(%s))",
}

// instances are the definitions that [sameValue] and [sameMeaning] use.
const instances = "---- MODULE Inner ----\nCONSTANT c0\nSame(g0) == g0\nHas(g0) == c0 = 1 /\\ g0\n====\nPar(k0) == INSTANCE Inner WITH c0 <- k0\nId(g0) == g0\n"

// sameMeaning are what a formula about runs may stand in, and remains about all states, all steps or the first state, if it is.
var sameMeaning = []string{
	"(%s)", "((%s))", "(%s /\\ TRUE)",
	"(LET t$ == %s IN t$)", "(LET v$ == 1 t$(a$, b$) == %s IN t$(v$, v$))", "Id(%s)", "(LET j$(a$) == a$ IN j$(%s))", "Par(1)!Same(%s)",
	"(LET I$ == INSTANCE Inner WITH c0 <- 1 IN I$!Same(%s))", "(LET I$(a$) == INSTANCE Inner WITH c0 <- a$ IN I$(2)!Same(%s))",
}

// surround puts a formula into some expressions with the same value.
func (g *graph) surround(f *formula) {
	of := sameMeaning
	if f.isOfState() {
		of = sameValue
	}
	for range g.IntN(6) / 3 {
		f.around = append(f.around, of[g.IntN(len(of))])
	}
}

func (g *graph) action() [][2]int {
	var all [][2]int
	for range g.IntN(4) {
		all = append(all, [2]int{g.IntN(g.n), g.IntN(g.n + 1)})
	}
	return all
}

func (g *graph) fairness() *formula {
	return &formula{sign: []string{"WF", "SF"}[g.IntN(2)], steps: g.action()}
}

func (g *graph) formula(depth int) *formula {
	f := &formula{}
	kinds := 14
	if depth == 0 {
		kinds = 3
	}
	parts := func(n int) {
		for range n {
			f.parts = append(f.parts, g.formula(depth-1))
		}
	}
	switch k := g.IntN(kinds); k {
	default:
		f.sign = "in"
		for s := range g.n {
			if g.IntN(2) == 0 {
				f.in = append(f.in, s)
			}
		}
	case 3, 4:
		f.sign = "[]"
		parts(1)
	case 5, 6:
		f.sign = "<>"
		parts(1)
	case 7:
		f.sign = "~>"
		parts(2)
	case 8, 9, 10:
		f.sign = []string{`/\`, `\/`, "=>"}[k-8]
		parts(2)
	case 11:
		f.sign = "~"
		parts(1)
	case 12:
		return g.fairness()
	case 13:
		f.sign, f.steps = []string{"box", "diamond"}[g.IntN(2)], g.action()
	}
	g.surround(f)
	return f
}

func (f *formula) text() string {
	text := f.plain()
	for _, around := range f.around {
		text = inside(around, text)
	}
	return text
}

// inside returns an expression of [sameValue] around a text. A list stands further to the left than those in it, and no
// name is bound again where it has a meaning.
func inside(around, text string) string {
	margin := strings.Repeat(" ", max(2, 80-3*strings.Count(text, "\n")))
	around = strings.ReplaceAll(around, "\n", "\n"+margin)
	around = strings.ReplaceAll(around, "$", strconv.Itoa(len(text)))
	return strings.Replace(around, "%s", text, 1)
}

// plain is the text without what is around it.
func (f *formula) plain() string {
	action := func() string {
		var all []string
		for _, p := range f.steps {
			all = append(all, fmt.Sprintf("<<%d, %d>>", p[0], p[1]))
		}
		return fmt.Sprintf(`\E t \in {%s} : x = t[1] /\ x' = t[2]`, strings.Join(all, ", "))
	}
	switch f.sign {
	case "in":
		return `(x \in ` + listed(f.in) + ")"
	case "WF", "SF":
		return f.sign + "_x(" + action() + ")"
	case "box":
		return "[][" + action() + "]_x"
	case "diamond":
		return "<><<" + action() + ">>_x"
	case "[]", "<>", "~":
		return f.sign + "(" + f.parts[0].text() + ")"
	}
	return "((" + f.parts[0].text() + ") " + f.sign + " (" + f.parts[1].text() + "))"
}

// isUnsafe reports whether a lasso violates a conjunct about all states, all steps or the first state, which fairness does not excuse.
func (f *formula) isUnsafe(l lasso) bool {
	switch {
	case f.sign == `/\`:
		return f.parts[0].isUnsafe(l) || f.parts[1].isUnsafe(l)
	case f.isOfState(), f.sign == "box", f.sign == "[]" && f.parts[0].isOfState():
		return !f.at(l, 0)
	}
	return false
}

// isUnsafeAlone reports whether a conjunct about a state by itself is violated in a state where a run would begin.
func (f *formula) isUnsafeAlone(s int) bool {
	switch {
	case f.sign == `/\`:
		return f.parts[0].isUnsafeAlone(s) || f.parts[1].isUnsafeAlone(s)
	case f.isOfState(), f.sign == "[]" && f.parts[0].isOfState():
		return !f.at(lasso{states: []int{s}}, 0)
	}
	return false
}

// isOfState reports whether a formula is about one state.
func (f *formula) isOfState() bool {
	return slices.Contains([]string{"in", "~", `/\`, `\/`, "=>"}, f.sign) && !slices.ContainsFunc(f.parts, func(part *formula) bool { return !part.isOfState() })
}

// at reports whether a formula holds of a lasso from a number on.
func (f *formula) at(l lasso, i int) bool {
	// later returns what some, or each, of the numbers that follow fulfils.
	some := func(of func(int) bool) bool {
		for j := min(i, l.back); j < len(l.states); j++ {
			if j >= i || j >= l.back {
				if of(j) {
					return true
				}
			}
		}
		return false
	}
	taken := func(j int) bool {
		return l.states[j] != l.next(j) && slices.Contains(f.steps, [2]int{l.states[j], l.next(j)})
	}
	can := func(j int) bool {
		return slices.ContainsFunc(f.steps, func(p [2]int) bool { return p[0] == l.states[j] && p[1] != p[0] })
	}
	inLoop := func(of func(int) bool) bool {
		for j := l.back; j < len(l.states); j++ {
			if of(j) {
				return true
			}
		}
		return false
	}
	switch f.sign {
	case "in":
		return slices.Contains(f.in, l.states[i])
	case "[]":
		return !some(func(j int) bool { return !f.parts[0].at(l, j) })
	case "<>":
		return some(func(j int) bool { return f.parts[0].at(l, j) })
	case "~>":
		return !some(func(j int) bool {
			return f.parts[0].at(l, j) && !(&formula{sign: "<>", parts: f.parts[1:]}).at(l, j)
		})
	case "box":
		return !some(func(j int) bool {
			return l.states[j] != l.next(j) && !taken(j)
		})
	case "diamond":
		return some(taken)
	case "WF":
		return inLoop(taken) || inLoop(func(j int) bool { return !can(j) })
	case "SF":
		return inLoop(taken) || !inLoop(can)
	case "~":
		return !f.parts[0].at(l, i)
	case `/\`:
		return f.parts[0].at(l, i) && f.parts[1].at(l, i)
	case `\/`:
		return f.parts[0].at(l, i) || f.parts[1].at(l, i)
	}
	return !f.parts[0].at(l, i) || f.parts[1].at(l, i)
}
