package inputfile_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/inputfile"
)

// TestUntrusted: what is no regular file is refused by each function that opens files, at once.
func TestUntrusted(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	ctx = inputfile.Untrusted(ctx, nil)
	hostile := irregular(t)
	for _, path := range hostile {
		for name, open := range map[string]func() error{
			"Open": func() error { _, err := inputfile.Open(ctx, path); return err },
			"OpenModel": func() error {
				_, err := inputfile.OpenModel(ctx, path, path)
				return err
			},
			"Read":        func() error { _, err := inputfile.Read(ctx, path, inputfile.Limit{Bytes: 1 << 40}); return err },
			"ReadRegular": func() error { _, err := inputfile.ReadRegular(ctx, path, ten); return err },
			"OpenRegular": func() error { _, err := inputfile.OpenRegular(ctx, path); return err },
			"Digest":      func() error { _, _, err := inputfile.Digest(ctx, path); return err },
			"OpenRegularIn": func() error {
				root, err := os.OpenRoot(filepath.Dir(path))
				if err != nil {
					t.Fatal(err)
				}
				defer root.Close()
				_, err = inputfile.OpenRegularIn(ctx, root, filepath.Base(path))
				return err
			},
		} {
			err := open()
			var kind *inputfile.KindError
			folder := name == "OpenModel" && err != nil      // has a sentence of its own
			outside := name == "OpenRegularIn" && err != nil // a link that leads out of the folder is refused as such
			if !errors.As(err, &kind) && !outside && !folder {
				t.Errorf("%s %s: %v", name, path, err)
			}
		}
	}
	path := written(t, "content")
	if got, err := inputfile.Read(ctx, path, ten); err != nil || string(got) != "content" {
		t.Errorf("a regular file: %q, %v", got, err)
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f, err := inputfile.OpenRegularIn(ctx, root, filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := inputfile.ReadFrom(ctx, f, ten); err != nil || string(got) != "content" {
		t.Errorf("a regular file in a folder: %q, %v", got, err)
	}
}

// TestGlob: it finds what filepath.Glob finds, in its order.
func TestGlob(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "ab", "a.aut", "b.aut", "*", "[", "é", ".h"}
	for range 60 {
		path := folder
		for range 1 + r.IntN(3) {
			path = filepath.Join(path, names[r.IntN(len(names))])
		}
		_ = os.MkdirAll(filepath.Dir(path), 0o755) // a file may be in the way
		_ = os.WriteFile(path, nil, 0o644)
	}
	if err := os.Symlink(folder, filepath.Join(folder, "loop")); err != nil {
		t.Log(err)
	}
	t.Chdir(folder)
	parts := []string{"*", "a", "?", "a*", "*.aut", "[ab]", "b.aut", `\*`, `\[`, "loop", "..", ".", "é", "[", "nothing"}
	for range 3000 {
		pattern := parts[r.IntN(len(parts))]
		for range r.IntN(4) {
			pattern += "/" + parts[r.IntN(len(parts))]
		}
		if r.IntN(3) == 0 {
			pattern = folder + "/" + pattern
		}
		if r.IntN(9) == 0 {
			pattern += "/"
		}
		want, wrong := filepath.Glob(pattern)
		got, err := inputfile.Glob(context.Background(), pattern)
		if !slices.Equal(got, want) || !errors.Is(err, wrong) {
			t.Fatalf("%s: %q, %v; want %q, %v", pattern, got, err, want, wrong)
		}
	}
}

// TestGlobsEnd: with the context, and at a bound, which holds for all globs of a context together.
func TestGlobsEnd(t *testing.T) {
	folder := t.TempDir()
	for i := range 30 {
		if err := os.Mkdir(filepath.Join(folder, fmt.Sprint(i)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("..", filepath.Join(folder, fmt.Sprint(i), "up")); err != nil {
			t.Skip(err)
		}
	}
	endless := filepath.Join(folder, "*/up/*/up/*/up/*/up/*/up/*/up/*.aut") // looks at 30⁷ names
	var many *inputfile.VisitsError
	if _, err := inputfile.Glob(inputfile.Untrusted(context.Background(), nil), endless); !errors.As(err, &many) {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := inputfile.Glob(ctx, endless); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	together := inputfile.Untrusted(context.Background(), nil)
	looked := 0
	for ; looked < 1_000_000; looked++ {
		if _, err := inputfile.Glob(together, filepath.Join(folder, "*/u*")); err != nil {
			break
		}
	}
	if looked < 1000 || looked > 4000 { // 91 names each
		t.Errorf("%d small globs are allowed", looked)
	}
}

// TestGlobsAreKept until they are forgotten; what failed because of others is not kept.
func TestGlobsAreKept(t *testing.T) {
	folder := t.TempDir()
	pattern := filepath.Join(folder, "*.aut")
	globs := &inputfile.Globs{}
	count := func() int {
		names, err := inputfile.Glob(inputfile.Untrusted(context.Background(), globs), pattern)
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	if n := count(); n != 0 {
		t.Errorf("%d", n)
	}
	if err := os.WriteFile(filepath.Join(folder, "m.aut"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 0 {
		t.Errorf("it is looked at again: %d", n)
	}
	globs.Forget()
	if n := count(); n != 1 {
		t.Errorf("it is not forgotten: %d", n)
	}
}

// TestWalkEnds as globs do.
func TestWalkEnds(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	n := 0
	err := inputfile.Walk(ctx, t.TempDir(), func(string, os.DirEntry, error) error { n++; stop(); return nil })
	if n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := inputfile.Walk(ctx, t.TempDir(), func(string, os.DirEntry, error) error { n++; return nil }); n != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d, %v", n, err)
	}
}

// TestList: names in their order, at most as many as are asked for, and none where there is no folder.
func TestList(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"b", "a", "c"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := inputfile.List(context.Background(), folder, 10)
	if err != nil || len(entries) != 3 || entries[0].Name() != "a" || entries[2].Name() != "c" {
		t.Errorf("%v, %v", entries, err)
	}
	if entries, err := inputfile.List(context.Background(), folder, 2); len(entries) != 2 || err != nil {
		t.Errorf("%v, %v", entries, err)
	}
	for _, path := range irregular(t)[1:] {
		if entries, err := inputfile.List(context.Background(), path, 2); len(entries) != 0 {
			t.Errorf("%s: %v, %v", path, entries, err)
		}
	}
}
