// Package relabel cuts, hides and renames labels by rules: files in the formats
// of CADP (.hid, .ren, .cut), lists of its regular expressions, and inev's own
// patterns. What a rule does to a transition depends on the text of its label
// alone.
package relabel

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/lts/stochastic"
	"github.com/inev-lts/inev/internal/printable"
)

// Kind is the change that rules make to the labels that they match.
type Kind string

// The kinds of rules, as the headers of files name them.
const (
	Cut    Kind = "cut"
	Hide   Kind = "hide"
	Rename Kind = "rename"
)

// Kinds returns all kinds, in the order in which they are applied.
func Kinds() []Kind { return []Kind{Cut, Hide, Rename} }

// Suffixes returns the suffixes of files with rules of this kind, in lower case.
func (k Kind) Suffixes() []string {
	switch k {
	case Cut:
		return []string{".cut"}
	case Hide:
		return []string{".hid", ".hide"}
	default:
		return []string{".ren", ".rename"}
	}
}

// KindOf returns the kind of rules that a file with this name holds; false if
// its suffix is that of no such file.
func KindOf(name string) (Kind, bool) {
	suffix := strings.ToLower(filepath.Ext(name))
	for _, k := range Kinds() {
		if slices.Contains(k.Suffixes(), suffix) {
			return k, true
		}
	}
	return "", false
}

// Matching is how regular expressions are compared with labels.
type Matching string

// The ways of matching. A label is matched as a whole, by a part of it, or by
// its gate: the text before the first !, ?, parenthesis, space or tab. Of the
// parts of a label, single renames the first and multiple all.
const (
	Total    Matching = "total"
	Gate     Matching = "gate"
	Partial  Matching = "partial"
	Single   Matching = "single"
	Multiple Matching = "multiple"
)

// Matchings returns the ways of matching for rules of a kind, the default first.
func (k Kind) Matchings() []Matching {
	if k == Rename {
		return []Matching{Total, Gate, Single, Multiple}
	}
	return []Matching{Total, Gate, Partial}
}

// Rules match labels, and say what becomes of the labels that they match. They are
// immutable.
type Rules struct {
	kind     Kind
	matching Matching
	// allBut reports that the rules are about the labels that none of them matches (all but).
	allBut bool
	rules  []rule
}

// rule matches labels by a regular expression or by a pattern of inev.
type rule struct {
	text       string         // as it is written, without quotes
	expression *regexp.Regexp // nil for a pattern
	pattern    actl.Pattern
	// replacement takes the place of what the rule matches. It is a template of
	// package regexp if expression is not nil. replacesGate reports that a pattern replaces the gate
	// of a label and keeps what follows it.
	replacement  string
	replacesGate bool
}

// Pair is a regular expression and its replacement, which is "" for other kinds than [Rename].
type Pair struct{ Pattern, Replacement string }

// New returns rules from regular expressions in the syntax of CADP. If allBut is set, they are
// about the labels that no expression matches. The error names the expression. Cost O(total length).
func New(kind Kind, matching Matching, allBut bool, pairs []Pair) (*Rules, error) {
	r := &Rules{kind: kind, matching: matching, allBut: allBut}
	for _, p := range pairs {
		if err := r.addExpression(p); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// addExpression adds a rule by a regular expression.
func (r *Rules) addExpression(p Pair) error {
	re, err := compile(p.Pattern, r.matching == Total || r.matching == Gate)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Pattern, err)
	}
	made := rule{text: p.Pattern, expression: re}
	if r.kind == Rename {
		made.replacement, err = template(p.Replacement, re.NumSubexp())
		if err != nil {
			return fmt.Errorf("%s: %w", p.Replacement, err)
		}
	}
	r.rules = append(r.rules, made)
	return nil
}

// Has reports whether the rules apply to a label; hidden is the text of internal actions. A rule
// applies to a hidden label only if the rule is exactly the text of that label: process algebras
// hide, cut and rename only visible actions, and otherwise `all but` or `.*` would change internal
// steps. Cost O(len(label)) a rule.
func (r *Rules) Has(label, hidden string) bool {
	if label == hidden {
		return !r.allBut && slices.ContainsFunc(r.rules, func(u rule) bool { return u.text == label })
	}
	return r.Matches(label) != r.allBut
}

