package mcrl2_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/format/internal/mcrl2"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/lts"
)

// open reads a file with the values of its states.
func open(path string) (*mcrl2.Model, []string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return mcrl2.Read(context.Background(), f, mcrl2.Options{Name: filepath.Base(path), States: true})
}

// written returns a model as .aut text.
func written(t *testing.T, m *lts.LTS) string {
	t.Helper()
	var b strings.Builder
	if _, err := aut.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPairs: of models that mCRL2 wrote twice, both files have the same states, the same
// transitions in one order, and the same labels, text for text.
func TestPairs(t *testing.T) {
	folder, there := collection.Foreign(t, "mcrl2")
	if !there {
		t.Skip("the models by others are not here")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.lts"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, path := range paths {
		name := strings.TrimSuffix(path, ".lts") + ".aut"
		if _, err := os.Stat(name); err != nil {
			continue // the probabilistic one
		}
		compared++
		want, _, err := aut.Open(context.Background(), name, aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, warnings, err := open(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(warnings) > 0 {
			t.Log(warnings)
		}
		expectSame(t, filepath.Base(path), written(t, m.LTS), written(t, want))
	}
	if compared < 45 {
		t.Errorf("%d models were compared, of 45", compared)
	}
}

// expectSame shows the first line in which texts differ.
func expectSame(t *testing.T, name, got, want string) {
	t.Helper()
	gots, wants := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(gots), len(wants)) {
		if gots[i] != wants[i] {
			t.Errorf("%s:%d:\n got %s\nwant %s", name, i+1, gots[i], wants[i])
			return
		}
	}
	if len(gots) != len(wants) {
		t.Errorf("%s: %d lines, want %d", name, len(gots), len(wants))
	}
}
