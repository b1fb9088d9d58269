package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Templates makes Go's templates unable to call methods, writes them to a folder, and returns the
// name of the overlay that the go command takes by -overlay. The linker keeps every exported method
// of every type, a tenth of the program, because a template could call it by its name; no template
// of inev does. Templates fails with a version of Go that calls methods in another way.
func Templates(ctx context.Context, folder string) (string, error) {
	goRoot, err := goOutput(ctx, "env", "GOROOT")
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
	instead := filepath.Join(folder, "exec.go")
	if err := os.WriteFile(instead, source, 0o644); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{file: instead}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o644)
}

// withoutMethods returns text/template without its calls of methods.
func withoutMethods(source []byte) ([]byte, error) {
	const call = "ptr.MethodByName(fieldName)"
	if bytes.Count(source, []byte(call)) != 1 {
		return nil, fmt.Errorf("this Go calls methods in templates in another way than by %s",
			call)
	}
	return bytes.Replace(source, []byte(call), []byte("(reflect.Value{})"), 1), nil
}

// goOutput returns the output of the go command.
func goOutput(ctx context.Context, arguments ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", arguments...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%w\n%s", err, failed.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
