package tlaplus

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/property/values"
)

// result is the result of evaluating an expression: a value, or a set or function whose members are
// not listed.
type result struct {
	values.Value
	lazy lazy // nil if the result is the embedded Value
}

// lazy is a set whose members are not listed, since it may be large or infinite, or a
// function whose values are computed on demand.
type lazy interface {
	// has reports whether a set has a member.
	has(m *machine, x *expression, v result) bool
	// all returns the value with all its members; it fails, with the position of
	// x, if the value is infinite or too large.
	all(m *machine, x *expression) values.Value
	String() string
}

// mostMembers is the largest number of members of a set that is listed.
const mostMembers = 1_000_000

func madeNumber(digits string) values.Value { return values.Make(values.Int, digits, nil, nil) }

func quoted(text string) values.Value { return values.Make(values.String, text, nil, nil) }
func named(name string) values.Value  { return values.Make(values.Text, name, nil, nil) }
func setOfAll(members []values.Value) values.Value {
	return values.Make(values.Set, "", nil, members)
}
func sequenceOf(items []values.Value) values.Value {
	return values.Make(values.Sequence, "", nil, items)
}
func functionOf(keys, items []values.Value) values.Value {
	return values.Make(values.Function, "", keys, items)
}

var truths = [2]values.Value{values.Make(values.Bool, "FALSE", nil, nil), values.Make(values.Bool, "TRUE", nil, nil)}

func boolean(is bool) values.Value {
	if is {
		return truths[1]
	}
	return truths[0]
}

func of(v values.Value) result { return result{Value: v} }
func truth(is bool) result     { return result{Value: boolean(is)} }
func whole(n int64) result     { return result{Value: values.OfInt(n)} }

// what names the kind of a result for people.
func (r result) what() string {
	switch r.lazy.(type) {
	case nil:
	case *lazyFunction:
		return "a function"
	default:
		return "a set"
	}
	switch r.Kind() {
	case values.Int:
		return "a number"
	case values.String:
		return "a string"
	case values.Bool:
		return "a truth value"
	case values.Set:
		return "a set"
	case values.Sequence:
		return "a sequence"
	case values.Record:
		return "a record"
	case values.Function:
		return "a function"
	}
	return "a model value"
}

// shown returns the value for a message.
func (r result) shown() string {
	text := ""
	if r.lazy != nil {
		text = r.lazy.String()
	} else {
		text = r.Value.String()
	}
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}

func (m *machine) value(x *expression, r result) values.Value {
	if r.lazy != nil {
		return r.lazy.all(m, x)
	}
	return r.Value
}

func (m *machine) bool(x *expression, r result) bool {
	if r.lazy != nil || r.Kind() != values.Bool {
		fail(x.at, "%s is to be true or false, and is %s: %s", x.text(), r.what(), r.shown())
	}
	return r.Equal(truths[1])
}

func (m *machine) int(x *expression, r result) int64 {
	if n, is := r.Int64(); is && r.lazy == nil {
		return n
	}
	fail(x.at, "%s is to be a number, and is %s: %s", x.text(), r.what(), r.shown())
	return 0
}

// number32 returns a result that must be a number of TLC, of 32 bits.
func number32(x *expression, n int64) result {
	if n > math.MaxInt32 || n < math.MinInt32 {
		fail(x.at, "%s is %d, which is larger than the numbers of TLC are", x.text(), n)
	}
	return whole(n)
}

// members returns the members of a finite set.
func (m *machine) members(x *expression, r result) []values.Value {
	if v := m.set(x, r); v.lazy == nil {
		return v.Items()
	}
	return r.lazy.all(m, x).Items()
}

// set returns r; it fails, with the position of x, unless r is a set.
func (m *machine) set(x *expression, r result) result {
	if r.lazy == nil && r.Kind() != values.Set {
		fail(x.at, "%s is to be a set, and is %s: %s", x.text(), r.what(), r.shown())
	}
	if _, is := r.lazy.(*lazyFunction); is {
		fail(x.at, "%s is to be a set, and is a function", x.text())
	}
	return r
}

