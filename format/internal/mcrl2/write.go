package mcrl2

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// dataSort is the sort of arguments and values that are neither numbers nor truth values. The file
// declares it as a structured sort, so that mCRL2 knows that its constants differ.
const dataSort = "Data"

// standIn is the text of a value where a state has none.
const standIn = ""

// Write writes a model as mCRL2 does since 2024, with the values of its states unless they are nil,
// so that [Read] gives the same texts again. Labels are multi-actions; tau is the multi-action
// without actions. Arguments are of sort Bool, Nat or Int, or are constants of a sort that the file
// declares. A warning says if the parts of a label are put into mCRL2's order, or if states that no
// transition mentions are lost, since the format has no number of states. It fails if w does, and
// before it has written anything if a label has more than 1 MiB. Cost O(S parameters + T), and
// memory for the labels and values.
func Write(w io.Writer, m *lts.LTS, values *lts.Values) (warnings []string, err error) {
	e := &encoder{
		to:         bufio.NewWriterSize(w, 64<<10),
		symbols:    map[string]int{},
		terms:      map[string]int{},
		numSymbols: 1,
	}
	f := &writer{
		encoder:       e,
		m:             m,
		values:        values,
		constants:     map[string]bool{},
		holdsNegative: map[string]bool{},
	}
	if values != nil && values.NumParameters() == 0 {
		f.values = nil
	}
	if err := f.readLabels(); err != nil {
		return nil, err
	}
	f.readValues()
	f.header()
	f.transitions()
	f.states()
	f.output("initial_state")
	f.outputNumber(1)
	f.outputNumber(uint64(m.Initial()))
	f.end()
	return f.warnings, f.to.Flush()
}

// writer writes a model.
type writer struct {
	*encoder
	m      *lts.LTS
	values *lts.Values
	// labels has the actions of each label.
	labels [][]actionText
	// constants are the constants of dataSort, and orderedConstants has them in the order in which they were
	// found.
	constants        map[string]bool
	orderedConstants []string
	// holdsNegative has the positions of arguments where a negative number stands: in such a position
	// all numbers are of sort Int.
	holdsNegative map[string]bool
	// sorts has the sort of each parameter.
	sorts []string
	// largest is the largest state that a transition mentions; the reader has no values of others.
	largest  lts.State
	warnings []string
}

// actionText is an action of a label with its arguments.
type actionText struct {
	name      string
	arguments []string
}

// argumentKey is a text that differs between the arguments of different actions.
func (a actionText) argumentKey(i int) string {
	return fmt.Sprint(a.name, "/", len(a.arguments), "/", i)
}

// readLabels splits the labels into actions, and finds the constants in them.
func (f *writer) readLabels() error {
	for _, text := range f.m.Alphabet().All() {
		if len(text) > textMax {
			return fmt.Errorf("the label %s has more than 1 MiB, the most in a label of mCRL2's .lts: write the model as .aut", printable.Echo(text))
		}
		ordered := string(sortActions([]byte(text)))
		if ordered != text && len(f.warnings) == 0 {
			f.warnings = []string{fmt.Sprintf("the parts of multi-actions are in mCRL2's order: %s is %s in the file", printable.Echo(text), printable.Echo(ordered))}
		}
		actions := actionsOf(text)
		f.labels = append(f.labels, actions)
		for _, a := range actions {
			f.readArguments(a)
		}
	}
	return nil
}

// readArguments finds the constants in the arguments of an action, and which arguments are negative.
func (f *writer) readArguments(a actionText) {
	for i, argument := range a.arguments {
		if isNegative(argument) {
			f.holdsNegative[a.argumentKey(i)] = true
		}
		f.addConstantIn(argument)
	}
}

// addConstantIn takes a text for a constant if it is no number and no truth value.
func (f *writer) addConstantIn(text string) {
	if sortOf(text) == dataSort {
		f.addConstant(text)
	}
}

