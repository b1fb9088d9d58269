package filesystem

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// OS is the system that the process runs on.
type OS struct{}

// MkdirAll makes a folder, with those above it.
func (OS) MkdirAll(path string) error { return os.MkdirAll(path, 0o755) }

// Open opens a folder.
func (OS) Open(path string) (Folder, error) {
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrPermission) {
		// A folder that may be written to but not read is used by its path alone.
		if info, told := os.Stat(path); told == nil && info.IsDir() {
			return named{path}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return &rooted{Root: root, path: path}, nil
}

// rooted is a folder that is held open.
type rooted struct {
	*os.Root
	path string
	lock *os.File
}

func (r *rooted) Path() string { return r.path }

func (r *rooted) Create(name string, mode fs.FileMode) (File, error) {
	return opened(r.Root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode))
}

// Append opens a file to append to it, or creates it. It refuses links and files with several names, even
// if one takes the place of the file while Append opens it.
func (r *rooted) Append(name string) (File, error) {
	if err := RefuseLink(r, name); err != nil {
		return nil, err
	}
	existing, err := r.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return opened(r.Root.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL,
			0o644))
	}
	if err != nil {
		return nil, err
	}
	f, err := r.Root.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(r.path, name)
	info, err := f.Stat()
	if err == nil && !os.SameFile(existing, info) { // a link has come between
		err = &LinkError{Path: path}
	}
	if err == nil {
		err = MoreNames(path, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return file{f}, nil
}

func (r *rooted) Mkdir(name string) error { return r.Root.Mkdir(name, 0o755) }

func (r *rooted) ReadDir(name string) ([]fs.DirEntry, error) {
	return fs.ReadDir(r.Root.FS(), name)
}

func (r *rooted) Sync(name string) error { return sync(r.Root.Open(name)) }

func (r *rooted) Lock() bool {
	f, err := r.Root.Open(".")
	if err != nil {
		return true // a system that cannot open folders cannot lock them
	}
	r.lock = f
	return Lock(f)
}

func (r *rooted) Close() error {
	if r.lock != nil {
		_ = r.lock.Close()
	}
	return r.Root.Close()
}

// named is a folder that cannot be opened, but in which files can be created.
type named struct{ path string }

func (n named) at(name string) string { return filepath.Join(n.path, filepath.FromSlash(name)) }

func (n named) Path() string { return n.path }

func (n named) Create(name string, mode fs.FileMode) (File, error) {
	return opened(os.OpenFile(n.at(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode))
}

func (n named) Append(name string) (File, error) {
	return nil, &fs.PathError{
		Op:   "open",
		Path: n.at(name),
		Err:  fs.ErrPermission,
	}
}

func (n named) Mkdir(name string) error { return os.Mkdir(n.at(name), 0o755) }
func (n named) Rename(from, to string) error {
	return os.Rename(n.at(from), n.at(to))
}
func (n named) Remove(name string) error               { return os.Remove(n.at(name)) }
func (n named) RemoveAll(name string) error            { return os.RemoveAll(n.at(name)) }
func (n named) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(n.at(name)) }
func (n named) Open(name string) (*os.File, error)     { return os.Open(n.at(name)) }
func (n named) ReadDir(name string) ([]fs.DirEntry, error) {
	return os.ReadDir(n.at(name))
}

func (n named) Sync(name string) error {
	if err := sync(os.Open(n.at(name))); !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

func (n named) Lock() bool   { return true }
func (n named) Close() error { return nil }

// sync flushes an opened file. It is no error if the system cannot flush it.
func sync(f *os.File, err error) error {
	if err != nil {
		return err
	}
	defer f.Close()
	if runtime.GOOS == "windows" {
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil // the names in a folder are flushed with the files that have them
		}
	}
	return unlessUnsupported(f.Sync())
}

// unlessUnsupported returns the error of a flush; nil if it means that the file system does not support
// flushing.
func unlessUnsupported(err error) error {
	for _, unsupported := range []error{syscall.EINVAL, errors.ErrUnsupported} {
		if errors.Is(err, unsupported) {
			return nil
		}
	}
	return err
}

type file struct{ *os.File }

func opened(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

func (f file) Sync() error                         { return unlessUnsupported(f.File.Sync()) }
func (f file) Hold() (release func(), locked bool) { return hold(f.File) }
