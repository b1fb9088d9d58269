package sequence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
)

// Behaviour is a counterexample with the values of its states: a behaviour of TLA+, as TLC prints it or writes
// it with -dumpTrace json, or Apalache as .itf.json.
type Behaviour struct {
	name string
	// states have the values of the variables: a [values.Value] for each if TLC printed them, or
	// the decoded JSON.
	states []map[string]any
	// lines are the lines of the states in the file; nil if they are unknown.
	lines []int
	// actions are the actions between the states; the last one closes the loop. An action is "" if
	// the file does not name it.
	actions []string
	// loop is the index of the state to which the last state leads back, or noLoop.
	loop int
	// stutters reports whether nothing changes after the last state.
	stutters bool
}

// ValuesError reports that a file has a behaviour instead of labels. Only [Behaviour.In] can turn
// it into labels, since that needs a model.
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
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	decoder.UseNumber()
	var doc document
	if err := decoder.Decode(&doc); err != nil {
		return nil, &jsonError{err}
	}
	if doc.Counterexample != nil {
		return doc.fromTLC()
	}
	return doc.fromApalache()
}

// jsonError is an error of the syntax of a file in JSON.
type jsonError struct{ cause error }

func (e *jsonError) Error() string {
	return "this is not a behaviour in JSON, as TLC writes it with -dumpTrace json and Apalache as .itf.json: " +
		strings.ReplaceAll(e.cause.Error(), "\n", " ")
}

func (e *jsonError) Unwrap() error { return e.cause }

// lineOfJSON returns the line of a syntax error in a JSON text; 0 for any other error.
func lineOfJSON(text []byte, err error) int {
	var inSyntax *json.SyntaxError
	var inType *json.UnmarshalTypeError
	var inJSON *jsonError
	offset := len(bytes.TrimRight(text, " \t\r\n")) // if the text is cut off
	switch {
	case errors.As(err, &inSyntax):
		offset = int(inSyntax.Offset)
	case errors.As(err, &inType):
		offset = int(inType.Offset)
	case !errors.As(err, &inJSON):
		return 0
	}
	return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n"))
}

// fromApalache returns the behaviour of a file that Apalache wrote.
func (d *document) fromApalache() (*Behaviour, error) {
	if len(d.States) == 0 {
		return nil, errors.New("this JSON has neither a counterexample, as that of TLC's -dumpTrace json, nor states, as Apalache's .itf.json")
	}
	b := &Behaviour{
		states:  d.States,
		actions: make([]string, len(d.States)),
		loop:    noLoop,
	}
	if d.Loop != nil {
		b.loop = *d.Loop
		if b.loop < 0 || b.loop >= len(b.states) {
			return nil, fmt.Errorf("the loop begins with state %d of %d, counted from 0",
				b.loop, len(b.states))
		}
	}
	return b, nil
}

