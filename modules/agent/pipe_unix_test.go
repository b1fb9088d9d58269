//go:build unix

package agent_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/inev-lts/inev/modules/agent"
)

// TestPipesAreRefused: nobody waits for somebody who writes to them.
func TestPipesAreRefused(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.aut"), 0o600); err != nil {
		t.Fatal(err)
	}
	result := call(t, connect(t, agent.Options{Roots: []string{root}}), "labels", map[string]any{"model": "pipe.aut"})
	if text := textOf(result); !result.IsError || !strings.Contains(text, "it is a pipe; give a regular file") {
		t.Errorf("the answer is %s", text)
	}
}
