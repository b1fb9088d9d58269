package report

import (
	"bytes"
	_ "embed"
)

//go:embed schema/explanation-3.json
var explanationSchema []byte

//go:embed schema/labels-1.json
var labelsSchemaText []byte

//go:embed schema/why-1.json
var whySchemaText []byte

//go:embed schema/repair-1.json
var repairSchemaText []byte

// RepairSchema returns the JSON Schema (draft 2020-12) of what the JSON format writes of
// what would make a property true. The caller may change the slice.
func RepairSchema() []byte { return bytes.Clone(repairSchemaText) }

// Schema returns the JSON Schema (draft 2020-12) of what the JSON format writes
// of an explanation, be it of explain.Explain or of explain.Check. The caller
// may change the slice.
func Schema() []byte { return bytes.Clone(explanationSchema) }

// LabelsSchema returns the JSON Schema (draft 2020-12) of what the JSON format
// writes of the labels of a model. The caller may change the slice.
func LabelsSchema() []byte { return bytes.Clone(labelsSchemaText) }

// WhySchema returns the JSON Schema (draft 2020-12) of what the JSON format writes of the
// reasons why an action did not happen. The caller may change the slice.
func WhySchema() []byte { return bytes.Clone(whySchemaText) }
