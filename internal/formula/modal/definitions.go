package modal

import (
	"context"
	"slices"
	"strings"
)

// definitions are the types and functions that a file of mCRL2 defines: a file with a formula, or a
// specification.
type definitions struct {
	source    *source
	sorts     map[string]*definedSort
	functions map[string]*function
	// constructors has the constructors of all types. The keys are their names.
	constructors map[string]*constructor
	// order has the names of all types and functions as they are declared.
	order []string
	// used has the names of the types and functions that the formula uses.
	used map[string]bool
}

// definedSort is the definition of a type.
type definedSort struct {
	name string
	text string // the definition, such as S = struct a | b
	// alias is the type that the name abbreviates, "" if the definition is another one.
	alias        string
	constructors []*constructor // nil if the definition lists none
	// constants are the values, once isListed is set; nil if they cannot be listed.
	constants []value
	isListed  bool
}

// constructor is a constructor of a type, such as message(id: Nat) in struct message(id: Nat) | none.
type constructor struct {
	name        string
	of          *definedSort
	sorts       []string // of the arguments
	projections []string // "" for an argument without a name
	recogniser  string   // "" if there is none
	// isRepeated is set if several constructors have the name.
	isRepeated bool
}

// function is a function or, if it has no parameters, a constant.
type function struct {
	name       string
	in         *definitions
	text       string // the declaration, such as f: Nat -> Bool
	parameters []string
	equations  []*equation
	// isRead is set when the equations have been read, and isBeingRead while they are read.
	isRead, isBeingRead bool
	// isRecursive is set if an equation uses the function, perhaps by way of others.
	isRecursive bool
	// reason says why the equations cannot be used, "" if they can.
	reason string
}

// equation is an equation about a function: condition -> f(patterns) = result.
type equation struct {
	text      string
	at        int
	variables []declaredVariables // in scope
	condition *expression         // nil if there is none
	patterns  []*expression
	result    *expression
}

// declaredVariables are the variables of one declaration of a var section, such as x, y: Nat.
type declaredVariables struct {
	names []string
	sort  string
	text  string
}

// sectionWords begin the sections of a file of mCRL2.
var sectionWords = []string{"sort", "cons", "map", "var", "eqn", "glob", "act", "proc", "init", "pbes", "form"}

// BeginsWithDefinitions reports whether a text begins with a section of definitions of mCRL2. The
// text of a formula does if the formula uses types or functions.
func BeginsWithDefinitions(text string) bool {
	word := text[:nameEnd(text)]
	return len(word) < len(text) && slices.Contains(sectionWords, word)
}

// nextSection returns the offset of the first word of a section, from an offset on; the length of the
// text if there is none.
func nextSection(text string, from int) int {
	for i := from; i < len(text); {
		if text[i] == '%' {
			line, _, _ := strings.Cut(text[i:], "\n")
			i += len(line)
			continue
		}
		n := nameEnd(text[i:])
		isWhole := i == 0 || !isDigit(text[i-1])
		if isWhole && slices.Contains(sectionWords, text[i:i+n]) {
			return i
		}
		i += max(n, 1)
	}
	return len(text)
}

// definitionsReader reads definitions section by section.
type definitionsReader struct {
	*definitions
	// fail is called with the offset of a mistake. It is nil if mistakes do not matter, as in a
	// specification.
	fail func(at int, expected string)
	// variables are those of the var section that precedes the equations.
	variables []declaredVariables
	// equations may precede the declarations of their functions.
	equations []*equation
}

func newDefinitions(in *source) *definitions {
	return &definitions{
		source:       in,
		sorts:        map[string]*definedSort{},
		functions:    map[string]*function{},
		constructors: map[string]*constructor{},
		used:         map[string]bool{},
	}
}

