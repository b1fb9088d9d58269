package modal_test

import (
	"testing"

	"github.com/inev-lts/inev/internal/formula/modal"
)

// TestNotation: what stands in quotes, or is not closed, distinguishes no logic from another.
func TestNotation(t *testing.T) {
	isModal := modal.Notation{IsModal: true}
	hasRegular := modal.Notation{HasRegular: true}
	hasBareSigns := modal.Notation{HasRegular: true, HasBareSigns: true}
	for text, want := range map[string]modal.Notation{
		`AG [A] A[true U {B} true]`:              {HasRegular: false},
		`E[p && q U r]`:                          {},
		`<"a*"> true`:                            {},
		`<"a|b"> true && {x}`:                    {},
		`[A] <B> EF p=3`:                         {},
		`AG (value(n) -> EF mu)`:                 {},
		`<mu> X`:                                 {},
		`<"mu X ."> true`:                        {},
		`{where}`:                                {},
		`{"?n:nat"}`:                             {},
		`a <= b * c`:                             {},
		`[a* true`:                               {},
		`<a*> true`:                              hasBareSigns,
		`[a|b] false`:                            hasBareSigns,
		`[a . b] false`:                          hasRegular,
		`< a + b > true`:                         hasRegular,
		`[ {PUT !1} ] false`:                     hasRegular,
		`< 'P.*' > true`:                         hasRegular,
		`[(a)] false`:                            hasRegular,
		`[ true* . "a" ] false`:                  {IsModal: true, HasRegular: true, HasBareSigns: true},
		`AG (mu X . X)`:                          isModal,
		`nu X (n:nat := 0) . X`:                  isModal,
		`forall n: Nat . true`:                   isModal,
		`exists a, b: Nat . true`:                isModal,
		`val (1 < 2)`:                            isModal,
		`{PUT ?n:nat}`:                           isModal,
		`{PUT ?n of nat !1}`:                     isModal,
		`{PUT ?any ...}`:                         isModal,
		`{PUT !1 where 1 < 2}`:                   isModal,
		`AF (<C> true || exists(n))`:             {},
		`(* [ a* ] *) true`:                      {},
		`< i {3} > true`:                         isModal,
		`<"a" {2 ... 4}> EF b`:                   isModal,
		`< {3} > true`:                           hasRegular,
		`<"a"> @`:                                isModal,
		`[ a ] -|`:                               isModal,
		`<"a"> true && "@"`:                      {},
		`< "PUT" > true and [ not "GET"* ] true`: hasBareSigns,
	} {
		if got := modal.NotationOf(text); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}
