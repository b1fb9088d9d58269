package tlaplus

import (
	"slices"
	"strings"
)

// localNames are the names that a LET defines, and its text up to IN.
type localNames struct {
	definitions []*Definition
	text        string
}

func (l localNames) names() (all []string) {
	for _, d := range l.definitions {
		all = append(all, d.name)
	}
	return all
}

// localDefinition returns the definition of a name by a LET around the place; nil if there is none.
func (at place) localDefinition(name string) *Definition {
	for _, l := range at.lets {
		for _, d := range l.definitions {
			if d.name == name {
				return d
			}
		}
	}
	return nil
}

// underLets returns a text below those LETs around the place that define names in the text. The
// result is in parentheses if there are such LETs.
func (at place) underLets(text string) string {
	for _, l := range slices.Backward(at.lets) {
		if mentions(text, l.names()) {
			text = "(" + l.text + " " + text + ")"
		}
	}
	return text
}

// underLet returns the place inside a LET; false if the root module cannot define one of the names
// of the LET there.
func (at place) underLet(x *expression) (inner place, fits bool) {
	inner = at
	l := localNames{definitions: x.defs}
	for _, text := range at.texts {
		if mentions(text, l.names()) {
			return place{}, false // the definition would capture a name of an argument
		}
	}
	for _, d := range x.defs {
		if d.instance != nil {
			return place{}, false
		}
	}
	if !inner.bind(l.names()) {
		return place{}, false
	}
	l.text = x.letInLine(inner.texts)
	inner.lets = append(slices.Clone(at.lets), l)
	return inner, true
}

// choiceContext is an action around a choice.
type choiceContext struct {
	// made returns the action with the choice made. The text of the choice is a conjunction or an operand
	// of /\.
	made func(choice string) string
	// writesRest is set if the result of made has only the choice, so that everything else that the
	// action requires must be written beside it.
	writesRest bool
}

// besideAction is the context of a choice in an action with a name: Act /\ choice.
func besideAction(action string) choiceContext {
	return choiceContext{
		made: func(choice string) string { return action + ` /\ ` + choice },
	}
}

// insideAction is the context of a choice in an action that is written out with the choice made.
func insideAction() choiceContext {
	return choiceContext{
		made:       func(choice string) string { return choice },
		writesRest: true,
	}
}

// with returns the context of a choice that has a condition in front of it.
func (around choiceContext) with(condition string) choiceContext {
	if !around.writesRest {
		return around
	}
	return choiceContext{
		made:       func(choice string) string { return around.made(condition + ` /\ ` + choice) },
		writesRest: true,
	}
}

// addChoices adds the results of making one choice in an action, in a part x of the action. The choices are
// disjuncts, branches of IF and CASE, instances of \E, and values v of x' \in S, at any depth below
// conjunctions, LET, branches and definitions.
func (c *subactions) addChoices(x *expression, here place, around choiceContext) {
	c.s.loader.spent.take(1)
	if here.level > mostLevels {
		return
	}
	here.level++
	a := here.application(x)
	switch {
	case x.isConjunction():
		c.addChoicesOfConjuncts(conjuncts(x), here, around)
	case x.isDisjunction():
		for _, part := range x.args {
			c.addChoice(part, here, around)
			c.addChoices(part, here, choiceContext{made: around.made, writesRest: true})
		}
	case x.kind == ifThen:
		condition := x.args[0].conjunctInLine(here.texts)
		negation := "~(" + x.args[0].inLine(here.texts) + ")"
		c.addBranch(x.args[1], condition, here, around)
		c.addBranch(x.args[2], negation, here, around)
	case x.kind == cases:
		for i, condition := range x.armConditions(here.texts) {
			c.addBranch(x.args[2*i+1], condition, here, around)
		}
	case x.kind == exists:
		inner, fits := c.within(here, x.bounds)
		if fits {
			c.addChoice(x.args[0], inner, around)
			c.addChoices(x.args[0], inner, choiceContext{made: around.made, writesRest: true})
		}
	case x.kind == let:
		inner, fits := here.underLet(x)
		if fits {
			c.addChoices(x.args[0], inner, underLetOf(inner, around))
		}
	case x.isChoiceOfValue():
		c.addChoiceOfValue(x, here, around)
	case a != nil:
		c.addChoices(a.definition.read(), here.inside(a, x), around)
	}
}

