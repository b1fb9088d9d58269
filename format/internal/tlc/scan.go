package tlc

import (
	"bytes"
	"encoding/binary"

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
	// escaped tells that what follows an open statement is.
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
	// text and size are where that of a state is.
	text, size uint32
	// line counts from 0 where the scan began; begin and end are where the text is.
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

// lineEnd returns where the line behind the one of text[at] begins.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// arrow and label are what stands behind the states of a step, as words.
var (
	arrow = binary.LittleEndian.Uint32([]byte(" -> "))
	label = binary.LittleEndian.Uint64([]byte(" [label="))
)

// usual reads a line as TLC writes it. It returns the index of the next line, 0 if the line is
// another one, or was not learnt.
func (s *scanner) usual(at int) (st statement, next int) {
	// What is equal to a text without zeros does not reach into the slack.
	b := s.Text[:len(s.Text)+blocks.Slack]
	from, i := fingerprintAt(b, at)
	if i == 0 {
		return st, 0
	}
	st = statement{kind: aState, from: from, begin: uint32(at)}
	if binary.LittleEndian.Uint32(b[i:]) == arrow {
		st.kind = aStep
		if st.to, i = fingerprintAt(b, i+4); i == 0 {
			return st, 0
		}
	}
	if binary.LittleEndian.Uint64(b[i:]) != label || b[i+8] != '"' {
		return st, 0
	}
	if st.kind == aStep {
		st.action, next = s.usualStep(b, i+9)
	} else {
		st.text = uint32(i + 9)
		st.size, next = usualState(b[:len(s.Text)], i+9)
	}
	st.end = uint32(next)
	return st, next
}

// usualStep reads the rest of a step from its action on, if that was met with the same end of the
// line.
func (s *scanner) usualStep(b []byte, text int) (action lts.Label, next int) {
	end := len(s.Text)
	known, quote, ok := s.actions.Quoted(b, text, end)
	if !ok {
		return 0, 0
	}
	action = lts.Label(known)
	if known == words.Unknown || b[quote-1] == '\\' {
		if quote = quoteEnd(b[:end], text); quote < 0 || bytes.IndexByte(b[text:quote], '\n') >= 0 {
			return 0, 0
		}
		action = s.action(b[text:quote])
	}
	tail := s.tails[action]
	if len(tail) == 0 || !bytes.HasPrefix(b[quote:end], tail) {
		return 0, 0
	}
	return action, quote + len(tail)
}

// usualState reads the rest of a state from its text on, if its tooltip is the same.
func usualState(b []byte, text int) (size uint32, next int) {
	quote := quoteEnd(b, text)
	if quote < 0 {
		return 0, 0
	}
	raw := b[text:quote]
	rest, is := bytes.CutPrefix(b[quote:], []byte(`",tooltip="`))
	if !is || !bytes.HasPrefix(rest, raw) || bytes.IndexByte(raw, '\n') >= 0 {
		return 0, 0
	}
	rest = rest[len(raw):]
	for _, tail := range [...]string{"\"];\n", "\"];\r\n"} {
		if len(rest) >= len(tail) && string(rest[:len(tail)]) == tail {
			return uint32(len(raw)), len(b) - len(rest) + len(tail)
		}
	}
	return 0, 0
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

// action returns the scanner's number of an action, by the text of a label, in which there is no
// line feed.
func (s *scanner) action(raw []byte) lts.Label {
	return lts.Label(s.actions.Of(raw, func(raw []byte) uint32 {
		l := uint32(s.table.LabelBytes(actionOf(unescaped(bytes.Clone(raw)))))
		if int(l) == len(s.labels) {
			s.labels = append(s.labels, unnumbered)
			s.tails = append(s.tails, nil)
		}
		return l
	}))
}

// learn notes how the line of a step goes on behind its action, if that is all there is to say
// about the step: parseAttributes and quotesAfter do not look at what stands before.
func (s *scanner) learn(line []byte) {
	before, rest, is := bytes.Cut(line, []byte(`[label="`))
	quote := quoteEnd(rest, 0)
	if !is || quote < 0 || !bytes.Contains(before, []byte("->")) || !bytes.HasSuffix(line, []byte("\n")) {
		return
	}
	behind := line[len(before):]
	a, ok := parseAttributes(bytes.TrimSpace(behind))
	if open, _ := quotesAfter(behind, false, false); ok && !open && bytes.Equal(a.label, rest[:quote]) {
		s.tails[s.action(a.label)] = bytes.Clone(rest[quote:])
	}
}
