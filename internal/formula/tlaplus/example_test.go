package tlaplus_test

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/inev-lts/inev/internal/formula/tlaplus"
	"github.com/inev-lts/inev/internal/property/values"
)

// A negation of a predicate is one of the formula, however often it is written: P and ~P are one
// predicate.
func ExampleSpecification_Property_negation() {
	folder := filepath.Join("..", "..", "..", "examples", "tla")
	s, err := tlaplus.Load(context.Background(), filepath.Join(folder, "Lock.tla"), filepath.Join(folder, "Lock.cfg"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := s.Property(`[](holder = None => ~~(~(holder = None)))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Parts[0].Predicate.Name)
	if f, err = s.Property(`<>~~(~(holder = None))`); err != nil {
		fmt.Println(err)
		return
	}
	f = f.Parts[0]
	for f.Operator == tlaplus.Not {
		fmt.Print("not ")
		f = f.Parts[0]
	}
	fmt.Println(f.Predicate.Name)
	// Output:
	// holder = None => ~~(~(holder = None))
	// not not not holder = None
}

// What a definition says of two states of a lock.
func ExampleSpecification_Property() {
	folder := filepath.Join("..", "..", "..", "examples", "tla")
	ctx := context.Background()
	s, err := tlaplus.Load(ctx, filepath.Join(folder, "Lock.tla"), filepath.Join(folder, "Lock.cfg"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	free, err := s.Property(`[](holder = None)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	holds := free.Parts[0].Predicate
	pc := values.Parse(`(c1 :> "idle" @@ c2 :> "holds")`)
	for _, holder := range []string{"0", "c2"} {
		is, err := s.Evaluator(ctx).Holds(holds, []values.Value{pc, values.Parse(holder)}, nil, nil)
		fmt.Println(holds.Name, is, err)
	}
	// Output:
	// holder = None true <nil>
	// holder = None false <nil>
}
