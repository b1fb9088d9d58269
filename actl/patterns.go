package actl

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/multiaction"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/textlimit"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// patternNames are the patterns as they are written, in the order of their kinds.
var patternNames = []struct {
	kind property.Kind
	name string
	form string // an example
	noun string // for people
	// also has further names of the pattern, in small letters: those of Dwyer,
	// Avrunin and Corbett (ICSE 1999), and words that people write.
	also []string
}{
	{property.KindInev, "Inev", inevForm, "Inevitability", []string{"existence", "exists", "eventually", "inevitability", "inevitable", "inevitably", "finally"}},
	{property.KindResponse, "Response", responseForm, "Response", []string{"leadsto", "leads_to", "responds"}},
	{property.KindNever, "Never", "Never(A)", "Absence", []string{"absence", "absent"}},
	{property.KindPrecedes, "Precedes", "Precedes(A; B)", "Precedence", []string{"precedence", "precede", "before"}},
	{property.KindAlways, "Always", "Always(A)", "Universality", []string{"universality", "universal", "globally"}},
	{property.KindAtMost, "AtMost", "AtMost(2; A)", "Bounded existence", []string{"boundedexistence", "bounded_existence"}},
	{property.KindDeadlockFree, "DeadlockFree", "DeadlockFree", "Freedom of deadlocks", []string{"deadlockfreedom", "nodeadlock"}},
}

// patternName skips the name of a pattern, if a complete one comes next.
func (p *parser) patternName() (property.Kind, bool) {
	for _, n := range patternNames {
		if p.keyword(n.name) {
			return n.kind, true
		}
	}
	return 0, false
}

// MeantPattern returns the name of the pattern that a word followed by a
// parenthesis may mean: a misspelt one, "Inv" for "Inev", or another name,
// "Absence" for "Never". Cost O(len(word)).
func MeantPattern(word string) (name string, found bool) {
	const longest = 20
	if len(word) > longest {
		return "", false
	}
	const mostEdits = 2
	fewestEdits := mostEdits + 1
	for _, n := range patternNames {
		if slices.Contains(n.also, strings.ToLower(word)) {
			return n.name, true
		}
		edits := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(n.name))
		if edits < fewestEdits && edits <= len(n.name)/3 {
			name = n.name
			fewestEdits = edits
		}
	}
	return name, name != ""
}

// arguments reads the arguments of a pattern.
func (p *parser) arguments(f *Formula) {
	p.blanks()
	isDeadlockFree := f.kind == property.KindDeadlockFree
	if isDeadlockFree && p.peek() != '(' {
		return
	}
	if !p.take('(') {
		p.fail(p.pos, `"(" after %s`, patternNames[f.kind-1].name)
	}
	p.patternSteps(f)
	p.blanks()
	if isDeadlockFree && p.peek() != ')' || p.take(';') {
		p.scope(f)
	}
	p.blanks()
	if !p.take(')') {
		p.fail(p.pos, "%s", afterArguments(f))
	}
}

// patternSteps reads the steps of a pattern.
func (p *parser) patternSteps(f *Formula) {
	switch f.kind {
	case property.KindInev:
		p.listOfSteps(f, "(", inInev)
	case property.KindNever:
		p.listOfSteps(f, "(", inRequest)
	case property.KindAlways:
		p.oneStep(f, "(")
		p.refuseMixed(f)
	case property.KindAtMost:
		f.times = p.times()
		p.semicolon("a number and what happens at most as often")
		p.oneStep(f, ";")
	case property.KindResponse:
		p.oneStep(f, "(")
		p.semicolon("a request and what has to follow")
		p.listOfSteps(f, ";", inRequest)
	case property.KindPrecedes:
		p.listOfSteps(f, "(", inRequest)
		p.refuseLastComma(f)
		p.semicolon("what precedes and what is preceded")
		p.oneStep(f, ";")
	}
}

// times reads how often something may happen.
func (p *parser) times() int {
	p.blanks()
	start := p.pos
	for '0' <= p.peek() && p.peek() <= '9' {
		p.pos++
	}
	times, err := strconv.Atoi(p.text[start:p.pos])
	if err == nil && times <= textlimit.MaxTimes {
		return times
	}
	swapped := swappedTimes().FindStringSubmatch(p.text[start:])
	if swapped != nil {
		p.fail(start, "a number, 0 to %d, and then what happens: AtMost(%s; %s)", textlimit.MaxTimes, swapped[2], swapped[1])
	}
	p.fail(start, "a number, 0 to %d", textlimit.MaxTimes)
	return 0
}

