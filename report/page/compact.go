package page

import (
	"bufio"
	"io"
)

// compactJSON passes JSON on without the blanks between its tokens, and escapes the characters that
// could mean more than text in a script element of a page: <, > and &, which JSON has inside strings
// only. The line separators U+2028 and U+2029, which older JavaScript takes for ends of lines, are
// escaped in all JSON of package report.
type compactJSON struct {
	w        *bufio.Writer
	inString bool
	escaped  bool // the byte before was a backslash
	written  int64
}

func newCompactJSON(w io.Writer) *compactJSON {
	return &compactJSON{w: bufio.NewWriterSize(w, 64<<10)}
}

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
	switch {
	case !c.inString && (b == ' ' || b == '\n' || b == '\r' || b == '\t'):
		return nil
	case c.escaped:
		c.escaped = false
	case b == '\\':
		c.escaped = true
	case b == '"':
		c.inString = !c.inString
	case b == '<' || b == '>' || b == '&':
		const digits = "0123456789abcdef"
		c.written += 6
		_, err := c.w.Write([]byte{'\\', 'u', '0', '0', digits[b>>4], digits[b&15]})
		return err
	}
	c.written++
	return c.w.WriteByte(b)
}

func (c *compactJSON) flush() error { return c.w.Flush() }
