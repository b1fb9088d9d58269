package modal

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
)

type kind uint8

const (
	end     kind = iota
	word         // true, and, mu, X
	call         // a name with arguments: an action of mCRL2, or an undefined macro
	label        // "…"
	pattern      // '…'
	offers       // {…}
	numeral      // a number
	sign         // any other character
)

// token is a word or sign of a formula. A token from a macro has its position in
// the macro.
type token struct {
	kind kind
	text string // for label, pattern and offers, the text between the delimiters
	in   *source
	at   int // the offset of the token in the text of in, delimiters included
	// spaced is set if blanks precede the token.
	spaced bool
	number int // the number of the token in the formula, after macros are replaced
	// inside is the offset of what a call has in parentheses; 0 if the call was put together.
	inside int
}

// source is a text with tokens: the formula, or a library with a name.
type source struct{ name, text string }

// unexpected returns the error that something else is expected at an offset.
func (s *source) unexpected(at int, expected string) *actl.SyntaxError {
	err := actl.Text(s.text).Unexpected(at, expected)
	if s.name != "" {
		return err.In(s.name)
	}
	return err
}

// written returns the token as it is written in a formula.
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
	"<=>", "...", "&&", "||", "=>", "-|", ":=", "<=", ">=", "<>", "==", "!=",
	"(", ")", "[", "]", "<", ">", ".", "*", "+", "?", "|", "!", ",", "=", "@", ":", "^", "-", "/", "#",
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
	// isForm reports whether the formula follows the word form, as in files of mCRL2 with definitions.
	// A semicolon may end such a formula.
	isForm bool
	// own are the definitions of data that a file of mCRL2 has before the formula.
	own *definitions
	// libraries has the names of the libraries that have been read already.
	libraries map[string]bool
	// isFlat is set if names are read without the parentheses after them.
	isFlat bool
}

// fail stops with the error that something else is expected at an offset.
func (l *lexer) fail(at int, format string, arguments ...any) {
	abort.On(l.unexpected(at, fmt.Sprintf(format, arguments...)))
}

// refuse stops with the error that a construct is understood, but not supported here.
func refuse(t token, format string, arguments ...any) {
	abort.On(t.refused(fmt.Sprintf(format, arguments...), ""))
}

// refused returns the error that a construct is understood, but not supported here. The hint says what
// to write instead.
func (t token) refused(expected, hint string) *actl.SyntaxError {
	err := t.in.unexpected(t.at, expected)
	err.Found = `"` + printable.Echo(t.written()) + `"`
	err.Hint = hint
	return err
}

// blanks skips blanks and comments, and reports whether there were any.
func (l *lexer) blanks() bool {
	start := l.pos
	for l.pos < len(l.text) {
		isBlank := strings.IndexByte(" \t\n\v\f\r", l.text[l.pos]) >= 0
		if isBlank {
			l.pos++
		} else if !l.comment() {
			break
		}
	}
	return l.pos > start
}

// comment skips a comment, and reports whether one begins here.
func (l *lexer) comment() bool {
	rest := l.text[l.pos:]
	switch {
	case strings.HasPrefix(rest, "%"), l.beginsDashes():
		line, _, _ := strings.Cut(rest, "\n")
		l.pos += len(line)
		return true
	case strings.HasPrefix(rest, "(*"):
		length := strings.Index(rest[2:], "*)")
		if length < 0 {
			l.fail(len(l.text),
				`"*)" to end the comment that begins with "(*" at character %d`, l.pos+1)
		}
		l.pos += length + 4
		return true
	}
	return false
}

// beginsDashes reports whether a comment of CADP's languages begins here: two dashes behind a blank or an
// opening bracket, before a blank or further dashes. At the beginning of a line, a letter may follow the dashes.
// In expressions the dashes of n--1 are signs.
func (l *lexer) beginsDashes() bool {
	behind, areDashes := strings.CutPrefix(l.text[l.pos:], "--")
	if !areDashes {
		return false
	}
	before := l.text[:l.pos]
	isFirst := before == "" || strings.IndexByte(blankCharacters+"([{", before[len(before)-1]) >= 0
	isAlone := behind == "" || strings.IndexByte(blankCharacters+"-", behind[0]) >= 0
	trimmed := strings.TrimRight(before, " \t")
	beginsLine := trimmed == "" || strings.HasSuffix(trimmed, "\n")
	return isFirst && isAlone || beginsLine && nameEnd(behind) > 0
}

