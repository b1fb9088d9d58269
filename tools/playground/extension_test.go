package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// mostExtension is how many bytes the extension may have: it has to be loaded by vscode.dev. It has the composition of networks, too.
const mostExtension = 8_600_000

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
