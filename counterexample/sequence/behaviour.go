package sequence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// Behaviour is a counterexample with the values of its states: a behaviour of TLA+, as TLC writes
// it with -dumpTrace json, or Apalache as .itf.json.
type Behaviour struct {
	name   string
	states []map[string]any
	// actions are the actions between the states; the last one closes the loop; "" if
	// the file does not name them.
	actions []string
	// loop is the index of the state that the last state leads back to; noLoop without a loop.
	loop int
	// stutters reports whether nothing changes after the last state.
	stutters bool
}

// ValuesError reports that a file has a behaviour, which only [Behaviour.In] can turn into labels,
// since that needs a model.
type ValuesError struct{ Behaviour *Behaviour }

func (e *ValuesError) Error() string {
	return e.Behaviour.name + ": this is a behaviour of TLA+, which is found in a model by the values of its states: give a model that has them"
}

// isBehaviour reports whether a text begins like a behaviour in JSON. Cost O(len(start)).
func isBehaviour(start []byte) bool {
	start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), " \t\r\n")
	return len(start) > 0 && start[0] == '{'
}

// document is a file of TLC or Apalache.
type document struct {
	Counterexample *struct {
		State  [][2]any `json:"state"`
		Action [][3]any `json:"action"`
	} `json:"counterexample"`
	Vars   []string         `json:"vars"`
	States []map[string]any `json:"states"`
	Loop   *int             `json:"loop"`
}

// parseBehaviour reads a behaviour from JSON of TLC or Apalache. Cost O(len(text)).
func parseBehaviour(text []byte) (*Behaviour, error) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	d.UseNumber()
	var doc document
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("this is not a behaviour in JSON, as TLC writes it with -dumpTrace json and Apalache as .itf.json: %s", oneLine(err))
	}
	switch {
	case doc.Counterexample != nil:
		return doc.ofTLC()
	case len(doc.States) > 0:
		b := &Behaviour{states: doc.States, actions: make([]string, len(doc.States)), loop: noLoop}
		if doc.Loop != nil {
			if b.loop = *doc.Loop; b.loop < 0 || b.loop >= len(b.states) {
				return nil, fmt.Errorf("the loop begins with state %d of %d, counted from 0", b.loop, len(b.states))
			}
		}
		return b, nil
	}
	return nil, errors.New("this JSON has neither a counterexample, as that of TLC's -dumpTrace json, nor states, as Apalache's .itf.json")
}

// unnamedAction is the name that TLC gives to a step without a change.
const unnamedAction = "UnnamedAction"

func (doc document) ofTLC() (*Behaviour, error) {
	b := &Behaviour{loop: noLoop}
	number := map[string]int{}
	for i, s := range doc.Counterexample.State {
		values, ok := s[1].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("state %d of the counterexample has no values", i+1)
		}
		number[fmt.Sprint(s[0])] = i
		b.states = append(b.states, values)
	}
	if len(b.states) == 0 {
		return nil, errors.New("the counterexample has no state")
	}
	b.actions = make([]string, len(b.states))
	for i, a := range doc.Counterexample.Action {
		from, inFrom := stateNumber(a[0], number)
		to, inTo := stateNumber(a[2], number)
		what, isAction := a[1].(map[string]any)
		if !inFrom || !inTo || !isAction {
			return nil, fmt.Errorf("action %d of the counterexample does not lead from one of its states to another", i+1)
		}
		name, _ := what["name"].(string)
		switch {
		case name == unnamedAction && from == to && from == len(b.states)-1:
			b.stutters = true
			continue
		case to != from+1 && from != len(b.states)-1:
			return nil, fmt.Errorf("action %d of the counterexample leads back from state %d, which is not the last one", i+1, from+1)
		case to != from+1:
			b.loop = to
		}
		b.actions[from] = name
	}
	return b, nil
}

