package values

import (
	"cmp"
	"math"
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
	// depth and size are the nesting and the number of the parts in parts, for values with parts.
	depth uint16
	size  uint32
	// number is the value of an Int without a body, and 1 for TRUE.
	number int64
	*body
}

// body is the content of a value that is no number of 64 bits.
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

// Size returns the number of parts of a value, and of their parts, keys included, and so on: parts
// that are shared count wherever they occur. The result is at most math.MaxUint32, even if there
// are more parts. Cost O(1).
func (v Value) Size() int { return int(v.size) }

// Depth returns how deeply the parts of a value are nested: 0 for a value without parts; the result
// is at most math.MaxUint16, even if the parts are nested more deeply. Cost O(1).
func (v Value) Depth() int { return int(v.depth) }

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
		return compareNumbers(v, w)
	case v.kind == Bool:
		return cmp.Compare(v.number, w.number)
	}
	c := strings.Compare(v.content(), w.content())
	if c != 0 {
		return c
	}
	keys := v.Keys()
	others := w.Keys()
	items := w.Items()
	for i, item := range v.Items() {
		if i == len(items) {
			return 1
		}
		if keys != nil {
			c := keys[i].Compare(others[i])
			if c != 0 {
				return c
			}
		}
		c := item.Compare(items[i])
		if c != 0 {
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

// compareNumbers compares the values of two Ints, whose digits have no zeros in front.
func compareNumbers(v, w Value) int {
	if v.body == nil && w.body == nil {
		return cmp.Compare(v.number, w.number)
	}
	a := v.content()
	b := w.content()
	negative := strings.HasPrefix(a, "-")
	if negative != strings.HasPrefix(b, "-") {
		if negative {
			return -1
		}
		return 1
	}
	c := cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	if negative {
		return -c
	}
	return c
}

// String returns the value in the notation of TLA+, a term in that of mCRL2. Cost
// O(length of the text).
func (v Value) String() string { return v.Start(math.MaxInt) }

// Start returns the text of [Value.String] if it has at most this many bytes, and otherwise a
// beginning of that text with more than this many bytes. Cost O(most + the depth of the value + its
// longest leaf).
func (v Value) Start(most int) string { return string(v.appendTo(nil, most)) }

// appendTo appends the text of a value. It begins no further part once there are more than this
// many bytes.
func (v Value) appendTo(text []byte, limit int) []byte {
	var s notation
	switch v.kind {
	case String:
		return append(text, quote(v.content())...)
	case Sequence:
		s = notation{opener: "<<", between: ", ", closer: ">>"}
	case List:
		s = notation{opener: "[", between: ", ", closer: "]"}
	case Set:
		s = notation{opener: "{", between: ", ", closer: "}"}
	case Term:
		s = notation{opener: v.text + "(", between: ", ", closer: ")"}
	case Record:
		s = notation{opener: "[", afterKey: " |-> ", between: ", ", closer: "]"}
	case Function:
		s = notation{opener: "(", afterKey: " :> ", between: " @@ ", closer: ")"}
	default:
		return append(text, v.content()...)
	}
	text = append(text, s.opener...)
	for i, item := range v.Items() {
		if i > 0 {
			text = append(text, s.between...)
		}
		switch v.kind {
		case Record:
			text = append(text, v.keys[i].content()...)
		case Function:
			text = v.keys[i].appendTo(text, limit)
		}
		text = append(text, s.afterKey...)
		text = item.appendTo(text, limit)
		if len(text) > limit {
			return text
		}
	}
	return append(text, s.closer...)
}

// notation is how a kind of values writes its parts. afterKey is empty if the parts have no keys.
type notation struct{ opener, afterKey, between, closer string }

// At returns the part of a record, function, sequence, list or term at a key: a
// field, an argument of a function, or an index, which counts from 1 in sequences
// and terms and from 0 in lists. False if there is none. Cost O(log parts).
func (v Value) At(key Value) (Value, bool) {
	first := 1
	switch v.kind {
	case Record, Function:
		if i, isKey := slices.BinarySearchFunc(v.keys, key, Value.Compare); isKey {
			return v.items[i], true
		}
		return Value{}, false
	case List:
		first = 0
	case Sequence, Term:
	default:
		return Value{}, false
	}
	n, isKey := key.Int64()
	if !isKey || n < int64(first) || n-int64(first) >= int64(len(v.Items())) {
		return Value{}, false
	}
	return v.items[n-int64(first)], true
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
		text = withoutZeros(text)
	case Bool:
		if strings.EqualFold(text, "true") {
			return Value{kind: kind, number: 1, body: &body{text: text}}
		}
	}
	return Value{kind: kind, body: &body{text: text}}
}

// withoutZeros returns the digits of a number, and a sign, without zeros in front.
func withoutZeros(digits string) string {
	number, negative := strings.CutPrefix(digits, "-")
	number = strings.TrimLeft(number, "0")
	switch {
	case number == "":
		return "0"
	case negative:
		return "-" + number
	}
	return number
}

// tree returns a value with parts. Members of sets are sorted, and duplicates
// removed; functions from 1 to n become sequences, and those from strings
// records, as in TLA+.
func tree(kind Kind, text string, keys, items []Value) Value {
	switch kind {
	case Set:
		if !slices.IsSortedFunc(items, Value.Compare) {
			slices.SortStableFunc(items, Value.Compare)
		}
		items = slices.CompactFunc(items, Value.Equal)
	case Function, Record:
		if !slices.IsSortedFunc(keys, Value.Compare) {
			sort.Stable(pairs{keys, items})
		}
	}
	if kind == Function {
		kind = kindOfFunction(keys)
		if kind == Sequence {
			keys = nil
		}
	}
	v := Value{kind: kind, body: &body{text, items, keys}}
	for _, parts := range [][]Value{keys, items} {
		for _, part := range parts {
			v.depth = max(v.depth, part.depth)
			v.size = saturated(v.size, part.size)
		}
		v.size = saturated(v.size, uint32(min(len(parts), math.MaxUint32)))
	}
	v.depth = max(v.depth, v.depth+1) // which stays at the largest number
	return v
}

// kindOfFunction returns the kind of a function with these keys, in ascending order: a sequence, a record
// or any other function. The function without keys is any other one.
func kindOfFunction(keys []Value) Kind {
	if len(keys) == 0 {
		return Function
	}
	texts := 0
	consecutive := 0
	for i, k := range keys {
		if k.kind == String {
			texts++
		}
		n, isInteger := k.Int64()
		if isInteger && n == int64(i+1) {
			consecutive++
		}
	}
	switch len(keys) {
	case texts:
		return Record
	case consecutive:
		return Sequence
	}
	return Function
}

// saturated returns the sum of two numbers; the largest number if the sum is larger.
func saturated(a, b uint32) uint32 {
	if a+b < a {
		return math.MaxUint32
	}
	return a + b
}

// pairs sorts items by their keys.
type pairs struct{ keys, items []Value }

func (p pairs) Len() int           { return len(p.keys) }
func (p pairs) Less(i, j int) bool { return p.keys[i].Compare(p.keys[j]) < 0 }
func (p pairs) Swap(i, j int) {
	p.keys[i], p.keys[j] = p.keys[j], p.keys[i]
	p.items[i], p.items[j] = p.items[j], p.items[i]
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`,
	"\f", `\f`)

func quote(text string) string { return `"` + escaper.Replace(text) + `"` }

// Make returns a value: a leaf with a text, without quotes, or a value with
// items; keys are the keys of the items of a record or function. A function from
// 1 to n becomes a sequence, one from strings a record, and an empty one the
// empty sequence; keys must be different. It keeps the slices, and sorts them in
// sets and functions. Cost O(n log n).
func Make(kind Kind, text string, keys, items []Value) Value {
	switch {
	case kind < Sequence:
		return leaf(kind, text)
	case (kind == Function || kind == Record) && len(keys) == 0:
		return tree(Sequence, "", nil, nil)
	}
	return tree(kind, text, keys, items)
}

// OfInt returns a number. Cost O(1).
func OfInt(n int64) Value { return Value{kind: Int, number: n} }

// Keys returns the keys of a record or function, in the order of [Value.Items];
// nil for other values. The slice must not be changed.
func (v Value) Keys() []Value {
	if v.body == nil {
		return nil
	}
	return v.keys
}

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

// value reads a value of any kind. The depth is the number of values in which it is nested.
func (r *reader) value(depth int) (Value, bool) {
	if depth > mostNested {
		return Value{}, false
	}
	r.blanks()
	switch {
	case r.pos == len(r.text):
		return Value{}, false
	case r.text[r.pos] == '"':
		text, end, ok := unquote(r.text, r.pos)
		r.pos = end
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
	field := func() (Value, bool) {
		name := r.word()
		return leaf(String, name), name != ""
	}
	if keys, items, ok := r.entries(depth, field, "|->", ",", "]"); ok {
		return tree(Record, "", keys, items), true
	}
	r.pos = start
	list, ok := r.items(depth, "]")
	return tree(List, "", nil, list), ok
}

// entries reads keys with their values, up to the closer.
func (r *reader) entries(
	depth int,
	key func() (Value, bool),
	to, between, closer string,
) (keys, items []Value, ok bool) {
	for {
		k, ok := key()
		if !ok || !r.take(to) {
			return nil, nil, false
		}
		v, ok := r.value(depth + 1)
		if !ok {
			return nil, nil, false
		}
		keys = append(keys, k)
		items = append(items, v)
		if r.take(closer) {
			return keys, items, true
		}
		if !r.take(between) {
			return nil, nil, false
		}
	}
}

// function reads (a :> b @@ c :> d) after its opening parenthesis; parentheses
// around a single value mean nothing.
func (r *reader) function(depth int) (Value, bool) {
	first, ok := r.value(depth + 1)
	if !ok || r.take(")") {
		return first, ok
	}
	isFirst := true
	key := func() (Value, bool) {
		if isFirst {
			isFirst = false
			return first, true
		}
		return r.value(depth + 1)
	}
	keys, items, ok := r.entries(depth, key, ":>", "@@", ")")
	return tree(Function, "", keys, items), ok
}

// name reads a number, TRUE or FALSE, a name or a term.
func (r *reader) name(depth int) (Value, bool) {
	start := r.pos
	if r.text[r.pos] == '-' {
		r.pos++
	}
	word := r.word()
	text := r.text[start:r.pos]
	switch {
	case word == "":
		return Value{}, false
	case isNumber(word):
		return leaf(Int, text), true
	case text != word:
		return Value{}, false
	}
	if word == "TRUE" || word == "FALSE" || word == "true" || word == "false" {
		return leaf(Bool, word), true
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
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_' ||
		c == '\'' || c >= 0x80
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

// unquote reads a quoted text, and returns the offset after it; false if the
// quote does not end.
func unquote(text string, at int) (content string, end int, ok bool) {
	var b strings.Builder
	for i := at + 1; i < len(text); i++ {
		c := text[i]
		if c == '"' {
			return b.String(), i + 1, true
		}
		if c == '\\' && i+1 < len(text) {
			plain := strings.IndexByte(`ntrf"\`, text[i+1])
			if plain >= 0 {
				c = "\n\t\r\f\"\\"[plain]
				i++
			}
		}
		b.WriteByte(c)
	}
	return "", len(text), false
}

