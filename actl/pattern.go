package actl

import (
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/lts/multiaction"
	"github.com/inev-lts/inev/internal/lts/stochastic"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
)

// Pattern is one step of a formula: a set of labels, in the notations of the
// package comment. It is immutable.
type Pattern struct {
	// elements has no two equal members; it is empty if no label does the step.
	elements []element
}

// Reported returns the pattern of the states, or of the set of transitions, that
// the labels of a model report under a name, see [lts.Telling].
func Reported(name string, states bool) Pattern {
	e := element{kind: set, text: name, key: name}
	if states {
		e.kind = state
		e.atom = values.Reported(name)
	}
	return newPattern([]element{e})
}

// Matches reports whether a transition with this label text does the step. Cost
// O(length of label) for each member of a set, more for globs with several *.
func (p Pattern) Matches(label string) bool {
	return slices.ContainsFunc(p.elements, func(e element) bool {
		return e.matches(label)
	})
}

// String returns the pattern in the notation of formulas.
func (p Pattern) String() string {
	if len(p.elements) == 1 {
		return p.elements[0].String()
	}
	texts := make([]string, len(p.elements))
	for i := range p.elements {
		texts[i] = p.elements[i].String()
	}
	return "{" + strings.Join(texts, ", ") + "}"
}

// alternatives returns the pattern as it is written in surroundings with
// operators of ACTL.
func (p Pattern) alternatives(where surroundings) string {
	if len(p.elements) == 0 {
		return "false"
	}
	texts := make([]string, len(p.elements))
	for i := range p.elements {
		texts[i] = p.elements[i].alternative(where)
	}
	return strings.Join(texts, " or ")
}

// key is equal for two patterns iff they differ only in blanks that do not
// matter.
func (p Pattern) key() string {
	var b strings.Builder
	for i := range p.elements {
		b.WriteByte(byte(p.elements[i].kind))
		b.WriteString(quote(p.elements[i].key))
	}
	return b.String()
}

// kind is a notation of a label pattern.
type kind byte

const (
	name   kind = 'n' // a label, or a gate or action with anything after it
	plain  kind = 'p' // one label; blanks after its commas do not matter
	quoted kind = 'q' // exactly one label, byte for byte
	regex  kind = 'r'
	glob   kind = 'g'
	state  kind = 's' // an atom about values of states
	set    kind = 't' // a set of transitions that the labels of a model report by its name
)

// element is a pattern that is no set.
type element struct {
	kind kind
	// text is the pattern without its delimiters: the label, the name, the glob,
	// the regular expression.
	text string
	// key is text, normalised by [multiaction.Tight] if blanks do not matter for the kind.
	key  string
	re   *regexp.Regexp // where kind is regex
	atom *values.Atom   // where kind is state
	// multi is the text of [multiAction] if labels are compared by it. parts
	// reports that the parts of multi-actions match, too.
	multi string
	parts bool
	// notation is that of the formula which has the element.
	notation hint.Notation
}

// identity distinguishes elements that are written differently, up to blanks that
// do not matter.
type identity struct {
	kind kind
	key  string
}

func (e *element) identity() identity { return identity{e.kind, e.key} }

// newBare returns the element of an undelimited text.
func newBare(text string) element {
	text = loose(text)
	switch {
	case strings.ContainsAny(text, "*?"):
		return element{kind: glob, text: text, key: multiaction.Tight(text)}
	case isName(text):
		return element{kind: name, text: text, key: text}
	}
	return element{
		kind:  plain,
		text:  text,
		key:   multiaction.Tight(text),
		multi: multiAction(text),
	}
}

// newQuoted returns the element that matches one label.
func newQuoted(label string) element {
	return element{
		kind:  quoted,
		text:  label,
		key:   label,
		multi: multiAction(label),
	}
}

// matches reports whether the element matches a label, with or without the rate or the probability that
// may follow its action.
func (e *element) matches(label string) bool {
	if e.matchesText(label) {
		return true
	}
	action := stochastic.Action(label)
	return action != label && e.matchesText(action)
}

