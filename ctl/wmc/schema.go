package wmc

import (
	"bytes"
	_ "embed"
)

//go:embed schema/ctl-1.json
var schema []byte

// jsonSchema returns the JSON Schema (draft 2020-12) of what [Question.WriteJSON] writes. The
// caller may change the slice.
func jsonSchema() []byte { return bytes.Clone(schema) }
