package summary

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/testing/samplebatch"
)

func rows(t interface{ Fatal(...any) }, text string) [][]string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestCSV(t *testing.T) {
	b := sample()
	text := written(t, csvFile, b)
	all := rows(t, text)
	if len(all) != len(b.Results)+1 || strings.Count(text, "\n") != len(all) || strings.Count(text, "\r\n") != len(all) {
		t.Errorf("%d rows in %d lines, of which %d end in CR LF", len(all), strings.Count(text, "\n"), strings.Count(text, "\r\n"))
	}
	column := func(name string) int { return slices.Index(all[0], name) }
	for i, r := range b.Results {
		row := all[i+1]
		if row[column("status")] != string(r.Status) || (row[column("unexpected")] == "yes") != r.Unexpected {
			t.Errorf("%s: %q", r.Job.Name, row)
		}
		if r.Counterexample == nil && row[column("length")] != "" {
			t.Errorf("%s has a length", r.Job.Name)
		}
	}
	if got := all[1][column("change")] + " " + all[1][column("length")] + " " + all[1][column("deciding_line")]; got != "longer 3 7" {
		t.Errorf("the first job: %s", got)
	}
}

// TestCSVCalculatesNothing: no cell begins with what a spreadsheet takes for a
// formula, and one apostrophe less is the text again.
func TestCSVCalculatesNothing(t *testing.T) {
	for _, text := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "＝1", " =1", "'quoted", samplebatch.Hostile} {
		if got := guarded(text); got != "'"+printable.Text(text) {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	for _, text := range []string{"", "a=b", "models/a.aut", "12", "\t=1"} {
		if got := guarded(text); got != printable.Text(text) {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("=+-@＝'\",\n\r\t ax")))).Draw(t, "name")
		var out strings.Builder
		if err := writeCSV(Batch{Results: []batch.Result{samplebatch.Result(name, "m", "f", samplebatch.Satisfied)}}, &out); err != nil {
			t.Fatal(err)
		}
		cell := rows(t, out.String())[1][0]
		if strings.ContainsAny(firstOf(strings.TrimLeft(cell, " ")), "=+-@＝＋－＠") {
			t.Fatalf("%q becomes %q", name, cell)
		}
		if got := strings.TrimPrefix(cell, "'"); got != printable.Text(name) {
			t.Fatalf("%q becomes %q", name, cell)
		}
	})
}

func firstOf(text string) string {
	for _, r := range text {
		return string(r)
	}
	return ""
}
