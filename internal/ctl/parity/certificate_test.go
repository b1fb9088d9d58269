package parity_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/ctl/parity"
	"github.com/inev-lts/inev/internal/ctl/parity/verify"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// written is a file of evidence, to be changed.
type written struct {
	Schema   string          `json:"schema"`
	Model    json.RawMessage `json:"model"`
	Formula  string          `json:"formula"`
	Formulas []string        `json:"formulas"`
	Holds    bool            `json:"holds"`
	Good     []lts.State     `json:"good"`
	Bad      []lts.State     `json:"bad"`
	Evidence []*struct {
		Formula  int                 `json:"formula"`
		Holds    bool                `json:"holds"`
		States   []lts.State         `json:"states"`
		Measures map[string][]uint32 `json:"measures"`
	} `json:"evidence"`
}

// check checks a file of evidence for the formula and the model of a solution.
func check(t rapid.TB, s *parity.Solution, file []byte) (*verify.Result, error) {
	t.Helper()
	ctx := context.Background()
	means, _, err := s.Formula.Bind(ctx, s.Model.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	return verify.Verify(ctx, s.Model, s.Formula, means, bytes.NewReader(file))
}

// change makes a random change, of which some claim what is not so.
func (f *written) change(r *rand.Rand) {
	e := f.Evidence[r.IntN(len(f.Evidence))]
	at := 0
	if len(e.States) > 0 {
		at = r.IntN(len(e.States))
	}
	switch r.IntN(6) {
	case 0:
		f.Good, f.Bad, f.Holds = f.Bad, f.Good, !f.Holds
	case 1:
		e.Holds = !e.Holds
	case 2:
		f.Good, f.Bad, f.Holds = f.Bad, f.Good, !f.Holds
		for _, e := range f.Evidence {
			e.Holds = !e.Holds
		}
	case 3:
		f.Good, f.Bad, f.Holds = f.Bad, f.Good, !f.Holds
		for _, e := range f.Evidence {
			e.Holds = !e.Holds || r.IntN(8) == 0
			for _, measures := range e.Measures {
				for i := range measures {
					measures[i] = r.Uint32N(4)
				}
			}
		}
	case 4:
		if len(e.States) > 0 {
			e.States = slices.Delete(e.States, at, at+1)
			for name, measures := range e.Measures {
				e.Measures[name] = slices.Delete(measures, at, at+1)
			}
		}
	case 5:
		for _, measures := range e.Measures {
			if len(measures) > 0 {
				measures[at] = r.Uint32N(3)
			}
		}
	}
}

// TestEvidence: what is written of random formulas fits its schema and is accepted, and of what is
// changed nothing is accepted that is not so.
func TestEvidence(t *testing.T) {
	schema := compiled(t)
	accepted := map[bool]int{}
	for range randomlts.Share(50) {
		rapid.Check(t, func(t *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 72))
			w := &author{r: r, isMCL: rapid.Bool().Draw(t, "MCL")}
			text := w.nested()
			if w.below(3) == 0 {
				text = w.state(1+w.below(6), nil)
			}
			if tooDeep(text) {
				t.Skip(text)
			}
			m := randomModel(t)
			s := solve(t, m, text)
			var file bytes.Buffer
			if err := s.WriteJSON(context.Background(), &file); err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(file.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			result, err := check(t, s, file.Bytes())
			if err != nil || !slices.Equal(result.Good, s.Good) || !slices.Equal(result.Bad, s.Bad) {
				t.Fatalf("%s on %v: %v: %s", text, m, err, file.Bytes())
			}
			for range 20 {
				var f written
				if err := json.Unmarshal(file.Bytes(), &f); err != nil {
					t.Fatal(err)
				}
				for range 1 + r.IntN(2) {
					f.change(r)
				}
				changed, err := json.Marshal(f)
				if err != nil {
					t.Fatal(err)
				}
				result, err := check(t, s, changed)
				accepted[err == nil]++
				if err == nil && len(result.Good) != len(s.Good) {
					t.Fatalf("%s on %v: accepted: %s", text, m, changed)
				}
			}
		})
	}
	if accepted[true] < accepted[false]/100 || accepted[false] < accepted[true]/100 {
		t.Error(accepted)
	}
	t.Log(accepted)
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	content, err := os.ReadFile("schema/mu-1.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mu", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("mu")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
