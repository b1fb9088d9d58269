package tlaplus

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/property/values"
)

// Config is a configuration of TLC, without the statements that are irrelevant for an existing graph.
type Config struct {
	file string
	// values has the values of constants by name. replaced has the name of the definition that replaces
	// another one. Its key is the name of the other definition, or module!name.
	values   map[string]values.Value
	replaced map[string]setting
	// specification, init and next name the definitions that describe the behaviours: specification
	// alone, or init and next.
	specification, init, next setting
	properties                []setting
	invariants                []setting
	constraints               []setting
	actionConstraints         []setting
	// written are the statements that change which states TLC writes, or how.
	written []statement
	// allowsDeadlocks is set by CHECK_DEADLOCK FALSE.
	allowsDeadlocks bool
}

// setting is a name in a configuration.
type setting struct {
	name string
	at   Position
}

// statement is a statement with one name or without a name.
type statement struct {
	keyword string
	setting
}

var statements = words("CONSTANT CONSTANTS SPECIFICATION INIT NEXT PROPERTY PROPERTIES INVARIANT INVARIANTS CONSTRAINT CONSTRAINTS ACTION_CONSTRAINT ACTION_CONSTRAINTS SYMMETRY VIEW ALIAS CHECK_DEADLOCK POSTCONDITION POSTCONDITIONS _PERIODIC _RL_REWARD _POSSIBLE TYPE TYPE_CONSTRAINT")

// singular maps the plural of a keyword to its singular, which means the same.
var singular = map[string]string{
	"CONSTANTS": "CONSTANT", "PROPERTIES": "PROPERTY", "INVARIANTS": "INVARIANT", "CONSTRAINTS": "CONSTRAINT", "ACTION_CONSTRAINTS": "ACTION_CONSTRAINT",
}

// readConfig reads a configuration.
func readConfig(l *loader, file, source string) *Config {
	c := &Config{
		file:     file,
		values:   map[string]values.Value{},
		replaced: map[string]setting{},
	}
	x := &lexer{file: file, source: source, line: 1}
	p := &parser{spent: l.spent, source: source, tokens: x.tokens()}
	for _, t := range p.tokens {
		if t.kind == word || t.kind == text {
			l.rank(t.text)
		}
	}
	c.readStatements(p)
	c.checkBehaviours()
	return c
}

// readStatements reads statements up to the end of the text.
func (c *Config) readStatements(p *parser) {
	last := "" // the keyword of the last statement
	for p.peek().kind != end {
		t := p.next()
		isKeyword := t.kind == word && statements()[t.text]
		if !isKeyword {
			if t.kind == word {
				failIfMisspelt(t.text, t.at)
			}
			fail(t.at, "expected a statement such as SPECIFICATION, PROPERTY or CONSTANT, found %s%s",
				p.source[t.from:t.behind], takenBy(last))
		}
		last = cmp.Or(singular[t.text], t.text)
		c.statement(p, t)
	}
}

// checkBehaviours fails unless the behaviours are described by SPECIFICATION alone, by INIT and NEXT
// together, or not at all.
func (c *Config) checkBehaviours() {
	if c.specification.name != "" {
		other := cmp.Or(c.init, c.next)
		if other.name != "" {
			fail(other.at,
				"the configuration has SPECIFICATION %s, too, and TLC takes either that, or INIT and NEXT", c.specification.name)
		}
		return
	}
	hasInit := c.init.name != ""
	hasNext := c.next.name != ""
	switch {
	case hasInit && !hasNext:
		fail(c.init.at, "INIT %s needs a NEXT: write NEXT with the next-state relation, or SPECIFICATION in place of both", c.init.name)
	case hasNext && !hasInit:
		fail(c.next.at, "NEXT %s needs an INIT: write INIT with the initial predicate, or SPECIFICATION in place of both", c.next.name)
	}
}

// takenBy returns a clause about what a statement takes, for users who may have written an expression
// there; "" if there is no statement.
func takenBy(statement string) string {
	switch statement {
	case "CONSTANT":
		return "; for an expression, define a name in the module, and write CONSTANT NAME <- Defined"
	case "", "CHECK_DEADLOCK":
		return ""
	}
	return "; " + statement + " takes names of definitions: for an expression, define a name in the module"
}

// checkModules fails if the M of NAME <- [M] OTHER is no module.
func (c *Config) checkModules(l *loader) {
	for _, key := range slices.Sorted(maps.Keys(c.replaced)) {
		module, _, inModule := strings.Cut(key, "!")
		if inModule && !standard()[module] && l.load(module) == nil {
			fail(c.replaced[key].at,
				"there is no module %s: write the name of one that the specification extends, or leave [%s] out", module, module)
		}
	}
}

// statement reads the rest of a statement, after its keyword.
func (c *Config) statement(p *parser, keyword token) {
	switch cmp.Or(singular[keyword.text], keyword.text) {
	case "CONSTANT":
		for p.settingFollows() {
			c.constant(p)
			p.refuseComma()
		}
	case "SPECIFICATION":
		p.setting(keyword, &c.specification)
	case "INIT":
		p.setting(keyword, &c.init)
	case "NEXT":
		p.setting(keyword, &c.next)
	case "PROPERTY":
		c.properties = append(c.properties, p.settings()...)
	case "INVARIANT":
		c.invariants = append(c.invariants, p.settings()...)
	case "CONSTRAINT":
		c.constraints = append(c.constraints, p.settings()...)
	case "ACTION_CONSTRAINT":
		c.actionConstraints = append(c.actionConstraints, p.settings()...)
	case "SYMMETRY", "VIEW", "ALIAS":
		c.written = append(c.written, p.firstSetting(keyword))
	case "CHECK_DEADLOCK":
		c.allowsDeadlocks = !p.truthOf(keyword)
	default:
		p.skipSettings()
	}
}

