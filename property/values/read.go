package values

import "strings"

// mostNested is the depth to which values are read as trees; deeper values are
// texts.
const mostNested = 100

// Parse returns the value of a text. A text that is no tree becomes a value of
// kind Text, with each sequence of blanks replaced by one. Cost O(len(text)).
func Parse(text string) Value {
	r := reader{text: text}
	v, ok := r.value(0)
	if r.blanks(); !ok || r.pos < len(text) {
		return leaf(Text, strings.Join(strings.Fields(text), " "))
	}
	return v
}

// reader reads a value from pos on.
type reader struct {
	text string
	pos  int
}

func (r *reader) blanks() {
	for r.pos < len(r.text) && strings.IndexByte(" \t\n\v\f\r", r.text[r.pos]) >= 0 {
		r.pos++
	}
}

func (r *reader) take(sign string) bool {
	if r.blanks(); !strings.HasPrefix(r.text[r.pos:], sign) {
		return false
	}
	r.pos += len(sign)
	return true
}

func (r *reader) value(depth int) (Value, bool) {
	if depth > mostNested {
		return Value{}, false
	}
	r.blanks()
	switch {
	case r.pos == len(r.text):
		return Value{}, false
	case r.text[r.pos] == '"':
		text, after, ok := unquote(r.text, r.pos)
		r.pos = after
		return leaf(String, text), ok
	case r.take("<<"):
		items, ok := r.items(depth, ">>")
		return tree(Sequence, "", nil, items), ok
	case r.take("{"):
		items, ok := r.items(depth, "}")
		return tree(Set, "", nil, items), ok
	case r.take("["):
		return r.bracket(depth)
	case r.take("("):
		return r.function(depth)
	}
	return r.name(depth)
}

// items reads values separated by commas, up to the closer.
func (r *reader) items(depth int, closer string) ([]Value, bool) {
	if r.take(closer) {
		return nil, true
	}
	var items []Value
	for {
		v, ok := r.value(depth + 1)
		if !ok {
			return nil, false
		}
		items = append(items, v)
		if r.take(closer) {
			return items, true
		}
		if !r.take(",") {
			return nil, false
		}
	}
}

// bracket reads a record or a list after its opening bracket.
func (r *reader) bracket(depth int) (Value, bool) {
	start := r.pos
	var keys, items []Value
	for {
		name := r.word()
		if name == "" || !r.take("|->") {
			break
		}
		v, ok := r.value(depth + 1)
		if !ok {
			return Value{}, false
		}
		keys, items = append(keys, leaf(String, name)), append(items, v)
		if r.take("]") {
			return tree(Record, "", keys, items), true
		}
		if !r.take(",") {
			return Value{}, false
		}
	}
	r.pos = start
	list, ok := r.items(depth, "]")
	return tree(List, "", nil, list), ok
}

// function reads (a :> b @@ c :> d) after its opening parenthesis; parentheses
// around a single value mean nothing.
func (r *reader) function(depth int) (Value, bool) {
	var keys, items []Value
	for {
		k, ok := r.value(depth + 1)
		if !ok {
			return Value{}, false
		}
		if len(keys) == 0 && r.take(")") {
			return k, true
		}
		if !r.take(":>") {
			return Value{}, false
		}
		v, ok := r.value(depth + 1)
		if !ok {
			return Value{}, false
		}
		keys, items = append(keys, k), append(items, v)
		if r.take(")") {
			return tree(Function, "", keys, items), true
		}
		if !r.take("@@") {
			return Value{}, false
		}
	}
}

// name reads a number, TRUE or FALSE, a name or a term.
func (r *reader) name(depth int) (Value, bool) {
	start := r.pos
	if r.text[r.pos] == '-' {
		r.pos++
	}
	word := r.word()
	whole := r.text[start:r.pos]
	switch {
	case word == "":
		return Value{}, false
	case isNumber(word):
		return leaf(Int, whole), true
	case whole != word:
		return Value{}, false
	}
	if kind := Bool; word == "TRUE" || word == "FALSE" || word == "true" || word == "false" {
		return leaf(kind, word), true
	}
	if r.pos < len(r.text) && r.text[r.pos] == '(' {
		r.pos++
		items, ok := r.items(depth, ")")
		return tree(Term, word, nil, items), ok
	}
	return leaf(Text, word), true
}

// word reads letters, digits and what may stand in names.
func (r *reader) word() string {
	r.blanks()
	start := r.pos
	for r.pos < len(r.text) && isWord(r.text[r.pos]) {
		r.pos++
	}
	return r.text[start:r.pos]
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_' || c == '\'' || c >= 0x80
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNumber(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return false
		}
	}
	return text != ""
}

// unquote reads a quoted text, and returns the offset behind it; false if the
// quote does not end.
func unquote(text string, at int) (content string, after int, ok bool) {
	var b strings.Builder
	for i := at + 1; i < len(text); i++ {
		c := text[i]
		if c == '"' {
			return b.String(), i + 1, true
		}
		if c == '\\' && i+1 < len(text) {
			if plain := strings.IndexByte(`ntrf"\`, text[i+1]); plain >= 0 {
				c = "\n\t\r\f\"\\"[plain]
				i++
			}
		}
		b.WriteByte(c)
	}
	return "", len(text), false
}
