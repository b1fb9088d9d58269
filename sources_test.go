package inev_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// source is a file of Go, tests aside.
type source struct {
	path string // with slashes, from the root
	text string
	file *ast.File
	set  *token.FileSet
}

// folder returns the folder of the file.
func (s source) folder() string { return filepath.ToSlash(filepath.Dir(s.path)) }

// sources returns all files of Go in the project, its other modules included and tests aside.
// Several tests look at them, so they are parsed once.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var readSources = sync.OnceValues(func() (all []source, err error) {
	set := token.NewFileSet()
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (name == "testdata" || name == "node_modules" || name[0] == '.' || name[0] == '_'):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
		all = append(all, source{filepath.ToSlash(path), string(text), file, set})
		return err
	})
	return all, err
})

// isWithin reports whether a path is a folder or in it.
func isWithin(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}