// readValues finds the sort of each parameter, and the constants in the values.
func (f *writer) readValues() {
	if f.values == nil {
		return
	}
	for p := range f.values.NumParameters() {
		isMissing := f.isMissingSomewhere(p)
		kind := f.commonSort(p)
		if kind != "Nat" && kind != "Bool" || isMissing {
			kind = dataSort
		}
		f.sorts = append(f.sorts, kind)
		if kind != dataSort {
			continue
		}
		for v := range lts.Value(f.values.NumValues(p)) {
			f.addConstant(f.values.Text(p, v))
		}
		if isMissing {
			f.addConstant(standIn)
		}
	}
}

// isMissingSomewhere reports whether some state has no value of a parameter.
func (f *writer) isMissingSomewhere(p int) bool {
	for s := range lts.State(f.m.NumStates()) {
		if f.values.Value(s, p) == lts.NoValue {
			return true
		}
	}
	return false
}

// commonSort returns the sort of all values of a parameter, dataSort if they have several; "" if there is none.
func (f *writer) commonSort(p int) string {
	common := ""
	for v := range lts.Value(f.values.NumValues(p)) {
		kind := sortOf(f.values.Text(p, v))
		if common != "" && common != kind {
			return dataSort
		}
		common = kind
	}
	return common
}

// addConstant takes a text for a constant, whatever it looks like.
func (f *writer) addConstant(text string) {
	if !f.constants[text] {
		f.constants[text] = true
		f.orderedConstants = append(f.orderedConstants, text)
	}
}

// actionsOf returns the actions of a label; none for the internal action.
func actionsOf(label string) []actionText {
	if label == "tau" {
		return nil
	}
	var all []actionText
	begin := 0
	depth := 0
	for i := range len(label) {
		switch label[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '|':
			if depth == 0 {
				all = append(all, actionOf(label[begin:i]))
				begin = i + 1
			}
		}
	}
	return append(all, actionOf(label[begin:]))
}

// RefusedLabel returns a warning about the first label that mCRL2 cannot read; nil if there is none. Cost O(length of
// the labels).
func RefusedLabel(m *lts.LTS) []string {
	for _, text := range m.Alphabet().All() {
		if isImproper(text) {
			return []string{fmt.Sprintf(`label "%s" is no multi-action: mCRL2 refuses the file or changes the label`, printable.Echo(text))}
		}
	}
	return nil
}

// isImproper reports whether mCRL2 refuses a label, or drops parts of it: a part between bars is empty, as in a|, or a
// closing parenthesis has no opening one.
func isImproper(label string) bool {
	depth := 0
	isPartEmpty := true
	for _, c := range []byte(label) {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return true
		}
		endsPart := c == '|' && depth == 0
		if endsPart && isPartEmpty {
			return true
		}
		isPartEmpty = endsPart
	}
	return isPartEmpty
}

// actionOf returns the action that a part of a label names: a name with arguments, as in put(1, [2]), if
// the text is written so, and otherwise an action without arguments whose name is the whole text.
func actionOf(text string) actionText {
	whole := actionText{name: text}
	name, rest, found := strings.Cut(text, "(")
	inside, closed := strings.CutSuffix(rest, ")")
	if !found || !closed || !isIdentifier(name) {
		return whole
	}
	arguments, balanced := splitArguments(inside)
	if !balanced || slices.ContainsFunc(arguments, isUnfitArgument) {
		return whole
	}
	return actionText{name: name, arguments: arguments}
}

// splitArguments splits a text where mCRL2 writes the end of an argument: at a comma and a blank outside
// of all brackets. It reports whether the brackets are balanced; if not, there are no arguments.
func splitArguments(text string) (arguments []string, balanced bool) {
	start := 0
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 && strings.HasPrefix(text[i:], ", ") {
				arguments = append(arguments, text[start:i])
				start = i + len(", ")
			}
		}
		if depth < 0 {
			return nil, false
		}
	}
	if depth != 0 {
		return nil, false
	}
	return append(arguments, text[start:]), true
}