// Matches reports whether a rule matches the label. It ignores whether the rules are about the
// labels that none of them matches. Cost as for Has.
func (r *Rules) Matches(label string) bool {
	return slices.ContainsFunc(r.rules, func(u rule) bool {
		return u.matches(r.subject(label))
	})
}

// subject returns the part of a label that is compared.
func (r *Rules) subject(label string) string {
	if r.matching == Gate {
		return GateOf(label)
	}
	return label
}

// matchedPart returns the part of a text, from its beginning on, that the rule compares: the whole
// text, or what stands before a rate or probability. It returns false if the rule matches neither.
func (u *rule) matchedPart(text string) (part string, isMatch bool) {
	action := stochastic.Action(text)
	if u.expression == nil {
		return action, u.pattern.Matches(text)
	}
	if u.expression.MatchString(text) {
		return text, true
	}
	return action, u.expression.MatchString(action)
}

// matches reports whether the rule matches a text, or what stands before a rate or probability in it.
func (u *rule) matches(text string) bool {
	_, isMatch := u.matchedPart(text)
	return isMatch
}

// Renamed returns the new text of a label: the first rule that matches decides. For
// hidden labels and the cost see Has.
func (r *Rules) Renamed(label, hidden string) string {
	subject := r.subject(label)
	for i := range r.rules {
		u := &r.rules[i]
		if label == hidden && u.text != label {
			continue
		}
		part, isMatch := u.matchedPart(subject)
		if isMatch {
			rest := label[len(part):]
			return u.replace(part, r.matching) + rest
		}
	}
	return label
}

// replace returns the subject with a replacement for the part that the rule matches.
func (u *rule) replace(subject string, matching Matching) string {
	switch {
	case u.expression == nil && u.replacesGate:
		gate, _ := actl.GateOf(subject)
		return u.replacement + subject[len(gate):]
	case u.expression == nil:
		return u.replacement
	case matching == Multiple:
		return u.expression.ReplaceAllString(subject, u.replacement)
	}
	groups := u.expression.FindStringSubmatchIndex(subject)
	start := groups[0]
	end := groups[1]
	replacement := u.expression.ExpandString(nil, u.replacement, subject, groups)
	return subject[:start] + string(replacement) + subject[end:]
}

// GateOf returns the gate of a label, as CADP finds it: the text before the first
// !, ?, opening parenthesis, space or tab, or semicolon, which precedes a rate. Cost O(len(label)).
func GateOf(label string) string {
	i := strings.IndexAny(label, "!?( \t;")
	if i >= 0 {
		return label[:i]
	}
	return label
}

// Argument is the value of a flag or of a field: rules themselves, or the name of
// a file and how its expressions match.
type Argument struct {
	How  Matching
	File string // "" if Text has the rules
	Text string
}

// Split reads the value of a flag or field. A value that ends in a suffix of the
// kind, or that isFile takes for a file, names a file; a word such as gate before it
// says how the file's expressions match. [ParseFile] refuses a word that only goes with another kind. Cost O(len(text)).
func (k Kind) Split(text string, isFile func(path string) bool) Argument {
	isNamed := func(name string) bool {
		kind, is := KindOf(name)
		return is && kind == k || isFile(name)
	}
	for _, how := range []Matching{Total, Gate, Partial, Single, Multiple} {
		name, is := strings.CutPrefix(text, string(how)+" ")
		name = strings.TrimSpace(name)
		isOwn := slices.Contains(k.Matchings(), how)
		if is && isNamed(name) && (isOwn || !isFile(text)) {
			return Argument{How: how, File: name}
		}
	}
	if isNamed(text) {
		return Argument{How: Total, File: text}
	}
	return Argument{Text: text}
}

// header is the first line of a file.
func (k Kind) header() string {
	if k == Rename {
		return string(k)
	}
	return string(k) + " or " + string(k) + " all but"
}

