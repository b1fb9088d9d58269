package automata

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
)

// tokenKind is a kind of token in the section "Common Tokens" of the format. A
// single character is its own kind.
type tokenKind rune

const (
	tokenEnd tokenKind = -iota - 1
	tokenString
	tokenInt
	tokenBoolean
	tokenIdentifier
	tokenAlias
	tokenHeader
	tokenBodyMark
	tokenEndMark
	tokenAbortMark
)

// token is a token with the line on which it begins. text is the text in the
// file, for a string its content; number is the value of an integer.
type token struct {
	kind   tokenKind
	text   string
	number int
	line   int
	// column is the offset of the token in its line, in bytes from 0.
	column int
}

// quoteMax is the largest number of bytes of a file that a message shows.
const quoteMax = 40

// quote returns text of a file for a message: escaped and shortened.
func quote(text string) string {
	if len(text) > quoteMax {
		return strconv.Quote(text[:quoteMax]) + "..."
	}
	return strconv.Quote(text)
}

func (t token) String() string {
	switch t.kind {
	case tokenEnd:
		return "the end of the file"
	case tokenString:
		return "the string " + quote(t.text)
	case tokenHeader:
		return "the header item " + quote(t.text)
	default:
		return quote(t.text)
	}
}

// lexer cuts a stream into tokens. Line feeds are blanks; they only count lines.
type lexer struct {
	in   *bufio.Reader
	file string
	line int
	// begun has the bytes of the current line that have been read, at most shownMax of them, and
	// column is the number of bytes read.
	begun  []byte
	column int
}

func (l *lexer) errorAt(line int, format string, arguments ...any) error {
	return &Error{
		File:    l.file,
		Line:    line,
		Message: fmt.Sprintf(format, arguments...),
	}
}

// shownMax is the largest number of bytes of a line that an error shows.
const shownMax = 4096

// errorHere returns the error of errorAt at the position of a token. The error has the text of the
// line if that is still known.
func (l *lexer) errorHere(t token, format string, arguments ...any) error {
	e := &Error{
		File:    l.file,
		Line:    t.line,
		Message: fmt.Sprintf(format, arguments...),
	}
	if t.line == l.line && t.column <= len(l.begun) && l.column == len(l.begun) {
		rest, _ := l.in.Peek(min(l.in.Buffered(), shownMax))
		end := bytes.IndexByte(rest, '\n')
		if end >= 0 {
			rest = rest[:end]
		}
		e.text = strings.TrimRight(string(l.begun)+string(rest), "\r")
		e.offset = t.column
	}
	return e
}

// fail ends the reading with an error about a line.
func (l *lexer) fail(line int, format string, arguments ...any) {
	abort.On(l.errorAt(line, format, arguments...))
}

// goesOn reports whether the stream continues, given the error of a read; it returns false at the
// end of the stream. Any other error ends the reading.
func (l *lexer) goesOn(err error) bool {
	if err != nil && !errors.Is(err, io.EOF) {
		abort.On(&Error{
			File:    l.file,
			Line:    l.line,
			Message: err.Error(),
			cause:   err,
		})
	}
	return err == nil
}

// read returns the next byte; false at the end of the stream.
func (l *lexer) read() (byte, bool) {
	c, err := l.in.ReadByte()
	switch {
	case !l.goesOn(err):
		return 0, false
	case c == '\n':
		l.line++
		l.begun = l.begun[:0]
		l.column = 0
	default:
		l.column++
		if len(l.begun) < shownMax {
			l.begun = append(l.begun, c)
		}
	}
	return c, true
}

// peek returns the next byte without taking it, 0 if there is none. If the stream fails there, the
// reading ends, because the token before may be incomplete.
func (l *lexer) peek() byte {
	if b, err := l.in.Peek(1); l.goesOn(err) {
		return b[0]
	}
	return 0
}

