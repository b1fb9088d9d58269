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
// would exceed its limit, it removes the least recently used files. Before a caller gets the path
// of a file, the file is complete and its digest has been checked since the store was opened.
type FolderStore struct {
	folder string
	// root is folder, opened; files are written through it.
	root  filesystem.Folder
	limit int64

	mu        sync.Mutex
	files     map[string]*storedFile // by name: the digest, and a suffix
	totalSize int64                  // bytes
	clock     int64
}

// hiddenPrefix begins the names of incomplete files.
const hiddenPrefix = ".unfinished-"

// storedFile is a file that is stored, or being fetched. The mutex of the store guards the fields
// below checking.
type storedFile struct {
	// checking is held while the file is fetched or its digest is computed, so that this happens
	// once.
	checking sync.Mutex
	stored   bool // the folder has a file of this name
	verified bool // the digest has been checked since the store was opened
	size     int64
	users    int
	lastUse  int64 // by the clock of the store
}

// NewFolderStore opens the store in a folder, with the files that an earlier store has left; a
// missing folder is made. It holds at most limit bytes beside the files in use; 0 is no limit.
// Cost O(number of files n · log n).
func NewFolderStore(folder string, limit int64) (*FolderStore, error) {
	return newFolderStore(filesystem.OS{}, folder, limit)
}

// newFolderStore is [NewFolderStore] in a given file system.
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
	s.adopt(entries)
	s.shrink()
	return s, nil
}

// adopt adds the files that an earlier store has left in the folder; the file that was changed last
// counts as the most recently used one. It removes incomplete files.
func (s *FolderStore) adopt(entries []fs.DirEntry) {
	var complete []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case strings.HasPrefix(e.Name(), hiddenPrefix):
			_ = s.root.Remove(e.Name())
		case len(e.Name()) >= digestDigits:
			complete = append(complete, info)
		}
	}
	slices.SortFunc(complete, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, info := range complete {
		f := s.markUsed(info.Name())
		f.stored = true
		f.size = info.Size()
		s.totalSize += f.size
	}
}

// digestDigits is the length of a digest in hexadecimal digits.
const digestDigits = 2 * sha256.Size

// Open returns the content with this digest. The error wraps [fs.ErrNotExist] if the store has no
// such content, and is a *[batch.DigestError] if the file has been damaged. Cost O(size of the
// content) where it is used for the first time, else O(1).
func (s *FolderStore) Open(ctx context.Context, digest string) (io.ReadCloser, error) {
	if !isDigest(digest) {
		return nil, fmt.Errorf("%q is not a SHA-256: %w", digest, fs.ErrNotExist)
	}
	f, release := s.acquire(digest)
	defer release()
	f.checking.Lock()
	defer f.checking.Unlock()
	if !s.isStored(f) {
		return nil, fmt.Errorf("%s: there is no file with the SHA-256 %s: %w", s.folder, digest,
			fs.ErrNotExist)
	}
	if err := s.check(ctx, f, digest, digest); err != nil {
		return nil, err
	}
	// From here on, only a file with the same content can take the place of this one.
	content, err := s.root.Open(digest)
	if err != nil {
		return nil, s.unusableError(err)
	}
	return content, nil
}

// Put stores the content of a reader.
func (s *FolderStore) Put(_ context.Context, content io.Reader) (digest string, err error) {
	received, err := s.receive(func(w io.Writer) error {
		_, err := io.Copy(w, content)
		return err
	})
	if err != nil {
		return "", err
	}
	return received.digest, s.giveName(received, received.digest)
}

// hiddenFile is a complete file that has not got its name yet.
type hiddenFile struct {
	hiddenName string
	digest     string
	size       int64
}

// receive writes a file under a hidden name.
func (s *FolderStore) receive(write func(io.Writer) error) (*hiddenFile, error) {
	name := fmt.Sprintf("%s%016x", hiddenPrefix, rand.Uint64())
	f, err := s.root.Create(name, 0o600)
	if err != nil {
		return nil, s.unusableError(err)
	}
	hash := sha256.New()
	size := &byteCounter{}
	err = write(io.MultiWriter(f, hash, size))
	err = errors.Join(err, f.Close())
	if err != nil {
		_ = s.root.Remove(name)
		if _, bySystem := filesystem.Cause(err); bySystem {
			err = s.unusableError(err)
		}
		return nil, err
	}
	return &hiddenFile{
		hiddenName: name,
		digest:     hex.EncodeToString(hash.Sum(nil)),
		size:       size.bytes,
	}, nil
}