// matchesText reports whether the element matches a text as one action or as a multi-action, or, where
// parts count, one of its parts.
func (e *element) matchesText(text string) bool {
	if e.matchesWhole(text) || e.multi != "" && e.multi == multiAction(text) {
		return true
	}
	return e.parts && slices.ContainsFunc(multiaction.Parts(text), e.matchesWhole)
}

// matchesWhole reports whether the element matches a label as one action, not as
// a multi-action.
func (e *element) matchesWhole(label string) bool {
	switch e.kind {
	case state, set:
		return false
	case name:
		gate, ok := gateOf(label)
		return ok && gate == e.key
	case quoted:
		return label == e.key
	case regex:
		return e.re.MatchString(label)
	case glob:
		return globMatches(e.key, multiaction.Tight(label), nil)
	}
	return multiaction.Tight(label) == e.key
}

// String returns the element in the notation of formulas.
func (e *element) String() string {
	switch e.kind {
	case quoted:
		return quote(e.text)
	case regex:
		return "/" + escapeSlashes(e.text) + "/"
	case name, plain:
		_, after, isAtom, err := values.Read(e.text, 0)
		if isAtom && err == nil && after == len(e.text) {
			return quote(e.text) // a label that would be read as an atom about values
		}
	}
	return e.text
}

// alternative returns the element as it is written in surroundings with operators
// of ACTL. A text that would be read as an operator is put in braces, within
// which there are no operators.
func (e *element) alternative(where surroundings) string {
	if e.kind == quoted || e.kind == regex {
		return e.String()
	}
	text := e.text
	p := parser{text: text}
	var readBack []element
	err := abort.Try(func() { readBack = p.alternative("", where) })
	isReadWhole := err == nil && p.pos == len(text)
	isUnchanged := len(readBack) == 1 && readBack[0].identity() == e.identity()
	if isReadWhole && isUnchanged {
		return text
	}
	return "{" + text + "}"
}

// PatternFor returns a notation for the label with this text as a step: unquoted
// if that is unambiguous, otherwise quoted. Note that a bare name, such as GET,
// also matches the labels of gate GET with offers or arguments, if the model has
// any.
func PatternFor(label string) string {
	p := parser{text: label}
	var e element
	err := abort.Try(func() { e = p.element("", inList) })
	isReadWhole := err == nil && p.pos == len(label) && e.text == label
	isUnambiguous := e.kind == name || e.kind == plain && isCall(e.key)
	if isReadWhole && isUnambiguous {
		return label
	}
	return quote(label)
}

// Unquoted returns the label of a quoted pattern if the unquoted text means
// exactly the same label; false otherwise. Cost O(length of the text).
func (p Pattern) Unquoted() (label string, ok bool) {
	if len(p.elements) != 1 || p.elements[0].kind != quoted {
		return "", false
	}
	label = p.elements[0].text
	bare, err := Parse(context.Background(), "Inev("+label+")")
	if err != nil || bare.Len() != 1 || strings.Contains(label, ",") {
		return "", false
	}
	elements := bare.Steps()[0].elements
	return label, len(elements) == 1 && elements[0].kind == plain && elements[0].text == label
}

// Quoted returns the quoted notation for exactly the label with this text as a
// step. Cost O(len(label)).
func Quoted(label string) string { return quote(label) }

// isCall reports whether text has the form NAME(arguments), without blanks.
func isCall(text string) bool {
	open := strings.IndexByte(text, '(')
	return open > 0 && isName(text[:open]) && strings.HasSuffix(text, ")") &&
		!strings.ContainsAny(text, " \t|!")
}

// isName reports whether undelimited text is the name of a gate or action.
func isName(text string) bool {
	return text != "" && !strings.ContainsAny(text, " \t\n\v\f\r()[]{}\",*?!|")
}

