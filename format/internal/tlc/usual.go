//go:build !js

package tlc

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/inev-lts/inev/internal/lineblocks"
	"github.com/inev-lts/inev/internal/swar"
	"github.com/inev-lts/inev/lts"
)

// arrow and label are the bytes after the numbers of the states of a step, as machine words.
var (
	arrow = binary.LittleEndian.Uint32([]byte(" -> "))
	label = binary.LittleEndian.Uint64([]byte(" [label="))
)

// usualLine reads a line in the form that TLC writes. It returns the index of the next line; 0 if
// the line has another form, or an action that is not known yet.
func (s *scanner) usualLine(at int) (st statement, next int) {
	// The slack after the text is zeros. The texts compared have no zeros, so that they never
	// match there.
	b := s.Text[:len(s.Text)+lineblocks.Slack]
	from, i := fingerprintAt(b, at)
	if i == 0 {
		return st, 0
	}
	st = statement{kind: aState, from: from, begin: uint32(at)}
	if binary.LittleEndian.Uint32(b[i:]) == arrow {
		st.kind = aStep
		st.to, i = fingerprintAt(b, i+4)
		if i == 0 {
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

// usualStep reads the rest of a step from its action on, if the action is known
// with the same end of the line.
func (s *scanner) usualStep(b []byte, text int) (action lts.Label, next int) {
	end := len(s.Text)
	known, quote, ok := s.actions.Quoted(b, text, end)
	if !ok {
		return 0, 0
	}
	action = lts.Label(known)
	if known == swar.Unknown || b[quote-1] == '\\' {
		quote = quoteEnd(b[:end], text)
		if quote < 0 || bytes.IndexByte(b[text:quote], '\n') >= 0 {
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

// usualState reads the rest of a state from its text on, if its tooltip equals
// the text.
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

// action returns the scanner's number of an action, by the text of a label without a line feed.
func (s *scanner) action(raw []byte) lts.Label {
	return lts.Label(s.actions.Of(raw, func(raw []byte) uint32 {
		action, _ := actionOf(unescaped(bytes.Clone(raw)))
		l := uint32(s.table.LabelBytes(action))
		if int(l) == len(s.labels) {
			s.labels = append(s.labels, unnumbered)
			s.tails = append(s.tails, nil)
		}
		return l
	}))
}

// learnTail stores the text that follows the action in the line of a step, so that
// later lines with the same text need not be parsed: neither the attributes nor the
// quotes there depend on the text before the action.
func (s *scanner) learnTail(line []byte) {
	before, rest, hasLabel := bytes.Cut(line, []byte(`[label="`))
	quote := quoteEnd(rest, 0)
	isStep := hasLabel && quote >= 0 && bytes.Contains(before, []byte("->"))
	if !isStep || !bytes.HasSuffix(line, []byte("\n")) {
		return
	}
	behind := line[len(before):]
	a, ok := parseAttributes(bytes.TrimSpace(behind))
	isOpen := quoting{}.after(behind).inQuotes
	if ok && !isOpen && bytes.Equal(a.label, rest[:quote]) {
		s.tails[s.action(a.label)] = bytes.Clone(rest[quote:])
	}
}

// fingerprintAt reads the number at b[i], if it has at most 19 digits, and returns the index after
// it; 0 if there is none. The text must have slack after it.
func fingerprintAt(b []byte, i int) (fp int64, end int) {
	negative := b[i] == '-'
	if negative {
		i++
	}
	n, digits := swar.LeadingDigits(b, i)
	if digits == 0 {
		return 0, 0
	}
	// Each call reads at most eight digits.
	for left := 19; digits > 0; {
		i += digits
		left -= digits
		if left < 0 {
			return 0, 0
		}
		if digits < 8 {
			break
		}
		var more uint64
		more, digits = swar.LeadingDigits(b, i)
		if digits > 0 {
			n = n*powers[digits] + more
		}
	}
	switch {
	case n > math.MaxInt64:
		return 0, 0
	case negative:
		return -int64(n), i
	}
	return int64(n), i
}

// powers are the powers of 10.
var powers = [...]uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000}
