package automata

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
)

// errAborted says that the automaton that is being read ends in --ABORT--.
var errAborted = errors.New("hoa: aborted")

// parser reads automata from a stream with a look-ahead of one token.
type parser struct {
	*lexer
	ctx context.Context
	tok token
	// tokens counts tokens, so that the context is checked regularly.
	tokens int
	// general accepts any acceptance condition, for an [Automaton].
	general bool
	// read and aborted count the automata read so far.
	read, aborted int
}

func newParser(ctx context.Context, r io.Reader, file string) *parser {
	if file == "" {
		file = "input"
	}
	return &parser{lexer: newLexer(r, file), ctx: ctx}
}

// nextBody returns the next automaton that is not aborted, io.EOF after the last one.
func (p *parser) nextBody() (*body, error) {
	for {
		d, err := p.automaton()
		switch {
		case errors.Is(err, errAborted):
			p.aborted++
		case err == nil:
			p.read++
			return d, nil
		case errors.Is(err, io.EOF) && p.read == 0 && p.aborted > 0:
			return nil, p.errorAt(p.line, "the tool that wrote this gave up: every automaton ends in --ABORT--")
		case errors.Is(err, io.EOF) && p.read == 0:
			return nil, p.errorAt(p.line, `there is no automaton here; an HOA file begins with "HOA: v1"`)
		default:
			return nil, err
		}
	}
}

// checkEvery is the number of tokens between two checks of the context.
const checkEvery = 4096

// advance makes the next token the current one.
func (p *parser) advance() {
	if p.tokens++; p.tokens%checkEvery == 1 {
		abort.On(p.ctx.Err())
	}
	if p.tok = p.lexer.next(); p.tok.kind == tokenAbortMark {
		abort.On(errAborted)
	}
}

// failAt ends the reading with an error at a token.
func (p *parser) failAt(t token, format string, arguments ...any) {
	abort.On(p.errorHere(t, format, arguments...))
}

// expect ends the reading with the error that another token was expected.
func (p *parser) expect(expected string) {
	p.failAt(p.tok, "expected %s, found %s", expected, p.tok)
}

// take returns the current token, which must be of this kind, and advances.
func (p *parser) take(kind tokenKind, expected string) token {
	t := p.tok
	if t.kind != kind {
		p.expect(expected)
	}
	p.advance()
	return t
}

// automaton reads one automaton: header "--BODY--" body "--END--". It returns
// io.EOF where the stream ends before its first token.
func (p *parser) automaton() (b *body, err error) {
	defer abort.Caught(&err)
	p.advance()
	if p.tok.kind == tokenEnd {
		return nil, io.EOF
	}
	h := p.header()
	p.take(tokenBodyMark, "a header item or --BODY--")
	b = &body{
		header: h, highest: -1, labels: map[string]*label{},
		Automaton: Automaton{
			Name: h.name, Propositions: h.propositions, Aliases: h.aliases, Names: map[State]string{},
			solver: solver{aliases: h.codes},
		},
	}
	for p.tok.kind == tokenHeader && p.tok.text == "State:" {
		p.state(b)
	}
	// The next token, if any, is the next automaton's.
	if p.tok.kind != tokenEndMark {
		p.expect(`"State:" or --END--`)
	}
	b.count(p)
	return b, nil
}

// expression is a Boolean expression over atoms, in postfix order: atoms are
// numbers from 0, operators and constants are negative. text is the text in the
// file, without blanks.
type expression struct {
	code []int
	text string
}

const (
	codeTrue = -iota - 1
	codeFalse
	codeNot
	codeAnd
	codeOr
	// codeOpen is an open parenthesis; it occurs on the operator stack only.
	codeOpen
	// codeOther is an atom of an acceptance condition that is not Inf(n).
	codeOther
	// firstAlias and smaller codes are aliases, counted downwards.
	firstAlias
)

// expressionParser parses label expressions and acceptance conditions, which
// differ only in their atoms: "!" binds closest, then "&", then "|".
type expressionParser struct {
	*parser
	// atom parses an atom: it advances past it and returns its code and text.
	atom func() (code int, text string)
	// negation reports whether "!" is an operator.
	negation bool

	out       expression
	text      strings.Builder
	operators []int
	open      int
}

// expression parses the longest expression from here.
func (e *expressionParser) expression() expression {
	for e.operand(); e.operator(); {
		e.operand()
	}
	e.out.text = e.text.String()
	return e.out
}

// operand parses any number of "!" and "(", and an atom.
func (e *expressionParser) operand() {
	for {
		switch {
		case e.tok.kind == '(':
			e.operators = append(e.operators, codeOpen)
			e.open++
		case e.tok.kind == '!' && e.negation:
			e.operators = append(e.operators, codeNot)
		case e.tok.kind == tokenBoolean:
			e.out.code = append(e.out.code, codeTrue)
			if e.tok.text == "f" {
				e.out.code[len(e.out.code)-1] = codeFalse
			}
			e.text.WriteString(e.tok.text)
			e.advance()
			return
		default:
			code, text := e.atom()
			e.out.code = append(e.out.code, code)
			e.text.WriteString(text)
			return
		}
		e.text.WriteString(e.tok.text)
		e.advance()
	}
}

// operator parses ")" for each open parenthesis, and then a binary operator. It
// returns false if there is no operator: the expression is complete.
func (e *expressionParser) operator() bool {
	for e.tok.kind == ')' && e.open > 0 {
		e.reduce(codeOpen)
		e.operators = e.operators[:len(e.operators)-1]
		e.open--
		e.text.WriteByte(')')
		e.advance()
	}
	var operator int
	switch {
	case e.tok.kind == '&':
		operator = codeAnd
	case e.tok.kind == '|':
		operator = codeOr
	case e.open > 0:
		e.expect(`"&", "|" or ")"`)
	default:
		e.reduce(codeOpen)
		return false
	}
	e.reduce(operator)
	e.operators = append(e.operators, operator)
	e.text.WriteString(e.tok.text)
	e.advance()
	return true
}

// reduce moves the operators that bind at least as closely as limit from the
// stack to the output, down to the last open parenthesis. Codes of looser
// operators are smaller.
func (e *expressionParser) reduce(limit int) {
	for len(e.operators) > 0 {
		last := e.operators[len(e.operators)-1]
		if last == codeOpen || last < limit {
			return
		}
		e.out.code = append(e.out.code, last)
		e.operators = e.operators[:len(e.operators)-1]
	}
}