// GateOf returns the gate or action of a label: the bare name that, as a step of a formula, matches
// this label and others with different offers or arguments. A multi-action of mCRL2, a(1)|b(2), has
// none: it is neither the action a nor b. A label that does not begin with a name has none, either.
// Cost O(len(label)).
func GateOf(label string) (gate string, has bool) {
	gate, has = gateOf(label)
	if !has || !isName(gate) {
		return "", false
	}
	return gate, true
}

// gateOf returns the name of the gate or action at the beginning of a label: the
// text before the first blank or opening parenthesis; of a stochastic label, such as
// "A; rate 2.0", the text before the semicolon. A multi-action of mCRL2,
// a(1)|b(2), has no such name: it is neither the action a nor b.
func gateOf(label string) (string, bool) {
	i := strings.IndexAny(label, " \t(")
	if i < 0 {
		return label, true
	}
	if i > 0 && label[i-1] == ';' {
		action := stochastic.Action(label)
		if action != label {
			return action, true
		}
	}
	if multiaction.Parts(label) != nil {
		return "", false
	}
	if label[i] == '(' {
		end := multiaction.Closing(label[i:])
		if end > 0 && strings.HasPrefix(label[i+end:], "|") {
			return "", false
		}
	}
	return label[:i], i > 0
}

var quoteEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// quote returns text as a quoted label of a formula.
func quote(text string) string { return `"` + quoteEscapes.Replace(text) + `"` }

// Elements returns the members of a set, each as a pattern of its own; the pattern itself if
// it is no set. Cost O(their number).
func (p Pattern) Elements() []Pattern {
	all := make([]Pattern, len(p.elements))
	for i := range p.elements {
		all[i] = Pattern{elements: p.elements[i : i+1]}
	}
	return all
}

// WithLabels returns the formula whose patterns are the quoted labels of a that the patterns of f match.
// Its notations, such as [Formula.MCL], are exact for a model with these labels. It fails if ctx is
// done. Cost as that of [Formula.Bind].
func (f *Formula) WithLabels(ctx context.Context, a *lts.Alphabet) (_ *Formula, err error) {
	defer abort.Caught(&err)
	b := newBinder(ctx, f.steps, a)
	spelledOut := *f
	spelledOut.steps = nil
	for _, pattern := range f.steps {
		abort.On(ctx.Err())
		var labels []element
		for _, l := range b.labelsOf(pattern) {
			labels = append(labels, newQuoted(a.Text(l)))
		}
		spelledOut.steps = append(spelledOut.steps, Pattern{elements: labels})
	}
	return &spelledOut, nil
}

// WithoutElement returns the formula in which a step, counted from 0, lacks one
// of its several members: see [Formula.Steps] and [Pattern.Elements].
func (f *Formula) WithoutElement(step, element int) *Formula {
	otherElements := slices.Delete(slices.Clone(f.steps[step].elements), element, element+1)
	less := *f
	less.steps = slices.Clone(f.steps)
	less.steps[step] = Pattern{elements: otherElements}
	return &less
}

// stopEvery is the number of short operations, of a few nanoseconds each, between two checks
// whether to stop.
const stopEvery = 1 << 16

// globMatches reports whether a glob matches the whole of a text: in the glob, * is any text, ? any one
// character, and everything else itself. Once the glob has matched up to a *, the texts of earlier *
// need not be reconsidered, so that only the text of the last * is made longer when what follows it does
// not match. If stop, which may be nil, returns true, globMatches gives up and returns false. Cost
// O(len(pattern) · len(text)).
func globMatches(pattern, text string, stop func() bool) bool {
	// The glob before the offset inPattern matches the text before the offset inText.
	inPattern := 0
	inText := 0
	afterStar := -1 // the offset in the pattern after the last *, -1 if there was none
	endOfStar := 0  // the offset in the text up to which that * reaches
	for comparisons := 1; inText < len(text); comparisons++ {
		if comparisons%stopEvery == 0 && stop != nil && stop() {
			return false
		}
		switch {
		case inPattern < len(pattern) && pattern[inPattern] == '*':
			inPattern++
			afterStar = inPattern
			endOfStar = inText
		case inPattern < len(pattern) && pattern[inPattern] == '?':
			inPattern++
			inText += sizeOfFirst(text[inText:])
		case inPattern < len(pattern) && pattern[inPattern] == text[inText]:
			inPattern++
			inText++
		case afterStar >= 0:
			endOfStar += sizeOfFirst(text[endOfStar:])
			inPattern = afterStar
			inText = endOfStar
		default:
			return false
		}
	}
	return strings.Trim(pattern[inPattern:], "*") == ""
}

