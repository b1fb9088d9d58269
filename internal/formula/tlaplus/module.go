package tlaplus

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/inputfile"
)

// parameter is a parameter of a definition, or a declared constant. It is a value if its arity is 0,
// and otherwise an operator.
type parameter struct {
	name  string
	arity int
}

// Definition is a definition in a module. Its expression is parsed on demand.
type Definition struct {
	name       string
	at         Position
	parameters []parameter
	// over has the bounds of a function that is defined as f[x \in S] == e.
	over   []bound
	module *Module
	// tokens are the tokens of the expression until it is parsed. source is the text of the file.
	tokens []token
	source string
	spent  *work
	body   *expression
	// instance is set if the definition is I == INSTANCE M WITH ….
	instance *instance
	// isLocal marks a LOCAL definition, which modules that extend this one do not see.
	isLocal bool
	// parts are the parts of the expression that other expressions refer to, by their selectors.
	parts map[string]*Definition
}

// read returns the expression of the definition.
func (d *Definition) read() *expression {
	if d.body == nil {
		d.body = (&parser{spent: d.spent, source: d.source, tokens: d.tokens}).wholeExpression("the definition of " + d.name)
		d.tokens = nil
	}
	return d.body
}

// instance is an INSTANCE M WITH a <- e.
type instance struct {
	module string
	at     Position
	with   map[string]*expression
	// isLocal marks an INSTANCE after LOCAL.
	isLocal bool
}

// Module is a file in TLA+, or a built-in module.
type Module struct {
	name   string
	source string // the text of the file
	// constants, variables and recursive are the declared names, in the order of their declarations.
	// operators are the definitions.
	constants, variables, recursive []string
	operators                       map[string]*Definition
	extends                         []*Module
	// visible are the module itself and the modules that it extends, directly or indirectly. around is
	// the enclosing module; nil if the module has a file of its own.
	visible []*Module
	around  *Module
	// missing are the modules that do not exist, with the positions that refer to them.
	missing   map[string]Position
	instances []*instance // the INSTANCE statements without names
	// named are the modules that this one extends or instantiates. words and texts are its names and
	// strings in the order of the text.
	named, words, texts []string
}

// moduleLimit is the largest size of a file, far above what people write.
var moduleLimit = inputfile.Limit{Bytes: 16 << 20}

// loader reads modules, each once.
type loader struct {
	ctx     context.Context
	spent   *work
	folders []string
	modules map[string]*Module
	// order has the rank of each name and string. TLC compares strings by the order in which it has
	// first read them.
	order  map[string]int
	ranked bool // whether rankAll has ranked the root module and the modules that it needs
	files  []string
	root   sourceText // the file of the specification
	sum    hash.Hash  // the checksum of the files
	// isCounted has the names of the texts of modules that are in files and sum. A text is read
	// again if the time ended while it was read, but counts only once.
	isCounted map[string]bool
}

// newLoader returns a loader that searches modules in the folders before all other places.
func newLoader(ctx context.Context, folders []string) *loader {
	return &loader{
		ctx:     ctx,
		spent:   &work{ctx: ctx},
		folders: folders,
		modules: map[string]*Module{},
		order:   map[string]int{},
		sum:     sha256.New(),

		isCounted: map[string]bool{},
	}
}

// add adds the text of a file to the checksum of all files.
func (l *loader) add(text string) { fmt.Fprintf(l.sum, "%d:%s", len(text), text) }

// standard are the names of the built-in modules.
var standard = words("Naturals Integers Reals Sequences FiniteSets TLC Bags TLCExt Toolbox Json Randomization")

