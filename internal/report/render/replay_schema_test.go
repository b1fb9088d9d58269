package render_test

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/report"
)

// TestReplaysSatisfyTheSchema: results of random logs do, of one case and of many, with a property
// and without; and the schema notices what is wrong.
func TestReplaysSatisfyTheSchema(t *testing.T) {
	s := compiled(t, report.Schemas()["inev.replay/1"])
	valid := func(text string) error {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(document)
	}
	met := map[string]string{}
	for seed := range randomlts.Share(120) {
		g := drawLogged(t, seed, []int{1, 6}[seed%2])
		if seed%5 == 0 {
			g.result.Formula = ""
			for i := range g.result.Cases {
				g.result.Cases[i].Property = nil
			}
		}
		text := g.written(t, "json", false)
		if err := valid(text); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, text)
		}
		for _, part := range []string{`"fate":"lost"`, `"fate":"sure"`, `"fate":"open"`, `"kind":"log"`, `"kind":"model"`, `"fits":true`, `"property":null`, `"next":`, `"states":[`, `inev.replay/1`} {
			if strings.Contains(strings.ReplaceAll(text, `": `, `":`), part) {
				met[part] = strings.ReplaceAll(text, `": `, `":`)
			}
		}
	}
	for part, damaged := range map[string]string{
		`"fate":"lost"`: `"fate":"open"`, `"fate":"sure"`: `"fate":"certain"`, `"fate":"open"`: `"fate":"lost"`, `"kind":"log"`: `"kind":"event"`,
		`"kind":"model"`: `"kind":null`, `"fits":true`: `"fits":false`, `"property":null`: `"property":0`, `"next":`: `"event":0,"before":`,
		`"states":[`: `"states":[-1,`, `inev.replay/1`: `inev.replay/2`,
	} {
		text := met[part]
		if text == "" {
			if randomlts.Whole() {
				t.Errorf("%s was not met", part)
			}
			continue
		}
		if valid(strings.Replace(text, part, damaged, 1)) == nil {
			t.Errorf("%s for %s is not noticed", damaged, part)
		}
	}
}
