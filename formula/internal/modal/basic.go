package modal

import (
	"errors"
	"regexp"
	"strings"
	"sync"
)

// quoteRE2 returns the expression of Go that matches just text, with "/" as it is.
func quoteRE2(text string) string { return regexp.QuoteMeta(text) }

// fromBasic returns the regular expression of Go that matches the labels that a basic one of
// UNIX matches as a whole: characters, ".", "[…]", "\(…\)", "\{m,n\}", "*", and "^" and "$"
// at the ends, where they change nothing.
func fromBasic(source string) (string, error) {
	var b strings.Builder
	b.Grow(len(source) + 8)
	groups := 0
	repeatable := false
	for i := 0; i < len(source); {
		c := source[i]
		rest := source[i:]
		again := true
		switch {
		case c == '^' && i == 0, c == '$' && i == len(source)-1:
			again = false
			i++
		case c == '*' && repeatable:
			b.WriteByte('*')
			again = false
			i++
		case c == '.':
			b.WriteByte('.')
			i++
		case c == '[':
			set, length, err := bracket(rest)
			if err != nil {
				return "", err
			}
			b.WriteString(set)
			i += length
		case strings.HasPrefix(rest, `\(`):
			b.WriteString("(?:")
			groups, again = groups+1, false
			i += 2
		case strings.HasPrefix(rest, `\)`):
			if groups--; groups < 0 {
				return "", errors.New(`"\)" closes nothing`)
			}
			b.WriteByte(')')
			i += 2
		case strings.HasPrefix(rest, `\{`) && repeatable:
			times := repetition().FindString(rest)
			if times == "" {
				return "", errors.New(`"\{" is followed by numbers and "\}"`)
			}
			b.WriteString(strings.ReplaceAll(times, `\`, ""))
			again = false
			i += len(times)
		case c == '\\':
			if len(rest) == 1 || rest[1] >= '0' && rest[1] <= '9' || rest[1] == '{' {
				return "", errors.New(`"\" stands before a sign that it makes a character`)
			}
			b.WriteString(regexp.QuoteMeta(rest[1:2]))
			i += 2
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			i++
		}
		repeatable = again
	}
	if groups > 0 {
		return "", errors.New(`"\(" is not closed`)
	}
	return b.String(), nil
}

var repetition = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\\\{[0-9]{1,3}(,[0-9]{0,3})?\\\}`) })

// bracket returns the class of characters that a text begins with, and its length. Of what is
// between the brackets "]" is a character if it comes first, and "\" is always one.
func bracket(text string) (class string, length int, err error) {
	i := 1
	negated := i < len(text) && text[i] == '^'
	if negated {
		i++
	}
	start := i
	for i < len(text) && (text[i] != ']' || i == start) {
		i++
	}
	if i >= len(text) {
		return "", 0, errors.New(`"[" is not closed`)
	}
	members := text[start:i]
	if strings.Contains(members, "[:") || strings.Contains(members, "[.") || strings.Contains(members, "[=") {
		return "", 0, errors.New("classes by name are not read")
	}
	if len(members) == 1 && !negated {
		return regexp.QuoteMeta(members), i + 1, nil
	}
	var b strings.Builder
	b.WriteByte('[')
	if negated {
		b.WriteByte('^')
	}
	for j := 0; j < len(members); j++ {
		if strings.IndexByte(`\[]^&~`, members[j]) >= 0 || members[j] == '-' && (j == 0 || j == len(members)-1) {
			b.WriteByte('\\')
		}
		b.WriteByte(members[j])
	}
	b.WriteByte(']')
	return b.String(), i + 1, nil
}
