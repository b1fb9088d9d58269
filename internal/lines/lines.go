// Package lines reads text line by line, as the readers of several formats do.
//
// The invariant that holds inside: a line is numbered from 1 as editors number it, and no
// line is kept that is longer than was allowed.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// ErrTooLong reports that a line is longer than is allowed.
var ErrTooLong = bufio.ErrTooLong

// Each calls a function with the lines of a text and their numbers, without the ends of the
// lines and without a byte order mark before the first one. The bytes are good until it
// returns. It ends with the first error of that function, with that of ctx, where that is
// done, with [ErrTooLong] at a line of more than so many bytes, and with that of the reader;
// at is the number of the line at which it ended, of the last one where it read all. Cost
// O(length of the text) time.
func Each(ctx context.Context, r io.Reader, longest int, do func(number int, text []byte) error) (at int, err error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, min(longest, 64<<10)), longest)
	for scanner.Scan() {
		if at&(1<<12-1) == 0 && ctx.Err() != nil {
			return at, ctx.Err()
		}
		at++
		text := scanner.Bytes()
		if at == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if err := do(at, text); err != nil {
			return at, err
		}
	}
	switch err := scanner.Err(); {
	case ctx.Err() != nil:
		return at, ctx.Err()
	case errors.Is(err, ErrTooLong):
		return at + 1, ErrTooLong
	default:
		return at, err
	}
}
