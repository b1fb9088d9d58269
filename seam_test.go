package inev_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// asksForChain is what code is like that is written twice, for chains and for other properties.
var asksForChain = regexp.MustCompile(`\.Chain\(\)|\bchain [!=]= nil|\.Enriched\(\)`)

// mostAsking is the number of places that may ask: it may only fall.
const mostAsking = 15

// TestFewAskForChains: what a property is shows behind it in few places only, and in package
// explain in none. docs/decisions.md names the number.
func TestFewAskForChains(t *testing.T) {
	var places []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (path == "tools" || path == "modules" || strings.HasPrefix(name, ".") || name == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		for _, line := range bytes.Split(source, []byte("\n")) {
			if asksForChain.Match(line) {
				places = append(places, filepath.ToSlash(path)+": "+strings.TrimSpace(string(line)))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(places) > mostAsking {
		t.Errorf("%d places ask whether a property is a chain, more than %d:\n%s", len(places), mostAsking, strings.Join(places, "\n"))
	}
	for _, place := range places {
		if filepath.ToSlash(filepath.Dir(strings.SplitN(place, ":", 2)[0])) == "explain" {
			t.Errorf("package explain asks whether a property is a chain: %s", place)
		}
	}
}
