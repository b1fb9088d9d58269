package cluster

import (
	"bytes"
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
	"syscall"
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/testing/anomaly"
)

func newStore(t *testing.T, limit int64) *FolderStore {
	t.Helper()
	s, err := NewFolderStore(filepath.Join(t.TempDir(), "store"), limit)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// TestFolderStoreForgets: what is in use stays, of the rest what was used last.
func TestFolderStoreForgets(t *testing.T) {
	ctx := context.Background()
	source, s := newStore(t, 0), newStore(t, 8)
	var digests []string
	for _, text := range []string{"aaaa", "bbbb", "cccc", "dddd"} {
		digest, err := source.Put(ctx, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest)
	}
	fetch := func(i int) (path string, release func()) {
		t.Helper()
		path, release, err := s.Fetch(ctx, source, digests[i], ".aut")
		if err != nil {
			t.Fatal(err)
		}
		return path, release
	}
	first, release := fetch(0)
	for i := 1; i < 4; i++ {
		_, done := fetch(i)
		done()
	}
	if s.totalSize != 8 {
		t.Errorf("holds %d bytes, want 8", s.totalSize)
	}
	if text, err := os.ReadFile(first); string(text) != "aaaa" {
		t.Errorf("what is in use is %q (error %v)", text, err)
	}
	release()
	_, done := fetch(2)
	done()
	if _, err := os.Stat(first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was not used for longest is there still (error %v)", err)
	}

	again, err := NewFolderStore(s.folder, 8)
	if err != nil || len(again.files) != 2 || again.totalSize != 8 {
		t.Errorf("opened again, it holds %d files, %d bytes (error %v)", len(again.files), again.totalSize, err)
	}
	for name := range again.files {
		if err := os.WriteFile(filepath.Join(s.folder, name), []byte("xxxx"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path, done, err := again.Fetch(ctx, source, digests[2], ".aut")
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if text, _ := os.ReadFile(path); string(text) != "cccc" {
		t.Errorf("a file that was damaged is %q", text)
	}
}

// TestFolderStoreRefuses: a content that another store has under a wrong digest is taken
// from nowhere, nor is one that leads out of the folder.
func TestFolderStoreRefuses(t *testing.T) {
	ctx := context.Background()
	s := newStore(t, 0)
	var wrong *batch.DigestError
	if _, _, err := s.Fetch(ctx, lying{}, sumOf("right"), ".aut"); !errors.As(err, &wrong) {
		t.Errorf("error %v, want that of a digest", err)
	}
	for _, name := range []string{"", "../../x", strings.Repeat("x", digestDigits)} {
		if _, _, err := s.Fetch(ctx, lying{}, name, ".aut"); err == nil {
			t.Errorf("fetched %q", name)
		}
	}
	if _, _, err := s.Fetch(ctx, lying{}, sumOf("wrong"), "/../x"); err == nil {
		t.Error("fetched to another folder")
	}
	entries, err := os.ReadDir(s.folder)
	if err != nil || len(entries) > 0 {
		t.Errorf("left over: %v (error %v)", entries, err)
	}
}

// TestFolderStoreForgetsFailures: a file that could not be fetched leaves nothing in the store, and
// does not make it forget a file that is fetched at the same time, or that lies in the folder.
func TestFolderStoreForgetsFailures(t *testing.T) {
	ctx := context.Background()
	source := newStore(t, 0)
	good, err := source.Put(ctx, strings.NewReader("good"))
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(t, 100)
	_, release, err := s.Fetch(ctx, source, good, ".aut")
	if err != nil {
		t.Fatal(err)
	}
	release()
	var failing sync.WaitGroup
	for i := range 50 {
		failing.Go(func() {
			if _, _, err := s.Fetch(ctx, lying{}, sumOf(fmt.Sprint(i%10)), ".aut"); err == nil {
				t.Error("fetched a wrong content")
			}
			if _, err := s.Open(ctx, sumOf(fmt.Sprint(i%10))); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("error %v, want that there is no such file", err)
			}
		})
	}
	failing.Wait()
	if names := slices.Collect(maps.Keys(s.files)); !slices.Equal(names, []string{good + ".aut"}) {
		t.Errorf("the store holds %q, want the one file that was fetched", names)
	}
	if s.totalSize != 4 {
		t.Errorf("holds %d bytes, want 4", s.totalSize)
	}

	again, err := NewFolderStore(s.folder, 100)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(s.folder, good+".aut")
	if err := os.WriteFile(damaged, []byte("xxxx"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := again.Fetch(ctx, lying{}, good, ".aut"); err == nil {
		t.Error("fetched a wrong content in place of a damaged one")
	}
	if len(again.files) != 1 || again.totalSize != 4 {
		t.Errorf("holds %d files, %d bytes; the damaged file lies in the folder", len(again.files), again.totalSize)
	}
}

// TestFolderStoreOpens: Open gives only contents that have the digest, and of this folder.
func TestFolderStoreOpens(t *testing.T) {
	ctx := context.Background()
	s := newStore(t, 0)
	digest, err := s.Put(ctx, strings.NewReader("right"))
	if err != nil {
		t.Fatal(err)
	}
	opened := func(s *FolderStore) (string, error) {
		content, err := s.Open(ctx, digest)
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(content)
		return string(text), errors.Join(err, content.Close())
	}
	if text, err := opened(s); err != nil || text != "right" {
		t.Errorf("%q (error %v)", text, err)
	}
	for _, name := range []string{"", ".", "../" + digest, digest[1:], digest + ".aut", strings.ToUpper(digest), sumOf("other")} {
		if _, err := s.Open(ctx, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("opened %q: error %v, want that there is no such file", name, err)
		}
	}

	if err := os.WriteFile(filepath.Join(s.folder, digest), []byte("wrong"), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := NewFolderStore(s.folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	var wrong *batch.DigestError
	if text, err := opened(again); !errors.As(err, &wrong) || wrong.Found != sumOf("wrong") || wrong.Wanted != digest {
		t.Errorf("a damaged file is %q, error %v", text, err)
	}
	if _, err := again.Put(ctx, strings.NewReader("right")); err != nil {
		t.Fatal(err)
	}
	if text, err := opened(again); err != nil || text != "right" {
		t.Errorf("after the damaged file was replaced, it is %q (error %v)", text, err)
	}
}

// lying is a store that has the same content for every digest.
type lying struct{}

func (lying) Open(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("wrong")), nil
}
func (lying) Put(context.Context, io.Reader) (string, error) { return "", errors.ErrUnsupported }

// TestFolderStoreFaults: whatever operation of a store fails, and after whatever operation the
// power is lost, nobody gets a content that is not the one of its digest, and a store that is
// opened again gives all of them.
func TestFolderStoreFaults(t *testing.T) {
	ctx := context.Background()
	contents := []string{strings.Repeat("one", 50_000), "two", ""}
	source := newStore(t, 0)
	var digests []string
	for _, text := range contents {
		digest, err := source.Put(ctx, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest)
	}
	// use fetches all contents, one of them by Put, and returns the first error.
	use := func(system *anomaly.System, folder string) (failed error) {
		s, err := newFolderStore(system, folder, 140_000)
		if err != nil {
			return err
		}
		for i, digest := range digests {
			path, release, err := s.Fetch(ctx, source, digest, ".aut")
			if err == nil {
				var text []byte
				if text, err = os.ReadFile(path); err != nil || string(text) != contents[i] {
					t.Errorf("%d bytes of %d (error %v)", len(text), len(contents[i]), err)
				}
				release()
			}
			if failed == nil {
				failed = err
			}
		}
		if digest, err := s.Put(ctx, strings.NewReader("three")); err != nil && failed == nil {
			failed = err
		} else if err == nil {
			var text bytes.Buffer
			if err := batch.Verified(ctx, s, digest, &text); err != nil || text.String() != "three" {
				t.Errorf("%q (error %v)", text.String(), err)
			}
		}
		return failed
	}
	calm, base := anomaly.New(anomaly.Fault{}), t.TempDir()
	if err := use(calm, filepath.Join(base, "store")); err != nil {
		t.Fatal(err)
	}
	for at := range calm.Count() {
		system := anomaly.New(anomaly.Fault{At: at, Err: []error{syscall.ENOSPC, syscall.EIO}[at%2], Stays: at%3 == 0})
		folder := filepath.Join(t.TempDir(), "store")
		if err := use(system, folder); err != nil && !strings.Contains(err.Error(), folder) {
			t.Errorf("%s: the error %q does not name the folder", system.Failed(), err)
		}
		left := t.TempDir()
		if err := calm.Lose(base, at, left, rand.New(rand.NewPCG(1, uint64(at)))); err != nil {
			t.Fatal(err)
		}
		for _, folder := range []string{folder, filepath.Join(left, "store")} {
			if err := use(anomaly.New(anomaly.Fault{}), folder); err != nil {
				t.Errorf("after operation %d, %s: %v", at, system.Failed(), err)
			}
		}
	}
}
