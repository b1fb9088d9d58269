package parity_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	oracle "github.com/inev-lts/inev/internal/testing/oracle/mucalculus"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// pairOrSingle is a value of the type M below.
type pairOrSingle struct {
	isPair bool
	of     string
	with   int
}

func (p pairOrSingle) label() string {
	if p.isPair {
		return fmt.Sprintf(`"s(pair(%s, %d))"`, p.of, p.with)
	}
	return fmt.Sprintf(`"s(single(%d))"`, p.with)
}

// isBefore is the order of mCRL2: constructors by their positions, and then arguments.
func (p pairOrSingle) isBefore(q pairOrSingle) bool {
	switch {
	case p.isPair != q.isPair:
		return p.isPair
	case p.of != q.of:
		return p.of < q.of
	}
	return p.with < q.with
}

// TestStructures: arguments of several constructors with one name, infinite sets that conditions describe, the order
// of constructors, functions named as words of MCL, and variables of which no other value matters mean the same as
// a formula in which the values of the model are written out.
func TestStructures(t *testing.T) {
	const definitions = `sort D = struct a | b; M = struct pair(of: D, with: Nat)?is_pair | single(with: Nat); O = struct box(with: Nat, of: D);
map near, wide, far: M -> Set(M); and: D # D -> D; K: Nat; K: Nat;
var x: M; d: D; eqn near(x) = {y: M | with(x) == with(y)};
  !is_pair(x) -> wide(x) = near(x); is_pair(x) -> wide(x) = near(x) + {y: M | is_pair(y) && of(y) == of(x)};
  far(x) = !wide(x) - {y: M | y == single(1)};
  and(a, d) = a; and(b, d) = d; K = 0;
form `
	values := []pairOrSingle{{true, "a", 0}, {true, "a", 1}, {true, "b", 0}, {false, "", 0}, {false, "", 1}}
	labels := []string{"q(a)", "q(b)", "r(0)", "r(1)", "t(box(0, a))", "t(box(1, a))", "t(box(1, b))"}
	for _, v := range values {
		labels = append(labels, strings.Trim(v.label(), `"`))
	}
	// pairs returns, for each x, that s(x) is followed by some y, or by all y, that are related to it.
	pairs := func(first, second, junction, whole string, related func(x, y pairOrSingle) bool) string {
		var all []string
		for _, x := range values {
			var each []string
			for _, y := range values {
				if related(x, y) {
					each = append(each, fmt.Sprintf(second, y.label()))
				}
			}
			inner := "(" + strings.Join(append(each, map[string]string{"or": "false", "and": "true"}[junction]), " "+junction+" ") + ")"
			all = append(all, "("+fmt.Sprintf(first, x.label())+inner+")")
		}
		return strings.Join(all, " "+whole+" ")
	}
	isNear := func(x, y pairOrSingle) bool { return x.with == y.with }
	isWide := func(x, y pairOrSingle) bool { return isNear(x, y) || x.isPair && y.isPair && x.of == y.of }
	forms := []struct{ text, meant string }{
		{
			"forall x: M. [s(x)] exists y: M. val(y in near(x) && y != x) && <true* . s(y)> true",
			pairs("[%s]", "<true* . %s> true", "or", "and", func(x, y pairOrSingle) bool { return isNear(x, y) && x != y }),
		},
		{
			"exists x: M. <s(x)> forall y: M. val(y in wide(x)) => [s(y)] false",
			pairs("<%s>", "[%s] false", "and", "or", isWide),
		},
		{
			"forall x: M. [s(x)] exists y: M. <s(y)> val(y in far(x))",
			pairs("[%s]", "<%s> true", "or", "and", func(x, y pairOrSingle) bool { return !isWide(x, y) && (y.isPair || y.with != 1) }),
		},
		{
			"forall x: M. [s(x)] exists y: M. <s(y)> val(x < y)",
			pairs("[%s]", "<%s> true", "or", "and", pairOrSingle.isBefore),
		},
		{
			"exists x: M. <s(x)> forall y: M. [s(y)] val(x >= y)",
			pairs("<%s>", "[%s] false", "and", "or", pairOrSingle.isBefore),
		},
		{
			"exists x: O. <true* . t(x)> val(with(x) > K && and(of(x), b) == b)",
			`<true* . "t(box(1, b))"> true`,
		},
		{
			"forall n: Nat. [r(n)] val(n <= K) && [q(a)] false",
			`["r(1)"] false and ["q(a)"] false`,
		},
		{
			"exists n: Nat. <r(n)> val(n > K) || <q(b)> true",
			`<"r(1)"> true or <"q(b)"> true`,
		},
		{
			"nu X. (forall n: Nat. [r(n)] (val(n < 1) && X) && <!r(0)> true) && [true] X",
			`nu X. (["r(0)"] true and ["r(1)"] false and <not "r(0)"> true and [true] X)`,
		},
	}
	ctx := context.Background()
	verdicts := map[string][]bool{}
	check := func(t *rapid.T) {
		m := drawModel(t, labels)
		for _, form := range forms {
			want, err := oracle.Holds(m, form.meant)
			if err != nil {
				t.Fatal(form.meant, err)
			}
			if got := verdictOf(t, ctx, m, definitions+form.text); got != want {
				t.Errorf("%s holds: %t, want %t", form.text, got, want)
			}
			if !slices.Contains(verdicts[form.text], want) {
				verdicts[form.text] = append(verdicts[form.text], want)
			}
		}
	}
	for range randomlts.Share(10) {
		rapid.Check(t, check)
	}
	for _, form := range forms {
		if len(verdicts[form.text]) < 2 {
			t.Errorf("%s: verdicts %v", form.text, verdicts[form.text])
		}
	}
}