// next reads the next token. In a file with definitions, a semicolon may stand behind the formula, and ends it.
func (l *lexer) next() token {
	abort.On(l.ctx.Err())
	spaced := l.blanks()
	t := token{in: l.source, at: l.pos, spaced: spaced}
	if l.isForm && strings.HasPrefix(l.text[l.pos:], ";") {
		l.pos++
		l.blanks()
		if l.pos < len(l.text) {
			l.fail(l.pos, "the end of the file behind the formula")
		}
		return t
	}
	if l.pos == len(l.text) {
		return t
	}
	switch c := l.text[l.pos]; c {
	case '"', '\'', '{':
		return l.delimited(t)
	default:
		n := nameEnd(l.text[l.pos:])
		if n > 0 {
			return l.name(t, n)
		}
		for l.pos < len(l.text) && '0' <= l.text[l.pos] && l.text[l.pos] <= '9' {
			l.pos++
		}
		if l.pos > t.at {
			t.kind = numeral
			t.text = l.text[t.at:l.pos]
			return t
		}
	}
	for _, s := range signs {
		if strings.HasPrefix(l.text[l.pos:], s) {
			t.kind = sign
			t.text = s
			l.pos += len(s)
			return t
		}
	}
	l.fail(l.pos, "a formula of MCL or of the mu-calculus")
	return t
}

// delimited reads the text between quotes or braces.
func (l *lexer) delimited(t token) token {
	closers := map[byte]byte{'"': '"', '\'': '\'', '{': '}'}
	kinds := map[byte]kind{'"': label, '\'': pattern, '{': offers}
	opener := l.text[l.pos]
	rest := l.text[l.pos+1:]
	length := strings.IndexByte(rest, closers[opener])
	if length < 0 || strings.Contains(rest[:length], "\n") {
		l.fail(len(l.text), `the "%c" that ends what begins with "%c" at character %d`,
			closers[opener], opener, l.pos+1)
	}
	t.kind = kinds[opener]
	t.text = rest[:length]
	if opener == '"' && strings.HasSuffix(t.text, `\`) {
		refuseBackslash(t) // the quote hardly ends the label: "PUT !\"a\""
	}
	l.pos += length + 2 // with both delimiters
	return t
}

// refuseBackslash stops with the error that a label has a backslash.
func refuseBackslash(t token) {
	refuse(t, `a label without "\", which versions of MCL read differently; write it as a 'regular expression', in which a quote stands for itself: 'PUT !"a"'`)
}

// name reads a word of n bytes. The token includes parentheses that follow, unless the word is a word of the
// logic or a macro.
func (l *lexer) name(t token, n int) token {
	t.kind = word
	t.text = l.text[l.pos : l.pos+n]
	l.pos += n
	_, isMacro := l.macros[t.text]
	if isMacro || l.isFlat || slices.Contains(reserved, t.text) {
		return t
	}
	rest := strings.TrimLeft(l.text[l.pos:], " \t")
	if !strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "(*") {
		return t
	}
	l.pos = len(l.text) - len(rest)
	t.kind = call
	t.inside = l.pos + 1
	t.text += l.parentheses(t.text)
	return t
}

// parentheses reads the text from an opening parenthesis to the one that closes it, with blanks in place of
// comments.
func (l *lexer) parentheses(name string) string {
	var text strings.Builder
	depth := 0
	for l.pos < len(l.text) {
		start := l.pos
		if l.comment() {
			text.WriteString(strings.Repeat(" ", l.pos-start))
			continue
		}
		c := l.text[l.pos]
		l.pos++
		text.WriteByte(c)
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth == 0 {
			return text.String()
		}
	}
	l.fail(len(l.text), `")" to close the "(" behind %s`, name)
	return ""
}

// nameEnd returns the length of the name at the beginning of a text; 0 if there is none. After the
// first letter, a name may have digits. It may also have primes, but not directly after a reserved
// word.
func nameEnd(text string) int {
	for i := range len(text) {
		c := text[i]
		isLetter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		isLaterDigit := i > 0 && isDigit(c)
		isPrime := i > 0 && c == '\'' && !slices.Contains(reserved, text[:i])
		if !isLetter && !isLaterDigit && !isPrime {
			return i
		}
	}
	return len(text)
}

