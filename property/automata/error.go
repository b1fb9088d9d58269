package automata

import (
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/caret"
)

// Error is what is wrong with a file of automata, and where.
type Error struct {
	// File is the name of the file, "input" where the reader was given none.
	File string
	// Line counts from 1.
	Line int
	// Message is one line: what is wrong, and what to do about it.
	Message string

	// text is the line, and offset the place in it, in bytes; "" if it is not known.
	text   string
	offset int
	cause  error
}

// NewError returns the error that a file has at the beginning of a line with this text.
func NewError(file string, line int, text, message string) *Error {
	return &Error{File: file, Line: line, Message: message, text: text, offset: len(text) - len(strings.TrimLeft(text, " \t"))}
}

// Error returns "FILE:LINE: message".
func (e *Error) Error() string {
	return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Message
}

// Caret returns two lines, that of the file and a caret under the place of the error;
// "" if the error is about more than one place.
func (e *Error) Caret() string {
	if e.text == "" {
		return ""
	}
	return caret.Under(e.text, e.offset)
}

// Unwrap returns the error of the reader that is behind e, nil if there is
// none.
func (e *Error) Unwrap() error { return e.cause }
