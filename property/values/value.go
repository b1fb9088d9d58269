package values

import (
	"math/big"
	"slices"
	"strings"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds of values.
const (
	Text     Kind = iota // a name, such as a model value, or what cannot be read as a tree
	Int                  // a number
	String               // "a text in quotes"
	Bool                 // TRUE or FALSE, true or false
	Sequence             // <<a, b>>
	List                 // [a, b], of mCRL2
	Set                  // {a, b}
	Record               // [a |-> b, c |-> d]
	Function             // (a :> b @@ c :> d)
	Term                 // f(a, b)
)

// Value is the value of a parameter, or a part of such a value. It is immutable.
type Value struct {
	kind Kind
	// text is the text of a leaf, without quotes, or the name of a term.
	text string
	// items are the parts; in records and functions they are the values of the
	// keys.
	items []Value
	keys  []Value
	key   string
}

// Kind returns the kind of the value. Cost O(1).
func (v Value) Kind() Kind { return v.kind }

// Items returns the parts of a value. The slice must not be changed.
func (v Value) Items() []Value { return v.items }

// Key returns a text that is the same for equal values only. Cost O(1).
func (v Value) Key() string { return v.key }

// Equal reports whether two values are the same, in whatever notation. Cost
// O(length of the key).
func (v Value) Equal(w Value) bool { return v.key == w.key }

// Content returns the text of a string, without quotes; "" of other values. Cost O(1).
func (v Value) Content() string {
	if v.kind == String {
		return v.text
	}
	return ""
}

// Number returns the value as a number; false if it is none.
func (v Value) Number() (*big.Int, bool) {
	if v.kind != Int {
		return nil, false
	}
	return new(big.Int).SetString(v.text, 10)
}

// String returns the value in the notation of TLA+, a term in that of mCRL2. Cost
// O(length of the text).
func (v Value) String() string {
	switch v.kind {
	case String:
		return quote(v.text)
	case Sequence:
		return "<<" + join(v.items) + ">>"
	case List:
		return "[" + join(v.items) + "]"
	case Set:
		return "{" + join(v.items) + "}"
	case Term:
		return v.text + "(" + join(v.items) + ")"
	case Record, Function:
		between, before, after, to := ", ", "[", "]", " |-> "
		if v.kind == Function {
			between, before, after, to = " @@ ", "(", ")", " :> "
		}
		parts := make([]string, len(v.items))
		for i, item := range v.items {
			name := v.keys[i].String()
			if v.kind == Record {
				name = v.keys[i].text
			}
			parts[i] = name + to + item.String()
		}
		return before + strings.Join(parts, between) + after
	}
	return v.text
}

func join(items []Value) string {
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = item.String()
	}
	return strings.Join(parts, ", ")
}

// At returns the part of a record, function, sequence, list or term at a key: a
// field, an argument of a function, or an index, which counts from 1 in sequences
// and terms and from 0 in lists. False if there is none. Cost O(parts).
func (v Value) At(key Value) (Value, bool) {
	first := 1
	switch v.kind {
	case Record, Function:
		for i, k := range v.keys {
			if k.Equal(key) {
				return v.items[i], true
			}
		}
		return Value{}, false
	case List:
		first = 0
	case Sequence, Term:
	default:
		return Value{}, false
	}
	n, is := key.Number()
	if !is || !n.IsInt64() || n.Int64() < int64(first) || n.Int64()-int64(first) >= int64(len(v.items)) {
		return Value{}, false
	}
	return v.items[n.Int64()-int64(first)], true
}

// Len returns the length of a sequence, list or set, or the number of characters
// of a string; false for other values.
func (v Value) Len() (int, bool) {
	switch v.kind {
	case Sequence, List, Set:
		return len(v.items), true
	case String:
		return len([]rune(v.text)), true
	}
	return 0, false
}

// Has reports whether the value is a set with this member.
func (v Value) Has(member Value) bool {
	return v.kind == Set && slices.ContainsFunc(v.items, member.Equal)
}

// leaf returns a value without parts.
func leaf(kind Kind, text string) Value {
	v := Value{kind: kind, text: text}
	switch kind {
	case Int:
		if n, ok := new(big.Int).SetString(text, 10); ok {
			v.text = n.String()
		}
		v.key = "i" + v.text
	case String:
		v.key = quote(text)
	case Bool:
		v.key = "b" + strings.ToLower(text)
	default:
		v.key = "t" + quote(text)
	}
	return v
}

// tree returns a value with parts. Members of sets are sorted, and duplicates
// removed; functions from 1 to n become sequences, and those from strings
// records, as in TLA+.
func tree(kind Kind, text string, keys, items []Value) Value {
	switch kind {
	case Set:
		slices.SortStableFunc(items, func(a, b Value) int { return strings.Compare(a.key, b.key) })
		items = slices.CompactFunc(items, Value.Equal)
	case Function, Record:
		order := make([]int, len(keys))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(keys[a].key, keys[b].key) })
		sortedKeys, sorted := make([]Value, len(keys)), make([]Value, len(keys))
		for i, at := range order {
			sortedKeys[i], sorted[i] = keys[at], items[at]
		}
		if kind == Function {
			kind = domain(keys, sortedKeys)
		}
		if kind == Sequence {
			sorted = inPlace(sortedKeys, sorted)
			sortedKeys = nil
		}
		keys, items = sortedKeys, sorted
	}
	v := Value{kind: kind, text: text, keys: keys, items: items}
	var b strings.Builder
	b.WriteByte("tisbqlSrfT"[kind])
	if kind == Term {
		b.WriteString(quote(text))
	}
	b.WriteByte('(')
	for i, item := range items {
		if keys != nil {
			b.WriteString(keys[i].key + ">")
		}
		b.WriteString(item.key + ",")
	}
	b.WriteByte(')')
	v.key = b.String()
	return v
}

// domain returns the kind of a function with these keys.
func domain(keys, sorted []Value) Kind {
	texts := 0
	places := map[string]bool{}
	for _, k := range keys {
		if k.kind == String {
			texts++
		}
		if n, is := k.Number(); is && n.IsInt64() && n.Int64() >= 1 && n.Int64() <= int64(len(keys)) {
			places[k.key] = true
		}
	}
	switch len(sorted) {
	case 0:
		return Function
	case texts:
		return Record
	case len(places):
		return Sequence
	}
	return Function
}

// inPlace returns the items of a function from 1 to n in the order of their keys.
func inPlace(keys, items []Value) []Value {
	placed := make([]Value, len(items))
	for i, k := range keys {
		n, _ := k.Number()
		placed[n.Int64()-1] = items[i]
	}
	return placed
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\f", `\f`)

func quote(text string) string { return `"` + escaper.Replace(text) + `"` }
