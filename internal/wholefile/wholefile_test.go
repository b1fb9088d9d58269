package wholefile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/wholefile"
)

func writes(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// holds checks that the folder holds exactly these files with these contents.
func holds(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		text, known := want[entry.Name()]
		if !known {
			t.Errorf("%s was left behind", entry.Name())
			continue
		}
		if got, err := os.ReadFile(filepath.Join(folder, entry.Name())); err != nil || string(got) != text {
			t.Errorf("%s holds %q (error %v), want %q", entry.Name(), got, err, text)
		}
	}
	if len(entries) < len(want) {
		t.Errorf("%d files, want %d", len(entries), len(want))
	}
}

func TestWriteCreatesAndReplaces(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out.json")
	for _, text := range []string{"first, and long\n", "second\n"} {
		if err := wholefile.Write(path, writes(text)); err != nil {
			t.Fatal(err)
		}
		holds(t, folder, map[string]string{"out.json": text})
	}
}

func TestTargetIsUntouchedUntilTheEnd(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := wholefile.Write(path, func(w io.Writer) error {
		if err := writes("new")(w); err != nil {
			return err
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
			t.Errorf("while it is written, the target holds %q (error %v)", got, err)
		}
		entries, err := os.ReadDir(folder)
		for _, entry := range entries {
			if name := entry.Name(); name != "out" && !strings.HasPrefix(name, ".") {
				t.Errorf("%s is not hidden", name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, folder, map[string]string{"out": "new"})
}

func TestFailureLeavesNothing(t *testing.T) {
	refused := errors.New("label cannot be expressed")
	half := func(w io.Writer) error {
		if err := writes("half")(w); err != nil {
			return err
		}
		return refused
	}
	t.Run("new", func(t *testing.T) {
		folder := t.TempDir()
		if err := wholefile.Write(filepath.Join(folder, "out"), half); err != refused {
			t.Errorf("error %v, want that of the callback as it is", err)
		}
		holds(t, folder, nil)
	})
	t.Run("existing", func(t *testing.T) {
		folder := t.TempDir()
		path := filepath.Join(folder, "out")
		if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := wholefile.Write(path, half); err != refused {
			t.Errorf("error %v", err)
		}
		holds(t, folder, map[string]string{"out": "old"})
	})
}

func TestPanicLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	defer func() {
		if got := recover(); got != "broken" {
			t.Errorf("recovered %v: the panic has to go on", got)
		}
		holds(t, folder, nil)
	}()
	wholefile.Write(filepath.Join(folder, "out"), func(w io.Writer) error {
		if err := writes("half")(w); err != nil {
			t.Error(err)
		}
		panic("broken")
	})
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	folder := t.TempDir()
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	created := filepath.Join(folder, "created")
	reference := filepath.Join(folder, "reference")
	if err := wholefile.Write(created, writes("x")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(reference, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, want := mode(created), mode(reference); got != want {
		t.Errorf("a new file has mode %o, want %o", got, want)
	}
	for _, want := range []fs.FileMode{0o600, 0o666, 0o755} {
		if err := os.Chmod(created, want); err != nil {
			t.Fatal(err)
		}
		if err := wholefile.Write(created, writes("y")); err != nil {
			t.Fatal(err)
		}
		if got := mode(created); got != want {
			t.Errorf("a file of mode %o got mode %o", want, got)
		}
	}
}

func TestReadOnlyFileStays(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	if err := os.WriteFile(path, []byte("old"), 0o444); err != nil {
		t.Fatal(err)
	}
	err := wholefile.Write(path, writes("new"))
	if err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("error %v", err)
	}
	holds(t, folder, map[string]string{"out": "old"})
	// Windows cannot remove a read-only file, so the test's folder neither.
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSymbolicLinkStays(t *testing.T) {
	folder := t.TempDir()
	elsewhere := t.TempDir()
	target := filepath.Join(elsewhere, "target")
	if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	if err := wholefile.Write(link, writes("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone (error %v)", err)
	}
	holds(t, elsewhere, map[string]string{"target": "new"})
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{"folder", folder, folder + ": is a folder; give the name of a file in it"},
		{"no folder", filepath.Join(folder, "no", "x"), fmt.Sprintf("there is no folder %s; create it first", filepath.Join(folder, "no"))},
		{"file for a folder", filepath.Join(file, "x"), file + " is a file, not a folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := wholefile.Write(c.path, func(io.Writer) error {
				t.Error("the callback was called")
				return nil
			})
			if err == nil || !strings.HasPrefix(err.Error(), c.path+": ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), ".tmp") {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	holds(t, folder, map[string]string{"file": "old"})
}

func TestUnwritableFolder(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("permissions of a folder do not bind this user")
	}
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	err := wholefile.Write(filepath.Join(folder, "out"), writes("x"))
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "cannot create a file in the folder "+folder) || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("error %v", err)
	}
}

func TestDeviceIsWrittenDirectly(t *testing.T) {
	const full = "/dev/full" // every write to it fails with "no space left on device"
	before, err := os.Stat(full)
	if err != nil {
		t.Skip(err)
	}
	err = wholefile.Write(full, func(w io.Writer) error {
		writes("x")(w)
		writes("y")(w)
		return nil
	})
	if want := full + ": cannot be written: no space left on device"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q although the callback loses it", err, want)
	}
	if after, err := os.Stat(full); err != nil || after.Mode() != before.Mode() {
		t.Errorf("the device was replaced (error %v)", err)
	}
}

func TestDescriptorIsAddedTo(t *testing.T) {
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "log"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	path := fmt.Sprintf("/dev/fd/%d", f.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	if _, err := f.WriteString("before\n"); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Write(path, writes("after\n")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(f.Name())
	if err != nil || !bytes.Equal(got, []byte("before\nafter\n")) {
		t.Errorf("the file holds %q (error %v)", got, err)
	}
}