// swappedTimes matches the arguments of AtMost in the wrong order.
var swappedTimes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([^;]+?)\s*;\s*(\d{1,4})\s*[;)]`)
})

// refuseLastComma fails at the comma before the last step of a precedence if the list of the steps that
// precede ends without a semicolon, since a semicolon was probably meant there.
func (p *parser) refuseLastComma(f *Formula) {
	if len(f.steps) < 2 || p.peek() == ';' {
		return
	}
	p.fail(p.lastComma, `";" between what precedes and what is preceded`)
}

// afterArguments returns the signs that can stand after the arguments that were read.
func afterArguments(f *Formula) string {
	switch {
	case f.scope != property.Globally:
		return `")"`
	case f.kind == property.KindInev:
		return `"," or ")"`
	case len(f.steps) > 0 && (f.kind == property.KindNever || f.kind == property.KindResponse):
		return `",", ";" or ")"`
	}
	return `";" or ")"`
}

// scopeFollows reports whether a scope comes next.
func (p *parser) scopeFollows() bool {
	ahead := parser{text: p.text, pos: p.pos}
	ahead.blanks()
	start := ahead.pos
	return slices.ContainsFunc([]string{"before", "after", "between"}, func(word string) bool {
		ahead.pos = start
		return ahead.keyword(word) && isBlank(ahead.peek())
	})
}

// scope reads a scope, and adds its delimiters to the steps.
func (p *parser) scope(f *Formula) {
	if p.blanks(); !p.scopeFollows() {
		p.fail(p.pos, `a scope: before X, after X, between X and Y or after X until Y`)
	}
	delimiter := func(precedingWord string) {
		f.steps = append(f.steps, p.pattern(precedingWord, inScope))
	}
	switch {
	case p.keyword("before"):
		f.scope = property.Before
		delimiter("before")
	case p.keyword("after"):
		f.scope = property.After
		delimiter("after")
		if p.blanks(); p.keyword("until") {
			f.scope = property.AfterUntil
			delimiter("until")
		}
	case p.keyword("between"):
		f.scope = property.Between
		delimiter("between")
		if p.blanks(); !p.keyword("and") {
			p.fail(p.pos, `"and" between the actions that delimit a scope`)
		}
		delimiter("and")
	}
}

// oneStep reads one pattern and adds it to the steps.
func (p *parser) oneStep(f *Formula, precedingToken string) {
	p.refuseScope()
	f.steps = append(f.steps, p.pattern(precedingToken, inRequest))
}

// refuseScope fails if a scope stands instead of a pattern.
func (p *parser) refuseScope() {
	if p.scopeFollows() {
		p.blanks()
		p.fail(p.pos,
			"a label pattern before the scope; a label that begins like a scope is quoted")
	}
}

// semicolon skips a semicolon, which must come next. If it does not, the error names what the
// semicolon has to separate.
func (p *parser) semicolon(between string) {
	if p.blanks(); !p.take(';') {
		p.fail(p.pos, `";" between %s`, between)
	}
}

// main returns the steps without the delimiters of the scope.
func (f *Formula) main() []Pattern {
	from, to := f.delimiters()
	switch {
	case from >= 0:
		return f.steps[:from]
	case to >= 0:
		return f.steps[:to]
	}
	return f.steps
}

// delimiters returns the indexes of the steps that delimit the scope, -1 for
// none.
func (f *Formula) delimiters() (from, to int) {
	from = -1
	to = -1
	next := len(f.steps) - 1
	if f.scope.HasTo() {
		to = next
		next--
	}
	if f.scope.HasFrom() {
		from = next
	}
	return from, to
}

// within returns the pattern as it is written in these surroundings: in braces if its text would be
// read as a label and something else there, such as a scope.
func (p Pattern) within(where surroundings) string {
	text := p.String()
	if len(p.elements) != 1 || text[0] == '"' || p.elements[0].kind == regex {
		return text
	}
	isScopeWord := (&parser{text: text + " "}).scopeFollows()
	reader := parser{text: text}
	var readBack element
	err := abort.Try(func() { readBack = reader.element("", where) })
	isReadWhole := err == nil && reader.pos == len(text)
	isUnchanged := readBack.identity() == p.elements[0].identity()
	wouldBeScope := isScopeWord && where != inScope
	if isReadWhole && isUnchanged && !wouldBeScope {
		return text
	}
	return "{" + text + "}"
}

// Text is a formula in any syntax. The readers of other logics use it to read
// patterns as [Parse] does.
type Text string

// Atom reads the pattern at an offset of a text as an atom of a formula with
// operators around it, and returns the offset after it. An atom is quoted, a
// regular expression, a set, or bare: letters, digits, _ . * ? and parentheses
// directly after them, with their content. The error is a [*SyntaxError], or
// ctx.Err() once ctx is done.
func (t Text) Atom(ctx context.Context, at int) (atom Pattern, after int, err error) {
	defer abort.Caught(&err)
	p := parser{text: string(t), pos: at, ctx: ctx}
	atom = p.pattern("", inFormula)
	p.goOn()
	return atom, p.pos, nil
}

// IsBare reports whether the character at an offset may occur in a bare atom, see
// [Text.Atom], outside its parentheses. Cost O(1).
func (t Text) IsBare(at int) bool {
	if at >= len(t) {
		return false
	}
	c := t[at]
	if c < utf8.RuneSelf {
		return isLetter(c) || c == '_' || c == '.' || c == '*' || c == '?'
	}
	r, _ := utf8.DecodeRuneInString(string(t[at:]))
	return !utf8.RuneStart(c) || r == utf8.RuneError ||
		unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// Word returns the range of the next token at an offset, or after the blanks
// there: the characters for which [Text.IsBare] is true, or an empty range if
// there are none. Cost O(their length).
func (t Text) Word(at int) (begin, end int) {
	for at < len(t) && strings.IndexByte(" \t\n\v\f\r", t[at]) >= 0 {
		at++
	}
	for begin, end = at, at; t.IsBare(end); {
		end++
	}
	return begin, end
}

// TooDeep returns the error that a formula nests operators and parentheses more deeply than
// allowed. The offset is that of the first one too many.
func (t Text) TooDeep(at, most int) *SyntaxError {
	return t.tooMany(at, "operators and parentheses within each other", most)
}

// TooMany returns the error that a formula has more operands next to each other than allowed. The
// offset is that of the first one too many.
func (t Text) TooMany(at, most int) *SyntaxError {
	return t.tooMany(at, "operands beside each other", most)
}

// tooMany returns the error that a formula has more things than allowed. The noun names the things.
func (t Text) tooMany(at int, noun string, most int) *SyntaxError {
	err := t.Unexpected(at, fmt.Sprintf("at most %d %s", most, noun))
	err.Found = "another one"
	return err
}

// Unexpected returns the error that something else is expected at an offset of a text.
func (t Text) Unexpected(at int, expected string) *SyntaxError {
	p := parser{text: string(t)}
	return p.failure(at, expected)
}

// BindAtoms returns the labels in a of each of these patterns, and warnings for
// patterns that match none, as [Formula.Bind] does for steps. Cost as for
// [Formula.Bind].
func BindAtoms(
	ctx context.Context,
	atoms []Pattern,
	a *lts.Alphabet,
) (_ []property.Step, _ []string, err error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("a", a),
	); err != nil {
		return nil, nil, err
	}
	defer abort.Caught(&err)
	b := newBinder(ctx, atoms, a)
	w := newWarner(ctx, a, atomNoun)
	steps := make([]property.Step, len(atoms))
	for i, atom := range atoms {
		abort.On(ctx.Err())
		steps[i] = property.Step{
			Pattern: atom,
			Labels:  slices.Clone(b.labelsOf(atom)),
			Facts:   factsOf(atom, a),
		}
		w.warn(i+1, atom, b)
	}
	return steps, w.warnings(), nil
}

// The nouns for patterns in errors.
const (
	stepNoun = "step"
	atomNoun = "atom"
)

// partsKey is the key of [WithParts].
type partsKey struct{}

// WithParts returns a context in which patterns also match a multi-action of
// mCRL2 if they match one of its parts: a matches a|b(1). Without it, only a
// pattern that is written as a multi-action matches one, its parts in any order.
func WithParts(ctx context.Context) context.Context {
	return context.WithValue(ctx, partsKey{}, true)
}

// multiAction returns a text that is the same for all orders of the parts of a
// multi-action; "" for other labels.
func multiAction(label string) string {
	parts := multiaction.Parts(label)
	if parts == nil {
		return ""
	}
	slices.Sort(parts)
	return strings.Join(parts, "|")
}

// stateElement reads an atom about values of states, NAME OP VALUE, if one comes next and the
// element ends with it. In any other case it reads nothing, and the element is undelimited text.
func (p *parser) stateElement(where surroundings) (e element, isAtom bool) {
	if where.hasOperators() {
		return element{}, false
	}
	atom, after, beginsAtom, wrong := values.Read(p.text, p.pos)
	if !beginsAtom {
		return element{}, false
	}
	if wrong != nil && where == inFormula {
		p.fail(wrong.Offset, "%s", wrong.Expected)
	}
	if wrong != nil || where != inFormula && !p.stateElementEnds(after, where) {
		return element{}, false
	}
	p.pos = after
	text := atom.String()
	return element{
		kind: state,
		text: text,
		key:  text,
		atom: atom,
	}, true
}

// stateElementEnds reports whether an element ends after the atom before this offset.
func (p *parser) stateElementEnds(after int, where surroundings) bool {
	ahead := parser{text: p.text, pos: after}
	ahead.blanks()
	if ahead.pos == len(p.text) || ahead.endsBare(where) {
		return true
	}
	return where == inScope && (ahead.keyword("and") || ahead.keyword("until"))
}

// StateAtoms returns the atoms about values of states in a pattern.
func (p Pattern) StateAtoms() []*values.Atom {
	var all []*values.Atom
	for _, e := range p.elements {
		if e.kind == state {
			all = append(all, e.atom)
		}
	}
	return all
}

// HasLabels reports whether a member of the pattern is a pattern of labels.
func (p Pattern) HasLabels() bool { return len(p.StateAtoms()) < len(p.elements) }

// StateAtoms returns the atoms about values of states in some patterns, each
// once, in the order of their first occurrences.
func StateAtoms(patterns []Pattern) []*values.Atom {
	var all intern.List[string, *values.Atom]
	for _, p := range patterns {
		for _, a := range p.StateAtoms() {
			all.Index(a.String(), a)
		}
	}
	return all.All
}

// StateAtoms returns the atoms about values of states in the formula, each once.
// [lts.LTS.Refined] makes a model to which the formula can be bound.
func (f *Formula) StateAtoms() []*values.Atom { return StateAtoms(f.steps) }

// FactsError reports an atom about values of states that the labels do not
// report.
type FactsError struct{ Atom *values.Atom }

func (e *FactsError) Error() string {
	switch {
	case e == nil:
		return "<nil>"
	case e.Atom == nil:
		return "values of states are asked for, but here only labels are possible"
	}
	return fmt.Sprintf("%s is about values of states, but here only labels are possible (put a label with this text in quotes)", shortened(e.Atom.String()))
}

// factsOf returns the facts for the atoms in a pattern.
func factsOf(p Pattern, a *lts.Alphabet) (facts lts.Facts) {
	for _, atom := range p.StateAtoms() {
		i := slices.Index(a.FactNames(), atom.String())
		if i < 0 {
			abort.On(&FactsError{atom})
		}
		facts |= 1 << i
	}
	return facts
}

// refuseMixed fails if an Always is about labels and states at once, because
// nothing could satisfy it.
func (p *parser) refuseMixed(f *Formula) {
	for _, step := range f.main() {
		states := step.StateAtoms()
		if len(states) > 0 && step.HasLabels() {
			p.fail(p.pos,
				"labels only, or values of states only: a state is not an action (write Always(%s) && Always(…) in linear temporal logic)", states[0])
		}
	}
}

// Split parts the members of the pattern by what they are about. It returns a pattern of the
// members about labels, and one of the atoms about values of states. [Pattern.IsNone] is true of a
// pattern without members.
func (p Pattern) Split() (labels, states Pattern) {
	for _, e := range p.elements {
		if e.kind == state {
			states.elements = append(states.elements, e)
		} else {
			labels.elements = append(labels.elements, e)
		}
	}
	return labels, states
}
