package syntax

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/refine"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
)

// UnknownPredicateError reports that a model has no values for a predicate.
type UnknownPredicateError struct {
	Predicate Predicate
	// Names are the parameters that states have values of; none if states have no values.
	Names []string
	// Values are some of the values of the parameter in the predicate, if this parameter exists.
	Values []string
}

func (e *UnknownPredicateError) Error() string {
	predicate := printable.Echo(e.Predicate.String())
	values := make([]string, len(e.Values))
	for i, v := range e.Values {
		values[i] = printable.Echo(v)
	}
	switch {
	case len(e.Names) == 0:
		return fmt.Sprintf("%s is a predicate of states, and the states of the model have no values; <%[1]s> true asks for a transition by that label", predicate)
	case len(e.Values) > 0 && e.Predicate.Valued:
		return fmt.Sprintf("%s holds in no state; %s has values such as %s", predicate,
			printable.Echo(word(e.Predicate.Name)), strings.Join(values, ", "))
	case len(e.Values) > 0:
		return fmt.Sprintf("%s is neither true nor false; ask for a value, such as %[1]s=%s",
			predicate, values[0])
	}
	return fmt.Sprintf("%s: states have no value of this name; they have values of %s",
		predicate, strings.Join(e.Names, ", "))
}

// truths are the texts that formats use for true and false.
var truths = map[string]bool{"true": true, "TRUE": true, "false": false, "FALSE": false}

// In returns a function that reports in which states a predicate holds: where its parameter has the
// value, or is true. The values come from a table, which may be nil. The error is an
// [*UnknownPredicateError]. Cost O(parameters and values), and then O(1) for each state.
func (p Predicate) In(t *lts.Values) (_ func(s lts.State) bool, err error) {
	defer abort.Caught(&err)
	if p.Atom != "" {
		return p.atomIn(t)
	}
	if t == nil {
		return nil, &UnknownPredicateError{Predicate: p}
	}
	column, found := t.Find(p.Name)
	if !found {
		return nil, p.unknownIn(t)
	}
	holds, isKnown := p.valuesIn(t, column)
	if isKnown {
		return func(s lts.State) bool {
			v := t.Value(s, column)
			return v != lts.NoValue && holds[v]
		}, nil
	}
	other, isParameter := t.Find(p.Value)
	if p.Valued && isParameter {
		return haveEqualValues(t, column, other), nil
	}
	unknown := p.unknownIn(t)
	for v := range min(len(holds), 5) {
		text := contentOf(t.Text(column, lts.Value(v)))
		unknown.Values = append(unknown.Values, word(text))
	}
	slices.Sort(unknown.Values)
	return nil, unknown
}

// atomIn is In for a predicate that is an atom of package values.
func (p Predicate) atomIn(t *lts.Values) (func(s lts.State) bool, error) {
	a, _, _, err := values.Read(p.Atom, 0)
	if err != nil {
		return nil, err
	}
	truth := abort.Must(refine.Evaluate(context.Background(), t, nil, a))
	if truth.NoState != nil {
		return nil, truth.NoState
	}
	return truth.Holds, nil
}

// haveEqualValues returns a function that reports in which states two parameters have equal values.
func haveEqualValues(t *lts.Values, parameter, other int) func(s lts.State) bool {
	return func(s lts.State) bool {
		v := t.Value(s, parameter)
		w := t.Value(s, other)
		if v == lts.NoValue || w == lts.NoValue {
			return false
		}
		return values.Parse(t.Text(parameter, v)).Equal(values.Parse(t.Text(other, w)))
	}
}

// unknownIn returns the error that a table does not know a predicate, with some of the names that it
// knows.
func (p Predicate) unknownIn(t *lts.Values) *UnknownPredicateError {
	unknown := &UnknownPredicateError{Predicate: p}
	for i := range min(t.NumParameters(), 20) {
		unknown.Names = append(unknown.Names, t.Parameter(i).Name)
	}
	return unknown
}

// valuesIn reports for which values of a column the predicate holds. isKnown reports whether the column
// has the value in the predicate or, if the predicate has none, a truth value.
func (p Predicate) valuesIn(t *lts.Values, column int) (holds []bool, isKnown bool) {
	holds = make([]bool, t.NumValues(column))
	for v := range holds {
		text := t.Text(column, lts.Value(v))
		if p.Valued {
			holds[v] = text == p.Value || contentOf(text) == p.Value
			isKnown = isKnown || holds[v]
			continue
		}
		truth, isTruth := truths[text]
		holds[v] = truth
		isKnown = isKnown || isTruth
	}
	return holds, isKnown
}

// contentOf returns a value as formulas write it. A string of TLA+ loses its quotes.
func contentOf(text string) string {
	s := values.Parse(text)
	if s.Kind() == values.String {
		return s.Content()
	}
	return text
}

// Unvalued returns a reachable state without a value for the predicate, in which no comparison holds;
// false if there is none. It ignores a state in front of several initial states. Cost O(S).
func (p Predicate) Unvalued(
	ctx context.Context,
	m *lts.LTS,
	t *lts.Values,
) (_ lts.State, _ bool, err error) {
	defer abort.Caught(&err)
	if t == nil {
		return 0, false, nil
	}
	columns := abort.Must(p.columns(t))
	abort.On(m.FindReachable(ctx))
	for s := range lts.State(m.NumStates()) {
		abort.IfDone(ctx, s)
		hasNoValue := func(column int) bool {
			return t.Value(s, column) == lts.NoValue
		}
		if m.Reachable().Has(s) && !m.IsBefore(s) && slices.ContainsFunc(columns, hasNoValue) {
			return s, true, nil
		}
	}
	return 0, false, nil
}

// columns returns the columns of the table that the predicate is about.
func (p Predicate) columns(t *lts.Values) ([]int, error) {
	if p.Atom == "" {
		column, found := t.Find(p.Name)
		if !found {
			return nil, nil
		}
		return []int{column}, nil
	}
	atom, _, _, wrong := values.Read(p.Atom, 0)
	if wrong != nil {
		return nil, wrong
	}
	var names []string
	for i := range t.NumParameters() {
		names = append(names, t.Parameter(i).Name)
	}
	bound, err := atom.Bind(names)
	if err != nil {
		return nil, err
	}
	return bound.Parameters(), nil
}
