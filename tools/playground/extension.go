package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// extensionFiles are the files of the extension that are copied unchanged.
var extensionFiles = []string{
	"LICENSE",
	"README.md",
	"language-configuration.json",
	"inev.tmLanguage.json",
	"snippets.json",
	"icon.png",
	".vscodeignore",
}

// buildExtension writes the extension for VS Code to a folder, from where vsce makes a .vsix. The
// libraries of the extension must be installed in its folder (npm install). Cost: it compiles
// inev-ls.
func buildExtension(ctx context.Context, folder string, s settings) error {
	root, err := output(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/inev-lts/inev")
	if err != nil {
		return err
	}
	from, dist := filepath.Join(root, "modules", "editor", "vscode"), filepath.Join(folder, "dist")
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	for _, name := range extensionFiles {
		source := filepath.Join(from, name)
		if name == "LICENSE" {
			source = filepath.Join(root, name)
		}
		if err := rewritten(source, filepath.Join(folder, name), asItIs); err != nil {
			return err
		}
	}
	if err := rewritten(filepath.Join(from, "package.json"), filepath.Join(folder, "package.json"), s.versioned); err != nil {
		return err
	}
	if err := writeExtensionScripts(ctx, from, dist); err != nil {
		return err
	}
	if err := writeGraphviz(ctx, root, dist, s); err != nil {
		return err
	}
	return writeServer(ctx, root, dist, s)
}

// versioned returns package.json with the version, and without the fields that only its build
// needs.
func (s settings) versioned(text []byte) ([]byte, error) {
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	delete(all, "devDependencies")
	if s.release != "" {
		all["version"] = strings.TrimPrefix(s.release, "v")
	}
	return json.MarshalIndent(all, "", "  ")
}

// writeExtensionScripts bundles the extension for both kinds of hosts, and its worker, which
// contains Go's own script.
func writeExtensionScripts(ctx context.Context, from, dist string) error {
	goRoot, err := output(ctx, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	runtime, err := os.ReadFile(filepath.Join(goRoot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return fmt.Errorf("this Go has no support for WebAssembly: %w", err)
	}
	for _, b := range []struct {
		name     string
		platform api.Platform
		format   api.Format
	}{{"node", api.PlatformNode, api.FormatCommonJS}, {"browser", api.PlatformBrowser, api.FormatCommonJS}, {"worker", api.PlatformBrowser, api.FormatIIFE}} {
		result := api.Build(api.BuildOptions{
			EntryPoints:       []string{filepath.Join(from, "src", b.name+".ts")},
			Outfile:           b.name + ".js",
			Bundle:            true,
			Platform:          b.platform,
			Format:            b.format,
			External:          []string{"vscode"},
			Target:            api.ES2022,
			Charset:           api.CharsetASCII,
			LegalComments:     api.LegalCommentsNone,
			MinifyWhitespace:  true,
			MinifyIdentifiers: true,
			MinifySyntax:      true,
			LogLevel:          api.LogLevelSilent,
		})
		for _, m := range append(result.Errors, result.Warnings...) {
			return fmt.Errorf("%s.ts: %s (%+v); run npm install in %s", b.name, m.Text,
				m.Location, from)
		}
		text := result.OutputFiles[0].Contents
		if b.name == "worker" {
			const node = `"use strict";if(typeof require!=="undefined"){globalThis.inevPort=require("node:worker_threads").parentPort}` + "\n"
			text = append(append([]byte(node), text...), runtime...)
		}
		if err := os.WriteFile(filepath.Join(dist, b.name+".js"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// writeServer compiles inev-ls for WebAssembly.
func writeServer(ctx context.Context, root, dist string, s settings) error {
	scratch, err := os.MkdirTemp("", "inev-server-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	program, err := s.compile(ctx, scratch, filepath.Join(root, "modules", "editor"), "./cmd/inev-ls")
	if err != nil {
		return fmt.Errorf("inev-ls cannot be built: %w", err)
	}
	return s.write(ctx, filepath.Join(dist, "inev-ls"), program)
}
