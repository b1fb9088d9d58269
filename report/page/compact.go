package page

import (
	"bufio"
	"io"
)

// compactJSON passes JSON on without the blanks between its tokens, and escapes the characters that
// could mean more than text in a script element of a page: <, > and &, and the line separators
// U+2028 and U+2029, which older JavaScript takes for ends of lines. All of these can occur in JSON
// inside strings only. It never holds more than one buffer of JSON.
type compactJSON struct {
	w        *bufio.Writer
	inString bool
	escaped  bool // the byte before was a backslash
	// held is the number of bytes (at most two) that were read and not yet written, since they may
	// begin a line separator (e2 80 a8 or e2 80 a9).
	held    int
	written int64
}

func newCompactJSON(w io.Writer) *compactJSON {
	return &compactJSON{w: bufio.NewWriterSize(w, 64<<10)}
}

var separator = [2]byte{0xe2, 0x80}

// Write returns the first error of the underlying writer.
func (c *compactJSON) Write(data []byte) (int, error) {
	for i, b := range data {
		if err := c.next(b); err != nil {
			return i, err
		}
	}
	return len(data), nil
}

func (c *compactJSON) next(b byte) error {
	if !c.inString {
		if b == ' ' || b == '\n' || b == '\r' || b == '\t' {
			return nil
		}
		c.inString = b == '"'
		return c.byte(b)
	}
	if c.held < len(separator) && b == separator[c.held] {
		c.held++
		return nil
	}
	if c.held == len(separator) && (b == 0xa8 || b == 0xa9) {
		c.held = 0
		return c.escape(0x2000 | uint16(b-0xa8+0x28))
	}
	if err := c.release(); err != nil {
		return err
	}
	if b == separator[0] {
		c.held = 1
		return nil
	}
	switch {
	case c.escaped:
		c.escaped = false
	case b == '\\':
		c.escaped = true
	case b == '"':
		c.inString = false
	case b == '<' || b == '>' || b == '&':
		return c.escape(uint16(b))
	}
	return c.byte(b)
}

// release writes the held bytes once it is clear that they do not begin a
// line separator.
func (c *compactJSON) release() error {
	for _, b := range separator[:c.held] {
		if err := c.byte(b); err != nil {
			return err
		}
	}
	c.held = 0
	return nil
}

func (c *compactJSON) byte(b byte) error {
	c.written++
	return c.w.WriteByte(b)
}

func (c *compactJSON) escape(r uint16) error {
	const digits = "0123456789abcdef"
	c.written += 6
	_, err := c.w.Write([]byte{'\\', 'u', digits[r>>12], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
	return err
}

// flush ends the JSON. Bytes still held then are no JSON, but are written, too.
func (c *compactJSON) flush() error {
	if err := c.release(); err != nil {
		return err
	}
	return c.w.Flush()
}