// Begins reports whether a text begins like a formula for [Parse]: after parentheses, negations and
// comments comes a nonempty modality, a fixpoint, a quantifier, a condition or a macro. Cost O(length
// of the text).
func Begins(text string) bool {
	l := lexer{ctx: context.Background(), source: &source{text: text}}
	for {
		if abort.Try(func() { l.blanks() }) != nil {
			// The last comment is not closed. If nothing precedes it, Parse reports this mistake.
			return strings.HasPrefix(strings.TrimSpace(text), "(*")
		}
		rest := text[l.pos:]
		first := rest[:nameEnd(rest)]
		switch {
		case first == "not":
			l.pos += len(first)
		case strings.HasPrefix(rest, "("), strings.HasPrefix(rest, "!"):
			l.pos++
		case first != "":
			return beginsFormula(first, rest[len(first):])
		default:
			return beginsModality(rest)
		}
	}
}

// beginsModality reports whether a text begins with the bracket of a nonempty modality.
func beginsModality(text string) bool {
	isBracket := strings.HasPrefix(text, "[") || strings.HasPrefix(text, "<")
	return isBracket && len(text) > 1 && strings.IndexByte("]>-=", text[1]) < 0
}

// beginsFormula reports whether a word at the beginning of a text begins a formula of MCL or the
// mu-calculus. The text after the word distinguishes it from a label of another kind of formula.
func beginsFormula(first, behind string) bool {
	const blanks = " \t\r\n"
	behind = strings.TrimLeft(behind, blanks)
	if strings.HasPrefix(behind, "(") && isOwnMacro(first) {
		return true // so that the error names the library of the macro
	}
	name := behind[:nameEnd(behind)]
	switch first {
	case "macro", "forall", "exists", "let":
		return name != ""
	case "library":
		return name != "" || strings.HasPrefix(behind, `"`)
	case "sort", "map":
		return name != "" && strings.Contains(behind, "form")
	case "mu", "nu":
		body := strings.TrimLeft(behind[len(name):], blanks)
		return name != "" && (strings.HasPrefix(body, ".") || strings.HasPrefix(body, "("))
	case "val":
		return strings.HasPrefix(behind, "(")
	case "if":
		return strings.Contains(behind, "then") && strings.Contains(behind, "end")
	}
	return false
}

// mostTokens is the largest number of tokens after macros are replaced. mostWithin is the largest depth
// of macros that use each other.
const (
	mostTokens = 1 << 16
	mostWithin = 64
)

// macro is the definition of a macro: a list of tokens in which parameters are to be replaced.
type macro struct {
	parameters []string
	body       []token
}

// tokens returns the tokens of the text, and an end token. It replaces macros and removes their
// definitions.
func (l *lexer) tokens() []token {
	l.macros = map[string]*macro{}
	l.libraries = map[string]bool{}
	l.own = l.sections()
	var raw []token
	for {
		t := l.definitions()
		raw = append(raw, t)
		if t.kind == end {
			return l.expand(raw, nil, 0)
		}
	}
}

// definitions reads macros and libraries, and returns the token after them.
func (l *lexer) definitions() token {
	for {
		t := l.next()
		switch {
		case t.is("library"):
			l.library()
		case t.is("macro"):
			l.define()
		default:
			return t
		}
	}
}

// mostLibraries is the largest number of libraries of a formula.
const mostLibraries = 100

// librariesKey is the key of [WithLibraries].
type librariesKey struct{}

// WithLibraries returns a context for formulas that use libraries of macros. The function read gets the
// name of a library as it is in the formula, and returns the content of the library. If its error is
// [fs.ErrNotExist], the library may be one of inev's own, actl.mcl and standard.mcl.
func WithLibraries(
	ctx context.Context,
	read func(name string) (content string, err error),
) context.Context {
	return context.WithValue(ctx, librariesKey{}, read)
}

// own are inev's own libraries, which replace those of CADP.
//
//go:embed library
var own embed.FS