// load returns the module with this name; nil if there is none.
func (l *loader) load(name string) *Module {
	if m, ok := l.modules[name]; ok {
		return m
	}
	for _, folder := range l.folders {
		path := filepath.Join(folder, name+".tla")
		if text, err := inputfile.ReadRegular(l.ctx, path, moduleLimit); err == nil {
			m := l.module(name, path, string(text))
			if l.ranked {
				l.rankAll(m)
			}
			return m
		}
		abort.On(l.ctx.Err())
	}
	if standard()[name] {
		return nil
	}
	m := l.loadLast(name)
	if m != nil && l.ranked {
		l.rankAll(m)
	}
	return m
}

// loadLast returns a module that is in no folder. It may be in a jar, or follow the first module in the
// file of the specification. The result is nil if there is none.
func (l *loader) loadLast(name string) *Module {
	file, text, found := l.fromJars(name)
	if found {
		return l.module(name, file, text)
	}
	begin := regexp.MustCompile(`(?m)^-----*[ \t]*MODULE[ \t]+` + regexp.QuoteMeta(name) + `[ \t]*----*[ \t\r]*$`)
	at := begin.FindStringIndex(l.root.source)
	if at == nil {
		return nil
	}
	return l.moduleAt(name, l.root, at[0])
}

// sourceText is the text of a file, with the name of the file for errors.
type sourceText struct{ file, source string }

// whyUndefined looks for a mistake because of which a text does not define a name. It returns a
// clause about the mistake; "" if it finds none.
func (t sourceText) whyUndefined(name string) string {
	equation := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `[ \t]*(\([^)\n]*\))?[ \t]*=[^=>\n]`)
	if at := equation.FindStringIndex(t.source); at != nil {
		return fmt.Sprintf("; line %d has = where a definition has ==",
			1+strings.Count(t.source[:at[0]], "\n"))
	}
	if strings.Contains(t.source, "algorithm") && beginsAlgorithm().MatchString(t.source) &&
		!strings.Contains(t.source, "BEGIN TRANSLATION") {
		return "; the algorithm in PlusCal is not translated: translate it first, as by java -cp tla2tools.jar pcal.trans " + filepath.Base(t.file)
	}
	if strings.Contains(t.source, `"`+name+`"`) {
		return fmt.Sprintf("; if a string is meant, write %q", name)
	}
	return ""
}

// howApplied returns a clause such as "; write Op(x, y)" for a definition with parameters that was
// given no arguments; "" in all other cases.
func (d *Definition) howApplied(given int) string {
	if given > 0 || len(d.parameters) == 0 || d.name == "" || !isLetter(rune(d.name[0])) {
		return ""
	}
	var names []string
	for _, p := range d.parameters {
		names = append(names, p.name)
	}
	return fmt.Sprintf("; write %s(%s)", d.name, strings.Join(names, ", "))
}

var beginsAlgorithm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`--(fair )?algorithm\b`)
})

// module reads the text of a module.
func (l *loader) module(name, path, source string) *Module {
	text := sourceText{file: path, source: source}
	if filepath.Ext(path) == ".jar" {
		text.file += "!/" + name + ".tla"
	}
	if !l.isCounted[text.file] {
		l.isCounted[text.file] = true
		l.files = append(l.files, path)
		l.add(source)
	}
	if l.root.source == "" {
		l.root = text
	}
	at := 0
	i := strings.Index(source, "MODULE")
	if i >= 0 {
		at = strings.LastIndexByte(source[:i], '\n') + 1
	}
	return l.moduleAt(name, text, at)
}

// moduleAt reads the module that begins at an offset of a text.
func (l *loader) moduleAt(name string, file sourceText, offset int) *Module {
	x := &lexer{
		file:   file.file,
		source: file.source,
		pos:    offset,
		begin:  offset,
		line:   1 + strings.Count(file.source[:offset], "\n"),
	}
	tokens := x.tokens()
	if !beginModule(tokens) {
		fail(tokens[0].at, "expected ---- MODULE %s ----", name)
	}
	m := l.read(&parser{spent: l.spent, source: file.source, tokens: tokens, pos: 2}, nil)
	for i, t := range tokens {
		switch t.kind {
		case text:
			m.texts = append(m.texts, t.text)
		case word:
			m.words = append(m.words, t.text)
			isInstance := i > 0 && tokens[i-1].kind == word && tokens[i-1].text == "INSTANCE"
			if isInstance {
				m.named = append(m.named, t.text)
			}
		}
	}
	if m.name != name {
		fail(tokens[2].at, "the file of module %s begins module %s", name, m.name)
	}
	return m
}

