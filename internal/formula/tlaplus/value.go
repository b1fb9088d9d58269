package tlaplus

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/property/values"
)

// result is the result of an evaluation: a value, or a set or function whose members are not listed.
type result struct {
	values.Value
	lazy lazy // nil if the result is the embedded Value
}

// lazy is a set whose members are not listed, since they may be many or infinitely many, or a function
// whose values are computed on demand.
type lazy interface {
	// has reports whether a set has a member.
	has(m *machine, x *expression, v result) bool
	// all returns the value with all its members. It fails at the position of x if the value is
	// infinite or too large.
	all(m *machine, x *expression) values.Value
	text() string
	// parts returns the number of sets in the value, including the value itself.
	parts() int
}

// mostMembers is the largest number of members of a set that is listed.
const mostMembers = 1_000_000

func madeNumber(digits string) values.Value { return values.Make(values.Int, digits, nil, nil) }

func quoted(text string) values.Value { return values.Make(values.String, text, nil, nil) }

func setOfAll(members []values.Value) values.Value {
	return values.Make(values.Set, "", nil, members)
}
func sequenceOf(items []values.Value) values.Value {
	return values.Make(values.Sequence, "", nil, items)
}
func functionOf(keys, items []values.Value) values.Value {
	return values.Make(values.Function, "", keys, items)
}

var truths = [2]values.Value{
	values.Make(values.Bool, "FALSE", nil, nil),
	values.Make(values.Bool, "TRUE", nil, nil),
}

func boolean(is bool) values.Value {
	if is {
		return truths[1]
	}
	return truths[0]
}

func of(v values.Value) result { return result{Value: v} }
func truth(is bool) result     { return result{Value: boolean(is)} }
func whole(n int64) result     { return result{Value: values.OfInt(n)} }

