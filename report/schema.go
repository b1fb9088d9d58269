package report

import (
	"embed"
	"path"
	"strings"
)

//go:embed schema/*.json
var schemas embed.FS

// Schemas returns the JSON Schemas (draft 2020-12) of the documents in JSON, by the name in each
// document: inev.explanation/3 for explain.Explain and explain.Check, inev.labels/1 for the labels
// of a model, inev.repair/1 for the changes that make a property true, inev.replay/1 for a replayed
// log, and inev.why/1 for why an action did not happen. The caller may change them.
func Schemas() map[string][]byte {
	all := map[string][]byte{}
	files, _ := schemas.ReadDir("schema") // an embedded folder can be read
	for _, f := range files {
		name, number, _ := strings.Cut(strings.TrimSuffix(f.Name(), ".json"), "-")
		all["inev."+name+"/"+number], _ = schemas.ReadFile(path.Join("schema", f.Name()))
	}
	return all
}
