package aut

import (
	"errors"
	"io/fs"
	"strconv"

	"github.com/inev-lts/inev/internal/compressed"
)

// Error tells what is wrong with a file, and where.
type Error struct {
	// File is the name of the file, "input" where the reader was given none.
	File string
	// Line counts from 1; 0 stands for the file as a whole.
	Line int
	// Message is one line: what is wrong, and what to do about it.
	Message string

	cause error
}

// Error returns "FILE:LINE: message", without the line where it is 0.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Message
}

// Unwrap returns the error of the operating system or of the decompressor that
// is behind e, nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// NewError returns the error of a reader about a line of a file, 0 for the file as a
// whole; what is wrong, and what to do, says the cause.
func NewError(file string, line int, cause error) *Error {
	return &Error{File: file, Line: line, Message: cause.Error(), cause: cause}
}

// quoteMax is how many bytes of a file a message repeats.
const quoteMax = 40

// quote shows bytes of a file in a message: escaped, and never many.
func quote(text []byte) string {
	if len(text) > quoteMax {
		return strconv.Quote(string(text[:quoteMax])) + "..."
	}
	return strconv.Quote(string(text))
}

// digits shows a number of a file in a message, whatever its length.
func digits(text []byte) string {
	if len(text) > quoteMax {
		return string(text[:quoteMax]) + "..."
	}
	return string(text)
}

// FileError returns the error for a file of this name that cannot be opened or
// read, with the remedy where the cause tells one. errors.Is sees the cause. It
// serves all readers of files that users name.
func FileError(name string, err error) error {
	message := "cannot be read: " + err.Error()
	var path *fs.PathError
	var damage *compressed.DamagedError
	switch {
	case errors.As(err, &damage):
		message, err = damage.Error(), damage.Cause
	case errors.Is(err, fs.ErrNotExist):
		message = "there is no such file: check its name"
	case errors.Is(err, fs.ErrPermission):
		message = "permission denied: make the file readable"
	case errors.As(err, &path):
		message = "cannot be read: " + path.Err.Error()
	}
	return &Error{File: name, Message: message, cause: err}
}