// stateNumber returns the index of a state in an action of TLC.
func stateNumber(x any, number map[string]int) (int, bool) {
	pair, ok := x.([]any)
	if !ok || len(pair) == 0 {
		return 0, false
	}
	i, known := number[fmt.Sprint(pair[0])]
	return i, known
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", " ") }

// In finds the behaviour in a model with values of states: from the initial state on, it follows
// transitions to states with the same values, whose label has the name of the action if the file
// names it. It returns the counterexample with the labels of these transitions. staying is the
// label of steps by which runs stay in a state for ever; "" if runs continue as long as they can.
// Cost O(n d v) for n steps, out-degrees up to d, and values of length v.
func (b *Behaviour) In(m *lts.LTS, t *states.Table, staying string) (*counterexample.Given, error) {
	if t == nil {
		return nil, b.refuse("a behaviour is found in a model by the values of its states, and this model has none: give a graph that TLC wrote, or a table of these values")
	}
	f := finder{b: b, m: m, table: t}
	steps, err := f.find()
	if err != nil {
		return nil, err
	}
	r := run{loop: noLoop}
	before := 0 // the step from an initial state that was added
	if len(steps) > 0 && !t.Known(m.Initial()) {
		before = 1
	}
	for _, s := range steps {
		r.labels = append(r.labels, m.Alphabet().Text(s.Label))
	}
	end := m.Initial()
	if len(steps) > 0 {
		end = steps[len(steps)-1].To
	}
	stutters := b.stutters || f.stutters
	switch {
	case b.loop != noLoop && !stutters:
		r.loop = b.loop + before
	case stutters && staying != "":
		r.labels = append(r.labels, staying)
		r.loop = len(r.labels) - 1
	case stutters && !m.IsDeadlock(end):
		return nil, b.refuse("this behaviour stutters for ever in state %d, where the model can go on: TLC found it without fairness. Runs of a model go on as long as they can, as under WF_vars(Next); have TLC check the property with that", len(b.states))
	case m.IsDeadlock(end):
		r.deadlock = true
	}
	return r.given()
}

func (b *Behaviour) refuse(format string, a ...any) error {
	return inputfile.NewError(b.name, 0, fmt.Errorf(format, a...))
}

// finder follows a behaviour through a model.
type finder struct {
	b     *Behaviour
	m     *lts.LTS
	table *states.Table
	// stutters reports whether the behaviour repeats its last state for ever, and no transition of
	// the model leads back to it.
	stutters bool
}

func (f *finder) find() ([]lts.Transition, error) {
	var steps []lts.Transition
	at := f.m.Initial()
	if !f.table.Known(at) {
		first, ok := f.step(at, 0, "")
		if !ok {
			return nil, f.b.refuse("no initial state of the model has the values of state 1 of the behaviour")
		}
		steps, at = append(steps, first), first.To
	} else if !f.has(at, 0) {
		return nil, f.b.refuse("the initial state of the model does not have the values of state 1 of the behaviour")
	}
	var visited []lts.State
	for i := range f.b.states {
		visited = append(visited, at)
		next := i + 1
		if next == len(f.b.states) {
			if next = f.b.loop; next == noLoop {
				break
			}
		}
		s, ok := f.step(at, next, f.b.actions[i])
		if !ok && next == i {
			// TLC gives a stuttering step the name of the action before it.
			f.stutters = true
			break
		}
		if !ok || next <= i && s.To != visited[next] {
			by := ""
			if f.b.actions[i] != "" {
				by = " by " + f.b.actions[i]
			}
			return nil, f.b.refuse("the model does not step%s from state %d of the behaviour to state %d: it is one of another model, or of one with other constants", by, i+1, next+1)
		}
		steps, at = append(steps, s), s.To
	}
	return steps, nil
}

// step returns a transition from a state to a state with the values of state i of the behaviour,
// preferably one with the name of the action.
func (f *finder) step(from lts.State, i int, action string) (lts.Transition, bool) {
	labels, targets := f.m.Out(from)
	for at, to := range targets {
		name, _, _ := strings.Cut(f.m.Alphabet().Text(labels.At(at)), "(")
		if (action == "" || name == action) && f.has(to, i) {
			return lts.Transition{From: from, Label: labels.At(at), To: to}, true
		}
	}
	return lts.Transition{}, false
}

// has reports whether a state has all values of state i of the behaviour.
func (f *finder) has(s lts.State, i int) bool {
	for p := range f.table.NumParameters() {
		given, told := f.b.states[i][f.table.Parameter(p).Name]
		if told && !sameValue(f.table.Text(p, f.table.Value(s, p)), given) {
			return false
		}
	}
	return f.table.Known(s)
}
