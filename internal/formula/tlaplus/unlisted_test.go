package tlaplus

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestMembershipWithoutListing: what is asked of large and infinite sets is answered without listing their members, as by TLC.
func TestMembershipWithoutListing(t *testing.T) {
	for text, want := range map[string]bool{
		`<<1, 2>> \in UNION {[1..n -> 1..5] : n \in 0..40}`:                                     true,
		`<<1, 6>> \in UNION {[1..n -> 1..5] : n \in 0..40}`:                                     false,
		`<<>> \in UNION {[1..n -> Nat] : n \in 0..3}`:                                           true,
		`<<1, -1>> \in UNION {[1..n -> Nat] : n \in 0..3}`:                                      false,
		`{1, 2} \in UNION {SUBSET (1..40), SUBSET {50}}`:                                        true,
		`{1, 50} \in UNION {SUBSET (1..40), SUBSET {50}}`:                                       false,
		`7 \in UNION {Nat, {-1}}`:                                                               true,
		`-2 \in UNION {Nat, {-1}}`:                                                              false,
		`{3} \in UNION {SUBSET Nat}`:                                                            true,
		`3 \in UNION SUBSET (1..40)`:                                                            true,
		`<<1, 2>> \in {s \in Seq(1..3) : Len(s) < 3}`:                                           true,
		`<<1, 2, 3>> \in {s \in Seq(1..3) : Len(s) < 3}`:                                        false,
		`5 \in {n \in Nat : n % 2 = 1}`:                                                         true,
		`6 \in {n \in Nat : n % 2 = 1}`:                                                         false,
		`<<1, 2>> \in {<<a, b>> \in Nat \X Nat : a < b}`:                                        true,
		`<<2, 1>> \in {<<a, b>> \in Nat \X Nat : a < b}`:                                        false,
		`{n \in Nat : n < 3} \cap (0..9) = 0..2`:                                                true,
		`(0..9) \ {n \in Nat : n < 3} = 3..9`:                                                   true,
		`3 \in {n \in Nat : n > 2} \cap {n \in Nat : n < 4}`:                                    true,
		`<<1>> \in [1..40 -> 1..40] \cup Seq({1})`:                                              true,
		`[a |-> 1, b |-> {}] \in [a : Nat, b : SUBSET (1..40)] \cup [a : {0}, c : 1..9999]`:     true,
		`[a |-> 1, c |-> {}] \in [a : Nat, b : SUBSET (1..40)] \cup [a : {0}, c : 1..9999]`:     false,
		`{[a |-> 1, b |-> 2]} \subseteq [a : 1..9999, b : 1..9999] \cup [c : 1..9999, d : Nat]`: true,
		`<<1, 2>> \in ([1..2 -> 1..9999]) \ ([1..2 -> {2}])`:                                    true,
		`<<2, 2>> \in ([1..2 -> 1..9999]) \ ([1..2 -> {2}])`:                                    false,
		`2 \in [i \in 1..3 |-> {n \in Nat : n >= i}][2]`:                                        true,
		`1 \in [i \in 1..3 |-> {n \in Nat : n >= i}][2]`:                                        false,
		`-1 \in <<Nat, Int>>[2]`:                                                                true,
		`-1 \in <<Nat, Int>>[1]`:                                                                false,
		`1 \in [a |-> Nat, b |-> 1..2].a`:                                                       true,
		`DOMAIN <<Nat, Int>> = 1..2`:                                                            true,
		`DOMAIN [b |-> Nat, a |-> Int] = {"a", "b"}`:                                            true,
		`3 \in (1 :> Nat @@ 2 :> {0})[1]`:                                                       true,
		`3 \in (2 :> {0} @@ 1 :> Nat @@ 2 :> Nat)[2]`:                                           false,
		`DOMAIN (1 :> Nat @@ 5 :> {0}) = {1, 5}`:                                                true,
		`\A f \in {[1..n -> 0..1] : n \in 1..2} : f # {}`:                                       true,
		`{[1..n -> 0..1] : n \in 1..2} = {[1..1 -> {0, 1}], {0, 1} \X {0, 1}}`:                  true,
		`Cardinality({[1..n -> 0..1] : n \in {1, 2}} \cup {[{1} -> 0..1]}) = 2`:                 true,
		`Cardinality(SUBSET (1..25)) = 33554432`:                                                true,
		`Cardinality([1..9 -> 1..8]) = 134217728`:                                               true,
		`Cardinality((1..9999) \X (1..9999)) = 99980001`:                                        true,
		`IsFiniteSet([1..3 -> Nat])`:                                                            false,
		`IsFiniteSet(SUBSET (1..50))`:                                                           true,
		`IsFiniteSet(SUBSET Nat)`:                                                               false,
		`IsFiniteSet(Nat \ {1})`:                                                                false,
		`IsFiniteSet(Nat \cap {1})`:                                                             true,
		`IsFiniteSet(UNION {[1..n -> Nat] : n \in 1..2})`:                                       false,
		`[n \in {m \in Nat : m > 1} |-> n + 1][4] = 5`:                                          true,
		`F(3) \subseteq F(2)`:                                                                   false,
		`F(2) \subseteq F(3)`:                                                                   true,
		`G(3) \cap (0..9) \subseteq G(2)`:                                                       false,
		`Nat \subseteq Nat`:                                                                     true,
		`Seq(Nat) \subseteq Seq(Nat)`:                                                           true,
		`LET S == {n \in Nat : n > x} IN (1 \in S) /\ (1 \in S)' = (1 > x')`:                    true,
	} {
		module := "---- MODULE M ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\nVARIABLE x\nF(k) == [{1} -> 0..k]\nG(k) == {n \\in Nat : n < k}\nP == " + text + "\n====\n"
		holds, err := holdsOf(t, module, "0")
		if err != nil || holds != want {
			t.Errorf("%s: %t, want %t, error %v", text, holds, want, err)
		}
	}
}

