// Package modeljson writes values with states and texts of a model as JSON. A state is written by
// its name, and different texts stay different: a byte that is no UTF-8, which encoding/json would
// replace, is written as \x and two digits.
package modeljson

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/inev-lts/inev/internal/printable"
)

// Format says how values are written.
type Format struct{ options json.Options }

// Plain returns the format with states as numbers.
func Plain() Format { return formatWith(texts) }

// Named returns the format in which values of the type of states are written as
// the texts that the function name returns.
func Named[State any](name func(State) string) Format {
	return formatWith(json.JoinMarshalers(texts,
		json.MarshalToFunc(func(e *jsontext.Encoder, s State) error {
			return e.WriteToken(jsontext.String(name(s)))
		})))
}

func formatWith(marshalers *json.Marshalers) Format {
	return Format{json.JoinOptions(json.WithMarshalers(marshalers), jsontext.EscapeForJS(true),
		json.Deterministic(true))}
}

var texts = json.MarshalToFunc(func(e *jsontext.Encoder, text string) error {
	return e.WriteToken(jsontext.String(printable.UTF8(text)))
})

// Marshal returns a value as JSON on one line. Cost O(its size).
func (f Format) Marshal(value any) ([]byte, error) { return json.Marshal(value, f.options) }

// Script returns a value as JSON on one line, with <, > and & escaped: so it can stand in a script
// element of a page. Cost O(its size).
func (f Format) Script(value any) ([]byte, error) {
	return json.Marshal(value, f.options, jsontext.EscapeForHTML(true))
}

// Write writes a value as JSON, indented by two blanks a level. It continues a
// line that the caller has begun; all further lines begin with prefix, which
// consists of blanks. Cost O(its size).
func (f Format) Write(w io.Writer, value any, prefix string) error {
	return json.MarshalWrite(w, value, f.options, jsontext.WithIndentPrefix(prefix),
		jsontext.WithIndent("  "))
}