// firstSetting reads the names of a statement that takes one name; TLC ignores further ones.
func (p *parser) firstSetting(keyword token) statement {
	written := statement{keyword: keyword.text, setting: setting{at: keyword.at}}
	names := p.settings()
	if len(names) > 0 {
		written.name = names[0].name
	}
	return written
}

// truthOf reads the TRUE or FALSE of a statement.
func (p *parser) truthOf(keyword token) bool {
	t := p.next()
	if !t.is("TRUE") && !t.is("FALSE") {
		fail(t.at, "%s takes TRUE or FALSE, found %s", keyword.text, cmp.Or(t.text, "the end"))
	}
	return t.is("TRUE")
}

// skipSettings skips the names of a statement that means nothing for an existing graph.
func (p *parser) skipSettings() {
	for p.settingFollows() {
		p.next()
	}
}

// constant reads the value or the replacement of a constant: NAME = value, or NAME <- OTHER. In NAME =
// [M] value, the definition in module M gets the value. This is read as NAME <- [M] OTHER, where OTHER
// is a name that no module can define and that has the value.
func (c *Config) constant(p *parser) {
	name := p.next()
	// NAME(1) = 2, the value of an operator for certain arguments, is not
	// supported.
	if p.is("(") {
		fail(name.at,
			"%s is given a value for certain arguments; replace it by a definition, as in %s <- Other", name.text, name.text)
	}
	switch {
	case p.take("<-"):
		module := p.moduleOfConstant()
		other := p.next()
		c.replaced[module+name.text] = setting{other.text, other.at}
	case p.take("="):
		module := p.moduleOfConstant()
		c.values[module+name.text] = c.value(p)
		if module != "" {
			c.replaced[module+name.text] = setting{module + name.text, name.at}
		}
	default:
		failIfMisspelt(name.text, name.at)
		p.unexpected("= or <- behind " + name.text)
	}
}

// moduleOfConstant reads an optional [M] after the sign of a constant, and returns M!; "" if there is
// none.
func (p *parser) moduleOfConstant() string {
	if !p.take("[") {
		return ""
	}
	module := p.next().text
	p.expect("]")
	return module + "!"
}

// settingFollows reports whether the next token is a name, and not the keyword of a statement.
func (p *parser) settingFollows() bool {
	t := p.peek()
	return t.kind == word && !statements()[t.text]
}

// refuseComma fails if a comma follows an item of a statement: TLC takes it for an item.
func (p *parser) refuseComma() {
	if p.is(",") {
		fail(p.peek().at, "a comma stands between items of the configuration, where TLC takes none: leave it out")
	}
}

// settings reads the names of a statement.
func (p *parser) settings() (all []setting) {
	for p.settingFollows() {
		t := p.next()
		name := t.text
		for p.take("!") {
			name += "!" + p.next().text
		}
		all = append(all, setting{name, t.at})
		p.refuseComma()
	}
	return all
}

// setting reads the name of a statement that a configuration may contain only once.
func (p *parser) setting(keyword token, into *setting) {
	all := p.settings()
	for _, other := range all[min(1, len(all)):] {
		failIfMisspelt(other.name, other.at)
	}
	if len(all) != 1 {
		fail(keyword.at, "%s takes one name, found %d", keyword.text, len(all))
	}
	if into.name != "" {
		fail(keyword.at, "%s stands here for the second time: TLC takes one", keyword.text)
	}
	*into = all[0]
}

// failIfMisspelt fails if a name that does not fit looks like the keyword of a statement.
func failIfMisspelt(name string, at Position) {
	meant := values.Closest(name, slices.Sorted(maps.Keys(statements())), 2)
	isKeyword := len(name) > 3 && name == strings.ToUpper(name)
	if isKeyword && meant[0][0] == name[0] {
		fail(at, "%s is no statement of a configuration; the closest is %s", name, meant[0])
	}
}

// value reads a number, a string, a truth value, a set, or a name, which is a model value.
func (c *Config) value(p *parser) values.Value {
	t := p.next()
	p.deeper(t.at, "values")
	defer p.shallower()
	switch {
	case t.kind == number && strings.Contains(t.text, "."):
		failDecimal(t.at, t.text)
	case t.kind == number:
		return madeNumber(t.text)
	case t.is("-"):
		fail(t.at, "TLC takes no negative number here: define a name in the module, as in Low == -1, and write CONSTANT NAME <- Low")
	case t.kind == text:
		return quoted(t.text)
	case t.is("TRUE"), t.is("FALSE"):
		return boolean(t.text == "TRUE")
	case t.kind == word:
		return values.Make(values.Text, t.text, nil, nil)
	case t.is("{"):
		return setOfAll(c.valueList(p, "}"))
	case t.is("<<"):
		return sequenceOf(c.valueList(p, ">>"))
	}
	fail(t.at, "expected a value: a number, a string, a name or a set of these")
	return values.Value{}
}

// valueList reads values, separated by commas, and the bracket that closes the list.
func (c *Config) valueList(p *parser, closer string) (all []values.Value) {
	for !p.take(closer) {
		all = append(all, c.value(p))
		if !p.take(",") && !p.is(closer) {
			p.unexpected("a comma or " + closer)
		}
	}
	return all
}
