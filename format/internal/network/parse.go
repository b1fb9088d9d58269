package network

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/format/relabel"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// keywords are the words that are names only in quotes.
var keywords = []string{"all", "but", "behaviour", "behavior", "ccs", "comm", "csp", "cut", "elotos", "end", "gate", "hide", "in", "label",
	"lotos", "mcrl", "multiple", "par", "partial", "prio", "rename", "single", "total", "using"}

// source is a file that is being read.
type source struct {
	name, folder string
	text         string
	at           int
	// lines is the number of line feeds in text[:before], so that the next count begins at before.
	before, lines int
}

// line returns the number of the line of the next character.
func (s *source) line() int {
	if s.at < s.before {
		s.before = 0
		s.lines = 0
	}
	s.lines += strings.Count(s.text[s.before:s.at], "\n")
	s.before = s.at
	return s.lines + 1
}

// parser reads a network without a lexer: how characters form a symbol depends on what may stand
// there.
type parser struct {
	ctx     context.Context
	o       Options
	sources []source // each includes the next source; the last one is being read
	// language and comm have the settings in the head of the network.
	language   parameters
	comm       map[[2]string]string
	components []component
	models     map[string]*lts.LTS // by the paths of their files
	// takenNames are the names of components, and nextSuffix has for each name the number that is tried
	// next as its suffix.
	takenNames map[string]bool
	nextSuffix map[string]int
	depth      int
}

// These are the largest numbers of components, of included files and of nested operators.
const (
	mostComponents = 4096
	mostIncluded   = 100
	mostNested     = 2000
)

// newParser returns a parser at the beginning of a network. The text may begin with a byte order mark.
func newParser(ctx context.Context, text []byte, o Options) *parser {
	main := source{
		name:   o.Name,
		folder: o.Folder,
		text:   strings.TrimPrefix(string(text), "\ufeff"),
	}
	return &parser{
		ctx:        ctx,
		o:          o,
		sources:    []source{main},
		comm:       map[[2]string]string{},
		models:     map[string]*lts.LTS{},
		takenNames: map[string]bool{},
		nextSuffix: map[string]int{},
	}
}

// network reads the whole file.
func (p *parser) network() (root node, err error) {
	defer abort.Caught(&err)
	closing := p.head()
	root = p.behaviour()
	if closing != "" && p.peekWord() == "end" {
		p.expectKeyword("end")
		p.expectKeyword(closing)
	}
	p.skipBlanks()
	if p.top().at < len(p.top().text) {
		p.fail("an operator or the end of the network")
	}
	return root, nil
}

func (p *parser) top() *source { return &p.sources[len(p.sources)-1] }

// here returns the position of the next character.
func (p *parser) here() position {
	s := p.top()
	begin := strings.LastIndexByte(s.text[:s.at], '\n') + 1
	return position{
		file:   s.name,
		line:   s.line(),
		column: utf8.RuneCountInString(s.text[begin:s.at]) + 1,
	}
}

// fail ends the reading with an error that says what was expected here.
func (p *parser) fail(expected string) {
	p.skipBlanks()
	s := p.top()
	found := "the end of the file"
	if rest := s.text[s.at:]; rest != "" {
		word := rest[:max(wordLength(rest), 1)]
		if word[0] == '"' {
			word, _, _ = strings.Cut(rest, "\n")
		}
		found = printable.Cut(word, 40)
	}
	abort.On(p.here().errorf("expected %s, found %s", expected, found))
}

// skipBlanks skips blanks and comments, and leaves files that end.
func (p *parser) skipBlanks() {
	for {
		s := p.top()
		rest := s.text[s.at:]
		trimmed := strings.TrimLeft(rest, " \t\r\n\v\f")
		s.at += len(rest) - len(trimmed)
		switch {
		case strings.HasPrefix(trimmed, "(*"):
			end := strings.Index(trimmed, "*)")
			if end < 0 {
				abort.On(p.here().errorf("the comment (* is never closed; write *)"))
			}
			s.at += end + len("*)")
		case strings.HasPrefix(trimmed, "--"):
			line, _, _ := strings.Cut(trimmed, "\n")
			s.at += len(line)
		case trimmed == "" && len(p.sources) > 1:
			p.sources = p.sources[:len(p.sources)-1]
		default:
			return
		}
	}
}

