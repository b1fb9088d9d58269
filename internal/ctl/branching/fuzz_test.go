package branching_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/ctl/branching"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/lts"
)

// FuzzMutants: a formula with data is refused, or it has one verdict with an argument and with evidence that can be written.
func FuzzMutants(f *testing.F) {
	texts := []string{
		`forall n: Nat . val(n <= 2) => [true*.r(n)] mu X(m: Nat = n) . (<r(m)>true || val(m < 3) && X(m + 1))`,
		`[ true* . {PUT ?n:nat !true ... where n > 1} ] nu Y (m:nat := n) . (< {GET !m} > true or let k:nat := m + 1 in Y (k mod 3) end let)`,
		`exists b: bool among {true ... false} . if b then < {PUT ?any of nat} {1 ... 2} > @ else [ (not tau)+ ] -| end if`,
		`sort S = struct a | b; form forall s: S . nu X . (val(s in [a, b]) => <exists n: Nat . s(n)>X)`,
		`nu X . mu Y . (<{PUT !1}> X or <{GET ...}> Y and [ r(1)|s(0) ] X)`,
		`AG (EF <PUT> true -> A[true U {GET} deadlock])`,
	}
	words := []string{"(", ")", "[", "]", "<", ">", "{", "}", "true", "false", "mu X .", "nu X .", "X", "X(1)", "forall", "exists", "n", "m", ": Nat", ":nat", "?x:int", "!1", "!x", "...",
		"where", "val(", "=>", "and", "or", "not", "&&", "||", "*", "+", ".", "|", "-1", "div 0", "mod 0", "99999999999999999999", "@", "-|", "tau", "let", "in", "end let", "if", "then", "else", "end if",
		"macro M (A) =", "end_macro", "\"", "(*", "%", "\n", "[a, b]", "#[1]", "E[", "G F"}
	for i := range texts {
		f.Add(byte(i), []byte{})
		f.Add(byte(i), []byte("\x03\x20\x01\x06\x80\x00"))
	}
	m, _, err := aut.Read(context.Background(), strings.NewReader(
		"des (0, 8, 4)\n(0, \"PUT !1 !true\", 1)\n(1, \"GET !2\", 0)\n(1, \"r(1)\", 2)\n(2, \"s(0)\", 2)\n(2, \"r(1)|s(0)\", 3)\n(3, i, 0)\n(3, \"GET !1\", 3)\n(0, \"PUT !3 !false\", 2)\n"), aut.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, which byte, program []byte) {
		defer mutation.Limited()()
		text := mutation.Of(texts[int(which)%len(texts)], program, words)
		decided(t, m, text)
	})
}

func decided(t *testing.T, m *lts.LTS, text string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	formula, _, err := branching.Parse(ctx, text, true)
	if err != nil {
		return
	}
	answer, err := branching.Decide(ctx, branching.Question{
		Formula:   formula,
		Model:     m,
		Asked:     wmc.States{0},
		Unmatched: func(error) error { return nil },
	})
	if err != nil {
		return
	}
	if len(answer.Good)+len(answer.Bad) != 1 {
		t.Fatalf("%q holds in %v and not in %v", text, answer.Good, answer.Bad)
	}
	_, err = answer.Arguments(1)
	if err != nil {
		t.Fatalf("%q has no argument: %v", text, err)
	}
	if answer.WriteEvidence == nil {
		return
	}
	var b bytes.Buffer
	err = answer.WriteEvidence(&b)
	if err != nil {
		t.Fatalf("%q has no evidence: %v", text, err)
	}
}
