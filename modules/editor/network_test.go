package editor_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/modules/editor"
)

// TestNetworks: inev itself composes a network, so that no trust is needed, and reads it anew although only a component
// has changed; an error names the component and its line.
func TestNetworks(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("left.aut", "des (0,2,2)\n(0,PUT,1)\n(1,SEND,0)\n")
	write("right.aut", "des (0,2,2)\n(0,SEND,1)\n(1,GET,0)\n")
	write("sys.exp", "par SEND in left.aut || right.aut end par\n")
	analyst := editor.NewLocal(editor.Limits{})
	defer analyst.Close()
	ask := func() batch.Result {
		t.Helper()
		job := batch.Job{Name: "sys", Model: "sys.exp", Path: filepath.Join(folder, "sys.exp"), Formula: "Response(PUT; GET)"}
		a, err := analyst.Answer(context.Background(), editor.Question{Job: job})
		if err != nil {
			t.Fatal(err)
		}
		return a.Result
	}
	if got := ask(); got.Status != batch.Satisfied {
		t.Errorf("the network: %s %s", got.Status, got.Error)
	}
	write("right.aut", "des (0,3,3)\n(0,SEND,1)\n(1,GET,0)\n(1,LOSE,2)\n")
	if got := ask(); got.Status != batch.Violated {
		t.Errorf("with another component: %s %s", got.Status, got.Error)
	}
	write("right.aut", "des (0,2,2)\n(0,SEND,1)\n(1,GET\n")
	if got := ask(); got.Status != batch.Failed || !strings.Contains(got.Error, "sys.exp:1: ") || !strings.Contains(got.Error, "right.aut:3: ") {
		t.Errorf("with a broken component: %s %s", got.Status, got.Error)
	}
}
