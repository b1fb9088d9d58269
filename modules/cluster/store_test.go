package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
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
	if s.held != 8 {
		t.Errorf("holds %d bytes, want 8", s.held)
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
	if err != nil || len(again.files) != 2 || again.held != 8 {
		t.Errorf("opened again, it holds %d files, %d bytes (error %v)", len(again.files), again.held, err)
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
