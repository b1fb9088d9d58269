package values

import (
	"cmp"
	"math/big"
	"slices"
	"sort"
	"strconv"
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
	// number is the value of an Int without a body, and 1 for TRUE.
	number int64
	*body
}

// body is what a value consists of, unless it is a number of 64 bits.
type body struct {
	// text is the text of a leaf, without quotes, or the name of a term.
	text string
	// items are the parts; in records and functions they are the values of the
	// keys, which are in the order of [Value.Compare].
	items []Value
	keys  []Value
}

// Kind returns the kind of the value. Cost O(1).
func (v Value) Kind() Kind { return v.kind }

// Items returns the parts of a value. The slice must not be changed.
func (v Value) Items() []Value {
	if v.body == nil {
		return nil
	}
	return v.items
}

// Equal reports whether two values are the same, in whatever notation. Cost
// O(size), less if they share parts.
func (v Value) Equal(w Value) bool { return v.Compare(w) == 0 }

// Compare compares numbers by size, texts by their bytes, and other values part by
// part; values of different kinds by their kinds. Cost O(size), less if they share parts.
func (v Value) Compare(w Value) int {
	switch {
	case v.kind != w.kind:
		return int(v.kind) - int(w.kind)
	case v.body == w.body:
		return cmp.Compare(v.number, w.number)
	case v.kind == Int:
		return v.big().Cmp(w.big())
	case v.kind == Bool:
		return cmp.Compare(v.number, w.number)
	}
	if c := strings.Compare(v.content(), w.content()); c != 0 {
		return c
	}
	keys, others := v.Keys(), w.Keys()
	items := w.Items()
	for i, item := range v.Items() {
		if i == len(items) {
			return 1
		}
		if keys != nil {
			if c := keys[i].Compare(others[i]); c != 0 {
				return c
			}
		}
		if c := item.Compare(items[i]); c != 0 {
			return c
		}
	}
	return len(v.Items()) - len(items)
}

// content returns the text of a leaf, or the name of a term.
func (v Value) content() string {
	switch {
	case v.body != nil:
		return v.text
	case v.kind == Int:
		return strconv.FormatInt(v.number, 10)
	}
	return ""
}

// Content returns the text of a string, without quotes; "" of other values. Cost O(1).
func (v Value) Content() string {
	if v.kind == String {
		return v.content()
	}
	return ""
}

// Int64 returns the value as a number; false if it is none, or has more than 64 bits.
func (v Value) Int64() (int64, bool) { return v.number, v.kind == Int && v.body == nil }

// big returns the value of an Int.
func (v Value) big() *big.Int {
	n, is := new(big.Int).SetString(v.content(), 10)
	if !is {
		return new(big.Int)
	}
	return n
}

// String returns the value in the notation of TLA+, a term in that of mCRL2. Cost
// O(length of the text).
func (v Value) String() string {
	switch v.kind {
	case String:
		return quote(v.content())
	case Sequence:
		return "<<" + join(v.Items()) + ">>"
	case List:
		return "[" + join(v.Items()) + "]"
	case Set:
		return "{" + join(v.Items()) + "}"
	case Term:
		return v.text + "(" + join(v.Items()) + ")"
	case Record, Function:
		between, before, after, to := ", ", "[", "]", " |-> "
		if v.kind == Function {
			between, before, after, to = " @@ ", "(", ")", " :> "
		}
		parts := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			name := v.keys[i].String()
			if v.kind == Record {
				name = v.keys[i].content()
			}
			parts[i] = name + to + item.String()
		}
		return before + strings.Join(parts, between) + after
	}
	return v.content()
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
// and terms and from 0 in lists. False if there is none. Cost O(log parts).
func (v Value) At(key Value) (Value, bool) {
	first := 1
	switch v.kind {
	case Record, Function:
		if i, is := slices.BinarySearchFunc(v.keys, key, Value.Compare); is {
			return v.items[i], true
		}
		return Value{}, false
	case List:
		first = 0
	case Sequence, Term:
	default:
		return Value{}, false
	}
	n, is := key.Int64()
	if !is || n < int64(first) || n-int64(first) >= int64(len(v.Items())) {
		return Value{}, false
	}
	return v.items[n-int64(first)], true
}

// length returns the length of a sequence, list or set, or the number of characters
// of a string; false for other values.
func (v Value) length() (int, bool) {
	switch v.kind {
	case Sequence, List, Set:
		return len(v.Items()), true
	case String:
		return len([]rune(v.content())), true
	}
	return 0, false
}

// Has reports whether the value is a set with this member.
func (v Value) Has(member Value) bool {
	if v.kind != Set {
		return false
	}
	_, is := slices.BinarySearchFunc(v.Items(), member, Value.Compare)
	return is
}

// leaf returns a value without parts.
func leaf(kind Kind, text string) Value {
	switch kind {
	case Int:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return OfInt(n)
		}
		if n, ok := new(big.Int).SetString(text, 10); ok {
			text = n.String()
		}
	case Bool:
		if strings.EqualFold(text, "true") {
			return Value{kind, 1, &body{text: text}}
		}
	}
	return Value{kind: kind, body: &body{text: text}}
}

// tree returns a value with parts. Members of sets are sorted, and duplicates
// removed; functions from 1 to n become sequences, and those from strings
// records, as in TLA+.
func tree(kind Kind, text string, keys, items []Value) Value {
	switch kind {
	case Set:
		slices.SortStableFunc(items, Value.Compare)
		items = slices.CompactFunc(items, Value.Equal)
	case Function, Record:
		if !slices.IsSortedFunc(keys, Value.Compare) {
			sort.Stable(pairs{keys, items})
		}
		if kind == Function {
			kind = domain(keys)
		}
		if kind == Sequence {
			keys = nil
		}
	}
	return Value{kind: kind, body: &body{text, items, keys}}
}

// pairs sorts items by their keys.
type pairs struct{ keys, items []Value }

func (p pairs) Len() int           { return len(p.keys) }
func (p pairs) Less(i, j int) bool { return p.keys[i].Compare(p.keys[j]) < 0 }
func (p pairs) Swap(i, j int) {
	p.keys[i], p.keys[j] = p.keys[j], p.keys[i]
	p.items[i], p.items[j] = p.items[j], p.items[i]
}

// domain returns the kind of a function with these keys, which are sorted.
func domain(keys []Value) Kind {
	texts, consecutive := 0, 0
	for i, k := range keys {
		if k.kind == String {
			texts++
		}
		if n, is := k.Int64(); is && n == int64(i+1) {
			consecutive++
		}
	}
	switch len(keys) {
	case 0:
		return Function
	case texts:
		return Record
	case consecutive:
		return Sequence
	}
	return Function
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\f", `\f`)

func quote(text string) string { return `"` + escaper.Replace(text) + `"` }