// specificationDefinitions returns the definitions in a specification. What inev cannot read there is left out.
func specificationDefinitions(name, text string) *definitions {
	r := &definitionsReader{definitions: newDefinitions(&source{name: name, text: text})}
	for at := nextSection(text, 0); at < len(text); {
		word := text[at : at+nameEnd(text[at:])]
		behind := nextSection(text, at+len(word))
		r.section(word, at+len(word), behind)
		at = behind
	}
	return r.finished()
}

// finished returns all definitions, when all sections are read.
func (r *definitionsReader) finished() *definitions {
	for _, e := range r.equations {
		r.addEquation(e)
	}
	return r.definitions
}

// section reads the section with the given first word. Its items are between two offsets.
func (r *definitionsReader) section(word string, from, to int) {
	if word != "eqn" && word != "var" {
		r.variables = nil
	}
	text := withoutLineComments(r.source.text[from:to])
	for at := 0; at < len(text); {
		item, _, isEnded := strings.Cut(text[at:], ";")
		begin := from + at + len(item) - len(strings.TrimLeft(item, blankCharacters))
		at += len(item) + 1
		trimmed := strings.TrimSpace(item)
		if !isEnded {
			if trimmed != "" && r.fail != nil {
				r.fail(to, `";" at the end of the `+sectionNames[word])
			}
			break
		}
		if trimmed != "" {
			r.item(word, trimmed, begin)
		}
	}
	if word == "eqn" {
		r.variables = nil
	}
}

const blankCharacters = " \t\r\n"

// sectionNames say what the items of sections are.
var sectionNames = map[string]string{
	"sort": "type",
	"cons": "constructor",
	"map":  "function",
	"var":  "variable",
	"eqn":  "equation",
	"glob": "variable",
	"act":  "actions",
}

// withoutLineComments replaces comments of mCRL2 by blanks, so that offsets do not change.
func withoutLineComments(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		start := strings.IndexByte(line, '%')
		if start < 0 {
			continue
		}
		comment := strings.TrimSuffix(line[start:], "\n")
		lines[i] = line[:start] + strings.Repeat(" ", len(comment)) + line[start+len(comment):]
	}
	return strings.Join(lines, "")
}

// item reads one item of a section; at is its offset.
func (r *definitionsReader) item(word, text string, at int) {
	switch word {
	case "sort":
		r.addSort(text, at)
	case "map":
		r.addFunctions(text)
	case "var":
		declared := declarationOf(text)
		if declared.sort != "" {
			r.variables = append(r.variables, declared)
		}
	case "eqn":
		r.equations = append(r.equations, &equation{text: text, at: at, variables: r.variables})
	case "cons", "glob":
		if r.fail != nil {
			r.fail(at, "types as sort S = struct a | b(n: Nat), and functions by map, var and eqn")
		}
	}
}

// declarationOf reads x, y: SORT.
func declarationOf(text string) declaredVariables {
	list, sort, _ := strings.Cut(text, ":")
	d := declaredVariables{
		sort: withoutAllBlanks(sort),
		text: strings.Join(strings.Fields(text), " "),
	}
	for _, name := range strings.Split(list, ",") {
		d.names = append(d.names, strings.TrimSpace(name))
	}
	return d
}

func withoutAllBlanks(text string) string { return strings.Join(strings.Fields(text), "") }

// addSort reads the definition of a type: S = struct a | b(n: Nat)?is_b, S = T, or names alone.
func (r *definitionsReader) addSort(text string, at int) {
	list, defined, isDefined := strings.Cut(text, "=")
	defined = strings.TrimSpace(defined)
	if !isDefined {
		for _, name := range strings.Split(list, ",") {
			r.keepSort(&definedSort{name: strings.TrimSpace(name)})
		}
		return
	}
	s := &definedSort{
		name: strings.TrimSpace(list),
		text: strings.Join(strings.Fields(text), " "),
	}
	isStruct := nameEnd(defined) == len("struct") && strings.HasPrefix(defined, "struct")
	if !isStruct {
		s.alias = withoutAllBlanks(defined)
		r.keepSort(s)
		return
	}
	for _, part := range splitOutside(defined[len("struct"):], '|') {
		c := constructorOf(strings.TrimSpace(part))
		if c == nil {
			if r.fail != nil {
				r.fail(at, "constructors of "+s.name+", as in sort S = struct a | b(n: Nat)")
			}
			r.keepSort(&definedSort{name: s.name})
			return
		}
		c.of = s
		s.constructors = append(s.constructors, c)
	}
	r.keepSort(s)
	for _, c := range s.constructors {
		known := r.constructors[c.name]
		c.isRepeated = known != nil
		if known != nil {
			known.isRepeated = true
		}
		r.constructors[c.name] = c
	}
}

