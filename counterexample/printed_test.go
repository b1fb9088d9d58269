package counterexample_test

import (
	"context"
	"fmt"
	"log"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// What a program prints while it is written.
func ExampleTrace_String() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader("des (0, 4, 4)\n(0, REQ, 1)\n(1, WAIT, 1)\n(1, ACK, 2)\n(1, DROP, 3)\n"), aut.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"Inev(REQ, ACK)", "Inev(WAIT, ACK)", "Never(DROP)", "Inev(REQ)"} {
		f, err := actl.Parse(ctx, text)
		if err != nil {
			log.Fatal(err)
		}
		p, _, err := f.Bind(ctx, m.Alphabet())
		if err != nil {
			log.Fatal(err)
		}
		found, err := counterexample.Shortest(ctx, m, p, counterexample.Options{})
		if err != nil {
			log.Fatal(err)
		}
		all, err := counterexample.All(ctx, m, p, counterexample.Options{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %v; %v\n", text, found, all)
	}
	given, err := counterexample.NewGiven(m, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(given)
	// Output:
	// Inev(REQ, ACK): states 0, 1, then from state 1 again and again; minimal in the model; counterexamples of 2 transitions
	// Inev(WAIT, ACK): states 0, 1, then from state 1 again and again; minimal in the model; counterexamples of 2 transitions
	// Never(DROP): states 0, 1, 3, then anything (prefix); minimal in the model; counterexamples of 2 transitions
	// Inev(REQ): no counterexample; <nil>
	// a graph: 4 states, 4 transitions, 4 labels, initial state 0
}

// TestPrintedTraceIsTheRun: what is printed has the states of the run, one after the other, and the state to which a loop
// leads back.
func TestPrintedTraceIsTheRun(t *testing.T) {
	ctx := context.Background()
	numbers := regexp.MustCompile(`\d+`)
	loops, ends := 0, 0
	for seed := range randomlts.Share(2_000) {
		drawn := randomlts.Seeded(seed, randomlts.Small())
		m := drawn.Model
		for _, text := range []string{drawn.Formula, "Never(*)"} {
			f, err := actl.Parse(ctx, text)
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := f.Bind(ctx, m.Alphabet())
			if err != nil {
				t.Fatal(err)
			}
			found, err := counterexample.Shortest(ctx, m, p, counterexample.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if found.Trace == nil {
				continue
			}
			visited := []lts.State{m.Initial()}
			for _, step := range found.Trace.Steps() {
				visited = append(visited, step.To)
			}
			printed := numbers.FindAllString(found.Trace.String(), -1)
			want := make([]string, len(visited))
			for i, s := range visited {
				want[i] = strconv.Itoa(int(s))
			}
			if strings.Join(printed, " ") != strings.Join(want, " ") {
				t.Errorf("seed %d: %v is printed of a run through %v", seed, found.Trace, visited)
			}
			_, isLasso := found.Trace.LoopStart()
			if isLasso != strings.Contains(found.Trace.String(), "again and again") {
				t.Errorf("seed %d: %v is printed of a %v", seed, found.Trace, found.Trace.Kind())
			}
			if isLasso {
				loops++
			} else {
				ends++
			}
		}
	}
	if loops == 0 || ends == 0 {
		t.Errorf("only %d loops and %d others", loops, ends)
	}
}
