package tlaplus

import (
	"strings"

	"github.com/inev-lts/inev/property/values"
)

// Config is a configuration of TLC, without the statements that do not matter for a
// graph that exists already.
type Config struct {
	file string
	// values has the values of constants, by name. replaced has the name of the definition
	// that replaces another one, by the name of the other one, or by its module and name with
	// a ! between them.
	values   map[string]values.Value
	replaced map[string]setting
	// The names of the definitions that describe the behaviours: specification
	// alone, or init and next.
	specification, init, next setting
	properties                []setting
	invariants                []setting
	constraints               []setting
	actionConstraints         []setting
	// warned are the statements that merge states of a graph.
	warned []setting
}

// setting is a name in a configuration.
type setting struct {
	name string
	at   Position
}

var statements = words("CONSTANT CONSTANTS SPECIFICATION INIT NEXT PROPERTY PROPERTIES INVARIANT INVARIANTS CONSTRAINT CONSTRAINTS ACTION_CONSTRAINT ACTION_CONSTRAINTS SYMMETRY VIEW ALIAS CHECK_DEADLOCK POSTCONDITION _PERIODIC _RL_REWARD TYPE TYPE_CONSTRAINT")

// readConfig reads a configuration.
func readConfig(l *loader, file, source string) *Config {
	c := &Config{file: file, values: map[string]values.Value{}, replaced: map[string]setting{}}
	x := &lexer{file: file, source: source, line: 1}
	p := &parser{source: source, tokens: x.tokens()}
	for _, t := range p.tokens {
		if t.kind == word || t.kind == text {
			l.rank(t.text)
		}
	}
	for p.peek().kind != end {
		t := p.next()
		if t.kind != word || !statements[t.text] {
			fail(t.at, "expected a statement such as SPECIFICATION, PROPERTY or CONSTANT, found %s", source[t.from:t.behind])
		}
		names := func() (all []setting) {
			for n := p.peek(); n.kind == word && !statements[n.text]; n = p.peek() {
				name := p.next().text
				for p.take("!") {
					name += "!" + p.next().text
				}
				all = append(all, setting{name, n.at})
				p.take(",")
			}
			return all
		}
		one := func(into *setting) {
			all := names()
			if len(all) != 1 {
				fail(t.at, "%s takes one name, found %d", t.text, len(all))
			}
			*into = all[0]
		}
		switch strings.TrimSuffix(strings.TrimSuffix(t.text, "S"), "IE") {
		case "CONSTANT":
			for n := p.peek(); n.kind == word && !statements[n.text]; n = p.peek() {
				c.constant(p)
				p.take(",")
			}
		case "SPECIFICATION":
			one(&c.specification)
		case "INIT":
			one(&c.init)
		case "NEXT":
			one(&c.next)
		case "PROPERTY", "PROPERT":
			c.properties = append(c.properties, names()...)
		case "INVARIANT":
			c.invariants = append(c.invariants, names()...)
		case "CONSTRAINT":
			c.constraints = append(c.constraints, names()...)
		case "ACTION_CONSTRAINT":
			c.actionConstraints = append(c.actionConstraints, names()...)
		case "SYMMETRY", "VIEW", "ALIAS":
			c.warned = append(c.warned, setting{t.text, t.at})
			names()
		default:
			for p.peek().kind == word && !statements[p.peek().text] {
				p.next()
			}
		}
	}
	return c
}

// constant reads NAME = value or NAME <- other.
func (c *Config) constant(p *parser) {
	name := p.next()
	// NAME(1) = 2, the value of an operator for certain arguments, is not
	// supported.
	if p.is("(") {
		fail(name.at, "%s is given a value for certain arguments; replace it by a definition, as in %s <- Other", name.text, name.text)
	}
	switch {
	case p.take("<-"):
		module := ""
		if p.take("[") {
			module = p.next().text + "!"
			p.expect("]")
		}
		other := p.next()
		c.replaced[module+name.text] = setting{other.text, other.at}
	case p.take("="):
		c.values[name.text] = c.value(p)
	default:
		p.unexpected("= or <- behind " + name.text)
	}
}

// value reads a number, a string, a truth, a set, or a name, which is a model value.
func (c *Config) value(p *parser) values.Value {
	t := p.next()
	switch {
	case t.kind == number:
		return madeNumber(t.text)
	case t.kind == sign && t.text == "-" && p.peek().kind == number:
		return madeNumber("-" + p.next().text)
	case t.kind == text:
		return quoted(t.text)
	case t.kind == word && (t.text == "TRUE" || t.text == "FALSE"):
		return boolean(t.text == "TRUE")
	case t.kind == word:
		return named(t.text)
	case t.kind == sign && (t.text == "{" || t.text == "<<"):
		closer := map[string]string{"{": "}", "<<": ">>"}[t.text]
		var all []values.Value
		for !p.take(closer) {
			all = append(all, c.value(p))
			if !p.take(",") && !p.is(closer) {
				p.unexpected("a comma or " + closer)
			}
		}
		if closer == "}" {
			return setOfAll(all)
		}
		return sequenceOf(all)
	}
	fail(t.at, "expected a value: a number, a string, a name or a set of these")
	return values.Value{}
}