// Change is a difference between two values: a path, with the values there before
// and after.
type Change struct {
	// Path leads from the parameter to the value: "[1]", ".type"; "" is the whole parameter.
	Path string
	// Before and After are the values; Before is empty if the value is new, After
	// if it is gone.
	Before, After string
}

// String returns a change of the parameter as steps show it: pc[1]: "wait" → "cs" for a new value,
// queue: + <<2>> for an addition, and - for a removal.
func (c Change) String(parameter string) string {
	switch {
	case c.Before == "":
		return parameter + c.Path + ": + " + c.After
	case c.After == "":
		return parameter + c.Path + ": - " + c.Before
	}
	return parameter + c.Path + ": " + c.Before + " → " + c.After
}

// Diff returns the differences between two values, path by path; none if they are
// equal. Cost O(size).
func Diff(before, after Value) []Change {
	return diff(nil, "", before, after)
}

// diff appends the differences between two values to those found so far; path leads to the values.
func diff(found []Change, path string, a, b Value) []Change {
	change := Change{path, a.String(), b.String()}
	switch {
	case a.Equal(b):
		return found
	case a.kind != b.kind:
		return append(found, change)
	}
	switch a.kind {
	case Record, Function:
		return diffKeys(found, path, a, b)
	case Sequence, List:
		return diffSequence(found, path, a, b)
	case Set:
		for _, v := range b.Items() {
			if !a.Has(v) {
				found = append(found, Change{Path: path, After: v.String()})
			}
		}
		for _, v := range a.Items() {
			if !b.Has(v) {
				found = append(found, Change{Path: path, Before: v.String()})
			}
		}
		return found
	}
	return append(found, change)
}