func (r *definitionsReader) keepSort(s *definedSort) {
	r.sorts[s.name] = s
	r.order = append(r.order, s.name)
}

// constructorOf reads a constructor: a, or b(n: Nat, D)?is_b; nil if it is neither.
func constructorOf(text string) *constructor {
	parts := splitOutside(text, '?')
	head := strings.TrimSpace(parts[0])
	n := nameEnd(head)
	c := &constructor{name: head[:n]}
	if len(parts) > 1 {
		c.recogniser = strings.TrimSpace(parts[1])
	}
	if n == 0 || c.name == "true" || c.name == "false" {
		return nil
	}
	list := strings.TrimSpace(head[n:])
	if list == "" {
		return c
	}
	if list[0] != '(' || list[len(list)-1] != ')' {
		return nil
	}
	for _, argument := range splitOutside(list[1:len(list)-1], ',') {
		projection, sort, isNamed := strings.Cut(argument, ":")
		if !isNamed {
			sort = projection
			projection = ""
		}
		c.projections = append(c.projections, strings.TrimSpace(projection))
		c.sorts = append(c.sorts, withoutAllBlanks(sort))
	}
	return c
}

// addFunctions reads the declaration of functions of one type, such as f, g: Nat # Bool -> Nat.
func (r *definitionsReader) addFunctions(text string) {
	declared := declarationOf(text)
	var parameters []string
	domain, _, isFunction := strings.Cut(declared.sort, "->")
	if isFunction {
		parameters = splitOutside(domain, '#')
	}
	for _, name := range declared.names {
		f := &function{
			name:       name,
			in:         r.definitions,
			text:       name + ": " + strings.TrimSpace(declared.text[strings.Index(declared.text, ":")+1:]),
			parameters: parameters,
		}
		known := r.functions[name]
		isSame := known != nil && known.text == f.text
		if isSame {
			continue
		}
		if functions[name] > 0 || known != nil {
			f.reason = "there are several functions of this name"
		}
		if strings.Contains(domain, "(") && strings.Contains(domain, "->") {
			f.reason = "it takes functions"
		}
		r.functions[name] = f
		r.order = append(r.order, name)
	}
}

// addEquation adds an equation CONDITION -> LEFT = RIGHT or LEFT = RIGHT to its function, if the left-hand
// side is a declared function with arguments.
func (r *definitionsReader) addEquation(e *equation) {
	_, left, _, _ := splitEquation(e.text)
	left = strings.TrimSpace(left)
	n := nameEnd(left)
	f := r.functions[left[:n]]
	if f == nil {
		return
	}
	if len(splitOutside(left[n:], ')')) > 2 {
		f.reason = "its values are functions"
	}
	f.equations = append(f.equations, e)
}

// splitEquation returns the sides of an equation, its condition or "", and the offset of the left-hand
// side.
func splitEquation(text string) (condition, left, right string, leftAt int) {
	depth := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth > 0:
		case strings.HasPrefix(text[i:], "->") && leftAt == 0:
			condition = text[:i]
			leftAt = i + len("->")
			i++
		case c == '=':
			isPart := strings.IndexByte("=<>!", text[i-min(i, 1)]) >= 0 ||
				i+1 < len(text) && strings.IndexByte("=>", text[i+1]) >= 0
			if !isPart {
				return condition, text[leftAt:i], text[i+1:], leftAt
			}
		}
	}
	return condition, text[leftAt:], "", leftAt
}

