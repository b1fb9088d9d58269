package automata

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
)

// errAborted is the error about an automaton that ends in --ABORT--.
var errAborted = errors.New("hoa: aborted")

// parser reads automata from a stream with a look-ahead of one token.
type parser struct {
	*lexer
	ctx context.Context
	tok token
	// tokens counts tokens, so that the context is checked regularly.
	tokens int
	// general accepts any acceptance condition, for an [Automaton].
	general bool
	// read and aborted count the automata read so far.
	read, aborted int
}

func newParser(ctx context.Context, r io.Reader, file string) *parser {
	if file == "" {
		file = "input"
	}
	return &parser{lexer: &lexer{in: bufio.NewReader(r), file: file, line: 1}, ctx: ctx}
}

// nextBody returns the next automaton that is not aborted, io.EOF after the last one.
func (p *parser) nextBody() (*body, error) {
	for {
		d, err := p.automaton()
		switch {
		case errors.Is(err, errAborted):
			p.aborted++
		case err == nil:
			p.read++
			return d, nil
		case errors.Is(err, io.EOF) && p.read == 0 && p.aborted > 0:
			return nil, p.errorAt(p.line,
				"the tool that wrote this gave up: every automaton ends in --ABORT--")
		case errors.Is(err, io.EOF) && p.read == 0:
			return nil, p.errorAt(p.line,
				`there is no automaton here; an HOA file begins with "HOA: v1"`)
		default:
			return nil, err
		}
	}
}

// checkEvery is the number of tokens between two checks of the context.
const checkEvery = 4096

// advance makes the next token the current one.
func (p *parser) advance() {
	p.tokens++
	if p.tokens%checkEvery == 1 {
		abort.On(p.ctx.Err())
	}
	p.tok = p.lexer.next()
	if p.tok.kind == tokenAbortMark {
		abort.On(errAborted)
	}
}

// failAt ends the reading with an error at a token.
func (p *parser) failAt(t token, format string, arguments ...any) {
	abort.On(p.errorHere(t, format, arguments...))
}

// expect ends the reading with the error that another token was expected.
func (p *parser) expect(expected string) {
	p.failAt(p.tok, "expected %s, found %s", expected, p.tok)
}

// take returns the current token, which must be of the given kind, and advances.
func (p *parser) take(kind tokenKind, expected string) token {
	t := p.tok
	if t.kind != kind {
		p.expect(expected)
	}
	p.advance()
	return t
}

// section reads a state after "State:", with the edges that leave it.
func (p *parser) section(b *body) {
	s := section{label: p.bracketed(b), state: p.take(tokenInt, "the number of a state")}
	number := State(s.state.number)
	b.mention(p, s.state)
	if first, isListed := b.listed.line(number); isListed {
		p.failAt(s.state, "state %d is listed a second time; line %d lists it already", number,
			first)
	}
	b.listed.add(p.ctx, number, s.state.line)
	if p.tok.kind == tokenString {
		if p.tok.text != "" {
			b.Names[number] = p.tok.text
		}
		p.advance()
	}
	s.marks = p.signature(b)
	if s.marks != 0 {
		b.Accepting = append(b.Accepting, number)
	}
	p.edges(b, s)
}

// edges reads the edges that leave a state. Either all edges have labels, or none has; unlabelled
// edges share the label of the state or, if the state has no label, have the letters in ascending
// order.
func (p *parser) edges(b *body, s section) {
	first := len(b.Edges)
	numLabelled := 0
	numEdges := 0
	for ; p.tok.kind == '[' || p.tok.kind == tokenInt; numEdges++ {
		if p.tok.kind == '[' {
			numLabelled++
		}
		label := p.bracketed(b)
		to := p.destination("the number of the state that the edge leads to")
		b.mention(p, to)
		marks := p.signature(b) | s.marks
		if label.isSatisfiable && s.label.isSatisfiable {
			b.Edges = abort.Must(resources.Grow(p.ctx, b.Edges, 1))
			b.Edges = append(b.Edges, Edge{
				From:  State(s.state.number),
				To:    State(to.number),
				Marks: marks,
				Line:  to.line,
				label: label,
			})
		}
	}
	b.labelEdges(p, s, b.Edges[first:], numLabelled, numEdges)
}

