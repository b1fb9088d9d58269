package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// mostExtension is the largest size of the packed extension: vscode.dev has to load it.
const mostExtension = 6_500_000

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

// TestExtension builds the extension: it is small, and its server answers.
func TestExtension(t *testing.T) {
	if os.Getenv("CI") != "true" {
		t.Skip("compiles inev-ls once more; CI=true runs it")
	}
	if _, err := os.Stat(filepath.Join("..", "..", "modules", "editor", "vscode", "node_modules", "vscode-languageclient")); err != nil {
		t.Skip("the libraries of the extension are not there: npm install in modules/editor/vscode")
	}
	folder := t.TempDir()
	if err := buildExtension(t.Context(), folder, settings{release: "v1.2.3"}); err != nil {
		t.Fatal(err)
	}
	t.Run("IsSmall", func(t *testing.T) {
		if size := packedSize(t, folder); size > mostExtension {
			t.Errorf("the packed extension has %d bytes, more than %d", size, mostExtension)
		}
	})
	t.Run("ServerAnswers", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		answer, err := exec.CommandContext(ctx, "node", filepath.Join("testdata", "server.cjs"), folder).CombinedOutput()
		if err != nil || !bytes.Contains(answer, []byte(`"hoverProvider":true`)) {
			t.Errorf("error %v, answer %s", err, answer)
		}
	})
}

// packedSize returns the size of the .vsix of an extension: a zip of its files.
func packedSize(t *testing.T, folder string) int {
	t.Helper()
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
	return packed.Len()
}
