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

//go:embed schema/replay-1.json
var replaySchemaText []byte

// Schemas returns the JSON Schemas (draft 2020-12) of what the JSON format writes, each by the
// name that the documents give: of an explanation, be it of explain.Explain or of explain.Check
// (inev.explanation/3), the labels of a model (inev.labels/1), what would make a property true
// (inev.repair/1), whether a model allows what was logged (inev.replay/1), and why an action did not
// happen (inev.why/1). The caller may change them.
func Schemas() map[string][]byte {
	return map[string][]byte{
		"inev.explanation/3": bytes.Clone(explanationSchema), "inev.labels/1": bytes.Clone(labelsSchemaText),
		"inev.repair/1": bytes.Clone(repairSchemaText), "inev.replay/1": bytes.Clone(replaySchemaText),
		"inev.why/1": bytes.Clone(whySchemaText),
	}
}
