//go:build unix

package frontend_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/format/frontend"
)

// TestCache: a model is made once as long as nothing that it is made of changes.
func TestCache(t *testing.T) {
	s, temporary := newStandIns(t)
	s.add("lnt.open", "[ -f \"$1\" ] && echo graph > \"$3\"")
	s.add("bcg_io", "cat > \"$2\" <<'END'\n"+asAUT+"END")
	folder, cache := t.TempDir(), filepath.Join(t.TempDir(), "models")
	path := written(t, folder, "main.lnt", "module main (Types) is -- \"sub dir/c.h\"\nend module")
	written(t, folder, "Types.lnt", "module Types is end module")
	written(t, folder, "other.lnt", "module other is end module")
	if err := os.Mkdir(filepath.Join(folder, "sub dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	written(t, filepath.Join(folder, "sub dir"), "c.h", "1")
	made := func(what string, want bool) (digest string) {
		t.Helper()
		before := len(s.calls())
		m, _, err := opened(t, context.Background(), &frontend.Maker{Cache: cache}, frontend.Specification{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(s.calls()) > before; got != want {
			t.Errorf("%s: made %v, want %v", what, got, want)
		}
		empty(t, temporary)
		digest, is, err := frontend.Specification{Path: path}.Digest(context.Background())
		if !is || err != nil || digest != m.Digest {
			t.Errorf("digest %s, but the model has %s (error %v)", digest, m.Digest, err)
		}
		return digest
	}
	first := made("at first", true)
	if made("again", false) != first {
		t.Error("the digest depends on the cache")
	}
	written(t, folder, "other.lnt", "module other is null end module")
	if made("after a file was changed that is not included", false) != first {
		t.Error("the digest depends on what is not included")
	}
	written(t, folder, "Types.lnt", "module Types is null end module")
	if made("after an include was changed", true) == first {
		t.Error("the digest does not depend on includes")
	}
	written(t, filepath.Join(folder, "sub dir"), "c.h", "2")
	made("after an include in a folder was changed", true)
	s.add("bcg_io", "cat > \"$2\" <<'END'\n"+asAUT+"END\n# another version")
	made("after a tool was changed", true)
	for _, name := range models(t, cache) {
		if err := os.WriteFile(filepath.Join(cache, name), []byte("des (0,0,1)\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	made("after the cache was damaged", true)
	made("after it was mended", false)
	for _, name := range models(t, cache) {
		if err := os.Remove(filepath.Join(cache, name)); err != nil {
			t.Fatal(err)
		}
	}
	made("after models were removed", true)
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cache, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	made("without a folder that can be had", true)
}

// models returns the files of a cache that are no notes.
func models(t *testing.T, cache string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestMadeOnce: who asks at the same time gets one model, which is made once, also without a
// cache; one who fails does not make others fail.
func TestMadeOnce(t *testing.T) {
	s, temporary := newStandIns(t)
	s.mcrl2()
	path := written(t, t.TempDir(), "m.mcrl2", "init delta;")
	m := &frontend.Maker{}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := m.Open(done, frontend.Specification{Path: path}, format.Options{}); err == nil {
		t.Error("a model is made for nobody")
	}
	calls := len(s.calls())
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			if _, _, err := m.Open(context.Background(), frontend.Specification{Path: path}, format.Options{}); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if got := len(s.calls()) - calls; got != 2 {
		t.Errorf("%d calls, want 2: %q", got, s.calls())
	}
	if _, _, err := m.Open(context.Background(), frontend.Specification{Path: path}, format.Options{}); err == nil {
		t.Error("a closed maker makes models")
	}
	empty(t, temporary)
}

// TestKeep: the model is kept as the tool wrote it.
func TestKeep(t *testing.T) {
	s, temporary := newStandIns(t)
	s.mcrl2()
	folder := t.TempDir()
	path, kept := written(t, folder, "m.mcrl2", "init delta;"), filepath.Join(folder, "kept.lts")
	if _, _, err := opened(t, context.Background(), &frontend.Maker{}, frontend.Specification{Path: path, Keep: kept}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(kept)
	if err != nil || strings.TrimSpace(string(text)) != strings.TrimSpace(asFSM) {
		t.Errorf("kept %q, error %v", text, err)
	}
	empty(t, temporary)
}
