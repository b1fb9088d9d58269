package inputfile

import (
	"errors"
	"io/fs"
	"strconv"

	"github.com/inev-lts/inev/internal/compressed"
)

// Error describes what is wrong with a file, and where.
type Error struct {
	// File is the name of the file, "input" if the reader was given none.
	File string
	// Line counts from 1; 0 means the file as a whole.
	Line int
	// Message is one line: what is wrong, and what to do about it.
	Message string

	cause error
}

// Error returns "FILE:LINE: message", without the line if it is 0.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Message
}

// Position returns the file and the line.
func (e *Error) Position() (file string, line int) { return e.File, e.Line }

// Unwrap returns the error of the operating system or of the decompressor, nil if
// there is none.
func (e *Error) Unwrap() error { return e.cause }

// NewError returns a reader's error about a line of a file, 0 for the file as a
// whole. The message is that of the cause.
func NewError(file string, line int, cause error) *Error {
	return &Error{File: file, Line: line, Message: cause.Error(), cause: cause}
}

// Because returns a reader's error with a message of its own. errors.Is finds the
// cause, which may be nil.
func Because(file string, line int, message string, cause error) *Error {
	return &Error{File: file, Line: line, Message: message, cause: cause}
}

// FileError returns the error for a file that cannot be opened or read, with the
// remedy if the cause has one. errors.Is finds the cause.
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

// quoted is how many bytes of a file [Quote] shows.
const quoted = 40

// Quote returns bytes of a file for a message: escaped and shortened.
func Quote(text []byte) string {
	if len(text) > quoted {
		return strconv.Quote(string(text[:quoted])) + "..."
	}
	return strconv.Quote(string(text))
}

// MostStates is the number of states that a file with this many transitions may declare. A
// transition mentions at most two new states; the factor and the constant leave room for models
// with unreachable states, and for parts of models that keep the state numbers of the whole.
func MostStates(transitions uint64) uint64 { return 64*transitions + 1_000_000 }
