package tlaplus

import (
	"maps"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/property/values"
)

// Subaction is an action in the next-state relation. It may have quantifiers that can also be around a
// fairness condition: \A p \in Procs : WF_vars(Step(p)). Fairness of such actions leaves a
// specification machine-closed: each finite run can be continued by a fair one.
type Subaction struct {
	// Quantifiers are the quantifiers with their colons; "" if there are none.
	Quantifiers string
	Action      string
	Subscript   string
	// Of is the name of the definition that the action applies; "" if it applies none.
	Of string
}

// Fair returns weak or strong fairness of the action, as a module writes it.
func (a Subaction) Fair(strong bool) string {
	operator := "WF_"
	if strong {
		operator = "SF_"
	}
	return a.Quantifiers + operator + a.Subscript + "(" + a.Action + ")"
}

// isApplication reports whether the action is an application of the definition Of, and not a part of the
// definition. It ignores applications whose arguments contain parentheses.
func (a Subaction) isApplication() bool {
	if a.Of == "" {
		return false
	}
	arguments, hasName := strings.CutPrefix(a.Action, a.Of)
	if !hasName || arguments == "" {
		return hasName
	}
	inside, isOpen := strings.CutPrefix(arguments, "(")
	inside, isClosed := strings.CutSuffix(inside, ")")
	return isOpen && isClosed && !strings.ContainsAny(inside, "()")
}

const (
	// mostSubactions is the largest number of actions that [Specification.Subactions] returns. It looks
	// into nested expressions at most mostLevels deep.
	mostSubactions = 200
	mostLevels     = 20
	// mostAlone is the largest number of members of a set for which each member gets an action of its
	// own.
	mostAlone = 8
	// longestSubaction is the largest length of an action, since nobody reads longer ones.
	longestSubaction = 200
)

// Subactions returns the next-state relation and the actions that it consists of. Each action comes
// before its own parts: its disjuncts, the instances of its \E, and the actions that result from
// making one choice inside of it. The root module can contain the text of each action: an action
// that an instance I defines is I!Act. The result is nil if the configuration has no next-state
// relation. Cost O(size of the definitions).
func (s *Specification) Subactions() (all []Subaction, err error) {
	defer abort.Caught(&err)
	s.resetCounts()
	next := s.nextState()
	if next == nil {
		return nil, nil
	}
	c := &subactions{
		s:         s,
		next:      next.view,
		subscript: next.subscript,
		isKnown:   map[string]bool{},
	}
	c.walk(next.action, place{view: next.view, texts: next.view.texts})
	return c.all, nil
}

// nextState is the next-state relation of a specification: an expression of a module that the view
// shows, and the subscript of [Next]_v.
type nextState struct {
	action    *expression
	view      *view
	subscript string
}

// nextState returns the next-state relation; nil if the configuration has none.
func (s *Specification) nextState() *nextState {
	root := s.rootView()
	if s.config.next.name != "" {
		return &nextState{
			action:    applied(s.config.next.name, s.config.next.at),
			view:      root,
			subscript: s.allOfState(),
		}
	}
	if s.config.specification.name == "" {
		return nil
	}
	specification := applied(s.config.specification.name, s.config.specification.at)
	next := place{view: root, texts: root.texts}.boxedAction(specification)
	if next == nil {
		return nil
	}
	box := next.action
	next.action = box.args[0]
	next.subscript = box.args[1].inLine(next.view.texts)
	isTuple := box.args[1].kind == tuple
	if !isTuple && !isWord(next.subscript) {
		next.subscript = "(" + next.subscript + ")"
	}
	return next
}

// isWord reports whether a text is a name or a number.
func isWord(text string) bool {
	return text != "" && strings.IndexFunc(text, isNoName) < 0
}

// Specified returns the name of the definition that the configuration gives as SPECIFICATION. If it
// gives INIT and NEXT instead, Specified returns "" and the equivalent formula. It fails if a
// definition of a tuple cannot be read.
func (s *Specification) Specified() (name, formula string, err error) {
	defer abort.Caught(&err)
	if s.config.specification.name != "" {
		return s.config.specification.name, "", nil
	}
	return "", s.config.init.name + ` /\ [][` + s.config.next.name + "]_" + s.allOfState(), nil
}

// HasNext reports whether the configuration has NEXT.
func (s *Specification) HasNext() bool { return s.config.next.name != "" }

