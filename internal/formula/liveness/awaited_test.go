package liveness_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/formula/liveness"
)

// TestAwaitedDisjunction: a disjunction that a run waits for is written as in TLA+.
func TestAwaitedDisjunction(t *testing.T) {
	ctx := context.Background()
	folder := filepath.Join("..", "..", "..", "examples", "tla")
	s, err := liveness.Load(ctx, filepath.Join(folder, "Lock.tla"), filepath.Join(folder, "Lock.cfg"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(folder, "Lock.dot"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, _, err := format.Read(ctx, f, format.Options{Name: "Lock.dot", States: true})
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.On(ctx, m.LTS, m.States, false)
	if err != nil {
		t.Fatal(err)
	}
	instances, err := s.Instances(ctx, `\E c \in Clients : []<>Holds(c)`)
	if err != nil {
		t.Fatal(err)
	}
	question, err := g.Ask(ctx, instances[0])
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(ctx, question.Model, question.Formula, explain.Options{
		Source: explain.Source{Idle: g.Stuttering()},
		Search: explain.Search{Fair: question.Fair},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `Holds(c1) \/ Holds(c2)`
	if e.Diagnosis == nil || e.Diagnosis.Awaited != want {
		t.Errorf("diagnosis %+v, want %s", e.Diagnosis, want)
	}
}
