package aut

import (
	"bytes"
	"fmt"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// header is the first line of a file. Its numbers may be wrong.
type header struct {
	initial, transitions, states uint64
}

const headerShape = "des (initial, transitions, states)"

// parseHeader reads a line des (initial, transitions, states). refused explains
// what is wrong with the line, "" if nothing is.
func parseHeader(line []byte) (h header, refused string) {
	fields, refused := headerFields(line)
	if refused != "" {
		return h, refused
	}
	names := [...]string{"initial state", "number of transitions", "number of states"}
	values := [...]*uint64{&h.initial, &h.transitions, &h.states}
	for i, name := range names {
		refused := explainNumber(name, fields[i])
		if refused != "" {
			return h, refused
		}
		*values[i], _ = number(fields[i], 0)
	}
	switch { // the initial state is compared with the number of states later
	case h.states > lts.MaxStates:
		return h, fmt.Sprintf("the header declares %s states: inev holds at most %d states",
			digits(fields[2]), int64(lts.MaxStates))
	case h.transitions == tooLarge:
		return h, fmt.Sprintf("the header declares %s transitions: inev counts to %d",
			digits(fields[1]), int64(tooLarge-1))
	}
	return h, ""
}

// headerFields returns the three texts in the parentheses of a header.
func headerFields(line []byte) (fields [][]byte, refused string) {
	found := inputfile.Quote(trimBlanks(line))
	text, ok := bytes.CutPrefix(trimBlanks(line), []byte("des"))
	text = trimBlanks(text)
	if !ok || len(text) == 0 || text[0] != '(' {
		return nil, "expected the header " + headerShape + ", found " + found
	}
	inside, behind, isClosed := bytes.Cut(text[1:], []byte(")"))
	behind = trimBlanks(behind)
	for _, field := range bytes.Split(inside, []byte(",")) {
		fields = append(fields, trimBlanks(field))
	}
	switch {
	case isDistribution(fields[0]): // a distribution has parentheses, the first of which seems to close the header
		return nil, probabilistic
	case !isClosed:
		return nil, "the closing parenthesis of the header is missing: it is " + headerShape
	case len(behind) > 0:
		return nil, "unexpected " + inputfile.Quote(behind) +
			" after the header: transitions begin on a line of their own"
	case len(fields) != 3:
		return nil, "expected the header " + headerShape + ", found " + found
	}
	return fields, ""
}
