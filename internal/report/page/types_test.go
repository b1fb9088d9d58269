package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/report"
)

// TestTypesAreThoseOfTheSchema: the page's script knows an explanation by types that
// are made from the schema that all explanations follow.
func TestTypesAreThoseOfTheSchema(t *testing.T) {
	const file = "src/schema.ts" // after it has changed, the bundle is made anew, too
	var s schema
	if err := json.Unmarshal(report.Schemas()["inev.explanation/3"], &s); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, file, []byte(s.typescript()))
}

// schema is what types are made from; the conditions of a schema are no matter of
// types.
type schema struct {
	ID          string          `json:"$id"`
	Ref         string          `json:"$ref"`
	Description string          `json:"description"`
	Type        string          `json:"type"`
	Const       any             `json:"const"`
	Enum        []any           `json:"enum"`
	OneOf       []schema        `json:"oneOf"`
	Items       *schema         `json:"items"`
	Required    []string        `json:"required"`
	Properties  fields          `json:"properties"`
	Additional  json.RawMessage `json:"additionalProperties"`
	Definitions fields          `json:"$defs"`
}

// fields are the members of an object, in the order of the document.
type fields []field

type field struct {
	name string
	schema
}

func (f *fields) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		member := field{name: fmt.Sprint(name)}
		if err := d.Decode(&member.schema); err != nil {
			return err
		}
		*f = append(*f, member)
	}
	return nil
}

func (s *schema) typescript() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Made from report/%s; go test ./internal/report/page -run Types -update\n// makes it anew.\n", s.ID[strings.Index(s.ID, "schema/"):])
	for _, d := range s.Definitions {
		if d.hasType() {
			d.declare(&b, strings.ToUpper(d.name[:1])+d.name[1:])
		}
	}
	s.declare(&b, "Explanation")
	return b.String()
}

// hasType reports whether a schema is more than conditions.
func (s *schema) hasType() bool {
	return s.Ref != "" || s.Type != "" || s.Enum != nil || s.OneOf != nil || s.Properties != nil
}

func (s *schema) declare(b *strings.Builder, name string) {
	fmt.Fprintf(b, "\n/** %s */\nexport type %s = %s;\n", s.Description, name, s.expression(""))
}

// expression returns the type as TypeScript; indent is that of the line it stands in.
func (s *schema) expression(indent string) string {
	var all []string
	if s.Ref != "" {
		name := s.Ref[strings.LastIndex(s.Ref, "/")+1:]
		all = append(all, strings.ToUpper(name[:1])+name[1:])
	}
	if t := s.own(indent); t != "" {
		all = append(all, t)
	}
	return strings.Join(all, " & ")
}

// own returns what the schema says beside its reference.
func (s *schema) own(indent string) string {
	switch {
	case s.Const != nil:
		return literal(s.Const)
	case s.Enum != nil:
		var all []string
		for _, value := range s.Enum {
			all = append(all, literal(value))
		}
		return strings.Join(all, " | ")
	case s.OneOf != nil:
		var all []string
		for i := range s.OneOf {
			all = append(all, s.OneOf[i].expression(indent))
		}
		return strings.Join(all, " | ")
	case s.Properties != nil:
		return s.object(indent)
	}
	switch s.Type {
	case "integer":
		return "number"
	case "array":
		item := s.Items.expression(indent)
		if s.Items.OneOf != nil || s.Items.Enum != nil {
			item = "(" + item + ")"
		}
		return item + "[]"
	case "object":
		var values schema
		if json.Unmarshal(s.Additional, &values) == nil && values.hasType() {
			return "Record<string, " + values.expression(indent) + ">"
		}
		return "object"
	}
	return s.Type
}

func (s *schema) object(indent string) string {
	var b strings.Builder
	b.WriteString("{\n")
	for _, p := range s.Properties {
		if p.Description != "" {
			fmt.Fprintf(&b, "%s  /** %s */\n", indent, p.Description)
		}
		optional := "?"
		if slices.Contains(s.Required, p.name) {
			optional = ""
		}
		fmt.Fprintf(&b, "%s  %s%s: %s;\n", indent, p.name, optional, p.expression(indent+"  "))
	}
	return b.String() + indent + "}"
}

func literal(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "never"
	}
	return string(text)
}
