// Package formula reads properties in all syntaxes: it is the one place that picks the
// reader.
//
// The invariant that holds inside: the reader depends on how a text begins, and on
// nothing else.
package formula

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/property"
)

// Parse returns the property that text stands for: where it begins with the name of a
// pattern and a parenthesis, as Inev(…) does, or with A[, also in parentheses, an
// [*actl.Formula]; and else an [*ltl.Formula]. The error is an [*actl.SyntaxError], or
// that of ctx once that is done. Cost as for [actl.Parse] and [ltl.Parse].
func Parse(ctx context.Context, text string) (property.Formula, error) {
	if _, err := actl.Bounded(ctx, text); err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) == "" || actl.Text(text).Begins() {
		return inPatterns(ctx, text)
	}
	if err := slip(text); err != nil {
		return nil, err
	}
	f, err := ltl.Parse(ctx, text)
	switch {
	case err == nil:
		return f, nil
	case actl.Text(text).BeginsWithName() && ctx.Err() == nil:
		return inPatterns(ctx, text)
	}
	return nil, err
}

func inPatterns(ctx context.Context, text string) (property.Formula, error) {
	f, err := actl.Parse(ctx, text)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// ParseFile is [Parse] for the content of a file, as [actl.ParseFile] reads it.
func ParseFile(ctx context.Context, name string, content []byte) (property.Formula, error) {
	return actl.InFile(name, content, func(text string) (property.Formula, error) { return Parse(ctx, text) })
}

// slip returns an error where the whole text is a word with parentheses, as a label may
// be, and the word is nearly the name of a pattern.
func slip(text string) error {
	trimmed := strings.TrimSpace(text)
	word, _, called := strings.Cut(trimmed, "(")
	word = strings.TrimSpace(word)
	if !called || !strings.HasSuffix(trimmed, ")") {
		return nil
	}
	expected := "a property; did you mean %s?"
	meant, found := actl.MeantPattern(word)
	if !found && branching[word] != "" {
		expected, meant, found = "a property of all runs, in linear time: %s(…), without A and E (quote the label to mean one)", branching[word], true
	}
	if !found {
		return nil
	}
	err := actl.Text(text).Unexpected(strings.Index(text, word), fmt.Sprintf(expected, meant))
	err.Found = `"` + word + `"`
	return err
}

// branching are the operators of CTL, and those of linear time of the same name.
var branching = map[string]string{"AG": "G", "AF": "F", "AX": "X", "EG": "G", "EF": "F", "EX": "X"}
