package aut

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/inputfile"
)

// explainContent explains a file whose first non-blank line is no header; block is
// the beginning of the file.
func explainContent(block, line []byte) string {
	const fsm = "this looks like mCRL2's .fsm format, not .aut: name it .fsm"
	start := block[:min(len(block), 4096)]
	for _, f := range foreign {
		if bytes.HasPrefix(start, []byte(f.prefix)) {
			return "this is " + f.what + ", not an .aut file: " + f.remedy
		}
	}
	text := trimBlanks(line)
	switch {
	case bytes.IndexByte(start, 0) >= 0:
		return "this is binary data, not an .aut file: if it is a BCG file of CADP, name it .bcg, or convert it with bcg_io FILE.bcg FILE.aut"
	case bytes.HasPrefix(start, []byte("---")) || bytes.Contains(start, []byte("\n---")):
		return fsm
	case text[0] == '(':
		return "the header is missing: an .aut file begins with " + headerShape
	}
	return "this is not an .aut file: it begins with " + inputfile.Quote(text) +
		", not with the header " + headerShape
}

// foreign lists the beginnings of files that users mistake for .aut files. mCRL2's format .lts
// begins like its binary term format, with a zero byte and the number 0x8baf.
var foreign = [...]struct{ prefix, what, remedy string }{
	{"\x00\x8b\xaf", "mCRL2's binary .lts format", "name it .lts"},
	{"\xfd7zXZ\x00", "xz-compressed data", "decompress it with xz -d first"},
	{"PK\x03\x04", "a zip archive", "unpack it first"},
	{"\xff\xfe", "UTF-16 text", "store it as UTF-8"},
	{"\xfe\xff", "UTF-16 text", "store it as UTF-8"},
	{"version https://git-lfs", "a Git LFS pointer", "fetch the file behind it with git lfs pull"},
	{"<", "an HTML or XML page", "fetch the file again, and look at what the server answers"},
	{"State 1:", "TLC's list of states, which has no steps", "have TLC write the graph with -dump dot,actionlabels FILE.dot"},
	{"TLC2 Version ", "what TLC printed", "give the specification (.tla) or its graph (.dot) as the model, and this file as the counterexample"},
	{"digraph", "a DOT graph", "give the model it was drawn from"},
}

const (
	shape         = "(from, label, to)"
	probabilistic = "this is mCRL2's probabilistic LTS format, which inev does not read: replace the distributions over states by ordinary transitions"
	autx          = "this looks like CLEAR's .autx format, an LTS with classes already marked: name it .autx, or give the .aut model it was made from"
)

// refusal explains why a line is no transition.
type refusal struct {
	message string
	// unfinished reports whether the line is the beginning of a transition: if the file ends here,
	// it was cut off.
	unfinished bool
}

// explainTransition explains why parseTransition refused a line that is not blank.
// It reads from left to right, as a person does, and names the first error.
func explainTransition(line []byte) refusal {
	text := trimBlanks(line)
	noTransition := refusal{message: "expected a transition " + shape + ", found " + inputfile.Quote(text)}
	switch {
	case text[0] != '(' && bytes.HasPrefix(text, []byte("des")):
		return refusal{message: "a second header: one file holds one LTS, these look like two files joined"}
	case text[0] != '(':
		return noTransition
	}
	source, rest, hasComma := bytes.Cut(text[1:], []byte(","))
	if !hasComma {
		noTransition.unfinished = text[len(text)-1] != ')'
		return noTransition
	}
	source = trimBlanks(source)
	_, end := number(source, 0)
	if end > 0 && end < len(source) && source[end] == ':' {
		return refusal{message: autx}
	}
	wrong := explainNumber("source state", source)
	if wrong != "" {
		return refusal{message: wrong}
	}
	comma := bytes.LastIndexByte(rest, ',')
	if comma < 0 {
		return explainUnended(trimBlanks(rest), noTransition)
	}
	return explainAfterSource(trimBlanks(rest[:comma]), trimBlanks(rest[comma+1:]))
}