// diffKeys compares records and functions key by key.
func diffKeys(found []Change, path string, a, b Value) []Change {
	textAt := func(v Value, i int) string { return path + v.pathTo(i) }
	for i, item := range a.Items() {
		if other, ok := b.At(a.keys[i]); ok {
			found = diff(found, textAt(a, i), item, other)
		} else {
			found = append(found, Change{Path: textAt(a, i), Before: item.String()})
		}
	}
	for i, item := range b.Items() {
		if _, ok := a.At(b.keys[i]); !ok {
			found = append(found, Change{Path: textAt(b, i), After: item.String()})
		}
	}
	return found
}

// Replacements returns the parts in which two values differ, each with both values there. It compares
// functions and records with the same keys part by part, and all other values as a whole. Cost O(size).
func Replacements(before, after Value) []Change {
	return replacements(nil, "", before, after)
}

func replacements(found []Change, path string, a, b Value) []Change {
	if a.Equal(b) {
		return found
	}
	hasKeys := a.kind == b.kind && (a.kind == Record || a.kind == Function)
	if !hasKeys || !slices.EqualFunc(a.keys, b.keys, Value.Equal) {
		return append(found, Change{path, a.String(), b.String()})
	}
	for i, item := range a.Items() {
		found = replacements(found, path+a.pathTo(i), item, b.items[i])
	}
	return found
}

