package hoa_test

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/formula/hoa"
)

// TestLongExpressions: conditions and labels whose trees are deeper than the stack of a process may be are refused with their line, be they
// nested by signs or by parentheses.
func TestLongExpressions(t *testing.T) {
	const many = 1_100_000
	header := "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\n"
	condition := func(text string) string {
		return header + "Acceptance: 1 " + text + "\n--BODY--\nState: 0\n[t] 0\n--END--\n"
	}
	edge := func(text string) string {
		return header + "Acceptance: 1 Inf(0)\n--BODY--\nState: 0\n[" + text + "] 0\n--END--\n"
	}
	for name, text := range map[string]string{
		"long condition":           condition(strings.Repeat("Inf(0) & ", 10_000) + "Inf(0)"),
		"condition":                condition(strings.Repeat("Inf(0) & ", many) + "Inf(0)"),
		"condition in parentheses": condition(strings.Repeat("(", many) + "Inf(0)" + strings.Repeat(")", many)),
		"negations":                edge(strings.Repeat("!", many) + "0"),
		"conjunction":              edge(strings.Repeat("0 & ", many) + "0"),
		"label in parentheses":     edge(strings.Repeat("(", many) + "0" + strings.Repeat(")", many)),
		"alias":                    strings.Replace(condition("Inf(0)"), "Acceptance", "Alias: @a "+strings.Repeat("!", many)+"0\nAcceptance", 1),
	} {
		_, err := hoa.Read(context.Background(), strings.NewReader(text), "p.hoa")
		if err == nil || !strings.HasPrefix(err.Error(), "p.hoa:") || !strings.Contains(err.Error(), "more than 1048576 atoms") && !strings.Contains(err.Error(), "more than 16384 atoms") {
			t.Errorf("%s: the error is %.200v", name, err)
		}
	}
}
