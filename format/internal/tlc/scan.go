package tlc

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/inev-lts/inev/internal/blocks"
	"github.com/inev-lts/inev/internal/words"
	"github.com/inev-lts/inev/lts"
)

// scanner reads the statements of one block after the other; each worker has one.
// It assumes that no statement is open at the beginning of a block, and that all
// statements are states and steps of the graph. The decoder knows whether that is
// true when it takes over the results, and otherwise reads the block again; so a
// scan does not change the text.
type scanner struct {
	blocks.Block
	// known is the number of actions that the scanner keeps from one block to
	// another.
	known int

	actions words.Cache
	table   lts.AlphabetBuilder
	// labels[l] is the label of the LTS for the scanner's action l, unnumbered if
	// it has none yet; tails[l] is the end of the last line with this action,
	// after the action.
	labels []lts.Label
	tails  [][]byte

	found []statement
	// rest is the beginning of a statement that is open at the end of the block;
	// the end of the block if no statement is open.
	rest int
	// escaped reports whether the first character after an open statement is
	// escaped.
	escaped bool
	// lines is the number of lines before rest.
	lines int
}

const unnumbered lts.Label = 1<<32 - 1

// statement is the result of scanning a statement.
type statement struct {
	kind     kind
	from, to int64
	action   lts.Label
	// text and size are the position and length of the text of a state.
	text, size uint32
	// line counts from the beginning of the scan; [begin, end) is the range of
	// the statement.
	line       uint32
	begin, end uint32
}

type kind uint8

const (
	someText kind = iota // a statement that must be parsed from its text
	aStep
	aState // a state with a tooltip equal to its text
)

// scan reads the statements of the block from text[at] on.
func (s *scanner) scan(at int) {
	if len(s.labels) > s.known {
		s.actions, s.table, s.labels, s.tails = words.Cache{}, lts.AlphabetBuilder{}, s.labels[:0], s.tails[:0]
	}
	s.found, s.lines = s.found[:0], 0
	for s.rest = len(s.Text); at < s.rest; {
		st, next := s.usual(at)
		lines := 1
		if next == 0 {
			st = statement{begin: uint32(at)}
			if next, lines = s.statementEnd(at); next == 0 {
				s.rest = at
				return
			}
			if st.end = uint32(next); lines == 1 {
				s.learn(s.Text[at:next])
			}
		}
		st.line = uint32(s.lines)
		s.found = append(s.found, st)
		s.lines += lines
		at = next
	}
}

// statementEnd returns the end of the statement that begins with text[at], and
// the number of its lines; 0 if it is open at the end of the block.
func (s *scanner) statementEnd(at int) (end, lines int) {
	for inQuotes, escaped := false, false; at < len(s.Text); at = end {
		end = lineEnd(s.Text, at)
		lines++
		if inQuotes, escaped = quotesAfter(s.Text[at:end], inQuotes, escaped); !inQuotes {
			return end, lines
		}
		s.escaped = escaped
	}
	return 0, 0
}

// lineEnd returns the beginning of the next line.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// quoteEnd returns the index of the quote that ends a text whose first character
// is b[at], -1 if there is none.
func quoteEnd(b []byte, at int) int {
	for i := at; ; {
		end := bytes.IndexByte(b[i:], '"')
		if end < 0 {
			return -1
		}
		end += i
		before := end
		for before > at && b[before-1] == '\\' {
			before--
		}
		if (end-before)%2 == 0 {
			return end
		}
		i = end + 1
	}
}

// statementMax is the largest length of a statement, so that a file which is no
// graph is not read into memory as one statement.
const statementMax = 256 << 20

var errLongStatement = errors.New("a statement of more than 256 MiB: this does not look like a state graph of TLC")

// quotesAfter reports whether the text after part is inside quotes, and whether
// its first character is escaped.
func quotesAfter(part []byte, inQuotes, escaped bool) (bool, bool) {
	if !escaped && bytes.IndexByte(part, '\\') < 0 {
		return inQuotes != (bytes.Count(part, []byte{'"'})%2 == 1), false
	}
	for _, c := range part {
		switch {
		case escaped:
			escaped = false
		case c == '\\' && inQuotes:
			escaped = true
		case c == '"':
			inQuotes = !inQuotes
		}
	}
	return inQuotes, escaped
}

// attributes are the attributes of a node or edge that this package uses.
type attributes struct {
	label, tooltip       []byte
	hasLabel, hasTooltip bool
	style, fill          []byte
}

// parseAttributes reads [name=value,…] and an optional semicolon. A value is a
// word or a text in quotes.
func parseAttributes(text []byte) (a attributes, ok bool) {
	text, ok = bytes.CutPrefix(text, []byte("["))
	for ok {
		name, rest, found := bytes.Cut(text, []byte("="))
		if !found {
			return a, false
		}
		var value []byte
		if value, text, ok = parseValue(bytes.TrimLeft(rest, " ")); !ok {
			return a, false
		}
		switch string(bytes.TrimSpace(name)) {
		case "label":
			a.label, a.hasLabel = value, true
		case "tooltip":
			a.tooltip, a.hasTooltip = value, true
		case "style":
			a.style = value
		case "fillcolor":
			a.fill = value
		}
		text = bytes.TrimLeft(text, " ")
		if end := bytes.TrimSuffix(text, []byte(";")); string(end) == "]" {
			return a, true
		}
		text, ok = bytes.CutPrefix(text, []byte(","))
	}
	return a, false
}

