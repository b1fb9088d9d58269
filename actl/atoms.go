package actl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Text is a formula in any syntax: where it has patterns, the readers of other logics read them
// as [Parse] does.
type Text string

// Atom reads the pattern that begins at an offset of a text, where it is an atom of a
// formula with operators around it, and returns the offset behind it. It may be quoted, a
// regular expression, a set, or bare: letters, digits, _ . * ? and what stands in
// parentheses directly behind them. The error is a [*SyntaxError], or that of ctx once
// that is done.
func (t Text) Atom(ctx context.Context, at int) (Pattern, int, error) {
	p := parser{text: string(t), pos: at, ctx: ctx}
	elements, err := p.pattern("", inFormula)
	if err == nil {
		err = p.stopped()
	}
	if err != nil {
		return Pattern{}, 0, err
	}
	return newPattern(elements), p.pos, nil
}

// IsBare reports whether what stands at an offset of text may stand in a bare atom, see
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
	return !utf8.RuneStart(c) || r == utf8.RuneError || unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// Word returns where the next token of a text begins, at an offset or behind the blanks there,
// and where the word ends that it is: behind what [Text.IsBare], or at its beginning if it is
// none. Cost O(their length).
func (t Text) Word(at int) (begin, end int) {
	for at < len(t) && strings.IndexByte(" \t\n\v\f\r", t[at]) >= 0 {
		at++
	}
	for begin, end = at, at; t.IsBare(end); {
		end++
	}
	return begin, end
}

// TooDeep returns the error that more operators and parentheses than most, at an offset of a
// text, are within each other.
func (t Text) TooDeep(at, most int) *SyntaxError {
	return t.tooMany(at, "operators and parentheses within each other", most)
}

// TooMany returns the error that a formula has more than most operands next to each other.
func (t Text) TooMany(at, most int) *SyntaxError {
	return t.tooMany(at, "operands beside each other", most)
}

func (t Text) tooMany(at int, what string, most int) *SyntaxError {
	err := t.Unexpected(at, fmt.Sprintf("at most %d %s", most, what))
	err.Found = "another one"
	return err
}

// Unexpected returns the error that something else is expected at an offset of a text.
func (t Text) Unexpected(at int, expected string) *SyntaxError {
	p := parser{text: string(t)}
	return p.failure(at, expected)
}

// BindAtoms returns the labels in a of each of these patterns, and warnings for what
// matches none, as [Formula.Bind] does for steps. Cost as there.
func BindAtoms(ctx context.Context, atoms []Pattern, a *lts.Alphabet) ([]property.Step, []string, error) {
	b := newBinder(ctx, &Formula{steps: atoms})
	if err := b.match(a); err != nil {
		return nil, nil, err
	}
	w := newWarner(ctx, a)
	w.noun = atomNoun
	steps := make([]property.Step, len(atoms))
	for i, atom := range atoms {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		facts, err := factsOf(atom, a)
		if err != nil {
			return nil, nil, err
		}
		steps[i] = property.Step{Pattern: atom, Labels: slices.Clone(b.labelsOf(atom)), Facts: facts}
		w.warn(i+1, atom, b)
	}
	return steps, w.warnings(), nil
}

// UnmatchedAtoms is [Formula.Unmatched] for the atoms of a formula.
func UnmatchedAtoms(ctx context.Context, atoms []Pattern, a *lts.Alphabet) error {
	return unmatched(ctx, atoms, a, atomNoun)
}

// UnmatchedPatterns is [Formula.Unmatched] for patterns that are not those of a formula.
func UnmatchedPatterns(ctx context.Context, patterns []Pattern, a *lts.Alphabet) error {
	return unmatched(ctx, patterns, a, patternNoun)
}

// What the patterns of a formula are called.
const (
	stepNoun    = "step"
	atomNoun    = "atom"
	patternNoun = "pattern"
)
