package tlaplus

import (
	"os"
	"path/filepath"
	"testing"
)

// TestBuiltInInstance: a formula about runs that comes from an INSTANCE without a name is found
// behind the INSTANCE of a built-in module, which has no file.
func TestBuiltInInstance(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"Channel.tla": "---- MODULE Channel ----\nVARIABLE x\nSent == <>(x = 1)\n====\n",
		"Random.tla":  "---- MODULE Random ----\nVARIABLE x\nLOCAL INSTANCE Naturals\nINSTANCE Channel\n====\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Load(t.Context(), filepath.Join(folder, "Random.tla"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Property("Sent")
	if err != nil {
		t.Fatal(err)
	}
	if f.Operator != Eventually || f.Position.Line != 3 {
		t.Errorf("operator %d in line %d", f.Operator, f.Position.Line)
	}
}