// boxedAction returns the [A]_v of a conjunct [][A]_v of a formula, still without the subscript. The conjunct
// can be below a LET, and in a definition, also one of the LET. The result is nil if there is no such conjunct.
func (at place) boxedAction(x *expression) *nextState {
	at.view.world.s.loader.spent.take(1)
	if at.level > mostLevels {
		return nil
	}
	switch {
	case x.isConjunction():
		for _, part := range x.args {
			next := at.boxedAction(part)
			if next != nil {
				return next
			}
		}
		return nil
	case x.kind == apply && x.name == "[]" && len(x.args) == 1 && x.args[0].kind == square:
		box := *x.args[0]
		box.args = []*expression{at.behindLocalName(box.args[0]), at.behindLocalName(box.args[1])}
		if slices.ContainsFunc(box.args, at.mentionsLocalName) {
			return nil // the root module cannot write a name of a LET outside of it
		}
		return &nextState{action: &box, view: at.view}
	case x.kind == let:
		return at.knowing(x.defs).boxedAction(x.args[0])
	}
	a := at.application(x)
	if a == nil || len(a.definition.parameters) > 0 {
		return nil
	}
	inner := place{view: a.view, texts: a.view.texts}
	if a.isLocal {
		inner = at
	}
	inner.level = at.level + 1
	return inner.boxedAction(a.definition.read())
}

// knowing returns the place below a LET with some definitions. Unlike [place.underLet], it does not ask whether
// the root module can write the names of the LET there.
func (at place) knowing(definitions []*Definition) place {
	l := localNames{definitions: definitions}
	isBound := maps.Clone(at.isBound)
	if isBound == nil {
		isBound = map[string]bool{}
	}
	for _, name := range l.names() {
		isBound[name] = true
	}
	at.isBound = isBound
	at.lets = append(slices.Clone(at.lets), l)
	at.level++
	return at
}

// behindLocalName returns the definition of an expression that is a name which a LET around the place defines,
// such as N of LET N == Next. It returns any other expression as it is.
func (at place) behindLocalName(x *expression) *expression {
	for range mostLevels {
		a := at.application(x)
		if a == nil || !a.isLocal || len(a.args) > 0 {
			return x
		}
		x = a.definition.read()
	}
	return x
}

// mentionsLocalName reports whether an expression contains a name that a LET around the place defines.
func (at place) mentionsLocalName(x *expression) bool {
	text := x.inLine(at.texts)
	return slices.ContainsFunc(at.lets, func(l localNames) bool { return mentions(text, l.names()) })
}

// allOfState returns a text for the tuple of all variables: the name of a definition of this tuple, or
// the tuple itself.
func (s *Specification) allOfState() string {
	m := s.root.module
	var names []string
	for name, d := range m.operators {
		if len(d.parameters) > 0 || d.over != nil || d.instance != nil ||
			len(d.tokens) > 0 && !d.tokens[0].is("<<") {
			continue
		}
		var found []string
		x := d.read()
		if x.kind == tuple {
			for _, item := range x.args {
				found = append(found, item.text())
			}
		}
		slices.Sort(found)
		if slices.Equal(found, slices.Sorted(slices.Values(s.variables))) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		return slices.Min(names)
	}
	return "<<" + strings.Join(s.variables, ", ") + ">>"
}

