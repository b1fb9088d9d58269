package actl

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/property/values"
)

// Pattern is one step of a formula: a set of labels, given by the ways of
// writing them that the package comment lists. It is immutable.
type Pattern struct {
	// elements has no two equal members, and none where no label does the step.
	elements []element
}

// Matches reports whether a transition with this label text does the step. Cost
// O(length of label) for each member of a set, more for globs with several *.
func (p Pattern) Matches(label string) bool {
	for i := range p.elements {
		if p.elements[i].matches(label) {
			return true
		}
	}
	return false
}

// String returns the pattern as it stands in a formula.
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

// subscript returns the pattern as it stands between the braces of U_{…}.
func (p Pattern) subscript() string { return p.alternatives(inSubscript) }

// alternatives returns the pattern as it stands where operators of ACTL count.
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

// key is equal for two patterns if and only if they are written alike, up to
// blanks that do not matter.
func (p Pattern) key() string {
	var b strings.Builder
	for i := range p.elements {
		b.WriteByte(byte(p.elements[i].kind))
		b.WriteString(quote(p.elements[i].key))
	}
	return b.String()
}

// kind is a way of writing a label pattern.
type kind byte

const (
	name   kind = 'n' // a label, or a gate or action with anything behind it
	plain  kind = 'p' // one label, blanks after its commas left out of account
	quoted kind = 'q' // one label, to the byte
	regex  kind = 'r'
	glob   kind = 'g'
	state  kind = 's' // an atom about values of states
)

// element is a pattern that is no set.
type element struct {
	kind kind
	// text is the pattern without what delimits it: the label, the name, the
	// glob, the regular expression.
	text string
	// key is text, normalised by [tight] where the kind leaves blanks out of
	// account.
	key  string
	re   *regexp.Regexp // where kind is regex
	atom *values.Atom   // where kind is state
	// multi is the text of [multiAction], where that is what a label is compared by; and parts
	// tells that the parts of multi-actions match, too.
	multi string
	parts bool
}

// identity tells elements apart that are written differently, up to blanks that
// do not matter.
type identity struct {
	kind kind
	key  string
}

func (e *element) identity() identity { return identity{e.kind, e.key} }

// newBare returns the element that undelimited text stands for.
func newBare(text string) element {
	text = loose(text)
	switch {
	case strings.ContainsAny(text, "*?"):
		return element{kind: glob, text: text, key: tight(text)}
	case isName(text):
		return element{kind: name, text: text, key: text}
	}
	return element{kind: plain, text: text, key: tight(text), multi: multiAction(text)}
}

func (e *element) matches(label string) bool {
	if e.matchesWhole(label) || e.multi != "" && e.multi == multiAction(label) {
		return true
	}
	return e.parts && slices.ContainsFunc(partsOf(label), e.matchesWhole)
}

// matchesWhole reports whether the element matches a label that is taken as one action.
func (e *element) matchesWhole(label string) bool {
	switch e.kind {
	case state:
		return false
	case name:
		gate, ok := gateOf(label)
		return ok && gate == e.key
	case quoted:
		return label == e.key
	case regex:
		return e.re.MatchString(label)
	case glob:
		return globMatches(e.key, tight(label), nil)
	}
	return tight(label) == e.key
}

// String returns the element as it stands in a formula.
func (e *element) String() string {
	switch e.kind {
	case quoted:
		return quote(e.text)
	case regex:
		return "/" + escapeSlashes(e.text) + "/"
	case name, plain:
		if _, after, is, err := values.Read(e.text, 0); is && err == nil && after == len(e.text) {
			return quote(e.text) // a label that would be read as an atom about values
		}
	}
	return e.text
}

// alternative returns the element as it stands where operators of ACTL count. Where
// the text would be taken for these, it gets braces of its own, within which there are
// none.
func (e *element) alternative(where surroundings) string {
	if e.kind == quoted || e.kind == regex {
		return e.String()
	}
	text := e.text
	p := parser{text: text}
	if back, err := p.alternative("", where); err == nil && p.pos == len(text) &&
		len(back) == 1 && back[0].identity() == e.identity() {
		return text
	}
	return "{" + text + "}"
}

// PatternFor returns how to write the label with this text as a step: as it is
// where that is plain to read, quoted otherwise. Note that a bare name, such as
// GET, also takes the labels of gate GET with offers or arguments, if the model
// has any.
func PatternFor(label string) string {
	p := parser{text: label}
	e, err := p.element("", inList)
	if err != nil || p.pos < len(label) || e.text != label {
		return quote(label)
	}
	if e.kind == name || e.kind == plain && isCall(e.key) {
		return label
	}
	return quote(label)
}

// Unquoted returns the label that the pattern is, written in quotes, where its text means
// that label as a step without them, too, and no other; false elsewhere. Cost O(length of the
// text).
func (p Pattern) Unquoted() (label string, ok bool) {
	if len(p.elements) != 1 || p.elements[0].kind != quoted {
		return "", false
	}
	label = p.elements[0].text
	bare, err := Parse(context.Background(), "Inev("+label+")")
	if err != nil || bare.Len() != 1 || strings.Contains(label, ",") {
		return "", false
	}
	of := bare.Steps()[0].elements
	return label, len(of) == 1 && of[0].kind == plain && of[0].text == label
}

// Quoted returns how to write exactly the label with this text as a step, in quotes.
// Cost O(len(label)).
func Quoted(label string) string { return quote(label) }

// isCall reports whether text has the form NAME(arguments), without blanks.
func isCall(text string) bool {
	open := strings.IndexByte(text, '(')
	return open > 0 && isName(text[:open]) && strings.HasSuffix(text, ")") && !strings.ContainsAny(text, " \t|!")
}

// isName reports whether undelimited text stands for a gate or action.
func isName(text string) bool {
	return text != "" && !strings.ContainsAny(text, " \t\n\v\f\r()[]{}\",*?!|")
}

// GateOf returns the gate or action of a label: the bare name that, as a step of a
// formula, takes this label and others with different offers or arguments. A
// multi-action of mCRL2, a(1)|b(2), has none: it is neither the action a nor b.
// Nor has a label that begins with what is no name. Cost O(len(label)).
func GateOf(label string) (gate string, has bool) {
	gate, has = gateOf(label)
	if !has || !isName(gate) {
		return "", false
	}
	return gate, true
}

// gateOf returns the name of the gate or action that a label begins with: what
// stands before the first blank or opening parenthesis. A multi-action of mCRL2,
// a(1)|b(2), has no such name: it is neither the action a nor b.
func gateOf(label string) (string, bool) {
	i := strings.IndexAny(label, " \t(")
	if i < 0 {
		return label, true
	}
	if partsOf(label) != nil {
		return "", false
	}
	if label[i] == '(' {
		if end := closing(label[i:]); end > 0 && strings.HasPrefix(label[i+end:], "|") {
			return "", false
		}
	}
	return label[:i], i > 0
}

// closing returns the position behind the parenthesis that closes the one with
// which text begins, 0 if there is none.
func closing(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
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

// WithoutElement returns the formula whose step, counted from 0, does without its member
// with this number, one of several: see [Formula.Steps] and [Pattern.Elements].
func (f *Formula) WithoutElement(step, element int) *Formula {
	less := *f
	less.steps = slices.Clone(f.steps)
	less.steps[step] = Pattern{elements: slices.Delete(slices.Clone(f.steps[step].elements), element, element+1)}
	return &less
}