// beginModule reports whether tokens begin with ---- MODULE and a name.
func beginModule(tokens []token) bool {
	if len(tokens) < 3 {
		return false
	}
	return tokens[0].kind == dashes && tokens[1].text == "MODULE" && tokens[2].kind == word
}

// rankAll ranks names and strings as TLC does. First come the names of the root, then the names in the
// modules that it refers to, and so on, level by level. Then come the strings; those of a module come
// after those of the modules that it extends.
func (l *loader) rankAll(root *Module) {
	l.ranked = true
	visited := map[string]bool{}
	level := []string{root.name}
	for len(level) > 0 {
		var later []string
		for _, name := range level {
			if !visited[name] {
				visited[name] = true
				later = append(later, l.rankNames(name)...)
			}
		}
		if level[0] == root.name {
			later = append(later, "_TLCTrace") // TLC adds it to the last module
		}
		level = later
	}
	l.rankStrings(root, map[*Module]bool{})
}

// rankNames ranks the names in a module, and returns the modules that it refers to.
func (l *loader) rankNames(name string) (named []string) {
	m := l.modules[name]
	if m != nil {
		named = append(named, m.named...)
		for _, w := range m.words {
			l.rank(w)
		}
	}
	ofStandard := standardNames()[name]
	for _, w := range strings.Fields(ofStandard.words) {
		l.rank(w)
	}
	return append(named, strings.Fields(ofStandard.named)...)
}

// rankStrings ranks the strings of a module after the strings of the modules that it extends. It visits
// each module once.
func (l *loader) rankStrings(m *Module, ranked map[*Module]bool) {
	if ranked[m] {
		return
	}
	ranked[m] = true
	for _, extended := range m.extends {
		l.rankStrings(extended, ranked)
	}
	for _, t := range m.texts {
		l.rank(t)
	}
}

// standardNames has, for TLC's own modules, the modules that they refer to and, in their order, those
// of their names that could also be strings.
var standardNames = sync.OnceValue(func() map[string]struct{ named, words string } {
	return map[string]struct{ named, words string }{
		"Naturals":   {"", "Nat a b n"},
		"Integers":   {"Naturals", "Int a"},
		"Reals":      {"Integers", "Real a b m Infinity i r"},
		"Sequences":  {"Naturals", "Seq S n Nat Len s t i Append e Head Tail SubSeq m SelectSeq Test F"},
		"FiniteSets": {"Naturals Sequences", "IsFiniteSet S seq Seq s n Len Cardinality CS T x"},
		"Bags":       {"TLC Naturals", "IsABag B n Nat BagToSet SetToBag S e BagIn EmptyBag B1 B2 d Sum f DSum elt BagUnion SubBag RemoveFromDom x y Combine BagSet i Biggest Range r s RSB BB BagOfAll F BagCardinality CopiesIn"},
		"TLC":        {"Naturals Sequences FiniteSets", "Print out val PrintT Assert v JavaTime n Nat TLCGet i TLCSet d e x f g Permutations S w SortSeq s Op Perm p Len j RandomElement Any ToString a b TLCEval"},
		"TLCExt":     {"TLC Integers", "AssertEq a b PrintT AssertError err exp FailsEval e TLCError s Assert TLCGetOrDefault key defaultVal n TLCGetAndSet Op val oldVal v TLCSet Trace CounterExample ToTrace CE TLCModelValue str ToString TLCDefer expression TLCNoOp PickSuccessor bool TLCCache closure TLCFP var i Int TLCEvalDefinition definitionName"},
		"_TLCTrace":  {"TLC TLCExt Sequences", "absoluteFilename val verbose CounterExample state trace ToTrace vars i counterexample PrintT level Trace actions e TLCGet dump pair v lassoTarget"},
	}
})