// isConjunction and isDisjunction report whether an expression is a list of conjuncts or disjuncts, or an
// application of the infix operator.
func (x *expression) isConjunction() bool { return x.joins(`/\`) }
func (x *expression) isDisjunction() bool { return x.joins(`\/`) }

func (x *expression) joins(operator string) bool {
	return x.name == operator && (x.kind == junction || x.kind == apply && len(x.args) == 2)
}

// subactions collects the actions of a next-state relation.
type subactions struct {
	s         *Specification
	next      *view // of the module with the next-state relation
	subscript string
	all       []Subaction
	isKnown   map[string]bool
	// sets are the results of constantSets, once they are needed.
	sets *constantSets
}

// place is the context of an action in the next-state relation.
type place struct {
	// view shows the module that has the action. texts has the text that the root module writes for a
	// name: that of the view, the name itself for a name that is bound around the action, and the
	// argument for a parameter.
	view  *view
	texts map[string]string
	// binders are the quantifiers around the action, the outermost first.
	binders []binder
	// isBound has the names that are bound around the action. lets are the LETs around it, the outermost
	// first.
	isBound map[string]bool
	lets    []localNames
	// whole is set if the action is the body of a definition whose application has been added. It is
	// the text of this application, as an operand of /\, and "" for other actions.
	whole string
	level int
}

// binder is a quantifier over one set: the names that it binds, and the set. outside has the sets over
// which it can range where it is around a fairness condition.
type binder struct {
	names, set string
	outside    []outerSet
}

// outerSet is a constant set. Its members that satisfy a condition are those of another set, which may
// depend on the state. The condition is an operand of /\, or "".
type outerSet struct{ set, condition string }

// walk adds an action and then its parts. It does not add the action itself if the action is the body
// of a definition whose application has been added.
func (c *subactions) walk(x *expression, here place) {
	c.s.loader.spent.take(1)
	if here.level > mostLevels {
		return
	}
	a := here.application(x)
	if here.whole == "" {
		name := ""
		if a != nil {
			name = a.view.prefix + a.definition.name
		}
		c.addForms(here, x.inLine(here.texts), name)
	}
	whole := here.whole
	here.level++
	switch {
	case x.isDisjunction():
		here.whole = ""
		for _, part := range x.args {
			c.walk(part, here)
		}
	case x.kind == exists:
		c.walkQuantified(x, here, whole)
	case a != nil:
		inner := here.inside(a, x)
		inner.whole = x.operandInLine(here.texts)
		c.walk(a.definition.read(), inner)
	case whole != "":
		c.addChoices(x, here, besideAction(whole))
	default:
		c.addChoices(x, here, insideAction())
	}
}

// walkQuantified adds the parts of an action \E x \in S : A. If A is too long to be written, and the action has a name,
// which is whole, it adds this name with the part of A that is about x.
func (c *subactions) walkQuantified(x *expression, here place, whole string) {
	inner, fits := c.within(here, x.bounds)
	if !fits {
		return
	}
	body := x.args[0]
	inner.whole = ""
	c.walk(body, inner)
	isTooLong := len(body.inLine(inner.texts)) > longestSubaction
	part := inner.characteristicPart(body)
	if whole == "" || !isTooLong || part == "" {
		return
	}
	named := whole + ` /\ ` + part
	c.addForms(inner, named, "")
	c.addChoices(body, inner, besideAction(named))
}

// within returns the place under a quantifier; false if the root module cannot bind one of its names
// there, or if a name has no set.
func (c *subactions) within(at place, bounds []bound) (inner place, fits bool) {
	inner = at
	inner.binders = slices.Clone(at.binders)
	for _, b := range bounds {
		if b.set == nil || !inner.bind(b.names) {
			return place{}, false
		}
		names := strings.Join(b.names, ", ")
		if b.tuple {
			names = "<<" + names + ">>"
		}
		quantifier := binder{names: names, set: at.underLets(b.set.inLine(at.texts))}
		quantifier.outside = c.outerSets(b, quantifier, at)
		inner.binders = append(inner.binders, quantifier)
	}
	return inner, true
}

// bind binds names. It returns false if one of them already has a meaning in the root module or at the
// place, so that the root module cannot bind it there.
func (at *place) bind(names []string) bool {
	root := at.view.world.s.root
	isBound := maps.Clone(at.isBound)
	if isBound == nil {
		isBound = map[string]bool{}
	}
	texts := maps.Clone(at.texts)
	for _, name := range names {
		if isBound[name] || root.scope(root.module).hasName(name) {
			return false
		}
		isBound[name] = true
		texts[name] = name
	}
	at.isBound = isBound
	at.texts = texts
	return true
}

func isNoName(c rune) bool { return !inWord(c) }

// inside returns the place of the body of a definition that x applies.
func (at place) inside(a *application, x *expression) place {
	inner := at
	inner.view = a.view
	if a.isLocal {
		inner.texts = maps.Clone(at.texts)
	} else {
		inner.texts = maps.Clone(a.view.texts)
		inner.isBound = maps.Clone(at.isBound)
		for name := range at.isBound {
			inner.texts[name] = name
		}
	}
	for i, p := range a.definition.parameters {
		inner.texts[p.name] = a.args[i].inLine(at.texts)
	}
	return inner
}

// addForms adds an action in several forms: each of its quantifiers can be around the fairness condition, or
// inside of it. Quantifiers whose names the action does not have are left out, as that of p around B in
// \E p \in S : A(p) \/ B.
func (c *subactions) addForms(here place, action, definition string) {
	binders := usedIn(action, here.binders)
	for numOutside := range len(binders) + 1 {
		inner := action
		if numOutside < len(binders) {
			inner = quantified(`\E`, binders[numOutside:]) + action
		}
		for _, around := range quantifiersOutside(binders[:numOutside]) {
			c.include(Subaction{
				Quantifiers: around.quantifiers,
				Action:      around.condition + inner,
				Subscript:   c.subscript,
				Of:          definition,
			})
		}
	}
	if len(binders) == 1 && binders[0].isConstant() {
		c.addInstances(binders[0], action, definition)
	}
}

// usedIn returns the quantifiers that bind a name of an action, or of the set of another one that is used.
func usedIn(action string, binders []binder) []binder {
	var used []binder
	words := strings.FieldsFunc(action, isNoName)
	for _, b := range slices.Backward(binders) {
		bindsWord := func(name string) bool { return slices.Contains(words, name) }
		if slices.ContainsFunc(strings.FieldsFunc(b.names, isNoName), bindsWord) {
			used = append(used, b)
			words = append(words, strings.FieldsFunc(b.set, isNoName)...)
		}
	}
	slices.Reverse(used)
	return used
}

// isConstant reports whether the quantifier ranges over a constant set.
func (b binder) isConstant() bool {
	return len(b.outside) == 1 && b.outside[0].condition == ""
}

// aroundFairness are quantifiers around a fairness condition, and the condition that then precedes
// the action; "" for none.
type aroundFairness struct{ quantifiers, condition string }

// mostAround is the largest number of ways in which the quantifiers of an action are put around a
// fairness condition.
const mostAround = 12

// quantifiersOutside returns the ways in which quantifiers can be around a fairness condition: one for
// each combination of their outer sets.
func quantifiersOutside(binders []binder) []aroundFairness {
	combinations := [][]binder{nil}
	conditions := []string{""}
	for _, b := range binders {
		var longer [][]binder
		var longerConditions []string
		for i, combination := range combinations {
			for _, outer := range b.outside {
				condition := conditions[i]
				if outer.condition != "" {
					condition += outer.condition + ` /\ `
				}
				longer = append(longer,
					append(slices.Clone(combination), binder{names: b.names, set: outer.set}))
				longerConditions = append(longerConditions, condition)
			}
		}
		combinations = longer[:min(len(longer), mostAround)]
		conditions = longerConditions
	}
	var all []aroundFairness
	for i, combination := range combinations {
		all = append(all, aroundFairness{
			quantifiers: quantified(`\A`, combination),
			condition:   conditions[i],
		})
	}
	return all
}

// addInstances adds an action for each member of the set of its quantifier, if a module can name all
// members.
func (c *subactions) addInstances(b binder, action, definition string) {
	var members []values.Value
	err := abort.Try(func() {
		x := c.s.parse(b.set)
		in, e := c.s.outsideScope()
		m := c.s.machine()
		members = m.sorted(m.members(x, in.compile(x).run(m, e)))
	})
	if err != nil || len(members) > mostAlone || !isWord(b.names) {
		return
	}
	for _, v := range members {
		if isNameable().MatchString(v.String()) {
			c.include(Subaction{
				Action:    replacedIn(action, map[string]string{b.names: v.String()}),
				Subscript: c.subscript,
				Of:        definition,
			})
		}
	}
}

// quantified returns quantifiers with their colons; "" if there are none. A set that depends on the
// names of another quantifier follows the colon of that one.
func quantified(quantifier string, binders []binder) string {
	text := ""
	var names []string // the names that the quantifiers since the last colon bind
	for _, b := range binders {
		switch {
		case names == nil:
			text += quantifier + " "
		case mentions(b.set, names):
			text += " : " + quantifier + " "
			names = nil
		default:
			text += ", "
		}
		text += b.names + ` \in ` + b.set
		names = append(names, strings.FieldsFunc(b.names, isNoName)...)
	}
	if text != "" {
		text += " : "
	}
	return text
}

// mentions reports whether a text contains one of some names.
func mentions(text string, names []string) bool {
	tokens := (&lexer{source: text, line: 1}).tokens()
	return slices.ContainsFunc(tokens, func(t token) bool {
		return t.kind == word && slices.Contains(names, t.text)
	})
}

func (c *subactions) include(a Subaction) {
	key := a.Fair(false)
	if c.isKnown[key] || len(c.all) == mostSubactions || len(a.Action) > longestSubaction ||
		strings.Contains(key, unnameable) {
		return
	}
	c.isKnown[key] = true
	c.all = append(c.all, a)
}
