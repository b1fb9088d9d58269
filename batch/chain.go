package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// Each line of a journal names the checksum of the line before it, so that none can be taken
// away or moved unnoticed, and a run ends it with a record of how many results there are, so
// that it cannot be cut off unnoticed.

// commitSchema names the version of that record.
const commitSchema = "inev.commit/1"

// commit is the record that closes a journal.
type commit struct {
	Schema string `json:"schema"`
	// Count is how many results there are before it.
	Count int `json:"count"`
}

// after is how the checksum of the line before stands in a line, before its own.
var after = seal{"}\n", `,"after":"`, "\"}\n"}

// firstLine stands for the line before the first one.
var firstLine = strings.Repeat("0", checksumDigits)

// chainEnd is how a journal ends. The zero value is that of an empty one.
type chainEnd struct {
	sum    string // of the last line
	count  int    // of results
	closed bool
}

// add appends the line of a result to a text.
func (e *chainEnd) add(text []byte, r *Result) ([]byte, error) {
	var object bytes.Buffer
	encoder := json.NewEncoder(&object) // ends with a line feed
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		return nil, err
	}
	e.count++
	e.closed = false
	return e.link(text, object.Bytes()), nil
}

// commit appends the record that closes a journal to a text.
func (e *chainEnd) commit(text []byte) []byte {
	e.closed = true
	return e.link(text, fmt.Appendf(nil, "{\"schema\":%q,\"count\":%d}\n", commitSchema, e.count))
}

func (e *chainEnd) link(text, object []byte) []byte {
	content := bytes.TrimSuffix(object, []byte(after.end))
	line := lineSeal.add(fmt.Appendf(content, "%s%s%s", after.before, e.last(), after.after))
	e.sum = sumOf(line)
	return append(text, line...)
}

func (e *chainEnd) last() string {
	if e.sum == "" {
		return firstLine
	}
	return e.sum
}

// sumOf returns the checksum that a line ends with.
func sumOf(line []byte) string {
	content := bytes.TrimSuffix(line, []byte(lineSeal.after))
	return string(content[max(0, len(content)-checksumDigits):])
}

// isCommit reports whether a line is a record that closes a journal.
func isCommit(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"schema":"`+commitSchema+`"`))
}

var (
	errUnchained = errors.New("it does not name the line before it")
	errMissing   = errors.New("the line before it is another one than was written there")
)

// chain is a journal that is read line by line.
type chain struct {
	end chainEnd
	// begun tells that a line was read, chained that lines name those before them.
	begun, chained bool
	// unknown tells that the line before was damaged, damaged that one was.
	unknown, damaged bool
}

// broken tells of a line that says nothing.
func (c *chain) broken() {
	c.begun, c.unknown, c.damaged, c.end.closed = true, true, true, false
	c.end.count++
}

// follow takes the line of a result that is right in itself.
func (c *chain) follow(line []byte) error {
	c.end.count++
	c.end.closed = false
	return c.next(line)
}

// close takes a record that is right in itself.
func (c *chain) close(line []byte) error {
	var record commit
	if err := json.Unmarshal(line, &record); err != nil {
		return err
	}
	if err := c.next(line); err != nil {
		return err
	}
	if record.Count != c.end.count && !c.damaged {
		return fmt.Errorf("it closes a journal of %s, and there are %d", printable.Quantity(record.Count, "result"), c.end.count)
	}
	c.end.count, c.end.closed = record.Count, true
	return nil
}

// next checks that a line follows the one before it.
func (c *chain) next(line []byte) error {
	before := c.end.last()
	unknown := c.unknown || !c.begun && c.damaged
	c.end.sum, c.unknown = sumOf(line), false
	content := bytes.TrimSuffix(line, []byte(lineSeal.after))
	content = content[:max(0, len(content)-checksumDigits-len(lineSeal.before))]
	at := len(content) - len(after.before) - checksumDigits - 1
	named := at >= 0 && bytes.HasPrefix(content[at:], []byte(after.before)) && content[len(content)-1] == '"'
	first := !c.begun
	c.begun = true
	switch {
	case !named && (first || unknown || !c.chained):
		return nil // of an older version
	case !named:
		c.damaged = true
		return errUnchained
	}
	c.chained = true
	if found := string(content[at+len(after.before) : len(content)-1]); found != before && !unknown {
		c.damaged = true
		return errMissing
	}
	return nil
}
