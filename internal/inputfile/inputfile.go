// Package inputfile opens the files that users name, reads their lines, and reports errors in them
// with their position.
//
// The invariant that holds inside: waiting for a file ends with the context, no
// more of a file than allowed is held in memory, and the text of an [*Error] is
// one line that begins with the name of the file.
package inputfile

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/inev-lts/inev/internal/stoppable"
)

// MaxLabel is the largest number of bytes of a label that readers of models accept. Larger data
// belongs into values of states. Because of this limit, work on one label, such as splitting a
// multi-action, need not be interruptible.
const MaxLabel = 1 << 20

// LongLabel returns the sentence which says that a label of this many bytes is longer than
// [MaxLabel].
func LongLabel(bytes int) string {
	return fmt.Sprintf("a label has %d bytes, and at most %d can be taken; abstract from the data in it, or keep them as values of states", bytes, MaxLabel)
}

// Open opens a file for reading until ctx is done: from then on it no longer waits for a writer of
// a named pipe, and reads of the result fail. A regular file is an [*os.File], so its parts can be
// read in any order.
func Open(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	if _, regular := stoppable.Reader(ctx, f).(*os.File); regular {
		return f, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{stoppable.Reader(ctx, f), f}, nil
}

// open opens a file for reading. Opening a named pipe waits for a writer; this
// waiting ends once ctx is done.
func open(ctx context.Context, path string) (*os.File, error) {
	f, _, err := stoppable.Do(ctx, func() (*os.File, error) { return os.Open(path) }, func(f *os.File) { _ = f.Close() })
	return f, err
}

// OpenModel opens a file that should hold a model, as [Open] does, and refuses a
// directory. Errors are of type *[Error] with name as the name of the file,
// except for the error of a context that is done.
func OpenModel(ctx context.Context, path, name string) (io.ReadCloser, error) {
	if err := CheckModel(path, name); err != nil {
		return nil, err
	}
	f, err := Open(ctx, path)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, FileError(name, err)
	}
	return f, nil
}

// CheckModel returns the error of [OpenModel] for a path that cannot be a model,
// without opening the file.
func CheckModel(path, name string) error {
	info, err := os.Stat(path)
	if err != nil {
		return FileError(name, err)
	}
	if info.IsDir() {
		return &Error{File: name, Message: "this is a directory: name an .aut file in it"}
	}
	return nil
}

// Unchanged reports whether two descriptions are of one file that was not written to between them,
// as far as the system knows.
func Unchanged(before, after fs.FileInfo) bool {
	return os.SameFile(before, after) && before.Size() == after.Size() && before.ModTime().Equal(after.ModTime())
}
