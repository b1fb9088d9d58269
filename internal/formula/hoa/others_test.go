package hoa_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/formula/hoa"
)

// TestAutomataOfOthers reads the automata of other tools in the folder that
// INEV_HOA_AUTOMATA names, such as those with which Spot and Owl are tested: each is read, or
// refused in one line that names the file.
func TestAutomataOfOthers(t *testing.T) {
	folder := os.Getenv("INEV_HOA_AUTOMATA")
	if folder == "" {
		t.Skip("INEV_HOA_AUTOMATA names no folder")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.hoa"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d automata, %v", folder, len(paths), err)
	}
	read := 0
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = hoa.Read(context.Background(), f, path)
		_ = f.Close()
		switch {
		case err == nil:
			read++
		case !strings.HasPrefix(err.Error(), path) || strings.Contains(strings.TrimSpace(err.Error()), "\n"):
			t.Errorf("%s: %v", path, err)
		}
	}
	if read == 0 {
		t.Errorf("none of %d automata is read", len(paths))
	}
	t.Logf("%d of %d automata are read, the others refused", read, len(paths))
}
