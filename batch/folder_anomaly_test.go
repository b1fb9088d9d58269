package batch

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/inev-lts/inev/internal/testing/anomaly"
)

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
			if err := Verified(ctx, s, digest, &text); err != nil || text.String() != "three" {
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
