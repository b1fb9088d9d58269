package inevtest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/lts"
)

// Step is a transition from a state: its label, and the state after it.
type Step[S comparable] struct {
	Label string
	To    S
}

// maxStates is the number of states after which [Explore] ends the test.
const maxStates = 1_000_000

// Explore makes the model of a Go program: its states are the states reachable from initial by
// the steps that next returns. The steps must depend on the state alone. If states are structs,
// explanations show their fields. The test ends if there are more than a million states. Cost: a
// call of next for each state.
func Explore[S comparable](t testing.TB, initial S, next func(S) []Step[S]) *Model {
	t.Helper()
	var b lts.Builder
	numbers := map[S]lts.State{initial: 0}
	all := []S{initial}
	for from := 0; from < len(all); from++ {
		if from&1023 == 0 && t.Context().Err() != nil {
			t.Fatalf("inevtest: %v", t.Context().Err())
		}
		for _, step := range next(all[from]) {
			to, known := numbers[step.To]
			if !known {
				if len(all) == maxStates {
					t.Fatalf("inevtest: more than %d states can be reached; the last one is %+v: does something count without a limit?", maxStates, step.To)
				}
				to = lts.State(len(all))
				numbers[step.To] = to
				all = append(all, step.To)
			}
			b.Add(lts.State(from), b.Label(step.Label), to)
		}
	}
	m, err := b.Build(0, len(all))
	if err != nil {
		t.Fatalf("inevtest: %v", err)
	}
	return &Model{lts: m, name: "the program", values: valuesOf(t, all)}
}

// valuesOf returns the fields of states that are structs; nil for states of other types.
func valuesOf[S comparable](t testing.TB, all []S) *states.Table {
	kind := reflect.TypeFor[S]()
	if kind.Kind() != reflect.Struct || kind.NumField() == 0 {
		return nil
	}
	clean := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
	var text strings.Builder
	for number, state := range all {
		fmt.Fprint(&text, number)
		value := reflect.ValueOf(state)
		for i := range kind.NumField() {
			fmt.Fprintf(&text, "\t%s=%s", kind.Field(i).Name, clean.Replace(fmt.Sprint(value.Field(i))))
		}
		text.WriteString("\n")
	}
	table, err := states.ReadTSV(t.Context(), strings.NewReader(text.String()), "the program", len(all))
	if err != nil {
		t.Fatalf("inevtest: the states: %v", err)
	}
	return table
}
