// Command bundle makes the scripts and styles that are built into the pages of inev
// from their sources: for report/page and batch/summary the folder bundle from the
// folder src.
//
//	go -C tools run ./bundle
//
// is run in the root of the main module. The compiler, esbuild, is for this only, so
// that it is no part of the program.
//
// The invariant that holds inside: the same sources give the same bytes on any machine.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// root is the folder of the main module, for who runs in the folder tools.
const root = ".."

// source is what one file of a bundle is made from, both as paths from the root.
type source struct{ from, to string }

func sources() []source {
	return []source{
		{"report/page/src/main.ts", "report/page/bundle/page.js"},
		{"report/page/src/style.css", "report/page/bundle/page.css"},
		{"batch/summary/src/main.ts", "batch/summary/bundle/index.js"},
		{"batch/summary/src/index.css", "batch/summary/bundle/index.css"},
	}
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("bundle: ")
	for _, s := range sources() {
		text, err := compile(root, s)
		if err == nil {
			err = os.WriteFile(filepath.Join(root, s.to), text, 0o644)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

// compile returns what a source gives. Cost: some ten milliseconds.
func compile(root string, s source) ([]byte, error) {
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
