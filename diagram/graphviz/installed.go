//go:build !js

package graphviz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"time"
)

// installed is the program dot of an installed Graphviz.
type installed struct {
	program   string
	arguments []string
}

func (i *installed) render(ctx context.Context, graph, format, layout string) ([]byte, error) {
	arguments := append([]string{"-K" + layout, "-T" + format}, i.arguments...)
	command := exec.CommandContext(ctx, i.program, arguments...)
	// A killed dot may have left a child process that holds the pipes open.
	command.WaitDelay = time.Second
	command.Stdin = strings.NewReader(graph)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case err == nil && stdout.Len() > 0:
		return stdout.Bytes(), nil
	case err == nil || errors.As(err, &exit):
		return nil, fmt.Errorf("%s gives no picture: %s", i.program, complaint(stderr.String()))
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no program %s; give the path of Graphviz' dot, or use the Graphviz inside", i.program)
	}
	return nil, fmt.Errorf("%s cannot be run: %w", i.program, err)
}
