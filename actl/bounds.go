package actl

import (
	"context"
	"fmt"
	"regexp/syntax"
)

const (
	// MaxText is the largest number of bytes of a formula.
	MaxText = 1 << 20
	// mostInstructions bounds the programs that all regular expressions of a formula are
	// compiled to: about 40 bytes each.
	mostInstructions = 1_000_000
)

// instructionsKey is the key of [Bounded].
type instructionsKey struct{}

// Bounded returns the context in which the parts of one formula are read: together their
// regular expressions are bounded. A reader of formulas calls it once for each of them. The
// error is one line: that the text has more than [MaxText] bytes.
func Bounded(ctx context.Context, text string) (context.Context, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("the formula has %d bytes, and at most %d can be taken; name many labels by a glob or a regular expression", len(text), MaxText)
	}
	if ctx == nil || ctx.Value(instructionsKey{}) != nil {
		return ctx, nil
	}
	return context.WithValue(ctx, instructionsKey{}, new(int)), nil
}

// affordable reports whether a regular expression may be compiled after those before it in the
// formula. It is true of what is no expression: compiling finds that out. Cost O(len(source)).
func affordable(ctx context.Context, source string) bool {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return true
	}
	n := instructions(re)
	if ctx != nil {
		if spent, is := ctx.Value(instructionsKey{}).(*int); is {
			*spent += n
			n = *spent
		}
	}
	return n <= mostInstructions
}

// instructions returns about how many instructions an expression is compiled to; what
// is repeated counts each time.
func instructions(re *syntax.Regexp) int {
	n := 0
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpRepeat:
		n *= max(re.Min, re.Max, 1)
	case syntax.OpConcat:
	default:
		n++
	}
	return min(n, 1<<40)
}