// specificationKey is the key of [WithSpecification].
type specificationKey struct{}

// WithSpecification returns a context for formulas about a model that a specification of mCRL2
// describes. The function read returns the name and the text of the specification; the name is "" if
// there is none. It is called if a formula uses a type or a function that its own file does not define.
func WithSpecification(ctx context.Context, read func() (name, text string)) context.Context {
	return context.WithValue(ctx, specificationKey{}, read)
}

// lookup finds definitions in the file of the formula, and then in the specification.
type lookup struct {
	ctx context.Context
	own *definitions
	// specification is nil as long as it has not been needed, or if there is none.
	specification *definitions
	isRead        bool
}

// all returns the definitions in the order in which they are searched.
func (l *lookup) all() []*definitions {
	if !l.isRead {
		l.isRead = true
		read, isGiven := l.ctx.Value(specificationKey{}).(func() (string, string))
		if isGiven {
			name, text := read()
			if name != "" {
				l.specification = specificationDefinitions(name, text)
			}
		}
	}
	if l.specification == nil {
		return []*definitions{l.own}
	}
	return []*definitions{l.own, l.specification}
}

// sort returns the definition of a type, nil if there is none.
func (l *lookup) sort(name string) *definedSort {
	for _, d := range l.all() {
		if s := d.sorts[name]; s != nil {
			d.use(name)
			return s
		}
	}
	return nil
}

// function returns the function of a name, nil if there is none with equations.
func (l *lookup) function(name string) *function {
	for _, d := range l.all() {
		f := d.functions[name]
		if f != nil && len(f.equations) > 0 {
			return f
		}
	}
	return nil
}

// constructor returns the constructor of a name, nil if there is none.
func (l *lookup) constructor(name string) *constructor {
	for _, d := range l.all() {
		if c := d.constructors[name]; c != nil {
			d.use(c.of.name)
			return c
		}
	}
	return nil
}

// field is a function that a type with constructors defines.
type field struct {
	of *constructor
	// index is that of the argument that the function returns. It is [recognised] if the function tells
	// whether a value has the constructor.
	index int
}

const recognised = -1

// fields returns the functions of a name that constructors define. Arguments of several constructors, also of
// several types, may have one name. It returns nil if there is none, if only values of one type could tell
// which function is meant, or if several constructors are recognised by one name, which contradict each other.
func (l *lookup) fields(name string) []field {
	for _, d := range l.all() {
		var all []field
		for _, c := range d.constructors {
			if c.recogniser == name {
				all = append(all, field{of: c, index: recognised})
			}
			if i := slices.Index(c.projections, name); i >= 0 {
				all = append(all, field{of: c, index: i})
			}
		}
		isUnclear := len(all) > 1 && slices.ContainsFunc(all, func(f field) bool {
			return f.index == recognised || f.of.isRepeated
		})
		if len(all) == 0 || isUnclear {
			continue
		}
		slices.SortFunc(all, func(a, b field) int { return strings.Compare(a.of.name, b.of.name) })
		for _, f := range all {
			d.use(f.of.of.name)
		}
		return all
	}
	return nil
}

// use records that the formula uses a type or function. It also records the types and functions
// that the definition mentions, directly or indirectly.
func (d *definitions) use(name string) {
	if d.used[name] {
		return
	}
	d.used[name] = true
	mentioned := ""
	if s := d.sorts[name]; s != nil {
		mentioned = s.text
	}
	if f := d.functions[name]; f != nil {
		mentioned = f.text
		for _, e := range f.equations {
			mentioned += " " + e.text
			for _, v := range e.variables {
				mentioned += " " + v.sort
			}
		}
	}
	words(mentioned, func(_ int, word string) {
		if c := d.constructors[word]; c != nil {
			d.use(c.of.name)
		}
		if d.sorts[word] != nil || d.functions[word] != nil {
			d.use(word)
		}
	})
}

