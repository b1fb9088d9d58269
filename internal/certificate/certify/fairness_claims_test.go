package certify_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/lts"
)

// file is a certificate as a reader that knows nothing of evidence takes it.
type file struct {
	Fairness []string       `json:"fairness"`
	Verdict  string         `json:"verdict"`
	Classes  map[string]int `json:"classes"`
	States   []struct {
		State          lts.State
		Admitted       *bool
		MP, CP, MS, CS int
		Out            string
	}
	Neighbourhoods []struct {
		State    lts.State
		Kind     string
		Distance int `json:"distance_from_initial"`
	}
	Counterexample *struct {
		LoopStart *int `json:"loop_start"`
		Steps     []struct {
			From  lts.State
			Out   int
			Label string
			To    lts.State
			Class string
		}
	}
}

func parse(text string) (f file, err error) {
	err = json.Unmarshal([]byte(text), &f)
	return f, err
}

// isTrue compares the claims of a certificate with the oracle.
func (f file) isTrue(s *subject, o *oracle.Fair, n int, advance func(int, lts.Label) int) error {
	if holds := f.Verdict == "satisfied"; holds != o.Holds() {
		return fmt.Errorf("verdict %s", f.Verdict)
	}
	counts := map[string]int{}
	for _, state := range f.States {
		admitted := state.Admitted == nil || *state.Admitted
		if admitted != o.Counts(state.State) {
			return fmt.Errorf("state %d: admitted %v", state.State, admitted)
		}
		labels, targets := s.m.Out(state.State)
		for i := range labels.Len() {
			l := labels.At(i)
			want := string(o.Class(lts.Transition{From: state.State, Label: l, To: targets[i]}))
			if state.Out[i] != want[0] {
				return fmt.Errorf("state %d: class %c, want %s", state.State, state.Out[i], want)
			}
			counts[want]++
		}
		for j := range n + 1 {
			if !admitted || !o.Reached(state.State, j) {
				continue
			}
			accept, reject := o.Can(state.State, j)
			if (j+state.CS >= n) == reject || (j+state.MS >= n) != accept {
				return fmt.Errorf("state %d: ms %d, cs %d, with progress %d of %d some run satisfies the property: %v, some does not: %v",
					state.State, state.MS, state.CS, j, n, accept, reject)
			}
		}
	}
	for name, count := range f.Classes {
		if counts[name] != count {
			return fmt.Errorf("%d are %s, not %d", counts[name], name, count)
		}
	}
	if f.Counterexample == nil {
		if f.Verdict == "violated" {
			return errors.New("no counterexample")
		}
		return nil
	}
	var steps []lts.Transition
	for _, step := range f.Counterexample.Steps {
		labels, targets := s.m.Out(step.From)
		steps = append(steps, lts.Transition{From: step.From, Label: labels.At(step.Out), To: targets[step.Out]})
	}
	return violatesFairly(s, o, n, advance, steps, f.Counterexample.LoopStart)
}

// violatesFairly reports what is wrong with a run that is to count and to violate the
// property.
func violatesFairly(s *subject, o *oracle.Fair, n int, advance func(int, lts.Label) int, steps []lts.Transition, loop *int) error {
	at, progress := s.m.Initial(), 0
	for i, step := range steps {
		if step.From != at {
			return fmt.Errorf("step %d leaves state %d", i+1, step.From)
		}
		at, progress = step.To, advance(progress, step.Label)
	}
	if loop == nil && progress < n && o.Ends(at) {
		return nil
	}
	if loop == nil {
		accept, reject := o.Can(at, progress)
		if accept || !reject {
			return fmt.Errorf("from state %d with progress %d: %v, %v", at, progress, accept, reject)
		}
		return nil
	}
	if *loop >= len(steps) || steps[*loop].From != at {
		return errors.New("no loop")
	}
	set := steps[*loop:]
	for range n {
		for _, step := range set {
			progress = advance(progress, step.Label)
		}
	}
	switch {
	case progress == n:
		return errors.New("it does all steps")
	case !o.Recurs(set):
		return errors.New("its loop is not fair")
	}
	return nil
}