// parseValue reads a value. A quoted value keeps its escapes.
func parseValue(text []byte) (value, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		end := bytes.IndexAny(text, ",]")
		return bytes.TrimSpace(text[:max(end, 0)]), text[max(end, 0):], end > 0
	}
	end := quoteEnd(text, 1)
	if end < 0 {
		return nil, nil, false
	}
	return text[1:end], text[end+1:], true
}

// unescaped resolves the escapes of a value in place.
func unescaped(raw []byte) []byte {
	first := bytes.IndexByte(raw, '\\')
	if first < 0 {
		return raw
	}
	value := raw[:first]
	for i := first; i < len(raw); i++ {
		c := raw[i]
		if c != '\\' || i+1 == len(raw) {
			value = append(value, c)
			continue
		}
		i++
		switch next := raw[i]; next {
		case 'n':
			value = append(value, '\n')
		case '\\', '"':
			value = append(value, next)
		default:
			value = append(value, c, next)
		}
	}
	return value
}

// fingerprint reads the number at the beginning of a text, and the blanks after it.
func fingerprint(text []byte) (fp int64, rest []byte, ok bool) {
	end := 0
	for end < len(text) && (text[end] == '-' && end == 0 || '0' <= text[end] && text[end] <= '9') {
		end++
	}
	fp, err := strconv.ParseInt(string(text[:end]), 10, 64)
	return fp, bytes.TrimLeft(text[end:], " "), err == nil
}

// binding is a variable and its value, in the form that TLC prints.
type binding struct{ name, value string }

// bindings reads the text of a state: a line for each variable, which begins with
// /\ unless there is only one variable. TLC breaks a long value into several
// lines, which are joined by blanks.
func bindings(text []byte) []binding {
	var all []binding
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		conjunct, begins := bytes.CutPrefix(line, []byte(`/\ `))
		name, value, equals := bytes.Cut(conjunct, []byte(" = "))
		if equals && (begins || len(all) == 0) {
			all = append(all, binding{string(bytes.TrimSpace(name)), string(bytes.TrimSpace(value))})
			continue
		}
		if line = bytes.TrimSpace(line); len(all) > 0 && len(line) > 0 {
			all[len(all)-1].value += " " + string(line)
		}
	}
	return all
}

// actionOf returns the action in the label of an edge. Under constraints, and
// only then, a further line of the label names the constraint that the step
// violates; it is removed. If TLC has broken an argument into lines, they are
// joined by blanks.
func actionOf(label []byte) []byte {
	if bytes.IndexByte(label, '\n') < 0 {
		return bytes.TrimSpace(label)
	}
	var action []byte
	for depth, inQuotes, escaped := 0, false, false; len(label) > 0; {
		line, rest, _ := bytes.Cut(label, []byte("\n"))
		label = rest
		if len(action) > 0 {
			action = append(action, ' ')
		}
		action = append(action, bytes.TrimSpace(line)...)
		for _, c := range line {
			switch {
			case escaped:
				escaped = false
			case inQuotes && c == '\\':
				escaped = true
			case c == '"':
				inQuotes = !inQuotes
			case !inQuotes && c == '(':
				depth++
			case !inQuotes && c == ')':
				depth--
			}
		}
		if depth <= 0 && !inQuotes {
			break
		}
	}
	return action
}

// numbers maps fingerprints of states to numbers, in the order in which
// fingerprints first occur: a hash table with open addressing, of 4 bytes a slot.
// TLC's fingerprints are spread evenly over all 64-bit numbers; two products also
// spread numbers that people wrote.
type numbers struct {
	fps   []int64
	slots []uint32 // the number of a state plus one, 0 if there is none; their count is a power of two
	shift uint
	last  lts.State // the state of the last fingerprint that was known
}

// of returns the number of a fingerprint, and whether it occurred before.
func (n *numbers) of(fp int64) (s lts.State, known bool) {
	// The steps of a state are adjacent in the file.
	if len(n.fps) > 0 && n.fps[n.last] == fp {
		return n.last, true
	}
	if 2*len(n.fps) >= len(n.slots) {
		n.grow()
	}
	at := n.slot(fp)
	if slot := n.slots[at]; slot != 0 {
		n.last = lts.State(slot - 1)
		return n.last, true
	}
	n.fps = append(n.fps, fp)
	n.slots[at] = uint32(len(n.fps))
	return lts.State(len(n.fps) - 1), false
}

// slot returns the slot of a fingerprint, or the empty slot for it.
func (n *numbers) slot(fp int64) int {
	last := len(n.slots) - 1
	hash := uint64(fp) * multiplier
	at := int((hash ^ hash>>32) * multiplier >> n.shift)
	for n.slots[at] != 0 && n.fps[n.slots[at]-1] != fp {
		at = (at + 1) & last
	}
	return at
}

func (n *numbers) grow() {
	size := max(64, 2*len(n.slots))
	n.slots, n.shift = make([]uint32, size), 64
	for bits := size; bits > 1; bits /= 2 {
		n.shift--
	}
	for i, fp := range n.fps {
		n.slots[n.slot(fp)] = uint32(i + 1)
	}
}

// multiplier is 2^64 divided by the golden ratio, as in Knuth's multiplicative hashing.
const multiplier = 0x9e3779b97f4a7c15
