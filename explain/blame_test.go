package explain

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/formula"
)

// TestNearestTakesTheNamedWay: where the diagnosis names a way to what is awaited, the nearest correct run takes it
// rather than a detour that has more labels in common with the counterexample. It is told up to where nothing can go
// wrong any more. Of the other run, it removes one round of the loop.
func TestNearestTakesTheNamedWay(t *testing.T) {
	ctx := context.Background()
	broker := []string{"0 DELETE 1", "0 SUB 1", "1 CLOSED 0", "0 CONNECT 2", "2 CONNACK 3", "3 DELETE 4", "4 EMPTY 3", "3 SUB 5", "5 SUBACK 3"}
	for _, c := range []struct{ text, removed, inserted string }{
		{"Response(SUB; SUBACK)", "SUB", "CONNECT, CONNACK, SUB, SUBACK"},
		{"G F SUBACK", "DELETE, CLOSED", "CONNECT, CONNACK, SUB, SUBACK"},
		{"Inev(SUBACK)", "DELETE", "CONNECT, CONNACK, SUB, SUBACK"},
	} {
		f, err := formula.Parse(ctx, c.text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(ctx, modelOfSteps(t, broker...), f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		labels := map[string][]string{}
		for _, s := range e.Nearest.Steps {
			labels[s.Op] = append(labels[s.Op], s.Label)
		}
		removed := strings.Join(labels[Remove], ", ")
		inserted := strings.Join(labels[Insert], ", ")
		if removed != c.removed || inserted != c.inserted {
			t.Errorf("%s: - %s + %s, want - %s + %s, …", c.text, removed, inserted, c.removed, c.inserted)
		}
	}
}
