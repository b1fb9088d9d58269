package aut

import (
	"strconv"
)

// Error is an error in a file. Its text is "FILE:LINE: what is wrong, and what to do about it".
type Error interface {
	error
	// Position returns the name of the file, "input" if the reader was given none, and the number of
	// the line, which counts from 1; 0 means the file as a whole.
	Position() (file string, line int)
}

// quoteMax is how many bytes of a file a message shows.
const quoteMax = 40

// quote returns bytes of a file for a message: escaped and shortened.
func quote(text []byte) string {
	if len(text) > quoteMax {
		return strconv.Quote(string(text[:quoteMax])) + "..."
	}
	return strconv.Quote(string(text))
}

// digits returns a number of a file for a message, shortened if it is long.
func digits(text []byte) string {
	if len(text) > quoteMax {
		return string(text[:quoteMax]) + "..."
	}
	return string(text)
}
