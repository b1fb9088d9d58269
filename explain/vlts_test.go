package explain_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
)

// TestDescribeAgreesWithVLTS compares with the figures that the VLTS benchmark
// suite publishes about its models.
func TestDescribeAgreesWithVLTS(t *testing.T) {
	folder := filepath.Join("..", "..", "shared", "lts")
	table, err := os.ReadFile(filepath.Join(folder, "VLTS_TABLE.tsv"))
	if err != nil {
		t.Skip("the table of the VLTS suite is not here")
	}
	compared := 0
	for _, line := range strings.Split(string(table), "\n")[1:] {
		row := strings.Split(line, "\t")
		path := filepath.Join(folder, row[0]+".aut")
		if _, err := os.Stat(path); len(row) < 9 || err != nil {
			continue
		}
		m, _, err := aut.Open(context.Background(), path, aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := explain.Describe(context.Background(), m, []string{"i"}, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		number := func(column int) int {
			n, err := strconv.Atoi(row[column])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if s.Model.States != number(1) || s.Model.Transitions != number(2) || s.InternalTransitions != number(3) || s.Model.Labels != number(4) {
			t.Errorf("%s: %+v, published %v", row[0], s.Model, row)
		}
		if (s.Model.Deadlocks > 0) != (row[6] == "X") || (s.Divergent > 0) != (row[7] == "X") || (s.Nondeterministic == 0) != (row[8] == "X") {
			t.Errorf("%s: %d deadlocks, %d divergent, %d non-deterministic states, published %v", row[0], s.Model.Deadlocks, s.Divergent, s.Nondeterministic, row[6:])
		}
		compared++
	}
	if compared == 0 {
		t.Skip("no model of the VLTS suite is here")
	}
}