// isUnfitArgument reports whether a text must not be written as an argument: it is empty, or begins with @
// like the functions that mCRL2 defines itself, such as @c1, which mCRL2 prints as 1.
func isUnfitArgument(text string) bool { return text == "" || text[0] == '@' }

// isIdentifier reports whether a text is an identifier of mCRL2.
func isIdentifier(text string) bool {
	for i, c := range []byte(text) {
		isLetter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		mayFollow := c == '\'' || c >= '0' && c <= '9'
		if !isLetter && (i == 0 || !mayFollow) {
			return false
		}
	}
	return text != ""
}

// isNatural reports whether a text is a natural number below 2^64 as mCRL2 prints it: without leading zeros.
func isNatural(text string) bool {
	n, err := strconv.ParseUint(text, 10, 64)
	return err == nil && strconv.FormatUint(n, 10) == text
}

func isNegative(text string) bool {
	digits, is := strings.CutPrefix(text, "-")
	return is && digits != "0" && isNatural(digits)
}

// sortOf returns the sort of a text.
func sortOf(text string) string {
	switch {
	case text == "true" || text == "false":
		return "Bool"
	case isNatural(text):
		return "Nat"
	case isNegative(text):
		return "Int"
	}
	return dataSort
}

// header writes what stands before the transitions.
func (f *writer) header() {
	f.output("labelled_transition_system")
	f.outputNumber(0) // sorts
	if len(f.orderedConstants) == 0 {
		f.outputNumber(0)
	} else {
		f.outputNumber(1)
		f.output("SortRef", f.sort(dataSort), f.termNumber("SortStruct", f.listTerm(f.constructors())))
	}
	for range 3 { // constructors, mappings, equations
		f.outputNumber(0)
	}
	var parameters []int
	for p, kind := range f.sorts {
		parameters = append(parameters,
			f.termNumber("DataVarId", f.termNumber(f.values.Parameter(p).Name), f.sort(kind)))
	}
	f.outputList(parameters)
	var declared []int
	known := map[int]bool{}
	for _, label := range f.labels {
		for _, a := range label {
			name := f.actionName(a)
			if !known[name] {
				known[name] = true
				declared = append(declared, name)
			}
		}
	}
	f.outputList(declared)
}

// constructors returns the constructors of dataSort.
func (f *writer) constructors() []int {
	var all []int
	for _, text := range f.orderedConstants {
		all = append(all, f.termNumber("StructCons", f.termNumber(text), f.listTerm(nil), f.termNumber("")))
	}
	return all
}

// argumentSort returns the sort of an argument of an action.
func (f *writer) argumentSort(a actionText, i int) string {
	kind := sortOf(a.arguments[i])
	if kind == "Nat" && f.holdsNegative[a.argumentKey(i)] {
		return "Int"
	}
	return kind
}

// actionName returns the declaration of an action.
func (f *writer) actionName(a actionText) int {
	var sorts []int
	for i := range a.arguments {
		sorts = append(sorts, f.sort(f.argumentSort(a, i)))
	}
	return f.termNumber("ActId", f.termNumber(a.name), f.listTerm(sorts))
}

