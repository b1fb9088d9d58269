package tlaplus

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDeepExpressions: what is nested more deeply than anybody writes is refused with its line, also where operators without brackets
// nest it.
func TestDeepExpressions(t *testing.T) {
	const many = 30_000
	for name, text := range map[string]string{
		"brackets": strings.Repeat("(", many) + "x" + strings.Repeat(")", many),
		"prefix":   strings.Repeat("~", many) + "x",
		"infix":    "x" + strings.Repeat(" + x", many),
		"primes":   "x" + strings.Repeat("[1]", many),
		"runs":     strings.Repeat("[]", many) + "(x = 1)",
		"open":     strings.Repeat("F(", many),
	} {
		path := filepath.Join(t.TempDir(), "Deep.tla")
		if err := os.WriteFile(path, []byte("---- MODULE Deep ----\nEXTENDS Naturals\nVARIABLE x\nP == "+text+"\n====\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(context.Background(), path, "", nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := s.Property("P"); err == nil || !strings.Contains(err.Error(), "Deep.tla:4: more than ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
