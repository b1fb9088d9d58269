package actl

import (
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxBranches bounds the basic regular expressions that one regular expression
// of a formula may become.
const maxBranches = 64

// literal returns the basic regular expression, in the syntax of regexp(5), that
// matches just text. Special characters are put between brackets rather than
// behind a backslash, which the tool's lexer might take for itself. A single
// quote would end the expression, and becomes any character.
func literal(text string) string { return basicEscapes.Replace(text) }

var basicEscapes = strings.NewReplacer(".", "[.]", "*", "[*]", "[", "[[]", `\`, `[\]`, "$", "[$]", "'", ".")

// basicRegexps returns basic regular expressions that together match, as a whole,
// the labels in which the RE2 expression source finds a match. It fails if
// this takes what basic ones lack: repeated groups, word boundaries, classes of
// characters beyond ASCII; and where source is longer than 64 kB.
func basicRegexps(source string) ([]string, bool) {
	if len(source) > soon {
		return nil, false // nobody reads that, and it takes long
	}
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, false
	}
	branches, ok := expand(re.Simplify())
	if !ok {
		return nil, false
	}
	texts := make([]string, len(branches))
	for i, b := range branches {
		texts[i] = b.whole()
	}
	return texts, true
}

// branch is a basic regular expression that may be tied to the beginning and the
// end of a label.
type branch struct {
	text       string
	begin, end bool
}

// whole returns the expression for the whole label.
func (b branch) whole() string {
	text := b.text
	if !b.begin && !strings.HasPrefix(text, ".*") {
		text = ".*" + text
	}
	if !b.end && !strings.HasSuffix(text, ".*") {
		text += ".*"
	}
	return text
}

// expand returns branches one of which matches where re does.
func expand(re *syntax.Regexp) ([]branch, bool) {
	if c, ok := oneCharacter(re); ok {
		return []branch{{text: c}}, true
	}
	switch re.Op {
	case syntax.OpNoMatch:
		return nil, true
	case syntax.OpEmptyMatch:
		return []branch{{}}, true
	case syntax.OpBeginText, syntax.OpBeginLine:
		return []branch{{begin: true}}, true
	case syntax.OpEndText, syntax.OpEndLine:
		return []branch{{end: true}}, true
	case syntax.OpLiteral:
		return []branch{{text: literalRunes(re)}}, true
	case syntax.OpCapture:
		return expand(re.Sub[0])
	case syntax.OpQuest:
		branches, ok := expand(re.Sub[0])
		return append([]branch{{}}, branches...), ok
	case syntax.OpStar, syntax.OpPlus:
		c, ok := oneCharacter(re.Sub[0])
		if re.Op == syntax.OpPlus {
			return []branch{{text: c + c + "*"}}, ok
		}
		return []branch{{text: c + "*"}}, ok
	case syntax.OpConcat:
		return expandConcat(re.Sub)
	case syntax.OpAlternate:
		return expandAlternate(re.Sub)
	}
	return nil, false
}

func expandAlternate(subs []*syntax.Regexp) ([]branch, bool) {
	var all []branch
	for _, sub := range subs {
		branches, ok := expand(sub)
		if all = append(all, branches...); !ok || len(all) > maxBranches {
			return nil, false
		}
	}
	return all, true
}

func expandConcat(subs []*syntax.Regexp) ([]branch, bool) {
	all := []branch{{}}
	for _, sub := range subs {
		branches, ok := expand(sub)
		if !ok || len(all)*len(branches) > maxBranches {
			return nil, false
		}
		var longer []branch
		for _, a := range all {
			for _, b := range branches {
				if a.end && b.text != "" || b.begin && a.text != "" {
					return nil, false
				}
				longer = append(longer, branch{a.text + b.text, a.begin || b.begin, a.end || b.end})
			}
		}
		all = longer
	}
	return all, true
}

// oneCharacter returns the basic regular expression of one that matches single
// characters, which is what can be repeated.
func oneCharacter(re *syntax.Regexp) (string, bool) {
	switch re.Op {
	case syntax.OpCapture:
		return oneCharacter(re.Sub[0])
	case syntax.OpLiteral:
		return literalRunes(re), len(re.Rune) == 1 && re.Rune[0] < utf8.RuneSelf
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return ".", true
	case syntax.OpCharClass:
		return class(re.Rune)
	}
	return "", false
}

// literalRunes returns the basic regular expression of a literal, which may be
// one that leaves case out of account.
func literalRunes(re *syntax.Regexp) string {
	var b strings.Builder
	for _, r := range re.Rune {
		lower, upper := unicode.ToLower(r), unicode.ToUpper(r)
		if re.Flags&syntax.FoldCase != 0 && lower != upper {
			b.WriteString("[" + string(upper) + string(lower) + "]")
		} else {
			b.WriteString(literal(string(r)))
		}
	}
	return b.String()
}

// class returns the bracket expression of a class of characters, given as pairs
// of bounds. Only printable ASCII is looked at, which is what CADP's labels are
// made of. A class that has everything beyond ASCII is written as what it lacks.
func class(bounds []rune) (string, bool) {
	negated := len(bounds) > 0 && bounds[len(bounds)-1] == unicode.MaxRune
	var members [utf8.RuneSelf]bool
	for i := 0; i < len(bounds); i += 2 {
		for r := bounds[i]; r <= bounds[i+1] && r < utf8.RuneSelf; r++ {
			members[r] = true
		}
	}
	var list []byte
	for c := byte(' '); c <= '~'; c++ {
		if members[c] != negated {
			list = append(list, c)
		}
	}
	switch {
	case len(list) == 0:
		return ".", negated
	case strings.IndexByte(string(list), '\'') >= 0:
		return "", false
	case negated:
		return "[^" + bracketed(list) + "]", true
	case len(list) == 1:
		return literal(string(list)), true
	}
	return "[" + bracketed(list) + "]", true
}

// bracketed returns what stands between brackets for these ascending characters:
// ] first, ^ behind another one, - last, and runs of letters or digits shortened.
func bracketed(list []byte) string {
	var first, middle, last string
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == ']':
			first = "]"
		case c == '^' || c == '-':
			last = string(c) + last
		default:
			run := i
			for run+1 < len(list) && list[run+1] == list[run]+1 && isAlphanumeric(list[run+1]) && isAlphanumeric(c) {
				run++
			}
			if run-i >= 2 {
				middle += string(c) + "-" + string(list[run])
				i = run
			} else {
				middle += string(c)
			}
		}
	}
	if first+middle == "" && last == "^-" {
		last = "-^"
	}
	return first + middle + last
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