// armConditions returns the conditions of the arms of a CASE, as operands of /\. The condition of OTHER is
// that all others are false.
func (x *expression) armConditions(texts map[string]string) []string {
	var conditions, negations []string
	for i := 0; i < len(x.args); i += 2 {
		isOther := x.args[i] == nil
		if isOther {
			conditions = append(conditions, strings.Join(negations, ` /\ `))
			continue
		}
		conditions = append(conditions, x.args[i].conjunctInLine(texts))
		negations = append(negations, "~("+x.args[i].inLine(texts)+")")
	}
	return conditions
}

// isChoiceOfValue reports whether an expression chooses the next value of a variable from a set: x' \in S.
func (x *expression) isChoiceOfValue() bool {
	return x.kind == apply && x.name == `\in` && x.args[0].kind == apply && x.args[0].name == "'"
}

// addChoiceOfValue adds an action with one value chosen from a set: x' = v in place of x' \in S, for each v.
func (c *subactions) addChoiceOfValue(x *expression, here place, around choiceContext) {
	for _, name := range []string{"v", "w", "value"} {
		inner, fits := c.within(here, []bound{{names: []string{name}, set: x.args[1]}})
		if fits {
			c.addForms(inner, around.made(x.args[0].inLine(here.texts)+" = "+name), "")
			return
		}
	}
}

// underLetOf returns the context of choices in the innermost LET of a place.
func underLetOf(inner place, around choiceContext) choiceContext {
	innermost := place{lets: inner.lets[len(inner.lets)-1:]}
	return choiceContext{
		made:       func(choice string) string { return around.made(innermost.underLets(choice)) },
		writesRest: around.writesRest,
	}
}

// addChoicesOfConjuncts adds the results of making one choice in one of some conjuncts.
func (c *subactions) addChoicesOfConjuncts(parts []*expression, here place, around choiceContext) {
	for i, part := range parts {
		inner := around
		if around.writesRest {
			inner.made = func(choice string) string {
				texts := make([]string, len(parts))
				for k, other := range parts {
					texts[k] = other.conjunctInLine(here.texts)
				}
				texts[i] = choice
				return around.made(strings.Join(texts, ` /\ `))
			}
		}
		c.addChoices(part, here, inner)
	}
}

// addBranch adds an action with a branch taken under a condition, and the results of making a choice in
// the branch.
func (c *subactions) addBranch(branch *expression, condition string, here place, around choiceContext) {
	taken := around.made(condition)
	if around.writesRest {
		taken = around.made(condition + ` /\ ` + branch.conjunctInLine(here.texts))
	}
	c.addForms(here, taken, "")
	c.addChoices(branch, here, around.with(condition))
}

// addChoice adds an action with a choice made. If the text is too long, and the action around the choice
// has a name, it adds the action with a part of the choice.
func (c *subactions) addChoice(choice *expression, here place, around choiceContext) {
	action := around.made(choice.conjunctInLine(here.texts))
	if len(action) <= longestSubaction {
		c.addForms(here, action, "")
		return
	}
	part := here.characteristicPart(choice)
	if !around.writesRest && part != "" {
		c.addForms(here, around.made(part), "")
	}
}

// characteristicPart returns the short conjuncts of a choice that assign to a variable, or that mention
// the name of the innermost quantifier around the choice if there is one.
func (at place) characteristicPart(choice *expression) string {
	var names []string
	if len(at.binders) > 0 {
		names = strings.FieldsFunc(at.binders[len(at.binders)-1].names, isNoName)
	}
	var texts []string
	for _, part := range conjuncts(choice) {
		text := part.inLine(at.texts)
		isCharacteristic := mentions(text, names) || len(names) == 0 && strings.Contains(text, "'")
		if part.isTight() && isCharacteristic {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ` /\ `)
}

// conjuncts returns the conjuncts of a conjunction, and those of nested conjunctions.
func conjuncts(x *expression) []*expression {
	if !x.isConjunction() {
		return []*expression{x}
	}
	var all []*expression
	for _, part := range x.args {
		all = append(all, conjuncts(part)...)
	}
	return all
}
