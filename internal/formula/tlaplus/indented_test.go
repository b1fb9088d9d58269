package tlaplus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestUnitsAreIndentedAsTheyLike: units behind separators and assumptions, indented in any way, are all read.
func TestUnitsAreIndentedAsTheyLike(t *testing.T) {
	folder := t.TempDir()
	for seed := range randomlts.Share(1_000) {
		r := rand.New(rand.NewPCG(seed, 80))
		text := "---- MODULE Any ----\nEXTENDS Naturals\n"
		var variables, defined []string
		for i := range 3 + r.IntN(6) {
			text += strings.Repeat(" ", r.IntN(4))
			switch name := fmt.Sprintf("n%d", i); r.IntN(5) {
			case 0:
				text += "-----\n"
			case 1:
				text += []string{"ASSUME 1 > 0\n", "ASSUME A1 ==\n     /\\ 1 > 0\n  /\\ TRUE\n", "AXIOM\n  LET z == 1\n  IN z > 0\n", "ASSUMPTION\n 1 = 1 /\\\n 2 = 2\n"}[r.IntN(4)]
				text = strings.Replace(text, "A1", name, 1)
			case 2:
				variables = append(variables, name)
				text += "VARIABLE " + name + "\n"
			default:
				defined = append(defined, name)
				text += name + " == 1\n"
			}
		}
		path := filepath.Join(folder, "Any.tla")
		if err := os.WriteFile(path, []byte(text+"====\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(t.Context(), path, "", nil)
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		if !slices.Equal(s.Variables(), variables) {
			t.Fatalf("variables %v, want %v:\n%s", s.Variables(), variables, text)
		}
		for _, name := range defined {
			if !s.Defines(name) {
				t.Fatalf("%s is not defined:\n%s", name, text)
			}
		}
	}
}