// automaton reads one automaton: header "--BODY--" body "--END--". It returns
// io.EOF where the stream ends before its first token.
func (p *parser) automaton() (b *body, err error) {
	defer abort.Caught(&err)
	p.advance()
	if p.tok.kind == tokenEnd {
		return nil, io.EOF
	}
	b = p.header()
	p.take(tokenBodyMark, "a header item or --BODY--")
	for p.tok.kind == tokenHeader && p.tok.text == "State:" {
		p.advance()
		p.section(b)
	}
	// The next token, if any, is the next automaton's.
	if p.tok.kind != tokenEndMark {
		p.expect(`"State:" or --END--`)
	}
	b.count(p)
	return b, nil
}

// expression is a Boolean expression over atoms, in postfix order: atoms are
// numbers from 0, operators and constants are negative. text is the text in the
// file, without blanks.
type expression struct {
	code []int
	text string
}

const (
	codeTrue = -iota - 1
	codeFalse
	codeNot
	codeAnd
	codeOr
	// codeOpen is an open parenthesis; it occurs on the operator stack only.
	codeOpen
	// firstAlias and smaller codes are aliases, counted downwards.
	firstAlias
)

// expressionParser parses label expressions and acceptance conditions, which
// differ only in their atoms: "!" binds closest, then "&", then "|".
type expressionParser struct {
	*parser
	// atom parses an atom: it advances after the atom, and returns the atom's code and text.
	atom func() (code int, text string)
	// negation reports whether "!" is an operator.
	negation bool

	out       expression
	text      strings.Builder
	operators []int
	open      int
}

// expression parses the longest expression from here.
func (e *expressionParser) expression() expression {
	for e.operand(); e.operator(); {
		e.operand()
	}
	e.out.text = e.text.String()
	return e.out
}

// mostOperations is the largest number of atoms, operators and open parentheses of an expression:
// functions that read the tree of an expression recurse as deep as the tree is.
const mostOperations = 1 << 20

// mostInCondition is the largest number of atoms and operators of an acceptance condition, whose parts
// are compared with each other.
const mostInCondition = 1 << 14

// operand parses any number of "!" and "(", and an atom.
func (e *expressionParser) operand() {
	for {
		if len(e.out.code)+len(e.operators) >= mostOperations {
			e.failAt(e.tok, "an expression has more than %d atoms, operators and parentheses",
				mostOperations)
		}
		switch {
		case e.tok.kind == '(':
			e.operators = append(e.operators, codeOpen)
			e.open++
		case e.tok.kind == '!' && e.negation:
			e.operators = append(e.operators, codeNot)
		case e.tok.kind == tokenBoolean:
			e.out.code = append(e.out.code, codeTrue)
			if e.tok.text == "f" {
				e.out.code[len(e.out.code)-1] = codeFalse
			}
			e.text.WriteString(e.tok.text)
			e.advance()
			return
		default:
			code, text := e.atom()
			e.out.code = append(e.out.code, code)
			e.text.WriteString(text)
			return
		}
		e.text.WriteString(e.tok.text)
		e.advance()
	}
}

// operator parses ")" for each open parenthesis, and then a binary operator. It returns false if
// there is no operator, because the expression is complete then.
func (e *expressionParser) operator() bool {
	for e.tok.kind == ')' && e.open > 0 {
		e.reduce(codeOpen)
		e.operators = e.operators[:len(e.operators)-1]
		e.open--
		e.text.WriteByte(')')
		e.advance()
	}
	var operator int
	switch {
	case e.tok.kind == '&':
		operator = codeAnd
	case e.tok.kind == '|':
		operator = codeOr
	case e.open > 0:
		e.expect(`"&", "|" or ")"`)
	default:
		e.reduce(codeOpen)
		return false
	}
	e.reduce(operator)
	e.operators = append(e.operators, operator)
	e.text.WriteString(e.tok.text)
	e.advance()
	return true
}

