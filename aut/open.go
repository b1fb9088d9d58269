package aut

import (
	"context"
	"io"
	"os"

	"github.com/inev-lts/inev/lts"
)

// Open reads an LTS from a file of .aut text, as [Read] does. Options.Name need not be
// given: it is path then. Package format opens files of other formats, too.
//
// ctx also ends the waiting for a named pipe or a terminal.
func Open(ctx context.Context, path string, o Options) (*lts.LTS, []string, error) {
	if o.Name == "" {
		o.Name = path
	}
	f, err := OpenModel(ctx, path, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return Read(ctx, f, o)
}

// OpenModel opens a file that should hold a model, as [OpenFile] does, and refuses a
// directory. Errors are of type *[Error] and call the file by name, except that of a
// context that is done.
func OpenModel(ctx context.Context, path, name string) (io.ReadCloser, error) {
	if err := CheckModel(path, name); err != nil {
		return nil, err
	}
	f, err := OpenFile(ctx, path)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, FileError(name, err)
	}
	return f, nil
}

// CheckModel returns the error for a path where no model can be, as [OpenModel] does,
// and opens nothing.
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
