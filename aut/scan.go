package aut

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/lineblocks"
	"github.com/inev-lts/inev/internal/swar"
	"github.com/inev-lts/inev/lts"
)

// scanner reads the lines of one block after the other; each worker has one. Its
// results for a block do not depend on other blocks: it counts lines from 0 in
// each block, and leaves the checks that need all lines before to the decoder.
type scanner struct {
	lineblocks.Block
	lenient bool
	// keptLabels is the number of labels that the scanner keeps from one block to
	// another.
	keptLabels int
	// states is the declared number of states.
	states uint64
	labels labelNumbers
	// numbers[l] is the label of the LTS for the scanner's label l, for labels in
	// blocks that have been handed over.
	numbers []lts.Label

	// found are the transitions of the block, with the scanner's labels.
	found []lts.Transition
	// renumbered are the labels of the block's transitions as numbers of the LTS.
	renumbered []lts.Label
	// blankLines is the number of blank lines in the block.
	blankLines int
	// descends reports whether some source is smaller than the one before it.
	descends bool
	beyond   beyond
	// hasStopped reports that the line which begins with text[stoppedAt] is no transition
	// that the LTS can have. Nothing after it is read.
	hasStopped bool
	stoppedAt  int
}

// beyond records state numbers that are not below the declared number.
type beyond struct {
	first, largest         uint64
	firstLine, largestLine int
	isSet                  bool
}

// note records a state number of a line.
func (b *beyond) note(state uint64, line int) {
	b.add(beyond{
		first:       state,
		largest:     state,
		firstLine:   line,
		largestLine: line,
		isSet:       true,
	}, 0)
}

// add adds the record of later lines; offset is added to their line numbers.
func (b *beyond) add(later beyond, offset int) {
	if !later.isSet {
		return
	}
	if !b.isSet {
		b.isSet = true
		b.first = later.first
		b.firstLine = later.firstLine + offset
	}
	if later.largest >= b.largest {
		b.largest = later.largest
		b.largestLine = later.largestLine + offset
	}
}

// scan reads the lines of the block.
func (s *scanner) scan() {
	s.blankLines = 0
	s.descends = false
	s.beyond = beyond{}
	s.hasStopped = false
	if len(s.numbers) > s.keptLabels {
		s.labels = labelNumbers{}
		s.numbers = s.numbers[:0]
	}
	end := len(s.Text)
	if cap(s.found) == 0 {
		s.found = make([]lts.Transition, 0, end/16+1)
	}
	found := s.found[:0]
	last := uint64(0)
	descents := uint64(0) // the highest bit is set once a source is smaller than the one before it
	for at := 0; at < end; {
		t, next := s.usual(at)
		if next == 0 {
			var k kind
			t, next, k = s.unusual(at, len(found)+s.blankLines)
			if k == blankLine {
				s.blankLines++
				at = next
				continue
			}
			if k == refusedLine {
				s.hasStopped = true
				s.stoppedAt = at
				break
			}
		}
		// The difference has its highest bit set if the source is smaller. This
		// avoids a branch that sources in random order would make unpredictable.
		descents |= uint64(t.From) - last
		last = uint64(t.From)
		found = append(found, t)
		at = next
	}
	s.found = found
	s.descends = descents>>63 != 0
}

// usual reads the line that begins with text[at] if it has the form that most
// tools write, and its states are declared. It returns the index of the next
// line, or 0 if the line has another form: then unusual reads it, with the same
// result for lines of this form.
//
// It takes the first quote after the opening one as the end of the label. If a comma, a number, a
// parenthesis and the end of the line follow, that is also the last quote before the final comma,
// where a label ends.
func (s *scanner) usual(at int) (t lts.Transition, next int) {
	end := len(s.Text)
	b := s.Text[:end+lineblocks.Slack]
	if b[at] != '(' {
		return t, 0
	}
	// Numbers are read in line, since a call for each would take a tenth of the time.
	from, digits := swar.LeadingDigits(b, at+1)
	i := at + 1 + digits
	if digits == 8 {
		from, i = number(b, at+1)
	}
	if digits == 0 || b[i] != ',' {
		return t, 0
	}
	i = afterBlank(b, i+1)
	if b[i] != '"' {
		return t, 0
	}
	text := i + 1
	known, quote, ok := s.labels.cache.Quoted(b, text, end)
	if !ok || b[quote+1] != ',' {
		return t, 0
	}
	i = afterBlank(b, quote+2)
	to, digits := swar.LeadingDigits(b, i)
	if digits == 8 {
		to, i = number(b, i)
	} else {
		i += digits
	}
	areDeclared := from < s.states && to < s.states
	if digits == 0 || b[i] != ')' || !areDeclared {
		return t, 0
	}
	i++
	if b[i] == '\r' {
		i++
	}
	if b[i] != '\n' {
		return t, 0
	}
	label := lts.Label(known)
	if known == swar.Unknown {
		isUsual := quote-text <= inputfile.MaxLabel && bytes.IndexByte(b[text:quote], '\n') < 0
		if !isUsual {
			return t, 0
		}
		label = s.labels.numberOf(b[text:quote])
	}
	return lts.Transition{
		From:  lts.State(from),
		Label: label,
		To:    lts.State(to),
	}, i + 1
}