// rank gives the next rank to a name or string, unless it has one.
func (l *loader) rank(name string) {
	if _, ok := l.order[name]; !ok {
		l.order[name] = len(l.order)
	}
}

// mostDeclared is the largest number of constants, variables and recursive operators that a module may
// declare. It is limited since they are searched one after another.
const mostDeclared = 10_000

// begins are the words that begin a unit of a module.
var begins = words("EXTENDS CONSTANT CONSTANTS VARIABLE VARIABLES RECURSIVE INSTANCE LOCAL ASSUME ASSUMPTION AXIOM THEOREM LEMMA PROPOSITION COROLLARY USE HIDE")

// read reads a module from its name, which follows the word MODULE, to its ====. It leaves expressions
// unparsed until they are needed. A module inside of another one knows the names of the outer one.
func (l *loader) read(p *parser, enclosing *Module) *Module {
	name := p.next()
	p.deeper(name.at, "modules")
	defer p.shallower()
	m := &Module{
		name:      name.text,
		source:    p.source,
		operators: map[string]*Definition{},
		missing:   map[string]Position{},
		around:    enclosing,
	}
	m.visible = []*Module{m}
	if enclosing != nil {
		m.visible = append(m.visible, enclosing.visible...)
	}
	if l.modules[m.name] != nil {
		fail(p.peek().at, "there are two modules %s, or one depends on itself", m.name)
	}
	l.modules[m.name] = m
	isRead := false
	defer func() {
		if !isRead {
			delete(l.modules, m.name) // the next use of the module finds the error again
		}
	}()
	for {
		if p.definitionFollows() {
			m.define(p)
			continue
		}
		t := p.next()
		switch t.kind {
		case end:
			fail(t.at, "module %s is not ended by ====", m.name)
		case equals:
			isRead = true
			return m
		case dashes: // alone, they only separate units
			if p.take("MODULE") {
				l.read(p, m)
			}
		default:
			l.unit(p, m, t)
		}
	}
}

// unit reads a unit of a module that begins with the word t, unless it is a definition.
func (l *loader) unit(p *parser, m *Module, t token) {
	switch {
	case t.is("EXTENDS"):
		l.extend(m, p.next())
		for p.take(",") {
			l.extend(m, p.next())
		}
	case t.is("CONSTANT"), t.is("CONSTANTS"):
		m.constants = append(m.constants, m.declared(p)...)
	case t.is("VARIABLE"), t.is("VARIABLES"):
		m.variables = append(m.variables, m.declared(p)...)
	case t.is("RECURSIVE"):
		m.recursive = append(m.recursive, m.declared(p)...)
	case t.is("INSTANCE"):
		m.instances = append(m.instances, p.instance(t.at))
	case t.is("LOCAL"):
		m.defineLocally(p)
	case t.is("ASSUME"), t.is("ASSUMPTION"), t.is("AXIOM"):
		// An assumption has no proof, so that the next line that begins like a unit is the next unit, however
		// far it is indented.
		isNextLine := func(previous, first token) bool {
			return previous.at.Line < first.at.Line && previous != t
		}
		p.skip(isNextLine)
	default:
		// The proof of a theorem may contain definitions, which are indented more than units.
		isNotIndented := func(previous, first token) bool {
			return previous.at.Line < first.at.Line && first.at.Column <= t.at.Column
		}
		p.skip(isNotIndented)
	}
}

// defineLocally reads a definition or an INSTANCE after LOCAL.
func (m *Module) defineLocally(p *parser) {
	at := p.peek().at
	switch {
	case p.definitionFollows():
		m.define(p).isLocal = true
	case p.take("INSTANCE"):
		i := p.instance(at)
		i.isLocal = true
		m.instances = append(m.instances, i)
	}
}