// libraryOfACTL is the library with the operators of ACTL.
const libraryOfACTL = "actl.mcl"

// macrosOfACTL are the names of the macros in inev's own library with the operators of ACTL.
var macrosOfACTL = sync.OnceValue(func() map[string]bool {
	content, err := own.ReadFile("library/" + libraryOfACTL)
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	words := strings.Fields(string(content))
	for i, word := range words[1:] {
		if words[i] == "macro" {
			names[word] = true
		}
	}
	return names
})

// isOwnMacro reports whether a name is that of an operator of ACTL.
func isOwnMacro(name string) bool { return macrosOfACTL()[name] }

// read returns the content of a library: of a file or, if there is no such file, of inev's own library
// with this name.
func read(ctx context.Context, name string) (string, error) {
	err := errors.New("there are no files here; write its macros where it is named")
	readLibrary, hasFiles := ctx.Value(librariesKey{}).(func(string) (string, error))
	if hasFiles {
		var content string
		content, err = readLibrary(name)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return content, err
		}
	}
	content, missing := own.ReadFile("library/" + name)
	if missing == nil {
		return string(content), nil
	}
	return "", err
}

// library reads the files that are listed after the word library, each once:
// library a.mcl, b.mcl end_library.
func (l *lexer) library() {
	const closing = "end_library"
	list, _, closed := strings.Cut(l.text[l.pos:], closing)
	if !closed {
		l.fail(len(l.text), closing)
	}
	at := l.pos
	l.pos += len(list) + len(closing)
	names := strings.FieldsFunc(list, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n,", r)
	})
	for _, name := range names {
		at += strings.Index(l.text[at:], name)
		l.readLibrary(token{
			kind: word,
			text: strings.Trim(name, `"`),
			in:   l.source,
			at:   at,
		})
		at += len(name)
	}
}

// readLibrary reads the macros of a library, unless they have been read already. If a library uses
// another one, the lexer looks for that one in the folder of the library, and then under its plain name.
func (l *lexer) readLibrary(use token) {
	name := use.text
	if l.source.name != "" && !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(l.source.name), name)
	}
	if l.libraries[name] {
		return
	}
	l.libraries[name] = true
	if len(l.libraries) > mostLibraries {
		refuse(use, "at most %d libraries", mostLibraries)
	}
	content, err := read(l.ctx, name)
	if err != nil && name != use.text {
		name = use.text
		content, err = read(l.ctx, name)
	}
	abort.On(l.ctx.Err())
	if err != nil {
		refuse(use, "a library that can be read (%v)", err)
	}
	in := &lexer{
		ctx:       l.ctx,
		source:    &source{name, content},
		macros:    l.macros,
		libraries: l.libraries,
	}
	remaining := in.definitions()
	if remaining.kind != end {
		refuse(remaining, "a macro, or the end of the library")
	}
}

// define reads the definition of a macro, after the word macro.
func (l *lexer) define() {
	name, m := l.macroHead()
	t := l.next()
	if !t.is("=") {
		l.fail(t.at, `"=" behind the name of a macro`)
	}
	m.body = l.macroBody(m.parameters)
	l.macros[name] = m
}

// macroHead reads the name of a macro and its parameters, if it has any: M or M (X, Y).
func (l *lexer) macroHead() (name string, m *macro) {
	t := l.next()
	head := strings.TrimSuffix(t.text, ")")
	head, list, hasParentheses := strings.Cut(head, "(")
	isName := (t.kind == word || t.kind == call) && nameEnd(head) > 0
	if !isName || slices.Contains(reserved, head) {
		l.fail(t.at, "the name of a macro")
	}
	m = &macro{}
	isEmpty := strings.TrimSpace(list) == ""
	if !hasParentheses || isEmpty {
		return strings.TrimSpace(head), m
	}
	for _, parameter := range strings.Split(list, ",") {
		parameter = strings.TrimSpace(parameter)
		if parameter == "" || nameEnd(parameter) != len(parameter) {
			l.fail(t.at, "a macro with names in its parentheses")
		}
		m.parameters = append(m.parameters, parameter)
	}
	return strings.TrimSpace(head), m
}

