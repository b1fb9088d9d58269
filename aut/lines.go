package aut

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/lineblocks"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
)

// LinesOf returns the lines, from 1, on which a file has these transitions of the
// model that was read from it. plain is false if the file is compressed: then the
// lines are lines of the decompressed text. LinesOf understands what [Open] does:
// compressed files, blank lines before and between transitions, a byte order
// mark.
//
// It parses only the lines that it returns, and counts the others. It fails if
// one of these lines does not have its transition, because the file has changed
// since; if the file cannot be read or has fewer lines; if the model does not
// have the transitions; or if ctx is done. Cost O(length of the file up to the
// last line), a block of lines at a time, O(T) of the model, and O(n log n) for
// n transitions.
func LinesOf(
	ctx context.Context,
	path string,
	m *lts.LTS,
	wanted []lts.Transition,
) (lines []int, plain bool, err error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
	); err != nil {
		return nil, false, err
	}
	defer abort.Caught(&err)
	indexes, err := indexesOf(ctx, m, wanted)
	if err != nil {
		return nil, false, err
	}
	lines, plain = linesOfFile(ctx, path, indexes, func(i int, line []byte) bool {
		found, ok := parseTransition(bytes.TrimSuffix(line, []byte("\r")))
		want := wanted[i]
		return ok && found.from == uint64(want.From) && found.to == uint64(want.To) &&
			string(found.label) == m.Alphabet().Text(want.Label)
	})
	return lines, plain, nil
}

// indexesOf returns the indexes of transitions in the order of the model, the first one for equal
// transitions. It fails if the model does not have one of them.
func indexesOf(ctx context.Context, m *lts.LTS, wanted []lts.Transition) ([]int, error) {
	const missing = -1
	found := make(map[lts.Transition]int, len(wanted))
	for _, t := range wanted {
		found[t] = missing
	}
	unfound := len(found)
	next := 0
	for t := range m.Transitions() {
		if unfound == 0 {
			break
		}
		index, isWanted := found[t]
		if isWanted && index == missing {
			found[t] = next
			unfound--
		}
		next++
		if next%65536 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	indexes := make([]int, len(wanted))
	for i, t := range wanted {
		indexes[i] = found[t]
		if indexes[i] == missing {
			return nil, fmt.Errorf("the model has no transition from %d to %d with label %d",
				t.From, t.To, t.Label)
		}
	}
	return indexes, nil
}

// linesOfFile finds the lines of the transitions with these indexes, which count from 0.
// hasTransition reports whether a line has the transition with indexes[i].
func linesOfFile(
	ctx context.Context,
	path string,
	indexes []int,
	hasTransition func(i int, line []byte) bool,
) (lines []int, plain bool) {
	f, err := inputfile.OpenRegular(ctx, path)
	if err != nil {
		abort.On(ctx.Err())
		abort.On(inputfile.FileError(path, err))
	}
	defer f.Close()
	var start [compressed.MagicSize]byte
	n, _ := io.ReadFull(f, start[:]) // the file may be shorter: then it is not compressed
	text := stoppable.Reader(ctx, f)
	if _, err := f.Seek(0, io.SeekStart); err != nil { // a pipe cannot be rewound
		text = io.MultiReader(bytes.NewReader(start[:n]), text)
	}
	s := newLineSearch(path, indexes)
	s.hasTransition = hasTransition
	return s.in(ctx, text, lineblocks.Size), compressed.Format(start[:n]) == ""
}

// lineSearch finds the lines of transitions in a text.
type lineSearch struct {
	*decoder
	indexes []int // of the transitions, from 0
	// hasTransition reports whether a line still has the transition with the index indexes[i]. If it is
	// nil, lines are not checked.
	hasTransition func(i int, line []byte) bool
	// wanted has the positions in indexes whose lines are not known yet, in the order of the text.
	wanted []int
	lines  []int // the results, from 1
	next   int   // the index of the transition on the next line that is not blank; -1 before the header
}

// newLineSearch returns a search for the transitions with these indexes in the text of this name.
func newLineSearch(name string, indexes []int) *lineSearch {
	return &lineSearch{
		decoder: newDecoder(Options{Name: name}, -1),
		indexes: indexes,
		wanted:  sortedPositions(indexes),
		lines:   make([]int, len(indexes)),
		next:    -1,
	}
}

// in reads a text in blocks of the given size, and returns the lines of the transitions. It fails if the
// text lacks a transition.
func (s *lineSearch) in(ctx context.Context, r io.Reader, size int) []int {
	in, err := lineblocks.NewInput(r, size, nil)
	if err != nil {
		abort.On(ctx.Err())
		abort.On(s.readError(err))
	}
	defer in.Close()
	for block := new(lineblocks.Block); len(s.wanted) > 0; {
		err := in.Next(ctx, block)
		switch {
		case err == io.EOF:
			s.refuse(0, "has no transition %d any more: the file has changed since it was read",
				s.indexes[s.wanted[0]]+1)
		case err != nil:
			abort.On(err)
		case block.Err != nil:
			abort.On(s.readError(block.Err))
		}
		s.readBlock(block.Text)
	}
	return s.lines
}

// readBlock reads whole lines, up to the last one that is wanted.
func (s *lineSearch) readBlock(text []byte) {
	if s.line == 0 {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	for len(text) > 0 && len(s.wanted) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		s.line++
		isBlank := len(trimBlanks(line)) == 0
		if isBlank {
			continue
		}
		s.note(line)
		s.next++
	}
}

// note records the present line for the positions whose transition it has.
func (s *lineSearch) note(line []byte) {
	for len(s.wanted) > 0 && s.indexes[s.wanted[0]] == s.next {
		if s.hasTransition != nil && !s.hasTransition(s.wanted[0], line) {
			s.refuse(s.line,
				"this is not transition %d any more: the file has changed since it was read", s.next+1)
		}
		s.lines[s.wanted[0]] = s.line
		s.wanted = s.wanted[1:]
	}
}

// sortedPositions returns the positions in a slice in the order of their values.
func sortedPositions(values []int) []int {
	positions := make([]int, len(values))
	for i := range positions {
		positions[i] = i
	}
	slices.SortFunc(positions, func(a, b int) int {
		return cmp.Compare(values[a], values[b])
	})
	return positions
}
