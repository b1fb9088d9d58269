package aut

import (
	"bytes"
	"fmt"

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
	text, ok := bytes.CutPrefix(trimBlanks(line), []byte("des"))
	if text = trimBlanks(text); !ok || len(text) == 0 || text[0] != '(' {
		return h, "expected the header " + headerShape + ", found " + quote(trimBlanks(line))
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
		return h, "unexpected " + quote(behind) + " after the header: transitions begin on a line of their own"
	case len(fields) != 3:
		return h, fmt.Sprintf("expected the header %s, found %s", headerShape, quote(trimBlanks(line)))
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
	return "this is not an .aut file: it begins with " + quote(text) + ", not with the header " + headerShape
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
