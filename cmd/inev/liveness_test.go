package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/collection"
)

// TestVerdictsOfTLC: properties of TLA+, as they stand in specifications, have the verdicts that
// TLC gives them under WF_vars(Next). Those with quantifiers and definitions are refused.
func TestVerdictsOfTLC(t *testing.T) {
	table, there := collection.Foreign(t, "tlc/LIVENESS.tsv")
	if !there {
		t.Skip("the models are not there")
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	compared := 0
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		row := strings.Split(line, "\t")
		if row[1] != "WF" {
			continue
		}
		f, err := formula.Parse(ctx, row[3])
		if err != nil {
			if !strings.Contains(row[3], `\A`) && !strings.Contains(row[3], `\cup`) {
				t.Errorf("%s: %v", row[3], err)
			}
			continue
		}
		m, _, err := format.Open(ctx, filepath.Join(filepath.Dir(table), row[0]+".dot"), format.Options{States: true})
		if err != nil {
			t.Fatal(err)
		}
		moves, err := actl.ParseAssumption(ctx, "weak!:*")
		if err != nil {
			t.Fatal(err)
		}
		o := explain.Options{Source: explain.Source{States: m.States}, Fair: []*actl.Assumption{moves}}
		e, err := explain.Check(ctx, m.LTS, f, o)
		if err != nil {
			t.Errorf("%s: %s: %v", row[0], row[3], err)
			continue
		}
		if compared++; e.Verdict.String() != row[4] {
			t.Errorf("%s: %s is %s, and TLC says %s", row[0], row[3], e.Verdict, row[4])
		}
	}
	if compared < 12 {
		t.Errorf("%d properties were compared", compared)
	}
}
