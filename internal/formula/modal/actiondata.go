package modal

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
)

// actionData reads a condition, or a quantifier, in an action formula.
func (p *parser) actionData(t token) *action {
	p.take()
	if t.is("val") {
		return &action{op: valAction, at: t, condition: p.valCondition()}
	}
	numOuter := len(p.visible)
	declared := p.quantified()
	p.want(".")
	body := p.actions()
	if body.shape != single {
		refuse(t, "a quantifier about an action formula")
	}
	p.hide(numOuter)
	op := forallAction
	if t.is("exists") {
		op = existsAction
	}
	return &action{
		op:       op,
		at:       t,
		declared: declared,
		parts:    []*action{body.withData()},
	}
}

// withData returns an expression for a single action as an action formula.
func (r *regular) withData() *action {
	if r.data != nil {
		return r.data
	}
	return &action{op: plainAction, at: r.at, plain: r.action}
}

// mentions reports whether a visible variable, or a function that equations define, occurs in a text as a
// word.
func (p *parser) mentions(text string) bool {
	isFound := false
	words(text, func(_ int, word string) {
		isDefined := !p.isMCL && p.lookup.function(word) != nil
		isFound = isFound || isDefined || p.find(word) != nil
	})
	return isFound
}

// words calls do for each word of a text outside of quotes, with the offset of the word.
func words(text string, do func(at int, word string)) {
	for i := 0; i < len(text); {
		if text[i] == '"' {
			closing := strings.IndexByte(text[i+1:], '"')
			if closing < 0 {
				return
			}
			i += closing + 2
			continue
		}
		n := nameEnd(text[i:])
		if n > 0 && (i == 0 || text[i-1] < '0' || text[i-1] > '9') {
			do(i, text[i:i+n])
		}
		i += max(n, 1)
	}
}

// offersWithData reads {GATE !E ?x:T … where E}; nil if the text has no data, and is a plain label.
func (p *parser) offersWithData(t token) *action {
	if !p.isOfData(t.text) {
		return nil
	}
	p.hasData = true
	trimmed := strings.TrimLeft(t.text, " \t")
	end := strings.IndexAny(trimmed, " \t!?")
	if end <= 0 {
		abort.On(t.refused("a gate and offers, as in {PUT !1 ?x:nat}", ""))
	}
	a := &action{op: offersAction, at: t, gate: trimmed[:end]}
	p.gates[a.gate] = true
	blanks := len(t.text) - len(trimmed)
	inside := p.readerOf(t, t.text[blanks+end:])
	for inside.offer(a) {
	}
	inside.finished("!VALUE, ?VARIABLE:TYPE, ..., or where")
	p.visible = inside.visible
	p.declarations = inside.declarations
	*p.withData = append(*p.withData, a)
	return a
}

// isOfData reports whether a gate with offers has to be read as data, since its text has variables,
// conditions, strings, constants of type bool or values that are computed.
func (p *parser) isOfData(text string) bool {
	if slices.Contains(strings.Fields(text), "where") || strings.ContainsAny(text, "\"?") {
		return true
	}
	lower := strings.ToLower(text)
	hasTruth := strings.Contains(lower, "!true") || strings.Contains(lower, "!false")
	return hasTruth || isComputed(text) || p.mentions(text)
}

// isComputed reports whether an offer is an expression, as in {PUT !(1 + 2)}.
func isComputed(text string) bool {
	for _, offer := range splitOutside(text, '!')[1:] {
		tokens := tokensOfAnyLogic(offer)
		isInParentheses := tokens[0].is("(")
		if isInParentheses || slices.ContainsFunc(tokens, func(t token) bool { return t.is("+", "*", "div", "mod") }) {
			return true
		}
	}
	return false
}

// offer reads the next offer of an action, or "..." or a condition after the offers; false if there is
// none of these.
func (p *parser) offer(a *action) bool {
	next := p.next()
	switch {
	case next.is("!"):
		p.take()
		e := p.sum()
		e.standsAt(place{
			action:    a.gate,
			arguments: anyNumber,
			index:     len(a.offers),
		})
		a.offers = append(a.offers, offer{value: e})
	case next.is("?"):
		p.take()
		a.offers = append(a.offers, p.binder())
	case next.is("..."):
		p.take()
		a.isOpen = true
	case next.kind == word && next.text == "where":
		p.take()
		a.condition = p.expression()
		p.finished("the end of the condition")
	default:
		return false
	}
	return true
}

