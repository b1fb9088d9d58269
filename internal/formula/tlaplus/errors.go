package tlaplus

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/abort"
)

// Position is a position in a file, or in a formula that is in no file. In the latter case, File is "".
type Position struct {
	File         string
	Line, Column int // both counted from 1
}

func (p Position) String() string {
	switch {
	case p.File != "":
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	case p.Line > 1:
		return fmt.Sprintf("formula, line %d, column %d", p.Line, p.Column)
	}
	return fmt.Sprintf("formula, column %d", p.Column)
}

// Error is an error in a specification or in the evaluation of an expression, with its position.
type Error struct {
	Position Position
	Message  string
}

func (e *Error) Error() string {
	if e.Position.Line == 0 {
		return e.Position.File + ": " + e.Message
	}
	return fmt.Sprintf("%s: %s", e.Position, e.Message)
}

// fail stops the parser or the evaluation with an [Error]. Of a text that is an argument, the error has at most
// the first mostEchoed characters.
func fail(at Position, format string, args ...any) {
	echoed := slices.Clone(args)
	for i, arg := range echoed {
		if text, isText := arg.(string); isText {
			echoed[i] = beginning(text, mostEchoed)
		}
	}
	abort.On(&Error{at, fmt.Sprintf(format, echoed...)})
}

// mostEchoed is the largest number of characters of an expression in an error.
const mostEchoed = 200

// beginning returns a text of at most this many characters, and an ellipsis if it leaves out the others.
func beginning(text string, mostCharacters int) string {
	if len(text) <= mostCharacters {
		return text
	}
	runes := []rune(text[:min(len(text), (mostCharacters+1)*utf8.UTFMax)])
	if len(runes) <= mostCharacters {
		return text
	}
	return string(runes[:mostCharacters]) + "…"
}
