package modal

import (
	"errors"
	"regexp"
	"strings"
	"sync"
)

// fromBasic translates a basic regular expression of UNIX, which matches whole labels, into a regular
// expression of Go. It knows characters, ".", "[…]", "\(…\)", "\{m,n\}", "*", and "^" and "$" at the
// ends, where they are redundant.
func fromBasic(source string) (string, error) {
	t := &basicExpression{source: source}
	t.out.Grow(len(source) + 8)
	for t.pos < len(source) {
		var err error
		t.repeatable, err = t.element()
		if err != nil {
			return "", err
		}
	}
	if t.groups > 0 {
		return "", errors.New(`"\(" is not closed`)
	}
	return t.out.String(), nil
}

// basicExpression is a basic regular expression that is being translated.
type basicExpression struct {
	source     string
	pos        int
	out        strings.Builder
	groups     int  // the number of open groups
	repeatable bool // whether the last element may be repeated
}

// element translates the next element, and reports whether it may be repeated.
func (t *basicExpression) element() (repeatable bool, err error) {
	rest := t.source[t.pos:]
	c := rest[0]
	switch {
	case c == '^' && t.pos == 0, c == '$' && len(rest) == 1:
		t.pos++
		return false, nil
	case c == '*' && t.repeatable:
		t.write("*", 1)
		return false, nil
	case c == '.':
		t.write(".", 1)
	case c == '[':
		set, length, err := bracket(rest)
		if err != nil {
			return false, err
		}
		t.write(set, length)
	case strings.HasPrefix(rest, `\(`):
		t.groups++
		t.write("(?:", 2)
		return false, nil
	case strings.HasPrefix(rest, `\)`):
		t.groups--
		if t.groups < 0 {
			return false, errors.New(`"\)" closes nothing`)
		}
		t.write(")", 2)
	case strings.HasPrefix(rest, `\{`) && t.repeatable:
		times := repetition().FindString(rest)
		if times == "" {
			return false, errors.New(`"\{" is followed by numbers and "\}"`)
		}
		t.write(strings.ReplaceAll(times, `\`, ""), len(times))
		return false, nil
	case c == '\\':
		if len(rest) == 1 || rest[1] >= '0' && rest[1] <= '9' || rest[1] == '{' {
			return false, errors.New(`"\" stands before a sign that it makes a character`)
		}
		t.write(regexp.QuoteMeta(rest[1:2]), 2)
	default:
		t.write(regexp.QuoteMeta(rest[:1]), 1)
	}
	return true, nil
}

// write writes a translation, and moves past the characters that it translates.
func (t *basicExpression) write(translation string, length int) {
	t.out.WriteString(translation)
	t.pos += length
}

var repetition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\\\{[0-9]{1,3}(,[0-9]{0,3})?\\\}`)
})

// bracket returns the class of characters at the beginning of a text, and the length of the class.
// Within a class, "]" is an ordinary character if it comes first, and "\" always is.
func bracket(text string) (class string, length int, err error) {
	inside := text[1:]
	inside, negated := strings.CutPrefix(inside, "^")
	start := len(text) - len(inside)
	members, err := bracketMembers(inside)
	if err != nil {
		return "", 0, err
	}
	length = start + len(members) + len("]")
	if len(members) == 1 && !negated {
		return regexp.QuoteMeta(members), length, nil
	}
	var b strings.Builder
	b.WriteByte('[')
	if negated {
		b.WriteByte('^')
	}
	for i := range len(members) {
		isMinusAtEnd := members[i] == '-' && (i == 0 || i == len(members)-1)
		if isMinusAtEnd || strings.IndexByte(`\[]^&~`, members[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(members[i])
	}
	b.WriteByte(']')
	return b.String(), length, nil
}

// bracketMembers returns the characters up to the "]" that closes a class.
func bracketMembers(inside string) (string, error) {
	end := 0
	for end < len(inside) && (inside[end] != ']' || end == 0) {
		end++
	}
	if end >= len(inside) {
		return "", errors.New(`"[" is not closed`)
	}
	members := inside[:end]
	for _, opening := range []string{"[:", "[.", "[="} {
		if strings.Contains(members, opening) {
			return "", errors.New("classes by name are not read")
		}
	}
	return members, nil
}
