package batch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

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
func (r *Result) PutFiles(ctx context.Context, folder string, to Store) error {
	for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
		path, err := inside(folder, r.Files[kind])
		if err != nil {
			return err
		}
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

// RemoveFiles removes the files of a result from a folder, once a store has them.
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

// createFile creates a file and writes it; the name must be free.
func createFile(root filesystem.Folder, name string, write func(io.Writer) error) error {
	f, err := root.Create(name, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
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

// FolderStore is a [Store] in a folder of this machine that no other program writes to. If it
// would exceed its limit, it removes the least recently used files.
//
// The invariant that holds inside: before a caller gets the path of a file, the file is
// complete and its digest was checked since the store was opened.
type FolderStore struct {
	folder string
	// root is folder, opened; files are written through it.
	root  filesystem.Folder
	limit int64

	mu    sync.Mutex
	files map[string]*storedFile // by name: the digest, and a suffix
	held  int64                  // bytes
	clock int64
}

// storedFile is a file that is stored, or being fetched.
type storedFile struct {
	fetching sync.Mutex
	verified bool
	size     int64
	users    int
	used     int64 // when, by the clock of the store
}

// NewFolderStore opens the store in a folder, with the files that an earlier store has left; a
// missing folder is made. It holds at most limit bytes beside the files in use; 0 is no limit.
// Cost O(number of files n · log n).
func NewFolderStore(folder string, limit int64) (*FolderStore, error) {
	return newFolderStore(filesystem.OS{}, folder, limit)
}

func newFolderStore(system filesystem.System, folder string, limit int64) (*FolderStore, error) {
	root, err := openFolder(system, folder)
	if err != nil {
		return nil, inputfile.FileError(folder, err)
	}
	entries, err := root.ReadDir(".")
	if err != nil {
		_ = root.Close()
		return nil, inputfile.FileError(folder, err)
	}
	s := &FolderStore{folder: folder, root: root, limit: limit, files: map[string]*storedFile{}}
	changed := map[string]fs.FileInfo{}
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case strings.HasPrefix(e.Name(), hiddenPrefix):
			_ = root.Remove(e.Name())
		case len(e.Name()) >= digestDigits:
			s.held += info.Size()
			changed[e.Name()] = info
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(changed), func(a, b string) int {
		return cmp.Or(changed[a].ModTime().Compare(changed[b].ModTime()), cmp.Compare(a, b))
	}) {
		s.use(name).size = changed[name].Size()
	}
	s.shrink()
	return s, nil
}

// digestDigits is the length of a digest in hexadecimal digits.
const digestDigits = 2 * sha256.Size

// Open returns the content with this digest.
func (s *FolderStore) Open(_ context.Context, digest string) (io.ReadCloser, error) {
	f, err := s.root.Open(filepath.Base(digest))
	if err != nil {
		return nil, fmt.Errorf("%s: there is no file with the SHA-256 %s: %w", s.folder, digest, fs.ErrNotExist)
	}
	return f, nil
}

// Put stores the content of a reader.
func (s *FolderStore) Put(_ context.Context, content io.Reader) (digest string, err error) {
	path, digest, size, err := s.receive(func(w io.Writer) error {
		_, err := io.Copy(w, content)
		return err
	})
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return digest, s.keep(path, digest, size)
}

// receive writes a file under a hidden name.
func (s *FolderStore) receive(write func(io.Writer) error) (name, digest string, size int64, err error) {
	name = fmt.Sprintf("%s%016x", hiddenPrefix, rand.Uint64())
	f, err := s.root.Create(name, 0o600)
	if err != nil {
		return "", "", 0, folderError(s.folder, err)
	}
	h := sha256.New()
	err = write(io.MultiWriter(f, h))
	if info, told := f.Stat(); told == nil {
		size = info.Size()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = s.root.Remove(name)
		if _, bySystem := filesystem.Cause(err); bySystem {
			err = folderError(s.folder, err)
		}
		return "", "", 0, err
	}
	return name, hex.EncodeToString(h.Sum(nil)), size, nil
}

// keep renames a hidden file to its name. The caller holds the lock.
func (s *FolderStore) keep(hidden, name string, size int64) error {
	if err := s.root.Rename(hidden, name); err != nil {
		_ = s.root.Remove(hidden)
		return folderError(s.folder, err)
	}
	f := s.use(name)
	s.held += size - f.size
	f.size, f.verified = size, true
	s.shrink()
	return nil
}

// use returns the file of a name, which is the most recently used one from now on. The caller holds
// the lock, or is the only user.
func (s *FolderStore) use(name string) *storedFile {
	f := s.files[name]
	if f == nil {
		f = &storedFile{}
		s.files[name] = f
	}
	s.clock++
	f.used = s.clock
	return f
}

// Fetch returns the path of a file whose content has this digest and whose name has this suffix,
// such as .aut.gz: a stored file or, if there is none, a copy from another store. The file exists
// until release is called. The error is a *[DigestError] if the other store has another content
// under the digest. Cost O(size of the content) where it is used for the first time, else O(1).
func (s *FolderStore) Fetch(ctx context.Context, from Store, digest, suffix string) (path string, release func(), err error) {
	if !isDigest(digest) || strings.ContainsAny(suffix, `/\`) {
		return "", nil, fmt.Errorf("%q is not a SHA-256, or %q is not the suffix of a file", digest, suffix)
	}
	name := digest + suffix
	path = filepath.Join(s.folder, name)
	s.mu.Lock()
	f := s.use(name)
	f.users++
	s.mu.Unlock()
	release = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		f.users--
		s.shrink()
	}
	f.fetching.Lock()
	defer f.fetching.Unlock()
	if !f.verified {
		err = s.fetch(ctx, from, digest, name, path)
	}
	if err != nil {
		release()
		return "", nil, err
	}
	return path, release, nil
}

// fetch makes sure that a file exists and has its digest.
func (s *FolderStore) fetch(ctx context.Context, from Store, digest, name, path string) error {
	if found, err := Digest(ctx, path); err == nil && found == digest {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.files[name].verified = true
		return nil
	}
	received, _, size, err := s.receive(func(w io.Writer) error { return Verified(ctx, from, digest, w) })
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keep(received, name, size)
}

// shrink removes the least recently used files while the store exceeds its limit. The caller
// holds the lock, or is the only user.
func (s *FolderStore) shrink() {
	for s.limit > 0 && s.held > s.limit {
		oldest := ""
		for name, f := range s.files {
			if f.users == 0 && (oldest == "" || f.used < s.files[oldest].used) {
				oldest = name
			}
		}
		if oldest == "" {
			return
		}
		_ = s.root.Remove(oldest)
		s.held -= s.files[oldest].size
		delete(s.files, oldest)
	}
}

// isDigest reports whether a text is a SHA-256 in the form that [Digest] returns.
func isDigest(text string) bool {
	return len(text) == digestDigits && strings.Trim(text, "0123456789abcdef") == ""
}
