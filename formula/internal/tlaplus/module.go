package tlaplus

import (
	"context"
	"fmt"
	"hash"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/inputfile"
)

// parameter is a parameter of a definition, or a declared constant: a value if
// its arity is 0, otherwise an operator.
type parameter struct {
	name  string
	arity int
}

// Definition is the definition of a name. Its expression is parsed on demand.
type Definition struct {
	name       string
	at         Position
	parameters []parameter
	// over has the bounds of a function that is defined as f[x \in S] == e.
	over   []bound
	module *Module
	// tokens are the tokens of the expression until it is parsed; source is the
	// text of the file.
	tokens []token
	source string
	body   *expression
	// instance is set if the definition is I == INSTANCE M WITH ….
	instance *instance
	local    bool
}

// read returns the expression of the definition.
func (d *Definition) read() *expression {
	if d.body == nil {
		p := &parser{source: d.source, tokens: d.tokens}
		x := p.expression()
		if p.peek().kind != end {
			p.unexpected("an operator or the end of the definition of " + d.name)
		}
		d.body, d.tokens = x, nil
	}
	return d.body
}

// instance is an INSTANCE M WITH a <- e.
type instance struct {
	module string
	at     Position
	with   map[string]*expression
}

// Module is a file in TLA+, or a built-in module.
type Module struct {
	name string
	file string
	// constants and variables are the declarations, and operators the definitions, by
	// name.
	constants map[string]parameter
	variables map[string]Position
	order     []string // the names of the variables, in the order of their declarations
	operators map[string]*Definition
	recursive map[string]int // arities that RECURSIVE declares
	extends   []*Module
	// missing are the modules that do not exist, and the positions where they are named.
	missing   map[string]Position
	instances []*instance // the INSTANCE statements without names
	// inner are the modules within this one.
	inner map[string]*Module
	// named are the modules that this one extends or instantiates; words and texts are its names
	// and strings, in their order.
	named, words, texts []string
}

// moduleLimit is the largest size of a file: far above what people write.
var moduleLimit = inputfile.Limit{Bytes: 16 << 20}

// loader reads modules, each once.
type loader struct {
	ctx     context.Context
	folders []string
	modules map[string]*Module
	// order has the rank of each name and string: TLC compares strings by when it has first read
	// them.
	order  map[string]int
	ranked bool // whether the first module and those that it extends have been ranked
	files  []string
	sum    hash.Hash // the checksum of the files
}

// add adds the text of a file to the checksum of all files.
func (l *loader) add(text string) { fmt.Fprintf(l.sum, "%d:%s", len(text), text) }

// standard are the names of the built-in modules.
var standard = words("Naturals Integers Reals Sequences FiniteSets TLC Bags TLCExt Toolbox Json")