// fromTLC returns the behaviour of a file that TLC wrote.
func (d *document) fromTLC() (*Behaviour, error) {
	b := &Behaviour{loop: noLoop}
	number := map[string]int{}
	for i, s := range d.Counterexample.State {
		valuesOfState, hasValues := s[1].(map[string]any)
		if !hasValues {
			return nil, fmt.Errorf("state %d of the counterexample has no values", i+1)
		}
		number[fmt.Sprint(s[0])] = i
		b.states = append(b.states, valuesOfState)
	}
	if len(b.states) == 0 {
		return nil, errors.New("the counterexample has no state")
	}
	b.actions = make([]string, len(b.states))
	for i, a := range d.Counterexample.Action {
		if err := b.addAction(i+1, a, number); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// addAction adds an action of TLC. Its parts are the state before the action, its name and place,
// and the state after it; position is the number of the action in the file, and number has the
// indices of states.
func (b *Behaviour) addAction(position int, parts [3]any, number map[string]int) error {
	from, inFrom := stateNumber(parts[0], number)
	to, inTo := stateNumber(parts[2], number)
	action, isAction := parts[1].(map[string]any)
	if !inFrom || !inTo || !isAction {
		return fmt.Errorf("action %d of the counterexample does not lead from one of its states to another", position)
	}
	name, _ := action["name"].(string)
	isFromLast := from == len(b.states)-1
	isStuttering := name == unnamedAction && from == to && isFromLast
	if isStuttering {
		b.stutters = true
		return nil
	}
	leadsBack := to != from+1
	if leadsBack && !isFromLast {
		return fmt.Errorf("action %d of the counterexample leads back from state %d, which is not the last one", position, from+1)
	}
	if leadsBack {
		b.loop = to
	}
	b.actions[from] = name
	return nil
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

// In finds the behaviour in a model with values of states. From the initial state on, it follows
// transitions to states with the same values. If the file names the action, the label must have its
// name. In returns the counterexample with the labels of these transitions. staying is the label of
// steps by which runs stay in a state; "" if runs continue as long as they can. Cost O(n d v) for n
// steps, out-degrees up to d, and values of length v.
func (b *Behaviour) In(
	m *lts.LTS,
	t *lts.Values,
	staying string,
) (*counterexample.Given, error) {
	if t == nil {
		return nil, b.refuse("a behaviour is found in a model by the values of its states, but this model has none: give a graph that TLC wrote, or a table of these values")
	}
	if err := b.checkVariables(t); err != nil {
		return nil, err
	}
	f := &follower{
		Behaviour:  b,
		m:          m,
		table:      t,
		at:         m.Initial(),
		run:        run{loop: noLoop},
		stuttering: b.stutters,
	}
	if err := f.begin(); err != nil {
		return nil, err
	}
	added := len(f.run.labels) // 1 if the run begins with the step from a state before the initial ones
	if err := f.follow(); err != nil {
		return nil, err
	}
	switch {
	case b.loop != noLoop && !f.stuttering:
		f.run.loop = b.loop + added
	case f.stuttering && staying != "":
		f.run.labels = append(f.run.labels, staying)
		f.run.states = append(f.run.states, f.at)
		f.run.loop = len(f.run.labels) - 1
	case f.stuttering && !m.IsDeadlock(f.at):
		return nil, b.refuseIn(len(b.states)-1, "this behaviour stutters forever in state %d, where the model can go on: TLC found it without fairness. Runs of a model go on as long as they can, as under WF_vars(Next); have TLC check the property with that", len(b.states))
	case m.IsDeadlock(f.at):
		f.run.deadlock = true
	}
	if f.run.loop == noLoop {
		f.run.states = append(f.run.states, f.at)
	}
	return f.run.graph()
}

// checkVariables fails if the behaviour is about other variables than the model: no state has a value of
// a variable of the model, or the first state lacks one and has a value of something else, or a later
// state has a value that the first one lacks.
func (b *Behaviour) checkVariables(t *lts.Values) error {
	given := namesIn(b.states[0])
	isVariable := map[string]bool{}
	missing := "" // a variable without a value in the first state
	for p := range t.NumParameters() {
		name := t.Parameter(p).Name
		isVariable[name] = true
		if !slices.Contains(given, name) {
			missing = cmp.Or(missing, name)
		}
	}
	unknown := "" // a name with a value there that is no variable
	isAnyGiven := false
	for _, name := range given {
		if isVariable[name] {
			isAnyGiven = true
		} else {
			unknown = cmp.Or(unknown, name)
		}
	}
	switch {
	case t.NumParameters() > 0 && !isAnyGiven:
		return b.refuseIn(0, "state 1 of the behaviour has no value of %s: it is one of another model, or the lines of its values are lost", variablesOf(t))
	case missing != "" && unknown != "":
		return b.refuseIn(0, "state 1 of the behaviour has a value of %s, which is no variable of the model, and none of %s: it is one of another model, or ALIAS has changed what TLC wrote", unknown, missing)
	}
	return b.checkSameNames()
}

// checkSameNames fails if a state has a value of a name that has none in the first state.
func (b *Behaviour) checkSameNames() error {
	for i, state := range b.states {
		for _, name := range namesIn(state) {
			if _, isGiven := b.states[0][name]; !isGiven {
				return b.refuseIn(i, "state %d of the behaviour has a value of %s, of which state 1 has none", i+1, name)
			}
		}
	}
	return nil
}

// variablesOf names the variables of a model, of many the first three.
func variablesOf(t *lts.Values) string {
	const most = 3
	var names []string
	for p := range t.NumParameters() {
		names = append(names, t.Parameter(p).Name)
	}
	if len(names) > most {
		others := fmt.Sprintf("%d other variables", len(names)-most)
		if len(names) == most+1 {
			others = "another variable"
		}
		names = append(names[:most], others)
	}
	return printable.List(names, "or")
}

// namesIn returns the sorted names of the values in a state. Names such as #meta, which Apalache adds, are none.
func namesIn(state map[string]any) []string {
	names := slices.Sorted(maps.Keys(state))
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "#") })
}