// byteCounter is a writer that counts what is written to it.
type byteCounter struct{ bytes int64 }

func (c *byteCounter) Write(text []byte) (int, error) {
	c.bytes += int64(len(text))
	return len(text), nil
}

// giveName gives a hidden file its name.
func (s *FolderStore) giveName(received *hiddenFile, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.root.Rename(received.hiddenName, name); err != nil {
		_ = s.root.Remove(received.hiddenName)
		return s.unusableError(err)
	}
	f := s.markUsed(name)
	s.totalSize += received.size - f.size
	f.size = received.size
	f.stored = true
	f.verified = true
	s.shrink()
	return nil
}

func (s *FolderStore) unusableError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: the folder cannot be used: %w; choose another one with -o", s.folder,
		err)
}

// markUsed returns the file of a name, which is the most recently used one from now on. The caller holds
// the lock, or is the only user.
func (s *FolderStore) markUsed(name string) *storedFile {
	f := s.files[name]
	if f == nil {
		f = &storedFile{}
		s.files[name] = f
	}
	s.clock++
	f.lastUse = s.clock
	return f
}

// acquire returns the file of a name, which shrink leaves alone until release is called. If the
// folder has no such file by then, the store forgets the name.
func (s *FolderStore) acquire(name string) (f *storedFile, release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f = s.markUsed(name)
	f.users++
	release = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		f.users--
		if f.users == 0 && !f.stored {
			delete(s.files, name)
		}
		s.shrink()
	}
	return f, release
}

func (s *FolderStore) isStored(f *storedFile) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f.stored
}

func (s *FolderStore) isVerified(f *storedFile) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f.verified
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
	f, release := s.acquire(name)
	f.checking.Lock()
	defer f.checking.Unlock()
	if s.check(ctx, f, name, digest) != nil {
		err = s.copyFrom(ctx, from, digest, name)
	}
	if err != nil {
		release()
		return "", nil, err
	}
	return filepath.Join(s.folder, name), release, nil
}

// check computes the digest of a file, unless that has been done since the store was opened. The
// error is a *[batch.DigestError] if it is not the given one. The caller holds f.checking.
func (s *FolderStore) check(ctx context.Context, f *storedFile, name, digest string) error {
	if s.isVerified(f) {
		return nil
	}
	path := filepath.Join(s.folder, name)
	found, err := batch.Digest(ctx, path)
	if err != nil {
		return err
	}
	if found != digest {
		return fmt.Errorf("%s: %w", path, &batch.DigestError{Found: found, Wanted: digest})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.verified = true
	return nil
}

// copyFrom stores the content of another store under a name.
func (s *FolderStore) copyFrom(
	ctx context.Context,
	from batch.Store,
	digest, name string,
) error {
	received, err := s.receive(func(w io.Writer) error {
		return batch.Verified(ctx, from, digest, w)
	})
	if err != nil {
		return err
	}
	return s.giveName(received, name)
}

// shrink removes the least recently used files while the store exceeds its limit. The caller
// holds the lock, or is the only user.
func (s *FolderStore) shrink() {
	for s.limit > 0 && s.totalSize > s.limit {
		name := s.leastRecentlyUsed()
		if name == "" {
			return
		}
		_ = s.root.Remove(name)
		s.totalSize -= s.files[name].size
		delete(s.files, name)
	}
}

// leastRecentlyUsed returns the name of a file that nobody uses; "" if all files are in use.
func (s *FolderStore) leastRecentlyUsed() string {
	oldest := ""
	for name, f := range s.files {
		if f.users > 0 {
			continue
		}
		if oldest == "" || f.lastUse < s.files[oldest].lastUse {
			oldest = name
		}
	}
	return oldest
}

// isDigest reports whether a text is a SHA-256 in the form that [batch.Digest] returns.
func isDigest(text string) bool {
	return len(text) == digestDigits && strings.Trim(text, "0123456789abcdef") == ""
}
