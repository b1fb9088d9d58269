// Package wholefile writes files that exist as a whole or not at all. A regular file that others
// can see under its name is complete. A file is written under a hidden name of its own in the same
// folder, and replaces the target in one step; a run that fails leaves the target unchanged and
// nothing beside it. Only a killed run leaves its hidden file behind; unlike a file in use it is
// not locked, and [RemoveLeftovers] removes it.
package wholefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	slashpath "path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/stoppable"
)

// Write calls write to fill the file at path. It flushes the contents to the disk before they
// replace what was at path, and the name after that.
//
// A new file has the permissions 0644 less the umask; a file that replaces another gets the
// permissions of the replaced one, and a file that nobody may write to is not replaced. If
// path is a symbolic link to a file, that file is replaced and the link stays. A file that is
// not regular (a device, a named pipe, /dev/stdout in any case) is written to directly,
// because it cannot be replaced.
//
// Errors of write are returned unchanged; all others begin with the path, and wrap the error of the
// operating system.
func Write(path string, write func(io.Writer) error) error {
	return WriteContext(context.Background(), path, write)
}

// WriteContext is [Write], but stops waiting for the reader of a pipe or terminal
// once ctx is done. It does not stop the function write.
func WriteContext(ctx context.Context, path string, write func(io.Writer) error) error {
	if isDescriptor(path) {
		return direct(ctx, path, write)
	}
	target := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		// The path does not exist or cannot be examined. If it cannot be examined, creating a file
		// fails, too, and with a better error.
		return writeTo(ctx, target, newFile(path, write))
	case info.IsDir():
		return fmt.Errorf("%s: is a folder; give the name of a file in it", path)
	case !info.Mode().IsRegular():
		return direct(ctx, path, write)
	case isReadOnly(info):
		return fmt.Errorf("%s: is read-only; make it writable or choose another name", path)
	default:
		return writeTo(ctx, target, replacement(path, info, write))
	}
}

// content says what is written to a regular file, and how.
type content struct {
	// path is the file as the caller named it. Errors begin with it.
	path  string
	write func(io.Writer) error
	// mode has the permissions of the file: exactly these if hasExactMode is set, and these less the
	// umask otherwise.
	mode         fs.FileMode
	hasExactMode bool
}

// newFile returns the content of a file that does not exist yet.
func newFile(path string, write func(io.Writer) error) content {
	return content{path: path, write: write, mode: 0o644}
}

// replacement returns the content of a file that replaces the file of info.
func replacement(path string, info fs.FileInfo, write func(io.Writer) error) content {
	return content{path: path, write: write, mode: info.Mode().Perm(), hasExactMode: true}
}

// isReadOnly reports whether nobody may write to a file.
func isReadOnly(info fs.FileInfo) bool { return info.Mode().Perm()&0o222 == 0 }

// In is [Write] for a file in an open folder. It refuses a link, and anything
// else that is no regular file.
func In(folder filesystem.Folder, name string, write func(io.Writer) error) error {
	path := filepath.Join(folder.Path(), filepath.FromSlash(name))
	if err := filesystem.RefuseLink(folder, name); err != nil {
		return err
	}
	info, err := folder.Lstat(name)
	switch {
	case err != nil:
		return replace(folder, name, newFile(path, write))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: is not a regular file; remove it, or choose another folder",
			path)
	case isReadOnly(info):
		return fmt.Errorf("%s: is read-only; make it writable or choose another name", path)
	default:
		return replace(folder, name, replacement(path, info, write))
	}
}

// writeTo opens the folder of the target, and creates or replaces the target in it.
func writeTo(ctx context.Context, target string, c content) error {
	folder, err := filesystem.Of(ctx).Open(filepath.Dir(target))
	if err != nil {
		return describeCreate(c.path, target, err)
	}
	defer folder.Close()
	return replace(folder, filepath.Base(target), c)
}

// isDescriptor reports whether path names an open file of the process. Such a
// file may be a log to which others append: it must be appended to, not replaced.
func isDescriptor(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return path == "/dev/stdout" || path == "/dev/stderr" ||
		strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// replace writes a hidden file beside the target and renames it to the target.
func replace(folder filesystem.Folder, target string, c content) error {
	f, err := createBeside(folder, target, c.mode)
	if err != nil {
		return describeCreate(c.path, filepath.Join(folder.Path(), filepath.FromSlash(target)),
			err)
	}
	defer f.release()
	// This also runs when write panics: then the panic continues, but leaves no file behind.
	renamed := false
	defer func() {
		if !renamed {
			_ = f.Close()
			_ = folder.Remove(f.name)
		}
	}()
	if c.hasExactMode {
		if err := f.Chmod(c.mode); err != nil {
			return failed(c.path, "cannot get the permissions of the file it replaces", err)
		}
	}
	if err := fill(f, c.path, c.write); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return failed(c.path, "cannot be flushed to the disk", err)
	}
	if err := f.Close(); err != nil {
		return failed(c.path, "cannot be closed", err)
	}
	if err := folder.Rename(f.name, target); err != nil {
		return failed(c.path, "cannot be replaced", err)
	}
	renamed = true
	return failed(c.path, "its name cannot be flushed to the disk",
		folder.Sync(slashpath.Dir(target)))
}