// ParseFile reads a file of CADP: the header (hide, hide all but, rename, cut, cut
// all but) on the first line that is not blank, then a regular expression on each
// line or, of renamings, two with -> between, in quotes or without. Errors name the
// file, the line and, where it helps, the column. Cost O(len(content)).
func ParseFile(kind Kind, name string, content []byte, matching Matching) (*Rules, error) {
	if !slices.Contains(kind.Matchings(), matching) {
		var allowed []string
		for _, m := range kind.Matchings() {
			allowed = append(allowed, string(m))
		}
		return nil, fmt.Errorf("%s cannot be used with %s; leave it out, or write %s before %s", matching, kind,
			printable.List(allowed, "or"), name)
	}
	r := &Rules{kind: kind, matching: matching}
	hasHeader := false
	for i, line := range strings.Split(string(content), "\n") {
		text := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if text == "" {
			continue
		}
		var err error
		if hasHeader {
			err = r.addLine(text)
		} else {
			err = r.readHeader(text)
			hasHeader = true
		}
		if err != nil {
			return nil, inputfile.NewError(name, i+1, err)
		}
	}
	if !hasHeader {
		return nil, inputfile.NewError(name, 0,
			fmt.Errorf("the file is empty; its first line is %s", kind.header()))
	}
	return r, nil
}

// readHeader reads the header.
func (r *Rules) readHeader(text string) error {
	words := strings.Join(strings.Fields(text), " ")
	switch {
	case words == string(r.kind):
		return nil
	case words == string(r.kind)+" all but" && r.kind != Rename:
		r.allBut = true
		return nil
	}
	if strings.HasPrefix(words, string(r.kind)+" ") {
		return fmt.Errorf("expected %s alone on the first line, with one pattern on each line below; found %s (column 1)", r.kind.header(), printable.Cut(text, 60))
	}
	return fmt.Errorf("expected %s, found %s (column 1)", r.kind.header(),
		printable.Cut(text, 60))
}

// addLine reads a line after the header.
func (r *Rules) addLine(text string) error {
	if r.kind != Rename {
		return r.addExpression(Pair{Pattern: unquoted(text)})
	}
	left, right, err := splitArrow(text)
	if err != nil {
		return err
	}
	return r.addExpression(Pair{Pattern: unquoted(left), Replacement: unquoted(right)})
}

// splitArrow splits a renaming at its arrow, which may stand in quotes on either side.
func splitArrow(text string) (left, right string, err error) {
	from := 0
	if strings.HasPrefix(text, `"`) {
		end := closingQuote(text)
		if end < 0 {
			return "", "", errors.New(`the quote at the beginning of the line is never closed (column 1); write "OLD" -> "NEW"`)
		}
		from = end + 1
	}
	at := strings.Index(text[from:], "->")
	if at < 0 {
		return "", "", fmt.Errorf(`expected OLD -> NEW, found %s (column 1)`,
			printable.Cut(text, 60))
	}
	at += from
	left = strings.TrimSpace(text[:at])
	right = strings.TrimSpace(text[at+len("->"):])
	if left == "" || right == "" {
		return "", "", fmt.Errorf(`expected OLD -> NEW, and one side of the arrow is empty (column %d)`, at+1)
	}
	return left, right, nil
}

// closingQuote returns the index of the quote that closes the one at the beginning: the first quote
// before an arrow or the end of the line, since quotes inside a label need no backslash. It is -1
// if there is none.
func closingQuote(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		isAtEnd := i == len(text)-1
		isBeforeArrow := strings.HasPrefix(strings.TrimSpace(text[i+1:]), "->")
		if isAtEnd || isBeforeArrow {
			return i
		}
	}
	return -1
}

// unquoted returns a text without the quotes around it.
func unquoted(text string) string {
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		return text[1 : len(text)-1]
	}
	return text
}

// ParseText reads rules from the value of a flag or field. Commas separate the rules. Each is a
// pattern of labels, written like a step of a formula, or, for renamings, PATTERN -> LABEL; `all
// but` may stand before all of them. If PATTERN is a bare name, it renames the gate of a label and
// keeps the offers. If it is a /regular expression/, $1 and \1 in LABEL refer to its first group.
// Cost O(len(text)).
func ParseText(ctx context.Context, kind Kind, text string) (*Rules, error) {
	r := &Rules{kind: kind, matching: Total}
	if kind == Rename {
		return r, r.addRenamings(ctx, text)
	}
	if rest, is := strings.CutPrefix(strings.Join(strings.Fields(text), " "), "all but "); is {
		r.allBut = true
		text = rest
	}
	patterns, err := patternsOf(ctx, text)
	if err != nil {
		return nil, err
	}
	for _, p := range patterns {
		r.rules = append(r.rules, rule{text: plainText(p), pattern: p})
	}
	return r, nil
}

