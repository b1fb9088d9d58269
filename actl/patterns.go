package actl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/inev-lts/inev/property"
)

// patternNames are the patterns as they are written.
var patternNames = []struct {
	kind property.Kind
	name string
	form string // an example
	noun string // for people
	// also are names of it elsewhere, in small letters: Dwyer, Avrunin and Corbett's patterns
	// (ICSE 1999), and words that people write.
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

// nameOf returns the name of a pattern as it is written.
func nameOf(k property.Kind) string {
	for _, p := range patternNames {
		if p.kind == k {
			return p.name
		}
	}
	return ""
}

// patternName skips the name of a pattern if it comes next as a whole.
func (p *parser) patternName() (property.Kind, bool) {
	for _, n := range patternNames {
		if p.keyword(n.name) {
			return n.kind, true
		}
	}
	return 0, false
}

// MeantPattern returns the name of the pattern that a word with a parenthesis behind
// it may be a slip for, "Inv" for "Inev", or another name of: "Absence" for "Never".
// Cost O(len(word)).
func MeantPattern(word string) (name string, found bool) {
	const longest = 20
	if len(word) > longest {
		return "", false
	}
	least := 3
	for _, n := range patternNames {
		if slices.Contains(n.also, strings.ToLower(word)) {
			return n.name, true
		}
		d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(n.name))
		if d < least && d <= len(n.name)/3 {
			name, least, found = n.name, d, true
		}
	}
	return name, found
}

// word returns the letters that come next.
func (p *parser) word() string {
	end := p.pos
	for end < len(p.text) && isLetter(p.text[end]) {
		end++
	}
	return p.text[p.pos:end]
}

// arguments reads what follows the name of a pattern.
func (p *parser) arguments(f *Formula) (err error) {
	p.blanks()
	if f.kind == property.KindDeadlockFree && p.peek() != '(' {
		return nil
	}
	if !p.take('(') {
		return p.fail(p.pos, fmt.Sprintf(`"(" after %s`, nameOf(f.kind)))
	}
	switch f.kind {
	case property.KindInev:
		err = p.list(f, "(", inInev)
	case property.KindNever:
		err = p.list(f, "(", inRequest)
	case property.KindAlways:
		err = p.one(f, "(")
	case property.KindAtMost:
		if f.times, err = p.number(); err == nil {
			err = p.semicolon("a number and what happens at most as often")
		}
		if err == nil {
			err = p.one(f, ";")
		}
	case property.KindResponse:
		if err = p.one(f, "("); err == nil {
			err = p.semicolon("a request and what has to follow")
		}
		if err == nil {
			err = p.list(f, ";", inRequest)
		}
	case property.KindPrecedes:
		if err = p.list(f, "(", inRequest); err == nil {
			err = p.semicolon("what precedes and what is preceded")
		}
		if err == nil {
			err = p.one(f, ";")
		}
	}
	if err != nil {
		return err
	}
	if f.kind == property.KindAlways {
		if err := p.mixed(f); err != nil {
			return err
		}
	}
	return p.scopeAndEnd(f)
}

// scopeAndEnd reads the scope of a pattern, if it has one, and the parenthesis that
// closes it.
func (p *parser) scopeAndEnd(f *Formula) error {
	p.blanks()
	bare := f.kind == property.KindDeadlockFree
	if bare && p.peek() != ')' || p.take(';') {
		if err := p.scope(f); err != nil {
			return err
		}
	}
	if p.blanks(); p.take(')') {
		return nil
	}
	switch {
	case f.scope != property.Globally:
		return p.fail(p.pos, `")"`)
	case f.kind == property.KindInev:
		return p.fail(p.pos, `"," or ")"`)
	case len(f.steps) > 0 && slices.Contains([]property.Kind{property.KindNever, property.KindResponse}, f.kind):
		return p.fail(p.pos, `",", ";" or ")"`)
	}
	return p.fail(p.pos, `";" or ")"`)
}

