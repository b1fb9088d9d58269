package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// quick are the packages that inline small functions, as elsewhere: runs spend their time there. If
// all packages do, the engine is a sixth larger.
var quick = []string{
	"runtime", "internal/runtime/...", "slices", "sort", "math/bits", "strconv", "internal/strconv", "bufio", "unicode/utf8", "syscall/js",
	"github.com/inev-lts/inev/internal/bitset", "github.com/inev-lts/inev/internal/lines", "github.com/inev-lts/inev/internal/paged",
	"github.com/inev-lts/inev/internal/counters", "github.com/inev-lts/inev/lts/...", "github.com/inev-lts/inev/aut",
	"github.com/inev-lts/inev/property/product", "github.com/inev-lts/inev/counterexample", "github.com/inev-lts/inev/enrich",
	"github.com/inev-lts/inev/neighbourhood/...", "github.com/inev-lts/inev/simplify/...",
}

// writeEngine compiles the command as small as that can be without another result of it.
func writeEngine(ctx context.Context, root, folder string) error {
	scratch, err := os.MkdirTemp("", "inev-engine-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	overlay, err := templatesWithoutMethods(ctx, scratch)
	if err != nil {
		return err
	}
	module, err := lettersWithoutOutlines(ctx, root, scratch)
	if err != nil {
		return err
	}
	file := filepath.Join(scratch, "engine.wasm")
	words := []string{"-C", root, "build", "-trimpath", "-buildvcs=auto", "-overlay", overlay, "-modfile", module, "-mod=mod", "-tags", "urfave_cli_no_docs", "-ldflags", "-s -w", "-gcflags=all=-l"}
	for _, name := range quick {
		words = append(words, "-gcflags="+name+"=")
	}
	link := exec.CommandContext(ctx, "go", append(words, "-o", file, "./cmd/inev")...)
	link.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if said, err := link.CombinedOutput(); err != nil {
		return fmt.Errorf("the engine cannot be built: %w\n%s", err, said)
	}
	program, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return compress(filepath.Join(folder, "engine.wasm"), program)
}

// templatesWithoutMethods makes Go's templates unable to call methods, and returns the name of
// the overlay with them. The linker keeps every exported method of every type for a template that
// may call one by its name, a tenth of the program; no template of inev does.
func templatesWithoutMethods(ctx context.Context, scratch string) (string, error) {
	goRoot, err := output(ctx, "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	file := filepath.Join(goRoot, "src", "text", "template", "exec.go")
	source, err := os.ReadFile(file)
	if err == nil {
		source, err = withoutMethods(source)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	instead := filepath.Join(scratch, "exec.go")
	if err := os.WriteFile(instead, source, 0o644); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{file: instead}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(scratch, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o644)
}

// letters is the module of the typeface.
const letters = "codeberg.org/go-fonts/liberation"

// lettersWithoutOutlines leaves of the typeface only how wide letters are, since browsers draw letters of
// their own, and returns the name of a go.mod that takes that one.
func lettersWithoutOutlines(ctx context.Context, root, scratch string) (string, error) {
	from, err := output(ctx, "go", "-C", root, "list", "-m", "-f", "{{.Dir}}", letters)
	if err != nil {
		return "", err
	}
	to := filepath.Join(scratch, "letters")
	for _, weight := range []string{"Regular", "Bold"} {
		folder := "liberationsans" + strings.ToLower(weight)
		if err := os.MkdirAll(filepath.Join(to, folder), 0o755); err != nil {
			return "", err
		}
		font := filepath.Join(folder, "LiberationSans-"+weight+".ttf")
		if err := rewritten(filepath.Join(from, font), filepath.Join(to, font), withoutOutlines); err != nil {
			return "", err
		}
		if err := rewritten(filepath.Join(from, folder, "data.go"), filepath.Join(to, folder, "data.go"), asItIs); err != nil {
			return "", err
		}
	}
	module := filepath.Join(scratch, "engine.mod")
	added := func(text []byte) ([]byte, error) {
		return fmt.Appendf(text, "\nreplace %s => %s\n", letters, to), nil
	}
	for _, f := range []struct {
		from, to string
		change   func([]byte) ([]byte, error)
	}{
		{filepath.Join(root, "go.mod"), module, added},
		{filepath.Join(root, "go.sum"), filepath.Join(scratch, "engine.sum"), asItIs},
	} {
		if err := rewritten(f.from, f.to, f.change); err != nil {
			return "", err
		}
	}
	return module, os.WriteFile(filepath.Join(to, "go.mod"), []byte("module "+letters+"\n"), 0o644)
}

func asItIs(data []byte) ([]byte, error) { return data, nil }

// rewritten writes a file with what another one has, changed.
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

// withoutMethods returns text/template without its calls of methods.
func withoutMethods(source []byte) ([]byte, error) {
	const call = "ptr.MethodByName(fieldName)"
	if bytes.Count(source, []byte(call)) != 1 {
		return nil, fmt.Errorf("this Go calls methods in templates in another way than by %s", call)
	}
	return bytes.Replace(source, []byte(call), []byte("(reflect.Value{})"), 1), nil
}

// withoutOutlines returns a TrueType font of empty letters, each as wide as it was.
func withoutOutlines(font []byte) ([]byte, error) {
	const head, entry = 12, 16
	if len(font) < head {
		return nil, fmt.Errorf("this is no font")
	}
	n := int(binary.BigEndian.Uint16(font[4:]))
	if len(font) < head+n*entry {
		return nil, fmt.Errorf("its list of tables ends too early")
	}
	made := bytes.Clone(font[:head+n*entry])
	for i := range n {
		row := made[head+i*entry : head+(i+1)*entry]
		at, length := int(binary.BigEndian.Uint32(row[8:])), int(binary.BigEndian.Uint32(row[12:]))
		if at < 0 || length < 0 || at+length > len(font) {
			return nil, fmt.Errorf("its table %q ends behind the file", row[:4])
		}
		table := font[at : at+length]
		switch string(row[:4]) {
		case "glyf":
			table = make([]byte, 4)
		case "loca":
			table = make([]byte, length)
		}
		binary.BigEndian.PutUint32(row[8:], uint32(len(made)))
		binary.BigEndian.PutUint32(row[12:], uint32(len(table)))
		made = append(made, table...)
		for len(made)%4 != 0 {
			made = append(made, 0)
		}
	}
	return made, nil
}