// transitions writes the transitions in the order in which they were added.
func (f *writer) transitions() {
	time := f.termNumber("DataVarId", f.termNumber("@undefined_real"), f.sort("Real"))
	actions := make([]int, len(f.labels))
	for l, label := range f.labels {
		var all []int
		for _, a := range label {
			var arguments []int
			for i, text := range a.arguments {
				arguments = append(arguments, f.dataTerm(text, f.argumentSort(a, i)))
			}
			all = append(all, f.termNumber("Action", f.actionName(a), f.listTerm(arguments)))
		}
		actions[l] = f.listTerm(all)
	}
	f.largest = f.m.Initial()
	for t := range f.m.Transitions() {
		f.largest = max(f.largest, t.From, t.To)
		f.output("transition")
		f.outputNumber(uint64(t.From))
		f.output("TimedMultAct", actions[t.Label], time)
		f.outputNumber(uint64(t.To))
	}
	lost := f.m.NumStates() - 1 - int(f.largest)
	if lost > 0 {
		f.warnings = append(f.warnings,
			fmt.Sprintf("the states from %d on, which no transition mentions, are not in the file, for mCRL2's .lts does not say how many states there are", int(f.largest)+1))
	}
}

// states writes the values of each state.
func (f *writer) states() {
	if f.values == nil {
		return
	}
	// Each value and each tree is written once as a term, since many states share them.
	termOf := make([][]int, len(f.sorts)) // by parameter and value
	for p, kind := range f.sorts {
		for v := range lts.Value(f.values.NumValues(p)) {
			termOf[p] = append(termOf[p], f.dataTerm(f.values.Text(p, v), kind))
		}
	}
	leaves := make([]int, len(f.sorts))
	for s := range f.largest + 1 {
		for p := range leaves {
			v := f.values.Value(s, p)
			if v == lts.NoValue {
				leaves[p] = f.dataTerm(standIn, dataSort)
			} else {
				leaves[p] = termOf[p][v]
			}
		}
		f.output("<list_constructor>", f.treeOf(leaves), f.listTerm(nil))
	}
}

// treeOf returns the tree of the values of a state.
func (f *writer) treeOf(leaves []int) int {
	if len(leaves) == 1 {
		return f.termNumber("@single_node@", leaves[0])
	}
	return f.tree(leaves)
}

// tree returns a balanced tree of values, whose left half is the larger one.
func (f *writer) tree(leaves []int) int {
	if len(leaves) == 1 {
		return leaves[0]
	}
	half := (len(leaves) + 1) / 2
	return f.termNumber("@node@", f.tree(leaves[:half]), f.tree(leaves[half:]))
}

// dataTerm returns a text as a term of a sort.
func (f *writer) dataTerm(text, kind string) int {
	switch {
	case kind == "Nat":
		return f.wordTerm("@most_significant_digitNat", text, "Nat")
	case kind == "Int" && isNegative(text):
		positive := f.wordTerm("@most_significant_digit", text[1:], "Pos")
		return f.applicationTerm("@cNeg", "Pos", "Int", positive)
	case kind == "Int":
		natural := f.wordTerm("@most_significant_digitNat", text, "Nat")
		return f.applicationTerm("@cInt", "Nat", "Int", natural)
	}
	return f.termNumber("OpIdNoIndex", f.termNumber(text), f.sort(kind))
}

// wordTerm returns a term for the number with these digits: a function, applied to a word, with a
// result of this sort.
func (f *writer) wordTerm(function, digits, kind string) int {
	n, _ := strconv.ParseUint(digits, 10, 64) // sortOf has read it
	return f.applicationTerm(function, "@word", kind, f.numberTerm(n))
}

// applicationTerm returns an application of a function with one argument.
func (f *writer) applicationTerm(function, from, to string, argument int) int {
	arrow := f.termNumber("SortArrow", f.listTerm([]int{f.sort(from)}), f.sort(to))
	return f.termNumber("DataAppl", f.termNumber("OpIdNoIndex", f.termNumber(function), arrow), argument)
}

func (f *writer) sort(name string) int { return f.termNumber("SortId", f.termNumber(name)) }

// encoder writes the packets of a file.
type encoder struct {
	to *bufio.Writer // its first error is that of Flush
	// pendingBits are the last bits, which make no byte yet.
	pendingBits uint64
	numPending  int
	written     int
	hasHeader   bool
	symbols     map[string]int
	// numSymbols also counts the symbol that ends the stream.
	numSymbols int
	terms      map[string]int
}