// next returns the next token.
func (l *lexer) next() token {
	c, more := l.skip()
	t := token{
		kind:   tokenKind(c),
		text:   string(rune(c)),
		line:   l.line,
		column: l.column - 1,
	}
	switch {
	case !more:
		return token{kind: tokenEnd, line: l.line, column: l.column}
	case c == '"':
		t.kind = tokenString
		t.text = l.stringEnd()
	case isDigit(c):
		l.integer(&t)
	case isLetter(c):
		t.kind = tokenIdentifier
		t.text = l.word(c)
		if l.peek() == ':' {
			t.kind = tokenHeader
			t.text = t.text + ":"
			l.read()
		} else if t.text == "t" || t.text == "f" {
			t.kind = tokenBoolean
		}
	case c == '@' && isWord(l.peek()):
		t.kind = tokenAlias
		t.text = l.word(c)
	case c == '-':
		l.mark(&t)
	case strings.IndexByte("!&|()[]{}", c) < 0:
		l.fail(t.line,
			"unexpected character %q; outside strings and comments HOA is plain ASCII", rune(c))
	}
	return t
}

// skip passes over blanks and comments and returns the first byte after them; false if there is none.
func (l *lexer) skip() (byte, bool) {
	for {
		c, more := l.read()
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case c == '/' && l.peek() == '*':
			l.comment()
		default:
			return c, more
		}
	}
}

// comment passes over a comment and the comments inside it; its first slash has
// been read.
func (l *lexer) comment() {
	line := l.line
	for depth, previous := 0, byte('/'); ; {
		c, more := l.read()
		switch {
		case !more:
			l.fail(line,
				"the comment that begins here does not end; comments nest, so every /* needs its own */")
		case previous == '/' && c == '*':
			depth++
			previous = 0
		case previous == '*' && c == '/':
			depth--
			previous = 0
			if depth == 0 {
				return
			}
		default:
			previous = c
		}
	}
}

// stringEnd returns a string whose first quote has been read. A backslash makes
// the next character literal.
func (l *lexer) stringEnd() string {
	line := l.line
	var text []byte
	for {
		c, more := l.read()
		if c == '\\' {
			c, more = l.read()
		} else if c == '"' {
			return string(text)
		}
		if !more {
			l.fail(line, "the string that begins here does not end; close it with \"")
		}
		text = append(text, c)
	}
}

// integer reads the integer whose first digit is the text of t.
func (l *lexer) integer(t *token) {
	text := []byte(t.text)
	for isDigit(l.peek()) {
		c, _ := l.read() // peek has found it
		text = append(text, c)
	}
	t.kind = tokenInt
	t.text = string(text)
	if len(text) > 1 && text[0] == '0' {
		l.fail(t.line, "the number %s begins with a useless 0", quote(t.text))
	}
	n, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil || n > math.MaxInt32 {
		l.fail(t.line, "the number %s is not below 2147483648, the limit of HOA", quote(t.text))
	}
	t.number = int(n)
}

// word returns the word that consists of first and of the letters, digits, hyphens and underscores
// that follow in the stream.
func (l *lexer) word(first byte) string {
	text := []byte{first}
	for isWord(l.peek()) {
		c, _ := l.read()
		text = append(text, c)
	}
	return string(text)
}

// version returns the characters after "HOA:" up to a blank. They need not be a token: "v1.1", for
// example, is none.
func (l *lexer) version() string {
	var text []byte
	for c, more := l.skip(); more; c, more = l.read() {
		text = append(text, c)
		next := l.peek()
		if next <= ' ' || next == '/' {
			break
		}
	}
	return string(text)
}

// mark reads one of --BODY--, --END-- and --ABORT--; its first hyphen has been
// read.
func (l *lexer) mark(t *token) {
	t.text = l.markText()
	switch t.text {
	case "--BODY--":
		t.kind = tokenBodyMark
	case "--END--":
		t.kind = tokenEndMark
	case "--ABORT--":
		t.kind = tokenAbortMark
	default:
		l.fail(t.line, "unexpected %s; expected --BODY--, --END-- or --ABORT--", quote(t.text))
	}
}

// markText reads hyphens and letters after a first hyphen, up to two hyphens that follow a letter.
func (l *lexer) markText() string {
	text := []byte{'-'}
	hasLetter := false
	isComplete := func() bool { return hasLetter && bytes.HasSuffix(text, []byte("--")) }
	continues := func() bool {
		next := l.peek()
		return next == '-' || isLetter(next) && next != '_'
	}
	for !isComplete() && continues() {
		c, _ := l.read()
		text = append(text, c)
		hasLetter = hasLetter || c != '-'
	}
	return string(text)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' }