// reduce moves operators from the stack to the output, down to the last open parenthesis or to the
// first operator that binds less closely than the operator limit. Looser operators have smaller
// codes.
func (e *expressionParser) reduce(limit int) {
	for len(e.operators) > 0 {
		last := e.operators[len(e.operators)-1]
		if last == codeOpen || last < limit {
			return
		}
		e.out.code = append(e.out.code, last)
		e.operators = e.operators[:len(e.operators)-1]
	}
}

// repeatable are the header items that may occur more than once.
var repeatable = []string{"Start:", "Alias:", "properties:"}

// header reads the header up to --BODY--.
func (p *parser) header() *body {
	if p.tok.kind != tokenHeader || p.tok.text != "HOA:" {
		p.expect(`"HOA: v1"`)
	}
	version := p.version()
	if version != "v1" {
		p.failAt(p.tok, "HOA version %s cannot be read, only v1", quote(version))
	}
	h := &body{
		Automaton: Automaton{Names: map[State]string{}},
		lines:     map[string]int{"HOA:": p.tok.line},
		numbers:   map[string]int{},
		declared:  -1,
		highest:   -1,
		labels:    map[string]*label{},
	}
	p.advance()
	for p.tok.kind == tokenHeader {
		item := p.tok
		if first, ok := h.lines[item.text]; ok && !slices.Contains(repeatable, item.text) {
			p.failAt(item,
				"the header item %s stands here for the second time; line %d has it already", quote(item.text), first)
		}
		h.lines[item.text] = item.line
		p.advance()
		p.headerItem(h, item)
	}
	if p.tok.kind != tokenBodyMark {
		p.expect("a header item or --BODY--")
	}
	p.checkHeader(h)
	return h
}

// checkHeader checks that the items of a header fit together.
func (p *parser) checkHeader(h *body) {
	line, hasAcceptance := h.lines["Acceptance:"]
	if !hasAcceptance {
		p.failAt(p.tok, "the header item \"Acceptance:\" is missing")
	}
	if p.general {
		if h.sets > MaxSets {
			p.fail(line, "the acceptance condition has %d sets; at most %d are allowed", h.sets,
				MaxSets)
		}
	} else if err := h.checkBuchi(); err != nil {
		p.fail(line, "%v", err)
	}
	if h.declared >= 0 {
		for _, t := range h.start {
			if t.number >= h.declared {
				p.failAt(t,
					"initial state %d does not exist: the header has States: %d, and states are numbered from 0", t.number, h.declared)
			}
		}
	}
	h.checkMentioned(p)
}

// propositions reads the number of the atomic propositions, and their names.
func (p *parser) propositions(h *body) {
	count := p.take(tokenInt, "the number of atomic propositions")
	known := map[string]bool{}
	for p.tok.kind == tokenString {
		if known[p.tok.text] {
			p.failAt(p.tok, "the atomic proposition %s stands twice in AP:",
				quote(p.tok.text))
		}
		known[p.tok.text] = true
		h.Propositions = append(h.Propositions, p.tok.text)
		p.advance()
	}
	if len(h.Propositions) != count.number {
		p.failAt(count, "AP: declares %d atomic propositions and names %d", count.number,
			len(h.Propositions))
	}
}

// alias reads the name of an alias, and the label for which it stands.
func (p *parser) alias(h *body) {
	name := p.take(tokenAlias, `the name of an alias, such as "@a"`)
	if _, isDefined := h.numbers[name.text]; isDefined {
		p.failAt(name, "the alias %s is defined twice", quote(name.text))
	}
	e := p.label(h)
	h.numbers[name.text] = len(h.Aliases)
	h.Aliases = append(h.Aliases, Alias{Name: name.text, Text: e.text})
	h.solver.aliases = append(h.solver.aliases, e.code)
}

