package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/inev-lts/inev/internal/compressed"
)

// settings say how the playground is built: release is the version that the engine reports, "" for
// the version that Go knows; plain leaves WebAssembly uncompressed.
type settings struct {
	release string
	plain   bool
}

// suffix ends the names of files of WebAssembly.
func (s settings) suffix() string {
	if s.plain {
		return ".wasm"
	}
	return ".wasm.gz"
}

// build writes the playground to a folder. Cost: it compiles the command, which takes a minute the
// first time.
func build(ctx context.Context, folder string, s settings) error {
	root, err := output(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/inev-lts/inev")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(folder, "examples"), 0o755); err != nil {
		return err
	}
	for _, step := range []func(ctx context.Context, root, folder string, s settings) error{writePage, writeAsking, writeScripts, writeExamples, writeGraphviz} {
		if err := step(ctx, root, folder, s); err != nil {
			return err
		}
	}
	return writeEngine(ctx, root, folder, s)
}

// output returns the output of a program, without the end of the last line.
func output(ctx context.Context, name string, arguments ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, arguments...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(arguments, " "), err,
			failed.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// policy is the content security policy of the page: it may load files next to it, compile
// WebAssembly, and show the pages that explain writes, whose script and style are named by their
// hashes. Pages in frames inherit this policy.
func policy(root string) (string, error) {
	var hashes []string
	for _, file := range []string{"page.js", "page.css"} {
		text, err := os.ReadFile(filepath.Join(root, "internal", "report", "page", "bundle",
			file))
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(text)
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' " + hashes[0] +
		"; style-src 'self' " + hashes[1] +
		"; img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; frame-src blob:; base-uri 'none'; form-action 'none'", nil
}

// writePage writes the page, with its policy filled in.
func writePage(_ context.Context, root, folder string, s settings) error {
	text, err := os.ReadFile(filepath.Join(root, "tools", "playground", "index.html"))
	if err != nil {
		return err
	}
	allowed, err := policy(root)
	if err != nil {
		return err
	}
	filled := strings.NewReplacer("POLICY", allowed, "SUFFIX", s.suffix()).Replace(string(text))
	return os.WriteFile(filepath.Join(folder, "index.html"), []byte(filled), 0o644)
}

// writeScripts bundles the scripts and the style. In the worker, the file system comes first, then
// Go's own script, which uses it.
func writeScripts(ctx context.Context, root, folder string, _ settings) error {
	goRoot, err := output(ctx, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	runtime, err := os.ReadFile(filepath.Join(goRoot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return fmt.Errorf("this Go has no support for WebAssembly: %w", err)
	}
	for _, b := range []struct {
		from, to string
		behind   []byte
	}{{"main.ts", "playground.js", nil}, {"playground.css", "playground.css", nil}, {"worker.ts", "worker.js", runtime}} {
		text, err := bundled(filepath.Join(root, "tools", "playground", "src", b.from), b.to)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, b.to), append(text, b.behind...), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// bundled returns a script or a style together with all that it imports. A warning is an error, too.
func bundled(from, to string) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints:       []string{from},
		Outfile:           to,
		Bundle:            true,
		Format:            api.FormatIIFE,
		Target:            api.ES2022,
		Charset:           api.CharsetASCII,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		LogLevel:          api.LogLevelSilent,
	})
	for _, m := range append(result.Errors, result.Warnings...) {
		return nil, fmt.Errorf("%s: %s (%+v)", from, m.Text, m.Location)
	}
	return result.OutputFiles[0].Contents, nil
}

// example is a model of the project, with a property of it.
type example struct {
	Name    string `json:"name"`
	File    string `json:"file"` // in the folder examples
	Formula string `json:"formula"`
}

// writeExamples writes the models of the project that have a formula. The page opens with the model
// travel.
func writeExamples(_ context.Context, root, folder string, _ settings) error {
	models, err := filepath.Glob(filepath.Join(root, "examples", "*", "*.aut"))
	if err != nil {
		return err
	}
	var all []example
	for _, model := range models {
		formula, err := os.ReadFile(strings.TrimSuffix(model, ".aut") + ".inev")
		if err != nil {
			continue
		}
		in, name := filepath.Base(filepath.Dir(model)), strings.TrimSuffix(filepath.Base(model), ".aut")
		e := example{
			Name:    name,
			File:    in + "/" + name + ".aut",
			Formula: firstOf(string(formula)),
		}
		if in != name {
			e.Name = in + ", " + name
		}
		all = append(all, e)
		text, err := os.ReadFile(model)
		if err == nil {
			err = os.MkdirAll(filepath.Join(folder, "examples", in), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, "examples", filepath.FromSlash(e.File)),
				text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	list, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "examples.json"), append(list, '\n'), 0o644)
}

// firstOf returns the first formula of a file, which has one formula a line, and comments.
func firstOf(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// writeGraphviz writes Graphviz in the form that the settings ask for.
func writeGraphviz(ctx context.Context, root, folder string, s settings) error {
	packed, err := os.Open(filepath.Join(root, "internal", "diagram", "graphviz",
		"graphviz.wasm.zst"))
	if err != nil {
		return err
	}
	defer packed.Close()
	module, err := compressed.NewReader(packed, 1)
	if err != nil {
		return err
	}
	defer module.Close()
	data, err := io.ReadAll(module)
	if err != nil {
		return err
	}
	return s.write(ctx, filepath.Join(folder, "graphviz"), data)
}

// packer is a program that makes the smallest gzip files.
const packer = "libdeflate-gzip"

// write writes a file of WebAssembly: as it is if s.plain is set, else compressed by packer or, if
// that is not installed, by Go, whose file is a twentieth larger.
func (s settings) write(ctx context.Context, file string, data []byte) error {
	file += s.suffix()
	if s.plain {
		return os.WriteFile(file, data, 0o644)
	}
	pack := packedByGo
	if program, err := exec.LookPath(packer); err == nil {
		pack = func(data []byte) ([]byte, error) {
			return packedBy(ctx, program, data)
		}
	}
	packed, err := pack(data)
	if err != nil {
		return err
	}
	return os.WriteFile(file, packed, 0o644)
}

func packedBy(ctx context.Context, program string, data []byte) ([]byte, error) {
	c := exec.CommandContext(ctx, program, "-12", "-c")
	c.Stdin, c.Stderr = bytes.NewReader(data), os.Stderr
	packed, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return packed, nil
}

func packedByGo(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	return packed.Bytes(), err
}