// standsAt records that the values of the expression are found at a place in labels: the values of
// its variable, or those of the arguments of its constructor.
func (e *expression) standsAt(at place) {
	if e.variable != nil {
		e.variable.places = append(e.variable.places, at)
	}
	if e.op != constructOp {
		return
	}
	for i, part := range e.parts {
		inside := at
		inside.within = append(slices.Clone(at.within), argumentPlace{
			constructor: e.constructor,
			index:       i,
		})
		part.standsAt(inside)
	}
}

// needsValueOf reports whether every value of the expression contains the value of a variable.
func (e *expression) needsValueOf(v *variable) bool {
	if e.op == constructOp {
		return slices.ContainsFunc(e.parts, func(part *expression) bool {
			return part.needsValueOf(v)
		})
	}
	return e.variable == v
}

// binder reads ?x:T or ?any, after the question mark.
func (p *parser) binder() offer {
	t := p.next()
	if t.kind != word || slices.Contains(reserved, t.text) {
		p.unexpected("a variable, as in ?x:nat, or any")
	}
	p.take()
	var ofSort sort
	if p.next().is(":") || p.next().kind == word && p.next().text == "of" {
		p.take()
		ofSort = p.sort()
	}
	if t.text == "any" {
		return offer{sort: ofSort}
	}
	v := p.declare(t.text, ofSort)
	v.isBound = true
	return offer{bound: v, sort: ofSort}
}

// callsWithData reads a multi-action of mCRL2; nil if no argument has a variable or is computed.
func (p *parser) callsWithData(t token, text string) *action {
	if !p.mentions(text) && !hasComputedArgument(text) {
		return nil
	}
	p.hasData = true
	a := &action{op: callAction, at: t}
	for _, part := range splitOutside(text, '|') {
		name, list, hasList := strings.Cut(part, "(")
		called := calledAction{name: strings.TrimSpace(name)}
		p.gates[called.name] = true
		if hasList {
			list = strings.TrimSpace(list)
			called.arguments = p.argumentsOf(t, list[:len(list)-1])
		}
		for i, argument := range called.arguments {
			if argument.value == nil {
				continue
			}
			argument.value.standsAt(place{
				action:    called.name,
				arguments: len(called.arguments),
				index:     i,
			})
		}
		a.calls = append(a.calls, called)
	}
	*p.withData = append(*p.withData, a)
	return a
}

// hasComputedArgument reports whether an argument of a multi-action of mCRL2 is computed.
func hasComputedArgument(text string) bool {
	for _, part := range splitOutside(text, '|') {
		_, list, hasList := strings.Cut(strings.TrimSpace(part), "(")
		if hasList && slices.ContainsFunc(splitOutside(strings.TrimSuffix(list, ")"), ','), isComputedArgument) {
			return true
		}
	}
	return false
}

