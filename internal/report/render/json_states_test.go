package render_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/explain/specification"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
)

// TestJSONOfStates: conditions, changes within values and places in the specification follow the
// schema.
func TestJSONOfStates(t *testing.T) {
	ctx := context.Background()
	m := specimens.Model(t, 3, specimens.Edge{From: 0, Label: "PUT(1)", To: 1}, specimens.Edge{From: 1, Label: "GET", To: 0}, specimens.Edge{From: 1, Label: "LOSE", To: 2})
	table, err := lts.ReadValues(ctx, strings.NewReader("0\tq=<<>>\tn=0\n1\tq=<<1>>\tn=0\n2\tq=<<1>>\tn=1\n"), "m.tsv", 3)
	if err != nil {
		t.Fatal(err)
	}
	spec := filepath.Join(t.TempDir(), "m.tla")
	if err := os.WriteFile(spec, []byte("Next == PUT(1) \\/ LOSE\nLOSE == n' = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := specification.Read(ctx, []string{spec})
	if err != nil {
		t.Fatal(err)
	}
	f, err := formula.Parse(ctx, "G (n = 0 && q != <<2>>) && G (PUT -> F GET)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{Source: explain.Source{File: "m.aut", States: table, Specification: files.Find}})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(asJSON(t, compiledSchema(t), e))), " ")
	for _, want := range []string{
		`"conjuncts": [ { "text": "G n = 0", "verdict": "violated", "step": 2 }, { "text": "G q != <<2>>", "verdict": "satisfied" }, { "text": "G (PUT -> F GET)", "verdict": "violated", "pending": "waiting for GET" } ]`,
		`{ "name": "q", "value": "<<1>>", "changes": [ { "path": "", "after": "<<1>>" } ] }`,
		`"line": 2, "text": "LOSE == n' = 1", "definition": true, "others": 1 }`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it has no %s:\n%s", want, text)
		}
	}
}
