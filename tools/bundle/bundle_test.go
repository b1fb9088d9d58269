package bundle

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// root is the folder of the main module.
const root = "../.."

// source is what one file of a bundle is made from, both as paths from the root.
type source struct{ from, to string }

func sources() []source {
	return []source{
		{"internal/report/page/src/main.ts", "internal/report/page/bundle/page.js"},
		{"internal/report/page/src/served.ts", "internal/report/page/bundle/served.js"},
		{"internal/report/page/src/style.css", "internal/report/page/bundle/page.css"},
		{"internal/batch/summary/src/main.ts", "internal/batch/summary/bundle/index.js"},
		{"internal/batch/summary/src/index.css", "internal/batch/summary/bundle/index.css"},
	}
}

// TestBundlesAreWhatTheSourcesGive: nobody changes the one and forgets the other.
func TestBundlesAreWhatTheSourcesGive(t *testing.T) {
	files := golden.All(t, root+"/internal/*/*/bundle/*")
	for _, s := range sources() {
		text, err := compile(s)
		if err != nil {
			t.Error(err)
			continue
		}
		files.Check(t, filepath.Join(root, s.to), text)
	}
}

// compile returns what a source gives. Cost: some ten milliseconds.
func compile(s source) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints:       []string{filepath.Join(root, s.from)},
		Outfile:           filepath.Base(s.to),
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
	for _, m := range append(result.Errors, result.Warnings...) {
		return nil, fmt.Errorf("%s: %s (%+v)", s.from, m.Text, m.Location)
	}
	if len(result.OutputFiles) != 1 {
		return nil, fmt.Errorf("%s gives %d files", s.from, len(result.OutputFiles))
	}
	return result.OutputFiles[0].Contents, nil
}

// TestBundlesStayInTheirElements: nothing in a script or style ends the element that
// it stands in on a page, and nothing in them could fetch or interpret text.
func TestBundlesStayInTheirElements(t *testing.T) {
	forbidden := map[string][]string{
		".js":  {"</script", "<!--", "http:", "https:", "innerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(", "XMLHttpRequest"},
		".css": {"</style", "<!--", "http:", "https:", "@import", "url("},
	}
	for _, s := range sources() {
		text, err := os.ReadFile(filepath.Join(root, s.to))
		if err != nil {
			t.Fatal(err)
		}
		served := s.to == "internal/report/page/bundle/served.js" // it asks the server that it came from
		for _, what := range forbidden[filepath.Ext(s.to)] {
			if bytes.Contains(text, []byte(what)) && !(served && what == "fetch(") {
				t.Errorf("%s holds %q", s.to, what)
			}
		}
		if len(text) == 0 {
			t.Errorf("%s is empty", s.to)
		}
	}
}