// acceptance reads the number of acceptance sets, and the condition about them.
func (p *parser) acceptance(h *body) {
	sets := p.take(tokenInt, "the number of acceptance sets")
	e := expressionParser{parser: p}
	e.atom = func() (int, string) { return p.acceptanceAtom(sets.number) }
	condition := e.expression()
	if len(condition.code) > mostInCondition {
		p.failAt(sets, "the acceptance condition has more than %d atoms and operators",
			mostInCondition)
	}
	h.sets = sets.number
	h.condition = strconv.Itoa(sets.number) + " " + condition.text
	h.Acceptance = newCondition(condition.code)
}

// headerItem reads the values of a header item.
func (p *parser) headerItem(h *body, item token) {
	switch item.text {
	case "States:":
		h.declared = p.take(tokenInt, "the number of states").number
	case "Start:":
		h.start = append(h.start, p.destination("the number of an initial state"))
	case "AP:":
		p.propositions(h)
	case "Alias:":
		p.alias(h)
	case "Acceptance:":
		p.acceptance(h)
		h.AcceptanceLine = item.line
	case "acc-name:":
		texts := p.plainTokens()
		if len(texts) == 0 {
			p.expect("the name of an acceptance condition")
		}
		h.AccName = strings.Join(texts, " ")
	case "name:":
		h.Name = p.take(tokenString, "the name of the automaton, a string").text
	case AtomsItem:
		p.atomMeanings(h)
	default:
		if 'A' <= item.text[0] && item.text[0] <= 'Z' {
			p.failAt(item,
				"the header item %s is not known; as it begins with a capital letter it may change the meaning of the automaton", quote(item.text))
		}
		p.plainTokens()
	}
}

// AtomsItem is the header item that gives propositions their patterns, so that
// what inev writes reads back as the same property. Other tools skip it, because
// its name begins with a small letter.
const AtomsItem = "inev-atoms:"

// atomMeanings reads a pattern, as a string, or the word deadlock for each proposition.
func (p *parser) atomMeanings(h *body) {
	h.Meanings = []string{}
	for {
		switch {
		case p.tok.kind == tokenString && p.tok.text != "":
			h.Meanings = append(h.Meanings, p.tok.text)
		case p.tok.kind == tokenIdentifier && p.tok.text == Deadlock:
			h.Meanings = append(h.Meanings, "")
		default:
			return
		}
		p.advance()
	}
}

// plainTokens reads (BOOLEAN|INT|STRING|IDENTIFIER)*.
func (p *parser) plainTokens() (texts []string) {
	for {
		switch p.tok.kind {
		case tokenBoolean, tokenInt, tokenString, tokenIdentifier:
			texts = append(texts, p.tok.text)
		default:
			return texts
		}
		p.advance()
	}
}

// destination reads a state-conj of one state.
func (p *parser) destination(expected string) token {
	t := p.take(tokenInt, expected)
	if p.tok.kind == '&' {
		p.failAt(p.tok,
			"universal branching (\"&\" between states) cannot be read; convert the automaton to one without alternation, as ltl2tgba -D and autfilt of Spot do")
	}
	return t
}

// label reads a label expression. It checks propositions against AP: if that has
// been read.
func (p *parser) label(h *body) expression {
	e := expressionParser{parser: p, negation: true}
	e.atom = func() (code int, text string) {
		t := p.tok
		switch t.kind {
		case tokenInt:
			h.mentioned = append(h.mentioned, t)
			code = t.number
		case tokenAlias:
			number, known := h.numbers[t.text]
			if !known {
				p.failAt(t, "the alias %s is not defined; Alias: has to come before its use",
					quote(t.text))
			}
			code = firstAlias - number
		default:
			p.expect("a proposition number, an alias, t, f, \"!\" or \"(\"")
		}
		p.advance()
		return code, t.text
	}
	return e.expression()
}

