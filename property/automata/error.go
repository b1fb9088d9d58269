package automata

import (
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// Error describes an error in a file of automata, and its position.
type Error struct {
	// File is the name of the file, "input" if the reader was given none.
	File string
	// Line counts from 1.
	Line int
	// Message is one line: what is wrong, and what to do about it.
	Message string

	// text is the line, "" if it is not known; offset is the position of the
	// error in it, in bytes.
	text   string
	offset int
	cause  error
}

// NewError returns an error at the first non-blank character of a line with this
// text.
func NewError(file string, line int, text, message string) *Error {
	return &Error{File: file, Line: line, Message: message, text: text, offset: len(text) - len(strings.TrimLeft(text, " \t"))}
}

// Error returns "FILE:LINE: message".
func (e *Error) Error() string {
	return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Message
}

// Caret returns two lines: the line of the file, and a caret under the position
// of the error; "" if the error has no single position.
func (e *Error) Caret() string {
	if e.text == "" {
		return ""
	}
	return printable.Caret(e.text, e.offset)
}

// Unwrap returns the error of the underlying reader, nil if there is none.
func (e *Error) Unwrap() error { return e.cause }
