package aut

import (
	"strconv"

	"github.com/inev-lts/inev/internal/inputfile"
)

// Error describes what is wrong with a file, and where.
type Error = inputfile.Error

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