// sequence returns the items of a sequence.
func (m *machine) sequence(x *expression, r result) []values.Value {
	v := m.value(x, r)
	if v.Kind() != values.Sequence {
		fail(x.at, "%s is to be a sequence, and is %s: %s", x.text(), of(v).what(), of(v).shown())
	}
	return v.Items()
}

// isFunction reports whether a value is a function: records and sequences are,
// too.
func isFunction(v values.Value) bool {
	return v.Kind() == values.Record || v.Kind() == values.Function || v.Kind() == values.Sequence
}

// domain returns the domain of a function, in the order of its items.
func domain(v values.Value) []values.Value {
	if v.Kind() != values.Sequence {
		return v.Keys()
	}
	all := make([]values.Value, len(v.Items()))
	for i := range all {
		all[i] = values.OfInt(int64(i + 1))
	}
	return all
}

// has reports whether a set has a member.
func (m *machine) has(x *expression, set, v result) bool {
	if m.set(x, set); set.lazy != nil {
		return set.lazy.has(m, x, v)
	}
	return m.memberOf(x, set.Value, m.value(x, v))
}

func (m *machine) memberOf(x *expression, set, v values.Value) bool {
	if set.Has(v) {
		return true
	}
	if items := set.Items(); len(items) > 0 {
		m.alike(x, items[0], v)
	}
	return false
}

// family returns the kind with which a value is compared: records and sequences
// are functions.
func family(v values.Value) values.Kind {
	switch k := v.Kind(); k {
	case values.Record, values.Sequence:
		return values.Function
	default:
		return k
	}
}

// alike fails if two values cannot be compared: TLC compares model values with all values, and
// other values with those of their family.
func (m *machine) alike(x *expression, a, b values.Value) {
	if f, g := family(a), family(b); f != g && f != values.Text && g != values.Text {
		fail(x.at, "%s compares %s, %s, with %s, %s", x.text(), of(a).shown(), of(a).what(), of(b).shown(), of(b).what())
	}
}

func (m *machine) equal(x *expression, r, s result) bool {
	a, b := m.value(x, r), m.value(x, s)
	if a.Equal(b) {
		return true
	}
	m.differ(x, a, b)
	return false
}

// differ fails if two values that are not equal have parts that cannot be compared.
func (m *machine) differ(x *expression, a, b values.Value) {
	m.alike(x, a, b)
	if len(a.Items()) != len(b.Items()) || family(a) == values.Text || family(b) == values.Text {
		return
	}
	if isFunction(a) && !slices.EqualFunc(domain(a), domain(b), values.Value.Equal) {
		return
	}
	for i, v := range a.Items() {
		if w := b.Items()[i]; !v.Equal(w) {
			m.differ(x, v, w)
			return
		}
	}
}

// sorted returns the members of a set in the order of TLC.
func (m *machine) sorted(members []values.Value) []values.Value {
	all := slices.Clone(members)
	slices.SortStableFunc(all, m.compare)
	return all
}

// compare compares values in the order of TLC: numbers by size, strings and model values by when
// they were first read, sets and sequences by their lengths and then by their members.
func (m *machine) compare(a, b values.Value) int {
	if a.Equal(b) {
		return 0
	}
	if family(a) != family(b) {
		if (family(a) == values.Text) != (family(b) == values.Text) {
			if family(a) == values.Text {
				return -1
			}
			return 1
		}
		return int(family(a)) - int(family(b))
	}
	switch family(a) {
	case values.Text, values.String:
		text := func(v values.Value) string {
			if v.Kind() == values.String {
				return v.Content()
			}
			return v.String()
		}
		first, is := m.order[text(a)]
		second, both := m.order[text(b)]
		if is && both {
			return first - second
		}
		return strings.Compare(text(a), text(b))
	case values.Set:
		if c := len(a.Items()) - len(b.Items()); c != 0 {
			return c
		}
		return slices.CompareFunc(m.sorted(a.Items()), m.sorted(b.Items()), m.compare)
	case values.Function:
		if c := len(a.Items()) - len(b.Items()); c != 0 {
			return c
		}
		if c := slices.CompareFunc(domain(a), domain(b), m.compare); c != 0 {
			return c
		}
		return slices.CompareFunc(a.Items(), b.Items(), m.compare)
	}
	return a.Compare(b)
}

