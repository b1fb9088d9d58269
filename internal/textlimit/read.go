package textlimit

import (
	"context"
	"fmt"
	"regexp/syntax"
)

// MaxRead is the largest number of bytes of a formula that is read.
const MaxRead = 1 << 20

// MaxInstructions is the largest number of instructions of all regular
// expressions of a formula: about 40 bytes each.
const MaxInstructions = 1_000_000

// MaxTimes is the largest number in a bounded existence.
const MaxTimes = 1000

// instructionsKey is the key of [ForReading].
type instructionsKey struct{}

// ForReading returns a context for reading the parts of one formula, which limits
// the total size of their regular expressions. A reader calls it once for each
// formula. The error is one line: that the text has more than [MaxRead] bytes.
func ForReading(ctx context.Context, text string) (context.Context, error) {
	if len(text) > MaxRead {
		return nil, fmt.Errorf("the formula has %d bytes; at most %d are allowed: name many labels by a glob or a regular expression", len(text), MaxRead)
	}
	if ctx == nil || ctx.Value(instructionsKey{}) != nil {
		return ctx, nil
	}
	return context.WithValue(ctx, instructionsKey{}, new(int)), nil
}

// Affords reports whether a regular expression may be compiled, given the limit
// and the size of those before it in the formula. It returns true for a text that
// is no expression, because compiling the text reports the error. Cost
// O(len(source)).
func Affords(ctx context.Context, source string) bool {
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
	return n <= MaxInstructions
}

// instructions returns approximately how many instructions an expression is
// compiled to, counting each repetition.
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