// TestWhatHasToBeListed: what needs all members of an infinite set, or too many, is named.
func TestWhatHasToBeListed(t *testing.T) {
	for text, want := range map[string]string{
		`\A n \in {m \in Nat : m < 3} : n < 3`:                 "asks for all members of Nat",
		`UNION {Nat, {1}} = {1}`:                               "asks for all members of Nat",
		`<<Nat>> = <<Nat>>`:                                    "asks for all members of Nat",
		`IsFiniteSet({m \in Nat : m < 3})`:                     "which cannot be decided",
		`1 \in <<Nat>>`:                                        "must be a set, but is a sequence",
		`<<Nat>>[2] = {}`:                                      "2 is not in the domain of <<Nat>>",
		`[a |-> Nat].b = {}`:                                   `"b" is not in the domain of [a |-> Nat]`,
		`99999999999999999999 + 1 = 1`:                         "99999999999999999999, which is larger than the numbers of TLC",
		`Cardinality([1..40 -> 1..40]) = 1`:                    "larger than the numbers of TLC",
		`Cardinality(SUBSET (1..40)) = 1`:                      "2^40, which is larger than the numbers of TLC",
		`\E f \in UNION {[1..9 -> 1..n] : n \in 1..9} : f = 1`: "too many",
	} {
		_, err := holdsOf(t, "---- MODULE M ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\nVARIABLE x\nP == "+text+"\n====\n", "0")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// shape is what the members of random sets are: numbers, or sets, pairs or sequences of some shape.
type shape struct {
	kind byte
	of   *shape
}

// item is a value of some shape: a number, or items.
type item struct {
	n     int
	items []item
}

// text writes an item as an expression.
func (s *shape) text(v item) string {
	if s.kind == 'n' {
		return fmt.Sprint(v.n)
	}
	var all []string
	for _, one := range v.items {
		all = append(all, s.of.text(one))
	}
	if s.kind == 's' {
		return "{" + strings.Join(all, ", ") + "}"
	}
	return "<<" + strings.Join(all, ", ") + ">>"
}

// sets makes random sets with what is a member of them.
type sets struct{ *rand.Rand }

func (g sets) shape(depth int) *shape {
	if depth == 0 || g.IntN(3) == 0 {
		return &shape{kind: 'n'}
	}
	return &shape{kind: "spq"[g.IntN(3)], of: g.shape(depth - 1)}
}

func (g sets) item(s *shape) item {
	if s.kind == 'n' {
		return item{n: g.IntN(5)}
	}
	n := g.IntN(3)
	if s.kind == 'p' {
		n = 2
	}
	v := item{}
	for range n {
		v.items = append(v.items, g.item(s.of))
	}
	return v
}

// madeSet is a set as an expression, and what is in it.
type madeSet struct {
	text string
	has  func(item) bool
}

// set returns a set whose members have a shape.
func (g sets) set(s *shape, depth int) madeSet {
	if depth > 0 {
		switch g.IntN(9) {
		case 0:
			a, b := g.set(s, depth-1), g.set(s, depth-1)
			return madeSet{"(" + a.text + ` \cup ` + b.text + ")", func(v item) bool { return a.has(v) || b.has(v) }}
		case 1:
			a, b := g.set(s, depth-1), g.set(s, depth-1)
			return madeSet{"(" + a.text + ` \cap ` + b.text + ")", func(v item) bool { return a.has(v) && b.has(v) }}
		case 2:
			a, b := g.set(s, depth-1), g.set(s, depth-1)
			return madeSet{"(" + a.text + ` \ ` + b.text + ")", func(v item) bool { return a.has(v) && !b.has(v) }}
		case 3:
			a, b := g.set(s, depth-1), g.set(s, depth-1)
			return madeSet{"{m \\in " + a.text + " : m \\in " + b.text + "}", func(v item) bool { return a.has(v) && b.has(v) }}
		case 4:
			a, b := g.set(s, depth-1), g.set(s, depth-1)
			return madeSet{"(UNION {" + a.text + ", " + b.text + "})", func(v item) bool { return a.has(v) || b.has(v) }}
		case 5:
			a, b := g.set(s, depth-1), g.set(s, depth-1)
			return madeSet{"[k \\in 1..2 |-> IF k = 1 THEN " + a.text + " ELSE " + b.text + "][2]", b.has}
		case 6:
			a, b := g.set(s, depth-1), g.set(s, depth-1)
			return madeSet{"(UNION {IF k = 1 THEN " + a.text + " ELSE " + b.text + " : k \\in 1..2})", func(v item) bool { return a.has(v) || b.has(v) }}
		}
	}
	return g.basic(s, depth)
}

// basic returns a set by what its members consist of.
func (g sets) basic(s *shape, depth int) madeSet {
	switch s.kind {
	case 'n':
		if g.IntN(2) == 0 {
			return madeSet{"Nat", func(item) bool { return true }}
		}
		k := g.IntN(4)
		return madeSet{fmt.Sprintf("(%d..99)", k), func(v item) bool { return v.n >= k }}
	case 's':
		of := g.set(s.of, depth-1)
		return madeSet{"(SUBSET " + of.text + ")", func(v item) bool { return !slices.ContainsFunc(v.items, func(i item) bool { return !of.has(i) }) }}
	case 'p':
		a, b := g.set(s.of, depth-1), g.set(s.of, depth-1)
		return madeSet{"(" + a.text + ` \X ` + b.text + ")", func(v item) bool { return a.has(v.items[0]) && b.has(v.items[1]) }}
	}
	of := g.set(s.of, depth-1)
	all := func(v item) bool { return !slices.ContainsFunc(v.items, func(i item) bool { return !of.has(i) }) }
	if g.IntN(2) == 0 {
		return madeSet{"Seq(" + of.text + ")", all}
	}
	n := g.IntN(3)
	return madeSet{fmt.Sprintf("[1..%d -> %s]", n, of.text), func(v item) bool { return len(v.items) == n && all(v) }}
}

// TestMembersOfRandomSets: what is in random sets that are made of infinite ones is what closures find, which are made together with the text.
func TestMembersOfRandomSets(t *testing.T) {
	ctx := context.Background()
	spec, err := ofText(ctx, "---- MODULE M ----\nEXTENDS Integers, Sequences\n====\n")
	if err != nil {
		t.Fatal(err)
	}
	v := spec.Evaluator(ctx)
	inside := 0
	count := int(randomlts.Share(10_000))
	for seed := range uint64(count) {
		g := sets{rand.New(rand.NewPCG(seed, 9))}
		s := g.shape(2)
		made, member := g.set(s, 3), g.item(s)
		text := s.text(member) + ` \in ` + made.text
		p, err := spec.said(text)
		got := false
		if err == nil {
			got, err = v.Holds(p, nil, nil, nil)
		}
		want := made.has(member)
		if err != nil || got != want {
			t.Fatalf("seed %d: %t (%v), want %t:\n%s", seed, got, err, want, text)
		}
		if got {
			inside++
		}
	}
	if inside < count/5 || inside > count-count/10 {
		t.Errorf("%d of %d are members", inside, count)
	}
}
