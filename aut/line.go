package aut

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/words"
	"github.com/inev-lts/inev/lts"
)

// parseTransition reads a line (from, label, to), without its line feed. The
// label is a slice of line, without its quotes, of at most [inputfile.MaxLabel]
// bytes. For any other line, blank lines included, ok is false, and
// refuseTransition explains it.
//
// It searches the final comma from the right, so that it need not examine the
// label: that ends at the last quote before this comma.
func parseTransition(line []byte) (from uint64, label []byte, to uint64, ok bool) {
	i := skipBlanks(line, 0)
	if i == len(line) || line[i] != '(' {
		return 0, nil, 0, false
	}
	digits := skipBlanks(line, i+1)
	from, i = number(line, digits)
	if i == digits {
		return 0, nil, 0, false
	}
	i = skipBlanks(line, i)
	if i == len(line) || line[i] != ',' {
		return 0, nil, 0, false
	}
	comma := bytes.LastIndexByte(line, ',')
	digits = skipBlanks(line, comma+1)
	to, end := number(line, digits)
	if comma <= i || end == digits || string(trimBlanks(line[end:])) != ")" {
		return 0, nil, 0, false
	}
	label, ok = unquote(trimBlanks(line[i+1 : comma]))
	return from, label, to, ok && len(label) <= inputfile.MaxLabel
}

// unquote removes the quotes from the text between the first comma and the final
// one; ok is false if there is no label, or a quoted one does not end.
func unquote(text []byte) (label []byte, ok bool) {
	switch n := len(text); {
	case n == 0:
		return nil, false
	case text[0] != '"':
		return text, true
	case n == 1 || text[n-1] != '"':
		return nil, false
	default:
		return text[1 : n-1], true
	}
}

// isBlank reports whether a byte separates tokens. A carriage return does: it may stand
// before the line feed.
func isBlank(c byte) bool { return c <= ' ' && (c == ' ' || c == '\t' || c == '\r') }

func skipBlanks(line []byte, i int) int {
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	return i
}

func trimBlanks(text []byte) []byte {
	text = text[skipBlanks(text, 0):]
	for len(text) > 0 && isBlank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// tooLarge stands for itself and all larger numbers, so that numbers of any
// length are read without overflow; all limits are far below.
const tooLarge = 1 << 60

// number reads the digits from index i on. It returns their value, at most
// tooLarge, and the index behind them, which is i if there are none.
func number(line []byte, i int) (n uint64, end int) {
	// Most numbers in a file have less than eight digits.
	if i+8 <= len(line) {
		word := binary.LittleEndian.Uint64(line[i:]) ^ words.Zeros
		count := bits.TrailingZeros64(words.OtherThanDigits(word)) / 8
		if count < 8 {
			return words.Decimal(word << (64 - 8*count)), i + count
		}
		if i+16 <= len(line) {
			second := binary.LittleEndian.Uint64(line[i+8:]) ^ words.Zeros
			if count = bits.TrailingZeros64(words.OtherThanDigits(second)) / 8; count < 8 {
				return words.Decimal(word)*powers[count] + words.Decimal(second<<(64-8*count)), i + 8 + count
			}
		}
	}
	for ; i < len(line); i++ {
		digit := line[i] - '0'
		if digit > 9 {
			break
		}
		n = min(n*10+uint64(digit), tooLarge)
	}
	return n, i
}

var powers = [8]uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000}

// header is the first line of a file. Its numbers may be wrong.
type header struct {
	initial, transitions, states uint64
}

const headerShape = "des (initial, transitions, states)"

// parseHeader reads a line des (initial, transitions, states). refused explains
// what is wrong with the line, "" if nothing is.
func parseHeader(line []byte) (h header, refused string) {
	text, ok := bytes.CutPrefix(trimBlanks(line), []byte("des"))
	if text = trimBlanks(text); !ok || len(text) == 0 || text[0] != '(' {
		return h, "expected the header " + headerShape + ", found " + inputfile.Quote(trimBlanks(line))
	}
	inside, behind, closed := bytes.Cut(text[1:], []byte(")"))
	fields := bytes.Split(inside, []byte(","))
	if refused := refuseNumber("initial state", trimBlanks(fields[0])); refused == probabilistic {
		return h, refused
	}
	switch behind = trimBlanks(behind); {
	case !closed:
		return h, "the closing parenthesis of the header is missing: it is " + headerShape
	case len(behind) > 0:
		return h, "unexpected " + inputfile.Quote(behind) + " after the header: transitions begin on a line of their own"
	case len(fields) != 3:
		return h, fmt.Sprintf("expected the header %s, found %s", headerShape, inputfile.Quote(trimBlanks(line)))
	}
	names := [...]string{"initial state", "number of transitions", "number of states"}
	values := [...]*uint64{&h.initial, &h.transitions, &h.states}
	for i, name := range names {
		field := trimBlanks(fields[i])
		if refused := refuseNumber(name, field); refused != "" {
			return h, refused
		}
		*values[i], _ = number(field, 0)
	}
	return h, h.refuseLarge(fields)
}

// refuseLarge names a number of the header that is too large; fields are the
// texts of the numbers. It need not check the initial state: that is compared
// with the number of states later.
func (h *header) refuseLarge(fields [][]byte) string {
	switch {
	case h.states > lts.MaxStates:
		return fmt.Sprintf("the header declares %s states: inev holds at most %d states",
			digits(trimBlanks(fields[2])), int64(lts.MaxStates))
	case h.transitions == tooLarge:
		return fmt.Sprintf("the header declares %s transitions: inev counts to %d",
			digits(trimBlanks(fields[1])), int64(tooLarge-1))
	}
	return ""
}

// refuseContent explains a file whose first non-blank line is no header; block is
// the beginning of the file.
func refuseContent(block, line []byte) string {
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
	return "this is not an .aut file: it begins with " + inputfile.Quote(text) + ", not with the header " + headerShape
}

// foreign lists the beginnings of files that users mistake for .aut files.
// mCRL2's format begins as its binary term format: a zero byte and the number
// 0x8baf.
var foreign = [...]struct{ prefix, what, remedy string }{
	{"\x00\x8b\xaf", "mCRL2's binary .lts format", "name it .lts"},
	{"\xfd7zXZ\x00", "xz-compressed data", "decompress it with xz -d first"},
	{"PK\x03\x04", "a zip archive", "unpack it first"},
	{"\xff\xfe", "UTF-16 text", "store it as UTF-8"},
	{"\xfe\xff", "UTF-16 text", "store it as UTF-8"},
	{"version https://git-lfs", "a Git LFS pointer", "fetch the file behind it with git lfs pull"},
	{"<", "an HTML or XML page", "fetch the file again, and look at what the server answers"},
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
		return refusal{message: "expected a transition " + shape + ", found " + inputfile.Quote(text)}
	}
	first := bytes.IndexByte(text, ',')
	if first < 0 {
		return refusal{
			message:    "expected a transition " + shape + ", found " + inputfile.Quote(text),
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
		return refusal{message: "unexpected " + inputfile.Quote(trimBlanks(behind[1:])) + " after the closing parenthesis: a line holds one transition"}
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
		return refusal{message: "expected a transition " + shape + ", found " + inputfile.Quote(line)}
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
		return "the closing quote of the label is missing: " + inputfile.Quote(text)
	case isColour(trimBlanks(behind)):
		return autx
	case len(behind) > 0:
		return "unexpected " + inputfile.Quote(trimBlanks(behind)) + " between the closing quote of the label and the comma"
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
	return fmt.Sprintf("the %s is not a number: %s", name, inputfile.Quote(field))
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