// follower follows a behaviour in a model.
type follower struct {
	*Behaviour
	m     *lts.LTS
	table *lts.Values
	at    lts.State // the state of the model that the follower has reached
	run   run       // the labels of the transitions that were taken
	// stuttering reports whether nothing changes after the last state.
	stuttering bool
}

// begin goes to the state of the model where the behaviour begins.
func (f *follower) begin() error {
	switch {
	case !f.table.Known(f.at):
		first, ok := f.step(0, "")
		if !ok {
			return f.refuseIn(0, "no initial state of the model has the values of state 1 of the behaviour")
		}
		f.take(first)
	case !f.hasValues(f.at, 0):
		return f.refuseIn(0, "the initial state of the model does not have the values of state 1 of the behaviour")
	}
	return nil
}

// follow takes a transition for each step of the behaviour, up to the last state or back to the
// beginning of the loop.
func (f *follower) follow() error {
	var visited []lts.State
	for i, action := range f.actions {
		visited = append(visited, f.at)
		next := i + 1
		if next == len(f.states) {
			next = f.loop
			if next == noLoop {
				return nil
			}
		}
		step, ok := f.step(next, action)
		if !ok && next == i {
			// TLC gives a stuttering step the name of the action before it.
			f.stuttering = true
			return nil
		}
		closesLoop := next <= i
		if !ok || closesLoop && step.To != visited[next] {
			by := ""
			if action != "" {
				by = " by " + action
			}
			return f.refuseIn(next, "the model does not step%s from state %d of the behaviour to state %d: it is one of another model, or of one with other constants", by, i+1, next+1)
		}
		f.take(step)
	}
	return nil
}

// take takes a transition.
func (f *follower) take(t lts.Transition) {
	f.run.labels = append(f.run.labels, f.m.Alphabet().Text(t.Label))
	f.run.states = append(f.run.states, t.From)
	f.at = t.To
}

// step returns a transition to a state with the values of state i of the behaviour. If the action
// has a name, the label must have this name; a transition with the same arguments is preferred.
func (f *follower) step(i int, action string) (found lts.Transition, ok bool) {
	wanted := nameOfAction(action)
	for label, to := range f.m.From(f.at) {
		text := f.m.Alphabet().Text(label)
		isExact := text == action
		hasName := action == "" || nameOfAction(text) == wanted
		isPreferred := !ok || isExact // to the transition found before
		if !hasName || !isPreferred || !f.hasValues(to, i) {
			continue
		}
		found = lts.Transition{From: f.at, Label: label, To: to}
		ok = true
		if isExact {
			break
		}
	}
	return found, ok
}

// nameOfAction returns an action without its arguments.
func nameOfAction(action string) string {
	name, _, _ := strings.Cut(action, "(")
	return name
}

// hasValues reports whether a state of the model has all values of state i of the behaviour.
func (f *follower) hasValues(s lts.State, i int) bool {
	for p := range f.table.NumParameters() {
		given, isGiven := f.states[i][f.table.Parameter(p).Name]
		if isGiven && !sameValue(f.table.Text(p, f.table.Value(s, p)), given) {
			return false
		}
	}
	return f.table.Known(s)
}

// refuse returns an error about the behaviour.
func (b *Behaviour) refuse(format string, a ...any) error { return b.refuseAt(0, format, a...) }

// refuseIn returns an error about the state with this index.
func (b *Behaviour) refuseIn(state int, format string, a ...any) error {
	line := 0
	if b.lines != nil {
		line = b.lines[state]
	}
	return b.refuseAt(line, format, a...)
}

// refuseAt returns an error about a line; 0 if the line is unknown.
func (b *Behaviour) refuseAt(line int, format string, a ...any) error {
	return inputfile.NewError(b.name, line, fmt.Errorf(format, a...))
}

// sameValue reports whether a value, given as the text that TLC prints, can equal a value of JSON
// from TLC or Apalache. JSON does not distinguish tuples from sets, nor model values from strings.
// A value of another language is equal if its text is. If TLC printed both values, they must be the
// same.
func sameValue(text string, given any) bool {
	v := printedValue(text)
	if printed, isPrinted := given.(values.Value); isPrinted {
		return equal(v, printed)
	}
	return equalsJSON(v, given) || text == fmt.Sprint(given)
}

