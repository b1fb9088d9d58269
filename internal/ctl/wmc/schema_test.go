package wmc_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestJSONFitsItsSchema checks what is written of random models against the schema.
func TestJSONFitsItsSchema(t *testing.T) {
	schema, err := os.ReadFile("schema/ctl-1.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("ctl", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("ctl")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range randomlts.Share(500) {
		x := newSample(t, seed)
		a, _ := x.check(t, wmc.Options{})
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(x.json(t, a)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(value); err != nil {
			t.Fatalf("%s: %v", x, err)
		}
	}
}
