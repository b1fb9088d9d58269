package autx

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// Write writes the reachable part of the LTS of n, with the classes of its
// transitions as colours and the kinds of its neighbourhoods, as CLEAR writes it:
// lines sorted by source and target, and otherwise in the order of the model.
// State numbers are those of the LTS, and the header counts what is written.
//
// CLEAR uses the [neighbourhood.Some] reading. A warning names the first label
// that CLEAR's visualiser cuts off because of a comma or colon. A label with a
// line feed fits no file: then Write fails before it has written anything. Other
// errors come from w. Cost O(S + T log d) time for d transitions that leave one
// state; the output is buffered.
func Write(w io.Writer, n *neighbourhood.Classification) (warnings []string, err error) {
	m := n.Fates().LTS()
	if warnings, err = checkLabels(m); err != nil {
		return nil, err
	}
	const full = 64 << 10
	reach := m.Reachable()
	buf := make([]byte, 0, full+1<<10)
	buf = fmt.Appendf(buf, "des (%d, %d, %d)\n", m.Initial(), reach.NumTransitions(), reach.NumStates())
	var row []int
	for i := range m.NumStates() {
		s := lts.State(i)
		if !reach.Has(s) {
			continue
		}
		labels, targets := m.Out(s)
		row = byTarget(row, targets)
		for _, j := range row {
			if len(buf) >= full {
				if _, err := w.Write(buf); err != nil {
					return nil, err
				}
				buf = buf[:0]
			}
			buf = appendSource(buf, n, s)
			buf = appendRest(buf, m.Alphabet().Text(labels.At(j)), n.Class(s, labels.At(j), targets[j]), targets[j])
		}
	}
	_, err = w.Write(buf)
	return warnings, err
}

// byTarget returns the indices of targets sorted by target, in the memory of row.
func byTarget(row []int, targets []lts.State) []int {
	row = row[:0]
	for i := range targets {
		row = append(row, i)
	}
	slices.SortStableFunc(row, func(i, j int) int { return cmp.Compare(targets[i], targets[j]) })
	return row
}

func appendSource(buf []byte, n *neighbourhood.Classification, s lts.State) []byte {
	buf = append(buf, '(')
	buf = strconv.AppendUint(buf, uint64(s), 10)
	if kind, is := n.Kind(s); is {
		buf = append(buf, ":N:"...)
		buf = append(buf, KindOf(kind).String()...)
	}
	return buf
}

func appendRest(buf []byte, label string, c neighbourhood.Class, to lts.State) []byte {
	buf = append(buf, `, "`...)
	buf = append(buf, label...)
	buf = append(buf, `":`...)
	buf = append(buf, ColourOf(c).String()...)
	buf = append(buf, ", "...)
	buf = strconv.AppendUint(buf, uint64(to), 10)
	return append(buf, ")\n"...)
}

// ColourOf returns the colour for a class.
func ColourOf(c neighbourhood.Class) Colour {
	switch c {
	case neighbourhood.Correct:
		return Green
	case neighbourhood.Incorrect:
		return Red
	case neighbourhood.Excluded:
		return Unset
	}
	return Black
}

// KindOf returns the mark for a kind of neighbourhood.
func KindOf(k neighbourhood.Kind) Kind {
	switch k {
	case neighbourhood.CorrectChoice:
		return GreenKind
	case neighbourhood.IncorrectChoice:
		return RedKind
	case neighbourhood.Mixed:
		return GreenRed
	}
	return GreenRedBlack
}

// checkLabels fails for labels that cannot be written, and warns of those that
// the visualiser misreads: it splits lines at commas, and fields at colons
// (clear_visualizer/js/automate.js, parserCont). Only labels of reachable
// transitions matter.
func checkLabels(m *lts.LTS) (warnings []string, err error) {
	used := make([]bool, m.Alphabet().Len())
	reach := m.Reachable()
	for i := range m.NumStates() {
		if !reach.Has(lts.State(i)) {
			continue
		}
		labels, _ := m.Out(lts.State(i))
		for i := range labels.Len() {
			l := labels.At(i)
			used[l] = true
		}
	}
	for l, text := range m.Alphabet().All() {
		switch {
		case !used[l]:
		case strings.ContainsRune(text, '\n'):
			return nil, fmt.Errorf("label %s holds a line feed, which no .autx file can: rename it", inputfile.Quote([]byte(text)))
		case len(warnings) == 0 && strings.ContainsAny(text, ",:"):
			warnings = append(warnings, "label "+inputfile.Quote([]byte(text))+" holds a comma or a colon: CLEAR's visualiser misreads it")
		}
	}
	return warnings, nil
}
