package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// mostExtension is how many bytes the files of the extension may have: vscode.dev has to load them, and the packed extension
// may have 8 MiB. The engine composes networks, and answers formulas about states in batches.
const mostExtension = 8_900_000

// TestExtensionIsSmall builds the extension. A .vsix is a zip of its files, most of which are compressed already.
func TestExtensionIsSmall(t *testing.T) {
	if os.Getenv("CI") != "true" {
		t.Skip("compiles inev-ls once more; CI=true runs it")
	}
	if _, err := os.Stat(filepath.Join("..", "..", "modules", "editor", "vscode", "node_modules", "vscode-languageclient")); err != nil {
		t.Skip("the libraries of the extension are not there: npm install in modules/editor/vscode")
	}
	folder := t.TempDir()
	if err := buildExtension(context.Background(), folder, settings{release: "v1.2.3"}); err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, name := range append([]string{"package.json", "dist/node.js", "dist/browser.js", "dist/worker.js", "dist/inev-ls.wasm.gz", "dist/graphviz.wasm.gz"}, extensionFiles...) {
		info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
			continue
		}
		total += info.Size()
	}
	if total > mostExtension {
		t.Errorf("the extension has %d bytes, more than %d", total, mostExtension)
	}
}
