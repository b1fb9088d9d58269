package actl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/written"
)

// MCL returns the formula in MCL, the language of CADP's EVALUATOR, and notes on
// what this does not express. A label is "text" there; what stands for more than
// one label becomes UNIX regular expressions in single quotes, which hold of the
// whole label, as in CADP's manual page regexp. Where a regular expression of
// the formula has no such form, a placeholder stands in its place that EVALUATOR
// refuses; [Bound.MCL] has none. The error is that of ctx, or a [*WrittenError]. Cost
// O(length of the text).
func (f *Formula) MCL(ctx context.Context) (text string, notes []string, err error) {
	return inLogic(ctx, mclName, f.mclActions, func(m *written.Meter, actions []string) string { return mcl.of(m, f, actions) })
}

// mclName is what the logic is called.
const mclName = "MCL"

// inLogic writes a formula in a logic, from the action formulas of its steps.
func inLogic(ctx context.Context, logic string, actions func(*written.Meter) (actions, notes []string), write func(*written.Meter, []string) string) (text string, notes []string, err error) {
	m := written.New(ctx, logic)
	formulas, notes := actions(m)
	if m.Spend(0) {
		text = write(m, formulas)
	}
	if err := m.Err(text); err != nil {
		return "", nil, err
	}
	return text, notes, nil
}

// mclActions returns the action formula of each step in MCL.
func (f *Formula) mclActions(m *written.Meter) (actions, notes []string) {
	actions = make([]string, len(f.steps))
	for i, step := range f.steps {
		var terms []string
		expressible := true
		for _, e := range step.elements {
			if !m.Spend(len(e.text)) {
				return nil, nil
			}
			more, ok := e.mcl()
			terms = append(terms, more...)
			notes = append(notes, primeNotes(i+1, e.text, more)...)
			expressible = expressible && ok
		}
		if !expressible {
			terms = []string{placeholder(i + 1)}
			notes = append(notes, fmt.Sprintf("step %d, %s, cannot be expressed in MCL without a model: %s stands in its place",
				i+1, step, placeholder(i+1)))
		}
		actions[i] = mcl.any(m, terms)
	}
	return actions, notes
}

// primeNotes says where one of the predicates for text has had to replace a single
// quote.
func primeNotes(step int, text string, predicates []string) []string {
	isRegexp := func(predicate string) bool { return strings.HasPrefix(strings.TrimPrefix(predicate, "("), "'") }
	if !strings.Contains(text, "'") || !slices.ContainsFunc(predicates, isRegexp) {
		return nil
	}
	return []string{fmt.Sprintf("step %d, %s: the character ' is . (any character) in MCL's regular expressions", step, text)}
}

// mcl returns action predicates one of which holds of a label exactly where e
// matches it. It fails if there are none.
func (e *element) mcl() ([]string, bool) {
	switch e.kind {
	case name:
		// A multi-action of mCRL2 such as a(1)|b(2) is not the action a. Its data has no
		// operator |, so that ")|" is found in multi-actions only.
		name := literal(e.key)
		return []string{mclLabel(e.key), fmt.Sprintf("(%s and not %s)", mclRegexp(name+"[ (].*"), mclRegexp(name+"(.*)|.*"))}, true
	case quoted:
		return []string{mclLabel(e.key)}, true
	case regex:
		branches, ok := basicRegexps(e.text)
		for i, b := range branches {
			branches[i] = mclRegexp(b)
		}
		return branches, ok
	case plain:
		if !strings.Contains(e.key, ",") {
			return []string{mclLabel(e.key)}, true
		}
	}
	return []string{mclRegexp(basicGlob(e.key, e.kind == glob))}, true
}

// basicGlob returns the basic regular expression for text, with blanks allowed
// after commas, and * and ? read as in a glob if wild.
func basicGlob(text string, wild bool) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i : i+1]; {
		case c == ",":
			b.WriteString(", *")
		case wild && c == "*":
			b.WriteString(".*")
		case wild && c == "?":
			b.WriteString(".")
		default:
			b.WriteString(literal(c))
		}
	}
	return b.String()
}

// mclLabel returns the predicate that holds of this label. What a backslash does
// in a "string" of MCL depends on the version, so a label with a backslash or a
// quote is written as a regular expression.
func mclLabel(text string) string {
	if strings.ContainsAny(text, `"\`) {
		return mclRegexp(literal(text))
	}
	return `"` + text + `"`
}

// mclRegexp quotes a basic regular expression for the whole label. A ^ in front is
// a character of the label, and would not be taken for one there.
func mclRegexp(basic string) string {
	if strings.HasPrefix(basic, "^") {
		basic = `\` + basic
	}
	return "'" + basic + "'"
}
