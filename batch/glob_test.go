package batch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestGlobFiles: the same as from the standard library, for absolute patterns and for
// relative ones.
func TestGlobFiles(t *testing.T) {
	folder := tree(t, map[string]string{
		"a/b/c.aut": "", "a/b/d.aut": "", "a/[x]/c.aut": "", "a.aut": "", ".h/b/c.aut": "", "b/b/c.aut": "", "b/b/c.txt": "", "bc/q?/*.aut": "",
	})
	if err := os.Symlink(filepath.Join(folder, "a"), filepath.Join(folder, "link")); err != nil {
		t.Log(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(folder, "a", "broken.aut")); err != nil {
		t.Log(err)
	}
	before, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(folder); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.Chdir(before); err != nil {
			t.Error(err)
		}
	}()
	found := 0
	level := rapid.SampledFrom([]string{"*", "a", "b", "?", "[ab]", "[!a]", "*.aut", "c.aut", "c*", `\[x\]`, "[[]x]", `q\?`, "**", ".*", "link", ".", "..", "", "[", "a["})
	rapid.Check(t, func(t *rapid.T) {
		pattern := filepath.Join(rapid.SliceOfN(level, 1, 4).Draw(t, "levels")...)
		if rapid.Bool().Draw(t, "absolute") {
			pattern = filepath.Join(folder, pattern)
		}
		want, wrong := filepath.Glob(pattern)
		got, err := globFiles(context.Background(), pattern)
		if err != nil {
			// The standard library may find nothing, and not look at the rest.
			if wrong == nil && len(want) > 0 || !strings.Contains(pattern, "[") {
				t.Fatalf("%s: error %v, want %q", pattern, err, want)
			}
			return
		}
		if wrong != nil || !slices.Equal(got, want) {
			t.Fatalf("%s: %q (error %v), want %q (error %v)", pattern, got, err, want, wrong)
		}
		found += len(got)
	})
	if found == 0 {
		t.Error("nothing was ever found")
	}
}

// TestGlobStops: between two folders, and between the names of one.
func TestGlobStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, pattern := range []string{"*", "/*/*/*/*/*.aut", "/x"} {
		if found, err := globFiles(ctx, pattern); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, error %v", pattern, found, err)
		}
	}
}
