package specification

import (
	"path/filepath"
	"strings"
)

// language is a notation: the forms of its comments and strings, and how names
// are defined.
type language struct {
	line    []string    // what begins a comment up to the end of the line
	block   [][2]string // what begins and ends other comments
	nested  bool        // whether comments can be nested
	quotes  string      // what begins and ends a string
	anyCase bool        // whether the case of letters does not matter
	defines func(tokens []token) []int
}

// languages maps the suffixes of files to their notations.
var languages = map[string]*language{
	".tla":   {line: []string{`\*`}, block: [][2]string{{"(*", "*)"}}, nested: true, quotes: `"`, defines: definedInTLA},
	".mcrl2": {line: []string{"%"}, defines: definedInMCRL2},
	".lnt":   {line: []string{"--"}, block: [][2]string{{"(*", "*)"}}, quotes: `"`, anyCase: true, defines: definedAfter("process")},
	".lotos": {block: [][2]string{{"(*", "*)"}}, anyCase: true, defines: definedAfter("process")},
	".lot":   {block: [][2]string{{"(*", "*)"}}, anyCase: true, defines: definedAfter("process")},
	".pml":   {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: `"`, defines: definedAfter("proctype", "inline", "define")},
	".fsp":   {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, defines: definedInFSP},
	".go":    {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: "\"`'", defines: definedInGo},
}

// suffixes returns the suffixes of files that can be read.
func suffixes() []string {
	return []string{".tla", ".mcrl2", ".lnt", ".lotos", ".lot", ".pml", ".fsp", ".go"}
}

// Reads reports whether a file of this name is read as a specification.
func Reads(path string) bool { return languages[strings.ToLower(filepath.Ext(path))] != nil }

// token is a word, or a single sign.
type token struct {
	text  string
	line  int
	word  bool
	first bool // whether it is the first word on its line
}

// tokens divides a text into words and signs, without comments and strings.
func (l *language) tokens(text string) []token {
	s := scanner{l: l, text: text, line: 1, first: true}
	for s.pos < len(text) {
		s.next()
	}
	return s.tokens
}

type scanner struct {
	l      *language
	text   string
	pos    int
	line   int
	first  bool
	tokens []token
}

func (s *scanner) next() {
	rest := s.text[s.pos:]
	for _, begin := range s.l.line {
		if strings.HasPrefix(rest, begin) {
			s.skipTo(len(begin), "\n")
			return
		}
	}
	for _, comment := range s.l.block {
		if strings.HasPrefix(rest, comment[0]) {
			s.skipComment(comment)
			return
		}
	}
	switch c := rest[0]; {
	case c == '\n':
		s.advance(1)
	case c == ' ' || c == '\t' || c == '\r':
		s.pos++
	case strings.IndexByte(s.l.quotes, c) >= 0:
		s.skipString(c)
	case isWord(c):
		n := 1
		for n < len(rest) && isWord(rest[n]) {
			n++
		}
		s.add(rest[:n], true)
	case strings.HasPrefix(rest, "=="), strings.HasPrefix(rest, "||"):
		s.add(rest[:2], false)
	default:
		s.add(rest[:1], false)
	}
}

func (s *scanner) add(text string, word bool) {
	s.tokens = append(s.tokens, token{text, s.line, word, s.first})
	s.first = false
	s.pos += len(text)
}

// advance skips n bytes, and counts lines.
func (s *scanner) advance(n int) {
	if lines := strings.Count(s.text[s.pos:s.pos+n], "\n"); lines > 0 {
		s.line += lines
		s.first = true
	}
	s.pos += n
}

// skipTo moves to the next occurrence of a sign after the first bytes, or to the
// end of the text.
func (s *scanner) skipTo(first int, sign string) {
	n := strings.Index(s.text[s.pos+first:], sign)
	if n < 0 {
		n = len(s.text) - s.pos - first
	}
	s.advance(first + n)
}

func (s *scanner) skipComment(signs [2]string) {
	depth := 0
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch {
		case strings.HasPrefix(rest, signs[1]) && depth > 0:
			s.advance(len(signs[1]))
			if depth--; depth == 0 {
				return
			}
		case strings.HasPrefix(rest, signs[0]) && (depth == 0 || s.l.nested):
			depth++
			s.advance(len(signs[0]))
		default:
			s.advance(1)
		}
	}
}

// skipString skips a string; a string without an end ends with its line.
func (s *scanner) skipString(quote byte) {
	n := 1
	for rest := s.text[s.pos:]; n < len(rest); n++ {
		switch c := rest[n]; {
		case c == '\\' && quote != '`' && n+1 < len(rest) && rest[n+1] != '\n':
			n++
		case c == '\n' && quote != '`':
			s.advance(n)
			return
		case c == quote:
			s.advance(n + 1)
			s.first = false
			return
		}
	}
	s.advance(min(n, len(s.text)-s.pos))
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}

// definedAfter returns a function that finds the words after certain keywords.
func definedAfter(keywords ...string) func([]token) []int {
	return func(tokens []token) (found []int) {
		for i := 1; i < len(tokens); i++ {
			for _, k := range keywords {
				if tokens[i].word && strings.EqualFold(tokens[i-1].text, k) {
					found = append(found, i)
				}
			}
		}
		return found
	}
}

// behindParentheses returns the index after the (…) at i, or i if there is none.
func behindParentheses(tokens []token, i int) int {
	if i >= len(tokens) || tokens[i].text != "(" {
		return i
	}
	for depth := 0; i < len(tokens); i++ {
		switch tokens[i].text {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return i
}

func is(tokens []token, i int, text string) bool { return i < len(tokens) && tokens[i].text == text }

// definedInTLA finds Name == and Name(args) == at the beginning of a line,
// possibly after LOCAL.
func definedInTLA(tokens []token) (found []int) {
	for i, t := range tokens {
		begins := t.first || i > 0 && tokens[i-1].first && tokens[i-1].text == "LOCAL"
		if t.word && begins && is(tokens, behindParentheses(tokens, i+1), "==") {
			found = append(found, i)
		}
	}
	return found
}

// sections are the words that begin sections of a specification in mCRL2.
var sections = map[string]bool{"act": true, "proc": true, "sort": true, "cons": true, "map": true, "var": true, "eqn": true, "glob": true, "init": true}

// definedInMCRL2 finds the names declared in the sections act and proc.
func definedInMCRL2(tokens []token) (found []int) {
	section, begins := "", false
	for i, t := range tokens {
		switch {
		case t.word && sections[t.text]:
			section, begins = t.text, true
		case section == "act" && t.text == ":":
			begins = false
		case t.text == ";":
			begins = true
		case section == "act" && begins && t.word:
			found = append(found, i)
		case section == "proc" && begins && t.word:
			found = append(found, i)
			begins = false
		}
	}
	return found
}

// definedInFSP finds NAME = and ||NAME = at the beginning of a line.
func definedInFSP(tokens []token) (found []int) {
	for i, t := range tokens {
		begins := t.first || i > 0 && tokens[i-1].first && tokens[i-1].text == "||"
		upper := t.word && 'A' <= t.text[0] && t.text[0] <= 'Z'
		if upper && begins && is(tokens, behindParentheses(tokens, i+1), "=") {
			found = append(found, i)
		}
	}
	return found
}

// definedInGo finds functions and methods.
func definedInGo(tokens []token) (found []int) {
	for i, t := range tokens {
		if t.text != "func" {
			continue
		}
		if name := behindParentheses(tokens, i+1); name < len(tokens) && tokens[name].word {
			found = append(found, name)
		}
	}
	return found
}