// explainUnended explains what is wrong with a line that has no comma behind its label.
func explainUnended(label []byte, noTransition refusal) refusal {
	target, isClosed := bytes.CutSuffix(label, []byte(")"))
	wrong := explainLabel(label)
	switch {
	case wrong != "":
		isNoState := explainNumber("", trimBlanks(target)) != ""
		return refusal{message: wrong, unfinished: len(label) > 0 && isNoState}
	case !isClosed:
		return unclosedTransition
	}
	return noTransition
}

// explainAfterSource explains what is wrong with a label, or with the target and the parenthesis after it.
func explainAfterSource(label, tail []byte) refusal {
	_, end := number(tail, 0)
	behind := tail[skipBlanks(tail, end):]
	if end > 0 && len(behind) > 1 && behind[0] == ')' {
		return refusal{message: "unexpected " + inputfile.Quote(trimBlanks(behind[1:])) +
			" after the closing parenthesis: a line holds one transition"}
	}
	target, isClosed := bytes.CutSuffix(tail, []byte(")"))
	wrongTarget := explainNumber("target state", trimBlanks(target))
	wrong := explainLabel(label)
	switch {
	case wrong != "":
		return refusal{message: wrong, unfinished: len(label) > 0 && wrongTarget != ""}
	case !isClosed:
		return unclosedTransition
	}
	return refusal{message: wrongTarget}
}

// unclosedTransition is the refusal of a line that ends before its parenthesis.
var unclosedTransition = refusal{
	message:    "the closing parenthesis is missing: a transition is " + shape,
	unfinished: true,
}

// explainLabel explains the error in the text between the first comma and the
// final one, "" if there is none.
func explainLabel(text []byte) string {
	if len(text) == 0 {
		return `the label is missing: an empty label is written ""`
	}
	last := bytes.LastIndexByte(text, '"')
	behind := text[last+1:]
	switch {
	case text[0] != '"' && len(text) <= inputfile.MaxLabel:
		return ""
	case text[0] != '"':
		return inputfile.LongLabel(len(text))
	case last == 0:
		return "the closing quote of the label is missing: " + inputfile.Quote(text)
	case slices.Contains([]string{":GREEN", ":RED", ":BLACK", ":UNSET"}, string(trimBlanks(behind))): // marks of CLEAR
		return autx
	case len(behind) > 0:
		return "unexpected " + inputfile.Quote(trimBlanks(behind)) +
			" between the closing quote of the label and the comma"
	}
	if unquoted, _ := unquote(text); len(unquoted) > inputfile.MaxLabel {
		return inputfile.LongLabel(len(unquoted))
	}
	return ""
}

// explainNumber explains why the field of this name is no number, "" if it is
// one.
func explainNumber(name string, field []byte) string {
	_, end := number(field, 0)
	switch {
	case len(field) == 0:
		return "the " + name + " is missing"
	case end == len(field):
		return ""
	case isDistribution(field):
		return probabilistic
	case field[0] == '-' && len(field) > 1 && explainNumber(name, field[1:]) == "":
		return fmt.Sprintf("the %s is negative: %s", name, digits(field))
	}
	return fmt.Sprintf("the %s is not a number: %s", name, inputfile.Quote(field))
}

// isDistribution reports whether a field has a distribution over states, such as 0 1/2 3, where .aut
// has a state.
func isDistribution(field []byte) bool {
	_, end := number(field, 0)
	return end > 0 && end < len(field) && bytes.IndexByte(field, '/') > 0
}

// Error is an error in a file. Its text is "FILE:LINE: what is wrong, and what to do about it".
type Error interface {
	error
	// Position returns the name of the file, "input" if the reader was given none, and the number of
	// the line, which counts from 1; 0 means the file as a whole.
	Position() (file string, line int)
}

// digits returns a number of a file for a message, shortened if it is long.
func digits(text []byte) string {
	if len(text) > 40 {
		return string(text[:40]) + "..."
	}
	return string(text)
}
