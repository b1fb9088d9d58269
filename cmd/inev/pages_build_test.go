package main

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestPagesHaveWhatTheyUse: a file that pages have, too, uses no function, type, variable or constant that only the command for
// terminals has. Otherwise the engine of pages cannot be built, which the tests of this package alone do not notice.
func TestPagesHaveWhatTheyUse(t *testing.T) {
	pages := build.Default
	pages.GOOS = "js"
	pages.GOARCH = "wasm"
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declaredFor := map[bool]map[string]bool{true: {}, false: {}} // by whether pages have the file
	var filesOfPages []*ast.File
	files := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		isOfPages, err := pages.MatchFile(".", name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for declared := range file.Scope.Objects {
			declaredFor[isOfPages][declared] = true
		}
		if isOfPages {
			filesOfPages = append(filesOfPages, file)
		}
	}
	if len(declaredFor[true]) < 100 || len(declaredFor[false]) < 100 {
		t.Fatalf("pages have %d declarations, terminals alone have %d", len(declaredFor[true]), len(declaredFor[false]))
	}
	for _, file := range filesOfPages {
		for _, used := range file.Unresolved {
			if declaredFor[false][used.Name] && !declaredFor[true][used.Name] {
				t.Errorf("%s: pages do not have %s: declare it in a file that they have", files.Position(used.Pos()), used.Name)
			}
		}
	}
}
