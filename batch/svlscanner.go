package batch

import (
	"strings"
	"unicode"
)

// svlScanner splits a text of SVL into words. Comments, and lines for the shell, are no words.
type svlScanner struct {
	text string
	pos  int // the index in text of the next byte to be read
	// libraries are the libraries for all formulas, as DEFAULT_MCL_LIBRARIES lists them in the lines for
	// the shell that were read.
	libraries string
}

// line returns the line of the next word, from 1.
func (s *svlScanner) line() int {
	s.skipBlanks()
	return 1 + strings.Count(s.text[:s.pos], "\n")
}

// peek returns the next word, "" at the end.
func (s *svlScanner) peek() string {
	at := s.pos
	word := s.next()
	s.pos = at
	return word
}

// next returns the next word: a text in quotes together with its quotes, a name, the sign |=, or one
// other character. It is "" at the end.
func (s *svlScanner) next() string {
	s.skipBlanks()
	rest := s.text[s.pos:]
	isPart := func(c rune) bool {
		return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_.*", c)
	}
	afterName := strings.TrimLeftFunc(rest, isPart)
	length := len(rest) - len(afterName)
	switch {
	case rest == "":
		return ""
	case length > 0: // a name
	case strings.HasPrefix(rest, "|="):
		length = len("|=")
	default:
		length = lengthOfUnit(rest)
	}
	s.pos += length
	return rest[:length]
}

// lengthOfUnit returns the length of the text in quotes with which rest begins, or that of its first character.
func lengthOfUnit(rest string) int {
	quote := rest[0]
	if quote == '"' || quote == '\'' {
		text, _, isClosed := strings.Cut(rest[1:], string(quote))
		if isClosed {
			return len(text) + 2 // with both quotes
		}
	}
	return len(string([]rune(rest)[:1]))
}

// skipBlanks skips blanks, comments, and lines for the shell, of which only the libraries of formulas are read.
func (s *svlScanner) skipBlanks() {
	for {
		rest := s.text[s.pos:]
		blanks := len(rest) - len(strings.TrimLeft(rest, " \t\r\n\f"))
		line, _, _ := strings.Cut(rest, "\n")
		switch {
		case blanks > 0:
			s.pos += blanks
		case strings.HasPrefix(rest, "--"):
			s.pos += len(line)
		case strings.HasPrefix(rest, "(*"):
			s.pos += lengthOfComment(rest)
		case strings.HasPrefix(rest, "%") && s.isFirstOnLine():
			s.shellLine(line)
			s.pos += len(line)
		default:
			return
		}
	}
}

// lengthOfComment returns the length of the comment (* … *) with which a text begins; that of the text if
// the comment has no end.
func lengthOfComment(text string) int {
	comment, _, isClosed := strings.Cut(text, "*)")
	if !isClosed {
		return len(text)
	}
	return len(comment) + len("*)")
}

// isFirstOnLine reports whether only blanks come before the position on its line.
func (s *svlScanner) isFirstOnLine() bool {
	before := s.text[:s.pos]
	beginOfLine := strings.LastIndexByte(before, '\n') + 1
	return strings.TrimSpace(before[beginOfLine:]) == ""
}

// shellLine reads a line for the shell. Only DEFAULT_MCL_LIBRARIES="a.mcl, b.mcl" has an effect.
func (s *svlScanner) shellLine(line string) {
	name, value, isAssignment := strings.Cut(strings.TrimSpace(line[1:]), "=")
	if !isAssignment || name != "DEFAULT_MCL_LIBRARIES" {
		return
	}
	s.libraries = ""
	names := strings.FieldsFunc(strings.Trim(value, `"' `), func(c rune) bool {
		return c == ',' || unicode.IsSpace(c)
	})
	if len(names) > 0 {
		s.libraries = "library " + strings.Join(names, ", ") + " end_library\n"
	}
}

// statement returns the text up to the next semicolon, which it skips; ended is false if there is none.
func (s *svlScanner) statement() (text string, ended bool) {
	s.skipBlanks()
	text, rest, ended := cutOutside(s.text[s.pos:], ";")
	s.pos = len(s.text) - len(rest)
	return strings.TrimSpace(text), ended
}

// cutOutside is [strings.Cut] at the first place outside of quotes and comments.
func cutOutside(text, separator string) (before, after string, found bool) {
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, separator):
			return text[:i], rest[len(separator):], true
		case strings.HasPrefix(rest, "(*"):
			i += lengthOfComment(rest)
		default:
			i += lengthOfUnit(rest)
		}
	}
	return text, "", false
}