// sizeOfFirst returns the number of bytes of the first character of a text.
func sizeOfFirst(text string) int {
	_, size := utf8.DecodeRuneInString(text)
	return size
}

// quickLength is the length of a regular expression up to which package regexp compiles it within some
// milliseconds. Matching takes as little time while the length of the expression times that of the text is
// at most quickLength.
const quickLength = 1 << 16

// compile compiles a regular expression. Once ctx, which may be nil, is done, compile returns
// without the result of a large expression. Package regexp cannot be stopped. It continues in the
// background, for some seconds at most, because it limits the size of expressions.
func compile(ctx context.Context, source string) (*regexp.Regexp, error) {
	if ctx == nil || len(source) <= quickLength {
		return regexp.Compile(source)
	}
	var re *regexp.Regexp
	var err error
	compiling := contained.Go(func() { re, err = regexp.Compile(source) })
	select {
	case <-compiling.Done():
		compiling.Wait()
		return re, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// regexpMatches is re.MatchString, but returns false once ctx is done. A large
// expression gets the text character by character, so that ctx is checked in
// between.
func regexpMatches(ctx context.Context, re *regexp.Regexp, size int, text string) bool {
	if size*len(text) <= quickLength {
		return re.MatchString(text)
	}
	return re.MatchReader(&stoppableText{ctx, text})
}

// stoppableText is a text that ends once ctx is done.
type stoppableText struct {
	ctx  context.Context
	text string
}

// ReadRune reads a character as package regexp reads a string: a byte that is no
// UTF-8 is a character of its own.
func (t *stoppableText) ReadRune() (r rune, size int, err error) {
	if t.text == "" || t.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRuneInString(t.text)
	t.text = t.text[size:]
	return r, size, nil
}

// maxBranches is the largest number of basic regular expressions for one regular
// expression of a formula.
const maxBranches = 64

// literal returns the basic regular expression, in the syntax of regexp(5), that
// matches only text. Special characters are put in brackets, not after a
// backslash, which the tool's lexer might interpret. A single quote would end the
// expression, and becomes any character.
func literal(text string) string { return basicEscapes.Replace(text) }

var basicEscapes = strings.NewReplacer(".", "[.]", "*", "[*]", "[", "[[]", `\`, `[\]`, "$",
	"[$]", "'", ".")

// basicRegexps returns basic regular expressions that together match, as a whole,
// the labels in which the RE2 expression source finds a match. It fails for
// features that basic expressions lack: repeated groups, word boundaries, classes
// of characters beyond ASCII; or if source is longer than 64 kB.
func basicRegexps(source string) ([]string, bool) {
	if len(source) > quickLength {
		return nil, false // such an expression takes long, and nobody reads the result
	}
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, false
	}
	branches, ok := expand(re.Simplify())
	if !ok {
		return nil, false
	}
	texts := make([]string, len(branches))
	for i, b := range branches {
		texts[i] = b.text
		if !b.begin && !strings.HasPrefix(b.text, ".*") {
			texts[i] = ".*" + b.text
		}
		if !b.end && !strings.HasSuffix(texts[i], ".*") {
			texts[i] += ".*"
		}
	}
	return texts, true
}

// branch is a basic regular expression that may be anchored at the beginning and
// the end of a label.
type branch struct {
	text       string
	begin, end bool
}

// expand returns branches whose disjunction is equivalent to re, which must be simplified: then {m,n} is
// written by the other operators. It returns false if there are no such branches, or too many.
func expand(re *syntax.Regexp) (_ []branch, hasBranches bool) {
	character, isCharacter := oneCharacter(re)
	if isCharacter {
		return []branch{{text: character}}, true
	}
	switch re.Op {
	case syntax.OpNoMatch:
		return nil, true
	case syntax.OpEmptyMatch:
		return []branch{{}}, true
	case syntax.OpBeginText, syntax.OpBeginLine:
		return []branch{{begin: true}}, true
	case syntax.OpEndText, syntax.OpEndLine:
		return []branch{{end: true}}, true
	case syntax.OpLiteral:
		return []branch{{text: literalRunes(re)}}, true
	case syntax.OpCapture:
		return expand(re.Sub[0])
	case syntax.OpQuest:
		branches, hasBranches := expand(re.Sub[0])
		return append([]branch{{}}, branches...), hasBranches
	case syntax.OpStar:
		repeated, isCharacter := oneCharacter(re.Sub[0])
		return []branch{{text: repeated + "*"}}, isCharacter
	case syntax.OpPlus:
		repeated, isCharacter := oneCharacter(re.Sub[0])
		return []branch{{text: repeated + repeated + "*"}}, isCharacter
	case syntax.OpConcat:
		return expandSequence(re.Sub)
	case syntax.OpAlternate:
		return expandAlternatives(re.Sub)
	}
	return nil, false
}

// expandAlternatives returns branches whose disjunction is equivalent to that of some expressions.
func expandAlternatives(alternatives []*syntax.Regexp) (all []branch, hasBranches bool) {
	for _, re := range alternatives {
		branches, hasBranches := expand(re)
		all = append(all, branches...)
		if !hasBranches || len(all) > maxBranches {
			return nil, false
		}
	}
	return all, true
}

// expandSequence returns branches whose disjunction is equivalent to expressions one after the other.
func expandSequence(sequence []*syntax.Regexp) ([]branch, bool) {
	all := []branch{{}}
	for _, re := range sequence {
		branches, ok := expand(re)
		if !ok || len(all)*len(branches) > maxBranches {
			return nil, false
		}
		var longer []branch
		for _, a := range all {
			for _, b := range branches {
				joined, ok := a.followedBy(b)
				if !ok {
					return nil, false
				}
				longer = append(longer, joined)
			}
		}
		all = longer
	}
	return all, true
}

// followedBy returns one branch after another; false if text stands after the end of a label, or
// before the beginning.
func (a branch) followedBy(b branch) (branch, bool) {
	isTextAfterEnd := a.end && b.text != ""
	isTextBeforeBegin := b.begin && a.text != ""
	if isTextAfterEnd || isTextBeforeBegin {
		return branch{}, false
	}
	return branch{
		text:  a.text + b.text,
		begin: a.begin || b.begin,
		end:   a.end || b.end,
	}, true
}

// oneCharacter returns the basic regular expression of an expression that matches
// single characters; only such expressions can be repeated.
func oneCharacter(re *syntax.Regexp) (string, bool) {
	switch re.Op {
	case syntax.OpCapture:
		return oneCharacter(re.Sub[0])
	case syntax.OpLiteral:
		return literalRunes(re), len(re.Rune) == 1 && re.Rune[0] < utf8.RuneSelf
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return ".", true
	case syntax.OpCharClass:
		return characterClass(re.Rune)
	}
	return "", false
}

// characterClass returns the basic regular expression of a class, which is given as pairs of
// bounds. CADP's labels consist of printable ASCII, so that other characters of the class are
// ignored. A class with everything beyond ASCII is written as its complement.
func characterClass(bounds []rune) (string, bool) {
	isNegated := len(bounds) > 0 && bounds[len(bounds)-1] == unicode.MaxRune
	var members [utf8.RuneSelf]bool
	for i := 0; i < len(bounds); i += 2 {
		for r := bounds[i]; r <= bounds[i+1] && r < utf8.RuneSelf; r++ {
			members[r] = true
		}
	}
	var list []byte
	for c := byte(' '); c <= '~'; c++ {
		if members[c] != isNegated {
			list = append(list, c)
		}
	}
	switch {
	case len(list) == 0:
		return ".", isNegated
	case slices.Contains(list, '\''):
		return "", false
	case isNegated:
		return "[^" + bracketed(list) + "]", true
	case len(list) == 1:
		return literal(string(list)), true
	}
	return "[" + bracketed(list) + "]", true
}

// literalRunes returns the basic regular expression of a literal, which may
// ignore case.
func literalRunes(re *syntax.Regexp) string {
	var b strings.Builder
	for _, r := range re.Rune {
		lower := unicode.ToLower(r)
		upper := unicode.ToUpper(r)
		if re.Flags&syntax.FoldCase != 0 && lower != upper {
			b.WriteString("[" + string(upper) + string(lower) + "]")
		} else {
			b.WriteString(literal(string(r)))
		}
	}
	return b.String()
}

// bracketed returns the text between brackets for these ascending characters: ]
// first, ^ after another one, - last, and runs of letters or digits shortened.
func bracketed(list []byte) string {
	var first, middle, last string
	for i := 0; i < len(list); i++ {
		c := list[i]
		switch {
		case c == ']':
			first = "]"
		case c == '^' || c == '-':
			last = string(c) + last
		default:
			run := successiveLetters(list[i:])
			if len(run) < 3 {
				middle += string(c)
				continue
			}
			lastOfRun := len(run) - 1
			middle += string(c) + "-" + string(run[lastOfRun])
			i += lastOfRun
		}
	}
	if first+middle == "" && last == "^-" {
		last = "-^"
	}
	return first + middle + last
}

// successiveLetters returns the longest run of successive letters or digits, such as abc, at the
// beginning of a list. The result has at least the first character of the list, whatever it is.
func successiveLetters(list []byte) []byte {
	n := 1
	for isLetter(list[0]) && n < len(list) && list[n] == list[n-1]+1 && isLetter(list[n]) {
		n++
	}
	return list[:n]
}

// Specimens returns an alphabet with a label for each pattern for which one is
// found, and, if possible, a last label "other" that no pattern matches. It is
// used if there is no model. Cost O(patterns²).
func Specimens(patterns []Pattern) (*lts.Alphabet, error) {
	var b lts.Builder
	for _, p := range patterns {
		if label, ok := p.specimen(); ok {
			b.Label(label)
		}
	}
	const other = "other"
	if len(matching(patterns, other)) == 0 {
		b.Label(other)
	}
	m, err := b.Build(0, 1)
	if err != nil {
		return nil, err
	}
	return m.Alphabet(), nil
}

// specimen returns a label that a pattern matches.
func (p Pattern) specimen() (string, bool) {
	for i := range p.elements {
		e := &p.elements[i]
		label := e.text
		switch e.kind {
		case glob:
			label = strings.NewReplacer("*", "", "?", "x").Replace(e.text)
		case regex:
			parsed, err := syntax.Parse(e.text, syntax.Perl)
			if err != nil {
				continue
			}
			label = shortest(parsed)
		}
		if e.matches(label) {
			return label, true
		}
	}
	return "", false
}

// shortest returns a short text that an expression matches, unless anchors and
// similar operators prevent that.
func shortest(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		return string(re.Rune[:min(len(re.Rune), 1)])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		return shortest(re.Sub[0])
	case syntax.OpRepeat:
		return strings.Repeat(shortest(re.Sub[0]), re.Min)
	case syntax.OpConcat:
		text := ""
		for _, sub := range re.Sub {
			text += shortest(sub)
		}
		return text
	}
	return ""
}
