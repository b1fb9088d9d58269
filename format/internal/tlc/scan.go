package tlc

import (
	"bytes"

	"github.com/inev-lts/inev/internal/blocks"
	"github.com/inev-lts/inev/internal/words"
	"github.com/inev-lts/inev/lts"
)

// scanner reads the statements of one block after the other; there is one for each worker. It
// takes it that no statement is open where a block begins, and that statements stand where
// states and steps do: who takes over what it has found knows better, and goes on from the texts
// where it is not so. That is why a scan leaves the text as it is.
type scanner struct {
	blocks.Block
	// known is the number of actions that are kept in mind from one block to another.
	known int

	actions words.Cache
	table   lts.AlphabetBuilder
	// labels[l] is the label of the LTS for the scanner's action l, unnumbered if it has none yet;
	// tails[l] is how the last line of a step with it went on.
	labels []lts.Label
	tails  [][]byte

	found []statement
	// rest is where a statement begins that is open where the block ends, the end if none is.
	rest int
	// escaped reports whether what follows an open statement is escaped.
	escaped bool
	// lines is how many there are before rest.
	lines int
}

const unnumbered lts.Label = 1<<32 - 1

// statement is what the scanner knows of one.
type statement struct {
	kind     kind
	from, to int64
	action   lts.Label
	// text and size are where the text of a state is.
	text, size uint32
	// line counts from where the scan began; begin and end are where the text is.
	line       uint32
	begin, end uint32
}

type kind uint8

const (
	someText kind = iota // has to be read from its text
	aStep
	aState // whose tooltip is its text
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

// statementEnd returns where the statement ends that begins with text[at], and its lines; 0 if it
// is open where the block ends.
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

// lineEnd returns where the line behind text[at] begins.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// quoteEnd returns the index of the quote that ends a text which begins with b[at], -1 if there
// is none.
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
