package house

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// TestEachPackageHasAnExample: godoc shows for each published package at least one
// example, and go test runs it.
func TestEachPackageHasAnExample(t *testing.T) {
	for _, p := range rows(t) {
		name := p.Name
		if !p.Public() {
			continue
		}
		tests, err := filepath.Glob(filepath.Join(filepath.FromSlash(name), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		positions := token.NewFileSet()
		var files []*ast.File
		for _, test := range tests {
			file, err := parser.ParseFile(positions, test, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		if !hasRunnable(doc.Examples(files...)) {
			t.Errorf("package %s has no example with // Output:, write one into %s/example_test.go", name, name)
		}
	}
}

func hasRunnable(examples []*doc.Example) bool {
	for _, e := range examples {
		if e.Output != "" {
			return true
		}
	}
	return false
}
