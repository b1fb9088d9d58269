package hint

import "context"

// Notation is the notation of a formula in which a hint proposes patterns of labels.
type Notation uint8

// The notations.
const (
	Own   Notation = iota // that of package actl
	MCL                   // the language of CADP
	MCRL2                 // that of mCRL2's modal formulas
)

// notationKey is the key of [InNotation].
type notationKey struct{}

// InNotation returns a context in which hints propose patterns in a notation.
func InNotation(ctx context.Context, n Notation) context.Context {
	return context.WithValue(ctx, notationKey{}, n)
}

// NotationOf returns the notation in which hints propose patterns.
func NotationOf(ctx context.Context) Notation {
	n, _ := ctx.Value(notationKey{}).(Notation)
	return n
}
