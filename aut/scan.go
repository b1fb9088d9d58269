package aut

import (
	"bytes"

	"github.com/inev-lts/inev/internal/blocks"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/words"
	"github.com/inev-lts/inev/lts"
)

// scanner reads the lines of one block after the other; each worker has one. Its
// results for a block do not depend on other blocks: it counts lines from 0 in
// each block, and leaves the checks that need all lines before to the decoder.
type scanner struct {
	blocks.Block
	lenient bool
	// known is the number of labels that the scanner keeps from one block to
	// another.
	known int
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
	// blank is the number of blank lines in the block.
	blank int
	// descends reports whether some source is smaller than the one before it.
	descends bool
	beyond   beyond
	// stopped reports that the line which begins with text[at] is no transition
	// that the LTS can have. Nothing behind it is read.
	stopped bool
	at      int
}

// beyond records state numbers that are not below the declared number.
type beyond struct {
	first, largest         uint64
	firstLine, largestLine int
	some                   bool
}

// note records a state number of a line.
func (b *beyond) note(state uint64, line int) {
	b.add(beyond{state, state, line, line, true}, 0)
}

// add adds the record of later lines; offset is added to their line numbers.
func (b *beyond) add(later beyond, offset int) {
	if !later.some {
		return
	}
	if !b.some {
		b.some, b.first, b.firstLine = true, later.first, later.firstLine+offset
	}
	if later.largest >= b.largest {
		b.largest, b.largestLine = later.largest, later.largestLine+offset
	}
}

// scan reads the lines of the block.
func (s *scanner) scan() {
	s.blank, s.descends, s.beyond, s.stopped = 0, false, beyond{}, false
	if len(s.numbers) > s.known {
		s.labels, s.numbers = labelNumbers{}, s.numbers[:0]
	}
	end := len(s.Text)
	if cap(s.found) == 0 {
		s.found = make([]lts.Transition, 0, end/16+1)
	}
	found := s.found[:0]
	last, descents := uint64(0), uint64(0)
	for at := 0; at < end; {
		t, next := s.usual(at)
		if next == 0 {
			var k kind
			if t, next, k = s.unusual(at, len(found)+s.blank); k == blankLine {
				s.blank++
				at = next
				continue
			} else if k == refusedLine {
				s.stopped, s.at = true, at
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
	s.found, s.descends = found, descents>>63 != 0
}

// usual reads the line that begins with text[at] if it has the form that most
// tools write, and its states are declared. It returns the index of the next
// line, or 0 if the line has another form: then unusual reads it, with the same
// result for lines of this form.
//
// Here the label ends at its first quote: if a comma, a number, a parenthesis and
// the end of the line follow, that is also the last quote before the final comma.
func (s *scanner) usual(at int) (t lts.Transition, next int) {
	end := len(s.Text)
	b := s.Text[:end+blocks.Slack]
	if b[at] != '(' {
		return t, 0
	}
	from, digits := words.LeadingDigits(b, at+1)
	i := at + 1 + digits
	if digits == 8 {
		from, i = number(b, at+1)
	}
	if digits == 0 || b[i] != ',' {
		return t, 0
	}
	if i++; b[i] == ' ' {
		i++
	}
	if b[i] != '"' {
		return t, 0
	}
	text := i + 1
	known, quote, ok := s.labels.cache.Quoted(b, text, end)
	if !ok || b[quote+1] != ',' {
		return t, 0
	}
	if i = quote + 2; b[i] == ' ' {
		i++
	}
	to, digits := words.LeadingDigits(b, i)
	if digits == 8 {
		to, i = number(b, i)
	} else {
		i += digits
	}
	if digits == 0 || b[i] != ')' || from >= s.states || to >= s.states {
		return t, 0
	}
	if i++; b[i] == '\r' {
		i++
	}
	if b[i] != '\n' {
		return t, 0
	}
	label := lts.Label(known)
	if known == words.Unknown {
		if quote-text > inputfile.MaxLabel || bytes.IndexByte(b[text:quote], '\n') >= 0 {
			return t, 0
		}
		label = s.labels.label(b[text:quote])
	}
	return lts.Transition{From: lts.State(from), Label: label, To: lts.State(to)}, i + 1
}

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
	from, label, to, ok := parseTransition(line)
	switch {
	case !ok && len(trimBlanks(line)) == 0:
		return t, next, blankLine
	case !ok:
		return t, next, refusedLine
	}
	for _, state := range [...]uint64{from, to} {
		if state < s.states {
			continue
		}
		if !s.lenient || state >= lts.MaxStates {
			return t, next, refusedLine
		}
		s.beyond.note(state, number)
	}
	return lts.Transition{From: lts.State(from), Label: s.labels.label(label), To: lts.State(to)}, next, transitionLine
}

// lineAt returns the line that begins with text[at], without its line feed, and
// the index of the next one.
func (s *scanner) lineAt(at int) (line []byte, next int) {
	if i := bytes.IndexByte(s.Text[at:], '\n'); i >= 0 {
		return s.Text[at : at+i], at + i + 1
	}
	return s.Text[at:], len(s.Text)
}

// lineOf returns the line number, within the block, of found[i].
func (s *scanner) lineOf(i int) int {
	line := 0
	for at := 0; at < len(s.Text); line++ {
		text, next := s.lineAt(at)
		if len(trimBlanks(text)) > 0 {
			if i == 0 {
				break
			}
			i--
		}
		at = next
	}
	return line
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
	cache words.Cache
	table lts.AlphabetBuilder
}

// label returns the number of the label with this text, which has no line feed.
// Cost O(len(text)).
func (c *labelNumbers) label(text []byte) lts.Label {
	return lts.Label(c.cache.Of(text, func(text []byte) uint32 { return uint32(c.table.LabelBytes(text)) }))
}
