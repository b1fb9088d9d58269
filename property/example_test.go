package property_test

import (
	"errors"
	"fmt"
	"log"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Whatever a deterministic automaton accepts is a property.
func ExampleTable() {
	var b lts.Builder
	b.Add(0, b.Label("OPEN"), 1)
	b.Add(1, b.Label("CLOSE"), 0)
	m, err := b.Build(0, 2)
	if err != nil {
		log.Fatal(err)
	}
	// Every OPEN is followed by a CLOSE: state 0 is closed, 1 open. What recurs is
	// colour 0, of the transitions into state 0.
	p, err := property.Table(m.Alphabet(), property.Automaton{
		Letters:    []uint16{0, 1}, // OPEN, CLOSE
		Columns:    2,
		Next:       []property.Q{1, 0, 1, 0},
		Marks:      []property.Marks{0, property.Mark(0), 0, property.Mark(0)},
		Acceptance: property.Inf(0),
		Stop:       []bool{true, false},
		Pending:    make([]property.Phrase, 2),
		Name:       "closed again",
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = counterexample.NewViolating(m, p, slices.Collect(m.Transitions()), 0)
	fmt.Println(p, errors.Is(err, counterexample.ErrSatisfies))
	// Output:
	// closed again true
}
