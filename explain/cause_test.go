package explain

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/formula"
)

// TestCauseOfLoops: the cause of a loop is what the run does, in each round, where the shortest way to what is
// pending leaves the loop; it is not internal, and neither on a shortest way nor needed to come there.
func TestCauseOfLoops(t *testing.T) {
	for _, c := range []struct {
		name  string
		model []string
		text  string
		want  []string
		again bool
	}{
		{"a loss", []string{"0 send 1", "1 lose 0", "1 pass 2", "2 get 3"}, "Inev(get)", []string{"lose"}, false},
		{"an internal choice", []string{"0 send 1", "1 tau 2", "2 lose 0", "1 tau 3", "3 get 4"}, "Inev(get)", []string{"lose"}, false},
		{"what comes back elsewhere", []string{"0 a 1", "1 b 0", "1 c 2", "2 d 0", "2 s 3"}, "Inev(s)", []string{"b", "d"}, false},
		{"three ways back", []string{"0 a 1", "1 b 0", "1 c 2", "2 d 0", "2 e 0", "2 s 3"}, "Inev(s)", nil, false},
		{"needed to come there", []string{"0 go 1", "1 tau 0", "1 tau 2", "2 get 3"}, "Inev(get)", nil, false},
		{"on the way", []string{"0 send 1", "1 lose 0", "1 pass 2", "2 lose 3", "3 get 4"}, "Inev(get)", nil, false},
		{"internal", []string{"0 tau 1", "1 tau 0", "1 pass 2", "2 get 3"}, "Inev(get)", nil, false},
		{"once before", []string{"0 get 1", "1 send 2", "2 lose 1", "2 pass 3", "3 get 4"}, "Inev(get, get)", []string{"lose"}, true},
		{"possible on the loop", []string{"0 send 1", "1 lose 0", "1 get 2"}, "Inev(get)", nil, false},
	} {
		e := explained(t, c.model, c.text)
		d := e.Diagnosis
		if !slices.Equal(d.Cause, c.want) || d.Again != c.again {
			t.Errorf("%s: the cause is %q (again: %t), want %q (again: %t)", c.name, d.Cause, d.Again, c.want, c.again)
		}
	}
}

// TestFinitelyRemovesTheCause: advice that labels happen finitely often removes the cause. It excludes no runs
// only by what follows a violation, and names nothing without which what the run waits for is out of reach.
func TestFinitelyRemovesTheCause(t *testing.T) {
	for _, c := range []struct {
		name  string
		model []string
		text  string
		want  [][]string
	}{
		{"a loss", []string{"0 send 1", "1 lose 0", "1 get 2"}, "Inev(get)", [][]string{{"lose"}}},
		{"after a forbidden step", []string{"0 go 1", "0 bad 2", "1 back 0", "2 done 2"}, "Never(bad)", nil},
		{"after what came too early", []string{"0 ask 1", "0 read 2", "1 read 2", "2 done 2"}, "Precedes(ask; read)", nil},
		{"a crash among losses", []string{"0 send 1", "1 lose 0", "1 crash 2", "1 get 3", "2 beep 2"}, "Inev(get)", nil},
		{"on each way", []string{"0 a 1", "1 b 0", "1 c 2", "2 d 0", "2 s 3"}, "Inev(s)", [][]string{{"b", "d"}}},
		{"on each way to an answer", []string{"0 req 1", "1 x 2", "2 y 1", "2 ack 0"}, "Response(req; ack)", [][]string{{"y"}}},
		{"the step itself", []string{"0 get 0", "0 put 0"}, "Inev(get, put)", [][]string{}},
		{"recurs", []string{"0 good 0", "0 bad 0"}, "F G !bad", [][]string{{"bad"}}},
	} {
		e := explained(t, c.model, c.text)
		var got [][]string
		for _, a := range e.Fairness.Assumptions {
			if a.Kind == Finitely {
				got = append(got, a.Labels)
			}
		}
		if !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%s: %q happen finitely often, want %q", c.name, got, c.want)
		}
	}
}

// explained explains a formula about the model with these steps.
func explained(t *testing.T, steps []string, text string) *Explanation {
	t.Helper()
	ctx := context.Background()
	f, err := formula.Parse(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Explain(ctx, modelOfSteps(t, steps...), f, Options{NoPaths: true})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
