package cluster

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
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/inputfile"
)

// FolderStore is a [batch.Store] in a folder of this machine that no other program writes to. If it
// would exceed its limit, it removes the least recently used files.
//
// The invariant that holds inside: before a caller gets the path of a file, the file is
// complete and its digest has been checked since the store was opened.
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

// hiddenPrefix begins the names of incomplete files.
const hiddenPrefix = ".unfinished-"

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

func newFolderStore(
	system filesystem.System,
	folder string,
	limit int64,
) (*FolderStore, error) {
	err := system.MkdirAll(folder)
	if err != nil {
		return nil, inputfile.FileError(folder, err)
	}
	root, err := system.Open(folder)
	if err != nil {
		return nil, inputfile.FileError(folder, err)
	}
	entries, err := root.ReadDir(".")
	if err != nil {
		_ = root.Close()
		return nil, inputfile.FileError(folder, err)
	}
	s := &FolderStore{
		folder: folder,
		root:   root,
		limit:  limit,
		files:  map[string]*storedFile{},
	}
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
		return nil, fmt.Errorf("%s: there is no file with the SHA-256 %s: %w", s.folder, digest,
			fs.ErrNotExist)
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
		return "", "", 0, s.failed(err)
	}
	h := sha256.New()
	err = write(io.MultiWriter(f, h))
	if info, told := f.Stat(); told == nil {
		size = info.Size()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = s.root.Remove(name)
		if _, bySystem := filesystem.Cause(err); bySystem {
			err = s.failed(err)
		}
		return "", "", 0, err
	}
	return name, hex.EncodeToString(h.Sum(nil)), size, nil
}

// keep renames a hidden file to its name. The caller holds the lock.
func (s *FolderStore) keep(hidden, name string, size int64) error {
	if err := s.root.Rename(hidden, name); err != nil {
		_ = s.root.Remove(hidden)
		return s.failed(err)
	}
	f := s.use(name)
	s.held += size - f.size
	f.size, f.verified = size, true
	s.shrink()
	return nil
}

func (s *FolderStore) failed(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: the folder cannot be used: %w; choose another one with -o", s.folder,
		err)
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
// until release is called. The error is a *[batch.DigestError] if the other store has another content
// under the digest. Cost O(size of the content) where it is used for the first time, else O(1).
func (s *FolderStore) Fetch(
	ctx context.Context,
	from batch.Store,
	digest, suffix string,
) (path string, release func(), err error) {
	if !isDigest(digest) || strings.ContainsAny(suffix, `/\`) {
		return "", nil, fmt.Errorf("%q is not a SHA-256, or %q is not the suffix of a file",
			digest, suffix)
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
func (s *FolderStore) fetch(
	ctx context.Context,
	from batch.Store,
	digest, name, path string,
) error {
	if found, err := batch.Digest(ctx, path); err == nil && found == digest {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.files[name].verified = true
		return nil
	}
	received, _, size, err := s.receive(func(w io.Writer) error {
		return batch.Verified(ctx, from, digest, w)
	})
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

// isDigest reports whether a text is a SHA-256 in the form that [batch.Digest] returns.
func isDigest(text string) bool {
	return len(text) == digestDigits && strings.Trim(text, "0123456789abcdef") == ""
}