// checkMentioned checks the propositions that were mentioned since the last call.
func (h *body) checkMentioned(p *parser) {
	for _, t := range h.mentioned {
		if t.number >= len(h.Propositions) {
			p.failAt(t, "a label uses proposition %d, but AP: declares only %d, numbered from 0", t.number,
				len(h.Propositions))
		}
	}
	h.mentioned = h.mentioned[:0]
}

// acceptanceAtom reads IDENTIFIER "(" "!"? INT ")".
func (p *parser) acceptanceAtom(sets int) (code int, text string) {
	kind := p.tok
	if kind.kind != tokenIdentifier || kind.text != "Inf" && kind.text != "Fin" {
		p.expect(`Inf, Fin, t, f or "("`)
	}
	p.advance()
	p.take('(', `"("`)
	complement := ""
	if p.tok.kind == '!' {
		code = isComplement
		complement = "!"
		p.advance()
	}
	set := p.take(tokenInt, "the number of an acceptance set")
	if set.number >= sets {
		p.failAt(set, "Acceptance: mentions set %d and declares %d", set.number, sets)
	}
	code |= set.number << 2
	if kind.text == "Fin" {
		code |= isFin
	}
	p.take(')', `")"`)
	return code, kind.text + "(" + complement + set.text + ")"
}

// meanings has, for each name that the format defines, whether the condition can
// be Inf of one set, and whether it can be t.
var meanings = map[string]struct{ inf, t bool }{
	"Buchi":                {inf: true},
	"generalized-Buchi":    {inf: true, t: true},
	"co-Buchi":             {},
	"generalized-co-Buchi": {},
	"Streett":              {t: true},
	"Rabin":                {},
	"generalized-Rabin":    {},
	"parity":               {inf: true, t: true},
	"all":                  {t: true},
	"none":                 {},
}

// checkBuchi refuses conditions other than Inf(n) and t, by the name that the file
// gives them, and conditions that contradict their name.
func (b *body) checkBuchi() error {
	name := b.AccName
	isInf := b.Acceptance.Op == ConditionInf && !b.Acceptance.Complement
	if !isInf && b.Acceptance.Op != ConditionTrue {
		if name == "" {
			name = b.condition
		} else {
			name += " (" + b.condition + ")"
		}
		return fmt.Errorf("the acceptance condition is %s; only Büchi automata can be read, with Inf of one set or t", name)
	}
	first, _, _ := strings.Cut(name, " ")
	meaning, known := meanings[first]
	canMean := meaning.t
	if isInf {
		canMean = meaning.inf
	}
	if known && !canMean {
		return fmt.Errorf("acc-name: gives %s, but Acceptance: gives %s; correct one of them",
			name, b.condition)
	}
	return nil
}

// body is an automaton that is being read.
type body struct {
	Automaton
	// lines holds the line of each header item seen.
	lines map[string]int
	// declared is the number of states in States:, -1 if that is missing.
	declared int
	start    []token
	// numbers are the indexes of the aliases by name.
	numbers map[string]int
	// mentioned are the propositions that aliases mention. They may precede AP:,
	// which gives their number.
	mentioned []token
	// sets is the number of acceptance sets declared.
	sets int
	// listed are the sections of states.
	listed sections
	// highest is the highest state number mentioned, -1 before the first.
	highest int
	// labels holds each distinct label, so that equal ones share memory and are
	// examined once.
	labels map[string]*label
	// letters are the labels of implicitly labelled edges, nil before they are
	// needed.
	letters []*label
}

// unlabelled is the label of edges without one, which can be satisfied.
var unlabelled = &label{isSatisfiable: true}

// labelBudget is the number of operations for deciding which labels of an automaton can be
// satisfied, and labelBudgetPerToken is the number that each token adds. That is far more than the
// labels of tools need, and takes less than a second.
const (
	labelBudget         = 1 << 24
	labelBudgetPerToken = 1 << 6
)

