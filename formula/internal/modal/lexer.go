package modal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
)

// kind is the kind of a token.
type kind uint8

const (
	end     kind = iota
	word         // true, and, mu, X
	call         // a name with arguments: an action of mCRL2, or a macro that is not defined
	label        // "…"
	pattern      // '…'
	offers       // {…}
	sign         // anything else
)

// token is a word or sign of a formula. What a macro stands for has its place in the macro.
type token struct {
	kind kind
	text string // of label, pattern and offers what stands between the delimiters
	in   *source
	at   int // its offset there
	// spaced is set if blanks precede the token.
	spaced bool
	number int // in the formula without macros
}

// source is a text that tokens come from: the formula, or a library with a name.
type source struct{ name, text string }

// unexpected returns the error that something else is expected at an offset.
func (s *source) unexpected(at int, expected string) *actl.SyntaxError {
	err := actl.Text(s.text).Unexpected(at, expected)
	if s.name != "" {
		return err.In(s.name)
	}
	return err
}

// written returns the token as it stands in a formula.
func (t token) written() string {
	switch t.kind {
	case label:
		return `"` + t.text + `"`
	case pattern:
		return "'" + t.text + "'"
	case offers:
		return "{" + t.text + "}"
	}
	return t.text
}

// is reports whether the token is one of these words or signs.
func (t token) is(texts ...string) bool {
	return (t.kind == word || t.kind == sign) && slices.Contains(texts, t.text)
}

// signs are tried in this order.
var signs = []string{
	"<=>", "&&", "||", "=>", "-|", "(", ")", "[", "]", "<", ">", ".", "*", "+", "?", "|", "!", ",", "=", "@", ":", "^", "-",
}

// reserved words begin no action.
var reserved = strings.Fields(`true false not and or implies equ xor mu nu nil macro end_macro library end_library
	forall exists val delay yaled tau if then else let in where`)

// lexer reads a text token by token.
type lexer struct {
	ctx context.Context
	*source
	pos    int
	macros map[string]*macro
	// libraries are the names of those that have been read.
	libraries map[string]bool
}

// fail returns the error that something else is expected at an offset.
func (l *lexer) fail(at int, format string, arguments ...any) error {
	return l.unexpected(at, fmt.Sprintf(format, arguments...))
}

// refuse returns the error of something that is understood, and not possible here.
func refuse(t token, format string, arguments ...any) error {
	err := t.in.unexpected(t.at, fmt.Sprintf(format, arguments...))
	err.Found = `"` + t.written() + `"`
	return err
}

// blanks skips blanks and comments, and reports whether there were any.
func (l *lexer) blanks() (bool, error) {
	start := l.pos
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		switch {
		case strings.IndexByte(" \t\n\v\f\r", rest[0]) >= 0:
			l.pos++
		case rest[0] == '%':
			line, _, _ := strings.Cut(rest, "\n")
			l.pos += len(line)
		case strings.HasPrefix(rest, "(*"):
			length := strings.Index(rest[2:], "*)")
			if length < 0 {
				return false, l.fail(len(l.text), `"*)" to end the comment that begins with "(*" at character %d`, l.pos+1)
			}
			l.pos += length + 4
		default:
			return l.pos > start, nil
		}
	}
	return l.pos > start, nil
}

// next reads a token.
func (l *lexer) next() (token, error) {
	if err := l.ctx.Err(); err != nil {
		return token{}, err
	}
	spaced, err := l.blanks()
	if err != nil {
		return token{}, err
	}
	t := token{in: l.source, at: l.pos, spaced: spaced}
	if l.pos == len(l.text) {
		return t, nil
	}
	switch c := l.text[l.pos]; c {
	case '"', '\'', '{':
		return l.delimited(t)
	default:
		if n := nameEnd(l.text[l.pos:]); n > 0 {
			return l.name(t, n)
		}
	}
	for _, s := range signs {
		if strings.HasPrefix(l.text[l.pos:], s) {
			t.kind, t.text = sign, s
			l.pos += len(s)
			return t, nil
		}
	}
	return t, l.fail(l.pos, "a formula of MCL or of the mu-calculus")
}

// delimited reads what stands between quotes or braces.
func (l *lexer) delimited(t token) (token, error) {
	closers := map[byte]byte{'"': '"', '\'': '\'', '{': '}'}
	kinds := map[byte]kind{'"': label, '\'': pattern, '{': offers}
	c := l.text[l.pos]
	length := strings.IndexByte(l.text[l.pos+1:], closers[c])
	if length < 0 || strings.Contains(l.text[l.pos+1:l.pos+1+length], "\n") {
		return t, l.fail(len(l.text), `the "%c" that ends what begins with "%c" at character %d`, closers[c], c, l.pos+1)
	}
	t.kind, t.text = kinds[c], l.text[l.pos+1:l.pos+1+length]
	l.pos += length + 2
	return t, nil
}

// name reads a word, with what stands in parentheses behind it unless it is a word of the
// logic or a macro.
func (l *lexer) name(t token, n int) (token, error) {
	t.kind, t.text = word, l.text[l.pos:l.pos+n]
	l.pos += n
	_, isMacro := l.macros[t.text]
	if isMacro || slices.Contains(reserved, t.text) {
		return t, nil
	}
	rest := strings.TrimLeft(l.text[l.pos:], " \t")
	if !strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "(*") {
		return t, nil
	}
	open := len(l.text) - len(rest)
	depth := 0
	for i := open; i < len(l.text); i++ {
		switch l.text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth == 0 {
			t.kind, t.text = call, t.text+l.text[open:i+1]
			l.pos = i + 1
			return t, nil
		}
	}
	return t, l.fail(len(l.text), `")" to close the "(" behind %s`, t.text)
}

// nameEnd returns the length of the name that a text begins with.
func nameEnd(text string) int {
	i := 0
	for i < len(text) {
		c := text[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') && (i == 0 || c != '\'' || slices.Contains(reserved, text[:i])) {
			break
		}
		i++
	}
	return i
}

// Begins reports whether a text is to be read by [Parse], by how it begins: behind
// parentheses, negations and comments with a modality that has something inside, a fixpoint
// or a macro. Cost O(length of the text).
func Begins(text string) bool {
	l := lexer{ctx: context.Background(), source: &source{text: text}}
	for {
		if _, err := l.blanks(); err != nil {
			return strings.HasPrefix(strings.TrimSpace(text), "(*")
		}
		rest := text[l.pos:]
		n := nameEnd(rest)
		switch w := rest[:n]; {
		case rest == "":
			return false
		case rest[0] == '(' || rest[0] == '!':
			l.pos++
		case w == "not":
			l.pos += n
		case rest[0] == '[' || rest[0] == '<':
			return len(rest) > 1 && strings.IndexByte("]>-=", rest[1]) < 0
		case w == "macro" || w == "library":
			behind := strings.TrimLeft(rest[n:], " \t\r\n")
			return nameEnd(behind) > 0 || w == "library" && strings.HasPrefix(behind, `"`)
		case w == "mu" || w == "nu":
			behind := strings.TrimLeft(rest[n:], " \t\r\n")
			variable := nameEnd(behind)
			behind = strings.TrimLeft(behind[variable:], " \t\r\n")
			return variable > 0 && behind != "" && strings.IndexByte(".(", behind[0]) >= 0
		default:
			return false
		}
	}
}
