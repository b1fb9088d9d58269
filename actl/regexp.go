package actl

import (
	"context"
	"io"
	"regexp"
	"unicode/utf8"
)

// soon is the size of a regular expression, or its length times that of a text, up to
// which package regexp is done within some milliseconds.
const soon = 1 << 16

// compiled compiles a regular expression. One that is large is left to itself once ctx,
// which may be nil, is done: package regexp cannot be stopped, but comes to its end
// within seconds, for it bounds what it accepts.
func compiled(ctx context.Context, source string) (*regexp.Regexp, error) {
	if ctx == nil || len(source) <= soon {
		return regexp.Compile(source)
	}
	type outcome struct {
		re  *regexp.Regexp
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		re, err := regexp.Compile(source)
		done <- outcome{re, err}
	}()
	select {
	case o := <-done:
		return o.re, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// regexpMatches is re.MatchString, and false once ctx is done. Text is given to a large
// expression character by character, each of which takes no longer than it is.
func regexpMatches(ctx context.Context, re *regexp.Regexp, size int, text string) bool {
	if size*len(text) <= soon {
		return re.MatchString(text)
	}
	return re.MatchReader(&stoppableText{ctx, text})
}

// stoppableText is a text that ends once ctx is done.
type stoppableText struct {
	ctx  context.Context
	text string
}

// ReadRune reads as package regexp reads a string: a byte that is no UTF-8 is a
// character of its own.
func (t *stoppableText) ReadRune() (r rune, size int, err error) {
	if t.text == "" || t.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRuneInString(t.text)
	t.text = t.text[size:]
	return r, size, nil
}