// wordLength returns the length of the name at the beginning of a text, 0 if there is none. A name
// does not end with an underscore.
func wordLength(text string) int {
	n := 0
	for n < len(text) {
		c := text[n]
		mayFollow := c >= '0' && c <= '9' || c == '_'
		if !isLetter(c) && (n == 0 || !mayFollow) {
			break
		}
		n++
	}
	for n > 0 && text[n-1] == '_' {
		n--
	}
	return n
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// peekWord returns the name or keyword that comes next; "" if none does.
func (p *parser) peekWord() string {
	p.skipBlanks()
	rest := p.top().text[p.top().at:]
	return rest[:wordLength(rest)]
}

// takeKeyword takes a keyword if it comes next, and reports whether it does.
func (p *parser) takeKeyword(word string) bool {
	if p.peekWord() != word {
		return false
	}
	p.top().at += len(word)
	return true
}

func (p *parser) expectKeyword(word string) {
	if !p.takeKeyword(word) {
		p.fail(word)
	}
}

// isNext reports whether a symbol comes next.
func (p *parser) isNext(symbol string) bool {
	p.skipBlanks()
	return strings.HasPrefix(p.top().text[p.top().at:], symbol)
}

// takeSymbol takes a symbol if it comes next, and reports whether it does.
func (p *parser) takeSymbol(symbol string) bool {
	if !p.isNext(symbol) {
		return false
	}
	p.top().at += len(symbol)
	return true
}

func (p *parser) expectSymbol(symbol string) {
	if !p.takeSymbol(symbol) {
		p.fail(symbol)
	}
}

// takeQuoted takes a text in quotes if one comes next.
func (p *parser) takeQuoted() (text string, is bool) {
	if !p.isNext(`"`) {
		return "", false
	}
	s := p.top()
	var b strings.Builder
	for i := s.at + 1; i < len(s.text); i++ {
		c := s.text[i]
		switch {
		case c == '"':
			s.at = i + 1
			return b.String(), true
		case c == '\n':
			i = len(s.text)
		case c == '\\' && i+1 < len(s.text):
			i++
			b.WriteString(escaped(s.text[i]))
		default:
			b.WriteByte(c)
		}
	}
	abort.On(p.here().errorf("the quote is never closed on its line"))
	return "", false
}

// escaped returns the text that a backslash and this character denote: that of the escape sequence
// in ANSI C, or both characters if C has no such sequence.
func escaped(c byte) string {
	const letters, means = `abfrtv"\'?`, "\a\b\f\r\t\v\"\\'?"
	if i := strings.IndexByte(letters, c); i >= 0 {
		return means[i : i+1]
	}
	return `\` + string(rune(c))
}

// takeLabel takes a gate or label if one comes next.
func (p *parser) takeLabel() (text string, is bool) {
	if text, is := p.takeQuoted(); is {
		return p.language.label(text), true
	}
	word := p.peekWord()
	if word == "" || slices.Contains(keywords, word) {
		return "", false
	}
	p.top().at += len(word)
	return p.language.label(word), true
}

func (p *parser) expectLabel() string {
	text, is := p.takeLabel()
	if !is {
		p.fail(`a gate, or a label in quotes`)
	}
	return text
}

// labels reads a list of labels, which is empty if its end comes next; the end is not taken.
func (p *parser) labels(isEnd func() bool) (all []string) {
	if isEnd() {
		return nil
	}
	for {
		all = append(all, p.expectLabel())
		if !p.takeSymbol(",") {
			return all
		}
	}
}

// head reads the language and mCRL's communications. It returns the word behaviour as the head spells it, "" if it is
// missing: the network may end with end and this word.
func (p *parser) head() (behaviour string) {
	language := NoLanguage
	for _, l := range languages {
		if p.takeKeyword(string(l)) {
			language = l
			if word := p.peekWord(); word != "behaviour" && word != "behavior" {
				p.fail("behaviour")
			}
		}
	}
	behaviour = p.peekWord()
	switch {
	case !p.takeBehaviourKeyword():
		behaviour = ""
	case language == NoLanguage:
		language = LOTOS
	}
	p.language = parametersOf(language, p.o.Language)
	if p.takeKeyword("comm") {
		p.communications()
	}
	return behaviour
}

// takeBehaviourKeyword takes the keyword behaviour, in either spelling, if it comes next, and reports
// whether it does.
func (p *parser) takeBehaviourKeyword() bool {
	return p.takeKeyword("behaviour") || p.takeKeyword("behavior")
}

// communications reads mCRL's communications.
func (p *parser) communications() {
	for {
		p.skipBlanks()
		at := p.here()
		left := p.expectLabel()
		p.expectSymbol("|")
		right := p.expectLabel()
		p.expectSymbol("=")
		result := p.expectLabel()
		key := [2]string{min(left, right), max(left, right)}
		if known, is := p.comm[key]; is && known != result {
			abort.On(at.errorf("%s | %s = %s is given already; a pair of gates has one result",
				left, right, known))
		}
		p.comm[key] = result
		if !p.takeSymbol(",") {
			break
		}
	}
	p.expectKeyword("end")
	p.expectKeyword("comm")
}

// behaviour reads a behaviour with infix operators, which associate to the right. A chain of one operator that is
// associative becomes one composition, so that its moves are not copied by each operator in it.
func (p *parser) behaviour() node {
	p.depth++
	defer func() { p.depth-- }()
	p.checkDepth(0)
	operands := []node{p.operand()}
	var operators []*parallel
	for {
		n := p.infix()
		if n == nil {
			break
		}
		operators = append(operators, n)
		operands = append(operands, p.operand())
	}
	right := operands[len(operators)]
	nested := 0
	for last := len(operators) - 1; last >= 0; {
		firstOfChain := last
		for firstOfChain > 0 && operators[firstOfChain-1].chains(operators[last]) {
			firstOfChain--
		}
		n := operators[firstOfChain]
		n.inside = append(slices.Clone(operands[firstOfChain:last+1]), right)
		n.local = make([][]element, len(n.inside))
		right = n
		nested++
		last = firstOfChain - 1
	}
	p.checkDepth(nested)
	return right
}

// checkDepth refuses a behaviour in which this many more operators would nest too deep.
func (p *parser) checkDepth(more int) {
	if p.depth+more > mostNested {
		abort.On(p.here().errorf("operators are nested more than %d deep", mostNested))
	}
}

// chains reports whether a chain of two operators composes all three behaviours at once.
func (n *parallel) chains(other *parallel) bool {
	isAssociative := !n.isCSP && !n.isMCRL && !other.isCSP && !other.isMCRL
	return isAssociative && n.joinAll == other.joinAll && n.isCCS == other.isCCS &&
		slices.Equal(texts(n.global), texts(other.global))
}

// infix reads an infix operator; nil if none comes next.
func (p *parser) infix() *parallel {
	p.skipBlanks()
	n := &parallel{at: p.here()}
	switch {
	case p.takeSymbol("|||"):
	case p.takeSymbol("||"):
		n.joinAll = p.language.Language != MCRL
		n.isMCRL = !n.joinAll
	case p.takeSymbol("|["):
		n.global = p.gates("]|")
	case p.takeSymbol("[|"):
		p.expectSymbol("{")
		n.global = p.gates("}")
		p.expectSymbol("|]")
	case p.takeSymbol("|"):
		n.isCCS = true
	case p.takeSymbol("["):
		p.expectSymbol("{")
		n.alphabets[0] = texts(p.gates("}"))
		p.expectSymbol("||")
		p.expectSymbol("{")
		n.alphabets[1] = texts(p.gates("}"))
		p.expectSymbol("]")
		n.isCSP = true
	default:
		return nil
	}
	return n
}

// gates reads the gates of an infix operator and the symbol after them.
func (p *parser) gates(end string) (all []element) {
	p.skipBlanks()
	at := p.here()
	for _, text := range p.labels(func() bool { return p.isNext(end) }) {
		p.checkGate(at, text)
		all = append(all, element{at: at, label: text, degree: whole})
	}
	p.expectSymbol(end)
	return all
}

func texts(elements []element) (all []string) {
	for _, e := range elements {
		all = append(all, e.label)
	}
	return all
}

// checkGate refuses the hidden label, on which nobody joins, and gates with offers.
func (p *parser) checkGate(at position, text string) {
	switch {
	case text == p.language.Hidden:
		abort.On(at.errorf("%s is the hidden label, on which nobody joins; leave it out", text))
	case relabel.GateOf(text) != text:
		abort.On(at.errorf("%s has offers, but only gates are compared here; write the gate %s, or label par for whole labels", text, relabel.GateOf(text)))
	}
}

// operand reads a behaviour without infix operators, with the operators after it.
func (p *parser) operand() node {
	n := p.primary()
	for {
		p.skipBlanks()
		at := p.here()
		switch {
		case p.takeSymbol(`\`):
			n = p.restriction(at, n)
		case p.takeSymbol("[["):
			n = p.relabelling(at, n, false)
		case p.isNext("[") && !p.isNext("[|") && !p.isAlphabet():
			p.takeSymbol("[")
			n = p.relabelling(at, n, true)
		default:
			return n
		}
	}
}

// isAlphabet reports whether a bracket begins the alphabets of CSP's composition.
func (p *parser) isAlphabet() bool {
	rest := p.top().text[p.top().at+1:]
	return strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), "{")
}

// restriction reads the restriction of CCS or the hiding of CSP.
func (p *parser) restriction(at position, inside node) node {
	var labels []string
	if p.takeSymbol("{") {
		labels = p.labels(func() bool { return p.isNext("}") })
		p.expectSymbol("}")
	} else {
		labels = []string{p.expectLabel()}
	}
	kind := relabel.Cut
	if p.language.Language == CSP {
		kind = relabel.Hide
	}
	return &relabelled{
		kind:      kind,
		rules:     p.rules(at, kind, relabel.Gate, false, patternsOf(labels)),
		coActions: kind == relabel.Cut,
		inside:    inside,
	}
}

// relabelling reads CCS's [NEW/OLD], or CSP's [[OLD <- NEW]], up to its end.
func (p *parser) relabelling(at position, inside node, isCCS bool) node {
	var renamings []relabel.Pair
	arrow, end := "<-", "]]"
	if isCCS {
		arrow, end = "/", "]"
	}
	for {
		oldLabel := p.expectLabel()
		p.expectSymbol(arrow)
		after := p.expectLabel()
		if isCCS {
			oldLabel, after = after, oldLabel
		}
		renamings = append(renamings, relabel.Pair{Pattern: oldLabel, Replacement: after})
		if !p.takeSymbol(",") {
			break
		}
	}
	p.expectSymbol(end)
	return &relabelled{
		kind:      relabel.Rename,
		rules:     p.rules(at, relabel.Rename, relabel.Gate, false, renamings),
		coActions: isCCS,
		inside:    inside,
	}
}

// patternsOf returns labels as patterns without replacements.
func patternsOf(labels []string) (patterns []relabel.Pair) {
	for _, text := range labels {
		patterns = append(patterns, relabel.Pair{Pattern: text})
	}
	return patterns
}

// rules makes rules of labels in an operator.
func (p *parser) rules(
	at position,
	kind relabel.Kind,
	matching relabel.Matching,
	isAllBut bool,
	pairs []relabel.Pair,
) *relabel.Rules {
	r, err := relabel.New(kind, matching, isAllBut, pairs)
	if err != nil {
		abort.On(at.errorf("%v", err))
	}
	return r
}

// primary reads a component, a behaviour in parentheses, or an operator with keywords.
func (p *parser) primary() node {
	p.skipBlanks()
	at := p.here()
	if p.takeSymbol("(") {
		n := p.behaviour()
		p.expectSymbol(")")
		return n
	}
	matching := p.takeMatching()
	operator := p.peekWord()
	_, isOperator := matchingsOf[operator]
	if !isOperator {
		if matching != "" {
			p.fail("hide, rename, cut, prio or par")
		}
		return p.componentOrInclude(at)
	}
	p.takeKeyword(operator)
	if matching == "" {
		matching = relabel.Gate
	}
	checkMatching(at, matching, operator)
	switch operator {
	case "rename":
		return p.renaming(at, matching)
	case "prio":
		return p.prio(at, matching)
	case "par":
		return p.parBehaviour(at, matching == byLabel)
	default:
		return p.cutOrHide(at, relabel.Kind(operator), matching)
	}
}

// takeMatching takes the word before an operator that tells how its patterns match; "" if none comes next.
func (p *parser) takeMatching() relabel.Matching {
	word := p.peekWord()
	switch word {
	case "gate", "total", "partial", "single", "multiple", "label":
		p.takeKeyword(word)
		return relabel.Matching(word)
	}
	return ""
}

// checkMatching refuses a way of matching that does not go with an operator.
func checkMatching(at position, matching relabel.Matching, operator string) {
	if slices.Contains(matchingsOf[operator], matching) {
		return
	}
	var allowed []string
	for _, m := range matchingsOf[operator] {
		allowed = append(allowed, string(m))
	}
	abort.On(at.errorf("%s cannot be used with %s; leave it out, or write %s", matching, operator,
		printable.List(allowed, "or")))
}

// byLabel, before par, compares whole labels.
const byLabel relabel.Matching = "label"

// matchingsOf are the ways of matching that may stand before an operator; gate is the default.
var matchingsOf = map[string][]relabel.Matching{
	"hide":   relabel.Hide.Matchings(),
	"cut":    relabel.Cut.Matchings(),
	"prio":   relabel.Hide.Matchings(),
	"rename": relabel.Rename.Matchings(),
	"par":    {relabel.Gate, byLabel},
}

// cutOrHide reads hide or cut after the keyword. The end of hide is optional.
func (p *parser) cutOrHide(at position, kind relabel.Kind, matching relabel.Matching) node {
	n := &relabelled{at: at, kind: kind}
	if p.takeKeyword("using") {
		n.rules = p.rulesFile(kind, matching)
	} else {
		isAllBut := p.takeAllBut()
		labels := p.labels(func() bool { return p.peekWord() == "in" })
		n.rules = p.rules(at, kind, matching, isAllBut, patternsOf(labels))
	}
	p.expectKeyword("in")
	n.inside = p.behaviour()
	hasEnd := p.peekWord() == "end" && p.here().file == at.file && p.isEndOf(string(kind))
	if kind == relabel.Cut || hasEnd {
		p.expectEnd(at, string(kind))
	}
	return n
}

// isEndOf reports whether the keyword end and then the word come next.
func (p *parser) isEndOf(word string) bool {
	saved := p.save()
	defer p.restore(saved)
	return p.takeKeyword("end") && p.takeKeyword(word)
}

func (p *parser) takeAllBut() bool {
	if !p.takeKeyword("all") {
		return false
	}
	p.expectKeyword("but")
	return true
}

// renaming reads rename after the keyword.
func (p *parser) renaming(at position, matching relabel.Matching) node {
	n := &relabelled{at: at, kind: relabel.Rename}
	if p.takeKeyword("using") {
		n.rules = p.rulesFile(relabel.Rename, matching)
	} else {
		var all []relabel.Pair
		for {
			left := p.expectLabel()
			p.expectSymbol("->")
			all = append(all, relabel.Pair{Pattern: left, Replacement: p.expectLabel()})
			if !p.takeSymbol(",") {
				break
			}
		}
		n.rules = p.rules(at, relabel.Rename, matching, false, all)
	}
	p.expectKeyword("in")
	n.inside = p.behaviour()
	p.expectEnd(at, "rename")
	return n
}

// prio reads prio after the keyword.
func (p *parser) prio(at position, matching relabel.Matching) node {
	n := &prioritised{at: at}
	for p.peekWord() != "in" {
		var chain []*relabel.Rules
		for {
			isAllBut := p.takeAllBut()
			list := p.labels(func() bool {
				return p.isNext(">") || p.peekWord() == "in"
			})
			chain = append(chain, p.rules(at, relabel.Hide, matching, isAllBut, patternsOf(list)))
			if !p.takeSymbol(">") {
				break
			}
		}
		if len(chain) < 2 {
			p.fail("> and the labels with less priority")
		}
		n.chains = append(n.chains, chain)
	}
	if len(n.chains) == 0 {
		p.fail("labels, > and the labels with less priority")
	}
	p.expectKeyword("in")
	n.inside = p.behaviour()
	p.expectEnd(at, "prio")
	return n
}

// parBehaviour reads par after the keyword.
func (p *parser) parBehaviour(at position, wholeLabels bool) node {
	if p.takeKeyword("using") {
		return p.parVectors(at, wholeLabels)
	}
	p.refuseVectors()
	n := &parallel{at: at, wholeLabels: wholeLabels}
	if p.takeKeyword("all") {
		n.joinAll = true
		p.expectKeyword("in")
	} else {
		n.global = p.interfaceBefore(wholeLabels, func() bool {
			return p.takeKeyword("in")
		})
	}
	for {
		n.local = append(n.local, p.interfaceBefore(wholeLabels, func() bool {
			return p.takeSymbol("->")
		}))
		n.inside = append(n.inside, p.operand())
		if !p.takeSymbol("||") {
			break
		}
	}
	p.endPar(at)
	return n
}

// refuseVectors refuses a synchronisation vector after par, where the word using is missing.
func (p *parser) refuseVectors() {
	begin := p.save()
	isIdle := p.takeSymbol("_")
	_, isLabel := p.takeLabel()
	isVector := (isIdle || isLabel) && (p.isNext("*") || isIdle && p.isNext("||"))
	p.restore(begin)
	if isVector {
		p.fail("using before synchronisation vectors, as in par using PUT * _ * PUT -> PUT in")
	}
}

// endPar reads the end of a par. If an operator follows instead, the error explains that it needs
// parentheses.
func (p *parser) endPar(at position) {
	isOpen := p.peekWord() != "end"
	included := p.top()
	switch {
	case isOpen && included.name != at.file:
		p.fail("|| or end par (the text of " + included.name + " stands in the place of its name and has an infix operator: write the name in parentheses)")
	case isOpen:
		p.fail("|| or end par (an infix operator in a par stands in parentheses)")
	}
	p.expectEnd(at, "par")
}

// expectEnd reads the end of an operator that begins at a place. An operator that begins in an
// included file must also end there: an end that follows the name of the file belongs to an
// operator of the including file.
func (p *parser) expectEnd(at position, word string) {
	p.skipBlanks()
	if p.here().file != at.file {
		abort.On(at.errorf("%s is not closed in this file; write end %s", word, word))
	}
	p.expectKeyword("end")
	p.expectKeyword(word)
}

// interfaceBefore takes a synchronisation interface and the end that takeEnd takes. A behaviour may begin like an
// interface; then interfaceBefore takes nothing.
func (p *parser) interfaceBefore(wholeLabels bool, takeEnd func() bool) []element {
	if takeEnd() {
		return nil
	}
	begin := p.save()
	var elements []element
	for {
		e, isElement := p.takeElement()
		if !isElement {
			p.restore(begin)
			return nil
		}
		elements = append(elements, e)
		if !p.takeSymbol(",") {
			break
		}
	}
	if !takeEnd() {
		p.restore(begin)
		return nil
	}
	for _, e := range elements {
		p.checkElement(e, wholeLabels)
	}
	return elements
}

// takeElement takes an element of an interface if one comes next.
func (p *parser) takeElement() (e element, isElement bool) {
	p.skipBlanks()
	e = element{at: p.here(), degree: whole}
	e.label, isElement = p.takeLabel()
	if isElement && p.takeSymbol("#") {
		e.degree = p.expectNumber()
		if e.degree == 0 {
			abort.On(e.at.errorf("%s#0: no behaviour would take the step; at least one has to, as in %s#1", e.label, e.label))
		}
	}
	return e, isElement
}

// checkElement refuses the hidden label, the termination and, unless whole labels are compared,
// gates with offers.
func (p *parser) checkElement(e element, wholeLabels bool) {
	if !wholeLabels || e.label == p.language.Hidden {
		p.checkGate(e.at, e.label)
	}
	if relabel.GateOf(e.label) == p.language.terminationGate && p.language.terminationGate != "" {
		abort.On(e.at.errorf("%s is the termination, on which all behaviours join; leave it out", e.label))
	}
}

// expectNumber takes a number, which is at most mostComponents.
func (p *parser) expectNumber() int {
	p.skipBlanks()
	at := p.here()
	s := p.top()
	rest := s.text[s.at:]
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	if digits == "" {
		p.fail("a number")
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > mostComponents {
		abort.On(at.errorf("%s is more than the %d behaviours that a network may have", printable.Cut(digits, 40), mostComponents))
	}
	s.at += len(digits)
	return n
}

// parVectors reads par using after the keywords.
func (p *parser) parVectors(at position, wholeLabels bool) node {
	n := &vectored{at: at, wholeLabels: wholeLabels}
	for {
		n.vectors = append(n.vectors, p.vector(wholeLabels))
		// CADP's own example leaves the comma out before a vector on a line of its own.
		if !p.takeSymbol(",") && p.peekWord() == "in" {
			break
		}
	}
	p.expectKeyword("in")
	for {
		n.inside = append(n.inside, p.operand())
		if !p.takeSymbol("||") {
			break
		}
	}
	p.endPar(at)
	for _, v := range n.vectors {
		if len(v.parts) != len(n.inside) {
			abort.On(v.at.errorf("the vector has %d places for %d behaviours; write _ for a behaviour that does not take part", len(v.parts), len(n.inside)))
		}
	}
	return n
}

// vector reads a synchronisation vector: for each behaviour the label with which it takes part, or _, and
// after -> the label of the result. Unless wholeLabels, the labels must be gates.
func (p *parser) vector(wholeLabels bool) vector {
	p.skipBlanks()
	v := vector{at: p.here()}
	takesPart := false
	for {
		part := ""
		if !p.takeSymbol("_") {
			part = p.expectLabel()
			takesPart = true
			if part == p.language.Hidden {
				abort.On(v.at.errorf("%s is the hidden label, which takes part in no vector",
					part))
			}
			if !wholeLabels {
				p.checkGate(v.at, part)
			}
		}
		v.parts = append(v.parts, part)
		if !p.takeSymbol("||") && !p.takeSymbol("*") {
			break
		}
	}
	p.expectSymbol("->")
	v.result = p.expectLabel()
	if !takesPart {
		abort.On(v.at.errorf("nobody takes part in this vector; name a gate in one of its places"))
	}
	return v
}

// saved is a state of the parser.
type saved []source

func (p *parser) save() saved { return slices.Clone(p.sources) }

func (p *parser) restore(s saved) { p.sources = append(p.sources[:0], s...) }

// unsupportedSuffixes are the suffixes of components that CADP reads, and inev does not.
var unsupportedSuffixes = []string{".bcg", ".fc2", ".seq"}

// fileName takes the name of a file: a text in quotes, or a word with or without a suffix.
func (p *parser) fileName() string {
	if text, is := p.takeQuoted(); is {
		return text
	}
	word := p.peekWord()
	if word == "" || slices.Contains(keywords, word) {
		p.fail("a behaviour: the name of a file, an operator, or parentheses")
	}
	s := p.top()
	s.at += len(word)
	rest := s.text[s.at:]
	if strings.HasPrefix(rest, ".") {
		n := wordLength(rest[1:])
		s.at += 1 + n
		word += rest[:1+n]
	}
	return word
}

// componentOrInclude reads a component, or the network in an included file.
func (p *parser) componentOrInclude(at position) node {
	name := p.fileName()
	if strings.EqualFold(filepath.Ext(name), ".exp") {
		p.include(at, name)
		return p.includedOperand()
	}
	return &leaf{component: p.component(at, name)}
}

// includedOperand reads the head and the first operand of an included file. The operators after the operand are
// read as if the text of the file stood in the place of the file's name.
func (p *parser) includedOperand() node {
	for _, l := range languages {
		p.takeKeyword(string(l))
	}
	p.takeBehaviourKeyword()
	if p.takeKeyword("comm") {
		p.communications()
	}
	return p.operand()
}

// include makes the parser continue in another file, and return to this one at the end of it.
func (p *parser) include(at position, name string) {
	if len(p.sources) > mostIncluded {
		abort.On(at.errorf("%s: more than %d files include each other", name, mostIncluded))
	}
	path := p.pathOf(name)
	text, err := p.o.Read(p.ctx, path)
	if err != nil {
		abort.On(p.ctx.Err())
		abort.On(at.errorf("%v", err))
	}
	p.sources = append(p.sources, source{
		name:   p.shownName(name),
		folder: filepath.Dir(path),
		text:   strings.TrimPrefix(string(text), "\ufeff"),
	})
}

// shownName returns the name of a file for messages: it begins with the folder of the main file as the
// user has written it.
func (p *parser) shownName(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(p.top().name), name)
}

func (p *parser) pathOf(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.top().folder, filepath.FromSlash(name))
}

// rulesFile reads a file with rules.
func (p *parser) rulesFile(kind relabel.Kind, matching relabel.Matching) *relabel.Rules {
	p.skipBlanks()
	at := p.here()
	name := p.fileName()
	content, err := p.o.Read(p.ctx, p.pathOf(name))
	var r *relabel.Rules
	if err == nil {
		r, err = relabel.ParseFile(kind, p.shownName(name), content, matching)
	}
	if err != nil {
		abort.On(p.ctx.Err())
		abort.On(at.errorf("%v", err))
	}
	return r
}

// component returns the number of a new component. The model of a file is read once.
func (p *parser) component(at position, name string) int {
	abort.On(p.ctx.Err())
	if len(p.components) == mostComponents {
		abort.On(at.errorf("the network has more than %d components", mostComponents))
	}
	path := p.pathOf(name)
	suffix := strings.ToLower(filepath.Ext(name))
	if slices.Contains(unsupportedSuffixes, suffix) {
		abort.On(at.errorf("%s: inev composes .aut, .lts, .fsm and the like; convert it by bcg_io %s %s.aut, and name that", name, name, strings.TrimSuffix(name, suffix)))
	}
	if suffix == "" {
		path += ".aut"
		name += ".aut"
	}
	c := component{name: p.uniqueName(name), model: p.modelOf(at, path)}
	p.components = append(p.components, c)
	return len(p.components) - 1
}

// modelOf returns the model of a file, which it reads if no component has it yet.
func (p *parser) modelOf(at position, path string) *lts.LTS {
	m, known := p.models[path]
	if known {
		return m
	}
	m, err := p.o.Open(p.ctx, path)
	if err != nil {
		abort.On(p.ctx.Err())
		abort.On(at.errorf("%v", err))
	}
	p.models[path] = m
	return m
}

// uniqueName returns a name for a component that no other has: that of its file, with a number after
// it if need be.
func (p *parser) uniqueName(file string) string {
	stem := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	name := stem
	for p.takenNames[name] {
		n := max(2, p.nextSuffix[stem])
		name = fmt.Sprintf("%s_%d", stem, n)
		p.nextSuffix[stem] = n + 1
	}
	p.takenNames[name] = true
	return name
}
