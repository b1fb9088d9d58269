package aut

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/blocks"
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/inputfile"
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
// have the transitions; and if ctx is done. Cost O(length of the file up to the
// last line), a block of lines at a time, O(T) of the model, and O(n log n) for
// n transitions.
func LinesOf(ctx context.Context, path string, m *lts.LTS, wanted []lts.Transition) (lines []int, plain bool, err error) {
	defer abort.Caught(&err)
	lines, plain = linesOfFile(ctx, path, indexesOf(ctx, m, wanted), func(i int, line []byte) bool {
		from, label, to, ok := parseTransition(bytes.TrimSuffix(line, []byte("\r")))
		t := wanted[i]
		return ok && from == uint64(t.From) && to == uint64(t.To) && string(label) == m.Alphabet().Text(t.Label)
	})
	return lines, plain, nil
}

// linesOfFile finds the lines of the transitions with these indexes, from 0. says
// reports whether a line has the transition with indexes[i].
func linesOfFile(ctx context.Context, path string, indexes []int, says func(i int, line []byte) bool) (lines []int, plain bool) {
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
	return linesOf(ctx, text, path, indexes, says, blocks.Size), compressed.Format(start[:n]) == ""
}

// linesOf finds the lines of transitions in a text.
func linesOf(ctx context.Context, r io.Reader, name string, indexes []int, says func(i int, line []byte) bool, size int) []int {
	d := newDecoder(Options{Name: name}, -1)
	in, err := blocks.NewInput(r, size, nil)
	if err != nil {
		abort.On(ctx.Err())
		abort.On(d.readError(err))
	}
	defer in.Close()
	// order sorts the positions in indexes by their values.
	order := make([]int, len(indexes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(indexes[a], indexes[b]) })
	lines := make([]int, len(indexes))
	at := -1 // the index of the next line: the header is a line like others
	for b := new(blocks.Block); len(order) > 0; {
		err := in.Next(ctx, b)
		switch {
		case err == io.EOF:
			d.refuse(0, "has no transition %d any more: the file has changed since it was read", indexes[order[0]]+1)
		case err != nil:
			abort.On(err)
		case b.Err != nil:
			abort.On(d.readError(b.Err))
		}
		text := b.Text
		if d.line == 0 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		for len(text) > 0 && len(order) > 0 {
			var line []byte
			line, text, _ = bytes.Cut(text, []byte("\n"))
			d.line++
			if len(trimBlanks(line)) == 0 {
				continue
			}
			for len(order) > 0 && indexes[order[0]] == at {
				if says != nil && !says(order[0], line) {
					d.refuse(d.line, "this is not transition %d any more: the file has changed since it was read", at+1)
				}
				lines[order[0]] = d.line
				order = order[1:]
			}
			at++
		}
	}
	return lines
}

// indexesOf returns the indexes of transitions in the order of the model's file,
// for equal transitions the first index. Cost O(T + number of the transitions).
func indexesOf(ctx context.Context, m *lts.LTS, wanted []lts.Transition) []int {
	found := make(map[lts.Transition]int, len(wanted))
	for _, t := range wanted {
		found[t] = -1
	}
	i, left := 0, len(found)
	for t := range m.Transitions() {
		if at, is := found[t]; is && at < 0 {
			found[t] = i
			if left--; left == 0 {
				break
			}
		}
		if i++; i&(1<<16-1) == 0 {
			abort.On(ctx.Err())
		}
	}
	indexes := make([]int, len(wanted))
	for i, t := range wanted {
		if indexes[i] = found[t]; indexes[i] < 0 {
			abort.On(fmt.Errorf("the model has no transition from %d to %d with label %d", t.From, t.To, t.Label))
		}
	}
	return indexes
}
