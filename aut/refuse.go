package aut

import (
	"bytes"
	"fmt"

	"github.com/inev-lts/inev/internal/inputfile"
)

const (
	shape         = "(from, label, to)"
	probabilistic = "this is mCRL2's probabilistic LTS format, which inev does not read: replace the distributions over states by ordinary transitions"
	autx          = "this looks like CLEAR's .autx format, an LTS with classes already marked: name it .autx, or give the .aut model it was made from"
)

// refusal explains why a line is no transition.
type refusal struct {
	message string
	// unfinished reports whether the line could go on: if the file ends here, it
	// was cut off.
	unfinished bool
}

// refuseTransition explains why parseTransition refused a line that is not blank.
// It reads from left to right, as a person does, and names the first error.
func refuseTransition(line []byte) refusal {
	text := trimBlanks(line)
	switch {
	case text[0] != '(' && bytes.HasPrefix(text, []byte("des")):
		return refusal{message: "a second header: one file holds one LTS, these look like two files joined"}
	case text[0] != '(':
		return refusal{message: "expected a transition " + shape + ", found " + quote(text)}
	}
	first := bytes.IndexByte(text, ',')
	if first < 0 {
		return refusal{
			message:    "expected a transition " + shape + ", found " + quote(text),
			unfinished: text[len(text)-1] != ')',
		}
	}
	if r := refuseSource(trimBlanks(text[1:first])); r != "" {
		return refusal{message: r}
	}
	return refuseRest(text, text[first+1:])
}

func refuseSource(field []byte) string {
	_, end := number(field, 0)
	if end > 0 && end < len(field) && field[end] == ':' {
		return autx
	}
	return refuseNumber("source state", field)
}

// refuseRest explains the error behind the first comma of a line.
func refuseRest(line, rest []byte) refusal {
	comma := bytes.LastIndexByte(rest, ',')
	tail := trimBlanks(rest[comma+1:])
	_, end := number(tail, 0)
	if behind := tail[skipBlanks(tail, end):]; comma >= 0 && end > 0 && len(behind) > 1 && behind[0] == ')' {
		return refusal{message: "unexpected " + quote(trimBlanks(behind[1:])) + " after the closing parenthesis: a line holds one transition"}
	}
	field, closed := bytes.CutSuffix(tail, []byte(")"))
	field = trimBlanks(field)
	label := trimBlanks(rest[:max(comma, 0)])
	if comma < 0 {
		label = tail
	}
	if r := refuseLabel(label); r != "" {
		return refusal{message: r, unfinished: len(label) > 0 && refuseNumber("", field) != ""}
	}
	switch {
	case !closed:
		return refusal{message: "the closing parenthesis is missing: a transition is " + shape, unfinished: true}
	case comma < 0:
		return refusal{message: "expected a transition " + shape + ", found " + quote(line)}
	}
	return refusal{message: refuseNumber("target state", field)}
}

// refuseLabel explains the error in the text between the first comma and the
// final one, "" if there is none.
func refuseLabel(text []byte) string {
	if len(text) == 0 {
		return `the label is missing: an empty label is written ""`
	}
	last := bytes.LastIndexByte(text, '"')
	switch behind := text[last+1:]; {
	case text[0] != '"' && len(text) <= inputfile.MaxLabel:
		return ""
	case text[0] != '"':
		return inputfile.LongLabel(len(text))
	case last == 0:
		return "the closing quote of the label is missing: " + quote(text)
	case isColour(trimBlanks(behind)):
		return autx
	case len(behind) > 0:
		return "unexpected " + quote(trimBlanks(behind)) + " between the closing quote of the label and the comma"
	}
	if unquoted, _ := unquote(text); len(unquoted) > inputfile.MaxLabel {
		return inputfile.LongLabel(len(unquoted))
	}
	return ""
}

// isColour reports whether text is a mark that CLEAR adds to a label.
func isColour(text []byte) bool {
	switch string(text) {
	case ":GREEN", ":RED", ":BLACK", ":UNSET":
		return true
	}
	return false
}

// refuseNumber explains why the field of this name is no number, "" if it is
// one.
func refuseNumber(name string, field []byte) string {
	_, end := number(field, 0)
	switch {
	case len(field) == 0:
		return "the " + name + " is missing"
	case end == len(field):
		return ""
	case bytes.IndexByte(field, '/') > 0 && end > 0:
		return probabilistic
	case field[0] == '-' && len(field) > 1 && refuseNumber(name, field[1:]) == "":
		return fmt.Sprintf("the %s is negative: %s", name, digits(field))
	}
	return fmt.Sprintf("the %s is not a number: %s", name, quote(field))
}