// section is a state with the label and marks that its edges share.
type section struct {
	state token
	label *label
	marks uint64
}

// sections are the lines of the sections of states. Nearly all files list states
// in ascending order; such states are kept in slices, which take 12 bytes a
// state.
type sections struct {
	states []State // the states listed in ascending order
	lines  []int
	// others are the states listed after a larger one.
	others map[State]int
}

// line returns the line of the section of a state. Cost O(1) for a state larger
// than all before, O(log S) for others.
func (s *sections) line(state State) (line int, listed bool) {
	n := len(s.states)
	if n == 0 || state > s.states[n-1] {
		return 0, false
	}
	if at, ok := slices.BinarySearch(s.states, state); ok {
		return s.lines[at], true
	}
	line, listed = s.others[state]
	return line, listed
}

// add records that a state is listed in a line. States mostly ascend; the others are kept apart.
func (s *sections) add(ctx context.Context, state State, line int) {
	n := len(s.states)
	if n > 0 && state < s.states[n-1] {
		if s.others == nil {
			s.others = map[State]int{}
		}
		s.others[state] = line
		return
	}
	s.states = append(abort.Must(resources.Grow(ctx, s.states, 1)), state)
	s.lines = append(abort.Must(resources.Grow(ctx, s.lines, 1)), line)
}

// mention records a state number and checks it against States:.
func (b *body) mention(p *parser, t token) {
	if b.declared >= 0 && t.number >= b.declared {
		p.failAt(t,
			"state %d does not exist: the header has States: %d, and states are numbered from 0", t.number, b.declared)
	}
	if t.number >= MaxStates {
		p.failAt(t, "state number %d is too large: numbers must be below %d", t.number,
			MaxStates)
	}
	b.highest = max(b.highest, t.number)
}

// labelEdges gives unlabelled edges their labels. Of the count edges of the state, the number
// labelled have a label in the file.
func (b *body) labelEdges(p *parser, s section, edges []Edge, labelled, count int) {
	switch {
	case labelled > 0 && s.label.text != "":
		p.failAt(s.state,
			"state %d has a label, and so have edges of it; only one of the two is possible", s.state.number)
	case labelled > 0 && labelled < count:
		p.failAt(s.state,
			"state %d has %d edges, of which %d have a label; either all have one or none", s.state.number, count, labelled)
	case labelled > 0 || count == 0:
	case s.label.text != "":
		for i := range edges {
			edges[i].label = s.label
		}
	default:
		b.labelImplicitly(p, s, edges, count)
	}
}

// labelImplicitly labels the edges of a state whose labels are implicit: there is one edge for each letter, in
// the order of the letters.
func (b *body) labelImplicitly(p *parser, s section, edges []Edge, count int) {
	propositions := len(b.Propositions)
	if propositions > 31 || count != 1<<propositions {
		p.failAt(s.state,
			"state %d has %d edges without labels; it takes one for each of the 2^%d letters, or labels", s.state.number, count, propositions)
	}
	if b.letters == nil {
		for i := range count {
			b.letters = append(b.letters, letter(i, propositions))
		}
	}
	for i := range edges {
		edges[i].label = b.letters[i]
	}
}

// letter returns the label that only letter number i satisfies: bit j of i says
// whether proposition j is in the letter.
func letter(i, propositions int) *label {
	if propositions == 0 {
		return &label{
			expression:    expression{code: []int{codeTrue}, text: "t"},
			isSatisfiable: true,
		}
	}
	var text strings.Builder
	var code []int
	for j := range propositions {
		if j > 0 {
			text.WriteByte('&')
		}
		code = append(code, j)
		isTrue := i>>j&1 != 0
		if !isTrue {
			text.WriteByte('!')
			code = append(code, codeNot)
		}
		text.WriteString(strconv.Itoa(j))
		if j > 0 {
			code = append(code, codeAnd)
		}
	}
	return &label{
		expression:    expression{code: code, text: text.String()},
		isSatisfiable: true,
	}
}

