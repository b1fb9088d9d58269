package syntax_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/syntax"
)

// TestEqualsTwice: a value may be compared by ==, and is the same one.
func TestEqualsTwice(t *testing.T) {
	for text, want := range map[string]string{
		"B==0": "B=0", "B == 0": "B=0", `pc=="a b"`: `pc="a b"`, `pc=="x"`: "pc=x", "pc == 3 && q": "pc=3 && q",
		"E[pc==3_{a} U p]": "E[pc=3 {a} U p]", "E[big>4_{a} U p]": "E[big > 4 {a} U p]", "pc[1]==2": "pc[1] = 2",
	} {
		f, err := syntax.Parse(context.Background(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		same, err := syntax.Parse(context.Background(), want)
		if err != nil || f.String() != want || same.String() != want {
			t.Errorf("%s is %s, and %s is %v (error %v)", text, f, want, same, err)
		}
	}
}
