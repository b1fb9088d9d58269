package browsertest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// Bundle checks that the folder bundle has the files that the sources give: entries
// maps each source to the name of its file. With update it writes them instead. The
// compiler is used by tests only, so that it is no part of the program. Cost: that of
// compiling the sources, some ten milliseconds.
func Bundle(t *testing.T, entries map[string]string, update bool) {
	t.Helper()
	for source, name := range entries {
		want := compile(t, source, name)
		path := filepath.Join("bundle", name)
		if update {
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
			t.Errorf("%s is not what the source gives; run go generate in the folder of the package", path)
		}
	}
}

func compile(t *testing.T, source, name string) []byte {
	t.Helper()
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
	return result.OutputFiles[0].Contents
}

// StaysInElement checks that nothing in the script or style of a page ends the
// element that it stands in, and that nothing in them could fetch or interpret text.
// Cost O(length of both).
func StaysInElement(t *testing.T, script, style string) {
	t.Helper()
	for name, c := range map[string]struct {
		text      string
		forbidden []string
	}{
		"script": {script, []string{"</script", "<!--", "http:", "https:", "innerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(", "XMLHttpRequest"}},
		"style":  {style, []string{"</style", "<!--", "http:", "https:", "@import", "url("}},
	} {
		for _, forbidden := range c.forbidden {
			if strings.Contains(c.text, forbidden) {
				t.Errorf("the %s holds %q", name, forbidden)
			}
		}
		if c.text == "" {
			t.Errorf("there is no %s", name)
		}
	}
}