// what names the kind of a result in messages.
func (r result) what() string {
	switch r.lazy.(type) {
	case nil:
	case *lazyFunction:
		return "a function"
	case *unlistedParts:
		return r.lazy.(*unlistedParts).what()
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
	if isUnreadable(r.Value) {
		return "no value of TLA+"
	}
	return "a model value"
}

// mostShown is the largest number of characters of a value in a message.
const mostShown = 60

// shown returns the value for a message.
func (r result) shown() string {
	if r.lazy != nil {
		return beginning(r.lazy.text(), mostShown)
	}
	return beginning(r.Value.Start(mostShown*utf8.UTFMax), mostShown)
}

// value returns a result as a value whose members or items are all listed. It fails if they are too many.
func (m *machine) value(x *expression, r result) values.Value {
	if r.lazy != nil {
		return r.lazy.all(m, x)
	}
	return r.Value
}

// bool returns the truth value that the expression x has; it fails if the result is none.
func (m *machine) bool(x *expression, r result) bool {
	if r.lazy != nil || r.Kind() != values.Bool {
		remedy := ""
		isConditionInBraces := x.kind == setOf && len(x.args) == 1
		if isConditionInBraces {
			remedy = "; braces make a set: write " + x.args[0].text()
		}
		fail(x.at, "%s must be true or false, but is %s: %s%s", x.text(), r.what(), r.shown(), remedy)
	}
	return r.Equal(truths[1])
}

// int returns the number that the expression x has; it fails if the result is none, or too large.
func (m *machine) int(x *expression, r result) int64 {
	if n, is := r.Int64(); is && r.lazy == nil {
		return n
	}
	if r.lazy == nil && r.Kind() == values.Int {
		fail(x.at, "%s is %s, which is larger than the numbers of TLC", x.text(), r.shown())
	}
	fail(x.at, "%s must be a number, but is %s: %s", x.text(), r.what(), r.shown())
	return 0
}

// number32 returns a number as a result. As in TLC, it must have at most 32 bits.
func number32(x *expression, n int64) result {
	if n > math.MaxInt32 || n < math.MinInt32 {
		fail(x.at, "%s is %d, which is larger than the numbers of TLC", x.text(), n)
	}
	return whole(n)
}

// members returns the members of a finite set.
func (m *machine) members(x *expression, r result) []values.Value {
	v := m.requireSet(x, r)
	if v.lazy == nil {
		return v.Items()
	}
	return r.lazy.all(m, x).Items()
}

// isSet reports whether a result is a set, listed or not.
func (r result) isSet() bool {
	switch unlisted := r.lazy.(type) {
	case nil:
		return r.Kind() == values.Set
	case *lazyFunction:
		return false
	case *unlistedParts:
		return unlisted.kind == values.Set
	}
	return true
}

// requireSet returns r. It fails at the position of x unless r is a set.
func (m *machine) requireSet(x *expression, r result) result {
	switch {
	case r.isSet():
	case r.lazy != nil:
		fail(x.at, "%s must be a set, but is %s", x.text(), r.what())
	default:
		fail(x.at, "%s must be a set, but is %s: %s", x.text(), r.what(), r.shown())
	}
	return r
}

// sequence returns the items of a sequence.
func (m *machine) sequence(x *expression, r result) []values.Value {
	v := m.value(x, r)
	if v.Kind() != values.Sequence {
		fail(x.at, "%s must be a sequence, but is %s: %s", x.text(), of(v).what(),
			of(v).shown())
	}
	return v.Items()
}

// isModelValue reports whether a value is a model value. Its kind is that of a text without quotes; a
// string has a kind of its own.
func isModelValue(v values.Value) bool { return v.Kind() == values.Text }

// isUnreadable reports whether a value is a text of the graph that denotes no value, such as <<1, 2 without its
// end. A model value is a name.
func isUnreadable(v values.Value) bool { return isModelValue(v) && !isWord(v.String()) }

// isFunction reports whether a value is a function. Records and sequences are functions, too.
func isFunction(v values.Value) bool {
	return v.Kind() == values.Record || v.Kind() == values.Function ||
		v.Kind() == values.Sequence
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
	if m.requireSet(x, set); set.lazy != nil {
		m.work()
		return set.lazy.has(m, x, v)
	}
	return m.memberOf(x, set.Value, m.value(x, v))
}

func (m *machine) memberOf(x *expression, set, v values.Value) bool {
	m.spent.take(1 + v.Size())
	if set.Has(v) {
		return true
	}
	items := set.Items()
	if len(items) > 0 {
		m.alike(x, items[0], v)
	}
	return false
}

// family returns the kind as which a value is compared. Records and sequences are compared as
// functions.
func family(v values.Value) values.Kind {
	switch k := v.Kind(); k {
	case values.Record, values.Sequence:
		return values.Function
	default:
		return k
	}
}

// alike fails if two values cannot be compared, or if the graph has no value but another text. As in TLC, a model value can be compared with every
// value, and any other value with values of its family.
func (m *machine) alike(x *expression, a, b values.Value) {
	for _, v := range []values.Value{a, b} {
		if isUnreadable(v) {
			fail(x.at, "%s compares %s, which is no value of TLA+: the graph is damaged, or TLC could not list the value; have TLC write the graph anew",
				x.text(), of(v).shown())
		}
	}
	f := family(a)
	g := family(b)
	if f != g && f != values.Text && g != values.Text {
		fail(x.at, "%s compares %s, %s, with %s, %s", x.text(), of(a).shown(), of(a).what(),
			of(b).shown(), of(b).what())
	}
}

func (m *machine) equal(x *expression, r, s result) bool {
	a := m.value(x, r)
	b := m.value(x, s)
	if m.same(a, b) {
		return true
	}
	m.differ(x, a, b)
	return false
}

// differ fails if two different values have parts that cannot be compared.
func (m *machine) differ(x *expression, a, b values.Value) {
	m.alike(x, a, b)
	if len(a.Items()) != len(b.Items()) || isModelValue(a) || isModelValue(b) {
		return
	}
	if isFunction(a) && !slices.EqualFunc(domain(a), domain(b), m.same) {
		return
	}
	for i, v := range a.Items() {
		w := b.Items()[i]
		if !m.same(v, w) {
			m.differ(x, v, w)
			return
		}
	}
}

// sorted returns the members of a set in the order of TLC.
func (m *machine) sorted(members []values.Value) []values.Value {
	m.spent.room(len(members))
	all := slices.Clone(members)
	slices.SortStableFunc(all, m.compare)
	return all
}

// compare compares values in the order of TLC: numbers by size, strings and model values by the order
// in which they were first read, sets and sequences by their lengths and then by their members.
func (m *machine) compare(a, b values.Value) int {
	if m.same(a, b) {
		return 0
	}
	kind := family(a)
	if kind != family(b) {
		return compareFamilies(kind, family(b))
	}
	lengths := len(a.Items()) - len(b.Items())
	switch kind {
	case values.Text, values.String:
		return m.compareTexts(contentOf(a), contentOf(b))
	case values.Set:
		if lengths != 0 {
			return lengths
		}
		return slices.CompareFunc(m.sorted(a.Items()), m.sorted(b.Items()), m.compare)
	case values.Function:
		if lengths != 0 {
			return lengths
		}
		keys := slices.CompareFunc(domain(a), domain(b), m.compare)
		if keys != 0 {
			return keys
		}
		return slices.CompareFunc(a.Items(), b.Items(), m.compare)
	}
	return a.Compare(b)
}

// compareFamilies compares values of different families: model values come first.
func compareFamilies(a, b values.Kind) int {
	switch {
	case a == values.Text:
		return -1
	case b == values.Text:
		return 1
	}
	return int(a) - int(b)
}

// contentOf returns a string without its quotes, or the name of a model value.
func contentOf(v values.Value) string {
	if v.Kind() == values.String {
		return v.Content()
	}
	return v.String()
}

// compareTexts compares texts by the order in which they were first read. Texts that were not read are
// compared by their characters.
func (m *machine) compareTexts(a, b string) int {
	first, isKnown := m.order[a]
	second, isKnownToo := m.order[b]
	if isKnown && isKnownToo {
		return first - second
	}
	return strings.Compare(a, b)
}

// keptIntervals is the number of intervals whose members a machine stores, and keptMembers the largest
// number of members of such an interval.
const (
	keptIntervals = 1000
	keptMembers   = 100
)

// interval is a..b.
type interval struct{ from, to int64 }

func (i interval) text() string {
	return strconv.FormatInt(i.from, 10) + ".." + strconv.FormatInt(i.to, 10)
}

func (i interval) has(m *machine, x *expression, v result) bool {
	if !m.isNumber(x, v) {
		return false
	}
	n := m.int(x, v)
	return i.from <= n && n <= i.to
}

// size returns the number of members, which may be greater than the largest int64.
func (i interval) size() uint64 {
	if i.from > i.to {
		return 0
	}
	return uint64(i.to) - uint64(i.from) + 1
}

// isNumber reports whether a result is a number. It returns false for a model value, which can be
// compared with numbers, and fails for other results.
func (m *machine) isNumber(x *expression, v result) bool {
	if v.lazy == nil && isModelValue(v.Value) {
		return false
	}
	if v.lazy != nil || v.Kind() != values.Int {
		fail(x.at, "%s compares %s, %s, with numbers", x.text(), v.shown(), v.what())
	}
	return true
}

// all returns the set of the numbers. It stores short intervals, since the same ones are needed in many states.
func (i interval) all(m *machine, x *expression) values.Value {
	n := i.size()
	if n > mostMembers {
		tooLarge(x, i)
	}
	if v, ok := m.intervals[i]; ok {
		return v
	}
	m.spent.room(int(n))
	members := make([]values.Value, n)
	for k := range members {
		members[k] = values.OfInt(i.from + int64(k))
	}
	v := setOfAll(members)
	if len(members) <= keptMembers && len(m.intervals) < keptIntervals {
		m.intervals[i] = v
	}
	return v
}

// tooLarge fails since a set has too many members to list them.
func tooLarge(x *expression, set lazy) {
	fail(x.at, "%s asks for all members of %s, which are too many", x.text(), set.text())
}

// infinite is Nat, Int, STRING or Real.
type infinite string

func (i infinite) text() string { return string(i) }
func (i infinite) parts() int   { return 1 }
func (i interval) parts() int   { return 1 }

func (i infinite) has(m *machine, x *expression, v result) bool {
	if i == "STRING" {
		return v.lazy == nil && v.Kind() == values.String
	}
	return m.isNumber(x, v) && (i != "Nat" || m.int(x, v) >= 0)
}

func (i infinite) all(m *machine, x *expression) values.Value {
	problem := fmt.Sprintf("%s asks for all members of %s, which", x.text(), i)
	if x.text() == string(i) {
		problem = fmt.Sprintf("the members of %s", i)
	}
	fail(x.at, "%s are infinitely many; put a finite set in its place, as TLC needs one, too", problem)
	return values.Value{}
}

// lazyFunction is a function whose values are computed on demand, since its domain is infinite or its
// definition recursive.
type lazyFunction struct {
	name  string
	over  result
	item  func(m *machine, x *expression, key result) result
	known map[string]result
}

func (f *lazyFunction) text() string { return f.name }
func (f *lazyFunction) parts() int   { return partsOf(f.over) }

func (f *lazyFunction) has(m *machine, x *expression, _ result) bool {
	fail(x.at, "%s is a function, and no set", x.text())
	return false
}

// at returns the value of the function at a key, which it computes once.
func (f *lazyFunction) at(m *machine, x *expression, key result) result {
	if !m.has(x, f.over, key) {
		fail(x.at, "%s: %s is not in the domain of %s, which is %s", x.text(), key.shown(),
			f.name, f.over.shown())
	}
	k := m.value(x, key)
	m.spent.take(k.Size())
	name := k.String()
	if r, ok := f.known[name]; ok {
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
	return m.functionOf(x, keys, items)
}

// builtin is an operator of the language or of a standard module whose arguments are values.
type builtin struct {
	arity int
	run   func(m *machine, x *expression, a []result) result
}

// arg returns argument i of an application for errors; the application itself if it has no such
// argument.
func arg(x *expression, i int) *expression {
	if i < len(x.args) {
		return x.args[i]
	}
	return x
}

// divided divides as in TLA+: the remainder is not negative if the divisor is positive.
func divided(x *expression, a, b int64) (quotient, rest int64) {
	if b == 0 {
		fail(x.at, "%s divides by 0", x.text())
	}
	quotient = a / b
	rest = a % b
	if rest != 0 && (rest < 0) != (b < 0) {
		quotient--
		rest += b
	}
	return quotient, rest
}

// permutations returns Permutations(S): the bijections from a set to itself, as functions.
func permutations(m *machine, x *expression, a []result) result {
	members := m.members(x, a[0])
	if len(members) > 9 {
		fail(x.at, "%s asks for all permutations of %d members, which are too many", x.text(),
			len(members))
	}
	var all []values.Value
	var choose func(chosen []values.Value)
	choose = func(chosen []values.Value) {
		if len(chosen) == len(members) {
			all = append(all, m.functionOf(x, slices.Clone(members), slices.Clone(chosen)))
			return
		}
		for _, v := range members {
			if !slices.ContainsFunc(chosen, func(w values.Value) bool { return m.same(v, w) }) {
				choose(append(chosen[:len(chosen):len(chosen)], v))
			}
		}
	}
	choose(nil)
	return of(m.setOf(x, all))
}

// notHere are operators that are refused, since their values depend on how TLC runs.
var notHere = words(`TLCSet RandomElement JavaTime Any TLCFP TLCGetOrDefault TLCGetAndSet TLCModelValue TLCEvalDefinition AssertError Trace _TETrace _TEPosition
	CounterExample ToTrace PickSuccessor RandomSubset RandomSetOfSubsets TestRandomSetOfSubsets`)

// ofJSON are the operators of TLC's module Json. They have no definitions that can be evaluated.
var ofJSON = words("ToJson ToJsonArray ToJsonObject JsonSerialize JsonDeserialize ndJsonSerialize ndJsonDeserialize")

// outside are the operators of the community modules by which TLC reads its environment, files and the
// output of programs. Their definitions only say what kind of value they have.
var outside = words(`IOUtils!IOEnv IOUtils!IOExec IOUtils!IOEnvExec IOUtils!IOExecTemplate IOUtils!IOEnvExecTemplate IOUtils!IODeserialize
	IOUtils!Deserialize IOUtils!Serialize Json!JsonDeserialize Json!ndJsonDeserialize CSV!CSVRead CSV!CSVRecords`)

// standIns are the operators of the community modules that TLC computes by Java code, and whose
// definitions in TLA+ only stand in for it.
var standIns = words(`VectorClocks!CausalOrder Statistics!ChiSquare SVG!NodeOfRingNetwork SVG!NodesOfDirectedMultiGraph
	SVG!SVGElemToString GraphViz!DotDiGraph`)

// isOutside reports whether the value of a definition comes from outside the specification.
func (d *Definition) isOutside() bool { return outside()[d.longName()] || standIns()[d.longName()] }

// fromOutside returns the definition of a value that TLC has read from outside the specification.
// Only the value of IOEnv can be known: it is the environment of TLC, if that is known. For any
// other definition, fromOutside fails.
func (s *Specification) fromOutside(d *Definition, use *expression) *Definition {
	if d.longName() == "IOUtils!IOEnv" && s.environment != nil {
		return s.constantDefinition(d.module, d.name, environmentRecord(s.environment))
	}
	if standIns()[d.longName()] {
		fail(use.at,
			"%s is computed by Java code that comes with module %s, and has no value here; put a definition of yours in its place in the configuration (CONSTANT %[1]s <- Mine)", d.name, d.module.name)
	}
	fail(use.at,
		"%s is what TLC reads from its environment, a file or another program, and has no value in a graph; put a definition of yours in its place in the configuration (CONSTANT %[1]s <- Mine)", d.name)
	return nil
}

// environmentRecord returns the record with a field for each variable of an environment, whose variables
// are given as "NAME=value". If a name occurs several times, its last value is valid.
func environmentRecord(environment []string) values.Value {
	valueOf := map[string]string{}
	for _, variable := range environment {
		name, value, isVariable := strings.Cut(variable, "=")
		if isVariable && name != "" {
			valueOf[name] = value
		}
	}
	var names, items []values.Value
	for _, name := range slices.Sorted(maps.Keys(valueOf)) {
		names = append(names, quoted(name))
		items = append(items, quoted(valueOf[name]))
	}
	return functionOf(names, items)
}

// longName returns module!name; "" for a definition of LET.
func (d *Definition) longName() string {
	if d.module == nil {
		return ""
	}
	return d.module.name + "!" + d.name
}

// closest returns a clause with the most similar names; "" if no name is similar.
func closest(name string, names []string) string {
	identifiers := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return n == "" || !isLetter(rune(n[0]))
	})
	near := values.Closest(name, identifiers, 2)
	if len(near) > 0 {
		return "; the closest names are " + strings.Join(near, " and ")
	}
	return ""
}
