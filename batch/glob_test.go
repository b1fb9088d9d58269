package batch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/inev-lts/inev/batch"
)

// TestGlobStops: a pattern that visits a whole disk ends with the context.
func TestGlobStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	manifest := filepath.Join(t.TempDir(), "m.csv")
	if err := os.WriteFile(manifest, []byte("model,formula\n/*/*/*/*/*.aut,DeadlockFree\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := batch.Open(ctx, manifest); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