// computing are the signs of expressions of mCRL2 that no argument of a label has.
var computing = []string{"+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "=>", "!"}

// isComputedArgument reports whether an argument is made of numbers, true and false by signs and functions that
// mCRL2 defines, as in 1 + 2, !true or max(0, 1). In a label, only its value occurs.
func isComputedArgument(text string) bool {
	text = strings.TrimPrefix(strings.TrimSpace(text), "-")
	isComputed := false
	for _, t := range tokensOfAnyLogic(text) {
		_, isFunction := functions[t.text]
		isFunction = isFunction || t.text == "if"
		switch {
		case t.kind == word && isFunction, t.kind == sign && t.is(computing...):
			isComputed = true
		case t.kind == numeral, t.kind == end, t.is("true", "false", "(", ")", ","):
		default:
			return false
		}
	}
	return isComputed
}

// argumentsOf reads the arguments of an action.
func (p *parser) argumentsOf(t token, list string) (all []argument) {
	for _, text := range splitOutside(list, ',') {
		text = strings.TrimSpace(text)
		if !p.mentions(text) && !isComputedArgument(text) {
			_, isNumber := asNumber(text)
			isConstructor := p.lookup.constructor(text[:nameEnd(text)]) != nil
			if !isNumber && !isConstructor && text != "true" && text != "false" {
				p.constants[withoutBlanks(text)] = true
			}
			all = append(all, argument{text: text})
			continue
		}
		inside := p.readerOf(t, text)
		e := inside.expression()
		inside.finished(`"," or ")"`)
		all = append(all, argument{value: e})
	}
	return all
}

// splitOutside splits a text at a character outside of parentheses, brackets, braces and quotes.
func splitOutside(text string, separator byte) (parts []string) {
	depth := 0
	start := 0
	isQuoted := false
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '"':
			isQuoted = !isQuoted
		case isQuoted:
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c == separator && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

// unmatched returns an error if an action with data, a pattern, or a constant of the formula occurs in
// no label. A model shows constants only in its labels, so such a constant is likely a mistake.
func (p *parser) unmatched(ctx context.Context, a *lts.Alphabet) error {
	arguments, actions := occurring(a)
	patterns := slices.DeleteFunc(p.namedPatterns(), func(pattern actl.Pattern) bool {
		name := pattern.String()
		return p.gates[name] && actions[name]
	})
	if err := actl.Unmatched(ctx, "atom", patterns, a); err != nil {
		return err
	}
	if err := p.unmatchedData(ctx, a); err != nil {
		return err
	}
	for i, text := range slices.Sorted(maps.Keys(p.constants)) {
		quoted := actl.Quoted(text)
		pattern, after, err := actl.Text(quoted).Atom(ctx, 0)
		if arguments[text] || err != nil || after != len(quoted) {
			continue
		}
		return &actl.UnmatchedError{
			Noun:    "constant",
			Step:    i + 1,
			Pattern: pattern,
			Hint:    "no label has it as an argument or offer; write out what the specification computes",
		}
	}
	return ctx.Err()
}

// unmatchedData returns an error about the first action with data that matches no label, whatever the
// values of its variables. There must be labels with its name.
func (p *parser) unmatchedData(ctx context.Context, a *lts.Alphabet) error {
	var labels []*parsed
	for l, text := range a.All() {
		if a.Happens(l) {
			labels = append(labels, parseLabel(l, text))
		}
	}
	for i, action := range *p.withData {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if slices.ContainsFunc(labels, action.mayMatch) {
			continue
		}
		quoted := actl.Quoted(strings.TrimSpace(action.at.text))
		pattern, after, err := actl.Text(quoted).Atom(ctx, 0)
		if err != nil || after != len(quoted) {
			continue
		}
		return &actl.UnmatchedError{
			Noun:    "atom",
			Step:    i + 1,
			Pattern: pattern,
			Hint:    action.nearestOf(labels),
		}
	}
	return nil
}

// mayMatch reports whether an action with data matches a label for some values of its variables, if
// conditions are disregarded.
func (a *action) mayMatch(l *parsed) bool {
	if a.op == callAction {
		return matchCalls(a.calls, l.calls, (*calledAction).mayMatch)
	}
	isLengthRight := len(l.offers) == len(a.offers) || a.isOpen && len(l.offers) > len(a.offers)
	if !l.isCADP || l.gate != a.gate || !isLengthRight {
		return false
	}
	for i, o := range a.offers {
		if !o.mayMatch(l.offers[i]) {
			return false
		}
	}
	return true
}

func (o offer) mayMatch(text string) bool {
	switch {
	case o.value == nil:
		_, isRead := o.sort.read(text)
		return isRead
	case o.value.isConstant():
		return o.value.constant.writes(text)
	}
	return true
}

// isConstant reports whether an expression is a constant that is written out, so that its value depends
// on nothing.
func (e *expression) isConstant() bool { return e.op == "" && e.variable == nil }

// mayMatch reports whether an action of a label has the name and the arguments of a called one, for some
// values of variables.
func (c *calledAction) mayMatch(l calledLabel) bool {
	if c.name != l.name || len(c.arguments) != len(l.arguments) {
		return false
	}
	for i, a := range c.arguments {
		v := value{text: a.text}
		switch {
		case a.value != nil && !a.value.isConstant():
			continue
		case a.value != nil:
			v = a.value.constant
		}
		if !v.writes(l.arguments[i]) {
			return false
		}
	}
	return true
}

// nearestOf names a label with the name of an action with data, if possible with as many offers or
// arguments, for an error that says that the action matches none. If only labels of the other language
// have the name, it says how actions of these are written.
func (a *action) nearestOf(labels []*parsed) string {
	named := slices.DeleteFunc(slices.Clone(labels), func(l *parsed) bool { return !a.sharesName(l) })
	if len(named) == 0 {
		return a.otherLanguage(labels)
	}
	nearest := named[0]
	i := slices.IndexFunc(named, a.sharesLength)
	if i >= 0 {
		nearest = named[i]
	}
	return "a label with this name is " + actl.Quoted(nearest.text)
}

// otherLanguage says how an action of CADP's form (a gate and offers) is written for labels of mCRL2's
// form (a name and arguments), or the other way round, if such a label has its name.
func (a *action) otherLanguage(labels []*parsed) string {
	if a.op == callAction {
		name := a.calls[0].name
		i := slices.IndexFunc(labels, func(l *parsed) bool { return l.isCADP && l.gate == name && len(l.offers) > 0 })
		if i < 0 {
			return "no label has this name"
		}
		read := "?x:String"
		if len(labels[i].offers) > 1 {
			read += " ..."
		}
		return fmt.Sprintf("labels with this name have offers, as %s: write {%s %s}", actl.Quoted(labels[i].text), name, read)
	}
	i := slices.IndexFunc(labels, func(l *parsed) bool {
		return len(l.calls) > 0 && l.calls[0].name == a.gate && len(l.calls[0].arguments) > 0
	})
	if i >= 0 {
		return fmt.Sprintf("labels with this name have arguments in brackets, as %s: write %s(x) after \"exists x:String .\" or \"forall x:String .\"",
			actl.Quoted(labels[i].text), a.gate)
	}
	return "no label has this name"
}

// sharesName reports whether a label has the gate, or the name of the first action, of an action with data.
func (a *action) sharesName(l *parsed) bool {
	if a.op == callAction {
		return len(l.calls) > 0 && l.calls[0].name == a.calls[0].name
	}
	return l.gate == a.gate
}

// sharesLength reports whether a label has as many offers, or actions and arguments of the first action, as
// an action with data.
func (a *action) sharesLength(l *parsed) bool {
	if a.op == callAction {
		return len(l.calls) == len(a.calls) &&
			len(l.calls[0].arguments) == len(a.calls[0].arguments)
	}
	return len(l.offers) == len(a.offers)
}

// occurring returns the arguments and offers in labels, including the elements of lists, and the names
// of actions, including those in multi-actions.
func occurring(a *lts.Alphabet) (arguments, actions map[string]bool) {
	arguments = map[string]bool{}
	actions = map[string]bool{}
	for l, text := range a.All() {
		label := parseLabel(l, text)
		for _, offer := range label.offers {
			arguments[withoutBlanks(offer)] = true
		}
		for _, called := range label.calls {
			actions[called.name] = true
			for _, argument := range called.arguments {
				arguments[withoutBlanks(argument)] = true
				for _, element := range elementsOf(argument) {
					arguments[element] = true
				}
			}
		}
	}
	return arguments, actions
}

// elementsOf returns the elements of a list in a label, and of the lists in the list; none if the text
// is no list.
func elementsOf(argument string) []string {
	if !strings.HasPrefix(argument, "[") {
		return nil
	}
	return strings.FieldsFunc(argument, func(c rune) bool {
		return strings.ContainsRune("[], \t", c)
	})
}

// gatePatterns returns the names of actions with data, as patterns of labels.
func (p *parser) gatePatterns() (all []actl.Pattern) {
	var names []string
	for name := range p.gates {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		pattern, after, err := actl.Text(name).Atom(p.ctx, 0)
		if err == nil && after == len(name) {
			all = append(all, pattern)
		}
	}
	return all
}
