package exampletest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/exampletest"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "m.inev")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRead(t *testing.T) {
	file := write(t, `# About the model.

# expect: violated lasso 4, neighbourhoods 6
Inev(PUT)

# The second one holds.
#   expect nothing here
# expect: satisfied
  Inev({PUT, GET}, "A !1")
`)
	got, err := exampletest.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []exampletest.Formula{
		{file + ":4", "Inev(PUT)", "violated lasso 4, neighbourhoods 6"},
		{file + ":9", `Inev({PUT, GET}, "A !1")`, "satisfied"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "# nothing\n", ": no formula"},
		{"no outcome", "Inev(A)\n", ":1: a formula without expected outcome"},
		{"outcome used up", "# expect: satisfied\nInev(A)\nInev(B)\n", ":3: a formula without expected outcome"},
		{"comment between", "# expect: satisfied\n# why\nInev(A)\n", ":2: a formula is to follow"},
		{"two outcomes", "# expect: satisfied\n# expect: violated\nInev(A)\n", ":2: a formula is to follow"},
		{"no formula after", "# expect: satisfied\nInev(A)\n# expect: violated", "the last expected outcome has no formula"},
		{"unknown verdict", "# expect: true\nInev(A)\n", `:1: the expected outcome begins with "true"`},
		{"no verdict", "# expect:\nInev(A)\n", `:1: the expected outcome begins with ""`},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := write(t, c.text)
			_, err := exampletest.Read(file)
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.HasPrefix(err.Error(), file) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, want %q in it", err, c.want)
			}
		})
	}
	if _, err := exampletest.Read(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("no error for a file that does not exist")
	}
}
