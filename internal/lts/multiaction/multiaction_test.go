package multiaction_test

import (
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/lts/multiaction"
)

func TestParts(t *testing.T) {
	for label, want := range map[string]string{
		"a|b": "a b", "set_flag(0,true)|wish(0)": "set_flag(0,true) wish(0)", "a(1, 2) | b|c'": "a(1,2) b c'",
		"a": "", "a(x|y)": "", "a||b": "", "|a": "", "a|": "", "a|b)": "", "(a|b)": "", "a(|b": "", "a [1]|b": "", "a({1|2})|b": "a({1|2}) b",
		`a("x|y")|b`: `a("x|y") b`, `a("x|b`: "", "PUT !1|2": "", "a-b|c": "", "a(1)(2)|c": "", "ä|b(f([1]))": "ä b(f([1]))", "a([)]|b": "",
	} {
		if got := strings.Join(multiaction.Parts(label), " "); got != want {
			t.Errorf("%s has the parts %q, want %q", label, got, want)
		}
	}
}