// afterBlank returns the index after the blank at index i; i if there is none.
func afterBlank(b []byte, i int) int {
	if b[i] == ' ' {
		return i + 1
	}
	return i
}

// kind is what a line is to a scanner.
type kind uint8

const (
	transitionLine kind = iota
	blankLine
	refusedLine
)

// unusual reads the line of this number that begins with text[at], whatever its
// form, and returns the index of the next one. A state that is not declared is
// recorded in a lenient reading, and makes a strict one refuse the line.
func (s *scanner) unusual(at, number int) (t lts.Transition, next int, k kind) {
	line, next := s.lineAt(at)
	text, ok := parseTransition(line)
	switch {
	case !ok && len(trimBlanks(line)) == 0:
		return t, next, blankLine
	case !ok:
		return t, next, refusedLine
	}
	for _, state := range [...]uint64{text.from, text.to} {
		if state < s.states {
			continue
		}
		if !s.lenient || state >= lts.MaxStates {
			return t, next, refusedLine
		}
		s.beyond.note(state, number)
	}
	return lts.Transition{
		From:  lts.State(text.from),
		Label: s.labels.numberOf(text.label),
		To:    lts.State(text.to),
	}, next, transitionLine
}

// lineAt returns the line that begins with text[at], without its line feed, and
// the index of the next one.
func (s *scanner) lineAt(at int) (line []byte, next int) {
	i := bytes.IndexByte(s.Text[at:], '\n')
	if i >= 0 {
		return s.Text[at : at+i], at + i + 1
	}
	return s.Text[at:], len(s.Text)
}

// knownLabels is the number of labels that one worker keeps. If there are many
// more labels, each of them is rare, and a second copy of all would only take
// memory.
const knownLabels = 1 << 18

// labelNumbers maps labels to the numbers of one worker, by a cache in front of a
// table of all labels.
//
// No label in the cache has a line feed in it, so that a text found in the cache
// has no line feed.
type labelNumbers struct {
	cache swar.Cache
	table lts.AlphabetBuilder
}

// numberOf returns the number of the label with this text, which has no line feed.
// Cost O(len(text)).
func (c *labelNumbers) numberOf(text []byte) lts.Label {
	return lts.Label(c.cache.Of(text, func(text []byte) uint32 {
		return uint32(c.table.LabelBytes(text))
	}))
}

// parseTransition reads a line (from, label, to), without its line feed. The
// label is a slice of line, without its quotes, of at most [inputfile.MaxLabel]
// bytes. For any other line, blank lines included, ok is false, and
// explainTransition explains why.
//
// It searches the final comma from the right, so that it need not examine the
// label: that ends at the last quote before this comma.
func parseTransition(line []byte) (t transitionText, ok bool) {
	i := skipBlanks(line, 0)
	if i == len(line) || line[i] != '(' {
		return t, false
	}
	source := skipBlanks(line, i+1)
	from, i := number(line, source)
	if i == source {
		return t, false
	}
	firstComma := skipBlanks(line, i)
	if firstComma == len(line) || line[firstComma] != ',' {
		return t, false
	}
	finalComma := bytes.LastIndexByte(line, ',')
	target := skipBlanks(line, finalComma+1)
	to, end := number(line, target)
	if finalComma <= firstComma || end == target || string(trimBlanks(line[end:])) != ")" {
		return t, false
	}
	label, isQuoted := unquote(trimBlanks(line[firstComma+1 : finalComma]))
	t = transitionText{from: from, label: label, to: to}
	return t, isQuoted && len(label) <= inputfile.MaxLabel
}

// transitionText is what a line (from, label, to) contains.
type transitionText struct {
	from  uint64
	label []byte
	to    uint64
}

// unquote removes the quotes from the text between the first comma and the final
// one; ok is false if there is no label, or a quoted one does not end.
func unquote(text []byte) (label []byte, ok bool) {
	n := len(text)
	switch {
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

// tooLarge represents itself and all larger numbers, so that numbers of any length are read without
// overflow; all limits are far below.
const tooLarge = 1 << 60

// number reads the digits from index i on. It returns their value, at most
// tooLarge, and the index after them, which is i if there are none.
func number(line []byte, i int) (n uint64, end int) {
	// Most numbers in a file have less than eight digits.
	if i+8 <= len(line) {
		word := binary.LittleEndian.Uint64(line[i:]) ^ swar.Zeros
		count := bits.TrailingZeros64(swar.OtherThanDigits(word)) / 8
		if count < 8 {
			return swar.Decimal(word << (64 - 8*count)), i + count
		}
		if i+16 <= len(line) {
			second := binary.LittleEndian.Uint64(line[i+8:]) ^ swar.Zeros
			count = bits.TrailingZeros64(swar.OtherThanDigits(second)) / 8
			if count < 8 {
				return swar.Decimal(word)*powers[count] + swar.Decimal(second<<(64-8*count)), i + 8 + count
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
