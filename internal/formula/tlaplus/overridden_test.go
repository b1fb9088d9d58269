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
		{`TLCGet("level") < 5`, "in a CONSTRAINT, bound a variable instead"},
		{`RandomSubset(1, {1}) = {1}`, "RandomSubset depends on how TLC runs, and has no value in a graph"},
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
