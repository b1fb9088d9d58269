package fair_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/ctl/fair"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc/verify"
	"github.com/inev-lts/inev/lts"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestRingInTurn: evidence about a ring that falls apart from one place on is as long as the ring, not
// nested, and accepted; a change of a turn is refused.
func TestRingInTurn(t *testing.T) {
	const n = 12_000 // deeper than JSON can be nested
	ctx := context.Background()
	var b lts.Builder
	for s := range n {
		b.Add(lts.State(s), b.Label(fmt.Sprint("forth ", s)), lts.State((s+1)%n))
		b.Add(lts.State(s), b.Label(fmt.Sprint("back ", s)), lts.State((s+n-1)%n))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.FindPredecessors(ctx); err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse(ctx, fmt.Sprintf(`AF <"forth %d"> true`, n-5))
	if err != nil {
		t.Fatal(err)
	}
	strong, err := actl.ParseAssumption(ctx, "strong")
	if err != nil {
		t.Fatal(err)
	}
	fairness, _, err := actl.BindAssumptions(ctx, []*actl.Assumption{strong}, m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	closure := f.Closure()
	means, _, err := closure.Bind(ctx, m.Alphabet(), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := fair.Decide(ctx, fair.Question{Model: m, Closure: closure, Means: means, Fairness: fairness, Asked: []lts.State{0}})
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if err := fair.WriteJSON(&data, fair.Asked{Formula: f.String(), Fair: []string{strong.String()}}, d); err != nil {
		t.Fatal(err)
	}
	if data.Len() > 60*n {
		t.Errorf("evidence has %d bytes, want at most %d", data.Len(), 60*n)
	}
	check := func(text string) error {
		_, err := verify.Verify(ctx, m, f, strings.NewReader(text), verify.Options{Fair: []*actl.Assumption{strong}})
		return err
	}
	if err := check(data.String()); err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := mustSchema(t).Validate(value); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		var value map[string]any
		if err := json.Unmarshal(data.Bytes(), &value); err != nil {
			t.Fatal(err)
		}
		turns := turnsIn(value)
		i := r.IntN(len(turns) - 1)
		turns[i], turns[i+1] = turns[i+1], turns[i]
		changed, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if check(string(changed)) == nil {
			t.Errorf("turns %d and %d are exchanged, and accepted", i, i+1)
		}
	}
}

// turnsIn returns the first turns in a value.
func turnsIn(v any) []any {
	switch v := v.(type) {
	case map[string]any:
		if turns, is := v["turns"].([]any); is {
			return turns
		}
		for _, below := range v {
			if turns := turnsIn(below); turns != nil {
				return turns
			}
		}
	case []any:
		for _, below := range v {
			if turns := turnsIn(below); turns != nil {
				return turns
			}
		}
	}
	return nil
}
