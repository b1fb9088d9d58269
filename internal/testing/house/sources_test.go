package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// openers are the files that open files, each for its reason; all others open what users name by [inputfile],
// which waits for nothing without end, and reads no more than is allowed.
var openers = map[string]string{
	"internal/inputfile":                    "it is the way",
	"internal/filesystem/os.go":             "the folder of a batch",
	"internal/wholefile/wholefile.go":       "files that are written",
	"internal/resources":                    "/proc",
	"internal/testing":                      "files of tests",
	"inevtest/inevtest.go":                  "files of tests",
	"internal/diagram/graphviz/generate.go": "makes sources",
	"internal/format/frontend/inputs.go":    "writes copies",
	"tools":                                 "tests and measurements",
	"modules":                               "programs of their own, which read their own files",
}

// TestOneOpener: no other file opens files by package os.
func TestOneOpener(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, is := n.(*ast.SelectorExpr)
			if !is {
				return true
			}
			of, is := call.X.(*ast.Ident)
			if !is || of.Name != "os" || !slices.Contains([]string{"Open", "OpenFile", "ReadFile"}, call.Sel.Name) {
				return true
			}
			for allowed := range openers {
				if isWithin(s.path, allowed) {
					used[allowed] = true
					return true
				}
			}
			t.Errorf("%s: os.%s; open it by internal/inputfile", s.set.Position(n.Pos()), call.Sel.Name)
			return true
		})
	}
	for allowed := range openers {
		if !used[allowed] {
			t.Errorf("%s opens no files any more", allowed)
		}
	}
}

// TestStartIsShort: no package of the program compiles a regular expression or makes a table of checksums when the
// program starts. Each run would pay for it, and few runs need any of them.
func TestStartIsShort(t *testing.T) {
	costly := []string{"regexp.MustCompile", "crc32.MakeTable"}
	for _, s := range sources(t) {
		if slices.ContainsFunc([]string{"tools", "modules", "examples", "internal/testing"}, func(f string) bool { return isWithin(s.path, f) }) {
			continue
		}
		for _, declared := range s.file.Decls {
			variables, is := declared.(*ast.GenDecl)
			if !is || variables.Tok != token.VAR {
				continue
			}
			ast.Inspect(variables, func(node ast.Node) bool {
				if _, later := node.(*ast.FuncLit); later {
					return false
				}
				call, is := node.(*ast.CallExpr)
				if !is {
					return true
				}
				called, is := call.Fun.(*ast.SelectorExpr)
				if !is {
					return true
				}
				of, is := called.X.(*ast.Ident)
				if is && slices.Contains(costly, of.Name+"."+called.Sel.Name) {
					t.Errorf("%s: %s.%s runs at each start; put it into sync.OnceValue", s.set.Position(call.Pos()), of.Name, called.Sel.Name)
				}
				return true
			})
		}
	}
}