// writeBits writes the lowest bits of a number, at most 32.
func (e *encoder) writeBits(v uint64, count int) {
	if !e.hasHeader {
		e.hasHeader = true
		e.writeBits(magic, 24)
		e.writeBits(versionLast, 16)
	}
	e.pendingBits = e.pendingBits<<count | v
	e.numPending += count
	for e.numPending >= 8 {
		e.numPending -= 8
		_ = e.to.WriteByte(byte(e.pendingBits >> e.numPending))
		e.written++
	}
	e.pendingBits &= 1<<e.numPending - 1
}

// writeInteger writes a number in groups of seven bits.
func (e *encoder) writeInteger(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		e.writeBits(v&0x7f|0x80, 8)
	}
	e.writeBits(v, 8)
}

// symbolNumber returns the number of a symbol; a new symbol is written first.
func (e *encoder) symbolNumber(name string, arity int) int {
	key := string(binary.AppendUvarint(nil, uint64(arity))) + name
	number, known := e.symbols[key]
	if known {
		return number
	}
	e.writeBits(packetSymbol, 2)
	e.writeInteger(uint64(len(name)))
	for _, c := range []byte(name) {
		e.writeBits(uint64(c), 8)
	}
	e.writeInteger(uint64(arity))
	number = e.numSymbols
	e.symbols[key] = number
	e.numSymbols++
	return number
}

// beginTerm writes the beginning of a term.
func (e *encoder) beginTerm(kind uint64, symbol int) {
	e.writeBits(kind, 2)
	e.writeBits(uint64(symbol), bits.Len(uint(e.numSymbols)))
}

func (e *encoder) writeArguments(all []int) {
	width := bits.Len(uint(len(e.terms)))
	for _, at := range all {
		e.writeBits(uint64(at), width)
	}
}

// termNumber returns the number of a term; a new term is written first.
func (e *encoder) termNumber(name string, arguments ...int) int {
	symbol := e.symbolNumber(name, len(arguments))
	key := binary.AppendUvarint(nil, uint64(symbol))
	for _, at := range arguments {
		key = binary.AppendUvarint(key, uint64(at))
	}
	at, known := e.terms[string(key)]
	if known {
		return at
	}
	e.beginTerm(packetTerm, symbol)
	e.writeArguments(arguments)
	at = len(e.terms)
	e.terms[string(key)] = at
	return at
}

// numberTerm returns the number of a term that is a number.
func (e *encoder) numberTerm(v uint64) int {
	symbol := e.symbolNumber("<aterm_int>", 0)
	key := "number " + strconv.FormatUint(v, 10)
	at, known := e.terms[key]
	if known {
		return at
	}
	e.beginTerm(packetTerm, symbol)
	e.writeInteger(v)
	at = len(e.terms)
	e.terms[key] = at
	return at
}

// listTerm returns a list of terms.
func (e *encoder) listTerm(all []int) int {
	at := e.termNumber("<empty_list>")
	for _, x := range slices.Backward(all) {
		at = e.termNumber("<list_constructor>", x, at)
	}
	return at
}

// output outputs a term.
func (e *encoder) output(name string, arguments ...int) {
	e.beginTerm(packetTermOut, e.symbolNumber(name, len(arguments)))
	e.writeArguments(arguments)
}

func (e *encoder) outputList(all []int) {
	if len(all) == 0 {
		e.output("<empty_list>")
		return
	}
	e.output("<list_constructor>", all[0], e.listTerm(all[1:]))
}

func (e *encoder) outputNumber(v uint64) {
	e.writeBits(packetNumberOut, 2)
	e.writeInteger(v)
}

// end ends the stream, and fills up the last word as mCRL2 does.
func (e *encoder) end() {
	e.beginTerm(packetTerm, 0)
	for e.numPending > 0 || e.written%8 != 0 {
		e.writeBits(0, 1)
	}
}
