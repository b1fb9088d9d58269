package counterexample_test

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/formula"
)

// TestAnswersThatHaveToComeAgain: a property with a state where a run may stop and one in
// which it may not is no response if its answer has to come again and again.
func TestAnswersThatHaveToComeAgain(t *testing.T) {
	ctx := context.Background()
	for _, model := range []string{
		"des (0,3,3)\n(0,A,1)\n(1,B,2)\n(2,C,2)\n",
		"des (0,2,3)\n(0,A,1)\n(1,B,2)\n",
	} {
		m, _, err := aut.Read(ctx, strings.NewReader(model), aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"G (A -> GF B)", "F A -> GF B", "G (A -> X GF B)"} {
			f, err := formula.Parse(ctx, text)
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := f.Bind(ctx, m.Alphabet())
			if err != nil {
				t.Fatal(err)
			}
			found, err := counterexample.Shortest(ctx, m, p, counterexample.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if found.Trace == nil {
				t.Errorf("%s is violated by %s", text, model)
			}
		}
	}
}