// isField reports whether a key of a record can be written after a dot.
func isField(key string) bool {
	for i := range len(key) {
		if !isWord(key[i]) || i == 0 && isDigit(key[i]) {
			return false
		}
	}
	return key != ""
}

// pathTo returns the path from a record or function to the value of its key i.
func (v Value) pathTo(i int) string {
	key := v.keys[i]
	if v.kind == Record && isField(key.content()) {
		return "." + key.content()
	}
	return "[" + key.String() + "]"
}

// diffSequence compares sequences: sequences of one length index by index, and others by the items
// that one of them has in addition at one end.
func diffSequence(found []Change, path string, a, b Value) []Change {
	part := func(items []Value) string {
		return tree(a.kind, "", nil, items).String()
	}
	switch before, after := a.Items(), b.Items(); {
	case len(before) < len(after):
		added, isExtended := extension(before, after)
		if isExtended {
			return append(found, Change{Path: path, After: part(added)})
		}
	case len(before) > len(after):
		removed, isExtended := extension(after, before)
		if isExtended {
			return append(found, Change{Path: path, Before: part(removed)})
		}
	default:
		return diffIndexes(found, path, a, b)
	}
	return append(found, Change{path, a.String(), b.String()})
}

// extension returns the items that a longer list has after those of a shorter one, or before them; false if
// the shorter list stands at neither end of the longer one.
func extension(shorter, longer []Value) (extra []Value, isExtended bool) {
	n := len(longer) - len(shorter)
	switch {
	case slices.EqualFunc(longer[:len(shorter)], shorter, Value.Equal):
		return longer[len(shorter):], true
	case slices.EqualFunc(longer[n:], shorter, Value.Equal):
		return longer[:n], true
	}
	return nil, false
}

// diffIndexes compares sequences of one length index by index.
func diffIndexes(found []Change, path string, a, b Value) []Change {
	first := 1
	if a.kind == List {
		first = 0
	}
	for i := range a.Items() {
		found = diff(found, path+"["+strconv.Itoa(i+first)+"]", a.items[i], b.items[i])
	}
	return found
}