// macroBody reads the tokens of a macro up to end_macro.
func (l *lexer) macroBody(parameters []string) (body []token) {
	// A parameter is used without arguments, even if parentheses follow.
	outer := l.macros
	l.macros = maps.Clone(outer)
	for _, p := range parameters {
		l.macros[p] = nil
	}
	for {
		t := l.next()
		if t.kind == end || t.is("macro") {
			l.fail(t.at, "end_macro")
		}
		if t.is("end_macro") {
			l.macros = outer
			return body
		}
		body = append(body, t)
	}
}

// expand replaces macros in a list of tokens. The tokens come from the bodies of the macros in within,
// which must not be used again; depth bounds the recursion. Arguments are expanded first, outside of
// the macro that they are passed to, so that a macro may occur in its own arguments.
func (l *lexer) expand(raw []token, macros []string, depth int) []token {
	abort.On(l.ctx.Err())
	var all []token
	for i := 0; i < len(raw); i++ {
		t := raw[i]
		m := l.macros[t.text]
		if t.kind != word || m == nil {
			all = append(all, t)
			continue
		}
		if slices.Contains(macros, t.text) || len(macros) == mostWithin {
			refuse(t, "a macro that does not use itself")
		}
		if depth == maxDepth {
			refuse(t, "uses of macros that nest at most %d deep", maxDepth)
		}
		arguments, after := l.arguments(raw, i, m)
		i = after - 1
		for k, argument := range arguments {
			arguments[k] = l.expand(argument, macros, depth+1)
		}
		body := m.substituted(arguments, t)
		expanded := l.expand(body, append(slices.Clone(macros), t.text), depth+1)
		all = append(all, spacedAs(t, expanded)...)
		if len(all) > mostTokens {
			refuse(t, "a formula of at most %d words and signs", mostTokens)
		}
	}
	return all
}

// substituted returns the body of a macro with arguments in place of its parameters.
func (m *macro) substituted(arguments [][]token, use token) (body []token) {
	for _, t := range m.body {
		p := slices.Index(m.parameters, t.text)
		if t.kind == word && p >= 0 {
			body = append(body, spacedAs(t, arguments[p])...)
		} else {
			body = append(body, t)
		}
		if len(body) > mostTokens {
			refuse(use, "a formula of at most %d words and signs", mostTokens)
		}
	}
	return body
}

// spacedAs returns tokens that replace a single token. A blank precedes them iff one preceded this
// token.
func spacedAs(replaced token, tokens []token) []token {
	if len(tokens) == 0 {
		return nil
	}
	tokens = slices.Clone(tokens)
	tokens[0].spaced = replaced.spaced
	return tokens
}

// arguments returns the arguments of the macro at index i, and the index of the token after them.
func (l *lexer) arguments(raw []token, i int, m *macro) (all [][]token, after int) {
	use := raw[i]
	first := i + 1
	isOpen := first < len(raw) && raw[first].is("(")
	if len(m.parameters) == 0 {
		if isOpen && first+1 < len(raw) && raw[first+1].is(")") {
			return nil, first + 2
		}
		return nil, first
	}
	arguments := printable.Quantity(len(m.parameters), "argument")
	if !isOpen {
		refuse(use, "%s with %s in parentheses", use.text, arguments)
	}
	all, closing := splitArguments(raw, first)
	if closing < 0 {
		l.fail(len(l.text), `")" to close the parentheses of %s`, use.text)
	}
	if len(all) != len(m.parameters) {
		refuse(use, "%s with %s in parentheses, not %d", use.text, arguments, len(all))
	}
	return all, closing + 1
}

// splitArguments parts the tokens in parentheses at their commas, and returns the index of the closing
// parenthesis; -1 if there is none. The index of the opening one is open. Commas in further parentheses or
// brackets do not count.
func splitArguments(raw []token, open int) (all [][]token, closing int) {
	depth := 1
	begin := open + 1 // of the present argument
	for j := begin; j < len(raw); j++ {
		t := raw[j]
		switch {
		case t.is("(", "["):
			depth++
		case t.is(")", "]"):
			depth--
		}
		isComma := depth == 1 && t.is(",")
		if isComma || depth == 0 {
			all = append(all, raw[begin:j:j])
			begin = j + 1
		}
		if depth == 0 {
			return all, j
		}
	}
	return nil, -1
}
