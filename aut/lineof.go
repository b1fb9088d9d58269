package aut

import (
	"bytes"
	"context"
	"io"
)

// LineOf returns the line, from 1, on which a file has its transition of this
// index, from 0, in the order of [lts.LTS.Transitions]. It understands what [Open]
// does: compressed files, blank lines before and between transitions, a byte order
// mark. For a file that Open has another program convert, the line is 0: it would be
// that of a text which nobody sees.
//
// It looks for lines, not into them; the file must be one that was read without an
// error. It fails where that has changed so that it cannot be read, or has fewer
// lines, and where ctx is done. Cost O(length of the file up to the line), a block of
// lines at a time.
func LineOf(ctx context.Context, path string, index int) (line int, err error) {
	if _, converted := converterOf(path); converted {
		return 0, nil
	}
	f, err := open(ctx, path)
	switch {
	case err != nil && ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil:
		return 0, FileError(path, err)
	}
	defer f.Close()
	return lineOf(ctx, Stoppable(ctx, f), path, index, blockSize)
}

func lineOf(ctx context.Context, r io.Reader, name string, index, size int) (int, error) {
	d := newDecoder(Options{Name: name}, -1)
	in, err := newInput(r, size, nil)
	switch {
	case err != nil && ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil:
		return 0, d.readError(err)
	}
	defer in.close()
	// The header is a line like others.
	left := index + 1
	for b := new(block); ; {
		err := in.next(ctx, b)
		switch {
		case err == io.EOF:
			return 0, d.refuse(0, "has no transition %d any more: the file has changed since it was read", index+1)
		case err != nil:
			return 0, err
		case b.err != nil:
			return 0, d.readError(b.err)
		}
		text := b.text
		if d.line == 0 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		for len(text) > 0 {
			var line []byte
			line, text, _ = bytes.Cut(text, []byte("\n"))
			d.line++
			if len(trimBlanks(line)) == 0 {
				continue
			}
			if left == 0 {
				return d.line, nil
			}
			left--
		}
	}
}