// scopeWords are the words with which scopes begin.
var scopeWords = []string{"before", "after", "between"}

// scopeFollows reports whether a scope comes next.
func (p *parser) scopeFollows() bool {
	ahead := parser{text: p.text, pos: p.pos}
	ahead.blanks()
	for _, word := range scopeWords {
		start := ahead.pos
		if ahead.keyword(word) && isBlank(ahead.peek()) {
			return true
		}
		ahead.pos = start
	}
	return false
}

// scope reads a scope, and adds its delimiters to the steps.
func (p *parser) scope(f *Formula) error {
	p.blanks()
	start := p.pos
	if !p.scopeFollows() {
		return p.fail(start, `a scope: before X, after X, between X and Y or after X until Y`)
	}
	delimiter := func(before string) error {
		elements, err := p.pattern(before, inScope)
		if err == nil {
			f.steps = append(f.steps, newPattern(elements))
		}
		return err
	}
	switch {
	case p.keyword("before"):
		f.scope = property.Before
		return delimiter("before")
	case p.keyword("after"):
		f.scope = property.After
		if err := delimiter("after"); err != nil {
			return err
		}
		if p.blanks(); !p.keyword("until") {
			return nil
		}
		f.scope = property.AfterUntil
		return delimiter("until")
	}
	p.keyword("between")
	f.scope = property.Between
	if err := delimiter("between"); err != nil {
		return err
	}
	if p.blanks(); !p.keyword("and") {
		return p.fail(p.pos, `"and" between the actions that delimit a scope`)
	}
	return delimiter("and")
}

// one reads one pattern and adds it to the steps.
func (p *parser) one(f *Formula, before string) error {
	if err := p.noScope(); err != nil {
		return err
	}
	elements, err := p.pattern(before, inRequest)
	if err == nil {
		f.steps = append(f.steps, newPattern(elements))
	}
	return err
}

// noScope fails if a scope stands in the place of a pattern.
func (p *parser) noScope() error {
	if p.scopeFollows() {
		p.blanks()
		return p.fail(p.pos, "a label pattern before the scope; a label that begins like a scope is quoted")
	}
	return nil
}

func (p *parser) semicolon(between string) error {
	if p.blanks(); !p.take(';') {
		return p.fail(p.pos, fmt.Sprintf(`";" between %s`, between))
	}
	return nil
}

// number reads how often something may happen.
func (p *parser) number() (int, error) {
	p.blanks()
	start := p.pos
	for p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
		p.pos++
	}
	n, err := strconv.Atoi(p.text[start:p.pos])
	if err != nil || n > property.MostTimes {
		return 0, p.fail(start, fmt.Sprintf("a number, 0 to %d", property.MostTimes))
	}
	return n, nil
}

// main returns the steps without the delimiters of the scope, from and to those.
func (f *Formula) main() []Pattern {
	n := len(f.steps)
	if f.scope.HasTo() {
		n--
	}
	if f.scope.HasFrom() {
		n--
	}
	return f.steps[:n]
}

// delimiters returns the numbers of the steps that delimit the scope, -1 for none.
func (f *Formula) delimiters() (from, to int) {
	from, to = -1, -1
	next := len(f.main())
	if f.scope.HasFrom() {
		from = next
		next++
	}
	if f.scope.HasTo() {
		to = next
	}
	return from, to
}

// within returns the pattern as it stands in these surroundings: in braces where its
// text would be taken for more than a label there.
func (p Pattern) within(where surroundings) string {
	text := p.String()
	if len(p.elements) != 1 || p.elements[0].kind == quoted || p.elements[0].kind == regex {
		return text
	}
	back := parser{text: text + " "}
	scope := back.scopeFollows()
	back.text = text
	e, err := back.element("", where)
	if err == nil && back.pos == len(text) && e.identity() == p.elements[0].identity() && !(scope && where != inScope) {
		return text
	}
	return "{" + text + "}"
}
