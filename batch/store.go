package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/inev-lts/inev/internal/filesystem"
)

// Store keeps files by the SHA-256 of their content: models, and what jobs write, on
// their way between machines. Methods are called by many goroutines.
type Store interface {
	// Open returns the content with this digest. It fails if there is none; what is
	// read may be damaged, and whoever needs to be sure compares its digest, as
	// [Verified] does.
	Open(ctx context.Context, digest string) (io.ReadCloser, error)
	// Put keeps what it reads, once, and returns its digest.
	Put(ctx context.Context, content io.Reader) (digest string, err error)
}

// DigestError tells that a content is not the one that was asked for.
type DigestError struct{ Found, Wanted string }

func (e *DigestError) Error() string {
	return fmt.Sprintf("is damaged: its SHA-256 is %s, expected %s", e.Found, e.Wanted)
}

// Verified copies the content with a digest from a store to w. The error is a
// *[DigestError] where it is another one; what has been written is of no use then.
// Cost O(size of the content).
func Verified(ctx context.Context, from Store, digest string, w io.Writer) error {
	content, err := from.Open(ctx, digest)
	if err != nil {
		return err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(w, h), content)
	if err = errors.Join(err, content.Close()); err != nil {
		return err
	}
	if found := hex.EncodeToString(h.Sum(nil)); found != digest {
		return &DigestError{found, digest}
	}
	return nil
}

// PutFiles puts the files of a result that was made here, in a folder, into a store.
// Cost O(size of the files).
func (r *Result) PutFiles(ctx context.Context, folder string, to Store) error {
	for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
		path, err := inside(folder, r.Files[kind])
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return fileError(path, err)
		}
		digest, err := to.Put(ctx, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if digest != r.Digests[kind] {
			return fmt.Errorf("%s: %w", path, &DigestError{digest, r.Digests[kind]})
		}
	}
	return nil
}

// FetchFiles writes the files of a result that was made elsewhere into a folder of
// results, where they appear as a whole or not at all. It fails if a name is not the
// one that a job of this name and key writes, or a content is damaged. Cost O(size of
// the files).
func (r *Result) FetchFiles(ctx context.Context, from Store, folder string) error {
	if len(r.Files) == 0 {
		return nil
	}
	own := folderOf(r.Job.Name)
	for kind, name := range r.Files {
		if file := fileOf(kind); file == "" || name != own+"/"+file {
			return fmt.Errorf("a worker has written %q as %q, which no job does", name, kind)
		}
	}
	root, err := openFolder(filesystem.Of(ctx), folder)
	if err != nil {
		return folderError(folder, err)
	}
	defer root.Close()
	return inFolder(root, own, func(hidden string) (some bool, err error) {
		for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
			if err := fetch(ctx, from, r.Digests[kind], root, hidden+"/"+fileOf(kind)); err != nil {
				return false, err
			}
		}
		return true, nil
	})
}

// RemoveFiles removes the files of a result from a folder, where they have been put into a
// store.
func (r *Result) RemoveFiles(folder string) error {
	if len(r.Files) == 0 {
		return nil
	}
	return os.RemoveAll(filepath.Join(folder, filepath.FromSlash(folderOf(r.Job.Name))))
}

// fetch writes the content with a digest to a file.
func fetch(ctx context.Context, from Store, digest string, root filesystem.Folder, name string) error {
	return createFile(root, name, func(w io.Writer) error { return Verified(ctx, from, digest, w) })
}

// createFile writes a file that is not there yet.
func createFile(root filesystem.Folder, name string, write func(io.Writer) error) error {
	f, err := root.Create(name, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// fileOf returns the name of the file that a job writes of a kind, "" if there is no
// such kind.
func fileOf(kind string) string {
	if kind == logKind {
		return logFile
	}
	for _, o := range outputs {
		if o.kind == kind {
			return o.file
		}
	}
	return ""
}

// logKind is the kind of the file that tells of a crash.
const (
	logKind = "log"
	logFile = "log.txt"
)
