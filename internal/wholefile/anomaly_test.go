package wholefile_test

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/testing/anomaly"
	"github.com/inev-lts/inev/internal/wholefile"
)

// TestFaults: whatever operation fails, the file is the old one or the new one, the error
// names it, and nothing is left beside it unless it cannot be removed.
func TestFaults(t *testing.T) {
	for _, old := range []string{"", "old"} {
		const most = 10 // operations; later ones are those of a calm run
		for at := range most {
			for _, fault := range []error{nil, syscall.ENOSPC, syscall.EIO, syscall.EINTR} {
				folder := t.TempDir()
				path := filepath.Join(folder, "out.json")
				if old != "" {
					if err := os.WriteFile(path, []byte(old), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				system := anomaly.New(anomaly.Fault{At: at, Err: fault})
				err := wholefile.WriteContext(filesystem.With(context.Background(), system), path, writes("new and longer"))
				text, _ := os.ReadFile(path)
				switch {
				case system.Failed() == "" && (err != nil || string(text) != "new and longer"):
					t.Fatalf("%q, error %v", text, err)
				case system.Failed() != "" && (err == nil || !strings.HasPrefix(err.Error(), path+": ") || strings.Contains(err.Error(), ".inev-")):
					t.Errorf("%s: error %v, want one that begins with %s", system.Failed(), err, path)
				case string(text) != old && string(text) != "new and longer":
					t.Errorf("%s: the file is %q", system.Failed(), text)
				}
				if entries, _ := os.ReadDir(folder); len(entries) > 1 {
					t.Errorf("%s: there are %v", system.Failed(), entries)
				}
			}
		}
	}
}

// TestPowerLoss: after whatever operation the power is lost, the file is whole, the old one
// or the new one, and the new one once its writing has come to its end.
func TestPowerLoss(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "out.json")
	system := anomaly.New(anomaly.Fault{})
	ctx := filesystem.With(context.Background(), system)
	var ends []int
	all := []string{"first", "second and longer", "third"}
	for _, text := range all {
		if err := wholefile.WriteContext(ctx, path, writes(text)); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, system.Count())
	}
	for n := range system.Count() + 1 {
		for seed := range uint64(50) {
			left := t.TempDir()
			if err := system.Lose(base, n, left, rand.New(rand.NewPCG(seed, uint64(n)))); err != nil {
				t.Fatal(err)
			}
			written, _ := slices.BinarySearch(ends, n+1) // so many were complete
			may := slices.Clone(all[max(0, written-1):min(len(all), written+1)])
			if written == 0 {
				may = append(may, "")
			}
			if text, _ := os.ReadFile(filepath.Join(left, "out.json")); !slices.Contains(may, string(text)) {
				t.Fatalf("after %d operations, seed %d: %q, want one of %q", n, seed, text, may)
			}
		}
	}
}

// blindSystem is a file system that cannot look at files that were created in it.
type blindSystem struct{ filesystem.OS }

func (s blindSystem) Open(path string) (filesystem.Folder, error) {
	f, err := s.OS.Open(path)
	return blindFolder{f}, err
}

type blindFolder struct{ filesystem.Folder }

func (blindFolder) Lstat(name string) (fs.FileInfo, error) {
	return nil, &fs.PathError{Op: "lstat", Path: name, Err: syscall.EIO}
}

// TestUnseenFileIsRemoved: a hidden file that was created and cannot be looked at does not stay.
func TestUnseenFileIsRemoved(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out.json")
	err := wholefile.WriteContext(filesystem.With(context.Background(), blindSystem{}), path, writes("new"))
	if !errors.Is(err, syscall.EIO) || !strings.HasPrefix(err.Error(), path+": ") || strings.Contains(err.Error(), ".inev-") {
		t.Errorf("error %v, want an input/output error of %s", err, path)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) > 0 {
		t.Errorf("there are %v (%v)", entries, err)
	}
}
