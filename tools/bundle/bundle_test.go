package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const top = "../.."

// TestBundlesAreWhatTheSourcesGive: nobody changes the one and forgets the other.
func TestBundlesAreWhatTheSourcesGive(t *testing.T) {
	made := map[string]bool{}
	for _, s := range sources() {
		made[s.to] = true
		want, err := compile(top, s)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := committed(t, s.to); !bytes.Equal(got, want) {
			t.Errorf("%s is not what the source gives; run go -C tools run ./bundle", s.to)
		}
	}
	for _, pattern := range []string{"*/*/bundle/*", "*/bundle/*"} {
		files, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name, err := filepath.Rel(top, file)
			if err != nil {
				t.Fatal(err)
			}
			if name = filepath.ToSlash(name); !made[name] && !strings.HasPrefix(name, "tools/") {
				t.Errorf("%s is made from nothing: remove it", name)
			}
		}
	}
}

// TestBundlesStayInTheirElements: nothing in a script or style ends the element that
// it stands in on a page, and nothing in them could fetch or interpret text.
func TestBundlesStayInTheirElements(t *testing.T) {
	forbidden := map[string][]string{
		".js":  {"</script", "<!--", "http:", "https:", "innerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(", "XMLHttpRequest"},
		".css": {"</style", "<!--", "http:", "https:", "@import", "url("},
	}
	for _, s := range sources() {
		text := committed(t, s.to)
		for _, what := range forbidden[filepath.Ext(s.to)] {
			if bytes.Contains(text, []byte(what)) {
				t.Errorf("%s holds %q", s.to, what)
			}
		}
		if len(text) == 0 {
			t.Errorf("%s is empty", s.to)
		}
	}
}

func committed(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
