package summary

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

var update = flag.Bool("update", false, "make the bundle from its source, and rewrite the golden files")

// bundled returns the files of the bundle as the source gives them, by their names.
func bundled(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for source, name := range map[string]string{"src/main.ts": "index.js", "src/index.css": "index.css"} {
		result := api.Build(api.BuildOptions{
			EntryPoints:       []string{source},
			Outfile:           name,
			Bundle:            true,
			Format:            api.FormatIIFE,
			Target:            api.ES2022,
			Charset:           api.CharsetASCII,
			LegalComments:     api.LegalCommentsNone,
			MinifyWhitespace:  true,
			MinifyIdentifiers: true,
			MinifySyntax:      true,
			LogLevel:          api.LogLevelSilent,
		})
		for _, message := range append(result.Errors, result.Warnings...) {
			t.Errorf("%s: %s (%+v)", source, message.Text, message.Location)
		}
		if len(result.OutputFiles) != 1 {
			t.Fatalf("%s gives %d files", source, len(result.OutputFiles))
		}
		files[name] = result.OutputFiles[0].Contents
	}
	return files
}

// TestBundleIsWhatTheSourceGives: nobody changes the one and forgets the other.
func TestBundleIsWhatTheSourceGives(t *testing.T) {
	for name, want := range bundled(t) {
		path := filepath.Join("bundle", name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the source gives; run go generate ./batch/summary", path)
		}
	}
}

// TestBundleStaysInItsElement: nothing in script or style ends the element that it
// stands in, and nothing in them could fetch or interpret text.
func TestBundleStaysInItsElement(t *testing.T) {
	for name, c := range map[string]struct {
		text      string
		forbidden []string
	}{
		"script": {script, []string{"</script", "<!--", "http:", "https:", "innerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(", "XMLHttpRequest"}},
		"style":  {style, []string{"</style", "<!--", "http:", "https:", "@import", "url("}},
	} {
		if c.text == "" {
			t.Errorf("there is no %s", name)
		}
		for _, forbidden := range c.forbidden {
			if strings.Contains(c.text, forbidden) {
				t.Errorf("the %s holds %q", name, forbidden)
			}
		}
	}
}
