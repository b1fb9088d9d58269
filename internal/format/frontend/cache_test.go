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
	"github.com/inev-lts/inev/internal/format/frontend"
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

// TestChangedWhileMade: a model is of the bytes that its digest is of, whatever happens to the files
// while tools run; what changed meanwhile is reported, and nothing is kept of it, in the cache or by
// the maker.
func TestChangedWhileMade(t *testing.T) {
	for name, change := range map[string]struct{ before, after string }{
		"specification": {before: "echo Y Types > main.lnt"},
		"included":      {before: "echo Y > Types.lnt"},
		"replaced":      {before: "echo Y > new; mv new Types.lnt"},
		"removed":       {after: "rm Types.lnt"},
		"and back":      {"cp -p main.lnt old; echo Y Types > main.lnt", "cp -p old main.lnt"},
		"program":       {after: "echo >> bcg_io"},
	} {
		for _, cache := range []string{"", filepath.Join(t.TempDir(), "models")} {
			s, temporary := newStandIns(t)
			folder := t.TempDir()
			path, first := written(t, folder, "main.lnt", "X Types"), written(t, folder, "first", "")
			included := written(t, folder, "Types.lnt", "X")
			if err := os.Symlink(filepath.Join(s.folder, "bcg_io"), filepath.Join(folder, "bcg_io")); err != nil {
				t.Skip(err)
			}
			at := func(script string) string {
				return "if [ -f " + first + " ]; then (cd " + folder + "; " + script + "); fi\n"
			}
			s.add("lnt.open", at(":; "+change.before)+"cat \"$1\" \"$(dirname \"$1\")/Types.lnt\" | tr -cd XY > \"$3\"\n"+at(":; "+change.after)+"rm -f "+first)
			s.add("bcg_io", "echo 'des (0, 1, 2)' > \"$2\"; echo \"(0, $(cat \"$1\"), 1)\" >> \"$2\"")
			m := &frontend.Maker{Cache: cache}
			made := func() string {
				model, _, err := m.Open(context.Background(), frontend.Specification{Path: path}, format.Options{})
				if err != nil {
					return err.Error()
				}
				return model.LTS.Alphabet().Text(0)
			}
			if got := made(); !strings.HasSuffix(got, "changed while its model was made: run this again") && (got != "XX" || name != "and back") {
				t.Errorf("%s: while tools run: %s", name, got)
			}
			for path, text := range map[string]string{path: "X Types", included: "X"} {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := made(); got != "XX" {
				t.Errorf("%s: afterwards: %s", name, got)
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
			empty(t, temporary)
		}
	}
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

// TestEnvironmentInDigest: the digest of a specification depends on the environment exactly if one of its modules names IOEnv.
func TestEnvironmentInDigest(t *testing.T) {
	folder := t.TempDir()
	written(t, folder, "Plain.tla", "---- MODULE Plain ----\n====\n")
	written(t, folder, "Bound.tla", "---- MODULE Bound ----\nEXTENDS IOUtils\nN == atoi(IOEnv.N)\n====\n")
	written(t, folder, "Uses.tla", "---- MODULE Uses ----\nEXTENDS Bound\n====\n")
	config := written(t, folder, "Any.cfg", "INIT Init\nNEXT Next\n")
	digest := func(module string) string {
		text, isMade, err := frontend.Specification{Path: filepath.Join(folder, module), Config: config}.Digest(t.Context())
		if err != nil || !isMade {
			t.Fatalf("%s: %v", module, err)
		}
		return text
	}
	for module, dependsOnIt := range map[string]bool{"Plain.tla": false, "Bound.tla": true, "Uses.tla": true} {
		t.Setenv("N", "3")
		first := digest(module)
		again := digest(module)
		t.Setenv("N", "4")
		other := digest(module)
		if first != again || (first != other) != dependsOnIt {
			t.Errorf("%s: digests %s, %s and, in another environment, %s", module, first, again, other)
		}
	}
}
