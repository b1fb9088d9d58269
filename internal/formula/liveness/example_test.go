package liveness_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/formula/liveness"
)

// The properties of the configuration of a lock, under the fairness of its Spec.
func ExampleSpecification_On() {
	folder := filepath.Join("..", "..", "..", "examples", "tla")
	ctx := context.Background()
	s, err := liveness.Load(ctx, filepath.Join(folder, "Lock.tla"), filepath.Join(folder, "Lock.cfg"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := os.Open(filepath.Join(folder, "Lock.dot"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	m, _, err := format.Read(ctx, f, format.Options{Name: "Lock.dot", States: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := s.On(ctx, m.LTS, m.States, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	instances, err := s.Instances(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range instances {
		question, err := g.Ask(ctx, i)
		if err != nil {
			fmt.Println(err)
			return
		}
		e, err := explain.Check(ctx, question.Model, question.Formula, explain.Options{Fair: question.Fair})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(i.Name, "is", e.Verdict)
	}
	// Output:
	// Free is satisfied
	// Served (c = c1) is violated
	// Served (c = c2) is violated
	// []Exclusion is satisfied
}