// bracketed reads a label in brackets, if there is one. For a general automaton, it does not
// examine whether the label can be satisfied.
func (p *parser) bracketed(b *body) *label {
	if p.tok.kind != '[' {
		return unlabelled
	}
	line := p.tok.line
	p.advance()
	e := p.label(b)
	p.take(']', `"&", "|" or "]"`)
	b.checkMentioned(p)
	read, known := b.labels[e.text]
	if !known {
		read = &label{expression: e, isSatisfiable: p.isSatisfiable(b, e, line)}
		b.labels[e.text] = read
	}
	return read
}

// isSatisfiable reports whether some letter satisfies a label. It fails if that takes too long to decide.
func (p *parser) isSatisfiable(b *body, e expression, line int) bool {
	if p.general {
		return true
	}
	budget := labelBudget + labelBudgetPerToken*p.tokens
	isSatisfiable, isDecided := b.solver.isSatisfiable(e.code, budget)
	if !isDecided {
		p.fail(line,
			"the label %s is too intricate to tell whether a letter satisfies it; simplify it", quote(e.text))
	}
	return isSatisfiable
}

// signature reads an acc-sig, if there is one, and returns its sets. For a Büchi automaton it
// returns one mark if the acc-sig contains the set of the acceptance condition; under the condition
// t, it always returns this mark.
func (p *parser) signature(b *body) (marks uint64) {
	if !p.general && b.Acceptance.Op == ConditionTrue {
		marks = 1
	}
	if p.tok.kind != '{' {
		return marks
	}
	p.advance()
	for p.tok.kind == tokenInt {
		if p.tok.number >= b.sets {
			p.failAt(p.tok, "acceptance set %d is not below the number of sets %d",
				p.tok.number, b.sets)
		}
		if p.general {
			marks |= 1 << p.tok.number
		} else if p.tok.number == b.Acceptance.Set {
			marks = 1
		}
		p.advance()
	}
	p.take('}', `the number of an acceptance set or "}"`)
	return marks
}

// count determines the number of states and the initial states, and checks that each state is
// listed. Memory is allocated for states that are listed, never because the header gives a large
// number.
func (b *body) count(p *parser) {
	known := map[State]bool{}
	for _, t := range b.start {
		b.mention(p, t)
		s := State(t.number)
		if !known[s] {
			known[s] = true
			b.Starts = append(b.Starts, s)
		}
	}
	b.States = b.declared
	if b.States < 0 {
		b.States = b.highest + 1
	}
	if len(b.listed.states)+len(b.listed.others) == b.States {
		return
	}
	missing := 0
	for listed := true; listed; {
		_, listed = b.listed.line(State(missing))
		if listed {
			missing++
		}
	}
	if b.declared >= 0 {
		p.failAt(p.tok, "state %d is not listed; States: declares %d", missing, b.States)
	}
	p.failAt(p.tok, "state %d is not listed, although state %d is mentioned", missing,
		b.highest)
}

// truth is a truth value of an expression in which some propositions have no
// value yet.
type truth int8

const (
	isFalse truth = iota
	unknown
	isTrue
)

// solver decides whether some letter satisfies a label of one automaton. First it
// tries the letter that gives each proposition the polarity of its first
// occurrence; this letter satisfies every satisfiable conjunction of literals.
// Then it assigns values to propositions in the order in which they occur, and
// backtracks when the label becomes false.
type solver struct {
	// aliases are the expressions of the aliases; each mentions only smaller
	// aliases.
	aliases [][]int
	// spent counts operations, over all labels.
	spent int

	// order lists the propositions in the label, and values has the values
	// assigned to them.
	order  []int
	values map[int]truth
	// used are the aliases that the label mentions, directly or through others,
	// in ascending order; results are their values.
	used    []int
	results []truth
	stack   []truth
}

