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

	"github.com/inev-lts/inev/internal/stoppable"
)

// results is standard output. What is written to it is held back as long as it
// is small, so that a command which fails has written nothing.
type results struct {
	buffer *bufio.Writer
	output *stoppable.Writer // nil if nobody can keep a writer waiting
}

// newResults returns the results that go to w, which is given up once ctx is done: who
// reads from a pipe may take its time.
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

// within gives up the writing of results once ctx is done, until the function that it
// returns is called.
func (r *results) within(ctx context.Context) (end func()) {
	if r.output == nil {
		return func() {}
	}
	before := r.output.Ctx
	r.output.Ctx = ctx
	return func() { r.output.Ctx = before }
}

func (r *results) Write(data []byte) (int, error) { return r.buffer.Write(data) }

// finish writes what is held back. A reader that has gone away has seen all it
// wanted: that is no error.
func (r *results) finish() error {
	if err := r.buffer.Flush(); !errors.Is(err, syscall.EPIPE) {
		return err
	}
	return nil
}

// namedWriter says in its errors that they are about standard output.
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

// isTerminal reports whether a person reads what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// columnsOf returns the width of the terminal that w is, 0 if it is none, or does
// not tell.
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

// stoppableWriter fails once ctx is done: it ends the writing of a large result.
type stoppableWriter struct {
	ctx context.Context
	io.Writer
}

func (w stoppableWriter) Write(data []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(data)
}

// checkOutput finds out, before a long run, whether a file is going to be
// written in vain. Its name has to end in one of the suffixes.
func checkOutput(path string, suffixes ...string) error {
	if !slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(path, s) }) {
		return suffixError(path, suffixes[0], "inev writes "+alternatives(suffixes)+" here")
	}
	return checkPlace(path)
}

// suffixError tells of a file of which the name does not say what it should
// hold; first is a suffix that does.
func suffixError(path, first, remedy string) error {
	if suffix := filepath.Ext(path); suffix != "" {
		return fmt.Errorf("%s: unknown output suffix %q; %s", path, suffix, remedy)
	}
	return fmt.Errorf("%s: the suffix is missing, as in %s%s; %s", path, path, first, remedy)
}

// checkPlace finds out whether there can be a file of this name.
func checkPlace(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder; give the name of a file in it", path)
	}
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no folder %s; create it first", path, folder)
	case err == nil && !info.IsDir(), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: %s is a file, not a folder", path, folder)
	}
	return nil // the attempt to write it tells the rest
}

// alternatives lists words: "a, b or c".
func alternatives(words []string) string {
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return strings.Join(words, "")
}
