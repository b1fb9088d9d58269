package assertions

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// sentence is an expression that is tried only on texts that have its longest literal, which
// most texts do not: there are dozens of forms of sentences, and a text has one.
type sentence struct {
	*regexp.Regexp
	literal string
}

// FindStringSubmatch is as for [regexp.Regexp].
func (s *sentence) FindStringSubmatch(text string) []string {
	if !strings.Contains(text, s.literal) {
		return nil
	}
	return s.Regexp.FindStringSubmatch(text)
}

// compiled holds the patterns of whole sentences: checkers of thousands of models share them.
var compiled sync.Map

// whole returns the expression that matches the sentences of a pattern, with their full stops.
func whole(pattern string) *sentence {
	if is, known := compiled.Load(pattern); known {
		return is.(*sentence)
	}
	all := `^(?:` + pattern + `)\.$`
	is, _ := compiled.LoadOrStore(pattern, &sentence{regexp.MustCompile(all), literalOf(all)})
	return is.(*sentence)
}

// literalOf returns the longest literal that each match of a pattern has, "" if there is none.
func literalOf(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	return longestIn(re)
}

func longestIn(re *syntax.Regexp) string {
	longest := ""
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range re.Sub {
			if in := longestIn(sub); len(in) > len(longest) {
				longest = in
			}
		}
	}
	return longest
}