// load returns the module of this name; nil if no folder has its file.
func (l *loader) load(name string) *Module {
	if m, known := l.modules[name]; known {
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
	return nil
}

// module reads the text of a module.
func (l *loader) module(name, path, source string) *Module {
	l.files = append(l.files, path)
	l.add(source)
	at := 0
	if i := strings.Index(source, "MODULE"); i >= 0 {
		at = strings.LastIndexByte(source[:i], '\n') + 1
	}
	x := &lexer{file: path, source: source, pos: at, begin: at, line: 1 + strings.Count(source[:at], "\n")}
	tokens := x.tokens()
	if len(tokens) < 3 || tokens[0].kind != dashes || tokens[1].text != "MODULE" || tokens[2].kind != word {
		fail(tokens[0].at, "expected ---- MODULE %s ----", name)
	}
	r := &unitReader{l: l, source: source, tokens: tokens, pos: 1}
	m := r.module(path)
	for i, t := range tokens {
		switch {
		case t.kind == text:
			m.texts = append(m.texts, t.text)
		case t.kind != word:
		case i > 0 && tokens[i-1].kind == word && tokens[i-1].text == "INSTANCE":
			m.named = append(m.named, t.text)
			fallthrough
		default:
			m.words = append(m.words, t.text)
		}
	}
	if m.name != name {
		fail(tokens[2].at, "the file of module %s begins module %s", name, m.name)
	}
	return m
}

// rankAll ranks names and strings as TLC does: first the names of the root, then those of the
// modules that it names, and so on, level by level; then the strings, of each module after those of
// the modules that it extends.
func (l *loader) rankAll(root *Module) {
	l.ranked = true
	seen := map[string]bool{}
	var later []string
	for level := []string{root.name}; len(level) > 0; level = later {
		later = nil
		for _, name := range level {
			if seen[name] {
				continue
			}
			seen[name] = true
			if m := l.modules[name]; m != nil {
				later = append(later, m.named...)
				for _, w := range m.words {
					l.rank(w)
				}
			}
			of := standardNames[name]
			later = append(later, strings.Fields(of.named)...)
			for _, w := range strings.Fields(of.words) {
				l.rank(w)
			}
		}
		if level[0] == root.name {
			later = append(later, "_TLCTrace") // TLC adds it to the last module
		}
	}
	done := map[*Module]bool{}
	var strings func(m *Module)
	strings = func(m *Module) {
		if done[m] {
			return
		}
		done[m] = true
		for _, other := range m.extends {
			strings(other)
		}
		for _, t := range m.texts {
			l.rank(t)
		}
	}
	strings(root)
}

// standardNames has, for TLC's own modules, the modules that they name, and their names that could
// also be strings, in their order.
var standardNames = map[string]struct{ named, words string }{
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

func (l *loader) rank(name string) {
	if _, known := l.order[name]; !known {
		l.order[name] = len(l.order)
	}
}

// unitReader reads the units of a module. It leaves their expressions unparsed
// until they are needed.
type unitReader struct {
	l      *loader
	source string
	tokens []token
	pos    int
}

func (r *unitReader) peek() token { return r.tokens[r.pos] }

// module reads a module, from behind the word MODULE to its ====.
func (r *unitReader) module(file string) *Module {
	m := &Module{
		file: file, name: r.tokens[r.pos+1].text, constants: map[string]parameter{}, variables: map[string]Position{},
		operators: map[string]*Definition{}, recursive: map[string]int{}, missing: map[string]Position{}, inner: map[string]*Module{},
	}
	r.pos += 2
	if _, known := r.l.modules[m.name]; known {
		fail(r.peek().at, "there are two modules %s, or one rests on itself", m.name)
	}
	r.l.modules[m.name] = m
	for {
		t := r.peek()
		switch {
		case t.kind == end:
			fail(t.at, "module %s is not ended by ====", m.name)
		case t.kind == equals:
			r.pos++
			return m
		case t.kind == dashes && r.tokens[r.pos+1].text == "MODULE":
			r.pos++
			inner := r.module(file)
			m.inner[inner.name] = inner
		default:
			r.unit(m)
		}
	}
}

// unit reads one declaration or definition, or skips another unit.
func (r *unitReader) unit(m *Module) {
	t := r.peek()
	switch {
	case t.text == "EXTENDS" && t.kind == word:
		r.pos++
		for {
			name := r.peek()
			r.pos++
			m.named = append(m.named, name.text)
			if other := r.l.load(name.text); other != nil {
				m.extends = append(m.extends, other)
			} else if !standard[name.text] {
				m.missing[name.text] = name.at
			}
			if r.peek().text != "," {
				return
			}
			r.pos++
		}
	case t.kind == word && (strings.HasPrefix(t.text, "CONSTANT") || t.text == "VARIABLE" || t.text == "VARIABLES") && reserved[t.text]:
		r.pos++
		p := r.parser()
		for _, d := range commas(p, p.declaration) {
			if strings.HasPrefix(t.text, "V") {
				m.variables[d.name] = t.at
				m.order = append(m.order, d.name)
			} else {
				m.constants[d.name] = d
			}
		}
		r.pos = p.pos
	case t.text == "RECURSIVE" && t.kind == word:
		r.pos++
		p := r.parser()
		for _, d := range commas(p, p.declaration) {
			m.recursive[d.name] = d.arity
		}
		r.pos = p.pos
	case t.text == "INSTANCE" && t.kind == word:
		p := r.parser()
		m.instances = append(m.instances, p.instance())
		r.pos = p.pos
	default:
		local := t.text == "LOCAL" && t.kind == word
		if local {
			r.pos++
			if r.peek().text == "INSTANCE" {
				return // it is read as any other
			}
		}
		if n, is := r.head(); is {
			r.definition(m, n, local)
			return
		}
		r.pos++
		r.skip(t)
	}
}

func (r *unitReader) parser() *parser {
	return &parser{source: r.source, tokens: r.tokens, pos: r.pos}
}

// mostHead is the largest number of tokens of a definition before its ==.
const mostHead = 1000

// head reports whether a definition begins here, and returns the number of tokens before its ==.
func (r *unitReader) head() (n int, is bool) {
	at := func(i int) token { return r.tokens[min(r.pos+i, len(r.tokens)-1)] }
	isSign := func(i int, s string) bool { return at(i).kind == sign && at(i).text == s }
	first := at(0)
	isName := func(t token) bool { return t.kind == word && !reserved[t.text] }
	switch {
	case isName(first) && isSign(1, "=="):
		return 1, true
	case isName(first) && (isSign(1, "(") || isSign(1, "[")):
		depth := 0
		for i := 1; at(i).kind != end && i < mostHead; i++ {
			switch t := at(i); {
			case t.kind == sign && (t.text == "(" || t.text == "[" || t.text == "{" || t.text == "<<"):
				depth++
			case t.kind == sign && (t.text == ")" || t.text == "]" || t.text == "}" || t.text == ">>"):
				depth--
			case t.kind == sign && t.text == "==", t.kind == equals, t.kind == dashes:
				return 0, false
			}
			if depth == 0 {
				return i + 1, isSign(i+1, "==")
			}
		}
	case isName(first) && at(1).kind == sign && infix[at(1).text] != precedence{} && isName(at(2)) && isSign(3, "=="):
		return 3, true // a (+) b ==
	case isName(first) && at(1).kind == sign && postfix[at(1).text] && isSign(2, "=="):
		return 2, true // a ^+ ==
	}
	return 0, false
}

// begins are the words that begin a unit.
var begins = words("EXTENDS CONSTANT CONSTANTS VARIABLE VARIABLES RECURSIVE INSTANCE LOCAL ASSUME ASSUMPTION AXIOM THEOREM LEMMA PROPOSITION COROLLARY USE HIDE")

// skip goes from the unit with this first token to the next unit that is indented no more,
// because the proof of a theorem may contain definitions, which are indented more.
func (r *unitReader) skip(from token) {
	lets := 0
	for r.peek().kind != end {
		t, before := r.peek(), r.tokens[r.pos-1]
		first := before.at.Line < t.at.Line
		switch {
		case t.kind == equals, t.kind == dashes:
			return
		case t.text == "LET" && t.kind == word:
			lets++
		case t.text == "IN" && t.kind == word:
			lets--
		case t.kind == word && begins[t.text] && first && t.at.Column <= from.at.Column && lets <= 0:
			return
		case first && t.at.Column <= from.at.Column && lets <= 0:
			if _, is := r.head(); is {
				return
			}
		}
		r.pos++
	}
}

// definition reads a definition with n tokens before its ==, and leaves its expression as
// tokens.
func (r *unitReader) definition(m *Module, n int, local bool) {
	p := r.parser()
	d := p.head(n)
	d.module, d.local, d.source = m, local, r.source
	if old, twice := m.operators[d.name]; twice {
		fail(d.at, "%s is defined twice: see line %d", d.name, old.at.Line)
	}
	m.operators[d.name] = d
	r.pos = p.pos
	if t := r.peek(); t.kind == word && t.text == "INSTANCE" {
		p.pos = r.pos
		d.instance = p.instance()
		r.pos = p.pos
		return
	}
	start, lets := r.pos, 0
	for {
		t := r.peek()
		if t.kind == end || t.kind == equals || t.kind == dashes {
			break
		}
		if t.kind == word && t.text == "LET" {
			lets++
		}
		if t.kind == word && t.text == "IN" {
			lets--
		}
		if lets <= 0 && r.pos > start {
			if t.kind == word && begins[t.text] {
				break
			}
			if _, is := r.head(); is {
				break
			}
		}
		r.pos++
	}
	d.tokens = append(slices.Clone(r.tokens[start:r.pos]), token{kind: end, at: r.peek().at, from: r.peek().from, behind: r.peek().from})
}

// head reads the head of a definition and its ==.
func (p *parser) head(n int) *Definition {
	first := p.tokens[p.pos]
	d := &Definition{name: first.text, at: first.at}
	sign := func(i int) string { return spelled(p.tokens[p.pos+i]) }
	one := func(i int) parameter { return parameter{p.tokens[p.pos+i].text, 0} }
	switch {
	case n == 3 && p.tokens[p.pos+1].text != "(" && p.tokens[p.pos+1].text != "[":
		d.name, d.parameters = sign(1), []parameter{one(0), one(2)}
		p.pos += 3
	case n == 2:
		d.name, d.parameters = sign(1), []parameter{one(0)}
		p.pos += 2
	default:
		p.pos++
		if p.take("(") {
			d.parameters = closed(p, ")", ",", p.declaration)
		} else if p.take("[") {
			d.over = closed(p, "]", ",", p.bound)
		}
	}
	p.expect("==")
	return d
}

// declaration reads a declared name; an operator has a _ for each parameter.
func (p *parser) declaration() parameter {
	if t := p.peek(); t.kind == sign && t.text == "_" {
		p.pos += 2
		p.expect("_")
		return parameter{spelled(p.tokens[p.pos-2]), 2}
	}
	d := parameter{name: p.name()}
	if p.take("(") {
		d.arity = len(closed(p, ")", ",", func() bool { p.expect("_"); return true }))
	}
	return d
}

// definition reads a definition of LET, or skips a RECURSIVE declaration and returns
// nil.
func (p *parser) definition() []*Definition {
	if p.take("RECURSIVE") {
		commas(p, p.declaration)
		return nil
	}
	r := &unitReader{source: p.source, tokens: p.tokens, pos: p.pos}
	n, is := r.head()
	if !is {
		p.unexpected("a definition or IN")
	}
	d := p.head(n)
	d.source = p.source
	d.body = p.expression()
	return []*Definition{d}
}

func (p *parser) instance() *instance {
	i := &instance{at: p.peek().at, with: map[string]*expression{}}
	p.expect("INSTANCE")
	i.module = p.name()
	if !p.take("WITH") {
		return i
	}
	for {
		t := p.next()
		p.expect("<-")
		i.with[spelled(t)] = p.expression()
		if !p.take(",") {
			return i
		}
	}
}

// find returns the first module for which known returns true, among this module and those
// that it extends, directly or indirectly; nil if there is none.
func (m *Module) find(known func(*Module) bool) *Module {
	if known(m) {
		return m
	}
	for _, other := range m.extends {
		if found := other.find(known); found != nil {
			return found
		}
	}
	return nil
}

func (m *Module) definition(name string) *Definition {
	found := m.find(func(m *Module) bool { return m.operators[name] != nil })
	if found == nil {
		return nil
	}
	return found.operators[name]
}

func (m *Module) isVariable(name string) bool {
	return m.find(func(m *Module) bool { _, is := m.variables[name]; return is }) != nil
}

func (m *Module) constant(name string) (parameter, bool) {
	found := m.find(func(m *Module) bool { _, is := m.constants[name]; return is })
	if found == nil {
		return parameter{}, false
	}
	return found.constants[name], true
}

// allVariables returns the names of the variables, in the order of their declarations.
func (m *Module) allVariables() []string {
	var all []string
	m.find(func(m *Module) bool {
		for _, v := range m.order {
			if !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
		return false
	})
	return all
}