// define reads a definition, whose expression stays unparsed.
func (m *Module) define(p *parser) *Definition {
	d := p.head()
	old := m.operators[d.name]
	if old != nil {
		fail(d.at, "%s is defined twice: see line %d", d.name, old.at.Line)
	}
	m.operators[d.name] = d
	d.module = m
	start := p.pos
	at := p.peek().at
	if p.take("INSTANCE") {
		d.instance = p.instance(at)
		return d
	}
	isBehind := func(_, _ token) bool { return p.pos > start }
	p.skip(isBehind)
	next := p.peek()
	d.tokens = append(slices.Clone(p.tokens[start:p.pos]), token{
		kind:   end,
		at:     next.at,
		from:   next.from,
		behind: next.from,
	})
	return d
}

// declared reads the names of a declaration.
func (m *Module) declared(p *parser) []string {
	at := p.peek().at
	names := commas(p, func() string { return p.declaration().name })
	if len(m.constants)+len(m.variables)+len(m.recursive)+len(names) > mostDeclared {
		fail(at, "module %s declares more than %d names", m.name, mostDeclared)
	}
	return names
}

// extend adds a module to the modules that m extends.
func (l *loader) extend(m *Module, name token) {
	m.named = append(m.named, name.text)
	other := l.load(name.text)
	if other == nil {
		if !standard()[name.text] {
			m.missing[name.text] = name.at
		}
		return
	}
	m.extends = append(m.extends, other)
	for _, module := range other.visible {
		if !slices.Contains(m.visible, module) {
			m.visible = append(m.visible, module)
		}
	}
}

// skip skips to the next unit that isNext accepts, or to the end of the module. isNext gets the last
// token before a unit and the first token of the unit. Definitions between LET and IN are no units.
func (p *parser) skip(isNext func(previous, first token) bool) {
	for lets := 0; ; p.pos++ {
		p.spent.take(1)
		t := p.peek()
		switch {
		case t.kind == end, t.kind == equals, t.kind == dashes:
			return
		case t.is("LET"):
			lets++
		case t.is("IN"):
			lets--
		case lets <= 0 && isNext(p.tokens[p.pos-1], t) && p.unitFollows(t):
			return
		}
	}
}

// unitFollows reports whether a unit of a module begins with the next token.
func (p *parser) unitFollows(next token) bool {
	return next.kind == word && begins()[next.text] || p.definitionFollows()
}

// mostHead is the largest number of tokens of a definition before its ==.
const mostHead = 1000

// definitionFollows reports whether the next tokens are the head of a definition and its ==.
func (p *parser) definitionFollows() bool {
	first := p.ahead(0)
	second := p.ahead(1)
	switch {
	case first.is("-."): // -. a ==
		return second.isName() && p.ahead(2).is("==")
	case !first.isName() || second.kind != sign:
		return false
	case second.text == "==":
		return true
	case second.text == "(" || second.text == "[":
		return p.bracketsDefine()
	case infix()[second.text] != precedence{}: // a (+) b ==
		return p.ahead(2).isName() && p.ahead(3).is("==")
	case postfix()[second.text]: // a ^+ ==
		return p.ahead(2).is("==")
	}
	return false
}

// ahead returns the token that comes i tokens after the next one; the last token if there are fewer.
func (p *parser) ahead(i int) token { return p.tokens[min(p.pos+i, len(p.tokens)-1)] }

// bracketsDefine reports whether the brackets after the next token are followed by ==. They contain the
// parameters of an operator, or the bounds of a function.
func (p *parser) bracketsDefine() bool {
	depth := 0
	for i := 1; i < mostHead; i++ {
		p.spent.take(1)
		t := p.ahead(i)
		switch {
		case t.is("("), t.is("["), t.is("{"), t.is("<<"):
			depth++
		case t.is(")"), t.is("]"), t.is("}"), t.is(">>"):
			depth--
		case t.is("=="), t.kind == equals, t.kind == dashes, t.kind == end:
			return false
		}
		if depth == 0 {
			return p.ahead(i + 1).is("==")
		}
	}
	return false
}

