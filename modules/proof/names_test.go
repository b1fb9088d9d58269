package proof_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentsNameWhatIsProved: each name of Coq that docs/semantics.md and the README give is
// defined or proved in one of the files of Coq.
func TestDocumentsNameWhatIsProved(t *testing.T) {
	files, err := filepath.Glob("coq/*.v")
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]bool{}
	// Constructors and fields of records follow a bar, a brace or a semicolon, or begin a line.
	definition := regexp.MustCompile(`(?m)(?:\b(?:Theorem|Lemma|Corollary|Definition|Fixpoint|CoFixpoint|Inductive|CoInductive|Record|Variant|Notation)\s+|[|{;]\s*|^[ \t]+)([a-zA-Z_][\w']*)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range definition.FindAllStringSubmatch(string(text), -1) {
			defined[found[1]] = true
		}
	}
	names := 0
	check := func(document, cells string) {
		for _, quoted := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cells, -1) {
			names++
			if !defined[quoted[1]] {
				t.Errorf("%s names %s, which no file of Coq has", document, quoted[1])
			}
		}
	}
	semantics := read(t, filepath.Join("..", "..", "docs", "semantics.md"))
	_, table, found := strings.Cut(semantics, "\n| here | in Coq |\n")
	if !found {
		t.Fatal("semantics.md has no table of what is proved")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range strings.Split(table, "\n") {
		if cells := strings.Split(row, "|"); len(cells) == 4 {
			check("semantics.md", cells[2])
		}
	}
	readme := read(t, "README.md")
	_, table, _ = strings.Cut(readme, "\n| theorem | file |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range strings.Split(table, "\n") {
		if cells := strings.Split(row, "|"); len(cells) > 4 {
			check("README.md", cells[1])
		}
	}
	if names < 35 {
		t.Errorf("only %d names were found", names)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