// describeCreate explains why no file can be created beside the target.
func describeCreate(path, target string, err error) error {
	folder := filepath.Dir(target)
	info, statErr := os.Stat(folder)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no folder %s; create it first: %w", path, folder,
			fs.ErrNotExist)
	case statErr == nil && !info.IsDir():
		return failed(path, folder+" is a file, not a folder", err)
	}
	return failed(path, "cannot create a file in the folder "+folder, err)
}

// direct writes to a file that is not regular.
func direct(ctx context.Context, path string, write func(io.Writer) error) error {
	open := func() (*os.File, error) { return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0) }
	closeLate := func(f *os.File) { f.Close() } // closes a file that was opened only after ctx was done
	f, _, err := stoppable.Do(ctx, open, closeLate)
	if err != nil {
		return failed(path, "cannot be opened for writing", err)
	}
	if err := fill(&stoppable.Writer{Ctx: ctx, W: f}, path, write); err != nil {
		if ctx.Err() != nil {
			contained.Go(func() { _ = f.Close() }) // closing may wait, too
			return err
		}
		f.Close()
		return err
	}
	return failed(path, "cannot be closed", f.Close())
}

// fill calls write with f. It fails if any write to f failed, even if write did not return that
// error.
func fill(f io.Writer, path string, write func(io.Writer) error) error {
	w := &writer{file: f, path: path}
	if err := write(w); err != nil {
		return err
	}
	return w.err
}

// writer records the first error of a file, with the target's name instead of the
// hidden name.
type writer struct {
	file io.Writer
	path string
	err  error
}

func (w *writer) Write(data []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.file.Write(data)
	w.err = failed(w.path, "cannot be written", err)
	return n, w.err
}

// failed returns an error that begins with the path and the problem, nil if err is nil. It leaves out the
// hidden name that err may contain.
func failed(path, problem string, err error) error {
	if err == nil {
		return nil
	}
	cause, _ := filesystem.Cause(err)
	return fmt.Errorf("%s: %s: %w", path, problem, cause)
}

// hiddenName matches the names of files that are being written.
var hiddenName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.inev-[0-9a-f]{8}\.tmp$`)
})

// IsLeftover reports whether a name, without its folder, is that of a file that
// is being written, or that a killed run has left.
func IsLeftover(name string) bool { return hiddenName().MatchString(name) }

// RemoveLeftovers removes the files in a folder that killed runs have left. Files
// that are being written are locked, and stay.
func RemoveLeftovers(folder filesystem.Folder) error {
	entries, err := folder.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !IsLeftover(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if err := removeLeftover(folder, e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeLeftover removes a file that an interrupted run has left, unless a running program has locked it.
func removeLeftover(folder filesystem.Folder, name string) error {
	f, err := folder.Open(name)
	if err != nil {
		return err
	}
	if !filesystem.Lock(f) {
		return f.Close()
	}
	err = folder.Remove(name) // while the file is locked, on systems that can remove an open file
	_ = f.Close()
	if err != nil {
		err = folder.Remove(name)
	}
	return err
}

// hiddenFile is a file that is being written. It is locked until release is called.
type hiddenFile struct {
	filesystem.File
	name    string
	release func()
}

// createBeside creates a file with a new hidden name in the folder of the target. It does not use
// os.CreateTemp, whose files have the mode 0600. That mode could not be changed later to what the umask
// allows, because reading the umask changes it.
func createBeside(
	folder filesystem.Folder,
	target string,
	mode fs.FileMode,
) (*hiddenFile, error) {
	const attempts = 100
	var err error
	for range attempts {
		var f *hiddenFile
		name := fmt.Sprintf(".inev-%08x.tmp", rand.Uint32())
		f, err = createLocked(folder, slashpath.Join(slashpath.Dir(target), name), mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, err
}

// createLocked creates and locks a file. It fails with [fs.ErrExist] if another file has this name, or if
// another process has removed the file, as a leftover, before it was locked.
func createLocked(folder filesystem.Folder, name string, mode fs.FileMode) (*hiddenFile, error) {
	f, err := folder.Create(name, mode)
	if err != nil {
		return nil, err
	}
	release, isLocked := f.Hold()
	_, err = folder.Lstat(name)
	if isLocked && err == nil {
		return &hiddenFile{File: f, name: name, release: release}, nil
	}
	release()
	_ = f.Close()
	_ = folder.Remove(name) // unless the other process has done that
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return nil, fs.ErrExist
}
