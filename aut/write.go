package aut

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
)

// Write writes m as .aut text: the header des (initial, transitions, states),
// then a line (from, "label", to) for every transition in the order in which they
// were added. [Read] reads back the same LTS, whatever its labels are, except
// labels that no transition has.
//
// Other tools understand less: for each way in which one of them misreads a
// label, a warning names the first such label. A label with a line feed fits no
// .aut file: then Write fails before it has written anything. Other errors are
// those of w. Cost O(length of the output) time; the output is buffered.
func Write(w io.Writer, m *lts.LTS) (warnings []string, err error) {
	if err := cmp.Or(
		required.Argument("w", w),
		required.Argument("m", m),
	); err != nil {
		return nil, err
	}
	warnings, err = checkLabels(m)
	if err != nil {
		return nil, err
	}
	const full = 64 << 10
	buf := make([]byte, 0, min(full, 32*m.NumTransitions())+1<<10) // small models are written by the thousand
	buf = append(buf, "des ("...)
	buf = strconv.AppendUint(buf, uint64(m.Initial()), 10)
	buf = append(buf, ", "...)
	buf = strconv.AppendInt(buf, int64(m.NumTransitions()), 10)
	buf = append(buf, ", "...)
	buf = strconv.AppendInt(buf, int64(m.NumStates()), 10)
	buf = append(buf, ")\n"...)
	for t := range m.Transitions() {
		if len(buf) >= full {
			if _, err := w.Write(buf); err != nil {
				return nil, err
			}
			buf = buf[:0]
		}
		buf = appendTransition(buf, t, m.Alphabet().Text(t.Label))
	}
	if _, err := w.Write(buf); err != nil {
		return nil, err
	}
	return warnings, nil
}

func appendTransition(buf []byte, t lts.Transition, label string) []byte {
	buf = append(buf, '(')
	buf = strconv.AppendUint(buf, uint64(t.From), 10)
	buf = append(buf, `, "`...)
	buf = append(buf, label...)
	buf = append(buf, `", `...)
	buf = strconv.AppendUint(buf, uint64(t.To), 10)
	return append(buf, ")\n"...)
}

// checkLabels warns of labels that other tools misread, and fails for labels that
// cannot be written at all. Only labels that a transition has matter.
func checkLabels(m *lts.LTS) (warnings []string, err error) {
	used := make([]bool, m.Alphabet().Len())
	for s := range m.NumStates() {
		labels, _ := m.Out(lts.State(s))
		for i := range labels.Len() {
			l := labels.At(i)
			used[l] = true
		}
	}
	var warnsOfQuote, warnsOfEscape bool
	for l, text := range m.Alphabet().All() {
		if !used[l] {
			continue
		}
		if strings.ContainsRune(text, '\n') {
			return nil, fmt.Errorf("label %s holds a line feed, which no .aut file can: rename it", inputfile.Quote([]byte(text)))
		}
		if !warnsOfQuote && strings.ContainsRune(text, '"') {
			warnsOfQuote = true
			warnings = append(warnings,
				"label "+inputfile.Quote([]byte(text))+
					" holds a double quote: mCRL2 takes the label to end there")
		}
		if !warnsOfEscape && strings.ContainsAny(text, `"\`) {
			warnsOfEscape = true
			warnings = append(warnings,
				"label "+inputfile.Quote([]byte(text))+` holds a double quote or a backslash: LTSmin reads it right only as \" or \\`)
		}
	}
	return warnings, nil
}

// uncompressed is a writer without compression.
type uncompressed struct{ io.Writer }

func (uncompressed) Close() error { return nil }
