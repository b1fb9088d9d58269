package aut

import (
	"strconv"

	"github.com/inev-lts/inev/internal/inputfile"
)

// Error describes an error in a file, and its position.
type Error = inputfile.Error

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
