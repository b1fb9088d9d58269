package relabel

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// compile translates a regular expression of CADP, in the syntax of regexp(5),
// to that of package regexp. If matchesWhole is set, it matches whole texts only;
// otherwise, of the matches that begin first, the longest one counts.
func compile(text string, matchesWhole bool) (*regexp.Regexp, error) {
	t := translator{in: text}
	if err := t.run(); err != nil {
		return nil, err
	}
	made := t.out.String()
	if matchesWhole {
		made = "^(?:" + made + ")$"
	}
	re, err := regexp.Compile("(?s)" + made)
	if err != nil {
		return nil, errors.New("is no regular expression of CADP: " +
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if !matchesWhole {
		re.Longest()
	}
	return re, nil
}

// translator reads a regular expression of regexp(5).
type translator struct {
	in  string
	at  int
	out strings.Builder
	// isStart reports that no expression stands before the next character, so that * means itself.
	isStart    bool
	openGroups int
}

// run translates the whole expression.
func (t *translator) run() error {
	t.isStart = true
	for t.at < len(t.in) {
		if err := t.step(); err != nil {
			return err
		}
	}
	if t.openGroups != 0 {
		return errors.New(`a group \( is never closed; write \)`)
	}
	return nil
}

// step translates the next character, group or class.
func (t *translator) step() error {
	c := t.in[t.at]
	begins := t.isStart
	t.isStart = false
	switch {
	case c == '\\':
		return t.escape()
	case c == '[':
		return t.class()
	case c == '.', c == '*' && !begins:
		t.out.WriteByte(c)
	case c == '^' && t.at == 0:
		t.out.WriteByte('^')
		t.isStart = true
	case c == '$' && t.at == len(t.in)-1:
		t.out.WriteByte('$')
	default:
		t.out.WriteString(regexp.QuoteMeta(t.in[t.at : t.at+1]))
	}
	t.at++
	return nil
}

// escape translates a backslash and what follows.
func (t *translator) escape() error {
	if t.at+1 == len(t.in) {
		return errors.New(`ends with a backslash; write \\ for one`)
	}
	c := t.in[t.at+1]
	t.at += 2
	switch {
	case c == '(':
		t.openGroups++
		t.out.WriteByte('(')
		t.isStart = true
	case c == ')':
		if t.openGroups == 0 {
			return errors.New(`\) closes no group`)
		}
		t.openGroups--
		t.out.WriteByte(')')
	case c == '{':
		return t.repetition()
	case c == '<', c == '>':
		t.out.WriteString(`\b`)
	case c >= '1' && c <= '9':
		return fmt.Errorf(`\%c, which stands for what a group has matched before, is not supported on the left side; write the alternatives on lines of their own`, c)
	default:
		t.out.WriteString(regexp.QuoteMeta(string(c)))
	}
	return nil
}

// repetition translates \{m,n\}.
func (t *translator) repetition() error {
	end := strings.Index(t.in[t.at:], `\}`)
	if end < 0 {
		return errors.New(`\{ is never closed; write \{m,n\}`)
	}
	inside := t.in[t.at : t.at+end]
	if inside == "" || strings.Trim(inside, "0123456789,") != "" {
		return fmt.Errorf(`\{%s\} has no numbers; write \{m\}, \{m,\} or \{m,n\}`, inside)
	}
	t.out.WriteString("{" + inside + "}")
	t.at += end + len(`\}`)
	return nil
}

// class translates a class in square brackets, in which a backslash means itself.
func (t *translator) class() error {
	t.out.WriteByte('[')
	t.at++
	if t.at < len(t.in) && t.in[t.at] == '^' {
		t.out.WriteByte('^')
		t.at++
	}
	for first := true; t.at < len(t.in); first = false {
		c := t.in[t.at]
		switch {
		case c == ']' && !first:
			t.out.WriteByte(']')
			t.at++
			return nil
		case strings.HasPrefix(t.in[t.at:], "[:"):
			end := strings.Index(t.in[t.at:], ":]")
			if end > 0 {
				t.out.WriteString(t.in[t.at : t.at+end+2])
				t.at += end + 2
				continue
			}
			t.out.WriteString(`\[`)
		case c == '\\' || c == '[' || c == ']' || c == '^':
			t.out.WriteByte('\\')
			t.out.WriteByte(c)
		default:
			t.out.WriteByte(c)
		}
		t.at++
	}
	return errors.New("a class [ is never closed; write ], or \\[ for the character")
}

// template translates a replacement, in which \1 to \9 refer to what the groups of the expression
// have matched.
func template(text string, groups int) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		next := byte(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		isEscape := c == '\\' && i+1 < len(text)
		switch {
		case c == '$' && groups > 0 && isDigit(next): // meant as a group
			return "", fmt.Errorf(`$%c is a group only behind a /regular expression/ of a flag; write \%c for a group here, or \$%c for the text`, next, next, next)
		case c == '$':
			b.WriteString("$$")
		case !isEscape:
			b.WriteByte(c)
		case isDigit(next):
			if int(next-'0') > groups {
				return "", fmt.Errorf(`\%c stands for a group, but the left side has %d; write \( and \) around what it is to keep`, next, groups)
			}
			fmt.Fprintf(&b, "${%c}", next)
		case next == '$':
			b.WriteString("$$")
		default:
			b.WriteByte(next)
		}
		if isEscape {
			i++
		}
	}
	return b.String(), nil
}

// isDigit reports whether a character is one of 1 to 9, which number groups.
func isDigit(c byte) bool { return c >= '1' && c <= '9' }

// groupReference matches a reference to a group in the replacement that a flag such as --rename gives: \1,
// $1 or ${1}, up to 9, or ${NAME}. It also matches any other $, which stands for itself.
var groupReference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\\$]([1-9])|\$\{(\w+)\}|\$`)
})

// templateOfFlag translates a replacement after a /regular expression/, in which $1 and \1 refer
// to the first group, even if a letter or digit follows.
func templateOfFlag(text string, re *regexp.Regexp) (made string, err error) {
	made = groupReference().ReplaceAllStringFunc(text, func(found string) string {
		if found == "$" {
			return "$$"
		}
		name := strings.Trim(found, `\${}`)
		number, wrong := strconv.Atoi(name)
		switch {
		case wrong == nil && number > re.NumSubexp():
			err = fmt.Errorf("%s stands for a group, but the left side has %d; write ( and ) around what it is to keep", found, re.NumSubexp())
		case wrong != nil && re.SubexpIndex(name) < 0:
			err = fmt.Errorf("%s stands for a group, but the left side has none of this name; write (?P<%s> and ) around what it is to keep", found, name)
		}
		return "${" + name + "}"
	})
	return made, err
}
