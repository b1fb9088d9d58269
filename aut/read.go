package aut

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"

	"github.com/inev-lts/inev/internal/blocks"
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/lts"
)

// Options say how a file is read. The zero value is strict.
type Options struct {
	// Name is the name of the file in errors and warnings.
	Name string
	// Lenient accepts, with a warning for each kind, what a strict reading takes
	// as signs of a damaged file: a number of transitions other than the declared
	// one, a last line that is cut off (it is left out), and state numbers that
	// are not below the declared number of states. The LTS then has the states up
	// to the largest number found.
	Lenient bool
	// Workers is the number of goroutines that read; 0 stands for as many as
	// there are processors to run them. Results do not depend on it.
	Workers int
	// Admit, if not nil, is called with the size of the LTS as soon as the header
	// is read; its error ends the reading. The numbers are those of the header,
	// but no larger than the length of the file allows.
	Admit func(states, transitions int64) error
}

// Read reads an LTS from .aut text, plain or compressed by gzip, zstd or bzip2,
// which it recognises by the first bytes. It also returns warnings, each of one
// line, none in a strict reading.
//
// Errors are of type *[Error], or the error of a context that is done: ctx is
// checked before every read and every block of lines. The LTS has at most 64
// states for every transition and 1,000,000 more; a file that declares more is
// refused, because a few bytes of text could otherwise claim all memory.
//
// A regular file, a *[bytes.Reader] and a *[strings.Reader] are read at several
// offsets at a time; other readers are read by one worker at a time, block by
// block. The phase "read" of package progress counts the bytes of r.
//
// Cost O(length of the file) time. Memory: see memory.go, and for each worker
// buffers of 700 KiB, or twice the longest line.
func Read(ctx context.Context, r io.Reader, o Options) (*lts.LTS, []string, error) {
	return read(ctx, r, o, limits{blocks.Size, knownLabels})
}

// limits are numbers that tests make small.
type limits struct {
	// block is the length of blocks in bytes, known the number of labels that a
	// scanner keeps.
	block, known int
}

func read(ctx context.Context, r io.Reader, o Options, l limits) (*lts.LTS, []string, error) {
	if o.Name == "" {
		o.Name = "input"
	}
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	meter := progress.Start(ctx, "read", progress.Bytes, max(0, blocks.Remaining(r)))
	in, err := blocks.NewInput(r, l.block, meter)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, newDecoder(o, -1).readError(err)
	}
	defer in.Close()
	d := newDecoder(o, in.Bytes)
	if err := d.read(ctx, in, l.known); err != nil {
		return nil, nil, err
	}
	return d.finish(ctx)
}

// readError turns the error of a reader or a decompressor into an Error.
func (d *decoder) readError(err error) error {
	var path *fs.PathError
	var damage *compressed.DamagedError
	switch {
	case errors.Is(err, blocks.ErrLongLine):
		return d.fail(d.line+1, fmt.Sprintf("this line is longer than %d MiB: this does not look like an .aut file", blocks.LineMax>>20), err)
	case errors.As(err, &damage):
		return d.fail(0, damage.Error(), damage.Cause)
	case errors.As(err, &path):
		return d.fail(0, "cannot be read: "+path.Err.Error(), err)
	}
	return d.fail(0, "cannot be read: "+err.Error(), err)
}

// blockError returns the error for a block that was not read to its end.
func (d *decoder) blockError(b *blocks.Block) error {
	d.line += bytes.Count(b.Text, []byte("\n"))
	return d.readError(b.Err)
}

func (d *decoder) fail(line int, message string, cause error) error {
	return inputfile.Because(d.Name, line, message, cause)
}

func (d *decoder) refuse(line int, format string, args ...any) error {
	return d.fail(line, fmt.Sprintf(format, args...), nil)
}

// refuseStrictly returns an error for something that a lenient reading accepts.
// The message says what is wrong and, except for reading leniently, what to do.
func (d *decoder) refuseStrictly(line int, format string, args ...any) error {
	return inputfile.NewError(d.Name, line, remedy.New(nil, fmt.Sprintf(format, args...)+" ", remedy.Lenient))
}

func (d *decoder) warn(line int, format string, args ...any) {
	d.warnings = append(d.warnings, d.refuse(line, format, args...).Error())
}

// read reads all blocks: first the header, then the remaining blocks, by as many
// workers as are worthwhile.
func (d *decoder) read(ctx context.Context, in blocks.Source, known int) error {
	w := d.worker(known)
	for started := false; !started; {
		err := in.Next(ctx, w.Room())
		switch {
		case err == io.EOF:
			return d.refuse(0, "empty file: an .aut file begins with the header %s", headerShape)
		case err != nil:
			return err
		case w.Err != nil:
			return d.blockError(w.Room())
		}
		if w.Text, started, err = d.start(w.Text); err != nil {
			return err
		}
	}
	w.states = d.header.states
	return blocks.Each(ctx, in, d.Workers, w, func() blocks.Worker { return d.worker(known) })
}

// start reads the header from the first block that is not blank, and returns the
// rest of the block. It skips a byte order mark, which does not matter because
// labels are bytes.
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
