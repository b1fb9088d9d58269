package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
)

// showFlag is the flag with expressions about the values of states; reports have a column for each.
const showFlag = "show"

// shown is an expression for which a report has a column.
type shown struct {
	text string
	// valueIn returns the value of the expression in a state. It fails if the expression has no value
	// there.
	valueIn func(lts.State) (string, error)
}

// showValues reads the expressions for which reports have a column, and computes their values. It
// fails if one of them has no value in any state of the model, and warns if it has none in some.
func (j *reading) showValues(m *lts.LTS) error {
	list := j.flag(showFlag)
	if list == "" {
		return nil
	}
	if j.options.States == nil || j.options.States.NumParameters() == 0 {
		return j.refuse("--%s: %s has no values of states; --%s FILE.tsv gives some", showFlag,
			j.options.File, tableOfStates)
	}
	texts := expressionsIn(list)
	var parameters []lts.Parameter
	for _, text := range texts {
		parameters = append(parameters, lts.Parameter{Name: text})
	}
	b, err := lts.NewValuesBuilder(j.ctx, parameters)
	if err != nil {
		return j.refuse("--%s: an expression stands there twice", showFlag)
	}
	for i, text := range texts {
		x, err := j.readShown(m, text)
		if err != nil {
			return j.refuse("--%s %s: %v", showFlag, printable.Text(text), err)
		}
		if err := j.addShown(b, i, m, x); err != nil {
			return err
		}
	}
	j.options.Shown, err = b.Build(m.NumStates())
	return err
}

// addShown adds the values of an expression in the states that runs reach.
func (j *reading) addShown(b *lts.ValuesBuilder, column int, m *lts.LTS, x shown) error {
	missing := 0
	known := 0
	firstMissing := ""
	for s := range lts.State(m.NumStates()) {
		if !m.Reachable().Has(s) || m.IsBefore(s) {
			continue
		}
		if err := j.ctx.Err(); err != nil {
			return err
		}
		text, err := x.valueIn(s)
		if err != nil {
			missing++
			if firstMissing == "" {
				firstMissing = fmt.Sprintf("in state %d: %v", s, err)
			}
			continue
		}
		known++
		if err := b.Set(s, column, b.Value(column, []byte(text))); err != nil {
			return err
		}
	}
	if known == 0 {
		return j.refuse("--%s %s has no value in any state; %s", showFlag,
			printable.Text(x.text), firstMissing)
	}
	if missing > 0 {
		warning := fmt.Sprintf("--%s %s has no value in %s; %s", showFlag,
			printable.Text(x.text), printable.Quantity(missing, "state"), firstMissing)
		j.options.Warnings = append(slices.Clip(j.options.Warnings), warning)
	}
	return nil
}

// readShown reads an expression: of the specification in TLA+, if there is one, or about values.
func (j *reading) readShown(m *lts.LTS, text string) (shown, error) {
	table := j.options.States
	if j.tla != nil {
		valueIn, err := j.tla.Expression(j.ctx, m, table, text)
		return shown{text, valueIn}, err
	}
	var names []string
	for p := range table.NumParameters() {
		names = append(names, table.Parameter(p).Name)
	}
	x, err := values.ReadExpression(text, names)
	if err != nil {
		return shown{}, err
	}
	valueIn := func(s lts.State) (string, error) {
		var arguments []values.Value
		for _, p := range x.Parameters() {
			v := table.Value(s, p)
			if v == lts.NoValue {
				return "", fmt.Errorf("%s has no value", names[p])
			}
			arguments = append(arguments, values.Parse(table.Text(p, v)))
		}
		v, ok := x.In(arguments...)
		if !ok {
			return "", fmt.Errorf("%s has no such part", names[x.Parameters()[0]])
		}
		return v.String(), nil
	}
	return shown{text: text, valueIn: valueIn}, nil
}

// expressionsIn splits a list at the commas that stand neither in brackets nor in quotes.
func expressionsIn(list string) (expressions []string) {
	depth := 0
	isInQuotes := false
	start := 0 // of the current expression
	for i, c := range list {
		switch {
		case c == '"':
			isInQuotes = !isInQuotes
		case isInQuotes:
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case strings.HasPrefix(list[i:], "<<"):
			depth++
		case strings.HasPrefix(list[i:], ">>"):
			depth--
		case c == ',' && depth == 0:
			expressions = append(expressions, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return append(expressions, strings.TrimSpace(list[start:]))
}