// keptIntervals is how many intervals a machine keeps with their members,
// keptMembers the largest number of members of a kept one.
const (
	keptIntervals = 1000
	keptMembers   = 100
)

// interval is a..b.
type interval struct{ from, to int64 }

func (i interval) String() string {
	return strconv.FormatInt(i.from, 10) + ".." + strconv.FormatInt(i.to, 10)
}

func (i interval) has(m *machine, x *expression, v result) bool {
	if v.lazy == nil && v.Kind() == values.Text {
		return false
	}
	if v.lazy != nil || v.Kind() != values.Int {
		fail(x.at, "%s compares %s, %s, with numbers", x.text(), v.shown(), v.what())
	}
	n := m.int(x, v)
	return i.from <= n && n <= i.to
}

func (i interval) all(m *machine, x *expression) values.Value {
	if i.to-i.from >= mostMembers {
		tooLarge(x, i)
	}
	if v, known := m.intervals[i]; known {
		return v
	}
	var members []values.Value
	for n := i.from; n <= i.to; n++ {
		members = append(members, values.OfInt(n))
	}
	v := setOfAll(members)
	if len(members) <= keptMembers && len(m.intervals) < keptIntervals {
		m.intervals[i] = v
	}
	return v
}

func tooLarge(x *expression, set lazy) {
	fail(x.at, "%s asks for all members of %s, which are too many", x.text(), set)
}

// infinite is Nat, Int, STRING or Real.
type infinite string

func (i infinite) String() string { return string(i) }

func (i infinite) has(m *machine, x *expression, v result) bool {
	if i == "STRING" {
		return v.lazy == nil && v.Kind() == values.String
	}
	if v.lazy != nil || v.Kind() != values.Int {
		if v.lazy == nil && v.Kind() == values.Text {
			return false
		}
		fail(x.at, "%s compares %s, %s, with numbers", x.text(), v.shown(), v.what())
	}
	return i != "Nat" || m.int(x, v) >= 0
}

func (i infinite) all(m *machine, x *expression) values.Value {
	fail(x.at, "%s asks for all members of %s, which are infinitely many", x.text(), i)
	return values.Value{}
}

// powerSet is SUBSET S.
type powerSet struct{ of result }

func (p powerSet) String() string { return "SUBSET " + p.of.shown() }

func (p powerSet) has(m *machine, x *expression, v result) bool {
	if m.set(x, v); v.lazy == nil || p.of.lazy == nil {
		for _, member := range m.members(x, v) {
			if !m.has(x, p.of, of(member)) {
				return false
			}
		}
		return true
	}
	return v.lazy.String() == p.of.lazy.String() || powerSet{p.of}.has(m, x, of(v.lazy.all(m, x)))
}

func (p powerSet) all(m *machine, x *expression) values.Value {
	members := m.members(x, p.of)
	if len(members) > 19 {
		tooLarge(x, p)
	}
	all := make([]values.Value, 0, 1<<len(members))
	for bits := range 1 << len(members) {
		m.work()
		var some []values.Value
		for i, v := range members {
			if bits>>i&1 != 0 {
				some = append(some, v)
			}
		}
		all = append(all, setOfAll(some))
	}
	return setOfAll(all)
}

// functionSet is [S -> T], a record set or a product: keys, and the set of values at each key.
type functionSet struct {
	source string
	keys   []values.Value
	sets   []result
	tuple  bool
}

func (f functionSet) String() string { return f.source }

func (f functionSet) make(items []values.Value) values.Value {
	if f.tuple {
		return sequenceOf(items)
	}
	return functionOf(slices.Clone(f.keys), items)
}

