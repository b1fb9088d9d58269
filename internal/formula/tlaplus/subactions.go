package tlaplus

import (
	"regexp"
	"slices"
	"strings"
	"sync"

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
	// into nested definitions at most mostLevels deep.
	mostSubactions = 100
	mostLevels     = 10
	// mostAlone is the largest number of members of a set for which each member gets an action of its
	// own.
	mostAlone = 8
	// longestSubaction is the largest length of an action, since nobody reads longer ones.
	longestSubaction = 200
)

// Subactions returns the next-state relation and the actions that it consists of. Each action comes
// before its own parts: disjuncts, instances of \E, and conjunctions with one choice made. The result
// is nil if the configuration has no next-state relation, or if an instance defines it. Cost O(size of
// the definitions).
func (s *Specification) Subactions() (all []Subaction, err error) {
	defer abort.Caught(&err)
	s.resetCounts()
	next, subscript := s.nextAction()
	if next == nil {
		return nil, nil
	}
	c := &subactions{s: s, subscript: subscript, isKnown: map[string]bool{}}
	c.walk(next, place{})
	return c.all, nil
}

// nextAction returns the next-state relation, and the subscript of [Next]_v; nil if the module itself
// does not define a next-state relation.
func (s *Specification) nextAction() (next *expression, subscript string) {
	if s.config.next.name != "" {
		return applied(s.config.next.name, s.config.next.at), s.allOfState()
	}
	if s.config.specification.name == "" {
		return nil, ""
	}
	box := s.boxedAction(applied(s.config.specification.name, s.config.specification.at), 0)
	if box == nil {
		return nil, ""
	}
	subscript = box.args[1].text()
	if box.args[1].kind == tuple || box.args[1].kind == apply && len(box.args[1].args) == 0 {
		return box.args[0], subscript
	}
	return box.args[0], "(" + subscript + ")"
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

// boxedAction returns the [A]_v of a conjunct [][A]_v of a formula; nil if there is none.
func (s *Specification) boxedAction(x *expression, level int) *expression {
	s.loader.spent.take(1)
	isConjunction := x.name == `/\` &&
		(x.kind == junction || x.kind == apply && len(x.args) == 2)
	switch {
	case level > mostLevels:
		return nil
	case isConjunction:
		for _, part := range x.args {
			box := s.boxedAction(part, level)
			if box != nil {
				return box
			}
		}
		return nil
	case x.kind == apply && x.name == "[]" && len(x.args) == 1 && x.args[0].kind == square:
		return x.args[0]
	}
	d := s.plainDefinition(x, nil)
	if d == nil || len(d.parameters) > 0 {
		return nil
	}
	return s.boxedAction(d.read(), level+1)
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

// plainDefinition returns the definition that an expression applies if the module, or one that it
// extends, contains it, and if its parameters are values; nil otherwise. The bound names are those that
// are bound around the expression.
func (s *Specification) plainDefinition(x *expression, bound map[string]string) *Definition {
	if x.kind != apply || len(x.path) > 0 {
		return nil
	}
	if _, isBound := bound[x.name]; isBound {
		return nil
	}
	w, d := s.root.resolve(s.root.module, x.name)
	if d == nil || w != s.root || d.over != nil || d.instance != nil ||
		len(d.parameters) != len(x.args) {
		return nil
	}
	takesOperator := func(p parameter) bool { return p.arity > 0 }
	if slices.ContainsFunc(d.parameters, takesOperator) {
		return nil
	}
	return d
}

// subactions collects the actions of a next-state relation.
type subactions struct {
	s         *Specification
	subscript string
	all       []Subaction
	isKnown   map[string]bool
}

// place is the context of an action in the next-state relation.
type place struct {
	// binders are the quantifiers around the action, the outermost first. texts has the text of each
	// name that is bound around the action: a name has itself, and a parameter has its argument.
	binders []binder
	texts   map[string]string
	// whole is set if the action is the body of a definition whose application has been added. It is
	// the text of this application, and "" for other actions.
	whole string
	level int
}

// binder is a quantifier over one set: the names that it binds, and the set.
type binder struct{ names, set string }

func (b binder) String() string { return b.names + ` \in ` + b.set }

// walk adds an action and then its parts. It does not add the action itself if the action is the body
// of a definition whose application has been added.
func (c *subactions) walk(x *expression, here place) {
	c.s.loader.spent.take(1)
	if here.level > mostLevels {
		return
	}
	d := c.s.plainDefinition(x, here.texts)
	text := here.whole
	if text == "" {
		text = x.inLine(here.texts)
		name := ""
		if d != nil {
			name = d.name
		}
		c.addForms(here, text, name)
	}
	isOperator := x.kind == junction || x.kind == apply && len(x.args) == 2
	here.level++
	switch {
	case isOperator && x.name == `\/`:
		here.whole = ""
		for _, part := range x.args {
			c.walk(part, here)
		}
	case isOperator && x.name == `/\`, x.kind == ifThen:
		c.addChoices(x, text, here)
	case x.kind == exists:
		inner, fits := here.within(x.bounds)
		if fits {
			c.walk(x.args[0], inner)
		}
	case d != nil:
		c.walk(d.read(), here.inside(d, x, text))
	}
}

// within returns the place under a quantifier; false if one of its names is bound already, or has no
// set.
func (at place) within(bounds []bound) (inner place, fits bool) {
	inner = place{
		binders: slices.Clone(at.binders),
		texts:   map[string]string{},
		level:   at.level,
	}
	for name, text := range at.texts {
		inner.texts[name] = text
	}
	for _, b := range bounds {
		if b.set == nil {
			return place{}, false
		}
		names := strings.Join(b.names, ", ")
		if b.tuple {
			names = "<<" + names + ">>"
		}
		inner.binders = append(inner.binders, binder{names: names, set: b.set.inLine(at.texts)})
		for _, name := range b.names {
			isBound := func(other binder) bool {
				return slices.Contains(strings.FieldsFunc(other.names, isNoName), name)
			}
			if slices.ContainsFunc(at.binders, isBound) {
				return place{}, false
			}
			inner.texts[name] = name
		}
	}
	return inner, true
}

func isNoName(c rune) bool { return !inWord(c) }

// inside returns the place of the body of a definition d that x applies.
func (at place) inside(d *Definition, x *expression, text string) place {
	inner := place{
		binders: at.binders,
		texts:   map[string]string{},
		whole:   text,
		level:   at.level,
	}
	for i, p := range d.parameters {
		inner.texts[p.name] = x.args[i].inLine(at.texts)
	}
	return inner
}

// addChoices adds the results of making one choice in an action. A conjunction of A with B \/ C becomes
// A /\ B and A /\ C; a conjunction of A with IF p … becomes A /\ p and A /\ ~p, and A with each choice in
// a branch; a conjunction of A with \E i : B becomes A /\ B, for each i.
func (c *subactions) addChoices(x *expression, text string, here place) {
	if x.kind == apply || here.whole == "" {
		text = "(" + text + ")"
	}
	c.addChoicesOf(x, text, here)
}

// addChoicesOf is addChoices for a part of the action with the given text.
func (c *subactions) addChoicesOf(x *expression, text string, here place) {
	c.s.loader.spent.take(1)
	if here.level > mostLevels {
		return
	}
	here.level++
	for _, part := range conjuncts(x) {
		d := c.s.plainDefinition(part, here.texts)
		inner := here
		if d != nil {
			inner.texts = here.inside(d, part, "").texts
			part = d.read()
		}
		isDisjunction := part.name == `\/` &&
			(part.kind == junction || part.kind == apply && len(part.args) == 2)
		switch {
		case isDisjunction:
			for _, choice := range part.args {
				c.addForms(inner, text+` /\ `+choice.operandInLine(inner.texts), "")
			}
		case part.kind == ifThen:
			condition := part.args[0].operandInLine(inner.texts)
			c.addForms(inner, text+` /\ `+condition, "")
			c.addForms(inner, text+` /\ ~(`+part.args[0].inLine(inner.texts)+")", "")
			c.addChoicesOf(part.args[1], text, inner)
			c.addChoicesOf(part.args[2], text, inner)
		case part.kind == exists:
			each, fits := inner.within(part.bounds)
			if fits {
				c.addForms(each, text+` /\ `+part.args[0].operandInLine(each.texts), "")
			}
		}
	}
}

// conjuncts returns the conjuncts of a conjunction, and those of nested conjunctions.
func conjuncts(x *expression) []*expression {
	if x.name != `/\` || x.kind != junction && (x.kind != apply || len(x.args) != 2) {
		return []*expression{x}
	}
	var all []*expression
	for _, part := range x.args {
		all = append(all, conjuncts(part)...)
	}
	return all
}

// addForms adds an action in several forms: each of its quantifiers can be around the fairness condition, or
// inside of it.
func (c *subactions) addForms(here place, action, definition string) {
	for outside := range len(here.binders) + 1 {
		inner := action
		if outside < len(here.binders) {
			inner = `\E ` + joinedBinders(here.binders[outside:]) + " : " + action
		}
		quantifiers := ""
		if outside > 0 {
			quantifiers = `\A ` + joinedBinders(here.binders[:outside]) + " : "
		}
		c.include(Subaction{
			Quantifiers: quantifiers,
			Action:      inner,
			Subscript:   c.subscript,
			Of:          definition,
		})
	}
	if len(here.binders) == 1 {
		c.addInstances(here.binders[0], action, definition)
	}
}

// addInstances adds an action for each member of the set of its quantifier, if a module can name all
// members.
func (c *subactions) addInstances(b binder, action, definition string) {
	var members []values.Value
	err := abort.Try(func() {
		x := c.s.parse(b.set)
		in, e := c.s.outsideScope()
		p := in.compile(x)
		if p.level == Constant {
			m := c.s.machine()
			members = m.sorted(m.members(x, p.run(m, e)))
		}
	})
	if err != nil || len(members) > mostAlone || strings.ContainsAny(b.names, "<,") {
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

func joinedBinders(all []binder) string {
	texts := make([]string, len(all))
	for i, b := range all {
		texts[i] = b.String()
	}
	return strings.Join(texts, ", ")
}

func (c *subactions) include(a Subaction) {
	key := a.Fair(false)
	if c.isKnown[key] || len(c.all) == mostSubactions || len(a.Action) > longestSubaction {
		return
	}
	c.isKnown[key] = true
	c.all = append(c.all, a)
}

// operandInLine returns the text of an expression as an operand of /\, on one line.
func (x *expression) operandInLine(texts map[string]string) string {
	text := x.inLine(texts)
	if x.isTight() {
		return text
	}
	return "(" + text + ")"
}

// isTight reports whether an expression in the text of inLine needs no parentheses next to /\ and \/.
func (x *expression) isTight() bool {
	switch x.kind {
	case forAll, exists, choose, ifThen, cases, let, lambda, junction:
		return false
	case apply:
		p, isInfix := infix()[x.name]
		return len(x.args) != 2 || !isInfix || p.low > infix()[`/\`].high
	}
	return true
}

// inLine returns the text of an expression on one line, without comments and without parentheses around
// the whole. Parentheses replace the layout of lists of conjuncts and disjuncts, and texts replace
// names.
func (x *expression) inLine(texts map[string]string) string {
	if x.kind == junction {
		parts := make([]string, len(x.args))
		for i, part := range x.args {
			parts[i] = part.operandInLine(texts)
		}
		return strings.Join(parts, " "+x.name+" ")
	}
	source := x.source
	var lists []*expression
	x.lists(&lists)
	slices.SortFunc(lists, func(a, b *expression) int {
		return a.from - b.from
	})
	var b strings.Builder
	tokens := (&lexer{source: source, line: 1}).tokens()
	for i := 0; i < len(tokens)-1; i++ {
		t := tokens[i]
		if i > 0 && tokens[i-1].behind < t.from {
			b.WriteByte(' ')
		}
		beginsList := len(lists) > 0 && x.from+t.from == lists[0].from
		if !beginsList {
			b.WriteString(replacedName(source, tokens, i, texts))
			continue
		}
		listEnd := t.from + len(lists[0].source)
		b.WriteString("(" + lists[0].inLine(texts) + ")")
		lists = lists[1:]
		for tokens[i+1].from < listEnd {
			i++ // skip the tokens of the list
		}
	}
	return withoutOuterParentheses(b.String())
}

// withoutOuterParentheses removes all parentheses around the whole of a text.
func withoutOuterParentheses(text string) string {
	for {
		inner := withoutParentheses(text)
		if inner == text {
			return text
		}
		text = inner
	}
}

// lists appends the outermost lists of conjuncts and disjuncts in an expression.
func (x *expression) lists(all *[]*expression) {
	x.eachPart(func(part *expression) {
		if part.kind == junction {
			*all = append(*all, part)
			return
		}
		part.lists(all)
	})
}

// eachPart calls do for each direct subexpression of an expression.
func (x *expression) eachPart(do func(*expression)) {
	for _, part := range x.args {
		if part != nil {
			do(part)
		}
	}
	for i, b := range x.bounds {
		if b.set != nil && (i == 0 || x.bounds[i-1].set != b.set) {
			do(b.set)
		}
	}
	for _, d := range x.defs {
		if d.instance == nil {
			do(d.read())
		}
	}
	for _, c := range x.changes {
		for _, args := range c.path {
			for _, part := range args {
				do(part)
			}
		}
		do(c.to)
	}
}

// replacedName returns the text of token i, or the text that replaces it if it is a bound name.
func replacedName(source string, tokens []token, i int, texts map[string]string) string {
	t := tokens[i]
	text := source[t.from:t.behind]
	other, isBound := texts[t.text]
	if t.kind != word || !isBound || other == t.text {
		return text
	}
	next := tokens[i+1]
	previous := token{}
	if i > 0 {
		previous = tokens[i-1]
	}
	isField := previous.is(".") || next.is("|->") ||
		next.is(":") && (previous.is("[") || previous.is(","))
	if isField || next.is("!") || previous.is("!") {
		return text
	}
	if isSimple().MatchString(other) {
		return other
	}
	return "(" + other + ")"
}

// replacedIn returns a text on one line in which texts replace names.
func replacedIn(source string, texts map[string]string) string {
	return inOneLine(source, func(tokens []token, i int) string {
		return replacedName(source, tokens, i, texts)
	})
}

// isSimple matches texts that never need parentheses, and isNameable matches values that a module can
// name.
var (
	isSimple = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\w+|"[^"]*"|\w+[(\[][^()\[\]]*[)\]]|<<[^<>]*>>|\{[^{}]*\})$`)
	})
	isNameable = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\d+|"[^"\\]*")$`)
	})
)
