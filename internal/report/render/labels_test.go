package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/report"
)

func TestLabelsSatisfyTheSchema(t *testing.T) {
	s := compiled(t, report.Schemas()["inev.labels/1"])
	r := newWriter(t, "json", render.Options{})
	for _, m := range models() {
		for _, result := range []string{"labels", "gates"} {
			var b bytes.Buffer
			if err := m.results(t, r)[result](&b); err != nil {
				t.Fatal(err)
			}
			document, err := jsonschema.UnmarshalJSON(&b)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(document); err != nil {
				t.Errorf("%s of %s: %v", result, m.name, err)
			}
		}
	}
	// It has to notice what is wrong.
	right := `{"schema": "inev.labels/1", "file": "m", "by": "label", "warnings": [], "timings_ms": {},
		"labels": [{"label": "a", "gate": null, "labels": 1, "transitions": 2, "reachable_transitions": 1, "reachable": true}]}`
	for old, damaged := range map[string]string{
		"": "", `labels/1`: `labels/2`, `"by": "label"`: `"by": "state"`, `"label": "a"`: `"label": null`,
		`"reachable": true`: `"reachable": false`, `"reachable_transitions": 1`: `"reachable_transitions": 0`, `"warnings": [], `: "",
	} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(right, old, damaged, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(document); (err == nil) != (old == "") {
			t.Errorf("with %q for %q: %v", damaged, old, err)
		}
	}
}

// TestLabelsAreNeverCut: labels that differ at their ends only must not look the same, and a
// long one leaves the lines of the others as they are.
func TestLabelsAreNeverCut(t *testing.T) {
	gate := strings.Repeat("GATE", 3000)
	m := model{name: "long", formula: "Inev(A)", states: 2, edges: []edge{{0, gate + " !1", 1}, {0, gate + " !2", 1}, {0, "A", 1}}}
	for _, format := range []string{"text", "markdown", "tsv"} {
		var b strings.Builder
		if err := newWriter(t, format, render.Options{}).Labels(&b, m.labels(t)); err != nil {
			t.Fatal(err)
		}
		for _, label := range []string{gate + " !1", gate + " !2"} {
			if !strings.Contains(b.String(), label) {
				t.Errorf("%s has a label that is cut", format)
			}
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if !strings.Contains(line, gate) && len(line) > 200 {
				t.Errorf("%s has a line of %d characters", format, len(line))
			}
		}
	}
}