// usedNames returns the names of the types and functions that the formula uses.
func (d *definitions) usedNames() (names []string) {
	if d == nil {
		return nil
	}
	for _, name := range d.order {
		isDefined := d.functions[name] != nil || d.sorts[name].text != ""
		if d.used[name] && isDefined {
			names = append(names, name)
		}
	}
	return names
}

// text returns the definitions that the formula uses, as they stand before a formula.
func (d *definitions) text() string {
	w := &sectionsWriter{}
	for _, name := range d.order {
		sort := d.sorts[name]
		if sort != nil && d.used[name] && sort.text != "" {
			w.addItem("sort", sort.text)
		}
	}
	var functions []*function
	for _, name := range d.order {
		f := d.functions[name]
		if f != nil && d.used[name] {
			functions = append(functions, f)
		}
	}
	for _, f := range functions {
		w.addItem("map", f.text)
	}
	for _, f := range functions {
		for _, e := range f.equations {
			w.addEquation(e)
		}
	}
	return w.text.String()
}

// sectionsWriter writes definitions, and the keyword of each section before its first item.
type sectionsWriter struct {
	text strings.Builder
	// keyword is that of the section that is being written.
	keyword string
	// inScope has the declarations of variables before the last equations.
	inScope []string
}

// addItem adds an item to the last section if this has the given keyword, and to a new one if not.
func (w *sectionsWriter) addItem(keyword, item string) {
	if keyword != w.keyword {
		w.text.WriteString(keyword + " ")
		w.keyword = keyword
	}
	w.text.WriteString(item + "; ")
}

// addEquation adds an equation, after the variables that it needs. A section of equations knows only the
// variables in the section just before it.
func (w *sectionsWriter) addEquation(e *equation) {
	needed := e.neededVariables()
	if !slices.Equal(needed, w.inScope) {
		w.keyword = "" // the equation begins a section of its own
		w.inScope = needed
		for _, declaration := range needed {
			w.addItem("var", declaration)
		}
	}
	w.addItem("eqn", strings.Join(strings.Fields(e.text), " "))
}

// neededVariables returns the declarations of the variables in an equation.
func (e *equation) neededVariables() (texts []string) {
	for _, v := range e.variables {
		if v.isIn(e.text) {
			texts = append(texts, v.text)
		}
	}
	return texts
}

// isIn reports whether one of the variables occurs in a text.
func (v declaredVariables) isIn(text string) bool {
	isFound := false
	words(text, func(_ int, word string) {
		isFound = isFound || slices.Contains(v.names, word)
	})
	return isFound
}

// text returns the definitions that the formula uses.
func (l *lookup) text() string {
	text := l.own.text()
	if l.specification != nil {
		text += l.specification.text()
	}
	return text
}

// sections reads the definitions before a formula in a file of mCRL2, and the word form. It skips
// declarations of actions, which the model has.
func (l *lexer) sections() *definitions {
	r := &definitionsReader{
		definitions: newDefinitions(l.source),
		fail:        func(at int, expected string) { l.fail(at, "%s", expected) },
	}
	for {
		l.blanks()
		rest := l.text[l.pos:]
		word := rest[:nameEnd(rest)]
		behind := strings.TrimLeft(rest[len(word):], blankCharacters)
		isSection := word != "proc" && word != "init" && word != "pbes" &&
			slices.Contains(sectionWords, word) && nameEnd(behind) > 0
		hasForm := strings.Contains(rest, "form")
		switch {
		case word == "form":
			l.pos += len(word)
			l.isForm = true
			return r.finished()
		case word == "act" && isSection && !hasForm:
			length := strings.IndexByte(rest, ';')
			if length < 0 {
				l.fail(len(l.text), `";" at the end of the actions`)
			}
			l.pos += length + 1
		case isSection && hasForm:
			from := l.pos + len(word)
			l.pos = nextSection(l.text, from)
			r.section(word, from, l.pos)
		default:
			return r.finished()
		}
	}
}
