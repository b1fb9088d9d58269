package actl

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// UnmatchedError tells of steps that no label of a model does. The property is well
// defined then, and violated, but hardly ever what was meant: so commands refuse it,
// unless they are told otherwise.
type UnmatchedError struct {
	// Noun is what the patterns of the formula are called: step, or atom.
	Noun string
	// Step is the first such step, from 1, and Pattern what it asks for.
	Step    int
	Pattern Pattern
	// Hint names the closest labels, as a part of a sentence.
	Hint string
	// Whole is a multi-action of the model that the pattern matches a part of, "" if there
	// is none: with [WithParts] it would match.
	Whole string
	// Others are the numbers of the other such steps, ascending.
	Others []int
}

func (e *UnmatchedError) Error() string {
	text := fmt.Sprintf("%s %d, %s, matches no label of the model; %s", e.Noun, e.Step, mention(e.Pattern), e.Hint)
	switch n := len(e.Others); {
	case n == 1:
		text += fmt.Sprintf(" (nor does %s %d)", e.Noun, e.Others[0])
	case n > 1:
		text += fmt.Sprintf(" (nor do %d other %ss)", n, e.Noun)
	}
	return text
}

// A returns what the pattern is taken for, with its article: a step, an atom.
func (e *UnmatchedError) A() string {
	if e.Noun == atomNoun {
		return "an " + e.Noun
	}
	return "a " + e.Noun
}

// Unmatched reports whether all steps of f have labels in a: nil if they do, and
// else an *[UnmatchedError] that names the first step that has none, with the closest
// labels. A step that is a set has labels where one of its members does. Once ctx is
// done, the error is that of ctx.
//
// Cost that of finding labels in [Formula.Bind], and of one suggestion.
func (f *Formula) Unmatched(ctx context.Context, a *lts.Alphabet) error {
	return unmatched(ctx, f.steps, a, stepNoun)
}

func unmatched(ctx context.Context, patterns []Pattern, a *lts.Alphabet, noun string) error {
	b := newBinder(ctx, &Formula{steps: patterns})
	if err := b.match(a); err != nil {
		return err
	}
	var found *UnmatchedError
	for i, pattern := range patterns {
		switch {
		case b.matches(pattern):
		case found == nil:
			w := newWarner(ctx, a)
			found = &UnmatchedError{Noun: noun, Step: i + 1, Pattern: pattern, Hint: w.hint(pattern.elements), Whole: w.whole(pattern.elements)}
		default:
			found.Others = append(found.Others, i+1)
		}
	}
	if found != nil && ctx.Err() == nil {
		return found
	}
	return ctx.Err()
}

// matches reports whether any label matches the pattern.
func (b *binder) matches(pattern Pattern) bool {
	for i := range pattern.elements {
		if pattern.elements[i].kind == state || len(b.of(&pattern.elements[i])) > 0 {
			return true
		}
	}
	return false
}
