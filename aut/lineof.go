package aut

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/inev-lts/inev/internal/blocks"
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/inputfile"
)

// LinesOf returns the lines, from 1, on which a file has its transitions of these indexes,
// from 0, in the order of [lts.LTS.Transitions], and whether the file itself is the text
// that has these lines: it is not if it is compressed. It understands what [Open] does:
// compressed files, blank lines before and between transitions, a byte order mark.
//
// It looks for lines, not into them; the file must be one that was read without an error. It
// fails if that has changed so that it cannot be read, or has fewer lines, and if ctx is done.
// Cost O(length of the file up to the last line), a block of lines at a time, and O(n log n)
// for n indexes.
func LinesOf(ctx context.Context, path string, indexes []int) (lines []int, plain bool, err error) {
	f, err := inputfile.OpenRegular(ctx, path)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, false, ctx.Err()
	case err != nil:
		return nil, false, inputfile.FileError(path, err)
	}
	defer f.Close()
	var start [compressed.MagicSize]byte
	n, _ := io.ReadFull(f, start[:]) // a shorter file is not compressed
	text := untilDone(ctx, f)
	if _, err := f.Seek(0, io.SeekStart); err != nil { // as of a pipe
		text = io.MultiReader(bytes.NewReader(start[:n]), text)
	}
	lines, err = linesOf(ctx, text, path, indexes, blocks.Size)
	return lines, compressed.Format(start[:n]) == "", err
}

// linesOf finds the lines of transitions in a text.
func linesOf(ctx context.Context, r io.Reader, name string, indexes []int, size int) ([]int, error) {
	d := newDecoder(Options{Name: name}, -1)
	in, err := blocks.NewInput(r, size, nil)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, d.readError(err)
	}
	defer in.Close()
	// The places in indexes, in the order of what they hold.
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
			return nil, d.refuse(0, "has no transition %d any more: the file has changed since it was read", indexes[order[0]]+1)
		case err != nil:
			return nil, err
		case b.Err != nil:
			return nil, d.readError(b.Err)
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
				lines[order[0]] = d.line
				order = order[1:]
			}
			at++
		}
	}
	return lines, nil
}
