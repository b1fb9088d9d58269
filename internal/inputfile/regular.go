package inputfile

import (
	"context"
	"io/fs"
	"os"

	"github.com/inev-lts/inev/internal/stoppable"
)

// OpenRegular opens a regular file for reading. A file that is not regular is
// refused by a [*KindError], without waiting for it. It also fails with the error
// of ctx, and of the operating system.
func OpenRegular(ctx context.Context, path string) (*os.File, error) {
	return openRegular(ctx, place{
		stat: func() (fs.FileInfo, error) { return os.Stat(path) },
		open: func() (*os.File, error) {
			return os.OpenFile(path, os.O_RDONLY|nonblock, 0)
		},
	})
}

// OpenRegularIn opens a file below a folder as [OpenRegular] does. It follows no link that leads out of
// the folder.
func OpenRegularIn(ctx context.Context, folder *os.Root, name string) (*os.File, error) {
	return openRegular(ctx, place{
		stat: func() (fs.FileInfo, error) { return folder.Stat(name) },
		open: func() (*os.File, error) {
			return folder.OpenFile(name, os.O_RDONLY|nonblock, 0)
		},
	})
}

// place is where a file is opened.
type place struct {
	stat func() (fs.FileInfo, error)
	open func() (*os.File, error)
}

func openRegular(ctx context.Context, at place) (*os.File, error) {
	f, _, err := stoppable.Do(ctx, at.regular, func(f *os.File) {
		_ = f.Close()
	})
	return f, err
}

// regular opens the file if it is regular. It looks before it opens, because opening a device may
// do something, and again afterwards, because the file may have been replaced meanwhile.
func (at place) regular() (*os.File, error) {
	info, err := at.stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &KindError{kind(info.Mode())}
	}
	f, err := at.open()
	if err != nil {
		return nil, err
	}
	info, err = f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &KindError{kind(info.Mode())}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