// plainText returns a pattern as it is written, without quotes.
func plainText(p actl.Pattern) string {
	if label, is := p.Unquoted(); is {
		return label
	}
	return p.String()
}

func patternsOf(ctx context.Context, text string) ([]actl.Pattern, error) {
	f, err := actl.Parse(ctx, "Inev("+text+")")
	if err != nil {
		return nil, err
	}
	atoms := f.StateAtoms()
	if len(atoms) > 0 {
		return nil, &actl.FactsError{Atom: atoms[0]}
	}
	return f.Steps(), nil
}

// addRenamings reads a list of PATTERN -> LABEL.
func (r *Rules) addRenamings(ctx context.Context, text string) error {
	for _, part := range splitList(text) {
		left, right, found := strings.Cut(part, "->")
		left = strings.TrimSpace(left)
		right = strings.TrimSpace(right)
		if !found || left == "" || right == "" {
			return fmt.Errorf("%s: expected OLD -> NEW, such as 'SEND -> PUT'",
				printable.Cut(strings.TrimSpace(part), 60))
		}
		if err := r.addRenaming(ctx, left, unquoted(right)); err != nil {
			return err
		}
	}
	return nil
}

// addRenaming adds the rule PATTERN -> LABEL.
func (r *Rules) addRenaming(ctx context.Context, left, right string) error {
	patterns, err := patternsOf(ctx, left)
	if err != nil {
		return err
	}
	if len(patterns) != 1 {
		return fmt.Errorf("%s: a pattern on the left of -> is one label, or a set in braces such as {SEND, RESEND}", printable.Echo(left))
	}
	made := rule{
		text:        plainText(patterns[0]),
		pattern:     patterns[0],
		replacement: right,
	}
	isExpression := len(left) > 2 && left[0] == '/' && left[len(left)-1] == '/'
	if isExpression {
		err = made.setExpression(left, right)
	} else {
		err = made.setGate(left, right)
	}
	if err != nil {
		return err
	}
	r.rules = append(r.rules, made)
	return nil
}

// setExpression makes the rule one of a /regular expression/, to whose groups the replacement may refer.
func (u *rule) setExpression(left, right string) (err error) {
	u.expression, err = regexp.Compile(left[1 : len(left)-1])
	if err != nil {
		return fmt.Errorf("%s: %s", printable.Echo(left),
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	u.replacement, err = templateOfFlag(right, u.expression)
	if err != nil {
		return fmt.Errorf("%s: %w", printable.Echo(right), err)
	}
	return nil
}

// setGate makes the rule one that keeps what follows the gate if its pattern is a bare gate. It refuses
// a replacement that refers to a group.
func (u *rule) setGate(left, right string) error {
	group := groupReference().FindString(right)
	if len(group) > 1 {
		return fmt.Errorf("%s: %s stands for a group of a /regular expression/, but %s is not one", printable.Echo(right), group, printable.Echo(left))
	}
	gate, hasGate := actl.GateOf(left)
	u.replacesGate = hasGate && gate == left
	return nil
}

// splitList splits a list at commas outside of quotes, brackets of any kind and
// /regular expressions/.
func splitList(text string) (parts []string) {
	start := 0
	depth := 0
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"':
			quote = c
		case c == '/' && strings.TrimSpace(text[start:i]) == "":
			quote = c
		case strings.IndexByte("({[", c) >= 0:
			depth++
		case strings.IndexByte(")}]", c) >= 0:
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

// IsOthers reports whether the rules are about the labels that none of them matches.
func (r *Rules) IsOthers() bool { return r.allBut }

// Names reports whether the text of a rule is exactly the label.
func (r *Rules) Names(label string) bool {
	return slices.ContainsFunc(r.rules, func(u rule) bool {
		return u.text == label
	})
}
