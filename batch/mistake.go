package batch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/options"
)

// String returns "FILE:LINE", without the line if it is 0.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Mistake is something in a manifest that has to be mended.
type Mistake struct {
	Where Position
	// Message is one line: what is wrong, and what to do about it.
	Message string
	// Caret is "", or two lines that show the position of a mistake within a formula.
	Caret string
	// Unknown is the name of a field that is not known, and Nearest is the field that was probably
	// meant; "" if the mistake is another one, or if no field is similar.
	Unknown, Nearest string
}

// String returns "FILE:LINE: message".
func (m Mistake) String() string { return m.Where.String() + ": " + m.Message }

// ManifestError holds all mistakes of a manifest, in the order of its lines.
type ManifestError struct{ Mistakes []Mistake }

// Error returns a line for each mistake.
func (e *ManifestError) Error() string {
	if e == nil {
		return "<nil>"
	}
	lines := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// add adds a mistake.
func (r *reader) add(where Position, format string, args ...any) {
	r.mistakes = append(r.mistakes, Mistake{Where: where, Message: fmt.Sprintf(format, args...)})
}

// unknownName is the name of a field that does not exist, as the manifest has it.
type unknownName struct {
	where Position
	text  string
	// names are the names that could be meant, and normalised is the text in their spelling.
	normalised string
	names      []string
	// remedy is what to do if no name is similar.
	remedy string
}

// addUnknown adds the mistake that there is no field of this name, and proposes the most similar name. It
// returns that name, "" if none is similar.
func (r *reader) addUnknown(unknown unknownName) (meant string) {
	meant, isSimilar := options.Nearest(unknown.normalised, unknown.names)
	remedy := unknown.remedy
	if isSimilar {
		remedy = fmt.Sprintf("did you mean %s?", meant)
	}
	r.mistakes = append(r.mistakes, Mistake{
		Where:   unknown.where,
		Message: fmt.Sprintf("unknown field %q; %s", unknown.text, remedy),
		Unknown: unknown.text,
		Nearest: meant,
	})
	return meant
}