// isSatisfiable reports whether a letter satisfies the expression code; decided is
// false if this would take more than budget operations, including those spent on
// earlier labels.
func (s *solver) isSatisfiable(code []int, budget int) (yes, decided bool) {
	s.order = s.order[:0]
	s.values = map[int]truth{}
	s.used = s.used[:0]
	s.collectPropositions(code)
	// First each proposition is tried with the polarity of its first occurrence.
	if s.evaluateAll(code) == isTrue {
		return true, true
	}
	clear(s.values)
	return s.backtrack(code, budget)
}

// collectPropositions collects the propositions of an expression, and the aliases that it uses.
func (s *solver) collectPropositions(code []int) {
	var needed []bool
	s.collectFrom(code, &needed)
	// An alias refers to earlier ones only.
	for i := len(needed) - 1; i >= 0; i-- {
		if needed[i] {
			s.collectFrom(s.aliases[i], &needed)
		}
	}
	for i, isNeeded := range needed {
		if isNeeded {
			s.used = append(s.used, i)
		}
	}
	s.spent += len(needed)
}

// backtrack tries truth values proposition by proposition, true before false. It gives a value to the
// next proposition only while the values so far do not decide the expression.
func (s *solver) backtrack(code []int, budget int) (yes, decided bool) {
	assigned := 0 // the number of propositions of order that have a value
	for {
		result := s.evaluateAll(code)
		switch {
		case s.spent > budget:
			return false, false
		case result == isTrue:
			return true, true
		case result == unknown:
			s.values[s.order[assigned]] = isTrue
			assigned++
			continue
		}
		for assigned > 0 && s.value(s.order[assigned-1]) == isFalse {
			assigned--
			delete(s.values, s.order[assigned])
		}
		if assigned == 0 {
			return false, true
		}
		s.values[s.order[assigned-1]] = isFalse
	}
}

// value returns the value of a proposition.
func (s *solver) value(proposition int) truth {
	if value, ok := s.values[proposition]; ok {
		return value
	}
	return unknown
}

// collectFrom marks the aliases that an expression needs.
func (s *solver) collectFrom(code []int, needed *[]bool) {
	for i, c := range code {
		if c <= firstAlias {
			if *needed == nil {
				*needed = make([]bool, len(s.aliases))
				s.results = append(s.results[:0], make([]truth, len(s.aliases))...)
			}
			(*needed)[firstAlias-c] = true
			continue
		}
		_, isAssigned := s.values[c]
		if c < 0 || isAssigned {
			continue
		}
		s.order = append(s.order, c)
		s.values[c] = isTrue
		if i+1 < len(code) && code[i+1] == codeNot {
			s.values[c] = isFalse
		}
	}
}

func (s *solver) evaluateAll(code []int) truth {
	for _, i := range s.used {
		s.results[i] = s.evaluate(s.aliases[i])
	}
	return s.evaluate(code)
}

// evaluate computes an expression in Kleene's three-valued logic, in which "and"
// is the minimum and "or" the maximum.
func (s *solver) evaluate(code []int) truth {
	s.spent += len(code)
	s.stack = s.stack[:0]
	for _, c := range code {
		top := len(s.stack) - 1
		switch {
		case c >= 0:
			s.stack = append(s.stack, s.value(c))
		case c <= firstAlias:
			s.stack = append(s.stack, s.results[firstAlias-c])
		case c == codeTrue:
			s.stack = append(s.stack, isTrue)
		case c == codeFalse:
			s.stack = append(s.stack, isFalse)
		case c == codeNot:
			s.stack[top] = isTrue - s.stack[top]
		case c == codeAnd:
			s.stack[top-1] = min(s.stack[top-1], s.stack[top])
			s.stack = s.stack[:top]
		case c == codeOr:
			s.stack[top-1] = max(s.stack[top-1], s.stack[top])
			s.stack = s.stack[:top]
		}
	}
	return s.stack[0]
}