// head reads the head of a definition and its ==.
func (p *parser) head() *Definition {
	first := p.tokens[p.pos]
	p.pos++
	d := &Definition{
		name:   first.text,
		at:     first.at,
		source: p.source,
		spent:  p.spent,
	}
	second := p.tokens[p.pos]
	switch {
	case first.is("-."):
		d.parameters = []parameter{{second.text, 0}}
		p.pos++
	case infix()[second.text] != precedence{}:
		d.name = spelled(second)
		d.parameters = []parameter{{first.text, 0}, {p.tokens[p.pos+1].text, 0}}
		p.pos += 2
	case postfix()[second.text]:
		d.name = second.text
		d.parameters = []parameter{{first.text, 0}}
		p.pos++
	case p.take("("):
		d.parameters = closed(p, ")", ",", p.declaration)
	case p.take("["):
		d.over = p.bounds()
		if !p.take("]") {
			p.unexpected(",")
		}
	}
	p.expect("==")
	return d
}

// declaration reads a declared name. An operator has a _ for each parameter.
func (p *parser) declaration() parameter {
	if p.take("_") {
		sign := spelled(p.next())
		p.expect("_")
		return parameter{sign, 2}
	}
	d := parameter{name: p.name()}
	if p.take("(") {
		d.arity = len(closed(p, ")", ",", func() bool {
			p.expect("_")
			return true
		}))
	}
	return d
}

// instance reads what follows the word INSTANCE.
func (p *parser) instance(at Position) *instance {
	i := &instance{at: at, module: p.name(), with: map[string]*expression{}}
	for again := p.take("WITH"); again; again = p.take(",") {
		t := p.next()
		p.expect("<-")
		i.with[spelled(t)] = p.substitute()
	}
	return i
}

// substitute reads what an INSTANCE substitutes for a name: an expression, or an infix operator without
// operands.
func (p *parser) substitute() *expression {
	t := p.peek()
	if _, isInfix := infix()[t.text]; !isInfix || t.kind != sign {
		return p.expression()
	}
	start := p.pos
	p.pos++
	next := p.peek()
	switch {
	case next.is(","), next.kind == end, next.kind == equals, next.kind == dashes, next.kind == word && begins()[next.text], p.definitionFollows():
		return p.placed(&expression{kind: apply, name: spelled(t)}, t)
	}
	p.pos = start
	return p.expression()
}

// definition returns the definition of a name that the module contains, extends, or sees in a module around it; nil if
// there is none.
func (m *Module) definition(name string) *Definition {
	for _, of := range m.visible {
		d := of.operators[name]
		if d != nil && (!d.isLocal || m.seesLocal(of)) {
			return d
		}
	}
	return nil
}

// seesLocal reports whether a module sees the LOCAL definitions of another one: it is the same module,
// or is inside of it.
func (m *Module) seesLocal(of *Module) bool {
	for ; m != nil; m = m.around {
		if m == of {
			return true
		}
	}
	return false
}

func (m *Module) isVariable(name string) bool {
	return slices.ContainsFunc(m.visible, func(of *Module) bool {
		return slices.Contains(of.variables, name)
	})
}

// declares reports whether the module declares a name as a variable or as a constant.
func (m *Module) declares(name string) bool {
	return m.isVariable(name) || slices.ContainsFunc(m.visible, func(of *Module) bool { return slices.Contains(of.constants, name) })
}

// allVariables returns the names of the variables, in the order of their declarations.
func (m *Module) allVariables() []string {
	var all []string
	for _, of := range m.visible {
		for _, v := range of.variables {
			if !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	return all
}
