package tlaplus

import (
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

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

// is reports whether a token is this word, operator or bracket.
func (t token) is(text string) bool {
	return (t.kind == sign || t.kind == word) && t.text == text
}

func (t token) isName() bool { return t.kind == word && !reserved()[t.text] }

// signs are the operators and brackets; longer ones come before their prefixes.
var signs = []string{
	`\/`, `\`,
	"<=>", "=>", "=<", "==", "=|", "=", "##", "#", "/\\", "//", "/=", "/", "~>", "~", "<<", "<>", "<=", "<:", "<-", "<", ">>", ">=", ">",
	"[]", "[", "]", "(\\X)", "(+)", "(-)", "(.)", "(/)", "(", ")", "{", "}", ",", ":>", "::=", "::", ":=", ":", "...", "..", ".", "!!", "!", "@@", "@", "'", "_", "++", "+", "-+->", "->", "--", "-|", "-.", "-",
	"**", "*", "^+", "^*", "^#", "^^", "^", "%%", "%", "&&", "&", "$$", "$", "??", "?", "|->", "|-", "|=", "||", "|", ";",
}

// lexer cuts a module into tokens.
type lexer struct {
	file   string
	source string
	pos    int
	line   int
	// begin is the offset of the present line. characters is the number of characters from there to the
	// offset counted.
	begin, counted, characters int
	// subscripted is the offset after the last ] or >>, where a subscript may begin; 0 if there is none.
	subscripted int
}

// position returns the position of the next character. It counts the characters of a line only once.
func (l *lexer) position() Position {
	if l.counted < l.begin {
		l.counted = l.begin
		l.characters = 0
	}
	l.characters += utf8.RuneCountInString(l.source[l.counted:l.pos])
	l.counted = l.pos
	return Position{l.file, l.line, l.characters + 1}
}

// tokens returns the tokens from pos on. It fails if a string or comment is not closed.
func (l *lexer) tokens() []token {
	var all []token
	for {
		l.blanks()
		t := token{at: l.position(), from: l.pos, behind: l.pos}
		if l.pos == len(l.source) {
			return append(all, t)
		}
		l.scan(&t)
		t.behind = l.pos
		if t.is("]") || t.is(">>") {
			l.subscripted = l.pos
		}
		all = append(all, t)
	}
}

// blanks skips blanks and comments, which may be nested.
func (l *lexer) blanks() {
	var comment Position
	depth := 0
	for l.pos < len(l.source) {
		rest := l.source[l.pos:]
		switch {
		case rest[0] == '\n':
			l.pos++
			l.line++
			l.begin = l.pos
		case strings.HasPrefix(rest, "(*"):
			depth++
			if depth == 1 {
				comment = l.position()
			}
			l.pos += 2
		case depth > 0 && strings.HasPrefix(rest, "*)"):
			depth--
			l.pos += 2
		case depth > 0 || strings.IndexByte(" \t\r\f\v", rest[0]) >= 0:
			l.pos++
		case strings.HasPrefix(rest, `\*`):
			line, _, _ := strings.Cut(rest, "\n")
			l.pos += len(line)
		default:
			return
		}
	}
	if depth > 0 {
		fail(comment, "this comment is not closed by *)")
	}
}

func isLetter(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c rune) bool  { return '0' <= c && c <= '9' }
func inWord(c rune) bool   { return isLetter(c) || isDigit(c) || c == '_' }

// scan reads the kind and the text of the token that begins at the position of the lexer.
func (l *lexer) scan(t *token) {
	rest := l.source[l.pos:]
	isSubscript := rest[0] == '_' && l.pos > 0 && l.pos == l.subscripted
	digits := digitsOfBase(rest)
	switch {
	case rest[0] == '"':
		l.string(t)
	case isSubscript:
		t.kind = sign
		t.text = rest[:1]
		l.pos++
	case digits > 0:
		length := len(`\h`) + digits
		t.kind = number
		t.text = decimal(rest[:length])
		l.pos += length
	default:
		kind, length := tokenAt(rest)
		t.kind = kind
		t.text = rest[:length]
		l.pos += length
	}
}

// tokenAt returns the kind and the length of the token at the beginning of a text, unless it is a string
// or a number in another base.
func tokenAt(rest string) (kind tokenKind, length int) {
	c := rest[0]
	beginsWord := inWord(rune(c))
	if c == '_' { // alone, it is a sign
		beginsWord = len(rest) > 1 && inWord(rune(rest[1]))
	}
	switch {
	case strings.HasPrefix(rest, "----"):
		return dashes, spanOf(rest, func(c rune) bool { return c == '-' })
	case strings.HasPrefix(rest, "===="):
		return equals, spanOf(rest, func(c rune) bool { return c == '=' })
	case strings.HasPrefix(rest, "WF_") || strings.HasPrefix(rest, "SF_"):
		return sign, 3
	case beginsWord:
		length := spanOf(rest, inWord)
		if spanOf(rest, isDigit) == length {
			return number, length + decimals(rest[length:])
		}
		return word, length
	case c == '\\' && len(rest) > 1 && isLetter(rune(rest[1])):
		return sign, 1 + spanOf(rest[1:], isLetter)
	}
	longest := slices.IndexFunc(signs, func(s string) bool { return strings.HasPrefix(rest, s) })
	if longest >= 0 {
		return sign, len(signs[longest])
	}
	_, length = utf8.DecodeRuneInString(rest)
	return other, length
}

// spanOf returns the length of the longest prefix of a text with characters of a class.
func spanOf(text string, inClass func(rune) bool) int {
	return len(text) - len(strings.TrimLeftFunc(text, inClass))
}

// decimals returns the length of a decimal point and digits at the beginning of a text, as after the 3
// of 3.14; 0 if there are none.
func decimals(text string) int {
	if len(text) < 2 || text[0] != '.' || !isDigit(rune(text[1])) {
		return 0
	}
	return len(text) - len(strings.TrimLeftFunc(text[1:], isDigit))
}

// bases maps letters to bases and their digits, for numbers such as \b101, \o17 and \hff.
var bases = map[byte]struct {
	base   int
	digits string
}{
	'b': {2, "01"}, 'B': {2, "01"},
	'o': {8, "01234567"}, 'O': {8, "01234567"},
	'h': {16, "0123456789abcdefABCDEF"}, 'H': {16, "0123456789abcdefABCDEF"},
}

// digitsOfBase returns the number of digits of a number in another base at the beginning of a text; 0
// if there is no such number.
func digitsOfBase(text string) int {
	if len(text) < 3 || text[0] != '\\' {
		return 0
	}
	written, isBase := bases[text[1]]
	if !isBase {
		return 0
	}
	n := len(text) - 2 - len(strings.TrimLeft(text[2:], written.digits))
	if n < len(text)-2 && inWord(rune(text[2+n])) {
		return 0
	}
	return n
}

// decimal returns the decimal digits of a number that is written in another base.
func decimal(text string) string {
	n, _ := new(big.Int).SetString(text[2:], bases[text[1]].base)
	return n.String()
}

// string reads the string that begins at the position of the lexer. Its text has no quotes and no escapes.
func (l *lexer) string(t *token) {
	var b strings.Builder
	for i := l.pos + 1; i < len(l.source) && l.source[i] != '\n'; i++ {
		c := l.source[i]
		if c == '"' {
			l.pos = i + 1
			t.kind = text
			t.text = b.String()
			return
		}
		if c == '\\' && i+1 < len(l.source) {
			plain := strings.IndexByte(`ntrf"\`, l.source[i+1])
			if plain >= 0 {
				c = "\n\t\r\f\"\\"[plain]
				i++
			}
		}
		b.WriteByte(c)
	}
	fail(t.at, `this string is not closed by "`)
}

// reserved are the words of the language, which cannot be names.
var reserved = words(`ASSUME ASSUMPTION AXIOM CASE CHOOSE CONSTANT CONSTANTS DOMAIN ELSE ENABLED EXCEPT EXTENDS IF IN INSTANCE LET LOCAL
	MODULE OTHER SF_ SUBSET THEN THEOREM UNCHANGED UNION VARIABLE VARIABLES WF_ WITH LAMBDA LEMMA PROPOSITION COROLLARY RECURSIVE
	BY HAVE DEF DEFINE DEFS HIDE NEW OBVIOUS OMITTED PICK PROOF PROVE QED STATE SUFFICES TAKE TEMPORAL USE WITNESS ACTION`)
