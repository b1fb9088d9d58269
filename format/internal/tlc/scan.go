package tlc

import (
	"bytes"

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