// equal reports whether two values are the same. The order of the elements of sets does not matter.
func equal(v, w values.Value) bool {
	if v.Equal(w) {
		return true
	}
	if v.Kind() != w.Kind() || len(v.Items()) != len(w.Items()) || len(v.Items()) == 0 {
		return false
	}
	switch v.Kind() {
	case values.Set:
		return matchInAnyOrder(v.Items(), w.Items(), equal)
	case values.Term:
		return false
	}
	return slices.EqualFunc(v.Keys(), w.Keys(), equal) &&
		slices.EqualFunc(v.Items(), w.Items(), equal)
}

// matchInAnyOrder reports whether two lists of the same length have equal elements, in any order.
func matchInAnyOrder[T any](
	all []values.Value,
	others []T,
	isEqual func(values.Value, T) bool,
) bool {
	used := make([]bool, len(others))
	for _, v := range all {
		i := 0
		for i < len(others) && (used[i] || !isEqual(v, others[i])) {
			i++
		}
		if i == len(others) {
			return false
		}
		used[i] = true
	}
	return true
}

var stringOrInterval = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(\\.|[^"\\])*"|-?[0-9]+\.\.-?[0-9]+`)
})

// listed returns the set of the numbers of an interval, and any other text unchanged.
func listed(text string) string {
	low, high, isInterval := strings.Cut(text, "..")
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	const most = 1 << 16
	if !isInterval || err1 != nil || err2 != nil || to-from > most {
		return text
	}
	var numbers []string
	for i := from; i <= to; i++ {
		numbers = append(numbers, strconv.Itoa(i))
	}
	return "{" + strings.Join(numbers, ", ") + "}"
}

// equalsJSON reports whether a value of TLA+ has the same meaning as a value of JSON.
func equalsJSON(v values.Value, given any) bool {
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

// isList reports whether a tuple has these parts in this order, or whether a set has them in any
// order.
func isList(v values.Value, list []any) bool {
	if v.Kind() != values.Sequence && v.Kind() != values.Set || len(v.Items()) != len(list) {
		return false
	}
	if v.Kind() == values.Set {
		return matchInAnyOrder(v.Items(), list, equalsJSON)
	}
	return slices.EqualFunc(v.Items(), list, equalsJSON)
}

// isObject reports whether a value equals an object of JSON: a record or function with these
// arguments and values, or a value that Apalache writes as an object with one member, whose name is
// its kind.
func isObject(v values.Value, object map[string]any) bool {
	if len(object) == 1 {
		for name, inside := range object {
			isEqual, isTagged := isTaggedValue(v, name, inside)
			if isTagged {
				return isEqual
			}
		}
	}
	keys := keysOf(v)
	if len(keys) != len(v.Items()) || len(keys) != len(object) {
		return false
	}
	for i, key := range keys {
		inside, present := object[nameOf(key)]
		if !present || !equalsJSON(v.Items()[i], inside) {
			return false
		}
	}
	return true
}

// isTaggedValue reports whether a value equals an object with one member, whose name is the kind of
// the value. isTagged is false if the name is no kind: then the object is a record.
func isTaggedValue(v values.Value, name string, inside any) (isEqual, isTagged bool) {
	parts, hasParts := inside.([]any)
	switch {
	case name == "#bigint":
		return v.Kind() < values.Sequence && nameOf(v) == fmt.Sprint(inside), true
	case name == "#tup" && hasParts:
		return v.Kind() == values.Sequence && isList(v, parts), true
	case name == "#set" && hasParts:
		return v.Kind() == values.Set && isList(v, parts), true
	case name == "#map" && hasParts:
		return isMap(v, parts), true
	case name == "#unserializable":
		return true, true // Apalache does not write such a value, so nothing can be compared
	}
	return false, false
}

// isMap reports whether a function has these pairs of argument and value.
func isMap(v values.Value, pairs []any) bool {
	keys := keysOf(v)
	if len(keys) != len(pairs) {
		return false
	}
	for i, key := range keys {
		isListed := slices.ContainsFunc(pairs, func(p any) bool {
			pair, isList := p.([]any)
			return isList && len(pair) == 2 && equalsJSON(key, pair[0]) &&
				equalsJSON(v.Items()[i], pair[1])
		})
		if !isListed {
			return false
		}
	}
	return true
}

// keysOf returns the arguments of a function. A tuple is a function with the arguments 1, 2 and so
// on.
func keysOf(v values.Value) []values.Value {
	keys := v.Keys()
	if v.Kind() == values.Sequence {
		for i := range v.Items() {
			keys = append(keys, values.OfInt(int64(i+1)))
		}
	}
	return keys
}
