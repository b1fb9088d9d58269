package tlaplus

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/property/values"
)

// holdsOf reports what the definition P of a module says of a state where each variable has the given value.
func holdsOf(t *testing.T, module, value string) (bool, error) {
	t.Helper()
	ctx := context.Background()
	s, err := ofText(ctx, module)
	if err != nil {
		return false, err
	}
	p, err := s.said("P")
	if err != nil {
		return false, err
	}
	var state []values.Value
	for range s.variables {
		state = append(state, values.Parse(value))
	}
	return s.Evaluator(ctx).Holds(p, state, state, nil)
}

// TestNamesThatBeginWithUnderscores: a name of a module or a formula may begin with an underscore, which begins a subscript only
// after ] and >>.
func TestNamesThatBeginWithUnderscores(t *testing.T) {
	ctx := context.Background()
	s, err := ofText(ctx, `---- MODULE M ----
VARIABLE _x
_Small == _x = 0
====
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"_Small", "_x = 0", "~[_x' = 1]_<<_x>>", "[_x' = _x]__x"} {
		p, err := s.said(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		holds, err := s.Evaluator(ctx).Holds(p, []values.Value{values.Parse("0")}, []values.Value{values.Parse("2")}, nil)
		isSmall := strings.HasPrefix(text, "_")
		isChanged := strings.HasPrefix(text, "~")
		if err != nil || holds != (isSmall || isChanged) {
			t.Errorf("%s: %t, error %v", text, holds, err)
		}
	}
}

// TestProducts: only parentheses around a product make it a factor of another one.
func TestProducts(t *testing.T) {
	for _, text := range []string{
		`<<0, 1, 0>> \in (0..1) \X (0..1) \X (0..1)`,
		`<<0, 1, 0>> \in (0..1) \X {1} \times (0..1)`,
		`<<0, 1, 0>> \in ((0..1)) \X ((0..1)) \X ((0..1))`,
		`<<0, 1, 0, 1>> \in (0..1) \X (0..1) \X (0..1) \X (0..1)`,
		`<<<<0, 1>>, 0>> \in ((0..1) \X (0..1)) \X (0..1)`,
		`<<<<0, 1>>, 0, 1>> \in ({0} \X {1}) \X (0..1) \X (0..1)`,
		`<<0, <<1, 0>>>> \in (0..1) \X ((0..1) \X (0..1))`,
		`<<<<0, 1, 0>>, 1>> \in ((0..1) \X (0..1) \X (0..1)) \X (0..1)`,
		`<<<<<<0, 1>>, 0>>, 1>> \in (((0..1) \X (0..1)) \X (0..1)) \X (0..1)`,
		`<<0, 1, 0>> \in (* a comment *) (0..1) (* ( *) \X (0..1) \X (0..1)`,
	} {
		if holds, err := holdsOf(t, "---- MODULE M ----\nEXTENDS Integers\nP == "+text+"\n====\n", ""); err != nil || !holds {
			t.Errorf("%s: %t, error %v", text, holds, err)
		}
	}
}

// TestPrefixesBindFirst: SUBSET, UNION and DOMAIN bind before the operators on sets, and need parentheses beside those on numbers, as in SANY.
func TestPrefixesBindFirst(t *testing.T) {
	for _, text := range []string{
		`SUBSET {1} \ {{}} = {{1}}`, `UNION {{1}} \cup {2} = {1, 2}`, `{1} \cup UNION {{2}, {3}} = {1, 2, 3}`,
		`{1} \cup UNION {{2}} \cup {3} = {1, 2, 3}`, `UNION {1..2} = 1..2`, `DOMAIN <<7>> \cup {3} = {1, 3}`, `{1} \X UNION {{2}} = {<<1, 2>>}`, `UNION UNION {{{1}}} \cup {2} = {1, 2}`, `DOMAIN <<7>> = {1}`,
	} {
		if holds, err := holdsOf(t, "---- MODULE M ----\nEXTENDS Integers\nP == "+text+"\n====\n", ""); err != nil || !holds {
			t.Errorf("%s: %t, error %v", text, holds, err)
		}
	}
	for _, text := range []string{`UNION {1} \X {2} = {}`, `SUBSET {1} + 2 = {}`, `DOMAIN <<7>> % 2 = 1`, `ENABLED TRUE = TRUE`} {
		if _, err := holdsOf(t, "---- MODULE M ----\nEXTENDS Integers\nP == "+text+"\n====\n", ""); err == nil || !strings.Contains(err.Error(), "precedence conflict") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestLabels: an expression with a label is read as without it, and a label goes as far as an expression does.
func TestLabels(t *testing.T) {
	for _, text := range []string{
		`low:: 1 < 2`, "\n  \\/ low:: 2 < 1\n  \\/ top:: /\\ 1 < 2\n           /\\ 2 < 3\n", `\E a \in {1} : P1(a):: a = 1`,
		`\A a \in {1}, b \in {2} : P1(a, b):: a < b`, `P1::P2:: TRUE`, `~P1:: 1 = 2`, `F(P1:: 2) = 2`, `IF P1:: TRUE THEN P2:: TRUE ELSE FALSE`,
		`F(1) = 1`, `(LET G(a) == P1:: a IN G(3)) = 3`, `{P1:: 1, P2:: 2} = {1, 2}`,
	} {
		holds, err := holdsOf(t, "---- MODULE M ----\nEXTENDS Integers\nF(a) == a\nP == "+text+"\n====\n", "")
		if err != nil || !holds {
			t.Errorf("%s: %t, error %v", text, holds, err)
		}
	}
}

// TestPartsOfDefinitions: Def!2 and Def!label are the parts that TLC takes them for.
func TestPartsOfDefinitions(t *testing.T) {
	const definitions = `
Inv == /\ 1 + 2 = 3
       /\ IF 1 < 2 THEN 5 = 5 ELSE 6 = 7
       /\ low:: 3 > 2
Two(a, b) == <<a + b, {a, b}, top:: a - b>>
L == LET k == 7 IN k + inner:: k * 2
J(a) == \/ a = 1
        \/ /\ a = 2
           /\ P1:: a > 1
Q == \A a \in {1} : a = 1
R == \A a \in {1} : \E c \in {1, 2} : low(a, c):: a = c
S == \A a \in {1} : low(a):: \E c \in {1, 2} : lower(c):: a = c
Swapped == \A a \in {1} : \E c \in {1, 2} : swap(c, a):: a < c
Bare == \A a \in {1} : bare:: a = 1
F[a \in {1}] == a
`
	for text, want := range map[string]string{
		"Inv!1": "TRUE", "Inv!1!1": "3", "Inv!1!<<": "3", "Inv!1!>>": "3", "Inv!2!1": "TRUE", "Inv!2!3!2": "7", "Inv!low": "TRUE",
		"Inv!low!1": "3", "Two(5, 3)!1": "8", "Two(5, 3)!2!2": "3", "Two(5, 3)!top": "2", "L!inner": "14", "L!inner!1": "7", "L!1!2": "14",
		"J(2)!2!1": "TRUE", "J(2)!P1!2": "1", "Inv!3": "TRUE", "L!1": "21", "Two(5, 3)!1!1": "5", "Inv!:": "TRUE", "L!:": "21",
		"Q!1": "{1}", "Q!(2)": "FALSE", "Q!(2)!1": "2", "R!(3)!1": "{1, 2}", "R!(3)!(3)": "TRUE", "R!low(3, 1)": "FALSE", "R!low(2, 2)!1": "2", "S!low(2)!lower(2)": "TRUE", "Swapped!swap(2, 1)": "TRUE", "Swapped!swap(1, 2)": "FALSE", "Two(5, 3)!1!<<": "5",
	} {
		module := "---- MODULE M ----\nEXTENDS Integers" + definitions + "P == (" + text + ") = " + want + "\n====\n"
		if holds, err := holdsOf(t, module, ""); err != nil || !holds {
			t.Errorf("%s: %t, error %v", text, holds, err)
		}
	}
	for text, want := range map[string]string{
		"Inv!4":    "Inv!4 names part 4 of /\\ 1 + 2 = 3 /\\ IF 1 < 2 THEN 5 = 5 ELSE 6 = 7 /\\ low:: 3 > 2, which has 3",
		"Inv!none": "has no part none outside of quantifiers",
		"Q!2":      "names part 2 of \\A a \\in {1} : a = 1, which has 1",
		"F!1":      "names a part of F, which is no operator",

		"Bare!bare(1)":  "the label bare has to name a in parentheses, which is bound around it",
		"Two!top(5, 3)": "Two in Two!top(5, 3) takes 2 arguments, found 0", "Two(5, 3)!1(3)": "1 in Two(5, 3)!1(3) takes 0 arguments, found 1",
		"J!P1(2)": "J in J!P1(2) takes 1 argument, found 0", "R!low(1)": "low in R!low(1) takes 2 arguments, found 1",
		"S!low!lower(1, 2)": "low in S!low!lower(1, 2) takes 1 argument, found 0", "S!low(1, 2)!lower": "low in S!low(1, 2)!lower takes 1 argument, found 2",
		"R!(1, 2)!1": "!() in R!(1, 2)!1 takes 1 argument, found 2",
	} {
		_, err := holdsOf(t, "---- MODULE M ----\nEXTENDS Integers"+definitions+"P == ("+text+") = 1\n====\n", "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestNamesAroundLocalFunctions: what a function of LET is over, and what it says, see the names that are bound around it.
func TestNamesAroundLocalFunctions(t *testing.T) {
	const orders = `Orders(S) ==
  LET f[T \in SUBSET S] ==
        IF T = {} THEN {<<>>}
        ELSE LET g == [x \in T |-> {Append(w, x) : w \in f[T \ {x}]}]
             IN UNION {g[x] : x \in T}
  IN f[S]
`
	for name, text := range map[string]string{
		"orders":            orders + `P == Orders({1, 2}) = {<<1, 2>>, <<2, 1>>}`,
		"orders of a state": orders + `P == Orders({v, v + 1}) = {<<v, v + 1>>, <<v + 1, v>>}`,
		"over a parameter":  `F(n) == LET f[i \in 0..n] == IF i = 0 THEN n ELSE 1 + f[i - 1] IN f[n]` + "\n" + `P == F(3) = 6`,
		"two bounds":        `F(n, k) == LET f[i \in 0..n, j \in 0..k] == IF i = 0 THEN j ELSE 1 + f[i - 1, j] IN f[n, k]` + "\n" + `P == F(3, 2) = 5`,
		"a tuple":           `F(n) == LET f[<<i, j>> \in (0..n) \X (0..n)] == IF i = 0 THEN j ELSE 1 + f[i - 1, j] IN f[n, n]` + "\n" + `P == F(2) = 4`,
		"in each other":     `F(n) == LET f[i \in 0..n] == LET g[j \in 0..i] == IF j = 0 THEN n ELSE g[j - 1] + 1 IN IF i = 0 THEN 0 ELSE g[i] + f[i - 1] IN f[2]` + "\n" + `P == F(2) = 7`,
		"in a set":          `P == {LET f[i \in 0..n] == IF i = 0 THEN n ELSE f[i - 1] + 1 IN f[n] : n \in 1..3} = {2, 4, 6}`,
		"in EXCEPT":         `P == [[i \in 1..2 |-> i] EXCEPT ![2] = LET f[i \in 0..@] == IF i = 0 THEN @ ELSE f[i - 1] + 1 IN f[@]] = <<1, 4>>`,
		"in CHOOSE":         `P == (CHOOSE n \in 0..3 : LET f[i \in 0..n] == IF i = 0 THEN n ELSE f[i - 1] + n IN f[n] = 6) = 2`,
		"in LAMBDA":         `A(Op(_), n) == Op(n)` + "\n" + `P == A(LAMBDA k : LET f[i \in 0..k] == IF i = 0 THEN k ELSE f[i - 1] + 1 IN f[k], 3) = 6`,
		"of a name of LET":  `P == LET n == 2 f[i \in 0..n] == IF i = 0 THEN n ELSE f[i - 1] + 1 IN f[n] = 4`,
	} {
		if holds, err := holdsOf(t, "---- MODULE M ----\nEXTENDS Integers, Sequences\nVARIABLE v\n"+text+"\n====\n", "7"); err != nil || !holds {
			t.Errorf("%s: %t, error %v", name, holds, err)
		}
	}
}

// TestMutualRecursion: definitions that use each other depend on the variables that any of them reads.
func TestMutualRecursion(t *testing.T) {
	const module = `---- MODULE M ----
EXTENDS Integers
VARIABLE v
RECURSIVE Even(_), Odd(_)
Even(n) == IF n = 0 THEN v = 7 ELSE Odd(n - 1)
Odd(n) == IF n = 0 THEN FALSE ELSE Even(n - 1)
Q == Even(2)
P == Q /\ Odd(1)
====
`
	ctx := context.Background()
	s, err := ofText(ctx, module)
	if err != nil {
		t.Fatal(err)
	}
	v := s.Evaluator(ctx)
	for _, text := range []string{"P", "Odd(1)", "Even(2)", "Q", `\A n \in {1} : Odd(n)`, "LET n == 1 IN Odd(n)"} {
		p, err := s.said(text)
		if err != nil {
			t.Fatal(err)
		}
		if p.Level != State || len(p.Reads) != 1 {
			t.Errorf("%s has level %d and reads %v", text, p.Level, p.Reads)
		}
		for value, want := range map[string]bool{"7": true, "8": false} {
			if holds, err := v.Holds(p, []values.Value{values.Parse(value)}, nil, nil); err != nil || holds != want {
				t.Errorf("%s where v = %s: %t, error %v", text, value, holds, err)
			}
		}
	}
}

// TestKeys: predicates of a formula have the same key only if they have the same meaning.
func TestKeys(t *testing.T) {
	const many = `{"aaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "ccccccccccccccccccccccc"}`
	for text, want := range map[string]int{
		`<>(v = 1) /\ <>(v = 1) /\ <>((v = 1))`: 1,
		`<>(v = 1) /\ <>(v = 2)`:                2,
		`\A n \in {1, 2} : <>(v = n)`:           2,
		`\A n \in {1, 2} : <>(v = 1)`:           1,
		"<>(\n/\\ v = 1\n/\\ v = 2\n   \\/ v = 3) /\\ <>(\n\\/ /\\ v = 1\n   /\\ v = 2\n\\/ v = 3)":        2,
		"<>(\n\\/ /\\ v = 1\n   /\\ v = 2\n   \\/ v = 3) /\\ <>(\n\\/ /\\ v = 1\n   /\\ v = 2\n\\/ v = 3)": 2,
		`\A n \in {1, 2} : LET F(k) == v = k + n IN <>F(1)`:                                                2,
		`(LET F(k) == v = k IN <>F(1)) /\ (LET F(k) == v # k IN <>F(1))`:                                   2,
		`\A s \in {` + many + `, ` + many + ` \cup {"d"}} : <>(v \in s)`:                                   2,
		`<>A!Two /\ <>B!Two`:       2,
		`<>A!Two /\ <>A!Two`:       1,
		`<>(Both!1) /\ <>(Both!2)`: 2,
		`<>(Both!1) /\ <>(Both!1)`: 1,
		`(LET I == INSTANCE N WITH w <- v IN <>I!Two) /\ (LET I == INSTANCE N WITH w <- v + 1 IN <>I!Two)`: 2,
		`\A n \in {1, 2} : LET I == INSTANCE N WITH w <- v + n IN <>I!Two`:                                 2,
		`LET I == INSTANCE N WITH w <- v + 1 IN <>I!Two /\ <>I!Two`:                                        1,
		`<>(\E n \in {1} : v = n) /\ <>(\E k \in {1} : v = k)`:                                             2,
		`\A n \in {1, 2} : <>(\E k \in {3} : v = k)`:                                                       1,
		`\A n \in {1, 2} : <>([k \in {3} |-> v + k][3] = [[k \in {3} |-> 1] EXCEPT ![3] = @][3])`:          1,
	} {
		s, err := ofText(context.Background(), "---- MODULE M ----\nEXTENDS Integers\nVARIABLE v\nCONSTANT C\nA == INSTANCE N WITH w <- v\nB == INSTANCE N WITH w <- v + 1\n"+
			"---- MODULE N ----\nVARIABLE w\nTwo == w = 2\n====\nBoth == v = 1 /\\ v = 2\nP == "+text+"\n====\n")
		if err != nil {
			t.Fatal(err)
		}
		f, err := s.Property("P")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		keys := map[string]bool{}
		var add func(f *Formula)
		add = func(f *Formula) {
			if f.Operator == Holds {
				keys[f.Predicate.Key] = true
			}
			for _, part := range f.Parts {
				add(part)
			}
		}
		add(f)
		if len(keys) != want {
			t.Errorf("%s: %d keys, want %d", text, len(keys), want)
		}
	}
}

// TestReplacements: what a configuration puts for a definition counts wherever that definition is used, also in instances,
// and does not count for another definition of the same name. TLC gives the same answers.
func TestReplacements(t *testing.T) {
	const low = "---- MODULE Low ----\nEXTENDS Naturals\nBase == 10\nDeep == Base + 1\n====\n"
	const mod = "---- MODULE Mod ----\nEXTENDS Low\nCONSTANT K\nSize == 3\nLim == Size * 2\nNums == Nat\nGot == K + Size\nBelow == Deep\n====\n"
	const root = `---- MODULE Over ----
EXTENDS Low
CONSTANT Given
VARIABLE n
I == INSTANCE Mod WITH K <- 100
J == INSTANCE Mod WITH K <- n
Size == 50
MySize == 7
StateSize == n
MyNat == 0..3
MyBase == 20
MyDeep == 33
====
`
	for config, expected := range map[string]string{
		"":                               `I!Lim = 6 /\ 5 \in I!Nums /\ I!Got = 103 /\ I!Below = 11 /\ Base = 10 /\ Deep = 11 /\ I!Size = 3 /\ Size = 50`,
		"CONSTANT Size <- [Mod] MySize":  `I!Lim = 14 /\ I!Got = 107 /\ I!Size = 7 /\ Size = 50`,
		"CONSTANT Nat <- MyNat":          `I!Lim = 6 /\ 5 \notin I!Nums /\ I!Nums = 0..3`,
		"CONSTANT Size <- MySize":        `I!Lim = 6 /\ I!Size = 3 /\ Size = 7`,
		"CONSTANT Base <- MyBase":        `I!Below = 21 /\ Base = 20 /\ Deep = 21`,
		"CONSTANT Base <- [Low] MyBase":  `I!Below = 21 /\ Base = 20 /\ Deep = 21`,
		"CONSTANT Deep <- [Mod] MyDeep":  `I!Below = 33 /\ Deep = 33`,
		"CONSTANT Deep <- [Over] MyDeep": `I!Below = 33 /\ Deep = 33`,
		"CONSTANT Base = 20":             `I!Below = 21 /\ Base = 20 /\ Deep = 21`,
		"CONSTANT Size = [Mod] 7":        `I!Lim = 14 /\ I!Got = 107 /\ I!Size = 7 /\ Size = 50`,
		"CONSTANT Base = [Low] 20":       `I!Below = 21 /\ I!Base = 20 /\ Base = 20 /\ Deep = 21`,
		"CONSTANT Nat = [Mod] {1, 9}":    `5 \in I!Nums /\ I!Lim = 6`,
		// CONSTANT Given, with a value, stands for what the module defines, as the Toolbox writes it.
		"CONSTANTS Size = 50 Size <- [Mod] Given Given = 7": `I!Lim = 14 /\ I!Got = 107 /\ I!Size = 7 /\ Size = 50`,
		// What is put for it keeps its own meaning: n is the variable of the root.
		"CONSTANT Size <- [Mod] StateSize": `I!Size = 1 /\ J!Got = 2 /\ I!Lim = 2`,
	} {
		folder := t.TempDir()
		for name, text := range map[string]string{"Low.tla": low, "Mod.tla": mod, "Over.tla": root, "Over.cfg": config} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Load(t.Context(), filepath.Join(folder, "Over.tla"), filepath.Join(folder, "Over.cfg"), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range strings.Split(expected, ` /\ `) {
			p, err := s.said(text)
			if err != nil {
				t.Errorf("%s: %s: %v", config, text, err)
				continue
			}
			holds, err := s.Evaluator(t.Context()).Holds(p, []values.Value{values.Parse("1")}, nil, nil)
			if err != nil || !holds {
				t.Errorf("%s: %s: %t, error %v", config, text, holds, err)
			}
		}
	}
}

// TestWhatCannotBeEvaluatedIsRead: what has no value is an error only where its value is needed, as with TLC; operators of all kinds are
// arguments, and are applied behind the name of an instance.
func TestWhatCannotBeEvaluatedIsRead(t *testing.T) {
	const definitions = `
VARIABLE x
Yes(a) == TRUE
Both(F(_), a) == F(F(a))
Once(F(_), a) == F(a)
Pair(F(_, _), a, b) == F(a, b)
Fold(F(_, _), a, b) == F(a, F(a, b))
Tree == /\ \A q \in {1} : q > 0
        /\ \E p, q \in {1, 2} : p < q
N == INSTANCE Naturals
Seven == 7
---- MODULE Around ----
Twofold(a) == 2 * Seven + a
====
---- MODULE Own ----
CONSTANT c
Plus(a) == a + c
a ++ b == a + b + c
-. a == a * c
a ^+ == a - c
====
A == INSTANCE Around
I == INSTANCE Own WITH c <- 10
`
	for _, text := range []string{
		`TRUE \/ \A a : a = 1`, `TRUE \/ \E a, b : a = b`, `TRUE \/ x = CHOOSE a : a \notin {1}`, `TRUE \/ x = CHOOSE <<a, b>> : a = b`, `TRUE \/ x = 1.5`,
		`IF x = 0 THEN TRUE ELSE \E a : a = x`, `N!+(1, 2) = 3`, `N!<(1, 2)`, `I!++(1, 2) = 13`, `I!-.(2) = 20`, `I!^+(12) = 2`,
		`Both(-., 1) = 1`, `Both(~, TRUE)`, `Both(SUBSET, {}) = {{}, {{}}}`, `Fold(+, 1, 2) = 4`, `Fold(I!++, 1, 2) = 24`, `Both(I!Plus, 1) = 21`, `Both(I!-., 2) = 200`,
		`Once(Tree!1!@, 1)`, `Tree!1!(1)`, `Tree!2!(1, 2)`, `Pair(Tree!2!@, 1, 2)`, `A!Twofold(1) = 15`, `Both(A!Twofold, 1) = 29`,
		`TRUE \/ ENABLED ((x' = 1) \cdot (x' = 2))`, `TRUE \/ ENABLED (\E a : x' = a)`,
	} {
		module := "---- MODULE M ----\nEXTENDS Integers" + definitions + "P == " + text + "\n====\n"
		if holds, err := holdsOf(t, module, "0"); err != nil || !holds {
			t.Errorf("%s: %t, error %v", text, holds, err)
		}
	}
	for text, want := range map[string]string{
		`\A a : a = 1`:           "\\A a : a = 1 ranges over everything, and TLC evaluates quantifiers over sets alone; give its names sets",
		`x = CHOOSE a : a = 1`:   "CHOOSE a : a = 1 chooses among everything, which has no value",
		`x = 1.5`:                "1.5 is no integer, and TLC evaluates no other numbers",
		`\A a, b \in {1}, c : a`: `expected \in and a set, found :`,
	} {
		_, err := holdsOf(t, "---- MODULE M ----\nEXTENDS Integers"+definitions+"P == "+text+"\n====\n", "0")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`\EE h : [](h = x)`:        "\\EE hides variables of behaviours; TLC does not check such formulas either",
		`\A a : []<>(x = a)`:       "\\A a : []<>(x = a) ranges over everything, and a quantifier over formulas about runs needs a constant set",
		`[](x = 1) -+-> [](x = 2)`: "is about runs, and cannot be checked",
	} {
		s, err := ofText(t.Context(), "---- MODULE M ----\nEXTENDS Integers"+definitions+"P == "+text+"\n====\n")
		if err == nil {
			_, err = s.Property("P")
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
