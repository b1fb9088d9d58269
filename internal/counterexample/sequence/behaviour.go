package sequence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/values"
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
		return nil, fmt.Errorf("this is not a behaviour in JSON, as TLC writes it with -dumpTrace json and Apalache as .itf.json: %s", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	if doc.Counterexample == nil {
		if len(doc.States) == 0 {
			return nil, errors.New("this JSON has neither a counterexample, as that of TLC's -dumpTrace json, nor states, as Apalache's .itf.json")
		}
		b := &Behaviour{states: doc.States, actions: make([]string, len(doc.States)), loop: noLoop}
		if doc.Loop != nil {
			b.loop = *doc.Loop
			if b.loop < 0 || b.loop >= len(b.states) {
				return nil, fmt.Errorf("the loop begins with state %d of %d, counted from 0", b.loop, len(b.states))
			}
		}
		return b, nil
	}
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

// unnamedAction is the name that TLC gives to a step without a change.
const unnamedAction = "UnnamedAction"

// stateNumber returns the index of a state in an action of TLC.
func stateNumber(x any, number map[string]int) (int, bool) {
	pair, ok := x.([]any)
	if !ok || len(pair) == 0 {
		return 0, false
	}
	i, known := number[fmt.Sprint(pair[0])]
	return i, known
}

// In finds the behaviour in a model with values of states: from the initial state on, it follows
// transitions to states with the same values, whose label has the name of the action if the file
// names it. It returns the counterexample with the labels of these transitions. staying is the
// label of steps by which runs stay in a state for ever; "" if runs continue as long as they can.
// Cost O(n d v) for n steps, out-degrees up to d, and values of length v.
func (b *Behaviour) In(m *lts.LTS, t *states.Table, staying string) (*counterexample.Given, error) {
	if t == nil {
		return nil, b.refuse("a behaviour is found in a model by the values of its states, and this model has none: give a graph that TLC wrote, or a table of these values")
	}
	// has reports whether a state has all values of state i of the behaviour.
	has := func(s lts.State, i int) bool {
		for p := range t.NumParameters() {
			given, told := b.states[i][t.Parameter(p).Name]
			if told && !sameValue(t.Text(p, t.Value(s, p)), given) {
				return false
			}
		}
		return t.Known(s)
	}
	// step returns a transition to a state with the values of state i, preferably one with the name of
	// the action.
	step := func(from lts.State, i int, action string) (lts.Transition, bool) {
		labels, targets := m.Out(from)
		for at, to := range targets {
			name, _, _ := strings.Cut(m.Alphabet().Text(labels.At(at)), "(")
			if (action == "" || name == action) && has(to, i) {
				return lts.Transition{From: from, Label: labels.At(at), To: to}, true
			}
		}
		return lts.Transition{}, false
	}
	r := run{loop: noLoop}
	before := 0 // the step from an initial state that was added
	at := m.Initial()
	stutters := b.stutters
	if !t.Known(at) {
		first, ok := step(at, 0, "")
		if !ok {
			return nil, b.refuse("no initial state of the model has the values of state 1 of the behaviour")
		}
		r.labels = append(r.labels, m.Alphabet().Text(first.Label))
		at = first.To
		before = 1
	} else if !has(at, 0) {
		return nil, b.refuse("the initial state of the model does not have the values of state 1 of the behaviour")
	}
	var visited []lts.State
	for i := range b.states {
		visited = append(visited, at)
		next := i + 1
		if next == len(b.states) {
			next = b.loop
			if next == noLoop {
				break
			}
		}
		s, ok := step(at, next, b.actions[i])
		if !ok && next == i {
			// TLC gives a stuttering step the name of the action before it.
			stutters = true
			break
		}
		if !ok || next <= i && s.To != visited[next] {
			by := ""
			if b.actions[i] != "" {
				by = " by " + b.actions[i]
			}
			return nil, b.refuse("the model does not step%s from state %d of the behaviour to state %d: it is one of another model, or of one with other constants", by, i+1, next+1)
		}
		r.labels = append(r.labels, m.Alphabet().Text(s.Label))
		at = s.To
	}
	switch {
	case b.loop != noLoop && !stutters:
		r.loop = b.loop + before
	case stutters && staying != "":
		r.labels = append(r.labels, staying)
		r.loop = len(r.labels) - 1
	case stutters && !m.IsDeadlock(at):
		return nil, b.refuse("this behaviour stutters for ever in state %d, where the model can go on: TLC found it without fairness. Runs of a model go on as long as they can, as under WF_vars(Next); have TLC check the property with that", len(b.states))
	case m.IsDeadlock(at):
		r.deadlock = true
	}
	return r.given()
}

func (b *Behaviour) refuse(format string, a ...any) error {
	return inputfile.NewError(b.name, 0, fmt.Errorf(format, a...))
}

// sameValue reports whether the text of a value, as TLC prints it, and a value of JSON, as TLC or
// Apalache writes it, can be the same: JSON does not distinguish tuples from sets, nor model values
// from strings. A value of another language is the same if its text is.
func sameValue(text string, given any) bool {
	return same(values.Parse(stringOrInterval.ReplaceAllStringFunc(text, listed)), given) || text == fmt.Sprint(given)
}

var stringOrInterval = regexp.MustCompile(`"(\\.|[^"\\])*"|-?[0-9]+\.\.-?[0-9]+`)

// listed returns an interval of numbers as the set of these numbers, and a string unchanged.
func listed(text string) string {
	low, high, is := strings.Cut(text, "..")
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	const most = 1 << 16
	if !is || err1 != nil || err2 != nil || to-from > most {
		return text
	}
	var numbers []string
	for i := from; i <= to; i++ {
		numbers = append(numbers, strconv.Itoa(i))
	}
	return "{" + strings.Join(numbers, ", ") + "}"
}

// same reports whether a value of TLA+ has the same meaning as a value of JSON.
func same(v values.Value, given any) bool {
	switch g := given.(type) {
	case []any:
		return isList(v, g)
	case map[string]any:
		return isObject(v, g)
	case string, json.Number:
		return v.Kind() < values.Sequence && nameOf(v) == fmt.Sprint(g)
	case bool:
		return v.Kind() < values.Sequence && nameOf(v) == strings.ToUpper(fmt.Sprint(g))
	}
	return false
}

// nameOf returns the text of a value, without the quotes of a string.
func nameOf(v values.Value) string {
	if v.Kind() == values.String {
		return v.Content()
	}
	return v.String()
}

// isList reports whether a tuple has these parts in this order, or a set in any order.
func isList(v values.Value, list []any) bool {
	if v.Kind() != values.Sequence && v.Kind() != values.Set || len(v.Items()) != len(list) {
		return false
	}
	used := make([]bool, len(list))
	for i, part := range v.Items() {
		at := i
		if v.Kind() == values.Set {
			for at = 0; at < len(list) && (used[at] || !same(part, list[at])); at++ {
			}
		}
		if at == len(list) || !same(part, list[at]) {
			return false
		}
		used[at] = true
	}
	return true
}

func isObject(v values.Value, object map[string]any) bool {
	if len(object) == 1 {
		for name, inside := range object {
			switch list, is := inside.([]any); {
			case name == "#bigint":
				return v.Kind() < values.Sequence && nameOf(v) == fmt.Sprint(inside)
			case name == "#tup" && is:
				return v.Kind() == values.Sequence && isList(v, list)
			case name == "#set" && is:
				return v.Kind() == values.Set && isList(v, list)
			case name == "#map" && is:
				return isMap(v, list)
			case name == "#unserializable":
				return true // JSON does not say whether the value is a set
			}
		}
	}
	keys := keysOf(v)
	if len(keys) != len(v.Items()) || len(keys) != len(object) {
		return false
	}
	for i, key := range keys {
		inside, there := object[nameOf(key)]
		if !there || !same(v.Items()[i], inside) {
			return false
		}
	}
	return true
}

// isMap reports whether a function has these pairs of argument and value.
func isMap(v values.Value, pairs []any) bool {
	keys := keysOf(v)
	if len(keys) != len(pairs) {
		return false
	}
	for i, key := range keys {
		found := false
		for _, p := range pairs {
			pair, is := p.([]any)
			found = found || is && len(pair) == 2 && same(key, pair[0]) && same(v.Items()[i], pair[1])
		}
		if !found {
			return false
		}
	}
	return true
}

// keysOf returns the arguments of a function: a tuple is one of the numbers from 1 on.
func keysOf(v values.Value) []values.Value {
	keys := v.Keys()
	if v.Kind() == values.Sequence {
		for i := range v.Items() {
			keys = append(keys, values.OfInt(int64(i+1)))
		}
	}
	return keys
}
