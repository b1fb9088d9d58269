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

// installed renders by a program on this computer.
func installed(ctx context.Context, graph, format string, o Options) ([]byte, error) {
	arguments := append([]string{"-K" + o.Engine, "-T" + format}, o.Arguments...)
	command := exec.CommandContext(ctx, o.Program, arguments...)
	// A killed dot may have left a child that holds the pipes open.
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
		return nil, fmt.Errorf("%s gives no picture: %s", o.Program, complaint(stderr.String()))
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no program %s; give the path of Graphviz' dot, or use the Graphviz inside", o.Program)
	}
	return nil, fmt.Errorf("%s cannot be run: %w", o.Program, err)
}
