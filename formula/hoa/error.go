package hoa

import (
	"strconv"

	"github.com/inev-lts/inev/actl"
)

// Error tells what is wrong with a file of automata, and where.
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
	return (&actl.SyntaxError{Text: e.text, Offset: e.offset}).Caret()
}

// Unwrap returns the error of the reader that is behind e, nil if there is
// none.
func (e *Error) Unwrap() error { return e.cause }
