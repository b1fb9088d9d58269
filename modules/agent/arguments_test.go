package agent

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"
)

// TestArgumentsFitTheSchema: arguments are refused if and only if a validator of JSON schemas refuses them, and the line
// names each argument that does not fit, and none that does.
func TestArgumentsFitTheSchema(t *testing.T) {
	s := New(Options{})
	resolved := map[string]*jsonschema.Resolved{}
	for name, schema := range s.schemas {
		var err error
		if resolved[name], err = schema.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	values := rapid.SampledFrom([]string{`"m.aut"`, `"full"`, `"strong"`, `"svg"`, `"auto"`, `""`, `0`, `1`, `-1`, `2.5`, `3.0`, `101`, `1e9`, `1e10`, `true`, `false`, `[]`, `["full"]`, `["full", 1]`, `{}`})
	rapid.Check(t, func(t *rapid.T) {
		tool := rapid.SampledFrom(s.toolNames).Draw(t, "tool")
		schema := s.schemas[tool]
		given := map[string]any{}
		for _, name := range append([]string{"extra", "Model"}, schema.PropertyOrder...) {
			likely := rapid.IntRange(0, 3).Draw(t, "likely "+name)
			if likely == 0 || likely < 3 && (name == "extra" || name == "Model") {
				continue
			}
			var value any
			if err := json.Unmarshal([]byte(values.Draw(t, name)), &value); err != nil {
				t.Fatal(err)
			}
			given[name] = value
		}
		err := misfit(tool, schema, given)
		invalid := resolved[tool].Validate(given)
		if (err == nil) != (invalid == nil) {
			t.Fatalf("%s %v: %v, and by the schema %v", tool, given, err, invalid)
		}
		if err == nil {
			return
		}
		if strings.ContainsAny(err.Error(), "\n") {
			t.Fatalf("several lines: %s", err)
		}
		for name := range given {
			alone := *schema
			alone.Required = nil
			single, err2 := alone.Resolve(nil)
			if err2 != nil {
				t.Fatal(err2)
			}
			isWrong := single.Validate(map[string]any{name: given[name]}) != nil
			isNamed := strings.Contains(err.Error(), `"`+name+`" is `) || strings.Contains(err.Error(), `no argument "`+name+`":`)
			if isWrong != isNamed {
				t.Fatalf("%s of %s: wrong %t, named %t in %s", name, tool, isWrong, isNamed, err)
			}
		}
	})
}

// TestWhatErrorsSayFits: what the line about an argument tells a client to send fits.
func TestWhatErrorsSayFits(t *testing.T) {
	s := New(Options{})
	for tool, schema := range s.schemas {
		for name, property := range schema.Properties {
			said := misfit(tool, &jsonschema.Schema{Properties: schema.Properties}, map[string]any{name: map[string]any{}})
			if said == nil {
				t.Fatalf("%s of %s may be an object", name, tool)
			}
			var sent []any
			text, _, _ := strings.Cut(strings.TrimPrefix(said.Error(), `"`+name+`" is `), ", not {}")
			for _, word := range regexp.MustCompile(`"[^"]*"|true|false|\d+`).FindAllString(text, -1) {
				var value any
				if err := json.Unmarshal([]byte(word), &value); err != nil {
					t.Fatal(err)
				}
				sent = append(sent, value)
			}
			if strings.HasPrefix(text, "a string") {
				sent = append(sent, "x")
			}
			if strings.HasSuffix(text, "a list of strings") {
				sent = append(sent, []any{"x", "y"})
			}
			if len(sent) == 0 {
				t.Errorf("%s of %s: %s", name, tool, said)
			}
			for _, value := range sent {
				if !fits(property, value) {
					t.Errorf("%s of %s: %s; but %v does not fit", name, tool, said, value)
				}
			}
		}
	}
}

// TestNoObject: arguments that are no object are answered with one that has what the tool needs.
func TestNoObject(t *testing.T) {
	s := New(Options{})
	_, err := fittingArguments(&mcp.CallToolParamsRaw{Name: "check", Arguments: []byte(`["m.aut", "Inev(A)"]`)}, s.schemas["check"])
	want := `the arguments of check are an object, such as {"formula":"…","model":"…"}, and not ["m.aut","Inev(A)"]`
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}
