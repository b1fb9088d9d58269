package inputfile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// ErrLongLine reports that a line is longer than is allowed.
var ErrLongLine = bufio.ErrTooLong

// EachLine calls do with each line of a text and its number, without the end of the line and without a
// byte order mark before the first one. The bytes are valid only during the call. It ends with
// the first error: of do, of ctx, of the reader, or [ErrLongLine] at a line of more than longest
// bytes; at is the number of the line where it ended, or of the last line if there was no error.
// Cost O(length of the text) time.
func EachLine(ctx context.Context, r io.Reader, longest int, do func(number int, text []byte) error) (at int, err error) {
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
	case errors.Is(err, ErrLongLine):
		return at + 1, ErrLongLine
	default:
		return at, err
	}
}

// EachModelLine calls do with each line of a text, as [EachLine] does, for a reader of models and their values. An error names the file, and that
// of a line with more than longest bytes says that this does not look like what it should be, such
// as "an .fsm file"; any error that is no [Error] is taken for one of reading.
func EachModelLine(ctx context.Context, r io.Reader, name string, longest int, what string, do func(number int, text []byte) error) error {
	at, err := EachLine(ctx, r, longest, do)
	switch {
	case err == nil, ctx.Err() != nil, errors.As(err, new(*Error)):
		return err
	case errors.Is(err, ErrLongLine):
		return NewError(name, at, fmt.Errorf("this line is longer than %d MiB: this does not look like %s", longest>>20, what))
	}
	return FileError(name, err)
}
