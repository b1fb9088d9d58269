package tlaplus

import (
	"os"
	"path/filepath"
	"strings"
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

// TestOperatorsPutByInstances: what an instance puts for an operator may be a definition, a LAMBDA, or an operator of the language.
func TestOperatorsPutByInstances(t *testing.T) {
	for put, want := range map[string]string{
		"LAMBDA a, b : a + 2 * b": "7", "LAMBDA a, b : Two * a": "2", "Twice": "8", "+": "4", "..": "1..3", "Max": "3",
	} {
		module := `---- MODULE M ----
EXTENDS Integers
Two == 2
Max(a, b) == IF a > b THEN a ELSE b
Twice(a, b) == 2 * (a + b)
---- MODULE Inner ----
CONSTANT Ok(_, _)
Use == Ok(1, 3)
Later(c) == Ok(c, 3)
====
I == INSTANCE Inner WITH Ok <- ` + put + `
P == I!Use = ` + want + ` /\ \A c \in {1} : I!Later(c) = ` + want + `
====
`
		if holds, err := holdsOf(t, module, ""); err != nil || !holds {
			t.Errorf("%s: %t, error %v", put, holds, err)
		}
	}
	module := "---- MODULE M ----\nEXTENDS Integers\n---- MODULE Inner ----\nCONSTANT Ok(_, _)\nUse == Ok(1, 3)\n====\nI == INSTANCE Inner WITH Ok <- LAMBDA a : a\nP == I!Use = 1\n====\n"
	if _, err := holdsOf(t, module, ""); err == nil || !strings.Contains(err.Error(), "M.tla:5: LAMBDA a : a takes 1 argument, found 2") {
		t.Errorf("error %v", err)
	}
}
