package modal

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/lts/stochastic"
	"github.com/inev-lts/inev/lts"
)

// parsed is a label of a model in its parts.
type parsed struct {
	label lts.Label
	text  string
	// gate and offers are the parts of a label in CADP's form; isCADP reports whether it has this form.
	gate   string
	offers []string
	isCADP bool
	calls  []calledLabel // its actions in mCRL2
}

// calledLabel is an action in a label of mCRL2.
type calledLabel struct {
	name      string
	arguments []string
}

// parseLabel takes a label apart.
func parseLabel(l lts.Label, text string) *parsed {
	text = strings.ReplaceAll(text, `\"`, `"`) // some writers of .aut protect quotes
	p := &parsed{label: l, text: text}
	p.gate, p.offers, p.isCADP = offersOf(text)
	for _, part := range splitOutside(text, '|') {
		part = strings.TrimSpace(part)
		name, list, hasList := strings.Cut(part, "(")
		called := calledLabel{name: name}
		if hasList && strings.HasSuffix(list, ")") {
			for _, a := range splitOutside(list[:len(list)-1], ',') {
				called.arguments = append(called.arguments, strings.TrimSpace(a))
			}
		}
		p.calls = append(p.calls, called)
	}
	return p
}

// offersOf returns the gate and the offers of a label in CADP's form, GATE !1 !"a b". It leaves out a
// rate or probability at the end.
func offersOf(text string) (gate string, offers []string, hasOffers bool) {
	text = stochastic.Action(text)
	end := strings.IndexAny(text, " \t!")
	if end < 0 {
		return text, nil, text != ""
	}
	parts := splitOutside(text[end:], '!')
	if end == 0 || strings.TrimSpace(parts[0]) != "" {
		return "", nil, false
	}
	for _, part := range parts[1:] {
		offers = append(offers, strings.TrimSpace(part))
	}
	return text[:end], offers, true
}

