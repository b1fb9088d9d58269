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

// Schemas returns the JSON Schemas (draft 2020-12) of the documents in JSON, by the name in each
// document: inev.explanation/3 for explain.Explain and explain.Check, inev.labels/1 for the labels
// of a model, inev.repair/1 for the changes that make a property true, inev.replay/1 for a replayed
// log, and inev.why/1 for why an action did not happen. The caller may change them.
func Schemas() map[string][]byte {
	return map[string][]byte{
		"inev.explanation/3": bytes.Clone(explanationSchema), "inev.labels/1": bytes.Clone(labelsSchemaText),
		"inev.repair/1": bytes.Clone(repairSchemaText), "inev.replay/1": bytes.Clone(replaySchemaText),
		"inev.why/1": bytes.Clone(whySchemaText),
	}
}
