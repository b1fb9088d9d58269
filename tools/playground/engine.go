package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	buildcommand "github.com/inev-lts/inev/tools/build"
)

// quick are the packages where the compiler inlines small functions, since runs spend most of their
// time in them. Inlining in all packages would make the engine a sixth larger.
var quick = []string{
	"runtime", "internal/runtime/...", "github.com/inev-lts/inev/internal/lts/bitset", "github.com/inev-lts/inev/internal/pagedlist",
	"github.com/inev-lts/inev/internal/inputfile", "github.com/inev-lts/inev/internal/swar", "github.com/inev-lts/inev/lts/...", "github.com/inev-lts/inev/aut",
}

// writeEngine compiles the command, which needs no help text in a page.
func writeEngine(ctx context.Context, root, folder string, s settings) error {
	scratch, err := os.MkdirTemp("", "inev-engine-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	module, err := withoutHelp(root, scratch)
	if err != nil {
		return err
	}
	program, err := s.compile(ctx, scratch, root, "./cmd/inev", "-modfile", module, "-mod=mod")
	if err != nil {
		return fmt.Errorf("the engine cannot be built: %w", err)
	}
	return s.write(ctx, filepath.Join(folder, "engine"), program)
}

// compile compiles a program of the module in a folder for WebAssembly, with further flags of go
// build, as small as possible without changing its results. It leaves its files in scratch.
func (s settings) compile(ctx context.Context, scratch, module, program string, flags ...string) ([]byte, error) {
	overlay, err := buildcommand.Templates(ctx, scratch)
	if err != nil {
		return nil, err
	}
	known, err := isKnownGo(ctx)
	if err == nil && known {
		err = oneSort(ctx, overlay)
	}
	if err != nil {
		return nil, err
	}
	file := filepath.Join(scratch, "program.wasm")
	words := []string{
		"-C",
		module,
		"build",
		"-trimpath",
		"-buildvcs=auto",
		"-overlay",
		overlay,
		"-ldflags",
		"-s -w -X main.release=" + s.release,
		"-gcflags=all=-l",
	}
	for _, name := range quick {
		words = append(words, "-gcflags="+name+"=")
	}
	words = append(words, flags...)
	link := exec.CommandContext(ctx, "go", append(words, "-o", file, program)...)
	link.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if said, err := link.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, said)
	}
	made, err := os.ReadFile(file)
	if err != nil || !known {
		return made, err
	}
	made, err = lean(made)
	if err != nil {
		return nil, fmt.Errorf("the program cannot be made smaller: %w", err)
	}
	return made, nil
}

// knownGo is the version of Go whose sorting code and tables the build can make smaller. With
// another version the engine is correct, and a quarter larger.
const knownGo = "go1.26"

// isKnownGo reports whether the Go that compiles is the known one.
func isKnownGo(ctx context.Context) (bool, error) {
	version, err := output(ctx, "go", "env", "GOVERSION")
	return version == knownGo || strings.HasPrefix(version, knownGo+"."), err
}

// library is the module that reads the command line of inev; [cli] replaces it.
const library = "github.com/urfave/cli/v2"

// withoutHelp writes a module that replaces the library for command lines, and returns the name of
// a go.mod that uses this module.
func withoutHelp(root, scratch string) (string, error) {
	to := filepath.Join(scratch, "cli")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return "", err
	}
	from := filepath.Join(root, "tools", "playground", "cli")
	for _, name := range []string{"cli.go", "flags.go"} {
		if err := rewritten(filepath.Join(from, name), filepath.Join(to, name), asItIs); err != nil {
			return "", err
		}
	}
	module := filepath.Join(scratch, "engine.mod")
	added := func(text []byte) ([]byte, error) {
		return fmt.Appendf(text, "\nreplace %s => %s\n", library, to), nil
	}
	if err := rewritten(filepath.Join(root, "go.mod"), module, added); err != nil {
		return "", err
	}
	if err := rewritten(filepath.Join(root, "go.sum"), filepath.Join(scratch, "engine.sum"), asItIs); err != nil {
		return "", err
	}
	return module, os.WriteFile(filepath.Join(to, "go.mod"),
		[]byte("module "+library+"\n\ngo 1.24\n"), 0o644)
}

func asItIs(data []byte) ([]byte, error) { return data, nil }

// rewritten writes a file with the changed content of another file.
func rewritten(from, to string, change func([]byte) ([]byte, error)) error {
	data, err := os.ReadFile(from)
	if err == nil {
		data, err = change(data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return os.WriteFile(to, data, 0o644)
}
