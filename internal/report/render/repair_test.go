package render_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/report"
)

// TestRepairs: repairs in every format; JSON satisfies the schema.
func TestRepairs(t *testing.T) {
	s := compiled(t, report.Schemas()["inev.repair/1"])
	y, err := actl.Parse(context.Background(), "Inev(Y)")
	if err != nil {
		t.Fatal(err)
	}
	owners := func(able string) *explain.Owners {
		return &explain.Owners{Names: []string{"left", "right", "far"}, Shares: true, Of: func(label string) (string, bool) {
			switch {
			case strings.Contains(able, label):
				return "left", true
			case label == "A" || label == "B":
				return "right", true
			}
			return "far", label == "C"
		}}
	}
	for name, m := range map[string]struct {
		formula string
		options explain.RepairOptions
	}{
		"alone":   {"Inev(A, B, C)", explain.RepairOptions{Owners: owners("XYZ")}},
		"nobody":  {"Inev(A, B, C)", explain.RepairOptions{Owners: owners("")}},
		"plain":   {"Inev(A, B, C)", explain.RepairOptions{Fewest: true, FewestLabels: true}},
		"blocked": {"Inev(A, B, C)", explain.RepairOptions{Uncontrollable: y.Steps()}},
		"holds":   {"Inev(A)", explain.RepairOptions{}},
	} {
		f, err := actl.Parse(context.Background(), m.formula)
		if err != nil {
			t.Fatal(err)
		}
		m.options.Source = explain.Source{File: "figure2.aut"}
		r, err := explain.FindRepair(context.Background(), specimens.Figure2(t), f, m.options)
		if err != nil {
			t.Fatal(err)
		}
		r.Timings = nil
		for _, format := range render.Formats() {
			var b bytes.Buffer
			if err := newWriter(t, format, render.Options{}).Repair(&b, r); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, "testdata/repair/"+name+"/"+format+".golden", b.Bytes())
			if format != "json" {
				continue
			}
			document, err := jsonschema.UnmarshalJSON(&b)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(document); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
