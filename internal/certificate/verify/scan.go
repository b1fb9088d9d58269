package verify

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
)

// scanner reads JSON whose members come in a known order. It keeps nothing of what was read, and
// allocates no more memory than its callers expect. Its first error ends the check, see [abort.On].
type scanner struct {
	in   *bufio.Reader
	line int
	err  error
	// fresh reports that an object or array was just opened, so that no comma precedes its first
	// element.
	fresh bool
	// quoted is the string that was read last, with its quotes.
	quoted []byte
}

func newScanner(r io.Reader) *scanner {
	return &scanner{in: bufio.NewReaderSize(r, 1<<14), line: 1, fresh: true}
}

func (x *scanner) fail(format string, args ...any) {
	x.failed(fmt.Errorf("line %d: %s", x.line, fmt.Sprintf(format, args...)))
}

func (x *scanner) failed(err error) {
	x.err = err
	abort.On(err)
}

// next returns the next byte; 0 at the end of the file. A file with a byte 0 is refused, since JSON
// has none.
func (x *scanner) next() byte {
	c := x.look()
	if c == 0 {
		return 0
	}
	_, _ = x.in.Discard(1) // the byte was looked at before, so it is there
	if c == '\n' {
		x.line++
	}
	return c
}

// peek returns the next byte that is no white space, without reading it.
func (x *scanner) peek() byte {
	c := x.look()
	for c == ' ' || c == '\t' || c == '\r' || c == '\n' {
		x.next()
		c = x.look()
	}
	return c
}

// look returns the next byte, white space or not, without reading it. Like next, it returns 0 at
// the end.
func (x *scanner) look() byte {
	c, err := x.in.Peek(1)
	switch {
	case err == nil && c[0] == 0:
		x.fail("found a byte 0, which cannot stand here")
	case err == nil:
		return c[0]
	case err != io.EOF:
		x.failed(err)
	}
	return 0
}

// expect reads one byte of punctuation.
func (x *scanner) expect(want byte) {
	found := x.peek()
	switch found {
	case want:
		x.next()
	case 0:
		x.fail("the file ends where %q was expected", want)
	default:
		x.fail("found %q where %q was expected", found, want)
	}
}

// open reads the bracket that begins an object or array.
func (x *scanner) open(bracket byte) {
	x.expect(bracket)
	x.fresh = true
}

// end reads the bracket that ends an object or array.
func (x *scanner) end(bracket byte) {
	x.expect(bracket)
	x.fresh = false
}

// element reads up to the next element of an array.
func (x *scanner) element() {
	if !x.fresh {
		x.expect(',')
	}
	x.fresh = false
}

// more reads up to the next element of an array; false if there is none.
func (x *scanner) more() bool {
	if x.peek() == ']' {
		x.end(']')
		return false
	}
	x.element()
	return true
}

// member reads up to the value of the next member of an object, which must have this name.
func (x *scanner) member(name string) { x.memberOr(name, name) }

// memberOr is like [scanner.member], but accepts another member as well, and reports whether it has
// read the other one.
func (x *scanner) memberOr(name, other string) bool {
	x.element()
	x.string(max(len(name), len(other)))
	found := x.quoted[1 : len(x.quoted)-1]
	if string(found) != name && string(found) != other {
		x.fail("found the member %s where %q was expected", x.quoted, name)
	}
	x.expect(':')
	return string(found) == other
}

// number reads a number from 0 to most.
func (x *scanner) number(most uint32) uint32 {
	value := uint64(0)
	digits := 0
	zero := false
	for c := x.peek(); c >= '0' && c <= '9'; c = x.look() {
		if zero {
			x.fail("a number begins with 0")
		}
		zero = digits == 0 && c == '0'
		value = value*10 + uint64(x.next()-'0')
		digits++
		if value > math.MaxUint32 {
			break
		}
	}
	c := x.look()
	switch {
	case digits == 0 || c == '.' || c == 'e' || c == 'E':
		x.fail("a number from 0 to %d was expected", most)
	case value > uint64(most):
		x.fail("found a number above %d, the largest that can stand here", most)
	}
	return uint32(value)
}

// maxEscape is the length of the longest JSON text for one byte of a string, \u0001.
const maxEscape = 6

// string reads a string of limited length into quoted. It reports whether the string contains
// escapes, or bytes that JSON does not allow, so that its value may differ from the text between
// the quotes.
func (x *scanner) string(most int) (special bool) {
	x.expect('"')
	x.quoted = append(x.quoted[:0], '"')
	for escaped := false; ; {
		c := x.next()
		x.quoted = append(x.quoted, c)
		switch {
		case c == 0:
			x.fail("the file ends in a string")
		case len(x.quoted) > maxEscape*most+2:
			x.fail("found a string of more than %d bytes, the longest that can stand here",
				most)
		case c == '"' && !escaped:
			return special
		}
		special = special || c == '\\' || c < ' ' || c > '~'
		escaped = c == '\\' && !escaped
	}
}

// text reads a string of at most this many bytes.
func (x *scanner) text(most int) string {
	if !x.string(most) {
		return string(x.quoted[1 : len(x.quoted)-1])
	}
	var s string
	if json.Unmarshal(x.quoted, &s) != nil {
		x.fail("a string is malformed")
	}
	return s
}

// word reads a string that must be one of words, and returns its index.
func (x *scanner) word(words ...string) int {
	longest := 0
	for _, w := range words {
		longest = max(longest, len(w))
	}
	found := x.text(longest)
	i := slices.Index(words, found)
	if i < 0 {
		x.fail("found %q, which cannot stand here", found)
	}
	return i
}

// literal reads the word null, true or false if it comes next.
func (x *scanner) literal(word string) bool {
	if x.peek() != word[0] {
		return false
	}
	for i := range len(word) {
		if x.next() != word[i] {
			x.fail("%s was expected", word)
		}
	}
	return true
}

// truth reads true or false.
func (x *scanner) truth() bool {
	if x.literal("true") {
		return true
	}
	if !x.literal("false") {
		x.fail("true or false was expected")
	}
	return false
}

// finish checks that the file ends.
func (x *scanner) finish() {
	c := x.peek()
	if c != 0 {
		x.fail("found %q behind the certificate", c)
	}
}