func (f functionSet) has(m *machine, x *expression, v result) bool {
	w := m.value(x, v)
	if w.Kind() == values.Text {
		return false
	}
	if !isFunction(w) {
		fail(x.at, "%s asks whether %s, %s, is a function", x.text(), v.shown(), v.what())
	}
	if len(w.Items()) != len(f.keys) {
		return false
	}
	for i, key := range f.keys {
		item, is := w.At(key)
		if !is || !m.has(x, f.sets[i], of(item)) {
			return false
		}
	}
	return true
}

func (f functionSet) all(m *machine, x *expression) values.Value {
	n := 1
	var members [][]values.Value
	for _, set := range f.sets {
		of := m.members(x, set)
		members = append(members, of)
		if n *= len(of); n > mostMembers {
			tooLarge(x, f)
		}
	}
	var all []values.Value
	items := make([]values.Value, len(members))
	var fill func(int)
	fill = func(i int) {
		if i == len(items) {
			m.work()
			all = append(all, f.make(slices.Clone(items)))
			return
		}
		for _, v := range members[i] {
			items[i] = v
			fill(i + 1)
		}
	}
	fill(0)
	return setOfAll(all)
}

// sequences is Seq(S).
type sequences struct{ of result }

func (s sequences) String() string { return "Seq(" + s.of.shown() + ")" }

func (s sequences) has(m *machine, x *expression, v result) bool {
	w := m.value(x, v)
	if !isFunction(w) && w.Kind() != values.Text {
		fail(x.at, "%s asks whether %s, %s, is a sequence", x.text(), v.shown(), v.what())
	}
	return w.Kind() == values.Sequence && !slices.ContainsFunc(w.Items(), func(item values.Value) bool { return !m.has(x, s.of, of(item)) })
}

func (s sequences) all(m *machine, x *expression) values.Value { return infinite(s.String()).all(m, x) }

// combined is a union, intersection or difference of sets, one of which at
// least is lazy.
type combined struct {
	sign string
	a, b result
}

func (c combined) String() string { return c.a.shown() + " " + c.sign + " " + c.b.shown() }

func (c combined) has(m *machine, x *expression, v result) bool {
	switch c.sign {
	case `\cup`:
		return m.has(x, c.a, v) || m.has(x, c.b, v)
	case `\cap`:
		return m.has(x, c.a, v) && m.has(x, c.b, v)
	}
	return m.has(x, c.a, v) && !m.has(x, c.b, v)
}

func (c combined) all(m *machine, x *expression) values.Value {
	var all []values.Value
	first, second := c.a, c.b
	if c.sign == `\cap` {
		if _, large := first.lazy.(infinite); large {
			first, second = second, first
		}
	}
	for _, v := range m.members(x, first) {
		if c.sign == `\cup` || m.has(x, second, of(v)) == (c.sign == `\cap`) {
			all = append(all, v)
		}
	}
	if c.sign == `\cup` {
		all = append(all, m.members(x, second)...)
	}
	return setOfAll(all)
}

// lazyFunction is a function whose values are computed on demand: over an infinite set, or
// recursive.
type lazyFunction struct {
	name  string
	over  result
	item  func(m *machine, x *expression, key result) result
	known map[string]result
}

func (f *lazyFunction) String() string { return f.name }

func (f *lazyFunction) has(m *machine, x *expression, _ result) bool {
	fail(x.at, "%s is a function, and no set", x.text())
	return false
}

func (f *lazyFunction) at(m *machine, x *expression, key result) result {
	if !m.has(x, f.over, key) {
		fail(x.at, "%s: %s is not in the domain of %s, which is %s", x.text(), key.shown(), f.name, f.over.shown())
	}
	k := m.value(x, key)
	name := k.String()
	if r, known := f.known[name]; known {
		return r
	}
	r := f.item(m, x, of(k))
	f.known[name] = r
	return r
}

func (f *lazyFunction) all(m *machine, x *expression) values.Value {
	keys := slices.Clone(m.members(x, f.over))
	items := make([]values.Value, len(keys))
	for i, k := range keys {
		items[i] = m.value(x, f.at(m, x, of(k)))
	}
	return functionOf(keys, items)
}