// numbersIn calls do for each number in a text that is not part of a name.
func numbersIn(text string, do func(int64)) {
	for i := 0; i < len(text); i++ {
		isOfName := i > 0 && (unicode.IsLetter(rune(text[i-1])) || text[i-1] == '_')
		if !isDigit(text[i]) || isOfName {
			continue
		}
		first := i
		if i > 0 && text[i-1] == '-' {
			first--
		}
		for i < len(text) && isDigit(text[i]) {
			i++
		}
		n, isNumber := asNumber(text[first:i])
		if isNumber {
			do(n)
		}
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// match groups the labels that match an action formula with the same values of its variables.
type match struct {
	env    *environment
	labels []lts.Label
}

// matches groups the labels that match an action formula by the values that they bind, in the order of
// the labels.
func (x *expansion) matches(a *action, env *environment) []*match {
	names := binders(a)
	var all []*match
	known := map[string]*match{}
	for _, l := range x.labels {
		for _, found := range x.admit(a, l, env) {
			bound, key := found.restricted(names, env)
			m := known[key]
			if m == nil {
				m = &match{env: bound}
				known[key] = m
				all = append(all, m)
			}
			isRepeated := len(m.labels) > 0 && m.labels[len(m.labels)-1] == l.label
			if !isRepeated {
				m.labels = append(m.labels, l.label)
			}
		}
		x.spend(a.at)
	}
	return all
}

// restricted returns the environment outer with the values of some variables in e added, and a key that
// identifies these values.
func (e *environment) restricted(names []string, outer *environment) (_ *environment, key string) {
	for _, name := range names {
		v, _ := e.find(name)
		key += v.String() + "\x00"
		outer = outer.with(name, v)
	}
	return outer, key
}

// binders returns the names of the variables that an action formula binds whenever it matches.
func binders(a *action) []string {
	names := map[string]bool{}
	switch a.op {
	case offersAction:
		for _, o := range a.offers {
			if o.bound != nil {
				names[o.bound.name] = true
			}
		}
	case andAction:
		for _, part := range a.parts {
			for _, name := range binders(part) {
				names[name] = true
			}
		}
	case orAction:
		for _, name := range binders(a.parts[0]) {
			names[name] = !slices.ContainsFunc(a.parts, func(part *action) bool {
				return !slices.Contains(binders(part), name)
			})
		}
		maps.DeleteFunc(names, func(_ string, isBound bool) bool {
			return !isBound
		})
	}
	return slices.Sorted(maps.Keys(names))
}

// admit returns an environment for each way in which a label matches an action formula; none if it does
// not match.
func (x *expansion) admit(a *action, l *parsed, env *environment) []*environment {
	switch a.op {
	case plainAction:
		matches := a.plain.Holds(func(atom int) bool {
			return x.holding[atom][l.label]
		}, false)
		return env.when(matches)
	case valAction:
		return env.when(a.condition.condition(env))
	case notAction:
		return env.when(len(x.admit(a.parts[0], l, env)) == 0)
	case andAction:
		admitted := []*environment{env} // by the parts so far
		for _, part := range a.parts {
			var next []*environment
			for _, e := range admitted {
				next = append(next, x.admit(part, l, e)...)
			}
			admitted = next
		}
		return admitted
	case orAction:
		var all []*environment
		for _, part := range a.parts {
			all = append(all, x.admit(part, l, env)...)
		}
		return all
	case existsAction, forallAction:
		return env.when(x.admitsFor(a, a.declared, l, env))
	case offersAction:
		return a.matchOffers(l, env)
	}
	isCall := func(called *calledAction, l calledLabel) bool { return called.matches(l, env) }
	return env.when(matchCalls(a.calls, l.calls, isCall))
}

// when returns the environment if a label matches in it, and otherwise none.
func (e *environment) when(matches bool) []*environment {
	if matches {
		return []*environment{e}
	}
	return nil
}

// admitsFor reports whether a label matches a quantified action formula; declared are the quantified
// variables that have no value yet.
func (x *expansion) admitsFor(
	a *action,
	declared []declaration,
	l *parsed,
	env *environment,
) bool {
	if len(declared) == 0 {
		return len(x.admit(a.parts[0], l, env)) > 0
	}
	isForall := a.op == forallAction
	name := declared[0].variable.name
	for _, v := range x.domain(declared[0], env, quantifiedAction{a, l}) {
		x.spend(a.at)
		admits := x.admitsFor(a, declared[1:], l, env.with(name, v))
		isDecided := admits != isForall // by a counterexample of forall, or an example of exists
		if isDecided {
			return admits
		}
	}
	return isForall
}

// matchOffers returns the environment in which a label matches the offers of an action of MCL; none if
// it does not match.
func (a *action) matchOffers(l *parsed, env *environment) []*environment {
	hasFurther := len(l.offers) > len(a.offers)
	isLengthRight := len(l.offers) == len(a.offers) || a.isOpen && hasFurther
	if !l.isCADP || l.gate != a.gate || !isLengthRight {
		return nil
	}
	for i, o := range a.offers {
		text := l.offers[i]
		if o.value != nil {
			if !o.value.eval(env).writes(text) {
				return nil
			}
			continue
		}
		v, isRead := o.sort.read(text)
		if !isRead {
			return nil
		}
		if o.bound != nil {
			env = env.with(o.bound.name, v)
		}
	}
	return env.when(a.condition == nil || a.condition.condition(env))
}

// matchCalls reports whether a label has exactly the given actions, in any order; matches reports whether one
// of its actions is a given one.
func matchCalls(
	calls []calledAction,
	label []calledLabel,
	matches func(*calledAction, calledLabel) bool,
) bool {
	if len(calls) != len(label) {
		return false
	}
	if len(calls) == 0 {
		return true
	}
	for i, candidate := range label {
		if !matches(&calls[0], candidate) {
			continue
		}
		others := slices.Delete(slices.Clone(label), i, i+1)
		if matchCalls(calls[1:], others, matches) {
			return true
		}
	}
	return false
}

// matches reports whether an action in a label has the name and the arguments of a called one.
func (c *calledAction) matches(l calledLabel, env *environment) bool {
	if c.name != l.name || len(c.arguments) != len(l.arguments) {
		return false
	}
	for i, a := range c.arguments {
		v := value{text: a.text}
		if a.value != nil {
			v = a.value.eval(env)
		}
		if !v.writes(l.arguments[i]) {
			return false
		}
	}
	return true
}

// textsAt returns the texts that labels have in the places of a variable, each once.
func (x *expansion) textsAt(v *variable) (texts []string) {
	known := map[string]bool{}
	add := func(text string) {
		if !known[text] {
			known[text] = true
			texts = append(texts, text)
		}
	}
	for _, at := range v.places {
		for _, l := range x.labels {
			l.textsAt(at, add)
		}
	}
	return texts
}

// textsAt calls add for each text that the label has at a place. A label of several actions may
// have several texts there.
func (l *parsed) textsAt(at place, add func(string)) {
	if at.arguments == anyNumber {
		if l.isCADP && l.gate == at.action && at.index < len(l.offers) {
			at.textsIn(l.offers[at.index], add)
		}
		return
	}
	for _, called := range l.calls {
		if called.name == at.action && len(called.arguments) == at.arguments {
			at.textsIn(called.arguments[at.index], add)
		}
	}
}

// labelled returns an action formula that exactly the given labels match.
func (x *expansion) labelled(labels []lts.Label) *temporal.Formula {
	if len(labels) == len(x.labels) && len(labels) > 0 {
		return temporal.True()
	}
	if len(labels) == 0 {
		return temporal.False()
	}
	var texts []string
	for _, l := range labels {
		texts = append(texts, actl.Quoted(x.alphabet.Text(l)))
		x.spend(x.at)
	}
	text := texts[0]
	if len(texts) > 1 {
		text = "{" + strings.Join(texts, ", ") + "}"
	}
	atom, after, err := actl.Text(text).Atom(x.ctx, 0)
	abort.On(x.ctx.Err())
	if err != nil || after != len(text) {
		refuse(x.at, "an action that fewer labels match")
	}
	return x.numbered(atom)
}
