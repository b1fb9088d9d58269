// Package filesystem is the only package through which inev writes files that outlive the process:
// results of batches, summaries, files that users name by -o, and files that are kept by their
// digest. Tests replace the file system by one that fails, or that forgets like a disk without
// power.
//
// Operations in a [Folder] stay in the folder that was opened, whatever happens to its name, and
// follow no link out of it; no file is written to through a link.
package filesystem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// System opens folders to write in.
type System interface {
	// Open opens the folder at a path, and follows links: a user who names a link
	// means its target.
	Open(path string) (Folder, error)
	// MkdirAll makes a folder, with those above it.
	MkdirAll(path string) error
}

// Folder is a folder in which files are written. Names are relative to it, with slashes. Errors are
// those of package os, or *[LinkError]. Methods are called by many goroutines.
type Folder interface {
	// Path is the path by which the folder was opened.
	Path() string
	// Create creates a file that is not there yet.
	Create(name string, mode fs.FileMode) (File, error)
	// Append opens a file for appending, and creates it if it does not exist. It fails with a
	// *[LinkError] if the name is a symbolic link, or one of several names of the file.
	Append(name string) (File, error)
	Mkdir(name string) error
	Rename(from, to string) error
	Remove(name string) error
	RemoveAll(name string) error
	// Sync flushes a file, or the names in a folder, to the disk; "." is the folder itself. It does
	// nothing if the system cannot flush.
	Sync(name string) error
	// Lstat, ReadDir and Open are as in package os.
	Lstat(name string) (fs.FileInfo, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	Open(name string) (*os.File, error)
	// Lock locks the folder until it is closed. It reports whether nobody else
	// has locked it.
	Lock() bool
	Close() error
}

// File is a file that is being written.
type File interface {
	io.Writer
	Chmod(mode fs.FileMode) error
	Sync() error
	Stat() (fs.FileInfo, error)
	// Hold locks the file until release is called, even after it is closed. It
	// reports whether nobody else has locked it.
	Hold() (release func(), locked bool)
	Close() error
}

// LinkError reports a link at a path where a file or folder was to be written.
type LinkError struct {
	Path string
	// Names is how many names the file has, 0 for a symbolic link.
	Names uint64
}

func (e *LinkError) Error() string {
	if e.Names > 0 {
		return fmt.Sprintf("%s: is one of %d names (hard links) of a file, which would be written to; remove it, or choose another folder", e.Path, e.Names)
	}
	return e.Path + ": is a link, which is not followed; remove it, or choose another folder"
}

// RefuseLink returns a *[LinkError] if there is a symbolic link of this name, and nil if the name
// belongs to something else or does not exist.
func RefuseLink(f Folder, name string) error {
	info, err := f.Lstat(name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return &LinkError{Path: filepath.Join(f.Path(), filepath.FromSlash(name))}
	}
	return nil
}

// MoreNames returns a *[LinkError] if a file, described by info, has several
// names, as far as the system reports this.
func MoreNames(path string, info fs.FileInfo) error {
	n := names(info)
	if n > 1 && info.Mode().IsRegular() {
		return &LinkError{path, n}
	}
	return nil
}

// IsAt reports whether a folder has a file of this name that is the file described
// by info, and the file has no other name.
func IsAt(f Folder, name string, info fs.FileInfo) bool {
	now, err := f.Lstat(name)
	return err == nil && os.SameFile(info, now) && names(now) <= 1
}

// StillThere reports whether the folder's path still leads to it.
func StillThere(f Folder) bool {
	inside, err := f.Lstat(".")
	if err != nil {
		return false
	}
	now, err := os.Stat(f.Path())
	return err == nil && os.SameFile(inside, now)
}

// Cause returns the error of the system about a file, without the operation and
// the names, which may be those of hidden files: the error in a *[fs.PathError]
// or *[os.LinkError]. It reports whether err is or wraps one of these; any other
// error is returned unchanged.
func Cause(err error) (cause error, bySystem bool) {
	var inPath *fs.PathError
	var inLink *os.LinkError
	switch {
	case errors.As(err, &inPath):
		return inPath.Err, true
	case errors.As(err, &inLink):
		return inLink.Err, true
	}
	return err, false
}

type key struct{}

// With returns a context in which files are written by the system s instead of
// [OS].
func With(ctx context.Context, s System) context.Context {
	return context.WithValue(ctx, key{}, s)
}

// Of returns the file system of a context, [OS] if it has none.
func Of(ctx context.Context) System {
	if s, is := ctx.Value(key{}).(System); is {
		return s
	}
	return OS{}
}
