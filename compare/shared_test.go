package compare

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format"
)

// TestFormatsOfOneModel compares models that other tools have written in two formats: they are
// alike. It is skipped where these are not at hand.
func TestFormatsOfOneModel(t *testing.T) {
	files, err := filepath.Glob(filepath.FromSlash("../../shared/lts/mcrl2/*.lts"))
	if err != nil || len(files) == 0 {
		t.Skip("no models of other tools")
	}
	ctx := context.Background()
	compared := 0
	for _, file := range files {
		other := strings.TrimSuffix(file, ".lts") + ".aut"
		if _, err := os.Stat(other); err != nil {
			continue
		}
		a, _, err := format.Open(ctx, file, format.Options{Name: file})
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := format.Open(ctx, other, format.Options{Name: other})
		if err != nil {
			t.Fatal(err)
		}
		found, err := Models(ctx, a.LTS, b.LTS, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if compared++; !found.Alike {
			t.Errorf("%s and %s: %+v", file, other, found.Run)
		}
	}
	t.Logf("%d pairs", compared)
}
