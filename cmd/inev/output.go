package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/stoppable"
)

// results is buffered standard output. Output of up to 64 kB is written only by finish, so that
// a command which fails early has written nothing.
type results struct {
	buffer *bufio.Writer
	output *stoppable.Writer // nil if no reader can delay a writer
}

// newResults returns results that go to w. A blocked write, as to a pipe that nobody reads, is
// given up once ctx is done.
func newResults(ctx context.Context, w io.Writer) *results {
	r := &results{}
	if f, is := w.(*os.File); is {
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			r.output = &stoppable.Writer{Ctx: ctx, W: w}
			w = r.output
		}
	}
	r.buffer = bufio.NewWriterSize(namedWriter{w}, 64<<10)
	return r
}

// within makes writes end with ctx, until end is called.
func (r *results) within(ctx context.Context) (end func()) {
	if r.output == nil {
		return func() {}
	}
	before := r.output.Ctx
	r.output.Ctx = ctx
	return func() { r.output.Ctx = before }
}

func (r *results) Write(data []byte) (int, error) { return r.buffer.Write(data) }

// finish writes the buffered rest. A reader that has closed the pipe is no error.
func (r *results) finish() error {
	if err := r.buffer.Flush(); !errors.Is(err, syscall.EPIPE) {
		return err
	}
	return nil
}

// namedWriter adds to its errors that they are about standard output.
type namedWriter struct{ io.Writer }

func (w namedWriter) Write(data []byte) (int, error) {
	n, err := w.Writer.Write(data)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		err = fmt.Errorf("standard output cannot be written: %w", err)
	}
	return n, err
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// columnsOf returns the width of the terminal w, 0 if w is no terminal or its width is not
// known.
func columnsOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// checkOutput checks, before a long run, that a file can be written and that its name ends in
// one of the suffixes.
func checkOutput(path string, suffixes ...string) {
	if !slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(path, s) }) {
		abort.On(suffixError(path, suffixes[0], "inev writes "+printable.List(suffixes, "or")+" here"))
	}
	checkPlace(path)
}

// suffixError is the error of a file whose name does not say what it holds; first is a suffix
// that the name may have.
func suffixError(path, first, remedy string) error {
	if suffix := filepath.Ext(path); suffix != "" {
		return fmt.Errorf("%s: unknown output suffix %q; %s", path, suffix, remedy)
	}
	return fmt.Errorf("%s: the suffix is missing, as in %s%s; %s", path, path, first, remedy)
}

// checkPlace checks that a file of this name can be written.
func checkPlace(path string) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		abort.On(fmt.Errorf("%s: is a folder; give the name of a file in it", path))
	}
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	switch { // any other cause is reported when the file is written
	case errors.Is(err, fs.ErrNotExist):
		abort.On(fmt.Errorf("%s: there is no folder %s; create it first", path, folder))
	case err == nil && !info.IsDir(), errors.Is(err, syscall.ENOTDIR):
		abort.On(fmt.Errorf("%s: %s is a file, not a folder", path, folder))
	}
}
