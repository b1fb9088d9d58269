package tlaplus

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/abort"
)

// Position is a position in a file, or in a formula that is not in a file; then
// File is "".
type Position struct {
	File         string
	Line, Column int // both counted from 1
}

func (p Position) String() string {
	switch {
	case p.File != "":
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	case p.Line > 1:
		return fmt.Sprintf("formula, line %d, column %d", p.Line, p.Column)
	}
	return fmt.Sprintf("formula, column %d", p.Column)
}

// Error is an error in a specification, or in the evaluation of an expression, with its
// position.
type Error struct {
	Position Position
	Message  string
}

func (e *Error) Error() string {
	if e.Position.Line == 0 {
		return e.Position.File + ": " + e.Message
	}
	return fmt.Sprintf("%s: %s", e.Position, e.Message)
}

// fail ends the reading or the evaluation with an [Error].
func fail(at Position, format string, args ...any) {
	abort.On(&Error{at, fmt.Sprintf(format, args...)})
}

type tokenKind uint8

const (
	end tokenKind = iota
	word
	number
	text
	sign   // an operator or a bracket
	dashes // ----, at least four
	equals // ====, at least four
	other  // a character that no expression contains
)

type token struct {
	kind   tokenKind
	text   string // for a string, its content
	at     Position
	from   int // offsets in the file
	behind int
}

// signs are the operators and brackets; longer ones come before their prefixes.
var signs = []string{
	"<=>", "=>", "=<", "==", "=|", "=", "#", "/\\", "//", "/=", "/", "~>", "~", "<<", "<>", "<=", "<:", "<-", "<", ">>", ">=", ">",
	"[]", "[", "]", "(\\X)", "(+)", "(-)", "(.)", "(/)", "(", ")", "{", "}", ",", ":>", "::=", "::", ":=", ":", "...", "..", ".", "!!", "!", "@@", "@", "'", "_", "++", "+", "-+->", "->", "--", "-|", "-",
	"**", "*", "^+", "^*", "^#", "^^", "^", "%%", "%", "&&", "&", "$$", "$", "??", "?", "##", "|->", "|-", "|=", "||", "|", ";",
}

// lexer cuts a module into tokens.
type lexer struct {
	file   string
	source string
	pos    int
	line   int
	// begin is the offset of the present line; characters is the number of characters between it
	// and the offset counted.
	begin, counted, characters int
	// subscripted is the offset behind the last ] or >>, which may have a
	// subscript.
	subscripted int
}

func (l *lexer) position() Position {
	if l.counted < l.begin {
		l.counted, l.characters = l.begin, 0
	}
	l.characters += utf8.RuneCountInString(l.source[l.counted:l.pos])
	l.counted = l.pos
	return Position{l.file, l.line, l.characters + 1}
}

func (l *lexer) newline() { l.line, l.begin = l.line+1, l.pos }

// tokens returns the tokens from pos on. It fails if a string or comment does not
// end.
func (l *lexer) tokens() []token {
	var all []token
	for {
		l.blanks()
		if l.pos == len(l.source) {
			return append(all, token{kind: end, at: l.position(), from: l.pos, behind: l.pos})
		}
		t := token{at: l.position(), from: l.pos}
		l.next(&t)
		t.behind = l.pos
		if t.kind == sign && (t.text == "]" || t.text == ">>") {
			l.subscripted = l.pos
		}
		all = append(all, t)
	}
}

func (l *lexer) blanks() {
	for l.pos < len(l.source) {
		rest := l.source[l.pos:]
		switch {
		case rest[0] == '\n':
			l.pos++
			l.newline()
		case strings.IndexByte(" \t\r\f\v", rest[0]) >= 0:
			l.pos++
		case strings.HasPrefix(rest, `\*`):
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				l.pos += n
			} else {
				l.pos = len(l.source)
			}
		case strings.HasPrefix(rest, "(*"):
			l.comment()
		default:
			return
		}
	}
}

// comment skips a comment, with nested comments.
func (l *lexer) comment() {
	at, depth := l.position(), 0
	for l.pos < len(l.source) {
		switch rest := l.source[l.pos:]; {
		case strings.HasPrefix(rest, "(*"):
			depth++
			l.pos += 2
		case strings.HasPrefix(rest, "*)"):
			l.pos += 2
			if depth--; depth == 0 {
				return
			}
		default:
			l.pos++
			if rest[0] == '\n' {
				l.newline()
			}
		}
	}
	fail(at, "this comment is not closed by *)")
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func inWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' }

func (l *lexer) next(t *token) {
	rest := l.source[l.pos:]
	run := func(of func(byte) bool) int {
		n := 0
		for n < len(rest) && of(rest[n]) {
			n++
		}
		return n
	}
	c := rest[0]
	switch {
	case strings.HasPrefix(rest, "----"):
		l.take(t, dashes, run(func(c byte) bool { return c == '-' }))
	case strings.HasPrefix(rest, "===="):
		l.take(t, equals, run(func(c byte) bool { return c == '=' }))
	case c == '_' && l.pos == l.subscripted:
		l.take(t, sign, 1)
	case strings.HasPrefix(rest, "WF_") || strings.HasPrefix(rest, "SF_"):
		l.take(t, sign, 3)
	case isLetter(c), isDigit(c), c == '_' && len(rest) > 1 && inWord(rest[1]):
		n := run(inWord)
		if strings.Trim(rest[:n], "0123456789") == "" {
			l.take(t, number, n)
		} else {
			l.take(t, word, n)
		}
	case c == '"':
		l.string(t)
	case c == '\\':
		if n := 1 + len(rest[1:]) - len(strings.TrimLeft(rest[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")); n > 1 {
			l.take(t, sign, n)
		} else if strings.HasPrefix(rest, `\/`) {
			l.take(t, sign, 2)
		} else {
			l.take(t, sign, 1)
		}
	default:
		for _, s := range signs {
			if strings.HasPrefix(rest, s) {
				l.take(t, sign, len(s))
				return
			}
		}
		_, n := utf8.DecodeRuneInString(rest)
		l.take(t, other, n)
	}
}

func (l *lexer) take(t *token, kind tokenKind, n int) {
	t.kind, t.text = kind, l.source[l.pos:l.pos+n]
	l.pos += n
}

func (l *lexer) string(t *token) {
	var b strings.Builder
	for i := l.pos + 1; i < len(l.source) && l.source[i] != '\n'; i++ {
		c := l.source[i]
		if c == '"' {
			l.pos = i + 1
			t.kind, t.text = text, b.String()
			return
		}
		if c == '\\' && i+1 < len(l.source) {
			if plain := strings.IndexByte(`ntrf"\`, l.source[i+1]); plain >= 0 {
				c = "\n\t\r\f\"\\"[plain]
				i++
			}
		}
		b.WriteByte(c)
	}
	fail(t.at, `this string is not closed by "`)
}
