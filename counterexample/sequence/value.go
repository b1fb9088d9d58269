package sequence

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/property/values"
)

// sameValue reports whether the text of a value, as TLC prints it, and a value of JSON, as TLC or
// Apalache writes it, can be the same: JSON does not distinguish tuples from sets, nor model values
// from strings. A value of another language is the same if its text is.
func sameValue(text string, given any) bool {
	return same(values.Parse(stringOrInterval.ReplaceAllStringFunc(text, listed)), given) || text == fmt.Sprint(given)
}

var stringOrInterval = regexp.MustCompile(`"(\\.|[^"\\])*"|-?[0-9]+\.\.-?[0-9]+`)

// listed returns an interval of numbers as the set of these numbers, and a string unchanged.
func listed(text string) string {
	low, high, is := strings.Cut(text, "..")
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	const most = 1 << 16
	if !is || err1 != nil || err2 != nil || to-from > most {
		return text
	}
	var numbers []string
	for i := from; i <= to; i++ {
		numbers = append(numbers, strconv.Itoa(i))
	}
	return "{" + strings.Join(numbers, ", ") + "}"
}

// same reports whether a value of TLA+ has the same meaning as a value of JSON.
func same(v values.Value, given any) bool {
	switch g := given.(type) {
	case []any:
		return isList(v, g)
	case map[string]any:
		return isObject(v, g)
	case string:
		return v.Kind() < values.Sequence && nameOf(v) == g
	case json.Number:
		return v.Kind() < values.Sequence && nameOf(v) == g.String()
	case bool:
		return v.Kind() < values.Sequence && nameOf(v) == strings.ToUpper(strconv.FormatBool(g))
	}
	return false
}

// nameOf returns the text of a value, without the quotes of a string.
func nameOf(v values.Value) string {
	if v.Kind() == values.String {
		return v.Content()
	}
	return v.String()
}

// isList reports whether a tuple has these parts in this order, or a set in any order.
func isList(v values.Value, list []any) bool {
	if v.Kind() != values.Sequence && v.Kind() != values.Set || len(v.Items()) != len(list) {
		return false
	}
	used := make([]bool, len(list))
	for i, part := range v.Items() {
		at := i
		if v.Kind() == values.Set {
			for at = 0; at < len(list) && (used[at] || !same(part, list[at])); at++ {
			}
		}
		if at == len(list) || !same(part, list[at]) {
			return false
		}
		used[at] = true
	}
	return true
}

func isObject(v values.Value, object map[string]any) bool {
	if len(object) == 1 {
		for name, inside := range object {
			switch list, is := inside.([]any); {
			case name == "#bigint":
				return v.Kind() < values.Sequence && nameOf(v) == fmt.Sprint(inside)
			case name == "#tup" && is:
				return v.Kind() == values.Sequence && isList(v, list)
			case name == "#set" && is:
				return v.Kind() == values.Set && isList(v, list)
			case name == "#map" && is:
				return isMap(v, list)
			case name == "#unserializable":
				return true // JSON does not say whether the value is a set
			}
		}
	}
	keys := keysOf(v)
	if len(keys) != len(v.Items()) || len(keys) != len(object) {
		return false
	}
	for i, key := range keys {
		inside, there := object[nameOf(key)]
		if !there || !same(v.Items()[i], inside) {
			return false
		}
	}
	return true
}

// isMap reports whether a function has these pairs of argument and value.
func isMap(v values.Value, pairs []any) bool {
	keys := keysOf(v)
	if len(keys) != len(pairs) {
		return false
	}
	for i, key := range keys {
		found := false
		for _, p := range pairs {
			pair, is := p.([]any)
			found = found || is && len(pair) == 2 && same(key, pair[0]) && same(v.Items()[i], pair[1])
		}
		if !found {
			return false
		}
	}
	return true
}

// keysOf returns the arguments of a function: a tuple is one of the numbers from 1 on.
func keysOf(v values.Value) []values.Value {
	keys := v.Keys()
	if v.Kind() == values.Sequence {
		for i := range v.Items() {
			keys = append(keys, values.OfInt(int64(i+1)))
		}
	}
	return keys
}
