package aut

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/inev-lts/inev/lts"
)

// Options say how a file is read. The zero value is strict.
type Options struct {
	// Name is the name of the file in errors and warnings.
	Name string
	// Lenient accepts, with a warning for each kind, what a strict reading
	// takes for the sign of a damaged file: a number of transitions other than
	// the declared one, a last line that is cut off (it is left out), and state
	// numbers that are not below the declared number of states. The LTS then
	// has the states up to the largest number found.
	Lenient bool
}

// Read reads an LTS from .aut text, plain or compressed by gzip, zstd or bzip2,
// which the first bytes tell. It also returns warnings, each of one line, empty
// in a strict reading.
//
// Errors are of type *[Error], except that of a context that is done: ctx is
// looked at before every read and every block of lines. The LTS has at most 64
// states for every transition and 1,000,000 more; a file that asks for more is
// refused, because the numbers in a few bytes of text could otherwise claim all
// memory.
//
// Cost O(length of the file) time. Memory: about 8 bytes a transition, 12 a
// state, each label once, and buffers of less than 1 MiB or twice the longest
// line; for a compressed file, whose length is not known beforehand, up to twice
// that while it is read. Where sources do not ascend, see [lts.Builder].
func Read(ctx context.Context, r io.Reader, o Options) (*lts.LTS, []string, error) {
	if o.Name == "" {
		o.Name = "input"
	}
	d := &decoder{Options: o}
	in, err := decompress(r)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, d.readError(err)
	}
	defer in.close()
	d.size = in.size
	if err := d.read(ctx, newBlocks(in.text, blockSize, lineMax)); err != nil {
		return nil, nil, err
	}
	return d.finish()
}

// readError turns what a reader or a decompressor returned into an Error.
func (d *decoder) readError(err error) error {
	var path *fs.PathError
	var damage *damagedError
	switch {
	case errors.Is(err, errLongLine):
		return d.fail(d.line+1, fmt.Sprintf("this line is longer than %d MiB: this looks like no .aut file", lineMax>>20), err)
	case errors.As(err, &damage):
		return d.fail(0, damage.Error(), damage.cause)
	case errors.As(err, &path):
		return d.fail(0, "cannot be read: "+path.Err.Error(), err)
	}
	return d.fail(0, "cannot be read: "+err.Error(), err)
}

func (d *decoder) fail(line int, message string, cause error) error {
	return &Error{File: d.Name, Line: line, Message: message, cause: cause}
}

func (d *decoder) refuse(line int, format string, args ...any) error {
	return d.fail(line, fmt.Sprintf(format, args...), nil)
}

func (d *decoder) warn(line int, format string, args ...any) {
	d.warnings = append(d.warnings, d.refuse(line, format, args...).Error())
}

// read takes in all blocks.
func (d *decoder) read(ctx context.Context, in *blocks) error {
	started := false
	for {
		block, err := in.next(ctx)
		switch {
		case err == io.EOF && started:
			return nil
		case err == io.EOF:
			return d.refuse(0, "empty file: an .aut file begins with the header %s", headerShape)
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return d.readError(err)
		}
		if !started {
			if block, started, err = d.start(block); err != nil {
				return err
			}
		}
		if err := d.transitions(block); err != nil {
			return err
		}
	}
}

// start reads the header from the first block that is not blank, and returns
// what follows it in the block. A byte order mark before it says nothing about
// labels, which are bytes, and is passed over.
func (d *decoder) start(block []byte) (rest []byte, found bool, err error) {
	if d.line == 0 {
		block = bytes.TrimPrefix(block, []byte("\ufeff"))
	}
	for rest = block; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		d.line++
		if len(trimBlanks(line)) == 0 {
			continue
		}
		if !bytes.HasPrefix(trimBlanks(line), []byte("des")) {
			return nil, false, d.refuse(d.line, "%s", refuseContent(block, line))
		}
		h, refused := parseHeader(line)
		if refused != "" {
			return nil, false, d.refuse(d.line, "%s", refused)
		}
		return rest, true, d.declare(h)
	}
	return nil, false, nil
}
