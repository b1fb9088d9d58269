package summary

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/internal/testing/samplebatch"
)

func compiled(t testing.TB, name string, schema []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4)
	if err := c.AddResource(name, document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func satisfies(t testing.TB, s *jsonschema.Schema, text string) {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatalf("no JSON: %v\n%s", err, text)
	}
	if err := s.Validate(document); err != nil {
		t.Errorf("the schema is not satisfied: %v", err)
	}
}

func TestJSONSatisfiesTheSchema(t *testing.T) {
	s := compiled(t, "summary-1.json", JSONSchema())
	if s.DraftVersion != 2020 {
		t.Fatalf("the schema is of draft %d, want 2020-12", s.DraftVersion)
	}
	alone := sample()
	alone.Differences, alone.Version = nil, ""
	for _, b := range []Batch{sample(), alone, {}, {Differences: &baseline.Differences{}}, many(50)} {
		satisfies(t, s, written(t, jsonFile, b))
	}
}

// TestSchemaIsStrict: the schema would see a member that is missing or unknown.
func TestSchemaIsStrict(t *testing.T) {
	s := compiled(t, "summary-1.json", JSONSchema())
	for name, spoil := range map[string]func(m map[string]any){
		"no counts":         func(m map[string]any) { delete(m, "counts") },
		"unknown member":    func(m map[string]any) { m["extra"] = 1 },
		"unknown in job":    func(m map[string]any) { m["jobs"].([]any)[0].(map[string]any)["ms"] = 1 },
		"status of a job":   func(m map[string]any) { m["jobs"].([]any)[0].(map[string]any)["status"] = "fine" },
		"unknown of counts": func(m map[string]any) { m["counts"].(map[string]any)["passed"] = "1" },
	} {
		var m map[string]any
		if err := json.Unmarshal([]byte(written(t, jsonFile, sample())), &m); err != nil {
			t.Fatal(err)
		}
		spoil(m)
		if s.Validate(m) == nil {
			t.Errorf("%s: the schema is satisfied", name)
		}
	}
}

func TestJSONIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		b := Batch{Results: []batch.Result{samplebatch.Result(name, name, name, samplebatch.Satisfied, samplebatch.Tagged(name))}}
		var out bytes.Buffer
		if err := b.JSON(&out); err != nil {
			t.Fatal(err)
		}
		var got struct{ Jobs []jobJSON }
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if j := got.Jobs[0]; j.Name != name || j.Model != name || j.Formula != name || j.Tags[0] != name {
			t.Fatalf("%q is read as %+v", name, j)
		}
	})
}
