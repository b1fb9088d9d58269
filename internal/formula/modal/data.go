package modal

import (
	"context"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/temporal"
)

// declaration declares a variable of data.
type declaration struct {
	variable *variable
	// first and last bound the values of the variable; nil if nothing bounds them.
	first, last *expression
	// value is the value of a variable of let, or the initial value of a parameter of a fixpoint.
	value *expression
}

// actionOperator is the outermost operator of an [action].
type actionOperator uint8

const (
	plainAction actionOperator = iota // about the label, without data
	andAction
	orAction
	notAction
	valAction
	existsAction
	forallAction
	offersAction // {GATE !1 ?x:nat …} of MCL
	callAction   // name(arguments) of mCRL2, or several together
)

// action is an action formula with data.
type action struct {
	op        actionOperator
	at        token
	parts     []*action
	plain     *temporal.Formula // where op is plainAction
	condition *expression       // the condition of val, or of where in offers; nil if there is none
	declared  []declaration     // where op is a quantifier
	gate      string
	offers    []offer
	isOpen    bool // whether further offers may follow
	calls     []calledAction
}

// offer is an offer of an action of MCL.
type offer struct {
	value *expression // of !E
	bound *variable   // of ?x:T; nil for ?any
	sort  sort
}

// calledAction is an action of mCRL2.
type calledAction struct {
	name      string
	arguments []argument
}

// argument is an argument of an action: an expression, or a text without variables.
type argument struct {
	value *expression
	text  string
}

// find returns the innermost visible variable with this name. The result may be a marker that the name
// is out of scope here.
func (p *parser) find(name string) *variable { return lastNamed(p.visible, name) }

// declare makes a variable visible.
func (p *parser) declare(name string, of sort) *variable {
	p.hasData = true
	p.declarations++
	v := &variable{name: name, sort: of, number: p.declarations}
	p.visible = append(p.visible, v)
	return v
}

// hide leaves only the first variables visible, numOuter of them.
func (p *parser) hide(numOuter int) { p.visible = p.visible[:numOuter] }

// readerOf returns a parser for a part of the text of a token.
func (p *parser) readerOf(t token, text string) *parser {
	offset := strings.Index(t.in.text[t.at:], text)
	if offset >= 0 {
		return p.readerAt(t, text, t.at+offset)
	}
	inner := p.readerAt(t, text, t.at)
	for i := range inner.tokens { // the text has fewer blanks than the source
		inner.tokens[i].at = t.at
		inner.tokens[i].inside = 0
	}
	return inner
}

// readerAt returns a parser for a part of the text of a token, which begins at an offset of the source.
func (p *parser) readerAt(t token, text string, at int) *parser {
	inner := *p
	inner.pos = 0
	err := abort.Try(func() { inner.tokens = tokensAt(p.ctx, t.in, text, at) })
	if err != nil {
		abort.On(p.ctx.Err())
		refuse(t, "expressions of data")
	}
	return &inner
}

// tokensAt returns the tokens of a text, and a token that ends them. The text is a part of a
// source, at the given offset.
func tokensAt(ctx context.Context, in *source, text string, at int) (tokens []token) {
	l := &lexer{ctx: ctx, source: &source{text: text}}
	for {
		var next token
		err := abort.Try(func() { next = l.next() })
		if err != nil {
			abort.On(ctx.Err())
			abort.On(in.unexpected(at+l.pos, "an expression of data"))
		}
		next.in = in
		next.at += at
		if next.inside > 0 {
			next.inside += at
		}
		tokens = append(tokens, next)
		if next.kind == end {
			return tokens
		}
	}
}

// inner parses the text in the parentheses of a call.
func (p *parser) inner(t token) (name string, inside *parser) {
	name, _, _ = strings.Cut(t.text, "(")
	name = strings.TrimSpace(name)
	opening := strings.IndexByte(t.text, '(')
	text := t.text[opening+1 : len(t.text)-1]
	if t.inside > 0 {
		return name, p.readerAt(t, text, t.inside)
	}
	return name, p.readerOf(t, text)
}

// finished fails if tokens are left after parsing.
func (p *parser) finished(expected string) {
	if p.next().kind != end {
		p.unexpected(expected)
	}
}

// sort reads a type.
func (p *parser) sort() sort {
	t := p.next()
	if t.kind != word && t.kind != call {
		p.unexpected("a type, such as Nat or bool")
	}
	p.take()
	s := p.sortOf(withoutBlanks(t.text))
	if s.kind() == unreadSort || p.next().is("->", "#", "-") {
		abort.On(t.refused("a type whose values can be listed",
			"numbers, bool, strings, types of constants, and lists and sets of them can"))
	}
	return s
}

// mostAliases is the largest number of aliases that lead, one after the other, from the name of a
// type to its definition.
const mostAliases = 64

// sortOf returns the type of a name: the type that the definition of the name gives, if there is a
// definition.
func (p *parser) sortOf(name string) sort {
	for range mostAliases {
		defined := p.lookup.sort(name)
		switch {
		case defined == nil:
			return sort{name: name}
		case defined.alias == "":
			return sort{name: name, constants: p.constantsOf(defined)}
		}
		name = defined.alias
	}
	return sort{name: name}
}

// mostListedText is the largest length of the texts of all values of a type.
const mostListedText = 1 << 16

// constantsOf returns all values of a type with constructors; nil if they cannot be listed, as those of a
// type that contains itself.
func (p *parser) constantsOf(s *definedSort) []value {
	if !s.isListed {
		s.isListed = true // and without values while the values of its arguments are listed
		s.constants = p.listed(s)
	}
	return s.constants
}

// listed returns the values of a type with constructors, constructor by constructor; nil if there are too
// many, or if those of an argument cannot be listed.
func (p *parser) listed(of *definedSort) (all []value) {
	length := 0 // of all texts together
	for _, c := range of.constructors {
		arguments := p.argumentLists(c)
		if arguments == nil {
			return nil
		}
		for _, list := range arguments {
			text := c.name
			if len(list) > 0 {
				text += "(" + joinedTexts(list) + ")"
			}
			length += len(text)
			if length > mostListedText {
				return nil
			}
			all = append(all, value{text: text})
		}
	}
	if len(all) > mostValues {
		return nil
	}
	return all
}

// argumentLists returns all lists of arguments of a constructor; nil if there are too many, or if the
// values of an argument cannot be listed.
func (p *parser) argumentLists(c *constructor) [][]value {
	lists := [][]value{nil} // the lists of the arguments so far
	for _, sort := range c.sorts {
		choices := p.valuesOf(sort)
		numLonger := len(lists) * len(choices)
		if numLonger == 0 || numLonger > mostValues {
			return nil
		}
		longer := make([][]value, 0, numLonger)
		for _, list := range lists {
			for _, v := range choices {
				longer = append(longer, append(slices.Clone(list), v))
			}
		}
		lists = longer
	}
	return lists
}

// valuesOf returns all values of the type of an argument; nil if they cannot be listed.
func (p *parser) valuesOf(name string) []value {
	s := p.sortOf(name)
	if s.kind() == boolSort {
		return []value{truth(false), truth(true)}
	}
	return s.constants
}
