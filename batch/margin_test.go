package batch

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func number(n int) *int { return &n }

// TestExceeded: bounds that are larger than expected, and violations that take fewer faults.
func TestExceeded(t *testing.T) {
	bounded := func(most *int) []Bound { return []Bound{{1, "", number(3), 1}, {2, "", most, 2}} }
	faults := func(least *int, ever bool) []Faults { return []Faults{{"LOSS", least, ever}} }
	for _, c := range []struct {
		r    Result
		said string
	}{
		{Result{Job: Job{Bound: 9}, Status: Satisfied, Bounds: bounded(number(9))}, ""},
		{Result{Job: Job{Bound: 8}, Status: Satisfied, Bounds: bounded(number(9))}, "it takes up to 9 actions, and at most 8 are expected"},
		{Result{Job: Job{Bound: 8}, Status: Satisfied, Bounds: bounded(nil)}, "there is no bound, and at most 8 are expected"},
		{Result{Job: Job{Bound: 8}, Status: Violated}, ""},
		{Result{Status: Satisfied, Bounds: bounded(nil)}, ""},
		{Result{Job: Job{LeastFaults: []int{2}}, Status: Violated, Faults: faults(number(2), false)}, ""},
		{Result{Job: Job{LeastFaults: []int{2}}, Status: Violated, Faults: faults(nil, true)}, ""},
		{Result{Job: Job{LeastFaults: []int{2}}, Status: Violated, Faults: faults(number(1), false)}, "it takes 1 LOSS to violate it, and at least 2 are expected"},
	} {
		if said := strings.Join(exceeded(&c.r), "; "); said != c.said {
			t.Errorf("%+v: %q, want %q", c.r, said, c.said)
		}
		if fails := len(onUnexpected.Failing([]Result{c.r}, nil)) > 0; fails != (c.said != "" || c.r.Status == Violated) {
			t.Errorf("%+v fails: %t", c.r, fails)
		}
	}
}

// TestMarginsInManifests: what is expected of bounds and faults in both kinds of manifests, and
// mistakes about it.
func TestMarginsInManifests(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("m.aut", "des (0,1,2)\n(0,A,1)\n")
	for name, text := range map[string]string{
		"a.yaml": "jobs:\n- {model: m.aut, formula: Inev(A), bound: 4, faults: {A: 2, \"B, C\": 0}}\n",
		"a.tsv":  "model\tformula\tbound\tfaults\nm.aut\tInev(A)\t4\tA: 2; B, C: 0\n",
	} {
		m, err := Open(context.Background(), write(name, text))
		if err != nil {
			t.Fatal(err)
		}
		j := m.Jobs[0]
		if j.Bound != 4 || !reflect.DeepEqual(j.Options.Faults, []string{"A", "B, C"}) || !reflect.DeepEqual(j.LeastFaults, []int{2, 0}) {
			t.Errorf("%s: %+v", name, j)
		}
	}
	for text, want := range map[string]string{
		"bound: none":          "write the largest number of transitions",
		"bound: 0":             "is not a number above 0",
		"faults: LOSS":         "is not a pattern with a number",
		"faults: {A: -1}":      "is not a pattern with a number",
		"faults: 'A( : 1'":     "faults: expected",
		"faults: 'A: 1; A: 2'": "given twice",
	} {
		_, err := Open(context.Background(), write("b.yaml", "jobs:\n- {model: m.aut, formula: Inev(A), "+text+"}\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
