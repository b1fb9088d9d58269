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

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/inputfile"
)

// Store keeps files by the SHA-256 of their content: models, and the files of jobs, on their
// way between machines. Methods are called by many goroutines.
type Store interface {
	// Open returns the content with this digest. It fails if the store has no such content. The
	// content may be damaged; [Verified] checks it.
	Open(ctx context.Context, digest string) (io.ReadCloser, error)
	// Put stores the content of a reader, once, and returns its digest.
	Put(ctx context.Context, content io.Reader) (digest string, err error)
}

// DigestError reports that a file does not have the digest under which it is stored.
type DigestError struct{ Found, Wanted string }

func (e *DigestError) Error() string {
	return fmt.Sprintf("is damaged: its SHA-256 is %s, expected %s", e.Found, e.Wanted)
}

// Verified copies the content with a digest from a store to w. The error is a *[DigestError] if
// the content does not have it; then what was written to w must be discarded. Cost O(size of
// the content).
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

// PutFiles puts the files of a result, which lie in a folder of this machine, into a store.
// Cost O(size of the files).
func (r *Result) PutFiles(ctx context.Context, folder string, to Store) (err error) {
	defer abort.Caught(&err)
	for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
		path := inside(folder, r.Files[kind])
		f, err := inputfile.OpenRegular(ctx, path)
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

// FetchFiles writes the files of a result that was made elsewhere into a folder of results, where
// they appear as a whole or not at all. It fails if a file does not have the name that this job
// would give it, or if its content is damaged. Cost O(size of the files).
func (r *Result) FetchFiles(ctx context.Context, from Store, folder string) (err error) {
	defer abort.Caught(&err)
	if len(r.Files) == 0 {
		return nil
	}
	own := folderOf(r.Job.Name)
	for kind, name := range r.Files {
		if file := fileOf(kind); file == "" || name != own+"/"+file {
			return fmt.Errorf("a worker has written %q as %q, which no job does", name, kind)
		}
	}
	root := openFolder(ctx, folder)
	defer root.Close()
	inFolder(root, own, func(hidden string) (some bool) {
		for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
			createFile(root, hidden+"/"+fileOf(kind), func(w io.Writer) error { return Verified(ctx, from, r.Digests[kind], w) })
		}
		return true
	})
	return nil
}

// RemoveFiles removes the files of a result from a folder, once a store has them.
func (r *Result) RemoveFiles(folder string) error {
	if len(r.Files) == 0 {
		return nil
	}
	return os.RemoveAll(filepath.Join(folder, filepath.FromSlash(folderOf(r.Job.Name))))
}

// createFile creates a file and writes it; the name must be free.
func createFile(root filesystem.Folder, name string, write func(io.Writer) error) {
	f := abort.Must(root.Create(name, 0o644))
	abort.On(errors.Join(write(f), f.Close()))
}

// fileOf returns the name of the file of this kind, "" if jobs write no such kind.
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

// logKind is the kind of the file with the stack of a crash.
const (
	logKind = "log"
	logFile = "log.txt"
)
