package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// mostExtension is the largest size of the packed extension: vscode.dev has to load it.
const mostExtension = 8_600_000

// TestReleaseTakesTheExtension: the workflow that releases refuses no extension that the tests accept.
func TestReleaseTakesTheExtension(t *testing.T) {
	workflow, err := os.ReadFile(filepath.Join("..", "..", ".github", "workflows", "release.yml"))
	if err != nil {
		t.Fatal(err)
	}
	bound := regexp.MustCompile(`release/inev-\*\.vsix\)" -le (\d+)`).FindSubmatch(workflow)
	if bound == nil {
		t.Fatal("the workflow has no bound on the size of the extension")
	}
	if string(bound[1]) != strconv.Itoa(mostExtension) {
		t.Errorf("the workflow takes at most %s bytes, the tests %d", bound[1], mostExtension)
	}
}

// TestExtensionIsSmall builds the extension and packs it: a .vsix is a zip of its files.
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
	var packed bytes.Buffer
	vsix := zip.NewWriter(&packed)
	vsix.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, name := range append([]string{"package.json", "dist/node.js", "dist/browser.js", "dist/worker.js", "dist/inev-ls.wasm.gz", "dist/graphviz.wasm.gz"}, extensionFiles...) {
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
			continue
		}
		file, err := vsix.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := vsix.Close(); err != nil {
		t.Fatal(err)
	}
	if packed.Len() > mostExtension {
		t.Errorf("the packed extension has %d bytes, more than %d", packed.Len(), mostExtension)
	}
}
