package tlaplus

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// valuesIn returns the function that evaluates constant expressions in a module that extends others.
func valuesIn(t *testing.T, extends string, others map[string]string) func(text string) (values.Value, error) {
	t.Helper()
	folder := t.TempDir()
	modules := map[string]string{"Any": "EXTENDS " + extends}
	maps.Copy(modules, others)
	for name, body := range modules {
		text := "---- MODULE " + name + " ----\n" + body + "\n====\n"
		if err := os.WriteFile(filepath.Join(folder, name+".tla"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Load(t.Context(), filepath.Join(folder, "Any.tla"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	v := s.Evaluator(t.Context())
	return func(text string) (values.Value, error) {
		p, err := s.Expression(text)
		if err != nil {
			return values.Value{}, err
		}
		return v.In(p, nil)
	}
}

// folding defines folds as the community modules do, from the first member to the last.
const folding = `EXTENDS Naturals, Sequences
LOCAL Fold(op(_, _), base, f(_), S) ==
  LET over[T \in SUBSET S] == IF T = {} THEN base ELSE LET first == CHOOSE v \in T : TRUE IN op(f(first), over[T \ {first}]) IN over[S]
`

// TestFoldsHaveNoOrder: over random operators, a fold has the value of both orders of the members, or is refused because they differ.
func TestFoldsHaveNoOrder(t *testing.T) {
	valueOf := valuesIn(t, "Integers, Sequences, FiniteSetsExt, Functions", map[string]string{
		"FiniteSetsExt": folding + `FoldSet(op(_, _), base, S) == Fold(op, base, LAMBDA v : v, S)`,
		"Functions":     folding + `FoldFunctionOnSet(op(_, _), base, f, S) == Fold(op, base, LAMBDA v : f[v], S)` + "\n" + `FoldFunction(op(_, _), base, f) == Fold(op, base, LAMBDA v : f[v], DOMAIN f)`,
	})
	answered, refused := 0, 0
	for seed := range randomlts.Share(2_000) {
		random := rand.New(rand.NewPCG(seed, 76))
		var table [3][3]int
		rows := make([]string, 3)
		for i := range table {
			for j := range table[i] {
				table[i][j] = random.IntN(3)
			}
			rows[i] = fmt.Sprintf("<<%d, %d, %d>>", table[i][0], table[i][1], table[i][2])
		}
		items := make([]int, random.IntN(4))
		members := slices.Clone(items)
		for i := range items {
			items[i] = random.IntN(3)
			members[i] = i + 1
		}
		text := fmt.Sprint(items)
		text = "<<" + strings.ReplaceAll(text[1:len(text)-1], " ", ", ") + ">>"
		op := fmt.Sprintf("LAMBDA a, b : <<%s>>[a + 1][b + 1]", strings.Join(rows, ", "))
		all := []string{
			fmt.Sprintf("FoldFunction(%s, 1, %s)", op, text),
			fmt.Sprintf("FoldFunctionOnSet(%s, 1, %s, DOMAIN %[2]s)", op, text),
		}
		if slices.IsSorted(items) && len(slices.Compact(slices.Clone(items))) == len(items) {
			all = append(all, fmt.Sprintf("FoldSet(%s, 1, {%s})", op, text[2:len(text)-2]))
		}
		upwards, downwards := 1, 1
		for i := range items {
			upwards = table[items[i]][upwards]
			downwards = table[items[len(items)-1-i]][downwards]
		}
		for _, asked := range all {
			got, err := valueOf(asked)
			switch {
			case upwards == downwards:
				answered++
				if n, _ := got.Int64(); err != nil || int(n) != upwards {
					t.Fatalf("%s is %v (%v), want %d", asked, got, err, upwards)
				}
			case err == nil || !strings.Contains(err.Error(), "the order does not matter"):
				t.Fatalf("%s is %v (%v), but %d upwards and %d downwards", asked, got, err, upwards, downwards)
			default:
				refused++
			}
		}
	}
	if answered < 50 || refused < 20 {
		t.Errorf("%d answered and %d refused", answered, refused)
	}
}

// TestOverriddenOperators: what TLC's Java code for the community modules has another value for is refused, and atoi is a number.
func TestOverriddenOperators(t *testing.T) {
	valueOf := valuesIn(t, "Integers, Sequences, TLC, Bags, BagsExt, SequencesExt, IOUtils", map[string]string{
		"BagsExt": folding + `FoldBag(op(_, _), base, B) == Fold(op, base, LAMBDA v : LET often[n \in Nat] == op(IF n = 1 THEN base ELSE often[n - 1], v) IN often[B[v]], DOMAIN B)`,
		"SequencesExt": `EXTENDS Naturals, Sequences
SelectInSubSeq(s, from, to, Test(_)) ==
  LET found == {i \in 1 .. to - from + 1 : Test(SubSeq(s, from, to)[i])} IN IF found = {} THEN 0 ELSE CHOOSE i \in found : \A k \in found : i <= k`,
		"IOUtils": "EXTENDS Integers, TLC\natoi(text) == CHOOSE i \\in Int : ToString(i) = text",
	})
	for _, c := range []struct{ asked, want string }{
		{`FoldBag(LAMBDA a, b : a + b, 0, (2 :> 3) @@ (5 :> 1))`, "11"},
		{`FoldBag(LAMBDA a, b : a + b, 1, (2 :> 3) @@ (5 :> 1))`, "is 14 by its definition, but 12 if TLC has the jar"},
		{`FoldBag(LAMBDA a, b : Append(a, b), <<>>, (2 :> 3))`, "by its definition, but <<2, 2, 2>> if TLC"},
		{`SelectInSubSeq(<<7, 8, 7>>, 1, 3, LAMBDA v : v = 8)`, "2"},
		{`SelectInSubSeq(<<7, 8, 7>>, 2, 3, LAMBDA v : v = 9)`, "0"},
		{`SelectInSubSeq(<<7, 8, 7>>, 2, 3, LAMBDA v : v = 7)`, "is 2 by its definition, but 3 if TLC has the jar"},
		{`atoi("12") + 1`, "13"},
		{`atoi("-7")`, "-7"},
		{`atoi("012")`, `"012" is no number as ToString writes it`},
		{`atoi("x")`, `"x" is no number as ToString writes it`},
		{`TLCGet("level") < 5`, "elsewhere, count the steps in a variable"},
		{`TLCGet("diameter") < 5`, `but for TLCGet("level") in a CONSTRAINT; bound a variable instead`},
		{`RandomSubset(1, {1}) = {1}`, "RandomSubset depends on how TLC runs, and has no value in a graph"},
		{`Len(_TETrace) = 0`, "_TETrace depends on how TLC runs, and has no value in a graph"},
		{`4 / 2 = 2`, `\div divides integers`},
		{`ToJson(1)`, "ToJson is evaluated by TLC's own code, and has no value here"},
		{`TLCCache(3, {1}) + TLCNoOp(4)`, "7"},
		{`AssertEq(1, 1) /\ ~AssertEq(1, 2) /\ TLCDefer(1)`, "TRUE"},
		{`atoi(12)`, "12 is no text, but a number: 12"},
	} {
		got, err := valueOf(c.asked)
		said := got.String()
		if err != nil {
			said = err.Error()
		}
		if said != c.want && (err == nil || !strings.Contains(said, c.want)) {
			t.Errorf("%s: %s, want %s", c.asked, said, c.want)
		}
	}
}

// TestConnectedNodes: in random graphs, two nodes are connected if a path of at most as many nodes as the graph has leads from the
// one to the other; simple paths are those of these paths without a node twice, and components have the nodes that are connected.
func TestConnectedNodes(t *testing.T) {
	infinite := func(edge string) string {
		return `EXTENDS Naturals, Sequences
Path(G) == {p \in Seq(G.node) : p # << >> /\ \A i \in 1 .. Len(p) - 1 : ` + edge + ` \in G.edge}
SimplePath(G) == { p \in Path(G) : \A i, j \in 1 .. Len(p) : p[i] = p[j] => i = j }
AreConnectedIn(m, n, G) == \E p \in Path(G) : p[1] = m /\ p[Len(p)] = n
ConnectedComponents(G) == { S \in SUBSET G.node : \E p \in Path(G) : TRUE }`
	}
	valueOf := valuesIn(t, "Integers, FiniteSets", map[string]string{
		"Any": `EXTENDS Integers, FiniteSets
D == INSTANCE Graphs
U == INSTANCE UndirectedGraphs
Short(m, n, G, Edge(_, _)) ==
  \E k \in 1 .. Cardinality(G.node) : \E p \in [1 .. k -> G.node] :
    p[1] = m /\ p[k] = n /\ \A i \in 1 .. k - 1 : Edge(p[i], p[i + 1]) \in G.edge
Simple(G, Edge(_, _)) ==
  UNION { { p \in [1 .. k -> G.node] :
    /\ \A i \in 1 .. k - 1 : Edge(p[i], p[i + 1]) \in G.edge
    /\ \A i, j \in 1 .. k : p[i] = p[j] => i = j } : k \in 1 .. Cardinality(G.node) }
Components(G, Edge(_, _)) == { { n \in G.node : Short(m, n, G, Edge) } : m \in G.node }`,
		"Graphs":           infinite("<<p[i], p[i + 1]>>"),
		"UndirectedGraphs": infinite("{p[i], p[i + 1]}"),
	})
	connected := 0
	for seed := range randomlts.Share(2_000) {
		random := rand.New(rand.NewPCG(seed, 84))
		n := 1 + random.IntN(4)
		isDirected := random.IntN(2) == 0
		form := "{%d, %d}"
		if isDirected {
			form = "<<%d, %d>>"
		}
		var edges []string
		for range random.IntN(6) {
			edges = append(edges, fmt.Sprintf(form, 1+random.IntN(n+1), 1+random.IntN(n+1))) // one end may be no node
		}
		graph := fmt.Sprintf("[node |-> 1 .. %d, edge |-> {%s}]", n, strings.Join(edges, ", "))
		from, to := 1+random.IntN(n+1), 1+random.IntN(n+1)
		asked, defined := fmt.Sprintf("U!AreConnectedIn(%d, %d, %s)", from, to, graph), "{a, b}"
		if isDirected {
			asked, defined = fmt.Sprintf("D!AreConnectedIn(%d, %d, %s)", from, to, graph), "<<a, b>>"
		}
		got, err := valueOf(asked)
		want, failed := valueOf(fmt.Sprintf("Short(%d, %d, %s, LAMBDA a, b : %s)", from, to, graph, defined))
		if err != nil || failed != nil || got.String() != want.String() {
			t.Fatalf("%s: %v (error %v), want %v (error %v)", asked, got, err, want, failed)
		}
		if got.String() == "TRUE" && from != to {
			connected++
		}
		claims := []string{fmt.Sprintf("U!SimplePath(%s) = Simple(%[1]s, LAMBDA a, b : %s)", graph, defined), fmt.Sprintf("U!ConnectedComponents(%s) = Components(%[1]s, LAMBDA a, b : %s)", graph, defined)}
		if isDirected {
			claims = []string{fmt.Sprintf("D!SimplePath(%s) = Simple(%[1]s, LAMBDA a, b : %s)", graph, defined)}
		}
		for _, claim := range claims {
			if got, err := valueOf(claim); err != nil || got.String() != "TRUE" {
				t.Fatalf("%s: %v (error %v)", claim, got, err)
			}
		}
	}
	asked := "D!SimplePath([node |-> 1 .. 30, edge |-> (1 .. 30) \\X (1 .. 30)])"
	if got, err := valueOf(asked); err == nil {
		t.Errorf("%s: %v", asked, got)
	}
	if connected == 0 {
		t.Error("no nodes were connected")
	}
}

// TestStandIns: operators whose definitions only stand in for Java code are refused by name, and an operator that rests on a fold
// whose order matters is refused by its own name.
func TestStandIns(t *testing.T) {
	valueOf := valuesIn(t, "Integers, Sequences, SVG, SequencesExt", map[string]string{
		"SVG":          "NodeOfRingNetwork(cx, cy, r, n, m) == [x |-> 0, y |-> 0]",
		"SequencesExt": "LOCAL INSTANCE Functions\nLOCAL INSTANCE Sequences\nLOCAL Hidden == 1\nAllSubSeqs(s) == { FoldFunction(LAMBDA v, acc : Append(acc, v), <<>>, [ i \\in D |-> s[i] ]) : D \\in SUBSET DOMAIN s }",
		"Functions":    folding + "FoldFunction(op(_, _), base, f) == Fold(op, base, LAMBDA v : f[v], DOMAIN f)",
	})
	for asked, want := range map[string]string{
		`NodeOfRingNetwork(1, 2, 3, 1, 4)`: "NodeOfRingNetwork is computed by Java code that comes with module SVG, and has no value here; put a definition of yours in its place in the configuration (CONSTANT NodeOfRingNetwork <- Mine)",
		`AllSubSeqs(<<1, 2>>) = {}`:        "AllSubSeqs(<<1, 2>>) is {<<>>, <<1>>, <<2>>, <<2, 1>>} by its definition, but {<<>>, <<1>>, <<1, 2>>, <<2>>} if TLC has the jar of the community modules on its class path; put a definition of yours in its place in the configuration (CONSTANT AllSubSeqs <- Mine)",
		`Hidden`:                           "Hidden is not defined here: it is LOCAL to module SequencesExt, which keeps it inside",
	} {
		if _, err := valueOf(asked); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", asked, err, want)
		}
	}
}

// TestBags: the operators of Bags are compared with maps from members to numbers of copies.
func TestBags(t *testing.T) {
	valueOf := valuesIn(t, "Integers, FiniteSets, TLC, Bags", nil)
	for seed := range randomlts.Share(1_000) {
		random := rand.New(rand.NewPCG(seed, 77))
		a, b := randomBag(random), randomBag(random)
		sum, images := maps.Clone(a), bag{}
		isWithin := true
		within := 1
		for member, n := range b {
			sum[member] += n
		}
		for member, n := range a {
			isWithin = isWithin && b[member] >= n
			images[member%2] += n
			within *= n + 1
		}
		union := sum
		if maps.Equal(a, b) {
			union = a // the set has one member
		}
		claim := strings.Join([]string{
			fmt.Sprintf("BagUnion({%s, %s}) = %s", a, b, union),
			fmt.Sprintf("%s (+) %s = %s", a, b, sum),
			fmt.Sprintf(`(%s \sqsubseteq %s) = %s`, a, b, strings.ToUpper(fmt.Sprint(isWithin))),
			fmt.Sprintf("BagOfAll(LAMBDA v : v %% 2, %s) = %s", a, images),
			fmt.Sprintf("Cardinality(SubBag(%s)) = %d", a, within),
			fmt.Sprintf(`\A B \in SubBag(%s) : IsABag(B) /\ B \sqsubseteq %[1]s`, a),
			fmt.Sprintf("IsABag(%s) /\\ ~IsABag(%[1]s @@ (9 :> 0)) /\\ ~IsABag({%[1]s})", a),
		}, " /\\ ")
		if got, err := valueOf("IF " + claim + " THEN 1 ELSE 0"); err != nil || got.String() != "1" {
			t.Fatalf("%v (%v): %s", got, err, claim)
		}
	}
}

// bag has the number of copies of each member.
type bag map[int]int

func randomBag(random *rand.Rand) bag {
	b := bag{}
	for range random.IntN(5) {
		b[random.IntN(4)]++
	}
	return b
}

func (b bag) String() string {
	var all []string
	for member, n := range b {
		all = append(all, fmt.Sprintf("(%d :> %d)", member, n))
	}
	if len(all) == 0 {
		return "EmptyBag"
	}
	slices.Sort(all)
	return "(" + strings.Join(all, " @@ ") + ")"
}

// TestNestedFolds: folds in the operators of folds have the values that both orders give, and the cost grows with the depth by addition, not by a
// factor.
func TestNestedFolds(t *testing.T) {
	steps := func(depth int) int {
		text := "0"
		for i := range depth {
			text = fmt.Sprintf("FoldSet(LAMBDA a, b%d : a + b%[1]d + %s, %d, {1})", i, text, i)
		}
		s, err := Load(t.Context(), writtenFolds(t), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		v := s.Evaluator(t.Context())
		p, err := s.Expression("IF x = 1 THEN " + strings.ReplaceAll(text, "{1}", "{x}") + " ELSE 0")
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.In(p, []values.Value{values.Parse("1")})
		want := depth + depth*(depth-1)/2
		if n, _ := got.Int64(); err != nil || int(n) != want {
			t.Fatalf("at depth %d: %v (%v), want %d", depth, got, err, want)
		}
		return v.m.spent.done
	}
	six, twelve := steps(6), steps(12)
	if twelve > 3*six {
		t.Errorf("%d steps at depth 12, and %d at depth 6", twelve, six)
	}
}

// writtenFolds writes a module with a variable x and FoldSet, and returns its file.
func writtenFolds(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, body := range map[string]string{
		"Any":           "EXTENDS Integers, FiniteSetsExt\nVARIABLE x\n",
		"FiniteSetsExt": folding + "FoldSet(op(_, _), base, S) == Fold(op, base, LAMBDA v : v, S)",
	} {
		text := "---- MODULE " + name + " ----\n" + body + "\n====\n"
		if err := os.WriteFile(filepath.Join(folder, name+".tla"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "Any.tla")
}

// TestFoldsOfFolds: a fold whose operator applies a fold that depends on the order has the value of both orders, or is refused because
// they differ; definitions, functions and constants within it are those of the same order.
func TestFoldsOfFolds(t *testing.T) {
	s, err := Load(t.Context(), writtenFolds(t), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	v := s.Evaluator(t.Context())
	answered, refused := 0, 0
	for seed := range randomlts.Share(1_000) {
		random := rand.New(rand.NewPCG(seed, 78))
		inner, outer := randomTable(random), randomTable(random)
		x := random.IntN(3)
		inside := fmt.Sprintf("FoldSet(LAMBDA a, b : %s[a + 1][b + 1], x, {0, 1, 2})", inner)
		constant := strings.Replace(inside, "x", fmt.Sprint(x), 1)
		asked := []string{
			"FoldSet(LAMBDA a, b : %s[a + 1][((b + " + inside + ") %% 3) + 1], 1, {0, 1, 2})",
			"LET Inner == " + inside + " IN FoldSet(LAMBDA a, b : %s[a + 1][((b + Inner) %% 3) + 1], 1, {0, 1, 2})",
			"LET inner[n \\in 0 .. 2] == " + inside + " IN FoldSet(LAMBDA a, b : %s[a + 1][((b + inner[a]) %% 3) + 1], 1, {0, 1, 2})",
			"LET inner[n \\in Nat] == IF n = 0 THEN " + constant + " ELSE inner[n - 1] IN FoldSet(LAMBDA a, b : %s[a + 1][((b + inner[a]) %% 3) + 1], x - x + 1, {0, 1, 2})",
		}[random.IntN(4)]
		asked = fmt.Sprintf(asked, outer)
		fold := func(op table, base, plus int, members []int) int {
			for _, a := range members {
				base = op[a][(base+plus)%3]
			}
			return base
		}
		up, down := []int{0, 1, 2}, []int{2, 1, 0}
		upwards := fold(outer, 1, fold(inner, x, 0, up), up)
		downwards := fold(outer, 1, fold(inner, x, 0, down), down)
		p, err := s.Expression(asked)
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.In(p, []values.Value{values.Parse(fmt.Sprint(x))})
		switch {
		case upwards == downwards:
			answered++
			if n, _ := got.Int64(); err != nil || int(n) != upwards {
				t.Fatalf("%s is %v (%v), want %d", asked, got, err, upwards)
			}
		case err == nil || !strings.Contains(err.Error(), "the order does not matter"):
			t.Fatalf("%s is %v (%v), but %d upwards and %d downwards", asked, got, err, upwards, downwards)
		default:
			refused++
		}
	}
	if answered < 10 || refused < 10 {
		t.Errorf("%d answered and %d refused", answered, refused)
	}
}

// table is an operator on 0, 1 and 2.
type table [3][3]int

func randomTable(random *rand.Rand) (all table) {
	for i := range all {
		for j := range all[i] {
			all[i][j] = random.IntN(3)
		}
	}
	return all
}

func (t table) String() string {
	var rows []string
	for _, row := range t {
		rows = append(rows, joined(row[:], "<<", ">>"))
	}
	return "<<" + strings.Join(rows, ", ") + ">>"
}

// TestSequencesOfCharacters: Len, Tail, SubSeq and \o of strings are compared with those of Go; Head and Append take no strings, as in TLC.
func TestSequencesOfCharacters(t *testing.T) {
	valueOf := valuesIn(t, "Integers, Sequences", nil)
	for seed := range randomlts.Share(500) {
		random := rand.New(rand.NewPCG(seed, 79))
		text, other := randomText(random), randomText(random)
		from, to := random.IntN(6), random.IntN(6)
		check := func(asked, want, refusal string) {
			t.Helper()
			got, err := valueOf(asked)
			if refusal == "" && (err != nil || got.String() != want) || refusal != "" && (err == nil || !strings.Contains(err.Error(), refusal)) {
				t.Fatalf("%s is %s (%v), want %s %s", asked, got, err, want, refusal)
			}
		}
		check(fmt.Sprintf(`Len(%q)`, text), fmt.Sprint(len(text)), "")
		check(fmt.Sprintf(`%q \o %q`, text, other), fmt.Sprintf("%q", text+other), "")
		asked := fmt.Sprintf(`SubSeq(%q, %d, %d)`, text, from, to)
		switch {
		case from > to:
			check(asked, `""`, "")
		case from < 1 || to > len(text):
			check(asked, "", fmt.Sprintf("is not within a sequence of length %d", len(text)))
		default:
			check(asked, fmt.Sprintf("%q", text[from-1:to]), "")
		}
		if text == "" {
			check(`Tail("")`, "", "is empty")
		} else {
			check(fmt.Sprintf(`Tail(%q)`, text), fmt.Sprintf("%q", text[1:]), "")
		}
		check(fmt.Sprintf(`Head(%q)`, text), "", "sequence")
		check(fmt.Sprintf(`Append(%q, 1)`, text), "", "sequence")
		check(fmt.Sprintf(`%q \o <<1>>`, text), "", "sequence")
	}
}

func randomText(random *rand.Rand) string {
	text := make([]byte, random.IntN(6))
	for i := range text {
		text[i] = "abc "[random.IntN(4)]
	}
	return string(text)
}
