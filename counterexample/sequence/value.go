package sequence

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// tla is a value as TLC prints it, parsed as far as a comparison with JSON needs.
type tla struct {
	kind tlaKind
	// text is the text of a number, a string, a Boolean or a model value.
	text string
	// keys are the keys of a record or function; parts are the values of these keys, or the
	// elements of a tuple or set.
	keys, parts []tla
}

type tlaKind uint8

const (
	tlaAtom tlaKind = iota
	tlaTuple
	tlaSet
	tlaFunction
)

// sameValue reports whether the text of a value, as TLC prints it, and a value of JSON, as TLC or
// Apalache writes it, can be the same: JSON does not distinguish tuples from sets, nor model values
// from strings.
func sameValue(text string, given any) bool {
	p := tlaParser{rest: text}
	v, ok := p.value(0)
	if !ok || strings.TrimSpace(p.rest) != "" {
		// A value of another language: a number or a word.
		return text == fmt.Sprint(given)
	}
	return v.is(given)
}

// tlaParser reads values.
type tlaParser struct{ rest string }

const deepest = 1000

func (p *tlaParser) take(token string) bool {
	p.rest = strings.TrimLeft(p.rest, " \n\t")
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *tlaParser) value(depth int) (tla, bool) {
	switch {
	case depth > deepest:
		return tla{}, false
	case p.take("<<"):
		parts, ok := p.list(">>", depth)
		return tla{kind: tlaTuple, parts: parts}, ok
	case p.take("{"):
		parts, ok := p.list("}", depth)
		return tla{kind: tlaSet, parts: parts}, ok
	case p.take("["):
		return p.mapping("|->", ",", "]", depth)
	case p.take("("):
		return p.mapping(":>", "@@", ")", depth)
	case p.take(`"`):
		return p.quoted()
	}
	end := 0
	for end < len(p.rest) && !strings.ContainsRune(" \n\t,>}])<{[(\"", rune(p.rest[end])) {
		end++
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	if low, high, is := strings.Cut(word, ".."); is {
		return interval(low, high)
	}
	return tla{text: word}, word != ""
}

// list reads values up to the end of a tuple or set.
func (p *tlaParser) list(end string, depth int) ([]tla, bool) {
	var parts []tla
	if p.take(end) {
		return nil, true
	}
	for {
		v, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		parts = append(parts, v)
		if p.take(end) {
			return parts, true
		}
		if !p.take(",") {
			return nil, false
		}
	}
}

// mapping reads a record or function after its opening bracket.
func (p *tlaParser) mapping(arrow, between, end string, depth int) (tla, bool) {
	v := tla{kind: tlaFunction}
	if p.take(end) {
		return v, true
	}
	for {
		key, ok := p.value(depth + 1)
		if !ok || !p.take(arrow) {
			return v, false
		}
		part, ok := p.value(depth + 1)
		if !ok {
			return v, false
		}
		v.keys, v.parts = append(v.keys, key), append(v.parts, part)
		if p.take(end) {
			return v, true
		}
		if !p.take(between) {
			return v, false
		}
	}
}

// quoted reads a string after its first quote.
func (p *tlaParser) quoted() (tla, bool) {
	for i := 0; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case '"':
			text := strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\f`, "\f").Replace(p.rest[:i])
			p.rest = p.rest[i+1:]
			return tla{text: text}, true
		}
	}
	return tla{}, false
}

// interval returns the set of the numbers from low to high.
func interval(low, high string) (tla, bool) {
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	const most = 1 << 16
	if err1 != nil || err2 != nil || to-from > most {
		return tla{}, false
	}
	v := tla{kind: tlaSet}
	for i := from; i <= to; i++ {
		v.parts = append(v.parts, tla{text: strconv.Itoa(i)})
	}
	return v, true
}

// is reports whether v, a value of TLA+, has the same meaning as a value of
// JSON.
func (v tla) is(given any) bool {
	switch g := given.(type) {
	case string:
		return v.kind == tlaAtom && v.text == g
	case json.Number:
		return v.kind == tlaAtom && v.text == g.String()
	case bool:
		return v.kind == tlaAtom && v.text == strings.ToUpper(strconv.FormatBool(g))
	case []any:
		return v.isList(g)
	case map[string]any:
		return v.isObject(g)
	}
	return false
}

func (v tla) isList(g []any) bool {
	if v.kind == tlaFunction {
		return v.isSequence(g)
	}
	if v.kind == tlaAtom || len(v.parts) != len(g) {
		return false
	}
	if v.kind == tlaSet {
		return v.isSet(g)
	}
	for i := range g {
		if !v.parts[i].is(g[i]) {
			return false
		}
	}
	return true
}

// isSequence reports whether a function from 1 to n is this list.
func (v tla) isSequence(g []any) bool {
	if len(v.parts) != len(g) {
		return false
	}
	for i, key := range v.keys {
		at, err := strconv.Atoi(key.text)
		if err != nil || at < 1 || at > len(g) || !v.parts[i].is(g[at-1]) {
			return false
		}
	}
	return true
}

// isSet reports whether the elements are those of g, each of them once.
func (v tla) isSet(g []any) bool {
	used := make([]bool, len(g))
	for _, part := range v.parts {
		found := false
		for i := range g {
			if !used[i] && part.is(g[i]) {
				used[i], found = true, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func (v tla) isObject(g map[string]any) bool {
	if len(g) == 1 {
		for name, inside := range g {
			switch list, isList := inside.([]any); {
			case name == "#bigint":
				return v.kind == tlaAtom && v.text == fmt.Sprint(inside)
			case name == "#tup" && isList:
				return v.kind == tlaTuple && v.isList(list)
			case name == "#set" && isList:
				return v.kind == tlaSet && v.isList(list)
			case name == "#map" && isList:
				return v.isMap(list)
			case name == "#unserializable":
				return true // JSON does not say whether the value is a set
			}
		}
	}
	if v.kind != tlaFunction && len(v.parts) > 0 || len(v.parts) != len(g) {
		return false
	}
	for i, key := range v.keys {
		inside, there := g[key.text]
		if !there || !v.parts[i].is(inside) {
			return false
		}
	}
	return true
}

// isMap reports whether a function has these pairs of argument and value.
func (v tla) isMap(pairs []any) bool {
	keys, parts := v.keys, v.parts
	if v.kind == tlaTuple {
		for i := range v.parts {
			keys = append(keys, tla{text: strconv.Itoa(i + 1)})
		}
	}
	if len(keys) != len(pairs) {
		return false
	}
	for i, key := range keys {
		found := false
		for _, p := range pairs {
			if pair, ok := p.([]any); ok && len(pair) == 2 && key.is(pair[0]) && parts[i].is(pair[1]) {
				found = true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}
