package hint_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/inev-lts/inev/internal/hint"
)

func TestSay(t *testing.T) {
	flags := func(r hint.Remedy) string { return fmt.Sprintf("--%d", r) }
	cause := errors.New("it is broken")
	inner := hint.New(cause, "it is ", 100, "% broken: read it ", hint.Lenient)
	outer := hint.New(inner, inner, "; run it ", hint.Resume, " ", hint.InFolder, " out")
	for _, c := range []struct {
		err              error
		text, said       string
		isCause, isInner bool
	}{
		{cause, "it is broken", "it is broken", true, false},
		{inner, "it is 100% broken: read it leniently", "it is 100% broken: read it --1", true, true},
		{
			fmt.Errorf("m.aut: %w", inner), "m.aut: it is 100% broken: read it leniently", "m.aut: it is 100% broken: read it --1",
			true, true,
		},
		{
			outer, "it is 100% broken: read it leniently; run it to go on in out", "it is 100% broken: read it --1; run it --8 --10 out",
			true, true,
		},
	} {
		if got := c.err.Error(); got != c.text {
			t.Errorf("the text is %q, want %q", got, c.text)
		}
		if got := hint.Say(c.err, flags); got != c.said {
			t.Errorf("said is %q, want %q", got, c.said)
		}
		if errors.Is(c.err, cause) != c.isCause || errors.Is(c.err, inner) != c.isInner {
			t.Errorf("%q wraps something else", c.text)
		}
	}
}
