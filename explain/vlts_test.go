package explain_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/collection"
)

// standInTable is about models of the examples, in the columns of the VLTS suite:
// name, states, transitions, internal ones, labels, branching, and whether there are
// deadlocks, livelocks and determinism. All was counted by other means: by grep, sort
// and uniq in the file.
const standInTable = `name	states	transitions	tau	labels	branching	deadlock	livelock	deterministic
examples/figure2/figure2	6	6	0	5	-	X	-	-
examples/hyman/once	82	130	0	20	-	X	-	X
examples/abp/abp	150	469	0	14	-	-	-	-
explain/testdata/models/clock	5	7	3	4	-	X	X	-
`

// TestDescribeAgreesWithTables compares with counted figures, and with those that the
// VLTS benchmark suite publishes about its models.
func TestDescribeAgreesWithTables(t *testing.T) {
	tables := standInTable
	if path, there := collection.Foreign(t, "VLTS_TABLE.tsv"); there {
		published, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tables += string(published)
	}
	for _, line := range strings.Split(tables, "\n") {
		row := strings.Split(line, "\t")
		if len(row) < 9 || row[0] == "name" {
			continue
		}
		path, there := collection.Find(t, row[0]+".aut")
		if !there {
			continue
		}
		m, _, err := aut.Open(context.Background(), path, aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := explain.Describe(context.Background(), m, []string{"i"}, "", explain.Source{})
		if err != nil {
			t.Fatal(err)
		}
		compareWithRow(t, s, row)
	}
}

func compareWithRow(t *testing.T, s *explain.Statistics, row []string) {
	t.Helper()
	number := func(column int) int {
		n, err := strconv.Atoi(row[column])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if s.Model.States != number(1) || s.Model.Transitions != number(2) || s.InternalTransitions != number(3) || s.Model.Labels != number(4) {
		t.Errorf("%s: %+v, the table has %v", row[0], s.Model, row)
	}
	if (s.Model.Deadlocks > 0) != (row[6] == "X") || (s.Divergent > 0) != (row[7] == "X") || (s.Nondeterministic == 0) != (row[8] == "X") {
		t.Errorf("%s: %d deadlocks, %d divergent, %d non-deterministic states, the table has %v", row[0], s.Model.Deadlocks, s.Divergent, s.Nondeterministic, row[6:])
	}
}
